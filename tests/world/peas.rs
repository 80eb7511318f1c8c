//! Peas rain on a pyramid under a heavy cube, a ball rolls into another: blows leave them solved.
//!
//! Mechanism: a pea of a two-thousandth of a cube's mass strikes at 10 m/s. Newton alone makes a factor for
//! each contact that slides, sticks or opens then, which costs a large island more than it may spend, so that
//! the pyramid was softened for as long as it rained. What is light is solved in turns with what is heavy.
//!
//! Peas that a third body turns aside: two whose free paths pass each other have a row that leaves these
//! open, and ran into each other on the paths of the solution, up to 71 mm deep for a step. Pairs that meet
//! on these get the plane that was between them, and their island is solved again. Overlaps tell.

use orthant::engine::lcp::Method;
use orthant::engine::settings::SolverSettings;
use orthant::math::{Real, Vec3};
use orthant_lab::games::{self, Game, Play};
use orthant_lab::gauge::Plan;

/// Peas on a pyramid of ten rows under a cube of so many times their density, looked at in every step.
fn rain(ratio: usize) -> Game {
    games::by_name(&format!("peas-10-{ratio}")).expect("a scene").lasting(4.0)
}

/// How far a heavy cube on a pyramid of ten rows, the last piece before the peas, is from where it lay (m).
fn moved(play: &Play) -> Real {
    let heavy = play.world.body(play.ids[1 + 55]).expect("it is there");
    (heavy.position() - Vec3::Y * 10.5).length()
}

/// A rain is chaotic: how many steps are not solved is counted of three, and at most one in a hundred of the
/// scene's eight seconds. What had come near when its budget ended was given up: 25 of 720 steps, in double
/// precision 30.
#[test]
fn a_pyramid_is_solved_while_peas_rain_on_it() {
    let (mut unsolved, mut steps, mut deep) = (0, 0, 0);
    for ratio in [1, 30, 1000] {
        let game = rain(ratio);
        let (record, play) = Plan::new(&game).run(&game).expect("it ends");
        let (open, overlap) = (record.steps.iter().filter(|s| !s.solved), record.overlap[1]);
        unsolved += open.count();
        steps += record.steps.len();
        println!("{ratio}: {unsolved} of {steps} so far, {} mm of overlap", 1e3 * overlap);
        assert!(moved(&play) < 1e-3, "{ratio}: it stands: {} m", moved(&play));
        // In one of them a pea begins a step too far from another for a row, and is struck into it.
        deep += u32::from(overlap > 5e-5);
        assert!(overlap <= 1e-3, "{ratio}: {overlap} m of overlap");
    }
    assert!(deep <= 1, "{deep} rains with overlaps");
    assert!(50 * unsolved <= steps, "{unsolved} of {steps} steps are not solved");
}

/// What strikes a pyramid is light, so that no step of it has to be made small on a budget either, where 418
/// of 480 steps were, with overlaps of 90 mm.
#[test]
fn a_pyramid_is_solved_on_a_budget_while_peas_rain_on_it() {
    for ratio in [30, 1000] {
        let game = rain(ratio);
        let mut plan = Plan::new(&game);
        plan.settings.solver = SolverSettings::budget();
        let (record, _) = plan.run(&game).expect("it ends");
        let unsolved = record.steps.iter().filter(|step| !step.solved).count();
        println!("{ratio}: {unsolved} unsolved, {} mm of overlap", 1e3 * record.overlap[1]);
        assert!(100 * unsolved <= record.steps.len(), "{ratio}: {unsolved} are not solved");
        assert!(record.overlap[1] <= 5e-5, "{ratio}: {} m of overlap", record.overlap[1]);
    }
}

/// Peas of a sixtieth of a cube's mass strike sixty cubes by more than they may spend: 301 of 480 steps were
/// softened, with overlaps of 99 mm.
#[test]
fn a_pyramid_is_solved_while_heavy_peas_rain_on_it() {
    let mut game = rain(1);
    game.pieces.iter_mut().skip(1 + 55 + 1).for_each(|pea| pea.density = 30.0);
    let (record, play) = Plan::new(&game).run(&game).expect("it ends");
    let unsolved = record.steps.iter().filter(|step| !step.solved).count();
    println!("{unsolved} unsolved, {} mm of overlap", 1e3 * record.overlap[1]);
    assert!(moved(&play) < 1e-3, "it stands: {} m", moved(&play));
    assert!(50 * unsolved <= record.steps.len(), "{unsolved} are not solved");
    assert!(record.overlap[1] <= 5e-5, "{} m of overlap", record.overlap[1]);
}

/// With four small steps the heavy cube sank by half a meter into what bears it, and threw it about. Overlaps
/// are looked at now and then: in small steps a pea that another turns aside is in a third one for a step.
#[test]
fn what_bears_a_thousand_times_its_mass_stands_in_small_steps() {
    let game = Game { check_every: 0.5, ..rain(1000) };
    let mut plan = Plan::new(&game);
    plan.settings.solver = SolverSettings { method: Method::Substeps, ..SolverSettings::budget() };
    let (record, play) = plan.run(&game).expect("it ends");
    println!("{} mm of overlap", 1e3 * record.overlap[1]);
    assert!(moved(&play) < 0.1, "it stands: {} m", moved(&play));
    assert!(record.overlap[1] <= 0.03, "{} m of overlap", record.overlap[1]);
}

/// A blow leaves a pyramid little work, and when it rests again its impulses are still those of the blow:
/// while it had no more than that, such pyramids were not solved in 233 of 720 steps, up to the last.
#[test]
fn a_pyramid_is_solved_after_a_ball_rolled_into_it() {
    let (mut unsolved, mut steps) = (0, 0);
    for speed in [0.98, 1.04, 1.1] {
        let mut game = games::by_name("pyramid-40-ball").expect("a scene").lasting(4.0);
        game.pieces.last_mut().expect("the ball").velocity *= speed;
        let (record, _) = Plan::new(&game).run(&game).expect("it ends");
        steps += record.steps.len();
        unsolved += record.steps.iter().filter(|step| !step.solved).count();
    }
    println!("{unsolved} of {steps} steps are not solved");
    assert!(100 * unsolved <= steps, "{unsolved} of {steps} steps are not solved");
}

/// What sticks is held soon after a blow, and no step has to do anything then. While a solution within the
/// tolerance did for what was not held, that went on with its error: 136 cubes were solved in 60 more steps.
#[test]
fn what_a_ball_struck_rests_again() {
    for base in [14, 16, 20] {
        let game = games::by_name(&format!("pyramid-{base}-ball")).expect("a scene").lasting(5.0);
        let (record, _) = Plan::new(&game).run(&game).expect("it ends");
        let last = record.steps.iter().rposition(|step| step.work[0] > 0);
        println!("{base}: solved until step {last:?}");
        assert!(last.is_some_and(|last| (160..178).contains(&last)), "{base}: until step {last:?}");
    }
}

/// With `budget()` what a ball pushes gently was softened for good, one try in vain took 1200 sweeps.
#[test]
fn what_is_pushed_gently_is_solved_on_a_budget() {
    let game = games::by_name("pyramid-20-ball").expect("a scene").lasting(5.0);
    let mut plan = Plan::new(&game);
    plan.settings.solver = SolverSettings::budget();
    let (record, _) = plan.run(&game).expect("it ends");
    let unsolved = record.steps.iter().filter(|step| !step.solved).count();
    assert_eq!(unsolved, 0, "of {} steps", record.steps.len());
}
