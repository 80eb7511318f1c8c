//! Joints: equality constraints `Θ(q) = 0` between two bodies, linearized as (4.14),
//! `νᵀ v + γ Θ / h = 0`.

use super::bodies::Bodies;
use super::body::{BodyError, BodyId};
use crate::math::{Quat, Real, Vec3, quat_normalize};

/// Names a joint. Given out in ascending order, never again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u64);

/// What a joint keeps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// The anchors coincide: three rows.
    Ball,
    /// The anchors coincide and the relative rotation is this one (`R_aᵀ R_b`): six rows.
    Fixed(Quat),
    /// The anchors are this far apart (m), > 0: one row.
    Distance(Real),
}

/// What a new joint is made from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointDesc {
    /// First body.
    pub a: BodyId,
    /// Second body.
    pub b: BodyId,
    /// Anchor in the frame of body a (m).
    pub anchor_a: Vec3,
    /// Anchor in the frame of body b (m).
    pub anchor_b: Vec3,
    /// What it keeps.
    pub kind: JointKind,
    /// Do the two bodies collide with each other? Usually not.
    pub collide: bool,
}

/// Why a joint was refused.
#[derive(Clone, Debug, PartialEq)]
pub enum JointError {
    /// One of the bodies.
    Body(BodyError),
    /// Both ends are on the same body.
    SameBody(BodyId),
    /// This property is NaN or infinite.
    NotFinite(&'static str),
    /// The length of a distance joint is not positive (m).
    Length(Real),
}

impl core::fmt::Display for JointError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Body(error) => write!(f, "a joint needs two bodies: {error}"),
            Self::SameBody(id) => write!(f, "both ends of the joint are on body {}", id.0),
            Self::NotFinite(what) => write!(f, "{what} is NaN or infinite"),
            Self::Length(l) => write!(f, "a distance joint needs a positive length, got {l} m"),
        }
    }
}

impl core::error::Error for JointError {}

/// A joint between two bodies.
#[derive(Clone, Debug)]
pub struct Joint {
    pub(crate) id: JointId,
    pub(crate) desc: JointDesc,
    /// Impulses of the last step, biased and relaxed solve, in the world axes of the rows.
    pub(crate) impulse: [[crate::math::Double; 6]; 2],
    /// Is it to be removed when no step is under way?
    gone: bool,
}

impl Joint {
    /// The joint's id.
    pub const fn id(&self) -> JointId {
        self.id
    }

    /// What the joint was made from.
    pub const fn desc(&self) -> &JointDesc {
        &self.desc
    }

    /// Number of its rows.
    pub const fn rows(&self) -> usize {
        match self.desc.kind {
            JointKind::Ball => 3,
            JointKind::Fixed(_) => 6,
            JointKind::Distance(_) => 1,
        }
    }
}

/// All joints, in ascending order of their ids.
#[derive(Clone, Debug, Default)]
pub struct Joints {
    list: Vec<Joint>,
    next: u64,
    gone: bool,
}

impl Joints {
    /// Checks a description and adds the joint at the end.
    pub(crate) fn add(&mut self, desc: JointDesc, bodies: &Bodies) -> Result<JointId, JointError> {
        for id in [desc.a, desc.b] {
            if bodies.get(id).is_none() {
                return Err(JointError::Body(BodyError::Unknown(id)));
            }
        }
        if desc.a == desc.b {
            return Err(JointError::SameBody(desc.a));
        }
        if !(desc.anchor_a.is_finite() && desc.anchor_b.is_finite()) {
            return Err(JointError::NotFinite("anchor"));
        }
        match desc.kind {
            JointKind::Distance(l) if !(l > 0.0 && l.is_finite()) => {
                return Err(JointError::Length(l));
            }
            JointKind::Fixed(q) if !q.is_finite() => {
                return Err(JointError::NotFinite("relative rotation"));
            }
            _ => {}
        }
        let mut desc = desc;
        if let JointKind::Fixed(relative) = &mut desc.kind {
            *relative = quat_normalize(*relative);
        }
        let id = JointId(self.next);
        self.next += 1;
        self.list.push(Joint { id, desc, impulse: [[0.0; 6]; 2], gone: false });
        Ok(id)
    }

    /// Marks a joint for removal; false if there is none of this id.
    pub(crate) fn remove(&mut self, id: JointId) -> bool {
        match self.list.binary_search_by_key(&id, |joint| joint.id) {
            Ok(i) => {
                self.gone = true;
                !core::mem::replace(&mut self.list[i].gone, true)
            }
            Err(_) => false,
        }
    }

    /// Marks the joints of a body that goes for removal.
    pub(crate) fn remove_body(&mut self, id: BodyId) {
        for joint in &mut self.list {
            if joint.desc.a == id || joint.desc.b == id {
                joint.gone = true;
                self.gone = true;
            }
        }
    }

    /// Removes the joints that are marked. Not during a step: its stages know joints by their index.
    pub(crate) fn compact(&mut self) {
        if core::mem::take(&mut self.gone) {
            self.list.retain(|joint| !joint.gone);
        }
    }

    /// The joint of this id.
    pub fn get(&self, id: JointId) -> Option<&Joint> {
        self.list.binary_search_by_key(&id, |joint| joint.id).ok().map(|i| &self.list[i])
    }

    /// The joints in ascending order of their ids.
    pub fn as_slice(&self) -> &[Joint] {
        &self.list
    }

    /// The joints in ascending order of their ids.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [Joint] {
        &mut self.list
    }
}
