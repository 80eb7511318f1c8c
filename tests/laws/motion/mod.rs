//! Laws of motion with their exact discrete answers, one world each.

mod calls;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyError, BodyId, BodyKind, LockedAxes};
use orthant::engine::collider::Material;
use orthant::engine::joint::{JointDesc, JointError, JointKind};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{PI, Quat, Real, Vec3, narrow, quat_exp, quat_rotate, sin, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::{self, DT, add, add_floor, cuboid, floor, heap, run_with, stack};

const G: Real = 9.81;
const DOUBLE: bool = size_of::<Real>() == 8;

/// The default settings; in double precision with a tolerance that lets its digits show.
fn settings() -> Settings {
    let mut settings = Settings::default();
    if DOUBLE {
        settings.solver.tolerance = 1e-10;
    }
    settings
}

fn run(world: &mut Simulation, n: usize) {
    run_with(world, n, &settings());
}

/// A tolerance in single precision, and in double.
fn tolerance(single: Real, double: Real) -> Real {
    if DOUBLE { double } else { single }
}

#[track_caller]
fn assert_near(what: &str, got: Real, want: Real, tolerance: Real) {
    assert!((got - want).abs() <= tolerance, "{what}: {got} instead of {want} ± {tolerance}");
}

#[track_caller]
fn body(world: &Simulation, id: BodyId) -> &orthant::engine::body::Body {
    world.body(id).expect("the body is there")
}

#[test]
fn free_fall_is_exact() {
    let mut world = Simulation::new();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 2.0, 3.0), Vec3::ZERO);
    run(&mut world, 60);
    assert_near("speed", body(&world, id).linear_velocity.y, -G, tolerance(1e-4, 1e-12));
    let fallen = -G * 0.5;
    assert_near("height", body(&world, id).center().y, fallen, tolerance(1e-4, 1e-12));
}

#[test]
fn a_box_lands_flat_and_rests() {
    let mut world = floor();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 1.5, 0.0));
    run(&mut world, 120);
    assert_near("height", body(&world, id).center().y, 0.5, tolerance(1e-5, 1e-9));
    assert!(body(&world, id).linear_velocity.length() < 1e-4, "it rests");
    assert_eq!(world.report().contacts, 4, "on four corners");
    let up: Real = world.contacts().map(|contact| contact.impulse.y).sum();
    assert_near("impulse carries the weight", up, G * DT, 1e-4);
    assert_eq!(world.report().status, StepStatus::Solved, "certified");
}

#[test]
fn sliding_stops_where_coulomb_says() {
    let mut world = floor();
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 1.0, 1.0)),
        position: Vec3::new(0.0, 0.5, 0.0),
        linear_velocity: Vec3::new(3.0, 0.0, 1.0),
        friction: 0.5,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let (mut speed, mut path) = ((10.0 as Real).sqrt(), 0.0);
    for _ in 0..60 {
        speed = (speed - 0.5 * G * DT).max(0.0);
        path += speed * DT;
    }
    run(&mut world, 60);
    let want = Vec3::new(3.0, 0.0, 1.0).normalize() * path;
    let got = body(&world, id).center();
    assert_near("x", got.x, want.x, tolerance(1e-3, 2e-4));
    assert_near("z", got.z, want.z, tolerance(1e-3, 2e-4));
    assert!(body(&world, id).linear_velocity.length() < 1e-4, "it has stopped");
}

#[test]
fn a_ball_rolls_without_slipping() {
    let mut world = Simulation::new();
    let angle: Real = 0.2;
    let normal = quat_rotate(quat_exp(Vec3::new(0.0, 0.0, -angle)), Vec3::Y);
    let plane = Shape::half_space(normal).expect("a direction");
    add(&mut world, BodyKind::Static, plane, Vec3::ZERO);
    let ball = Shape::sphere(0.5).expect("a ball");
    let id = add(&mut world, BodyKind::Dynamic, ball, normal * 0.5);
    run(&mut world, 60);
    let want = 5.0 / 7.0 * G * sin(angle);
    assert_near("speed", body(&world, id).linear_velocity.length(), want, 1e-3);
    let spin = body(&world, id).angular_velocity.length();
    assert_near("spin", spin * 0.5, want, 1e-3);
}

