//! Drawing what physics sees, with Bevy's gizmos: the feature `debug`.
//!
//! ```
//! # use bevy_app::prelude::*;
//! use orthant::prelude::*;
//!
//! # let mut app = App::new();
//! # app.add_plugins((bevy_time::TimePlugin, PhysicsPlugins::default()));
//! app.add_plugins(PhysicsDebugPlugin);
//! ```
//!
//! [`PhysicsGizmos`] says what is drawn and in which colors, `GizmoConfigStore` switches all of it:
//!
//! ```
//! # use bevy_ecs::prelude::*;
//! # use bevy_gizmos::config::GizmoConfigStore;
//! # use orthant::prelude::*;
//! fn toggle(mut store: ResMut<GizmoConfigStore>) {
//!     let (config, physics) = store.config_mut::<PhysicsGizmos>();
//!     config.enabled = !config.enabled;
//!     physics.shade = ShapeShade::Certificate;
//! }
//! ```

mod draw;
mod joint;
mod outline;

use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_color::palettes::tailwind;
use bevy_ecs::prelude::*;
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_transform::TransformSystems;

use super::sync::sync_physics;

/// What the color of a shape says.
///
/// ```
/// use orthant::prelude::*;
///
/// let gizmos = PhysicsGizmos { shade: ShapeShade::Island, ..PhysicsGizmos::none() };
/// assert_ne!(gizmos.shade, ShapeShade::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Debug, Default, PartialEq, Clone)]
pub enum ShapeShade {
    /// What kind of body it is: [`PhysicsGizmos::dynamic_color`] and so on.
    #[default]
    Kind,
    /// Which island it is part of: what touches or is joined has one color.
    Island,
    /// How the step of its island was solved, from the report: [`PhysicsGizmos::solved_color`],
    /// [`PhysicsGizmos::pressed_color`], [`PhysicsGizmos::swept_color`] or
    /// [`PhysicsGizmos::softened_color`].
    Certificate,
}

