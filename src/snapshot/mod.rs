//! Snapshots: a whole world as data, to be kept, sent and gone back to.
//!
//! [`Simulation::snapshot`] gives a [`Snapshot`], [`Simulation::restore`] makes a world of one. In it is what
//! the steps that follow depend on: bodies with their shapes (equal ones once), joints, contacts with their
//! impulses, touches, sleepers, counters. What only makes steps fast is not: factors of islands, boxes, what
//! pairs remember of how they were measured. A world goes on without it, within the tolerance but not with
//! the same bits; therefore *the world that a snapshot is taken of goes on from it as well*, as if it had
//! been restored, and from there on every world that has the snapshot gives the same bits as all others. Who
//! must not be disturbed takes a clone of the [`Simulation`], which holds all of it and goes on as it would.
//!
//! Of the last step its report and what contacts and touches tell are not part of a snapshot. Settings are
//! not either: they are given with each step.
//!
//! With the feature `serialize` a snapshot has serde, and `Snapshot::to_bytes` gives a compact form with a
//! version and a checksum. What comes from outside is checked as what a user gives: [`SnapshotError`].

mod body;
#[cfg(feature = "serialize")]
mod bytes;
mod joint;
mod pair;
mod shape;

pub use self::shape::ShapeData;

use self::body::{BodyData, Kinds};
use self::joint::JointData;
use self::pair::{ContactPairs, PairData, TouchData};
use crate::engine::Simulation;
use crate::engine::body::{BodyError, BodyId};
use crate::engine::joint::JointError;
use crate::engine::settings::ContactSettings;
use crate::engine::settings::ranges::STEP;
use crate::engine::shape::ShapeError;
use crate::engine::step::sleep::Parts;
use crate::math::{Real, Vec3};

/// By how much squares of unit vectors and rotations may differ from one (–): a hundred roundings of `f32`.
const UNIT: Real = 1e-5;

/// Steps, bodies and joints that are counted at most (–): nobody counts so far, and there is room to go on.
const COUNT_MAX: u64 = u64::MAX >> 1;

/// Version of what a snapshot holds. Others are refused.
pub const VERSION: u16 = 1;

/// What a snapshot was made by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct Format {
    version: u16,
    /// Bytes of a [`Real`].
    real: u8,
}

const FORMAT: Format = Format { version: VERSION, real: size_of::<Real>() as u8 };

/// A world as data, see [the module](self).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Snapshot {
    format: Format,
    /// Number of steps, and length of the last one (s).
    step: u64,
    dt: Real,
    /// Ids of the next body and joint.
    next: [u64; 2],
    kinds: Kinds,
    bodies: Vec<BodyData>,
    joints: Vec<JointData>,
    pairs: Vec<PairData>,
    touches: Vec<TouchData>,
    sleepers: Vec<IslandData>,
    /// Gravity [m/s²] and contact settings of the last step: others wake what sleeps.
    last: Option<(Vec3, ContactSettings)>,
}

/// An island that sleeps.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
struct IslandData {
    /// Its bodies, each by how far its id is behind the last one's.
    members: Vec<u64>,
    /// Length of the step after which it fell asleep (s).
    dt: Real,
}

