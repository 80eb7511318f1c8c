//! Small things: bodies led by bounded forces, largest speeds, surfaces that run, explosions.

use super::*;
use bevy_ecs::system::RunSystemOnce;

fn run_system<T: Send + Sync + 'static>(
    app: &mut App,
    mut system: impl FnMut(Explosions) -> T + Send + Sync + 'static,
) -> T {
    let once = move |explosions: Explosions| system(explosions);
    app.world_mut().run_system_once(once).expect("the parameters are there")
}

#[test]
fn a_controller_leads_to_its_pose() {
    let mut app = app();
    without_gravity(&mut app);
    let turn = Quat::from_rotation_y(1.0);
    let to = PoseController::to_pose(Vec3::new(1.0, 2.0, 3.0), turn);
    let one = spawn(&mut app, (RigidBody::Dynamic, cube(), to));
    run(&mut app, 128);
    assert_near(position(&app, one), Vec3::new(1.0, 2.0, 3.0), 1e-3);
    let rotation = body(&app, one).expect("a body").rotation();
    assert!((1.0 - rotation.dot(turn).abs()).abs() < 1e-5, "turned by {rotation}");
}

/// With `p = k h² / (1 + k h²)` the determinant of an undamped step is `1 - p/2`: from kh² = 8 on the error
/// falls to `0.75^n` of what it was in `2 n` steps, in a spiral.
#[test]
fn a_controller_is_stable_however_stiff() {
    for frequency in [30.0, 1e3, 1e5] {
        for damping_ratio in [0.0, 1.0] {
            let mut app = app();
            without_gravity(&mut app);
            let to = PoseController::to_position(Vec3::X);
            let to = PoseController { frequency, damping_ratio, ..to };
            let one = spawn(&mut app, (RigidBody::Dynamic, cube(), to));
            let apart = |app: &App| (position(app, one) - Vec3::X).length();
            for step in 0..60 {
                run(&mut app, 1);
                let now = apart(&app);
                assert!(now <= 1.0, "{frequency} Hz, step {step}: {now} m away");
            }
            assert!(apart(&app) < 0.05, "{frequency} Hz: still {} m away", apart(&app));
        }
    }
}

#[test]
fn the_force_of_a_controller_is_bounded() {
    let mut app = app();
    without_gravity(&mut app);
    let to = PoseController::to_position(Vec3::X * 1e4);
    let to = PoseController { max_force: 5.0, ..to };
    let one = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(10.0), to));
    run(&mut app, 64);
    // v = F t / m.
    assert!((velocity(&app, one).x - 0.5).abs() < 1e-3, "{}", velocity(&app, one));
}

#[test]
fn a_mouse_drags_a_point_to_the_target() {
    let mut app = app();
    let corner = Vec3::new(0.5, 0.5, 0.5);
    let held = MouseJoint::new(corner, 1e5).with_target(Vec3::new(2.0, 3.0, 0.0));
    let one = spawn(&mut app, (RigidBody::Dynamic, cube(), held));
    run(&mut app, 30 * 64);
    let body = body(&app, one).expect("a body");
    let point = body.position() + orthant::math::quat_rotate(body.rotation(), corner);
    // Hangs below by g / ω².
    let sag = 9.81 / (2.0 * orthant::math::PI * 5.0 as Real).powi(2);
    assert_near(point, Vec3::new(2.0, 3.0 - sag, 0.0), 5e-3);
    // The center hangs below the point.
    assert!((body.center() - point).y < -0.8, "it does not hang: {}", body.center());
}

#[test]
fn dragged_into_the_ground_nothing_explodes() {
    let mut app = app();
    floor(&mut app);
    let held = MouseJoint { frequency: 1e3, ..MouseJoint::new(Vec3::ZERO, 1e6) };
    let held = held.with_target(Vec3::Y * -100.0);
    let one = spawn(&mut app, (RigidBody::Dynamic, cube(), Mass(1.0), held, at(0.0, 3.0, 0.0)));
    for _ in 0..128 {
        run(&mut app, 1);
        let v = velocity(&app, one);
        assert!(v.y < 1.0, "it is thrown up at {v}");
    }
    // Pulled sideways at once, far and fast, by no more than the force.
    let far = Vec3::new(1e3, 50.0, 0.0);
    app.world_mut().get_mut::<MouseJoint>(one).expect("held").target = far;
    run(&mut app, 20 * 64);
    assert_near(position(&app, one), far, 1e-1);
}

