//! Lemke's algorithm on the step problem: exact pivoting for small problems, and the oracle of tests.
//!
//! Velocities and joint impulses of (5.1)–(5.2) are eliminated,
//!
//! ```text
//! A = J (M⁻¹ - M⁻¹ ν S⁻¹ νᵀ M⁻¹) Jᵀ,    S = νᵀ M⁻¹ ν,    q = J v₀ + b
//! ```
//!
//! (`v₀` the free velocity corrected by the joints), which leaves the LCP in standard form
//!
//! ```text
//! ρ = Nᵀv + Δ ⊥ c_n,    σ = Dᵀv + λ e ⊥ β,    ζ = μ c_n - eᵀβ ⊥ λ
//! ```
//!
//! with one β for each of the `m_C` directions. Joint rows that repeat others are found by a
//! pivoted Cholesky factor of `S` and carry no impulse. Every contact is scaled by `1/√W_nn`, `λ`
//! by the inverse, which makes all entries about 1 for any mass ratio.
//!
//! A circular cone is treated as the pyramid with eight directions; the certificate is that of the
//! cone asked for, so it shows the difference. The answer can be non-unique; then this finds one.
//! Rolling rows and joint rows with bounds are not known here, for which it reports `TooLarge`; softness
//! adds to the diagonal of `S`. The better of the warm start and the last basis is kept, so a ray leaves
//! nothing worse than it was. Cost: O(n²) a pivot with `n = contacts · (m_C + 2)`; allocates.

use super::pivoting::lcp_lemke;
use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::rows::{add_scaled, dot6, inverse_mass_mul};
use crate::engine::lcp::{Cone, FIXED, Iterate, JointRow, Problem, SolveStats, Status, Vec6};
use crate::engine::papers::pointed::Generator;
use crate::engine::tuning::work::{CHECK, OPERATIONS};
use crate::math::Double;
use crate::math::dense::pivoted_cholesky;

/// Parameters of Lemke's algorithm.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LemkeParams {
    /// Bound on the certificate's [`error`] [m/s] below which a warm start is returned as it is. Default 0.
    ///
    /// [`error`]: crate::engine::lcp::certificate::Certificate::error
    pub tolerance: Double,
    /// Work after which it gives up, in sweeps over all contacts and bodies (–). Infinite by default.
    pub work_max: Double,
}

impl Default for LemkeParams {
    fn default() -> Self {
        Self { tolerance: 0.0, work_max: Double::INFINITY }
    }
}

/// Largest number of pivots.
const PIVOTS_MAX: u32 = 20_000;
/// Directions of the pyramid that stands for the circular cone.
const CIRCULAR_DIRECTIONS: u32 = 8;

/// Solves (5.1)–(5.2).
pub fn solve(problem: &Problem, iterate: &mut Iterate, params: &LemkeParams) -> SolveStats {
    let cone = &FrictionCone::new(problem.cone);
    let before = iterate.judge(problem, cone, None);
    let unchanged =
        |status| SolveStats { status, work: CHECK, certificate: before, ..Default::default() };
    if before.error() <= params.tolerance {
        return unchanged(Status::Converged);
    }
    let pyramid = pyramid_of(problem.cone);
    let size = problem.contacts.len() * (pyramid.directions().len() + 2);
    if !problem.rolling.is_empty() || problem.joints.iter().any(JointRow::is_bounded) {
        return unchanged(Status::TooLarge);
    }
    let old_contact = iterate.contact_impulse.to_vec();
    let old_joint = iterate.joint_impulse.to_vec();
    let sides = [pyramid.directions()];
    // A pivot goes over the tableau, of about so many rows as columns.
    let sweep = (problem.contacts.len() + problem.bodies.len()) as Double;
    let pivot = 2.0 * (size * size) as Double / OPERATIONS / sweep;
    let pivots_max = (params.work_max / pivot).min(PIVOTS_MAX.into()) as u32;
    let mut stats = solve_with(problem, &sides, FrictionBound::OfNormal, pivots_max, iterate);
    stats.work = Double::from(stats.iterations) * pivot + 3.0 * CHECK;
    if before.error() < stats.certificate.error() {
        iterate.contact_impulse.copy_from_slice(&old_contact);
        iterate.joint_impulse.copy_from_slice(&old_joint);
        stats.certificate = iterate.judge(problem, cone, None);
    }
    stats
}

