//! Broad phase: which pairs of pieces may touch within the step.
//!
//! Input: bodies with their free velocities, which of them are active, and which were handed out to be
//! changed. Output: what changed in the set of candidates since the last step, ascending by key.
//!
//! Boxes are enlarged by what the step can move them, `h (v + r |ω|) + h² |g| + margin`, where `v + r |ω|`
//! is the largest of the body's *component* (the bodies it may touch, directly or through others): a ball
//! that hits B, which rests 5 mm from C, gives B its speed within the step. What the component adds is
//! limited to a fifth of the body's inradius, which small steps never reach: else one bullet makes a heap
//! active. Boxes of swept bodies follow their path and grow around it only by what remains. Pieces without
//! bounds (half-spaces) are near every body; a fixed one square to an axis meets what reaches its side, the
//! others meet all. Against a mesh a box is taken into the mesh's frame, and every
//! triangle whose box meets it makes a candidate.
//!
//! Work follows what moves. Every piece has a *fat* box in a tree, large enough for a few steps; when its
//! box leaves it, it gets a new one and its *near pairs* are found anew: those whose fat boxes meet and
//! that may become candidates. A step makes the boxes of the *live* bodies, those that are active, were
//! so in the last step, or were handed out, and looks at their near pairs. A pair of sleepers stays as it
//! is. Where something awake comes near sleepers, those that take over its speed become live, too.
//!
//! The candidates are those of all boxes compared with all: they do not depend on the tree, on what
//! happened before, or on any order (tested); in crowds some are refused.
//! Cost: O(live bodies + their near pairs), and O(log n + near pairs) for a fat box that is made anew.

mod crowd;
mod find;
mod gather;
mod known;
mod meet;
mod near;
mod place;

#[cfg(test)]
mod tests;
mod tree;

use self::known::{Known, Proxy};
use self::near::NearPairs;
use self::tree::Tree;
use super::islands::DisjointSets;
use crate::engine::geometry::shape::Aabb;
use crate::engine::settings::{ActiveEvents, Settings};
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::motion::Motion;
use crate::engine::state::pair_key::{Candidate, CandidateChanges, PairKey};
use crate::engine::tuning::broad::BLOW;
use crate::math::{Real, Vec3};

/// What the step can move a body, and how.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionBound {
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

impl MotionBound {
    /// What the step can move a body with this free motion.
    pub fn of(motion: &Motion, body: &Body) -> Self {
        Self {
            own: motion.speed(),
            component: motion.speed(),
            limit: if motion.moves { BLOW * motion.inradius } else { Real::INFINITY },
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

/// How far a blow that one of two bodies gets within a step can bring them closer (m), by what their
/// [reaches](MotionBound) tell.
pub fn impact_bound(components: [Real; 2], limits: [Real; 2], dt: Real) -> Real {
    (dt * components[0].max(components[1])).min(limits[0].min(limits[1]))
}

/// How far boxes are enlarged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enlarge {
    /// Time step (s).
    pub dt: Real,
    /// Added to every box (m).
    pub margin: Real,
    /// Boxes are scaled about their centers by this first (-); 1 for bands in metres.
    pub scale: Real,
}

impl Enlarge {
    /// By how much a step of `dt` seconds enlarges boxes.
    pub(in crate::engine) fn of(settings: &Settings, dt: Real) -> Self {
        match settings.contact.active {
            ActiveEvents::Clipped => {
                let margin = settings.contact.margin + dt * dt * settings.gravity.length();
                Self { dt, margin, scale: 1.0 }
            }
            // Φ ≤ ε_t means that the bodies scaled by 1 / (1 - ε_t) meet.
            ActiveEvents::Enumerated { eps_t, .. } => {
                Self { dt: 0.0, margin: 0.0, scale: 1.0 / (1.0 - eps_t) }
            }
        }
    }
}

/// What a step begins with.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// All bodies.
    pub bodies: &'a Bodies,
    /// The free motions of those that take part.
    pub motions: &'a [Motion],
    /// Which of them move by themselves, are moved by hand, or may have changed.
    pub movers: &'a [u32],
    /// How far boxes are enlarged.
    pub enlarge: Enlarge,
    /// Pairs of bodies (ascending) that do not collide, sorted.
    pub excluded: &'a [[BodyId; 2]],
}

/// What a step asks of a proxy.
#[derive(Clone, Copy, Debug)]
struct ProxyBox {
    /// Its box in this step.
    tight: Aabb,
    /// Its body.
    owner: u32,
    /// The round of this step, from 1, in which its fat box was made, or 0.
    moved_in: u8,
    /// The last round in which its box was made.
    boxed_in: u8,
}

/// Boxes, near pairs and what they were made from.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    /// Counts the steps.
    step: u32,
    enlarge: Option<Enlarge>,
    /// Pairs of bodies that do not collide, ascending.
    excluded: Vec<[BodyId; 2]>,
    /// How often the gaps in the list of bodies had been closed.
    closings: u32,
    /// What every body was when it was last live.
    known: Vec<Known>,
    /// See [`flag`](crate::engine::state::bodies::flag), of every body.
    pub(in crate::engine) flags: Vec<u8>,
    /// MotionBound of every body.
    pub reach: Vec<MotionBound>,
    /// By how much the boxes of every body are enlarged (m).
    grow: Vec<Real>,
    /// The last step in which every body was live, and that in which it was and impulses could move it.
    live_at: Vec<u32>,
    carried_at: Vec<u32>,
    /// Which live bodies go together, and for the first of them their largest speed [m/s].
    sets: DisjointSets,
    top: Vec<Real>,
    /// Bodies that are live in this step, and those that will be in the next.
    live: Vec<u32>,
    last: Vec<u32>,

