//! Reach: the contacts of a large island whose gaps the step can close.
//!
//! Input: an island's pairs and motions. Output: which contacts get rows. A contact is within reach if its
//! gap is at most
//!
//! ```text
//! margin + h (closing + (1 + e) blow),    blow = max m' / (m + m') max(v, v')
//! ```
//!
//! of the speed at which its bodies close it in a free step and of what a blow between one of them and a
//! neighbor gives to it, by their masses and speeds. What pushed in the last step is in reach, too. The
//! others have no rows and no impulses. Where the solution closes the gap of one all the same, as that of a
//! blow which runs through more bodies, the certificate tells by what speed, and the next step finds it
//! within reach. Small islands have all rows. O(contacts).

use core::ops::Range;

use super::{Sources, StepProblem};
use crate::engine::lcp::{Cone, Method, Vec6};
use crate::engine::settings::{ActiveEvents, Settings};
use crate::math::{DVec3, Double, Real, Vec3, refill, widen3};

/// What an island reaches.
#[derive(Clone, Debug, Default)]
pub(super) struct Reach {
    /// Speed that a blow without restitution can give to each body of a large island [m/s]; empty in a small
    /// one.
    blows: Vec<Real>,
}

/// A contact out of reach.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct FarContact {
    /// Bodies of the island at its ends, [`FIXED`](crate::engine::lcp::FIXED) for others.
    pub(super) bodies: [u32; 2],
    pub(super) normal: Vec3,
    /// From both centers (m).
    pub(super) arms: [Vec3; 2],
    /// Its gap over `h`, and the speed at which it grows but for those bodies [m/s].
    pub(super) apart: Double,
}

impl FarContact {
    /// By how much more than its gap allows bodies with these velocities close it [m/s].
    fn crossed(&self, velocity: &[Vec6]) -> Double {
        let normal = widen3(self.normal);
        let mut apart = self.apart;
        for ((i, arm), sign) in self.bodies.into_iter().zip(self.arms).zip([-1.0, 1.0]) {
            if let Some(&[vx, vy, vz, x, y, z]) = velocity.get(i as usize) {
                let turn = DVec3::new(x, y, z).cross(widen3(arm));
                apart += sign * normal.dot(DVec3::new(vx, vy, vz) + turn);
            }
        }
        -apart
    }
}

/// The largest speed at which bodies with these velocities close gaps that were out of reach [m/s]; 0 if they
/// close none.
pub(in crate::engine) fn crossed(far: &[FarContact], velocity: &[Vec6]) -> Double {
    far.iter().fold(0.0, |most: Double, contact| most.max(contact.crossed(velocity)))
}

impl StepProblem {
    /// Finds out how far the bodies of island `k` reach.
    pub(super) fn find_reach(
        &mut self,
        sources: &Sources<'_>,
        settings: &Settings,
        k: usize,
        pairs: Range<usize>,
    ) {
        let (solver, Reach { blows }) = (&settings.solver, &mut self.reach);
        blows.clear();
        let (islands, motions) = (sources.islands, sources.motions);
        let members = islands.members_of(k);
        let is_large = pairs.len() + members.len() > solver.newton_rows_max as usize
            && matches!(solver.method, Method::Auto | Method::Substeps)
            && solver.cone == Cone::Circular
            && settings.contact.active == ActiveEvents::Clipped;
        if !is_large {
            return;
        }
        refill(blows, members.len(), 0.0);
        for i in pairs {
            let bodies = sources.touching[self.pairs_of.items[i] as usize].bodies;
            let [a, b] = bodies.map(|i| &motions[i as usize]);
            let share = a.speed().max(b.speed()) / (a.inverse_mass + b.inverse_mass);
            for (i, motion) in bodies.into_iter().zip([a, b]).filter(|(_, motion)| motion.moves) {
                let blow = &mut blows[islands.local[i as usize] as usize];
                *blow = blow.max(share * motion.inverse_mass);
            }
        }
    }
}

impl Reach {
    /// Speed that a blow without restitution can give to the bodies with these numbers in a large island
    /// [m/s]; none in a small one, which reaches all contacts.
    pub(super) fn blow(&self, bodies: impl FnOnce() -> [u32; 2]) -> Option<Real> {
        let blow = |i: u32| self.blows.get(i as usize).copied().unwrap_or(0.0);
        (!self.blows.is_empty()).then(|| {
            let [a, b] = bodies().map(blow);
            a.max(b)
        })
    }
}
