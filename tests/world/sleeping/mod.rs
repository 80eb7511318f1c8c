//! Sleeping: what falls asleep, what it keeps, and what wakes it.

mod outside;
mod removed;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind, LockedAxes};
use orthant::engine::collider::{Collider, Layers, Material};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::par::{Serial, Threads};
use orthant::engine::report::IslandReport;
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{Double, Quat, Real, Vec3};
use orthant_lab::support::*;

/// The default settings with sleeping.
fn drowsy() -> Settings {
    let mut settings = settings();
    settings.sleep.enabled = true;
    settings
}

/// Residual of an island, of the step problem and its relaxed twin [m/s].
fn residual(island: &IslandReport) -> Double {
    island.residual.max(island.residual_relaxed)
}

/// Steps until all is asleep.
#[track_caller]
fn lull(world: &mut Simulation, settings: &Settings) {
    for _ in 0..1200 {
        let report = world.step(settings, DT);
        if report.sleeping == report.dynamic_bodies {
            return;
        }
    }
    panic!("{} asleep", world.report());
}

/// A stack of cubes on a floor, asleep.
fn asleep(n: usize) -> (Simulation, Vec<BodyId>) {
    let (mut world, ids) = stack(n);
    lull(&mut world, &drowsy());
    (world, ids)
}

fn sleeping(world: &Simulation, ids: &[BodyId]) -> Vec<bool> {
    ids.iter().map(|&id| body(world, id).is_sleeping()).collect()
}

fn fastest(world: &Simulation) -> Real {
    let speed = |body: &Body| body.linear_velocity.length() + body.angular_velocity.length();
    world.bodies().iter().map(speed).fold(0.0, Real::max)
}

#[test]
fn a_stack_falls_asleep_after_half_a_second_at_rest_and_not_before() {
    let (mut world, ids) = stack(4);
    let mut steps = 0;
    while world.report().sleeping == 0 {
        world.step(&drowsy(), DT);
        steps += 1;
        assert!(steps < 100, "{}", world.report());
    }
    let time = steps as Real * DT;
    assert!((0.5 - 1e-3..0.6).contains(&time), "asleep after {time} s");
    assert_eq!(sleeping(&world, &ids), [true; 4], "all at once");
    assert_eq!(fastest(&world), 0.0, "velocities are zero");
    let islands: Vec<_> = world.sleepers().islands().map(<[_]>::to_vec).collect();
    assert_eq!(islands, [ids], "one island, its bodies in order");
    let bits = fingerprint(&world);
    let touches = world.touches().all().len();
    for _ in 0..100 {
        let report = world.step(&drowsy(), DT);
        assert_eq!((report.islands, report.contacts, report.sleeping), (0, 0, 4), "{report}");
        assert_eq!(report.kinetic_energy, 0.0, "it stands still");
        assert_eq!(world.touches().all().len(), touches, "touches stay");
        assert_eq!(world.touches().ended().len(), 0, "none ends");
        assert_eq!(world.touches().started().count(), 0, "none starts");
    }
    assert_eq!(fingerprint(&world), bits, "nothing changes in sleep");
}

#[test]
fn nothing_sleeps_unless_enabled() {
    let (mut world, ids) = stack(2);
    run(&mut world, 200);
    assert_eq!(sleeping(&world, &ids), [false; 2], "off by default");
    lull(&mut world, &drowsy());
    world.step(&Settings::default(), DT);
    assert_eq!(sleeping(&world, &ids), [false; 2], "switched off, all wake");
}

/// Whatever the pile: all fall asleep within the time of [`lull`], and wake to the rest they had.
#[test]
fn a_pile_that_is_woken_without_a_cause_stays_as_it_was() {
    for seed in 1..=6 {
        wakes_as_it_was(seed);
    }
}

