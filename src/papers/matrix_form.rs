//! The matrix of (5.1) of a step problem that was given out.
//!
//! Input: a step problem with a friction pyramid. Output: the dense mixed linear complementarity problem
//! (5.1)–(5.2), as other solvers take it. O((6 bodies + contacts · m_C)²).

use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::rows::mass_mul;
use crate::engine::lcp::{ContactRow, FIXED, JointRow, Vec6};
use crate::engine::papers::export::ExportedProblem;
use crate::math::Double;

/// The matrix form (5.1): `F x + q = (0, 0, ρ, σ, ζ)`, `x = (v, c_ν, c_n, β, λ)`, where the last three parts
/// of both are not negative and complementary (5.2).
#[derive(Clone, Debug, PartialEq)]
pub struct MixedLcp {
    /// Number of unknowns.
    pub size: usize,
    /// How many of them, the first, belong to equations.
    pub equations: usize,
    /// `F`, row by row [kg and kg·m²; – and m].
    pub matrix: Vec<Double>,
    /// `q` [N·s and N·m·s; m/s].
    pub vector: Vec<Double>,
}

impl ExportedProblem {
    /// The matrix form of the problem. None if it has rolling rows or joint rows with bounds or softness,
    /// which (5.1) does not know, or a circular cone.
    #[must_use]
    pub fn matrix_form(&self) -> Option<MixedLcp> {
        let directions = FrictionCone::new(self.cone);
        let directions = directions.directions();
        let is_plain = |row: &JointRow| !row.is_bounded() && row.softness == 0.0;
        if directions.is_empty() || !self.rolling.is_empty() || !self.joints.iter().all(is_plain) {
            return None;
        }
        let (n_v, n_j) = (6 * self.blocks.len(), self.joints.len());
        let (n_c, m_c) = (self.contacts.len(), directions.len());
        let equations = n_v + n_j;
        let size = equations + n_c * (2 + m_c);
        let mut form =
            MixedLcp { size, equations, matrix: vec![0.0; size * size], vector: vec![0.0; size] };
        for (i, block) in self.blocks.iter().enumerate() {
            for k in 0..6 {
                let mut unit = [0.0; 6];
                unit[k] = 1.0;
                for (j, x) in mass_mul(block, &unit).into_iter().enumerate() {
                    form.matrix[(6 * i + j) * size + 6 * i + k] = x;
                }
            }
            let momentum = mass_mul(block, &block.velocity_free);
            (0..6).for_each(|k| form.vector[6 * i + k] = -momentum[k]);
        }
        for (j, row) in self.joints.iter().enumerate() {
            row.terms.iter().for_each(|(i, part)| form.couple(n_v + j, *i, part));
            form.vector[n_v + j] = row.bias;
        }
        for (c, row) in self.contacts.iter().enumerate() {
            let at = equations + c;
            let lambda = equations + n_c * (1 + m_c) + c;
            form.add_row(at, row, [1.0, 0.0, 0.0]);
            form.matrix[lambda * size + at] = row.friction;
            for (i, d) in directions.iter().enumerate() {
                let beta = equations + n_c + c * m_c + i;
                form.add_row(beta, row, [0.0, d[0], d[1]]);
                form.matrix[beta * size + lambda] = 1.0;
                form.matrix[lambda * size + beta] = -1.0;
            }
        }
        Some(form)
    }
}

impl MixedLcp {
    /// Adds a combination of the three rows of a contact, and its transpose.
    fn add_row(&mut self, at: usize, row: &ContactRow, parts: [Double; 3]) {
        for (body, jacobian) in [(row.a, &row.jacobian_a), (row.b, &row.jacobian_b)] {
            if body != FIXED {
                let sum = |k: usize| (0..3).map(|r| parts[r] * jacobian[r][k]).sum();
                self.couple(at, body, &[0, 1, 2, 3, 4, 5].map(sum));
            }
        }
        self.vector[at] = (0..3).map(|r| parts[r] * row.bias[r]).sum();
    }

    /// Adds a part of a row over velocities, and its transpose.
    fn couple(&mut self, at: usize, body: u32, part: &Vec6) {
        for (k, x) in part.iter().enumerate() {
            let column = 6 * body as usize + k;
            self.matrix[at * self.size + column] += x;
            self.matrix[column * self.size + at] -= x;
        }
    }

    /// `F x + q`, by the rows (their units).
    #[must_use]
    pub fn residual(&self, x: &[Double]) -> Vec<Double> {
        let rows = self.matrix.chunks_exact(self.size).zip(&self.vector);
        rows.map(|(row, q)| row.iter().zip(x).fold(*q, |sum, (f, x)| sum + f * x)).collect()
    }
}
