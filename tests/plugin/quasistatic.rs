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
