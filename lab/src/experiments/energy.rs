//! The bound on energy (2.14) of Anitescu, Miller and Hart (2003), (5.20) of the thesis, as measured; energy
//! of a box that bounces two hundred times.
//!
//! With the free velocity `v* = v + h M⁻¹ k` the bound reads
//!
//! ```text
//! v⁺ᵀ M v⁺ ≤ v*ᵀ M v* + c² ‖Δ₋, Υ‖∞²
//! ```
//!
//! where `c` does not depend on h as long as friction cones are uniformly pointed. Without overlap a step
//! gives no energy; with it, `c` is the least that the steps of a run need, in √kg.

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::collider::Material;
use orthant::engine::lcp::{BodyBlock, Method};
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::settings::{RestitutionModel, Settings};
use orthant::math::{Double, Real, Vec3, narrow, widen};

use super::Outcome;
use super::adaptive::{Start, experiments};
use crate::random::Rng;
use crate::support::bounces::{G, MODELS, energy, ground, material, model, place, wall};
use crate::support::{DT, body, change, cuboid};

/// What the steps of a run needed of the bound.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bound {
    /// Steps of islands, without overlap to push out and with.
    pub steps: [usize; 2],
    /// Most energy that one without it gave, over the free one (–).
    pub given: Double,
    /// The least `c` for all with it [√kg].
    pub least: Double,
}

/// `‖Δ₋, Υ‖∞` below this counts as none [m/s]: energy is known to the square root of its digits.
const NONE: Double = 1e-4;

/// Twice the kinetic energy of free bodies (J).
fn free(block: &BodyBlock) -> Double {
    let v = block.velocity_free;
    let [xx, yy, zz, xy, xz, yz] = block.inertia;
    let linear: Double = (0..3).map(|k| block.mass[k] * v[k] * v[k]).sum();
    let [a, b, c] = [v[3], v[4], v[5]];
    let turn = a * a * xx + b * b * yy + c * c * zz;
    linear + turn + 2.0 * (a * b * xy + a * c * xz + b * c * yz)
}

impl Bound {
    /// Performs a step and takes note of it. The velocity that moves the bodies is to be the one that is
    /// carried, [`relax`](orthant::engine::settings::ContactSettings::relax) false.
    pub fn step(&mut self, world: &mut Simulation, settings: &Settings, h: Double) {
        world.begin(settings, narrow(h));
        world.find_pairs(settings);
        world.find_contacts(settings);
        world.build_islands();
        world.assemble(settings);
        let problems = world.step_problems(settings.solver.cone);
        world.solve(settings);
        world.integrate();
        world.finish();
        for problem in &problems {
            self.note(world, problem);
        }
    }

    fn note(&mut self, world: &Simulation, problem: &ExportedProblem) {
        let before: Double = problem.blocks.iter().map(free).sum();
        let kinetic = |id: &BodyId| world.body(*id).map_or(0.0, |b| widen(b.kinetic_energy()));
        let after: Double = problem.bodies.iter().map(kinetic).sum();
        let given = 2.0 * after - before;
        let pushed = problem.contact_origins.iter().map(|c| -c.delta);
        let drawn = problem.joints.iter().map(|row| row.bias.abs());
        let push = pushed.chain(drawn).fold(0.0, Double::max);
        if push <= NONE {
            self.steps[0] += 1;
            self.given = self.given.max(given / before);
        } else {
            self.steps[1] += 1;
            self.least = self.least.max(given.max(0.0).sqrt() / push);
        }
    }

    /// Of a run from a world as it is.
    #[must_use]
    pub fn of(world: &Simulation, settings: &Settings, h: Double, steps: usize) -> Self {
        let (mut world, mut bound) = (world.clone(), Self::default());
        for _ in 0..steps {
            bound.step(&mut world, settings, h);
        }
        bound
    }
}

/// Bounces that are counted.
pub const BOUNCES: u32 = 200;

