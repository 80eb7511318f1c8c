//! Fast bodies: what the step does with paths that are longer than the bodies.
//!
//! Without sweeping, pairs that the step could bring together have rows of planes between them, however
//! far apart: nothing goes through in a straight line, but planes reach beyond what they belong to, so
//! that much of what flies past is deflected, a hit far from the middle of a wall can slide on past its
//! edge, and rods that turn by many degrees a step get through thin floors. Swept bodies meet what is on
//! their path, where it is, and nothing else.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::report::StepStatus;
use orthant::math::{Double, Real, Vec3, quat_exp, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::fast::{
    RADIUS, SPEED, ball, bullet, ground, shot, thin_floor, weightless,
};
use orthant_lab::support::{self, DT, add, body, cuboid, fingerprint, settings};

#[test]
fn a_swept_bullet_never_goes_through_a_thin_wall() {
    for size in [1.0, 10.0] {
        let mut rng = Rng::new(5);
        for case in 0..300 {
            let mut world = Simulation::new();
            add(&mut world, BodyKind::Static, cuboid(size, size, 0.01), Vec3::ZERO);
            let half = 0.5 * size;
            let aim = rng.vector(-half, half);
            let (id, velocity) = shot(&mut world, &mut rng, true, Vec3::new(aim.x, aim.y, 0.0));
            // Where its path comes to the wall: near the edge it may slide off.
            let entry = aim - velocity * ((0.005 + RADIUS) / -velocity.z);
            if entry.x.abs().max(entry.y.abs()) > half - RADIUS {
                continue;
            }
            let mut energy = body(&world, id).kinetic_energy();
            for step in 0..10 {
                world.step(&weightless(), DT);
                let bullet = body(&world, id);
                let depth = 0.005 + RADIUS - bullet.center().z;
                assert!(depth < 1e-4, "case {case}, step {step}: {depth} m into the wall");
                let now = bullet.kinetic_energy();
                assert!(now <= energy * 1.00001, "case {case}: from {energy} to {now} J");
                energy = now;
                assert_eq!(world.report().status, StepStatus::Solved, "case {case}");
            }
            let bullet = body(&world, id).linear_velocity;
            assert!(bullet.z.abs() < 1e-2, "case {case}: it is stopped: {bullet}");
        }
    }
}

#[test]
fn a_bullet_hits_a_wide_wall_without_sweeping_too() {
    let mut rng = Rng::new(6);
    for case in 0..200 {
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, cuboid(40.0, 40.0, 0.01), Vec3::ZERO);
        let aim = rng.vector(-5.0, 5.0);
        let (id, _) = shot(&mut world, &mut rng, false, Vec3::new(aim.x, aim.y, 0.0));
        for _ in 0..4 {
            world.step(&weightless(), DT);
        }
        let height = body(&world, id).center().z - 0.005 - RADIUS;
        assert!(height.abs() < 1e-4, "case {case}: it slides along the wall, {height} m off");
    }
}

#[test]
fn what_flies_past_a_wall_keeps_its_velocity() {
    let mut rng = Rng::new(7);
    for case in 0..200 {
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 0.01), Vec3::ZERO);
        // Its lower side passes 1 cm above the top edge.
        let over = Vec3::new(rng.range(-0.4, 0.4), 0.5 + 0.01 + RADIUS, 0.0);
        let velocity = Vec3::new(rng.range(-0.8, 0.8), 0.0, -1.0).normalize() * SPEED;
        let from = over - velocity * (rng.range(1.0, 12.0) / SPEED);
        // Against gravity, for which it would need to aim.
        let desc = BodyDesc {
            shape: Some(ball(RADIUS)),
            position: from,
            linear_velocity: velocity,
            angular_velocity: rng.vector(-100.0, 100.0),
            gravity_scale: if case % 2 == 0 { 0.0 } else { 0.1 },
            swept: true,
            ..BodyDesc::default()
        };
        let (spin, scale) = (desc.angular_velocity, desc.gravity_scale);
        let id = world.add_body(desc).expect("a bullet");
        for _ in 0..5 {
            world.step(&settings(), DT);
        }
        let fall = Vec3::new(0.0, -9.81 * scale * 5.0 * DT, 0.0);
        let change = body(&world, id).linear_velocity - velocity - fall;
        assert!(change.length() < 1e-5 * SPEED, "case {case}: deflected by {change}");
        let change = body(&world, id).angular_velocity - spin;
        assert!(change.length() < 1e-3, "case {case}: spin changed by {change}");
    }
}

