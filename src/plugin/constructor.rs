//! Colliders described by numbers, for scenes and files.

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::world::DeferredWorld;
use bevy_math::IVec3;
#[cfg(feature = "mesh")]
use bevy_mesh::Mesh;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::collider::Collider;
#[cfg(feature = "mesh")]
use super::decomposition::ConvexDecomposition;
#[cfg(feature = "mesh")]
use super::mesh::MeshColliderError;
use super::voxels;
use crate::engine::shape::Shape;
use crate::math::{Real, Vec3};

/// Makes the [`Collider`] of its entity and goes: a collider in a form that can be reflected, written to
/// a file and put into a scene. Lengths are full lengths (m).
///
/// With the feature `mesh` a collider can be made from the `Mesh3d` of the entity; the constructor waits
/// until that is there and its asset is loaded.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// let mut world = World::new();
/// let ball = world.spawn(ColliderConstructor::Sphere { radius: 0.5 }).id();
/// assert!(world.entity(ball).contains::<Collider>());
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(on_insert = construct)]
#[non_exhaustive]
pub enum ColliderConstructor {
    /// See [`Collider::sphere`].
    Sphere {
        /// Radius (m).
        radius: Real,
    },
    /// See [`Collider::cuboid`].
    Cuboid {
        /// Length along x (m).
        x_length: Real,
        /// Length along y (m).
        y_length: Real,
        /// Length along z (m).
        z_length: Real,
    },
    /// See [`Collider::round_cuboid`].
    RoundCuboid {
        /// Length along x without the border (m).
        x_length: Real,
        /// Length along y without the border (m).
        y_length: Real,
        /// Length along z without the border (m).
        z_length: Real,
        /// Radius of the border (m).
        border_radius: Real,
    },
    /// See [`Collider::capsule`].
    Capsule {
        /// Radius (m).
        radius: Real,
        /// Length of the segment along y (m).
        length: Real,
    },
    /// See [`Collider::cylinder`].
    Cylinder {
        /// Radius (m).
        radius: Real,
        /// Height along y (m).
        height: Real,
    },
    /// See [`Collider::cone`].
    Cone {
        /// Radius of the base (m).
        radius: Real,
        /// Height along y (m).
        height: Real,
    },
    /// See [`Collider::ellipsoid`].
    Ellipsoid {
        /// Length along x (m).
        x_length: Real,
        /// Length along y (m).
        y_length: Real,
        /// Length along z (m).
        z_length: Real,
    },
    /// See [`Collider::half_space`].
    HalfSpace {
        /// Outward normal.
        outward_normal: Vec3,
    },
    /// See [`Collider::convex_hull`].
    ConvexHull {
        /// Points (m).
        points: Vec<Vec3>,
    },
    /// See [`Collider::voxels`].
    Voxels {
        /// Edges of a cell (m).
        voxel_size: Vec3,
        /// Full cells.
        cells: Vec<IVec3>,
    },
    /// See [`Collider::convex_hull_from_mesh`].
    #[cfg(feature = "mesh")]
    ConvexHullFromMesh,
    /// See [`Collider::trimesh_from_mesh`].
    #[cfg(feature = "mesh")]
    TrimeshFromMesh,
    /// A [`ConvexDecomposition`](super::ConvexDecomposition) of the mesh takes its place, which makes the
    /// collider in the background.
    #[cfg(feature = "mesh")]
    ConvexDecompositionFromMesh,
}

impl Default for ColliderConstructor {
    /// A cube with edges of 1 m.
    fn default() -> Self {
        Self::Cuboid { x_length: 1.0, y_length: 1.0, z_length: 1.0 }
    }
}

