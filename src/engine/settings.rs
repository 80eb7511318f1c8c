//! Every parameter of the step: symbol, unit, default, range, and why.
//!
//! | parameter | symbol | default | unit | range |
//! |---|---|---|---|---|
//! | [`Settings::gravity`] | g | (0, -9.81, 0) | m/s² | ±1e6 each |
//! | [`Settings::mode`] | | dynamic | | |
//! | [`Quasistatic::inertia_time`] | T | 1 | s | > 0, ≤ 1e6 |
//! | [`Quasistatic::step_max`] | | 0.005 | m | > 0, ≤ 1e6 |
//! | [`ContactSettings::gamma`] | γ | 1 | – | [0, 2] |
//! | [`ContactSettings::push_speed_max`] | v_push | 3 | m/s | > 0, may be infinite |
//! | [`ContactSettings::dead_zone`] | c | 0.036 | m/s² | [0, 1e6] |
//! | [`ContactSettings::stillness`] | c | 0.018 | m/s² | [0, 1e6] |
//! | [`ContactSettings::margin`] | | 0.005 | m | [0, 1e6] |
//! | [`ContactSettings::normal_slack`] | c | 20 | m/s² | [0, 1e6] |
//! | [`ContactSettings::reference_slack`] | ε_x | 0.001 | – | [0, 1] |
//! | [`ContactSettings::relax`] | | true | | |
//! | [`ContactSettings::restitution`] | | Poisson | | |
//! | [`ContactSettings::restitution_speed`] | | 0.5 | m/s | [0, 1e9] |
//! | [`ContactSettings::active`] | | clipped | | |
//! | [`SleepSettings::enabled`] | | false | | |
//! | [`SleepSettings::linear`] | | 0.05 | m/s | [0, 1e9] |
//! | [`SleepSettings::angular`] | | 0.05 | rad/s | [0, 1e9] |
//! | [`SleepSettings::acceleration`] | | 5e-5 | m/s² | [0, 1e6] |
//! | [`SleepSettings::time`] | | 0.5 | s | [0, 1e6] |
//! | [`SolverSettings::integration`] | | second order | | |
//! | [`SolverSettings::method`] | | Auto | | |
//! | [`SolverSettings::tolerance`] | e | 1e-5 | m/s | > 0 |
//! | [`SolverSettings::cone`] | m_C | circular | | even, 2 to 256 |
//! | [`SolverSettings::sweeps_max`] | | 200 | | |
//! | [`SolverSettings::newton_max`] | | 100 | | |
//! | [`SolverSettings::penalty`] | ρ | 200 | – | [1e-12, 1e12] |
//! | [`SolverSettings::newton_rows_max`] | | 400 | | |
//! | [`SolverSettings::work_max`] | | 1200 | – | > 0 |
//! | [`SolverSettings::impact_speed_max`] | | infinite | m/s | ≥ 0 |
//! | [`SolverSettings::substeps`] | n | 16 | | 1 to 256 |
//! | [`SolverSettings::softness`] | s | 0.5 | – | [0, 1] |
//! | [`SolverSettings::joint_softness`] | s | 0.3 | – | [0, 1] |
//! | [`SolverSettings::lemke_contacts_max`] | | 40 | | |

pub mod ranges;

use self::ranges::Range;
use crate::engine::geometry::shape::LENGTH_MAX;
use crate::engine::lcp::{Cone, Method};
use crate::math::{Double, Real, Vec3, narrow, widen};

/// How the active events of a pair are found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum ActiveEvents {
    /// Face clipping within a band in metres: the default, for every speed and size.
    #[default]
    Clipped,
    /// Every event, tested one by one: the thesis' set (4.8), with its windows in ratio units and with
    /// rows at the touching points of the scaled bodies. Polytopes and half-spaces only.
    Enumerated {
        /// ε_x: how far outside its faces an event may lie, in units of `A x ≤ 1` (-).
        eps_x: Real,
        /// ε_t: window above the optimum, and largest Φ of an active pair (-).
        eps_t: Real,
        /// ε_0: window below the optimum (-).
        eps_0: Real,
        /// δ_max: events whose equality system is conditioned worse than `1/δ_max` are none (-).
        #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::number"))]
        delta_max: Real,
        /// Bodies that do not move do not grow: the one-sided metric of Remark 2.18, with its events. There
        /// are none, and no contacts, once the centroid of what moves is in what does not.
        one_sided: bool,
    },
}

