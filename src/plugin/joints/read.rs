//! What joints do: forces, positions, what broke, and where they are.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;

use super::{Joint, JointDisabled, pose};
use crate::engine::joint::{self, AxisLimit, JointAxis, JointFrame, JointId};
use crate::math::{Quat, Real, Vec3, quat_mul, quat_normalize, quat_rotate};
use crate::plugin::error::{Errors, PhysicsErrorKind};
use crate::plugin::link::EngineJoint;
use crate::plugin::world::PhysicsWorld;

/// What a joint did to its second end in the last step, at its anchor there, in world axes, averaged over
/// the step: locks, limits, motors and friction together. The opposite acts on the first end.
///
/// Put it on the entity of a joint; written after each step that changed it. Zero while there is no joint.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn strain(joints: Query<(&Name, &JointForces)>) {
///     for (name, forces) in &joints {
///         println!("{name} carries {} N", forces.force.length());
///     }
/// }
/// # bevy_ecs::system::assert_is_system(strain);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct JointForces {
    /// Force (N).
    pub force: Vec3,
    /// Torque (N·m) about the anchor.
    pub torque: Vec3,
}

/// Where the second end of a joint is, seen from its first: positions along and about the axes of the
/// joint, zero where its frames coincide.
///
/// Put it on the entity of a joint; written after each step that changed it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn angle(hinges: Query<(&JointPosition, &JointVelocity)>) {
///     for (position, velocity) in &hinges {
///         println!("{position:?} {velocity:?}");
///     }
/// }
/// # bevy_ecs::system::assert_is_system(angle);
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct JointPosition {
    /// Ways along x, y, z (m); the distance in x for a distance joint.
    pub linear: Vec3,
    /// Angles about x, y, z (rad); whole turns of x are counted.
    pub angular: Vec3,
}

/// How fast the second end of a joint moves, seen from its first: the rates of its [`JointPosition`].
///
/// Put it on the entity of a joint; written after each step that changed it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::math::Vec3;
/// use orthant::prelude::*;
///
/// # let mut app = bevy_app::App::new();
/// # app.add_plugins(PhysicsPlugins::default());
/// # let world = app.world_mut();
/// # let step = core::time::Duration::from_secs_f64(1.0 / 60.0);
/// let wheel = world.spawn((RigidBody::Dynamic, Collider::sphere(0.5))).id();
/// let axle = Joint::hinge(None, wheel).with_motor(Motor::velocity(3.0, 1e3));
/// let axle = world.spawn((axle, JointVelocity::default())).id();
/// for _ in 0..5 {
///     step_physics(world, step);
/// }
/// let speed = world.get::<JointVelocity>(axle).expect("it was asked for").angular.x;
/// assert!((speed - 3.0).abs() < 1e-3, "{speed} rad/s");
/// ```
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Debug, Default, PartialEq, Clone)]
pub struct JointVelocity {
    /// Along x, y, z [m/s].
    pub linear: Vec3,
    /// About x, y, z [rad/s].
    pub angular: Vec3,
}

/// A joint broke under more than its `break_force` or `break_torque`: it has
/// [`JointDisabled`] from now on. Take that away to mend it, or despawn the joint.
///
/// Read it with a `MessageReader<JointBroken>` or observe it on the entity of the joint.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn mend(mut broken: MessageReader<JointBroken>) {
///     for joint in broken.read() {
///         println!("{} broke", joint.joint);
///     }
/// }
/// # bevy_ecs::system::assert_is_system(mend);
/// ```
#[derive(Message, EntityEvent, Clone, Copy, Debug, PartialEq, Reflect)]
pub struct JointBroken {
    /// The entity of the joint.
    #[event_target]
    pub joint: Entity,
    /// Its first end.
    pub a: Option<Entity>,
    /// Its second end.
    pub b: Option<Entity>,
    /// The force (N) on the second end in the step in which it broke, world axes.
    pub force: Vec3,
    /// The torque (N·m) on the second end in the step in which it broke, world axes.
    pub torque: Vec3,
}

