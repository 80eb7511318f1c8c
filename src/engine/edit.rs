//! What is done to a world from outside, between steps or between two stages of one: bodies and joints
//! come, change and go, pairs are changed, bodies sleep and wake; and what a world tells.

use super::Simulation;
use super::lcp::Cone;
use super::papers::export::ExportedProblem;
use super::papers::pointed::{Jam, sides};
use super::report::{IslandReport, StepReport};
use super::settings::Settings;
use super::state::bodies::Bodies;
use super::state::body::{Body, BodyDesc, BodyError, BodyId};
use super::state::contact::Contact;
use super::state::joint::{Joint, JointDesc, JointError, JointId};
use super::state::pairs::Pair;
use super::step::assemble::StepProblem;
use super::step::islands::Islands;
use super::step::sleep::{Parts, Sleepers};
use super::step::touches::Touches;
use crate::math::{Double, Real, Vec3, widen};

impl Simulation {
    /// Adds a body. Between two stages of a step: it takes part from the next step on.
    ///
    /// # Errors
    /// A property is not finite, or a dynamic body has no mass.
    pub fn add_body(&mut self, desc: BodyDesc) -> Result<BodyId, BodyError> {
        self.close_gaps_if_sparse();
        self.revision += 1;
        self.bodies.add(desc)
    }

    /// Closes the gaps of removed bodies and joints if they are most.
    fn close_gaps_if_sparse(&mut self) {
        let is_sparse = |places: usize, gaps: usize| 2 * gaps > places + 64;
        let [bodies, joints] = [self.bodies.as_slice().len(), self.joints.as_slice().len()];
        let gaps = bodies - self.bodies.len();
        if !self.active && (is_sparse(bodies, gaps) || is_sparse(joints, self.joints.gone)) {
            let (sleepers, parts) = self.sleepers_and_parts();
            sleepers.mark_disturbed(&parts);
            self.joints.compact(&self.bodies);
            self.bodies.compact();
        }
    }

