//! The problem of a step from its sources: bodies, then contacts and joints, island by island.

use super::{IslandEnd, Sources, StepProblem};
use crate::engine::lcp::BodyBlock;
use crate::engine::settings::{Integration, Settings, StepMode};
use crate::engine::state::motion::vec6;
use crate::engine::step::islands::NO_ISLAND;
use crate::engine::step::predict::block;
use crate::math::Vec3;

impl StepProblem {
    /// Fills the problem.
    pub fn assemble(&mut self, sources: &Sources<'_>, settings: &Settings) {
        self.clear();
        for &i in &sources.islands.members {
            let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
            let steady = sources.steady[sources.islands.island[i as usize] as usize];
            self.bodies.push(if steady { BodyBlock::default() } else { block(body, motion) });
            let last = vec6(body.linear_velocity, body.angular_velocity);
            self.velocity_last.push(last);
            // Without equilibrium there is no free flight either.
            let [linear, angular] = match settings.mode {
                StepMode::Dynamic => motion.lead,
                StepMode::Quasistatic(_) => [Vec3::ZERO; 2],
            };
            self.lead.push(vec6(linear, angular));
            self.biased.velocity.push(last);
            self.relaxed.velocity.push(last);
        }
        self.sort(sources);
        let midpoint = settings.solver.integration == Integration::SecondOrder;
        self.halves = if midpoint { 2.0 } else { 1.0 };
        for k in 0..sources.islands.len() {
            let first = sources.islands.members[sources.islands.start[k] as usize];
            self.first.push(sources.bodies[first as usize].id());
            if !sources.steady[k] {
                self.add_contacts(sources, settings, k);
                self.add_joints(sources, settings, k);
            }
            self.at_end.push(false);
            self.end.push(IslandEnd {
                manifolds: self.manifolds.len(),
                contacts: self.contact_source.len(),
                far: self.far.len(),
                joints: self.joints.len(),
                rolling: self.rolling.len(),
            });
        }
    }

    /// Sorts pairs with contacts and joints by islands.
    fn sort(&mut self, sources: &Sources<'_>) {
        let islands = sources.islands.len();
        let pairs = sources.touching.iter().map(|pair| island_of(sources, pair.bodies));
        self.pairs_of.fill(islands, pairs);
        // A joint without bodies came after the step began.
        let joints = sources.joint_bodies.iter().map(|&bodies| island_of(sources, bodies));
        self.joints_of.fill(islands, joints);
    }
}

/// The island of two bodies or of one and none; [`NO_ISLAND`] if neither moves.
fn island_of(sources: &Sources<'_>, bodies: [u32; 2]) -> u32 {
    let [a, b] = bodies.map(|i| match sources.islands.island.get(i as usize) {
        Some(&island) => island,
        None => NO_ISLAND,
    });
    if a == NO_ISLAND { b } else { a }
}
