//! The step problem of a running step, given out: its rows, and what each comes from.
//!
//! Input: the world between the stages `assemble` and `solve` of a step. Output: for each island with rows
//! the mixed linear complementarity problem (5.1)–(5.2) as it will be solved, to be solved elsewhere or
//! looked at. O(rows).

use crate::engine::lcp::{BodyBlock, Cone, ContactRow, JointRow, Problem, RollingRow};
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
}
