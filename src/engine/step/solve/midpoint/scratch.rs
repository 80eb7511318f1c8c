//! Buffers of the midpoint rule.

use super::contact::MidpointContact;
use super::link::Link;
use super::member::Member;
use crate::engine::lcp::manifold::{Lanes, Manifold};
use crate::engine::lcp::{BodyBlock, JointRow, Vec6};
use crate::engine::step::assemble::Unknowns;
use crate::math::{Double, Sym};

/// Buffers; their content never influences a result.
#[derive(Debug, Default)]
pub(in crate::engine::step::solve) struct MidpointScratch {
    pub(super) members: Vec<Member>,
    pub(super) links: Vec<Link>,
    /// The contacts in the order of their impulses, and their manifolds at the start.
    pub(super) touches: Vec<MidpointContact>,
    pub(super) manifolds: Vec<Manifold>,
    /// What the problem was before: blocks, joint rows, their pushes.
    pub(super) blocks: Vec<BodyBlock>,
    pub(super) rows: Vec<JointRow>,
    pub(super) push: Vec<Double>,
    /// Half impulses on the bodies by which they flew.
    pub(super) half: Vec<Vec6>,
    /// Half impulses on the bodies of the rows at hand.
    pub(super) sum: Vec<Vec6>,
    /// By what torques change with a turn of each body.
    pub(super) load: Vec<Sym>,
    /// Half impulses and whole ones of the parts so far; half ones as a part began.
    pub(super) spent: [Unknowns; 2],
    pub(super) kept: Unknowns,
    /// Gaps of the contacts as a part begins (m).
    pub(super) gaps: Vec<Lanes>,
    /// How far contacts that push are from where they were to come, or others nearer than they may [m/s].
    pub(super) astray: Double,
    /// Where rows that keep a place are to be at the end of a part [m or rad].
    pub(super) aims: Vec<Double>,
    /// Were joints further off at the start of the step than a step that is solved leaves them, or did the
    /// velocities not fit them where nothing else acts?
    pub(super) pays: bool,
    /// Do locks at rest alone act, and did the velocities fit them at the start of the step?
    pub(super) keeps: bool,
    /// Was the part made by one problem that is no solution?
    pub(super) soft: bool,
    /// Was any part of this step?
    pub(super) failed: bool,
    /// Mass blocks at the start of a part.
    pub(super) plain: Vec<BodyBlock>,
}

/// Is a row that keeps a place one of a lock, not a limit?
pub(super) fn is_lock(row: &JointRow) -> bool {
    row.bounds[0] < 0.0
}
