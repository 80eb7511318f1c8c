//! What is moved by hand: an elevator, a drum.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::Collider;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{PI, Quat, Real, Vec3, cos, quat_exp, quat_mul, sin};

use super::{DT, add, change, cuboid, run};
use crate::random::Rng;

/// A kinematic box of the given size.
pub fn plate(world: &mut Simulation, size: Vec3, position: Vec3) -> BodyId {
    add(world, BodyKind::Kinematic, cuboid(size.x, size.y, size.z), position)
}

/// Moves a kinematic body for one step along `to - from`, by its velocity or its target.
pub fn drive(world: &mut Simulation, id: BodyId, to: Vec3, by_target: bool) {
    let body = change(world, id);
    if by_target {
        body.set_target(to, Quat::IDENTITY);
    } else {
        body.linear_velocity = (to - body.position()) / DT;
    }
    run(world, 1);
}

/// Height of the elevator after `step` steps: it rests, rises 3 m within 2 s, rests, and comes down.
pub fn elevator(step: usize, smooth: bool) -> Real {
    let time = step as Real * DT;
    let way = |start: Real| {
        let part = ((time - start) / 2.0).clamp(0.0, 1.0);
        if smooth { 0.5 - 0.5 * cos(PI * part) } else { part }
    };
    3.0 * (way(0.5) - way(3.5))
}

/// A drum of radius 1 m about the x axis: twelve slabs and two end plates.
fn drum(world: &mut Simulation) -> BodyId {
    let side = |i: usize| {
        let angle = PI / 6.0 * i as Real;
        let out = Vec3::new(0.0, cos(angle), sin(angle));
        let turn = quat_exp(Vec3::X * angle);
        // The inner faces touch a circle of radius 1 m; the slabs overlap at their ends.
        let slab = Collider::new(cuboid(1.4, 0.1, 0.64));
        Collider { position: out * 1.05, rotation: turn, ..slab }
    };
    let end = |x: Real| {
        let corner = |i: usize, x: Real| {
            let angle = PI / 6.0 * (i as Real + 0.5);
            Vec3::new(x, 1.15 * cos(angle), 1.15 * sin(angle))
        };
        let points: Vec<Vec3> = (0..12).flat_map(|i| [corner(i, -0.05), corner(i, 0.05)]).collect();
        let shape = Shape::convex_hull(&points).expect("a plate");
        Collider { position: Vec3::X * x, ..Collider::new(shape) }
    };
    let mut colliders: Vec<Collider> = (0..12).map(side).collect();
    colliders.extend([end(-0.65), end(0.65)]);
    let desc = BodyDesc { kind: BodyKind::Kinematic, colliders, ..BodyDesc::default() };
    world.add_body(desc).expect("a drum")
}

/// Sixty balls and cubes in a drum.
pub fn filled_drum() -> (Simulation, BodyId, Vec<BodyId>) {
    let mut world = Simulation::new();
    let drum = drum(&mut world);
    let mut rng = Rng::new(11);
    let mut ids = Vec::new();
    for i in 0..60 {
        let (row, column) = (i / 12, i % 12);
        let (x, z) = ((column % 4) as Real, (column / 4) as Real);
        let at = Vec3::new(x * 0.28 - 0.42, row as Real * 0.24 - 0.6, z * 0.28 - 0.28);
        let shape =
            if i % 2 == 0 { Shape::sphere(0.1).expect("a ball") } else { cuboid(0.16, 0.16, 0.16) };
        let desc = BodyDesc {
            shape: Some(shape),
            position: at + rng.vector(-0.01, 0.01),
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a body"));
    }
    (world, drum, ids)
}

/// A rotation about x, by half angles, so that its quaternion changes its sign once a turn.
pub fn turn(step: usize) -> Quat {
    let half = quat_exp(Vec3::X * (1.5 * step as Real * DT));
    quat_mul(half, half)
}

/// Fewer sweeps than usual: a drum of tumbling bodies is one large island, and this is about what gets
/// out of it.
pub fn coarse() -> Settings {
    let mut settings = Settings::default();
    settings.solver.newton_rows_max = 100;
    settings.solver.sweeps_max = 30;
    settings
}
