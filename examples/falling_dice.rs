//! Two dice and a floor, without a window: `cargo run --release --example falling_dice`.
//! The center of the upper one is beyond the edge of the lower one. What happens is told with the certificate
//! of the step, and drawn into `out/falling_dice.svg` and, moving, `out/falling_dice_moving.svg`.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Quat};
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::report::StepStatus;
use orthant::math::{DMat3, DVec3, Real, Vec3};
use orthant::plugin::ContactPoint;
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{Placed, Rgb, Solid};

/// What the pictures show.
const MOMENTS: [&str; 5] = ["start", "it tips", "it falls", "it lands", "it rests"];

#[derive(Component)]
struct Lower;
#[derive(Component)]
struct Upper;

/// How far the tale has come, and what is kept of it.
#[derive(Default)]
struct Tale {
    chapter: usize,
    /// How fast the upper die fell before the step [m/s].
    speed: Real,
    /// Steps in which nothing moved, until now.
    still: u32,
    unsolved: u32,
    overlap: Real,
    residual: f64,
}

fn main() -> AppExit {
    println!("Two dice, one on the other, its center a hand's breadth beyond the edge.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedLast, tell);
    app.insert_non_send(Film::about(DVec3::X, DVec3::new(0.7, 0.75, 1.6), 4, 2, 3));
    app.run()
}

fn spawn(mut commands: Commands) {
    let friction = Friction::new(0.2);
    let die = || (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), friction);
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), friction));
    commands.spawn((Lower, die(), Transform::from_xyz(0.0, 0.5, 0.0)));
    let high = Transform::from_xyz(0.6, 1.5, 0.05).with_rotation(Quat::from_rotation_y(0.3));
    commands.spawn((Upper, die(), high));
}

type Die = (Entity, &'static Transform, &'static LinearVelocity, &'static AngularVelocity);

/// Tells what is new, if anything is, and ends when nothing moved for half a second.
fn tell(
    (upper, lower): (Single<Die, With<Upper>>, Single<Die, With<Lower>>),
    (collisions, report, time): (Collisions, Res<StepReport>, Res<Time<Fixed>>),
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut tale: Local<Tale>,
) {
    // Impulses on the upper die, by the other die and by the floor [N·s].
    let (mut by_die, mut by_floor) = (0.0, 0.0);
    for pair in collisions.of(upper.0) {
        let impulse = |c: ContactPoint| c.normal * c.normal_impulse + c.tangent_impulse;
        let sum = pair.contacts().map(impulse).sum::<Vec3>().length();
        *(if pair.has(lower.0) { &mut by_die } else { &mut by_floor }) += sum;
    }
    let moves = [upper.2.0, upper.3.0, lower.2.0, lower.3.0].iter().any(|v| v.length() > 1e-3);
    tale.still = if moves { 0 } else { tale.still + 1 };
    tale.unsolved += u32::from(report.status != StepStatus::Solved);
    tale.overlap = tale.overlap.max(report.overlap);
    tale.residual = tale.residual.max(report.natural_map);
    let tilt = upper.1.up().angle_between(Dir3::Y.into()).to_degrees();
    let news = match tale.chapter {
        0 => "The upper die is let go.".to_owned(),
        1 if tilt > 3.0 => "It tips over the edge of the lower die.".to_owned(),
        2 if by_die < 1e-6 => format!("It leaves the edge, turned by {tilt:.0}°."),
        3 if by_floor > 1e-6 => format!(
            "It hits the floor at {:.2} m/s: the floor answers with {by_floor:.2} N·s.",
            tale.speed
        ),
        4 if tale.still > 1 => {
            let apart = (upper.1.translation - lower.1.translation).with_y(0.0).length();
            let up = (upper.1.rotation.inverse() * Dir3::Y).to_array();
            // 1 and 6 are on the sides of x, 2 and 5 of y, 3 and 4 of z.
            let side = |n: usize| if n < 4 { up[n - 1] } else { -up[6 - n] };
            let number = (1..7).find(|&n| side(n) > 0.7).unwrap_or(0);
            format!("It lies still, {apart:.2} m from the lower die, and shows a {number}.")
        }
        _ => String::new(),
    };
    let seconds = time.elapsed_secs();
    let dice = [(lower.1, 0x6f9bc4), (upper.1, 0xf4efe2)].map(solid).to_vec();
    film.roll(report.step, tale.still < 2, &dice);
    if !news.is_empty() {
        println!("{seconds:5.2} s  {news}\n         {}", **report);
        film.add(format!("{} ({seconds:.2} s)", MOMENTS[tale.chapter]), dice);
        tale.chapter += 1;
    }
    tale.speed = -upper.2.y;
    if tale.still > 33 || seconds > 10.0 {
        let Tale { unsolved, overlap, residual, .. } = *tale;
        print!("\nIn all {} steps: overlap at most {overlap:.1e} m, ", report.step);
        println!("residual at most {residual:.1e} m/s, {unsolved} above the tolerance.");
        film.save("out/falling_dice.svg");
        exit.write(if tale.chapter == 5 { AppExit::Success } else { AppExit::error() });
    }
}

/// A die of a color, to be drawn.
fn solid((at, color): (&Transform, u32)) -> Placed {
    let turn = DMat3::from_quat(at.rotation.as_dquat());
    Solid::die(1.0, Rgb::hex(color)).placed(at.translation.as_dvec3(), turn)
}