#[test]
fn shapes_rest_on_the_right_number_of_points() {
    let lying = quat_exp(Vec3::new(0.0, 0.0, PI / 2.0));
    let shapes = [
        (Shape::sphere(0.5), Quat::IDENTITY, 0.5, 1),
        (Shape::capsule(0.25, 1.0), lying, 0.25, 2),
        (Shape::cuboid(1.0, 1.0, 1.0), Quat::IDENTITY, 0.5, 4),
    ];
    for on_box in [false, true] {
        for (shape, rotation, height, points) in shapes.clone() {
            let mut world = Simulation::new();
            if on_box {
                let slab = cuboid(20.0, 1.0, 20.0);
                add(&mut world, BodyKind::Static, slab, Vec3::new(0.0, -0.5, 0.0));
            } else {
                add_floor(&mut world);
            }
            let desc = BodyDesc {
                shape: Some(shape.expect("positive lengths")),
                position: Vec3::new(3.0, height, 1.0),
                rotation,
                ..BodyDesc::default()
            };
            let id = world.add_body(desc).expect("a sound body");
            run(&mut world, 60);
            assert_eq!(world.report().contacts, points, "box {on_box}, height {height}");
            assert_near("height", body(&world, id).center().y, height, tolerance(2e-5, 1e-7));
        }
    }
}

#[test]
fn a_compound_falls_as_one_body() {
    let mut world = floor();
    let arm = cuboid(0.2, 1.0, 0.2);
    let parts = [
        (Vec3::new(-0.4, 0.0, 0.0), Quat::IDENTITY, arm.clone()),
        (Vec3::new(0.4, 0.0, 0.0), Quat::IDENTITY, arm),
        (Vec3::new(0.0, 0.6, 0.0), Quat::IDENTITY, cuboid(1.0, 0.2, 0.2)),
    ];
    let table = Shape::compound(parts).expect("three boxes");
    let id = add(&mut world, BodyKind::Dynamic, table, Vec3::new(0.0, 1.0, 0.0));
    run(&mut world, 120);
    assert_near("frame height", body(&world, id).position().y, 0.5, tolerance(2e-5, 1e-7));
    assert_eq!(world.report().contacts, 8, "four corners a leg");
}

#[test]
fn a_tower_of_ten_stands_still() {
    let (mut world, cubes) = stack(10);
    let mut overlap: Real = 0.0;
    for _ in 0..300 {
        run(&mut world, 1);
        overlap = overlap.max(world.report().overlap);
        assert_eq!(world.report().status, StepStatus::Solved, "step {}", world.report().step);
    }
    assert!(overlap < tolerance(1e-4, 1e-6), "overlap {overlap} m");
    for (i, &id) in cubes.iter().enumerate() {
        let drift = (body(&world, id).center() - Vec3::new(0.0, 0.5 + i as Real, 0.0)).length();
        assert!(drift < 1e-4, "cube {i} moved by {drift} m");
    }
}

#[test]
fn a_heavy_box_does_not_sink_into_a_light_one() {
    let mut world = floor();
    add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 0.5, 0.0));
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 1.0, 1.0)),
        position: Vec3::new(0.0, 1.5, 0.0),
        density: 1000.0,
        ..BodyDesc::default()
    };
    let heavy = world.add_body(desc).expect("a sound body");
    run(&mut world, 120);
    assert_near("height", body(&world, heavy).center().y, 1.5, tolerance(1e-4, 1e-6));
}

#[test]
fn overlap_separates_without_exceeding_the_push_speed() {
    let mut world = floor();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 0.3, 0.0));
    let settings = settings();
    let mut last = 0.3;
    for _ in 0..60 {
        world.step(&settings, DT);
        let height = body(&world, id).center().y;
        let push = (height - last) / DT;
        assert!(push <= settings.contact.push_speed_max * 1.001, "pushed at {push} m/s");
        assert!(
            body(&world, id).linear_velocity.y < 1e-3,
            "no speed is carried out of the overlap"
        );
        last = height;
    }
    assert_near("height", last, 0.5, 1e-4);
}

#[test]
fn a_box_sunk_near_the_edge_of_a_wide_ground_is_pushed_up() {
    let mut world = Simulation::new();
    let ground = cuboid(100.0, 1.0, 100.0);
    add(&mut world, BodyKind::Static, ground, Vec3::new(0.0, -0.5, 0.0));
    let at = Vec3::new(49.0, 0.48, 10.0);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
    let mut settings = settings();
    // All of the overlap, not all but the dead zone.
    settings.contact.dead_zone = 0.0;
    run_with(&mut world, 60, &settings);
    let moved = body(&world, id).center() - at;
    assert_near("height", moved.y, 0.02, tolerance(1e-4, 1e-6));
    assert!(moved.x.abs() + moved.z.abs() < 1e-4, "not sideways: {moved}");
}

