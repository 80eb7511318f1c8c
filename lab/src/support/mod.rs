//! Little worlds for the tests.

pub mod bounces;
pub mod driven;
pub mod fast;
pub mod floors;
pub mod moving;
pub mod recompute;
pub mod recompute_joints;
pub mod reference;
pub mod slopes;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};

use crate::random::Rng;

/// Time step of a game (s).
pub const DT: Real = 1.0 / 60.0;

/// Is the build in double precision?
pub const DOUBLE: bool = size_of::<Real>() == 8;

pub fn cuboid(x: Real, y: Real, z: Real) -> Shape {
    Shape::cuboid(x, y, z).expect("positive lengths")
}

pub fn sphere(radius: Real) -> Shape {
    Shape::sphere(radius).expect("a positive radius")
}

/// The default settings; in double precision with a tolerance that lets its digits show.
pub fn settings() -> Settings {
    let mut settings = Settings::default();
    if DOUBLE {
        settings.solver.tolerance = 1e-10;
    }
    settings
}

/// A body that is there.
pub fn body(world: &Simulation, id: BodyId) -> &Body {
    world.body(id).expect("the body is there")
}

/// A body that is there, to change.
pub fn change(world: &mut Simulation, id: BodyId) -> &mut Body {
    world.body_mut(id).expect("the body is there")
}

/// A half-space floor with its surface at y = 0.
pub fn add_floor(world: &mut Simulation) -> BodyId {
    add(world, BodyKind::Static, Shape::half_space(Vec3::Y).expect("a direction"), Vec3::ZERO)
}

pub fn add(world: &mut Simulation, kind: BodyKind, shape: Shape, position: Vec3) -> BodyId {
    let desc = BodyDesc { kind, shape: Some(shape), position, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

/// A world with a half-space floor.
pub fn floor() -> Simulation {
    let mut world = Simulation::new();
    add_floor(&mut world);
    world
}

/// A stack of unit cubes on a floor.
pub fn stack(n: usize) -> (Simulation, Vec<BodyId>) {
    let mut world = floor();
    let cubes = (0..n)
        .map(|i| {
            let at = Vec3::new(0.0, 0.5 + i as Real, 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
        })
        .collect();
    (world, cubes)
}

/// A heap of boxes on a floor.
pub fn pile(n: usize, seed: u64) -> (Simulation, Vec<BodyId>) {
    let (mut world, mut rng) = (floor(), Rng::new(seed));
    let mut ids = Vec::new();
    for i in 0..n {
        let (row, column) = ((i / 4) as Real, (i % 4) as Real);
        let desc = BodyDesc {
            shape: Some(cuboid(rng.range(0.4, 0.8), rng.range(0.4, 0.8), rng.range(0.4, 0.8))),
            position: Vec3::new(0.6 * column - 0.9, 0.6 + 0.8 * row, rng.range(-0.3, 0.3)),
            rotation: rng.rotation(),
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a box"));
    }
    (world, ids)
}

/// A heap of hulls, balls, capsules and boxes with a jointed chain above it: everything at once.
pub fn heap(n: usize) -> (Simulation, Vec<BodyId>) {
    use orthant::engine::joint::{JointDesc, JointKind};
    let mut world = floor();
    let mut rng = Rng::new(7);
    let mut ids = Vec::new();
    for i in 0..n {
        let shape = match i % 4 {
            0 => cuboid(rng.range(0.3, 0.7), rng.range(0.3, 0.7), rng.range(0.3, 0.7)),
            1 => Shape::sphere(rng.range(0.15, 0.35)).expect("a ball"),
            2 => Shape::capsule(rng.range(0.1, 0.2), rng.range(0.2, 0.5)).expect("a capsule"),
            _ => {
                let points: Vec<Vec3> = (0..12).map(|_| rng.vector(-0.4, 0.4)).collect();
                Shape::convex_hull(&points).expect("random points span a hull")
            }
        };
        let (row, column) = ((i / 3) as Real, (i % 3) as Real);
        let desc = BodyDesc {
            shape: Some(shape),
            position: Vec3::new(column * 0.9 - 0.9, 0.6 + row * 0.9, rng.range(-0.3, 0.3)),
            rotation: rng.rotation(),
            angular_velocity: rng.vector(-2.0, 2.0),
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    for pair in ids.windows(2).take(3) {
        let anchor = Vec3::new(0.45, 0.0, 0.0);
        let desc = JointDesc::between(JointKind::Spherical, pair[0], pair[1]);
        world.add_joint(desc.with_anchors(anchor, -anchor)).expect("two bodies");
    }
    (world, ids)
}

/// Steps a world `n` times with the default settings.
pub fn run(world: &mut Simulation, n: usize) {
    run_with(world, n, &Settings::default());
}

/// Steps a world `n` times.
pub fn run_with(world: &mut Simulation, n: usize, settings: &Settings) {
    for _ in 0..n {
        world.step(settings, DT);
    }
}

/// Goes on from the contacts of a step to its end.
pub fn end_step(world: &mut Simulation, settings: &Settings) {
    world.build_islands();
    world.assemble(settings);
    world.solve(settings);
    world.integrate();
    world.finish();
}

/// The bits of every pose and velocity, mixed into one number.
pub fn fingerprint(world: &Simulation) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut mix = |x: Real| {
        // Through f64, which keeps every bit of either precision.
        #[allow(clippy::unnecessary_cast, reason = "Real may be f64")]
        let bits = (x as f64).to_bits();
        hash = (hash ^ bits).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(17);
    };
    for body in world.bodies().iter() {
        let (x, q) = (body.center(), body.rotation());
        let (v, w) = (body.linear_velocity, body.angular_velocity);
        [x.x, x.y, x.z, q.x, q.y, q.z, q.w].into_iter().for_each(&mut mix);
        [v.x, v.y, v.z, w.x, w.y, w.z].into_iter().for_each(&mut mix);
    }
    hash
}
