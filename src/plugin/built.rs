//! What the engine's body was made from, to see what must be made again, and the making of its
//! colliders.
//!
//! A value that makes no collider (a shape with a radius that is NaN, a scale of zero) is told about
//! the collider's entity. A collider that was there before stays as it was; a new one is left out.

use std::sync::Arc;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_transform::components::Transform;

use super::collider::{Collider, ColliderDisabled, Sensor};
use super::components::{DefaultFriction, Friction, Restitution, RigidBody, RollingFriction};
use super::error::{Errors, PhysicsErrorKind};
use super::frame::{Frame, frame_below};
use super::layers::CollisionLayers;
use super::link::EngineBody;
use super::mass::{ColliderDensity, MassInputs};
use super::overlap::counted_once;
use crate::engine::body::{Body, BodyError};
use crate::engine::collider::{self, Material};
use crate::engine::settings::ranges::{COEFFICIENT, RESISTANCE};
use crate::engine::shape::mass::MassProperties;
use crate::engine::shape::{Shape, ShapeError};
use crate::math::{Real, Vec3};

/// What colliders and mass of a body were made from, and the colliders.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub(super) kind: RigidBody,
    pub(super) mass: MassInputs,
    pub(super) colliders: Vec<BuiltCollider>,
    /// Does the engine's body have these colliders? Not if it refused them.
    pub(super) taken: bool,
}

/// A collider of a body.
#[derive(Clone, Debug)]
pub(super) struct BuiltCollider {
    order: u64,
    entity: Entity,
    source: Collider,
    frame: Frame,
    material: Material,
    density: Real,
    /// As the engine has it; none if it never made sense.
    made: Option<collider::Collider>,
}

impl Built {
    /// Are colliders and mass of the engine's body the same, but for materials and layers?
    pub(super) fn is(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.mass == other.mass
            && self.colliders.len() == other.colliders.len()
            && self.colliders.iter().zip(&other.colliders).all(|(a, b)| a.is(b))
    }

    /// The collider of this number.
    fn last(&self, order: u64) -> Option<&BuiltCollider> {
        let index = self.colliders.binary_search_by_key(&order, |collider| collider.order).ok()?;
        self.colliders.get(index)
    }

    /// Does every collider make sense?
    pub(super) fn is_whole(&self) -> bool {
        self.colliders.iter().all(|collider| collider.made.is_some())
    }

    /// Does a body of the engine have these colliders, and their mass?
    pub(super) fn is_of(&self, body: &Body) -> bool {
        let list = body.colliders().list();
        let of = self.mass_properties();
        let mass = (of.mass, of.center_of_mass, of.inertia);
        let has = (body.mass(), body.center_of_mass(), body.inertia());
        body.kind() == self.kind.engine()
            && (!body.is_dynamic() || mass == has)
            && self.engine().count() == list.len()
            && self.engine().zip(list).all(|(a, b)| is_same(a, b))
    }

    /// The engine's colliders.
    pub(super) fn engine(&self) -> impl Iterator<Item = &collider::Collider> {
        self.colliders.iter().filter_map(|collider| collider.made.as_ref())
    }

    /// Mass, center and inertia of the body.
    pub(super) fn mass_properties(&self) -> MassProperties {
        let made = |c: &BuiltCollider| c.made.as_ref().map(|made| made.mass_properties(c.density));
        let sum = self.colliders.iter().filter_map(made).reduce(MassProperties::combined);
        let sum = sum.unwrap_or_default();
        let parts = || self.colliders.iter().filter_map(|c| Some((c.made.as_ref()?, c.density)));
        let once = if self.mass.overlaps_once { counted_once(sum, parts()) } else { sum };
        self.mass.instead_of(once)
    }

