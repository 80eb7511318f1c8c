//! Motors, springs and friction of hinges and slides, by their exact discrete answers.

use super::*;

/// A wheel about its x axis.
pub(super) fn wheel(edit: impl Fn(JointDesc) -> JointDesc) -> (Simulation, JointId) {
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::ZERO);
    let desc = edit(JointDesc::to_world(JointKind::Revolute, id));
    let joint_id = join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
    (world, joint_id)
}

#[test]
fn a_hinge_stops_at_its_limit_after_three_turns() {
    let motor = Motor::velocity(12.0, 5.0);
    let limit = 6.0 * PI;
    let (mut world, id) = wheel(|desc| {
        let desc = desc.with_motor(JointAxis::AngularX, motor);
        desc.with_limit(JointAxis::AngularX, -1.0, limit)
    });
    let mut copy = world.clone();
    for i in 0..240 {
        step(&mut world, &settings());
        if i == 90 {
            copy = world.clone();
            assert!(joint(&copy, id).position(JointAxis::AngularX) > 4.0 * PI, "two turns");
        }
        let at = joint(&world, id).position(JointAxis::AngularX);
        assert!(at < limit + 1e-3, "step {i}: {at}");
    }
    let at = joint(&world, id).position(JointAxis::AngularX);
    near("at the limit", at, limit, 1e-3);
    let torque = joint(&world, id).reaction().1;
    near("motor and limit in balance", torque.x, 0.0, 1e-3);
    for _ in 91..240 {
        step(&mut copy, &settings());
    }
    let again = joint(&copy, id).position(JointAxis::AngularX);
    assert_eq!(at, again, "a clone counts on");
    // Then it goes back.
    let mut desc = *joint(&world, id).desc();
    desc.motors[3] = Some(Motor::velocity(-12.0, 5.0));
    world.set_joint(id, desc).expect("a sound joint");
    for _ in 0..240 {
        step(&mut world, &settings());
    }
    near("at the other", joint(&world, id).position(JointAxis::AngularX), -1.0, 1e-3);
}

#[test]
fn a_fast_wheel_counts_its_turns() {
    let (mut world, id) = wheel(|desc| desc);
    let body = world.bodies().iter().next().expect("the wheel").id();
    change(&mut world, body).angular_velocity = Vec3::X * 500.0;
    for _ in 0..60 {
        step(&mut world, &settings());
    }
    // More than half a turn a step.
    near("500 rad", joint(&world, id).position(JointAxis::AngularX), 500.0, 0.05);
    near("500 rad/s", joint(&world, id).velocity(JointAxis::AngularX), 500.0, 1e-3);
}

/// A carriage that slides and turns: all axes are told at once as each is by itself, and as it moves.
#[test]
fn all_axes_are_told_as_each_is() {
    let mut world = Simulation::new();
    let body = weight(&mut world, Vec3::ZERO);
    let desc = JointDesc::to_world(JointKind::Cylindrical, body);
    let id = join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
    let (slide, turn): (Real, Real) = (2.0, 3.0);
    change(&mut world, body).linear_velocity = Vec3::X * slide;
    change(&mut world, body).angular_velocity = Vec3::X * turn;
    for _ in 0..30 {
        step(&mut world, &weightless());
    }
    let joint = joint(&world, id);
    let (positions, velocities) = (joint.positions(), joint.velocities());
    for (k, axis) in JointAxis::ALL.into_iter().enumerate() {
        let speed = [slide, 0.0, 0.0, turn, 0.0, 0.0][k];
        near("position", positions[k], 0.5 * speed, 1e-4);
        near("velocity", velocities[k], speed, 1e-4);
        assert_eq!(positions[k], joint.position(axis), "position of {axis:?}");
        assert_eq!(velocities[k], joint.velocity(axis), "velocity of {axis:?}");
    }
}

