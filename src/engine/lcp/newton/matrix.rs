//! The Newton matrix of an island in blocks over bodies and joints.
//!
//! ```text
//! [ H   -ν ]      H = M + Σ Jᵀ D J,      D = ρ_c dP_K(p_c)
//! [ -νᵀ -δ ]
//! ```
//!
//! For joint rows with bounds see `lcp/bounded.rs`.
//!
//! The contacts of a manifold act through one reference point: with `J = [I K(r)]`, `K(r) ω = ω × r`, they
//! sum to `[A B; Bᵀ C] = Σ Jᵀ D J` there, and moving that to the centers of both bodies gives all four
//! blocks. About 25 ns a contact.

use core::ops::Range;

use super::kernel::Sweep;
use super::problem::ManifoldProblem;
use super::round::{APEX, INSIDE, zone};
use crate::engine::lcp::factor::{Block, Factor, Pattern};
use crate::engine::lcp::manifold::{LANES, Manifold};
use crate::engine::lcp::problem::{BodyBlock, JointRow};
use crate::engine::lcp::rows::{Mat, k_mul, mul_k, transpose};
use crate::engine::tuning::newton::PROXIMAL;
use crate::math::{Double, Scalar};

/// The rows of one joint.
#[derive(Clone, Debug)]
pub(super) struct JointNode {
    pub(super) rows: Range<usize>,
    /// Bodies of the island, one or two.
    pub(super) bodies: smallvec::SmallVec<[u32; 2]>,
    /// `ν M⁻¹ νᵀ + s` of each row.
    pub(super) compliance: [Double; 6],
}

/// `ρ_c dP_K(p)` of one contact as (xx, xy, xz, yy, yz, zz).
#[inline(always)]
fn stiffness(m: &Manifold, sweep: &Sweep, index: usize, lane: usize) -> [Double; 6] {
    if let Some(inner) = sweep.inner.get(index) {
        return inner.map(|x| x[lane]);
    }
    let weight = sweep.weights(index)[lane];
    match zone(sweep.zones[index], lane) {
        APEX => [0.0; 6],
        INSIDE => [weight, 0.0, 0.0, weight, 0.0, weight],
        _ => {
            let (n, mu, p) = (&m.normal, m.friction, &sweep.point[index]);
            let p = [p[0][lane], p[1][lane], p[2][lane]];
            let along = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
            let t = [p[0] - along * n[0], p[1] - along * n[1], p[2] - along * n[2]];
            let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt().max(1e-300);
            let t = t.map(|x| x / size);
            let inverse = 1.0 / (1.0 + mu * mu);
            // Turning p about the axis moves the image by the ratio of the radii.
            let turn = weight * mu * (along + mu * size) * inverse / size;
            let normal = weight * inverse - turn;
            let mixed = weight * inverse * mu;
            let slip = weight * inverse * mu * mu - turn;
            let entry = |i: usize, j: usize| {
                normal * n[i] * n[j] + mixed * (n[i] * t[j] + t[i] * n[j]) + slip * t[i] * t[j]
            };
            [
                entry(0, 0) + turn,
                entry(0, 1),
                entry(0, 2),
                entry(1, 1) + turn,
                entry(1, 2),
                entry(2, 2) + turn,
            ]
        }
    }
}

