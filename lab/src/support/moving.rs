//! Eight moving worlds of all kinds of bodies, shapes and joints, and all that they tell.

use std::fmt::{self, Write};

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::joint::{JointAxis, JointDesc, JointKind, Motor};
use orthant::engine::par::Pool;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3};

use super::{DT, add, change, cuboid, fingerprint, floor, heap, pile, sphere, stack};
use crate::random::Rng;

/// A moving world, how many steps it is before its snapshot is taken, and its settings.
#[derive(Clone)]
pub struct Scene {
    pub name: &'static str,
    pub world: Simulation,
    pub steps: usize,
    pub settings: Settings,
}

pub fn scene(name: &'static str, world: Simulation, steps: usize) -> Scene {
    Scene { name, world, steps, settings: Settings::default() }
}

/// A tower into which a ball flies.
fn struck() -> Simulation {
    let mut world = stack(8).0;
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.5), Vec3::new(-4.0, 5.0, 0.1));
    change(&mut world, ball).linear_velocity = Vec3::new(9.0, 2.0, 0.0);
    world
}

/// A chain that swings from the world, with a motor at its first joint.
pub fn chain() -> Simulation {
    let mut world = Simulation::new();
    let mut last: Option<BodyId> = None;
    for i in 0..12_u8 {
        let at = Vec3::new(0.3 + 0.6 * Real::from(i), 5.0, 0.0);
        let link = add(&mut world, BodyKind::Dynamic, cuboid(0.5, 0.1, 0.1), at);
        let kind = if i % 3 == 0 { JointKind::Revolute } else { JointKind::Spherical };
        let hung = if last.is_some() { Vec3::X * 0.3 } else { Vec3::new(0.0, 5.0, 0.0) };
        let desc = JointDesc::new(kind, [last, Some(link)]).with_anchors(hung, Vec3::X * -0.3);
        let mut desc = desc;
        if i == 6 {
            desc.motors[JointAxis::AngularX.index()] = Some(Motor::velocity(3.0, 0.5));
        }
        world.add_joint(desc).expect("a sound joint");
        last = Some(link);
    }
    world
}

/// A net of balls and rods that falls over a mesh, a ball that rolls, a box on a belt that bounces.
fn net() -> Simulation {
    let mut world = Simulation::new();
    let heights: Vec<Vec<Real>> =
        (0..9).map(|i| (0..9).map(|k| 0.3 * Real::from((i * k % 3) as u8)).collect()).collect();
    let ground = Shape::heightfield(&heights, Vec3::new(12.0, 1.0, 12.0)).expect("a field");
    add(&mut world, BodyKind::Static, ground, Vec3::ZERO);
    let mut ids = Vec::new();
    for i in 0..5_u8 {
        for k in 0..5_u8 {
            let at = Vec3::new(Real::from(i) - 2.0, 2.0, Real::from(k) - 2.0);
            let id = add(&mut world, BodyKind::Dynamic, sphere(0.2), at);
            let near = [(i > 0).then_some(5), (k > 0).then_some(1)];
            for back in near.into_iter().flatten() {
                let other = ids[ids.len() - back];
                world.add_joint(JointDesc::rod(other, id, 1.0)).expect("two balls");
            }
            ids.push(id);
        }
    }
    let material =
        Material { rolling: 0.01, spinning: 0.01, restitution: 0.5, ..Material::new(0.6) };
    let shapes = [
        sphere(0.3),
        Shape::round_cuboid(0.4, 0.5, 0.6, 0.05).expect("a box"),
        Shape::cylinder(0.3, 0.5).expect("a can"),
        Shape::cone(0.3, 0.6).expect("a cone"),
        Shape::ellipsoid(0.4, 0.5, 0.6).expect("an egg"),
        Shape::round_cylinder(0.3, 0.3, 0.05).expect("a cheese"),
    ];
    for (k, shape) in (0_u8..).zip(shapes) {
        let colliders = vec![Collider { material, tag: 7, ..Collider::new(shape) }];
        let position = Vec3::new(Real::from(k) - 3.0, 4.0, 0.5);
        let linear_velocity = Vec3::new(1.0, 0.0, 1.0);
        let desc = BodyDesc { colliders, position, linear_velocity, tag: 5, ..BodyDesc::default() };
        world.add_body(desc).expect("a sound body");
    }
    world
}

