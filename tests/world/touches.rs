//! Touches: each begins once and ends once, and tells how hard it was.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Real, Vec3};
use orthant_lab::support::*;

/// A collider with a name.
fn named(tag: u64, shape: Shape) -> Collider {
    Collider { tag, ..Collider::new(shape) }
}

fn spawn(world: &mut Simulation, kind: BodyKind, at: Vec3, colliders: Vec<Collider>) -> BodyId {
    let desc = BodyDesc { kind, position: at, colliders, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

/// A static slab with its surface at y = 0, named 1.
fn ground(world: &mut Simulation) -> BodyId {
    let slab = named(1, cuboid(20.0, 1.0, 20.0));
    spawn(world, BodyKind::Static, Vec3::new(0.0, -0.5, 0.0), vec![slab])
}

/// Numbers of starts and ends over some steps.
fn count(world: &mut Simulation, steps: usize) -> (usize, usize) {
    let mut counts = (0, 0);
    for _ in 0..steps {
        world.step(&Settings::default(), DT);
        counts.0 += world.touches().started().count();
        counts.1 += world.touches().ended().len();
    }
    counts
}

/// Boxes that touch exactly, one beside the other in all six directions: their gaps are zeros of either sign
/// before one is told, as `max` of two zeros is either one, by the platform. Seen from a face that looks down
/// an axis they are `-0.0`, from one that looks up `0.0`.
#[test]
fn regression_gaps_of_boxes_that_touch_are_zeros_of_one_sign() {
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let round = || Shape::round_cuboid(0.5, 0.5, 0.5, 0.25).expect("a box of 1 m");
    for shape in [cuboid(1.0, 1.0, 1.0), round()] {
        for direction in Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]) {
            let mut world = Simulation::new();
            for at in [Vec3::ZERO, direction] {
                spawn(&mut world, BodyKind::Dynamic, at, vec![named(1, shape.clone())]);
            }
            world.step(&settings, DT);
            let gaps: Vec<Real> = world.contacts().map(|contact| contact.gap).collect();
            assert_eq!(gaps, [0.0; 4], "{direction}: they touch");
            let signed = gaps.iter().filter(|gap| gap.is_sign_negative()).count();
            assert_eq!(signed, 0, "{direction}: {gaps:?}");
        }
    }
}

#[test]
fn a_dropped_cube_starts_one_touch_with_its_impact() {
    let mut world = Simulation::new();
    ground(&mut world);
    let cube = named(2, cuboid(1.0, 1.0, 1.0));
    spawn(&mut world, BodyKind::Dynamic, Vec3::new(0.0, 2.5, 0.0), vec![cube]);
    let mut starts = Vec::new();
    let (mut speed, mut then, mut arrived) = (0.0, 0.0, 0.0);
    for _ in 0..120 {
        let before = world.bodies().iter().last().expect("the cube").linear_velocity.y;
        world.step(&Settings::default(), DT);
        if starts.len() == 1 && then == 0.0 {
            then = world.touches().all()[0].normal_impulse;
        }
        if world.touches().started().next().is_some() {
            // Where it meets the ground, 2 m below.
            speed = Real::sqrt(2.0 * 9.81 * 2.0);
            assert!(before < 0.0 && -before < speed, "within this step");
            arrived = -before;
        }
        starts.extend(world.touches().started().copied());
        assert!(world.touches().ended().is_empty(), "it stays");
    }
    let [start] = starts[..] else { panic!("one start, not {}", starts.len()) };
    assert_eq!(start.key.tags, [1, 2], "the names of the colliders");
    let at = start.at.expect("a place");
    assert!((at.speed - speed).abs() < 1e-3 * speed, "approach {} against {speed}", at.speed);
    assert!((at.normal - Vec3::Y).length() < 1e-5, "normal {}", at.normal);
    // The cube arrives in this step and is stopped by the next one: together they take the momentum.
    let given = start.normal_impulse;
    let momentum = arrived + 9.81 * DT * 2.0;
    assert!(
        (given + then - momentum).abs() < 1e-3 * momentum,
        "{given} + {then} of {momentum} N s"
    );
    assert!(given > 0.0 && (start.impulse.y - given).abs() < 1e-3 * given, "{}", start.impulse);
    let now = world.touches().all();
    assert_eq!(now.len(), 1, "one touch at rest");
    let weight = now[0].normal_impulse / DT;
    assert!((weight - 9.81).abs() < 1e-2, "it weighs {weight} N");
}

#[test]
fn touches_end_once_by_teleport_removal_and_layers() {
    for way in 0..4 {
        let mut world = Simulation::new();
        let floor = ground(&mut world);
        let cube = named(2, cuboid(1.0, 1.0, 1.0));
        let id = spawn(&mut world, BodyKind::Dynamic, Vec3::new(0.0, 0.5, 0.0), vec![cube]);
        assert_eq!(count(&mut world, 30), (1, 0), "it lies there");
        let body = world.body_mut(id).expect("alive");
        match way {
            0 => body.set_pose(Vec3::new(0.0, 50.0, 0.0), Quat::IDENTITY),
            1 => body.set_layers(0, Layers { memberships: 1, filters: 2 }),
            2 => assert!(world.remove_body(id), "alive"),
            _ => assert!(world.remove_body(floor), "alive"),
        }
        assert_eq!(count(&mut world, 30), (0, 1), "way {way}");
    }
}

