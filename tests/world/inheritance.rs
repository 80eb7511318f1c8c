//! What islands keep from step to step goes on with their bodies when they split.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::math::{Quat, Real, Vec3};
use orthant_lab::support::{DT, add, change, cuboid, floor, run_with};

/// A light world, in which what lies on others hardly changes their load.
fn light() -> Settings {
    Settings { gravity: Vec3::NEG_Y, ..Settings::default() }
}

/// A pyramid of cubes at rest with a pebble on its top, which is the first body after the floor.
fn pyramid_under_a_pebble() -> (Simulation, BodyId) {
    let mut world = floor();
    let rows = 6_u8;
    let top = Vec3::Y * (Real::from(rows) + 0.125);
    let pebble = add(&mut world, BodyKind::Dynamic, cuboid(0.25, 0.25, 0.25), top);
    for row in 0..rows {
        for k in 0..rows - row {
            let x = Real::from(k) - 0.5 * Real::from(rows - row - 1);
            let at = Vec3::new(1.05 * x, 0.5 + Real::from(row), 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        }
    }
    run_with(&mut world, 240, &light());
    assert_eq!(world.report().islands, 1, "all touch");
    assert_eq!(world.report().islands_steady, 1, "and rest");
    (world, pebble)
}

/// Solver steps, matrices factored and failures for what is left of the pyramid until it rests again.
fn settle(world: &mut Simulation) -> [u32; 3] {
    let mut sum = [0; 3];
    for _ in 0..30 {
        let report = world.step(&light(), DT);
        // Without the pebble, where that lies by itself.
        for solve in report.solves.iter().filter(|solve| solve.bodies > 1) {
            let counts = [solve.iterations, solve.factorizations, u32::from(!solve.solved)];
            sum.iter_mut().zip(counts).for_each(|(sum, n)| *sum += n);
        }
    }
    sum
}

#[test]
fn the_rest_of_an_island_keeps_its_factor() {
    let ways: [fn(&mut Simulation, BodyId); 3] = [
        |world, pebble| _ = world.remove_body(pebble),
        |world, pebble| change(world, pebble).set_pose(Vec3::new(0.0, 90.0, 0.0), Quat::IDENTITY),
        |world, pebble| change(world, pebble).set_pose(Vec3::new(20.0, 0.125, 0.0), Quat::IDENTITY),
    ];
    for (number, part) in ways.into_iter().enumerate() {
        let (mut world, pebble) = pyramid_under_a_pebble();
        part(&mut world, pebble);
        let [steps, factors, unsolved] = settle(&mut world);
        assert!(steps > 0, "{number}: the load is another");
        assert_eq!(unsolved, 0, "{number}: all is solved");
        assert_eq!(factors, 0, "{number}: with the factor at hand, in {steps} steps");
    }
}
