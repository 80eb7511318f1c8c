//! Bodies shown between fixed steps: evenly, where they are, and never read back.

use super::*;
use bevy_math::Vec3 as V;
use bevy_time::{Fixed, Time, Virtual};
use bevy_transform::components::GlobalTransform;
use core::time::Duration;

/// An app of so many frames a second.
fn at_rate(rate: f64, easing: PhysicsInterpolationPlugin) -> App {
    let mut app = App::new();
    let physics = PhysicsPlugins::default().set(easing);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / rate)));
    app.update();
    app
}

const RATES: [f64; 4] = [30.0, 60.0, 144.0, 240.0];
/// The length of a step (s).
const H: f32 = 1.0 / 64.0;

/// The time that has passed in steps and since (s).
fn now(app: &App) -> f32 {
    let time = app.world().resource::<Time<Fixed>>();
    time.elapsed_secs() + time.overstep().as_secs_f32()
}

fn shown(app: &App, entity: Entity) -> GlobalTransform {
    *app.world().get::<GlobalTransform>(entity).expect("it has a transform")
}

#[test]
fn an_even_motion_is_shown_evenly_at_any_rate() {
    for rate in RATES {
        for (easing, late) in [
            (PhysicsInterpolationPlugin::interpolate_all(), H),
            (PhysicsInterpolationPlugin::extrapolate_all(), 0.0),
        ] {
            let mut app = at_rate(rate, easing);
            without_gravity(&mut app);
            let begin = now(&app);
            let moving = (LinearVelocity(Vec3::X * 3.0), AngularVelocity(Vec3::Y * 2.0));
            let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.5), moving));
            let child = spawn(&mut app, (at(0.0, 0.0, 2.0), ChildOf(ball)));
            // The body is there from the first step on, which ends a step later.
            let begin = begin - app.world().resource::<Time<Fixed>>().overstep().as_secs_f32();
            for _ in 0..rate as usize {
                app.update();
                let passed = now(&app) - begin - late;
                if passed < 2.0 * H {
                    continue;
                }
                let (_, rotation, position) = shown(&app, ball).to_scale_rotation_translation();
                let apart = position.distance(V::X * 3.0 * passed);
                assert!(apart < 0.01 * 3.0 * H, "{rate} Hz: {apart} m at {passed} s");
                let turned = bevy_math::Quat::from_rotation_y(2.0 * passed);
                let apart = rotation.angle_between(turned);
                assert!(apart < 0.01 * 2.0 * H + 1e-3, "{rate} Hz: {apart} rad at {passed} s");
                let apart =
                    shown(&app, child).translation().distance(position + rotation * V::Z * 2.0);
                assert!(apart < 1e-5, "{rate} Hz: the child is {apart} m off");
            }
        }
    }
}

#[test]
fn a_body_below_a_scaled_parent_is_shown_evenly() {
    for rate in RATES {
        let mut app = at_rate(rate, PhysicsInterpolationPlugin::by_component());
        without_gravity(&mut app);
        let turned = Transform::from_xyz(1.0, 2.0, 3.0)
            .with_rotation(bevy_math::Quat::from_rotation_z(0.7))
            .with_scale(V::splat(2.0));
        let parent = spawn(&mut app, turned);
        let moving = (LinearVelocity(Vec3::X * 3.0), TransformInterpolation, ChildOf(parent));
        let ball = spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.5), moving));
        app.update();
        run(&mut app, rate as usize / 4);
        let (from, start) = (shown(&app, ball).translation(), now(&app));
        for _ in 0..rate as usize / 2 {
            app.update();
            let expected = from + V::X * 3.0 * (now(&app) - start);
            let apart = shown(&app, ball).translation().distance(expected);
            assert!(apart < 0.01 * 3.0 * H, "{rate} Hz: {apart} m");
        }
    }
}

#[test]
fn what_is_placed_elsewhere_is_there_at_once() {
    for rate in RATES {
        let mut app = at_rate(rate, PhysicsInterpolationPlugin::interpolate_all());
        without_gravity(&mut app);
        let moving = (RigidBody::Dynamic, Collider::sphere(0.5), LinearVelocity(Vec3::X * 3.0));
        let ball = spawn(&mut app, moving);
        run(&mut app, 20);
        for k in 1..10 {
            let place = V::new(0.0, 100.0 * k as f32, 0.0);
            app.world_mut().get_mut::<Transform>(ball).expect("alive").translation = place;
            for frame in 0..(rate as usize / 7) {
                app.update();
                let gone = shown(&app, ball).translation() - place;
                let most = 3.0 * ((frame + 1) as f32 / rate as f32 + H) + 1e-4;
                let on_its_way =
                    gone.x >= -1e-4 && gone.x <= most && gone.with_x(0.0).length() < 1e-4;
                assert!(on_its_way, "{rate} Hz: {gone} from there, at most {most}");
            }
        }
    }
}

