//! Defects that were, one test each. The comment above a test says what was seen and why.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyError, BodyId, BodyKind};
use orthant::engine::collider::Material;
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{Quat, Real, Vec3};
use orthant_lab::support::{DT, add, add_floor, cuboid, fingerprint, floor, run, stack};

fn body(world: &Simulation, id: BodyId) -> &Body {
    world.body(id).expect("the body is there")
}

fn change(world: &mut Simulation, id: BodyId) -> &mut Body {
    world.body_mut(id).expect("the body is there")
}

fn ball_joint(a: BodyId, b: BodyId) -> JointDesc {
    let desc = JointDesc::between(JointKind::Spherical, a, b);
    desc.with_anchors(Vec3::new(0.0, 0.5, 0.0), Vec3::new(0.0, -0.5, 0.0)).with_collision(true)
}

fn is_finite(world: &Simulation) -> bool {
    let fine = |b: &Body| b.center().is_finite() && b.linear_velocity.is_finite();
    world.bodies().iter().all(fine)
}

// A body, joint or shape that came or went between two stages of a step made a later stage read past
// the end of a list, or the row of another joint: the stages keep indices from stage to stage.
#[test]
fn regression_changes_between_stages() {
    type Change = fn(&mut Simulation, &[BodyId]);
    let changes: [(&str, Change); 6] = [
        ("remove a body", |world, ids| assert!(world.remove_body(ids[0]), "it was there")),
        ("add a body", |world, _| {
            add(world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.9, 0.9, 0.0));
        }),
        ("add a joint", |world, ids| {
            let kind = JointKind::Distance { min: 1.0, max: 1.0 };
            let desc = JointDesc { kind, ..ball_joint(ids[0], ids[2]) };
            world.add_joint(desc).expect("two bodies");
        }),
        ("remove a joint", |world, _| {
            let id = world.joints().next().expect("there is one").id();
            assert!(world.remove_joint(id), "it was there");
        }),
        ("fewer pieces", |world, ids| {
            let (mass, shape) = (unit_mass(), cuboid(0.8, 0.8, 0.8));
            let body = change(world, ids[1]);
            body.set_colliders(vec![shape.into()], BodyKind::Dynamic, mass).expect("a sound body");
        }),
        ("make it static", |world, ids| {
            let shape = cuboid(1.0, 1.0, 1.0);
            let body = change(world, ids[1]);
            body.set_colliders(vec![shape.into()], BodyKind::Static, unit_mass())
                .expect("a sound body");
        }),
    ];
    for (what, apply) in changes {
        for stage in 0..8 {
            let (mut world, ids) = jointed();
            run(&mut world, 30);
            step_and_change(&mut world, stage, |world| apply(world, &ids));
            let frozen = &world.report().quarantined;
            assert!(frozen.is_empty(), "{what} after stage {stage}: frozen {frozen:?}");
            run(&mut world, 30);
            assert!(is_finite(&world), "{what} after stage {stage}");
            let report = world.report();
            assert_eq!(report.status, StepStatus::Solved, "{what} after stage {stage}: {report}");
        }
    }
}

fn unit_mass() -> MassProperties {
    cuboid(1.0, 1.0, 1.0).mass_properties(1.0)
}

/// Three bodies on a floor, the middle one of two pieces, with a joint from each to the next.
fn jointed() -> (Simulation, Vec<BodyId>) {
    let mut world = floor();
    let two =
        [-0.25, 0.25].map(|x| (Vec3::new(x, 0.0, 0.0), Quat::IDENTITY, cuboid(0.5, 1.0, 1.0)));
    let compound = Shape::compound(two).expect("two pieces");
    let shapes = [cuboid(1.0, 1.0, 1.0), compound, cuboid(1.0, 1.0, 1.0)];
    let ids: Vec<BodyId> = shapes
        .into_iter()
        .enumerate()
        .map(|(i, shape)| {
            add(&mut world, BodyKind::Dynamic, shape, Vec3::new(0.0, 0.5 + i as Real, 0.0))
        })
        .collect();
    world.add_joint(ball_joint(ids[0], ids[1])).expect("two bodies");
    world.add_joint(ball_joint(ids[1], ids[2])).expect("two bodies");
    (world, ids)
}

