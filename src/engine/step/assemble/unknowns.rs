//! Unknowns of islands: lists of all, slices of one, copies.
//!
//! Input: velocities and impulses, one each for a body or a row. Output: parts and copies of them.
//! O(unknowns).

use core::ops::Range;

use crate::engine::lcp::{Iterate, Problem, Vec6};
use crate::math::{Double, cut};

/// Where the parts of an island are in the lists of the problem.
#[derive(Clone, Debug)]
pub struct IslandRanges {
    /// In [`StepProblem::bodies`](super::StepProblem::bodies) and the velocities.
    pub members: Range<usize>,
    /// In [`StepProblem::manifolds`](super::StepProblem::manifolds).
    pub manifolds: Range<usize>,
    /// In [`StepProblem::contact_source`](super::StepProblem::contact_source) and the contact impulses.
    pub contacts: Range<usize>,
    /// Of its contacts without rows.
    pub(in crate::engine) far: Range<usize>,
    /// In [`StepProblem::joints`](super::StepProblem::joints) and the joint impulses.
    pub joints: Range<usize>,
    /// In [`StepProblem::rolling`](super::StepProblem::rolling) and the rolling impulses.
    pub rolling: Range<usize>,
}

/// Unknowns of all islands, in the order of the rows.
#[derive(Clone, Debug, Default)]
pub struct Unknowns {
    /// Velocity of every member of an island [m/s, rad/s].
    pub velocity: Vec<Vec6>,
    /// Impulse of every joint row [N·s or N·m·s].
    pub joint_impulse: Vec<Double>,
    /// Impulse of every contact on body b, world axes [N·s].
    pub contact_impulse: Vec<[Double; 3]>,
    /// Impulse of every rolling row [N·m·s].
    pub rolling_impulse: Vec<[Double; 3]>,
}

/// The unknowns of one island; contact impulses act on body b, in world axes.
pub type IslandUnknowns<'a> = Iterate<'a>;

impl<'a> IslandUnknowns<'a> {
    pub(crate) fn new(all: &'a mut Unknowns) -> Self {
        let Unknowns { velocity, joint_impulse, contact_impulse, rolling_impulse } = all;
        Self { velocity, joint_impulse, contact_impulse, rolling_impulse }
    }

    /// Cuts off those of the first island.
    pub(super) fn cut(&mut self, r: &IslandRanges) -> Self {
        Self {
            velocity: cut(&mut self.velocity, r.members.len()),
            joint_impulse: cut(&mut self.joint_impulse, r.joints.len()),
            contact_impulse: cut(&mut self.contact_impulse, r.contacts.len()),
            rolling_impulse: cut(&mut self.rolling_impulse, r.rolling.len()),
        }
    }
}

impl Unknowns {
    /// Of a problem, without velocities and impulses.
    pub(crate) fn at_rest(problem: &Problem) -> Self {
        Self {
            velocity: vec![[0.0; 6]; problem.bodies.len()],
            joint_impulse: vec![0.0; problem.joints.len()],
            contact_impulse: vec![[0.0; 3]; problem.contacts.len()],
            rolling_impulse: vec![[0.0; 3]; problem.rolling.len()],
        }
    }

    /// Becomes a copy of the unknowns of one island.
    pub(in crate::engine) fn take(&mut self, one: &IslandUnknowns<'_>) {
        one.velocity.clone_into(&mut self.velocity);
        one.contact_impulse.clone_into(&mut self.contact_impulse);
        one.joint_impulse.clone_into(&mut self.joint_impulse);
        one.rolling_impulse.clone_into(&mut self.rolling_impulse);
    }

    /// Makes the impulses zero.
    pub(in crate::engine) fn clear_impulses(&mut self) {
        IslandUnknowns::new(self).scale(0.0);
    }

    /// Adds impulses.
    pub(in crate::engine) fn add(&mut self, one: &IslandUnknowns<'_>) {
        let sums = self.joint_impulse.iter_mut().zip(&*one.joint_impulse);
        sums.for_each(|(sum, c)| *sum += c);
        add_lists(&mut self.contact_impulse, one.contact_impulse);
        add_lists(&mut self.rolling_impulse, one.rolling_impulse);
    }
}

impl IslandUnknowns<'_> {
    /// Becomes the same as others.
    pub(in crate::engine) fn copy_from(&mut self, other: &Self) {
        self.velocity.copy_from_slice(other.velocity);
        self.contact_impulse.copy_from_slice(other.contact_impulse);
        self.joint_impulse.copy_from_slice(other.joint_impulse);
        self.rolling_impulse.copy_from_slice(other.rolling_impulse);
    }

    /// Takes a copy back.
    pub(in crate::engine) fn put(&mut self, one: &Unknowns) {
        self.velocity.copy_from_slice(&one.velocity);
        self.put_impulses(one);
    }

    /// Adds the impulses of a copy.
    pub(in crate::engine) fn add_impulses(&mut self, one: &Unknowns) {
        add_lists(self.contact_impulse, &one.contact_impulse);
        add_lists(self.rolling_impulse, &one.rolling_impulse);
        self.joint_impulse.iter_mut().zip(&one.joint_impulse).for_each(|(sum, x)| *sum += x);
    }

    /// Goes a part `t` of the way from one state to another.
    pub(in crate::engine) fn mix(&mut self, from: &Unknowns, to: &Unknowns, t: Double) {
        mix_lists(self.velocity, &from.velocity, &to.velocity, t);
        mix_lists(self.contact_impulse, &from.contact_impulse, &to.contact_impulse, t);
        mix_lists(self.rolling_impulse, &from.rolling_impulse, &to.rolling_impulse, t);
        let ends = from.joint_impulse.iter().zip(&to.joint_impulse);
        self.joint_impulse.iter_mut().zip(ends).for_each(|(c, (x, y))| *c = x + t * (y - x));
    }

    /// Takes the impulses of a copy back.
    pub(in crate::engine) fn put_impulses(&mut self, one: &Unknowns) {
        self.joint_impulse.copy_from_slice(&one.joint_impulse);
        self.contact_impulse.copy_from_slice(&one.contact_impulse);
        self.rolling_impulse.copy_from_slice(&one.rolling_impulse);
    }

    /// Scales the impulses; zero takes away what is not finite as well.
    pub(in crate::engine) fn scale(&mut self, factor: Double) {
        if factor != 1.0 {
            let scale = |c: &mut Double| *c = if factor == 0.0 { 0.0 } else { *c * factor };
            self.joint_impulse.iter_mut().for_each(scale);
            let vectors = self.contact_impulse.iter_mut().chain(&mut *self.rolling_impulse);
            vectors.flatten().for_each(scale);
        }
    }

    pub(in crate::engine) fn has_finite_impulses(&self) -> bool {
        let vectors = self.contact_impulse.iter().chain(&*self.rolling_impulse);
        vectors.flatten().chain(&*self.joint_impulse).all(|x| x.is_finite())
    }
}

fn add_lists(sums: &mut [[Double; 3]], list: &[[Double; 3]]) {
    for (sum, x) in sums.iter_mut().zip(list) {
        (0..3).for_each(|k| sum[k] += x[k]);
    }
}

fn mix_lists<const N: usize>(
    list: &mut [[Double; N]],
    from: &[[Double; N]],
    to: &[[Double; N]],
    t: Double,
) {
    for (v, (x, y)) in list.iter_mut().zip(from.iter().zip(to)) {
        *v = core::array::from_fn(|k| x[k] + t * (y[k] - x[k]));
    }
}
