//! The component: what is joined, where, and how.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::frame::{JointAnchor, JointBasis, JointFrame, basis_along};
use crate::engine::body::BodyId;
use crate::engine::joint::{self, AxisLimit, JointAxis, JointDesc, JointKind, Motor};
use crate::math::{Quat, Real, Vec3};
use crate::plugin::link::{EngineJoint, queue_joint};

/// A joint between two bodies, or between a body and the world. Spawn it on an entity of its own; despawn
/// that to remove the joint.
///
/// An end is the entity of a body, or `None` for the world. A joint waits while one of its entities has
/// no body (not yet, disabled, or despawned) and holds again when both have one. The bodies do not collide
/// with each other unless [`with_collision`](Self::with_collision) says so.
///
/// A joint has six axes, three linear and three angular ([`JointAxis`]), along those of its frame on end
/// a. The x axis is the one of a hinge, of a slide, of a twist; set it with
/// [`with_axis`](Self::with_axis). Each [`JointKind`] locks some; those it leaves free may have limits, a
/// motor or spring, and friction. Positions along the axes are zero where the two frames coincide;
/// positive ones move and turn end b.
///
/// What the short names act on:
///
/// | kind | `with_limits`, `with_motor` | `with_spring`, `with_friction` |
/// |---|---|---|
/// | revolute | the angle | the angle |
/// | prismatic, cylindrical | the way along the axis | the way along the axis |
/// | distance, rope | the distance | the distance |
/// | spherical | the twist | all three angles |
/// | universal | the angle about the first axis | both angles |
/// | pivot | the twist | the swing |
/// | planar | the way along y | the ways along y and z |
/// | screw | the angle | the angle |
/// | generic | the way along x | the ways along x, y, z |
///
/// Gears, racks and pulleys have none of these.
///
/// For all others there are [`with_axis_limits`](Self::with_axis_limits),
/// [`with_axis_motor`](Self::with_axis_motor) and [`with_axis_friction`](Self::with_axis_friction).
///
/// May be changed at any time; it goes on from its last forces. Disable it with
/// [`JointDisabled`](super::JointDisabled), read it with [`JointForces`](super::JointForces),
/// [`JointPosition`](super::JointPosition), [`JointVelocity`](super::JointVelocity) and
/// [`Joints`](super::Joints).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::plugin::{Joint, Motor};
///
/// fn build(commands: &mut Commands, hook: Entity, lamp: Entity, wheel: Entity) {
///     commands.spawn(Joint::ball(hook, lamp).with_anchors(Vec3::ZERO, Vec3::Y * 0.5));
///     // A wheel on an axle that is fixed to the world, at 10 rad/s with at most 50 N m.
///     let axle = Joint::revolute(None, wheel).with_anchor(Vec3::Y).with_axis(Vec3::Z);
///     commands.spawn(axle.with_motor(Motor::velocity(10.0, 50.0)));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize), serde(default))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
#[component(summary_tick, on_remove = queue_joint)]
#[require(EngineJoint)]
pub struct Joint {
    /// First end; the world if there is none.
    #[entities]
    pub a: Option<Entity>,
    /// Second end; the world if there is none.
    #[entities]
    pub b: Option<Entity>,
    /// Where it sits on the first end.
    pub frame_a: JointFrame,
    /// Where it sits on the second end.
    pub frame_b: JointFrame,
    /// What it keeps.
    pub kind: JointKind,
    /// Limits of each axis, by [`JointAxis::index`].
    pub limits: [Option<AxisLimit>; 6],
    /// Motor or spring of each axis, by [`JointAxis::index`].
    pub motors: [Option<Motor>; 6],
    /// Largest friction of each axis [N or N·m], by [`JointAxis::index`].
    pub friction: [Real; 6],
    /// Largest angle between the x axes of the frames (rad), within (0, π].
    pub swing: Option<Real>,
    /// The joint breaks under a larger force (N), > 0.
    pub break_force: Option<Real>,
    /// The joint breaks under a larger torque (N·m), > 0.
    pub break_torque: Option<Real>,
    /// What it keeps yields to a larger force along an axis (N), > 0.
    pub yield_force: Option<Real>,
    /// What it keeps yields to a larger torque about an axis (N·m), > 0.
    pub yield_torque: Option<Real>,
    /// Do the two bodies collide with each other?
    pub collision: bool,
}

