//! Broad phase: which pairs of pieces may touch within the step.
//!
//! Input: bodies with their free velocities. Output: keys of pairs, ascending. Boxes are enlarged by
//! what the step can move them, `h (v + r |ω|) + h² |g| + margin`, where `v + r |ω|` is the largest of
//! the body's *component* (the bodies it may touch, directly or through others): a ball that hits B,
//! which rests 5 mm from C, gives B its speed within the step. What the component adds is limited to a
//! part of the body's size, which small steps never reach: else one bullet makes a heap active.
//! Boxes of swept bodies follow their path and grow around it only by what remains.
//! Sweep and prune along the axis of largest spread, O(n log n + overlaps along that axis); pieces
//! without bounds (half-spaces) meet every body. The result does not depend on the axis or on the order
//! of the sweep. Against a mesh a box is taken into the mesh's frame, and every triangle whose box meets
//! it makes a candidate. Not here: trees over the bodies.

use super::bodies::Bodies;
use super::body::{Body, BodyId, BodyKind};
use super::graph::DisjointSets;
use super::predict::Motion;
use super::shape::mesh::Mesh;
use super::shape::{Aabb, Convex, Piece};
use crate::math::{Real, Vec3, quat_to_mat3};

/// Names a pair of pieces: bodies ascending, then the pieces of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairKey {
    /// Body with the smaller id.
    pub a: BodyId,
    /// Body with the larger id.
    pub b: BodyId,
    /// Piece of body a.
    pub piece_a: u32,
    /// Piece of body b.
    pub piece_b: u32,
}

/// A candidate: indices of the bodies, and the key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Key of the pair; sorts first.
    pub key: PairKey,
    /// Indices of the bodies in ascending order of ids.
    pub bodies: [u32; 2],
}

/// What the step can move a body, and how.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reach {
    /// `v + r |ω|` of the body itself [m/s].
    pub own: Real,
    /// The largest of its component [m/s].
    pub component: Real,
    /// The component's speed moves the body's boxes no farther than this (m): a blow may set a body in
    /// motion within the step, but a bullet must not make everything near it active.
    pub limit: Real,
    /// Velocity of the center [m/s] if the body is swept: its boxes then follow its path, instead of
    /// growing in all directions.
    pub path: Option<Vec3>,
    /// Can impulses move it?
    pub moves: bool,
}

impl Reach {
    /// What the step can move a body with this free motion.
    pub fn of(motion: &Motion, body: &Body) -> Self {
        Self {
            own: motion.speed(),
            component: motion.speed(),
            limit: if motion.moves { 0.5 * motion.inradius } else { Real::INFINITY },
            path: if body.swept { Some(motion.linear) } else { None },
            moves: motion.moves,
        }
    }

    /// How far the step can move the body in any direction (m), for a swept body beside its path.
    fn distance(&self, dt: Real) -> Real {
        let own = self.path.map_or(self.own, |path| self.own - path.length());
        (dt * own).max((dt * self.component).min(self.limit))
    }
}

/// How far two bodies can come closer within a step, by their own speeds or by a blow that one of them
/// gets (m).
pub fn approach([a, b]: [Reach; 2], dt: Real) -> Real {
    let blow = (dt * a.component.max(b.component)).min(a.limit.min(b.limit));
    (dt * (a.own + b.own)).max(blow)
}

/// How far boxes are enlarged.
#[derive(Clone, Copy, Debug)]
pub struct Enlarge {
    /// Time step (s).
    pub dt: Real,
    /// Added to every box (m).
    pub margin: Real,
    /// Boxes are scaled about their centers by this first (-); 1 for bands in metres.
    pub scale: Real,
}

#[derive(Clone, Copy, Debug)]
struct Proxy {
    bounds: Aabb,
    body: u32,
    /// Number of the piece, or of the first triangle.
    piece: u32,
    /// Place in the list of the body's pieces.
    slot: u32,
    /// By how much the bounds were enlarged (m).
    grow: Real,
}

/// Buffers of the broad phase, kept between steps.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    proxies: Vec<Proxy>,
    boundless: Vec<Proxy>,
    sets: DisjointSets,
    /// Candidates found, ascending by key.
    pub candidates: Vec<Candidate>,
    /// Reach of every body.
    pub reach: Vec<Reach>,
}

impl BroadPhase {
    /// Finds all candidates. `excluded` lists pairs of bodies (ascending) that do not collide, sorted.
    pub fn find(&mut self, bodies: &Bodies, enlarge: Enlarge, excluded: &[[BodyId; 2]]) {
        for reach in &mut self.reach {
            reach.component = reach.own;
        }
        // Once with each body's own speed, then with that of its component until it stops growing.
        for _ in 0..4 {
            self.fill(bodies, enlarge);
            self.sweep(bodies, excluded);
            if !self.spread_speed(enlarge) {
                break;
            }
        }
        self.candidates.sort_unstable();
    }

