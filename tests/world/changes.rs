//! Which bodies changed: all that did are named, and what sleeps is not.

use std::collections::BTreeMap;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyId, BodyKind};
use orthant::engine::collider::{Layers, Material};
use orthant::engine::settings::Settings;
use orthant::math::{Quat, Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, cuboid, floor, heap, run};

/// What a mirror of a body shows.
type State = (Vec3, Quat, Vec3, Vec3, bool);

fn state(body: &Body) -> State {
    let velocities = (body.linear_velocity, body.angular_velocity);
    (body.position(), body.rotation(), velocities.0, velocities.1, body.is_sleeping())
}

fn states(world: &Simulation) -> BTreeMap<BodyId, State> {
    world.bodies().iter().map(|body| (body.id(), state(body))).collect()
}

fn operate(world: &mut Simulation, rng: &mut Rng, ids: &mut Vec<BodyId>) {
    let id = ids[rng.below(ids.len())];
    match rng.below(6) {
        0 => {
            let at = rng.vector(-1.0, 1.0) + Vec3::Y * 6.0;
            ids.push(add(world, BodyKind::Dynamic, cuboid(0.4, 0.3, 0.5), at));
        }
        1 if ids.len() > 8 => {
            world.remove_body(id);
            ids.retain(|&other| other != id);
        }
        2 => _ = world.sleep_body(id),
        3 => _ = world.wake_body(id),
        4 => {
            let body = world.body_mut(id).expect("it is there");
            body.linear_velocity = rng.vector(-1.0, 1.0);
        }
        _ => {
            let at = rng.vector(-1.0, 1.0) + Vec3::Y * 5.0;
            world.body_mut(id).expect("it is there").set_pose(at, Quat::IDENTITY);
        }
    }
}

#[test]
fn every_change_is_named() {
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    settings.sleep.time = 0.2;
    for seed in 0..4 {
        let (mut world, mut ids) = heap(12);
        let mut rng = Rng::new(seed);
        let (mut before, mut spared) = (states(&world), 0);
        for _ in 0..300 {
            if rng.below(12) == 0 {
                operate(&mut world, &mut rng, &mut ids);
            }
            world.step(&settings, DT);
            let named: Vec<BodyId> = world.changed_bodies().map(Body::id).collect();
            assert!(named.is_sorted(), "in order of their ids: {named:?}");
            for body in world.bodies().iter() {
                let is_known = before.get(&body.id()) == Some(&state(body));
                let is_named = named.binary_search(&body.id()).is_ok();
                assert!(
                    is_known || is_named || !before.contains_key(&body.id()),
                    "{:?}",
                    body.id()
                );
                spared += usize::from(!is_named);
            }
            assert!(named.iter().all(|&id| world.body(id).is_some()), "no body that is gone");
            world.settle_changes();
            assert_eq!(world.changed_bodies().count(), 0, "settled");
            before = states(&world);
        }
        assert!(spared > 300, "the floor and sleepers are not named: {spared}");
    }
}

#[test]
fn a_sleeper_is_not_named_and_one_that_is_handed_out_is() {
    let mut world = floor();
    let cubes: [BodyId; 3] = [0, 1, 2].map(|i: u8| {
        let at = Vec3::new(2.0 * Real::from(i), 0.5, 0.0);
        add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
    });
    let mut settings = Settings::default();
    settings.sleep.enabled = true;
    for _ in 0..120 {
        world.step(&settings, DT);
    }
    assert_eq!(world.report().sleeping, 3, "all sleep");
    world.settle_changes();
    world.step(&settings, DT);
    assert_eq!(world.changed_bodies().count(), 0, "nothing happens");
    world.body_mut(cubes[1]).expect("it is there").linear_velocity = Vec3::Y;
    let named = |world: &Simulation| world.changed_bodies().map(Body::id).collect::<Vec<_>>();
    assert_eq!(named(&world), [cubes[1]], "before a step");
    world.step(&settings, DT);
    assert_eq!(named(&world), [cubes[1]], "and after it");
    world.remove_body(cubes[1]);
    assert_eq!(named(&world), [], "what is gone is not named");
    world.step(&settings, DT);
    assert_eq!(named(&world), [], "nor after the list closed up");
}

/// Work of a step, counted: boxes searched, pairs measured, islands not taken as they were, solver steps.
fn work(world: &Simulation) -> [u32; 4] {
    let report = world.report();
    let solved = report.islands - report.islands_steady;
    [report.searched, report.measured, solved, report.iterations]
}

/// A field of `n` towers of three cubes, awake and at rest.
fn towers(n: u32) -> (Simulation, Vec<BodyId>) {
    let mut world = floor();
    let side = n.isqrt();
    let mut ids = Vec::new();
    for i in 0..n {
        let place = |k: u32| 3.0 * Real::from(u16::try_from(k).expect("few"));
        for level in 0..3_u8 {
            let at = Vec3::new(place(i % side), 0.5 + Real::from(level), place(i / side));
            ids.push(add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at));
        }
    }
    run(&mut world, 240);
    (world, ids)
}

#[test]
fn a_step_works_for_what_moves() {
    let settings = Settings::default();
    let mut sums = Vec::new();
    for n in [9, 36, 144] {
        let (mut world, ids) = towers(n);
        assert_eq!(work(&world), [0; 4], "nothing moves among {n} towers");
        let top = ids[3 * (n as usize / 2) + 2];
        let mut sum = [0; 4];
        for step in 0..60 {
            if step % 20 == 0 {
                world.body_mut(top).expect("it is there").linear_velocity.y = 1.5;
            }
            world.step(&settings, DT);
            work(&world).iter().zip(&mut sum).for_each(|(work, sum)| *sum += work);
        }
        assert!(sum.iter().all(|&work| work > 0), "it hops: {sum:?}");
        sums.push(sum);
    }
    assert!(sums.windows(2).all(|two| two[0] == two[1]), "as much among many: {sums:?}");
}

#[test]
fn another_material_is_no_other_collider() {
    let settings = Settings::default();
    let (mut world, ids) = towers(4);
    let pairs = |world: &Simulation| -> Vec<_> {
        let pairs = world.pairs().iter();
        pairs.map(|pair| (pair.key, pair.friction, pair.contacts.to_vec())).collect()
    };
    let change = |world: &mut Simulation, friction: Real| {
        let body = world.body_mut(ids[1]).expect("it is there");
        body.set_material(0, Material::new(friction)).expect("a number");
    };
    let before = pairs(&world);
    change(&mut world, 0.7);
    world.step(&settings, DT);
    assert_eq!(work(&world)[..2], [0, 0], "nothing is searched or measured");
    assert_eq!(world.report().iterations, 0, "the impulses at hand are the solution");
    assert_eq!(world.report().islands_steady, 3, "its tower alone is looked at");
    let after = pairs(&world);
    let mut others = 0;
    for (old, new) in before.iter().zip(&after) {
        assert_eq!((old.0, &old.2), (new.0, &new.2), "with contacts and impulses");
        others += usize::from(old.1 != new.1);
    }
    assert_eq!(others, 2, "its pairs with its neighbors have another friction");
    let body = world.body_mut(ids[1]).expect("it is there");
    body.set_layers(0, Layers { memberships: 2, filters: u32::MAX });
    world.step(&settings, DT);
    assert_eq!(work(&world)[..2], [1, 0], "other layers may meet others");
}