/// Compounds and rounded hulls of random points.
fn hulls() -> Simulation {
    let (mut world, mut rng) = (floor(), Rng::new(3));
    for i in 0..24_u8 {
        let mut points = |n| (0..n).map(|_| rng.vector(-0.4, 0.4)).collect::<Vec<Vec3>>();
        let hull = Shape::convex_hull(&points(14)).expect("random points span a hull");
        let round = Shape::round_convex_hull(&points(9), 0.05).expect("a rounded one");
        let turn = rng.rotation();
        let parts = [(Vec3::ZERO, Quat::IDENTITY, hull), (Vec3::X * 0.4, turn, round)];
        let shape = Shape::compound(parts).expect("two hulls");
        let at = Vec3::new(Real::from(i % 4) - 2.0, 0.8 + 0.3 * Real::from(i), Real::from(i % 3));
        add(&mut world, BodyKind::Dynamic, shape, at);
    }
    world
}

/// Piles that sleep, a kinematic body that comes to wake one of them, and a sensor.
pub fn sleepers() -> Scene {
    let mut world = floor();
    for k in 0..3_u8 {
        for i in 0..4_u8 {
            let at = Vec3::new(Real::from(k) * 6.0, 0.5 + Real::from(i), 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        }
    }
    let piston =
        add(&mut world, BodyKind::Kinematic, cuboid(1.0, 1.0, 1.0), Vec3::new(-6.0, 1.0, 0.0));
    change(&mut world, piston).linear_velocity = Vec3::X * 2.0;
    let sensor = Collider { sensor: true, ..Collider::new(cuboid(2.0, 2.0, 2.0)) };
    let desc = BodyDesc { kind: BodyKind::Static, colliders: vec![sensor], ..BodyDesc::default() };
    world.add_body(desc).expect("a sensor");
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    Scene { name: "sleepers", world, steps: 100, settings }
}

pub fn scenes() -> Vec<Scene> {
    vec![
        scene("stack", struck(), 40),
        scene("heap", heap(24).0, 70),
        scene("chain", chain(), 50),
        scene("net", net(), 60),
        scene("hulls", hulls(), 80),
        sleepers(),
        scene("begin", heap(8).0, 0),
        scene("pile", pile(60, 8).0, 0),
    ]
}

/// All that a world tells: the bits of its state; contacts, touches, joints and sleepers in words.
pub fn told(world: &Simulation) -> (u64, String) {
    let contacts: Vec<_> = world.contacts().collect();
    let started: Vec<_> = world.touches().started().collect();
    let ended: Vec<_> = world.touches().ended().iter().map(|touch| touch.key).collect();
    let joints: Vec<_> = world.joints().map(|j| (j.positions(), j.reaction())).collect();
    let sleepers: Vec<_> = world.sleepers().islands().collect();
    let touches = (world.touches().all(), started, ended);
    let all = (contacts, touches, joints, sleepers);
    (fingerprint(world), format!("{all:?}"))
}

/// Bodies come and go, are pushed and named.
pub fn change_bodies(world: &mut Simulation, k: u8) {
    let at = Vec3::new(0.4 * Real::from(k), 6.0, 0.0);
    let new = add(world, BodyKind::Dynamic, cuboid(0.6, 0.7, 0.8), at);
    change(world, new).apply_linear_impulse(Vec3::new(0.1, -0.2, 0.0));
    let gone = world.bodies().iter().map(|body| body.id()).nth(2 + usize::from(k));
    gone.map(|id| world.remove_body(id));
}

/// Mixes what is written into one number.
pub struct Mixer(pub u64);

impl Default for Mixer {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Write for Mixer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
        self.0 = text.bytes().fold(self.0, mix);
        Ok(())
    }
}

