//! The default solver against sweeps on recorded step problems: with the work that it was counted, sweeps
//! from the same start come to no smaller residual.
//!
//! A problem is recorded as a clone of the world after `assemble`: matrix, biases and warm start of every
//! island are then those of a step as it is played, and each solver finishes the step from there.

#[path = "../examples/games/mod.rs"]
mod games;

use games::{DT, Play, steps};
use orthant::engine::Simulation;
use orthant::engine::lcp::Method;
use orthant::engine::report::IslandReport;
use orthant::engine::settings::Settings;
use orthant::math::{Double, Real};

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

/// What the comparisons of a scene came to.
#[derive(Debug, Default)]
struct Tally {
    problems: usize,
    worse: usize,
}

/// Compares both solvers on the biased (0) or relaxed (1) problem of every island of a recorded step.
///
/// Islands that were advanced in small steps are left out: they solve problems of those, not this one.
fn compare(recorded: &Simulation, settings: &Settings, which: usize, tally: &mut Tally) {
    let auto = solve(recorded, settings);
    let work = |island: &IslandReport| island.work[which].ceil() as u32;
    let residual = |island: &IslandReport| [island.residual, island.residual_relaxed][which];
    let mut budgets: Vec<u32> = auto.iter().map(work).filter(|&work| work > 0).collect();
    budgets.sort_unstable();
    budgets.dedup();
    for budget in budgets {
        let mut settings = *settings;
        (settings.solver.method, settings.solver.sweeps_max) = (Method::Pgs, budget);
        let swept = solve(recorded, &settings);
        let same = auto.iter().zip(&swept).filter(|(auto, _)| work(auto) == budget);
        for (auto, swept) in same.filter(|(auto, _)| auto.method != Method::Substeps) {
            assert_eq!(
                (auto.first, auto.contacts),
                (swept.first, swept.contacts),
                "the same island"
            );
            tally.problems += 1;
            let worse = residual(auto) > residual(swept).max(settings.solver.tolerance);
            tally.worse += usize::from(worse);
        }
    }
}

/// Plays a scene with the default solver and compares in every so many steps.
fn play(name: &str, seconds: Real, every: usize) -> Tally {
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

/// What stands, slides, hangs or is dropped gently is never solved worse than by sweeps.
#[test]
fn sweeps_with_the_same_work_are_never_better() {
    for (name, seconds, every) in [
        ("tower-10", 2.0, 3),
        ("tower-30", 2.0, 7),
        ("ratio-1000", 2.0, 3),
        ("pyramid-10", 2.0, 7),
        ("cards", 2.0, 3),
        ("arch-20", 2.0, 3),
        ("keystone-20", 2.0, 3),
        ("table", 2.0, 3),
        ("overlap", 2.0, 3),
        ("chain-20-100", 2.0, 3),
        ("hulls-40", 4.0, 5),
    ] {
        let tally = play(name, seconds, every);
        assert!(tally.problems > 0, "{name} has contacts");
        assert_eq!(tally.worse, 0, "{name}: {tally:?}");
    }
}

/// In a blow the residuals of both come down unevenly, as contacts change between sticking and slipping, and
/// neither may meet the tolerance: there sweeps are ahead now and then, by chance.
#[test]
fn sweeps_with_the_same_work_are_seldom_better_in_a_blow() {
    for (name, seconds, every, most) in [
        ("dominoes-20", 4.0, 3, 0.005),
        ("dropped-30", 4.0, 3, 0.0),
        ("dropped-100", 2.0, 5, 0.002),
        ("hit-5", 2.5, 2, 0.15),
    ] {
        let tally = play(name, seconds, every);
        assert!(tally.problems > 50, "{name} has contacts");
        assert!(tally.worse as Double <= most * tally.problems as Double, "{name}: {tally:?}");
    }
}