    /// Removes a body with its joints and contacts; false if there is none of this id. Between two
    /// stages of a step: the others still feel it until the step ends.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        self.revision += 1;
        self.sleepers.mark_removed(id, &mut self.bodies, self.active);
        // Its joints go with the next step, its pairs with the next list of candidates.
        self.bodies.remove(id)
    }

    /// The body of this id.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id)
    }

    /// The body of this id, to change it.
    pub fn body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.revision += 1;
        let body = self.bodies.get_mut(id)?;
        self.sleepers.note(body, self.active);
        Some(body)
    }

    /// All bodies, in ascending order of their ids.
    #[must_use]
    pub const fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Adds a joint.
    ///
    /// # Errors
    /// A body is unknown, both ends are the same body or the world, a number is out of range, or a limit
    /// or motor is on a locked axis.
    pub fn add_joint(&mut self, desc: JointDesc) -> Result<JointId, JointError> {
        self.close_gaps_if_sparse();
        let id = self.joints.add(desc, &self.bodies)?;
        desc.bodies().for_each(|id| self.mark_body(id));
        Ok(id)
    }

    /// Changes a joint and, if it is another than before, wakes what it joins. Its impulses are kept as a
    /// start for the next step unless ends or kind change. Between two stages of a step: it holds from
    /// the next step on, wholly.
    ///
    /// # Errors
    /// As for a new joint, or there is none of this id; the joint is unchanged then.
    pub fn set_joint(&mut self, id: JointId, desc: JointDesc) -> Result<(), JointError> {
        let before = self.joint(id).ok_or(JointError::Unknown(id))?.desc;
        if before == desc {
            return Ok(());
        }
        self.joints.set(id, desc, &self.bodies)?;
        before.bodies().for_each(|id| self.mark_body(id));
        desc.bodies().for_each(|id| self.mark_body(id));
        Ok(())
    }

    /// Lets a joint hold or not, and wakes what it joins; false if there is none of this id.
    pub fn set_joint_enabled(&mut self, id: JointId, enabled: bool) -> bool {
        let Some(desc) = self.joint(id).map(|joint| joint.desc) else { return false };
        desc.enabled == enabled || self.set_joint(id, JointDesc { enabled, ..desc }).is_ok()
    }

    /// The joint of this id: its reaction, positions and velocities.
    #[must_use]
    pub fn joint(&self, id: JointId) -> Option<&Joint> {
        self.joints.get(id, &self.bodies)
    }

    /// Removes a joint; false if there is none of this id. Between two stages of a step: it holds until
    /// the step ends.
    pub fn remove_joint(&mut self, id: JointId) -> bool {
        let Some(desc) = self.joint(id).map(|joint| joint.desc) else { return false };
        desc.bodies().for_each(|id| self.mark_body(id));
        self.joints.remove(id);
        true
    }

    /// A number that changes whenever a body may have moved, come, gone or changed: what was worked out
    /// from the bodies holds while it stays.
    #[must_use]
    pub const fn revision(&self) -> u64 {
        self.revision
    }

    /// The joints, in ascending order of their ids.
    pub fn joints(&self) -> impl Iterator<Item = &Joint> {
        self.joints.iter(&self.bodies)
    }

    /// The contacts of the last step, sorted by pair and feature, for reading.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        let known = |id| self.bodies.get(id).is_some();
        let present = move |pair: &&Pair| known(pair.key.a) && known(pair.key.b);
        let center = |id| self.bodies.get(id).map_or(Vec3::ZERO, Body::center);
        self.pairs.list.iter().map(Box::as_ref).filter(present).flat_map(move |pair| {
            let at = center(pair.key.a);
            pair.contacts.iter().map(move |contact| Contact {
                bodies: [pair.key.a, pair.key.b],
                point: at + contact.arms[0],
                normal: contact.normal,
                gap: contact.gap,
                impulse: crate::math::narrow3(contact.impulse[1]),
            })
        })
    }

    /// Which colliders touch since the last step.
    #[must_use]
    pub const fn touches(&self) -> &Touches {
        &self.touches
    }

    /// The report of the last step.
    #[must_use]
    pub const fn report(&self) -> &StepReport {
        &self.report
    }

    /// The bodies that may have changed since [`settle_changes`](Self::settle_changes), in ascending order of
    /// their ids: those that steps moved, woke or put to sleep, and those that were handed out to be
    /// changed. All others are as they were, or new. O(bodies), a byte each.
    pub fn changed_bodies(&self) -> impl Iterator<Item = &Body> {
        self.bodies.changed()
    }

    /// From here on no body has [changed](Self::changed_bodies).
    pub fn settle_changes(&mut self) {
        self.bodies.settle_changes();
    }

    /// The pairs of pieces near each other in the last step, ascending by key, with their contacts.
    #[must_use]
    pub fn pairs(&self) -> &[Box<Pair>] {
        &self.pairs.list
    }

    /// The pairs of the step that is under way, for changes that hold in this step only: friction after
    /// stage 2, contacts after stage 3.
    pub fn pairs_mut(&mut self) -> &mut [Box<Pair>] {
        self.pairs.forget_measurements();
        self.pairs_to_change().1
    }

    /// All pairs, for those who change few: where they change contacts they call
    /// [`Pair::forget_measurement`], and only there contacts are found anew in the next step. With the
    /// bodies, to look them up.
    pub fn pairs_to_change(&mut self) -> (&Bodies, &mut [Box<Pair>]) {
        (&self.bodies, self.pairs.hand_out())
    }

    /// Takes pairs out of the step that is under way, after stage 2 or 3: those for which `keep` is
    /// false. They forget their contacts.
    pub fn retain_pairs(&mut self, mut keep: impl FnMut(&Pair) -> bool) {
        let (broad, sleepers, bodies) = (&mut self.work.broad, &mut self.sleepers, &self.bodies);
        let keep = |pair: &Pair| {
            let kept = keep(pair);
            if !kept && !pair.contacts.is_empty() {
                sleepers.mark_pair(pair, bodies);
            }
            kept
        };
        self.pairs.retain(keep, |near, key| broad.forget(near, key));
    }

    /// The islands that sleep.
    #[must_use]
    pub const fn sleepers(&self) -> &Sleepers {
        &self.sleepers
    }

    /// The island of a body in the last step, by its body with the smallest id, as
    /// [`IslandReport::first`](crate::engine::report::IslandReport::first); none if it is fixed or sleeps.
    #[must_use]
    pub fn island(&self, id: BodyId) -> Option<BodyId> {
        let islands = &self.work.islands;
        let island = *islands.island.get(self.bodies.index_of(id)?)? as usize;
        let first = *islands.members.get(*islands.start.get(island)? as usize)?;
        Some(self.bodies.as_slice().get(first as usize)?.id())
    }

    /// Wakes a body with its island; false if there is none of this id or it is awake. Between two stages
    /// of a step: it wakes before the next.
    pub fn wake_body(&mut self, id: BodyId) -> bool {
        let asleep = self.bodies.get(id).is_some_and(Body::is_sleeping);
        self.mark_body(id);
        if !self.active {
            let (sleepers, mut parts) = self.sleepers_and_parts();
            sleepers.wake(&mut parts);
        }
        asleep
    }

    /// Puts a body to sleep with everything that it is connected with, whatever their velocities, which are
    /// lost as are forces that no step has taken. False, and nothing happens, if there is no dynamic body of
    /// this id or one of them may not sleep. Between two stages of a step: it happens when the step ends.
    pub fn sleep_body(&mut self, id: BodyId) -> bool {
        let Some(body) = self.bodies.get(id) else { return false };
        if !body.moves() || !body.can_sleep {
            return false;
        }
        if self.active {
            self.sleepers.tire(id);
            return true;
        }
        let dt = self.dt_last;
        let (sleepers, mut parts) = self.sleepers_and_parts();
        sleepers.put_connected(id, &mut parts, dt)
    }

    /// What sleeps, and what islands are made of.
    pub(super) const fn sleepers_and_parts(&mut self) -> (&mut Sleepers, Parts<'_>) {
        let Self { sleepers, bodies, pairs, joints, dt_last, .. } = self;
        (sleepers, Parts { bodies, pairs, joints, dt_last: *dt_last })
    }

    /// Takes note that the island of a body is to wake or, if it is awake, has not come to rest.
    pub(super) fn mark_body(&mut self, id: BodyId) {
        self.sleepers.mark_body(id, &mut self.bodies);
    }

    /// Infeasibility `I(q)` (6.3) of the poses as they are now: the largest of `-Φ` of all pairs [ratio
    /// units] and `|Θ|` of all joints [m or rad], as in the report; and the largest overlap `-Φ D` (m).
    /// About centroids. Measures every pair anew; allocates.
    #[must_use]
    pub fn infeasibility(&self) -> (Real, Real) {
        let mut probe = self.clone();
        let settings = Settings::papers(1.0, 0.0, 0.0, 0.0, 0.0, 4);
        probe.begin(&Settings { gravity: Vec3::ZERO, ..settings }, Real::EPSILON);
        probe.find_pairs(&settings);
        probe.find_contacts(&settings);
        (probe.report.infeasibility, probe.report.overlap)
    }

    /// The step problems of all islands with rows, between [`assemble`](Self::assemble) and
    /// [`solve`](Self::solve), with a friction cone: to be solved elsewhere
    /// ([`ExportedProblem::matrix_form`]) or looked at (`is_pointed` of `engine::papers`,
    /// `papers::relaxation::iterate`). Islands that are steady have no rows. Where bodies
    /// hang on joints or turn fast, the step solves this one first and others after it.
    #[must_use]
    pub fn step_problems(&self, cone: Cone) -> Vec<ExportedProblem> {
        let (problem, islands) = (&self.work.problem, &self.work.islands);
        let sources = (self.bodies.as_slice(), &*self.pairs.list, self.joints.as_slice());
        let of = |k| ExportedProblem::of_island(problem, islands, sources, k, cone);
        if self.active { (0..islands.len()).filter_map(of).collect() } else { Vec::new() }
    }

    /// What is jammed of the islands that the last step did not solve: impulses of contacts can hold each
    /// other, and there may be no solution. Others ran out of their budget. With the settings of that step,
    /// before something of them changes. Bodies touch that are apart by no more than the dead zone and the
    /// tolerance. Of islands with so few contacts that to tell it takes no longer than `work_max` allows:
    /// eight, under a circular cone.
    #[must_use]
    pub fn jams(&self, settings: &Settings) -> Vec<Jam> {
        let (problem, islands, solver) = (&self.work.problem, &self.work.islands, &settings.solver);
        let sources = (self.bodies.as_slice(), &*self.pairs.list, self.joints.as_slice());
        let (dt, sides) = (widen(self.report.dt), Double::from(sides(solver.cone)));
        let touching = widen(settings.contact.dead_zone) * dt * dt + solver.tolerance * dt;
        let is_small = |island: &IslandReport| {
            let [contacts, rows] = [island.contacts, island.joint_rows].map(Double::from);
            contacts > 0.0 && sides * contacts * contacts + rows * rows <= solver.work_max
        };
        let of = |solve: &IslandReport| {
            let k = *islands.island.get(self.bodies.index_of(solve.first)?)? as usize;
            ExportedProblem::of_island(problem, islands, sources, k, solver.cone)?.jam(touching)
        };
        let open = self.report.solves.iter().filter(|s| !s.solved && is_small(s));
        open.filter_map(of).collect()
    }

    /// The rows of the last step with what solved them, if it was quasistatic.
    pub(crate) fn quasistatic_problem(&self) -> Option<(&StepProblem, &Islands)> {
        self.mode.as_quasistatic()?;
        Some((&self.work.problem, &self.work.islands))
    }
}
