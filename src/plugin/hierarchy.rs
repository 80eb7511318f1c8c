//! Colliders of whole scenes.
//!
//! Input: an entity with a [`ColliderConstructorHierarchy`] and what is below it. Output: colliders there,
//! once the scene is spawned and the meshes are loaded, in the order of the children.

use std::collections::BTreeMap;

#[cfg(feature = "mesh")]
use bevy_asset::Assets;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_ecs::world::DeferredWorld;
#[cfg(feature = "mesh")]
use bevy_mesh::{Mesh, Mesh3d};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
#[cfg(feature = "scene")]
use bevy_world_serialization::{
    DynamicWorldRoot, WorldAssetRoot, WorldInstance, WorldInstanceSpawner,
};

use super::collider::Collider;
use super::constructor::{ColliderConstructor, Made};
use super::decomposition::ConvexDecomposition;
use super::error::{Errors, PhysicsErrorKind};
use super::layers::CollisionLayers;
use super::mass::ColliderDensity;
use crate::math::Real;

/// Makes colliders of everything below its entity and goes: of a scene, say. Its own entity gets none.
///
/// Waits until there is something below, until a scene spawned by a `WorldAssetRoot` or
/// `DynamicWorldRoot` of the entity is there (feature `scene`), and until the meshes that it takes are
/// loaded; then all colliders come at once, but those of [`ConvexDecomposition`]s, which are made in the
/// background. When these are there, too, a [`ColliderConstructorHierarchyReady`] tells so.
///
/// A constructor that takes a mesh concerns the entities that have one, any other all. What has a collider
/// already keeps it, unless it is called by its `Name`. What is below another hierarchy is left to that.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::default())
///         .with_constructor_for_name("Wheel", ColliderConstructor::Sphere { radius: 0.3 })
///         .with_density_for_name("Wheel", 20.0)
///         .without_constructor_for_name("Antenna");
///     commands.spawn((RigidBody::Dynamic, colliders)).with_children(|parts| {
///         parts.spawn(Name::new("Wheel"));
///         parts.spawn(Name::new("Antenna"));
///     });
/// }
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(on_insert = begin)]
pub struct ColliderConstructorHierarchy {
    /// Makes the colliders of entities that are not named; of none without it.
    pub default_constructor: Option<ColliderConstructor>,
    /// Layers of colliders that have no others by name.
    pub default_layers: CollisionLayers,
    /// Density of colliders that have no other by name.
    pub default_density: ColliderDensity,
    /// What is otherwise for entities of these names; none for no collider.
    pub config: BTreeMap<String, Option<ColliderConstructorHierarchyConfig>>,
}

/// How a collider that is called by its name differs from the others.
///
/// ```
/// use orthant::plugin::ColliderConstructorHierarchyConfig;
/// use orthant::prelude::*;
///
/// let mut colliders = ColliderConstructorHierarchy::new(ColliderConstructor::default());
/// let heavy = ColliderConstructorHierarchyConfig {
///     density: Some(ColliderDensity(7800.0)),
///     ..ColliderConstructorHierarchyConfig::default()
/// };
/// colliders.config.insert("Anvil".into(), Some(heavy));
/// // As by the method.
/// let same = ColliderConstructorHierarchy::new(ColliderConstructor::default());
/// assert_eq!(colliders, same.with_density_for_name("Anvil", 7800.0));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Clone)]
pub struct ColliderConstructorHierarchyConfig {
    /// In place of the default constructor.
    pub constructor: Option<ColliderConstructor>,
    /// In place of the default layers.
    pub layers: Option<CollisionLayers>,
    /// In place of the default density.
    pub density: Option<ColliderDensity>,
}

/// The colliders below this entity are made. Observe it on the entity.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let colliders = ColliderConstructorHierarchy::new(ColliderConstructor::default());
///     commands.spawn(colliders).observe(|ready: On<ColliderConstructorHierarchyReady>| {
///         println!("the colliders below {} are there", ready.entity);
///     });
/// }
/// # bevy_ecs::system::assert_is_system(spawn);
/// ```
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, PartialEq, Clone)]
pub struct ColliderConstructorHierarchyReady {
    /// The entity that had the [`ColliderConstructorHierarchy`].
    pub entity: Entity,
}

