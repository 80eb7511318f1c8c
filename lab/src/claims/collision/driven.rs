//! Kinematic bodies: an elevator, a drum.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::math::{Double, PI, Quat, Real, Vec3, cos, narrow, widen};

use super::never;
use crate::claims::Claims;
use crate::support::driven::{coarse, drive, elevator, filled_drum, plate, turn};
use crate::support::{DT, add, body, change, cuboid, run};

/// An elevator, what stays in a drum, the sign of a quaternion.
pub fn measure(claims: &mut Claims) {
    let overlap = ride();
    let figure = format!("{:.4} mm", 1e3 * overlap);
    claims.add("an elevator with a stack of 3, overlap", &figure, "≤ 0.1 mm", overlap <= 1e-4);
    let (lost, all) = tumble(1200);
    never(claims, "bodies a turning drum loses in 20 s", lost, all);
    let deepest = curvature();
    let figure = format!("{deepest:.2}");
    let what = "a turning drum: overlap over what a step's curvature makes";
    claims.add(what, &figure, "≤ 1", deepest <= 1.0);
    let (unlike, steps) = flip(240);
    never(claims, "steps in which a flipped quaternion matters", unlike, steps);
}

/// Deepest overlap (m) on an elevator that starts smoothly or at once, by target or by velocity.
fn ride() -> Double {
    let mut overlap: Real = 0.0;
    for (smooth, by_target) in [(true, true), (true, false), (false, true), (false, false)] {
        let mut world = Simulation::new();
        let lift = plate(&mut world, Vec3::new(4.0, 0.2, 4.0), Vec3::new(0.0, -0.1, 0.0));
        for i in 0..3 {
            let at = Vec3::new(0.0, 0.5 + i as Real, 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at);
        }
        run(&mut world, 10);
        for step in 0..390 {
            drive(&mut world, lift, Vec3::Y * (elevator(step, smooth) - 0.1), by_target);
            overlap = overlap.max(world.report().overlap);
        }
    }
    widen(overlap)
}

/// How many bodies are outside a drum at any time, and of how many.
fn tumble(steps: usize) -> (usize, usize) {
    let (mut world, drum, mut ids) = filled_drum();
    let all = ids.len();
    let is_inside = |world: &Simulation, id: BodyId| {
        let at = body(world, id).center();
        Vec3::new(0.0, at.y, at.z).length() < 1.0 && at.x.abs() < 0.6
    };
    for step in 1..=steps {
        change(&mut world, drum).set_target(Vec3::ZERO, turn(step));
        world.step(&coarse(), DT);
        ids.retain(|&id| is_inside(&world, id));
    }
    (all - ids.len(), all)
}

/// Deepest overlap with a turning drum over what the linear rows of one step leave: the wall departs from its
/// tangent by `ω² r h² / 2`, the body by as much of its own turn, and velocities solved to the tolerance e
/// let it go `h e (1 + μ)` too far.
fn curvature() -> Double {
    let (mut world, drum, ids) = filled_drum();
    let settings = Settings::default();
    let wall = 9.0 / cos(PI / 12.0);
    let slack = DT * 1.5 * narrow(settings.solver.tolerance);
    let mut spins = vec![0.0; ids.len()];
    let mut deepest: Real = 0.0;
    for step in 1..=1200 {
        change(&mut world, drum).set_target(Vec3::ZERO, turn(step));
        world.step(&settings, DT);
        for (&id, spin) in ids.iter().zip(&mut spins) {
            let bound = 0.5 * DT * DT * (wall + *spin) + slack;
            // Gaps are those at the start of the step, left by the one before.
            let own = world.contacts().filter(|contact| contact.bodies == [drum, id]);
            deepest = own.map(|contact| -contact.gap / bound).fold(deepest, Real::max);
            let body = body(&world, id);
            *spin = body.angular_velocity.length_squared() * body.colliders().bounding_radius();
        }
    }
    widen(deepest)
}

/// Steps after which a drum told `q` and one told `-q` in every third step differ in any bit.
fn flip(steps: usize) -> (usize, usize) {
    let (mut world, drum, _) = filled_drum();
    let mut flipped = world.clone();
    let mut unlike = 0;
    for step in 1..=steps {
        let q = turn(step);
        let other = Quat::from_xyzw(-q.x, -q.y, -q.z, -q.w);
        change(&mut world, drum).set_target(Vec3::ZERO, q);
        change(&mut flipped, drum).set_target(Vec3::ZERO, if step % 3 == 0 { other } else { q });
        world.step(&coarse(), DT);
        flipped.step(&coarse(), DT);
        let pairs = world.bodies().iter().zip(flipped.bodies().iter());
        let is_unlike = pairs
            .filter(|(a, b)| {
                a.center() != b.center()
                    || a.linear_velocity != b.linear_velocity
                    || a.angular_velocity != b.angular_velocity
            })
            .count();
        unlike += usize::from(is_unlike > 0);
    }
    (unlike, steps)
}
