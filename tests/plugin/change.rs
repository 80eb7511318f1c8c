//! Settings and components that change while the world runs.

use super::*;
use orthant::engine::report::StepStatus;

fn free_fall_speed(app: &mut App, cube: Entity) -> Real {
    let before = velocity(app, cube).y;
    run(app, 1);
    velocity(app, cube).y - before
}

#[test]
fn gravity_changes_at_run_time() {
    let mut app = app();
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
    assert!((free_fall_speed(&mut app, cube) + 9.81 / 64.0).abs() < 1e-5, "earth");
    app.insert_resource(Gravity(Vec3::Y * 3.2));
    assert!((free_fall_speed(&mut app, cube) - 0.05).abs() < 1e-5, "upwards");
    app.world_mut().entity_mut(cube).insert(GravityScale(-2.0));
    assert!((free_fall_speed(&mut app, cube) + 0.1).abs() < 1e-5, "scaled");
    app.world_mut().entity_mut(cube).remove::<GravityScale>();
    assert!((free_fall_speed(&mut app, cube) - 0.05).abs() < 1e-5, "without scale again");
}

#[test]
fn a_setting_out_of_range_refuses_steps_until_it_is_right() {
    let mut app = app();
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
    run(&mut app, 2);
    let before = position(&app, cube);
    app.world_mut().resource_mut::<SolverConfig>().tolerance = -1.0;
    run(&mut app, 3);
    assert_eq!(report(&app).status, StepStatus::Refused);
    assert_eq!(position(&app, cube), before, "the world stands still");
    app.world_mut().resource_mut::<SolverConfig>().tolerance = 1e-6;
    app.world_mut().resource_mut::<ContactConfig>().gamma = 0.5;
    run(&mut app, 1);
    assert_ne!(report(&app).status, StepStatus::Refused);
    assert!(position(&app, cube).y < before.y, "it falls on");
    let settings = physics(&app).settings();
    assert_eq!((settings.solver.tolerance, settings.contact.gamma), (1e-6, 0.5), "taken over");
}

#[test]
fn a_force_waits_out_refused_steps() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
    run(&mut app, 1);
    app.world_mut().resource_mut::<ContactConfig>().margin = Real::NAN;
    let mut forces = app.world_mut().query::<Forces>();
    forces.get_mut(app.world_mut(), cube).expect("a body").apply_linear_impulse(Vec3::X);
    run(&mut app, 3);
    app.world_mut().resource_mut::<ContactConfig>().margin = 0.005;
    run(&mut app, 3);
    assert_eq!(velocity(&app, cube).x, 1.0, "once");
}

#[test]
fn mass_follows_its_components() {
    let mut app = app();
    without_gravity(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 3.0)));
    let mass = |app: &mut App| {
        run(app, 1);
        let body = body(app, cube).expect("alive");
        (body.mass(), body.inertia().xx)
    };
    let near = |(m, i): (Real, Real), expected: (Real, Real)| {
        assert!((m - expected.0).abs() < 1e-4, "mass {m}, expected {}", expected.0);
        assert!((i - expected.1).abs() < 1e-3, "inertia {i}, expected {}", expected.1);
    };
    near(mass(&mut app), (6.0, 6.5));
    app.world_mut().entity_mut(cube).insert(ColliderDensity(2.0));
    near(mass(&mut app), (12.0, 13.0));
    app.world_mut().entity_mut(cube).insert(Mass(3.0));
    near(mass(&mut app), (3.0, 3.25));
    app.world_mut().get_mut::<Mass>(cube).expect("just inserted").0 = 9.0;
    near(mass(&mut app), (9.0, 9.75));
    app.world_mut().entity_mut(cube).insert(AngularInertia::new(Vec3::new(5.0, 6.0, 7.0)));
    near(mass(&mut app), (9.0, 5.0));
    app.world_mut().entity_mut(cube).remove::<(Mass, AngularInertia, ColliderDensity)>();
    near(mass(&mut app), (6.0, 6.5));
    app.world_mut().entity_mut(cube).insert(Collider::cuboid(1.0, 1.0, 1.0));
    near(mass(&mut app), (1.0, 1.0 / 6.0));
    app.world_mut().entity_mut(cube).remove::<Collider>().insert(Mass(2.0));
    near(mass(&mut app), (2.0, 0.2));
}