/// Solves (5.13)–(5.14), the optimality conditions of (5.15), with the slip speeds `λ` [m/s] given: the map
/// P₂ of (5.16). Its velocity is unique. The impulses are not bounded by friction; they solve the step
/// problem, and its certificate vanishes, only if `λ` is the slip of its solution (Lemma 5.4).
pub fn solve_fixed_slip(problem: &Problem, slip: &[Double], iterate: &mut Iterate) -> SolveStats {
    debug_assert_eq!(slip.len(), problem.contacts.len(), "one slip speed a contact");
    let pyramid = pyramid_of(problem.cone);
    solve_with(problem, &[pyramid.directions()], FrictionBound::Slip(slip), PIVOTS_MAX, iterate)
}

/// Solves the problem with the square cone `|t_1|, |t_2| ≤ μ c_n`, (33) of Trinkle, Berard, Pang (2005);
/// or, with the normal impulses `c_n` [N·s] of friction given, the linear program (36), in which friction
/// is a cost, with the quadratic term of the problem's masses. By Theorem 1 both have the same velocity if
/// the given ones are those of the first. The certificate is that of the cone of the problem, another one.
pub fn solve_square_cone(
    problem: &Problem,
    given: Option<&[Double]>,
    iterate: &mut Iterate,
) -> SolveStats {
    let sides: [&[[Double; 2]]; 2] = [&[[1.0, 0.0], [-1.0, 0.0]], &[[0.0, 1.0], [0.0, -1.0]]];
    let bound = given.map_or(FrictionBound::OfNormal, FrictionBound::Given);
    solve_with(problem, &sides, bound, PIVOTS_MAX, iterate)
}

/// Solves the problem without friction.
pub fn solve_frictionless(problem: &Problem, iterate: &mut Iterate) -> SolveStats {
    solve_with(problem, &[], FrictionBound::OfNormal, PIVOTS_MAX, iterate)
}

/// Solves it with the directions of each of `sides` and a bound of friction.
fn solve_with(
    problem: &Problem,
    sides: &[&[[Double; 2]]],
    bound: FrictionBound<'_>,
    pivots_max: u32,
    iterate: &mut Iterate,
) -> SolveStats {
    let reduced = Reduced::new(problem);
    let (matrix, q) = reduced.standard_form(problem, sides, bound);
    let solution = lcp_lemke(&matrix, &q, pivots_max);
    reduced.recover(sides, &solution.z, iterate);
    let certificate = iterate.judge(problem, &FrictionCone::new(problem.cone), None);
    let (status, iterations) = (solution.status, solution.pivots);
    SolveStats { status, iterations, factorizations: 0, work: 0.0, certificate }
}