/// What happens where bodies bounce; see `step::solve`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum RestitutionModel {
    /// Poisson: what a contact took to stop the bodies, it gives back times e. Two solves, one to four more
    /// with friction, one more where other contacts or joints hold. After small steps, Newton's is taken.
    #[default]
    Poisson,
    /// Newton: the bodies part with e times the speed at which they approached. One solve, two where energy
    /// would grow, one more where other contacts or joints hold.
    Newton,
    /// Impacts in sequence: pairs of bodies strike each other by Newton's law one after the other, the
    /// fastest first, so that a blow runs through bodies in contact: of five touching balls with e = 1 only
    /// the last one leaves. Solves as Newton's. A step in which the impacts do not come to an end counts as
    /// not solved.
    Sequence,
}

/// From poses to rows.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
pub struct ContactSettings {
    /// γ [-]: the part of an overlap that one step takes back, by whatever method. Above 1 it takes back
    /// more than there is, which leaves less where surfaces roll on each other, see `docs/experiments.md`;
    /// small steps take 1 then.
    pub gamma: Real,
    /// v_push [m/s]: an overlap is never pushed out faster than this.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::number"))]
    pub push_speed_max: Real,
    /// c [m/s²]: gaps and overlaps below `c h²` (10 µm at 60 Hz) count as touching, so that a world at rest
    /// stays the same from step to step. 0: none does.
    pub dead_zone: Real,
    /// c [m/s²]: pairs whose pieces move less than `c h²` (5 µm at 60 Hz) against each other keep their
    /// contacts, which are then not found anew; those that move a little more take them along, while that
    /// makes gaps wrong by no more than `c h²`. 0: none do.
    pub stillness: Real,
    /// Pairs closer than this (m) are active even if nothing moves.
    pub margin: Real,
    /// c [m/s²]: a plane that separates a pair up to `c h²` may serve as its contact plane.
    pub normal_slack: Real,
    /// ε_x [-]: part of a face's size by which it is enlarged when events are sought on it.
    pub reference_slack: Real,
    /// Is the velocity carried to the next step freed of the push of overlapping rows (by a second solve, in
    /// small steps by a second sweep)? Without it a deep overlap leaves with `γ |gap| / h`.
    pub relax: bool,
    /// What happens where bodies bounce.
    pub restitution: RestitutionModel,
    /// Contacts that approach up to this speed [m/s] do not bounce: a fall of 13 mm at the default. It
    /// ends the bounces, of which there would be infinitely many.
    pub restitution_speed: Real,
    /// How active events are found.
    pub active: ActiveEvents,
    /// Takes the place of the bodies' friction coefficients if given (-).
    pub friction: Option<Real>,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            gamma: 1.0,
            push_speed_max: 3.0,
            dead_zone: 0.036,
            stillness: 0.018,
            margin: 0.005,
            normal_slack: 20.0,
            reference_slack: 0.001,
            relax: true,
            restitution: RestitutionModel::Poisson,
            restitution_speed: 0.5,
            active: ActiveEvents::Clipped,
            friction: None,
        }
    }
}

/// How velocities become poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Integration {
    /// Bodies on which no impulse acts fly freely: `x⁺ = x + h v + h²/2 a`, which is exact under a constant
    /// force, and a rotation of second order that keeps energy and angular momentum. What hangs on joints
    /// moves by the implicit midpoint rule, but for small steps. What touches moves by the velocity at the
    /// end of the step, `q⁺ = q + h v⁺`, of first order.
    #[default]
    SecondOrder,
    /// The papers' `q⁺ = q + h v⁺` for every body: of first order.
    Euler,
}

/// What a step asks of the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum StepMode {
    /// Newton's law: velocities are carried from step to step.
    #[default]
    Dynamic,
    /// Equilibrium at every time, see `step::quasistatic`.
    Quasistatic(Quasistatic),
}