#[test]
fn a_value_that_makes_no_body_is_told_and_the_body_stays_as_it_was() {
    let mut app = app();
    without_gravity(&mut app);
    listen(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube()));
    run(&mut app, 1);
    let bad: [fn(&mut EntityWorldMut); 5] = [
        |e| _ = e.insert(Mass(-1.0)),
        |e| _ = e.remove::<Mass>().insert(Friction::new(Real::NAN)),
        |e| _ = e.remove::<Friction>().insert(Collider::sphere(Real::NAN)),
        |e| _ = e.insert(Collider::half_space(Vec3::Y)),
        |e| _ = e.insert((Collider::default(), AngularInertia::new(Vec3::ZERO))),
    ];
    for (number, make) in bad.into_iter().enumerate() {
        make(&mut app.world_mut().entity_mut(cube));
        run(&mut app, 3);
        let errors = told(&mut app);
        assert_eq!(errors.len(), 1, "change {number} is told once: {errors:?}");
        assert_eq!(errors[0].entity, cube, "with the entity");
        assert_eq!(body(&app, cube).expect("it stays").mass(), 1.0, "change {number}");
    }
}

#[test]
fn an_invalid_collider_is_told_and_can_be_mended() {
    let mut app = app();
    listen(&mut app);
    let bad = [
        Collider::sphere(Real::NAN),
        Collider::sphere(-1.0),
        Collider::cuboid(1.0, 0.0, 1.0),
        Collider::capsule(1.0, Real::INFINITY),
        Collider::half_space(Vec3::ZERO),
        Collider::compound(vec![]),
        Collider::compound(vec![(Vec3::ZERO, Quat::IDENTITY, Collider::sphere(0.0))]),
    ];
    for collider in bad {
        assert!(collider.shape().is_err(), "{collider:?}");
        let entity = spawn(&mut app, (RigidBody::Dynamic, collider));
        run(&mut app, 3);
        let errors = told(&mut app);
        let [PhysicsError { entity: named, error: PhysicsErrorKind::Shape(_) }] = errors[..] else {
            panic!("one error of shape, got {errors:?}");
        };
        assert_eq!(named, entity, "with the entity");
        assert_eq!(bodies(&app), 0, "no body");
        *app.world_mut().get_mut::<Collider>(entity).expect("alive") = cube();
        run(&mut app, 1);
        assert_eq!(bodies(&app), 1, "mended");
        app.world_mut().despawn(entity);
        run(&mut app, 1);
    }
    assert!(Collider::convex_hull([Vec3::ZERO, Vec3::X]).is_err(), "too few points");
    let messages = app.world().resource::<Messages<PhysicsError>>();
    assert!(messages.iter_current_update_messages().count() == 0, "only told once");
}

#[test]
fn a_transform_that_is_not_finite_is_repaired() {
    let mut app = app();
    without_gravity(&mut app);
    listen(&mut app);
    for kind in [RigidBody::Dynamic, RigidBody::Static] {
        let cube = spawn(&mut app, (kind, cube(), at(1.0, 2.0, 3.0)));
        run(&mut app, 2);
        app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.x = f32::NAN;
        run(&mut app, 2);
        assert_eq!(position(&app, cube), Vec3::new(1.0, 2.0, 3.0), "back at the engine's pose");
        let errors = told(&mut app);
        assert_eq!(errors.len(), 1, "told once: {errors:?}");
        app.world_mut().despawn(cube);
    }
}

#[test]
fn a_velocity_that_is_not_finite_freezes_the_body() {
    let mut app = app();
    listen(&mut app);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 3.0)));
    run(&mut app, 1);
    let before = position(&app, cube);
    app.world_mut().get_mut::<LinearVelocity>(cube).expect("alive").0 = Vec3::splat(Real::NAN);
    run(&mut app, 3);
    assert_near(position(&app, cube), before, 1e-6);
    assert_eq!(velocity(&app, cube), Vec3::ZERO, "at rest");
    let errors = told(&mut app);
    assert_eq!(errors, [PhysicsError { entity: cube, error: PhysicsErrorKind::Frozen }]);
    app.world_mut().get_mut::<Transform>(cube).expect("alive").translation.y = 9.0;
    run(&mut app, 2);
    assert!(velocity(&app, cube).y < 0.0, "placed anew, it falls");
}

fn friction(app: &App, entity: Entity) -> Real {
    body(app, entity).expect("alive").colliders().list()[0].material.friction
}

#[test]
fn friction_defaults_and_damping() {
    let mut app = app();
    let plain = spawn(&mut app, (RigidBody::Dynamic, cube(), at(5.0, 0.0, 0.0)));
    let own = (Friction::new(0.9), LinearDamping(2.0), AngularDamping(3.0));
    let special = spawn(&mut app, (RigidBody::Dynamic, cube(), own));
    run(&mut app, 1);
    assert_eq!(friction(&app, plain), 0.5);
    app.insert_resource(DefaultFriction(Friction::new(0.1)));
    run(&mut app, 1);
    assert_eq!(friction(&app, plain), 0.1, "the new default");
    assert_eq!(friction(&app, special), 0.9);
    let body = body(&app, special).expect("alive");
    assert_eq!((body.linear_damping, body.angular_damping), (2.0, 3.0));
}

