//! Joints that couple motions: gears, racks, screws, pulleys; wheels; motors that follow other joints.

use bevy_ecs::prelude::*;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bevy_time::Time;

use super::frame::{JointBasis, basis_along};
use super::{Joint, JointAxis, JointKind};
use crate::engine::joint::Motor;
use crate::math::{Real, Vec3, narrow};
use crate::plugin::link::EngineJoint;
use crate::plugin::time::Physics;
use crate::plugin::world::PhysicsWorld;

impl Joint {
    /// Two wheels that mesh: body a turns about the axis `ratio` times as fast as body b, the other way
    /// round; the same way if it is negative, as of a ring around a wheel or of a belt. `ratio` is the number
    /// of teeth of b over that of a, not 0.
    ///
    /// Each wheel hangs on a hinge of its own; what carries these may turn, too, so that planets go around
    /// their sun. Both axes are parallel then, and the anchors the centers. For axles at an angle, as of a
    /// bevel gear, put both anchors at one point, where the axles meet, on what does not turn; and set their
    /// axes by [`with_world_axes`](Self::with_world_axes).
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// use orthant::math::Vec3;
    /// use orthant::plugin::Joint;
    ///
    /// fn build(commands: &mut Commands, small: Entity, large: Entity) {
    ///     commands.spawn(Joint::revolute(None, small).with_anchor(Vec3::ZERO).with_axis(Vec3::Z));
    ///     commands.spawn(Joint::revolute(None, large).with_anchor(Vec3::X * 1.5).with_axis(Vec3::Z));
    ///     // 12 and 24 teeth.
    ///     commands.spawn(Joint::gear(small, large, 2.0).with_axis(Vec3::Z));
    /// }
    /// ```
    #[must_use]
    pub fn gear(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, ratio: Real) -> Self {
        Self::new(JointKind::Gear { ratio }, a, b)
    }

    /// A pinion that rolls on a rack: for a radian of the pinion about its axis the rack moves by `radius`
    /// (m), not 0, along its own. Give both axes by [`with_world_axes`](Self::with_world_axes), that of
    /// the rack first.
    ///
    /// The rack slides on a joint of its own, or lies still while the pinion rolls along.
    #[must_use]
    pub fn rack_and_pinion(
        rack: impl Into<Option<Entity>>,
        pinion: impl Into<Option<Entity>>,
        radius: Real,
    ) -> Self {
        Self::new(JointKind::RackAndPinion { radius }, rack, pinion)
    }

    /// A nut on a thread: it turns about the axis and moves along it by `lead` (m), not 0, a turn.
    #[must_use]
    pub fn screw(a: impl Into<Option<Entity>>, b: impl Into<Option<Entity>>, lead: Real) -> Self {
        Self::new(JointKind::Screw { lead }, a, b)
    }

    /// A rope from body a over two wheels, at points of the world (m), to body b, that is at most so long:
    /// `|a - wheel a| + ratio |b - wheel b| ≤ length` (m). Body b hangs on `ratio` parts of the rope, > 0, as
    /// on a tackle.
    #[must_use]
    pub fn pulley(
        a: impl Into<Option<Entity>>,
        b: impl Into<Option<Entity>>,
        wheels: [Vec3; 2],
        ratio: Real,
        length: Real,
    ) -> Self {
        Self::new(JointKind::Pulley { wheels, ratio, length }, a, b)
    }

    /// A wheel, body b, on a chassis, body a: it turns about x of the joint, its axle, and moves along y on a
    /// spring of this stiffness [N/m] and damping [N·s/m], within ± `travel` (m), > 0. Everything else is
    /// locked.
    ///
    /// The axle is x and the suspension y of the frame, see [`with_frame`](Self::with_frame); a motor or
    /// brake on [`JointAxis::AngularX`] drives it. To steer, turn the frame on the chassis about y.
    #[must_use]
    pub fn wheel(
        chassis: impl Into<Option<Entity>>,
        wheel: impl Into<Option<Entity>>,
        [stiffness, damping, travel]: [Real; 3],
    ) -> Self {
        use JointAxis::{AngularY, AngularZ, LinearX, LinearY, LinearZ};
        let free = Self::new(JointKind::Generic, chassis, wheel)
            .with_axis_motor(LinearY, Motor::spring(0.0, stiffness, damping))
            .with_axis_limits(LinearY, -travel, travel);
        let locks = [LinearX, LinearZ, AngularY, AngularZ];
        locks.into_iter().fold(free, |joint, axis| joint.with_axis_limits(axis, 0.0, 0.0))
    }

    /// With axes of these directions in the world, that of body a and that of body b: of a gear between axles
    /// at an angle, of a rack and its pinion. A vector without direction is refused.
    #[must_use]
    pub fn with_world_axes(mut self, axis_a: Vec3, axis_b: Vec3) -> Self {
        self.frame_a.basis = JointBasis::World(basis_along(axis_a));
        self.frame_b.basis = JointBasis::World(basis_along(axis_b));
        self
    }
}

