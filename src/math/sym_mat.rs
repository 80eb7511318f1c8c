//! Symmetric matrices of three rows, as inertias are.

use super::{DVec3, Double, Mat3, Real, Scalar, Vec3, narrow, widen};

/// Symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymMat3 {
    /// Entry (0, 0).
    pub xx: Real,
    /// Entry (1, 1).
    pub yy: Real,
    /// Entry (2, 2).
    pub zz: Real,
    /// Entries (0, 1) and (1, 0).
    pub xy: Real,
    /// Entries (0, 2) and (2, 0).
    pub xz: Real,
    /// Entries (1, 2) and (2, 1).
    pub yz: Real,
}

impl SymMat3 {
    /// A diagonal matrix.
    pub const fn diagonal(d: Vec3) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, xy: 0.0, xz: 0.0, yz: 0.0 }
    }

    /// The symmetric part of `m`.
    pub fn from_mat3(m: Mat3) -> Self {
        Self {
            xx: m.x_axis.x,
            yy: m.y_axis.y,
            zz: m.z_axis.z,
            xy: 0.5 * (m.x_axis.y + m.y_axis.x),
            xz: 0.5 * (m.x_axis.z + m.z_axis.x),
            yz: 0.5 * (m.y_axis.z + m.z_axis.y),
        }
    }

    /// The nine numbers of the matrix.
    pub const fn to_mat3(self) -> Mat3 {
        Mat3::from_cols(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// `R S Rᵀ`: the tensor in axes rotated by `r`.
    pub fn rotated(self, r: Mat3) -> Self {
        Self::from_mat3(r * self.to_mat3() * r.transpose())
    }

    /// Sum of two matrices.
    pub fn plus(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }

    /// The matrix times a number.
    pub fn scaled(self, s: Real) -> Self {
        Self {
            xx: self.xx * s,
            yy: self.yy * s,
            zz: self.zz * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yz: self.yz * s,
        }
    }

    /// The inertia of a point mass `m` (kg) at `p` (m): `m (|p|² 1 - p pᵀ)` [kg·m²].
    pub fn point_mass(m: Real, p: Vec3) -> Self {
        Self {
            xx: m * (p.y * p.y + p.z * p.z),
            yy: m * (p.x * p.x + p.z * p.z),
            zz: m * (p.x * p.x + p.y * p.y),
            xy: -m * p.x * p.y,
            xz: -m * p.x * p.z,
            yz: -m * p.y * p.z,
        }
    }

    /// The inverse, or zero if the matrix is singular. In double precision: the determinant of a
    /// small body's inertia is below the range of single precision, that of a large body's above.
    pub fn inverse_or_zero(self) -> Self {
        let [a, b, c] = [self.xx, self.yy, self.zz].map(widen);
        let [ab, ac, bc] = [self.xy, self.xz, self.yz].map(widen);
        let cx = b * c - bc * bc;
        let cy = ac * bc - ab * c;
        let cz = ab * bc - ac * b;
        let det = a * cx + ab * cy + ac * cz;
        if det == 0.0 || !det.is_finite() {
            return Self::default();
        }
        let s = 1.0 / det;
        Self {
            xx: narrow(cx * s),
            xy: narrow(cy * s),
            xz: narrow(cz * s),
            yy: narrow((a * c - ac * ac) * s),
            yz: narrow((ab * ac - a * bc) * s),
            zz: narrow((a * b - ab * ab) * s),
        }
    }

    /// The matrix times a vector.
    #[inline]
    pub fn mul_vec(self, v: Vec3) -> Vec3 {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

/// Symmetric 3×3 matrix in double precision: (xx, yy, zz, xy, xz, yz).
pub type Sym = [Double; 6];

/// Row and column of the entries.
pub const SYM_PLACES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [0, 2], [1, 2]];

/// The product with a vector.
pub fn sym_times(a: &Sym, v: DVec3) -> DVec3 {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let DVec3 { x, y, z } = v;
    DVec3::new(xx * x + xy * y + xz * z, xy * x + yy * y + yz * z, xz * x + yz * y + zz * z)
}

/// The cofactors and the determinant: the inverse is their quotient.
pub fn sym_cofactors(a: &Sym) -> (Sym, Double) {
    let minors = sym_minors(a);
    (minors, a[0] * minors[0] + a[3] * minors[3] + a[4] * minors[4])
}

/// The cofactors, in any precision.
#[inline(always)]
pub fn sym_minors<T: Scalar>(a: &[T; 6]) -> [T; 6] {
    let [xx, yy, zz, xy, xz, yz] = *a;
    [
        yy * zz - yz * yz,
        xx * zz - xz * xz,
        xx * yy - xy * xy,
        xz * yz - xy * zz,
        xy * yz - xz * yy,
        xy * xz - xx * yz,
    ]
}

/// The inverse of a positive definite matrix.
pub fn sym_inverse(a: &Sym) -> Sym {
    let (minors, determinant) = sym_cofactors(a);
    minors.map(|m| m / determinant)
}

/// Most sweeps of Jacobi's method: four leave off-diagonals at rounding, often three do.
const SWEEPS: usize = 4;

/// Eigenvalues, and eigenvectors of length 1 as columns, by Jacobi's method.
pub fn sym_eigen(a: &Sym) -> ([Double; 3], [[Double; 3]; 3]) {
    let [xx, yy, zz, xy, xz, yz] = *a;
    let mut m = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        let size = m[0][0].abs() + m[1][1].abs() + m[2][2].abs();
        if m[0][1].abs() + m[0][2].abs() + m[1][2].abs() <= 0.5 * Double::EPSILON * size {
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
    ([m[0][0], m[1][1], m[2][2]], v)
}

/// `Σ max(λ, 0) v vᵀ` over eigenvalues λ and eigenvectors v.
pub fn sym_positive_part(a: &Sym) -> Sym {
    let (values, v) = sym_eigen(a);
    let mut part = [0.0; 6];
    for i in 0..3 {
        let value = values[i].max(0.0);
        let [x, y, z] = [v[0][i], v[1][i], v[2][i]];
        let square = [x * x, y * y, z * z, x * y, x * z, y * z];
        (0..6).for_each(|k| part[k] += value * square[k]);
    }
    part
}
