//! Smooth rendering between fixed steps.
//!
//! Physics steps at the rate of the fixed clock, frames come at any. After the steps of a frame the
//! `Transform` of an eased body is set to where it is between its last two poses, by how far the fixed clock
//! has gone on since; before the next step, and before anything of it is read, it is set back. So the engine
//! never sees what is shown, nor do systems in the fixed schedules. O(eased bodies); what rests is not
//! written.
//!
//! Children of an eased body follow it, bodies with parents are eased below them. Frames show what was up to
//! one step ago with [`TransformInterpolation`], and what may be with [`TransformExtrapolation`].

use bevy_app::{
    App, FixedFirst, FixedLast, FixedPostUpdate, FixedPreUpdate, FixedUpdate, Plugin, PostUpdate,
    RunFixedMainLoop, RunFixedMainLoopSystems,
};
use bevy_ecs::change_detection::DetectChangesMut;
use bevy_ecs::intern::Interned;
use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_ecs::world::DeferredWorld;
use bevy_math::{Quat, Vec3};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_time::{Fixed, Time};
use bevy_transform::TransformSystems;
use bevy_transform::components::Transform;

use super::components::RigidBody;
use super::mirror::Mirror;
use super::origin::read_positions;
use super::schedule::{PhysicsSchedule, PhysicsSystems, StepLoop, SyncSchedule};
use super::sync::{GatherSystems, sync_physics};
use super::time::time_passed;

/// Shows the body between its last two poses: smooth at any frame rate, up to one step late.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::prelude::*;
///
/// fn spawn(mut commands: Commands) {
///     commands.spawn((RigidBody::Dynamic, Collider::sphere(0.5), TransformInterpolation));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(on_remove = stop)]
#[require(Easing)]
pub struct TransformInterpolation;

/// Shows the body as if its last step went on: smooth at any frame rate, and not late, but it runs into what
/// it hits before it turns back. Instead of [`TransformInterpolation`].
///
/// ```
/// # use orthant::prelude::*;
/// // Shown where it will be: no delay, and it overshoots where it is stopped.
/// let player = (RigidBody::Dynamic, Collider::capsule(0.4, 1.0), TransformExtrapolation);
/// # let _ = player;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(on_remove = stop)]
#[require(Easing)]
pub struct TransformExtrapolation;

/// Shows the body where it is, whatever the plugin does with all others.
///
/// ```
/// # use bevy_app::App;
/// use orthant::prelude::*;
///
/// // All bodies are eased, but this one, which a camera sits on.
/// let train = (RigidBody::Kinematic, Collider::cuboid(2.0, 2.0, 9.0), NoTransformEasing);
/// # let _ = train;
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Hash, Clone)]
#[component(on_add = stop)]
pub struct NoTransformEasing;

/// Translation (m) and rotation of a `Transform`.
type Pose = (Vec3, Quat);

/// What easing keeps of a body.
#[derive(Component, Clone, Copy, Debug, Default)]
#[component(clone_behavior = Ignore)]
pub(super) struct Easing {
    /// Before the last step; the pose after it is the one of the mirror.
    start: Pose,
    /// As it was last shown.
    shown: Pose,
    /// Was there a step since?
    stepped: bool,
}

impl Easing {
    /// Moves what was shown along with the origin.
    pub(super) fn shift(&mut self, shifted: impl Fn(Vec3) -> Vec3) {
        (self.start.0, self.shown.0) = (shifted(self.start.0), shifted(self.shown.0));
    }
}

/// Eases the `Transform`s of bodies with [`TransformInterpolation`] or [`TransformExtrapolation`], or of all.
///
/// With the feature `interpolation` all bodies are interpolated by default. It can be said for an app:
///
/// ```
/// # use bevy_app::prelude::*;
/// use orthant::prelude::*;
///
/// # let mut app = App::new();
/// # app.add_plugins(bevy_time::TimePlugin);
/// app.add_plugins(PhysicsPlugins::default().set(PhysicsInterpolationPlugin::interpolate_all()));
/// ```
///
/// - Systems: what is shown is set back in `FixedFirst` and before [`GatherSystems::Bodies`], and set after
///   the fixed loop and before transforms are propagated. None if physics does not step at the fixed rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhysicsInterpolationPlugin {
    all: Option<Ease>,
}

/// What happens to all bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ease {
    Interpolate,
    Extrapolate,
}

impl PhysicsInterpolationPlugin {
    /// Interpolates all bodies but those with [`NoTransformEasing`].
    #[must_use]
    pub const fn interpolate_all() -> Self {
        Self { all: Some(Ease::Interpolate) }
    }

    /// Extrapolates all bodies but those with [`NoTransformEasing`].
    #[must_use]
    pub const fn extrapolate_all() -> Self {
        Self { all: Some(Ease::Extrapolate) }
    }

    /// Eases only bodies whose components say so.
    #[must_use]
    pub const fn by_component() -> Self {
        Self { all: None }
    }
}

impl Default for PhysicsInterpolationPlugin {
    fn default() -> Self {
        if cfg!(feature = "interpolation") { Self::interpolate_all() } else { Self::by_component() }
    }
}