#[test]
fn nothing_catches_on_the_seams_of_a_tile_floor() {
    for speed in [0.5, 2.0, 8.0] {
        let mut world = Simulation::new();
        for i in -3..14 {
            for k in -2..3 {
                let at = Vec3::new(i as Real, -0.5, k as Real);
                add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), at);
            }
        }
        let desc = BodyDesc {
            shape: Some(cuboid(0.8, 0.8, 0.8)),
            position: Vec3::new(0.0, 0.4, 0.1),
            linear_velocity: Vec3::new(speed, 0.0, 0.1 * speed),
            friction: 0.0,
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        for body in 0..5 * 17 {
            let tile = world.body_mut(BodyId(body)).expect("a tile");
            tile.set_material(0, Material::new(0.0)).expect("finite");
        }
        for _ in 0..(600.0 / speed / 10.0) as usize {
            run(&mut world, 1);
            let v = body(&world, id).linear_velocity;
            assert!(v.y.abs() < 1e-3, "vertical speed {} at {speed} m/s", v.y);
            assert_near("speed along", v.x, speed, 1e-3 * speed);
            assert_near("speed across", v.z, 0.1 * speed, 1e-3 * speed);
        }
    }
}

#[test]
fn a_wall_still_stops_what_runs_into_it() {
    let mut world = floor();
    add(&mut world, BodyKind::Static, cuboid(1.0, 3.0, 3.0), Vec3::new(3.0, 1.5, 0.0));
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 1.0, 1.0)),
        position: Vec3::new(0.0, 0.5, 0.0),
        linear_velocity: Vec3::new(20.0, 0.0, 0.0),
        friction: 0.0,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    run(&mut world, 60);
    assert_near("it stands at the wall", body(&world, id).center().x, 2.0, 1e-3);
    assert_near("on the floor", body(&world, id).center().y, 0.5, 1e-3);
}

#[test]
fn a_blow_runs_through_a_row_of_balls_with_gaps_without_overlap() {
    // A ball hits a row that rests 5 mm apart: each gets its speed within the step.
    let mut worst = Vec::new();
    for halving in 0..4 {
        let dt = 0.02 / (1 << halving) as Real;
        let mut world = Simulation::new();
        let ball = Shape::sphere(0.1).expect("a ball");
        for i in 0..5 {
            let desc = BodyDesc {
                shape: Some(ball.clone()),
                position: Vec3::new(0.205 * i as Real - if i == 0 { 0.1 } else { 0.0 }, 0.0, 0.0),
                linear_velocity: Vec3::X * if i == 0 { 5.0 } else { 0.0 },
                ..BodyDesc::default()
            };
            world.add_body(desc).expect("a sound body");
        }
        let settings = Settings { gravity: Vec3::ZERO, ..settings() };
        let mut overlap: Real = 0.0;
        for _ in 0..(0.6 / dt) as usize {
            overlap = overlap.max(world.step(&settings, dt).overlap);
        }
        worst.push(overlap);
        let momentum: Real = world.bodies().iter().map(|b| b.mass() * b.linear_velocity.x).sum();
        let mass = world.bodies().iter().next().expect("five balls").mass();
        assert_near("momentum", momentum, 5.0 * mass, 1e-4 * mass);
    }
    let bound = tolerance(1e-5, 1e-9);
    assert!(
        worst.iter().all(|&overlap| overlap < bound),
        "central impacts do not overlap: {worst:?}"
    );
}

#[test]
fn a_tumbling_body_keeps_its_energy() {
    let mut world = Simulation::new();
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 0.4, 0.1)),
        angular_velocity: Vec3::new(0.1, 20.0, 0.1),
        gravity_scale: 0.0,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let start = body(&world, id).kinetic_energy();
    for _ in 0..600 {
        run(&mut world, 1);
        let energy = body(&world, id).kinetic_energy();
        assert_near("energy", energy, start, tolerance(1e-3, 1e-11) * start);
    }
}

