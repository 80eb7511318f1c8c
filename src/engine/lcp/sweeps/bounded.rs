//! Joint rows with bounds, one by one, with the rest of their block kept.
//!
//! Once the equalities `e` of a block are met, an impulse `Δc` on a row `r` with bounds is answered by
//! `Δc_e = -W_ee⁻¹ W_er Δc` of theirs, which keeps them met. What is left of the compliance of the row is its
//! Schur complement, and each row is corrected and clamped with the newest velocity:
//!
//! ```text
//! c ← clamp(c - w / W̃, lo, hi)      W̃ = W_rr + s - W_re W_ee⁻¹ W_er
//! ```
//!
//! So a joint with one limit or motor is solved at once, however its rows depend on each other; several of
//! them take turns, sweep by sweep. In the matrix of a block, row `r` holds `-W_ee⁻¹ W_er` beside the `1 /
//! W̃` on its diagonal.

use super::color::SIZE_MAX;
use super::joints::{JointLanes, invert as invert_block};
use super::lanes::{Abreast, LaneSides};
use super::sweep::{Rates, mode};
use crate::engine::lcp::problem::JointRow;
use crate::engine::tuning::work::ROUNDED;
use crate::math::Double;

/// Inverts the compliance of the equalities of a block, and makes the rows of those with bounds. `w` has
/// the softness, over `part`, on its diagonal.
pub(super) fn invert(w: &mut [[Double; SIZE_MAX]; SIZE_MAX], rows: &[JointRow], part: Double) {
    let n = rows.len();
    let full = *w;
    for (r, _) in rows.iter().enumerate().filter(|(_, row)| row.is_bounded()) {
        w[r] = [0.0; SIZE_MAX];
        for line in w.iter_mut() {
            line[r] = 0.0;
        }
    }
    invert_block(w, n);
    let inverse = *w;
    for (r, row) in rows.iter().enumerate().filter(|(_, row)| row.is_bounded()) {
        let mut left = full[r][r];
        for e in 0..n {
            let answer: Double = (0..n).map(|f| inverse[e][f] * full[f][r]).sum();
            w[r][e] = -answer;
            left -= full[r][e] * answer;
        }
        // What the equalities hold already no impulse can move.
        let least = ROUNDED * full[r][r] + row.softness / part * 0.5;
        w[r][r] = if left > least { 1.0 / left } else { 0.0 };
    }
}

/// Corrects the rows with bounds after the others of their blocks; `back` is what is fed back to each.
pub(super) fn sweep<const L: usize, const MODE: u8>(
    rows: &mut [JointLanes<L>],
    sides: &mut LaneSides<L>,
    back: &[Abreast<L>; SIZE_MAX],
    rates: &Rates,
) {
    for r in 0..rows.len() {
        let mut change = [0.0; L];
        let row = &mut rows[r];
        for l in 0..L {
            if row.free[l] > 0.0 {
                continue;
            }
            let kept = if MODE == mode::RELAXED { row.push[l] } else { 0.0 };
            let old = row.impulse[l];
            let w = row.rate(sides, l) + (row.bias[l] - kept) + back[r][l];
            let w = w + row.softness[l] * old;
            let leak = if MODE == mode::BIASED { rates.softness * row.leak[l] } else { 0.0 };
            let p = old - leak * old - row.inverse[r][l] * w;
            let p = if p < row.bounds[0][l] { row.bounds[0][l] } else { p };
            let new = if p > row.bounds[1][l] { row.bounds[1][l] } else { p };
            // A row that nothing can move keeps its impulse.
            change[l] = if row.inverse[r][l] > 0.0 { new - old } else { 0.0 };
            row.impulse[l] = old + change[l];
        }
        let answer = row.inverse;
        for (e, other) in rows.iter_mut().enumerate() {
            for l in 0..L {
                let part = if e == r { 1.0 } else { answer[e][l] };
                let dc = part * change[l];
                if e != r {
                    other.impulse[l] += dc;
                }
                for side in 0..2 {
                    for k in 0..6 {
                        sides[side][k][l] += other.change[side][k][l] * dc;
                    }
                }
            }
        }
    }
}
