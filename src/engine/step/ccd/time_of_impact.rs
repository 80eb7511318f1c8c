//! Time of impact: when two pieces on their free paths first touch within the step.
//!
//! Input: two hulls, or a hull and a half-space, with their poses and constant velocities `v, ω`. Output:
//! the time and the plane of the first touch, or none. The path is that of the integration: the center
//! goes straight, the rotation is `exp(t ω) R`.
//!
//! *Conservative advancement* on the planes of the ratio metric. Any unit vector n bounds the signed
//! distance of the pair from below by its plane separation `sep(n)`, and as long as n stays,
//!
//! ```text
//! -d sep(n)/dt ≤ n·(v_a - v_b) + |n × ω_a| R_a + |n × ω_b| R_b = c(n)
//! ```
//!
//! with R the radius of a ball about the body's center around the core of the piece (rounding does not
//! turn). So nothing touches before `t + sep/c`; there the metric gives the next plane. A plane that is
//! not approached, or not reached within the step, proves that the step is free. It ends when the
//! separation is below a tolerance, after one or two rounds for bodies that do not turn; after
//! `ROUNDS_MAX` it answers with the time reached, which is free, and the plane there, which is safe.
//! After Mirtich's conservative advancement, with plane separations of the ratio metric in place of
//! distances: no distances are needed, and planes through large bodies' faces are found at once.
//!
//! Cost: a test of two balls for pairs that pass each other widely; else a ratio query a round. No
//! allocation. Not here: paths that turn about anything but the center of mass, and what happens after
//! the impact.

use crate::engine::geometry::ratio::{
    Measured, PortalCache, Relative, is_long, measure, measure_half_space, near_centers,
};
use crate::engine::geometry::shape::hull::Hull;
use crate::engine::tuning::swept::ROUNDS_MAX;
use crate::math::{Mat3, Real, Vec3, quat_exp, quat_to_mat3};

/// A piece on the free path of its body.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// Center of mass of the body at time 0 (m); pairs compute with differences only.
    pub center: Vec3,
    /// From there to the centroid of the piece at time 0 (m).
    pub arm: Vec3,
    /// Rotation of the piece at time 0.
    pub rotation: Mat3,
    /// Velocity of the center of mass [m/s].
    pub linear: Vec3,
    /// Angular velocity in world axes [rad/s].
    pub angular: Vec3,
}

impl Path {
    /// Rotation from time 0 to `time` (s).
    #[must_use]
    pub fn turn(&self, time: Real) -> Mat3 {
        if self.angular == Vec3::ZERO {
            return Mat3::IDENTITY;
        }
        quat_to_mat3(quat_exp(self.angular * time))
    }

    /// Radius of a ball about the center of mass around the core of the piece (m).
    fn core_radius(&self, hull: &Hull) -> Real {
        self.arm.length() + (hull.bounding_radius() - hull.radius())
    }
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Length of the path (s).
    pub dt: Real,
    /// The separation that counts as touching (m); negative allows some overlap.
    pub target: Real,
    /// How far above the target the search may end (m).
    pub tolerance: Real,
}

/// A first touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeOfImpact {
    /// Time from the start of the step (s); until then the pair is apart by the target or more.
    pub time: Real,
    /// Unit normal from a to b in world axes at that time.
    pub normal: Vec3,
    /// Separation along it at that time (m).
    pub separation: Real,
    /// Rounds that were needed.
    pub rounds: u32,
}

/// The first time within the step at which two hulls come nearer than the target, to the tolerance;
/// none if they do not. Pairs that are nearer at the start touch at time 0.
///
/// The answer depends on `cache` only to rounding.
#[must_use]
pub fn time_of_impact(
    a: &Hull,
    path_a: &Path,
    b: &Hull,
    path_b: &Path,
    limits: &Limits,
    cache: &mut PortalCache,
) -> Option<TimeOfImpact> {
    let apart = path_b.center - path_a.center;
    let linear = path_b.linear - path_a.linear;
    let radii = [path_a.core_radius(a), path_b.core_radius(b)];
    let reach = radii[0] + radii[1] + a.radius() + b.radius() + limits.target.max(0.0);
    if balls_pass(apart, linear * limits.dt, reach) {
        return None;
    }
    let plane = |time: Real| {
        let turns = [path_a.turn(time), path_b.turn(time)];
        let rotations = [turns[0] * path_a.rotation, turns[1] * path_b.rotation];
        let offset = apart + linear * time + turns[1] * path_b.arm - turns[0] * path_a.arm;
        let relative = Relative::new(Vec3::ZERO, rotations[0], offset, rotations[1]);
        let (normal, separation) = separation([a, b], &relative, cache);
        (rotations[0] * normal, separation)
    };
    let closing = |normal: Vec3, _| {
        let turning = normal.cross(path_a.angular).length() * radii[0]
            + normal.cross(path_b.angular).length() * radii[1];
        turning - normal.dot(linear)
    };
    advance(limits, plane, closing)
}