    /// Bounding boxes of all pieces, enlarged.
    fn fill(&mut self, bodies: &Bodies, enlarge: Enlarge) {
        self.proxies.clear();
        self.boundless.clear();
        // Bodies beyond the reaches came after the step began.
        for (i, body) in bodies.as_slice()[..self.reach.len()].iter().enumerate() {
            let (position, rotation) = (body.position(), quat_to_mat3(body.rotation()));
            let grow = self.reach[i].distance(enlarge.dt) + enlarge.margin;
            for (k, piece) in body.colliders().pieces().iter().enumerate() {
                let bounds = piece.piece.aabb(position, rotation);
                let (body, piece, slot) = (i as u32, piece.first, k as u32);
                if !(bounds.min.is_finite() && bounds.max.is_finite()) {
                    self.boundless.push(Proxy { bounds, body, piece, slot, grow });
                    continue;
                }
                let extra = (bounds.max - bounds.min) * (0.5 * (enlarge.scale - 1.0)) + grow;
                let mut bounds = Aabb { min: bounds.min - extra, max: bounds.max + extra };
                if let Some(path) = self.reach[i].path {
                    bounds.min += path.min(Vec3::ZERO) * enlarge.dt;
                    bounds.max += path.max(Vec3::ZERO) * enlarge.dt;
                }
                self.proxies.push(Proxy { bounds, body, piece, slot, grow });
            }
        }
    }

    /// All overlaps of two boxes of which at least one body moves.
    fn sweep(&mut self, bodies: &Bodies, excluded: &[[BodyId; 2]]) {
        self.candidates.clear();
        let axis = widest_axis(&self.proxies);
        self.proxies.sort_unstable_by(|p, q| {
            let (x, y) = (p.bounds.min[axis], q.bounds.min[axis]);
            x.total_cmp(&y).then(p.body.cmp(&q.body)).then(p.piece.cmp(&q.piece))
        });
        for (i, p) in self.proxies.iter().enumerate() {
            for q in &self.proxies[i + 1..] {
                if q.bounds.min[axis] > p.bounds.max[axis] {
                    break;
                }
                if p.bounds.meets(q.bounds) {
                    push(&mut self.candidates, bodies, &self.reach, excluded, p, q);
                }
            }
            for q in &self.boundless {
                push(&mut self.candidates, bodies, &self.reach, excluded, p, q);
            }
        }
    }

    /// Calls `visit` with (piece of the body, other body, piece of that) for every piece whose box of
    /// this step meets `bounds` and that may touch the body. O(boxes).
    pub fn near(
        &self,
        body: u32,
        bounds: Aabb,
        bodies: &Bodies,
        excluded: &[[BodyId; 2]],
        mut visit: impl FnMut(u32, u32, u32),
    ) {
        let others = self.proxies.iter().filter(|other| other.bounds.meets(bounds));
        for other in others.chain(&self.boundless) {
            let pieces = bodies.as_slice()[body as usize].colliders().pieces();
            for (slot, piece) in (0_u32..).zip(pieces) {
                let piece = piece.first;
                let own = Proxy { bounds, body, piece, slot, grow: 0.0 };
                let may = meeting(bodies, &self.reach, excluded, &own, other);
                if may.is_none_or(|(_, sensor)| sensor) {
                    continue;
                }
                if let Some((mesh, place)) = mesh_of(bodies, other) {
                    triangles(bodies, mesh, place, [other, &own], |index| {
                        visit(piece, other.body, other.piece + index);
                    });
                } else {
                    visit(piece, other.body, other.piece);
                }
            }
        }
    }

    /// Gives every body the largest speed of its component; true if a box grows by more than the
    /// margin through it.
    fn spread_speed(&mut self, enlarge: Enlarge) -> bool {
        self.sets.reset(self.reach.len());
        for candidate in &self.candidates {
            let [a, b] = candidate.bodies;
            if self.reach[a as usize].moves && self.reach[b as usize].moves {
                self.sets.join(a, b);
            }
        }
        // A kinematic body shares its speed with what it may push, but does not link components.
        let mut grew = false;
        for pass in 0..2 {
            for candidate in &self.candidates {
                let [a, b] = candidate.bodies;
                let speed = |i: u32| self.reach[i as usize].component;
                let fastest = speed(a).max(speed(b));
                for i in candidate.bodies {
                    if self.reach[i as usize].moves {
                        let root = self.sets.find(i) as usize;
                        grew |= raise(&mut self.reach[root], fastest, enlarge);
                    }
                }
            }
            for i in 0..self.reach.len() {
                if self.reach[i].moves {
                    let root = self.sets.find(i as u32) as usize;
                    let fastest = self.reach[root].component;
                    grew |= raise(&mut self.reach[i], fastest, enlarge) && pass == 0;
                }
            }
        }
        grew
    }
}

