//! Accelerations of an instant: the complementarity problem (2.6)–(2.7) of Anitescu, Cremer, Potra (1995).
//!
//! Input: bodies with their forces, contacts that touch and do not part, joints. Output: accelerations `a`
//! and contact forces `l`, without friction,
//!
//! ```text
//! M a = k + Jᵀ l + νᵀ c,    s = J a + J̇ q̇ ≥ 0  ⊥  l ≥ 0,    ν a + ν̇ q̇ = 0
//! ```
//!
//! `a` is unique, `l` need not be. It is (5.1)–(5.2) with accelerations for velocities, and is solved by
//! Lemke's algorithm. A planar contact of any boundary has infinitely many rows, of which only those are
//! made that it would violate. O((contacts)³), for each of these.
//!
//! Of a world `J̇ q̇` need not be known: with its poses a moment δ later `J(q + δ q̇) (q̇ + δ a)` is
//! `δ (J̇ q̇ + J a)` to first order, where `J q̇ = 0`. So it is one step of that length on the engine's own
//! rows without what gaps ask, from the velocities that the rows allow now; `δ² = ε`.

use crate::engine::Simulation;
use crate::engine::body::{Body, BodyId};
use crate::engine::lcp::certificate::Certificate;
use crate::engine::lcp::{BodyBlock, Cone, ContactRow, Iterate, JointRow, Problem, Vec6};
use crate::engine::papers::export::ContactOrigin;
use crate::engine::papers::solvers::lemke;
use crate::engine::settings::{Settings, StepMode};
use crate::math::{
    DMat3, DVec3, Double, EPSILON, Real, Vec3, narrow, quat_exp, quat_mul, quat_rotate, widen,
    widen3,
};
use crate::papers::kinematics::{ContactRates, ContactSide};

/// Most rows that are made for contacts of curved boundaries.
const ROWS_MAX: usize = 200;

/// Accelerations, the forces that go with them, and how well they solve the problem.
#[derive(Clone, Debug)]
pub struct Accelerations {
    /// `a` [m/s², rad/s²], one for each body.
    pub bodies: Vec<Vec6>,
    /// `l` (N), one for each contact.
    pub forces: Vec<Double>,
    /// Errors of the solution, in m/s² for m/s.
    pub certificate: Certificate,
}

/// The row `J a + J̇ q̇` of two bodies that touch, with their indices or `engine::lcp::FIXED`.
#[must_use]
pub fn contact_row(
    rates: &ContactRates,
    sides: &[ContactSide; 2],
    n: DVec3,
    [a, b]: [u32; 2],
) -> ContactRow {
    let [jacobian_a, jacobian_b] = [(&sides[0], -1.0), (&sides[1], 1.0)].map(|(side, sign)| {
        let arm = side.point - n * (sign * side.radius) - side.center;
        let (linear, angular) = (n * sign, arm.cross(n) * sign);
        let row = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
        [row, [0.0; 6], [0.0; 6]]
    });
    ContactRow { a, b, jacobian_a, jacobian_b, bias: [rates.convective, 0.0, 0.0], friction: 0.0 }
}

/// The accelerations of bodies whose free ones, `M⁻¹ k`, stand for the free velocities of their blocks. The
/// biases of contacts and joints are `J̇ q̇` and `ν̇ q̇` [m/s²]. `worst` gives the row of the point, of a
/// boundary given by something else than contacts, that these accelerations press in most, or none if they
/// press in none; it is added to the contacts.
pub fn accelerations(
    bodies: &[BodyBlock],
    contacts: &mut Vec<ContactRow>,
    joints: &[JointRow],
    mut worst: impl FnMut(&[Vec6]) -> Option<ContactRow>,
) -> Accelerations {
    loop {
        let mut found = vec![[0.0; 6]; bodies.len()];
        let mut impulses = vec![[0.0; 3]; contacts.len()];
        let mut iterate = Iterate {
            velocity: &mut found,
            joint_impulse: &mut vec![0.0; joints.len()],
            contact_impulse: &mut impulses,
            rolling_impulse: &mut [],
        };
        let problem = Problem { bodies, joints, contacts, rolling: &[], cone: Cone::Circular };
        let stats = lemke::solve_frictionless(&problem, &mut iterate);
        match worst(&found) {
            Some(row) if contacts.len() < ROWS_MAX => contacts.push(row),
            _ => {
                let forces = impulses.iter().map(|l| l[0]).collect();
                return Accelerations { bodies: found, forces, certificate: stats.certificate };
            }
        }
    }
}

/// Accelerations of the bodies of a world that touch or are joined, and what presses.
#[derive(Clone, Debug, Default)]
pub struct WorldAccelerations {
    /// Of centers of mass and rotations, in world axes [m/s², rad/s²], ascending.
    pub bodies: Vec<(BodyId, Vec6)>,
    /// What touches, and the force along each normal (N).
    pub contacts: Vec<(ContactOrigin, Double)>,
    /// How well they solve the problem [m/s²].
    pub error: Double,
}

