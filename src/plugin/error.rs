//! What goes wrong is told about an entity: in the log, as a message and as an entity event.
//!
//! What is told about an entity in step after step is told once, until a step passes without it. So is what
//! is told whenever components are looked at without a step, as in a pause.

use core::time::Duration;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_reflect::Reflect;
use bevy_time::Time;

use super::time::Physics;
use crate::engine::body::BodyError;
use crate::engine::joint::JointError;
use crate::engine::shape::ShapeError;
use crate::math::Real;

/// Something is wrong with the body, collider or joint of this entity.
///
/// Read it with a `MessageReader<PhysicsError>` or observe it on the entity. The same text is logged, with
/// the `Name` of the entity if it has one. What goes on for several steps is told once.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use orthant::prelude::*;
/// fn listen(mut errors: MessageReader<PhysicsError>, names: Query<&Name>) {
///     for PhysicsError { entity, error } in errors.read() {
///         println!("{:?}: {error}", names.get(*entity));
///     }
/// }
/// # bevy_ecs::system::assert_is_system(listen);
/// ```
#[derive(Message, EntityEvent, Clone, Debug, PartialEq, Reflect)]
#[reflect(opaque)]
#[reflect(Debug, PartialEq, Clone)]
pub struct PhysicsError {
    /// The entity of the body, collider or joint.
    #[event_target]
    pub entity: Entity,
    /// What is wrong.
    pub error: PhysicsErrorKind,
}

/// What can be wrong with a body, a collider or a joint.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use orthant::plugin::PhysicsErrorKind;
/// use orthant::prelude::*;
///
/// /// Takes away what went wrong, and says why.
/// fn clean_up(mut errors: MessageReader<PhysicsError>, mut commands: Commands) {
///     for PhysicsError { entity, error } in errors.read() {
///         if let PhysicsErrorKind::Frozen | PhysicsErrorKind::OutOfRange(_) = error {
///             println!("{entity} goes: {error}");
///             commands.entity(*entity).try_despawn();
///         }
///     }
/// }
/// # bevy_ecs::system::assert_is_system(clean_up);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum PhysicsErrorKind {
    /// The collider of the entity, in the scale of its `Transform`s, has no shape. A collider that was
    /// there before keeps its last shape; a new one is left out.
    Shape(ShapeError),
    /// The mesh of the entity makes no collider; its constructor is gone.
    #[cfg(feature = "mesh")]
    Mesh(super::MeshColliderError),
    /// The engine refused the body. An existing body stays as it was; a new one is not made.
    Body(BodyError),
    /// The engine refused the joint. There is none until the component changes.
    Joint(JointError),
    /// The joint pressed what it holds against what cannot yield either, with a thousand times the weight
    /// of all that hangs on it, and then yielded. Told once; a joint with a `yield_force` or
    /// `yield_torque` yields unasked.
    Pressed,
    /// Contacts press the body, or what it touches, between what cannot yield, as a lid led down onto a
    /// table: all of them gave way alike and overlap. Told of the first made of all that touch, once for as
    /// long as it lasts ([`StepReport::pressed`](crate::engine::report::StepReport::pressed)).
    Squeezed,
    /// Contacts can hold each other by friction, those of this body among them, and their island was not
    /// solved: it is jammed, as a drawer that is pushed aside, and no budget helps. Told once for as long
    /// as it lasts ([`StepReport::jammed`](crate::engine::report::StepReport::jammed)); which contacts they
    /// are, and how they push, tells [`Simulation::jams`](crate::engine::Simulation::jams).
    Jammed,
    /// The body is in one place with so many others, or touches those, that pairs are refused: not all of
    /// them are pushed apart at once. Told of the first made of all that touch, once for as long as it lasts
    /// ([`StepReport::pairs_refused`](crate::engine::report::StepReport::pairs_refused)).
    Crowded,
    /// Nothing holds the body in equilibrium, in quasistatic steps: it would have moved by more than
    /// [`Quasistatic::step_max`](crate::engine::settings::Quasistatic::step_max), and stays. Told once for as
    /// long as it lasts.
    Unbalanced,
    /// This component has a value that makes no sense, which counts as the nearest one that does: friction
    /// below 0, restitution below 0 or above 1.
    Clamped(&'static str, Real),
    /// An end of the joint, this entity, has no body: it is gone, or has neither a
    /// [`RigidBody`](super::RigidBody) nor a [`Collider`](super::Collider). The joint waits for it.
    JointEnd(Entity),
    /// The anchors of the joint are this far apart (m) where it begins, and it pulls them together.
    JointApart(Real),
    /// Both ends of the joint are the world or bodies that no force moves: it does nothing.
    JointFixed,
    /// The axis of the joint has no direction: `with_axis` or `with_local_axes` was given zero, or what is
    /// not finite.
    JointAxis,
    /// The entity is observed for this event, which comes only to entities with this component.
    NotEnabled(&'static str, &'static str),
    /// This entity, the first of those, touches another, and a system reads this message, or someone observes
    /// it of all entities; but no entity ever had this component, without which nothing is told.
    Unheard(&'static str, &'static str),
    /// The first component does nothing on this entity, since the second one is not on it, or not of that
    /// kind; it waited for it for some steps.
    Idle(&'static str, &'static str),
    /// Someone writes the `Transform` of this dynamic body, or that of a parent,
    /// before every step: it was placed anew so often in a row.
    Dragged(u32),
    /// The body is so far from the origin (m) that numbers of single precision resolve no more than this
    /// (m).
    FarAway(Real, Real),
    /// The body is advanced in small steps, as with [`SolverConfig::budget`](super::SolverConfig::budget),
    /// and so many times as heavy as the lightest of its island, of what touches it or is joined to it,
    /// also by others: small steps are soft, and it sinks into what carries it. Told once of a body.
    MassRatio(Real),
    /// This component has a value that is NaN, infinite or out of its
    /// [range](crate::engine::settings::ranges). It was not taken over.
    OutOfRange(&'static str),
    /// The state of the body left its [ranges](crate::engine::settings::ranges), or was not finite. It is
    /// frozen at its last good pose until it is placed anew.
    Frozen,
}

impl core::fmt::Display for PhysicsErrorKind {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Shape(error) => {
                write!(f, "the collider has no shape: {error}; {}", shape_remedy(error))
            }
            #[cfg(feature = "mesh")]
            Self::Mesh(error) => write!(f, "the mesh makes no collider: {error}"),
            Self::Body(BodyError::Mass(0.0)) => write!(
                f,
                "a dynamic body needs a mass above zero: give it a `Collider`, here or on a child, or a \
                 `Mass`"
            ),
            Self::Body(error) => write!(f, "{error}{}", body_remedy(error)),
            Self::Joint(error) => write!(f, "{error}: {}", joint_remedy(error)),
            Self::Pressed => write!(
                f,
                "the joint pressed what it holds against something that cannot yield either, and \
                 yielded itself; give it a yield force to say how hard it may press"
            ),
            Self::Squeezed => write!(
                f,
                "contacts press the body, or what it touches, between what cannot yield; all of them \
                 gave way and overlap: lead what presses less far, or make it `RigidBody::Dynamic`"
            ),
            Self::Jammed => write!(
                f,
                "contacts of the body, or of what it touches, hold each other by friction, and it is jammed: \
                 give it less `Friction`, or push it elsewhere; `Simulation::jams` tells which contacts"
            ),
            Self::Crowded => write!(
                f,
                "the body is in one place with more than a hundred others, or touches those: not all of them \
                 meet until some have come apart; spawn them apart, or in smaller numbers"
            ),
            Self::Unbalanced => write!(
                f,
                "nothing holds the body in equilibrium; in quasistatic steps it stays where it is: hold it \
                 by contacts, a joint or `LinearDamping`, or raise `Quasistatic::step_max`"
            ),
            Self::OutOfRange(what) => write!(
                f,
                "{what} is NaN, infinite or out of its range, see orthant::engine::settings::ranges, and was \
                 not taken over: write a `{what}` within it"
            ),
            Self::Frozen => write!(
                f,
                "pose, velocity or forces are not finite or out of their ranges, see \
                 orthant::engine::settings::ranges: the body is frozen at its last good pose until it is \
                 placed anew; mend what pushes it, then write its `Transform`"
            ),
            _ => self.fmt_misuse(f),
        }
    }
}