    proxies: Vec<Proxy>,
    free: Vec<u32>,
    /// What a step asks of every proxy of every near pair.
    boxes: Vec<ProxyBox>,
    /// Fat boxes, and what they were before if they were made in this step.
    fat: Vec<Aabb>,
    before: Vec<Aabb>,
    tree: Tree,
    boundless: Vec<u32>,
    /// Proxies that got another fat box in this step, and how many of them found their near pairs.
    moved: Vec<u32>,
    placed: usize,
    /// Proxies that may meet others than before.
    refiltered: Vec<u32>,
    stamps: Vec<u32>,
    stamp: u32,

    near: NearPairs,
    /// Two sets, by 64, of those that were looked at together.
    glanced: Vec<[u64; 2]>,
    /// Of every proxy: how many of its near pairs are deep; how many were refused when it looked last.
    deep: Vec<u32>,
    short: Vec<u32>,
    /// The sum of those that were refused.
    refused: u64,
    /// What a crowded proxy found, in the order in which it takes it.
    lots: Vec<(bool, u32, u32)>,
    /// Boxes whose near pairs were found anew in this step.
    pub(in crate::engine) searched: u32,
    /// Slots of near pairs that a step looks at beside those that are listed.
    came: Vec<u32>,
    /// Of those looked at: those that have not met yet; those that meet, but one of them sleeps apart.
    open: Vec<u32>,
    border: Vec<u32>,
    /// Of those looked at: those that did not meet at first and are pairs; those with meshes.
    doubtful: Vec<u32>,
    meshes: Vec<u32>,
    /// Sorted triangles of each near pair with a mesh.
    triangles: Vec<Vec<u32>>,
    free_triangles: Vec<u32>,
    found: Vec<u32>,

    /// Candidates that were none in the last step, ascending by key. One that was removed as well is of
    /// another version of a body, or came back.
    pub(in crate::engine) added: Vec<Candidate>,
    /// Those that are none any more.
    pub(in crate::engine) removed: Vec<PairKey>,
    /// New indices of the bodies by the old ones, if they changed.
    pub(in crate::engine) renumbered: Vec<u32>,
}

impl BroadPhase {
    /// What changed among the candidates.
    pub(in crate::engine) fn changes(&self) -> CandidateChanges<'_> {
        let Self { added, removed, renumbered, flags, .. } = self;
        CandidateChanges { added, removed, renumbered, flags }
    }

    /// The bodies whose boxes this step makes: all others are where they were, and go nowhere.
    pub(in crate::engine) fn live(&self) -> &[u32] {
        &self.live
    }

    /// Takes up the free motions of bodies that woke within the step.
    pub(in crate::engine) fn renew_woken(
        &mut self,
        woken: &[BodyId],
        bodies: &Bodies,
        motions: &[Motion],
    ) {
        for i in woken.iter().filter_map(|&id| bodies.index_of(id)) {
            let component = self.reach[i].component;
            self.reach[i] = MotionBound::of(&motions[i], &bodies.as_slice()[i]);
            self.reach[i].component = self.reach[i].own.max(component);
        }
    }
}
