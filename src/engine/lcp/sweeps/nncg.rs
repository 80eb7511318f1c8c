//! Sweeps accelerated by conjugate directions: nonsmooth nonlinear conjugate gradients.
//!
//! A sweep is taken for a gradient, and the way of the last sweeps is added to it (Silcowitz, Niebe and
//! Erleben, The Visual Computer 26 (2010)):
//!
//! ```text
//! g = x - sweep(x),   β = |g|² / |g_last|²
//! β ≤ 1:  x ← x - g + β p,   p ← β p - g          else  x ← x - g,   p ← 0
//! ```
//!
//! with Fletcher and Reeves' `β` of the impulses. Velocities are linear in the impulses, so that they take
//! the same combination and no product with the matrix is needed. A sum may leave the friction cones; the
//! next sweep brings it back, and the last sweep of a call is a plain one. In a blow, where the residual of
//! plain sweeps falls like `1/n`, this one is two to five times smaller after as many sweeps; a sweep costs
//! a third to a half more. It stalls on single bodies now and then, where plain sweeps find the solution.
//!
//! Deliberately not done: a line search, which the non-smooth problem has no function for.

use super::lists::{Conjugate, Lists, SweepScratch};
use super::problem::{SweepIterate, SweptIsland};
use super::substeps::Start;
use crate::math::Single;
use crate::par::Pool;

/// Sweeps as [`solve_sweeps`](super::solve_sweeps), but accelerated. A call goes on with the direction of the
/// last one, which was for the same problem, unless it is `fresh`.
pub fn solve_nncg(
    island: &SweptIsland<'_>,
    iterate: &mut SweepIterate<'_>,
    of: usize,
    sweeps: u32,
    fresh: bool,
    scratch: &mut SweepScratch,
) {
    let lists = &mut scratch.lists;
    lists.start_sweeps(island, iterate, of, Start::Impulses);
    let mut conjugate = core::mem::take(&mut lists.conjugate);
    if fresh {
        conjugate.last = 0.0;
    }
    for _ in 1..sweeps {
        lists.accelerated_sweep(island.pool, &mut conjugate);
    }
    if sweeps > 0 {
        lists.plain_sweeps(island.pool, 1);
    }
    lists.conjugate = conjugate;
    lists.end_sweeps(island, iterate, of);
}

impl<const L: usize> Lists<L> {
    fn accelerated_sweep(&mut self, pool: &dyn Pool, c: &mut Conjugate) {
        self.read(&mut c.old);
        self.plain_sweeps(pool, 1);
        let impulses = self.read(&mut c.new);
        let mut sums = [0.0; L];
        for (old, new) in c.old[..impulses].chunks_exact(L).zip(c.new.chunks_exact(L)) {
            for l in 0..L {
                sums[l] += (new[l] - old[l]) * (new[l] - old[l]);
            }
        }
        let norm: Single = sums.iter().sum();
        let beta = norm / c.last;
        if c.last > 0.0 && beta <= 1.0 {
            let lists = c.new.iter_mut().zip(&c.old).zip(&mut c.direction);
            for ((new, old), way) in lists {
                let change = *new - old;
                *new += beta * *way;
                *way = beta * *way + change;
            }
            self.write(&c.new);
        } else {
            c.direction.clear();
            if c.last > 0.0 {
                c.direction.resize(c.new.len(), 0.0);
            } else {
                c.direction.extend(c.new.iter().zip(&c.old).map(|(new, old)| new - old));
            }
        }
        c.last = norm;
    }

    /// Copies the impulses, then the velocities; tells how many numbers the former are.
    fn read(&mut self, out: &mut Vec<Single>) -> usize {
        out.clear();
        self.each_impulse(|impulse| out.extend_from_slice(impulse));
        let impulses = out.len();
        self.each_body(|_, part, place| out.extend_from_slice(&part.bodies[place].velocity));
        impulses
    }

    /// Puts back what [`Self::read`] copied.
    fn write(&mut self, from: &[Single]) {
        let mut rest = from;
        let mut next = |list: &mut [Single]| {
            let (these, others) = rest.split_at(list.len());
            list.copy_from_slice(these);
            rest = others;
        };
        self.each_impulse(&mut next);
        self.each_body(|_, part, place| next(&mut part.bodies[place].velocity));
    }

    fn each_impulse(&mut self, mut call: impl FnMut(&mut [Single])) {
        for part in self.parts() {
            for batch in &mut part.contacts.batches {
                for point in &mut batch.points[..batch.count] {
                    call(&mut point.normal);
                    call(point.friction.as_flattened_mut());
                }
            }
            for batch in &mut part.joints.batches {
                batch.rows.iter_mut().for_each(|row| call(&mut row.impulse));
            }
        }
    }
}