impl ColliderConstructorHierarchy {
    /// With this constructor for what is not named, or none.
    #[must_use]
    pub fn new(default_constructor: impl Into<Option<ColliderConstructor>>) -> Self {
        Self { default_constructor: default_constructor.into(), ..Self::default() }
    }

    /// With these layers for what is not named.
    #[must_use]
    pub const fn with_default_layers(mut self, layers: CollisionLayers) -> Self {
        self.default_layers = layers;
        self
    }

    /// With this density [kg/m³] for what is not named.
    #[must_use]
    pub const fn with_default_density(mut self, density: Real) -> Self {
        self.default_density = ColliderDensity(density);
        self
    }

    /// With a constructor for entities of this name.
    #[must_use]
    pub fn with_constructor_for_name(
        mut self,
        name: &str,
        constructor: ColliderConstructor,
    ) -> Self {
        self.named(name).constructor = Some(constructor);
        self
    }

    /// With layers for entities of this name.
    #[must_use]
    pub fn with_layers_for_name(mut self, name: &str, layers: CollisionLayers) -> Self {
        self.named(name).layers = Some(layers);
        self
    }

    /// With a density [kg/m³] for entities of this name.
    #[must_use]
    pub fn with_density_for_name(mut self, name: &str, density: Real) -> Self {
        self.named(name).density = Some(ColliderDensity(density));
        self
    }

    /// Without a collider for entities of this name.
    #[must_use]
    pub fn without_constructor_for_name(mut self, name: &str) -> Self {
        self.config.insert(name.to_owned(), None);
        self
    }

    fn named(&mut self, name: &str) -> &mut ColliderConstructorHierarchyConfig {
        self.config.entry(name.to_owned()).or_default().get_or_insert_default()
    }

    /// How the collider of an entity is made, if it gets one.
    fn maker(
        &self,
        node: &NodeItem,
    ) -> Option<(&ColliderConstructor, CollisionLayers, ColliderDensity)> {
        let named = node.name.and_then(|name| self.config.get(name.as_str()));
        let named = match named {
            Some(None) => return None,
            Some(Some(config)) => Some(config),
            None if node.is_shaped || node.is_under_way != (false, false) => return None,
            None => None,
        };
        let constructor =
            named.and_then(|n| n.constructor.as_ref()).or(self.default_constructor.as_ref());
        let layers = named.and_then(|n| n.layers).unwrap_or(self.default_layers);
        let density = named.and_then(|n| n.density).unwrap_or(self.default_density);
        Some((constructor?, layers, density))
    }
}

/// An entity of the hierarchy.
#[derive(QueryData)]
struct Node {
    name: Option<&'static Name>,
    children: Option<&'static Children>,
    is_shaped: Has<Collider>,
    is_under_way: (Has<ColliderConstructor>, Has<ConvexDecomposition>),
    is_root: Has<ColliderConstructorHierarchy>,
    #[cfg(feature = "mesh")]
    mesh: Option<&'static Mesh3d>,
}

/// What is below, with its meshes.
#[derive(SystemParam)]
pub(super) struct Below<'w, 's> {
    nodes: Query<'w, 's, Node>,
    #[cfg(feature = "mesh")]
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

/// An entity with what is made for it, or with what is wrong.
type Part = (Entity, Result<(Made, CollisionLayers, ColliderDensity), PhysicsErrorKind>);

impl Below<'_, '_> {
    /// The colliders below; none while something is not there yet.
    fn make(&self, root: Entity, hierarchy: &ColliderConstructorHierarchy) -> Option<Vec<Part>> {
        let mut made = Vec::new();
        let mut stack: Vec<Entity> = self.nodes.get(root).ok()?.children?.iter().rev().collect();
        while let Some(entity) = stack.pop() {
            let Ok(node) = self.nodes.get(entity) else { continue };
            if let Some((constructor, layers, density)) = hierarchy.maker(&node) {
                let part = self.construct(constructor, &node)?;
                let part = part.map(|made| made.map(|made| (made, layers, density)));
                made.extend(part.map(|part| (entity, part)));
            }
            if !node.is_root {
                stack.extend(node.children.into_iter().flat_map(|children| children.iter().rev()));
            }
        }
        Some(made)
    }

