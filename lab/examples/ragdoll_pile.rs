//! Ragdolls fall on a pile:
//! `cargo run --release -p orthant_lab --features bevy --example ragdoll_pile`.
//!
//! Eleven bodies each: neck, waist, shoulders and hips are ball joints with a cone to swing in and limits
//! of their twist, elbows and knees are hinges that bend one way, and all have a little friction. A line
//! every half second tells the energy, how far joints are apart, how far limits are exceeded, and the
//! certificate of the step, until all sleep or the time is over. Six dolls are more than is solved, and are
//! advanced in softened small steps: they do not fall asleep. A picture goes to `out/ragdoll_pile.svg`.
//!
//! The exit status says what holds all the same: no joint opens by more than its thinnest limb is thick, no
//! step gains more energy than softness can give back, the pile comes to lie, above the floor, and nobody is
//! frozen or no number.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{
    DVec3, PI, Quat, Real, Vec3, quat_exp, quat_mul, quat_rotate, single_quat, single3,
};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::PALETTE;

/// How many, each of how many bodies.
const DOLLS: u8 = 6;
const PARTS: u64 = 11;
/// Radius of the thinnest limb (m): a joint that opens by less still has both limbs about its anchors.
const THIN: Real = 0.045;
/// Friction of every joint (N·m).
const TONE: Real = 3.0;
/// The end, if not all sleep before (s).
const TIME_MAX: f64 = 6.0;
/// When the pictures are taken (s); the last one at the end.
const MOMENTS: [f64; 5] = [0.3, 0.5, 0.7, 1.0, 1.5];

fn main() -> AppExit {
    println!("{DOLLS} ragdolls of {PARTS} bodies fall on a pile.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedLast, (film, tell).chain());
    app.insert_non_send(Film::new(DVec3::new(0.6, 0.6, 1.4), 4, 4, 3));
    app.run()
}

fn spawn(mut commands: Commands) {
    for i in 0..DOLLS {
        // They fall flat, face down and face up in turn, one across the other.
        let number = Real::from(i);
        let place = Vec3::new(0.2 * (number % 2.0), 1.0 + 0.6 * number, 0.3 * (number % 3.0 - 1.0));
        let flat = (0.5 + number % 2.0) * PI;
        let turn = quat_mul(quat_exp(Vec3::Y * (2.2 * number)), quat_exp(Vec3::X * (flat + 0.1)));
        Doll { commands: &mut commands, place, turn }.spawn();
    }
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), Friction::new(0.6)));
}

/// A doll that is being made, upright about its waist in its own frame, its arms stretched out.
struct Doll<'a, 'w, 's> {
    commands: &'a mut Commands<'w, 's>,
    place: Vec3,
    turn: Quat,
}

impl Doll<'_, '_, '_> {
    fn spawn(&mut self) {
        let pelvis = self.part(Collider::cuboid(0.34, 0.18, 0.2), Vec3::NEG_Y * 0.1, Vec3::ZERO);
        let torso = self.part(Collider::cuboid(0.4, 0.5, 0.22), Vec3::Y * 0.26, Vec3::ZERO);
        self.ball([pelvis, torso], Vec3::ZERO, Vec3::Y, 0.6, 0.4);
        let head = self.part(Collider::sphere(0.12), Vec3::Y * 0.68, Vec3::ZERO);
        self.ball([torso, head], Vec3::Y * 0.54, Vec3::Y, 0.6, 0.9);
        for side in [-1.0, 1.0] {
            // Limbs are capsules along y; those of the arms lie across.
            let across = Vec3::Z * (0.5 * PI);
            let at = |x: Real, y: Real| Vec3::new(side * x, y, 0.0);
            let upper = self.part(Collider::capsule(0.055, 0.21), at(0.39, 0.45), across);
            let lower = self.part(Collider::capsule(THIN, 0.21), at(0.72, 0.45), across);
            self.ball([torso, upper], at(0.23, 0.45), Vec3::X * side, 1.3, 0.8);
            self.hinge([upper, lower], at(0.56, 0.45), Vec3::NEG_Y * side, 2.3);
            let thigh = self.part(Collider::capsule(0.075, 0.27), at(0.1, -0.41), Vec3::ZERO);
            let shin = self.part(Collider::capsule(0.06, 0.3), at(0.1, -0.84), Vec3::ZERO);
            self.ball([pelvis, thigh], at(0.1, -0.2), Vec3::NEG_Y, 1.0, 0.4);
            self.hinge([thigh, shin], at(0.1, -0.625), Vec3::X, 2.4);
        }
    }

    /// A point of the doll in the world.
    fn point(&self, point: Vec3) -> Vec3 {
        self.place + quat_rotate(self.turn, point)
    }

    fn part(&mut self, collider: Collider, at: Vec3, turn: Vec3) -> Entity {
        let at = Transform::from_translation(single3(self.point(at)))
            .with_rotation(single_quat(quat_mul(self.turn, quat_exp(turn))));
        self.commands
            .spawn((RigidBody::Dynamic, collider, ColliderDensity(1000.0), Friction::new(0.6), at))
            .id()
    }

    /// A ball joint that swings within a cone about an axis and twists so far both ways (rad).
    fn ball(&mut self, [a, b]: [Entity; 2], at: Vec3, axis: Vec3, swing: Real, twist: Real) {
        let joint = Joint::ball(a, b)
            .with_anchor(self.point(at))
            .with_axis(quat_rotate(self.turn, axis))
            .with_swing_limit(swing)
            .with_twist_limits(-twist, twist)
            .with_friction(TONE);
        self.commands.spawn(joint);
    }

    /// A hinge that bends one way, so far (rad).
    fn hinge(&mut self, [a, b]: [Entity; 2], at: Vec3, axis: Vec3, bend: Real) {
        let joint = Joint::hinge(a, b)
            .with_anchor(self.point(at))
            .with_axis(quat_rotate(self.turn, axis))
            .with_limits(0.0, bend)
            .with_friction(TONE);
        self.commands.spawn(joint);
    }
}

