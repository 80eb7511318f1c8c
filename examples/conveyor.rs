//! Two conveyor belts and what rides on them: `cargo run --release --example conveyor`.
//!
//! A belt is a static box whose surface runs: a system between two stages of the step gives its contacts
//! a surface velocity. A crate and a lying cylinder are carried to the end of the first belt, drop to the
//! second, which runs across, and are carried off. A picture goes to `out/conveyor.svg`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{DVec3, Vec3};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// A surface that runs at this velocity (m/s), in world axes.
#[derive(Component)]
struct Belt(Vec3);

#[derive(Component)]
struct Cargo(&'static str);

fn main() -> AppExit {
    println!("Two belts, the second one lower and across, at 1.5 m/s and 1 m/s.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(PhysicsSchedule, run_belts.in_set(PhysicsStepSystems::ModifyContacts))
        .add_systems(FixedLast, tell);
    app.insert_non_send(Film::new(DVec3::new(0.7, 0.7, 1.2), 8, 6, 3));
    app.run()
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let belt = |velocity, size: Vec3, at: Transform| {
        (Belt(velocity), RigidBody::Static, Collider::cuboid(size.x, size.y, size.z), at)
    };
    let first = Transform::from_xyz(-1.5, 0.9, 0.0);
    commands.spawn(belt(Vec3::X * 1.5, Vec3::new(4.0, 0.2, 1.0), first));
    let second = Transform::from_xyz(1.2, 0.4, 0.5);
    commands.spawn(belt(Vec3::Z, Vec3::new(1.3, 0.2, 3.5), second));
    let cargo = [
        ("crate", Collider::cuboid(0.4, 0.4, 0.4), -3.0),
        ("pipe", Collider::capsule(0.15, 0.5), -2.0),
        ("parcel", Collider::cuboid(0.5, 0.2, 0.3), -1.0),
    ];
    for (name, collider, x) in cargo {
        // The pipe lies along the belt and is carried like the others.
        let mut at = Transform::from_xyz(x, 1.3, 0.0);
        if name == "pipe" {
            at.rotate_z(core::f32::consts::FRAC_PI_2);
        }
        commands.spawn((Cargo(name), RigidBody::Dynamic, collider, at));
    }
}

/// Gives the contacts of belts their surface velocity.
fn run_belts(mut pairs: CollisionPairs, belts: Query<&Belt>) {
    for mut pair in pairs.iter_mut() {
        for collider in [pair.collider1, pair.collider2] {
            if let Ok(belt) = belts.get(collider) {
                pair.set_surface_velocity(collider, belt.0);
            }
        }
    }
}

fn tell(
    cargo: Query<(&Cargo, &Transform, &LinearVelocity)>,
    physics: Res<PhysicsWorld>,
    time: Res<Time<Fixed>>,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut told: Local<usize>,
) {
    const MOMENTS: [f64; 6] = [0.0, 1.0, 2.0, 3.0, 4.5, 7.0];
    let seconds = time.elapsed_secs_f64();
    if MOMENTS.get(*told).is_some_and(|&moment| seconds >= moment) {
        *told += 1;
        println!("{seconds:5.2} s");
        for (Cargo(name), at, velocity) in &cargo {
            let (p, v) = (at.translation, velocity.0);
            println!(
                "         {name:7} at ({:5.2}, {:4.2}, {:5.2}) m, moves at ({:5.2}, {:5.2}, {:5.2}) m/s",
                p.x, p.y, p.z, v.x, v.y, v.z
            );
        }
        film.shoot(format!("{seconds:.1} s"), physics.engine(), color);
    }
    if *told == MOMENTS.len() {
        // Everything has left the second belt at its far end.
        let off = cargo.iter().all(|(_, at, _)| at.translation.z > 2.2);
        println!("\n{}", if off { "All of it was carried off." } else { "Something got stuck." });
        film.save("out/conveyor.svg");
        exit.write(if off { AppExit::Success } else { AppExit::error() });
    }
}

fn color(body: &Body) -> Option<Rgb> {
    let index = body.id().0 as usize;
    Some(if body.is_dynamic() { PALETTE[index % PALETTE.len()] } else { Rgb::hex(0x6f7b8c) })
}
