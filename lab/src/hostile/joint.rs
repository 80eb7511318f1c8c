//! One joint between two bodies in free space, judged by the momentum that it cannot change.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyKind, LockedAxes};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::settings::Settings;
use orthant::math::{DVec3, Double, EPSILON, Real, Vec3, widen, widen3};

use super::Bytes;
use super::world::{body, joint};
use crate::support::DT;

const STEPS: u8 = 12;

/// Momentum of all bodies, and the largest that their energy allows each of them, together [N·s]; of speeds
/// below 1e-19 m/s energy is nothing in single precision.
fn momentum(world: &Simulation) -> (DVec3, Double) {
    world.bodies().iter().fold((DVec3::ZERO, 0.0), |(sum, size), body| {
        let p = widen3(body.linear_velocity) * widen(body.mass());
        let untold = widen(body.mass()) * Double::from(f32::MIN_POSITIVE).sqrt();
        (sum + p, size + untold + (2.0 * widen(body.kinetic_energy()) * widen(body.mass())).sqrt())
    })
}

/// Masses times the ways of bodies from where they were, over the length of a step [N·s], with the rounding
/// of places: what a joint pulls together moves by that, and its velocities are what rounding of the solver
/// leaves of it.
fn pulled(world: &Simulation, from: &[Vec3]) -> Double {
    let way = |(body, &from): (&Body, &Vec3)| {
        let [to, from] = [body.center(), from].map(widen3);
        let told = widen(EPSILON) * from.abs().max(to.abs()).length();
        widen(body.mass()) * ((to - from).length() + told) / widen(DT)
    };
    world.bodies().iter().zip(from).map(way).sum()
}

/// How many roundings of what was pulled a step may take from the momentum (–), by its arithmetic alone.
///
/// Rows pull both bodies by opposite sums, equal to the last bit; what is lost is lost where each is divided
/// by the mass and added to the velocity. A part of the step takes a body from `v` by the impulse `s` to
/// `v' = v + s / m`, then by `q` to the velocity `w` that it keeps, and its mean velocity is half of the way
/// from `v` to `v'` or more. With the unit `u = ε / 2` of double precision division and sum take
/// `u |s| + u m |v'|`, then the inverse of the mass, the product with it and the sum `2 u |q| + u m |w|`. As
/// `|q|` is at most `|s| + m (|v| + |w|)`, all take `4 u |s|` and a few roundings of `m |v|` and `m |w|`,
/// which those of single precision outweigh. By the way of the part `|s|` is at most `2 (m way / h + m |v|)`:
/// both bodies lose `4 ε` of what was pulled, over the length of the part. A step has up to 64 parts, up to
/// 85 where they are halved, and each pulls by its own length.
const ROUNDINGS: Double = 4.0 * 85.0;

/// Largest over smallest of masses and inertias up to which momentum is judged (–): the solver has 16
/// digits, of which velocities keep 7 where they are single.
const RATIO: Double = 1e6;

/// Do masses and moments of inertia of all bodies differ by no more than `RATIO`?
fn is_alike(world: &Simulation) -> bool {
    let each = world.bodies().iter().flat_map(|body| {
        let inertia = body.inertia();
        [body.mass(), inertia.xx, inertia.yy, inertia.zz].map(widen)
    });
    let [low, high] =
        each.fold([Double::INFINITY, 0.0], |[low, high], x| [x.min(low), x.max(high)]);
    high <= RATIO * low
}

/// Two bodies that nothing touches, joined by any joint, with motors, springs and limits: what it tells is
/// finite, and if they are alike they keep the momentum that they had together, to the rounding of their
/// velocities.
///
/// # Errors
/// What is wrong with it.
pub fn check_joint(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    let mut world = Simulation::new();
    let mut ids = Vec::new();
    for _ in 0..2 {
        let free = BodyDesc { kind: BodyKind::Dynamic, linear_damping: 0.0, ..body(bytes) };
        let mut desc = BodyDesc { locked_axes: LockedAxes::NONE, swept: false, ..free };
        desc.colliders.iter_mut().for_each(|collider| collider.sensor = true);
        let Ok(id) = world.add_body(desc) else { return Ok(()) };
        ids.push(id);
    }
    let desc = joint(bytes, &ids);
    let desc = JointDesc { ends: [Some(ids[0]), Some(ids[1])], ..desc };
    // The wheels of a pulley are part of the world.
    if matches!(desc.kind, JointKind::Pulley { .. }) {
        return Ok(());
    }
    let Ok(id) = world.add_joint(desc) else { return Ok(()) };
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let (alike, (first, mut largest)) = (is_alike(&world), momentum(&world));
    let mut residue = 0.0;
    for step in 1..=STEPS {
        let places: Vec<Vec3> = world.bodies().iter().map(Body::center).collect();
        world.step(&settings, DT);
        if !world.report().quarantined.is_empty() {
            return Ok(());
        }
        let (now, size) = momentum(&world);
        largest = largest.max(size);
        residue += ROUNDINGS * Double::EPSILON * pulled(&world, &places);
        // A step rounds each velocity a few times.
        let rounding = 8.0 * Double::from(step) * widen(EPSILON) * largest + residue;
        let off = (now - first).abs().max_element();
        if off.is_nan() || alike && off > rounding {
            return Err(format!("step {step}: momentum off by {off} N s, of {largest}"));
        }
        let Some(joint) = world.joint(id) else { return Ok(()) };
        let (force, torque) = joint.reaction();
        let told = joint.positions().into_iter().chain(joint.velocities());
        if !(force.is_finite() && torque.is_finite() && told.into_iter().all(Real::is_finite)) {
            return Err(format!("step {step}: {force}, {torque}, {:?}", joint.positions()));
        }
    }
    Ok(())
}
