//! A ragdoll falls and comes to rest: `cargo run --release --example ragdoll`.
//!
//! Neck, waist, shoulders and hips are ball joints with a cone to swing in and limits of their twist;
//! elbows and knees are hinges that bend one way. A little friction in each is what makes it lie still.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// How high it starts (m), and when it must sleep at the latest (s).
const HEIGHT: f32 = 2.0;
const TIME_MAX: f32 = 20.0;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    let (mut seconds, mut worst) = (0.0, 0.0);
    loop {
        app.update();
        seconds += 1.0 / 64.0;
        let report = app.world().resource::<StepReport>();
        worst = Real::max(worst, report.joint_error);
        let sleeps = report.dynamic_bodies > 0 && report.sleeping == report.dynamic_bodies;
        if seconds % 1.0 == 0.0 || sleeps {
            println!("{seconds:5.2} s: {}", **report);
        }
        assert!(seconds < TIME_MAX, "it does not come to rest");
        if sleeps {
            break;
        }
    }
    println!("It sleeps; its joints were never more than {:.1} µm apart.", 1e6 * worst);
    assert!(worst < 1e-2, "its joints came apart");
}

fn spawn(mut commands: Commands) -> Result {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), Friction::new(0.6)));
    let start = Transform::from_xyz(0.0, HEIGHT, 0.0);
    let doll = Skeleton::human(1.8).spawn(&mut commands, start)?;
    for bone in doll.bones {
        // The doll turns forward as it falls.
        commands.entity(bone).insert((Friction::new(0.6), AngularVelocity(Vec3::X)));
    }
    Ok(())
}
