//! A pair with a swept body: where its pieces meet on their free paths.
//!
//! Input: a pair placed at the start of the step and the free motion of its bodies. Output: whether and
//! when they meet (`sweep`), and the contacts found there turned into gaps of this step. Where the
//! bodies stop is for `stop` to say, which hears of the impact by `Pair::impact`.

use super::time_of_impact::{
    Path, TimeOfImpact, relative_speed, time_of_impact, time_of_impact_half_space,
};
use crate::engine::geometry::shape::HalfSpace;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::settings::ActiveEvents;
use crate::engine::state::collider::ConvexRef;
use crate::engine::state::motion::Motion;
use crate::engine::state::pairs::Pair;
use crate::engine::step::narrow::mesh::OnTriangle;
use crate::engine::step::narrow::{NarrowPhase, Placed};
use crate::engine::tuning::stop::SURE;
use crate::math::{Real, Vec3, widen};

/// What became of a pair with a swept body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) enum Swept {
    /// No body is swept, or the motion is too small to need it.
    No,
    /// Nothing touches within the step.
    Missed,
    /// The pieces meet after this time (s).
    Hit(Real),
}

impl NarrowPhase<'_> {
    /// Looks where the free paths of the pieces first meet if a body is swept and the step could take
    /// it through the other.
    pub(in crate::engine) fn sweep(
        &self,
        pair: &mut Pair,
        pieces: [ConvexRef<'_>; 2],
        placed: &Placed,
    ) -> Swept {
        let swept = pair.bodies.iter().any(|&i| self.bodies[i as usize].swept);
        if !swept || pair.sensor || self.settings.contact.active != ActiveEvents::Clipped {
            return Swept::No;
        }
        let motions = pair.bodies.map(|i| &self.motions[i as usize]);
        let path = |k: usize| Path {
            center: if k == 0 { Vec3::ZERO } else { placed.between },
            arm: placed.arms[k],
            rotation: placed.rotations[k],
            linear: motions[k].linear,
            angular: motions[k].angular,
        };
        let paths = [path(0), path(1)];
        let impact = match pieces {
            [ConvexRef::Hull(a), ConvexRef::Hull(b)] => {
                let inradius = a.inradius().min(b.inradius());
                if relative_speed(&paths, [a, b]) * self.dt <= SURE * inradius {
                    return Swept::No;
                }
                let limits = self.limits(inradius);
                time_of_impact(a, &paths[0], b, &paths[1], &limits, &mut pair.cache)
            }
            [ConvexRef::Hull(hull), ConvexRef::HalfSpace(plane)] => {
                self.sweep_half_space(hull, plane, &paths, 0)
            }
            [ConvexRef::HalfSpace(plane), ConvexRef::Hull(hull)] => {
                self.sweep_half_space(hull, plane, &paths, 1)
            }
            [ConvexRef::Triangle(mesh, index), ConvexRef::Hull(hull)] => {
                let on = OnTriangle { mesh, index, hull, side: 0 };
                return self.sweep_triangle(pair, on, &paths);
            }
            [ConvexRef::Hull(hull), ConvexRef::Triangle(mesh, index)] => {
                let on = OnTriangle { mesh, index, hull, side: 1 };
                return self.sweep_triangle(pair, on, &paths);
            }
            _ => return Swept::No,
        };
        impact.map_or(Swept::Missed, |impact| Swept::Hit(impact.time))
    }

    /// A hull (body `hull_side` of the pair) and a half-space.
    fn sweep_half_space(
        &self,
        hull: &Hull,
        plane: &HalfSpace,
        paths: &[Path; 2],
        hull_side: usize,
    ) -> Option<TimeOfImpact> {
        let path_plane = &paths[1 - hull_side];
        let normal = path_plane.rotation * plane.normal;
        let limits = self.limits(hull.inradius());
        time_of_impact_half_space(hull, &paths[hull_side], normal, path_plane, &limits)
    }

    /// Turns the gaps at the time of the impact into gaps of this step: bodies that keep their free
    /// velocities up to then, and their poses from then on, satisfy the rows with what is left. Says
    /// when the free paths are blocked.
    pub(in crate::engine) fn defer(&self, pair: &mut Pair, [a, b]: [&Motion; 2], time: Real) {
        let mut fastest: Real = 0.0;
        for contact in &mut pair.contacts {
            let [arm_a, arm_b] = contact.arms;
            let approach = contact.normal.dot(a.velocity_at(arm_a) - b.velocity_at(arm_b)).max(0.0);
            contact.gap += time * approach;
            contact.row_gap += widen(time) * widen(approach);
            fastest = fastest.max(approach);
        }
        // A plane that is hardly crossed guides the body: a floor under what slides.
        let inradius = [a, b].map(|motion| if motion.moves { motion.inradius } else { Real::MAX });
        let fallen = self.dt * self.dt * self.settings.gravity.length();
        let guided = SURE * inradius[0].min(inradius[1]) + fallen;
        // A point that turns leaves its tangent, and may come back to a plane that it left.
        let remaining = self.dt - time;
        let curved = |motion: &Motion| {
            let turned = motion.angular.length() * remaining;
            0.5 * turned * turned * motion.radius
        };
        if fastest * remaining + curved(a) + curved(b) > guided {
            pair.impact = time;
            // The bodies stay where they meet, and the next step solves the contact.
            if time > 0.0 {
                pair.contacts.clear();
            }
        }
    }
}
