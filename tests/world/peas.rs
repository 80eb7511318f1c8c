//! Peas rain on a pyramid under a heavy cube, a ball rolls into another: blows leave them solved.
//!
//! Mechanism: a pea of a two-thousandth of a cube's mass strikes at 10 m/s. Newton alone makes a factor for
//! each contact that slides, sticks or opens then, which costs a large island more than it may spend, so that
//! the pyramid was softened for as long as it rained; sweeps find those contacts first.

use orthant::engine::settings::SolverSettings;
use orthant::math::{Real, Vec3};
use orthant_lab::games::{self, Game, Play};
use orthant_lab::gauge::Plan;

/// Peas on a pyramid of ten rows under a heavy cube, looked at in every step.
fn rain() -> Game {
    games::by_name("peas-10-1000").expect("a scene").lasting(4.0)
}

/// How far a heavy cube on a pyramid of ten rows, the last piece before the peas, is from where it lay (m).
fn moved(play: &Play) -> Real {
    let heavy = play.world.body(play.ids[1 + 55]).expect("it is there");
    (heavy.position() - Vec3::Y * 10.5).length()
}

#[test]
fn a_pyramid_is_solved_while_peas_rain_on_it() {
    let game = rain();
    let (record, play) = Plan::new(&game).run(&game).expect("it ends");
    let (steps, overlap) = (record.steps.len(), record.overlap[1]);
    let unsolved = record.steps.iter().filter(|step| !step.solved).count();
    println!("{unsolved} of {steps} steps are not solved, {} mm of overlap", 1e3 * overlap);
    assert!(overlap <= 5e-5, "{overlap} m of overlap");
    assert!(moved(&play) < 1e-3, "it stands: {} m", moved(&play));
    assert!(20 * unsolved <= steps, "{unsolved} of {steps} steps are not solved");
}

/// With four small steps the heavy cube sank by half a meter into what bears it, and threw it about. Overlaps
/// are looked at now and then: in small steps a pea that another turns aside is in a third one for a step.
#[test]
fn what_bears_a_thousand_times_its_mass_stands_in_small_steps() {
    let game = Game { check_every: 0.5, ..rain() };
    let mut plan = Plan::new(&game);
    plan.settings.solver = SolverSettings::budget();
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
    assert!(20 * unsolved <= steps, "{unsolved} of {steps} steps are not solved");
}