/// One step with a change after a stage (0: after `begin`).
fn step_and_change(world: &mut Simulation, after: usize, apply: impl Fn(&mut Simulation)) {
    let settings = Settings::default();
    for stage in 0..8 {
        match stage {
            0 => {
                world.begin(&settings, DT);
            }
            1 => world.find_pairs(&settings),
            2 => world.find_contacts(&settings),
            3 => world.build_islands(),
            4 => world.assemble(&settings),
            5 => world.solve(&settings),
            6 => world.integrate(),
            _ => world.finish(),
        }
        if stage == after {
            apply(world);
        }
    }
}

// A kinematic half-space that rose at 10 m/s ran 16 cm into a resting box before it pushed: the speed
// of a half-space was infinity times zero, and the band of the pair left that out.
#[test]
fn regression_moving_half_space() {
    let mut world = Simulation::new();
    let plane = Shape::half_space(Vec3::Y).expect("a direction");
    let desc = BodyDesc {
        kind: BodyKind::Kinematic,
        shape: Some(plane),
        position: Vec3::new(0.0, -0.3, 0.0),
        linear_velocity: Vec3::new(0.0, 10.0, 0.0),
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a floor that rises");
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 1.0, 1.0)),
        position: Vec3::new(0.0, 0.5, 0.0),
        gravity_scale: 0.0,
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a box");
    for _ in 0..10 {
        run(&mut world, 1);
        let overlap = world.report().overlap;
        assert!(overlap < 1e-4, "the floor pushes before it enters: {overlap} m");
    }
}

// `newton_max`, `penalty` and `lemke_contacts_max` changed nothing: they were never handed on.
#[test]
fn regression_solver_settings_are_used() {
    let report = |edit: fn(&mut Settings)| {
        let mut settings = Settings::default();
        // Under pyramids blows are solved by passes alone.
        settings.solver.cone = orthant::engine::lcp::Cone::Pyramid(4);
        edit(&mut settings);
        let (mut world, ids) = stack(6);
        change(&mut world, ids[5]).apply_linear_impulse(Vec3::new(0.3, 0.0, 0.1));
        world.step(&settings, DT);
        world.report().clone()
    };
    let newton = |settings: &mut Settings| settings.solver.method = Method::Newton;
    let usual = report(newton);
    assert!(usual.iterations > 2, "a problem that takes some steps: {}", usual.iterations);
    let few = report(|settings| {
        settings.solver.method = Method::Newton;
        settings.solver.newton_max = 1;
    });
    assert!(few.iterations < usual.iterations, "newton_max: {} steps", few.iterations);
    assert_eq!(few.status, StepStatus::NotConverged, "and it says so");
    let stiff = report(|settings| {
        settings.solver.method = Method::Newton;
        settings.solver.penalty = 1e6;
    });
    let work = |r: &orthant::engine::report::StepReport| (r.iterations, r.natural_map.to_bits());
    assert_ne!(work(&stiff), work(&usual), "penalty");
    let capped = |settings: &mut Settings| {
        settings.solver.method = Method::Lemke;
        settings.solver.cone = orthant::engine::lcp::Cone::Pyramid(4);
        settings.solver.lemke_contacts_max = 3;
    };
    assert_eq!(report(capped).islands_beyond_lemke, 1, "too large for Lemke: Newton took over");
}

// NaN in a public field of one body (gravity scale, damping) went through a joint or a
// contact into every body of its island, and all of them were frozen.
#[test]
fn regression_one_broken_body_freezes_alone() {
    type Damage = fn(&mut Body);
    let breaks: [(&str, Damage); 6] = [
        ("gravity scale", |b| b.gravity_scale = Real::NAN),
        ("linear damping", |b| b.linear_damping = Real::NAN),
        ("angular damping", |b| b.angular_damping = Real::INFINITY),
        ("force", |b| b.apply_force(Vec3::splat(Real::MAX))),
        ("speed", |b| b.linear_velocity = Vec3::splat(Real::MAX)),
        ("spin", |b| b.angular_velocity = Vec3::new(0.0, 0.0, Real::MAX)),
    ];
    for (what, damage) in breaks {
        let (mut world, ids) = jointed();
        run(&mut world, 30);
        damage(change(&mut world, ids[1]));
        world.step(&Settings::default(), DT);
        assert_eq!(world.report().quarantined, [ids[1]], "{what}: this body alone");
        run(&mut world, 60);
        assert!(is_finite(&world), "{what}");
        let others = [ids[0], ids[2]].map(|id| body(&world, id).is_quarantined());
        assert_eq!(others, [false; 2], "{what}: the others live on");
    }
}