/// The joints that are there, with their frames in the world: for drawing, and for reading any axis.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn draw(joints: Joints) {
///     for joint in joints.iter() {
///         let [(a, _), (b, _)] = joint.frames;
///         println!("{}: from {a} to {b}", joint.entity);
///     }
/// }
/// ```
#[derive(SystemParam)]
pub struct Joints<'w, 's> {
    physics: Res<'w, PhysicsWorld>,
    joints: Query<'w, 's, (Entity, &'static Joint, &'static EngineJoint)>,
}

/// A joint that is there, seen through [`Joints`].
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// /// How far each hinge is from the end of its way.
/// fn play(joints: Joints) {
///     for hinge in joints.iter().filter(|joint| joint.is_enabled()) {
///         let angle = hinge.position(JointAxis::AngularX);
///         if let Some(limits) = hinge.limits(JointAxis::AngularX) {
///             println!("{}: {} rad to go", hinge.entity, limits.max - angle);
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(play);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JointView<'a> {
    /// The entity of the joint.
    pub entity: Entity,
    /// Its component.
    pub joint: &'a Joint,
    /// Its frames on the first and the second end, in the world: anchors (m) and axes.
    pub frames: [(Vec3, Quat); 2],
    /// The engine's joint: reaction, positions and velocities.
    pub engine: &'a joint::Joint,
}

impl JointView<'_> {
    /// Does it hold?
    #[must_use]
    pub const fn is_enabled(&self) -> bool {
        self.engine.is_enabled()
    }

    /// Position of an axis after the last step [m or rad].
    #[must_use]
    pub fn position(&self, axis: JointAxis) -> Real {
        self.engine.position(axis)
    }

    /// What acted on the second end along or about an axis of the frame on the first end in the last step
    /// [N or N·m], averaged over it; along the line from anchor to anchor for a distance joint. About the
    /// axis of a hinge and along that of a slide this is motor, spring, friction and limits together: locks
    /// do not act there.
    #[must_use]
    pub fn force(&self, axis: JointAxis) -> Real {
        let [(from, basis), (to, _)] = self.frames;
        let along = match (self.engine.desc().kind, axis) {
            (joint::JointKind::Distance { .. }, JointAxis::LinearX) => {
                (to - from).normalize_or_zero()
            }
            (_, axis) => quat_rotate(basis, [Vec3::X, Vec3::Y, Vec3::Z][axis.index() % 3]),
        };
        let (force, torque) = self.engine.reaction();
        if axis.index() < 3 { force.dot(along) } else { torque.dot(along) }
    }

    /// Limits of an axis [m or rad]: its own, those of its kind (zero and zero for a locked one), or none.
    /// What gears, racks and screws couple has none.
    #[must_use]
    pub fn limits(&self, axis: JointAxis) -> Option<AxisLimit> {
        let desc = self.engine.desc();
        let k = axis.index();
        match desc.kind {
            joint::JointKind::Distance { min, max } if k == 0 => Some(AxisLimit { min, max }),
            joint::JointKind::Gear { .. } | joint::JointKind::RackAndPinion { .. } => None,
            joint::JointKind::Screw { .. } if k == 0 => None,
            kind => desc.limits[k].or_else(|| {
                let locked = kind.locked() & 1 << k != 0;
                locked.then_some(AxisLimit { min: 0.0, max: 0.0 })
            }),
        }
    }
}

impl Joints<'_, '_> {
    fn view<'a>(
        &'a self,
        (entity, joint, link): (Entity, &'a Joint, &EngineJoint),
    ) -> Option<JointView<'a>> {
        let engine = self.physics.engine.joint(link.id?)?;
        let place = |k: usize| {
            let JointFrame { anchor, basis } = engine.desc().frames[k];
            let (position, rotation) = pose(engine.desc().ends[k], &self.physics);
            let basis = quat_normalize(quat_mul(rotation, basis));
            (position + quat_rotate(rotation, anchor), basis)
        };
        Some(JointView { entity, joint, frames: [place(0), place(1)], engine })
    }

    /// All joints that are there, disabled ones too; not those that wait for an end.
    pub fn iter(&self) -> impl Iterator<Item = JointView<'_>> {
        self.joints.iter().filter_map(|item| self.view(item))
    }

    /// The joint of an entity, if it is there.
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<JointView<'_>> {
        self.joints.get(entity).ok().and_then(|item| self.view(item))
    }
}