#[test]
fn a_trembling_ball_makes_one_touch() {
    let mut world = Simulation::new();
    ground(&mut world);
    let ball = named(2, sphere(0.5));
    let id = spawn(&mut world, BodyKind::Dynamic, Vec3::new(0.0, 0.5, 0.0), vec![ball]);
    world.body_mut(id).expect("alive").linear_velocity.x = 3.0;
    let mut starts = 0;
    for step in 0..120 {
        let ball = world.body_mut(id).expect("alive");
        // Pushed up and down by less than the margin.
        ball.linear_velocity.y += if step % 2 == 0 { 0.12 } else { -0.1 };
        let (started, ended) = count(&mut world, 1);
        starts += started;
        assert_eq!(ended, 0, "step {step}");
    }
    assert_eq!(starts, 1, "one touch");
}

#[test]
fn sensors_notice_and_do_not_push() {
    let mut world = Simulation::new();
    let area = Collider { sensor: true, ..named(7, cuboid(4.0, 1.0, 4.0)) };
    let sensor = spawn(&mut world, BodyKind::Static, Vec3::new(0.0, 0.0, 0.0), vec![area]);
    let ball = named(2, sphere(0.25));
    let id = spawn(&mut world, BodyKind::Dynamic, Vec3::new(0.0, 3.0, 0.0), vec![ball.clone()]);
    let (mut start, mut end) = (None, None);
    for step in 0..120 {
        world.step(&Settings::default(), DT);
        let y = world.body(id).expect("alive").center().y;
        if let Some(touch) = world.touches().started().next() {
            assert!(touch.sensor && touch.at.is_none(), "a sensor");
            assert_eq!(touch.key.bodies, [sensor, id], "both are named");
            start = Some((step, y));
        }
        if !world.touches().ended().is_empty() {
            end = Some((step, y));
        }
    }
    let free = -0.5 * 9.81 * (120.0 * DT) * (120.0 * DT);
    let fallen = world.body(id).expect("alive").center().y - 3.0;
    assert!((fallen - free).abs() < 1e-3 * free.abs(), "nothing slowed it: {fallen} for {free}");
    let ((_, first), (_, last)) = (start.expect("a start"), end.expect("an end"));
    assert!((0.2..=0.76).contains(&first), "begins at the upper side: {first}");
    assert!((-1.2..=-0.6).contains(&last), "ends at the lower side: {last}");
    // A kinematic body is noticed, a static one is not.
    let still = BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() };
    let hand = BodyDesc { kind: BodyKind::Kinematic, ..BodyDesc::default() };
    for (desc, expected) in [(still, 0), (hand, 1)] {
        world.add_body(BodyDesc { colliders: vec![ball.clone()], ..desc }).expect("sound");
        assert_eq!(count(&mut world, 3).0, expected, "starts");
    }
}

#[test]
fn layers_decide_who_meets() {
    let meet = |a: Layers, b: Layers| -> bool {
        let mut world = Simulation::new();
        let layered = |tag, layers| Collider { layers, ..named(tag, cuboid(1.0, 1.0, 1.0)) };
        spawn(&mut world, BodyKind::Static, Vec3::ZERO, vec![layered(1, a)]);
        spawn(&mut world, BodyKind::Dynamic, Vec3::Y, vec![layered(2, b)]);
        count(&mut world, 5).0 == 1
    };
    let layers = |memberships, filters| Layers { memberships, filters };
    assert!(meet(Layers::default(), Layers::default()), "by default");
    assert!(meet(layers(2, 4), layers(4, 2)), "each in what the other meets");
    assert!(!meet(layers(2, 4), layers(4, 1)), "one of them does not meet the other");
    assert!(!meet(layers(2, 4), layers(2, 4)), "neither meets the other");
    assert!(!meet(layers(0, u32::MAX), Layers::ALL), "in no layer");
}

#[test]
fn bodies_of_several_colliders_name_the_one_that_touches() {
    let mut world = Simulation::new();
    ground(&mut world);
    let foot = |tag, x: Real| Collider {
        position: Vec3::new(x, 0.0, 0.0),
        ..named(tag, cuboid(0.5, 0.5, 0.5))
    };
    let feet = vec![foot(10, -1.0), foot(11, 1.0)];
    spawn(&mut world, BodyKind::Dynamic, Vec3::new(0.0, 0.25, 0.0), feet);
    assert_eq!(count(&mut world, 30), (2, 0), "both feet");
    let tags: Vec<_> = world.touches().all().iter().map(|touch| touch.key.tags).collect();
    assert_eq!(tags, [[1, 10], [1, 11]], "in order");
    let total: Real = world.touches().all().iter().map(|touch| touch.normal_impulse).sum();
    let weight = 2.0 * 0.125 * 9.81 * DT;
    assert!((total - weight).abs() < 1e-3 * weight, "{total} of {weight}");
}
