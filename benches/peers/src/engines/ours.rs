//! Our engine, as a library and in an app.

use bevy::prelude::{App, Entity};
use orthant::engine::body::{Body, BodyId, BodyKind};
use orthant::engine::report::StepReport;
use orthant::engine::settings::Settings;
use orthant::math::{Quat, Vec3};
use orthant::plugin::JointFrame;
use orthant::prelude::*;

use super::app::{headless, poses, ready, spawn};
use super::limb::Bend;
use super::{Drive, Limb, Mode, Pose, Runner};
use orthant_lab::games::{DT, Form, Game, Play};

struct Library {
    play: Play,
    settings: Settings,
}

/// The engine alone.
pub fn library(game: &Game, mode: Mode) -> Result<Box<dyn Runner>, String> {
    let settings = Settings { solver: mode.solver(), ..game.settings() };
    Ok(Box::new(Library { play: Play::new(game, DT)?, settings }))
}

impl Runner for Library {
    fn step(&mut self, drive: Option<&Drive>) {
        let Play { world, ids, dt, .. } = &mut self.play;
        if let Some(Drive { body, to, .. }) = drive
            && let Some(body) = world.body_mut(ids[*body])
        {
            body.set_target(to.position, to.rotation);
        }
        world.step(&self.settings, *dt);
    }

    fn push(&mut self, body: usize, force: Vec3) {
        if let Some(body) = self.play.world.body_mut(self.play.ids[body]) {
            body.apply_force(force);
        }
    }

    fn poses(&self) -> Vec<Pose> {
        let pose = |&id: &BodyId| {
            let body = self.play.world.body(id);
            let position = body.map_or(Vec3::NAN, Body::position);
            Pose { position, rotation: body.map_or(Quat::NAN, Body::rotation) }
        };
        self.play.ids.iter().map(pose).collect()
    }

    fn report(&self) -> Option<&StepReport> {
        Some(self.play.world.report())
    }
}

struct Plugin {
    app: App,
    entities: Vec<Entity>,
}

/// The plugin.
pub fn app(game: &Game, mode: Mode, threads: Option<usize>) -> Result<Box<dyn Runner>, String> {
    let mut app = headless(threads);
    app.add_plugins(PhysicsPlugins::default())
        .insert_resource(Gravity(game.settings().gravity))
        .insert_resource(SolverConfig(mode.solver()))
        .insert_resource(SleepConfig::disabled());
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
            LinearVelocity(piece.velocity),
        );
        entities.push(spawn(&mut app, piece.position, piece.rotation, bundle));
    }
    for limb in Limb::all(game)? {
        let [a, b] = limb.bodies.map(|body| entities[body]);
        let ball = Joint::spherical(a, b);
        let mut joint = match limb.bend {
            Bend::Ball => ball,
            Bend::Cone { swing, twist } => {
                ball.with_swing_limit(swing).with_twist_limits(-twist, twist)
            }
            Bend::Hinge { min, max } => Joint::revolute(a, b).with_limits(min, max),
        };
        let [on_a, on_b] = limb.frames.map(|frame| JointFrame::local(frame.anchor, frame.basis));
        (joint.frame_a, joint.frame_b) = (on_a, on_b);
        app.world_mut().spawn(joint);
    }
    Ok(Box::new(Plugin { app, entities }))
}

fn collider(form: &Form) -> Result<Collider, String> {
    Ok(match form {
        Form::Ball(radius) => Collider::sphere(*radius),
        Form::Cuboid(half) => Collider::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z),
        Form::Capsule { half, radius } => Collider::capsule(*radius, 2.0 * half),
        Form::Hull(points) => Collider::convex_hull(points).map_err(|error| error.to_string())?,
        Form::Compound(boxes) => {
            let cuboid = |half: Vec3| Collider::cuboid(2.0 * half.x, 2.0 * half.y, 2.0 * half.z);
            Collider::compound(
                boxes.iter().map(|&(at, turn, half)| (at, turn, cuboid(half))).collect(),
            )
        }
    })
}

impl Runner for Plugin {
    fn step(&mut self, drive: Option<&Drive>) {
        if let Some(Drive { body, to, .. }) = drive {
            let target = KinematicTarget::new(to.position, to.rotation);
            self.app.world_mut().entity_mut(self.entities[*body]).insert(target);
        }
        self.app.update();
    }

    fn poses(&self) -> Vec<Pose> {
        poses(&self.app, &self.entities)
    }

    fn report(&self) -> Option<&StepReport> {
        self.app.world().get_resource::<orthant::plugin::StepReport>().map(|report| &**report)
    }
}
