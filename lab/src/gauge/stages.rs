//! A step with the time of each of its stages.

use std::time::Instant;

use orthant::engine::Simulation;
use orthant::engine::par::Pool;
use orthant::engine::settings::Settings;
use orthant::math::{Double, Real};

/// Names of the stages, in their order.
pub const STAGES: [&str; 8] = [
    "begin",
    "find_pairs",
    "find_contacts",
    "build_islands",
    "assemble",
    "solve",
    "integrate",
    "finish",
];
/// Index of the solve among [`STAGES`].
pub const SOLVE: usize = 5;

/// [`Simulation::step`] with the seconds of each stage.
pub fn timed_step(
    world: &mut Simulation,
    settings: &Settings,
    dt: Real,
    pool: &dyn Pool,
) -> [Double; 8] {
    let mut seconds = [0.0; 8];
    let mut last = Instant::now();
    let mut lap = |stage: usize| {
        let now = Instant::now();
        seconds[stage] = (now - last).as_secs_f64();
        last = now;
    };
    world.begin_on(settings, dt, pool);
    lap(0);
    world.find_pairs_on(settings, pool);
    lap(1);
    world.find_contacts_on(settings, pool);
    lap(2);
    world.build_islands();
    lap(3);
    world.assemble(settings);
    lap(4);
    world.solve_on(settings, pool);
    lap(5);
    world.integrate();
    lap(6);
    world.finish_on(pool);
    lap(7);
    seconds
}