#[test]
fn another_material_drops_no_contacts() {
    let mut app = app();
    app.insert_resource(SleepConfig::disabled());
    floor(&mut app);
    let cubes =
        [0.5, 1.5, 2.5].map(|y| spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, y, 0.0))));
    run(&mut app, 240);
    let known = |app: &App| {
        let body = body(app, cubes[1]).expect("alive");
        let shape = body.colliders().list()[0].shape.pieces().as_ptr();
        let pairs = physics(app).engine().pairs().iter();
        (shape, pairs.flat_map(|pair| pair.contacts.to_vec()).collect::<Vec<_>>())
    };
    let before = known(&app);
    assert_eq!(before.1.len(), 12, "all stand");
    let changes: [fn(&mut EntityWorldMut); 4] = [
        |cube| _ = cube.insert(Friction::new(0.7)),
        |cube| _ = cube.insert(Restitution::new(0.2)),
        |cube| _ = cube.insert(RollingFriction::new(0.01, 0.0)),
        |cube| _ = cube.remove::<(Friction, Restitution, RollingFriction)>(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        change(&mut app.world_mut().entity_mut(cubes[1]));
        run(&mut app, 1);
        assert_eq!(friction(&app, cubes[1]), if number < 3 { 0.7 } else { 0.5 }, "{number}");
        let report = report(&app);
        assert_eq!((report.searched, report.measured), (0, 0), "{number}: nothing is found anew");
        assert_eq!(report.iterations, 0, "{number}: the impulses at hand are the solution");
        assert_eq!(known(&app), before, "{number}: shapes, contacts and impulses are kept");
    }
}

#[test]
fn restitution_of_collider_body_and_none() {
    let mut app = app();
    let e = |app: &App, entity| {
        body(app, entity).expect("alive").colliders().list()[0].material.restitution
    };
    let plain = spawn(&mut app, (RigidBody::Dynamic, cube(), at(5.0, 0.0, 0.0)));
    let bouncy = spawn(&mut app, (RigidBody::Dynamic, cube(), Restitution::new(0.8)));
    run(&mut app, 1);
    assert_eq!([e(&app, plain), e(&app, bouncy)], [0.0, 0.8]);
    let id = body(&app, bouncy).expect("alive").id();
    app.world_mut().get_mut::<Restitution>(bouncy).expect("alive").coefficient = 0.3;
    run(&mut app, 1);
    assert_eq!(e(&app, bouncy), 0.3, "changed");
    app.world_mut().get_mut::<Restitution>(bouncy).expect("alive").coefficient = Real::NAN;
    run(&mut app, 1);
    assert_eq!(e(&app, bouncy), 0.3, "told, and left as it was");
    app.world_mut().entity_mut(bouncy).remove::<Restitution>();
    run(&mut app, 1);
    assert_eq!(e(&app, bouncy), 0.0, "removed");
    assert_eq!(body(&app, bouncy).expect("alive").id(), id, "the same body all along");
}

#[test]
fn locked_axes_hold() {
    let mut app = app();
    let locked = LockedAxes::new().lock_translation_y().lock_rotation_x();
    let motion = (AngularVelocity(Vec3::ONE), LinearVelocity(Vec3::ONE));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), locked, motion));
    run(&mut app, 10);
    assert_eq!(position(&app, cube).y, 0.0, "no fall");
    assert!(position(&app, cube).x > 0.1, "free along x");
    assert_eq!(locked.to_bits(), 0b001_010);
    assert_eq!(LockedAxes::from_bits(0b11_111_111), LockedAxes::ALL_LOCKED);
}

#[test]
fn the_dominant_body_is_not_pushed() {
    for (dominance, expected) in [(1, 1.0), (0, 0.5), (-1, 0.0)] {
        let mut app = app();
        without_gravity(&mut app);
        let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X), Dominance(0));
        let moving = spawn(&mut app, moving);
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.05, 0.0, 0.0)));
        run(&mut app, 1);
        app.world_mut().get_mut::<Dominance>(moving).expect("alive").0 = dominance;
        run(&mut app, 10);
        let speed = velocity(&app, moving).x;
        assert!((speed - expected).abs() < 1e-4, "dominance {dominance}: {speed} m/s");
        app.world_mut().entity_mut(moving).remove::<Dominance>();
        run(&mut app, 1);
        assert_eq!(body(&app, moving).expect("alive").dominance, 0, "without the component");
    }
}
