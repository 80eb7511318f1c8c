//! Gears, racks, screws and pulleys: ratios, closed forms of what they accelerate, momentum and energy.

use super::*;
use orthant_lab::support::sphere;

/// Moment of inertia of the bodies here about x [kg·m²].
const I: Real = INERTIA.x;

/// A wheel about x, hinged to the world or a body at a point.
fn axle(world: &mut Simulation, carrier: Option<BodyId>, at: Vec3) -> BodyId {
    let id = weight(world, at);
    let desc = JointDesc::new(JointKind::Revolute, [carrier, Some(id)]);
    join(world, desc, at, Quat::IDENTITY);
    id
}

/// Joins two bodies with each frame at its own center, all with the axes of the world.
fn couple(world: &mut Simulation, kind: JointKind, a: BodyId, b: BodyId) -> JointId {
    world.add_joint(JointDesc::between(kind, a, b)).expect("a sound joint")
}

/// Angular velocity about x.
fn spin(world: &Simulation, id: BodyId) -> Real {
    body(world, id).angular_velocity.x
}

/// Two wheels on axles in the world share a blow by their inertia, and keep the ratio of their angles.
#[test]
fn gears_share_a_blow_and_keep_their_ratio() {
    for ratio in [2.0, 0.5, -3.0, -1.0] {
        let mut world = Simulation::new();
        let a = axle(&mut world, None, Vec3::ZERO);
        let b = axle(&mut world, None, Vec3::Y * 0.5);
        couple(&mut world, JointKind::Gear { ratio }, a, b);
        change(&mut world, a).angular_velocity = Vec3::X * 8.0;
        let mut angles: [Real; 2] = [0.0; 2];
        // Impulse c: ω_a = 8 + c / I, ω_b = ratio c / I, ω_a + ratio ω_b = 0.
        let c = -8.0 * I / (1.0 + ratio * ratio);
        for i in 0..600 {
            step(&mut world, &settings());
            angles[0] += spin(&world, a) * DT;
            angles[1] += spin(&world, b) * DT;
            near("a", spin(&world, a), 8.0 + c / I, 1e-4);
            near("b", spin(&world, b), ratio * c / I, 1e-4);
            let apart = (angles[0] + ratio * angles[1]).abs();
            // Rounding of sums of angles of up to 80 rad; and what a loop yields.
            assert!(apart < 1e-3, "step {i}, ratio {ratio}: {apart} rad");
        }
        let error = world.report().joint_error;
        assert!(error < yielded(&world, 4.0 / I * (1.0 + ratio * ratio)), "{error}");
    }
}

/// A train of wheels on a frame that floats: impulses of gears act on both wheels where they mesh, so that
/// nothing else is turned.
#[test]
fn gears_on_what_turns_keep_momentum_and_energy() {
    let mut world = Simulation::new();
    let frame = weight(&mut world, Vec3::ZERO);
    let sun = axle(&mut world, Some(frame), Vec3::ZERO);
    let planet = axle(&mut world, Some(frame), Vec3::Y * 0.6);
    let ratio = 0.5;
    couple(&mut world, JointKind::Gear { ratio }, sun, planet);
    change(&mut world, sun).angular_velocity = Vec3::X * 5.0;
    change(&mut world, frame).angular_velocity = Vec3::X * -2.0;
    change(&mut world, planet).angular_velocity = Vec3::X * -2.0;
    change(&mut world, planet).linear_velocity = (Vec3::X * -2.0).cross(Vec3::Y * 0.6);
    let told = |world: &Simulation| {
        let bodies = world.bodies().iter();
        let sums = bodies.map(|b| {
            let p = b.linear_velocity * b.mass();
            (p, b.center().cross(p).x + I * b.angular_velocity.x, b.kinetic_energy())
        });
        sums.fold((Vec3::ZERO, 0.0, 0.0), |x, y| (x.0 + y.0, x.1 + y.1, x.2 + y.2))
    };
    let (p, l, _) = told(&world);
    step(&mut world, &weightless());
    let energy = told(&world).2;
    for _ in 0..600 {
        step(&mut world, &weightless());
        let now = told(&world);
        near("momentum", (now.0 - p).length(), 0.0, 1e-4);
        near("angular momentum", now.1, l, 1e-3 * l.abs());
        near("energy", now.2, energy, 1e-3 * energy);
        // As the frame sees them.
        let carried = spin(&world, frame);
        let rates = [sun, planet].map(|id| spin(&world, id) - carried);
        near("ratio", rates[0] + ratio * rates[1], 0.0, 1e-3);
        assert!(rates[0].abs() > 0.1, "they turn");
    }
}