    /// Takes from the engine's body the colliders that are not of these: others may have them by now. Its
    /// mass stays.
    pub(super) fn let_go(&self, body: &mut Body) -> Result<(), BodyError> {
        let is_own = |tag| self.colliders.iter().any(|own| own.entity.to_bits() == tag);
        let list = body.colliders().list();
        let kept: Vec<_> = list.iter().filter(|collider| is_own(collider.tag)).cloned().collect();
        if kept.len() == list.len() {
            return Ok(());
        }
        let (mass, center_of_mass) = (body.mass(), body.center_of_mass());
        let inertia = body.inertia();
        body.set_colliders(kept, body.kind(), MassProperties { mass, center_of_mass, inertia })
    }

    /// Hands materials and layers to the engine, without touching contacts.
    pub(super) fn refresh(&self, body: &mut Body) -> Result<(), BodyError> {
        for (index, collider) in self.engine().enumerate() {
            body.set_material(index, collider.material)?;
            body.set_layers(index, collider.layers);
        }
        Ok(())
    }
}

impl BuiltCollider {
    /// Is the engine's collider the same, but for material and layers?
    fn is(&self, other: &Self) -> bool {
        let place = |c: &collider::Collider| (c.position, c.rotation, c.sensor);
        self.entity == other.entity
            && self.is_shaped_as(other)
            && self.density == other.density
            && self.made.as_ref().map(place) == other.made.as_ref().map(place)
    }

    /// Is the shape made from the same?
    fn is_shaped_as(&self, other: &Self) -> bool {
        self.source.is(&other.source) && self.frame.scale == other.frame.scale
    }

    /// Makes the engine's collider, or as much of it as makes sense; `old` is the last one.
    fn make(&mut self, old: Option<&Self>, mut tell: impl FnMut(PhysicsErrorKind)) {
        let kept = old.and_then(|old| old.made.as_ref());
        if !self.frame.is_sound() {
            tell(PhysicsErrorKind::OutOfRange("Transform"));
            self.made = kept.cloned();
            return;
        }
        let mut made = match old.filter(|old| self.is_shaped_as(old)) {
            Some(_) => kept.cloned(),
            None => match self.shape() {
                Ok(shape) => Some(collider::Collider {
                    shape: shape.clone(),
                    ..kept.cloned().unwrap_or_else(|| collider::Collider::new(shape))
                }),
                Err(error) => {
                    tell(error.into());
                    kept.cloned()
                }
            },
        };
        if let Some(made) = &mut made {
            (made.position, made.rotation) = (self.frame.position, self.frame.rotation);
            let Material { friction, rolling, spinning, restitution, .. } = self.material;
            let resists = RESISTANCE.contains(rolling) && RESISTANCE.contains(spinning);
            if !(COEFFICIENT.contains(friction) && resists) {
                tell(PhysicsErrorKind::OutOfRange("Friction"));
            } else if !COEFFICIENT.contains(restitution) {
                tell(PhysicsErrorKind::OutOfRange("Restitution"));
            } else {
                made.material = self.material;
                let known = old.is_some_and(|old| old.material == self.material);
                let least = friction.min(rolling).min(spinning);
                if least < 0.0 && !known {
                    tell(PhysicsErrorKind::Clamped("Friction", least));
                }
                if !(0.0..=1.0).contains(&restitution) && !known {
                    tell(PhysicsErrorKind::Clamped("Restitution", restitution));
                }
            }
        }
        self.made = made;
    }

    /// The shape in its final size.
    fn shape(&self) -> Result<Shape, ShapeError> {
        let shape = self.source.shape().map_err(Clone::clone)?;
        if self.frame.scale == Vec3::ONE {
            Ok(shape.clone())
        } else {
            shape.scaled(self.frame.scale)
        }
    }
}

/// Are two colliders of the engine the same, but for materials, layers and names?
fn is_same(a: &collider::Collider, b: &collider::Collider) -> bool {
    (a.position, a.rotation, a.sensor) == (b.position, b.rotation, b.sensor)
        && (Arc::ptr_eq(&a.shape.pieces, &b.shape.pieces) || a.shape == b.shape)
}

