//! Chains with light and heavy ends:
//! `cargo run --release -p orthant_lab --features bevy --example chains`.
//!
//! Under each of three hooks hang twenty links of 100 g, and at their end as much as one of them, a
//! hundred times that, ten thousand times: a ton. Let go at an angle they swing; after ten seconds a
//! system brakes them until they hang. A line a chain every two seconds tells of these how far joints were
//! apart, what the hook carried in the mean, at least and at most in a step, and what is left of the energy
//! that the chain began with. A picture goes to `out/chains.svg`. The exit status says whether all was
//! solved, joints held, and each hook carried in the end, in the mean of two seconds, what hangs on it.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{DVec3, Real, Vec3, quat_exp, quat_rotate, single_quat, single3, widen};
use orthant::plugin::EngineBody;
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// Links of a chain, their length (m) and mass (kg).
const LINKS: u16 = 20;
const LENGTH: Real = 0.15;
const MASS: Real = 0.1;
/// How many links each end weighs, and the radius it is drawn with (m).
const ENDS: [(Real, Real); 3] = [(1.0, 0.07), (100.0, 0.17), (10_000.0, 0.42)];
/// Height of the hooks and their distance (m), and how far the chains are pulled aside (rad).
const HEIGHT: Real = 4.0;
const APART: Real = 4.6;
const ANGLE: Real = 0.7;
/// When they are braked, and the end (s).
const BRAKE: f64 = 10.0;
const END: f64 = 20.0;
/// How far joints may open (m), and what hooks carry may be off in the mean of the last two seconds (–).
const OPEN_MAX: Real = 1e-4;
const FORCE_ERROR_MAX: f64 = 1e-3;
/// When the pictures are taken (s).
const MOMENTS: [f64; 6] = [0.0, 0.6, 0.9, 1.2, 1.8, END];

/// A link or end of a chain, and how far below the hook it hangs at rest (m).
#[derive(Component)]
struct Part {
    chain: usize,
    below: Real,
}

/// A joint of a chain.
#[derive(Component)]
struct Shackle(usize);

fn main() -> AppExit {
    println!("Chains of {LINKS} links of {MASS} kg; at their ends 1, 100 and 10 000 times that.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, brake)
        .add_systems(FixedLast, (film, tell).chain());
    app.insert_non_send(Film::new(DVec3::new(0.12, 0.2, 1.0), 14, 3, 2));
    app.run()
}

fn spawn(mut commands: Commands) {
    let turn = quat_exp(Vec3::Z * ANGLE);
    for (chain, (ratio, radius)) in ENDS.into_iter().enumerate() {
        let hook_at = Vec3::new(APART * (chain as Real - 1.0), HEIGHT, 0.0);
        let hook = (RigidBody::Static, Collider::cuboid(0.5, 0.1, 0.5));
        let hook = commands.spawn((hook, Transform::from_translation(single3(hook_at))));
        // What hangs last, and where on it the next one is fastened.
        let mut last = (hook.id(), Vec3::ZERO);
        for i in 0..=LINKS {
            let top = Real::from(i) * LENGTH;
            let (half, mass, shape) = if i == LINKS {
                (radius, MASS * ratio, Collider::sphere(radius))
            } else {
                (0.5 * LENGTH, MASS, Collider::cuboid(0.06, LENGTH - 0.02, 0.06))
            };
            let below = top + half;
            let at = single3(hook_at + quat_rotate(turn, Vec3::NEG_Y * below));
            let at = Transform::from_translation(at).with_rotation(single_quat(turn));
            let body = (RigidBody::Dynamic, shape, Mass(mass), at);
            let body = commands.spawn((Part { chain, below }, body)).id();
            let joint = Joint::ball(last.0, body).with_anchors(last.1, Vec3::Y * half);
            let mut joint = commands.spawn((Shackle(chain), joint));
            if i == 0 {
                // Only the joint at the hook is asked what it carries.
                joint.insert(JointForces::default());
            }
            last = (body, Vec3::NEG_Y * half);
        }
    }
}

/// Brakes the chains when they have swung enough.
fn brake(
    parts: Query<Entity, (With<Part>, Without<LinearDamping>)>,
    time: Res<Time<Fixed>>,
    mut commands: Commands,
) {
    if time.elapsed_secs_f64() > BRAKE {
        for part in &parts {
            commands.entity(part).insert((LinearDamping(2.0), AngularDamping(2.0)));
        }
    }
}

/// Takes the pictures.
fn film(physics: Res<PhysicsWorld>, time: Res<Time<Fixed>>, mut film: NonSendMut<Film>) {
    let seconds = time.elapsed_secs_f64();
    if film.due(seconds, &MOMENTS).is_some() {
        film.shoot(format!("{seconds:.1} s"), physics.engine(), color);
    }
}

/// Bodies are numbered as they were spawned: a hook, its links, its end.
fn color(body: &Body) -> Option<Rgb> {
    let color = PALETTE[body.id().0 as usize / (usize::from(LINKS) + 2)];
    let shade = if body.id().0.is_multiple_of(2) { 1.0 } else { 1.15 };
    Some(if body.is_dynamic() { color.times(shade) } else { Rgb::hex(0x6f7b8c) })
}

/// What the tale needs to know.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    parts: Query<'w, 's, (&'static Part, &'static EngineBody)>,
    shackles: Query<'w, 's, &'static Shackle>,
    hooks: Query<'w, 's, (&'static Shackle, &'static JointForces)>,
    joints: Joints<'w, 's>,
    physics: Res<'w, PhysicsWorld>,
    gravity: Res<'w, Gravity>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
}

