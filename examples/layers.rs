//! Who meets whom: `cargo run --release --example layers`.
//!
//! Two colliders meet if each is in a layer that the other wants. A ghost wants the ground only, and falls
//! through the bridge on which the player stands.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::Vec3;
use orthant::prelude::*;

#[derive(PhysicsLayer, Default)]
enum Layer {
    /// Where all is that has no `CollisionLayers`.
    #[default]
    Ground,
    Bridge,
    Player,
    Ghost,
}

/// Who it is, and how high it must stand in the end (m).
#[derive(Component)]
struct Who(&'static str, f32);

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    (0..3 * 64).for_each(|_| app.update());
    let mut fine = true;
    let mut all = app.world_mut().query::<(&Who, &Transform)>();
    for (Who(name, height), at) in all.iter(app.world()) {
        println!("The {name} came to rest at {:.3} m.", at.translation.y);
        fine &= (at.translation.y - height).abs() < 1e-2;
    }
    assert!(fine, "somebody stands where it should not");
}

fn spawn(mut commands: Commands) {
    // Without layers it is in the first one and wants to meet all.
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let bridge = CollisionLayers::new(Layer::Bridge, Layer::Player);
    let plank = Collider::cuboid(6.0, 0.2, 2.0);
    commands.spawn((RigidBody::Static, plank, bridge, Transform::from_xyz(0.0, 1.9, 0.0)));
    let player = CollisionLayers::new(Layer::Player, [Layer::Ground, Layer::Bridge, Layer::Ghost]);
    let ghost = CollisionLayers::new(Layer::Ghost, Layer::Ground);
    let crowd = [("player", -1.0, 2.5, player), ("ghost", 1.0, 0.5, ghost)];
    for (name, x, height, layers) in crowd {
        let body = (RigidBody::Dynamic, Collider::cuboid(0.5, 1.0, 0.5));
        let at = Transform::from_xyz(x, 4.0, 0.0);
        commands.spawn((Who(name, height), body, layers, at));
    }
    // The player would meet this ghost, but it does not want to: they stand in each other.
    let body = (RigidBody::Dynamic, Collider::cuboid(0.5, 1.0, 0.5), ghost);
    commands.spawn((Who("ghost below the player", 0.5), body, Transform::from_xyz(-1.0, 3.5, 0.0)));
}
