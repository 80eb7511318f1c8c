//! Geometric stiffness of joints: what keeps loaded chains of light links stable at large steps.
//!
//! Input: the forces that joints bore in the last step, poses. Output: mass blocks with a larger inertia,
//! and the free velocities of those bodies.
//!
//! A joint that pulls with the force `F` at the arm `r` of a body turns it back like a spring: by a turn θ
//! the torque `r × F` changes by `-K θ`,
//!
//! ```text
//! K = (F · r) 1 - (r Fᵀ + F rᵀ) / 2        summed over the joints of the body
//! ```
//!
//! The step takes the direction of `F` from its start (4.14), which makes it an explicit method for this
//! spring: links that turn against each other under a load of many times their weight grow without bound
//! from `h² K = 4 I` on. Where `h² K` exceeds the inertia `I`, what exceeds it is taken at the end of the
//! step, as linearly implicit Euler does:
//!
//! ```text
//! D = (h² K - I)₊        (I + D) (ω - ω*) = torques        ω* = (I + D)⁻¹ I ω_free
//! ```
//!
//! `( )₊` is the positive part of a symmetric matrix. With `D` the step is stable for any load: the bound is
//! `h² K < 4 I + 2 D`. At less than a radian of these turns a step `D` is zero and the scheme is the one of
//! the papers, which keeps energy. Where it acts it takes energy as implicit Euler does: a chain that swings
//! with frequency Ω loses about `h Ω²` of its energy a second. To add `D` without taking its part of the
//! momentum would keep the energy, but tears chains apart, as `D` changes from step to step. (Constraints
//! with geometric stiffness: Tournier, Nesme, Gilles and Faure 2015, whose matrix is the whole mechanism's.)
//!
//! A body held by the world, or by one that does not move, swings about that point, and its `I` is taken
//! about it. Limits and motors are in `F` as far as they pull. The translational part of `K`, which rods and
//! ropes have, is left out. Cost: O(joints), and a 3×3 eigenvalue problem for each body loaded enough.

use super::super::graph::NO_ISLAND;
use super::super::joint::Joint;
use super::super::lcp::BodyBlock;
use super::{Sources, StepProblem};
use crate::math::{DVec3, Double, quat_rotate, widen, widen3};

/// A symmetric matrix: (xx, yy, zz, xy, xz, yz).
type Sym = [Double; 6];

/// What the joints of a body do to its rotation.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    /// K [N·m].
    stiffness: Sym,
    /// Inertia of the body's mass about the points that hold it [kg·m²], beyond that about its center.
    swing: Sym,
}

impl StepProblem {
    /// Adds the geometric stiffness of the joints to the blocks of the bodies.
    pub(super) fn stiffen(&mut self, sources: &Sources<'_>) {
        if sources.joints.is_empty() {
            return;
        }
        self.loads.clear();
        self.loads.resize(self.bodies.len(), Load::default());
        for (joint, &bodies) in sources.joints.iter().zip(sources.joint_bodies) {
            let force = widen3(joint.reaction[0]);
            if force != DVec3::ZERO {
                self.add_load(sources, joint, bodies, force);
            }
        }
        let h = widen(sources.dt);
        for (block, load) in self.bodies.iter_mut().zip(&self.loads) {
            if load.stiffness != [0.0; 6] {
                stiffen(block, load, h);
            }
        }
    }

    /// Adds what a joint with this force (N) on end b does to its ends.
    fn add_load(&mut self, sources: &Sources<'_>, joint: &Joint, bodies: [u32; 2], force: DVec3) {
        let islands = sources.islands;
        let island = |i: u32| islands.island.get(i as usize).copied().unwrap_or(NO_ISLAND);
        for (side, &i) in bodies.iter().enumerate() {
            let k = island(i);
            if k == NO_ISLAND {
                continue;
            }
            let (body, motion) = (&sources.bodies[i as usize], &sources.motions[i as usize]);
            let anchor = joint.desc.frames[side].anchor - body.center_of_mass();
            let arm = widen3(quat_rotate(body.rotation(), anchor));
            let at = islands.start[k as usize] + islands.local[i as usize];
            let load = &mut self.loads[at as usize];
            let pull = if side == 0 { -force } else { force };
            add(&mut load.stiffness, &stiffness(arm, pull));
            if island(bodies[1 - side]) == NO_ISLAND {
                let about = stiffness(arm, arm * widen(motion.mass));
                add(&mut load.swing, &about);
            }
        }
    }
}

