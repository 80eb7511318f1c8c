//! What scenes are made with: bodies that are seen as they collide.

use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use orthant::prelude::*;

/// Spawns bodies with meshes.
#[derive(SystemParam)]
pub struct Kit<'w, 's> {
    pub commands: Commands<'w, 's>,
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<StandardMaterial>>,
}

/// What is seen of a body.
type Picture = (Mesh3d, MeshMaterial3d<StandardMaterial>);

/// Colors of bodies; the last one is pale.
const PALETTE: [[f32; 3]; 6] = [
    [0.91, 0.45, 0.32],
    [0.96, 0.74, 0.38],
    [0.44, 0.69, 0.60],
    [0.29, 0.51, 0.69],
    [0.60, 0.46, 0.66],
    [0.85, 0.84, 0.80],
];

/// Color of the ground.
const GROUND: [f32; 3] = [0.44, 0.45, 0.46];

impl Kit<'_, '_> {
    fn paint(&mut self, [r, g, b]: [f32; 3]) -> MeshMaterial3d<StandardMaterial> {
        let base_color = Color::srgb(r, g, b);
        MeshMaterial3d(self.materials.add(StandardMaterial {
            base_color,
            perceptual_roughness: 0.7,
            ..default()
        }))
    }

    /// A shape as collider and mesh, with whatever else it has.
    pub fn spawn<S>(&mut self, shape: S, color: usize, rest: impl Bundle) -> Entity
    where
        S: Copy + Into<Mesh> + Into<Collider>,
    {
        let collider: Collider = shape.into();
        let picture = self.picture(shape, color);
        self.commands.spawn((picture, collider, rest)).id()
    }

    /// What is seen of a shape.
    pub fn picture(&mut self, shape: impl Into<Mesh>, color: usize) -> Picture {
        (Mesh3d(self.meshes.add(shape)), self.paint(PALETTE[color % PALETTE.len()]))
    }

    /// A dynamic body.
    pub fn body<S>(&mut self, shape: S, color: usize, at: Transform) -> Entity
    where
        S: Copy + Into<Mesh> + Into<Collider>,
    {
        self.spawn(shape, color, (RigidBody::Dynamic, at))
    }

    /// The ground, with its surface at y = 0.
    pub fn ground(&mut self) {
        let at = Transform::from_xyz(0.0, -0.5, 0.0);
        let ground = self.spawn(
            Cuboid::new(80.0, 1.0, 80.0),
            5,
            (RigidBody::Static, at, Friction::new(0.6)),
        );
        let paint = self.paint(GROUND);
        self.commands.entity(ground).insert(paint);
    }
}
