//! What a description of a robot can be refused for.

use crate::engine::shape::ShapeError;

/// Why a description of a robot was not taken.
///
/// ```
/// use orthant::prelude::*;
///
/// let two = r#"<robot name="two"><link name="one"/><link name="other"/></robot>"#;
/// let error = Urdf::read(two).expect_err("they hang on nothing");
/// assert_eq!(error, UrdfError::Roots(2));
/// println!("{error}");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum UrdfError {
    /// The text is no URDF, as the parser says.
    #[error("the text is no URDF: {0}")]
    Syntax(String),
    /// Two links have the same name.
    #[error("two links are called {0:?}")]
    SameName(String),
    /// A joint names a link that is not there.
    #[error("the joint {joint:?} names the link {link:?}, which is not there")]
    NoLink {
        /// Name of the joint.
        joint: String,
        /// Name of the link.
        link: String,
    },
    /// A link is the child of two joints: loops are no part of URDF.
    #[error("the link {0:?} is the child of two joints")]
    TwoParents(String),
    /// Not one link, but so many, are no child of a joint.
    #[error("a robot has one link that is no child of a joint, not {0}")]
    Roots(usize),
    /// The joints by which this link hangs make a circle.
    #[error("the joints above the link {0:?} make a circle")]
    Circle(String),
    /// A joint mimics itself or one that is not there, or one of the two has not one axis to move along or
    /// about.
    #[error(
        "the joint {joint:?} cannot mimic {leader:?}: both must be revolute, continuous or prismatic"
    )]
    Mimic {
        /// Name of the joint.
        joint: String,
        /// Name of what it mimics.
        leader: String,
    },
    /// The axis of this joint has no direction.
    #[error("the axis of the joint {0:?} has no direction")]
    NoAxis(String),
    /// A body that a joint moves has no mass, or one that is negative or not a number: this link, with
    /// those that are fixed to it.
    #[error("the link {0:?}, with those fixed to it, is moved and has no mass")]
    NoMass(String),
    /// A pose or the inertia of this link or joint is infinite or not a number.
    #[error("{0:?} has a number that is infinite or not a number")]
    NotFinite(String),
    /// The link has a mesh for which there is no collider.
    #[error("there is no collider for the mesh {file:?} of the link {link:?}")]
    Mesh {
        /// Name of the link.
        link: String,
        /// Name of the file, as it stands in the description.
        file: String,
    },
    /// The collision geometry of a link makes no shape.
    #[error("the link {link:?} has no shape: {error}")]
    Shape {
        /// Name of the link.
        link: String,
        /// Why.
        error: ShapeError,
    },
}