#[test]
fn a_motor_turns_a_wheel_up_to_its_speed() {
    for direction in [1.0, -1.0] {
        let (torque, target): (Real, Real) = (0.9, 7.0 * direction);
        let motor = Motor::velocity(target, torque);
        let (mut world, id) = wheel(|desc| desc.with_motor(JointAxis::AngularX, motor));
        let gain = DT * torque / INERTIA.x;
        for i in 1..=200 {
            step(&mut world, &settings());
            let want = (gain * i as Real).min(7.0) * direction;
            let got = joint(&world, id).velocity(JointAxis::AngularX);
            near(&format!("speed after step {i}"), got, want, 1e-4 * 7.0);
        }
    }
}

/// Spring, damper and a constant force in double precision: by the θ rule, the midpoint rule but for what is
/// faster than the step; without a spring the motion itself.
fn sprung(x: &mut f64_, v: &mut f64_, spring: [f64_; 3], force: f64_) {
    let [k, d, rest] = spring;
    let (h, m) = (1.0 / 60.0, f64_::from(2.0_f32));
    let (delta, gain) = (h * d / m, h * force / m);
    if k == 0.0 && d > 0.0 {
        let mean = -(-delta).exp_m1() / delta;
        *x += h * (mean * *v + gain * (1.0 - mean) / delta);
        *v += -delta * mean * *v + mean * gain;
        return;
    }
    let fast = (h * h * k / m).max(delta);
    let part = if fast > 1.0 { 1.0 - 0.5 / fast } else { 0.5 };
    let pull = h * (d + part * h * k) / m;
    let start = h * k * (*x - rest) / m;
    let mean = (*v + part * (gain - start)) / (1.0 + part * pull);
    *v += gain - start - pull * mean;
    *x += h * mean;
}

#[allow(non_camel_case_types, reason = "a number that is always in double precision")]
type f64_ = orthant::math::Double;

#[test]
fn springs_follow_the_midpoint_rule_at_any_stiffness() {
    for stiffness in [0.0, 3.0, 200.0, 1e5, 1e9] {
        for damping in [0.0, 1.5, 400.0] {
            let motor = Motor::spring(0.3, stiffness, damping);
            let mut world = Simulation::new();
            let id = weight(&mut world, Vec3::ZERO);
            let desc = JointDesc::to_world(JointKind::Prismatic, id);
            let desc = desc.with_motor(JointAxis::LinearX, motor);
            let basis = JointFrame::along(Vec3::ZERO, Vec3::NEG_Y).basis;
            let id = join(&mut world, desc, Vec3::ZERO, basis);
            let (mut x, mut v): (f64_, f64_) = (0.0, 0.0);
            let spring = [stiffness, damping, 0.3].map(orthant::math::widen);
            for i in 1..=120 {
                step(&mut world, &settings());
                let before = v;
                sprung(&mut x, &mut v, spring, orthant::math::widen(M * G));
                let what = format!("k = {stiffness}, d = {damping}, step {i}");
                let got = joint(&world, id).position(JointAxis::LinearX);
                let size = orthant::math::narrow(x.abs()).max(1.0);
                near(&what, got, orthant::math::narrow(x), 1e-4 * size);
                if stiffness <= 200.0 {
                    let force = joint(&world, id).reaction().0.y;
                    let push = M * G - M * orthant::math::narrow((v - before) * 60.0);
                    near(&what, force, push, 1e-4 * push.abs().max(M * G));
                }
            }
        }
    }
}

#[test]
fn friction_of_a_slide_holds_or_brakes() {
    for (friction, falls) in [(M * G * 1.01, 0.0), (M * G * 0.4, 0.6 * G)] {
        let mut world = Simulation::new();
        let id = weight(&mut world, Vec3::ZERO);
        let desc = JointDesc::to_world(JointKind::Prismatic, id);
        let desc = desc.with_friction(JointAxis::LinearX, friction);
        let basis = JointFrame::along(Vec3::ZERO, Vec3::NEG_Y).basis;
        let id = join(&mut world, desc, Vec3::ZERO, basis);
        for _ in 0..60 {
            step(&mut world, &settings());
        }
        near("speed", joint(&world, id).velocity(JointAxis::LinearX), falls, 2e-4 * G);
        let want = friction.min(M * G);
        near("friction", joint(&world, id).reaction().0.y, want, 1e-3 * want);
    }
}

