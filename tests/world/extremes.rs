//! Numbers that are finite and absurd: a step returns, and what does not touch them is as without them.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, body, cuboid, floor, sphere};

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Substeps, Method::Pgs, Method::Lemke];
const STEPS: usize = 3;
/// Much longer than the steps take (s); what is here by then does not return.
const PATIENCE: u64 = 60;

/// Steps a world far from it a heap of three cubes and a ball on a floor; the positions of that heap. None
/// if a step panics or does not return.
fn play(method: Method, absurd: impl Fn(&mut Simulation) + Send + 'static) -> Option<Vec<Vec3>> {
    let (send, receive) = mpsc::channel();
    let work = move || {
        let mut world = floor();
        // A body meets its own floor and itself: what is thrown about would touch it.
        let layers = Layers { memberships: 2, filters: 2 };
        let colliders = |shape| vec![Collider { layers, ..Collider::new(shape) }];
        let half_space = Shape::half_space(Vec3::Y).expect("a direction");
        let (kind, ground) = (BodyKind::Static, colliders(half_space));
        let ground = BodyDesc { kind, colliders: ground, ..BodyDesc::default() };
        world.add_body(ground).expect("a floor");
        let heap: Vec<BodyId> = (0..4_u8)
            .map(|i| {
                let shape = if i == 3 { sphere(0.3) } else { cuboid(0.5, 0.5, 0.5) };
                let desc = BodyDesc {
                    colliders: colliders(shape),
                    position: Vec3::new(0.1 * Real::from(i), 0.25 + 0.5 * Real::from(i), 0.0),
                    ..BodyDesc::default()
                };
                world.add_body(desc).expect("a cube or ball")
            })
            .collect();
        absurd(&mut world);
        let mut settings = Settings::default();
        settings.solver.method = method;
        for _ in 0..STEPS {
            world.step(&settings, DT);
        }
        let found = heap.iter().map(|&id| body(&world, id).center()).collect();
        // Nobody listens any more if it took too long.
        let _ = send.send(found);
    };
    let _ = thread::spawn(work);
    receive.recv_timeout(Duration::from_secs(PATIENCE)).ok()
}

fn untouched(what: &str, absurd: impl Fn(&mut Simulation) + Copy + Send + 'static) {
    for method in METHODS {
        let with = play(method, absurd);
        let without = play(method, |_| {});
        assert!(with.is_some(), "{what}, {method:?}: a step panics or does not return");
        assert_eq!(with, without, "{what}, {method:?}: the heap far from it");
    }
}

/// Cubes on the floor, sliding, turning and thrown on each other.
fn rough(world: &mut Simulation, friction: Real) {
    let mut rng = Rng::new(5);
    for i in 0..8_u8 {
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.4, 0.6)),
            friction,
            position: Vec3::new(20.0 + 0.3 * Real::from(i % 3), 0.4 + 0.5 * Real::from(i), 0.0),
            rotation: rng.rotation(),
            linear_velocity: rng.vector(-3.0, 3.0) - Vec3::Y,
            angular_velocity: rng.vector(-5.0, 5.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube");
    }
}

/// Two cubes that are thrown on the floor, and a joint between them with an anchor that is far away.
fn far(world: &mut Simulation, seed: u64, kind: JointKind, anchor: Real, friction: Real) {
    let mut rng = Rng::new(seed);
    let ids = [0.0, 1.0].map(|i| {
        let desc = BodyDesc {
            shape: Some(cuboid(0.5, 0.4, 0.6)),
            friction,
            position: Vec3::new(20.0 + 0.3 * i, 0.2 + 0.4 * i, 0.0),
            linear_velocity: rng.vector(-3.0, 3.0) - Vec3::Y,
            angular_velocity: rng.vector(-5.0, 5.0),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a cube")
    });
    let anchor = rng.vector(-1.0, 1.0) * anchor;
    let desc = JointDesc::between(kind, ids[0], ids[1]);
    world.add_joint(desc.with_anchors(anchor, Vec3::X * 0.3)).expect("finite anchors");
}

#[test]
fn huge_friction_is_borne() {
    for (friction, name) in [(1e9, "1e9"), (1e30, "1e30"), (3e38, "3e38"), (Real::MAX, "largest")] {
        untouched(name, move |world| rough(world, friction));
    }
}

#[test]
fn anchors_far_away_are_borne() {
    let (ball, slider) = (JointKind::Spherical, JointKind::Prismatic);
    untouched("ball, 1.9e19 m", move |world| far(world, 0, ball, 1.9e19, 0.5));
    untouched("slider, 1.9e19 m", move |world| far(world, 0, slider, 1.9e19, 0.5));
    untouched("slider, 1e25 m, friction", move |world| far(world, 0, slider, 1e25, 1e30));
    untouched("slider, 1e30 m", move |world| far(world, 6, slider, 1e30, 0.5));
    untouched("the farthest", move |world| far(world, 0, JointKind::Fixed, Real::MAX, 0.5));
}