// A friction or damping set below zero after the body was made pumped energy in; only the values of a
// new body were held at zero.
#[test]
fn regression_negative_coefficients() {
    let mut world = floor();
    let at = Vec3::new(0.0, 0.5, 0.0);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
    for floor in world.bodies().iter().map(Body::id).filter(|&i| i != id).collect::<Vec<_>>() {
        change(&mut world, floor).set_material(0, Material::new(0.0)).expect("finite");
    }
    let cube = change(&mut world, id);
    cube.linear_velocity.x = 1.0;
    (cube.linear_damping, cube.angular_damping) = (-30.0, -60.0);
    cube.set_material(0, Material::new(-1.0)).expect("finite");
    for broken in [Real::NAN, Real::INFINITY] {
        let refused = cube.set_material(0, Material::new(broken));
        assert_eq!(refused, Err(BodyError::NotFinite("friction")), "{broken}");
    }
    run(&mut world, 60);
    let v = body(&world, id).linear_velocity;
    assert!((v.x - 1.0).abs() < 1e-4, "no friction, no damping: {v}");
}

// Damping took its part of the velocity that gravity gives before contacts and joints answered: at 2/s a
// body at rest weighed three percent less than it does.
#[test]
fn regression_damped_bodies_have_their_weight() {
    let mut world = floor();
    let cube = |world: &mut Simulation, x: Real, y: Real| {
        let id = add(world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(x, y, 0.0));
        (change(world, id).linear_damping, change(world, id).angular_damping) = (2.0, 5.0);
        id
    };
    let [standing, hung] = [(0.0, 0.5), (3.0, 2.0)].map(|(x, y)| cube(&mut world, x, y));
    let falling = cube(&mut world, 6.0, 200.0);
    let anchors = (Vec3::new(2.0, 2.0, 0.0), Vec3::NEG_X);
    let held = JointDesc::new(JointKind::Fixed, [None, Some(hung)]);
    let held = world.add_joint(held.with_anchors(anchors.0, anchors.1)).expect("a sound joint");
    run(&mut world, 600);
    let (mass, g) = (body(&world, standing).mass(), 9.81);
    let near = |what, got: Vec3, want: Vec3| {
        assert!((got - want).length() < 1e-4 * want.length(), "{what}: {got}, not {want}");
    };
    let carried = world.contacts().map(|contact| contact.impulse).sum::<Vec3>() / DT;
    near("on the floor", carried * carried.y.signum(), Vec3::Y * (mass * g));
    let (force, torque) = world.joint(held).expect("it holds").reaction();
    near("in the joint", force, Vec3::Y * (mass * g));
    near("about the joint", torque, Vec3::Z * (mass * g));
    near("falling", body(&world, falling).linear_velocity, Vec3::NEG_Y * (g / 2.0));
}

// The velocity given to a body right after it had followed a target was set to zero: for a body let go
// as well as for one that became dynamic to be thrown.
#[test]
fn regression_velocity_after_a_target() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        let mut world = Simulation::new();
        let id = add(&mut world, BodyKind::Kinematic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
        change(&mut world, id).set_target(Vec3::new(0.1, 0.0, 0.0), Quat::IDENTITY);
        run(&mut world, 1);
        let held = change(&mut world, id);
        let colliders = held.colliders().list().to_vec();
        held.set_colliders(colliders, kind, unit_mass()).expect("a sound body");
        held.linear_velocity = Vec3::new(0.0, 0.0, 3.0);
        run(&mut world, 1);
        let z = body(&world, id).center().z;
        assert!((z - 3.0 * DT).abs() < 1e-6, "{kind:?} moves on its own: {z}");
    }
    let mut world = Simulation::new();
    let id = add(&mut world, BodyKind::Kinematic, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
    change(&mut world, id).set_target(Vec3::new(0.1, 0.0, 0.0), Quat::IDENTITY);
    run(&mut world, 3);
    assert_eq!(body(&world, id).center(), Vec3::new(0.1, 0.0, 0.0), "left alone it stays there");
}

