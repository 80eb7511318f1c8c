//! Mechanisms that run, one that stands, and one that cannot be:
//! `cargo run --release -p orthant_lab --features bevy --example linkage`.
//!
//! Four lie on a table, each with a motor that keeps its speed as far as its torque goes. The rocker of a
//! four-bar linkage swings between the angles that its lengths tell. The slider of a slider–crank rubs in
//! its guide, and a turn costs friction times way. In the third one friction is more than the motor can
//! overcome: it stands, held by just what pushes it. The fourth slider is two millimetres wider than its
//! guide: walls can press against each other as hard as they like, the friction cone is not pointed, and the
//! step problem has no solution. Whatever is done then is wrong, and the report says of which steps that is
//! so: their forces and motions mean nothing, and none is printed. A picture goes to `out/linkage.svg`. The
//! exit status says whether the first three do what their lengths, friction and motors tell.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::math::{DVec3, PI, Real, Vec3, atan2, from_single3, quat_exp, single_quat, single3};
use orthant::plugin::EngineBody;
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// Speed [rad/s] and largest torque (N·m) of every motor.
const SPEED: Real = 2.0;
const TORQUE: Real = 20.0;
/// Lengths of cranks and of the rods of the sliders (m).
const CRANK: Real = 0.5;
const ROD: Real = 1.5;
/// Where the rocker of the four-bar linkage turns, and where it meets the coupler at first (m).
const GROUND: [Real; 2] = [2.0, 0.0];
const MEET: [Real; 2] = [1.5, 1.5];
/// Friction of the second and the third guide (N); how much the fourth is too narrow (m).
const FRICTION: [Real; 2] = [10.0, 200.0];
const NARROW: Real = 0.002;
/// The most work of a step for an island, see `SolverSettings::work_max`.
const WORK: f64 = 20.0;
/// Turns until the end.
const TURNS: Real = 3.0;

/// Names of the machines, and where on the table they are (m).
const MACHINES: [(&str, [Real; 2]); 4] = [
    ("four-bar", [-3.2, 0.7]),
    ("rubbing slider", [0.8, 1.2]),
    ("stuck slider", [-3.2, -1.6]),
    ("pressed slider", [0.8, -1.6]),
];

/// The motor of a machine, and its crank.
#[derive(Component)]
struct Drive(usize, Entity);

/// The joint that guides the slider of a machine, or the other hinge of the four-bar linkage.
#[derive(Component)]
struct Follower(usize);

/// The slider of a machine without such a joint, and where it began.
#[derive(Component)]
struct Pressed(Vec3);

fn main() -> AppExit {
    println!("Motors of {SPEED} rad/s and at most {TORQUE} N·m on four machines.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins(PhysicsPlugins::default())
        .add_systems(Startup, spawn)
        .add_systems(FixedLast, tell);
    // What has no solution takes all the work that a step may take, and is not better for it.
    app.world_mut().resource_mut::<SolverConfig>().work_max = WORK;
    app.insert_non_send(Film::new(DVec3::new(0.04, 1.0, 0.6), 8, 5, 2));
    app.run()
}

/// A machine that is being made; points are on the table, to the right and away from the viewer (m).
struct Machine<'a, 'w, 's> {
    commands: &'a mut Commands<'w, 's>,
    number: usize,
}

