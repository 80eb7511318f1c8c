//! Two dice and a floor, without a window: `cargo run --release --example falling_dice`.
//!
//! The upper die lies with its center beyond the edge of the lower one. What happens is read from the
//! components and the contacts after every step and told as it happens, each time with the certificate
//! of the step. A picture of these moments goes to `out/falling_dice.svg`.

use std::path::Path;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::engine::report::StepStatus;
use orthant::math::{DMat3, DVec3, Double, Vec3, widen, widen3};
use orthant::plugin::{
    AngularVelocity, Collider, EngineBody, Friction, LinearVelocity, PhysicsPlugins, PhysicsWorld,
    RigidBody, StepReport,
};
use orthant_lab::draw::solid::{Placed, Rgb, Solid};
use orthant_lab::draw::{Camera, Strip, Tiles};

/// The tale ends when nothing moved for this long (s).
const REST: Double = 0.5;
/// The tale ends after this long (s) whatever happens.
const TIME_MAX: Double = 10.0;
/// Where the picture goes.
const PICTURE: &str = "out/falling_dice.svg";

#[derive(Component)]
struct Floor;

#[derive(Component)]
struct LowerDie;

#[derive(Component)]
struct UpperDie;

fn main() {
    println!("Two dice, one on the other, its center a hand's breadth beyond the edge.\n");
    let start = Instant::now();
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        // Simulated time runs as fast as it can: every update is one step of Bevy's fixed clock.
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(1) / 64))
        .init_resource::<Tale>()
        .add_systems(Startup, spawn)
        .add_systems(FixedLast, (tell, keep_record, end).chain());
    while app.should_exit().is_none() {
        app.update();
    }
    app.world().resource::<Tale>().sum_up(start.elapsed());
}

fn spawn(mut commands: Commands) {
    let friction = Friction::new(0.2);
    let cube = Collider::cuboid(1.0, 1.0, 1.0);
    commands.spawn((Floor, RigidBody::Static, Collider::half_space(Vec3::Y), friction));
    let low = Transform::from_xyz(0.0, 0.5, 0.0);
    commands.spawn((LowerDie, RigidBody::Dynamic, cube.clone(), friction, low));
    let mut high = Transform::from_xyz(0.6, 1.5, 0.05);
    high.rotate_y(0.3);
    commands.spawn((UpperDie, RigidBody::Dynamic, cube, friction, high));
}

/// What the tale needs to know of a die.
type DieData =
    (&'static Transform, &'static LinearVelocity, &'static AngularVelocity, &'static EngineBody);

/// The dice after a step, and what touches what.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    upper: Single<'w, 's, DieData, With<UpperDie>>,
    lower: Single<'w, 's, DieData, (With<LowerDie>, Without<UpperDie>)>,
    floor: Single<'w, 's, &'static EngineBody, With<Floor>>,
    physics: Res<'w, PhysicsWorld>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
}

impl Scene<'_, '_> {
    fn seconds(&self) -> Double {
        self.time.elapsed_secs_f64()
    }

    /// The impulse between two bodies in the last step [N·s]; none if they do not touch.
    fn impulse(&self, a: &EngineBody, b: &EngineBody) -> Option<Double> {
        let (a, b) = (a.id()?, b.id()?);
        let contacts = self.physics.engine().contacts();
        let between = contacts.filter(|c| c.bodies == [a.min(b), a.max(b)]);
        let impulse = between.map(|c| widen3(c.impulse)).sum::<DVec3>().length();
        (impulse > 1e-6).then_some(impulse)
    }

    /// How far the upper die is turned from level [degrees].
    fn tilt(&self) -> Double {
        widen_rotation(self.upper.0).y_axis.angle_between(DVec3::Y).to_degrees()
    }

    /// The number on top of the upper die.
    fn number(&self) -> usize {
        let axes = widen_rotation(self.upper.0).transpose() * DVec3::Y;
        let up = axes.to_array();
        let best = (0..3).fold(0, |best, k| if up[k].abs() > up[best].abs() { k } else { best });
        if up[best] > 0.0 { best + 1 } else { 6 - best }
    }

    /// The fastest speed of both dice, at their centers or of their edges [m/s].
    fn speed(&self) -> Double {
        let of = |die: &(&Transform, &LinearVelocity, &AngularVelocity, &EngineBody)| {
            widen3(die.1.0).length().max(widen3(die.2.0).length())
        };
        of(&self.upper).max(of(&self.lower))
    }

    fn placed(&self) -> Vec<Placed> {
        let place = |transform: &Transform, color| {
            let rotation = widen_rotation(transform);
            Solid::die(1.0, color).placed(transform.translation.as_dvec3(), rotation)
        };
        vec![place(self.lower.0, Rgb::hex(0x6f9bc4)), place(self.upper.0, Rgb::hex(0xf4efe2))]
    }
}

fn widen_rotation(transform: &Transform) -> DMat3 {
    DMat3::from_quat(transform.rotation.as_dquat())
}

/// How far the tale has come, and what is kept of it.
#[derive(Resource, Default)]
struct Tale {
    chapter: Chapter,
    /// Velocity of the upper die before the step [m/s].
    velocity: DVec3,
    /// Since when nothing moves (s).
    still_since: Option<Double>,
    frames: Vec<(String, Vec<Placed>)>,
    steps: u64,
    steps_unsolved: u64,
    overlap_max: Double,
    residual_max: Double,
    seconds: Double,
}