#[test]
fn what_is_shown_is_never_read_back() {
    type Poses = Vec<(Vec3, [Real; 4])>;
    let poses = |easing: PhysicsInterpolationPlugin| -> Poses {
        let mut app = at_rate(144.0, easing);
        floor(&mut app);
        for k in 0..4 {
            let place = at(0.2 * k as f32, 0.6 + 1.1 * k as f32, 0.0);
            let cube = spawn(&mut app, (RigidBody::Dynamic, cube(), place));
            let arm = at(1.5, 0.0, 0.0);
            spawn(&mut app, (RigidBody::Dynamic, Collider::sphere(0.3), arm, ChildOf(cube)));
        }
        for frame in 0..300 {
            app.update();
            match frame {
                60 => app.world_mut().resource_mut::<Time<Virtual>>().pause(),
                70 => app.world_mut().resource_mut::<Time<Virtual>>().unpause(),
                100 => app.world_mut().resource_mut::<Time<Physics>>().pause(),
                110 => app.world_mut().resource_mut::<Time<Physics>>().unpause(),
                130 => sync_physics(app.world_mut()),
                _ => {}
            }
        }
        let bodies = physics(&app).engine().bodies();
        bodies.iter().map(|b| (b.position(), b.rotation().to_array())).collect()
    };
    let plain = poses(PhysicsInterpolationPlugin::by_component());
    assert_eq!(plain, poses(PhysicsInterpolationPlugin::interpolate_all()), "to the last bit");
    assert_eq!(plain, poses(PhysicsInterpolationPlugin::extrapolate_all()), "to the last bit");
}

#[test]
fn what_rests_is_not_written_and_fixed_systems_see_the_body() {
    #[derive(Resource, Default)]
    struct Seen(usize, Vec<V>);
    let mut app = at_rate(240.0, PhysicsInterpolationPlugin::interpolate_all());
    without_gravity(&mut app);
    app.init_resource::<Seen>();
    let resting = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.3, 0.4, 0.5)));
    let moving = (RigidBody::Dynamic, cube(), at(9.0, 0.0, 0.0), LinearVelocity(Vec3::Y));
    let moving = spawn(&mut app, moving);
    run(&mut app, 20);
    let count = move |changed: Query<(), Changed<Transform>>, mut seen: ResMut<Seen>| {
        seen.0 += usize::from(changed.contains(resting));
    };
    let look = move |places: Query<&Transform>, mut seen: ResMut<Seen>| {
        seen.1.push(places.get(moving).expect("alive").translation);
    };
    app.add_systems(Last, count).add_systems(FixedUpdate, look);
    app.update();
    *app.world_mut().resource_mut::<Seen>() = Seen::default();
    run(&mut app, 100);
    let seen = app.world().resource::<Seen>();
    assert_eq!(seen.0, 0, "what rests triggers no change detection");
    assert!(seen.1.len() > 20, "steps in it");
    for pair in seen.1.windows(2) {
        let way = pair[1].y - pair[0].y;
        assert!((way - H).abs() < 1e-5, "the poses of steps, not those shown: {way} m");
    }
}

#[test]
fn a_body_that_is_no_longer_eased_is_where_it_is() {
    let mut app = at_rate(240.0, PhysicsInterpolationPlugin::by_component());
    without_gravity(&mut app);
    let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X * 3.0));
    let cube = spawn(&mut app, (moving, TransformInterpolation));
    run(&mut app, 42);
    let is = body(&app, cube).expect("a body").position();
    assert!((position(&app, cube) - is).length() > 1e-3, "it is shown late");
    app.world_mut().entity_mut(cube).remove::<TransformInterpolation>();
    assert_near(position(&app, cube), is, 1e-6);
    for _ in 0..8 {
        run(&mut app, 1);
        let is = body(&app, cube).expect("a body").position();
        assert_near(position(&app, cube), is, 1e-6);
    }
    app.world_mut().entity_mut(cube).insert(TransformInterpolation);
    run(&mut app, 42);
    let last_shown = position(&app, cube);
    app.world_mut().entity_mut(cube).insert(NoTransformEasing);
    run(&mut app, 1);
    let is = body(&app, cube).expect("a body").position();
    assert_near(position(&app, cube), is, 1e-6);
    // Where it was shown last it can be placed as anywhere.
    run(&mut app, 240);
    let mut place = app.world_mut().get_mut::<Transform>(cube).expect("a place");
    place.translation = single3(last_shown);
    run(&mut app, 8);
    assert_near(position(&app, cube), last_shown, 0.2);
}

/// Products of rotations of such a length are no numbers, and were shown. Found by components of random
/// bytes.
#[test]
fn regression_a_rotation_of_any_length_is_shown_as_one() {
    let mut app = at_rate(240.0, PhysicsInterpolationPlugin::by_component());
    let spinning = (RigidBody::Dynamic, cube(), AngularVelocity(Vec3::Y * 3.0));
    let cube = spawn(&mut app, (spinning, TransformInterpolation));
    run(&mut app, 20);
    let mut transform = app.world_mut().get_mut::<Transform>(cube).expect("a place");
    transform.rotation = bevy_math::Quat::from_xyzw(0.0, 1e30, 0.0, 1e30);
    for _ in 0..20 {
        run(&mut app, 1);
        let shown = app.world().get::<Transform>(cube).expect("a place");
        assert!(shown.rotation.is_finite(), "{shown:?}");
    }
}

/// With the feature `interpolation` all bodies are eased without a line, without it none.
#[test]
fn the_feature_eases_all_bodies() {
    let mut app = at_rate(240.0, PhysicsInterpolationPlugin::default());
    without_gravity(&mut app);
    let moving = (RigidBody::Dynamic, cube(), LinearVelocity(Vec3::X * 3.0));
    let cube = spawn(&mut app, moving);
    run(&mut app, 42);
    let is = body(&app, cube).expect("a body").position();
    let late = (position(&app, cube) - is).length() > 1e-3;
    assert_eq!(late, cfg!(feature = "interpolation"), "it is at {is}");
}