impl Machine<'_, '_, '_> {
    fn point(&self, [x, y]: [Real; 2]) -> Vec3 {
        let [x0, y0] = MACHINES[self.number].1;
        Vec3::new(x0 + x, 0.3, -y0 - y)
    }

    /// A bar between two points, so far above the others. Joints alone hold it; it touches nothing.
    fn bar(&mut self, from: [Real; 2], to: [Real; 2], above: Real) -> Entity {
        let way = self.point(to) - self.point(from);
        let at = self.point(from) + way * 0.5 + Vec3::Y * above;
        let turn = quat_exp(Vec3::Y * atan2(-way.z, way.x));
        let at = Transform::from_translation(single3(at)).with_rotation(single_quat(turn));
        let shape = Collider::cuboid(way.length() + 0.1, 0.06, 0.1);
        let alone = CollisionLayers::new(LayerMask::NONE, LayerMask::NONE);
        self.commands.spawn((RigidBody::Dynamic, shape, Mass(way.length()), alone, at)).id()
    }

    fn hinge(&self, a: Option<Entity>, b: Option<Entity>, at: [Real; 2]) -> Joint {
        Joint::hinge(a, b).with_anchor(self.point(at)).with_axis(Vec3::Y)
    }

    /// A crank with its motor, and a bar from its end to a point.
    fn crank_and_bar(&mut self, to: [Real; 2]) -> Entity {
        let end = [0.0, CRANK];
        let crank = self.bar([0.0; 2], end, 0.0);
        let bar = self.bar(end, to, 0.07);
        let motor = self.hinge(None, Some(crank), [0.0; 2]);
        let motor = motor.with_motor(Motor::velocity(SPEED, TORQUE));
        self.commands.spawn((Drive(self.number, crank), motor));
        self.commands.spawn(self.hinge(Some(crank), Some(bar), end));
        bar
    }

    fn four_bar(&mut self) {
        let coupler = self.crank_and_bar(MEET);
        let rocker = self.bar(MEET, GROUND, 0.0);
        self.commands.spawn(self.hinge(Some(coupler), Some(rocker), MEET));
        let follower = self.hinge(None, Some(rocker), GROUND);
        let reads = (JointForces::default(), JointPosition::default());
        self.commands.spawn((Follower(self.number), follower, reads));
    }

    /// A slider–crank; without friction its slider has no joint, but walls too near to each other.
    fn slider(&mut self, friction: Option<Real>) {
        let at = [(ROD * ROD - CRANK * CRANK).sqrt(), 0.0];
        let rod = self.crank_and_bar(at);
        let shape = Collider::cuboid(0.4, 0.1, 0.3);
        let place = Transform::from_translation(single3(self.point(at)));
        let slider = (RigidBody::Dynamic, shape, Mass(1.0), Friction::new(0.5), place);
        let slider = self.commands.spawn(slider).id();
        self.commands.spawn(self.hinge(Some(rod), Some(slider), at));
        let mut gap = 0.36;
        if let Some(friction) = friction {
            let guide = Joint::prismatic(None, slider)
                .with_anchor(self.point(at))
                .with_axis(Vec3::X)
                .with_friction(friction);
            let reads = (JointForces::default(), JointPosition::default());
            self.commands.spawn((Follower(self.number), guide, reads));
        } else {
            let from = Pressed(self.point(at));
            self.commands.entity(slider).insert(from);
            gap = 0.3 - NARROW;
        }
        for side in [-0.5, 0.5] {
            let wall = self.point([at[0] + 0.1, side * (gap + 0.06)]);
            let wall = Transform::from_translation(single3(wall));
            let shape = Collider::cuboid(1.8, 0.1, 0.06);
            self.commands.spawn((RigidBody::Static, shape, Friction::new(0.5), wall));
        }
    }
}

fn spawn(mut commands: Commands) {
    let commands = &mut commands;
    Machine { commands, number: 0 }.four_bar();
    Machine { commands, number: 1 }.slider(Some(FRICTION[0]));
    Machine { commands, number: 2 }.slider(Some(FRICTION[1]));
    Machine { commands, number: 3 }.slider(None);
}

/// What is read.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    drives: Query<'w, 's, (Entity, &'static Drive)>,
    joints: Joints<'w, 's>,
    followers: Query<'w, 's, (&'static Follower, &'static JointForces, &'static JointPosition)>,
    pressed: Single<'w, 's, (Entity, &'static Pressed, &'static Transform)>,
    bodies: Query<'w, 's, &'static EngineBody>,
    collisions: Collisions<'w>,
    physics: Res<'w, PhysicsWorld>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
}

/// A machine after a step.
#[derive(Clone, Copy, Default)]
struct State {
    /// Torque of the motor (N·m) and angle of the crank (rad).
    torque: Real,
    crank: Real,
    /// Way of the slider (m) or angle of the rocker (rad), and the force of the guide on the slider (N).
    way: Real,
    force: Real,
    /// Was its part of the step problem solved, and up to which residual [m/s]?
    solved: bool,
    residual: f64,
}

impl Scene<'_, '_> {
    fn state(&self, machine: usize) -> State {
        let mut state = State::default();
        let drive = self.drives.iter().find(|(_, drive)| drive.0 == machine);
        if let Some(motor) = drive.and_then(|(motor, _)| self.joints.get(motor)) {
            let axis = JointAxis::AngularX;
            (state.torque, state.crank) = (motor.force(axis), motor.position(axis));
        }
        for (_, forces, at) in self.followers.iter().filter(|(follower, ..)| follower.0 == machine)
        {
            // One of the two is a hinge, the others are slides.
            (state.way, state.force) = (at.linear.x + at.angular.x, forces.force.x);
        }
        if machine == 3 {
            let (slider, Pressed(from), at) = *self.pressed;
            let impulse: Real = self.collisions.of(slider).map(|pair| pair.normal_impulse()).sum();
            state.way = (from_single3(at.translation) - *from).x;
            state.force = impulse / self.report.dt;
        }
        // An island is named by its first body, here the crank.
        let crank = drive.and_then(|(_, drive)| self.bodies.get(drive.1).ok()?.id());
        let island = self.report.solves.iter().find(|island| Some(island.first) == crank);
        (state.solved, state.residual) =
            island.map_or((true, 0.0), |island| (island.solved, island.residual));
        state
    }
}

