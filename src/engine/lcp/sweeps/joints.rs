//! Joint rows in blocks, side by side.
//!
//! Input: joint rows. Rows that follow each other and name the same bodies make a block of up to six,
//! solved at once by the inverse of its compliance: a ball joint is one 3×3 solve. Output: a
//! [`JointBatch`] for each group of blocks that share no moving body, one block a lane.
//!
//! ```text
//! c ← c - (J M⁻¹ Jᵀ)⁻¹ (J v + Υ + feedback)
//! ```
//!
//! The bias `Υ` of a row is the rate at which its position error is to vanish over the whole step; what
//! its substeps have missed of that path so far, `h_s Σ (J v + Υ)`, is fed back. Rows that depend on
//! others of their block are left out of it. Softness adds to the diagonal of the compliance and `s c` to the
//! error. Rows with bounds are corrected one by one after the rest of their block, see `bounded.rs`. Bounds
//! and softness are those of the whole step: a substep has `1/n` of the bounds, and `n s`. Only rows that say
//! where to be, equalities and limits that hardly yield, are fed back what they missed. The push of a step,
//! which contacts start, keeps the rows without bounds as they are: `Υ = 0`, impulses of its own. Cost: some
//! 400 operations a ball joint.

use core::ops::Range;

use super::bounded;
use super::color::{Coloring, SIZE_MAX};
use super::lanes::{Abreast, LaneSides, SweptBody, gather, scatter, single};
use super::sweep::{Rates, mode};
use crate::engine::lcp::problem::{BodyBlock, JointRow, Vec6};
use crate::engine::lcp::rows::{dot6, inverse_mass_mul};
use crate::engine::tuning::work::ROUNDED;
use crate::engine::tuning::yielding::YIELD;
use crate::math::{Double, Single};

/// A row of every lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointLanes<const L: usize> {
    /// Components for both bodies.
    pub(super) jacobian: [[Abreast<L>; 6]; 2],
    /// `M⁻¹ Jᵀ`.
    pub(super) change: [[Abreast<L>; 6]; 2],
    /// Row of the inverse compliance; of a row with bounds see `bounded.rs`.
    pub(super) inverse: [Abreast<L>; SIZE_MAX],
    /// Bias, and the part of it that is not carried on.
    pub(super) bias: Abreast<L>,
    pub(super) push: Abreast<L>,
    pub(super) softness: Abreast<L>,
    pub(super) bounds: [Abreast<L>; 2],
    /// One for rows without bounds, zero for those with.
    pub(super) free: Abreast<L>,
    /// One for rows that are fed back what they missed.
    feedback: Abreast<L>,
    /// Part of the softness of substeps that a row gets: it adds to the row's own, in units of `W`.
    pub(super) leak: Abreast<L>,
    /// Impulse, and its sums over substeps.
    pub(super) impulse: Abreast<L>,
    pub(super) total: [Abreast<L>; 2],
}

/// Blocks of one color, one a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointBatch<const L: usize> {
    a: [u32; L],
    b: [u32; L],
    /// Largest number of rows of a lane.
    count: usize,
    /// Has any row bounds?
    bounded: bool,
    pub(super) rows: [JointLanes<L>; SIZE_MAX],
}

/// All joints of an island.
#[derive(Clone, Debug, Default)]
pub(super) struct JointBatches<const L: usize> {
    coloring: Coloring,
    pub(super) batches: Vec<JointBatch<L>>,
    /// First row and number of rows of each block.
    blocks: Vec<[u32; 2]>,
}

/// Bodies of a row; `fixed` stands for the world.
fn pair(row: &JointRow, fixed: u32) -> [u32; 2] {
    match row.terms.as_slice() {
        [] => [fixed, fixed],
        [b] => [fixed, b.0],
        [a, b, ..] => [a.0, b.0],
    }
}

/// Components of a row for both bodies.
fn sides(row: &JointRow) -> [Vec6; 2] {
    match row.terms.as_slice() {
        [] => [[0.0; 6]; 2],
        [b] => [[0.0; 6], b.1],
        [a, b, ..] => [a.1, b.1],
    }
}

impl<const L: usize> JointBatches<L> {
    /// Lays the rows out in lanes; the sweeps start from `part` of the impulses.
    pub(super) fn fill(
        &mut self,
        rows: &[JointRow],
        push: &[Double],
        blocks: &[BodyBlock],
        impulses: &[Double],
        part: Double,
    ) {
        let fixed = blocks.len() as u32;
        self.blocks.clear();
        debug_assert!(rows.iter().all(|row| row.terms.len() <= 2), "joints have two ends");
        let mut first = 0;
        let runs = rows.chunk_by(|row, next| pair(row, fixed) == pair(next, fixed));
        for block in runs.flat_map(|run| run.chunks(SIZE_MAX)) {
            let count = block.len() as u32;
            self.blocks.push([first, count]);
            first += count;
        }
        let items = self.blocks.iter().map(|&[first, count]| {
            let [a, b] = pair(&rows[first as usize], fixed);
            [a, b, count]
        });
        self.coloring.update(fixed as usize, items);
        self.batches.clear();
        for group in self.coloring.groups(L) {
            let mut batch = JointBatch::empty(fixed);
            for (lane, &i) in self.coloring.order.items[group].iter().enumerate() {
                let range = range(self.blocks[i as usize]);
                batch.place(lane, &rows[range.clone()], blocks, part);
                for (row, i) in batch.rows.iter_mut().zip(range) {
                    row.push[lane] = push.get(i).map_or(0.0, |&push| single(push));
                    row.impulse[lane] = single(rows[i].clamp(impulses[i]) * part);
                }
            }
            self.batches.push(batch);
        }
    }

