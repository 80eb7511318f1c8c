//! Quasistatic manipulation: a fence and a particle (Trinkle, Berard, Pang 2005, section 5), a peg pushed
//! into a hole, a drawer pushed beside its middle.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::report::StepReport;
use orthant::engine::settings::{Quasistatic, Settings, StepMode};
use orthant::engine::shape::Shape;
use orthant::math::{Double, EPSILON, Real, Vec3, cos, quat_exp, quat_log, sin, widen};

use crate::support::{body, change, cuboid};

/// Quasistatic steps without the tolerances of games; bodies move by up to `step_max` (m) in one.
pub fn exact(step_max: Real) -> Settings {
    let mode = StepMode::Quasistatic(Quasistatic { step_max, ..Quasistatic::default() });
    let mut settings = Settings { mode, ..Settings::default() };
    (settings.contact.dead_zone, settings.contact.stillness) = (0.0, 0.0);
    settings.contact.push_speed_max = Real::INFINITY;
    // In a step of 0.1 s a tenth of the rounding of a pose, and of what the table is rounded to.
    settings.solver.tolerance = widen(EPSILON).max(1e-9);
    settings
}

/// Those of [`exact`] without gravity.
pub fn weightless() -> Settings {
    Settings { gravity: Vec3::ZERO, ..exact(0.005) }
}

