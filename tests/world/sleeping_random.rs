//! Sleeping in random worlds: all is where it would be without sleep.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::math::{Vec3, quat_conjugate, quat_rotate};
use orthant_lab::random::Rng;
use orthant_lab::support::*;

/// The default settings with sleeping.
fn drowsy() -> Settings {
    let mut settings = settings();
    settings.sleep.enabled = true;
    settings
}

/// Something random that happens to a world, beside its sleep.
fn disturb(world: &mut Simulation, rng: &mut Rng, ids: &mut Vec<BodyId>) {
    let at = rng.below(ids.len());
    let id = ids[at];
    let place = rng.vector(-1.5, 1.5) + Vec3::Y * 1.8;
    let shape = cuboid(rng.range(0.3, 0.8), rng.range(0.3, 0.8), rng.range(0.3, 0.8));
    let kind = [BodyKind::Dynamic, BodyKind::Static, BodyKind::Kinematic][rng.below(3)];
    match rng.below(9) {
        0 | 1 if ids.len() < 16 => ids.push(add(world, BodyKind::Dynamic, shape, place)),
        2 if ids.len() > 8 => {
            world.remove_body(id);
            ids.swap_remove(at);
        }
        3 if !world.joints().any(|j| j.desc().joins(id)) => {
            change(world, id).set_pose(place, rng.rotation());
        }
        4 => {
            let collider = Collider::new(shape);
            let mass = collider.mass_properties(1.0);
            let changed = change(world, id).set_colliders(vec![collider], kind, mass);
            changed.expect("a box");
        }
        5 => change(world, id).apply_linear_impulse(rng.vector(-0.2, 0.2)),
        6 => {
            let filters = if rng.below(2) == 0 { 0 } else { u32::MAX };
            change(world, id).set_layers(0, Layers { memberships: 1, filters });
        }
        7 => {
            let (a, b) = (id, ids[rng.below(ids.len())]);
            let middle = 0.5 * (body(world, a).position() + body(world, b).position());
            let [anchor_a, anchor_b] = [a, b].map(|id| {
                let body = body(world, id);
                quat_rotate(quat_conjugate(body.rotation()), middle - body.position())
            });
            let desc = JointDesc::between(JointKind::Spherical, a, b);
            let desc = desc.with_anchors(anchor_a, anchor_b).with_collision(true);
            let _ = world.add_joint(desc);
        }
        _ => {
            let joint = world.joints().last().map(orthant::engine::joint::Joint::id);
            joint.map(|joint| world.remove_joint(joint));
        }
    }
}

#[test]
fn whatever_happens_all_is_where_it_would_be_without_sleep() {
    let mut judged = 0;
    for seed in 0..6 {
        let (mut world, mut rng) = (floor(), Rng::new(seed));
        let mut ids = Vec::new();
        for _ in 0..10 {
            let place = rng.vector(-1.5, 1.5) + Vec3::Y * 1.8;
            ids.push(add(&mut world, BodyKind::Dynamic, cuboid(0.6, 0.5, 0.4), place));
        }
        for round in 0..40 {
            disturb(&mut world, &mut rng, &mut ids);
            run_with(&mut world, 1 + rng.below(50), &drowsy());
            let (mut one, mut awake) = (world.clone(), world.clone());
            // Where the solver gives up, the least difference grows.
            let mut solved = true;
            for _ in 0..6 {
                solved &= one.step(&drowsy(), DT).status == StepStatus::Solved;
                solved &= awake.step(&settings(), DT).status == StepStatus::Solved;
            }
            if !solved {
                continue;
            }
            for &id in &ids {
                let [asleep, awake] = [&one, &awake].map(|world| body(world, id).position());
                let apart = (asleep - awake).length();
                // At the thresholds; ten times as much is the free fall of six steps.
                assert!(apart < 0.005, "seed {seed}, round {round}: {id:?} is {apart} m off");
                judged += usize::from(body(&world, id).is_sleeping());
            }
        }
    }
    assert!(judged > 500, "{judged} sleepers were looked at");
}