/// Somewhere in a room of 3 m across that is open above.
pub fn room(material: Material) -> Simulation {
    let mut world = Simulation::new();
    ground(&mut world, material);
    for axis in [Vec3::X, -Vec3::X, Vec3::Z, -Vec3::Z] {
        wall(&mut world, axis, axis * -1.5, material);
    }
    world
}

/// A box with any sides, attitude, velocity and spin.
pub fn throw(
    world: &mut Simulation,
    rng: &mut Rng,
    material: Material,
    at: Vec3,
    size: Real,
    speed: Real,
) -> BodyId {
    let [x, y, z] = [0; 3].map(|_| rng.range(0.4 * size, size));
    let velocity = rng.vector(-speed, speed);
    let id = place(world, BodyKind::Dynamic, cuboid(x, y, z), material, at, velocity);
    let (turn, spin) = (rng.rotation(), rng.vector(-8.0, 8.0));
    let body = change(world, id);
    body.set_pose(at, turn);
    body.angular_velocity = spin;
    id
}

/// A box that tumbles under gravity until it bounced 200 times or did not for 2 s, since then it lies: the
/// largest energy over that of the start, the last one, bounces.
#[must_use]
pub fn tumble(settings: &Settings, material: Material, seed: u64) -> (Double, Double, u32) {
    let mut rng = Rng::new(100 + seed);
    let mut world = room(material);
    let id = throw(&mut world, &mut rng, material, Vec3::Y * 2.0, 0.5, 2.0);
    let start = energy(&world);
    let mut most: Double = 0.0;
    let (mut bounces, mut calm) = (0, 0);
    while bounces < BOUNCES && calm < 120 {
        let before = body(&world, id).linear_velocity;
        world.step(settings, DT);
        let change = body(&world, id).linear_velocity - before;
        let struck = (change + Vec3::Y * (G * DT)).length() > 0.3;
        bounces += u32::from(struck);
        calm = if struck { 0 } else { calm + 1 };
        most = most.max(energy(&world) / start);
    }
    (most, energy(&world) / start, bounces)
}

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| experiment | γ | h [s] | steps without, with overlap | given without | least c [√kg] |"
    );
    println!("|---|---|---|---|---|---|");
    for experiment in experiments()? {
        // Motors work.
        let Start::World(world) = &experiment.start else { continue };
        for gamma in [0.2, 1.0] {
            let mut settings = experiment.settings;
            settings.contact.gamma = narrow(gamma);
            for part in [1.0, 0.5, 0.25, 0.125] {
                let h = part * experiment.h;
                let steps = (experiment.steps as Double / part).round() as usize;
                let Bound { steps: [without, with], given, least } =
                    Bound::of(world, &settings, h, steps);
                let name = &experiment.name;
                println!(
                    "| {name} | {gamma} | {h} | {without}, {with} | {given:.0e} | {least:.3} |"
                );
            }
        }
    }
    println!("\n| model | method | e | μ | largest E / E₀ - 1 | left at the end | bounces |");
    println!("|---|---|---|---|---|---|---|");
    let small = (RestitutionModel::Newton, Method::Substeps);
    for (of, method) in MODELS.map(|of| (of, Method::Auto)).into_iter().chain([small]) {
        for (e, mu) in [(1.0, 0.0), (1.0, 0.5), (0.9, 0.0), (0.9, 0.5)] {
            let mut settings = model(of, G);
            settings.solver.method = method;
            let runs: Vec<_> = (0..40).map(|k| tumble(&settings, material(mu, e), k)).collect();
            let most = runs.iter().map(|run| run.0).fold(0.0, Double::max) - 1.0;
            let left = runs.iter().map(|run| run.1).sum::<Double>() / runs.len() as Double;
            let fewest = runs.iter().map(|run| run.2).min().unwrap_or(0);
            let name = format!("{of:?} | {method:?}");
            println!("| {name} | {e} | {mu} | {most:.0e} | {left:.3} | {fewest} or more |");
        }
    }
    Ok(())
}