/// Raises a component speed; true if that moves a box by more than the margin.
fn raise(reach: &mut Reach, speed: Real, enlarge: Enlarge) -> bool {
    let before = reach.distance(enlarge.dt);
    reach.component = reach.component.max(speed);
    reach.distance(enlarge.dt) - before > enlarge.margin
}

/// The axis along which the box centers spread most.
fn widest_axis(proxies: &[Proxy]) -> usize {
    let mut bounds = Aabb::EMPTY;
    for p in proxies {
        let center = (p.bounds.min + p.bounds.max) * 0.5;
        bounds = bounds.union(Aabb { min: center, max: center });
    }
    let size = bounds.max - bounds.min;
    if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    }
}

/// Adds a candidate if the pieces may meet.
fn push(
    candidates: &mut Vec<Candidate>,
    bodies: &Bodies,
    reach: &[Reach],
    excluded: &[[BodyId; 2]],
    p: &Proxy,
    q: &Proxy,
) {
    let Some((key, _)) = meeting(bodies, reach, excluded, p, q) else { return };
    let (p, q) = if p.body < q.body { (p, q) } else { (q, p) };
    let candidate = Candidate { key, bodies: [p.body, q.body] };
    match [p, q].map(|proxy| mesh_of(bodies, proxy)) {
        [None, None] => candidates.push(candidate),
        [Some((mesh, piece)), None] => {
            triangles(bodies, mesh, piece, [p, q], |index| {
                let key = PairKey { piece_a: key.piece_a + index, ..key };
                candidates.push(Candidate { key, ..candidate });
            });
        }
        [None, Some((mesh, piece))] => {
            triangles(bodies, mesh, piece, [q, p], |index| {
                let key = PairKey { piece_b: key.piece_b + index, ..key };
                candidates.push(Candidate { key, ..candidate });
            });
        }
        // Only what is moved by hand could get here, to be noticed by a sensor.
        [Some(_), Some(_)] => {}
    }
}

/// The key of two pieces and whether a sensor is among them; none if their bodies are the same, rest
/// both, are excluded, or their layers do not meet.
fn meeting(
    bodies: &Bodies,
    reach: &[Reach],
    excluded: &[[BodyId; 2]],
    p: &Proxy,
    q: &Proxy,
) -> Option<(PairKey, bool)> {
    if p.body == q.body {
        return None;
    }
    let collider = |proxy: &Proxy| {
        let body = &bodies.as_slice()[proxy.body as usize];
        body.colliders().of_piece(proxy.piece).map(|collider| (body.kind(), collider))
    };
    let ((kind_p, x), (kind_q, y)) = (collider(p)?, collider(q)?);
    let moves = reach[p.body as usize].moves || reach[q.body as usize].moves;
    // Sensors notice what is moved by hand, too.
    let sensor = x.sensor || y.sensor;
    let noticed = sensor && (kind_p, kind_q) != (BodyKind::Static, BodyKind::Static);
    if !(moves || noticed) || !x.layers.meets(y.layers) {
        return None;
    }
    let (p, q) = if p.body < q.body { (p, q) } else { (q, p) };
    let id = |proxy: &Proxy| bodies.as_slice()[proxy.body as usize].id();
    let key = PairKey { a: id(p), b: id(q), piece_a: p.piece, piece_b: q.piece };
    excluded.binary_search(&[key.a, key.b]).is_err().then_some((key, sensor))
}

/// The mesh that a proxy stands for, if it is one, and its piece.
#[inline]
fn mesh_of<'b>(bodies: &'b Bodies, proxy: &Proxy) -> Option<(&'b Mesh, &'b Piece)> {
    let body = &bodies.as_slice()[proxy.body as usize];
    let piece = &body.colliders().pieces().get(proxy.slot as usize)?.piece;
    if let Convex::Mesh(mesh) = &piece.convex { Some((mesh, piece)) } else { None }
}

/// Calls `visit` with the triangles of the mesh that the first proxy stands for whose boxes meet the
/// bounds of the other.
fn triangles(
    bodies: &Bodies,
    mesh: &Mesh,
    piece: &Piece,
    [proxy, other]: [&Proxy; 2],
    visit: impl FnMut(u32),
) {
    let bounds = other.bounds;
    if !(bounds.min.is_finite() && bounds.max.is_finite()) {
        return;
    }
    let body = &bodies.as_slice()[proxy.body as usize];
    let turn = quat_to_mat3(body.rotation());
    let position = body.position() + turn * piece.position;
    let back = (turn * quat_to_mat3(piece.rotation)).transpose();
    let grow = Vec3::splat(proxy.grow);
    let bounds = Aabb { min: bounds.min - grow, max: bounds.max + grow };
    mesh.overlaps(&bounds.turned(-(back * position), back), visit);
}
