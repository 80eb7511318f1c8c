//! What a step tells about itself: counts, the certificate, and what went wrong.
//!
//! A step has two solutions: the *biased* one moves the bodies, the *relaxed* one, without the push out of
//! overlap, is carried on. Each is a list of velocities and one of impulses, and whatever the method,
//! residuals are those of both lists as they are returned: contacts and joints at the velocities returned,
//! and by how much these are not the velocities that the impulses give. The problem is that of the whole
//! step, for small steps as well. After a bounce, whose velocities solve other equations, the relaxed
//! residual is the worst of the solves of the bounce, of what still approaches, and of that difference.

use crate::engine::lcp::Method;
use crate::engine::state::body::BodyId;
use crate::engine::state::joint::JointId;
use crate::math::{Double, Real};

/// How a step ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum StepStatus {
    /// Every island was solved to tolerance.
    #[default]
    Solved,
    /// The budget of at least one island ran out above the tolerance; its best iterate was used.
    NotConverged,
    /// The step was refused: `dt` is not a positive finite number, or a setting is out of range.
    Refused,
}

/// How an island was solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct IslandReport {
    /// Its body with the smallest id.
    pub first: BodyId,
    /// Number of its bodies.
    pub bodies: u32,
    /// Number of its contacts.
    pub contacts: u32,
    /// Number of its joint rows.
    pub joint_rows: u32,
    /// The method that gave the solution: with `Auto` the one that it chose, in the end.
    pub method: Method,
    /// Iterations: sweeps, Newton steps or pivots.
    pub iterations: u32,
    /// Matrix factorizations.
    pub factorizations: u32,
    /// Work counted for the step problem and for its relaxed twin, in sweeps over all contacts and bodies
    /// (–).
    pub work: [Double; 2],
    /// Residual of what moves the bodies: the largest of natural map, joints and equation of motion [m/s].
    pub residual: Double,
    /// Residual of what is carried on [m/s]; where nothing is pushed that is the same solution.
    pub residual_relaxed: Double,
    /// Kinetic energy of the carried velocities beyond that of the free ones, by the masses at the start of
    /// the step (J); see [`StepReport::energy_given`].
    pub energy_given: Double,
    /// Was the tolerance met? After a bounce: by each of its solves. Places of joints count to ten
    /// tolerances; what energy asked to change, and arms that a blow turned, are in the residual alone.
    pub solved: bool,
    /// Contacts and joint rows solved to the tolerance as posed: all of them or none.
    pub rows_solved: u32,
    /// Those that were left above it, by sweeps or where Newton ended.
    pub rows_swept: u32,
    /// Those advanced in softened small steps, or with the loads of joints as inertia where no way through
    /// the step was found, however well.
    pub rows_softened: u32,
    /// Those solved to the tolerance only after contacts gave way ([`StepReport::pressed`]): not as posed.
    pub rows_pressed: u32,
}