/// Takes the pictures.
fn film(physics: Res<PhysicsWorld>, time: Res<Time<Fixed>>, mut film: NonSendMut<Film>) {
    let seconds = time.elapsed_secs_f64();
    if film.due(seconds, &MOMENTS).is_some() {
        shoot(&mut film, seconds, &physics);
    }
}

fn shoot(film: &mut Film, seconds: f64, physics: &PhysicsWorld) {
    film.shoot(format!("{seconds:.1} s"), physics.engine(), |body| {
        let color = PALETTE[(body.id().0 / PARTS) as usize % PALETTE.len()];
        body.is_dynamic().then_some(color)
    });
}

/// What the tale needs to know.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    physics: Res<'w, PhysicsWorld>,
    joints: Joints<'w, 's>,
    gravity: Res<'w, Gravity>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
    solver: Res<'w, SolverConfig>,
    contacts: Res<'w, ContactConfig>,
}

impl Scene<'_, '_> {
    fn bodies(&self) -> impl Iterator<Item = &Body> {
        self.physics.engine().bodies().iter().filter(|body| body.is_dynamic())
    }

    /// The most energy that the softness of small steps can give back in one (J). It presses a body `s / γ`
    /// of what its load moves it in a small step into what it rests on. At most the weight `W` of all rests
    /// on the lightest, of mass `m`, which then lies `x = (s / γ) (W / m) h²` deep; when the load goes,
    /// `W x` comes back.
    fn gain_max(&self) -> Real {
        let mass: Real = self.bodies().map(Body::mass).sum();
        let lightest = self.bodies().map(Body::mass).fold(Real::INFINITY, Real::min);
        let weight = mass * self.gravity.0.length();
        let small = self.time.delta_secs() as Real / self.solver.substeps as Real;
        let soft = self.solver.softness as Real / self.contacts.gamma;
        weight * soft * weight / lightest * small * small
    }

    /// Kinetic and potential energy (J).
    fn energy(&self) -> Real {
        let energy =
            |body: &Body| body.kinetic_energy() - body.mass() * self.gravity.0.dot(body.center());
        self.bodies().map(energy).sum()
    }

    /// How far the anchors of a joint are apart at most (m).
    fn apart(&self) -> Real {
        let apart = self.joints.iter().map(|joint| joint.frames[0].0.distance(joint.frames[1].0));
        apart.fold(0.0, Real::max)
    }