/// Why a snapshot was not taken or not restored.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// A step is under way: between its stages a world is no state.
    #[error("a step is under way: take and restore snapshots between steps")]
    StepUnderWay,
    /// Another version of what snapshots hold.
    #[error("the snapshot is of version {0}, known is {VERSION}")]
    Version(u16),
    /// Numbers of another precision than those of this build, see the feature `f64`.
    #[error("the numbers of the snapshot have {0} bytes, those of this build another number")]
    Precision(u8),
    /// Not the bytes of a snapshot, or not all of them, or changed ones.
    #[error("the bytes are not those of a snapshot, or damaged")]
    Damaged,
    /// What it says contradicts itself.
    #[error("the snapshot contradicts itself: {0}")]
    Inconsistent(&'static str),
    /// A shape of it is none.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// A body of it is none.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// A joint of it is none.
    #[error(transparent)]
    Joint(#[from] JointError),
}

/// Ids as steps from each to the next, which are small.
fn steps(ids: impl IntoIterator<Item = u64>) -> impl Iterator<Item = u64> {
    let mut last = 0;
    ids.into_iter().map(move |id| id.wrapping_sub(core::mem::replace(&mut last, id)))
}

/// The ids of such steps; an error if they do not ascend.
fn ids(steps: impl IntoIterator<Item = u64>) -> Result<Vec<u64>, SnapshotError> {
    let mut last: Option<u64> = None;
    let next = |step: u64| {
        let id = last.map_or(Some(step), |last| last.checked_add(step).filter(|&id| id > last));
        last = id;
        id.ok_or(SnapshotError::Inconsistent("ids ascend"))
    };
    steps.into_iter().map(next).collect()
}

impl Snapshot {
    /// Number of bodies in it.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Is there no body in it?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Number of the step after which it was taken; 0 before the first.
    #[must_use]
    pub const fn step(&self) -> u64 {
        self.step
    }

    /// Gives other names to what was named from outside: the [tags](crate::engine::body::Body::tag) of bodies
    /// and of their colliders.
    pub fn map_tags(&mut self, mut map: impl FnMut(u64) -> u64) {
        self.bodies.iter_mut().for_each(|body| body.map_tags(&mut map));
        self.touches.iter_mut().for_each(|touch| touch.map_tags(&mut map));
    }

    /// What there is between two steps.
    fn of(world: &Simulation) -> Self {
        let mut kinds = Kinds::default();
        let steps_of = steps(world.bodies.iter().map(|body| body.id().0));
        let bodies = world.bodies.iter().zip(steps_of);
        let bodies = bodies.map(|(body, step)| BodyData::of(body, step, &mut kinds)).collect();
        let joints = world.joints.as_slice();
        let steps_of = steps(joints.iter().map(|joint| joint.id().0));
        let joints = joints.iter().zip(steps_of).map(|(joint, step)| JointData::of(joint, step));
        let joints = joints.collect();
        let ContactPairs { pairs, touches } = ContactPairs::of(world);
        let islands = world.sleepers.islands.values().map(|island| IslandData {
            members: steps(island.members.iter().map(|id| id.0)).collect(),
            dt: island.dt,
        });
        Self {
            format: FORMAT,
            step: world.report.step,
            dt: world.dt_last,
            next: [world.bodies.next, world.joints.next],
            kinds,
            bodies,
            joints,
            pairs,
            touches,
            sleepers: islands.collect(),
            last: world.sleepers.last,
        }
    }

    /// The world that goes on from here.
    fn world(&self) -> Result<Simulation, SnapshotError> {
        if self.format.version != VERSION {
            return Err(SnapshotError::Version(self.format.version));
        } else if self.format != FORMAT {
            return Err(SnapshotError::Precision(self.format.real));
        }
        if [self.step].iter().chain(&self.next).any(|&count| count > COUNT_MAX) {
            return Err(SnapshotError::Inconsistent("counters have room to go on"));
        }
        // The lengths of the last step and of those after which islands fell asleep: 0 before the first.
        let mut lengths = self.sleepers.iter().map(|island| island.dt).chain([self.dt]);
        if !lengths.all(|dt| dt == 0.0 || STEP.contains(dt)) {
            return Err(SnapshotError::Inconsistent("steps are of a length that steps have"));
        }
        let mut world = Simulation::new();
        self.add_bodies(&mut world)?;
        self.add_joints(&mut world)?;
        for island in &self.sleepers {
            let members: Vec<BodyId> =
                ids(island.members.iter().copied())?.into_iter().map(BodyId).collect();
            let may = |id: &BodyId| {
                let body = world.bodies.get(*id);
                body.is_some_and(|body| body.moves() && !body.is_sleeping())
            };
            if members.is_empty() || !members.iter().all(may) {
                return Err(SnapshotError::Inconsistent(
                    "dynamic bodies sleep, in one island each",
                ));
            }
            world.sleepers.put(members, island.dt, &mut world.bodies);
        }
        pair::add(&self.pairs, &self.touches, &mut world)?;
        [world.bodies.next, world.joints.next] = self.next;
        world.sleepers.last = self.last;
        world.dt_last = self.dt;
        (world.report.step, world.report.dt) = (self.step, self.dt);
        Ok(world)
    }

    fn add_bodies(&self, world: &mut Simulation) -> Result<(), SnapshotError> {
        let kinds = self.kinds.colliders()?;
        let list = ids(self.bodies.iter().map(BodyData::step))?;
        for (data, id) in self.bodies.iter().zip(list) {
            if id >= self.next[0] {
                return Err(SnapshotError::Inconsistent("the next body has the largest id"));
            }
            world.bodies.next = id;
            data.add(&self.kinds, &kinds, &mut world.bodies)?;
        }
        Ok(())
    }

    fn add_joints(&self, world: &mut Simulation) -> Result<(), SnapshotError> {
        let list = ids(self.joints.iter().map(JointData::step))?;
        for (data, id) in self.joints.iter().zip(list) {
            if id >= self.next[1] {
                return Err(SnapshotError::Inconsistent("the next joint has the largest id"));
            }
            world.joints.next = id;
            data.add(world)?;
        }
        Ok(())
    }
}

impl Simulation {
    /// A snapshot of this world, which goes on from it: see [the module](crate::snapshot). What it tells of
    /// the last step it goes on telling; pairs without contacts are found anew. O(bodies + pairs).
    ///
    /// # Errors
    /// [`StepUnderWay`](SnapshotError::StepUnderWay).
    pub fn snapshot(&mut self) -> Result<Snapshot, SnapshotError> {
        if self.active {
            return Err(SnapshotError::StepUnderWay);
        }
        // What the next step would wake for what was done since the last one.
        let Self { sleepers, bodies, pairs, joints, .. } = self;
        sleepers.mark_edits(bodies);
        let mut parts = Parts { bodies, pairs, joints, dt_last: self.dt_last };
        sleepers.mark_disturbed(&parts);
        sleepers.wake(&mut parts);
        self.joints.compact(&self.bodies);
        self.bodies.compact();
        let snapshot = Snapshot::of(self);
        let mut world = snapshot.world()?;
        world.report = self.report.clone();
        world.touches = self.touches.clone();
        pair::keep_told(&mut world.pairs, &self.pairs);
        world.revision = self.revision + 1;
        *self = world;
        Ok(snapshot)
    }

    /// Makes this world the one that a snapshot was taken of, whatever it was before. Bodies and joints have
    /// the ids that they had. O(bodies + pairs), and building shapes if it comes from outside.
    ///
    /// # Errors
    /// A step is under way, or the snapshot is of another version or contradicts itself; the world is
    /// unchanged then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), SnapshotError> {
        if self.active {
            return Err(SnapshotError::StepUnderWay);
        }
        let mut world = snapshot.world()?;
        world.revision = self.revision + 1;
        *self = world;
        Ok(())
    }
}
