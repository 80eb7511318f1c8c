//! A ragdoll falls and comes to rest: `cargo run --release --example ragdoll`.
//!
//! Neck, waist, shoulders and hips are ball joints with a cone to swing in and limits of their twist;
//! elbows and knees are hinges that bend one way. A little friction in each is what makes it lie still.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{PI, Real, Vec3, quat_exp, single_quat, single3};
use orthant::prelude::*;

/// Friction of every joint (N·m).
const TONE: Real = 3.0;
/// How high it starts (m), and when it must sleep at the latest (s).
const HEIGHT: Real = 2.0;
const TIME_MAX: f32 = 20.0;

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .add_systems(Startup, spawn);
    let (mut seconds, mut worst) = (0.0, 0.0);
    loop {
        app.update();
        seconds += 1.0 / 64.0;
        let report = app.world().resource::<StepReport>();
        worst = Real::max(worst, report.joint_error);
        let sleeps = report.dynamic_bodies > 0 && report.sleeping == report.dynamic_bodies;
        if seconds % 1.0 == 0.0 || sleeps {
            println!("{seconds:5.2} s: {}", **report);
        }
        assert!(seconds < TIME_MAX, "it does not come to rest");
        if sleeps {
            break;
        }
    }
    println!("It sleeps; its joints were never more than {:.1} µm apart.", 1e6 * worst);
    assert!(worst < 1e-2, "its joints came apart");
}

fn spawn(mut commands: Commands) {
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), Friction::new(0.6)));
    let mut doll = Doll(commands);
    let pelvis = doll.part(Collider::cuboid(0.34, 0.18, 0.2), Vec3::NEG_Y * 0.1, Vec3::ZERO);
    let torso = doll.part(Collider::cuboid(0.4, 0.5, 0.22), Vec3::Y * 0.26, Vec3::ZERO);
    doll.ball([pelvis, torso], Vec3::ZERO, Vec3::Y, 0.6, 0.4);
    let head = doll.part(Collider::sphere(0.12), Vec3::Y * 0.68, Vec3::ZERO);
    doll.ball([torso, head], Vec3::Y * 0.54, Vec3::Y, 0.6, 0.9);
    for side in [-1.0, 1.0] {
        // Limbs are capsules along y; those of the arms lie across.
        let across = Vec3::Z * (0.5 * PI);
        let at = |x: Real, y: Real| Vec3::new(side * x, y, 0.0);
        let upper = doll.part(Collider::capsule(0.055, 0.21), at(0.39, 0.45), across);
        let lower = doll.part(Collider::capsule(0.045, 0.21), at(0.72, 0.45), across);
        doll.ball([torso, upper], at(0.23, 0.45), Vec3::X * side, 1.3, 0.8);
        doll.hinge([upper, lower], at(0.56, 0.45), Vec3::NEG_Y * side, 2.3);
        let thigh = doll.part(Collider::capsule(0.075, 0.27), at(0.1, -0.41), Vec3::ZERO);
        let shin = doll.part(Collider::capsule(0.06, 0.3), at(0.1, -0.84), Vec3::ZERO);
        doll.ball([pelvis, thigh], at(0.1, -0.2), Vec3::NEG_Y, 1.0, 0.4);
        doll.hinge([thigh, shin], at(0.1, -0.625), Vec3::X, 2.4);
    }
}

/// A doll that is being made, upright about its waist, its arms stretched out.
struct Doll<'w, 's>(Commands<'w, 's>);

impl Doll<'_, '_> {
    /// A part about a point of the doll, turned by a rotation vector (rad).
    fn part(&mut self, collider: Collider, at: Vec3, turn: Vec3) -> Entity {
        let at = Transform::from_translation(single3(at + Vec3::Y * HEIGHT))
            .with_rotation(single_quat(quat_exp(turn)));
        let body = (RigidBody::Dynamic, collider, ColliderDensity(1000.0), Friction::new(0.6), at);
        // The body turns forward as it falls.
        self.0.spawn((body, AngularVelocity(Vec3::X))).id()
    }

    /// A ball joint that swings within a cone about an axis and twists so far both ways (rad).
    fn ball(&mut self, [a, b]: [Entity; 2], at: Vec3, axis: Vec3, swing: Real, twist: Real) {
        let joint = Joint::ball(a, b).with_anchor(at + Vec3::Y * HEIGHT).with_axis(axis);
        let joint = joint.with_swing_limit(swing).with_twist_limits(-twist, twist);
        self.0.spawn(joint.with_friction(TONE));
    }

    /// A hinge that bends one way, so far (rad).
    fn hinge(&mut self, [a, b]: [Entity; 2], at: Vec3, axis: Vec3, bend: Real) {
        let joint = Joint::hinge(a, b).with_anchor(at + Vec3::Y * HEIGHT).with_axis(axis);
        self.0.spawn(joint.with_limits(0.0, bend).with_friction(TONE));
    }
}