/// What to do about a shape that is none.
const fn shape_remedy(error: &ShapeError) -> &'static str {
    match error {
        ShapeError::BadScale { .. } => {
            "give its `Transform`, and those above, a scale without zeros; `ColliderDisabled` takes it out"
        }
        ShapeError::UnevenScale { .. } => {
            "scale its `Transform` alike along these axes, or make its `Collider` of another kind"
        }
        _ => "insert a `Collider` that has one",
    }
}

/// What to do about a body that the engine refused, where the error does not say so itself; it stands
/// behind that.
const fn body_remedy(error: &BodyError) -> &'static str {
    match error {
        BodyError::NotFinite(_) | BodyError::Range(_) => {
            "; write its components, and those of its colliders, within the ranges"
        }
        BodyError::Inertia => {
            "; give it an `AngularInertia` above zero about every axis, or none, for that of its colliders"
        }
        _ => "",
    }
}

/// What to do about a joint that the engine refused.
const fn joint_remedy(error: &JointError) -> &'static str {
    match error {
        JointError::SameBody(_) | JointError::NoBody => {
            "give it two bodies, or one and `None` for the world, or despawn the joint"
        }
        JointError::Locked(_) => {
            "take that away, or use `Joint::generic`, all of whose axes are free until they are limited"
        }
        JointError::NoSwing => "take `with_swing_limit` away, or use `Joint::ball`",
        _ => "insert a `Joint` that is right, or despawn it",
    }
}

