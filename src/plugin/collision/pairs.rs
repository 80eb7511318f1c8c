//! Filtering and changing pairs within the step.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use super::Entities;
use crate::engine::pair::Pair;
use crate::math::{Real, Vec3};
use crate::plugin::world::PhysicsWorld;

/// The pairs of the step that is under way, to be filtered and changed by systems in
/// [`PhysicsSchedule`](crate::plugin::PhysicsSchedule):
///
/// - in [`PhysicsStepSystems::FilterPairs`](crate::plugin::PhysicsStepSystems::FilterPairs), with
///   [`retain`](Self::retain): which pairs are looked at. Layers, sensors and joints have been
///   considered already.
/// - in [`PhysicsStepSystems::ModifyContacts`](crate::plugin::PhysicsStepSystems::ModifyContacts), with
///   [`iter_mut`](Self::iter_mut): what their contacts do.
///
/// Any system parameters can be had beside it. Changes hold for this step.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// #[derive(Component)]
/// struct Ice;
///
/// fn slippery(mut pairs: CollisionPairs, ice: Query<(), With<Ice>>) {
///     for mut pair in pairs.iter_mut() {
///         if ice.contains(pair.collider1) || ice.contains(pair.collider2) {
///             pair.set_friction(0.01);
///         }
///     }
/// }
///
/// # let mut app = App::new();
/// # app.add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()));
/// app.add_systems(PhysicsSchedule, slippery.in_set(PhysicsStepSystems::ModifyContacts));
/// # app.update();
/// ```
#[derive(SystemParam)]
pub struct CollisionPairs<'w> {
    physics: ResMut<'w, PhysicsWorld>,
}

impl CollisionPairs<'_> {
    /// Keeps the pairs for which this is true, asked with the entities of both colliders. The others have
    /// no contacts in this step.
    pub fn retain(&mut self, mut keep: impl FnMut(Entity, Entity) -> bool) {
        self.physics.engine.retain_pairs(|pair| match pair.tags.map(Entity::try_from_bits) {
            [Some(one), Some(two)] => keep(one, two),
            _ => true,
        });
    }

    /// Every pair of convex pieces, with its contacts.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = CollisionPair<'_>> {
        let (bodies, pairs) = self.physics.engine.pairs_to_change();
        pairs.iter_mut().filter_map(|pair| {
            let known = Entities::new(bodies, [pair.key.a, pair.key.b], pair.tags);
            let Entities { colliders: [collider1, collider2], bodies: [body1, body2] } = known?;
            Some(CollisionPair { collider1, collider2, body1, body2, pair })
        })
    }
}

/// A pair of convex pieces of two colliders, for changing.
///
/// ```
/// # use bevy_app::prelude::*;
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// /// Lets through what meets it from below.
/// #[derive(Component)]
/// struct OneWay;
///
/// fn let_through(mut pairs: CollisionPairs, platforms: Query<(), With<OneWay>>) {
///     for mut pair in pairs.iter_mut() {
///         let Some(normal) = pair.normal() else { continue };
///         // From the first to the second.
///         let below = if platforms.contains(pair.collider1) { -normal.y } else { normal.y };
///         let is_platform = [pair.collider1, pair.collider2].map(|side| platforms.contains(side));
///         if is_platform != [false; 2] && below > 0.0 {
///             pair.disable();
///         }
///     }
/// }
///
/// # let mut app = App::new();
/// # app.add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()));
/// app.add_systems(PhysicsSchedule, let_through.in_set(PhysicsStepSystems::ModifyContacts));
/// # app.update();
/// ```
#[derive(Debug)]
pub struct CollisionPair<'w> {
    /// The first collider.
    pub collider1: Entity,
    /// The second collider.
    pub collider2: Entity,
    /// The body of the first collider.
    pub body1: Option<Entity>,
    /// The body of the second collider.
    pub body2: Option<Entity>,
    pair: &'w mut Pair,
}

impl CollisionPair<'_> {
    /// Takes the contacts away: in this step the two do not touch.
    pub fn disable(&mut self) {
        let pair = self.pair_mut();
        pair.contacts.clear();
        pair.separation = Real::INFINITY;
    }

    /// The engine's pair: materials, gaps, contacts.
    #[must_use]
    pub const fn pair(&self) -> &Pair {
        self.pair
    }

    /// The engine's pair for any change, which holds in this step only; the next one finds its contacts anew.
    pub const fn pair_mut(&mut self) -> &mut Pair {
        self.pair.forget_measurement();
        self.pair
    }

    /// Friction coefficient μ (-) of the contacts; a value that is no number or negative is none.
    pub fn set_friction(&mut self, friction: Real) {
        self.pair.friction = friction.max(0.0);
    }

    /// Coefficient of restitution e (-) of the contacts, from 0 to 1; a value that is no number is none.
    pub fn set_restitution(&mut self, restitution: Real) {
        // Not a number counts as none.
        self.pair.restitution = if restitution > 0.0 { restitution.min(1.0) } else { 0.0 };
    }

    /// Lets the surface of one of the two colliders run along itself at this velocity [m/s], world axes,
    /// as that of a conveyor belt does, beside the motion of its body. The part along the normal does
    /// nothing. Nothing happens if the entity is neither of the colliders.
    pub fn set_surface_velocity(&mut self, collider: Entity, velocity: Vec3) {
        if collider == self.collider2 {
            self.pair.surface_velocity = velocity;
        } else if collider == self.collider1 {
            self.pair.surface_velocity = -velocity;
        }
    }

    /// Unit normal from the first body to the second; none without contacts.
    #[must_use]
    pub fn normal(&self) -> Option<Vec3> {
        self.pair.contacts.first().map(|contact| contact.normal)
    }

    /// The least gap of the contacts (m); none without contacts.
    #[must_use]
    pub fn gap(&self) -> Option<Real> {
        self.pair.contacts.iter().map(|contact| contact.gap).reduce(Real::min)
    }
}