type Read = (
    &'static EngineJoint,
    Option<&'static mut JointForces>,
    Option<&'static mut JointPosition>,
    Option<&'static mut JointVelocity>,
);
type Reads = Or<(With<JointForces>, With<JointPosition>, With<JointVelocity>)>;

/// Three linear and three angular numbers.
const fn axes([x, y, z, p, q, r]: [Real; 6]) -> [Vec3; 2] {
    [Vec3::new(x, y, z), Vec3::new(p, q, r)]
}

/// Writes what is read of joints, where it changed.
pub(super) fn read_joints(physics: Res<PhysicsWorld>, mut joints: Query<Read, Reads>) {
    for (link, forces, position, velocity) in &mut joints {
        let joint = link.id.and_then(|id| physics.engine.joint(id));
        if let Some(mut forces) = forces {
            let (force, torque) = joint.map_or((Vec3::ZERO, Vec3::ZERO), joint::Joint::reaction);
            forces.set_if_neq(JointForces { force, torque });
        }
        let Some(joint) = joint else { continue };
        if let Some(mut position) = position {
            let [linear, angular] = axes(joint.positions());
            position.set_if_neq(JointPosition { linear, angular });
        }
        if let Some(mut velocity) = velocity {
            let [linear, angular] = axes(joint.velocities());
            velocity.set_if_neq(JointVelocity { linear, angular });
        }
    }
}

/// Tells which joints broke in this step, and disables them.
pub(super) fn emit_broken(
    physics: Res<PhysicsWorld>,
    mut joints: Query<(Entity, &Joint, &mut EngineJoint)>,
    mut messages: MessageWriter<JointBroken>,
    mut commands: Commands,
    mut list: Local<Vec<(JointId, JointBroken)>>,
) {
    let broken = &physics.engine.report().broken;
    if broken.is_empty() {
        return;
    }
    list.clear();
    for (entity, joint, mut link) in &mut joints {
        let Some(id) = link.id.filter(|id| broken.contains(id)) else { continue };
        if let Some(built) = &mut link.built {
            built.enabled = false;
        }
        let reaction = physics.engine.joint(id).map(joint::Joint::reaction);
        let (force, torque) = reaction.unwrap_or_default();
        list.push((id, JointBroken { joint: entity, a: joint.a, b: joint.b, force, torque }));
    }
    list.sort_unstable_by_key(|&(id, _)| id);
    for &(_, event) in list.iter() {
        messages.write(event);
        commands.entity(event.joint).try_insert(JointDisabled);
        commands.trigger(event);
    }
}

/// Tells once of every joint that it pressed against what cannot yield.
pub(super) fn emit_pressed(
    physics: Res<PhysicsWorld>,
    mut joints: Query<(Entity, &mut EngineJoint)>,
    mut errors: Errors,
    mut list: Local<Vec<(JointId, Entity)>>,
) {
    let yielded = &physics.engine.report().yielded;
    if yielded.is_empty() {
        return;
    }
    list.clear();
    for (entity, mut link) in &mut joints {
        let Some(id) = link.id.filter(|id| yielded.contains(id)) else { continue };
        let unasked = link.built.is_some_and(|desc| {
            desc.yield_force == Real::INFINITY && desc.yield_torque == Real::INFINITY
        });
        if unasked && !link.pressed {
            link.pressed = true;
            list.push((id, entity));
        }
    }
    list.sort_unstable();
    for &(_, entity) in list.iter() {
        errors.tell(entity, PhysicsErrorKind::Pressed);
    }
}