impl PhysicsErrorKind {
    /// Likely mistakes, which are told and change nothing.
    fn fmt_misuse(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Clamped("Restitution", value) => {
                write!(f, "restitution must be from 0 to 1, got {value}; it counts as the nearest")
            }
            Self::Clamped(what, value) => {
                write!(f, "{what} must be at least 0, got {value}; it counts as 0")
            }
            Self::JointEnd(end) => write!(
                f,
                "the end {end} of the joint has no body, and the joint waits for one: give it a \
                 `RigidBody`, or despawn the joint"
            ),
            Self::JointApart(apart) => write!(
                f,
                "the anchors of the joint are {apart:.2} m apart where it begins, and it pulls them \
                 together; `with_anchor` takes a point of the world, `with_anchors` points in the \
                 frames of the bodies"
            ),
            Self::JointFixed => write!(
                f,
                "neither end of the joint is a dynamic body, so it does nothing: make one of them \
                 `RigidBody::Dynamic`"
            ),
            Self::JointAxis => write!(
                f,
                "the axis of the joint has no direction: give `with_axis` a vector that is finite and \
                 not zero"
            ),
            Self::NotEnabled(event, flag) => write!(
                f,
                "the entity is observed for `{event}`, which comes only to entities with the component \
                 `{flag}`: insert it"
            ),
            Self::Unheard(message, flag) => write!(
                f,
                "the entity touches another, and `{message}` is read or observed, but it is told of none: \
                 insert the component `{flag}` on the entities to hear of"
            ),
            Self::Idle(what, need) => write!(
                f,
                "`{what}` does nothing on this entity without a {need}: insert that, or move `{what}` to \
                 the entity that has it"
            ),
            Self::Dragged(steps) => write!(
                f,
                "the `Transform` of this dynamic body, or of a parent, was written before each of \
                 {steps} steps in a row, which places it anew; push it by `Forces` or \
                 `LinearVelocity`, or make it `RigidBody::Kinematic`"
            ),
            Self::FarAway(distance, resolution) => write!(
                f,
                "the body is {distance:.0} m from the origin, where single precision resolves \
                 {:.1} mm: keep the action near the origin, or use the feature `f64`",
                1e3 * resolution
            ),
            Self::MassRatio(ratio) => write!(
                f,
                "the body is {ratio:.0} times as heavy as the lightest of its island, which is advanced in \
                 small, soft steps, and sinks into what carries it: use masses closer together, or \
                 `SolverConfig::default()` in place of `SolverConfig::budget()`"
            ),
            _ => Ok(()),
        }
    }
}

impl core::error::Error for PhysicsErrorKind {}

impl From<ShapeError> for PhysicsErrorKind {
    fn from(error: ShapeError) -> Self {
        Self::Shape(error)
    }
}

impl From<BodyError> for PhysicsErrorKind {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<JointError> for PhysicsErrorKind {
    fn from(error: JointError) -> Self {
        Self::Joint(error)
    }
}

/// What was told lately: about whom, what, and when and in which look it last would have been told anew.
#[derive(Resource, Debug, Default)]
pub(super) struct LatelyTold {
    told: Vec<(Entity, String, Duration, u64)>,
    /// How often components were looked at without a step.
    looks: u64,
}

impl LatelyTold {
    /// Components are looked at without a step.
    pub(super) const fn look(&mut self) {
        self.looks += 1;
    }
}

/// Tells errors: log, message, entity event.
#[derive(SystemParam)]
pub(super) struct Errors<'w, 's> {
    commands: Commands<'w, 's>,
    messages: MessageWriter<'w, PhysicsError>,
    told: ResMut<'w, LatelyTold>,
    time: Option<Res<'w, Time<Physics>>>,
    names: Query<'w, 's, &'static Name>,
}

impl Errors<'_, '_> {
    /// Tells what is wrong with this entity, unless it was told in the last step, or the last look.
    pub(super) fn tell(&mut self, entity: Entity, error: PhysicsErrorKind) {
        let clock = self.time.as_ref().map(|time| (time.elapsed(), time.delta()));
        let (now, step) = clock.unwrap_or_default();
        let LatelyTold { told, looks } = &mut *self.told;
        told.retain(|&(_, _, last, _)| last + step >= now);
        let text = error.to_string();
        let known = told.iter_mut().find(|(who, what, ..)| *who == entity && *what == text);
        if let Some((.., last, look)) = known {
            let goes_on = *last < now || *look + 1 == *looks;
            (*last, *look) = (now, *looks);
            if goes_on {
                return;
            }
        } else {
            told.push((entity, text, now, *looks));
        }
        match self.names.get(entity) {
            Ok(name) => log::error!("entity {entity} \"{name}\": {error}"),
            Err(_) => log::error!("entity {entity}: {error}"),
        }
        self.messages.write(PhysicsError { entity, error: error.clone() });
        self.commands.trigger(PhysicsError { entity, error });
    }

    /// Tells the error of a result.
    pub(super) fn check(&mut self, entity: Entity, result: Result<(), PhysicsErrorKind>) {
        if let Err(error) = result {
            self.tell(entity, error);
        }
    }
}
