//! Pairs: what is kept of two pieces from step to step.
//!
//! Input: candidates of the broad phase, ascending by key. Output: pairs in the same order, with the
//! portal, the contacts and the impulses of those that were there before. A pair whose body was
//! teleported or changed its shape starts afresh. O(candidates + pairs).

use smallvec::SmallVec;

use super::active::ActiveContact;
use super::body::Body;
use super::broad::{Candidate, PairKey};
use super::ratio::PortalCache;
use crate::math::{Real, Vec3};

/// Two pieces that may touch.
#[derive(Clone, Debug, Default)]
pub struct Pair {
    /// Names the pair.
    pub key: PairKey,
    /// Indices of the two bodies.
    pub bodies: [u32; 2],
    /// Versions of the two bodies for which the rest holds.
    pub versions: [u32; 2],
    /// Portal and plane of the last ratio query.
    pub cache: PortalCache,
    /// Friction coefficient μ of the pair (-).
    pub friction: Real,
    /// Rolling resistance of the pair (m).
    pub rolling: Real,
    /// Spinning resistance of the pair (m).
    pub spinning: Real,
    /// Velocity of the surface of body b along that of body a, beside their motion, as of a conveyor
    /// belt [m/s], world axes; its normal part does nothing. Zero at the start of every step.
    pub surface_velocity: Vec3,
    /// Ratio penetration depth Φ (-); positive infinity for a pair found apart by its plane.
    pub gap: Real,
    /// Signed plane separation (m).
    pub separation: Real,
    /// Events left out because there were too many.
    pub dropped: u32,
    /// Contacts, sorted by id.
    pub contacts: SmallVec<[ActiveContact; 4]>,
    /// Memory of the contacts before the last.
    pub spare: SmallVec<[ActiveContact; 4]>,
}

/// Pairs of this step and of the last.
#[derive(Clone, Debug, Default)]
pub struct Pairs {
    /// Pairs, ascending by key.
    pub list: Vec<Pair>,
    last: Vec<Pair>,
}

impl Pairs {
    /// Takes over the pairs that are still candidates, and adds the new ones.
    pub fn update(&mut self, candidates: &[Candidate], bodies: &[Body]) {
        core::mem::swap(&mut self.list, &mut self.last);
        self.list.clear();
        let mut old = 0;
        for candidate in candidates {
            while old < self.last.len() && self.last[old].key < candidate.key {
                old += 1;
            }
            let known = old < self.last.len() && self.last[old].key == candidate.key;
            let mut pair =
                if known { core::mem::take(&mut self.last[old]) } else { Pair::default() };
            let versions = candidate.bodies.map(|i| bodies[i as usize].version());
            if !known || pair.versions != versions {
                let contacts = core::mem::take(&mut pair.contacts);
                pair = Pair { key: candidate.key, versions, contacts, ..Pair::default() };
                pair.contacts.clear();
            }
            pair.bodies = candidate.bodies;
            let [a, b] = candidate.bodies.map(|i| &bodies[i as usize]);
            pair.friction = 0.5 * (friction(a) + friction(b));
            pair.surface_velocity = Vec3::ZERO;
            self.list.push(pair);
        }
    }
}

/// A friction coefficient out of its range is none.
fn friction(body: &Body) -> Real {
    if body.friction.is_finite() { body.friction.max(0.0) } else { 0.0 }
}
