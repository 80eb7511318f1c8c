//! Kernels on dense columns: parts of a Cholesky factor and solutions with it.
//!
//! A panel has `w` columns of `m` rows, each column `m + PAD` numbers long, so that tiles of four rows may
//! read and write beyond the last row. What is above the diagonal is of no use. Products are not fused
//! and sums have a fixed order: same bits on every machine.

use crate::math::Double;

/// Numbers of padding a column.
pub(super) const PAD: usize = 3;

/// Rows and columns of a tile: its sums fill half of the vector registers.
const TILE: usize = 4;

/// `Σ_k a_k[i..i+4] a_k[j..j+4]ᵀ` over all columns of a panel; column `c` of the tile is entry `c`.
#[inline(always)]
fn tile(panel: &[Double], ld: usize, i: usize, j: usize) -> [[Double; TILE]; TILE] {
    let mut sums = [[0.0; TILE]; TILE];
    for column in panel.chunks_exact(ld) {
        let (Some(a), Some(b)) = (column.get(i..i + TILE), column.get(j..j + TILE)) else { break };
        for c in 0..TILE {
            for r in 0..TILE {
                sums[c][r] += a[r] * b[c];
            }
        }
    }
    sums
}

#[inline(always)]
fn subtract_tile(column: &mut [Double], sums: &[Double; TILE]) {
    for (x, s) in column.iter_mut().zip(sums) {
        *x -= s;
    }
}

/// `y ← y - s x`.
#[inline(always)]
fn subtract_scaled(y: &mut [Double], x: &[Double], s: Double) {
    for (y, x) in y.iter_mut().zip(x) {
        *y -= s * x;
    }
}

/// Replaces the first `w` columns of a symmetric matrix of `m` rows by those of its Cholesky factor, with
/// the inverses of the diagonal in place of the diagonal. False if some pivot is not positive.
#[must_use]
pub(super) fn factor_panel(panel: &mut [Double], m: usize, w: usize) -> bool {
    let ld = m + PAD;
    let mut is_definite = true;
    let mut j = 0;
    while j < w {
        let width = TILE.min(w - j);
        let (done, rest) = panel.split_at_mut(j * ld);
        if width == TILE && j > 0 {
            for i in (j..m).step_by(TILE) {
                let sums = tile(done, ld, i, j);
                for (c, sums) in sums.iter().enumerate() {
                    subtract_tile(&mut rest[c * ld + i..c * ld + i + TILE], sums);
                }
            }
        } else {
            for c in 0..width {
                let at = j + c;
                for column in done.chunks_exact(ld) {
                    subtract_scaled(&mut rest[c * ld + at..c * ld + m], &column[at..m], column[at]);
                }
            }
        }
        for c in 0..width {
            is_definite &= finish_column(rest, ld, c, j + c, m);
        }
        j += width;
    }
    is_definite
}

/// Takes the columns before it off column `c` of a few, whose diagonal is at row `at`, and divides it.
#[inline(always)]
fn finish_column(columns: &mut [Double], ld: usize, c: usize, at: usize, m: usize) -> bool {
    let (before, rest) = columns.split_at_mut(c * ld);
    let column = &mut rest[at..m];
    for earlier in before.chunks_exact(ld) {
        subtract_scaled(column, &earlier[at..m], earlier[at]);
    }
    let pivot = column[0];
    let inverse = 1.0 / pivot.sqrt();
    for x in column.iter_mut() {
        *x *= inverse;
    }
    column[0] = inverse;
    pivot > 0.0 && pivot <= Double::MAX
}

/// `u ← u - B Bᵀ`, the lower triangle, with the rows of the panel from `w` on as `B`.
pub(super) fn update(panel: &[Double], m: usize, w: usize, out: &mut [Double]) {
    let (ld, size) = (m + PAD, m - w);
    let ld_out = size + PAD;
    let panel = &panel[..w * ld];
    for j in (0..size).step_by(TILE) {
        for i in (j..size).step_by(TILE) {
            let sums = tile(panel, ld, w + i, w + j);
            for (c, sums) in sums.iter().enumerate().take(size - j) {
                let at = (j + c) * ld_out + i;
                subtract_tile(&mut out[at..at + TILE], sums);
            }
        }
    }
}

/// `x ← L⁻¹ x` for the rows of the diagonal, and the products of the rows below with `x` added to `below`.
#[inline(always)]
pub(super) fn solve_lower(panel: &[Double], m: usize, x: &mut [Double], below: &mut [Double]) {
    let w = x.len();
    for (c, column) in panel.chunks_exact(m + PAD).enumerate() {
        let value = x[c] * column[c];
        subtract_scaled(&mut x[c + 1..], &column[c + 1..w], value);
        x[c] = value;
        for (y, l) in below.iter_mut().zip(&column[w..m]) {
            *y += l * value;
        }
    }
}

/// `x ← L⁻ᵀ (x - Bᵀ below)`.
#[inline(always)]
pub(super) fn solve_upper(panel: &[Double], m: usize, x: &mut [Double], below: &[Double]) {
    let w = x.len();
    for (c, column) in panel.chunks_exact(m + PAD).enumerate().rev() {
        let sum = dot(&column[c + 1..w], &x[c + 1..]) + dot(&column[w..m], below);
        x[c] = (x[c] - sum) * column[c];
    }
}

/// In four sums, so that they need not wait for each other.
#[inline(always)]
fn dot(a: &[Double], b: &[Double]) -> Double {
    let mut sums = [0.0; 4];
    let (a4, b4) = (a.chunks_exact(4), b.chunks_exact(4));
    let mut rest = 0.0;
    for (x, y) in a4.remainder().iter().zip(b4.remainder()) {
        rest += x * y;
    }
    for (x, y) in a4.zip(b4) {
        for k in 0..4 {
            sums[k] += x[k] * y[k];
        }
    }
    ((sums[0] + sums[1]) + (sums[2] + sums[3])) + rest
}
