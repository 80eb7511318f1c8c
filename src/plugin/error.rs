//! What goes wrong is told about an entity: in the log, as a message and as an entity event.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use crate::engine::body::BodyError;
use crate::engine::joint::JointError;
use crate::engine::shape::ShapeError;

/// Something is wrong with the body, collider or joint of this entity.
///
/// Read it with a `MessageReader<PhysicsError>` or observe it on the entity. The same text is logged.
#[derive(Message, EntityEvent, Clone, Debug, PartialEq)]
pub struct PhysicsError {
    /// The entity of the body, collider or joint.
    #[event_target]
    pub entity: Entity,
    /// What is wrong.
    pub error: PhysicsErrorKind,
}

/// What can be wrong with a body, a collider or a joint.
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
    /// Nothing holds the body in equilibrium, in quasistatic steps: it would have moved by more than
    /// [`Quasistatic::step_max`](crate::engine::settings::Quasistatic::step_max), and stays. Told once for as
    /// long as it lasts.
    Unbalanced,
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
            Self::Shape(error) => write!(f, "the collider has no shape: {error}"),
            #[cfg(feature = "mesh")]
            Self::Mesh(error) => write!(f, "the mesh makes no collider: {error}"),
            Self::Body(error) => error.fmt(f),
            Self::Joint(error) => error.fmt(f),
            Self::Pressed => write!(
                f,
                "the joint pressed what it holds against something that cannot yield either, and \
                 yielded itself; give it a yield force to say how hard it may press"
            ),
            Self::Squeezed => write!(
                f,
                "contacts press the body, or what it touches, between what cannot yield; all of them \
                 gave way and overlap"
            ),
            Self::Unbalanced => write!(
                f,
                "nothing holds the body in equilibrium; in quasistatic steps it stays where it is"
            ),
            Self::OutOfRange(what) => write!(
                f,
                "{what} is NaN, infinite or out of its range, see orthant::engine::settings::ranges, and was \
                 not taken over"
            ),
            Self::Frozen => write!(
                f,
                "pose, velocity or forces are not finite or out of their ranges, see \
                 orthant::engine::settings::ranges: the body is frozen at its last good pose until it is \
                 placed anew"
            ),
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

/// Tells errors: log, message, entity event.
#[derive(SystemParam)]
pub(super) struct Errors<'w, 's> {
    commands: Commands<'w, 's>,
    messages: MessageWriter<'w, PhysicsError>,
}

impl Errors<'_, '_> {
    /// Tells what is wrong with this entity.
    pub(super) fn tell(&mut self, entity: Entity, error: PhysicsErrorKind) {
        log::error!("entity {entity}: {error}");
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