    /// By how much limits are exceeded at most (rad).
    fn excess(&self) -> Real {
        let of_joint = |joint: orthant::plugin::JointView| {
            let [axis_a, axis_b] = joint.frames.map(|(_, basis)| quat_rotate(basis, Vec3::X));
            let swing = joint.joint.swing.map_or(0.0, |most| axis_a.angle_between(axis_b) - most);
            let angle = joint.position(JointAxis::AngularX);
            let limits = joint.limits(JointAxis::AngularX);
            let turn = limits.map_or(0.0, |l| (l.min - angle).max(angle - l.max));
            swing.max(turn)
        };
        self.joints.iter().map(of_joint).fold(0.0, Real::max)
    }
}

/// What is remembered from step to step.
#[derive(Default)]
struct Memory {
    energy: Option<Real>,
    /// Largest gain of energy in a step (J), and when (s).
    gain: (Real, f64),
    /// Largest joint error (m), residual [m/s], excess of a limit (rad).
    error: Real,
    residual: f64,
    excess: Real,
    /// Steps, and those of them above the tolerance.
    steps: u32,
    unsolved: u32,
    /// Bodies that were frozen.
    frozen: usize,
}

impl Memory {
    /// What was to be, and whether it was. What is no number was not.
    fn judge(&self, scene: &Scene) -> bool {
        let energy = scene.energy();
        let [gain, gain_max] = [self.gain.0, scene.gain_max()];
        let fastest = scene.bodies().map(|body| body.linear_velocity.length());
        let fastest = fastest.fold(0.0, Real::max);
        // What falls freely has this speed after a step.
        let still = scene.gravity.0.length() * scene.time.delta_secs() as Real;
        let lowest = scene.bodies().map(|body| body.center().y).fold(Real::INFINITY, Real::min);
        let fine = [
            (
                self.error < THIN,
                format!("joints opened by {:.1} of {:.1} mm at most", 1e3 * self.error, 1e3 * THIN),
            ),
            (
                gain < gain_max,
                format!("a step gained {gain:.2} J, where {gain_max:.2} J can come back"),
            ),
            (fastest < still, format!("the fastest part moves at {fastest:.4} of {still:.4} m/s")),
            (lowest > 0.0, format!("the lowest part is {:.1} mm above the floor", 1e3 * lowest)),
            (
                self.frozen == 0 && energy.is_finite(),
                format!("{} bodies were frozen; the energy is {energy:.1} J", self.frozen),
            ),
        ];
        for (holds, what) in &fine {
            println!("{}: {what}", if *holds { "as it should" } else { "NOT as it should" });
        }
        fine.iter().all(|(holds, _)| *holds)
    }
}

/// A line every half second, and the end.
fn tell(
    scene: Scene,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut memory: Local<Memory>,
) {
    let (seconds, report, energy) = (scene.time.elapsed_secs_f64(), &scene.report, scene.energy());
    let excess = scene.excess();
    let gain = energy - memory.energy.unwrap_or(energy);
    if gain > memory.gain.0 {
        memory.gain = (gain, seconds);
    }
    memory.energy = Some(energy);
    let apart = scene.apart();
    memory.error = memory.error.max(apart);
    memory.residual = memory.residual.max(report.natural_map.max(report.joint_residual));
    memory.excess = memory.excess.max(excess);
    memory.steps += 1;
    memory.unsolved += u32::from(report.islands_unsolved > 0);
    memory.frozen += report.quarantined.len();
    let sleep = report.sleeping == report.dynamic_bodies;
    let is_over = sleep || seconds > TIME_MAX;
    if seconds % 0.5 == 0.0 || is_over {
        let sleeping = report.sleeping;
        println!(
            "{seconds:5.2} s  {energy:7.1} J, limits exceeded by {excess:.1e} rad, {sleeping} sleep"
        );
        println!("         {}", **report);
    }
    if !is_over {
        return;
    }
    shoot(&mut film, seconds, &scene.physics);
    let (sleeping, bodies) = (report.sleeping, report.dynamic_bodies);
    let (gain, when) = memory.gain;
    println!(
        "\n{sleeping} of {bodies} bodies sleep, joints are {:.2} mm apart. At most: joints {:.2} mm apart, \
         limits exceeded by {:.1e} rad, {gain:.1e} J gained in a step (at {when:.2} s), residual {:.1e} m/s. \
         Steps above the tolerance: {} of {}.",
        1e3 * apart,
        1e3 * memory.error,
        memory.excess,
        memory.residual,
        memory.unsolved,
        memory.steps,
    );
    let fine = memory.judge(&scene);
    film.save("out/ragdoll_pile.svg");
    exit.write(if fine { AppExit::Success } else { AppExit::error() });
}
