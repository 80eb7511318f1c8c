//! Joints that close loops, or repeat each other.

use orthant::math::{narrow, widen};

use super::*;

/// A door on three hinges, and a bar on four parallel cranks: rows that repeat each other.
#[test]
fn redundant_joints_are_solved() {
    // At arms of a meter, of both ends.
    let least = INERTIA.x.min(INERTIA.y).min(INERTIA.z);
    let compliance = 2.0 * (1.0 / M + 1.0 / least);
    let mut world = Simulation::new();
    let door = weight(&mut world, Vec3::new(0.5, 0.0, 0.0));
    let upright = JointFrame::along(Vec3::ZERO, Vec3::Y).basis;
    let mut hinges = Vec::new();
    for y in [-0.8, 0.1, 0.9] {
        let desc = JointDesc::to_world(JointKind::Revolute, door);
        hinges.push(join(&mut world, desc, Vec3::Y * y, upright));
    }
    change(&mut world, door).angular_velocity = Vec3::Y * 3.0;
    change(&mut world, door).linear_velocity = Vec3::new(0.0, 0.0, -1.5);
    for _ in 0..240 {
        step(&mut world, &settings());
        let error = world.report().joint_error;
        assert!(error < yielded(&world, compliance), "door: {error}");
    }
    let sum: Vec3 = hinges.iter().map(|&id| joint(&world, id).reaction().0).sum();
    near("three hinges carry it", sum.y, M * G, 2e-3 * M * G);
    let speed = body(&world, door).angular_velocity.y;
    near("and let it turn", speed, 3.0, 0.03);

    let mut world = Simulation::new();
    let bar = weight(&mut world, Vec3::new(0.0, 1.0, 0.0));
    let axis = JointFrame::along(Vec3::ZERO, Vec3::Z).basis;
    for x in [-1.0, -0.3, 0.4, 1.0] {
        let crank = weight(&mut world, Vec3::new(x, 0.5, 0.0));
        let desc = JointDesc::to_world(JointKind::Revolute, crank);
        join(&mut world, desc, Vec3::X * x, axis);
        let desc = JointDesc::between(JointKind::Revolute, crank, bar);
        join(&mut world, desc, Vec3::new(x, 1.0, 0.0), axis);
        change(&mut world, crank).angular_velocity = Vec3::Z * -1.0;
    }
    change(&mut world, bar).linear_velocity = Vec3::X;
    for _ in 0..180 {
        step(&mut world, &settings());
        let (error, most) = (world.report().joint_error, yielded(&world, compliance));
        assert!(error < most, "cranks: {error}");
        // Two joints at each end are off. Where cranks are level with the bar its tilt changes lengths by
        // half its square.
        let tilt = body(&world, bar).rotation();
        let most = (4.0 * widen(most)).sqrt();
        assert!(widen(tilt.z.abs()) < 0.5 * most, "the bar stays level: {tilt}");
    }
}

/// Bricard's linkage: a ring of six hinges at right angles that moves although its rows say that it does not.
fn ring(dt: Real) -> [Real; 4] {
    let mut world = Simulation::new();
    let ways = [Vec3::X, -Vec3::Y, Vec3::Z, -Vec3::X, Vec3::Y, -Vec3::Z];
    let mut at = Vec3::ZERO;
    let mut links = Vec::new();
    for way in &ways[..5] {
        links.push(weight(&mut world, at + *way * 0.5));
        at += *way;
    }
    let ends = |i: usize| links.get(i).copied();
    let mut at = Vec3::ZERO;
    for i in 0..6 {
        let before = if i == 0 { None } else { ends(i - 1) };
        let desc = JointDesc::new(JointKind::Revolute, [before, ends(i)]);
        let axis = ways[(i + 5) % 6].cross(ways[i]);
        join(&mut world, desc, at, JointFrame::along(Vec3::ZERO, axis).basis);
        at += ways[i];
    }
    let kinetic = |world: &Simulation| world.bodies().iter().map(|b| b.kinetic_energy()).sum();
    let height = |world: &Simulation| -> Real {
        world.bodies().iter().map(|b| M * G * b.position().y).sum()
    };
    let start = height(&world);
    let (mut moved, mut worst, mut energy): (Real, Real, Real) = (0.0, 0.0, 0.0);
    for _ in 0..(4.0 / dt) as usize {
        let status = world.step(&settings(), dt).status;
        assert_eq!(status, StepStatus::Solved, "{}", world.report());
        worst = worst.max(world.report().joint_error);
        let far = body(&world, links[2]).position() - Vec3::new(1.0, -1.0, 0.5);
        moved = moved.max(far.length());
        energy = energy.max(kinetic(&world));
    }
    [moved, worst, energy, kinetic(&world) + height(&world) - start]
}

#[test]
fn a_ring_of_six_hinges_moves() {
    let coarse = ring(DT);
    let fine = ring(DT / 4.0);
    // A step that is told solved leaves ten tolerances times its length along each axis, beside the rounding
    // of both places. Locks in loops yield by a millionth of what their loads would do in the step: of the
    // weight of five links, five times that of a link that swings through from two meters above.
    let left = |dt: Real| {
        let tolerance = settings().solver.tolerance_at(widen(dt)) * widen(dt);
        let yields = 1e-6 * 5.0 * 5.0 * widen(G) * widen(dt) * widen(dt);
        narrow(3.0_f64.sqrt() * (10.0 * tolerance + yields)) + 4.0 * orthant::math::EPSILON * 3.0
    };
    for ([moved, worst, highest, change], dt) in [(coarse, DT), (fine, DT / 4.0)] {
        assert!(moved > 1.5, "it moves: {moved} m");
        assert!(worst < left(dt), "joint error {worst}");
        assert!(change.abs() < 0.05 * highest, "energy changes by {change} of {highest} J");
    }
    // Of the second order, down to what steps that are solved to the tolerance sum to: each may change
    // the momentum of the ring by M tolerance, one way or the other.
    let (steps, speed) = (4.0 / (DT / 4.0), (2.0 * coarse[2] / (5.0 * M)).sqrt());
    let noise = steps.sqrt() * 5.0 * M * speed * narrow(settings().solver.tolerance);
    assert!(fine[3].abs() < (0.4 * coarse[3].abs()).max(noise), "{fine:?} after {coarse:?}");
}