#[test]
fn bullets_that_meet_hit_and_others_pass() {
    let mut rng = Rng::new(8);
    let (mut hits, mut passes) = (0, 0);
    for case in 0..400 {
        let mut world = Simulation::new();
        let direction = if case % 2 == 0 { -Vec3::X } else { rng.vector(-1.0, 1.0).normalize() };
        let (v, w) = (Vec3::X * SPEED, direction * SPEED);
        let time = rng.range(0.2, 2.8) * DT;
        let aside = (w - v).cross(rng.vector(-1.0, 1.0)).normalize() * rng.range(0.0, 0.02);
        let a = bullet(&mut world, true, -v * time, v);
        let b = bullet(&mut world, true, aside - w * time, w);
        let mass = body(&world, a).mass();
        let mut energy = widen(mass * SPEED * SPEED);
        for _ in 0..5 {
            world.step(&weightless(), DT);
            let now = world.report().kinetic_energy;
            assert!(now < energy * 1.00001, "case {case}: {energy} J became {now} J");
            energy = now;
        }
        let [x, y] = [a, b].map(|id| body(&world, id).linear_velocity);
        let lost = (x + y - v - w).length();
        assert!(lost < 1e-3, "case {case}: momentum {lost} m/s");
        let change = (x - v).length();
        if aside.length() < 1.98 * RADIUS {
            hits += 1;
            assert!(change > 0.1, "case {case}: went through, {} m aside", aside.length());
        } else if aside.length() > 2.02 * RADIUS {
            passes += 1;
            assert!(change < 1e-5 * SPEED, "case {case}: deflected by {change} m/s");
        }
    }
    assert!(hits > 100 && passes > 100, "{hits} hits, {passes} passes");
}

#[test]
fn nothing_bumps_over_flat_ground() {
    let round = (ball(RADIUS), RADIUS);
    let cube = (cuboid(0.5, 0.5, 0.5), 0.25);
    for (swept, kind) in [(true, 0), (true, 1), (true, 2), (true, 3), (false, 0), (false, 2)] {
        for (shape, half) in [round.clone(), cube.clone()] {
            for slides in [false, true] {
                let mut world = ground(kind);
                let what = format!("swept {swept}, ground {kind}, half {half}, slides {slides}");
                let velocity = if slides { Vec3::new(100.0, 0.0, 1.0) } else { Vec3::X * SPEED };
                let desc = BodyDesc {
                    shape: Some(shape.clone()),
                    density: 1000.0,
                    friction: 0.0,
                    position: Vec3::new(0.13, half + if slides { 0.0 } else { 0.002 }, 0.1),
                    rotation: quat_exp(Vec3::Y * 0.3),
                    linear_velocity: velocity,
                    gravity_scale: if slides { 1.0 } else { 0.0 },
                    swept,
                    ..BodyDesc::default()
                };
                let height = desc.position.y;
                let id = world.add_body(desc).expect("a body");
                let ground = world.bodies().iter().map(Body::id).filter(|&i| i != id);
                for i in ground.collect::<Vec<_>>() {
                    let body = world.body_mut(i).expect("a tile");
                    let mut material = body.colliders().list()[0].material;
                    material.friction = 0.0;
                    body.set_material(0, material).expect("a number");
                }
                for _ in 0..if slides { 80 } else { 28 } {
                    world.step(&settings(), DT);
                    let body = body(&world, id);
                    let change = body.linear_velocity - velocity;
                    assert!(change.length() < 1e-3, "{what}: bumped by {change} m/s");
                    let off = body.center().y - height;
                    assert!(off.abs() < 1e-4, "{what}: {off} m off");
                    assert!(world.report().overlap < 1e-4, "{what}: {}", world.report().overlap);
                }
                let way = body(&world, id).center().x - 0.13;
                let want = if slides { 80.0 * 100.0 } else { 28.0 * SPEED } * DT;
                assert!((way - want).abs() < 1e-2, "{what}: {way} m instead of {want}");
            }
        }
    }
}

