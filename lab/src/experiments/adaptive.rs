//! γ that adapts, and γ > 1, beside fixed ones on all experiments (future work of Anitescu, Miller, Hart 2003
//! and of the thesis, chapter 8); steps of changing lengths.
//!
//! Theorem 3.1 tells what a step does to the infeasibility,
//!
//! ```text
//! I⁺ ≤ (1 - γ) I + r,   r = C h² |v|²
//! ```
//!
//! The γ for which this bound is least, zero, is `γ = 1 + r / I`, and nothing of it is chosen.
//! A blow, which makes I once and no r, is taken back at once; where surfaces roll on each other every
//! step makes r anew, and γ is larger than one. Contacts bear that, up to 2: what is taken back too much is a
//! gap. Of a joint it is an error on the other side, so that γ is 1 at most where a joint is worst. `C |v|²`
//! is not known beforehand: r is what the steps showed to be left over, `I⁺ - (1 - γ) I`, in the last two of
//! them, the smaller one, since a blow shows once.

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyKind};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::math::{Double, Real, narrow, narrow3, widen};

use super::Outcome;
use crate::random::Rng;
use crate::scenes::ellipse::{self, CURVATURE, Ellipse};
use crate::scenes::grasp::{self, Grasp};
use crate::scenes::{World, thesis};

/// γ of a step.
#[derive(Clone, Copy, Debug)]
pub enum Strategy {
    /// One for all (–).
    Fixed(Double),
    /// By what the last steps left.
    Adaptive(Adaptive),
}

/// γ by the infeasibility, see above.
#[derive(Clone, Copy, Debug, Default)]
pub struct Adaptive {
    /// Infeasibility before the last step (m), and its γ (–).
    last: [Double; 2],
    /// What the last step was found to add (m).
    added: Double,
}

/// Largest γ where a joint is worst and where a contact is: beyond 2 it would come back larger,
/// `|1 - γ| > 1` (–).
const GAMMA_MAX: [Double; 2] = [1.0, 2.0];

impl Adaptive {
    /// γ of the next step, which begins with this infeasibility, of joints and of contacts (m).
    pub fn next(&mut self, [joints, overlap]: [Double; 2]) -> Double {
        let [before, gamma] = self.last;
        let infeasibility = joints.max(overlap);
        let added = (infeasibility - (1.0 - gamma) * before).max(0.0);
        let lasting = added.min(self.added);
        self.added = added;
        let forward = if infeasibility > 0.0 { lasting / infeasibility } else { 0.0 };
        let gamma = (1.0 + forward).min(GAMMA_MAX[usize::from(overlap >= joints)]);
        self.last = [infeasibility, gamma];
        gamma
    }
}

/// What a run showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    /// Infeasibility after a step, on average and the largest (m).
    pub average: Double,
    pub most: Double,
    /// Sum of what steps added to the energy (J): of what has no motors, all of it is wrong.
    pub gained: Double,
    /// γ on average (–).
    pub gamma: Double,
    /// Steps above the tolerance.
    pub unsolved: usize,
}

/// Kinetic and potential energy of all bodies (J).
fn energy(world: &Simulation, settings: &Settings) -> Double {
    let of = |body: &Body| {
        let height = -widen(body.center().dot(settings.gravity));
        widen(body.kinetic_energy()) + widen(body.mass()) * height
    };
    world.bodies().iter().filter(|body| body.kind() == BodyKind::Dynamic).map(of).sum()
}

/// Infeasibility of the joints, |Θ| [m, rad], and of the contacts, the deepest overlap (m).
fn infeasibility(world: &Simulation, settings: &Settings) -> [Double; 2] {
    let overlap = widen(world.infeasibility().1);
    if world.joints().next().is_none() {
        return [0.0, overlap];
    }
    let mut probe = world.clone();
    probe.begin(settings, Real::EPSILON);
    probe.find_pairs(settings);
    probe.find_contacts(settings);
    [widen(probe.report().joint_error), overlap]
}

/// An experiment: where it begins, its settings, length of a step (s), number of steps.
pub struct Experiment {
    pub name: String,
    pub start: Start,
    pub settings: Settings,
    pub h: Double,
    pub steps: usize,
}

/// What it begins with.
pub enum Start {
    World(Simulation),
    Hand(Grasp),
}

/// All experiments of the papers, by the engine's own contacts and the papers' stabilization.
///
/// # Errors
/// The engine refused something.
pub fn experiments() -> Result<Vec<Experiment>, String> {
    let settings = |mu: Double| grasp::settings(1.0, mu);
    let experiment = |name: &str, start, settings, h: Double, time: Double| {
        let steps = (time / h).round() as usize;
        Experiment { name: name.to_owned(), start, settings, h, steps }
    };
    let ellipse = Start::World(Ellipse::new()?.world);
    let (h, time) = (ellipse::STEP, ellipse::DURATION);
    let mut all = vec![experiment("ellipse", ellipse, settings(0.3), h, time)];
    for thesis::Experiment { scene, .. } in thesis::all() {
        let gravity = narrow3(scene.params.gravity);
        let settings = Settings { gravity, ..settings(scene.params.mu) };
        let start = Start::World(World::new(&scene)?.simulation);
        all.push(experiment(&scene.name, start, settings, 0.01, scene.params.duration));
    }
    let hand = Start::Hand(Grasp::new(0.0)?);
    all.push(experiment("grasp", hand, settings(grasp::SLIPPERY), grasp::STEP, 2.0));
    Ok(all)
}