/// A rack that falls and turns a wheel: `a = m g / (m + I / r²)`, whatever side it is on.
#[test]
fn a_rack_turns_its_pinion() {
    for radius in [0.3, -0.3] {
        let mut world = Simulation::new();
        let pinion = axle(&mut world, None, Vec3::ZERO);
        let rack = weight(&mut world, Vec3::Z * 0.3);
        let upright = JointFrame::along(Vec3::ZERO, Vec3::Y).basis;
        let slide = JointDesc::to_world(JointKind::Prismatic, rack);
        join(&mut world, slide, Vec3::Z * 0.3, upright);
        let desc = JointDesc::between(JointKind::RackAndPinion { radius }, rack, pinion);
        let desc = desc.with_bases(upright, Quat::IDENTITY);
        world.add_joint(desc).expect("a sound joint");
        let fall = M * G / (M + I / (radius * radius));
        for n in 1..=120 {
            step(&mut world, &settings());
            let want = -fall * n as Real * DT;
            near("rack", body(&world, rack).linear_velocity.y, want, 2e-4 * want.abs());
            near("pinion", spin(&world, pinion), want / radius, 1e-3 * want.abs());
        }
    }
}

/// A nut that turns down its thread: `a = m g / (m + I (2π / lead)²)`; its angle is its way.
#[test]
fn a_screw_turns_as_it_goes() {
    for lead in [0.5, -2.0] {
        let mut world = Simulation::new();
        let nut = weight(&mut world, Vec3::ZERO);
        let upright = JointFrame::along(Vec3::ZERO, Vec3::Y).basis;
        let desc = JointDesc::to_world(JointKind::Screw { lead }, nut);
        let screw = join(&mut world, desc, Vec3::ZERO, upright);
        let pitch = lead / (2.0 * PI);
        let fall = M * G / (M + INERTIA.y / (pitch * pitch));
        for n in 1..=180 {
            step(&mut world, &settings());
            let want = -fall * n as Real * DT;
            near("speed", body(&world, nut).linear_velocity.y, want, 2e-4 * want.abs());
            let [way, angle] = [JointAxis::LinearX, JointAxis::AngularX]
                .map(|axis| joint(&world, screw).position(axis));
            near("angle", angle * pitch, way, 1e-5 + 1e-5 * way.abs());
        }
        let turns = joint(&world, screw).position(JointAxis::AngularX) / (2.0 * PI);
        assert!(turns.abs() > 1.0, "{turns} turns, counted");
    }
}

/// Weights on a rope over wheels, the second on `ratio` parts of it: `T = g (1 + r) / (1/m₁ + r²/m₂)`.
#[test]
fn a_pulley_shares_its_load() {
    for (ratio, other) in [(1.0, 3.0), (2.0, 1.0), (3.0, 3.0 * M)] {
        let mut world = Simulation::new();
        let wheels = [Vec3::Y * 20.0, Vec3::new(2.0, 20.0, 0.0)];
        let a = weight(&mut world, Vec3::ZERO);
        let desc = with_mass(Vec3::X * 2.0, Quat::IDENTITY);
        let heavy = desc.mass_properties.map(|mass| MassProperties { mass: other, ..mass });
        let desc = BodyDesc { mass_properties: heavy, ..desc };
        let b = world.add_body(desc).expect("a sound body");
        let kind = JointKind::Pulley { wheels, ratio, length: 20.0 * (1.0 + ratio) };
        couple(&mut world, kind, a, b);
        let pull = G * (1.0 + ratio) / (1.0 / M + ratio * ratio / other);
        for n in 1..=60 {
            step(&mut world, &settings());
            let time = n as Real * DT;
            near("a", body(&world, a).linear_velocity.y, (pull / M - G) * time, 2e-3);
            let want = (ratio * pull / other - G) * time;
            near("b", body(&world, b).linear_velocity.y, want, 2e-3);
        }
        assert!(world.report().joint_error < 1e-5, "{}", world.report());
        // Thrown up, it goes slack: both fall freely.
        for id in [a, b] {
            change(&mut world, id).linear_velocity = Vec3::Y * 5.0;
        }
        step(&mut world, &settings());
        near("slack", body(&world, b).linear_velocity.y, 5.0 - G * DT, 1e-5);
    }
}

