//! What motors of a robot may do, and joints that follow others.

use bevy_ecs::prelude::*;
use urdf_rs::Robot;

use super::error::UrdfError;
use super::{Joined, Urdf};
use crate::engine::joint::{JointKind, Motor};
use crate::math::{Real, narrow};
use crate::plugin::joints::MotorCoupling;

/// What the motor of a joint of a robot may do at most, as its `<limit>` says: no bound where that says
/// nothing, or nothing above zero. See [`Urdf::limit`].
///
/// ```
/// use orthant::prelude::*;
///
/// /// A servo that holds a position, as strong as the robot's.
/// fn servo(limit: UrdfLimit, position: orthant::math::Real) -> Motor {
///     Motor::spring(position, 1e3, 50.0).with_max_force(limit.effort)
/// }
/// let limit = UrdfLimit { effort: 50.0, velocity: 0.5 };
/// assert_eq!(servo(limit, 0.2).max_force, 50.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UrdfLimit {
    /// Largest force or torque [N or N·m]; may be infinite.
    pub effort: Real,
    /// Largest speed [m/s or rad/s]; may be infinite.
    pub velocity: Real,
}

impl Urdf {
    /// What the motor of the joint of this name may do at most.
    ///
    /// ```
    /// use orthant::prelude::*;
    ///
    /// let robot = Urdf::read(
    ///     r#"<robot name="lift">
    ///         <link name="base"/>
    ///         <link name="table"><inertial><mass value="2"/>
    ///             <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    ///         <joint name="lift" type="prismatic">
    ///             <parent link="base"/><child link="table"/><axis xyz="0 0 1"/>
    ///             <limit lower="0" upper="1" effort="50" velocity="0.5"/>
    ///         </joint>
    ///     </robot>"#,
    /// ).expect("a robot");
    /// let limit = robot.limit("lift").expect("a joint of that name");
    /// let up = Motor::velocity(limit.velocity, limit.effort);
    /// assert!(up.velocity == 0.5 && up.max_force == 50.0);
    /// ```
    #[must_use]
    pub fn limit(&self, joint: &str) -> Option<UrdfLimit> {
        self.joints.iter().find(|(name, _)| name == joint).map(|(_, joined)| joined.limit)
    }

    /// Gives the joints that mimic others their motors.
    pub(super) fn couple(&mut self, robot: &Robot) -> Result<(), UrdfError> {
        for joint in &robot.joints {
            let Some(mimic) = &joint.mimic else { continue };
            let refused =
                || UrdfError::Mimic { joint: joint.name.clone(), leader: mimic.joint.clone() };
            let find = |name: &str| {
                let found = self.joints.iter().position(|(known, _)| known == name);
                let axis = |&k: &usize| self.joints[k].1.joint.axis();
                found.filter(|k| self.joints[*k].1.has_one_axis()).map(|k| (k, axis(&k)))
            };
            let (own, axis) = find(&joint.name).ok_or_else(refused)?;
            let (leader, its) =
                find(&mimic.joint).filter(|&(k, _)| k != own).ok_or_else(refused)?;
            let [ratio, offset] =
                [mimic.multiplier.unwrap_or(1.0), mimic.offset.unwrap_or(0.0)].map(narrow);
            if !ratio.is_finite() || !offset.is_finite() {
                return Err(UrdfError::NotFinite(joint.name.clone()));
            }
            let joined = &mut self.joints[own].1;
            // Damping takes the place of a motor; with one it is told by the motor.
            let motor = Motor::velocity(0.0, joined.limit.effort);
            joined.joint = joined.joint.with_motor(motor);
            let coupling = MotorCoupling::new(Entity::PLACEHOLDER, its, ratio);
            let coupling = coupling.with_axes(its, axis).with_offset(offset);
            let speed = joined.limit.velocity.min(Real::MAX);
            joined.mimics = Some((leader, coupling.with_max_speed(speed)));
        }
        Ok(())
    }
}

impl Joined {
    /// Does it leave one axis free?
    const fn has_one_axis(&self) -> bool {
        matches!(self.joint.kind, JointKind::Revolute | JointKind::Prismatic)
    }
}

impl UrdfLimit {
    pub(super) fn of(limit: &urdf_rs::JointLimit) -> Self {
        let bound = |most: f64| if most > 0.0 { narrow(most) } else { Real::INFINITY };
        Self { effort: bound(limit.effort), velocity: bound(limit.velocity) }
    }
}
