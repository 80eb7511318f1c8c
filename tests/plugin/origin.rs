//! Positions in full precision and an origin that moves: what is shown moves, the world does not.

use super::*;
use bevy_time::Time;
use bevy_transform::components::GlobalTransform;

/// Moves the origin at once.
fn move_origin(app: &mut App, to: Vec3) {
    app.world_mut().commands().queue(MoveOrigin(to));
    app.world_mut().flush();
}

fn origin(app: &App) -> FloatingOrigin {
    *app.world().resource::<FloatingOrigin>()
}

fn place(app: &App, entity: Entity) -> Vec3 {
    body(app, entity).expect("a body").position()
}

/// Where an entity is shown in the world.
fn shown(app: &App, entity: Entity) -> Vec3 {
    let global = app.world().get::<GlobalTransform>(entity).expect("it has a transform");
    origin(app).in_world(global.translation())
}

/// A floor, a group of what is below others, a lift, boxes that fall on each other: all of their bodies.
fn scene(app: &mut App) -> Vec<Entity> {
    let mut all = vec![floor(app)];
    let group = spawn(app, at(5.0, 1.0, 2.0));
    all.push(spawn(app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 0.5), ChildOf(group))));
    all.push(spawn(app, (Collider::sphere(1.0), at(1.0, 0.0, 0.5), ChildOf(group))));
    let lift = (RigidBody::Kinematic, cube(), at(-4.0, 0.5, 0.0), LinearVelocity(Vec3::Y));
    all.push(spawn(app, lift));
    let load = (RigidBody::Dynamic, cube(), at(0.2, 1.2, 0.1), ChildOf(all[3]));
    all.push(spawn(app, load));
    for i in 0..5_u8 {
        let place = at(0.3 * f32::from(i % 2), 0.6 + 1.1 * f32::from(i), 0.0);
        all.push(spawn(app, (RigidBody::Dynamic, cube(), place, TransformInterpolation)));
    }
    all
}

/// The engine does not see that the origin moves: same bits as in a world whose origin stays.
#[test]
fn the_world_does_not_feel_that_the_origin_moves() {
    let (mut still, mut moved) = (app(), app());
    let bodies = scene(&mut still);
    assert_eq!(bodies, scene(&mut moved), "the same entities");
    for step in 0..120_i16 {
        if step % 20 == 7 {
            let stride = Vec3::new(300.1, -7.7, 55.5) * Real::from(step / 20 - 2);
            move_origin(&mut moved, stride);
        }
        still.update();
        moved.update();
        for &entity in &bodies {
            let (a, b) = (body(&still, entity), body(&moved, entity));
            let pose = |body: Option<&Body>| body.map(|body| (body.position(), body.rotation()));
            assert_eq!(pose(a), pose(b), "{entity}, step {step}");
            // A kilometre in single precision, twice.
            assert_near(shown(&moved, entity), shown(&still, entity), 3e-4);
        }
    }
    assert_ne!(origin(&moved), FloatingOrigin::default(), "it was moved");
    assert!(place(&still, bodies[9]).y > 3.0, "and they stand on each other");
}