impl Plugin for PhysicsInterpolationPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<TransformInterpolation>()
            .register_type::<TransformExtrapolation>()
            .register_type::<NoTransformEasing>();
        let fixed: [Interned<dyn ScheduleLabel>; 5] = [
            FixedFirst.intern(),
            FixedPreUpdate.intern(),
            FixedUpdate.intern(),
            FixedPostUpdate.intern(),
            FixedLast.intern(),
        ];
        let steps = StepLoop::of(app);
        if !fixed.contains(&steps) {
            return;
        }
        match self.all {
            Some(Ease::Interpolate) => {
                app.register_required_components::<RigidBody, TransformInterpolation>();
            }
            Some(Ease::Extrapolate) => {
                app.register_required_components::<RigidBody, TransformExtrapolation>();
            }
            None => {}
        }
        use GatherSystems as Gather;
        let back = set_back.before(read_positions).in_set(Gather::Bodies);
        let start = (set_back, begin).chain().before(read_positions).in_set(Gather::Bodies);
        let jump = || jump.after(Gather::Components).before(Gather::Joints);
        let idle = settle.in_set(PhysicsSystems::Prepare).after(sync_physics);
        let show = ease.in_set(RunFixedMainLoopSystems::AfterFixedMainLoop);
        let show_synced = ease.after(sync_physics).before(TransformSystems::Propagate);
        app.add_systems(FixedFirst, set_back)
            .add_systems(SyncSchedule, (back, jump()))
            .add_systems(PhysicsSchedule, (start, jump()))
            .add_systems(steps, idle.run_if(not(time_passed)))
            .add_systems(RunFixedMainLoop, show)
            .add_systems(PostUpdate, show_synced);
    }
}

/// What easing keeps stays with a body that is eased no more.
type IsEased =
    (Or<(With<TransformInterpolation>, With<TransformExtrapolation>)>, Without<NoTransformEasing>);

/// Sets what is shown back to where the bodies are. What a user wrote stays.
fn set_back(mut bodies: Query<(&mut Transform, &Mirror, &Easing), IsEased>) {
    for (mut transform, mirror, easing) in &mut bodies {
        let (translation, rotation) = mirror.pose();
        let transform = transform.bypass_change_detection();
        if transform.translation == easing.shown.0 {
            transform.translation = translation;
        }
        if transform.rotation == easing.shown.1 {
            transform.rotation = rotation;
        }
    }
}

/// A step begins where the bodies are.
fn begin(mut bodies: Query<(&Mirror, &mut Easing)>) {
    for (mirror, mut easing) in &mut bodies {
        (easing.start, easing.stepped) = (mirror.pose(), true);
    }
}

/// What was placed elsewhere is shown there, and not on a way to there.
fn jump(mut bodies: Query<(&mut Mirror, &mut Easing)>) {
    for (mut mirror, mut easing) in &mut bodies {
        if core::mem::take(&mut mirror.bypass_change_detection().jumped) {
            easing.start = mirror.pose();
        }
    }
}

/// Without a step bodies are where they are.
fn settle(mut bodies: Query<(&Mirror, &mut Easing)>) {
    for (mirror, mut easing) in &mut bodies {
        easing.start = mirror.pose();
    }
}

/// Bodies to be eased, and whether beyond their last pose.
type Eased =
    (&'static mut Transform, &'static Mirror, &'static mut Easing, Has<TransformExtrapolation>);

/// Shows the bodies between their poses, or beyond; not those that a user placed since.
fn ease(time: Option<Res<Time<Fixed>>>, mut bodies: Query<Eased, IsEased>) {
    let Some(fraction) = time.map(|time| time.overstep_fraction()) else { return };
    for (mut transform, mirror, mut easing, extrapolates) in &mut bodies {
        let (start, end) = (easing.start, mirror.pose());
        let is = (transform.translation, transform.rotation);
        let placed = is != easing.shown && is != end;
        if placed && !easing.stepped {
            continue;
        }
        easing.stepped = false;
        let part = if extrapolates { 1.0 + fraction } else { fraction };
        let pose = if start == end { end } else { between(start, end, part) };
        if pose != easing.shown {
            (transform.translation, transform.rotation) = pose;
            easing.shown = pose;
        } else if pose != is {
            let transform = transform.bypass_change_detection();
            (transform.translation, transform.rotation) = pose;
        }
    }
}

/// The pose a part of the way from one to another, or beyond; the other, if that is no number, as where a
/// user wrote a rotation of any length.
fn between((from, turn): Pose, (to, turned): Pose, part: f32) -> Pose {
    // The shorter way round, at an even rate.
    let step = turned * turn.conjugate();
    let step = if step.w < 0.0 { -step } else { step };
    let turn = (Quat::from_scaled_axis(step.to_scaled_axis() * part) * turn).normalize();
    let at = from + (to - from) * part;
    (if at.is_finite() { at } else { to }, if turn.is_finite() { turn } else { turned })
}

/// Hook: what is no longer eased is shown where it is.
fn stop(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
    let easing = world.get::<Easing>(entity).copied();
    let mirror = world.get::<Mirror>(entity).map(Mirror::pose);
    let (Some(easing), Some(pose)) = (easing, mirror) else { return };
    if let Some(mut transform) = world.get_mut::<Transform>(entity)
        && (transform.translation, transform.rotation) == easing.shown
    {
        (transform.translation, transform.rotation) = pose;
    }
}
