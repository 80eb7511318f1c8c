//! A crane moves a load:
//! `cargo run --release -p orthant_lab --features bevy --example crane`.
//!
//! Its jib turns on a hinge and its trolley slides along the jib, both by motors with a position to go to; a
//! rope with a motor is the winch. A system drives it while physics runs: it writes targets and speeds, and
//! reads forces, by which it knows that the load hangs and that it stands. Once a second it is told where
//! the load is and what the motors do. A picture goes to `out/crane.svg`. The exit status says whether
//! the load stands where it should, and whether the rope carried what hung on it.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{DVec3, Real, Vec3, from_single3, quat_exp, quat_rotate, single3, widen3};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// Height of the jib, and where the trolley is at first (m).
const HEIGHT: Real = 6.0;
const REACH: Real = 3.5;
/// Masses of hook and load (kg).
const HOOK: Real = 50.0;
const LOAD: Real = 1000.0;
/// How far jib (rad) and trolley (m) move, and in which time (s).
const TURN: Real = -1.9;
const OUT: Real = 0.7;
const TURN_TIME: f64 = 10.0;
const OUT_TIME: f64 = 7.0;
/// Speed [m/s], acceleration [m/s²] and largest force (N) of the winch.
const SPEED: Real = 0.8;
const ACCELERATION: Real = 1.0;
const FORCE: Real = 20_000.0;
/// Lengths of rope at which the hook is over the load, and high enough (m).
const LOW: Real = 3.7;
const HIGH: Real = 2.0;
/// The end, if it is not done before (s).
const TIME_MAX: f64 = 60.0;

/// What the crane is doing, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Task {
    #[default]
    Lower,
    Lift,
    Turn,
    MotionBound,
    Wait,
    Place,
    Leave,
    Done,
}

/// The crane: its joints, hook and load; what it is doing and since when (s).
#[derive(Resource)]
struct Crane {
    hinge: Entity,
    slide: Entity,
    winch: Entity,
    hook: Entity,
    load: Entity,
    slings: Vec<Entity>,
    /// Speed of the winch [m/s].
    speed: Real,
    task: Task,
    since: f64,
    /// What the rope carried when it lifted at its speed (N).
    carried: Real,
}

fn main() -> AppExit {
    println!("A crane takes {LOAD} kg to another place.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedUpdate, drive)
        .add_systems(FixedLast, tell);
    app.insert_non_send(Film::new(DVec3::new(0.5, 0.5, 1.3), 12, 12, 3));
    app.run()
}

/// Where the load is to stand: on a pad (m).
fn goal() -> Vec3 {
    quat_rotate(quat_exp(Vec3::Y * TURN), Vec3::X * (REACH + OUT)) + Vec3::Y * 0.8
}

fn place(x: Real, y: Real, z: Real) -> Transform {
    Transform::from_translation(single3(Vec3::new(x, y, z)))
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y)));
    let pad = goal();
    let pad = place(pad.x, 0.15, pad.z);
    commands.spawn((RigidBody::Static, Collider::cuboid(1.6, 0.3, 1.6), pad));
    let tower = Collider::cuboid(0.6, 5.8, 0.6);
    let tower = (RigidBody::Static, tower, place(0.0, 2.9, 0.0));
    let tower = commands.spawn(tower).id();
    let mut body = |shape, mass, at| {
        commands.spawn((RigidBody::Dynamic, shape, Mass(mass), SleepingDisabled, at)).id()
    };
    let jib = place(1.75, HEIGHT, 0.0);
    let jib = body(Collider::cuboid(7.0, 0.3, 0.4), 800.0, jib);
    let trolley = place(REACH, HEIGHT - 0.3, 0.0);
    let trolley = body(Collider::cuboid(0.6, 0.2, 0.6), 100.0, trolley);
    let hook = place(REACH, HEIGHT - 2.3, 0.0);
    let hook = body(Collider::sphere(0.15), HOOK, hook);
    let load = body(Collider::cuboid(1.0, 1.0, 1.0), LOAD, place(REACH, 0.5, 0.0));
    let reads = (JointForces::default(), JointPosition::default());
    let hinge = Joint::hinge(tower, jib)
        .with_anchor(Vec3::Y * HEIGHT)
        .with_axis(Vec3::Y)
        .with_motor(to(0.0));
    let slide = Joint::prismatic(jib, trolley)
        .with_anchor(Vec3::new(REACH, HEIGHT, 0.0))
        .with_axis(Vec3::X)
        .with_limits(-2.0, 1.0)
        .with_motor(to(0.0));
    let winch = Joint::rope(trolley, hook, 8.0).with_motor(Motor::velocity(0.0, FORCE));
    let [hinge, slide, winch] =
        [hinge, slide, winch].map(|joint| commands.spawn((joint, reads)).id());
    commands.insert_resource(Crane {
        hinge,
        slide,
        winch,
        hook,
        load,
        slings: Vec::new(),
        speed: 0.0,
        task: Task::default(),
        since: 0.0,
        carried: 0.0,
    });
}