#[derive(Default)]
enum Chapter {
    #[default]
    Before,
    Balanced,
    Tipping,
    Turning,
    Falling,
    Landing,
    Over,
}

/// Tells what is new, if anything is.
fn tell(scene: Scene, mut tale: ResMut<Tale>) {
    let (upper, lower, floor) = (scene.upper.3, scene.lower.3, *scene.floor);
    let on_lower = scene.impulse(upper, lower);
    let on_floor = scene.impulse(upper, floor);
    match tale.chapter {
        Chapter::Before if on_lower.is_some() => {
            tale.chapter = Chapter::Balanced;
            tale.tell(&scene, "start", "The upper die is let go.".to_owned());
        }
        Chapter::Balanced if scene.tilt() > 3.0 => {
            tale.chapter = Chapter::Tipping;
            tale.tell(&scene, "it tips", "It tips over the edge of the lower die.".to_owned());
        }
        Chapter::Tipping if scene.tilt() > 25.0 && on_lower.is_some() => {
            tale.chapter = Chapter::Turning;
            let text = "Both dice still touch: it turns about the edge.".to_owned();
            tale.tell(&scene, "it turns", text);
        }
        Chapter::Tipping | Chapter::Turning if on_lower.is_none() => {
            tale.chapter = Chapter::Falling;
            let pushed = 1e3 * scene.lower.0.translation.as_dvec3().with_y(0.0).length();
            let lower = if pushed < 0.5 {
                "did not move".to_owned()
            } else {
                format!("slid {pushed:.0} mm")
            };
            let text = format!(
                "It leaves the edge, turned by {:.0}°; the lower die {lower}.",
                scene.tilt()
            );
            tale.tell(&scene, "it falls", text);
        }
        Chapter::Tipping | Chapter::Turning | Chapter::Falling if on_floor.is_some() => {
            tale.chapter = Chapter::Landing;
            let (speed, impulse) = (-tale.velocity.y, on_floor.unwrap_or(0.0));
            let text = format!(
                "It hits the floor at {speed:.2} m/s: the floor answers with {impulse:.2} N·s."
            );
            tale.tell(&scene, "it lands", text);
        }
        Chapter::Landing if tale.still_since.is_some() => {
            tale.chapter = Chapter::Over;
            let (a, b) = (scene.upper.0.translation, scene.lower.0.translation);
            let gap = (a - b).as_dvec3().with_y(0.0).length();
            let text = format!(
                "It lies still, {gap:.2} m from the lower die, and shows a {}.",
                scene.number()
            );
            tale.tell(&scene, "it rests", text);
        }
        _ => {}
    }
}

/// Keeps what the next step and the end want to know.
fn keep_record(scene: Scene, mut tale: ResMut<Tale>) {
    tale.velocity = widen3(scene.upper.1.0);
    tale.seconds = scene.seconds();
    let moves = scene.speed() > 1e-3;
    tale.still_since = if moves { None } else { tale.still_since.or(Some(scene.seconds())) };
    let report = &scene.report;
    tale.steps = report.step;
    tale.steps_unsolved += u64::from(report.status != StepStatus::Solved);
    tale.overlap_max = tale.overlap_max.max(widen(report.overlap));
    tale.residual_max = tale.residual_max.max(report.natural_map);
}

fn end(tale: Res<Tale>, mut exit: MessageWriter<AppExit>) {
    let still = tale.still_since.is_some_and(|since| tale.seconds - since > REST);
    if (matches!(tale.chapter, Chapter::Over) && still) || tale.seconds > TIME_MAX {
        exit.write(AppExit::Success);
    }
}

impl Tale {
    fn tell(&mut self, scene: &Scene, short: &str, text: String) {
        println!("{:5.2} s  {text}\n         {}", scene.seconds(), *scene.report);
        self.frames.push((format!("{short} ({:.2} s)", scene.seconds()), scene.placed()));
    }

    fn sum_up(&self, took: Duration) {
        println!(
            "\nIn all {} steps: overlap at most {:.1e} m, residual at most {:.1e} m/s, {} above the \
             tolerance.",
            self.steps, self.overlap_max, self.residual_max, self.steps_unsolved
        );
        println!("{:.1} s of dice took {:.0} ms.", self.seconds, 1e3 * took.as_secs_f64());
        let mut strip = Strip::new(
            Camera::new(DVec3::new(0.7, 0.75, 1.6), DVec3::Y),
            DVec3::new(-0.5, 2.0, 0.8),
            3,
        );
        strip.add_tiles(Tiles {
            corner: DVec3::new(-1.0, 0.0, 1.0),
            sides: [(DVec3::X * 4.0, 4), (DVec3::Z * -2.0, 2)],
            colors: [Rgb::hex(0xe4e8ee), Rgb::hex(0xd8dde5)],
            shadows: true,
        });
        for (caption, bodies) in &self.frames {
            strip.add_frame(caption, bodies.clone());
        }
        let write = || {
            std::fs::create_dir_all(Path::new(PICTURE).parent().unwrap_or(Path::new(".")))?;
            std::fs::write(PICTURE, strip.to_svg())
        };
        match write() {
            Ok(()) => println!("The picture is {PICTURE}."),
            Err(error) => println!("The picture could not be written: {error}."),
        }
    }
}