/// `(F · r) 1 - (r Fᵀ + F rᵀ) / 2`; with `F = m r` the inertia of a mass at `r`.
fn stiffness(r: DVec3, f: DVec3) -> Sym {
    let s = f.dot(r);
    [
        s - r.x * f.x,
        s - r.y * f.y,
        s - r.z * f.z,
        -0.5 * (r.x * f.y + r.y * f.x),
        -0.5 * (r.x * f.z + r.z * f.x),
        -0.5 * (r.y * f.z + r.z * f.y),
    ]
}

/// Adds `D` to the block of a body, with the free velocity that goes with it.
fn stiffen(block: &mut BodyBlock, load: &Load, h: Double) {
    let free = [3, 4, 5].map(|k| block.free()[k]);
    let mut excess = [0.0; 6];
    for (k, x) in excess.iter_mut().enumerate() {
        // A locked axis neither gives way nor couples the others.
        let [row, column] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]][k];
        if free[row] && free[column] {
            *x = h * h * load.stiffness[k] - block.inertia[k] - load.swing[k];
        }
    }
    if largest_possible(&excess) <= 0.0 || is_definite(&excess.map(|x| -x)) {
        return;
    }
    let added = positive_part(&excess);
    if added == [0.0; 6] {
        return;
    }
    let [x, y, z] = [3, 4, 5].map(|k| block.velocity_free[k]);
    let momentum = times(&block.inertia, [x, y, z]);
    add(&mut block.inertia, &added);
    let mut inverse = inverse(&block.inertia);
    for (k, entry) in inverse.iter_mut().enumerate().take(3) {
        if !free[k] {
            *entry = 0.0;
        }
    }
    block.inverse_inertia = inverse;
    let spin = times(&inverse, momentum);
    block.velocity_free[3..].copy_from_slice(&spin);
}

fn add(a: &mut Sym, b: &Sym) {
    for (x, y) in a.iter_mut().zip(b) {
        *x += y;
    }
}

fn times(a: &Sym, [x, y, z]: [Double; 3]) -> [Double; 3] {
    let [xx, yy, zz, xy, xz, yz] = *a;
    [xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z]
}

/// The inverse of a positive definite matrix.
fn inverse(a: &Sym) -> Sym {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let minors = [
        yy * zz - yz * yz,
        xx * zz - xz * xz,
        xx * yy - xy * xy,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - xx * yz,
    ];
    let det = xx * minors[0] + xy * minors[3] + xz * minors[4];
    minors.map(|m| m / det)
}

/// Are all eigenvalues positive, and by more than rounding (Sylvester)?
fn is_definite(a: &Sym) -> bool {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let minor = xx * yy - xy * xy;
    let det = zz * minor - (xx * yz * yz - 2.0 * xy * xz * yz + yy * xz * xz);
    xx > 0.0 && minor > 1e-9 * xx * yy && det > 1e-9 * xx * yy * zz
}

/// No eigenvalue is larger (Gershgorin).
fn largest_possible(a: &Sym) -> Double {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let [xy, xz, yz] = [xy.abs(), xz.abs(), yz.abs()];
    (xx + xy + xz).max(yy + xy + yz).max(zz + xz + yz)
}

/// Most sweeps of Jacobi's method: four leave off-diagonals at rounding, often three do.
const SWEEPS: usize = 4;
/// Off-diagonals below this part of the diagonal change the positive part by no more than rounding (–).
const ROUNDING: Double = 1e-16;

/// `Σ max(λ, 0) v vᵀ` over eigenvalues λ and eigenvectors v, by Jacobi's method.
fn positive_part(a: &Sym) -> Sym {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        let size = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
        if m[0][1].abs() + m[0][2].abs() + m[1][2].abs() <= ROUNDING * size {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            // The smaller of the two rotations that make entry (p, q) zero.
            let theta: Double = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let turn = |x: Double, y: Double| (c * x - s * y, s * x + c * y);
            for row in &mut m {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
            for k in 0..3 {
                (m[p][k], m[q][k]) = turn(m[p][k], m[q][k]);
            }
            for row in &mut v {
                (row[p], row[q]) = turn(row[p], row[q]);
            }
        }
    }
    let mut part = [0.0; 6];
    for i in 0..3 {
        let value = m[i][i].max(0.0);
        let [x, y, z] = [v[0][i], v[1][i], v[2][i]];
        add(&mut part, &[x * x, y * y, z * z, x * y, x * z, y * z].map(|e| value * e));
    }
    part
}

#[cfg(test)]
mod tests;