/// Have two bodies of the engine the same of all that components say of them, but for poses, velocities and
/// sleep?
pub(super) fn are_alike(a: &Body, b: &Body) -> bool {
    let made = |of: &Body| (of.kind(), of.mass(), of.center_of_mass(), of.inertia());
    let set = |of: &Body| {
        let damping = (of.gravity_scale, of.linear_damping, of.angular_damping);
        (of.locked_axes, of.dominance, of.swept, of.can_sleep, damping)
    };
    let [list, other] = [a, b].map(|of| of.colliders().list());
    let same = |(a, b): (&collider::Collider, &collider::Collider)| {
        (a.tag, a.material, a.layers) == (b.tag, b.material, b.layers) && is_same(a, b)
    };
    made(a) == made(b)
        && set(a) == set(b)
        && list.len() == other.len()
        && list.iter().zip(other).all(same)
}

/// The components a collider is made from.
#[derive(QueryData)]
struct ColliderParts {
    collider: &'static Collider,
    friction: Option<&'static Friction>,
    rolling: Option<&'static RollingFriction>,
    restitution: Option<&'static Restitution>,
    density: Option<&'static ColliderDensity>,
    layers: Option<&'static CollisionLayers>,
    sensor: Has<Sensor>,
    disabled: Has<ColliderDisabled>,
    out: Has<Disabled>,
}

impl ColliderPartsItem<'_, '_> {
    /// Its own material, else that of the body, else the default.
    fn material(&self, body: BodyFriction, default: Friction) -> Material {
        let sliding = self.friction.copied().or(body.sliding).unwrap_or(default);
        let rolling = self.rolling.copied().or(body.rolling).unwrap_or_default();
        let RollingFriction { rolling, spinning } = rolling;
        let restitution = self.restitution.copied().or(body.restitution).unwrap_or_default();
        Material {
            friction: sliding.coefficient,
            friction_combine: sliding.combine_rule,
            rolling,
            spinning,
            restitution: restitution.coefficient,
            restitution_combine: restitution.combine_rule,
        }
    }
}

/// A node of the hierarchy.
type Place = (Option<&'static Transform>, Option<&'static ChildOf>);

/// Friction and restitution of a body, for those of its colliders that have none of their own.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct BodyFriction {
    pub(super) sliding: Option<Friction>,
    pub(super) rolling: Option<RollingFriction>,
    pub(super) restitution: Option<Restitution>,
}

/// Reads the components of colliders.
#[derive(SystemParam)]
pub(super) struct ColliderReader<'w, 's> {
    pub(super) default_friction: Res<'w, DefaultFriction>,
    colliders: Query<'w, 's, ColliderParts, Allow<Disabled>>,
    tree: Query<'w, 's, Place, Allow<Disabled>>,
}

impl ColliderReader<'_, '_> {
    /// Makes the colliders of a body in this frame, those that are not disabled.
    pub(super) fn build(
        &self,
        entity: Entity,
        link: &EngineBody,
        scale: Vec3,
        friction: BodyFriction,
        errors: &mut Errors,
    ) -> Vec<BuiltCollider> {
        let place = |e| {
            let (transform, child_of) = self.tree.get(e).ok()?;
            Some((transform.copied().unwrap_or_default(), child_of.map(ChildOf::parent)))
        };
        let mut built = Vec::with_capacity(link.list.len());
        for &(order, collider) in &link.list {
            let Ok(parts) = self.colliders.get(collider) else { continue };
            if parts.out || parts.disabled {
                continue;
            }
            let frame = frame_below(entity, scale, collider, place);
            let material = parts.material(friction, self.default_friction.0);
            let (source, density) = (parts.collider.clone(), parts.density.copied());
            let density = density.unwrap_or_default().0;
            let mut new = BuiltCollider {
                order,
                entity: collider,
                source,
                frame,
                material,
                density,
                made: None,
            };
            let last = link.built.as_ref().and_then(|built| built.last(order));
            new.make(last, |error| errors.tell(collider, error));
            if let Some(made) = &mut new.made {
                made.layers = parts.layers.copied().unwrap_or_default().engine();
                made.sensor = parts.sensor;
                made.tag = collider.to_bits();
            }
            built.push(new);
        }
        built
    }
}
