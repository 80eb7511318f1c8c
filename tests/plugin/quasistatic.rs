//! Quasistatic steps in an app.

use super::*;

/// A pusher leads a cube along the floor; when it stops, so does the cube, at once, and what hangs in the air
/// is told about once and stays.
#[test]
fn what_is_pushed_stops_with_its_pusher() {
    let mut app = app();
    listen(&mut app);
    app.insert_resource(StepConfig::quasistatic());
    floor(&mut app);
    let pushed = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    let lost = spawn(&mut app, (RigidBody::Dynamic, cube(), at(5.0, 3.0, 0.0)));
    let shape = Collider::cuboid(0.2, 1.0, 1.0);
    let pusher = spawn(&mut app, (RigidBody::Kinematic, shape, at(-0.65, 0.5, 0.0)));
    let lead = |app: &mut App, speed: Real| {
        app.world_mut().entity_mut(pusher).insert(LinearVelocity(Vec3::X * speed));
    };
    lead(&mut app, 0.15);
    run(&mut app, 64);
    let [ahead, before] = [pushed, pusher].map(|of| position(&app, of).x);
    assert!((ahead - before - 0.6).abs() < 1e-3, "{ahead} before {before}");
    assert!(ahead > 0.08, "it went along: {ahead}");
    lead(&mut app, 0.0);
    run(&mut app, 2);
    let stopped = position(&app, pushed);
    run(&mut app, 60);
    assert!((position(&app, pushed) - stopped).length() < 1e-6, "it does not slide on");
    assert_eq!(position(&app, lost).y, 3.0, "it does not fall");
    let expected = PhysicsError { entity: lost, error: PhysicsErrorKind::Unbalanced };
    assert_eq!(told(&mut app), [expected], "told once");
    // Newton's law again.
    app.insert_resource(StepConfig::default());
    run(&mut app, 60);
    assert!(position(&app, lost).y < 1.0, "it falls");
}

/// A drawer between two walls that is pushed beside its middle is jammed where friction holds it, which is
/// told once; nearer to the middle it goes in and nothing is told.
#[test]
fn a_jammed_drawer_is_told_once() {
    for (beside, sticks) in [(0.2, false), (0.56, true)] {
        let mut app = app();
        listen(&mut app);
        app.insert_resource(StepConfig::quasistatic()).insert_resource(Gravity(Vec3::ZERO));
        let gap = 1e-5;
        for side in [-1.0, 1.0] {
            let wall = (RigidBody::Static, Collider::cuboid(4.0, 1.0, 0.5), Friction::new(1.0));
            spawn(&mut app, (wall, at(2.0, 0.0, side * (0.35 + gap))));
        }
        let part = |x, y, z| (Collider::cuboid(x, y, z), Friction::new(0.0));
        let axes = LockedAxes::new().lock_translation_y().lock_rotation_x().lock_rotation_z();
        let turned = bevy_math::Quat::from_rotation_y(2.0 * gap / 0.4);
        let place = Transform::from_xyz(0.0, 0.0, gap).with_rotation(turned);
        let drawer = spawn(&mut app, (RigidBody::Dynamic, axes, place));
        let children =
            [(part(1.4, 1.0, 0.2), at(-0.3, 0.0, 0.0)), (part(0.1, 1.0, 1.2), at(-1.05, 0.0, 0.0))];
        for child in children {
            spawn(&mut app, (child, ChildOf(drawer)));
        }
        let finger = (RigidBody::Kinematic, Collider::sphere(0.05), Friction::new(0.0));
        let push = LinearVelocity(Vec3::X * 0.06);
        spawn(&mut app, (finger, push, at(-1.15, 0.0, beside)));
        run(&mut app, 20);
        let jammed = PhysicsError { entity: drawer, error: PhysicsErrorKind::Jammed };
        let told = told(&mut app);
        assert_eq!(told.contains(&jammed), sticks, "{beside} m: {told:?}");
        assert_eq!(told.len(), usize::from(sticks), "{beside} m: {told:?}");
    }
}
