//! Worlds larger than single precision: positions of the engine as components, and an origin near which
//! things are shown.
//!
//! A `Transform` is in single precision, whatever the engine's: 10 000 km from its origin the numbers are a
//! metre apart. So what is in [`Real`], as [`Position`], anchors and queries, is in the world, and
//! `Transform`s are relative to the [`FloatingOrigin`], which is moved to where one looks.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::world::DeferredWorld;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::TransformSystems;
use bevy_transform::components::Transform;

use super::attach::attach_colliders;
use super::changed::EvenDisabled;
use super::frame::{Frame, Parents, parent_frame};
use super::interpolation::Easing;
use super::link::{Changes, EngineBody};
use super::mirror::Mirror;
use super::schedule::{PhysicsSchedule, SyncSchedule};
use super::sync::{GatherSystems, sync_physics};
use super::world::PhysicsWorld;
use crate::engine::settings::ranges::POSITION;
use crate::math::{Quat, Real, Vec3, from_single3, single3};

/// Where the frame of an entity is in the world (m), in the precision of physics.
///
/// For bodies and for what is only seen, if they are to be placed or read more precisely than a `Transform`
/// can tell: with the feature `f64`, far from the origin. It is inserted with its value; a body has its
/// rotation from the `Transform`. Written, it places the body, as a `Transform` does; a body writes it after
/// each step. The translation of the `Transform` follows, relative to the [`FloatingOrigin`]: of a body at
/// the next step or, while physics is paused, at the end of the frame; of anything else at the end of the
/// frame. What has no body shall be moved by its position, not by its `Transform`, which is overwritten when
/// the position changes or the origin moves.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     let far = Position(Vec3::new(2.0e6, 0.0, -5.0e5));
///     commands.queue(MoveOrigin(far.0));
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5), far));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(on_insert = inserted)]
#[require(Transform, KnownPosition)]
pub struct Position(pub Vec3);

/// The [`Position`] that was last read or written.
#[derive(Component, Clone, Copy, Debug)]
#[component(clone_behavior = Ignore)]
pub(super) struct KnownPosition(pub(super) Vec3);

impl Default for KnownPosition {
    fn default() -> Self {
        Self(Vec3::splat(Real::NAN))
    }
}

/// Hook: what is inserted is read, whatever was known.
fn inserted(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    if let Some(mut known) = world.get_mut::<KnownPosition>(entity) {
        *known = KnownPosition::default();
    }
}

/// The point of the world (m) to which `Transform`s without a parent are relative; at first that where
/// positions are zero. [`MoveOrigin`] moves it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// # use bevy_transform::components::Transform;
/// fn follow(origin: Res<FloatingOrigin>, seen: Query<&Transform>, mut commands: Commands) {
///     for transform in &seen {
///         commands.queue(MoveOrigin(origin.in_world(transform.translation)));
///     }
/// }
/// # bevy_ecs::system::assert_is_system(follow);
/// ```
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Resource, Debug, Default, PartialEq, Clone)]
pub struct FloatingOrigin(Vec3);

impl FloatingOrigin {
    /// Where it is in the world (m).
    #[must_use]
    pub const fn get(&self) -> Vec3 {
        self.0
    }

    /// A point of the world (m) as a `Transform` shows it.
    #[must_use]
    pub fn shown(&self, point: Vec3) -> bevy_math::Vec3 {
        single3(point - self.0)
    }

    /// Where a point that a `Transform` shows is in the world (m).
    #[must_use]
    pub fn in_world(&self, shown: bevy_math::Vec3) -> Vec3 {
        from_single3(shown) + self.0
    }

    /// What `Transform`s without a parent are below.
    pub(super) fn frame(&self) -> Option<Frame> {
        (self.0 != Vec3::ZERO).then_some(Frame { position: self.0, ..Frame::IDENTITY })
    }
}

/// A command that moves the [`FloatingOrigin`] to a point of the world (m). Everything stays where it is in
/// the world: all `Transform`s without a parent are written anew, those of bodies and of what has a
/// [`Position`] from the precise one, the others from themselves, so that these round each time. A
/// `Transform` that was written before, and not yet read, is taken as relative to the origin before.
/// O(entities without a parent).
///
/// A point that is out of range is told in the log, and nothing happens.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_transform::components::Transform;
/// use orthant::prelude::*;
///
/// # #[derive(Component)]
/// # struct Player;
/// // Follows the player, in strides of a kilometre.
/// fn follow(
///     mut commands: Commands,
///     origin: Res<FloatingOrigin>,
///     player: Single<&Transform, With<Player>>,
/// ) {
///     if player.translation.length() > 1000.0 {
///         commands.queue(MoveOrigin(origin.in_world(player.translation)));
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveOrigin(pub Vec3);

impl Command for MoveOrigin {
    type Out = ();

    fn apply(self, world: &mut World) {
        if !POSITION.holds(self.0) {
            log::error!("the origin stays: {} is out of range", self.0);
        } else if let Err(error) = world.run_system_cached_with(move_origin, self.0) {
            log::error!("the origin stays: {error}");
        }
    }
}

