//! Bodies and joints that are removed are gone at once, although their lists close up later.

use orthant::engine::joint::{JointError, JointId};

use super::*;

/// Two cubes on a floor, joined, with a third beside them that is joined with none; asleep.
fn joined() -> (Simulation, [BodyId; 3], JointId) {
    let mut world = floor();
    let place = |i: u32| Vec3::new(1.5 * i as Real, 0.5, 0.0);
    let cubes =
        [0, 1, 2].map(|i| add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), place(i)));
    let joint = JointDesc::between(JointKind::Spherical, cubes[0], cubes[1]);
    let joint = joint.with_anchors(Vec3::X * 0.75, -Vec3::X * 0.75);
    let joint = world.add_joint(joint).expect("two bodies");
    lull(&mut world, &drowsy());
    (world, cubes, joint)
}

/// Adds and removes more bodies and joints than there are, without a step.
fn churn(world: &mut Simulation, on: BodyId) {
    for _ in 0..300 {
        let other = add(world, BodyKind::Dynamic, sphere(0.1), Vec3::Y * 50.0);
        let desc = JointDesc::between(JointKind::Spherical, on, other);
        assert!(world.add_joint(desc).is_ok_and(|joint| world.remove_joint(joint)), "it was there");
        assert!(world.remove_body(other), "it was there");
    }
}

#[test]
fn a_joint_goes_with_its_body() {
    let (mut world, cubes, joint) = joined();
    let desc = *world.joint(joint).expect("it is there").desc();
    assert!(world.remove_body(cubes[0]), "it was there");
    assert!(world.joint(joint).is_none() && world.joints().next().is_none(), "gone with it");
    assert_eq!(world.set_joint(joint, desc), Err(JointError::Unknown(joint)));
    let changed = world.set_joint_enabled(joint, false) || world.remove_joint(joint);
    assert!(!changed && world.joints().count() == 0, "there is none to change or remove");
    world.step(&drowsy(), DT);
    assert_eq!(sleeping(&world, &cubes[1..]), [false, true], "what it held is awake");
    assert!(world.joints().next().is_none(), "and stays away");
}

#[test]
fn a_removed_joint_is_gone_and_removed_once() {
    let (mut world, cubes, joint) = joined();
    assert!(world.remove_joint(joint) && !world.remove_joint(joint), "there was one");
    assert!(world.joint(joint).is_none() && world.joints().next().is_none(), "gone");
    assert!(world.sleep_body(cubes[2]), "alone it sleeps");
    world.step(&drowsy(), DT);
    assert_eq!(sleeping(&world, &cubes), [false, false, true], "what it held is awake");
}

#[test]
fn what_was_held_wakes_though_lists_close_up_before_the_step() {
    let (mut world, cubes, joint) = joined();
    world.remove_body(cubes[0]);
    churn(&mut world, cubes[2]);
    assert!(world.joint(joint).is_none(), "gone");
    world.step(&drowsy(), DT);
    assert!(!body(&world, cubes[1]).is_sleeping(), "it knows");
    assert_eq!((world.bodies().len(), world.joints().count()), (3, 0), "the floor and two");
}

#[test]
fn what_was_held_wakes_where_its_joint_goes_within_a_step() {
    let (mut world, cubes, joint) = joined();
    world.begin(&drowsy(), DT);
    world.find_pairs(&drowsy());
    world.find_contacts(&drowsy());
    assert!(world.remove_body(cubes[0]), "it was there");
    assert!(world.joint(joint).is_none(), "gone");
    end_step(&mut world, &drowsy());
    world.step(&drowsy(), DT);
    assert_eq!(sleeping(&world, &cubes[1..]), [false, true], "what it held is awake");
}

#[test]
fn a_snapshot_has_no_joint_of_a_body_that_is_gone() {
    let (mut world, cubes, joint) = joined();
    world.remove_body(cubes[0]);
    let mut other = Simulation::new();
    other.restore(&world.snapshot().expect("between steps")).expect("as it was");
    for world in [&mut world, &mut other] {
        assert!(world.joint(joint).is_none() && world.joints().next().is_none(), "gone");
        assert_eq!(sleeping(world, &cubes[1..]), [false, true], "what it held is awake");
    }
}

/// Impulses of all contacts, upward (N s).
fn borne(world: &Simulation) -> Real {
    world.contacts().map(|contact| contact.impulse.y.abs()).sum()
}

#[test]
fn islands_that_wake_together_have_the_impulses_of_the_last_length() {
    let (mut world, ..) = joined();
    let before = borne(&world);
    world.step(&drowsy(), 0.5 * DT);
    assert_eq!(world.report().sleeping, 3, "all sleep on");
    world.begin(&settings(), 0.5 * DT);
    let after = borne(&world);
    assert!(before > 0.0 && (after - 0.5 * before).abs() < 1e-5 * before, "{before}, {after} N s");
    world.find_pairs(&settings());
    world.find_contacts(&settings());
    end_step(&mut world, &settings());
    assert!(fastest(&world) < 1e-5, "{}", world.report());
}
