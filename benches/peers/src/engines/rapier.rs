//! rapier3d as a library, on one thread.

use orthant::engine::body::BodyKind;
use orthant::math::{Quat, Vec3};
use rapier3d::prelude::{
    ColliderBuilder, PhysicsWorld, Pose as Place, RigidBodyBuilder, RigidBodyHandle, Rotation,
    SharedShape, Vector,
};

use super::{Drive, Limb, Pose, Runner};
use orthant_lab::games::{DT, Form, Game};

struct Library {
    world: PhysicsWorld,
    bodies: Vec<RigidBodyHandle>,
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn place(position: Vec3, rotation: Quat) -> Place {
    let [x, y, z, w] = rotation.to_array();
    Place::from_parts(vector(position), Rotation::from_xyzw(x, y, z, w))
}

/// The engine alone.
pub fn library(game: &Game) -> Result<Box<dyn Runner>, String> {
    let mut world = PhysicsWorld { gravity: vector(game.settings().gravity), ..Default::default() };
    world.integration_parameters.dt = DT;
    let mut bodies = Vec::new();
    for piece in &game.pieces {
        let body = match piece.kind {
            BodyKind::Static => RigidBodyBuilder::fixed(),
            BodyKind::Kinematic => RigidBodyBuilder::kinematic_position_based(),
            BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
        };
        let body = body
            .pose(place(piece.position, piece.rotation))
            .linvel(vector(piece.velocity))
            .can_sleep(false);
        let collider = collider(&piece.form)?
            .density(piece.density)
            .friction(game.friction)
            .restitution(game.restitution);
        bodies.push(world.insert(body, collider).0);
    }
    for limb in Limb::all(game)? {
        let [a, b] = limb.bodies.map(|body| bodies[body]);
        world.insert_impulse_joint(a, b, limb.rapier());
    }
    Ok(Box::new(Library { world, bodies }))
}

fn collider(form: &Form) -> Result<ColliderBuilder, String> {
    Ok(match form {
        Form::Ball(radius) => ColliderBuilder::ball(*radius),
        Form::Cuboid(half) => ColliderBuilder::cuboid(half.x, half.y, half.z),
        Form::Capsule { half, radius } => ColliderBuilder::capsule_y(*half, *radius),
        Form::Hull(points) => {
            let points: Vec<Vector> = points.iter().map(|&p| vector(p)).collect();
            ColliderBuilder::convex_hull(&points).ok_or("rapier3d refused a hull")?
        }
        Form::Compound(boxes) => {
            let part = |&(at, turn, half): &(Vec3, Quat, Vec3)| {
                (place(at, turn), SharedShape::cuboid(half.x, half.y, half.z))
            };
            ColliderBuilder::compound(boxes.iter().map(part).collect())
        }
    })
}

impl Runner for Library {
    fn step(&mut self, drive: Option<&Drive>) {
        // The velocity is taken from the difference of two quaternions, so that the target's sign must be
        // that of the last one: as it comes from the scene.
        if let Some(Drive { body, to, .. }) = drive {
            let body = &mut self.world.bodies[self.bodies[*body]];
            body.set_next_kinematic_position(place(to.position, to.rotation));
        }
        self.world.step();
    }

    fn push(&mut self, body: usize, force: Vec3) {
        let body = &mut self.world.bodies[self.bodies[body]];
        body.reset_forces(false);
        body.add_force(vector(force), true);
    }

    fn poses(&self) -> Vec<Pose> {
        let pose = |&body: &RigidBodyHandle| {
            let place = self.world.bodies[body].position();
            let (p, r) = (place.translation, place.rotation);
            let rotation = Quat::from_xyzw(r.x, r.y, r.z, r.w);
            Pose { position: Vec3::new(p.x, p.y, p.z), rotation }
        };
        self.bodies.iter().map(pose).collect()
    }
}