/// A motor that goes to a position, stiff, and damped so that it does not swing beyond.
const fn to(position: Real) -> Motor {
    Motor::spring(position, 2e5, 1e5).with_max_force(5e4)
}

/// From 0 to 1 in a time (s), gently at both ends.
fn gently(seconds: f64, time: f64) -> Real {
    let x = (seconds / time).clamp(0.0, 1.0) as Real;
    x * x * (3.0 - 2.0 * x)
}

/// Drives the crane: writes what its motors are to do, and goes on to the next task when one is done.
fn drive(
    mut crane: ResMut<Crane>,
    mut joints: Query<(&mut Joint, &JointForces, &JointPosition)>,
    time: Res<Time<Fixed>>,
    mut commands: Commands,
) {
    use Task::*;
    let seconds = time.elapsed_secs_f64();
    let busy = seconds - crane.since;
    let Ok((_, forces, rope)) = joints.get(crane.winch) else { return };
    let (carries, length) = (forces.force.length(), rope.linear.x);
    let (next, winch) = match crane.task {
        Lower => ((length > LOW).then_some(Lift), 1.0),
        Lift => ((length < HIGH).then_some(Turn), -1.0),
        Turn => ((busy > TURN_TIME).then_some(MotionBound), 0.0),
        MotionBound => ((busy > OUT_TIME).then_some(Wait), 0.0),
        Wait => ((busy > 3.0).then_some(Place), 0.0),
        // The load stands when the rope carries little more than the hook.
        Place => ((carries < 2.0 * HOOK * 9.81).then_some(Leave), 0.5),
        Leave => ((length < HIGH).then_some(Done), -1.0),
        Done => (None, 0.0),
    };
    if crane.task == Lift && (1.5..1.8).contains(&busy) {
        crane.carried = carries;
    }
    let [turn, out] = match crane.task {
        Lower | Lift => [0.0; 2],
        Turn => [gently(busy, TURN_TIME), 0.0],
        MotionBound => [1.0, gently(busy, OUT_TIME)],
        _ => [1.0; 2],
    };
    let change = ACCELERATION * time.delta_secs_f64() as Real;
    crane.speed += (winch * SPEED - crane.speed).clamp(-change, change);
    let motors = [
        (crane.hinge, to(turn * TURN)),
        (crane.slide, to(out * OUT)),
        (crane.winch, Motor::velocity(crane.speed, FORCE)),
    ];
    for (joint, motor) in motors {
        if let Ok((mut joint, ..)) = joints.get_mut(joint) {
            *joint.motor_mut() = Some(motor);
        }
    }
    match next {
        Some(Lift) => {
            // Slings from the hook to the corners of the load, a little slack.
            let corners = [(-0.5, -0.5), (-0.5, 0.5), (0.5, -0.5), (0.5, 0.5)];
            for (x, z) in corners {
                let sling = Joint::rope(crane.hook, crane.load, 1.25);
                let sling = sling.with_anchors(Vec3::ZERO, Vec3::new(x, 0.5, z));
                crane.slings.push(commands.spawn(sling.with_collision(true)).id());
            }
        }
        Some(Leave) => crane.slings.drain(..).for_each(|sling| commands.entity(sling).despawn()),
        _ => {}
    }
    if let Some(next) = next {
        (crane.task, crane.since) = (next, seconds);
    }
}