#[test]
fn couplings_of_nothing_are_refused() {
    let mut world = Simulation::new();
    let [a, b] = [Vec3::ZERO, Vec3::X].map(|at| weight(&mut world, at));
    let wheels = [Vec3::Y; 2];
    for kind in [
        JointKind::Gear { ratio: 0.0 },
        JointKind::Gear { ratio: Real::NAN },
        JointKind::RackAndPinion { radius: 0.0 },
        JointKind::Screw { lead: Real::INFINITY },
        JointKind::Pulley { wheels, ratio: -1.0, length: 1.0 },
        JointKind::Pulley { wheels, ratio: 1.0, length: 0.0 },
        JointKind::Pulley { wheels: [Vec3::NAN; 2], ratio: 1.0, length: 1.0 },
    ] {
        assert!(world.add_joint(JointDesc::between(kind, a, b)).is_err(), "{kind:?}");
    }
    let gear = JointDesc::between(JointKind::Gear { ratio: 1.0 }, a, b);
    let refused = world.add_joint(gear.with_limit(JointAxis::AngularX, 0.0, 1.0));
    assert!(refused.is_err(), "a gear has no limits");
}

/// A car on four driven wheels: springs carry the chassis, and torques give it the acceleration of what rolls
/// without slipping, `4 T/r = (m_c + 4 m_w + 4 I_w/r²) a`.
#[test]
fn a_car_on_driven_wheels_sags_and_accelerates_as_it_must() {
    let (stiffness, damping, torque, radius) = (20_000.0, 3_000.0, 60.0, 0.4);
    let mut world = Simulation::new();
    add(&mut world, BodyKind::Static, cuboid(400.0, 2.0, 400.0), Vec3::NEG_Y);
    let (heavy, light) = (800.0, 20.0);
    let solid = |mass: Real, inertia: Vec3, position: Vec3| {
        let inertia = SymMat3::diagonal(inertia);
        let mass = MassProperties { mass, center_of_mass: Vec3::ZERO, inertia };
        BodyDesc { position, mass_properties: Some(mass), ..BodyDesc::default() }
    };
    let chassis = solid(heavy, Vec3::new(900.0, 1000.0, 300.0), Vec3::Y * radius);
    let chassis = world.add_body(chassis).expect("a sound body");
    let inertia = 0.4 * light * radius * radius;
    let mut wheels = Vec::new();
    for (x, z) in [(-1.0, -1.5), (1.0, -1.5), (-1.0, 1.5), (1.0, 1.5)] {
        let at = Vec3::new(x, radius, z);
        let ball = solid(light, Vec3::splat(inertia), at);
        let ball = BodyDesc { shape: Some(sphere(radius)), ..ball };
        let wheel = world.add_body(ball).expect("a sound body");
        let mut desc = JointDesc::between(JointKind::Generic, chassis, wheel);
        for axis in
            [JointAxis::LinearX, JointAxis::LinearZ, JointAxis::AngularY, JointAxis::AngularZ]
        {
            desc = desc.with_limit(axis, 0.0, 0.0);
        }
        let desc = desc
            .with_limit(JointAxis::LinearY, -0.3, 0.3)
            .with_motor(JointAxis::LinearY, Motor::spring(0.0, stiffness, damping));
        wheels.push((wheel, join(&mut world, desc, at, Quat::IDENTITY)));
    }
    for _ in 0..240 {
        step(&mut world, &settings());
    }
    let sag = radius - body(&world, chassis).position().y;
    near("sag", sag, heavy * G / (4.0 * stiffness), 1e-4);
    let speed = body(&world, chassis).linear_velocity.length();
    near("stands", speed, 0.0, 1e-4);
    for (_, id) in &wheels {
        let mut desc = *joint(&world, *id).desc();
        desc.motors[3] = Some(Motor::velocity(1000.0, torque));
        world.set_joint(*id, desc).expect("a sound joint");
    }
    for _ in 0..60 {
        step(&mut world, &settings());
    }
    let mass = heavy + 4.0 * (light + inertia / (radius * radius));
    let want = 4.0 * torque / radius / mass;
    let speed = body(&world, chassis).linear_velocity.z;
    near("after a second", speed, want, 5e-3 * want);
    for (id, _) in wheels {
        let wheel = body(&world, id);
        near("rolls", wheel.linear_velocity.z, wheel.angular_velocity.x * radius, 1e-3);
    }
}
