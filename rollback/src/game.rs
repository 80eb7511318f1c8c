//! The game: two balls in a yard of crates, and a chain. Everything that happens in it follows from inputs.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use orthant::prelude::*;
use orthant::snapshot::SnapshotError;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Every so many frames every peer takes a snapshot, which a late guest could be given.
pub const INVITATION: u32 = 300;
/// Crates in a row, and rows; what comes before them: floor, walls and roof.
const CRATES: [u8; 2] = [6, 5];
const BEFORE: usize = 6;

/// What a player does in a frame: bits for left, right, back, ahead and up.
pub type Input = u8;

pub struct Game {
    world: World,
    players: [Entity; 2],
    /// Everything, in the order in which it came.
    all: Vec<Entity>,
}

/// Where a body is and how it moves, as sent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pose {
    /// Which one, in the order in which all came.
    pub place: u8,
    pub at: [f32; 3],
    rotation: [f32; 4],
    velocity: [f32; 3],
    spin: [f32; 3],
}

impl Game {
    #[must_use]
    #[expect(
        clippy::new_without_default,
        reason = "a yard is made, not a value that stands for none"
    )]
    pub fn new() -> Self {
        Self::among(0)
    }

    /// The game in a world that has so many other things: entities have other names then.
    #[must_use]
    pub fn among(others: usize) -> Self {
        let mut app = App::new();
        app.add_plugins(PhysicsPlugins::default());
        let mut world = core::mem::take(app.world_mut());
        world.spawn_batch(vec![(); others]);
        let mut all = Vec::new();
        let mut add = |world: &mut World, kind, collider, at: [f32; 3]| {
            let at = Transform::from_translation(Vec3::from_array(at));
            let entity = world.spawn((kind, collider, at)).id();
            all.push(entity);
            entity
        };
        add(&mut world, RigidBody::Static, Collider::half_space(Vec3::Y), [0.0; 3]);
        // Walls and a roof: who jumps well does not leave the game.
        for (at, size) in [
            ([-9.0, 4.0, 0.0], [1.0, 8.0, 20.0]),
            ([9.0, 4.0, 0.0], [1.0, 8.0, 20.0]),
            ([0.0, 4.0, -9.0], [20.0, 8.0, 1.0]),
            ([0.0, 4.0, 9.0], [20.0, 8.0, 1.0]),
            ([0.0, 8.5, 0.0], [20.0, 1.0, 20.0]),
        ] {
            let wall = Collider::cuboid(size[0], size[1], size[2]);
            add(&mut world, RigidBody::Static, wall, at);
        }
        for row in 0..CRATES[1] {
            for k in 0..CRATES[0] {
                let at = [f32::from(k) - 2.5, 0.5 + f32::from(row), 0.2 * f32::from(row % 2)];
                add(&mut world, RigidBody::Dynamic, Collider::cuboid(0.9, 0.99, 0.9), at);
            }
        }
        let players = [-5.0, 5.0]
            .map(|z| add(&mut world, RigidBody::Dynamic, Collider::sphere(0.6), [0.0, 0.6, z]));
        let mut links = Vec::new();
        for k in 0..6_u8 {
            let at = [0.4 + 0.8 * f32::from(k), 7.0, 0.0];
            links.push(add(&mut world, RigidBody::Dynamic, Collider::capsule(0.1, 0.5), at));
        }
        for (k, &link) in links.iter().enumerate() {
            let before = k.checked_sub(1).map(|k| links[k]);
            let hung = if before.is_some() { Vec3::X * 0.4 } else { Vec3::Y * 7.0 };
            let joint = Joint::ball(before, link).with_anchors(hung, Vec3::X * -0.4);
            all.push(world.spawn(joint).id());
        }
        for player in players {
            world.entity_mut(player).insert(Mass(3.0));
        }
        Self { world, players, all }
    }

    /// One that comes late, with other names of entities.
    pub fn late(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut here = Self::among(3);
        here.restore(bytes)?;
        Ok(here)
    }

    /// Goes to where the world of a [`new`](Self::new) game was.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        let snapshot = PhysicsSnapshot::from_bytes(bytes)?;
        // Entities are made in the same order everywhere; netcode that replicates them knows the map.
        let there = Self::new().all.into_iter();
        let map: EntityHashMap<Entity> = there.zip(self.all.iter().copied()).collect();
        snapshot.restore_with(&mut self.world, |entity| map.get(&entity).copied())
    }

    /// Makes a frame. Every few seconds it gives a snapshot of its beginning: all peers take it in the same
    /// frame, since a world goes on from it.
    pub fn step(&mut self, frame: u32, inputs: [Input; 2]) -> Option<Vec<u8>> {
        let invites = frame.is_multiple_of(INVITATION) && frame > 0;
        let snapshot = invites.then(|| PhysicsSnapshot::take(&mut self.world));
        for (player, input) in self.players.into_iter().zip(inputs) {
            let Some(mut velocity) = self.world.get_mut::<LinearVelocity>(player) else { continue };
            let axis =
                |less: u8, more: u8| f32::from(input >> more & 1) - f32::from(input >> less & 1);
            // Up it goes by little more than weight.
            let push = Vec3::new(axis(0, 1), 0.5 * f32::from(input >> 4 & 1), axis(2, 3)) * 0.4;
            if push != Vec3::ZERO {
                velocity.0 += push;
            }
        }
        step_physics(&mut self.world, Duration::from_secs(1) / super::RATE);
        snapshot.map(|snapshot| snapshot.expect("between two frames").to_bytes())
    }

    pub fn copy(&mut self) -> PhysicsCopy {
        PhysicsCopy::take(&mut self.world).expect("between two frames")
    }

    pub fn go_back(&mut self, copy: &PhysicsCopy) {
        copy.restore(&mut self.world).expect("between two frames");
    }

    /// All that can move, as it is.
    pub fn poses(&self) -> Vec<Pose> {
        let pose = |(place, entity): (usize, &Entity)| {
            let entity = self.world.entity(*entity);
            let at = entity.get::<Transform>()?;
            Some(Pose {
                place: place as u8,
                at: at.translation.to_array(),
                rotation: at.rotation.to_array(),
                velocity: entity.get::<LinearVelocity>()?.0.to_array(),
                spin: entity.get::<AngularVelocity>()?.0.to_array(),
            })
        };
        self.all.iter().enumerate().filter_map(pose).collect()
    }

    /// Puts bodies where the poses say.
    pub fn put(&mut self, poses: &[Pose]) {
        for pose in poses {
            let Some(&entity) = self.all.get(usize::from(pose.place)) else { continue };
            let mut entity = self.world.entity_mut(entity);
            if let Some(mut at) = entity.get_mut::<Transform>() {
                at.translation = Vec3::from_array(pose.at);
                at.rotation = Quat::from_array(pose.rotation);
            }
            if let Some(mut velocity) = entity.get_mut::<LinearVelocity>() {
                velocity.0 = Vec3::from_array(pose.velocity);
            }
            if let Some(mut spin) = entity.get_mut::<AngularVelocity>() {
                spin.0 = Vec3::from_array(pose.spin);
            }
        }
    }

    /// Where the crates are.
    pub fn crates(&self) -> Vec<Vec3> {
        let count = usize::from(CRATES[0]) * usize::from(CRATES[1]);
        let at = |entity: &Entity| self.world.get::<Transform>(*entity).map(|at| at.translation);
        self.all[BEFORE..BEFORE + count].iter().filter_map(at).collect()
    }

    pub fn bodies(&self) -> usize {
        self.world.resource::<PhysicsWorld>().engine().bodies().len()
    }

    /// The bits of every pose and velocity, mixed into one number.
    pub fn print(&self) -> u64 {
        let mut hash = 0xCBF2_9CE4_8422_2325_u64;
        for body in self.world.resource::<PhysicsWorld>().engine().bodies().iter() {
            let (x, q) = (body.center(), body.rotation());
            let (v, w) = (body.linear_velocity, body.angular_velocity);
            for x in [x.x, x.y, x.z, q.x, q.y, q.z, q.w, v.x, v.y, v.z, w.x, w.y, w.z] {
                hash = (hash ^ u64::from(x.to_bits()))
                    .wrapping_mul(0x0000_0100_0000_01B3)
                    .rotate_left(17);
            }
        }
        hash
    }
}

/// The largest distance between two lists of places (m).
#[must_use]
pub fn farthest(some: &[Vec3], others: &[Vec3]) -> f32 {
    some.iter().zip(others).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// What a player does: another thing every quarter of a second.
pub fn played(player: usize, frame: u32) -> Input {
    let mut x = u64::from(frame / 15) * 2 + player as u64 + 1;
    for _ in 0..3 {
        x = (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (x >> 33) as u8 & 0b1_1111
}