/// `[A B; Bᵀ C]` of a manifold at its reference point.
fn wrench_block(m: &Manifold, sweep: &Sweep, index: usize) -> [Mat; 3] {
    let mut sums = [[0.0; LANES]; 21];
    for lane in 0..m.count as usize {
        let d = stiffness(m, sweep, index, lane);
        let (x, y, z) = (m.point[0][lane], m.point[1][lane], m.point[2][lane]);
        let full = [[d[0], d[1], d[2]], [d[1], d[3], d[4]], [d[2], d[4], d[5]]];
        let mut b = [[0.0; 3]; 3];
        for i in 0..3 {
            let row = &full[i];
            b[i] = [row[2] * y - row[1] * z, row[0] * z - row[2] * x, row[1] * x - row[0] * y];
        }
        for i in 0..6 {
            sums[i][lane] = d[i];
        }
        for i in 0..3 {
            for j in 0..3 {
                sums[6 + 3 * i + j][lane] = b[i][j];
            }
        }
        sums[15][lane] = y * b[2][0] - z * b[1][0];
        sums[16][lane] = y * b[2][1] - z * b[1][1];
        sums[17][lane] = y * b[2][2] - z * b[1][2];
        sums[18][lane] = z * b[0][1] - x * b[2][1];
        sums[19][lane] = z * b[0][2] - x * b[2][2];
        sums[20][lane] = x * b[1][2] - y * b[0][2];
    }
    let s = sums.map(|x| (x[0] + x[1]) + (x[2] + x[3]));
    [
        [[s[0], s[1], s[2]], [s[1], s[3], s[4]], [s[2], s[4], s[5]]],
        [[s[6], s[7], s[8]], [s[9], s[10], s[11]], [s[12], s[13], s[14]]],
        [[s[15], s[16], s[17]], [s[16], s[18], s[19]], [s[17], s[19], s[20]]],
    ]
}

/// Adds `sign · [a b; c d]` in 3×3 parts.
#[inline(always)]
fn add_parts<T: Scalar>(block: &mut Block<T>, sign: Double, a: &Mat, b: &Mat, c: &Mat, d: &Mat) {
    for j in 0..3 {
        for i in 0..3 {
            let at = &mut block.0[j];
            at[i] = at[i] + T::from_double(sign * a[i][j]);
            at[3 + i] = at[3 + i] + T::from_double(sign * c[i][j]);
            let at = &mut block.0[3 + j];
            at[i] = at[i] + T::from_double(sign * b[i][j]);
            at[3 + i] = at[3 + i] + T::from_double(sign * d[i][j]);
        }
    }
}

fn add_mass<T: Scalar>(block: &mut Block<T>, body: &BodyBlock) {
    let [xx, yy, zz, xy, xz, yz] = body.inertia;
    for k in 0..3 {
        block.0[k][k] = block.0[k][k] + T::from_double(body.mass[k]);
    }
    let inertia = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    for j in 0..3 {
        for i in 0..3 {
            let at = &mut block.0[3 + j][3 + i];
            *at = *at + T::from_double(inertia[i][j]);
        }
    }
}

/// Assembles the matrix at the last evaluation of `sweep`. `edges` are, for every manifold between two
/// bodies of the island and then for every body of every joint, its edge in the pattern.
pub(super) fn assemble<T: Scalar>(
    problem: &ManifoldProblem<'_>,
    sweep: &Sweep,
    nodes: &[JointNode],
    pattern: &Pattern,
    edges: &[[u32; 2]],
    out: &mut Factor<T>,
) {
    out.clear(pattern);
    let n = problem.bodies.len();
    problem.bodies.iter().enumerate().for_each(|(i, body)| add_mass(out.diagonal(i), body));
    let mut edge = 0;
    for (index, m) in problem.manifolds.iter().enumerate() {
        let (a, b) = (m.a as usize, m.b as usize);
        let pair = a < n && b < n;
        let e = edge;
        edge += usize::from(pair);
        if sweep.zones[index] == 0 && sweep.inner.is_empty() {
            continue;
        }
        let [am, bm, cm] = if sweep.cones.has(index) {
            sweep.cones.wrench_block(problem, index, sweep.weights(index))
        } else {
            wrench_block(m, sweep, index)
        };
        let bt = transpose(&bm);
        for (i, arm) in [(a, &m.arm_a), (b, &m.arm_b)] {
            if i < n {
                let t = mul_k(&am, arm, &bm);
                let r = k_mul(arm, &t, &mul_k(&bt, arm, &cm));
                add_parts(out.diagonal(i), 1.0, &am, &t, &transpose(&t), &r);
            }
        }
        if pair {
            // Rows of a, columns of b.
            let ta = mul_k(&am, &m.arm_a, &bm);
            let tb = mul_k(&am, &m.arm_b, &bm);
            let r = k_mul(&m.arm_a, &tb, &mul_k(&bt, &m.arm_b, &cm));
            let (slot, swapped) = pattern.slot(e);
            // The edge lists a first.
            if swapped {
                add_parts(out.off(slot), -1.0, &am, &ta, &transpose(&tb), &transpose(&r));
            } else {
                add_parts(out.off(slot), -1.0, &am, &tb, &transpose(&ta), &r);
            }
        }
    }
    for (k, node) in nodes.iter().enumerate() {
        let rows = &problem.joints[node.rows.clone()];
        let slopes = &sweep.bounded.slopes(node.rows.clone());
        add_joint(out.diagonal(n + k), rows, slopes, &node.compliance);
        for side in 0..node.bodies.len() {
            let (slot, swapped) = pattern.slot(edge);
            debug_assert_eq!(edges[edge], [(n + k) as u32, node.bodies[side]], "edge of a joint");
            edge += 1;
            add_jacobian(out.off(slot), rows, slopes, node.bodies[side], swapped);
        }
    }
    lock(problem, pattern, out);
}