    /// What a constructor makes of an entity, nothing without the mesh it takes; none while that is not
    /// loaded.
    #[cfg_attr(not(feature = "mesh"), allow(unused_variables, reason = "no entity has a mesh"))]
    fn construct(
        &self,
        constructor: &ColliderConstructor,
        node: &NodeItem,
    ) -> Option<Option<Result<Made, PhysicsErrorKind>>> {
        #[cfg(feature = "mesh")]
        if let (None, Some(handle)) = (constructor.collider(), node.mesh) {
            let mesh = self.meshes.as_ref()?.get(&handle.0)?;
            return Some(Some(constructor.made_from(mesh).map_err(PhysicsErrorKind::Mesh)));
        }
        Some(constructor.collider().map(|collider| Ok(Made::Collider(collider))))
    }
}

/// Which scenes are spawned.
#[cfg(feature = "scene")]
#[derive(SystemParam)]
pub(super) struct Scenes<'w, 's> {
    spawner: Option<Res<'w, WorldInstanceSpawner>>,
    instances: Query<
        'w,
        's,
        Option<&'static WorldInstance>,
        Or<(With<WorldAssetRoot>, With<DynamicWorldRoot>)>,
    >,
}

#[cfg(feature = "scene")]
impl Scenes<'_, '_> {
    fn is_spawned(&self, entity: Entity) -> bool {
        let is_ready = |instance: &WorldInstance| {
            self.spawner.as_ref().is_some_and(|spawner| spawner.instance_is_ready(**instance))
        };
        self.instances.get(entity).map_or(true, |instance| instance.is_some_and(is_ready))
    }
}

/// The entities of a hierarchy whose colliders come later.
#[derive(Component)]
pub(super) struct Awaited(Vec<Entity>);

/// What is awaited is of another hierarchy.
fn begin(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    world.commands().entity(entity).remove::<Awaited>();
}

/// Makes the colliders below every hierarchy of which everything is there.
pub(super) fn construct_hierarchies(
    mut commands: Commands,
    mut errors: Errors,
    below: Below,
    #[cfg(feature = "scene")] scenes: Scenes,
    roots: Query<(Entity, &ColliderConstructorHierarchy, Option<&Awaited>)>,
    under_way: Query<(), With<ConvexDecomposition>>,
    mut list: Local<Vec<Entity>>,
) {
    list.clear();
    list.extend(roots.iter().map(|(entity, ..)| entity));
    list.sort_unstable();
    #[cfg(feature = "scene")]
    list.retain(|&root| scenes.is_spawned(root));
    for &root in list.iter() {
        let Ok((_, hierarchy, awaited)) = roots.get(root) else { continue };
        let mut later = Vec::new();
        if let Some(Awaited(list)) = awaited {
            later.extend(list.iter().copied().filter(|&entity| under_way.contains(entity)));
        } else {
            let Some(parts) = below.make(root, hierarchy) else { continue };
            for (entity, part) in parts {
                match part {
                    Ok((made, layers, density)) => {
                        let mut commands = commands.entity(entity);
                        commands.insert((layers, density));
                        later.extend(made.insert(&mut commands).then_some(entity));
                    }
                    Err(error) => errors.tell(entity, error),
                }
            }
            if !later.is_empty() {
                commands.entity(root).insert(Awaited(later.clone()));
            }
        }
        if later.is_empty() {
            commands.entity(root).remove::<(ColliderConstructorHierarchy, Awaited)>();
            commands.trigger(ColliderConstructorHierarchyReady { entity: root });
        }
    }
}
