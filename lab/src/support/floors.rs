//! Floors without a bump, and bodies that roll and slide over them.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers, Material};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{PI, Quat, Real, Vec3, cos, quat_exp, quat_mul, sin};

use super::{DT, body, cuboid};

/// A floor at y = 0 of the size `n` by `n` meters about the origin.
pub type Floor = fn(n: usize, friction: Real) -> Simulation;

fn fixed(world: &mut Simulation, shape: Shape, position: Vec3, friction: Real) {
    let kind = BodyKind::Static;
    let desc = BodyDesc { kind, shape: Some(shape), position, friction, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body");
}

/// A cube of 1 m for each square meter.
pub fn tiles(n: usize, friction: Real) -> Simulation {
    let mut world = Simulation::new();
    let shape = cuboid(1.0, 1.0, 1.0);
    let low = 0.5 - 0.5 * n as Real;
    for i in 0..n * n {
        let at = Vec3::new(low + (i / n) as Real, -0.5, low + (i % n) as Real);
        fixed(&mut world, shape.clone(), at, friction);
    }
    world
}

/// Vertices and triangles of a grid of squares of 1 m about the origin, cut along one diagonal or the other.
pub fn grid(n: usize, height: impl Fn(Real, Real) -> Real) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let low = -0.5 * n as Real;
    let mut vertices = Vec::new();
    for i in 0..=n {
        for k in 0..=n {
            let (x, z) = (low + i as Real, low + k as Real);
            vertices.push(Vec3::new(x, height(x, z), z));
        }
    }
    let mut triangles = Vec::new();
    let at = |i: usize, k: usize| (i * (n + 1) + k) as u32;
    for i in 0..n {
        for k in 0..n {
            let (p, q, r, s) = (at(i, k), at(i, k + 1), at(i + 1, k + 1), at(i + 1, k));
            if (i + k) % 2 == 0 {
                triangles.extend([[p, q, r], [p, r, s]]);
            } else {
                triangles.extend([[p, q, s], [q, r, s]]);
            }
        }
    }
    (vertices, triangles)
}

pub fn mesh(n: usize, friction: Real) -> Simulation {
    let mut world = Simulation::new();
    let (vertices, triangles) = grid(n, |_, _| 0.0);
    let shape = Shape::trimesh(&vertices, &triangles).expect("a grid");
    fixed(&mut world, shape, Vec3::ZERO, friction);
    world
}

pub fn field(n: usize, friction: Real) -> Simulation {
    let mut world = Simulation::new();
    let heights = vec![vec![0.0; n + 1]; n + 1];
    let shape = Shape::heightfield(&heights, Vec3::new(n as Real, 1.0, n as Real));
    fixed(&mut world, shape.expect("a grid"), Vec3::ZERO, friction);
    world
}

/// A body, how high its center is, whether it rolls.
pub struct Mover {
    pub name: &'static str,
    pub shape: Shape,
    pub height: Real,
    pub rolls: bool,
    /// Rotation that lays it down, before it is turned into its direction.
    pub lie: Quat,
}

pub fn movers() -> Vec<Mover> {
    let hexagon: Vec<[Real; 2]> = (0..6)
        .map(|k| {
            let angle = PI / 3.0 * k as Real;
            [0.4 * cos(angle), 0.4 * sin(angle)]
        })
        .collect();
    let prism = Shape::prism(&hexagon, 0.6).expect("a prism");
    let on_side = quat_exp(Vec3::X * (0.5 * PI));
    vec![
        Mover {
            name: "ball",
            shape: Shape::sphere(0.4).expect("a ball"),
            height: 0.4,
            rolls: true,
            lie: Quat::IDENTITY,
        },
        Mover {
            name: "small ball",
            shape: Shape::sphere(0.1).expect("a ball"),
            height: 0.1,
            rolls: true,
            lie: Quat::IDENTITY,
        },
        Mover {
            name: "capsule",
            shape: Shape::capsule(0.3, 0.8).expect("a capsule"),
            height: 0.3,
            rolls: true,
            lie: on_side,
        },
        Mover {
            name: "cylinder",
            shape: Shape::cylinder(0.3, 0.8).expect("a cylinder"),
            height: 0.3,
            rolls: true,
            lie: on_side,
        },
        Mover {
            name: "large wheel",
            shape: Shape::cylinder(1.0, 0.5).expect("a cylinder"),
            height: 1.0,
            rolls: true,
            lie: on_side,
        },
        Mover {
            name: "cube",
            shape: cuboid(0.8, 0.8, 0.8),
            height: 0.4,
            rolls: false,
            lie: Quat::IDENTITY,
        },
        Mover {
            name: "slab",
            shape: cuboid(1.7, 0.3, 1.1),
            height: 0.15,
            rolls: false,
            lie: Quat::IDENTITY,
        },
        Mover { name: "hull", shape: prism, height: 0.3, rolls: false, lie: on_side },
    ]
}

