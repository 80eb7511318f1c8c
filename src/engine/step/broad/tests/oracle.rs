//! The broad phase as it is defined: all boxes made anew and compared with all.

use std::collections::BTreeMap;

use crate::engine::Simulation;
use crate::engine::geometry::shape::{Aabb, Convex};
use crate::engine::settings::{ActiveEvents, Settings};
use crate::engine::state::body::{Body, BodyKind};
use crate::engine::state::joint::{Joint, JointDesc};
use crate::engine::state::pair_key::PairKey;
use crate::engine::step::broad::{Enlarge, MotionBound};
use crate::math::{Real, Vec3, quat_to_mat3};

/// Which pairs there are, with the versions of their bodies, and which are candidates.
#[derive(Default)]
pub struct Oracle {
    pairs: BTreeMap<PairKey, [u32; 2]>,
    candidates: Vec<(PairKey, [usize; 2])>,
    pub reach: Vec<MotionBound>,
}

struct Piece {
    body: usize,
    slot: usize,
    bounds: Aabb,
    grow: Real,
    boundless: bool,
}

pub fn enlarge(world: &Simulation, settings: &Settings) -> Enlarge {
    let dt = world.report.dt;
    match settings.contact.active {
        ActiveEvents::Clipped => {
            let margin = settings.contact.margin + dt * dt * settings.gravity.length();
            Enlarge { dt, margin, scale: 1.0 }
        }
        ActiveEvents::Enumerated { eps_t, .. } => {
            Enlarge { dt: 0.0, margin: 0.0, scale: 1.0 / (1.0 - eps_t) }
        }
    }
}

impl Oracle {
    pub fn keys(&self) -> Vec<PairKey> {
        self.pairs.keys().copied().collect()
    }

    pub fn candidates(&self) -> Vec<PairKey> {
        self.candidates.iter().map(|(key, _)| *key).collect()
    }

    /// A pair was taken out of the step.
    pub fn drop(&mut self, key: PairKey) {
        self.pairs.remove(&key);
    }

    /// Finds the pairs of a step that has begun.
    pub fn find(&mut self, world: &Simulation, settings: &Settings) {
        let enlarge = enlarge(world, settings);
        let motions = &world.work.motions.list;
        let bodies = &world.bodies.as_slice()[..motions.len()];
        self.reach = motions
            .iter()
            .zip(bodies)
            .map(|(motion, body)| MotionBound::of(motion, body))
            .collect();
        for _ in 0..4 {
            let pieces = self.pieces(bodies, enlarge);
            self.candidates.clear();
            for (k, p) in pieces.iter().enumerate() {
                for q in &pieces[k + 1..] {
                    let (p, q) = if p.body < q.body { (p, q) } else { (q, p) };
                    if p.bounds.meets(q.bounds)
                        && !(p.boundless && q.boundless)
                        && self.may(world, bodies, p, q)
                    {
                        self.push(bodies, p, q);
                    }
                }
            }
            self.candidates.sort_unstable();
            if !self.spread(enlarge) {
                break;
            }
        }
        let versions = |key: PairKey| [key.a, key.b].map(|id| world.body(id).map(Body::version));
        let old = core::mem::take(&mut self.pairs);
        for (key, kept) in old {
            let indices = [key.a, key.b].map(|id| world.bodies.index_of(id));
            let [Some(a), Some(b)] = indices else { continue };
            let [x, y] = [&motions[a], &motions[b]];
            let dormant = (x.asleep || y.asleep) && !x.is_active() && !y.is_active();
            if dormant && versions(key) == kept.map(Some) {
                self.pairs.insert(key, kept);
            }
        }
        for (key, indices) in &self.candidates {
            self.pairs.insert(*key, indices.map(|i| bodies[i].version()));
        }
    }