#[test]
fn a_platform_carries_and_lifts_what_stands_on_it() {
    for flip in [1.0, -1.0] {
        let mut world = Simulation::new();
        let slab = cuboid(4.0, 0.2, 4.0);
        let lift = add(&mut world, BodyKind::Kinematic, slab, Vec3::new(0.0, -0.1, 0.0));
        let crate_id =
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 0.5, 0.0));
        for step in 1..=120 {
            let t = step as Real * DT;
            let turn = quat_exp(Vec3::new(0.0, 0.5 * t, 0.0));
            let turn = Quat::from_xyzw(turn.x * flip, turn.y * flip, turn.z * flip, turn.w * flip);
            let target = Vec3::new(0.3 * t, 0.5 * t - 0.1, 0.0);
            world.body_mut(lift).expect("the platform").set_target(target, turn);
            run(&mut world, 1);
            let gap = body(&world, crate_id).center().y - body(&world, lift).center().y - 0.6;
            assert!(gap.abs() < 2e-4, "gap {gap} m at {t} s");
        }
        assert_near("carried along", body(&world, crate_id).center().x, 0.6, 2e-2);
        assert_near("it turns along", body(&world, crate_id).angular_velocity.y, 0.5, 1e-3);
    }
}

#[test]
fn locked_axes_stay_locked() {
    let mut world = floor();
    let mut ids = Vec::new();
    for i in 0..4 {
        let desc = BodyDesc {
            shape: Some(cuboid(1.0, 1.0, 1.0)),
            position: Vec3::new(0.3 * i as Real, 0.6 + 1.05 * i as Real, 0.0),
            rotation: quat_exp(Vec3::new(0.0, 0.0, 0.2 * i as Real)),
            locked_axes: LockedAxes::PLANAR_XY,
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    run(&mut world, 200);
    for id in ids {
        let body = body(&world, id);
        assert_eq!(body.center().z, 0.0, "no translation along z");
        assert_eq!((body.rotation().x, body.rotation().y), (0.0, 0.0), "rotation about z only");
        assert!(body.center().y > 0.49, "above the floor");
    }
}

fn pendulum(kind: JointKind) -> (Simulation, BodyId) {
    let mut world = Simulation::new();
    let desc = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
    let a = world.add_body(desc).expect("a fixed point");
    let b = add(&mut world, BodyKind::Dynamic, cuboid(0.2, 0.2, 0.2), Vec3::new(1.0, 0.0, 0.0));
    let anchor_b = if matches!(kind, JointKind::Distance { .. }) { 0.0 } else { -1.0 };
    let desc = JointDesc::between(kind, a, b).with_anchors(Vec3::ZERO, Vec3::X * anchor_b);
    world.add_joint(desc).expect("two bodies");
    (world, b)
}

#[test]
fn pendulums_swing_with_joints_to_the_tolerance() {
    for kind in [JointKind::Spherical, JointKind::Distance { min: 1.0, max: 1.0 }] {
        for halving in 0..3 {
            let dt = DT / (1 << halving) as Real;
            let (mut world, id) = pendulum(kind);
            let mut worst: Real = 0.0;
            let mut lowest: Real = 0.0;
            for _ in 0..(2.0 / dt) as usize {
                worst = worst.max(world.step(&settings(), dt).joint_error);
                lowest = lowest.min(body(&world, id).center().y);
            }
            assert_near("it swings through the lowest point", lowest, -1.0, 5e-3);
            // Newton's method ends within ten tolerances [m/s]; places are rounded.
            let tolerance = narrow(settings().solver.tolerance_at(widen(dt)));
            let bar = 10.0 * tolerance * dt + 4.0 * Real::EPSILON;
            assert!(worst < bar, "{kind:?}: joint error {worst} m of {bar} m");
        }
    }
}

#[test]
fn a_fixed_joint_holds_a_beam() {
    let (mut world, id) = pendulum(JointKind::Fixed);
    run(&mut world, 120);
    assert!((body(&world, id).center() - Vec3::X).length() < 1e-4, "it does not sag");
    assert!(world.report().joint_error < 1e-4, "{}", world.report().joint_error);
}

#[test]
fn a_joint_spawned_apart_is_no_catapult() {
    let mut world = Simulation::new();
    let desc = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
    let a = world.add_body(desc).expect("a fixed point");
    let b = add(&mut world, BodyKind::Dynamic, cuboid(0.2, 0.2, 0.2), Vec3::new(3.0, 0.0, 0.0));
    let desc = JointDesc::between(JointKind::Spherical, a, b);
    world.add_joint(desc).expect("two bodies");
    let settings = Settings { gravity: Vec3::ZERO, ..settings() };
    for _ in 0..120 {
        world.step(&settings, DT);
        let speed = body(&world, b).linear_velocity.length();
        assert!(speed < settings.contact.push_speed_max * 1.01, "carried at {speed} m/s");
    }
    assert!(body(&world, b).center().length() < 1e-3, "drawn together");
    assert!(body(&world, b).linear_velocity.length() < 1e-3, "and at rest");
}
