//! A platform one can jump through from below: `cargo run --release --example one_way_platform`.
//!
//! A system between two stages of the step looks at the contacts of platforms: where something comes
//! from below or from the side it takes them away, and remembers who is passing until it is out. A
//! picture goes to `out/one_way_platform.svg`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::math::{DVec3, Vec3};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::Rgb;

/// What lets pass who comes from below, and who is passing.
#[derive(Component, Default)]
struct OneWay {
    passing: Vec<Entity>,
}

#[derive(Component)]
struct Jumper;

fn main() -> AppExit {
    println!("A cube jumps through a platform and lands on it; a second one falls onto it.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(PhysicsSchedule, pass.in_set(PhysicsStepSystems::ModifyContacts))
        .add_systems(FixedLast, tell);
    app.insert_non_send(Film::new(DVec3::new(0.5, 0.35, 1.6), 6, 2, 3));
    app.run()
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let platform = Collider::cuboid(3.0, 0.2, 1.0);
    let at = Transform::from_xyz(0.0, 1.5, 0.0);
    commands.spawn((OneWay::default(), RigidBody::Static, platform, at));
    let cube = Collider::cuboid(0.5, 0.5, 0.5);
    let jump = LinearVelocity(Vec3::Y * 7.0);
    let at = Transform::from_xyz(-0.6, 0.25, 0.0);
    commands.spawn((Jumper, RigidBody::Dynamic, cube.clone(), at, jump));
    commands.spawn((RigidBody::Dynamic, cube, Transform::from_xyz(0.7, 2.6, 0.0)));
}

/// Takes away the contacts of those who do not come from above.
fn pass(mut pairs: CollisionPairs, mut platforms: Query<&mut OneWay>) {
    let mut near = Vec::new();
    for mut pair in pairs.iter_mut() {
        let (platform, other, up) = if platforms.contains(pair.collider1) {
            (pair.collider1, pair.collider2, 1.0)
        } else if platforms.contains(pair.collider2) {
            (pair.collider2, pair.collider1, -1.0)
        } else {
            continue;
        };
        let Ok(mut one_way) = platforms.get_mut(platform) else { continue };
        let Some(normal) = pair.normal() else { continue };
        near.push(other);
        let from_above = normal.y * up > 0.7 && pair.gap().is_some_and(|gap| gap > -0.05);
        let passing = one_way.passing.contains(&other);
        if passing || !from_above {
            if !passing {
                one_way.passing.push(other);
            }
            pair.disable();
        }
    }
    for mut one_way in &mut platforms {
        let still = |other: &Entity| near.iter().any(|near| near == other);
        if !one_way.passing.iter().all(still) {
            one_way.passing.retain(still);
        }
    }
}

fn tell(
    jumper: Single<(&Transform, &LinearVelocity), With<Jumper>>,
    physics: Res<PhysicsWorld>,
    time: Res<Time<Fixed>>,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut chapter: Local<usize>,
    mut highest: Local<f32>,
) {
    let (height, speed) = (jumper.0.translation.y, jumper.1.y);
    let seconds = time.elapsed_secs_f64();
    *highest = highest.max(height);
    let news = match *chapter {
        0 => Some("it jumps"),
        1 if height > 1.3 => Some("it passes"),
        2 if speed < 0.0 => Some("it turns"),
        3 if speed > -1e-3 && seconds > 1.0 => Some("it stands"),
        _ => None,
    };
    if let Some(news) = news {
        *chapter += 1;
        println!("{seconds:5.2} s  {news}: height {height:.3} m, speed {speed:.2} m/s");
        film.shoot(format!("{news} ({seconds:.2} s)"), physics.engine(), color);
    }
    if *chapter == 4 || seconds > 5.0 {
        let stands = (height - 1.85).abs() < 1e-3;
        println!(
            "\nIt rose to {:.2} m and stands at {height:.4} m: {}.",
            *highest,
            if stands { "on the platform" } else { "NOT on the platform" }
        );
        film.save("out/one_way_platform.svg");
        exit.write(if stands { AppExit::Success } else { AppExit::error() });
    }
}

fn color(body: &orthant::engine::body::Body) -> Option<Rgb> {
    Some(if body.is_dynamic() { Rgb::hex(0xd9a441) } else { Rgb::hex(0x6f9bc4) })
}
