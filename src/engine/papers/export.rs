//! The step problem of a running step, given out: its rows, what each comes from, and the matrix of (5.1).
//!
//! Input: the world between the stages `assemble` and `solve` of a step. Output: for each island with rows
//! the mixed linear complementarity problem (5.1)–(5.2) as it will be solved, to be solved elsewhere or
//! looked at. O(rows), the dense matrix O((6 bodies + contacts · m_C)²).

use crate::engine::lcp::cone::FrictionCone;
use crate::engine::lcp::rows::mass_mul;
use crate::engine::lcp::{BodyBlock, Cone, ContactRow, FIXED, JointRow, Problem, RollingRow, Vec6};
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::contact::ContactId;
use crate::engine::state::joint::{Joint, JointId};
use crate::engine::state::pair_key::PairKey;
use crate::engine::state::pairs::Pair;
use crate::engine::step::assemble::StepProblem;
use crate::engine::step::islands::Islands;
use crate::math::{Double, Vec3, narrow};

/// Where a contact row comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactOrigin {
    /// The pair of pieces.
    pub pair: PairKey,
    /// The features that meet.
    pub id: ContactId,
    /// Unit normal in world axes, from body a to body b.
    pub normal: Vec3,
    /// Gap of the row (m); negative in overlap.
    pub gap: Double,
    /// `Δ` of the row, which is part of its bias [m/s].
    pub delta: Double,
}

/// The step problem of an island in rows, with their origins.
#[derive(Clone, Debug)]
pub struct ExportedProblem {
    /// Its bodies, in the order of `blocks`.
    pub bodies: Vec<BodyId>,
    /// Mass blocks and free velocities.
    pub blocks: Vec<BodyBlock>,
    /// Contacts.
    pub contacts: Vec<ContactRow>,
    /// Where each contact comes from.
    pub contact_origins: Vec<ContactOrigin>,
    /// Joint rows.
    pub joints: Vec<JointRow>,
    /// Where each joint row comes from.
    pub joint_origins: Vec<JointId>,
    /// Rolling rows.
    pub rolling: Vec<RollingRow>,
    /// Friction cone of all contacts.
    pub cone: Cone,
}

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
    /// Of island `k`; none if it has no rows, or something of it is gone.
    #[must_use]
    pub fn of_island(
        problem: &StepProblem,
        islands: &Islands,
        (bodies, pairs, joints): (&[Body], &[Box<Pair>], &[Joint]),
        k: usize,
        cone: Cone,
    ) -> Option<Self> {
        let ranges = problem.ranges(k, islands);
        if ranges.contacts.is_empty() && ranges.joints.is_empty() {
            return None;
        }
        let members = &islands.members[ranges.members.clone()];
        let blocks = problem.bodies[ranges.members.clone()].to_vec();
        let (mut contacts, mut contact_origins) = (Vec::new(), Vec::new());
        let sources = &problem.contact_source[ranges.contacts.clone()];
        for m in &problem.manifolds[ranges.manifolds.clone()] {
            for lane in 0..m.count as usize {
                let [pair, contact] = sources[m.first as usize + lane].map(|i| i as usize);
                let pair = pairs.get(pair)?;
                contacts.push(m.row(lane, &blocks));
                contact_origins.push(ContactOrigin {
                    pair: pair.key,
                    id: pair.contacts.get(contact)?.id,
                    normal: Vec3::from_array(m.normal.map(narrow)),
                    gap: m.gap[lane],
                    delta: m.bias[lane],
                });
            }
        }
        let joint_rows = problem.joint_source[ranges.joints.clone()].iter();
        let joint_origins = joint_rows.map(|[j, _]| Some(joints.get(*j as usize)?.id()));
        let ids = members.iter().map(|&i| Some(bodies.get(i as usize)?.id()));
        Some(Self {
            bodies: ids.collect::<Option<_>>()?,
            blocks,
            contacts,
            contact_origins,
            joints: problem.joints[ranges.joints].to_vec(),
            joint_origins: joint_origins.collect::<Option<_>>()?,
            rolling: problem.rolling[ranges.rolling].to_vec(),
            cone,
        })
    }

    /// As the solvers take it.
    #[must_use]
    pub fn problem(&self) -> Problem<'_> {
        let Self { blocks: bodies, joints, contacts, rolling, cone, .. } = self;
        Problem { bodies, joints, contacts, rolling, cone: *cone }
    }

    /// The problem of the instant, of Trinkle, Berard and Pang (2005): only contacts with a gap up to
    /// `touching` (m), and of their rows the velocities alone, without what gaps ask within a step. Of a
    /// quasistatic step it is Model-IQC, (1)–(3), (9)–(11), with the circular cone and Model-ILC, (12), (17),
    /// (18), with a pyramid; its velocities are those of the system at the time at which the step begins.
    #[must_use]
    pub fn instantaneous(&self, touching: Double) -> Self {
        let mut instant = Self {
            contacts: Vec::new(),
            contact_origins: Vec::new(),
            rolling: Vec::new(),
            ..self.clone()
        };
        for (c, (row, origin)) in self.contacts.iter().zip(&self.contact_origins).enumerate() {
            if origin.gap > touching {
                continue;
            }
            let of_row = self.rolling.iter().filter(|rolling| rolling.contact as usize == c);
            let contact = instant.contacts.len() as u32;
            instant.rolling.extend(of_row.map(|rolling| RollingRow { contact, ..*rolling }));
            let mut row = *row;
            row.bias[0] -= origin.delta;
            instant.contacts.push(row);
            instant.contact_origins.push(ContactOrigin { delta: 0.0, ..*origin });
        }
        instant
    }

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
