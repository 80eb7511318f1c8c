//! The method: plain functions on slices, no Bevy, no clock. It cannot fail.

pub mod body;
pub mod joint;
pub mod lcp;
pub mod report;
pub mod settings;
pub mod shape;

use self::body::{Bodies, Body, BodyDesc, BodyError, BodyId};
use self::joint::{Joint, JointDesc, JointError, JointId, Joints};
use self::report::{StepReport, StepStatus};
use self::settings::Settings;
use crate::math::{Real, Vec3};

/// A world of bodies and joints, and everything a step needs.
#[derive(Debug, Default)]
pub struct Simulation {
    bodies: Bodies,
    joints: Joints,
    report: StepReport,
}

impl Simulation {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Advances the world by `dt` seconds. Never fails: what went wrong is in the report.
    pub fn step(&mut self, settings: &Settings, dt: Real) -> &StepReport {
        if !self.begin(settings, dt) {
            return &self.report;
        }
        self.find_pairs(settings);
        self.measure_ratios(settings);
        self.find_events(settings);
        self.build_islands();
        self.assemble(settings);
        self.solve(settings);
        self.integrate();
        self.finish();
        &self.report
    }

    /// Stage 1: takes up forces and targets, finds broken states, predicts free velocities. False if
    /// `dt` or a setting is out of range; the step then ends here, and the other stages do nothing.
    pub fn begin(&mut self, settings: &Settings, dt: Real) -> bool {
        self.report.begin(dt);
        let fine = dt > 0.0 && dt.is_finite() && settings.validate().is_ok();
        if !fine {
            self.report.status = StepStatus::Refused;
        }
        fine
    }

    /// Stage 2: pairs of pieces whose bounding boxes meet within the step.
    pub fn find_pairs(&mut self, _settings: &Settings) {}

    /// Stage 3: the ratio metric of every pair.
    pub fn measure_ratios(&mut self, _settings: &Settings) {}

    /// Stage 4: the active events of every pair, with the impulses of the last step.
    pub fn find_events(&mut self, _settings: &Settings) {}

    /// Stage 5: groups of bodies that touch or are joined.
    pub fn build_islands(&mut self) {}

    /// Stage 6: the rows of the step problem (5.1).
    pub fn assemble(&mut self, _settings: &Settings) {}

    /// Stage 7: velocities and impulses.
    pub fn solve(&mut self, _settings: &Settings) {}

    /// Stage 8: poses.
    pub fn integrate(&mut self) {}

    /// Stage 9: completes the report.
    pub fn finish(&mut self) {}

    /// Adds a body.
    ///
    /// # Errors
    /// A property is not finite, or a dynamic body has no mass.
    pub fn add_body(&mut self, desc: BodyDesc) -> Result<BodyId, BodyError> {
        self.bodies.add(desc)
    }

    /// Removes a body with its joints and contacts; false if there is none of this id.
    pub fn remove_body(&mut self, id: BodyId) -> bool {
        self.joints.remove_body(id);
        self.bodies.remove(id)
    }

    /// The body of this id.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&Body> {
        self.bodies.get(id)
    }

    /// The body of this id, to change it.
    pub fn body_mut(&mut self, id: BodyId) -> Option<&mut Body> {
        self.bodies.get_mut(id)
    }

    /// All bodies, in ascending order of their ids.
    #[must_use]
    pub const fn bodies(&self) -> &Bodies {
        &self.bodies
    }

    /// Adds a joint.
    ///
    /// # Errors
    /// A body is unknown, both ends are the same body, or a number is not finite.
    pub fn add_joint(&mut self, desc: JointDesc) -> Result<JointId, JointError> {
        self.joints.add(desc, &self.bodies)
    }

    /// Removes a joint; false if there is none of this id.
    pub fn remove_joint(&mut self, id: JointId) -> bool {
        self.joints.remove(id)
    }

    /// The joints, in ascending order of their ids.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        self.joints.as_slice()
    }

    /// The contacts of the last step, sorted by pair and feature.
    pub fn contacts(&self) -> impl Iterator<Item = Contact> {
        core::iter::empty()
    }

    /// The report of the last step.
    #[must_use]
    pub const fn report(&self) -> &StepReport {
        &self.report
    }

    /// Infeasibility `I(q)` (6.3) of the poses as they are now: (ratio units, deepest overlap in
    /// metres). Measures every pair anew.
    #[must_use]
    pub fn infeasibility(&self) -> (Real, Real) {
        (0.0, 0.0)
    }
}

/// A contact of the last step, for reading.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two bodies, ascending.
    pub bodies: [BodyId; 2],
    /// World point in the middle between the two touching points [m].
    pub point: Vec3,
    /// Unit normal from the first body to the second.
    pub normal: Vec3,
    /// Distance of the touching points along the normal [m]; negative in overlap.
    pub gap: Real,
    /// Impulse on the second body in the last step [N·s], world axes; opposite on the first.
    pub impulse: Vec3,
}
