//! Manifolds as rows and back, for the solvers that know rows only.

use super::manifold::Manifold;
use super::problem::{BodyBlock, ContactRow};
use crate::math::{DVec3, Double};

/// The contacts of an island as rows, with their impulses in the frames of the rows.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct Rows {
    pub(in crate::engine) contacts: Vec<ContactRow>,
    pub(in crate::engine) impulse: Vec<[Double; 3]>,
}

impl Rows {
    /// Makes a row of every contact and takes its impulse along.
    pub(in crate::engine) fn expand(
        &mut self,
        manifolds: &[Manifold],
        bodies: &[BodyBlock],
        world: &[[Double; 3]],
    ) {
        self.contacts.clear();
        self.impulse.clear();
        for manifold in manifolds {
            let frame = manifold.frame().map(DVec3::from_array);
            for lane in 0..manifold.count as usize {
                self.contacts.push(manifold.row(lane, bodies));
                let impulse = DVec3::from_array(world[manifold.first as usize + lane]);
                self.impulse.push(frame.map(|d| d.dot(impulse)));
            }
        }
    }

    /// Gives the impulses back as vectors of the world.
    pub(in crate::engine) fn keep(&self, manifolds: &[Manifold], world: &mut [[Double; 3]]) {
        for manifold in manifolds {
            let frame = manifold.frame().map(DVec3::from_array);
            for lane in 0..manifold.count as usize {
                let i = manifold.first as usize + lane;
                let [n, t1, t2] = self.impulse[i];
                world[i] = (frame[0] * n + frame[1] * t1 + frame[2] * t2).to_array();
            }
        }
    }
}
