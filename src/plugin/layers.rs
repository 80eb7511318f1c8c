//! Which colliders meet which: up to 32 layers.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
pub use orthant_derive::PhysicsLayer;

use super::attach::queue_collider;
use crate::engine::collider::Layers;

/// Layers by name. Derive it for an enum: each variant is a layer, one bit of a [`LayerMask`].
///
/// The variant marked `#[default]` is the first layer, the one of colliders without
/// [`CollisionLayers`]; the others follow in the order in which they are written.
///
/// ```
/// use orthant::prelude::*;
///
/// #[derive(PhysicsLayer, Default)]
/// enum Layer {
///     #[default]
///     Ground,
///     Player,
///     Enemy,
/// }
///
/// let player = CollisionLayers::new(Layer::Player, [Layer::Ground, Layer::Enemy]);
/// let enemy = CollisionLayers::new(Layer::Enemy, LayerMask::ALL);
/// assert!(player.interacts_with(enemy));
/// assert!(!player.interacts_with(player));
/// assert!(player.interacts_with(CollisionLayers::default()));
/// ```
///
/// Variants have no fields:
///
/// ```compile_fail
/// # use orthant::prelude::*;
/// #[derive(PhysicsLayer)]
/// enum Layer {
///     Team(u8),
/// }
/// ```
pub trait PhysicsLayer: Sized {
    /// The bit of this layer.
    fn to_bits(&self) -> u32;

    /// The bits of all layers of this type.
    fn all_bits() -> u32;
}

/// A set of layers, one bit each. Made from bits, a layer, or an array of layers.
///
/// ```
/// use orthant::prelude::*;
///
/// let mut mask = LayerMask::from(0b0110);
/// mask.add(0b1000);
/// mask.remove(0b0010);
/// assert_eq!(mask, LayerMask(0b1100));
/// assert!(mask.has_all(0b0100) && !mask.has_all(0b0101));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Debug, Default, PartialEq, Hash, Clone)]
pub struct LayerMask(pub u32);

impl LayerMask {
    /// Every layer.
    pub const ALL: Self = Self(u32::MAX);
    /// No layer.
    pub const NONE: Self = Self(0);
    /// The first layer.
    pub const DEFAULT: Self = Self(1);

    /// Adds layers.
    pub fn add(&mut self, layers: impl Into<Self>) {
        self.0 |= layers.into().0;
    }

    /// Takes layers out.
    pub fn remove(&mut self, layers: impl Into<Self>) {
        self.0 &= !layers.into().0;
    }

    /// Are all of these layers in the set?
    #[must_use]
    pub fn has_all(self, layers: impl Into<Self>) -> bool {
        let layers = layers.into();
        self & layers == layers
    }
}

impl Default for LayerMask {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl From<u32> for LayerMask {
    fn from(bits: u32) -> Self {
        Self(bits)
    }
}

impl<L: PhysicsLayer> From<L> for LayerMask {
    fn from(layer: L) -> Self {
        Self(layer.to_bits())
    }
}

impl<L: PhysicsLayer, const N: usize> From<[L; N]> for LayerMask {
    fn from(layers: [L; N]) -> Self {
        Self(layers.iter().fold(0, |bits, layer| bits | layer.to_bits()))
    }
}

impl core::ops::BitAnd for LayerMask {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl core::ops::BitOr for LayerMask {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl core::ops::BitXor for LayerMask {
    type Output = Self;

    fn bitxor(self, other: Self) -> Self {
        Self(self.0 ^ other.0)
    }
}

impl core::ops::Not for LayerMask {
    type Output = Self;

    fn not(self) -> Self {
        Self(!self.0)
    }
}

/// The layers a collider is in, and those it meets. Two colliders meet if each is in a layer that the
/// other meets. Put it on the entity of the [`Collider`](super::Collider).
///
/// A collider without this component is in the first layer and meets all.
///
/// ```
/// # use orthant::prelude::*;
/// #[derive(PhysicsLayer, Clone, Copy, Default)]
/// enum Layer {
///     #[default]
///     Ground,
///     Ghost,
/// }
///
/// // Falls through the ground, and meets its like.
/// let ghost = CollisionLayers::new(Layer::Ghost, Layer::Ghost);
/// assert!(!ghost.interacts_with(CollisionLayers::new(Layer::Ground, LayerMask::ALL)));
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(summary_tick, on_remove = queue_collider)]
pub struct CollisionLayers {
    /// The layers it is in.
    pub memberships: LayerMask,
    /// The layers it meets.
    pub filters: LayerMask,
}

impl CollisionLayers {
    /// In every layer, meets every layer.
    pub const ALL: Self = Self { memberships: LayerMask::ALL, filters: LayerMask::ALL };
    /// In no layer, meets nothing.
    pub const NONE: Self = Self { memberships: LayerMask::NONE, filters: LayerMask::NONE };
    /// In the first layer, meets every layer.
    pub const DEFAULT: Self = Self { memberships: LayerMask::DEFAULT, filters: LayerMask::ALL };

    /// In some layers, meets some layers: a layer, an array of layers, or a [`LayerMask`].
    #[must_use]
    pub fn new(memberships: impl Into<LayerMask>, filters: impl Into<LayerMask>) -> Self {
        Self { memberships: memberships.into(), filters: filters.into() }
    }

    /// From the bits of both sets.
    #[must_use]
    pub const fn from_bits(memberships: u32, filters: u32) -> Self {
        Self { memberships: LayerMask(memberships), filters: LayerMask(filters) }
    }

    /// The bits of both sets.
    #[must_use]
    pub const fn to_bits(self) -> (u32, u32) {
        (self.memberships.0, self.filters.0)
    }

    /// Do the two meet?
    #[must_use]
    pub const fn interacts_with(self, other: Self) -> bool {
        self.engine().meets(other.engine())
    }

    /// As the engine has it.
    pub(super) const fn engine(self) -> Layers {
        Layers { memberships: self.memberships.0, filters: self.filters.0 }
    }
}

impl Default for CollisionLayers {
    fn default() -> Self {
        Self::DEFAULT
    }
}