#[test]
fn spinning_rods_stay_above_a_thin_floor() {
    for half_space in [false, true] {
        let mut rng = Rng::new(6);
        for case in 0..60 {
            let mut world = if half_space { support::floor() } else { thin_floor() };
            let spin = Vec3::new(0.0, rng.range(-60.0, 60.0), rng.range(-60.0, 60.0));
            let desc = BodyDesc {
                shape: Some(cuboid(2.0, 0.02, 0.02)),
                density: 7800.0,
                position: Vec3::new(0.0, rng.range(1.1, 2.0), 0.0),
                rotation: rng.rotation(),
                linear_velocity: Vec3::new(0.0, rng.range(-20.0, 0.0), 0.0),
                angular_velocity: spin,
                swept: true,
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).expect("a rod");
            let energy = |rod: &Body| {
                widen(rod.kinetic_energy()) + widen(rod.mass() * 9.81 * rod.center().y)
            };
            let mut before: Double = energy(body(&world, id));
            for step in 0..120 {
                world.step(&settings(), DT);
                let rod = body(&world, id);
                let low = rod.center().y - (rod.rotation_matrix() * Vec3::X).y.abs();
                // Where it touches the axis is above the floor, but for what counts as touching.
                let zone = settings().contact.dead_zone * DT * DT;
                assert!(low > -zone, "case {case}, step {step}: an end is at {low} m");
                let now = energy(rod);
                // No blow gives energy: what a law of blows may be off by, for each step.
                assert!(now < before * 1.0001, "case {case}: {before} J became {now} J");
                before = now;
            }
        }
    }
}

#[test]
fn a_ball_that_is_knocked_on_stops_at_the_wall() {
    for gap in [0.05, 0.2] {
        for swept in [false, true] {
            let mut world = Simulation::new();
            add(&mut world, BodyKind::Static, cuboid(0.01, 2.0, 2.0), Vec3::ZERO);
            let at = Vec3::new(-gap - 0.025, 0.0, 0.0);
            let desc = BodyDesc {
                shape: Some(ball(0.02)),
                position: at,
                density: 1000.0,
                swept: true,
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).expect("a ball");
            let bat = BodyDesc {
                shape: Some(cuboid(0.1, 0.1, 0.1)),
                density: 7000.0,
                position: at - Vec3::X * 0.32,
                linear_velocity: Vec3::X * 60.0,
                swept,
                ..BodyDesc::default()
            };
            world.add_body(bat).expect("a bat");
            for step in 0..30 {
                world.step(&weightless(), DT);
                let x = body(&world, id).center().x;
                assert!(x < -0.015, "gap {gap}, bat swept {swept}, step {step}: ball at {x}");
            }
        }
    }
}

#[test]
fn a_swept_body_of_several_colliders_hits_with_each() {
    let mut world = Simulation::new();
    add(&mut world, BodyKind::Static, cuboid(0.01, 1.0, 1.0), Vec3::ZERO);
    let arm = |y: Real| Collider { position: Vec3::Y * y, ..Collider::new(ball(0.02)) };
    let desc = BodyDesc {
        colliders: vec![arm(-0.4), arm(0.4)],
        position: Vec3::new(-3.0, 0.6, 0.0),
        linear_velocity: Vec3::X * SPEED,
        density: 1000.0,
        swept: true,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a dumbbell");
    world.step(&weightless(), DT);
    let center = body(&world, id).center();
    assert!((center.x + 0.025).abs() < 1e-3, "the lower ball stops at the wall: {center}");
    // The dumbbell turns by many degrees a step about the ball that is held, in parts clear of the wall.
    let mut spin: Real = 0.0;
    for _ in 0..20 {
        world.step(&weightless(), DT);
        spin = spin.max(-body(&world, id).angular_velocity.z);
    }
    assert!(spin > 100.0, "the upper one goes on: {spin} rad/s");
}

#[test]
fn sweeping_keeps_determinism_and_clones() {
    let (mut world, ids) = support::heap(16);
    for &id in &ids {
        let body = world.body_mut(id).expect("a body");
        body.swept = true;
        body.linear_velocity.y -= 40.0;
    }
    let mut copy = world.clone();
    for step in 0..120 {
        world.step(&settings(), DT);
        if step == 40 {
            copy = world.clone();
        } else if step > 40 {
            copy.step(&settings(), DT);
        }
    }
    assert_eq!(fingerprint(&world), fingerprint(&copy), "a clone continues as the original does");
    let low = ids.iter().map(|&id| body(&world, id).center().y).fold(Real::INFINITY, Real::min);
    assert!(low > 0.0, "the heap lies on the floor: {low}");
}
