//! The default solver against sweeps on recorded step problems: with the work that it was counted, sweeps
//! from the same start come to no smaller residual.
//!
//! A problem is recorded as a clone of the world after `assemble`: matrix, biases and warm start of every
//! island are then those of a step as it is played, and each solver finishes the step from there.

use orthant::engine::Simulation;
use orthant::engine::lcp::Method;
use orthant::engine::report::IslandReport;
use orthant::engine::settings::Settings;
use orthant::math::{Double, Real};

use crate::games::{self, DT, Play, steps};

/// What the comparisons of a scene came to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Problems of islands that were compared.
    pub problems: usize,
    /// Those on which sweeps came to a smaller residual, and to more than the tolerance less.
    pub worse: usize,
    /// Of these, those that the report calls solved.
    pub unsaid: usize,
}

/// Finishes a recorded step and tells how each island was solved.
fn solve(recorded: &Simulation, settings: &Settings) -> Vec<IslandReport> {
    let mut world = recorded.clone();
    world.solve(settings);
    world.report().solves.clone()
}

/// The step that comes next, up to its solution.
fn record(play: &mut Play, settings: &Settings) -> Simulation {
    play.drive();
    let mut world = play.world.clone();
    world.begin(settings, play.dt);
    world.find_pairs(settings);
    world.find_contacts(settings);
    world.build_islands();
    world.assemble(settings);
    world
}

/// Residual of the biased (0) or relaxed (1) problem [m/s]. Small steps solve both at once.
fn residual(island: &IslandReport, which: usize) -> Double {
    let both = [island.residual, island.residual_relaxed];
    if island.method == Method::Substeps { both[0].max(both[1]) } else { both[which] }
}

/// Compares both solvers on the biased (0) or relaxed (1) problem of every island of a recorded step.
fn compare(recorded: &Simulation, settings: &Settings, which: usize, tally: &mut Tally) {
    let auto = solve(recorded, settings);
    let work = |island: &IslandReport| island.work[which].ceil() as u32;
    let mut budgets: Vec<u32> = auto.iter().map(work).filter(|&work| work > 0).collect();
    budgets.sort_unstable();
    budgets.dedup();
    for budget in budgets {
        let mut settings = *settings;
        (settings.solver.method, settings.solver.sweeps_max) = (Method::Pgs, budget);
        let swept = solve(recorded, &settings);
        let same = auto.iter().zip(&swept).filter(|(auto, _)| work(auto) == budget);
        for (auto, swept) in same {
            assert_eq!(
                (auto.first, auto.contacts),
                (swept.first, swept.contacts),
                "the same island"
            );
            tally.problems += 1;
            let bar = residual(swept, which).max(settings.solver.tolerance);
            if residual(auto, which) > bar {
                tally.worse += 1;
                tally.unsaid += usize::from(auto.solved);
            }
        }
    }
}

/// Plays a scene with the default solver and compares in every so many steps.
pub fn play(name: &str, seconds: Real, every: usize) -> Tally {
    let game = games::by_name(name).expect("it has a scene");
    let settings = game.settings();
    let mut play = Play::new(&game, DT).expect("the engine takes the scene");
    let mut tally = Tally::default();
    for step in 0..steps(seconds, DT) {
        let mut world = record(&mut play, &settings);
        if step % every == 0 {
            compare(&world, &settings, 0, &mut tally);
            compare(&world, &settings, 1, &mut tally);
        }
        world.solve(&settings);
        world.integrate();
        world.finish();
        play.world = world;
    }
    tally
}