/// What is told.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    crane: Res<'w, Crane>,
    places: Query<'w, 's, &'static Transform>,
    joints: Joints<'w, 's>,
    physics: Res<'w, PhysicsWorld>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
}

impl Scene<'_, '_> {
    fn load(&self) -> Vec3 {
        self.places.get(self.crane.load).map_or(Vec3::ZERO, |at| from_single3(at.translation))
    }

    /// Where a joint is along or about an axis, and the force or torque there.
    fn read(&self, joint: Entity, axis: JointAxis) -> (Real, Real) {
        self.joints.get(joint).map_or((0.0, 0.0), |joint| (joint.position(axis), joint.force(axis)))
    }

    fn shoot(&self, film: &mut Film, caption: String) {
        let is_rope = |joint: &orthant::plugin::JointView| {
            matches!(joint.joint.kind, orthant::plugin::JointKind::Distance { .. })
        };
        let ropes = self.joints.iter().filter(is_rope);
        let ropes: Vec<_> = ropes.map(|joint| joint.frames.map(|(at, _)| widen3(at))).collect();
        film.shoot_with_ropes(caption, self.physics.engine(), color, &ropes);
    }
}

/// Once a second and at every new task, where all is and what the motors do.
fn tell(
    scene: Scene,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut last: Local<Option<Task>>,
) {
    let (seconds, crane, load) = (scene.time.elapsed_secs_f64(), &scene.crane, scene.load());
    let is_new = last.replace(crane.task) != Some(crane.task);
    if seconds % 2.0 == 0.0 || is_new {
        let (turn, torque) = scene.read(crane.hinge, JointAxis::AngularX);
        let (out, push) = scene.read(crane.slide, JointAxis::LinearX);
        let (length, pull) = scene.read(crane.winch, JointAxis::LinearX);
        println!(
            "{seconds:5.2} s  {:8} load at ({:5.2}, {:4.2}, {:5.2}) m; jib {:6.1}°, {:7.0} N·m; \
             trolley {:5.2} m, {:5.0} N; rope {:4.2} m, {:5.0} N",
            format!("{:?}", crane.task),
            load.x,
            load.y,
            load.z,
            turn.to_degrees(),
            torque,
            out,
            push,
            length,
            -pull
        );
        println!("         {}", *scene.report);
    }
    if is_new && ![Task::Lower, Task::Wait].contains(&crane.task) {
        scene.shoot(&mut film, format!("{:?} ({seconds:.1} s)", crane.task));
    }
    if crane.task == Task::Done || seconds > TIME_MAX {
        let off = load.distance(goal());
        let weight = (HOOK + LOAD) * 9.81;
        let fine = off < 0.1 && (crane.carried - weight).abs() < 0.01 * weight;
        println!(
            "\nThe rope carried {:.0} N of {weight:.0} N. The load stands {:.0} mm from its place: {}",
            crane.carried,
            1e3 * off,
            if fine { "as it should." } else { "NOT as it should." }
        );
        film.save("out/crane.svg");
        exit.write(if fine { AppExit::Success } else { AppExit::error() });
    }
}

/// By the order in which they were spawned: ground, pad, tower, jib, trolley, hook, load.
fn color(body: &Body) -> Option<Rgb> {
    let gray = Rgb::hex(0x6f7b8c);
    let yellow = PALETTE[0];
    let of = [gray, Rgb::hex(0xb9cf9f), gray, yellow, PALETTE[1], PALETTE[7], PALETTE[2]];
    of.get(body.id().0 as usize).copied()
}