/// A chain after a step.
#[derive(Clone, Copy, Default)]
struct State {
    /// How far the anchors of a joint are apart at most (m).
    error: Real,
    /// What hangs at the hook, and what the hook carries (N).
    weight: Real,
    carried: Real,
    /// Energy above that of hanging at rest (J).
    energy: Real,
}

impl Scene<'_, '_> {
    fn state(&self, chain: usize) -> State {
        let is_here = |joint| self.shackles.get(joint).is_ok_and(|shackle| shackle.0 == chain);
        let joints = self.joints.iter().filter(|joint| is_here(joint.entity));
        let apart = joints.map(|joint| joint.frames[0].0.distance(joint.frames[1].0));
        let hook = self.hooks.iter().find(|(shackle, _)| shackle.0 == chain);
        let mut state = State {
            error: apart.fold(0.0, Real::max),
            carried: hook.map_or(0.0, |(_, forces)| forces.force.length()),
            ..State::default()
        };
        for (part, body) in self.parts.iter().filter(|(part, _)| part.chain == chain) {
            let body = body.id().and_then(|id| self.physics.engine().body(id));
            let Some(body) = body else { continue };
            let weight = body.mass() * self.gravity.0.length();
            state.weight += weight;
            let lifted = body.position().y - (HEIGHT - part.below);
            state.energy += body.kinetic_energy() + weight * lifted;
        }
        state
    }
}

/// What is remembered from step to step.
#[derive(Default)]
struct Memory {
    /// Energy in the beginning (J).
    energy: [Real; 3],
    /// Since the last line.
    since: [Since; 3],
    unsolved: usize,
    /// The largest joint error (m).
    error: Real,
    /// What the hooks carried in the mean of the last two seconds that are over, over what hangs there (–).
    mean: [f64; 3],
}

impl Memory {
    /// What was to be, and whether it was. What is no number was not.
    fn judge(&self) -> bool {
        let carries = |mean: f64| (mean - 1.0).abs() <= FORCE_ERROR_MAX;
        let off = self.mean.map(|mean| (mean - 1.0).abs()).into_iter().fold(0.0, f64::max);
        let fine = [
            (self.unsolved == 0, format!("solves above the tolerance: {}", self.unsolved)),
            (self.error <= OPEN_MAX, format!("joints are within {:.4} mm", 1e3 * self.error)),
            (
                self.mean.into_iter().all(carries),
                format!("in the end hooks carry what hangs on them to {off:.1e} of it"),
            ),
        ];
        println!();
        for (holds, what) in &fine {
            println!("{}: {what}", if *holds { "as it should" } else { "NOT as it should" });
        }
        fine.iter().all(|(holds, _)| *holds)
    }
}

/// What was seen of a chain since the last line.
#[derive(Clone, Copy, Default)]
struct Since {
    steps: f64,
    /// The largest joint error (m).
    error: Real,
    /// What the hook carried over what hangs there (–): the sum over the steps, the least and the most.
    sum: f64,
    least: Real,
    most: Real,
}

impl Since {
    fn note(&mut self, state: State) {
        let share = state.carried / state.weight;
        if self.steps == 0.0 {
            (self.least, self.most) = (share, share);
        }
        self.steps += 1.0;
        self.sum += widen(share);
        self.error = self.error.max(state.error);
        (self.least, self.most) = (self.least.min(share), self.most.max(share));
    }
}

/// A line a chain every two seconds, and the end.
fn tell(
    scene: Scene,
    film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut memory: Local<Memory>,
) {
    let seconds = scene.time.elapsed_secs_f64();
    memory.unsolved += scene.report.islands_unsolved as usize;
    let tells = seconds % 2.0 == 0.0;
    if tells {
        println!("{seconds:5.2} s  {}", *scene.report);
    }
    for (chain, (ratio, _)) in ENDS.into_iter().enumerate() {
        let state = scene.state(chain);
        if memory.energy[chain] == 0.0 {
            memory.energy[chain] = state.energy;
        }
        memory.since[chain].note(state);
        memory.error = memory.error.max(state.error);
        if tells {
            let energy = 100.0 * state.energy / memory.energy[chain];
            let Since { steps, error, sum, least, most } =
                core::mem::take(&mut memory.since[chain]);
            memory.mean[chain] = sum / steps;
            println!(
                "         ×{ratio:<6} joints within {:7.4} mm, hook {:9.2} N of {:8.2} N in the mean, \
                 ×{least:.4} to ×{most:.4} of it in a step; energy {energy:5.1} %",
                1e3 * error,
                sum / steps * widen(state.weight),
                state.weight,
            );
        }
    }
    if seconds >= END {
        let fine = memory.judge();
        film.save("out/chains.svg");
        exit.write(if fine { AppExit::Success } else { AppExit::error() });
    }
}