/// The worst of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worst {
    /// Largest vertical speed of the center [m/s].
    pub vertical: Real,
    /// Largest sine of the angle between the velocity and its first direction (-).
    pub turned: Real,
    /// Largest change of the speed against the first (-).
    pub slowed: Real,
}

impl Worst {
    pub fn with(self, other: Self) -> Self {
        Self {
            vertical: self.vertical.max(other.vertical),
            turned: self.turned.max(other.turned),
            slowed: self.slowed.max(other.slowed),
        }
    }
}

/// A body on its way.
struct Run {
    id: BodyId,
    speed: Real,
    angle: Real,
    offset: Vec3,
    along: Vec3,
    /// After so many it is not watched any more.
    steps: usize,
    worst: Worst,
}

/// Puts a body on a floor, in a layer of its own kind: those on the way do not meet each other.
fn start(world: &mut Simulation, mover: &Mover, n: usize, way: (Real, Real, Vec3)) -> Run {
    let (speed, angle, offset) = way;
    let length = (speed * 2.0 as Real).min(0.4 * n as Real);
    let along = Vec3::new(cos(angle), 0.0, sin(angle));
    // Whole meters back, so that corners are hit.
    let back = (along * (0.5 * length)).round();
    let friction = if mover.rolls { 0.5 } else { 0.0 };
    // A capsule lies along z; turned by -angle about y it lies across the way.
    let turn = quat_exp(Vec3::Y * -angle);
    let spin = if mover.rolls { Vec3::Y.cross(along) * (speed / mover.height) } else { Vec3::ZERO };
    let collider = Collider {
        material: Material { friction, ..Material::default() },
        layers: Layers { memberships: 2, filters: 1 },
        ..Collider::new(mover.shape.clone())
    };
    let desc = BodyDesc {
        colliders: vec![collider],
        position: offset - back + Vec3::Y * mover.height,
        rotation: quat_mul(turn, mover.lie),
        linear_velocity: along * speed,
        angular_velocity: spin,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let steps = (length / (speed * DT)) as usize;
    Run { id, speed, angle, offset, along, steps, worst: Worst::default() }
}

/// Sends a body over a floor of `n` by `n` meters at several speeds, in several directions, from several
/// places, all at once, and tells `each` of them.
pub fn survey(
    floor: Floor,
    n: usize,
    mover: &Mover,
    mut each: impl FnMut(Real, Real, Vec3, Worst),
) -> Worst {
    let mut world = floor(n, if mover.rolls { 0.5 } else { 0.0 });
    let mut runs = Vec::new();
    for speed in [0.5, 2.0, 5.0, 20.0] {
        for angle in [0.0, PI / 4.0, 0.3, 1.9] {
            for offset in [Vec3::ZERO, Vec3::new(0.5, 0.0, 0.37)] {
                runs.push(start(&mut world, mover, n, (speed, angle, offset)));
            }
        }
    }
    let steps = runs.iter().map(|run| run.steps).max().unwrap_or(0);
    for step in 0..steps {
        world.step(&Settings::default(), DT);
        for run in runs.iter_mut().filter(|run| step < run.steps) {
            let v = body(&world, run.id).linear_velocity;
            let turned = v.cross(run.along).length() / v.length();
            let slowed = (v.dot(run.along) / run.speed - 1.0).abs();
            run.worst = run.worst.with(Worst { vertical: v.y.abs(), turned, slowed });
        }
    }
    let mut worst = Worst::default();
    for run in &runs {
        each(run.speed, run.angle, run.offset, run.worst);
        worst = worst.with(run.worst);
    }
    worst
}
