//! A ball bounces, and each bounce is heard: `cargo run --release --example events`.
//!
//! `CollisionEventsEnabled` on one of the two is enough. Starts tell the impact, which is what a sound or
//! damage needs; they are messages, and events on the entity.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// What was heard: speeds of impacts [m/s], and how many collisions ended.
#[derive(Resource, Default)]
struct Heard {
    speeds: Vec<Real>,
    ends: usize,
    by_the_ball: usize,
}

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .init_resource::<Heard>()
        .add_systems(Startup, spawn)
        .add_systems(Update, hear);
    (0..3 * 64).for_each(|_| app.update());
    let heard = app.world().resource::<Heard>();
    let slower = heard.speeds.windows(2).all(|pair| pair[1] < pair[0]);
    println!("{} bounces, {} ends, each bounce slower.", heard.speeds.len(), heard.ends);
    assert!(heard.speeds.len() > 3 && slower, "it should bounce, slower and slower");
    assert_eq!(heard.by_the_ball, heard.speeds.len(), "the ball heard what the world heard");
}

fn spawn(mut commands: Commands) {
    let bouncy = Restitution::new(0.8);
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), bouncy));
    let at = Transform::from_xyz(0.0, 2.0, 0.0);
    let ball = (RigidBody::Dynamic, Collider::sphere(0.25), bouncy, at, CollisionEventsEnabled);
    // An observer on the ball itself: `on.entity` is the ball, whichever of the two it is.
    commands
        .spawn(ball)
        .observe(|_: On<CollisionStart>, mut heard: ResMut<Heard>| heard.by_the_ball += 1);
}

fn hear(
    mut starts: MessageReader<CollisionStart>,
    mut ends: MessageReader<CollisionEnd>,
    mut heard: ResMut<Heard>,
) {
    heard.ends += ends.read().count();
    for start in starts.read() {
        // A touch without a force, as of a sensor, has no impact.
        let Some(impact) = start.impact else { continue };
        println!(
            "{} hits {} at {:.2} m/s, with {:.3} N·s",
            start.collider2, start.collider1, impact.speed, impact.normal_impulse
        );
        heard.speeds.push(impact.speed);
    }
}
