//! The game: two balls in a yard of crates, and a chain. Everything that happens in it follows from inputs.

use bevy::ecs::entity::EntityHashMap;
use bevy::prelude::*;
use orthant::prelude::*;
use orthant::snapshot::SnapshotError;
use std::time::Duration;

/// Every so many frames every peer takes a snapshot, which a late guest could be given.
pub const INVITATION: u32 = 300;
/// Crates in a row, and rows.
const CRATES: [u8; 2] = [6, 5];

/// What a player does in a frame: bits for left, right, back, ahead and up.
pub type Input = u8;

pub struct Game {
    world: World,
    players: [Entity; 2],
    /// Everything, in the order in which it came.
    all: Vec<Entity>,
}

impl Game {
    pub fn new() -> Self {
        let mut app = App::new();
        app.add_plugins(PhysicsPlugins::default());
        let mut world = core::mem::take(app.world_mut());
        let mut all = Vec::new();
        let mut add = |world: &mut World, kind, collider, at: [f32; 3]| {
            let at = Transform::from_translation(Vec3::from_array(at));
            let entity = world.spawn((kind, collider, at)).id();
            all.push(entity);
            entity
        };
        add(&mut world, RigidBody::Static, Collider::half_space(Vec3::Y), [0.0; 3]);
        for (x, z, size) in [
            (-9.0, 0.0, [1.0, 20.0]),
            (9.0, 0.0, [1.0, 20.0]),
            (0.0, -9.0, [20.0, 1.0]),
            (0.0, 9.0, [20.0, 1.0]),
        ] {
            let wall = Collider::cuboid(size[0], 4.0, size[1]);
            add(&mut world, RigidBody::Static, wall, [x, 2.0, z]);
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
        let snapshot = PhysicsSnapshot::from_bytes(bytes)?;
        let there = Self::new();
        let mut here = Self::new();
        // Entities are made in the same order everywhere; netcode that replicates them knows the map.
        let map: EntityHashMap<Entity> =
            there.all.into_iter().zip(here.all.iter().copied()).collect();
        snapshot.restore_with(&mut here.world, |entity| map.get(&entity).copied())?;
        Ok(here)
    }

    /// Makes a frame. Every few seconds it gives a snapshot of its beginning: all peers take it in the same
    /// frame, since a world goes on from it.
    pub fn step(&mut self, frame: u32, inputs: [Input; 2]) -> Option<Vec<u8>> {
        let invites = frame % INVITATION == 0 && frame > 0;
        let snapshot = invites.then(|| PhysicsSnapshot::take(&mut self.world));
        for (player, input) in self.players.into_iter().zip(inputs) {
            let Some(mut velocity) = self.world.get_mut::<LinearVelocity>(player) else { continue };
            let axis =
                |less: u8, more: u8| f32::from(input >> more & 1) - f32::from(input >> less & 1);
            let push = Vec3::new(axis(0, 1), f32::from(input >> 4 & 1), axis(2, 3)) * 0.4;
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

/// What a player does: another thing every quarter of a second.
pub fn played(player: usize, frame: u32) -> Input {
    let mut x = u64::from(frame / 15) * 2 + player as u64 + 1;
    for _ in 0..3 {
        x = (x ^ (x >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    (x >> 33) as u8 & 0b1_1111
}