/// The certificate and the counts of one step.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct StepReport {
    /// Number of the step, from 1.
    pub step: u64,
    /// Length of the step (s).
    pub dt: Real,
    /// How it ended.
    pub status: StepStatus,
    /// Infeasibility `I(q)` (6.3) at the pose the step began with: the largest of `-Φ` of all pairs in ratio
    /// units (-) and `|Θ|` of all joints [m or rad], or 0.
    pub infeasibility: Real,
    /// Deepest overlap (m) at the pose the step began with: the largest `-Φ D` of all pairs, or 0.
    pub overlap: Real,
    /// Natural-map residual of the step problem [m/s], the worst island: of the velocities that move the
    /// bodies and of their impulses.
    pub natural_map: Double,
    /// Natural-map residual of the carried velocities and their impulses [m/s], always: where nothing is
    /// pushed they are those that move the bodies.
    pub natural_map_relaxed: Double,
    /// Complementarity gap `Σ |l · w̃|` (J).
    pub complementarity_gap: Double,
    /// Velocity residual of the joints, `|νᵀ v + Υ|_∞` [m/s or rad/s], of what moves the bodies.
    pub joint_residual: Double,
    /// Velocity residual of the joints [m/s or rad/s], of the carried velocities.
    pub joint_residual_relaxed: Double,
    /// By how much the velocities that move the bodies are not those that their impulses give,
    /// `|v - v* - M⁻¹ (Jᵀ l + ν c_ν)|_∞` [m/s or rad/s]. Small steps move bodies with the mean velocity of
    /// the step, which differs from that of its end by what they accelerate; bodies that are held stand
    /// still. Of bodies that move by the midpoint rule turns count at their radius of gyration.
    pub motion_residual: Double,
    /// Residual of the equation of motion [m/s or rad/s], of the carried velocities.
    pub motion_residual_relaxed: Double,
    /// Most kinetic energy that impulses gave an island (J), `T(v⁺) - T(v*)` with the free velocities `v*`
    /// and the masses at the start. By (2.14) of Anitescu, Miller and Hart (2003), (5.20) of the thesis, at
    /// most `c² ‖Δ₋, Υ‖²_∞ / 2`: only what pushes, drives or springs gives any.
    pub energy_given: Double,
    /// Position error of the joints, `|Θ|_∞` [m or rad], at the pose the step began with.
    pub joint_error: Real,
    /// Kinetic energy after the step (J).
    pub kinetic_energy: Double,
    /// Number of bodies.
    pub bodies: u32,
    /// Number of dynamic bodies.
    pub dynamic_bodies: u32,
    /// Number of bodies asleep after the step.
    pub sleeping: u32,
    /// Number of pairs whose bounding boxes met.
    pub pairs: u32,
    /// Number of bounding boxes whose near pairs were found anew; the others moved little, or not at all.
    pub searched: u32,
    /// Number of pairs that were measured; the others moved little against each other, see
    /// [`ContactSettings::stillness`](crate::engine::settings::ContactSettings::stillness), or sleep.
    pub measured: u32,
    /// Number of contacts (active events) in the step problem.
    pub contacts: u32,
    /// Contacts and joint rows solved to the tolerance as posed, with those of steady islands.
    pub rows_solved: u32,
    /// Contacts and joint rows that were left above it, by sweeps or where Newton ended.
    pub rows_swept: u32,
    /// Contacts and joint rows advanced in small steps, which are soft
    /// ([`SolverSettings::softness`](crate::engine::settings::SolverSettings::softness)), or of islands with
    /// joints whose loads counted as inertia where no way through the step was found, however well.
    pub rows_softened: u32,
    /// Contacts and joint rows of islands that were solved to the tolerance only after contacts gave way
    /// ([`pressed`](Self::pressed)). They count as solved in [`status`](Self::status), which is what there is
    /// to solve; as posed nothing solves them.
    pub rows_pressed: u32,
    /// Contacts of large islands that had no rows, since the step does not close their gaps; by what speed it
    /// does all the same is in the residuals.
    pub contacts_out_of_reach: u32,
    /// Pairs that overlap and had no rows, since their bodies overlap many others more: a body is pushed
    /// out of the twelve that it overlaps most.
    pub pairs_left_out: u32,
    /// Pairs that were refused: more bodies are in one place, deep in each other, than there is room for.
    /// They do nothing to each other until others have come apart. Pairs for which the boxes of both looked
    /// count twice.
    pub pairs_refused: u64,
    /// Number of events left out because a pair had more than it keeps.
    pub events_dropped: u32,
    /// Number of joints, without those between sleepers.
    pub joints: u32,
    /// Number of islands.
    pub islands: u32,
    /// Islands whose step was the last one again, to the last bit: they kept its solution, unsolved.
    pub islands_steady: u32,
    /// Islands solved above tolerance.
    pub islands_unsolved: u32,
    /// Islands with more contacts than Lemke's algorithm is given, which Newton solved instead.
    pub islands_beyond_lemke: u32,
    /// Solver iterations of all islands: sweeps, Newton steps or pivots.
    pub iterations: u32,
    /// Matrix factorizations of all islands.
    pub factorizations: u32,
    /// How each island with contacts or joints was solved, ascending by their first bodies.
    pub solves: Vec<IslandReport>,
    /// Bodies that no equilibrium holds, of quasistatic steps: they would have moved by more than
    /// [`Quasistatic::step_max`](crate::engine::settings::Quasistatic::step_max), and stayed. Ascending.
    pub unbalanced: Vec<BodyId>,
    /// Bodies frozen in this step because their state was no longer finite, ascending.
    pub quarantined: Vec<BodyId>,
    /// Joints that broke in this step, ascending. They are still there, disabled.
    pub broken: Vec<JointId>,
    /// Joints that bore all that they bear in this step and yielded, ascending: those with a
    /// [`yield_force`](crate::engine::state::joint::JointDesc::yield_force) or torque of their own, and
    /// those that pressed against what cannot yield either.
    pub yielded: Vec<JointId>,
    /// First bodies of the islands whose contacts asked for the impossible, ascending: bodies between what
    /// cannot yield. All give way alike, and overlap.
    pub pressed: Vec<BodyId>,
    /// First bodies of what is jammed in small islands that were not solved: contacts that can hold each
    /// other. Unsolved islands without one ran out of their budget. More tells
    /// [`Simulation::jams`](crate::engine::Simulation::jams).
    pub jammed: Vec<BodyId>,
    /// First bodies of what touches and moves where pairs were [refused](Self::pairs_refused), ascending.
    pub crowded: Vec<BodyId>,
}