impl ColliderConstructor {
    /// The collider; none if it takes a mesh. Numbers that make no shape give a collider that tells so.
    #[must_use]
    pub fn collider(&self) -> Option<Collider> {
        let collider = match *self {
            Self::Sphere { radius } => Collider::sphere(radius),
            Self::Cuboid { x_length, y_length, z_length } => {
                Collider::cuboid(x_length, y_length, z_length)
            }
            Self::RoundCuboid { x_length, y_length, z_length, border_radius } => {
                Collider::round_cuboid(x_length, y_length, z_length, border_radius)
            }
            Self::Capsule { radius, length } => Collider::capsule(radius, length),
            Self::Cylinder { radius, height } => Collider::cylinder(radius, height),
            Self::Cone { radius, height } => Collider::cone(radius, height),
            Self::Ellipsoid { x_length, y_length, z_length } => {
                Collider::ellipsoid(x_length, y_length, z_length)
            }
            Self::HalfSpace { outward_normal } => Collider::half_space(outward_normal),
            Self::ConvexHull { ref points } => Collider::new(Shape::convex_hull(points)),
            Self::Voxels { voxel_size, ref cells } => {
                Collider::new(voxels::shape(voxel_size, cells))
            }
            #[cfg(feature = "mesh")]
            Self::ConvexHullFromMesh
            | Self::TrimeshFromMesh
            | Self::ConvexDecompositionFromMesh => return None,
        };
        Some(collider)
    }

    /// What is made from a mesh; what takes none is made without.
    #[cfg(feature = "mesh")]
    pub(super) fn made_from(&self, mesh: &Mesh) -> Result<Made, MeshColliderError> {
        let collider = match self {
            Self::ConvexDecompositionFromMesh => {
                return ConvexDecomposition::from_mesh(mesh).map(Made::Decomposition);
            }
            Self::TrimeshFromMesh => Collider::trimesh_from_mesh(mesh),
            _ => self.collider().map_or_else(|| Collider::convex_hull_from_mesh(mesh), Ok),
        };
        collider.map(Made::Collider)
    }
}

/// What takes the place of a constructor.
pub(super) enum Made {
    Collider(Collider),
    /// Of a collider that comes later.
    #[cfg(feature = "mesh")]
    Decomposition(ConvexDecomposition),
}

impl Made {
    /// Puts it on an entity. Does its collider come later?
    pub(super) fn insert(self, entity: &mut EntityCommands) -> bool {
        match self {
            Self::Collider(collider) => {
                entity.insert(collider);
                false
            }
            #[cfg(feature = "mesh")]
            Self::Decomposition(decomposition) => {
                entity.insert(decomposition);
                true
            }
        }
    }
}

/// Puts the collider in place of its constructor, with the commands that are under way.
fn construct(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let constructor = world.get::<ColliderConstructor>(entity);
    if let Some(collider) = constructor.and_then(ColliderConstructor::collider) {
        world.commands().entity(entity).insert(collider).remove::<ColliderConstructor>();
    }
}

/// Constructors that wait for a mesh.
#[cfg(feature = "mesh")]
pub(super) mod from_mesh {
    use bevy_asset::Assets;
    use bevy_ecs::prelude::*;
    use bevy_mesh::{Mesh, Mesh3d};

    use super::ColliderConstructor;
    use crate::plugin::error::{Errors, PhysicsErrorKind};

    /// Puts colliders in place of their constructors once their meshes are loaded.
    pub(in crate::plugin) fn construct(
        mut commands: Commands,
        mut errors: Errors,
        meshes: Option<Res<Assets<Mesh>>>,
        waiting: Query<(Entity, &ColliderConstructor, &Mesh3d)>,
        mut list: Local<Vec<Entity>>,
    ) {
        let Some(meshes) = meshes else { return };
        list.clear();
        list.extend(waiting.iter().map(|(entity, ..)| entity));
        list.sort_unstable();
        for &entity in list.iter() {
            let Ok((_, constructor, handle)) = waiting.get(entity) else { continue };
            let Some(mesh) = meshes.get(&handle.0) else { continue };
            commands.entity(entity).remove::<ColliderConstructor>();
            match constructor.made_from(mesh) {
                Ok(made) => drop(made.insert(&mut commands.entity(entity))),
                Err(error) => errors.tell(entity, PhysicsErrorKind::Mesh(error)),
            }
        }
    }
}
