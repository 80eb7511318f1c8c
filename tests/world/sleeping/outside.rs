//! Who is kept awake, put to sleep or woken from outside.

use super::*;

#[test]
fn one_that_may_not_sleep_keeps_its_island_awake() {
    let (mut world, ids) = stack(3);
    change(&mut world, ids[1]).can_sleep = false;
    let apart = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(5.0, 0.5, 0.0));
    run_with(&mut world, 120, &drowsy());
    assert_eq!(sleeping(&world, &ids), [false; 3], "none of them");
    assert!(body(&world, apart).is_sleeping(), "others do");
    assert!(!world.sleep_body(ids[0]), "not even when told to");
    change(&mut world, ids[1]).can_sleep = true;
    lull(&mut world, &drowsy());
}

#[test]
fn bodies_sleep_and_wake_when_told_to() {
    let (mut world, ids) = stack(2);
    let ball = add(&mut world, BodyKind::Dynamic, sphere(0.5), Vec3::Y * 9.0);
    run_with(&mut world, 2, &drowsy());
    assert!(world.sleep_body(ids[1]), "a dynamic body");
    assert!(world.sleep_body(ball), "in mid-air");
    assert_eq!(sleeping(&world, &[ids[0], ids[1], ball]), [true; 3], "at once, with its island");
    run_with(&mut world, 10, &drowsy());
    assert_eq!(world.report().sleeping, 3, "they sleep on");
    assert!(world.wake_body(ball), "it slept");
    assert!(!world.wake_body(ball), "it is awake");
    world.step(&drowsy(), DT);
    assert_eq!(world.report().sleeping, 2, "the others sleep on");
    assert!(body(&world, ball).linear_velocity.y < -0.1, "it falls on");
    let none = BodyId(99);
    assert!(!world.sleep_body(none) && !world.wake_body(none), "no such body");
}

#[test]
fn a_wall_that_is_spawned_asleep_stands_until_it_is_hit() {
    let (mut world, ids) = stack(5);
    ids.iter().for_each(|&id| assert!(world.sleep_body(id)));
    run_with(&mut world, 30, &drowsy());
    assert_eq!(world.report().sleeping, 5, "asleep from the start");
    assert_eq!(world.sleepers().islands().count(), 5, "each on its own: none was ever solved");
    let bullet = BodyDesc {
        shape: Some(sphere(0.2)),
        position: Vec3::new(-2.0, 4.5, 0.0),
        linear_velocity: Vec3::X * 10.0,
        ..BodyDesc::default()
    };
    world.add_body(bullet).expect("a ball");
    run_with(&mut world, 12, &drowsy());
    assert_eq!(world.report().sleeping, 0, "one wakes the next within the step");
}

#[test]
fn what_appears_inside_a_sleeper_wakes_it() {
    let (world, ids) = asleep(1);
    let mut one = world.clone();
    add(&mut one, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::new(0.9, 0.5, 0.0));
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &ids), [false], "a wall");
    let mut one = world.clone();
    add(&mut one, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::new(1.002, 0.5, 0.0));
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &ids), [true], "beside it");
    let sensor = Collider { sensor: true, ..Collider::new(cuboid(3.0, 3.0, 3.0)) };
    let desc = BodyDesc { kind: BodyKind::Static, colliders: vec![sensor], ..BodyDesc::default() };
    let mut one = world.clone();
    let zone = one.add_body(desc).expect("a sensor");
    one.step(&drowsy(), DT);
    assert_eq!(sleeping(&one, &ids), [true], "a sensor pushes nothing");
    assert_eq!(one.touches().started().count(), 1, "but notices sleepers");
    run_with(&mut one, 5, &drowsy());
    assert_eq!(one.touches().all().len(), 2, "the floor and the zone");
    one.remove_body(zone);
    one.step(&drowsy(), DT);
    assert_eq!((one.touches().ended().len(), sleeping(&one, &ids)), (1, vec![true]), "gone");
}

#[test]
fn what_filters_and_changes_pairs_wakes_what_it_changes() {
    let (world, ids) = asleep(2);
    /// One step with something done to the pairs after stage 2 and after stage 3.
    fn step(world: &mut Simulation, filter: bool, belt: Real, friction: Option<Real>) -> u32 {
        world.begin(&drowsy(), DT);
        world.find_pairs(&drowsy());
        if filter {
            world.retain_pairs(|pair| pair.key.a != BodyId(0));
        }
        world.find_contacts(&drowsy());
        for pair in world.pairs_mut() {
            pair.surface_velocity = Vec3::X * belt;
            pair.friction = friction.unwrap_or(pair.friction);
        }
        end_step(world, &drowsy());
        world.report().sleeping
    }
    let mut one = world.clone();
    assert_eq!(step(&mut one, false, 0.0, None), 2, "nothing is changed");
    assert_eq!(step(&mut one, true, 0.0, None), 0, "the floor is taken away");
    assert!(body(&one, ids[0]).linear_velocity.y < -0.1, "it falls in the same step");
    let mut one = world.clone();
    step(&mut one, false, 0.02, None);
    assert_eq!(step(&mut one, false, 0.02, None), 0, "a belt starts");
    (0..60).for_each(|_| assert_eq!(step(&mut one, false, 0.02, None), 0));
    let mut one = world.clone();
    step(&mut one, false, 0.0, Some(0.1));
    assert_eq!(step(&mut one, false, 0.0, Some(0.1)), 0, "friction changed");
    for _ in 0..60 {
        step(&mut one, false, 0.0, Some(0.1));
    }
    assert_eq!(one.report().sleeping, 2, "and stays as it is");
    assert_eq!(step(&mut one, false, 0.0, None), 2, "told with this step");
    assert_eq!(step(&mut one, false, 0.0, None), 0, "no longer changed");
}