    /// Calls `write` with the index of every row, its lanes and its lane.
    pub(super) fn each(&self, mut write: impl FnMut(usize, &JointLanes<L>, usize)) {
        for (group, batch) in self.coloring.groups(L).zip(&self.batches) {
            for (lane, &i) in self.coloring.order.items[group].iter().enumerate() {
                for (row, i) in batch.rows.iter().zip(range(self.blocks[i as usize])) {
                    write(i, row, lane);
                }
            }
        }
    }
}

/// Rows of a block.
fn range([first, count]: [u32; 2]) -> Range<usize> {
    first as usize..(first + count) as usize
}

impl<const L: usize> JointBatch<L> {
    fn empty(fixed: u32) -> Self {
        let row = JointLanes {
            jacobian: [[[0.0; L]; 6]; 2],
            change: [[[0.0; L]; 6]; 2],
            inverse: [[0.0; L]; SIZE_MAX],
            bias: [0.0; L],
            push: [0.0; L],
            softness: [0.0; L],
            bounds: [[-Single::INFINITY; L], [Single::INFINITY; L]],
            free: [1.0; L],
            feedback: [1.0; L],
            leak: [1.0; L],
            impulse: [0.0; L],
            total: [[0.0; L]; 2],
        };
        Self { a: [fixed; L], b: [fixed; L], count: 0, bounded: false, rows: [row; SIZE_MAX] }
    }

    /// Puts a block of rows into a lane, with `part` of their bounds.
    fn place(&mut self, lane: usize, rows: &[JointRow], blocks: &[BodyBlock], part: Double) {
        let [a, b] = pair(&rows[0], blocks.len() as u32);
        (self.a[lane], self.b[lane]) = (a, b);
        self.count = self.count.max(rows.len());
        let mut jacobian = [[[0.0; 6]; 2]; SIZE_MAX];
        let mut change = [[[0.0; 6]; 2]; SIZE_MAX];
        for (r, row) in rows.iter().enumerate() {
            jacobian[r] = sides(row);
            for (side, i) in [a, b].into_iter().enumerate() {
                if let Some(block) = blocks.get(i as usize) {
                    change[r][side] = inverse_mass_mul(block, &jacobian[r][side]);
                }
                for k in 0..6 {
                    self.rows[r].jacobian[side][k][lane] = single(jacobian[r][side][k]);
                    self.rows[r].change[side][k][lane] = single(change[r][side][k]);
                }
            }
            let lanes = &mut self.rows[r];
            lanes.bias[lane] = single(row.bias);
            lanes.softness[lane] = single(row.softness / part);
            (0..2).for_each(|side| lanes.bounds[side][lane] = single(row.bounds[side] * part));
            lanes.free[lane] = if row.is_bounded() { 0.0 } else { 1.0 };
            self.bounded |= row.is_bounded();
        }
        let mut w = [[0.0; SIZE_MAX]; SIZE_MAX];
        for r in 0..rows.len() {
            for s in 0..rows.len() {
                w[r][s] =
                    dot6(&jacobian[r][0], &change[s][0]) + dot6(&jacobian[r][1], &change[s][1]);
            }
            let hard = w[r][r];
            w[r][r] += rows[r].softness / part;
            // Locks in loops yield by so little that they say where to be all the same.
            let yields = rows[r].softness > YIELD.sqrt() * hard;
            let drives = rows[r].bounds.iter().all(|x| x.is_finite());
            self.rows[r].feedback[lane] = if yields || drives { 0.0 } else { 1.0 };
            if rows[r].softness > 0.0 {
                self.rows[r].leak[lane] = single(hard / w[r][r]);
            }
        }
        if rows.iter().any(JointRow::is_bounded) {
            bounded::invert(&mut w, rows, part);
        } else {
            invert(&mut w, rows.len());
        }
        for (row, w) in self.rows.iter_mut().zip(w) {
            for s in 0..SIZE_MAX {
                row.inverse[s][lane] = single(w[s]);
            }
        }
    }
}