/// Adds a body with one collider.
pub fn place(
    world: &mut Simulation,
    kind: BodyKind,
    shape: Shape,
    friction: Real,
    position: Vec3,
) -> BodyId {
    let colliders = vec![Collider { material: Material::new(friction), ..Collider::new(shape) }];
    let desc = BodyDesc { kind, position, colliders, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

/// Adds a floor at y = 0.
pub fn floor(world: &mut Simulation, friction: Real) -> BodyId {
    let shape = Shape::half_space(Vec3::Y).expect("a direction");
    place(world, BodyKind::Static, shape, friction, Vec3::ZERO)
}

/// The particle that a fence pushes on a table: a block of 0.2 m that does not turn. `friction` is that of
/// the fence, the particle and the ground; pairs have the mean. The fence is at `x = 0.5 + 0.4 sin t` and
/// moves along its face at 1 m/s. Gives where the particle is after each of `steps` steps, along x and
/// along the face; `watch` sees every step.
pub fn fence(
    settings: &Settings,
    friction: [Real; 3],
    h: Real,
    steps: usize,
    mut watch: impl FnMut(usize, &Simulation),
) -> Vec<[Double; 2]> {
    let mut world = Simulation::new();
    floor(&mut world, friction[2]);
    let half = 0.1;
    let colliders = vec![Collider {
        material: Material::new(friction[1]),
        ..Collider::new(cuboid(0.2, 0.2, 0.2))
    }];
    let particle = BodyDesc {
        position: Vec3::new(0.6, half, 0.0),
        colliders,
        locked_axes: LockedAxes::ROTATION,
        ..BodyDesc::default()
    };
    let particle = world.add_body(particle).expect("a sound body");
    // Its face is half a block before where the paper has it, its own half behind that.
    let behind = half + 0.25;
    let wall = cuboid(0.5, 1.0, 40.0);
    let wall = place(&mut world, BodyKind::Kinematic, wall, friction[0], Vec3::Y);
    (0..steps)
        .map(|k| {
            let t = h * k as Real;
            let x = 0.5 + 0.4 * sin(t) - behind;
            let fence = change(&mut world, wall);
            fence.set_pose(Vec3::new(x, 0.5, t), fence.rotation());
            fence.linear_velocity = Vec3::new(0.4 * cos(t), 0.0, 1.0);
            let report = world.step(settings, h);
            assert!(report.unbalanced.is_empty(), "step {k}: {report}");
            watch(k, &world);
            let at = body(&world, particle).center();
            [widen(at.x), widen(at.z)]
        })
        .collect()
}

/// States of Model-DQC of the fence that an independent implementation in double precision has, with h = 0.1:
/// step, x (m), way along the fence at μ = 0.5, 1, 4 (m).
pub const FENCE: [(usize, Double, [Double; 3]); 5] = [
    (3, 0.618_670_395, [0.009_335_198, 0.018_670_395, 0.074_681_582]),
    (9, 0.814_810_705, [0.107_405_352, 0.214_810_705, 0.674_681_582]),
    (15, 0.900_978_578, [0.150_489_289, 0.300_978_578, 1.019_353_074]),
    (18, 0.901_827_483, [0.150_913_741, 0.301_827_483, 1.022_748_694]),
    (63, 0.901_827_483, [0.150_913_741, 0.301_827_483, 1.022_748_694]),
];

/// Length and width of the peg (m), and by how much the hole is wider on either side.
pub const PEG: [Real; 2] = [0.4, 0.2];
pub const CLEARANCE: Real = 0.002;
/// Speed of the pushers [m/s].
pub const PUSH: Real = 0.06;

/// A body that a pusher leads along x.
#[derive(Clone, Debug)]
pub struct Pushed {
    /// The engine.
    pub world: Simulation,
    /// What is pushed.
    pub id: BodyId,
    /// What pushes it.
    pub pusher: BodyId,
}

impl Pushed {
    fn new(mut world: Simulation, id: BodyId, pusher: BodyId) -> Self {
        change(&mut world, pusher).linear_velocity = Vec3::X * PUSH;
        Self { world, id, pusher }
    }

    /// A step.
    pub fn advance(&mut self, settings: &Settings, h: Real) -> &StepReport {
        self.world.step(settings, h)
    }

    /// Place along x and across (m), and turn about the vertical (rad).
    pub fn pose(&self) -> [Double; 3] {
        let it = body(&self.world, self.id);
        [it.center().x, it.center().z, quat_log(it.rotation()).y].map(widen)
    }
}

/// A peg on a floor before a hole whose mouth is at x = 0, with cheeks of 45°: beside the axis and turned. A
/// flat pusher leads it in.
pub fn peg(friction: Real, aside: Real, turn: Real) -> Pushed {
    let mut world = Simulation::new();
    floor(&mut world, friction);
    let [length, width] = PEG;
    let half = 0.5 * width + CLEARANCE;
    for side in [-1.0, 1.0] {
        // A wall along the hole and a cheek in front of it.
        let corners = |points: &[[Real; 2]]| -> Vec<Vec3> {
            let at = |&[x, z]: &[Real; 2], y| Vec3::new(x, y, side * z);
            points.iter().flat_map(|p| [at(p, 0.0), at(p, 0.3)]).collect()
        };
        let (deep, far) = (1.0, half + 0.3);
        let wall = corners(&[[0.0, half], [deep, half], [deep, far], [0.0, far]]);
        let cheek = corners(&[[0.0, half], [0.0, far], [-0.1, far], [-0.1, half + 0.1]]);
        for points in [wall, cheek] {
            let shape = Shape::convex_hull(&points).expect("points in space");
            place(&mut world, BodyKind::Static, shape, friction, Vec3::ZERO);
        }
    }
    let colliders = vec![Collider {
        material: Material::new(friction),
        ..Collider::new(cuboid(length, 0.2, width))
    }];
    let desc = BodyDesc {
        position: Vec3::new(-0.45, 0.1, aside),
        rotation: quat_exp(Vec3::Y * turn),
        colliders,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let at = Vec3::new(-0.45 - 0.5 * length - 0.12, 0.1, 0.0);
    let pusher = place(&mut world, BodyKind::Kinematic, cuboid(0.1, 0.1, 0.8), friction, at);
    Pushed::new(world, id, pusher)
}

/// How deep the drawer is in (m).
pub const DRAWER: Real = 0.4;

/// A drawer that is in between two walls by the depth `l`, pushed by a finger at the distance `e` from its
/// middle. With friction μ at the walls and none at the finger it sticks where `2 μ e > l`: the mouth and the
/// drawer's far corner press with `N = F e / l`, and friction stands up to `2 μ N` against F, whose moments
/// cancel. It begins turned by the small clearance, so that all three touch; it is too deep in to be wedged
/// by those two contacts alone, `l > μ` times its width.
pub fn drawer(friction: Real, e: Real) -> Pushed {
    let mut world = Simulation::new();
    let (width, gap, behind) = (0.2, 1e-5, 1.0);
    for side in [-1.0, 1.0] {
        let at = Vec3::new(2.0, 0.0, side * (0.5 * width + gap + 0.25));
        // Pairs have the mean of both coefficients: walls twice that of the pair.
        place(&mut world, BodyKind::Static, cuboid(4.0, 1.0, 0.5), 2.0 * friction, at);
    }
    let part = |size: Vec3, x| Collider {
        material: Material::new(0.0),
        position: Vec3::X * x,
        ..Collider::new(cuboid(size.x, size.y, size.z))
    };
    let box_of = part(Vec3::new(DRAWER + behind, 1.0, width), 0.5 * (DRAWER - behind));
    let bar = part(Vec3::new(0.1, 1.0, 1.2), -behind - 0.05);
    let turn = 2.0 * gap / DRAWER;
    let desc = BodyDesc {
        position: Vec3::Z * gap,
        rotation: quat_exp(Vec3::Y * turn),
        colliders: vec![box_of, bar],
        locked_axes: LockedAxes::NONE.lock_translation(1).lock_rotation(0).lock_rotation(2),
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a sound body");
    let ball = Shape::sphere(0.05).expect("a radius");
    let at = Vec3::new(-behind - 0.15 + e * turn, 0.0, e);
    let pusher = place(&mut world, BodyKind::Kinematic, ball, 0.0, at);
    Pushed::new(world, id, pusher)
}