/// `-δ - s` of the rows of a joint, `-1/ρ_j - s` where they have bounds, and -1 where it has none or keeps to
/// a bound.
fn add_joint<T: Scalar>(
    block: &mut Block<T>,
    rows: &[JointRow],
    slopes: &[Double],
    compliance: &[Double; 6],
) {
    for k in 0..6 {
        let delta = match rows.get(k) {
            Some(row) if row.is_bounded() && slopes[k] > 0.0 => slopes[k],
            Some(row) if !row.is_bounded() && compliance[k] > 0.0 => {
                PROXIMAL * compliance[k] + row.softness
            }
            _ => 1.0,
        };
        block.0[k][k] = block.0[k][k] - T::from_double(delta);
    }
}

/// `-νᵀ` with the rows of the joint, or `-ν` if the block has the rows of the body. Rows that keep to a bound
/// have no part in it.
fn add_jacobian<T: Scalar>(
    block: &mut Block<T>,
    rows: &[JointRow],
    slopes: &[Double],
    body: u32,
    swapped: bool,
) {
    for (k, row) in rows.iter().enumerate() {
        if row.is_bounded() && slopes[k] <= 0.0 {
            continue;
        }
        for (_, jacobian) in row.terms.iter().filter(|(i, _)| *i == body) {
            for j in 0..6 {
                let at = if swapped { &mut block.0[k][j] } else { &mut block.0[j][k] };
                *at = *at - T::from_double(jacobian[j]);
            }
        }
    }
}

/// Takes locked directions out of rows and columns, and leaves their mass on the diagonal. Rows of joints
/// have no part there.
fn lock<T: Scalar>(problem: &ManifoldProblem<'_>, pattern: &Pattern, out: &mut Factor<T>) {
    let free = |i: usize| problem.bodies[i].free();
    if (0..problem.bodies.len()).all(|i| free(i) == [true; 6]) {
        return;
    }
    for i in 0..problem.bodies.len() {
        let free = free(i);
        let block = out.diagonal(i);
        for k in (0..6).filter(|&k| !free[k]) {
            for j in 0..6 {
                block.0[k][j] = T::ZERO;
                block.0[j][k] = T::ZERO;
            }
            block.0[k][k] = T::ONE;
        }
    }
    let n = problem.bodies.len();
    let pairs = problem.manifolds.iter().filter(|m| (m.a as usize) < n && (m.b as usize) < n);
    let contacts = pairs.map(|m| [m.a as usize, m.b as usize]);
    for (e, [a, b]) in contacts.enumerate() {
        let (slot, swapped) = pattern.slot(e);
        let (row, column) = if swapped { (free(b), free(a)) } else { (free(a), free(b)) };
        let block = out.off(slot);
        for j in 0..6 {
            for i in 0..6 {
                if !row[i] || !column[j] {
                    block.0[j][i] = T::ZERO;
                }
            }
        }
    }
}