/// The stages that know a pool, in their order.
pub const SPREAD: [&str; 5] = ["begin", "find_pairs", "find_contacts", "solve", "finish"];

/// Steps a world on a pool; in the plugin every stage is a system of its own.
pub fn step_on(world: &mut Simulation, settings: &Settings, pool: &dyn Pool) {
    step_on_each(world, settings, [pool; 5]);
}

/// Steps a world with a pool for each of the stages that know one.
pub fn step_on_each(world: &mut Simulation, settings: &Settings, pools: [&dyn Pool; 5]) {
    let [begin, pairs, contacts, solve, finish] = pools;
    world.begin_on(settings, DT, begin);
    world.find_pairs_on(settings, pairs);
    world.find_contacts_on(settings, contacts);
    world.build_islands();
    world.assemble(settings);
    world.solve_on(settings, solve);
    world.integrate();
    world.finish_on(finish);
}

/// The bits of all that a scene tells in each of so many steps, while bodies come and go.
pub fn history(scene: Scene, steps: u8, pool: &dyn Pool) -> u64 {
    history_on_each(scene, steps, [pool; 5])
}

/// The bits with a pool for each of the stages that know one.
pub fn history_on_each(scene: Scene, steps: u8, pools: [&dyn Pool; 5]) -> u64 {
    let Scene { mut world, settings, .. } = scene;
    let mut mixer = Mixer::default();
    for k in 0..steps {
        if k % 20 == 19 {
            change_bodies(&mut world, k / 20);
        }
        step_on_each(&mut world, &settings, pools);
        write!(mixer, "{:?}", told(&world)).expect("a mixer takes all");
    }
    mixer.0
}

/// All eight worlds in one, so many times, each later than the one before: so many bodies, pairs, rows and
/// islands that all of them are worth several threads.
pub fn crowd(copies: u8) -> Scene {
    together(scenes(), copies)
}

/// Worlds in one, so many times, each in a place of its own on one floor.
pub fn together(scenes: Vec<Scene>, copies: u8) -> Scene {
    let mut all = floor();
    for (k, scene) in (0_u8..).zip(scenes) {
        let Scene { mut world, steps, settings, .. } = scene;
        for copy in 0..copies {
            place(&mut all, &world, 40.0 * Vec3::new(copy.into(), 0.0, k.into()));
            for _ in 0..steps / usize::from(copies) {
                world.step(&settings, DT);
            }
        }
    }
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    Scene { name: "crowd", world: all, steps: 0, settings }
}

/// Adds what is in a world to another one, somewhere else; but for its floor.
fn place(all: &mut Simulation, world: &Simulation, shift: Vec3) {
    let endless = |body: &Body| !body.aabb().max.is_finite();
    let mut names: Vec<(BodyId, BodyId)> = Vec::new();
    for body in world.bodies().iter().filter(|body| !endless(body)) {
        let desc = BodyDesc {
            kind: body.kind(),
            position: body.position() + shift,
            rotation: body.rotation(),
            linear_velocity: body.linear_velocity,
            angular_velocity: body.angular_velocity,
            colliders: body.colliders().list().to_vec(),
            tag: body.tag,
            ..BodyDesc::default()
        };
        names.push((body.id(), all.add_body(desc).expect("a body that was sound")));
    }
    let name = |id: BodyId| names.iter().find_map(|(old, new)| (*old == id).then_some(*new));
    for joint in world.joints() {
        let mut desc = *joint.desc();
        for (end, frame) in desc.ends.iter_mut().zip(&mut desc.frames) {
            *end = end.and_then(name);
            frame.anchor += if end.is_none() { shift } else { Vec3::ZERO };
        }
        all.add_joint(desc).expect("a joint that was sound");
    }
}