#[track_caller]
fn wakes_as_it_was(seed: u64) {
    let (mut world, ids) = pile(30, seed);
    let settings = drowsy();
    lull(&mut world, &settings);
    run_with(&mut world, 30, &settings);
    let poses: Vec<_> = ids.iter().map(|&id| body(&world, id).position()).collect();
    let overlap = world.infeasibility().1;
    ids.iter().for_each(|&id| {
        world.wake_body(id);
    });
    assert_eq!(sleeping(&world, &ids), vec![false; ids.len()], "seed {seed}: all awake");
    let report = world.step(&settings, DT).clone();
    assert_eq!(report.sleeping, 0, "seed {seed}: awake");
    assert!(report.contacts > 30, "seed {seed}: {report}");
    // What a finer tolerance than the default one comes to is among the claims.
    let tolerance = Settings::default().solver.tolerance;
    for island in &report.solves {
        assert!(residual(island) <= tolerance, "seed {seed}: {island:?}");
        let fine = residual(island) <= settings.solver.tolerance;
        assert_eq!(island.solved, fine, "seed {seed}: it says so: {island:?}");
    }
    // What hardly moved since it was measured is not measured anew.
    let still = settings.contact.stillness * DT * DT;
    assert!(report.overlap <= overlap + still, "seed {seed}: {} {overlap}", report.overlap);
    assert!(fastest(&world) < 1e-3, "seed {seed}: no jolt: {}", fastest(&world));
    let deepest = |_| world.step(&settings, DT).overlap;
    let deepest = (0..20).map(deepest).fold(0.0, Real::max);
    assert!(deepest <= overlap + 1e-6, "seed {seed}: {deepest} {overlap}");
    let moved = |(&id, &at): (&BodyId, &Vec3)| (body(&world, id).position() - at).length();
    let moved = ids.iter().zip(&poses).map(moved).fold(0.0, Real::max);
    assert!(moved < 1e-4, "seed {seed}: it stays: {moved}");
    assert!(fastest(&world) < 1e-3, "seed {seed}: at rest: {}", fastest(&world));
}

#[test]
fn a_stack_that_is_woken_goes_on_as_if_it_had_not_slept() {
    let (mut world, ids) = stack(6);
    run_with(&mut world, 29, &drowsy());
    let mut awake = world.clone();
    run_with(&mut awake, 2, &Settings::default());
    run_with(&mut world, 2, &drowsy());
    assert_eq!(sleeping(&world, &ids), [true; 6], "{}", world.report());
    let iterations = awake.step(&Settings::default(), DT).iterations;
    let speed = fastest(&awake);
    run_with(&mut world, 50, &drowsy());
    world.wake_body(ids[3]);
    let report = world.step(&drowsy(), DT);
    assert!(report.iterations <= iterations + 2, "warm: {} {iterations}", report.iterations);
    assert_eq!(report.islands, 1, "all of it");
    assert!(fastest(&world) <= speed + 1e-5, "{} {speed}", fastest(&world));
    let mut most: Real = 0.0;
    for _ in 0..20 {
        most = most.max(world.step(&drowsy(), DT).overlap);
    }
    assert!(most < 1e-5, "{most}");
    assert!(fastest(&world) < 1e-4, "{}", fastest(&world));
}