#[test]
fn speeds_stay_below_their_largest() {
    let mut app = app();
    let capped = (MaxLinearSpeed(5.0), MaxAngularSpeed(2.0), AngularVelocity(Vec3::Y * 30.0));
    let one = spawn(&mut app, (RigidBody::Dynamic, cube(), capped, LinearVelocity(Vec3::X * 50.0)));
    for _ in 0..64 {
        run(&mut app, 1);
        let spin = app.world().get::<AngularVelocity>(one).expect("a body").0;
        assert!(velocity(&app, one).length() <= 5.0 + 1e-5, "{}", velocity(&app, one));
        assert!(spin.length() <= 2.0 + 1e-5, "{spin}");
    }
    // The way of a second: never faster than the cap and what gravity adds in a step.
    assert!(position(&app, one).length() < 5.0 + 9.81 / 64.0, "{}", position(&app, one));
}

#[test]
fn surfaces_that_run_carry_and_wake() {
    let mut app = app();
    let belt = (RigidBody::Static, Collider::cuboid(50.0, 1.0, 4.0), at(0.0, -0.5, 0.0));
    let belt = spawn(&mut app, (belt, SurfaceVelocity(Vec3::X * 2.0)));
    let load = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    run(&mut app, 64);
    assert_near(velocity(&app, load), Vec3::X * 2.0, 1e-4);
    // Turned about, the surface runs along with its body's axes.
    let back = Transform::from_xyz(0.0, -0.5, 0.0);
    let back = back.with_rotation(bevy_math::Quat::from_rotation_y(core::f32::consts::PI));
    app.world_mut().entity_mut(belt).insert(back);
    run(&mut app, 96);
    assert_near(velocity(&app, load), Vec3::X * -2.0, 1e-4);
    // Stopped, the load falls asleep; started, it wakes.
    app.world_mut().entity_mut(belt).remove::<SurfaceVelocity>();
    run(&mut app, 5 * 64);
    assert!(app.world().get::<Sleeping>(load).is_some(), "it does not sleep");
    app.world_mut().entity_mut(belt).insert(SurfaceVelocity(Vec3::Z));
    run(&mut app, 64);
    assert_near(velocity(&app, load), -Vec3::Z, 1e-3);
}

#[test]
fn explosions_push_by_distance_and_not_through_walls() {
    let mut app = app();
    without_gravity(&mut app);
    let ball = |x| (RigidBody::Dynamic, Collider::sphere(0.5), Mass(1.0), at(x, 0.0, 0.0));
    let near = spawn(&mut app, ball(2.5));
    let far = spawn(&mut app, ball(-4.5));
    let out = spawn(&mut app, ball(-20.0));
    let wall = spawn(&mut app, (Collider::cuboid(0.1, 4.0, 4.0), at(1.0, 0.0, 0.0)));
    run(&mut app, 1);
    let open =
        |mut explosions: Explosions| explosions.explode(&Explosion::new(Vec3::ZERO, 8.0, 16.0));
    assert_eq!(run_system(&mut app, open), 2);
    run(&mut app, 1);
    // Surfaces at 2 m and 4 m of 8 m.
    assert_near(velocity(&app, near), Vec3::X * 12.0, 1e-4);
    assert_near(velocity(&app, far), Vec3::X * -8.0, 1e-4);
    assert_near(velocity(&app, out), Vec3::ZERO, 0.0);
    for one in [near, far] {
        app.world_mut().entity_mut(one).insert(LinearVelocity::default());
    }
    let behind = |mut explosions: Explosions| {
        explosions.explode(&Explosion::new(Vec3::ZERO, 8.0, 16.0).with_occlusion())
    };
    assert_eq!(run_system(&mut app, behind), 1, "the wall {wall} shelters one of them");
    run(&mut app, 1);
    assert_near(velocity(&app, near), Vec3::ZERO, 1e-6);
}
