//! The problem of an island and its unknowns, with the contacts in manifolds.

use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::problem::{BodyBlock, Cone, JointRow, RollingRow, Vec6};
use crate::engine::tuning::newton::{SMALL, TINY};
use crate::math::Double;

/// The problem of one island, with its contacts in manifolds.
#[derive(Clone, Copy, Debug)]
pub struct ManifoldProblem<'a> {
    /// Mass blocks.
    pub bodies: &'a [BodyBlock],
    /// Contacts. Body indices equal to the number of bodies stand for the fixed world.
    pub manifolds: &'a [Manifold],
    /// Joint rows; those of one joint follow each other.
    pub joints: &'a [JointRow],
    /// Rolling and spinning rows of some contacts, ascending by contact, at most one each; their directions
    /// are those of the frame of the manifold.
    pub rolling: &'a [RollingRow],
    /// Friction cone of all contacts; pyramids in the frame of the manifold.
    pub cone: Cone,
}

impl<'a> ManifoldProblem<'a> {
    /// A problem with circular cones and without rolling rows.
    #[must_use]
    pub const fn round(
        bodies: &'a [BodyBlock],
        manifolds: &'a [Manifold],
        joints: &'a [JointRow],
    ) -> Self {
        Self { bodies, manifolds, joints, rolling: &[], cone: Cone::Circular }
    }

    /// Contacts and bodies, as if every manifold were full.
    pub(in crate::engine) fn size(&self) -> Double {
        (self.manifolds.len() * 4 + self.bodies.len()) as Double
    }

    /// Sweeps over all of it that a budget of one allows.
    pub fn budget(&self) -> Double {
        (self.size() + SMALL) / self.size().max(1.0)
    }

    pub(super) fn is_tiny(&self) -> bool {
        let contacts: usize = self.manifolds.iter().map(|m| m.count as usize).sum();
        contacts + self.bodies.len() <= TINY
    }
}

/// Unknowns of an island: warm start in, solution out.
#[derive(Debug)]
pub struct ManifoldIterate<'a> {
    /// `v` [m/s, rad/s], one for each body.
    pub velocity: &'a mut [Vec6],
    /// Impulses of the contacts [N·s], world axes, in the order of the manifolds.
    pub contact: &'a mut [[Double; 3]],
    /// `(s, r_1, r_2)` [N·m·s], one for each rolling row.
    pub rolling: &'a mut [[Double; 3]],
    /// `c_ν` [N·s or N·m·s], one for each joint row.
    pub joint: &'a mut [Double],
}
