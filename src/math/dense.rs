//! Dense systems of equations, stored row by row.

use super::Double;

/// Solves `n` equations, rows of `n + 1` numbers with the right-hand side last, by elimination with partial
/// pivoting; none if a pivot is not above `least`.
pub(crate) fn eliminate(a: &mut [Double], n: usize, least: Double) -> Option<Vec<Double>> {
    let width = n + 1;
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if a[i * width + k].abs() > a[p * width + k].abs() {
                p = i;
            }
        }
        let pivot = a[p * width + k].abs();
        if pivot <= least || pivot.is_nan() {
            return None;
        }
        if p != k {
            let (top, bottom) = a.split_at_mut(p * width);
            top[k * width..(k + 1) * width].swap_with_slice(&mut bottom[..width]);
        }
        let (top, bottom) = a.split_at_mut((k + 1) * width);
        let pivot_row = &top[k * width..];
        for row in bottom.chunks_exact_mut(width) {
            let factor = row[k] / pivot_row[k];
            if factor != 0.0 {
                for (x, p) in row[k..].iter_mut().zip(&pivot_row[k..]) {
                    *x -= factor * p;
                }
            }
        }
    }
    let mut x = vec![0.0; n];
    for i in (0..n).rev() {
        let mut sum = a[i * width + n];
        (i + 1..n).for_each(|j| sum -= a[i * width + j] * x[j]);
        x[i] = sum / a[i * width + i];
    }
    Some(x)
}

/// Rows of the symmetric semidefinite `s` that do not depend on others, and their lower factor, by
/// Cholesky with the relatively largest pivot first.
pub(crate) fn pivoted_cholesky(s: &[Double], n: usize) -> (Vec<usize>, Vec<Vec<Double>>) {
    let mut rest: Vec<Double> = (0..n).map(|i| s[i * n + i]).collect();
    // Column of the factor for every row, also those not kept yet.
    let mut columns: Vec<Vec<Double>> = vec![Vec::new(); n];
    let mut kept: Vec<usize> = Vec::new();
    loop {
        let relative = |i: usize| rest[i] / s[i * n + i];
        let usable =
            (0..n).filter(|&i| s[i * n + i] > 0.0 && relative(i) > 1e-11 && !kept.contains(&i));
        let larger = |b: usize, i: usize| if relative(i) > relative(b) { i } else { b };
        let Some(p) = usable.reduce(larger) else { break };
        let pivot = rest[p].sqrt();
        let pivot_row = columns[p].clone();
        for i in 0..n {
            if kept.contains(&i) {
                continue;
            }
            let done = columns[i].iter().zip(&pivot_row).fold(0.0, |sum, (x, y)| sum + x * y);
            let value = if i == p { pivot } else { (s[i * n + p] - done) / pivot };
            columns[i].push(value);
            rest[i] -= value * value;
        }
        kept.push(p);
    }
    let factor = kept.iter().enumerate().map(|(k, p)| columns[*p][..=k].to_vec()).collect();
    (kept, factor)
}
