//! Mass from shapes, mass as it is, and what pushes in the axes of a body or whatever its mass.

use super::*;
use bevy_ecs::system::RunSystemOnce;
use orthant::math::quat_rotate;

fn computed(app: &App, entity: Entity) -> (Real, Vec3, AngularInertia) {
    let e = app.world().entity(entity);
    let mass = e.get::<ComputedMass>().expect("it comes with a body");
    let center = e.get::<ComputedCenterOfMass>().expect("it comes with a body");
    let inertia = e.get::<ComputedAngularInertia>().expect("it comes with a body");
    (**mass, **center, **inertia)
}

/// The inertia about an axis of the body's frame [kg·m²].
fn about(inertia: AngularInertia, axis: Vec3) -> Real {
    let local = quat_rotate(inertia.local_frame.conjugate(), axis);
    (local * local).dot(inertia.principal)
}

#[test]
fn computed_mass_is_that_of_the_colliders_or_of_mass() {
    let mut app = app();
    let box_ = (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 3.0), ColliderDensity(2.0));
    let body = spawn(&mut app, box_);
    run(&mut app, 1);
    let (mass, center, inertia) = computed(&app, body);
    assert!((mass - 12.0).abs() < 1e-5, "{mass} kg");
    assert_near(center, Vec3::ZERO, 1e-6);
    for (axis, squares) in [(Vec3::X, 13.0), (Vec3::Y, 10.0), (Vec3::Z, 5.0)] {
        let (is, expected) = (about(inertia, axis), 12.0 * squares / 12.0);
        assert!((is - expected).abs() < 1e-4, "{is} of {expected} about {axis}");
    }
    let above = (Collider::cuboid(1.0, 2.0, 3.0), ColliderDensity(2.0), at(0.0, 4.0, 0.0));
    let child = spawn(&mut app, (above, ChildOf(body)));
    run(&mut app, 1);
    let (mass, center, _) = computed(&app, body);
    assert!((mass - 24.0).abs() < 1e-4, "{mass} kg");
    assert_near(center, Vec3::Y * 2.0, 1e-5);
    app.world_mut().despawn(child);
    app.world_mut().entity_mut(body).insert(Mass(5.0));
    run(&mut app, 1);
    assert_eq!(computed(&app, body).0, 5.0, "as it is set");
    app.world_mut().entity_mut(body).insert(RigidBody::Static);
    run(&mut app, 1);
    assert_eq!(computed(&app, body).0, 0.0, "what is static has none");
}

#[test]
fn mass_can_come_from_a_shape() {
    let mut app = app();
    let turned = orthant::math::quat_exp(Vec3::new(0.3, -0.5, 0.2));
    let place = Vec3::new(0.1, 0.2, -0.3);
    let shape = Collider::compound(vec![(place, turned, Collider::cuboid(1.0, 2.0, 3.0))]);
    let bundle = MassPropertiesBundle::from_shape(&shape, 1.5);
    let light = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.1), bundle));
    let heavy = spawn(&mut app, (RigidBody::Dynamic, shape, ColliderDensity(1.5)));
    app.world_mut().entity_mut(heavy).insert(at(9.0, 0.0, 0.0));
    run(&mut app, 1);
    let [a, b] = [light, heavy].map(|e| body(&app, e).expect("a body"));
    assert!((a.mass() - b.mass()).abs() < 1e-5 * b.mass(), "{} of {} kg", a.mass(), b.mass());
    assert_near(a.center_of_mass(), b.center_of_mass(), 1e-5);
    let (i, j) = (a.inertia(), b.inertia());
    let apart = i.plus(j.scaled(-1.0));
    let largest = [apart.xx, apart.yy, apart.zz, apart.xy, apart.xz, apart.yz];
    let largest = largest.into_iter().fold(0.0, |most: Real, x| most.max(x.abs()));
    assert!(largest < 1e-5 * j.xx, "{largest} apart of {}", j.xx);
}