/// Everything a user may do to one body.
type Deed = (&'static str, fn(&mut Body));

const EDITS: [Deed; 14] = [
    ("pose", |b| b.set_pose(b.position() + Vec3::Y, Quat::IDENTITY)),
    ("velocity", |b| b.linear_velocity = Vec3::X),
    ("spin", |b| b.angular_velocity = Vec3::X * 0.1),
    ("force", |b| b.apply_force(Vec3::X)),
    ("torque", |b| b.apply_torque(Vec3::X)),
    ("impulse", |b| b.apply_linear_impulse(Vec3::X)),
    ("angular impulse", |b| b.apply_angular_impulse(Vec3::X)),
    ("material", |b| b.set_material(0, Material::new(0.1)).expect("finite")),
    ("layers", |b| b.set_layers(0, Layers { memberships: 1, filters: 0 })),
    ("gravity scale", |b| b.gravity_scale = 2.0),
    ("damping", |b| b.linear_damping = 2.0),
    ("locked axes", |b| b.locked_axes = LockedAxes::ROTATION),
    ("colliders", |b| {
        let cube = Collider::new(cuboid(1.0, 1.0, 1.0));
        let mass = cube.mass_properties(2.0);
        b.set_colliders(vec![cube], BodyKind::Dynamic, mass).expect("a cube");
    }),
    ("permission", |b| b.can_sleep = false),
];

#[test]
fn every_edit_wakes_the_island_and_looking_does_not() {
    let (world, ids) = asleep(3);
    for (what, edit) in EDITS {
        let mut world = world.clone();
        edit(change(&mut world, ids[1]));
        world.step(&drowsy(), DT);
        assert_eq!(sleeping(&world, &ids), [false; 3], "{what}");
    }
    let mut world = world.clone();
    let _ = change(&mut world, ids[1]);
    change(&mut world, ids[1]).apply_force(Vec3::ZERO);
    change(&mut world, ids[1]).set_material(0, Material::new(0.5)).expect("the same as before");
    world.step(&drowsy(), DT);
    assert_eq!(sleeping(&world, &ids), [true; 3], "nothing was changed");
}

#[test]
fn a_force_that_goes_on_lets_sleep_and_wakes_when_it_changes_or_ends() {
    let mut world = floor();
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * 0.5);
    let steps = |world: &mut Simulation, n: usize, force: Real| {
        for _ in 0..n {
            change(world, id).apply_force(Vec3::X * force);
            world.step(&drowsy(), DT);
        }
        body(world, id).is_sleeping()
    };
    assert!(steps(&mut world, 60, 1.0), "friction holds it");
    assert!(steps(&mut world, 60, 1.0), "and it sleeps on");
    let mut other = world.clone();
    assert!(!steps(&mut other, 1, 1.5), "another force");
    assert!(steps(&mut other, 60, 1.5), "asleep under that");
    world.step(&drowsy(), DT);
    assert!(!body(&world, id).is_sleeping(), "the force ends");
}

#[test]
fn what_falls_on_a_sleeper_wakes_all_of_its_island_within_the_step() {
    let (mut world, ids) = asleep(3);
    let other = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(9.0, 0.5, 0.0));
    lull(&mut world, &drowsy());
    let top = body(&world, ids[2]).position();
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.3), top + Vec3::Y * 2.0);
    let mut woke = false;
    for _ in 0..200 {
        let before = sleeping(&world, &ids);
        // This is that step with sleeping switched off.
        let mut awake = world.clone();
        world.step(&drowsy(), DT);
        awake.step(&settings(), DT);
        let now = sleeping(&world, &ids);
        assert!(now == [true; 3] || now == [false; 3], "all or none");
        let touched = world.contacts().any(|contact| contact.bodies == [ids[2], ball]);
        if !woke {
            assert_eq!(now == [false; 3], touched, "with the first contact");
        }
        if before == [true; 3] && now == [false; 3] && !woke {
            woke = true;
            assert_eq!(world.report().contacts, awake.report().contacts - 4, "one step problem");
            let [one, two] = [&world, &awake].map(|world| body(world, ball).linear_velocity);
            assert!((one - two).length() < 1e-5, "the same blow: {one} {two}");
        }
        assert!(body(&world, other).is_sleeping(), "what is not touched sleeps on");
    }
    assert!(woke, "it fell");
}

