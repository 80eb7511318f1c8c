//! Flight within an island: how bodies move on which none of its rows acts.
//!
//! Input: a solved island. Output: the velocities of the bodies without any impulse: they move by the mean
//! velocity of their free flight, `v* - lead`, which is exact, where bodies with impulses move by the
//! velocity of the end of the step. A body of which that closes a row too far takes part in Euler's step as
//! the others do. A pass or two over the manifolds.

use crate::engine::lcp::Vec6;
use crate::engine::lcp::rows::dot3;
use crate::engine::step::assemble::IslandStep;
use crate::engine::tuning::flight::PASSES;
use crate::math::Double;
use crate::math::refill;

/// Buffers; their content never influences a result.
#[derive(Clone, Debug, Default)]
pub(super) struct FlightScratch {
    flies: Vec<bool>,
    solved: Vec<Vec6>,
}

impl FlightScratch {
    /// Lets bodies without impulses fly; rows may miss their aims by the tolerance [m/s].
    pub(super) fn fly(&mut self, step: &mut IslandStep<'_>, tolerance: Double) {
        if step.lead.iter().all(|lead| *lead == [0.0; 6]) {
            return;
        }
        self.find(step);
        if !self.flies.contains(&true) {
            return;
        }
        self.solved.clear();
        self.solved.extend_from_slice(step.biased.velocity);
        for i in (0..self.flies.len()).filter(|&i| self.flies[i]) {
            let (end, lead) = (&step.bodies[i].velocity_free, &step.lead[i]);
            step.biased.velocity[i] = core::array::from_fn(|k| end[k] - lead[k]);
        }
        let mut settled = false;
        for _ in 0..PASSES {
            settled = !self.ground(step, tolerance);
            if settled {
                break;
            }
        }
        for i in 0..self.flies.len() {
            if self.flies[i] && settled {
                if !*step.at_end {
                    step.relaxed.velocity[i] = step.bodies[i].velocity_free;
                }
            } else {
                step.biased.velocity[i] = self.solved[i];
            }
        }
    }

    /// Finds the bodies on which no impulse acts.
    fn find(&mut self, step: &IslandStep<'_>) {
        refill(&mut self.flies, step.bodies.len(), true);
        let none = |c: &[Double; 3]| *c == [0.0; 3];
        let touched = |flies: &mut [bool], i: u32| {
            if let Some(flies) = flies.get_mut(i as usize) {
                *flies = false;
            }
        };
        for row in &*step.joints {
            row.terms.iter().for_each(|(i, _)| touched(&mut self.flies, *i));
        }
        for m in &*step.manifolds {
            let here = m.first as usize..m.first as usize + m.count as usize;
            let lists = [&*step.biased.contact_impulse, &*step.relaxed.contact_impulse];
            if !lists.iter().all(|list| list[here.clone()].iter().all(none)) {
                touched(&mut self.flies, m.a);
                touched(&mut self.flies, m.b);
            }
        }
    }

    /// Takes bodies down that would come closer than a row allows; was there any?
    fn ground(&mut self, step: &mut IslandStep<'_>, tolerance: Double) -> bool {
        let mut any = false;
        for m in &*step.manifolds {
            let ends = [m.a, m.b].map(|i| i as usize);
            let flies = |i: usize| self.flies.get(i) == Some(&true);
            if !ends.into_iter().any(flies) {
                continue;
            }
            let closes = (0..m.count as usize).any(|lane| {
                let speed = dot3(&m.normal, &m.velocity(lane, step.biased.velocity));
                speed + m.bias[lane] < -tolerance
            });
            if closes {
                any = true;
                for i in ends {
                    if let Some(flies) = self.flies.get_mut(i) {
                        *flies = false;
                        step.biased.velocity[i] = self.solved[i];
                    }
                }
            }
        }
        any
    }
}