/// Of a quasistatic step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Quasistatic {
    /// T (s): a body of mass m resists a displacement Δq by `m Δq / T²`, which makes the least of all motions
    /// the one that is taken where equilibrium leaves it open. A displacement of 1 mm changes forces by a
    /// ten thousandth of the weight at the default. With more, friction far above 1 is solved less well.
    pub inertia_time: Real,
    /// Bodies that equilibrium would move by more than this in a step (m) have none: they stay, and are told
    /// in [`StepReport::unbalanced`](crate::engine::report::StepReport::unbalanced).
    pub step_max: Real,
}

impl Default for Quasistatic {
    fn default() -> Self {
        Self { inertia_time: 1.0, step_max: 0.005 }
    }
}

impl StepMode {
    /// Quasistatic steps with the default parameters.
    #[must_use]
    pub fn quasistatic() -> Self {
        Self::Quasistatic(Quasistatic::default())
    }

    /// The parameters of quasistatic steps.
    pub(in crate::engine) const fn as_quasistatic(&self) -> Option<&Quasistatic> {
        if let Self::Quasistatic(parameters) = self { Some(parameters) } else { None }
    }
}

/// How the step problem is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serialize", serde(default, deny_unknown_fields))]
pub struct SolverSettings {
    /// From velocities to poses.
    pub integration: Integration,
    /// The solver.
    pub method: Method,
    /// Natural-map residual [m/s] at which an island is solved in steps of 1/60 s and longer ones. In shorter
    /// ones it is less in proportion, so that forces are as accurate, but no less than 1e-9 m/s by that.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::number"))]
    pub tolerance: Double,
    /// Shape of the friction cone.
    pub cone: Cone,
    /// Most sweeps of Gauss–Seidel in an island.
    pub sweeps_max: u32,
    /// Most multiplier updates of the cone Newton in an island, each of a few Newton steps.
    pub newton_max: u32,
    /// First penalty ρ of the cone Newton (–), in units of 1/W_nn; it grows where that gains too little.
    pub penalty: Double,
    /// Most contacts, joint rows and bodies together of an island that `Auto` solves to the tolerance by
    /// whatever method gets there. Larger ones are advanced in small steps, which are soft and have no
    /// tolerance, where Newton does not come near within what they may spend on it; under a pyramid or with
    /// rolling rows they are swept by Gauss–Seidel.
    pub newton_rows_max: u32,
    /// Budget of `Auto` for Newton in an island, in sweeps over all of its contacts (–). A large one saves up
    /// to so much in steps that are solved, and loses it in others; a blow faster than
    /// [`restitution_speed`](ContactSettings::restitution_speed) leaves that of 400 rows and bodies. What
    /// comes near after a solve that ended well gets as much again. The whole step of a small island aims at
    /// thirteen, and what stands behind its Newton at as much again.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::number"))]
    pub work_max: Double,
    /// Speed at which contacts strike each other from which `Auto` advances a large island in small steps
    /// without trying Newton [m/s]. Infinite by default: what Newton costs and gains decides.
    #[cfg_attr(feature = "serialize", serde(with = "crate::math::unbounded::number"))]
    pub impact_speed_max: Double,
    /// Number of small steps in a step of [`Method::Substeps`]. Islands whose heaviest body has more than
    /// `n²` times the mass of the lightest get more, up to 16.
    pub substeps: u32,
    /// Softness of contacts in small steps [-], and only there: the part of its impulse by which a contact
    /// yields in each of them. A load that would move a body by `a` in a small step presses it `s a / γ` into
    /// what it rests on, 5 µm for its own weight in sixteen at 60 Hz. It is what brings heaps to rest:
    /// without it they tremble at 0.1 m/s.
    pub softness: Double,
    /// Softness of joints in small steps [-]; without it chains blow up.
    pub joint_softness: Double,
    /// Most contacts of an island for Lemke's algorithm; larger ones go to Newton, and are counted.
    pub lemke_contacts_max: u32,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self {
            integration: Integration::SecondOrder,
            method: Method::Auto,
            tolerance: 1e-5,
            cone: Cone::Circular,
            sweeps_max: 200,
            newton_max: 100,
            penalty: 200.0,
            newton_rows_max: 400,
            work_max: 1200.0,
            impact_speed_max: Double::INFINITY,
            substeps: 16,
            softness: 0.5,
            joint_softness: 0.3,
            lemke_contacts_max: 40,
        }
    }
}