/// The motor of an axis follows an axis of another joint: its target is `ratio * position + offset`, and
/// its target velocity `ratio * velocity`, of where that joint was after the last step.
///
/// Put it on a joint with a [`Motor`] on the axis, whose stiffness, damping and force are kept; the other
/// joint does not feel it. A stiff motor is within half of a step's motion of its target; one without a
/// stiffness only keeps the velocity, or catches up with the position, too, with a
/// [`max_speed`](Self::max_speed). What couples both ways is a [`gear`](Joint::gear).
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::plugin::{Joint, JointAxis, Motor, MotorCoupling};
///
/// fn close(commands: &mut Commands, [palm, left, right]: [Entity; 3]) {
///     let stiff = Motor::spring(0.0, 50.0, 2.0);
///     let first = commands.spawn(Joint::hinge(palm, left).with_motor(stiff)).id();
///     let second = Joint::hinge(palm, right).with_motor(stiff);
///     commands.spawn((second, MotorCoupling::new(first, JointAxis::AngularX, -1.0)));
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct MotorCoupling {
    /// The joint that leads.
    #[entities]
    pub leader: Entity,
    /// Its axis, and that of the motor here.
    pub axes: [JointAxis; 2],
    /// Position here for one there [–, m/rad or rad/m].
    pub ratio: Real,
    /// Position here where that there is zero [m or rad].
    pub offset: Real,
    /// Largest target velocity [m/s or rad/s], ≥ 0, of a [`Motor::velocity`] that is at its target position
    /// by the end of each step, if its force is enough; none for one that does not look at positions. JSON
    /// has no infinity, and would tell it as none: any speed is `Real::MAX`.
    pub max_speed: Option<Real>,
}

/// Of an axis about x, led by no joint, one to one.
impl Default for MotorCoupling {
    fn default() -> Self {
        Self::new(Entity::PLACEHOLDER, JointAxis::AngularX, 1.0)
    }
}

impl MotorCoupling {
    /// Follows the same axis of another joint, by a ratio.
    #[must_use]
    pub const fn new(leader: Entity, axis: JointAxis, ratio: Real) -> Self {
        Self { leader, axes: [axis; 2], ratio, offset: 0.0, max_speed: None }
    }

    /// With an axis of the leader and one of the motor here.
    #[must_use]
    pub const fn with_axes(mut self, leader: JointAxis, own: JointAxis) -> Self {
        self.axes = [leader, own];
        self
    }

    /// With a position where that of the leader is zero [m or rad].
    #[must_use]
    pub const fn with_offset(mut self, offset: Real) -> Self {
        self.offset = offset;
        self
    }

    /// With a motor that catches up with its position by at most this speed [m/s or rad/s].
    ///
    /// ```
    /// # use bevy_ecs::prelude::*;
    /// use orthant::plugin::{Joint, JointAxis, Motor, MotorCoupling};
    ///
    /// fn mimic(commands: &mut Commands, [palm, finger, leader]: [Entity; 3]) {
    ///     let follows = MotorCoupling::new(leader, JointAxis::LinearX, 1.0).with_max_speed(0.2);
    ///     let strong = Motor::velocity(0.0, 40.0);
    ///     commands.spawn((Joint::prismatic(palm, finger).with_motor(strong), follows));
    /// }
    /// ```
    #[must_use]
    pub const fn with_max_speed(mut self, max_speed: Real) -> Self {
        self.max_speed = Some(max_speed);
        self
    }

    /// The velocity that brings what is here to a position in a step [m/s or rad/s].
    fn catch_up(&self, velocity: Real, apart: Real, dt: Real) -> Real {
        let max_speed = self.max_speed.filter(|&speed| speed >= 0.0 && dt > 0.0);
        max_speed.map_or(velocity, |speed| (apart / dt).max(-speed).min(speed))
    }
}

/// Sets the targets of motors that follow other joints.
pub(super) fn follow(
    physics: Res<PhysicsWorld>,
    time: Res<Time<Physics>>,
    leaders: Query<&EngineJoint>,
    mut joints: Query<(&mut Joint, &EngineJoint, &MotorCoupling)>,
) {
    let dt: Real = narrow(time.delta_secs_f64());
    for (mut joint, own, coupling) in &mut joints {
        let leader = leaders.get(coupling.leader).ok().and_then(|link| link.id);
        let Some(leader) = leader.and_then(|id| physics.engine.joint(id)) else { continue };
        let [there, here] = coupling.axes;
        let velocity = coupling.ratio * leader.velocity(there);
        // Where it comes to by the end of the step.
        let position = coupling.ratio * leader.position(there) + coupling.offset + dt * velocity;
        let Some(motor) = joint.motors[here.index()] else { continue };
        let own = own.id.and_then(|id| physics.engine.joint(id));
        let apart = own.map_or(0.0, |own| position - own.position(here));
        let velocity = match own {
            Some(_) if motor.stiffness == 0.0 => coupling.catch_up(velocity, apart, dt),
            _ => velocity,
        };
        let wanted = Motor { velocity, position, ..motor };
        if wanted != motor {
            joint.motors[here.index()] = Some(wanted);
        }
    }
}
