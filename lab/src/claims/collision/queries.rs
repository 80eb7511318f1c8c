//! Spatial queries: the tree against asking one after another, and rays and casts beside parry3d.

use std::path::Path;
use std::process::Command;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::query::{CastConfig, ColliderId, Placed, QueryTree};
use orthant::engine::shape::{Aabb, Shape};
use orthant::math::{Double, Quat, Real, Vec3, quat_mul, quat_rotate, quat_to_mat3};

use super::never;
use crate::cases;
use crate::claims::Claims;
use crate::random::Rng;

/// Distances of the same hit may differ by this (m).
const SAME: Real = 1e-4;

/// Answers of the tree, and in single precision its speed.
pub fn measure(claims: &mut Claims) {
    let (mut wrong, mut asked) = ([0; 4], 0);
    for seed in 0..10 {
        let scene = Scene::new(seed, 60);
        let mut rng = Rng::new(100 + seed);
        for round in 0..200 {
            let shape = shape(&mut rng, round);
            wrong[0] += usize::from(!scene.rays_agree(&mut rng, round % 2 == 0));
            wrong[1] += usize::from(!scene.casts_agree(&mut rng, &shape));
            wrong[2] += usize::from(!scene.overlaps_agree(&mut rng, &shape));
            wrong[3] += usize::from(!scene.projections_agree(&mut rng));
            asked += 1;
        }
    }
    let names = ["rays", "shape casts", "overlaps of points, boxes, shapes", "nearest points"];
    for (name, wrong) in names.into_iter().zip(wrong) {
        never(claims, &format!("{name} the tree answers otherwise"), wrong, asked);
    }
    if !cases::is_double() {
        beside_parry(claims);
    }
}

/// A shape of one or three pieces.
fn shape(rng: &mut Rng, number: usize) -> Shape {
    if number.is_multiple_of(5) {
        let parts = (1..4).map(|k| (rng.vector(-0.4, 0.4), rng.rotation(), one(rng, number + k)));
        return Shape::compound(parts).expect("the parts are near each other");
    }
    one(rng, number)
}

fn one(rng: &mut Rng, number: usize) -> Shape {
    let (a, b, c) = (rng.range(0.2, 0.6), rng.range(0.2, 0.6), rng.range(0.2, 0.6));
    match number % 8 {
        0 => Shape::sphere(a),
        1 => Shape::cuboid(a, b, c),
        2 => Shape::capsule(0.5 * a, b),
        3 => Shape::cylinder(0.5 * a, b),
        4 => Shape::cone(0.5 * a, b),
        5 => Shape::ellipsoid(a, b, c),
        6 => Shape::round_cuboid(a, b, c, 0.3 * a),
        _ => {
            let mut point = || rng.vector(-1.0, 1.0).normalize_or(Vec3::X) * 0.5;
            let points: Vec<Vec3> = (0..20).map(|_| point()).collect();
            Shape::convex_hull(&points)
        }
    }
    .expect("the lengths are in range")
}

/// Bodies, the tree of all of them, and for each a tree of itself: nothing to pass over.
struct Scene {
    world: Simulation,
    tree: QueryTree,
    alone: Vec<QueryTree>,
}

impl Scene {
    /// Bodies of one or two colliders, a ground and a hilly mesh among them.
    fn new(seed: u64, count: usize) -> Self {
        let mut rng = Rng::new(seed);
        let mut world = Simulation::new();
        for k in 0..count {
            let mut colliders: Vec<Collider> = Vec::new();
            for c in 0..1 + k % 2 {
                let shape = shape(&mut rng, k + c);
                let position = rng.vector(-0.3, 0.3);
                let rotation = rng.rotation();
                colliders.push(Collider { position, rotation, ..Collider::new(shape) });
            }
            let (mut position, mut rotation) = (rng.vector(-2.5, 2.5), rng.rotation());
            if k == 10 {
                colliders = vec![Shape::half_space(Vec3::Y).expect("a direction").into()];
                (position, rotation) = (Vec3::Y * -2.5, Quat::IDENTITY);
            } else if k == 20 {
                let mut row = || (0..6).map(|_| rng.range(0.0, 0.5)).collect();
                let heights: Vec<Vec<Real>> = (0..6).map(|_| row()).collect();
                let hills = Shape::heightfield(&heights, Vec3::new(5.0, 1.0, 5.0));
                colliders = vec![hills.expect("a grid").into()];
                position = Vec3::Y * -2.2;
            }
            let kind = BodyKind::Static;
            let desc = BodyDesc { kind, position, rotation, colliders, ..BodyDesc::default() };
            world.add_body(desc).expect("a sound body");
        }
        let alone = world.bodies().iter().map(|body| QueryTree::build([body])).collect();
        Self { tree: QueryTree::build(world.bodies().iter()), world, alone }
    }

    fn rays_agree(&self, rng: &mut Rng, solid: bool) -> bool {
        let (origin, direction) = (rng.vector(-3.5, 3.5), rng.vector(-1.0, 1.0));
        let cast = |tree: &QueryTree| {
            let hit = tree.cast_ray(origin, direction, 8.0, solid, |_, _| true)?;
            Some((hit.distance, hit.id))
        };
        agree(cast(&self.tree), self.alone.iter().filter_map(cast))
    }