#[test]
fn transforms_are_relative_to_the_origin() {
    let mut app = app();
    without_gravity(&mut app);
    let far = Vec3::new(4096.0, 0.0, -512.0);
    move_origin(&mut app, far);
    let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), at(1.0, 2.0, 3.0)));
    let wall = spawn(&mut app, (Collider::cuboid(1.0, 1.0, 1.0), at(9.0, 2.0, 3.0)));
    let eye = RayCaster::new(Vec3::ZERO, bevy_math::Dir3::X);
    let eye = spawn(&mut app, (eye, at(4.0, 2.0, 3.0)));
    run(&mut app, 2);
    assert_eq!(place(&app, cube), far + Vec3::new(1.0, 2.0, 3.0), "spawned");
    assert_eq!(place(&app, wall), far + Vec3::new(9.0, 2.0, 3.0), "spawned without a body");
    let hits = app.world().get::<RayHits>(eye).expect("it casts");
    assert_eq!(hits.first().map(|hit| (hit.entity, hit.distance)), Some((wall, 4.5)), "{hits:?}");
    app.world_mut().get_mut::<Transform>(cube).expect("a body").translation.x = -2.0;
    run(&mut app, 1);
    assert_eq!(place(&app, cube), far + Vec3::new(-2.0, 2.0, 3.0), "teleported");
    // What was written before the origin moves is relative to where that was.
    app.world_mut().get_mut::<Transform>(cube).expect("a body").translation.y = 7.0;
    move_origin(&mut app, Vec3::ZERO);
    run(&mut app, 1);
    assert_eq!(place(&app, cube), far + Vec3::new(-2.0, 7.0, 3.0), "teleported, origin moved");
    assert_eq!(position(&app, cube), place(&app, cube), "it is shown there");
    assert_eq!(position(&app, wall), far + Vec3::new(9.0, 2.0, 3.0), "the wall, too");
}

#[test]
fn an_origin_out_of_range_is_refused() {
    let mut app = app();
    move_origin(&mut app, Vec3::X);
    for place in [Vec3::splat(Real::NAN), Vec3::Y * Real::INFINITY] {
        move_origin(&mut app, place);
        assert_eq!(origin(&app).get(), Vec3::X, "{place}");
    }
}

#[test]
fn a_position_places_its_body_and_follows_it() {
    let mut app = app();
    without_gravity(&mut app);
    let start = Vec3::new(10.0, 20.0, 30.0);
    let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X * 64.0));
    let cube = spawn(&mut app, (moving, Position(start), at(-5.0, 0.0, 0.0)));
    let read = |app: &App| app.world().get::<Position>(cube).expect("it has one").0;
    app.update();
    assert_near(read(&app), start + Vec3::X, 1e-5);
    assert_near(position(&app, cube), start + Vec3::X, 1e-5);
    app.world_mut().get_mut::<Position>(cube).expect("it has one").0 = -start;
    app.update();
    assert_near(place(&app, cube), Vec3::X - start, 1e-5);
    assert_eq!(velocity(&app, cube), Vec3::X * 64.0, "its velocity stays");
    // A transform places it as well.
    app.world_mut().get_mut::<Transform>(cube).expect("it has one").translation.y = 1.0;
    app.update();
    assert_near(read(&app), Vec3::new(2.0 - start.x, 1.0, -start.z), 1e-5);
    // Inserted anew it counts, whatever it was before.
    let before = read(&app);
    app.world_mut().entity_mut(cube).remove::<Position>();
    run(&mut app, 5);
    app.world_mut().entity_mut(cube).insert(Position(before));
    app.world_mut().resource_mut::<Time<Physics>>().pause();
    app.update();
    assert_eq!((place(&app, cube), position(&app, cube)), (before, before), "while paused");
    // A position that is no number is told, and the body stays.
    app.world_mut().resource_mut::<Time<Physics>>().unpause();
    listen(&mut app);
    app.world_mut().get_mut::<Position>(cube).expect("it has one").0.x = Real::NAN;
    app.update();
    assert!(matches!(told(&mut app)[..], [PhysicsError { entity, .. }] if entity == cube));
    assert_near(place(&app, cube), before + Vec3::X, 1e-5);
    assert_near(read(&app), before + Vec3::X, 1e-5);
}

/// The position is the truth: what goes far away and comes back is where it was.
#[test]
fn scenery_comes_back_to_where_it_was() {
    let mut app = app();
    let point = Vec3::new(1.2, 3.4, 5.6);
    let lamp = spawn(&mut app, Position(point));
    let bulb = spawn(&mut app, (at(0.0, 1.0, 0.0), ChildOf(lamp)));
    app.update();
    let before = shown(&app, bulb);
    for place in [Vec3::splat(3.0e5), Vec3::new(-2.0e5, 7.0, 1.0e5), Vec3::ZERO] {
        move_origin(&mut app, place);
        app.update();
    }
    assert_eq!(shown(&app, bulb), before, "with what is below it");
    app.world_mut().get_mut::<Position>(lamp).expect("it has one").0.x = -1.0;
    app.update();
    assert_eq!(position(&app, lamp), from_single3(single3(Vec3::new(-1.0, 3.4, 5.6))), "led");
}