/// The gizmos of physics. What has no color is not drawn.
///
/// ```
/// # use bevy_gizmos::config::GizmoConfigStore;
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn shade(mut store: ResMut<GizmoConfigStore>) {
///     store.config_mut::<PhysicsGizmos>().1.shade = ShapeShade::Certificate;
/// }
/// # bevy_ecs::system::assert_is_system(shade);
/// ```
#[derive(Clone, Copy, Debug, GizmoConfigGroup, Reflect)]
#[reflect(Debug, Default, Clone)]
pub struct PhysicsGizmos {
    /// What the colors of shapes say. Sensors and sleepers always have theirs.
    pub shade: ShapeShade,
    /// Shapes of dynamic bodies.
    pub dynamic_color: Option<Color>,
    /// Shapes of kinematic bodies.
    pub kinematic_color: Option<Color>,
    /// Shapes of static bodies, and of colliders without a body.
    pub static_color: Option<Color>,
    /// Shapes of sensors.
    pub sensor_color: Option<Color>,
    /// Shapes of bodies that sleep.
    pub sleeping_color: Option<Color>,
    /// Islands solved to the tolerance, with [`ShapeShade::Certificate`].
    pub solved_color: Color,
    /// Islands solved only after contacts gave way, with [`ShapeShade::Certificate`].
    pub pressed_color: Color,
    /// Islands left above the tolerance, with [`ShapeShade::Certificate`].
    pub swept_color: Color,
    /// Islands advanced in softened small steps, with [`ShapeShade::Certificate`].
    pub softened_color: Color,
    /// Bounding boxes of bodies.
    pub aabb_color: Option<Color>,
    /// Centers of mass, as crosses.
    pub center_of_mass_color: Option<Color>,
    /// Linear velocities, as the way in [`velocity_time`](Self::velocity_time).
    pub velocity_color: Option<Color>,
    /// Angular velocities, along the axis: a meter for each radian turned in
    /// [`velocity_time`](Self::velocity_time), counterclockwise where the line points to the eye.
    pub angular_velocity_color: Option<Color>,
    /// So long (s) is the way drawn for a velocity.
    pub velocity_time: f32,
    /// Contacts: crosses, [in overlap, touching, apart]. Their size grows with the gap.
    pub contact_colors: Option<[Color; 3]>,
    /// Normals of contacts.
    pub normal_color: Option<Color>,
    /// Length of normals (m).
    pub normal_length: f32,
    /// Impulses of contacts in the last step.
    pub impulse_color: Option<Color>,
    /// Length drawn for an impulse [m/(N·s)].
    pub impulse_scale: f32,
    /// Friction cones of contacts, as high as their normals.
    pub friction_cone_color: Option<Color>,
    /// Joints: from the centers of the bodies to the anchors, the axes there, ropes over pulleys.
    pub joint_color: Option<Color>,
    /// Limits of joints: ends of ways, along a rope or rod where that is, arcs of angles, swing cones.
    pub limit_color: Option<Color>,
    /// Errors of joints, of what they lock or limit: from where the second anchor should be to where it is,
    /// and chords of angles. Where it moves freely is none, nor is what gears and racks have slipped.
    pub joint_error_color: Option<Color>,
    /// Rays and shapes that are cast, as far as they go.
    pub caster_color: Option<Color>,
    /// What casters hit.
    pub hit_color: Option<Color>,
}

impl Default for PhysicsGizmos {
    /// Shapes, contacts and joints; no boxes, velocities, normals, impulses and cones.
    fn default() -> Self {
        Self {
            shade: ShapeShade::Kind,
            dynamic_color: Some(tailwind::SKY_400.into()),
            kinematic_color: Some(tailwind::VIOLET_400.into()),
            static_color: Some(tailwind::SLATE_400.into()),
            sensor_color: Some(tailwind::YELLOW_300.into()),
            sleeping_color: Some(tailwind::SKY_900.into()),
            solved_color: tailwind::GREEN_500.into(),
            pressed_color: tailwind::FUCHSIA_500.into(),
            swept_color: tailwind::AMBER_400.into(),
            softened_color: tailwind::RED_500.into(),
            aabb_color: None,
            center_of_mass_color: None,
            velocity_color: None,
            angular_velocity_color: None,
            velocity_time: 0.1,
            contact_colors: Some([
                tailwind::RED_500.into(),
                tailwind::GREEN_400.into(),
                tailwind::BLUE_400.into(),
            ]),
            normal_color: None,
            normal_length: 0.25,
            impulse_color: None,
            impulse_scale: 0.1,
            friction_cone_color: None,
            joint_color: Some(tailwind::ORANGE_400.into()),
            limit_color: Some(tailwind::PINK_400.into()),
            joint_error_color: Some(tailwind::RED_600.into()),
            caster_color: Some(tailwind::CYAN_300.into()),
            hit_color: Some(tailwind::CYAN_100.into()),
        }
    }
}

impl PhysicsGizmos {
    /// Everything that can be drawn.
    #[must_use]
    pub fn all() -> Self {
        Self {
            aabb_color: Some(tailwind::GRAY_500.into()),
            center_of_mass_color: Some(tailwind::ROSE_400.into()),
            velocity_color: Some(tailwind::LIME_300.into()),
            angular_velocity_color: Some(tailwind::ORANGE_200.into()),
            normal_color: Some(tailwind::TEAL_300.into()),
            impulse_color: Some(tailwind::FUCHSIA_400.into()),
            friction_cone_color: Some(tailwind::TEAL_600.into()),
            ..Self::default()
        }
    }

    /// Nothing, to begin with for a choice.
    #[must_use]
    pub fn none() -> Self {
        Self {
            dynamic_color: None,
            kinematic_color: None,
            static_color: None,
            sensor_color: None,
            sleeping_color: None,
            contact_colors: None,
            joint_color: None,
            limit_color: None,
            joint_error_color: None,
            caster_color: None,
            hit_color: None,
            ..Self::default()
        }
    }
}

/// Draws the shapes of this collider, or of all colliders of this body, otherwise than
/// [`PhysicsGizmos`] says.
///
/// ```
/// use bevy_color::palettes::tailwind;
/// use orthant::prelude::*;
///
/// let player = (RigidBody::Dynamic, Collider::capsule(0.4, 1.0), DebugRender::collider(tailwind::RED_500));
/// let sky = (Collider::sphere(500.0), DebugRender::none());
/// # let _ = (player, sky);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct DebugRender {
    /// The color of its shape; none hides it.
    pub collider_color: Option<Color>,
    /// The color of the bounding box of the body; none hides it.
    pub aabb_color: Option<Color>,
}

impl DebugRender {
    /// Draws nothing of it.
    #[must_use]
    pub const fn none() -> Self {
        Self { collider_color: None, aabb_color: None }
    }

    /// Draws its shape in this color.
    #[must_use]
    pub fn collider(color: impl Into<Color>) -> Self {
        Self { collider_color: Some(color.into()), aabb_color: None }
    }

    /// Draws a bounding box in this color, too.
    #[must_use]
    pub fn with_aabb_color(self, color: impl Into<Color>) -> Self {
        Self { aabb_color: Some(color.into()), ..self }
    }
}

/// Draws what physics sees, after each update, where it is shown. Not in
/// [`PhysicsPlugins`](super::PhysicsPlugins); needs Bevy's `GizmoPlugin`, which is in `DefaultPlugins`.
///
/// - Systems: in `PostUpdate`, for shapes, contacts, joints and casters.
/// - Gizmos: [`PhysicsGizmos`].
///
/// ```
/// # use bevy_app::App;
/// # use orthant::prelude::*;
/// fn main_(app: &mut App) {
///     app.add_plugins((PhysicsPlugins::default(), PhysicsDebugPlugin));
/// }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct PhysicsDebugPlugin;

impl Plugin for PhysicsDebugPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<PhysicsGizmos>()
            .register_type::<PhysicsGizmos>()
            .register_type::<DebugRender>();
        let systems = (draw::bodies, draw::contacts, joint::joints, draw::casters);
        let systems = systems.after(sync_physics).after(TransformSystems::Propagate);
        app.add_systems(PostUpdate, systems.run_if(is_enabled));
    }
}

/// Are any gizmos of physics to be drawn?
fn is_enabled(store: Res<GizmoConfigStore>) -> bool {
    store.config::<PhysicsGizmos>().0.enabled
}