/// Steps from this length (s) on have the tolerance of the settings.
const GAME_STEP: Double = 1.0 / 60.0;
/// In short steps it is no finer than this by itself [m/s]: rounding, at speeds and mass ratios of games.
const TOLERANCE_MIN: Double = 1e-9;

impl SolverSettings {
    /// Natural-map residual [m/s] at which an island is solved in a step of `dt` seconds.
    #[must_use]
    pub fn tolerance_at(&self, dt: Double) -> Double {
        (self.tolerance * (dt / GAME_STEP)).max(TOLERANCE_MIN).min(self.tolerance)
    }

    /// For large heaps in motion at a fixed and low cost: in islands of more than
    /// [`newton_rows_max`](Self::newton_rows_max) rows every step in which something strikes something
    /// faster than 0.5 m/s, as what bounces by default, is made in four small and soft ones, as most engines
    /// do; its error is in the report. What is small, carried gently or struck by what is light is solved.
    #[must_use]
    pub fn budget() -> Self {
        let impact_speed_max = widen(ContactSettings::default().restitution_speed);
        Self { impact_speed_max, substeps: 4, ..Self::default() }
    }
}

/// When islands fall asleep; see `step::sleep`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct SleepSettings {
    /// Do islands at rest fall asleep? Not by default: a certificate tells about what was solved.
    pub enabled: bool,
    /// Centers of mass up to this speed [m/s] are at rest.
    pub linear: Real,
    /// Bodies that turn up to this fast [rad/s] are at rest.
    pub angular: Real,
    /// Acceleration [m/s²] up to which a body is in equilibrium: in the time `t` that it is at rest, its
    /// velocity may change by as much times `t`. What accelerates by more does not sleep, however slow it
    /// is; what trembles, by the error of the impulses, sleeps after a time long enough to tell.
    pub acceleration: Real,
    /// An island falls asleep when all its bodies have been at rest for this time (s).
    pub time: Real,
}

impl Default for SleepSettings {
    fn default() -> Self {
        Self { enabled: false, linear: 0.05, angular: 0.05, acceleration: 5e-5, time: 0.5 }
    }
}

/// All parameters of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// Gravity [m/s²].
    pub gravity: Vec3,
    /// What a step asks of the bodies.
    pub mode: StepMode,
    /// From poses to rows.
    pub contact: ContactSettings,
    /// From rows to velocities.
    pub solver: SolverSettings,
    /// What need not be solved.
    pub sleep: SleepSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec3::new(0.0, -9.81, 0.0),
            mode: StepMode::Dynamic,
            contact: ContactSettings::default(),
            solver: SolverSettings::default(),
            sleep: SleepSettings::default(),
        }
    }
}

/// A setting is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{setting} must be {range}")]
pub struct SettingsError {
    /// Which.
    pub setting: &'static str,
    /// What it may be.
    pub range: Range,
}

impl Settings {
    /// The papers' scheme for contacts; the rows of joints are those of the engine.
    ///
    /// `Δ = γ Φ̂ / h` on every row of a contact, the thesis' active set (4.8) with its windows, centroids as
    /// scaling centers, rows at the touching points of the scaled bodies, the biased velocity carried, no
    /// cap on the push, Euler's step, a friction pyramid with `m_c` sides, δ_max = 10⁶, both bodies grow.
    pub fn papers(gamma: Real, mu: Real, eps_x: Real, eps_t: Real, eps_0: Real, m_c: u32) -> Self {
        let mut settings = Self::default();
        settings.contact.gamma = gamma;
        settings.contact.push_speed_max = Real::INFINITY;
        settings.contact.dead_zone = 0.0;
        settings.contact.stillness = 0.0;
        settings.contact.relax = false;
        settings.contact.active =
            ActiveEvents::Enumerated { eps_x, eps_t, eps_0, delta_max: 1e6, one_sided: false };
        settings.contact.friction = Some(mu);
        settings.solver.integration = Integration::Euler;
        settings.solver.method = Method::Auto;
        settings.solver.tolerance = 1e-10;
        settings.solver.newton_rows_max = u32::MAX;
        settings.solver.cone = Cone::Pyramid(m_c);
        settings
    }