    fn pieces(&self, bodies: &[Body], enlarge: Enlarge) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for (i, body) in bodies.iter().enumerate() {
            let grow = self.reach[i].distance(enlarge.dt) + enlarge.margin;
            for (slot, piece) in body.colliders().pieces().iter().enumerate() {
                let mut bounds = piece.piece.aabb(body.position(), quat_to_mat3(body.rotation()));
                let boundless = !(bounds.min.is_finite() && bounds.max.is_finite());
                let extra = (bounds.max - bounds.min) * (0.5 * (enlarge.scale - 1.0)) + grow;
                if boundless {
                    let cut = body.kind() == BodyKind::Static && enlarge.scale == 1.0;
                    let Aabb { min, max } = if cut { bounds } else { Aabb::INFINITE };
                    bounds = Aabb { min: min - grow, max: max + grow };
                } else {
                    bounds = Aabb { min: bounds.min - extra, max: bounds.max + extra };
                    if let Some(path) = self.reach[i].path {
                        bounds.min += path.min(Vec3::ZERO) * enlarge.dt;
                        bounds.max += path.max(Vec3::ZERO) * enlarge.dt;
                    }
                }
                pieces.push(Piece { body: i, slot, bounds, grow, boundless });
            }
        }
        pieces
    }

    fn may(&self, world: &Simulation, bodies: &[Body], p: &Piece, q: &Piece) -> bool {
        if p.body == q.body {
            return false;
        }
        let [x, y] = [p, q].map(|piece| {
            let body = &bodies[piece.body];
            let colliders = body.colliders();
            (body, &colliders.list()[colliders.pieces()[piece.slot].collider as usize])
        });
        let both_static = [x.0, y.0].iter().all(|body| body.kind() == BodyKind::Static);
        let noticed = (x.1.sensor || y.1.sensor) && !both_static;
        let moves = self.reach[p.body].moves || self.reach[q.body].moves;
        let joined = |desc: &JointDesc| {
            let ends = [x.0.id(), y.0.id()];
            desc.enabled
                && !desc.collide
                && desc.ends.iter().all(|end| end.is_some_and(|id| ends.contains(&id)))
        };
        let excluded = world.joints.as_slice().iter().map(Joint::desc).any(joined);
        (moves || noticed) && x.1.layers.meets(y.1.layers) && !excluded
    }

    fn push(&mut self, bodies: &[Body], p: &Piece, q: &Piece) {
        let piece = |side: &Piece| &bodies[side.body].colliders().pieces()[side.slot];
        let [a, b] = [p, q].map(|side| bodies[side.body].id());
        let [piece_a, piece_b] = [p, q].map(|side| piece(side).first);
        let key = PairKey { a, b, piece_a, piece_b };
        let indices = [p.body, q.body];
        let triangles = |mesh: &Piece, other: &Piece| {
            let (at, body) = (&piece(mesh).piece, &bodies[mesh.body]);
            let Convex::Mesh(surface) = &at.convex else { return None };
            let mut found = Vec::new();
            let grow = Vec3::splat(mesh.grow);
            let bounds = Aabb { min: other.bounds.min - grow, max: other.bounds.max + grow };
            let turn = quat_to_mat3(body.rotation());
            let position = body.position() + turn * at.position;
            let back = (turn * quat_to_mat3(at.rotation)).transpose();
            if bounds.min.is_finite() && bounds.max.is_finite() {
                surface.overlaps(&bounds.turned(-(back * position), back), |t| found.push(t));
            }
            Some(found)
        };
        match [triangles(p, q), triangles(q, p)] {
            [None, None] => self.candidates.push((key, indices)),
            [Some(found), None] => self
                .candidates
                .extend(found.iter().map(|t| (PairKey { piece_a: piece_a + t, ..key }, indices))),
            [None, Some(found)] => self
                .candidates
                .extend(found.iter().map(|t| (PairKey { piece_b: piece_b + t, ..key }, indices))),
            [Some(_), Some(_)] => {}
        }
    }

    /// Every body that moves takes over the largest speed of those that it may touch, through others
    /// that move, until nothing changes. True if a box grows by more than the margin.
    fn spread(&mut self, enlarge: Enlarge) -> bool {
        let before: Vec<Real> = self.reach.iter().map(|reach| reach.distance(enlarge.dt)).collect();
        loop {
            let mut changed = false;
            for (_, [a, b]) in &self.candidates {
                let top = self.reach[*a].component.max(self.reach[*b].component);
                for &i in [a, b] {
                    let reach = &mut self.reach[i];
                    if reach.moves && reach.component < top {
                        (reach.component, changed) = (top, true);
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let grown = |(reach, before): (&MotionBound, &Real)| {
            reach.distance(enlarge.dt) - before > enlarge.margin
        };
        self.reach.iter().zip(&before).any(grown)
    }
}
