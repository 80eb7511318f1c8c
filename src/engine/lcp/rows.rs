//! Products of rows and mass blocks with six-vectors: the arithmetic that all solvers share.
//!
//! Every sum runs in index order, so that results do not depend on the machine. Cost: a few dozen
//! operations a row.

use super::problem::{BodyBlock, ContactRow, FIXED, JointRow, Vec6};
use crate::math::Double;

/// Dot product of two six-vectors.
#[inline(always)]
pub(crate) fn dot6(a: &Vec6, b: &Vec6) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5]
}

/// Dot product of two three-vectors.
#[inline(always)]
pub(crate) fn dot3(a: &[Double; 3], b: &[Double; 3]) -> Double {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// `y += s x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut Vec6, x: &Vec6, s: Double) {
    for k in 0..6 {
        y[k] += s * x[k];
    }
}

/// A matrix by its rows.
pub(crate) type Mat = [[Double; 3]; 3];

/// `x K(r) + y`.
#[inline(always)]
pub(crate) fn mul_k(x: &Mat, r: &[Double; 3], y: &Mat) -> Mat {
    let mut o = *y;
    for i in 0..3 {
        o[i][0] += x[i][2] * r[1] - x[i][1] * r[2];
        o[i][1] += x[i][0] * r[2] - x[i][2] * r[0];
        o[i][2] += x[i][1] * r[0] - x[i][0] * r[1];
    }
    o
}

/// `K(r)ᵀ x + y`.
#[inline(always)]
pub(crate) fn k_mul(r: &[Double; 3], x: &Mat, y: &Mat) -> Mat {
    let mut o = *y;
    for j in 0..3 {
        o[0][j] += r[1] * x[2][j] - r[2] * x[1][j];
        o[1][j] += r[2] * x[0][j] - r[0] * x[2][j];
        o[2][j] += r[0] * x[1][j] - r[1] * x[0][j];
    }
    o
}

/// `xᵀ`.
#[inline(always)]
pub(crate) const fn transpose(x: &Mat) -> Mat {
    [[x[0][0], x[1][0], x[2][0]], [x[0][1], x[1][1], x[2][1]], [x[0][2], x[1][2], x[2][2]]]
}

#[inline(always)]
fn block_mul(diagonal: &[Double; 3], symmetric: &[Double; 6], x: &Vec6) -> Vec6 {
    let [xx, yy, zz, xy, xz, yz] = *symmetric;
    [
        diagonal[0] * x[0],
        diagonal[1] * x[1],
        diagonal[2] * x[2],
        xx * x[3] + xy * x[4] + xz * x[5],
        xy * x[3] + yy * x[4] + yz * x[5],
        xz * x[3] + yz * x[4] + zz * x[5],
    ]
}

/// `M x` of one body.
#[inline(always)]
pub(crate) fn mass_mul(body: &BodyBlock, x: &Vec6) -> Vec6 {
    block_mul(&body.mass, &body.inertia, x)
}

/// `M⁻¹ x` of one body; zero in locked directions.
#[inline(always)]
pub(crate) fn inverse_mass_mul(body: &BodyBlock, x: &Vec6) -> Vec6 {
    block_mul(&body.inverse_mass, &body.inverse_inertia, x)
}

/// Both bodies of three rows, with their gradients.
type Ends<'a> = [(u32, &'a [Vec6; 3]); 2];

impl ContactRow {
    const fn ends(&self) -> Ends<'_> {
        [(self.a, &self.jacobian_a), (self.b, &self.jacobian_b)]
    }
}

/// `J v` of three rows, without their biases.
#[inline(always)]
pub(crate) fn rates(ends: Ends<'_>, velocity: &[Vec6]) -> [Double; 3] {
    let mut w = [0.0; 3];
    for (body, jacobian) in ends {
        if body != FIXED {
            let v = &velocity[body as usize];
            (0..3).for_each(|i| w[i] += dot6(&jacobian[i], v));
        }
    }
    w
}

/// `force += Jᵀ l` of three rows.
#[inline(always)]
pub(crate) fn add_impulses(ends: Ends<'_>, l: &[Double; 3], force: &mut [Vec6]) {
    for (body, jacobian) in ends {
        if body != FIXED {
            let f = &mut force[body as usize];
            (0..3).for_each(|i| add_scaled(f, &jacobian[i], l[i]));
        }
    }
}

/// `W_ij = J_i M⁻¹ J_jᵀ` between two of three rows.
#[inline(always)]
pub(crate) fn compliance(bodies: &[BodyBlock], ends: Ends<'_>, i: usize, j: usize) -> Double {
    let mut w = 0.0;
    for (body, jacobian) in ends {
        if body != FIXED {
            let x = inverse_mass_mul(&bodies[body as usize], &jacobian[j]);
            w += dot6(&jacobian[i], &x);
        }
    }
    w
}

/// `J v` of a contact, without its bias.
#[inline(always)]
pub(crate) fn contact_rate(row: &ContactRow, velocity: &[Vec6]) -> [Double; 3] {
    rates(row.ends(), velocity)
}

/// `w = J v + b` of a contact [m/s].
#[inline(always)]
pub(crate) fn contact_velocity(row: &ContactRow, velocity: &[Vec6]) -> [Double; 3] {
    let w = contact_rate(row, velocity);
    [w[0] + row.bias[0], w[1] + row.bias[1], w[2] + row.bias[2]]
}

/// `force += Jᵀ l` of a contact.
#[inline(always)]
pub(crate) fn add_contact_impulse(row: &ContactRow, l: &[Double; 3], force: &mut [Vec6]) {
    add_impulses(row.ends(), l, force);
}

/// `νᵀ v` of a joint row, without its bias.
#[inline(always)]
pub(crate) fn joint_rate(row: &JointRow, velocity: &[Vec6]) -> Double {
    let mut w = 0.0;
    for (body, jacobian) in &row.terms {
        w += dot6(jacobian, &velocity[*body as usize]);
    }
    w
}

/// `force += ν c` of a joint row.
#[inline(always)]
pub(crate) fn add_joint_impulse(row: &JointRow, c: Double, force: &mut [Vec6]) {
    for (body, jacobian) in &row.terms {
        add_scaled(&mut force[*body as usize], jacobian, c);
    }
}

/// `W_ij = J_i M⁻¹ J_jᵀ` between two of the three rows of one contact.
#[inline(always)]
pub(crate) fn contact_compliance(
    bodies: &[BodyBlock],
    row: &ContactRow,
    i: usize,
    j: usize,
) -> Double {
    compliance(bodies, row.ends(), i, j)
}

/// `ν M⁻¹ νᵀ` of a joint row whose terms name different bodies.
#[inline(always)]
pub(crate) fn joint_compliance(bodies: &[BodyBlock], row: &JointRow) -> Double {
    let mut w = 0.0;
    for (body, jacobian) in &row.terms {
        w += dot6(jacobian, &inverse_mass_mul(&bodies[*body as usize], jacobian));
    }
    w
}