// A body that became static kept the velocity it had, and the choice of the contact plane believed it.
#[test]
fn regression_static_bodies_have_no_velocity() {
    let print = |velocity: Vec3| {
        let mut world = Simulation::new();
        for i in 0..3 {
            let at = Vec3::new(i as Real, -0.5, 0.0);
            let id = add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), at);
            change(&mut world, id).linear_velocity = velocity;
        }
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.5, 0.5)),
            position: Vec3::new(0.0, 0.25, 0.0),
            linear_velocity: Vec3::new(3.0, 0.0, 0.0),
            friction: 0.0,
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a box");
        run(&mut world, 30);
        (body(&world, id).center(), body(&world, id).linear_velocity)
    };
    let still = print(Vec3::ZERO);
    assert_eq!(print(Vec3::new(-9.0, 0.0, 0.0)), still, "a static body does not move");
    assert_eq!(print(Vec3::new(0.0, -9.0, 0.0)), still, "a static body does not move");
}

// An island that failed in both of its solves was counted twice: "2 of 1 islands".
#[test]
fn regression_unsolved_islands_are_counted_once() {
    let mut settings = Settings::default();
    settings.solver.method = Method::Pgs;
    settings.solver.sweeps_max = 1;
    let mut world = floor();
    for i in 0..6 {
        let at = Vec3::new(0.0, 0.45 + 0.9 * i as Real, 0.0);
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
    }
    world.step(&settings, DT);
    let report = world.report();
    assert_eq!((report.islands, report.islands_unsolved), (1, 1), "one island, above tolerance");
}

// The list of frozen bodies is ascending, but those found at the end of a step came after those found at
// its beginning.
#[test]
fn regression_frozen_bodies_are_listed_in_order() {
    let mut world = Simulation::new();
    let ids: Vec<BodyId> = (0..3_u8)
        .map(|i| {
            let at = Vec3::new(Real::from(i) * 5.0, 0.0, 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
        })
        .collect();
    let settings = Settings::default();
    change(&mut world, ids[2]).linear_velocity.x = Real::NAN;
    world.begin(&settings, DT);
    world.find_pairs(&settings);
    world.find_contacts(&settings);
    world.build_islands();
    world.assemble(&settings);
    world.solve(&settings);
    // Out of range at the end of the step only.
    change(&mut world, ids[0]).apply_force(Vec3::splat(Real::INFINITY));
    world.integrate();
    world.finish();
    assert_eq!(world.report().quarantined, [ids[0], ids[2]], "ascending");
}

// After a step of 1e-40 s the warm start of the next one was scaled by infinity.
#[test]
fn regression_very_different_steps() {
    for short in [1e-40 as Real, 1e-20, 1e-9] {
        let (mut world, ids) = stack(3);
        run(&mut world, 10);
        world.step(&Settings::default(), short);
        assert!(world.report().quarantined.is_empty(), "a step of {short} s");
        run(&mut world, 10);
        assert!(world.report().quarantined.is_empty(), "a step after {short} s");
        let top = body(&world, ids[2]).center().y;
        assert!((top - 2.5).abs() < 1e-4, "the stack stands after {short} s: {top}");
    }
}

// Light small bodies and large heavy ones were refused: the determinant of the inertia left the range of
// single precision.
#[test]
fn regression_small_and_large_bodies() {
    for (size, density) in [(0.003, 1.0), (0.01, 1.0), (100.0, 1000.0), (1000.0, 1000.0)] {
        let mut world = Simulation::new();
        let shape = Some(cuboid(size, size, size));
        let desc = BodyDesc {
            shape,
            density,
            angular_velocity: Vec3::new(1.0, 2.0, 3.0),
            ..BodyDesc::default()
        };
        let id = match world.add_body(desc) {
            Ok(id) => id,
            Err(error) => panic!("a cube of {size} m: {error}"),
        };
        let inertia = body(&world, id).inertia().xx;
        change(&mut world, id).apply_angular_impulse(Vec3::new(inertia, 0.0, 0.0));
        run(&mut world, 1);
        let w = body(&world, id).angular_velocity;
        assert!((w - Vec3::new(2.0, 2.0, 3.0)).length() < 1e-4, "a cube of {size} m: {w}");
    }
}

// A relative rotation that is no unit quaternion turned the joint's error into a number of its own.
#[test]
fn regression_fixed_joint_of_an_unscaled_rotation() {
    let print = |w: Real| {
        let mut world = Simulation::new();
        let a = add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::ZERO);
        let b = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y);
        let relative = Quat::from_xyzw(0.0, 0.0, 0.6 * w, 0.8 * w);
        let desc = JointDesc { kind: JointKind::Fixed, ..ball_joint(a, b) };
        let desc = desc.with_bases(relative, Quat::IDENTITY).with_collision(false);
        world.add_joint(desc).expect("two bodies");
        run(&mut world, 60);
        world.report().joint_error
    };
    let unit = print(1.0);
    assert!((print(2.0) - unit).abs() < 1e-5, "{} and {unit}", print(2.0));
    assert!((print(1e-8) - unit).abs() < 1e-5, "{} and {unit}", print(1e-8));
}