#[test]
fn whatever_a_sleeper_rested_on_wakes_it_when_it_goes() {
    let mut world = Simulation::new();
    let slab = add(&mut world, BodyKind::Static, cuboid(4.0, 1.0, 4.0), Vec3::Y * -0.5);
    let far = add(&mut world, BodyKind::Static, cuboid(4.0, 1.0, 4.0), Vec3::new(9.0, -0.5, 0.0));
    let cubes: Vec<_> = (0..3)
        .map(|i| {
            let at = Vec3::Y * (0.5 + i as Real);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
        })
        .collect();
    lull(&mut world, &drowsy());
    let fell = |world: &mut Simulation, what: &str| {
        let at = body(world, cubes[2]).position().y;
        run_with(world, 30, &drowsy());
        let fallen = at - body(world, cubes[2]).position().y;
        assert!((0.5..1.3).contains(&fallen), "{what}: {fallen} m in half a second");
    };
    let mut one = world.clone();
    one.remove_body(slab);
    fell(&mut one, "the ground is removed");
    let mut one = world.clone();
    change(&mut one, slab).set_pose(Vec3::Y * -9.0, Quat::IDENTITY);
    fell(&mut one, "the ground is moved away");
    let mut one = world.clone();
    change(&mut one, slab).set_layers(0, Layers { memberships: 1, filters: 0 });
    fell(&mut one, "the ground meets nothing any more");
    let mut one = world.clone();
    change(&mut one, slab)
        .set_colliders(vec![], BodyKind::Static, MassProperties::default())
        .expect("nothing");
    fell(&mut one, "the ground loses its collider");
    let mut one = world.clone();
    one.remove_body(cubes[0]);
    one.remove_body(cubes[1]);
    fell(&mut one, "the lower cubes are removed");
    let mut one = world.clone();
    one.remove_body(far);
    change(&mut one, slab).set_material(0, Material::new(0.5)).expect("the same");
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &cubes), [true; 3], "what is far away does not matter");
}

#[test]
fn kinematic_bodies_wake_when_they_move_and_keep_awake_what_they_carry() {
    let mut world = Simulation::new();
    let lift = add(&mut world, BodyKind::Kinematic, cuboid(4.0, 1.0, 4.0), Vec3::Y * -0.5);
    let cube = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * 0.5);
    lull(&mut world, &drowsy());
    for direction in [-1.0, 1.0] {
        let mut world = world.clone();
        // Slower than the threshold.
        change(&mut world, lift).linear_velocity = Vec3::Y * (0.02 * direction);
        for _ in 0..120 {
            world.step(&drowsy(), DT);
            assert!(!body(&world, cube).is_sleeping(), "carried");
        }
        let height = body(&world, cube).position().y;
        assert!((height - 0.5 - 0.04 * direction).abs() < 1e-4, "{height}");
        change(&mut world, lift).linear_velocity = Vec3::ZERO;
        lull(&mut world, &drowsy());
    }
    // One that comes from the side.
    let at = Vec3::new(3.0, 0.6, 0.0);
    let pusher = add(&mut world, BodyKind::Kinematic, cuboid(1.0, 1.0, 1.0), at);
    world.step(&drowsy(), DT);
    assert!(body(&world, cube).is_sleeping(), "it stands still");
    for _ in 0..200 {
        let at = body(&world, pusher).position();
        change(&mut world, pusher).set_target(at - Vec3::X * 0.01, Quat::IDENTITY);
        world.step(&drowsy(), DT);
        let gap = at.x - 1.0 - body(&world, cube).position().x;
        let near = gap < 0.006 + 0.02;
        assert!(body(&world, cube).is_sleeping() || near, "{gap} m apart");
        assert!(gap > -1e-3, "{gap} m into it");
    }
    assert!(body(&world, cube).position().x < 0.05, "pushed along");
}