/// As [`time_of_impact`] for a hull and a half-space, whose `path` has its surface through the end of its
/// arm, with the outward unit `normal` in world axes at time 0. The normal of the answer points out of
/// the half-space.
#[must_use]
pub fn time_of_impact_half_space(
    hull: &Hull,
    path_hull: &Path,
    normal: Vec3,
    path_plane: &Path,
    limits: &Limits,
) -> Option<TimeOfImpact> {
    let apart = path_hull.center - path_plane.center;
    let linear = path_hull.linear - path_plane.linear;
    let radius = path_hull.core_radius(hull);
    let plane = |time: Real| {
        let turns = [path_hull.turn(time), path_plane.turn(time)];
        let n = turns[1] * normal;
        let arm = turns[0] * path_hull.arm - turns[1] * path_plane.arm;
        let height = n.dot(apart + linear * time + arm);
        (n, measure_half_space(hull, turns[0] * path_hull.rotation, height, n).separation)
    };
    let closing = |n: Vec3, time: Real| {
        let turning = n.cross(path_hull.angular).length() * radius;
        if path_plane.angular == Vec3::ZERO {
            return turning - n.dot(linear);
        }
        // The plane itself turns: its points are as fast as they are far from its axis, and in the rest
        // of the step the hull is no farther than this, nor its normal turned farther.
        let (remaining, speed) = (limits.dt - time, linear.length());
        let far = (apart + linear * time).length() + speed * remaining + radius;
        let turned = (path_plane.angular.length() * remaining).min(2.0);
        path_hull.angular.length() * radius + n.cross(path_plane.angular).length() * far
            - n.dot(linear)
            + speed * turned
    };
    advance(limits, plane, closing)
}

/// `|v_a - v_b| + R_a |ω_a| + R_b |ω_b|` [m/s]: no two points of the cores approach each other faster.
#[must_use]
pub fn relative_speed(paths: &[Path; 2], hulls: [&Hull; 2]) -> Real {
    let turning = |k: usize| paths[k].angular.length() * paths[k].core_radius(hulls[k]);
    (paths[1].linear - paths[0].linear).length() + turning(0) + turning(1)
}

/// The rounds: from plane to plane as far as each one allows.
fn advance(
    limits: &Limits,
    mut plane: impl FnMut(Real) -> (Vec3, Real),
    closing: impl Fn(Vec3, Real) -> Real,
) -> Option<TimeOfImpact> {
    let mut time = 0.0;
    let mut rounds = 1;
    loop {
        let (normal, separation) = plane(time);
        let room = separation - limits.target;
        // What is not a number is about to be frozen.
        if room <= limits.tolerance || room.is_nan() || rounds == ROUNDS_MAX {
            return Some(TimeOfImpact { time, normal, separation, rounds });
        }
        let speed = closing(normal, time);
        if room >= speed * (limits.dt - time) {
            return None;
        }
        time += room / speed;
        rounds += 1;
    }
}

/// The plane of the ratio metric (in the frame of a) and the separation along it (m).
pub(in crate::engine) fn separation(
    [a, b]: [&Hull; 2],
    relative: &Relative,
    cache: &mut PortalCache,
) -> (Vec3, Real) {
    let centers = near_centers([a, b], [is_long(a), is_long(b)], relative);
    match measure(a, b, relative, &centers, Real::INFINITY, cache) {
        Measured::Near(ratio) => (ratio.normal, ratio.separation),
        Measured::Apart { normal, separation } => (normal, separation),
    }
}

/// Does a point that moves from `start` by `path` stay farther from the origin than `reach` (all m)?
fn balls_pass(start: Vec3, path: Vec3, reach: Real) -> bool {
    let square = path.dot(path);
    let part = if square > 0.0 { (-start.dot(path) / square).clamp(0.0, 1.0) } else { 0.0 };
    // A part of the rounding of long paths is added to the reach.
    let reach = reach + 8.0 * Real::EPSILON * (start.abs().max_element() + reach);
    (start + path * part).length_squared() > reach * reach
}

#[cfg(test)]
mod tests;