/// What is remembered from step to step.
#[derive(Default)]
struct Memory {
    last: [State; 4],
    /// Least and largest angle of the rocker (rad).
    rocker: [Real; 2],
    /// Work of the motor of the rubbing slider and of its friction since the first turn (J).
    work: [Real; 2],
    /// Steps in which a machine was not solved.
    unsolved: [u32; 4],
    /// Largest residual of the pressed slider [m/s].
    worst: f64,
    steps: u32,
    lines: u32,
    frames: usize,
}

/// A line a machine every half turn, and the end.
fn tell(
    scene: Scene,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut memory: Local<Memory>,
) {
    let memory = &mut *memory;
    memory.steps += 1;
    let turns = scene.time.elapsed_secs_f64() as Real * SPEED / (2.0 * PI);
    let now = [0, 1, 2, 3].map(|machine| scene.state(machine));
    for (k, state) in now.iter().enumerate() {
        memory.unsolved[k] += u32::from(!state.solved);
    }
    memory.worst = memory.worst.max(now[3].residual);
    memory.rocker = [memory.rocker[0].min(now[0].way), memory.rocker[1].max(now[0].way)];
    if turns > 1.0 && turns < TURNS {
        let [was, is] = [memory.last[1], now[1]];
        memory.work[0] += is.torque * (is.crank - was.crank);
        memory.work[1] -= is.force * (is.way - was.way);
    }
    memory.last = now;
    if 2.0 * turns >= Real::from(memory.lines as u16) {
        memory.lines += 1;
        println!("{turns:4.2} turns  {}", *scene.report);
        for ((name, _), state) in MACHINES.iter().zip(&now) {
            if !state.solved {
                println!("            {name:14} not solved, residual {:.1e} m/s", state.residual);
                continue;
            }
            println!(
                "            {name:14} {:6.1}°, {:5.2} N·m; {:7.4}, {:.2e} N; residual {:.1e} m/s",
                state.crank.to_degrees(),
                state.torque,
                state.way,
                state.force,
                state.residual
            );
        }
    }
    if 4.0 * turns >= memory.frames as Real && memory.frames < 4 {
        memory.frames += 1;
        film.shoot(format!("{turns:.2} turns"), scene.physics.engine(), color);
    }
    if turns >= TURNS {
        let fine = judge(memory);
        film.save("out/linkage.svg");
        exit.write(if fine { AppExit::Success } else { AppExit::error() });
    }
}

/// What was to be, and whether it was.
fn judge(memory: &Memory) -> bool {
    let [low, high] = memory.rocker;
    // At the ends of its swing coupler and crank are in line.
    let long =
        |[a, b]: [Real; 2], [c, d]: [Real; 2]| ((c - a) * (c - a) + (d - b) * (d - b)).sqrt();
    let [coupler, rocker] = [long([0.0, CRANK], MEET), long(MEET, GROUND)];
    let angle = |far: Real| {
        let [x, _] = GROUND;
        let cos = (x * x + rocker * rocker - far * far) / (2.0 * x * rocker);
        atan2((1.0 - cos * cos).sqrt(), cos)
    };
    let swing = [high - low, angle(coupler + CRANK) - angle(coupler - CRANK)].map(Real::to_degrees);
    // A turn takes the slider there and back again, by twice the crank each.
    let [motor, friction] = memory.work;
    let cost = (TURNS - 1.0) * 4.0 * CRANK * FRICTION[0];
    let [.., stuck, _] = memory.last;
    let push = stuck.torque / CRANK;
    let [a, b, c, d] = memory.unsolved;
    let fine = [
        (
            (swing[0] - swing[1]).abs() < 0.1,
            format!("the rocker swings by {:.2}° of {:.2}°", swing[0], swing[1]),
        ),
        (
            (motor - cost).abs() < 0.01 * cost,
            format!(
                "two turns cost the motor {motor:.2} J, friction took {friction:.2} J of {cost}"
            ),
        ),
        (
            stuck.way.abs() < 1e-3 && (stuck.force - push).abs() < 0.01 * push,
            format!("it is held by {:.2} N against {push:.2} N", stuck.force),
        ),
        (
            a + b + c == 0,
            format!("steps in which one of these three was not solved: {}", a + b + c),
        ),
    ];
    println!();
    for (holds, what) in &fine {
        println!("{}: {what}", if *holds { "as it should" } else { "NOT as it should" });
    }
    println!(
        "The pressed slider has no solution: {d} of {} steps are told as not solved, with residuals of up to \
         {:.1e} m/s.",
        memory.steps, memory.worst
    );
    fine.iter().all(|(holds, _)| *holds)
}

/// By the order in which the bodies of a machine were spawned: crank, bar, what follows, and walls.
fn color(body: &Body) -> Option<Rgb> {
    let id = body.id().0 as usize;
    let place = if id < 3 { id } else { (id - 3) % 5 };
    Some(if body.is_dynamic() { PALETTE[place] } else { Rgb::hex(0x6f7b8c) })
}