/// Positions as components, and an origin that moves.
///
/// - Systems: one at the beginning of [`GatherSystems::Bodies`], one before transforms are propagated.
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::plugin::PhysicsOriginPlugin;
/// use orthant::prelude::*;
///
/// // An app that needs none of it leaves it out.
/// let mut app = App::new();
/// app.add_plugins(PhysicsPlugins::default().build().disable::<PhysicsOriginPlugin>());
/// step_physics(app.world_mut(), core::time::Duration::from_millis(10));
/// assert_eq!(app.world().resource::<StepReport>().bodies, 0);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsOriginPlugin;

impl Plugin for PhysicsOriginPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<FloatingOrigin>().register_type::<Position>();
        let read = || read_positions.before(attach_colliders).in_set(GatherSystems::Bodies);
        let seen = show_positions.after(sync_physics).before(TransformSystems::Propagate);
        app.add_systems(SyncSchedule, read())
            .add_systems(PhysicsSchedule, read())
            .add_systems(PostUpdate, seen);
    }
}

type Placed<F> =
    (Entity, &'static Position, &'static mut KnownPosition, Option<&'static ChildOf>, F);
type Tree = (&'static mut Transform, Option<&'static ChildOf>);

/// Writes the translation that shows a position.
fn show(
    tree: &mut Query<Tree, Allow<Disabled>>,
    origin: &FloatingOrigin,
    (entity, position, child_of): (Entity, &Position, Option<&ChildOf>),
) {
    let parent = parent_frame(origin.frame(), child_of, |e| {
        let (transform, above) = tree.get(e).ok()?;
        Some((*transform, above.map(ChildOf::parent)))
    });
    let Ok((mut transform, _)) = tree.get_mut(entity) else { return };
    let below = |parent: Frame| parent.local(position.0, Quat::IDENTITY).0;
    let translation = parent.map_or(single3(position.0), below);
    if translation.is_finite() && translation != transform.translation {
        transform.translation = translation;
    }
}

/// Points out the bodies whose positions a user wrote, and shows them there.
pub(super) fn read_positions(
    origin: Res<FloatingOrigin>,
    mut changes: ResMut<Changes>,
    placed: Query<Placed<&EngineBody>, (Changed<Position>, EvenDisabled)>,
    mut tree: Query<Tree, Allow<Disabled>>,
) {
    for (entity, position, known, child_of, _) in &placed {
        if position.0 != known.0 {
            show(&mut tree, &origin, (entity, position, child_of));
            changes.moved.push(entity);
        }
    }
}

/// Shows what has a position and no body.
fn show_positions(
    origin: Res<FloatingOrigin>,
    mut placed: Query<Placed<()>, (Changed<Position>, Without<EngineBody>)>,
    mut tree: Query<Tree, Allow<Disabled>>,
) {
    for (entity, position, mut known, child_of, ()) in &mut placed {
        known.0 = position.0;
        show(&mut tree, &origin, (entity, position, child_of));
    }
}

/// What has no parent.
#[derive(QueryData)]
#[query_data(mutable)]
struct Root {
    transform: &'static mut Transform,
    position: Option<&'static Position>,
    body: Option<(&'static EngineBody, &'static mut Mirror)>,
    easing: Option<&'static mut Easing>,
}

impl RootItem<'_, '_> {
    /// Shows it relative to another origin.
    fn move_origin(&mut self, physics: &PhysicsWorld, from: &FloatingOrigin, to: &FloatingOrigin) {
        let shifted = |shown| to.shown(from.in_world(shown));
        let is = self.transform.translation;
        let Some((link, mirror)) = &mut self.body else {
            let moved = self.position.map_or(shifted(is), |position| to.shown(position.0));
            self.transform.translation = moved;
            return;
        };
        let known = mirror.translation;
        let body = link.id.and_then(|id| physics.engine.body(id));
        let exact = body.map(|body| body.position()).filter(|&at| from.shown(at) == known);
        mirror.translation = exact.map_or(shifted(known), |position| to.shown(position));
        mirror.note_parent(to.frame());
        // What a user wrote, and what is shown between steps, moves along.
        self.transform.translation = if is == known { mirror.translation } else { shifted(is) };
        if let Some(easing) = &mut self.easing {
            easing.shift(shifted);
        }
    }
}

/// Moves the origin.
fn move_origin(
    In(to): In<Vec3>,
    physics: Res<PhysicsWorld>,
    mut access: ParamSet<(
        Parents,
        ResMut<FloatingOrigin>,
        Query<Root, (Without<ChildOf>, Allow<Disabled>)>,
    )>,
    mut children: Query<(Entity, &mut Mirror, &ChildOf), Allow<Disabled>>,
) {
    let to = FloatingOrigin(to);
    let from = core::mem::replace(&mut *access.p1(), to);
    if from == to {
        return;
    }
    // Parents that were not moved since bodies below them were read or written.
    let frame = |parents: &Parents, child_of| parents.frame_from(&from, Some(child_of));
    let known = children
        .iter()
        .filter(|(_, mirror, child_of)| mirror.has_parent(frame(&access.p0(), child_of)));
    let known: Vec<Entity> = known.map(|(entity, ..)| entity).collect();
    for mut root in &mut access.p2() {
        root.move_origin(&physics, &from, &to);
    }
    let parents = access.p0();
    for entity in known {
        let Ok((_, mut mirror, child_of)) = children.get_mut(entity) else { continue };
        let parent = parents.frame(Some(child_of));
        mirror.note_parent(parent);
    }
}