/// A fixed joint without ends, to be filled in.
impl Default for Joint {
    fn default() -> Self {
        Self::new(JointKind::Fixed, None, None)
    }
}

/// A kind between two ends, then where it is, then what it may do:
///
/// ```
/// # use bevy_transform::components::Transform;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let place = Transform::from_xyz(0.0, -1.0, 0.0);
/// let bob = world.spawn((RigidBody::Dynamic, Collider::sphere(0.2), place)).id();
/// let slide = Joint::prismatic(None, bob).with_anchor(Vec3::NEG_Y).with_axis(Vec3::Y);
/// let slide = world.spawn((slide.with_limits(-0.5, 0.0), JointPosition::default())).id();
/// for _ in 0..60 {
///     step_physics(world, step);
/// }
/// let way = world.get::<JointPosition>(slide).expect("it was asked for").linear.x;
/// assert!((way + 0.5).abs() < 1e-3, "it fell to its lower end: {way} m");
/// assert_eq!(Joint::hinge(None, bob).axis(), JointAxis::AngularX);
/// ```
impl Joint {
    /// A joint of this kind, at the origins of both ends, without limits, motors and friction.
    #[must_use]
    pub fn new(
        kind: JointKind,
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
    ) -> Self {
        Self {
            a: a.into(),
            b: b.into(),
            frame_a: JointFrame::default(),
            frame_b: JointFrame::default(),
            kind,
            limits: [None; 6],
            motors: [None; 6],
            friction: [0.0; 6],
            swing: None,
            break_force: None,
            break_torque: None,
            yield_force: None,
            yield_torque: None,
            collision: false,
        }
    }