// Removing thousands of touching bodies at once moved the list of pairs for each of them.
#[test]
fn regression_removal_of_thousands() {
    let mut world = Simulation::new();
    add_floor(&mut world);
    let ids: Vec<BodyId> = (0..4000_u16)
        .map(|i| {
            let (x, z) = (Real::from(i % 64), Real::from(i / 64));
            let at = Vec3::new(x * 0.504, 0.25, z * 0.504);
            add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), at)
        })
        .collect();
    let mut settings = Settings::default();
    settings.solver.method = Method::Pgs;
    settings.solver.sweeps_max = 1;
    world.step(&settings, DT);
    assert!(world.report().pairs > 10_000, "{} pairs", world.report().pairs);
    let start = std::time::Instant::now();
    for (i, id) in ids.into_iter().enumerate() {
        assert!(world.remove_body(id), "it was there");
        if i % 2 == 0 {
            add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.5, 0.5), Vec3::new(0.0, 5.0, 0.0));
        }
        assert!(i > 0 || world.contacts().all(|contact| contact.bodies[1] != id), "gone at once");
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(seconds < 0.5, "{seconds} s for 4000 bodies");
    let before = fingerprint(&world);
    assert_eq!(before, fingerprint(&world.clone()), "and the rest is sound");
}

// In small steps a box far in another one stayed there for ever under a heavy load: softness let the row
// yield by as much as the push, whose speed has a cap, took back. How far a load sinks has a bound, which
// falls with the number of small steps.
#[test]
fn regression_heavy_loads_do_not_sink_in_small_steps() {
    let overlap = |substeps: u32| {
        let mut world = floor();
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 0.5, 0.0));
        let shape = Some(cuboid(1.0, 1.0, 1.0));
        // 100 mm too low.
        let position = Vec3::new(0.0, 1.4, 0.0);
        let desc = BodyDesc { shape, position, density: 400.0, ..BodyDesc::default() };
        world.add_body(desc).expect("a cube");
        let mut settings = Settings::default();
        settings.solver.method = Method::Substeps;
        settings.solver.substeps = substeps;
        for _ in 0..180 {
            world.step(&settings, DT);
        }
        world.infeasibility().1
    };
    let [four, thirty_two] = [4, 32].map(overlap);
    // Half of what the load moves the light cube in a small step: of the sixteen that a load of 400 times
    // its mass gets 2 mm, of thirty-two 0.5, and a little more.
    assert!(four < 0.004 && thirty_two < 0.5 * four, "{four} {thirty_two}");
}