/// What bounds the friction of a contact.
enum FrictionBound<'a> {
    /// `Σ β ≤ μ c_n`.
    OfNormal,
    /// `Σ β ≤ μ c_n` with these `c_n` [N·s], whatever the normal impulses are.
    Given(&'a [Double]),
    /// Nothing; the slip speeds `λ` [m/s] are given.
    Slip(&'a [Double]),
}

fn pyramid_of(cone: Cone) -> FrictionCone {
    FrictionCone::new(match cone {
        Cone::Circular => Cone::Pyramid(CIRCULAR_DIRECTIONS),
        pyramid @ Cone::Pyramid(_) => pyramid,
    })
}

/// One row as (body, six-vector) terms.
type Terms = Vec<(usize, Vec6)>;

/// The problem over contact rows alone.
pub(in crate::engine::papers) struct Reduced {
    /// `A`, three rows a contact, stored row by row.
    a: Vec<Double>,
    /// `q = J v₀ + b`.
    q: Vec<Double>,
    /// Length of `q`.
    n: usize,
    /// `1/√W_nn` of every contact.
    scale: Vec<Double>,
    /// Joint rows kept, in the order of the factor.
    kept: Vec<usize>,
    /// Lower factor of `S` over the kept rows, row by row.
    factor: Vec<Vec<Double>>,
    /// `Y = L⁻¹ νᵀ M⁻¹ Jᵀ`, one row a kept joint row, and behind each that of `L⁻¹ (νᵀ v* + Υ)`.
    y: Vec<Vec<Double>>,
}

impl Reduced {
    pub(in crate::engine::papers) fn new(problem: &Problem) -> Self {
        let contacts = contact_terms(problem);
        let terms_of = |row: &JointRow| row.terms.iter().map(|(b, j)| (*b as usize, *j)).collect();
        let joints: Vec<Terms> = problem.joints.iter().map(terms_of).collect();
        let n = contacts.len();
        let mut a = gram(problem, &contacts, &contacts);
        let free = |terms: &Terms| {
            terms.iter().fold(0.0, |sum, (b, j)| sum + dot6(j, &problem.bodies[*b].velocity_free))
        };
        let mut q: Vec<Double> =
            (0..n).map(|i| free(&contacts[i]) + problem.contacts[i / 3].bias[i % 3]).collect();
        let diagonal = (0..n / 3).map(|c| a[3 * c * n + 3 * c]);
        let scale = diagonal.map(|w| if w > 0.0 { 1.0 / w.sqrt() } else { 1.0 }).collect();
        let mut s = gram(problem, &joints, &joints);
        for (j, row) in problem.joints.iter().enumerate() {
            s[j * (joints.len() + 1)] += row.softness;
        }
        let coupling = gram(problem, &joints, &contacts);
        let (kept, factor) = pivoted_cholesky(&s, joints.len());
        let mut y: Vec<Vec<Double>> = Vec::new();
        for (k, &j) in kept.iter().enumerate() {
            let mut row = coupling[j * n..(j + 1) * n].to_vec();
            row.push(free(&joints[j]) + problem.joints[j].bias);
            for (l, earlier) in factor[k].iter().zip(&y) {
                row.iter_mut().zip(earlier).for_each(|(x, e)| *x -= l * e);
            }
            row.iter_mut().for_each(|x| *x /= factor[k][k]);
            y.push(row);
        }
        for row in &y {
            for i in 0..n {
                (0..n).for_each(|j| a[i * n + j] -= row[i] * row[j]);
                q[i] -= row[i] * row[n];
            }
        }
        Self { a, q, n, scale, kept, factor, y }
    }

    /// Matrix and vector over (c_n, β, λ), or over (c_n, β) with λ given. Friction has the directions of
    /// each of `sides`, which have a bound and a λ of their own.
    fn standard_form(
        &self,
        problem: &Problem,
        sides: &[&[[Double; 2]]],
        bound: FrictionBound<'_>,
    ) -> (Vec<Double>, Vec<Double>) {
        let n_contacts = self.n / 3;
        // Generators (contact, weights of its three rows), scaled, and the λ of each.
        let mut generators: Vec<(usize, [Double; 3], usize)> =
            (0..n_contacts).map(|c| (c, [self.scale[c], 0.0, 0.0], 0)).collect();
        for c in 0..n_contacts {
            for (k, side) in sides.iter().enumerate() {
                let weights = |d: &[Double; 2]| [0.0, self.scale[c] * d[0], self.scale[c] * d[1]];
                generators.extend(side.iter().map(|d| (c, weights(d), c * sides.len() + k)));
            }
        }
        let impulses = generators.len();
        let bounds =
            if matches!(bound, FrictionBound::Slip(_)) { 0 } else { n_contacts * sides.len() };
        let size = impulses + bounds;
        let (mut matrix, mut q) = (vec![0.0; size * size], vec![0.0; size]);
        for (i, (c, x, _)) in generators.iter().enumerate() {
            for (j, (e, y, _)) in generators.iter().enumerate() {
                matrix[i * size + j] = self.product((*c, *x), (*e, *y));
            }
            (0..3).for_each(|r| q[i] += x[r] * self.q[3 * c + r]);
        }
        for (beta, &(c, _, lambda)) in generators.iter().enumerate().skip(n_contacts) {
            let at = impulses + lambda;
            match bound {
                FrictionBound::Slip(slip) => q[beta] += self.scale[c] * slip[c],
                FrictionBound::OfNormal => matrix[at * size + c] = problem.contacts[c].friction,
                FrictionBound::Given(normal) => {
                    q[at] = problem.contacts[c].friction * normal[c] / self.scale[c];
                }
            }
            if bounds > 0 {
                matrix[beta * size + at] = 1.0;
                matrix[at * size + beta] = -1.0;
            }
        }
        (matrix, q)
    }

    /// `g A M⁻¹ Aᵀ h` of two combinations of rows.
    pub(in crate::engine::papers) fn product(
        &self,
        (c, x): Generator,
        (e, y): Generator,
    ) -> Double {
        let mut sum = 0.0;
        for r in 0..3 {
            let row = &self.a[(3 * c + r) * self.n + 3 * e..][..3];
            sum += x[r] * (row[0] * y[0] + row[1] * y[1] + row[2] * y[2]);
        }
        sum
    }

    /// Impulses of the standard form's solution.
    fn recover(&self, sides: &[&[[Double; 2]]], z: &[Double], iterate: &mut Iterate) {
        let mut betas = z[self.n / 3..].iter();
        for (c, l) in iterate.contact_impulse.iter_mut().enumerate() {
            *l = [self.scale[c] * z[c], 0.0, 0.0];
            for (d, beta) in sides.iter().flat_map(|side| side.iter()).zip(&mut betas) {
                l[1] += self.scale[c] * beta * d[0];
                l[2] += self.scale[c] * beta * d[1];
            }
        }
        self.answer(iterate);
    }

    /// Joint impulses that go with those of the contacts.
    pub(in crate::engine::papers) fn answer(&self, iterate: &mut Iterate) {
        // Lᵀ c = -(y₀ + Y l).
        let mut x: Vec<Double> = self.y.iter().map(|row| row[self.n]).collect();
        for (value, row) in x.iter_mut().zip(&self.y) {
            for (c, l) in iterate.contact_impulse.iter().enumerate() {
                *value += row[3 * c] * l[0] + row[3 * c + 1] * l[1] + row[3 * c + 2] * l[2];
            }
        }
        iterate.joint_impulse.fill(0.0);
        for k in (0..self.kept.len()).rev() {
            (k + 1..self.kept.len()).for_each(|i| x[k] -= self.factor[i][k] * x[i]);
            x[k] /= self.factor[k][k];
            iterate.joint_impulse[self.kept[k]] = -x[k];
        }
    }
}

fn contact_terms(problem: &Problem) -> Vec<Terms> {
    let mut list = Vec::with_capacity(3 * problem.contacts.len());
    for row in problem.contacts {
        let sides = [(row.a, &row.jacobian_a), (row.b, &row.jacobian_b)];
        for i in 0..3 {
            let moving = sides.into_iter().filter(|(body, _)| *body != FIXED);
            list.push(moving.map(|(body, rows)| (body as usize, rows[i])).collect());
        }
    }
    list
}

/// `R M⁻¹ Qᵀ`, row by row.
fn gram(problem: &Problem, rows: &[Terms], columns: &[Terms]) -> Vec<Double> {
    let mut matrix = Vec::with_capacity(rows.len() * columns.len());
    let mut change = vec![[0.0; 6]; problem.bodies.len()];
    for row in rows {
        for (b, j) in row {
            add_scaled(&mut change[*b], &inverse_mass_mul(&problem.bodies[*b], j), 1.0);
        }
        let product = |sum, (b, j): &(usize, Vec6)| sum + dot6(j, &change[*b]);
        matrix.extend(columns.iter().map(|column| column.iter().fold(0.0, product)));
        row.iter().for_each(|(b, _)| change[*b] = [0.0; 6]);
    }
    matrix
}
