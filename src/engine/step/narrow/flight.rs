//! What every pair asks of its bodies, on two lines of memory a body.
//!
//! Input: bodies, their free motions and what the step can move them. Output: a list of the same, of which
//! those are made anew that may be others than in the last step. O(bodies that move or changed).

use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::measurement::Relation;
use crate::engine::state::motion::{Course, Motion};
use crate::engine::step::broad::{BroadPhase, MotionBound};
use crate::math::{Quat, Real, Vec3};

/// A body and its free flight through the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) struct Flight {
    /// Center (m), and what rounding took from it.
    pub(in crate::engine) center: Vec3,
    pub(in crate::engine) remainder: Vec3,
    pub(in crate::engine) rotation: Quat,
    /// Free velocities and size.
    pub(in crate::engine) course: Course,
    /// Smallest inradius of its pieces (m).
    pub(in crate::engine) inradius: Real,
    /// See [`MotionBound`].
    pub(in crate::engine) own: Real,
    pub(in crate::engine) component: Real,
    pub(in crate::engine) limit: Real,
    /// See [`Body::version`].
    pub(in crate::engine) version: u32,
}

impl Flight {
    fn new(body: &Body, motion: &Motion, reach: &MotionBound) -> Self {
        let (center, remainder) = body.exact_center();
        let MotionBound { own, component, limit, .. } = *reach;
        Self {
            center,
            remainder,
            rotation: body.rotation(),
            course: motion.course(),
            inradius: motion.inradius,
            own,
            component,
            limit,
            version: body.version(),
        }
    }

    /// How two bodies are to each other.
    #[inline]
    pub(in crate::engine) fn relation([a, b]: [&Self; 2]) -> Relation {
        let between = (b.center - a.center) + (b.remainder - a.remainder);
        Relation { between, rotations: [a.rotation, b.rotation] }
    }
}

/// Those of all bodies that take part in a step.
pub(in crate::engine) fn take_up(
    flights: &mut Vec<Flight>,
    bodies: &Bodies,
    motions: &[Motion],
    broad: &BroadPhase,
    woken: &[BodyId],
) {
    let list = bodies.as_slice();
    let flight = |i: usize| Flight::new(&list[i], &motions[i], &broad.reach[i]);
    if flights.len() != motions.len() || bodies.changes().is_all_new() {
        flights.clear();
        flights.extend((0..motions.len()).map(flight));
        return;
    }
    let moved = broad.live().iter().chain(bodies.changes().recent()).map(|&i| i as usize);
    for i in moved.chain(woken.iter().filter_map(|&id| bodies.index_of(id))) {
        if let Some(old) = flights.get_mut(i) {
            *old = flight(i);
        }
    }
    #[cfg(any(test, feature = "validate"))]
    for (i, old) in flights.iter().enumerate() {
        assert_eq!(*old, flight(i), "what pairs know of body {i}");
    }
}