    fn casts_agree(&self, rng: &mut Rng, shape: &Shape) -> bool {
        let (origin, turn) = (rng.vector(-3.5, 3.5), rng.rotation());
        let direction = rng.vector(-1.0, 1.0);
        let config = CastConfig { max_distance: 8.0, ..CastConfig::default() };
        let cast = |tree: &QueryTree| {
            let hit = tree.cast_shape(shape, origin, turn, direction, &config, |_, _| true)?;
            Some((hit.distance, hit.id))
        };
        agree(cast(&self.tree), self.alone.iter().filter_map(cast))
    }

    fn projections_agree(&self, rng: &mut Rng) -> bool {
        let point = rng.vector(-3.0, 3.0);
        let project = |tree: &QueryTree| {
            let nearest = tree.project_point(point, Real::INFINITY, true, |_, _| true)?;
            Some(((nearest.point - point).length(), nearest.id))
        };
        agree(project(&self.tree), self.alone.iter().filter_map(project))
    }

    /// What a point is in, a box meets and a shape touches, against each piece by itself.
    fn overlaps_agree(&self, rng: &mut Rng, shape: &Shape) -> bool {
        let (point, turn, size) = (rng.vector(-3.0, 3.0), rng.rotation(), rng.vector(0.0, 1.0));
        let aabb = Aabb { min: point - size, max: point + size };
        let mut wanted: [Vec<ColliderId>; 3] = Default::default();
        for body in self.world.bodies().iter() {
            for (id, it) in pieces(body) {
                if it.project(point, true).is_some_and(|(_, inside)| inside) {
                    wanted[0].push(id);
                }
                let bounds = it.convex.aabb(it.position, it.rotation);
                // The half-space has no bounds; its surface is known.
                let is_ground = !bounds.max.is_finite();
                if bounds.meets(aabb) && (!is_ground || aabb.min.y <= it.position.y) {
                    wanted[1].push(id);
                }
                if placed(shape, point, turn).any(|moving| it.touches(&moving)) {
                    wanted[2].push(id);
                }
            }
        }
        let mut found: [Vec<ColliderId>; 3] = Default::default();
        self.tree.point_intersections(point, |_, _| true, &mut found[0]);
        self.tree.aabb_intersections(aabb, |_, _| true, &mut found[1]);
        self.tree.shape_intersections(shape, point, turn, |_, _| true, &mut found[2]);
        wanted.iter_mut().for_each(Vec::dedup);
        found == wanted
    }
}

/// The pieces of a shape in the world.
fn placed(shape: &Shape, position: Vec3, rotation: Quat) -> impl Iterator<Item = Placed<'_>> {
    let turn = quat_to_mat3(rotation);
    shape.pieces().iter().map(move |piece| Placed {
        convex: &piece.convex,
        position: position + quat_rotate(rotation, piece.position),
        rotation: turn * quat_to_mat3(piece.rotation),
    })
}

/// The pieces of a body in the world.
fn pieces(body: &Body) -> impl Iterator<Item = (ColliderId, Placed<'_>)> {
    (0_u32..).zip(body.colliders().list()).flat_map(move |(index, collider)| {
        let rotation = quat_mul(body.rotation(), collider.rotation);
        let position = body.position() + quat_rotate(body.rotation(), collider.position);
        let id = ColliderId { body: body.id(), collider: index };
        placed(&collider.shape, position, rotation).map(move |it| (id, it))
    })
}

/// Is an answer the nearest of all?
fn agree(found: Option<(Real, ColliderId)>, all: impl Iterator<Item = (Real, ColliderId)>) -> bool {
    let nearest = all.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    match (found, nearest) {
        (Some(a), Some(b)) => a.1 == b.1 && (a.0 - b.0).abs() <= SAME,
        (None, None) => true,
        _ => false,
    }
}

/// Times of rays and casts in a scene, of which the bench makes a line each, over those of parry3d.
fn beside_parry(claims: &mut Claims) {
    let rows = [
        ("a ray among 1 000 bodies, time over parry3d", "ray", 1),
        ("a shape cast among 1 000, time over parry3d, worst", "cast", 4),
    ];
    let times = times();
    for (what, kind, count) in rows {
        match &times {
            Ok(times) => {
                let of_kind: Vec<_> =
                    times.iter().filter(|(name, ..)| name.ends_with(kind)).collect();
                let worst = of_kind.iter().map(|(_, a, b)| a / b).fold(0.0, Double::max);
                let slowest = of_kind.iter().map(|(_, a, _)| *a).fold(0.0, Double::max);
                let figure = format!("{worst:.2}, at most {slowest:.0} ns");
                claims.add_time(what, &figure, "≤ 1", worst <= 1.0 && of_kind.len() == count);
            }
            Err(why) => claims.add_time(what, why, "≤ 1", false),
        }
    }
}

/// Names and nanoseconds, ours and theirs, of the package that measures both.
fn times() -> Result<Vec<(String, Double, Double)>, String> {
    let manifest = Path::new(crate::ROOT).join("benches/query/Cargo.toml");
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--release", "--quiet", "--manifest-path"])
        .arg(&manifest)
        .args(["--", "200", "scene"])
        .output()
        .map_err(|error| format!("not started: {error}"))?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr);
        let last = told.lines().rfind(|line| line.starts_with("error")).unwrap_or("it failed");
        return Err(format!("not built: {last}"));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter_map(time).collect())
}

/// A line `name: ours (hits), theirs (hits), ratio`.
fn time(line: &str) -> Option<(String, Double, Double)> {
    let (name, figures) = line.rsplit_once(": ")?;
    let mut figures = figures
        .split(',')
        .filter_map(|figure| figure.split_whitespace().next()?.parse::<Double>().ok());
    Some((name.trim().to_owned(), figures.next()?, figures.next()?))
}