/// A cube of 4 kg, turned a quarter about z, in a weightless world, after a step with this.
fn pushed(by: impl Bundle, apply: impl Fn(ForcesItem) + Send + Sync + 'static) -> (Vec3, Vec3) {
    let mut app = app();
    without_gravity(&mut app);
    let turned = Transform::from_rotation(bevy_math::Quat::from_rotation_z(FRAC_PI_2));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(4.0), turned, by));
    let push = move |mut bodies: Query<Forces>| (&mut bodies).into_iter().for_each(&apply);
    app.world_mut().run_system_once(push).expect("the query is sound");
    run(&mut app, 1);
    let spin = app.world().get::<AngularVelocity>(cube).expect("a body").0;
    (velocity(&app, cube), spin)
}

use core::f32::consts::FRAC_PI_2;

#[test]
fn forces_act_in_the_axes_of_the_body_and_accelerations_whatever_the_mass() {
    // Its x axis points up, and its inertia is 4/6 kg m².
    let (h, inertia): (Real, Real) = (1.0 / 64.0, 4.0 / 6.0);
    let (x, y) = (Vec3::X, Vec3::Y);
    type Apply = fn(ForcesItem);
    let ways: [(&str, Apply, Vec3, Vec3); 8] = [
        ("force", |mut f| f.apply_local_force(Vec3::X), y * h / 4.0, Vec3::ZERO),
        ("torque", |mut f| f.apply_local_torque(Vec3::X), Vec3::ZERO, y * h / inertia),
        ("impulse", |mut f| f.apply_local_linear_impulse(Vec3::X), y / 4.0, Vec3::ZERO),
        (
            "angular impulse",
            |mut f| f.apply_local_angular_impulse(Vec3::X),
            Vec3::ZERO,
            y / inertia,
        ),
        ("acceleration", |mut f| f.apply_linear_acceleration(Vec3::X), x * h, Vec3::ZERO),
        ("angular", |mut f| f.apply_angular_acceleration(Vec3::X), Vec3::ZERO, x * h),
        ("local", |mut f| f.apply_local_linear_acceleration(Vec3::X), y * h, Vec3::ZERO),
        ("both", |mut f| f.apply_local_angular_acceleration(Vec3::X), Vec3::ZERO, y * h),
    ];
    for (name, apply, linear, angular) in ways {
        let (v, w) = pushed((), apply);
        assert!((v - linear).length() < 1e-5, "{name}: {v} of {linear}");
        assert!((w - angular).length() < 1e-5, "{name}: {w} of {angular}");
    }
    let none = |_: ForcesItem| {};
    let constants = [
        ("force", pushed(ConstantLocalForce(Vec3::X), none), y * h / 4.0, Vec3::ZERO),
        ("torque", pushed(ConstantLocalTorque(Vec3::X), none), Vec3::ZERO, y * h / inertia),
        ("acceleration", pushed(ConstantLinearAcceleration(Vec3::X), none), x * h, Vec3::ZERO),
        ("angular", pushed(ConstantAngularAcceleration(Vec3::X), none), Vec3::ZERO, x * h),
        ("local", pushed(ConstantLocalLinearAcceleration(Vec3::X), none), y * h, Vec3::ZERO),
        ("both", pushed(ConstantLocalAngularAcceleration(Vec3::X), none), Vec3::ZERO, y * h),
    ];
    for (name, (v, w), linear, angular) in constants {
        assert!((v - linear).length() < 1e-5, "constant {name}: {v} of {linear}");
        assert!((w - angular).length() < 1e-5, "constant {name}: {w} of {angular}");
    }
}

#[test]
fn a_point_of_a_body_has_the_velocity_of_its_turn() {
    let mut app = app();
    without_gravity(&mut app);
    let moving = (LinearVelocity(Vec3::X), AngularVelocity(Vec3::Z * 2.0));
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), moving));
    run(&mut app, 1);
    let link = app.world().get::<EngineBody>(cube).expect("a body");
    let center = body(&app, cube).expect("a body").center();
    let velocity = physics(&app).velocity_at_point(link, center + Vec3::Y * 3.0).expect("a body");
    assert_near(velocity, Vec3::X * (1.0 - 6.0), 1e-5);
}