    /// Checks every range.
    ///
    /// # Errors
    /// The first setting that is out of its range.
    pub fn validate(&self) -> Result<(), SettingsError> {
        let check = |x: Real, setting, range: Range| {
            if range.contains(x) { Ok(()) } else { Err(SettingsError { setting, range }) }
        };
        // Without a bound above.
        let up = |x: Real, setting, min| {
            check(x, setting, Range::new(min, Real::INFINITY, "(infinity included)"))
        };
        let part = Range::new(0.0, 1.0, "");
        let coefficient = Range { min: 0.0, ..ranges::COEFFICIENT };
        let length = Range::new(0.0, LENGTH_MAX, "m");
        let acceleration = Range { unit: "m/s²", ..coefficient };
        let time = Range { unit: "s", ..coefficient };
        let speed = Range { min: 0.0, ..ranges::SPEED };
        let c = &self.contact;
        let gravity = Range { min: -acceleration.max, ..acceleration };
        self.gravity.to_array().into_iter().try_for_each(|x| check(x, "gravity", gravity))?;
        if let StepMode::Quasistatic(Quasistatic { inertia_time, step_max }) = self.mode {
            check(inertia_time, "inertia_time", Range { min: Real::MIN_POSITIVE, ..time })?;
            check(step_max, "step_max", Range { min: Real::MIN_POSITIVE, ..length })?;
        }
        check(c.gamma, "gamma", Range::new(0.0, 2.0, ""))?;
        up(c.push_speed_max, "push_speed_max", Real::MIN_POSITIVE)?;
        check(c.dead_zone, "dead_zone", acceleration)?;
        check(c.stillness, "stillness", acceleration)?;
        check(c.margin, "margin", length)?;
        check(c.normal_slack, "normal_slack", acceleration)?;
        check(c.reference_slack, "reference_slack", part)?;
        check(c.restitution_speed, "restitution_speed", speed)?;
        check(c.friction.unwrap_or(0.0), "friction", coefficient)?;
        if let ActiveEvents::Enumerated { eps_x, eps_t, eps_0, delta_max, .. } = c.active {
            up(delta_max, "delta_max", Real::MIN_POSITIVE)?;
            check(eps_x, "eps_x", coefficient)?;
            check(eps_t, "eps_t", Range::new(0.0, 1.0 - Real::EPSILON, ""))?;
            check(eps_0, "eps_0", coefficient)?;
        }
        let s = &self.solver;
        up(narrow(s.tolerance), "tolerance", Real::MIN_POSITIVE)?;
        check(narrow(s.penalty), "penalty", Range::new(1e-12, 1e12, ""))?;
        up(narrow(s.work_max), "work_max", Real::MIN_POSITIVE)?;
        up(narrow(s.impact_speed_max), "impact_speed_max", 0.0)?;
        check(s.substeps as Real, "substeps", Range::new(1.0, 256.0, ""))?;
        check(narrow(s.softness), "softness", part)?;
        check(narrow(s.joint_softness), "joint_softness", part)?;
        if let Cone::Pyramid(sides) = s.cone {
            let sides = if sides.is_multiple_of(2) { sides as Real } else { 0.0 };
            check(sides, "cone", Range::new(2.0, 256.0, "sides, an even number"))?;
        }
        check(self.sleep.linear, "linear", speed)?;
        check(self.sleep.angular, "angular", Range { min: 0.0, ..ranges::SPIN })?;
        check(self.sleep.acceleration, "acceleration", acceleration)?;
        check(self.sleep.time, "time", time)
    }
}
