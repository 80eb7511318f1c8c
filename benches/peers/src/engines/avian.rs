//! avian3d in an app.

use avian3d::prelude::*;
use bevy::prelude::{App, Entity, Isometry3d, Quat, Vec3};
use orthant::engine::body::BodyKind;

use super::app::{headless, ready, spawn};
use super::limb::Bend;
use super::{Drive, Limb, Pose, Runner};
use orthant_lab::games::{DT, Form, Game};

struct Plugin {
    app: App,
    entities: Vec<Entity>,
}

/// The plugin.
pub fn app(game: &Game, threads: Option<usize>) -> Result<Box<dyn Runner>, String> {
    let mut app = headless(threads);
    app.add_plugins(PhysicsPlugins::default()).insert_resource(Gravity(game.settings().gravity));
    ready(&mut app);
    let mut entities = Vec::new();
    for piece in &game.pieces {
        let kind = match piece.kind {
            BodyKind::Static => RigidBody::Static,
            BodyKind::Kinematic => RigidBody::Kinematic,
            BodyKind::Dynamic => RigidBody::Dynamic,
        };
        let bundle = (
            kind,
            collider(&piece.form)?,
            ColliderDensity(piece.density),
            Friction::new(game.friction),
            Restitution::new(game.restitution),
            SleepingDisabled,
            Position(piece.position),
            Rotation(piece.rotation),
            LinearVelocity(piece.velocity),
        );
        entities.push(spawn(&mut app, piece.position, piece.rotation, bundle));
    }
    for limb in Limb::all(game)? {
        let [a, b] = limb.bodies.map(|body| entities[body]);
        let [on_a, on_b] = limb.frames.map(|frame| Isometry3d::new(frame.anchor, frame.basis));
        let ball = SphericalJoint::new(a, b).with_local_frame1(on_a).with_local_frame2(on_b);
        let ball = ball.with_twist_axis(Vec3::X);
        match limb.bend {
            Bend::Ball => app.world_mut().spawn((ball, JointCollisionDisabled)),
            Bend::Cone { swing, twist } => {
                let cone = ball.with_swing_limits(-swing, swing).with_twist_limits(-twist, twist);
                app.world_mut().spawn((cone, JointCollisionDisabled))
            }
            Bend::Hinge { min, max } => {
                let hinge = RevoluteJoint::new(a, b).with_hinge_axis(Vec3::X);
                let hinge = hinge.with_local_frame1(on_a).with_local_frame2(on_b);
                app.world_mut().spawn((hinge.with_angle_limits(min, max), JointCollisionDisabled))
            }
        };
    }
    Ok(Box::new(Plugin { app, entities }))
}

fn collider(form: &Form) -> Result<Collider, String> {
    let cuboid = |half: Vec3| Collider::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
    Ok(match form {
        Form::Ball(radius) => Collider::sphere(*radius),
        Form::Cuboid(half) => cuboid(*half),
        Form::Capsule { half, radius } => Collider::capsule(*radius, 2.0 * half),
        Form::Hull(points) => Collider::convex_hull(points).ok_or("avian3d refused a hull")?,
        Form::Compound(boxes) => {
            let part = |&(at, turn, half): &(Vec3, Quat, Vec3)| (at, turn, cuboid(half));
            Collider::compound(boxes.iter().map(part).collect())
        }
    })
}

impl Runner for Plugin {
    fn step(&mut self, drive: Option<&Drive>) {
        // Kinematic bodies are moved by their velocities.
        if let Some(Drive { body, from, to }) = drive {
            let mut entity = self.app.world_mut().entity_mut(self.entities[*body]);
            if let Some(mut velocity) = entity.get_mut::<LinearVelocity>() {
                velocity.0 = (to.position - from.position) / DT;
            }
            if let Some(mut velocity) = entity.get_mut::<AngularVelocity>() {
                velocity.0 = (to.rotation * from.rotation.inverse()).to_scaled_axis() / DT;
            }
        }
        self.app.update();
    }

    fn poses(&self) -> Vec<Pose> {
        let pose = |&entity: &Entity| {
            let entity = self.app.world().entity(entity);
            let position = entity.get::<Position>().map_or(Vec3::NAN, |position| position.0);
            let rotation = entity.get::<Rotation>().map_or(Quat::NAN, |rotation| rotation.0);
            Pose { position, rotation }
        };
        self.entities.iter().map(pose).collect()
    }
}