    /// A fixed joint: the frames coincide, so without frames both bodies have the same pose. To hold
    /// them as they are, give it a [`with_frame`](Self::with_frame) in the world.
    #[must_use]
    pub fn fixed(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Fixed, a, b)
    }

    /// A hinge: the bodies turn about the axis.
    #[must_use]
    pub fn revolute(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Revolute, a, b)
    }

    /// Another name of [`revolute`](Self::revolute).
    #[must_use]
    pub fn hinge(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::revolute(a, b)
    }

    /// A ball joint: the anchors coincide.
    #[must_use]
    pub fn spherical(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Spherical, a, b)
    }

    /// Another name of [`spherical`](Self::spherical).
    #[must_use]
    pub fn ball(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::spherical(a, b)
    }

    /// A slide: the bodies move along the axis and do not turn.
    #[must_use]
    pub fn prismatic(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Prismatic, a, b)
    }

    /// The bodies move along the axis and turn about it.
    #[must_use]
    pub fn cylindrical(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Cylindrical, a, b)
    }

    /// A universal joint: the bodies turn about x of frame a and y of frame b, which stay perpendicular.
    #[must_use]
    pub fn universal(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Universal, a, b)
    }

    /// The bodies move in the plane orthogonal to the axis and turn about the axis.
    #[must_use]
    pub fn planar(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Planar, a, b)
    }

    /// A ball joint that does not twist about the axis, or only within
    /// [`with_twist_limits`](Self::with_twist_limits): a shoulder.
    #[must_use]
    pub fn pivot(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Pivot, a, b)
    }

    /// A rod: the anchors are `length` apart (m), > 0; a spring of that length
    /// [`with_spring`](Self::with_spring).
    #[must_use]
    pub fn distance(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        length: Real,
    ) -> Self {
        Self::new(JointKind::Distance { min: length, max: length }, a, b)
    }

    /// A rope: the anchors are at most `length` apart (m), > 0.
    #[must_use]
    pub fn rope(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, length: Real) -> Self {
        Self::new(JointKind::Distance { min: 0.0, max: length }, a, b)
    }

    /// A joint all of whose axes are free until they get limits; equal limits lock them.
    #[must_use]
    pub fn generic(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>) -> Self {
        Self::new(JointKind::Generic, a, b)
    }

    /// With anchors in the frames of the two ends (m).
    #[must_use]
    pub const fn with_anchors(mut self, local_a: Vec3, local_b: Vec3) -> Self {
        self.frame_a.anchor = JointAnchor::Local(local_a);
        self.frame_b.anchor = JointAnchor::Local(local_b);
        self
    }

    /// With both anchors at a point of the world (m), where the bodies are when the joint begins.
    #[must_use]
    pub const fn with_anchor(self, point: Vec3) -> Self {
        self.with_world_anchors(point, point)
    }

    /// With anchors at two points of the world (m), where the bodies are when the joint begins.
    #[must_use]
    pub const fn with_world_anchors(mut self, point_a: Vec3, point_b: Vec3) -> Self {
        self.frame_a.anchor = JointAnchor::World(point_a);
        self.frame_b.anchor = JointAnchor::World(point_b);
        self
    }

    /// With an axis of this direction in the world; angles count from where the bodies are when the
    /// joint begins. A vector without direction is refused.
    #[must_use]
    pub fn with_axis(mut self, axis: Vec3) -> Self {
        let basis = JointBasis::World(basis_along(axis));
        (self.frame_a.basis, self.frame_b.basis) = (basis, basis);
        self
    }

    /// With an axis in the frames of the two ends. A vector without direction is refused.
    #[must_use]
    pub fn with_local_axes(mut self, axis_a: Vec3, axis_b: Vec3) -> Self {
        self.frame_a.basis = JointBasis::Local(basis_along(axis_a));
        self.frame_b.basis = JointBasis::Local(basis_along(axis_b));
        self
    }

    /// With both frames at a pose in the world, where the bodies are when the joint begins: every
    /// position is zero then.
    #[must_use]
    pub const fn with_frame(self, anchor: Vec3, basis: Quat) -> Self {
        let frame = JointFrame::world(anchor, basis);
        self.with_frames(frame, frame)
    }

    /// With frames on the two ends.
    #[must_use]
    pub const fn with_frames(mut self, frame_a: JointFrame, frame_b: JointFrame) -> Self {
        (self.frame_a, self.frame_b) = (frame_a, frame_b);
        self
    }

    /// With this rotation of body b relative to body a where the angles are zero; a fixed joint keeps it.
    /// The axes of the joint are those of body b.
    #[must_use]
    pub const fn with_rotation(mut self, rotation: Quat) -> Self {
        self.frame_a.basis = JointBasis::Local(rotation);
        self.frame_b.basis = JointBasis::Local(Quat::IDENTITY);
        self
    }

    /// With limits [m or rad] of the axis its kind is about, see [`Joint`]; those of a hinge may be
    /// more than a turn apart.
    #[must_use]
    pub const fn with_limits(mut self, min: Real, max: Real) -> Self {
        if let JointKind::Distance { .. } = self.kind {
            self.kind = JointKind::Distance { min, max };
            return self;
        }
        self.with_axis_limits(self.axis(), min, max)
    }

    /// With limits of the twist about the x axis (rad).
    #[must_use]
    pub const fn with_twist_limits(self, min: Real, max: Real) -> Self {
        self.with_axis_limits(JointAxis::AngularX, min, max)
    }

    /// With a largest angle (rad), within (0, π], between the x axes of the two frames: half the opening
    /// of the cone in which a spherical, pivot or generic joint swings.
    #[must_use]
    pub const fn with_swing_limit(mut self, angle: Real) -> Self {
        self.swing = Some(angle);
        self
    }

    /// With limits of an axis [m or rad]; equal ones lock it.
    #[must_use]
    pub const fn with_axis_limits(mut self, axis: JointAxis, min: Real, max: Real) -> Self {
        self.limits[axis.index()] = Some(AxisLimit { min, max });
        self
    }

    /// With a motor on the axis its kind is about, see [`Joint`].
    #[must_use]
    pub const fn with_motor(self, motor: Motor) -> Self {
        self.with_axis_motor(self.axis(), motor)
    }

    /// With a motor or spring on an axis.
    #[must_use]
    pub const fn with_axis_motor(mut self, axis: JointAxis, motor: Motor) -> Self {
        self.motors[axis.index()] = Some(motor);
        self
    }

    /// With a spring of this stiffness [N/m or N·m/rad] and damping [N·s/m or N·m·s/rad] on the axes its
    /// kind is about, see [`Joint`]. It pulls to zero; a distance joint becomes a spring of its length,
    /// a rope one of its longest.
    #[must_use]
    pub const fn with_spring(mut self, stiffness: Real, damping: Real) -> Self {
        let mut rest = 0.0;
        if let JointKind::Distance { max, .. } = self.kind {
            rest = max;
            self.kind = JointKind::Distance { min: 0.0, max: Real::INFINITY };
        }
        let axes = self.axes();
        let mut k = 0;
        while k < 6 {
            if axes & 1 << k != 0 {
                self.motors[k] = Some(Motor::spring(rest, stiffness, damping));
            }
            k += 1;
        }
        self
    }

    /// With friction of at most this force (N) or torque (N·m) on the axes its kind is about, see
    /// [`Joint`].
    #[must_use]
    pub const fn with_friction(mut self, friction: Real) -> Self {
        let axes = self.axes();
        let mut k = 0;
        while k < 6 {
            if axes & 1 << k != 0 {
                self.friction[k] = friction;
            }
            k += 1;
        }
        self
    }

    /// With friction of at most this force (N) or torque (N·m) on an axis.
    #[must_use]
    pub const fn with_axis_friction(mut self, axis: JointAxis, friction: Real) -> Self {
        self.friction[axis.index()] = friction;
        self
    }

    /// Breaks under a larger force (N), > 0; see [`JointBroken`](super::JointBroken).
    #[must_use]
    pub const fn with_break_force(mut self, force: Real) -> Self {
        self.break_force = Some(force);
        self
    }

    /// Breaks under a larger torque (N·m), > 0; see [`JointBroken`](super::JointBroken).
    #[must_use]
    pub const fn with_break_torque(mut self, torque: Real) -> Self {
        self.break_torque = Some(torque);
        self
    }

    /// Yields to a larger force along an axis (N), > 0: it gives way while it bears that much, and comes
    /// back when less is asked of it.
    #[must_use]
    pub const fn with_yield_force(mut self, force: Real) -> Self {
        self.yield_force = Some(force);
        self
    }

    /// Yields to a larger torque about an axis (N·m), > 0.
    #[must_use]
    pub const fn with_yield_torque(mut self, torque: Real) -> Self {
        self.yield_torque = Some(torque);
        self
    }

    /// Lets the two bodies collide with each other, or not.
    #[must_use]
    pub const fn with_collision(mut self, collision: bool) -> Self {
        self.collision = collision;
        self
    }

    /// The axis its kind is about, see [`Joint`].
    #[must_use]
    pub const fn axis(&self) -> JointAxis {
        match self.kind {
            JointKind::Fixed
            | JointKind::Prismatic
            | JointKind::Cylindrical
            | JointKind::Distance { .. }
            | JointKind::Pulley { .. }
            | JointKind::RackAndPinion { .. }
            | JointKind::Generic => JointAxis::LinearX,
            JointKind::Planar => JointAxis::LinearY,
            JointKind::Revolute
            | JointKind::Spherical
            | JointKind::Universal
            | JointKind::Pivot
            | JointKind::Gear { .. }
            | JointKind::Screw { .. } => JointAxis::AngularX,
        }
    }

    /// Bit k: springs and friction act on axis k.
    const fn axes(&self) -> u8 {
        match self.kind {
            JointKind::Spherical => 0b11_1000,
            JointKind::Universal => 0b01_1000,
            JointKind::Pivot => 0b11_0000,
            JointKind::Planar => 0b00_0110,
            JointKind::Generic => 0b00_0111,
            _ => 1 << self.axis().index(),
        }
    }

    /// The motor or spring on the axis its kind is about, to tune it while it runs.
    pub const fn motor_mut(&mut self) -> &mut Option<Motor> {
        &mut self.motors[self.axis().index()]
    }

    /// Is a frame given in the world, and not taken over by a body yet?
    #[must_use]
    pub const fn is_in_world(&self) -> bool {
        self.frame_a.is_world() || self.frame_b.is_world()
    }

    /// Notes frames in those of the bodies.
    pub(super) const fn set_frames(&mut self, [a, b]: [joint::JointFrame; 2]) {
        self.frame_a = JointFrame::local(a.anchor, a.basis);
        self.frame_b = JointFrame::local(b.anchor, b.basis);
    }

    /// As the engine has it.
    pub(super) fn describe(
        &self,
        ends: [Option<BodyId>; 2],
        frames: [joint::JointFrame; 2],
        enabled: bool,
    ) -> JointDesc {
        JointDesc {
            ends,
            frames,
            kind: self.kind,
            limits: self.limits,
            motors: self.motors,
            friction: self.friction,
            swing: self.swing,
            collide: self.collision,
            enabled,
            break_force: self.break_force.unwrap_or(Real::INFINITY),
            break_torque: self.break_torque.unwrap_or(Real::INFINITY),
            yield_force: self.yield_force.unwrap_or(Real::INFINITY),
            yield_torque: self.yield_torque.unwrap_or(Real::INFINITY),
        }
    }
}