impl Experiment {
    /// Performs it.
    pub fn run(&self, mut strategy: Strategy) -> Shown {
        let (mut settings, mut shown) = (self.settings, Shown::default());
        let mut world = match &self.start {
            Start::World(world) => world.clone(),
            Start::Hand(hand) => hand.world.clone(),
        };
        let mut i = infeasibility(&world, &settings);
        let mut before = energy(&world, &settings);
        for step in 0..self.steps {
            if let Start::Hand(hand) = &self.start {
                hand.let_go(&mut world, step as Double * self.h);
            }
            let gamma = match &mut strategy {
                Strategy::Fixed(gamma) => *gamma,
                Strategy::Adaptive(adaptive) => adaptive.next(i),
            };
            settings.contact.gamma = narrow(gamma);
            let report = world.step(&settings, narrow(self.h));
            shown.unsolved += usize::from(report.status != StepStatus::Solved);
            i = infeasibility(&world, &settings);
            let after = energy(&world, &settings);
            shown.gained += (after - before).max(0.0);
            before = after;
            let part = 1.0 / self.steps as Double;
            let worst = i[0].max(i[1]);
            shown.average += worst * part;
            shown.gamma += gamma * part;
            shown.most = shown.most.max(worst);
        }
        shown
    }
}

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| experiment | γ | average I [µm] | largest I [µm] | energy gained [J] | mean γ | unsolved |"
    );
    println!("|---|---|---|---|---|---|---|");
    let fixed = [0.2, 0.5, 1.0, 1.5].map(|gamma| (gamma.to_string(), Strategy::Fixed(gamma)));
    let adaptive = ("adaptive".to_owned(), Strategy::Adaptive(Adaptive::default()));
    for experiment in experiments()? {
        for (name, strategy) in fixed.iter().chain([&adaptive]) {
            let shown = experiment.run(*strategy);
            // Motors of the hand work.
            let gained = match experiment.start {
                Start::World(_) => format!("{:.4}", shown.gained),
                Start::Hand(_) => "–".to_owned(),
            };
            println!(
                "| {} | {name} | {:.4} | {:.2} | {gained} | {:.2} | {} of {} |",
                experiment.name,
                1e6 * shown.average,
                1e6 * shown.most,
                shown.gamma,
                shown.unsolved,
                experiment.steps
            );
        }
    }
    changing_steps()
}

/// Overlaps from which on the bound is looked at (m): smaller ones are rounding in single precision.
pub const TOLD: Double = 1e-3;

/// The ellipse in steps of changing lengths, at most by a factor between two, from a quarter of a length to
/// twice it: moments, and the largest part of the bound `(1 - γ) I + C h² ω²` that a step used (–).
///
/// # Errors
/// The engine refused something.
pub fn in_changing_steps(
    gamma: Double,
    factor: Double,
    seed: u64,
) -> Result<(Vec<ellipse::Moment>, Double), String> {
    let mut it = Ellipse::new()?;
    let (settings, mut rng) = (ellipse::settings(gamma), Rng::new(seed));
    let (mut h, mut time, mut used): (Double, Double, Double) = (ellipse::STEP, 0.0, 0.0);
    let (mut last, mut moments) = (0.0, Vec::new());
    while time < ellipse::DURATION {
        let change = libm::pow(factor, rng.between(-1.0, 1.0));
        h = (h * change).clamp(0.25 * ellipse::STEP, 2.0 * ellipse::STEP);
        // As the engine takes it.
        h = widen(narrow(h));
        let moment = it.advance(&settings, h);
        let bound = (1.0 - gamma).max(0.0) * last + CURVATURE * (h * moment.turning).powi(2);
        if moment.infeasibility > TOLD {
            used = used.max(moment.infeasibility / bound);
        }
        (last, time) = (moment.infeasibility, time + h);
        moments.push(moment);
    }
    Ok((moments, used))
}

/// Whether changing lengths of steps do any harm.
fn changing_steps() -> Outcome {
    println!("\n| h⁺ / h | γ | average I [mm] | largest I [mm] | of the bound | unsolved |");
    println!("|---|---|---|---|---|---|");
    for factor in [1.0, 1.2, 2.0, 8.0] {
        for gamma in [0.2, 1.0] {
            let (moments, used) = in_changing_steps(gamma, factor, 1)?;
            let steps = moments.len();
            let average = moments.iter().map(|m| m.infeasibility).sum::<Double>() / steps as Double;
            let most = moments.iter().map(|m| m.infeasibility).fold(0.0, Double::max);
            let unsolved = moments.iter().filter(|m| !m.solved).count();
            println!(
                "| 1/{factor} … {factor} | {gamma} | {:.3} | {:.2} | {used:.3} | {unsolved} of {steps} |",
                1e3 * average,
                1e3 * most
            );
        }
    }
    Ok(())
}