/// Inverts the first `n` rows of a positive semidefinite matrix by the sweep operator; rows that depend
/// on those before them become zero.
pub(super) fn invert(w: &mut [[Double; SIZE_MAX]; SIZE_MAX], n: usize) {
    let mut kept = [false; SIZE_MAX];
    for k in 0..n {
        let pivot = w[k][k];
        // What is left of the diagonal, against what it was, is found from the rows swept so far.
        let first: Double =
            (0..k).filter(|&i| kept[i]).map(|i| w[k][i].abs() * w[i][k].abs()).sum();
        if pivot.is_nan() || pivot <= ROUNDED * (pivot.abs() + first) || pivot <= 0.0 {
            continue;
        }
        kept[k] = true;
        for i in 0..n {
            for j in 0..n {
                if i != k && j != k {
                    w[i][j] -= w[i][k] * w[k][j] / pivot;
                }
            }
        }
        for i in 0..n {
            if i != k {
                w[i][k] /= pivot;
                w[k][i] /= pivot;
            }
        }
        w[k][k] = -1.0 / pivot;
    }
    for i in 0..n {
        for j in 0..n {
            w[i][j] = if kept[i] && kept[j] { -w[i][j] } else { 0.0 };
        }
    }
}

impl<const L: usize> JointLanes<L> {
    /// `J v` in lane `l`.
    #[inline(always)]
    pub(super) fn rate(&self, velocity: &LaneSides<L>, l: usize) -> Single {
        let mut sum = 0.0;
        for side in 0..2 {
            for k in 0..6 {
                sum += self.jacobian[side][k][l] * velocity[side][k][l];
            }
        }
        sum
    }
}

/// Sweeps once over all joints. `rates.push` is how much of what was missed is fed back in a second.
pub(super) fn sweep<const L: usize, const MODE: u8>(
    batches: &mut [JointBatch<L>],
    bodies: &mut [SweptBody],
    rates: &Rates,
) {
    for batch in batches {
        let rows = &mut batch.rows[..batch.count];
        let mut sides = gather::<L, false>(bodies, &batch.a, &batch.b);
        let mut error = [[0.0; L]; SIZE_MAX];
        for (error, row) in error.iter_mut().zip(rows.iter()) {
            for l in 0..L {
                let rate = row.rate(&sides, l);
                if MODE == mode::PUSH {
                    error[l] = rate + row.softness[l] * row.total[0][l];
                    continue;
                }
                let kept = if MODE == mode::RELAXED { row.push[l] } else { 0.0 };
                error[l] = rate + (row.bias[l] - kept);
                error[l] += row.softness[l] * row.impulse[l];
            }
        }
        let mut back = [[0.0; L]; SIZE_MAX];
        if MODE == mode::BIASED {
            let sums = gather::<L, true>(bodies, &batch.a, &batch.b);
            for ((error, row), back) in error.iter_mut().zip(rows.iter()).zip(&mut back) {
                for l in 0..L {
                    back[l] = feedback(row, &sums, rates, l);
                    error[l] += back[l];
                }
            }
        }
        for row in rows.iter_mut() {
            for l in 0..L {
                let mut change = 0.0;
                for s in 0..SIZE_MAX {
                    change -= row.inverse[s][l] * error[s][l];
                }
                if MODE == mode::BIASED {
                    change -= rates.softness * row.leak[l] * row.impulse[l];
                }
                change *= row.free[l];
                let impulse = match MODE {
                    mode::PUSH => &mut row.total[0],
                    _ => &mut row.impulse,
                };
                impulse[l] += change;
                // Written out: as a method it takes 1.4 times the step of ragdolls.
                for side in 0..2 {
                    for k in 0..6 {
                        sides[side][k][l] += row.change[side][k][l] * change;
                    }
                }
            }
        }
        if batch.bounded && MODE != mode::PUSH {
            bounded::sweep::<L, MODE>(rows, &mut sides, &back, rates);
        }
        if matches!(MODE, mode::BIASED | mode::RELAXED) {
            for row in rows {
                for l in 0..L {
                    row.total[usize::from(MODE == mode::RELAXED)][l] += row.impulse[l];
                }
            }
        }
        scatter(bodies, &batch.a, &batch.b, &sides);
    }
}

/// What rows missed of their paths so far, as a speed. The push of a limit is bounded, what it may go on
/// until it is met is not.
#[inline(always)]
fn feedback<const L: usize>(
    row: &JointLanes<L>,
    sums: &LaneSides<L>,
    rates: &Rates,
    l: usize,
) -> Single {
    let path = row.rate(sums, l) + rates.done * row.bias[l];
    let back = rates.push * rates.dt * path;
    let [low, high] = [row.bounds[0][l], row.bounds[1][l]];
    let above = low > -Single::INFINITY && high == Single::INFINITY;
    let below = low == -Single::INFINITY && high < Single::INFINITY;
    let back = if back < rates.push_max || above { back } else { rates.push_max };
    let back = if back > -rates.push_max || below { back } else { -rates.push_max };
    back * row.feedback[l]
}

/// Adds what the impulses at hand do to the velocities: the warm start.
pub(super) fn apply<const L: usize>(batches: &[JointBatch<L>], bodies: &mut [SweptBody]) {
    for batch in batches {
        let mut sides = gather::<L, false>(bodies, &batch.a, &batch.b);
        for row in &batch.rows[..batch.count] {
            for l in 0..L {
                for side in 0..2 {
                    for k in 0..6 {
                        sides[side][k][l] += row.change[side][k][l] * row.impulse[l];
                    }
                }
            }
        }
        scatter(bodies, &batch.a, &batch.b, &sides);
    }
}
