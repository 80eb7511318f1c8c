//! A tower with its heaviest crate on top: `cargo run --release --example stacking`.
//!
//! Nothing needs to be tuned, and nothing is asleep: the tower stands because its forces are solved for.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// How many crates, each of 1 m.
const CRATES: u8 = 10;
/// How many times as dense as the others the uppermost one is.
const HEAVY: Real = 100.0;

#[derive(Component)]
struct Top;

fn main() {
    println!("{CRATES} crates on each other, the uppermost {HEAVY} times as heavy as the others.");
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .insert_resource(SleepConfig::disabled())
        .add_systems(Startup, spawn);
    for second in 1..=10 {
        (0..64).for_each(|_| app.update());
        let [sunk, aside] = moved(&mut app);
        println!("{second:2} s: the uppermost sank by {sunk:.4} mm, moved aside by {aside:.4} mm");
    }
    println!("The last step: {}", **app.world().resource::<StepReport>());
    let [sunk, aside] = moved(&mut app);
    assert!(sunk.abs() < 1.0 && aside < 1.0, "the tower does not stand as it was built");
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    for i in 0..CRATES {
        let at = Transform::from_xyz(0.0, 0.5 + f32::from(i), 0.0);
        let crate_ = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at);
        if i + 1 == CRATES {
            commands.spawn((crate_, ColliderDensity(HEAVY), Top));
        } else {
            commands.spawn(crate_);
        }
    }
}

/// How far the uppermost crate came down and aside since the start (mm).
fn moved(app: &mut App) -> [f32; 2] {
    let mut top = app.world_mut().query_filtered::<&Transform, With<Top>>();
    let at = top.single(app.world()).expect("there is one").translation;
    [1e3 * (f32::from(CRATES) - 0.5 - at.y), 1e3 * at.x.hypot(at.z)]
}
