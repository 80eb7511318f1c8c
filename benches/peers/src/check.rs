//! What is wrong with a state, from the poses alone and in double precision: no engine is trusted.
//!
//! Boxes are checked with all fifteen separating axes, everything else by parry3d in double precision.

use std::collections::HashSet;

use orthant::engine::body::BodyKind;
use orthant::math::{Quat, Vec3};
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::math::{Pose as Place, Rotation, Vector};
use parry3d_f64::query::contact;
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Shape};

use crate::engines::Pose;
use orthant_lab::games::{Form, Game, Link, Piece};

/// A body that should stand may move this far sideways (m).
const DRIFT_MAX: f64 = 0.1;
/// A body that should stand may come down this far (m).
const DROP_MAX: f64 = 0.25;

/// A convex part of a body.
struct Part {
    body: usize,
    place: Place,
    shape: Box<dyn Shape>,
}

/// Checks the states of one scene.
pub struct Checker<'a> {
    game: &'a Game,
    parts: Vec<Part>,
    /// Pairs of bodies that are joined, the lower index first.
    joined: HashSet<[usize; 2]>,
}

fn vector(v: Vec3) -> Vector {
    Vector::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

fn place(position: Vec3, rotation: Quat) -> Place {
    let [x, y, z, w] = rotation.to_array().map(f64::from);
    Place::from_parts(vector(position), Rotation::from_xyzw(x, y, z, w).normalize())
}

fn cuboid(half: Vec3) -> Box<dyn Shape> {
    Box::new(Cuboid::new(vector(half)))
}

fn sorted([a, b]: [usize; 2]) -> [usize; 2] {
    [a.min(b), a.max(b)]
}

impl<'a> Checker<'a> {
    /// Takes the forms of a scene apart.
    ///
    /// # Errors
    /// A hull is flat.
    pub fn new(game: &'a Game) -> Result<Self, String> {
        let mut parts = Vec::new();
        for (body, piece) in game.pieces.iter().enumerate() {
            let mut add = |place, shape| parts.push(Part { body, place, shape });
            match &piece.form {
                Form::Ball(radius) => {
                    add(Place::IDENTITY, Box::new(Ball::new(f64::from(*radius))));
                }
                Form::Cuboid(half) => add(Place::IDENTITY, cuboid(*half)),
                Form::Capsule { half, radius } => {
                    let capsule = Capsule::new_y(f64::from(*half), f64::from(*radius));
                    add(Place::IDENTITY, Box::new(capsule));
                }
                Form::Hull(points) => {
                    let points: Vec<Vector> = points.iter().map(|&p| vector(p)).collect();
                    let hull = ConvexPolyhedron::from_convex_hull(&points);
                    add(Place::IDENTITY, Box::new(hull.ok_or("a hull is flat")?));
                }
                Form::Compound(boxes) => {
                    boxes.iter().for_each(|&(at, turn, half)| add(place(at, turn), cuboid(half)));
                }
            }
        }
        let joined = game.links.iter().map(|link| sorted(link.bodies)).collect();
        Ok(Self { game, parts, joined })
    }

    /// Deepest overlap of two parts (m) of which one moves and that are not joined. Infinite if a pose is
    /// not finite.
    pub fn overlap(&self, poses: &[Pose]) -> f64 {
        let places: Vec<Place> = self
            .parts
            .iter()
            .map(|part| place(poses[part.body].position, poses[part.body].rotation) * part.place)
            .collect();
        let boxes: Vec<_> =
            self.parts.iter().zip(&places).map(|(part, at)| part.shape.compute_aabb(at)).collect();
        if !boxes.iter().all(|b| b.mins.is_finite() && b.maxs.is_finite()) {
            return f64::INFINITY;
        }
        let mut order: Vec<usize> = (0..boxes.len()).collect();
        order.sort_by(|&i, &j| boxes[i].mins.x.total_cmp(&boxes[j].mins.x));
        let mut deepest: f64 = 0.0;
        for (k, &i) in order.iter().enumerate() {
            for &j in &order[k + 1..] {
                if boxes[j].mins.x > boxes[i].maxs.x {
                    break;
                }
                if self.meets(i, j) && boxes[i].intersects(&boxes[j]) {
                    deepest =
                        deepest.max(depth(&self.parts[i], &places[i], &self.parts[j], &places[j]));
                }
            }
        }
        deepest
    }

    /// May these parts push each other?
    fn meets(&self, i: usize, j: usize) -> bool {
        let bodies = [self.parts[i].body, self.parts[j].body];
        let moves = |body: usize| self.game.pieces[body].kind == BodyKind::Dynamic;
        let [a, b] = bodies;
        a != b && (moves(a) || moves(b)) && !self.joined.contains(&sorted(bodies))
    }

    /// Distance of the two anchors of each joint (m). Infinite if a pose is not finite.
    pub fn joint_errors(&self, poses: &[Pose]) -> Vec<f64> {
        let distance = |link: &Link| {
            let anchor = |end: usize| {
                let pose = poses[link.bodies[end]];
                place(pose.position, pose.rotation).transform_point(vector(link.anchors[end]))
            };
            let distance = (anchor(0) - anchor(1)).length();
            if distance.is_nan() { f64::INFINITY } else { distance }
        };
        self.game.links.iter().map(distance).collect()
    }

    /// How far the highest dynamic body may fall from where it begins until it is at y = 0 (m).
    pub fn height(&self) -> f64 {
        let dynamic = |part: &&Part| self.game.pieces[part.body].kind == BodyKind::Dynamic;
        let low = |part: &Part| {
            let piece = &self.game.pieces[part.body];
            let at = place(piece.position, piece.rotation) * part.place;
            part.shape.compute_aabb(&at).mins.y
        };
        self.parts.iter().filter(dynamic).map(low).fold(0.0, f64::max)
    }

    /// Largest speed of a dynamic body [m/s] that moved from one of these poses to the other in a time (s).
    pub fn speed(&self, before: &[Pose], after: &[Pose], time: f64) -> f64 {
        let speed = |((piece, before), after): ((&Piece, &Pose), &Pose)| {
            let way = (vector(after.position) - vector(before.position)).length();
            let way = if way.is_nan() { f64::INFINITY } else { way };
            if piece.kind == BodyKind::Dynamic { way / time } else { 0.0 }
        };
        self.game.pieces.iter().zip(before).zip(after).map(speed).fold(0.0, f64::max)
    }

    /// Is every dynamic body but balls near where it began, as seen from the first body?
    pub fn stands(&self, poses: &[Pose]) -> bool {
        let Some((floor, now)) = self.game.pieces.first().zip(poses.first()) else { return true };
        let before = place(floor.position, floor.rotation).inverse();
        let after = place(now.position, now.rotation).inverse();
        let stays = |(piece, pose): (&Piece, &Pose)| {
            let way = after.transform_point(vector(pose.position))
                - before.transform_point(vector(piece.position));
            let is_free = piece.kind != BodyKind::Dynamic || matches!(piece.form, Form::Ball(_));
            is_free || (way.x.hypot(way.z) < DRIFT_MAX && -way.y < DROP_MAX)
        };
        self.game.pieces.iter().zip(poses).all(stays)
    }

    /// How many dynamic bodies have left the container, or fell out of the world.
    pub fn escaped(&self, poses: &[Pose]) -> usize {
        let is_out = |p: Vector| match self.game.name.split('-').next() {
            Some("hulls" | "boxes") => p.y < -0.5 || p.x.abs() > 6.5 || p.z.abs() > 6.5,
            Some("brazil") => p.y < -0.6 || p.x.abs() > 1.3 || p.z.abs() > 1.3,
            Some("drum") => p.x.hypot(p.y) > 5.0 || p.z.abs() > 3.6,
            _ => p.y < -50.0,
        };
        let moves = |(piece, _): &(&Piece, &Pose)| piece.kind == BodyKind::Dynamic;
        let moving = self.game.pieces.iter().zip(poses).filter(moves);
        moving
            .map(|(_, pose)| vector(pose.position))
            .filter(|p| !p.is_finite() || is_out(*p))
            .count()
    }
}

/// How deep two parts overlap (m); not positive if they do not.
fn depth(a: &Part, at_a: &Place, b: &Part, at_b: &Place) -> f64 {
    match (a.shape.as_cuboid(), b.shape.as_cuboid()) {
        (Some(half_a), Some(half_b)) => {
            box_depth(at_a, half_a.half_extents, at_b, half_b.half_extents)
        }
        _ => contact(at_a, &*a.shape, at_b, &*b.shape, 0.0)
            .ok()
            .flatten()
            .map_or(0.0, |contact| -contact.dist),
    }
}

/// How deep two boxes of half lengths overlap (m), by the fifteen axes that can separate them.
fn box_depth(at_a: &Place, half_a: Vector, at_b: &Place, half_b: Vector) -> f64 {
    let axes = |at: &Place| [Vector::X, Vector::Y, Vector::Z].map(|axis| at.rotation * axis);
    let (axes_a, axes_b) = (axes(at_a), axes(at_b));
    let apart = at_b.translation - at_a.translation;
    let reach = |n: Vector, axes: [Vector; 3], half: Vector| -> f64 {
        axes.iter().zip(half.to_array()).map(|(axis, half)| half * n.dot(*axis).abs()).sum()
    };
    let mut least = f64::MAX;
    let mut test = |n: Vector| {
        // Of two edges that are parallel there is nothing to be told.
        if n.length() > 1e-6 {
            let n = n.normalize();
            let depth = reach(n, axes_a, half_a) + reach(n, axes_b, half_b) - n.dot(apart).abs();
            least = least.min(depth);
        }
    };
    axes_a.into_iter().chain(axes_b).for_each(&mut test);
    axes_a.into_iter().for_each(|a| axes_b.into_iter().for_each(|b| test(a.cross(b))));
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two boxes, hulls, … of which the second stands on the first.
    fn pair(first: Form, second: Form, position: Vec3) -> Game {
        let mut game = Game::new("pair");
        game.add(first, Vec3::ZERO);
        game.add(second, position);
        game
    }

    fn poses(game: &Game) -> Vec<Pose> {
        let pose = |p: &Piece| Pose { position: p.position, rotation: p.rotation };
        game.pieces.iter().map(pose).collect()
    }

    fn overlap(game: &Game) -> f64 {
        Checker::new(game).expect("a scene of solid bodies").overlap(&poses(game))
    }

    #[test]
    fn a_box_and_the_hull_of_its_corners_overlap_alike() {
        let half = Vec3::new(0.5, 0.25, 0.75);
        let corners = (0..8).map(|i| {
            let sign = |bit: u32| if i >> bit & 1 == 0 { -1.0 } else { 1.0 };
            half * Vec3::new(sign(0), sign(1), sign(2))
        });
        let hull = Form::Hull(corners.collect());
        for (k, y) in [0.375, 0.4375, 0.5, 0.5625].into_iter().enumerate() {
            let at = Vec3::new(0.125, y, 0.0625);
            let mut boxes = pair(Form::Cuboid(half), Form::Cuboid(half), at);
            let mut mixed = pair(Form::Cuboid(half), hull.clone(), at);
            let turn = Quat::from_rotation_z(0.2 * k as f32);
            boxes.pieces[1].rotation = turn;
            mixed.pieces[1].rotation = turn;
            let (a, b) = (overlap(&boxes), overlap(&mixed));
            assert!((a.max(0.0) - b.max(0.0)).abs() < 1e-6, "{a} by axes, {b} by parry at {y}");
            assert!(k > 0 || (a - 0.125).abs() < 1e-12, "{a}");
        }
    }

    #[test]
    fn balls_overlap_by_what_their_centers_lack() {
        let game = pair(Form::Ball(0.5), Form::Ball(0.25), Vec3::new(0.0, 0.7, 0.0));
        assert!((overlap(&game) - 0.05).abs() < 1e-7, "{}", overlap(&game));
        let game = pair(Form::Ball(0.5), Form::Ball(0.25), Vec3::new(0.0, 0.8, 0.0));
        assert_eq!(overlap(&game), 0.0, "they are apart");
    }

    #[test]
    fn joined_bodies_may_overlap_and_their_anchors_may_not_part() {
        let mut game = pair(Form::Ball(0.5), Form::Ball(0.5), Vec3::X);
        game.pieces[1].position.x = 0.9;
        let anchors = [Vec3::new(0.5, 0.0, 0.0), Vec3::new(-0.5, 0.0, 0.0)];
        game.links.push(Link { bodies: [1, 0], anchors: [anchors[1], anchors[0]], length: None });
        let checker = Checker::new(&game).expect("a scene of solid bodies");
        assert_eq!(checker.overlap(&poses(&game)), 0.0, "they are joined");
        let errors = checker.joint_errors(&poses(&game));
        assert!(errors.len() == 1 && (errors[0] - 0.1).abs() < 1e-7, "{errors:?}");
    }

    #[test]
    fn what_moves_aside_or_falls_does_not_stand() {
        let cube = || Form::Cuboid(Vec3::splat(0.5));
        let mut game = pair(cube(), cube(), Vec3::Y);
        game.add(Form::Ball(0.1), Vec3::Y * 3.0);
        let checker = Checker::new(&game).expect("a scene of solid bodies");
        for (way, stands) in [
            (Vec3::new(0.05, -0.2, 0.05), true),
            (Vec3::new(0.11, 0.0, 0.0), false),
            (Vec3::new(0.0, -0.26, 0.0), false),
            (Vec3::NAN, false),
        ] {
            let mut moved = poses(&game);
            moved[1].position += way;
            assert_eq!(checker.stands(&moved), stands, "moved by {way}");
            // What all stand on takes them along, and turns them.
            let turn = Quat::from_rotation_z(0.3);
            for pose in &mut moved {
                pose.position = turn * pose.position + Vec3::new(5.0, -2.0, 1.0);
                pose.rotation = turn;
            }
            assert_eq!(checker.stands(&moved), stands, "moved by {way} on what moves");
            moved[2].position.y -= 2.0;
            assert_eq!(checker.stands(&moved), stands, "balls may roll away");
        }
    }

    #[test]
    fn the_fastest_counts() {
        let game = pair(Form::Ball(0.5), Form::Ball(0.5), Vec3::Y);
        let checker = Checker::new(&game).expect("a scene of solid bodies");
        assert!((checker.height() - 0.5).abs() < 1e-9, "{}", checker.height());
        let (before, mut after) = (poses(&game), poses(&game));
        (after[0].position.x, after[1].position.z) = (0.5, -1.0);
        assert!(
            (checker.speed(&before, &after, 0.5) - 2.0).abs() < 1e-9,
            "a meter in half a second"
        );
        after[0].position = Vec3::NAN;
        assert_eq!(checker.speed(&before, &after, 0.5), f64::INFINITY, "it is nowhere");
    }

    #[test]
    fn what_left_its_container_or_the_numbers_is_counted() {
        let mut game = pair(Form::Ball(0.2), Form::Ball(0.2), Vec3::Y);
        game.name = "drum".to_owned();
        let checker = Checker::new(&game).expect("a scene of solid bodies");
        let mut moved = poses(&game);
        assert_eq!(checker.escaped(&moved), 0, "both are inside");
        moved[0].position = Vec3::new(4.0, 4.0, 0.0);
        moved[1].position = Vec3::NAN;
        assert_eq!(checker.escaped(&moved), 2, "one is outside, one nowhere");
        assert_eq!(checker.overlap(&moved), f64::INFINITY, "one is nowhere");
    }
}