/// A spring between two bodies along the line of their anchors keeps their center.
#[test]
fn a_distance_joint_carries_a_spring() {
    let mut world = Simulation::new();
    let ids = [-0.8, 0.8].map(|x| weight(&mut world, Vec3::X * x));
    let kind = JointKind::Distance { min: 0.0, max: Real::INFINITY };
    let desc = JointDesc::between(kind, ids[0], ids[1]);
    let desc = desc.with_motor(JointAxis::LinearX, Motor::spring(1.0, 50.0, 8.0));
    let id = world.add_joint(desc).expect("a sound joint");
    let (mut x, mut v): (f64_, f64_) = (1.6, 0.0);
    for i in 1..=240 {
        step(&mut world, &weightless());
        // Of half the mass.
        sprung(&mut x, &mut v, [100.0, 16.0, 1.0], 0.0);
        let length = joint(&world, id).position(JointAxis::LinearX);
        near(&format!("length after step {i}"), length, orthant::math::narrow(x), 1e-4);
    }
    let center = body(&world, ids[0]).position() + body(&world, ids[1]).position();
    assert!(center.length() < 1e-5, "the center stays: {center}");
}

/// A weight on a soft spring along y, spun about x by a motor that gives its largest torque: each row alone
/// has a closed form, and they share a body only.
#[test]
fn a_spring_carries_while_a_motor_turns_at_its_largest_torque() {
    let (stiffness, damping, torque) = (2000.0, 200.0, 5.0);
    let mut world = Simulation::new();
    let id = weight(&mut world, Vec3::ZERO);
    let mut desc = JointDesc::to_world(JointKind::Generic, id);
    for axis in [JointAxis::LinearX, JointAxis::LinearZ, JointAxis::AngularY, JointAxis::AngularZ] {
        desc = desc.with_limit(axis, 0.0, 0.0);
    }
    let desc = desc
        .with_motor(JointAxis::LinearY, Motor::spring(0.0, stiffness, damping))
        .with_motor(JointAxis::AngularX, Motor::velocity(torque / INERTIA.x * 10.0, torque));
    join(&mut world, desc, Vec3::ZERO, Quat::IDENTITY);
    for i in 1..=120 {
        step(&mut world, &settings());
        let spin = body(&world, id).angular_velocity.x;
        near("spin", spin, torque / INERTIA.x * DT * i as Real, 1e-3);
    }
    near("sag", body(&world, id).position().y, -M * G / stiffness, 1e-5);
    near("rests on it", body(&world, id).linear_velocity.y, 0.0, 1e-5);
}

/// Springs side by side, at angles, of any stiffness, carry together, and come to rest in a fall's time.
#[test]
fn many_springs_on_a_body_carry_together() {
    for stiffness in [100.0, 1e4, 1e6, 1e9] {
        let mut world = Simulation::new();
        let id = weight(&mut world, Vec3::ZERO);
        for k in 0..8 {
            let desc = JointDesc::to_world(JointKind::Generic, id);
            let desc = [JointAxis::LinearX, JointAxis::LinearY, JointAxis::LinearZ]
                .into_iter()
                .fold(desc, |desc, axis| {
                    // Critically damped, all together.
                    let damping = (stiffness * M / 2.0).sqrt();
                    desc.with_motor(axis, Motor::spring(0.0, stiffness, damping))
                });
            let lock = |desc: JointDesc, axis| desc.with_limit(axis, 0.0, 0.0);
            let turns = [JointAxis::AngularX, JointAxis::AngularY, JointAxis::AngularZ];
            let desc = if k == 0 { turns.into_iter().fold(desc, lock) } else { desc };
            join(&mut world, desc, Vec3::ZERO, quat_exp(Vec3::new(0.3, 0.5, -0.2) * k as Real));
        }
        change(&mut world, id).linear_velocity = Vec3::new(1.0, 2.0, 3.0);
        for _ in 0..240 {
            step(&mut world, &settings());
        }
        near("sag", body(&world, id).position().y, -M * G / (8.0 * stiffness), 1e-4);
        near("at rest", body(&world, id).linear_velocity.length(), 0.0, 1e-3);
    }
}
