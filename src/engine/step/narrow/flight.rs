//! What every pair asks of its bodies, on three lines of memory a body.
//!
//! Input: bodies, their free motions and what the step can move them. Output: a list of the same, of which
//! those are made anew that may be others than in the last step. O(bodies that move or changed).

use crate::engine::geometry::ratio::is_long;
use crate::engine::geometry::shape::Convex;
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::state::bodies::Bodies;
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::measurement::Relation;
use crate::engine::state::motion::{Course, Motion};
use crate::engine::step::broad::{BroadPhase, MotionBound};
use crate::math::{Mat3, Quat, Real, Vec3, fill_from};

/// What a body is that is one box with sharp edges about its center, along its axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) struct LoneBox {
    /// Half lengths (m).
    pub(in crate::engine) half: Vec3,
    /// See [`Hull::inradius`] (m).
    pub(in crate::engine) inradius: Real,
    /// See [`Hull::bounding_radius`] (m).
    pub(in crate::engine) reach: Real,
    /// Is it scaled about a point near the other body?
    pub(in crate::engine) is_long: bool,
}

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
    /// World rotation.
    pub(in crate::engine) turn: Mat3,
    /// Linear and angular velocity as they are, without what this step's forces add [m/s, rad/s].
    pub(in crate::engine) velocity: [Vec3; 2],
    /// Its box, if it is one and not swept.
    pub(in crate::engine) lone: Option<LoneBox>,
    /// See [`Motion::planar`].
    pub(in crate::engine) planar: u8,
    /// See [`Motion::moves`].
    pub(in crate::engine) moves: bool,
    /// Is it swept?
    pub(in crate::engine) swept: bool,
}

impl LoneBox {
    fn new(body: &Body) -> Option<Self> {
        let hull = lone_hull(body)?;
        let half = hull.cuboid.filter(|_| hull.radius == 0.0 && !body.swept)?;
        let (inradius, reach) = (hull.inradius(), hull.bounding_radius());
        Some(Self { half, inradius, reach, is_long: is_long(hull) })
    }
}

/// The hull that a body is, about its center and along its axes; none if it is something else.
pub(super) fn lone_hull(body: &Body) -> Option<&Hull> {
    let [piece] = body.colliders().pieces() else { return None };
    let piece = &piece.piece;
    let Convex::Hull(hull) = &piece.convex else { return None };
    let central = piece.position == body.center_of_mass() && piece.rotation == Quat::IDENTITY;
    central.then_some(hull)
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
            turn: motion.rotation,
            // A body that impulses do not move has no velocity, whatever its field says.
            velocity: if motion.moves {
                [body.linear_velocity, body.angular_velocity]
            } else {
                [motion.linear, motion.angular]
            },
            lone: LoneBox::new(body),
            planar: motion.planar,
            moves: motion.moves,
            swept: body.swept,
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
        fill_from(flights, (0..motions.len()).map(flight));
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
