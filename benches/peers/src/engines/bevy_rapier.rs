//! rapier3d in an app.

use bevy::prelude::{App, Entity, Quat, Transform, Vec3};
use bevy_rapier3d::prelude::*;
use orthant::engine::body::BodyKind;

use super::app::{headless, place, poses, ready, spawn};
use super::{Drive, Limb, Pose, Runner};
use orthant_lab::games::{DT, Form, Game};

struct Plugin {
    app: App,
    entities: Vec<Entity>,
}

/// The plugin, whose gravity is that of all scenes.
pub fn app(game: &Game, threads: Option<usize>) -> Result<Box<dyn Runner>, String> {
    let mut app = headless(threads);
    app.add_plugins(RapierPhysicsPlugin::<NoUserData>::default())
        .insert_resource(TimestepMode::Fixed { dt: DT, substeps: 1 });
    // The entity that holds the world is spawned in the first update.
    ready(&mut app);
    let mut entities = Vec::new();
    for piece in &game.pieces {
        let kind = match piece.kind {
            BodyKind::Static => RigidBody::Fixed,
            BodyKind::Kinematic => RigidBody::KinematicPositionBased,
            BodyKind::Dynamic => RigidBody::Dynamic,
        };
        let bundle = (
            kind,
            collider(&piece.form)?,
            ColliderMassProperties::Density(piece.density),
            Friction::coefficient(game.friction),
            Restitution::coefficient(game.restitution),
            Sleeping::disabled(),
            Velocity { linear: piece.velocity, ..Velocity::zero() },
        );
        entities.push(spawn(&mut app, piece.position, piece.rotation, bundle));
    }
    for limb in Limb::all(game)? {
        let [a, b] = limb.bodies.map(|body| entities[body]);
        let joint = ImpulseJoint::new(a, GenericJoint { raw: limb.rapier() });
        // An entity holds one joint; further ones are on its children.
        if app.world().get::<ImpulseJoint>(b).is_none() {
            app.world_mut().entity_mut(b).insert(joint);
        } else {
            let child = app.world_mut().spawn((joint, Transform::IDENTITY)).id();
            app.world_mut().entity_mut(b).add_child(child);
        }
    }
    Ok(Box::new(Plugin { app, entities }))
}

fn collider(form: &Form) -> Result<Collider, String> {
    Ok(match form {
        Form::Ball(radius) => Collider::ball(*radius),
        Form::Cuboid(half) => Collider::cuboid(half.x, half.y, half.z),
        Form::Capsule { half, radius } => Collider::capsule_y(*half, *radius),
        Form::Hull(points) => {
            Collider::convex_hull(points).ok_or("bevy_rapier3d refused a hull")?
        }
        Form::Compound(boxes) => {
            let part = |&(at, turn, half): &(Vec3, Quat, Vec3)| {
                (at, turn, Collider::cuboid(half.x, half.y, half.z))
            };
            Collider::compound(boxes.iter().map(part).collect())
        }
    })
}

impl Runner for Plugin {
    fn step(&mut self, drive: Option<&Drive>) {
        if let Some(Drive { body, to, .. }) = drive {
            place(&mut self.app, self.entities[*body], to);
        }
        self.app.update();
    }

    fn poses(&self) -> Vec<Pose> {
        poses(&self.app, &self.entities)
    }
}