#[test]
fn joints_keep_an_island_together_and_wake_it() {
    let mut world = floor();
    let cubes: Vec<_> = (0..3)
        .map(|i| {
            let at = Vec3::new(1.5 * i as Real, 0.5, 0.0);
            add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), at)
        })
        .collect();
    let joint = |a, b| {
        let desc = JointDesc::between(JointKind::Spherical, a, b);
        desc.with_anchors(Vec3::X * 0.75, -Vec3::X * 0.75)
    };
    let first = world.add_joint(joint(cubes[0], cubes[1])).expect("two bodies");
    lull(&mut world, &drowsy());
    assert_eq!(world.sleepers().islands().count(), 2, "two joined, one alone");
    let mut one = world.clone();
    one.add_joint(joint(cubes[1], cubes[2])).expect("two bodies");
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &cubes), [false; 3], "a new joint wakes both ends");
    lull(&mut one, &drowsy());
    assert_eq!(one.sleepers().islands().count(), 1, "one chain");
    let mut one = world.clone();
    one.remove_joint(first);
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &cubes), [false, false, true], "a removed joint");
    let mut one = world.clone();
    one.remove_body(cubes[0]);
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &cubes[1..]), [false, true], "a removed end");
    // A cube that hangs on a kinematic body.
    let hook = add(&mut world, BodyKind::Kinematic, sphere(0.1), Vec3::new(0.0, 3.0, 5.0));
    let cube = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(0.0, 2.0, 5.0));
    let desc = joint(hook, cube).with_anchors(Vec3::ZERO, Vec3::Y);
    world.add_joint(desc).expect("two bodies");
    lull(&mut world, &drowsy());
    change(&mut world, hook).linear_velocity = Vec3::Y * 0.3;
    run_with(&mut world, 60, &drowsy());
    let height = body(&world, cube).position().y;
    assert!((height - 2.3).abs() < 1e-3, "drawn up to {height}");
}

#[test]
fn nothing_sleeps_in_free_fall_however_weak_gravity_is() {
    let mut settings = drowsy();
    settings.gravity = Vec3::Y * -0.02;
    let mut world = Simulation::new();
    let desc = BodyDesc {
        shape: Some(cuboid(1.0, 1.0, 1.0)),
        linear_velocity: Vec3::Y * 0.04,
        ..BodyDesc::default()
    };
    let id = world.add_body(desc).expect("a cube");
    run_with(&mut world, 480, &settings);
    let v = body(&world, id).linear_velocity.y;
    assert!((v + 0.12).abs() < 1e-4, "{v} m/s after eight seconds");
    // Without gravity what stands still in the air sleeps.
    let mut world = Simulation::new();
    add(&mut world, BodyKind::Dynamic, sphere(1.0), Vec3::ZERO);
    settings.gravity = Vec3::ZERO;
    lull(&mut world, &settings);
    // Wakes when there is some again.
    world.step(&drowsy(), DT);
    assert_eq!(world.report().sleeping, 0, "gravity changed");
}

#[test]
fn sleeping_is_deterministic_and_part_of_a_snapshot() {
    let run = |threads: usize, cut: usize| {
        let (mut world, ids) = heap(40);
        let mut settings = drowsy();
        (settings.sleep.linear, settings.sleep.angular) = (0.1, 0.3);
        let mut most = 0;
        for i in 0..500 {
            if i == cut {
                world = world.clone();
            }
            if i % 100 == 99 {
                change(&mut world, ids[i % 7]).apply_linear_impulse(Vec3::Y * 0.3);
            }
            world.begin(&settings, DT);
            world.find_pairs(&settings);
            if threads > 1 {
                world.find_contacts_on(&settings, &Threads(threads));
            } else {
                world.find_contacts_on(&settings, &Serial);
            }
            world.build_islands();
            world.assemble(&settings);
            world.solve_on(&settings, &Threads(threads));
            world.integrate();
            world.finish();
            most = most.max(world.report().sleeping);
        }
        assert!(most > 0, "some slept");
        fingerprint(&world)
    };
    let bits = run(1, 0);
    assert_eq!(run(3, 0), bits, "any number of threads");
    assert_eq!(run(1, 250), bits, "a clone goes on as the original");
}