/// The accelerations of a world under gravity, without friction, motors, limits and waiting forces; bodies
/// that touch nothing and have no joint are not among them.
///
/// ```
/// use orthant::accelerations::of_world;
/// use orthant::engine::Simulation;
/// use orthant::engine::body::BodyDesc;
/// use orthant::engine::joint::{JointDesc, JointKind};
/// use orthant::engine::settings::Settings;
/// use orthant::engine::shape::Shape;
/// use orthant::math::Vec3;
///
/// // A ball on a rod that is level: it falls freely.
/// let mut world = Simulation::new();
/// let ball = BodyDesc { shape: Shape::sphere(0.001).ok(), position: Vec3::X, ..BodyDesc::default() };
/// let ball = world.add_body(ball)?;
/// let rod = JointDesc::to_world(JointKind::Spherical, ball).with_anchors(Vec3::ZERO, -Vec3::X);
/// world.add_joint(rod)?;
/// let found = of_world(&world, &Settings::default(), 0.0);
/// assert!((found.bodies[0].1[1] + 9.81).abs() < 1e-2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Bodies touch that are apart by up to `touching` (m); those that strike each other are as after the blow.
pub fn of_world(world: &Simulation, settings: &Settings, touching: Real) -> WorldAccelerations {
    let by = EPSILON.sqrt();
    let mut probe = world.clone();
    for (id, v) in allowed(world, settings, touching, 0.0).bodies {
        let Some(body) = probe.body_mut(id) else { continue };
        let [x, y, z, a, b, c] = v.map(narrow);
        (body.linear_velocity, body.angular_velocity) = (Vec3::new(x, y, z), Vec3::new(a, b, c));
    }
    let mut found = allowed(&probe, settings, touching, by);
    for (id, change) in &mut found.bodies {
        let before = probe.body(*id).map_or([0.0; 6], velocity);
        *change = core::array::from_fn(|k| (change[k] - before[k]) / widen(by));
    }
    found.contacts.iter_mut().for_each(|(_, force)| *force /= widen(by));
    found.error /= widen(by);
    found
}

/// The velocities that contacts and joints allow a while later (s), and the impulses.
fn allowed(
    world: &Simulation,
    settings: &Settings,
    touching: Real,
    by: Real,
) -> WorldAccelerations {
    let mut probe = world.clone();
    for body in world.bodies().iter() {
        let Some(moved) = probe.body_mut(body.id()) else { continue };
        let turn = quat_exp(body.angular_velocity * by);
        let arm = quat_rotate(turn, body.position() - body.center());
        let at = body.center() + body.linear_velocity * by + arm;
        moved.set_pose(at, quat_mul(turn, body.rotation()));
    }
    let mut rows = Settings { mode: StepMode::Dynamic, ..*settings };
    (rows.contact.gamma, rows.contact.dead_zone, rows.contact.stillness) = (0.0, 0.0, 0.0);
    probe.begin(&rows, EPSILON.sqrt());
    probe.find_pairs(&rows);
    probe.find_contacts(&rows);
    probe.build_islands();
    probe.assemble(&rows);
    let mut found = WorldAccelerations::default();
    for island in probe.step_problems(Cone::Circular) {
        let mut island = island.instantaneous(widen(touching));
        island.rolling.clear();
        island.joints.retain(|row| !row.is_bounded());
        island.contacts.iter_mut().for_each(|row| row.friction = 0.0);
        for (block, id) in island.blocks.iter_mut().zip(&island.bodies) {
            let Some(body) = world.body(*id) else { continue };
            let (v, a) = (velocity(body), free(block, body, settings.gravity));
            block.velocity_free = core::array::from_fn(|k| v[k] + widen(by) * a[k]);
        }
        let mut velocity = vec![[0.0; 6]; island.blocks.len()];
        let mut impulses = vec![[0.0; 3]; island.contacts.len()];
        let mut iterate = Iterate {
            velocity: &mut velocity,
            joint_impulse: &mut vec![0.0; island.joints.len()],
            contact_impulse: &mut impulses,
            rolling_impulse: &mut [],
        };
        let stats = lemke::solve_frictionless(&island.problem(), &mut iterate);
        found.bodies.extend(island.bodies.iter().copied().zip(velocity));
        let impulses = impulses.iter().map(|l| l[0]);
        found.contacts.extend(island.contact_origins.iter().copied().zip(impulses));
        found.error = found.error.max(stats.certificate.error());
    }
    found.bodies.sort_unstable_by_key(|(id, _)| *id);
    found
}

fn velocity(body: &Body) -> Vec6 {
    let [v, w] = [body.linear_velocity, body.angular_velocity].map(widen3);
    [v.x, v.y, v.z, w.x, w.y, w.z]
}

/// The acceleration of a body by itself [m/s², rad/s²].
fn free(block: &BodyBlock, body: &Body, gravity: Vec3) -> Vec6 {
    let symmetric = |[xx, yy, zz, xy, xz, yz]: [Double; 6]| {
        DMat3::from_cols_array(&[xx, xy, xz, xy, yy, yz, xz, yz, zz])
    };
    let fall = widen3(gravity * body.gravity_scale);
    let spin = widen3(body.angular_velocity);
    let momentum = symmetric(block.inertia) * spin;
    let turn = symmetric(block.inverse_inertia) * momentum.cross(spin);
    let free = [0, 1, 2].map(|k| if block.inverse_mass[k] > 0.0 { fall[k] } else { 0.0 });
    [free[0], free[1], free[2], turn.x, turn.y, turn.z]
}