impl StepReport {
    /// Empties the report for the next step, keeping its memory.
    pub(crate) fn begin(&mut self, dt: Real) {
        /// An empty list in the memory of one.
        fn emptied<T>(list: &mut Vec<T>) -> Vec<T> {
            list.clear();
            core::mem::take(list)
        }
        let step = self.step + 1;
        *self = Self {
            step,
            dt,
            quarantined: emptied(&mut self.quarantined),
            solves: emptied(&mut self.solves),
            broken: emptied(&mut self.broken),
            yielded: emptied(&mut self.yielded),
            pressed: emptied(&mut self.pressed),
            jammed: emptied(&mut self.jammed),
            crowded: emptied(&mut self.crowded),
            unbalanced: emptied(&mut self.unbalanced),
            ..Self::default()
        };
    }
}

impl core::fmt::Display for StepReport {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(
            f,
            "step {}: {} contacts, infeasibility {:.1e} ({:.1e} m), residual {:.1e} m/s, gap {:.1e} J",
            self.step,
            self.contacts,
            self.infeasibility,
            self.overlap,
            self.natural_map,
            self.complementarity_gap
        )?;
        if self.joints > 0 {
            write!(f, ", {} joints to {:.1e} m", self.joints, self.joint_error)?;
        }
        if self.status != StepStatus::Solved {
            write!(
                f,
                ", {:?} in {} of {} islands",
                self.status, self.islands_unsolved, self.islands
            )?;
        }
        let [swept, softened] = [self.rows_swept, self.rows_softened];
        if swept + softened > 0 {
            let solved = self.rows_solved;
            write!(f, ", {solved} rows solved, {swept} swept, {softened} softened")?;
        }
        if self.rows_pressed > 0 {
            write!(f, ", {} rows solved after contacts gave way", self.rows_pressed)?;
        }
        if !self.unbalanced.is_empty() {
            write!(f, ", {} bodies without equilibrium", self.unbalanced.len())?;
        }
        if !self.quarantined.is_empty() {
            write!(f, ", {} bodies frozen", self.quarantined.len())?;
        }
        Ok(())
    }
}