#[test]
fn a_restored_world_is_shown_from_the_origin_of_now() {
    let mut app = app();
    without_gravity(&mut app);
    let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X), Position(Vec3::Y));
    let cube = spawn(&mut app, moving);
    app.update();
    let snapshot = PhysicsSnapshot::take(app.world_mut()).expect("between steps");
    let before = place(&app, cube);
    move_origin(&mut app, Vec3::new(64.0, 0.0, 0.0));
    run(&mut app, 30);
    snapshot.restore(app.world_mut()).expect("between steps");
    assert_eq!(place(&app, cube), before, "back");
    assert_eq!(app.world().get::<Position>(cube), Some(&Position(before)), "told");
    assert_near(position(&app, cube), before - Vec3::X * 64.0, 1e-5);
}

/// Ten thousand kilometres away a body is shown as smoothly as near the origin, at any frame rate, while the
/// origin follows it.
#[cfg(feature = "f64")]
#[test]
fn far_away_all_is_smooth() {
    use bevy_time::Fixed;
    use core::time::Duration;

    let start = Vec3::new(1.0e7 + 0.123_456_789, -3.0e6, 5.0e6);
    for rate in [60.0, 144.0] {
        let mut app = App::new();
        let physics = PhysicsPlugins::default().set(PhysicsInterpolationPlugin::interpolate_all());
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
        let frame = Duration::from_secs_f64(1.0 / rate);
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.update();
        without_gravity(&mut app);
        move_origin(&mut app, start);
        let speed = Vec3::new(7.0, 1.0, -2.0);
        let turn = AngularVelocity(Vec3::Y * 2.0);
        let moving = (RigidBody::Dynamic, cube(), LinearVelocity(speed), turn, Position(start));
        let ship = spawn(&mut app, moving);
        let mast = spawn(&mut app, (at(0.0, 2.0, 0.0), ChildOf(ship)));
        let now = |app: &App| {
            let time = app.world().resource::<Time<Fixed>>();
            time.elapsed_secs_f64() + time.overstep().as_secs_f64()
        };
        let steps = |app: &App| app.world().resource::<Time<Fixed>>().elapsed_secs_f64();
        let begin = steps(&app);
        let (mut worst, mut single, mut frames) = (0.0, 0.0, 0);
        while now(&app) < begin + 4.0 {
            app.update();
            frames += 1;
            if frames % 50 == 0 {
                let stride = app.world().get::<Transform>(ship).expect("a ship").translation;
                let to = origin(&app).in_world(stride);
                move_origin(&mut app, to);
                continue;
            }
            // Shown is what was a step ago.
            let passed = now(&app) - begin - 1.0 / 64.0;
            if passed > 2.0 / 64.0 {
                let ideal = start + speed * passed;
                worst = Real::max(worst, shown(&app, ship).distance(ideal));
                worst = Real::max(worst, shown(&app, mast).distance(ideal + Vec3::Y * 2.0));
                single = Real::max(single, from_single3(single3(ideal)).distance(ideal));
            }
        }
        assert!(worst < 1e-4, "{rate} Hz: {worst} m off");
        assert!(single > 0.25, "a `Transform` alone would be {single} m off");
        assert!(frames > 200, "{frames} frames");
        let read = app.world().get::<Position>(ship).expect("it has one").0;
        let made = steps(&app) - begin;
        // Rounding of 1e7 m in each of 256 steps, at worst.
        assert_near(read, start + speed * made, 256.0 * 1e7 * Real::EPSILON);
    }
}
