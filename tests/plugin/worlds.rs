//! Several worlds in one app, each stepped by hand.

use super::*;
use std::time::Duration;

/// A world beside that of the app.
#[derive(Resource)]
struct Beside(World);

/// A world with physics, for a resource.
fn beside() -> World {
    let mut app = App::new();
    app.add_plugins(as_it_is(PhysicsPlugins::default()));
    std::mem::take(app.world_mut())
}

fn heap(world: &mut World) -> Vec<Entity> {
    world.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let place = |i: usize| at(0.1 * i as f32, 0.6 + 1.1 * i as f32, 0.05 * i as f32);
    (0..4).map(|i| world.spawn((RigidBody::Dynamic, cube(), place(i))).id()).collect()
}

fn places(world: &World, entities: &[Entity]) -> Vec<Transform> {
    let place = |&entity: &Entity| *world.get::<Transform>(entity).expect("a body");
    entities.iter().map(place).collect()
}

#[test]
fn a_world_beside_runs_as_that_of_the_app() {
    let mut app = app();
    let here = heap(app.world_mut());
    let mut other = beside();
    let there = heap(&mut other);
    let step = app.world().resource::<bevy_time::Time<bevy_time::Fixed>>().timestep();
    app.insert_resource(Beside(other));
    // Systems have both, and step the other as far as they like.
    app.add_systems(Update, move |mut beside: ResMut<Beside>| step_physics(&mut beside.0, step));
    run(&mut app, 90);
    let other = &app.world().resource::<Beside>().0;
    assert_eq!(places(app.world(), &here), places(other, &there), "same steps, same bits");
    let exact = |physics: &PhysicsWorld| {
        let bodies = physics.engine().bodies().iter();
        bodies
            .map(|body| (body.position(), body.rotation(), body.linear_velocity))
            .collect::<Vec<_>>()
    };
    assert_eq!(exact(physics(&app)), exact(other.resource::<PhysicsWorld>()));
}

#[test]
fn worlds_have_their_own_bodies_gravity_and_clock() {
    let (mut one, mut two) = (beside(), beside());
    two.insert_resource(Gravity::ZERO);
    let ball = |world: &mut World| world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
    let (a, b) = (ball(&mut one), ball(&mut two));
    let step = Duration::from_millis(10);
    for _ in 0..20 {
        step_physics(&mut one, step);
    }
    step_physics(&mut two, step);
    step_physics(&mut two, Duration::ZERO);
    let steps = |world: &World| world.resource::<StepReport>().step;
    assert_eq!((steps(&one), steps(&two)), (20, 1));
    // Free fall is exact: g t² / 2 after 0.2 s.
    let fallen = one.get::<Transform>(a).expect("a body").translation.y;
    assert!((fallen + 9.81 * 0.5 * 0.04).abs() < 1e-5, "{fallen}");
    assert_eq!(two.get::<Transform>(b).expect("a body").translation, bevy_math::Vec3::ZERO);
    let elapsed = one.resource::<bevy_time::Time<Physics>>().elapsed();
    assert_eq!(elapsed, 20 * step);
}
