//! The two pieces of a pair where they are, and contacts between them in the axes of the world.
//!
//! Input: bodies, their motions and pieces. Output: arms and rotations in world axes about the centers of
//! the bodies, so that nothing depends on how far they are from the origin; contacts with arms and touching
//! points.

use super::collect::Contact;
use crate::engine::papers::enumerate::Placement;
use crate::engine::state::body::Body;
use crate::engine::state::collider::PieceRef;
use crate::engine::state::contact::{ActiveContact, ContactId};
use crate::engine::state::motion::Motion;
use crate::math::{Mat3, Quat, Real, Vec3, quat_exp, quat_to_mat3, widen, widen_mat3, widen3};

/// The two pieces of a pair in world axes, each relative to the center of its body.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Placed {
    /// From the center of body a to that of body b (m).
    pub(in crate::engine) between: Vec3,
    /// From the center of each body to the centroid of its piece (m).
    pub(in crate::engine) arms: [Vec3; 2],
    /// Rotation of each piece.
    pub(in crate::engine) rotations: [Mat3; 2],
    /// Distance up to which contacts are sought (m).
    pub(in crate::engine) band: Real,
    /// The time (s) after which swept pieces meet here, if that is why they are here.
    pub(super) met: Option<Real>,
}

impl Placed {
    pub(super) fn new(
        bodies: [&Body; 2],
        motions: [&Motion; 2],
        pieces: [&PieceRef<'_>; 2],
        band: Real,
    ) -> Self {
        let arm =
            |k: usize| motions[k].rotation * (pieces[k].centroid() - bodies[k].center_of_mass());
        let turn = |k: usize| {
            // Most pieces lie along the axes of their bodies.
            let (body, piece) = (motions[k].rotation, pieces[k].rotation);
            if piece == Quat::IDENTITY { body } else { body * quat_to_mat3(piece) }
        };
        Self {
            between: bodies[0].to_center_of(bodies[1]),
            arms: [arm(0), arm(1)],
            rotations: [turn(0), turn(1)],
            band,
            met: None,
        }
    }

    /// From centroid to centroid (m).
    pub(in crate::engine) fn offset(&self) -> Vec3 {
        self.between + self.arms[1] - self.arms[0]
    }

    /// Arms from both centers to a point given from the center of body a.
    pub(in crate::engine) fn arms_to(&self, point: Vec3) -> [Vec3; 2] {
        [point, point - self.between]
    }

    /// A contact of the pair with this id and `normal` from a to b and touching points from the center of a
    /// in world axes. `radii` are those of the rounding (m), `to_bodies` turn to the axes of both bodies.
    pub(super) fn contact(
        &self,
        contact: &Contact,
        id: ContactId,
        normal: Vec3,
        points: [Vec3; 2],
        radii: [Real; 2],
        to_bodies: &[Mat3; 2],
    ) -> ActiveContact {
        let cores = [
            to_bodies[0] * (points[0] - normal * radii[0]),
            to_bodies[1] * (points[1] + normal * radii[1] - self.between),
        ];
        let arms = self.arms_to((points[0] + points[1]) * 0.5);
        let gap = contact.separation;
        ActiveContact { cores, ..ActiveContact::new(id, normal, arms, gap, widen(gap)) }
    }

    /// Moves both pieces along the free motion of their bodies to where they meet, after some time (s).
    pub(super) fn advance(&mut self, motions: [&Motion; 2], time: Real) {
        self.met = Some(time);
        self.between += (motions[1].linear - motions[0].linear) * time;
        for k in 0..2 {
            if motions[k].angular != Vec3::ZERO {
                let turn = quat_to_mat3(quat_exp(motions[k].angular * time));
                self.arms[k] = turn * self.arms[k];
                self.rotations[k] = turn * self.rotations[k];
            }
        }
    }

    /// Pose of piece `k` about the center of body a, in double precision.
    pub(in crate::engine) fn placement(&self, k: usize) -> Placement {
        let from_a = if k == 0 { self.arms[0] } else { self.between + self.arms[1] };
        Placement { position: widen3(from_a), rotation: widen_mat3(self.rotations[k]) }
    }
}
