//! The nearest point in front of planes: what sliding along surfaces and leaving an overlap come down to.
//!
//! A polyhedral cone or polyhedron in three dimensions has its nearest point in its inside, on a face, an
//! edge or a corner, so at most three planes are active. All are tried: with the eight planes of a crowded
//! corner these are 92 small systems, without iteration, and so without a direction that depends on the
//! order of the planes.

use crate::math::{DVec3, Double, Real, Vec3, narrow3, widen, widen3};

/// The part of the size of the problem to which a plane must hold (-).
const TOLERANCE: Double = 1e-6;
/// Square of the sine of an angle between two planes below which they are taken for one (-).
const PARALLEL: Double = 1e-10;

/// All points `x` with `normal·x ≥ depth`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    /// Unit normal away from the obstacle.
    pub(super) normal: Vec3,
    /// How far the origin is behind it (m).
    pub(super) depth: Real,
}

/// The velocity nearest to `velocity` that leads into none of the surfaces with these unit normals, which
/// point away from them.
pub(super) fn project_velocity(velocity: Vec3, normals: &[Vec3]) -> Vec3 {
    let planes = normals.iter().map(|&normal| (widen3(normal), 0.0)).collect::<Vec<_>>();
    narrow3(nearest(widen3(velocity), &planes))
}

/// The shortest way out of all surfaces (m). If there is none, as between walls that are too near to each
/// other, one that leaves the least depth.
pub(super) fn way_out(planes: &[Plane]) -> Vec3 {
    let planes = planes.iter().map(|plane| (widen3(plane.normal), widen(plane.depth)));
    narrow3(nearest(DVec3::ZERO, &planes.collect::<Vec<_>>()))
}

/// The point nearest to `x` in front of all planes `(normal, depth)`, or the candidate that is behind them
/// by the least.
fn nearest(x: DVec3, planes: &[(DVec3, Double)]) -> DVec3 {
    let size = planes.iter().fold(x.length(), |size, plane| size.max(plane.1.abs()));
    let behind = |y: DVec3| planes.iter().fold(0.0, |most, (n, d)| (d - n.dot(y)).max(most));
    let judge = |y: DVec3| {
        let excess = behind(y);
        (if excess > TOLERANCE * size { excess } else { 0.0 }, (y - x).length_squared())
    };
    let mut best = (judge(x), x);
    let mut consider = |y: DVec3| {
        let judged = judge(y);
        if judged < best.0 {
            best = (judged, y);
        }
    };
    for (i, &(a, depth_a)) in planes.iter().enumerate() {
        let gap_a = depth_a - a.dot(x);
        consider(x + a * gap_a);
        for (j, &(b, depth_b)) in planes.iter().enumerate().take(i) {
            let (gap_b, cosine) = (depth_b - b.dot(x), a.dot(b));
            let sine = 1.0 - cosine * cosine;
            if sine < PARALLEL {
                // Between two walls that face each other, the middle.
                consider(x + a * (0.5 * (gap_a - gap_b)));
                continue;
            }
            let [on_a, on_b] = [gap_a - cosine * gap_b, gap_b - cosine * gap_a].map(|g| g / sine);
            consider(x + a * on_a + b * on_b);
            for &(c, depth_c) in planes.iter().take(j) {
                let (ab, bc, ca) = (a.cross(b), b.cross(c), c.cross(a));
                let volume = ab.dot(c);
                if volume * volume > PARALLEL {
                    consider((bc * depth_a + ca * depth_b + ab * depth_c) / volume);
                }
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{PI, cos, sin};

    /// A horizontal normal at an angle.
    fn wall(angle: Real) -> Vec3 {
        Vec3::new(sin(angle), 0.0, cos(angle))
    }

    fn near(a: Vec3, b: Vec3) {
        assert!((a - b).length() < 1e-5, "{a} is not {b}");
    }

    #[test]
    fn what_leads_away_is_kept() {
        let velocity = Vec3::new(1.0, 2.0, 3.0);
        assert_eq!(project_velocity(velocity, &[]), velocity);
        assert_eq!(project_velocity(velocity, &[Vec3::Y, Vec3::X]), velocity);
    }

    #[test]
    fn one_plane_takes_the_part_against_it() {
        near(project_velocity(Vec3::new(1.0, -2.0, 3.0), &[Vec3::Y]), Vec3::new(1.0, 0.0, 3.0));
    }

    #[test]
    fn corners_stop_what_goes_in_and_edges_lead_along() {
        // Walls with 90 and 30 degrees between them: their normals are 90 and 150 degrees apart.
        for between in [PI / 2.0, PI / 6.0] {
            let apart = 0.5 * (PI - between);
            let corner = [wall(apart), wall(-apart)];
            near(project_velocity(-Vec3::Z, &corner), Vec3::ZERO);
            near(project_velocity(Vec3::new(0.0, 1.0, -1.0), &corner), Vec3::Y);
            let floor = [corner[0], corner[1], Vec3::Y];
            near(project_velocity(Vec3::new(0.1, -1.0, -1.0), &floor), Vec3::ZERO);
        }
    }

    #[test]
    fn nearly_equal_planes_are_one() {
        for apart in [0.0, 1e-7, 1e-6, 1e-5, 1e-4] {
            let along = project_velocity(Vec3::new(3.0, 0.0, -2.0), &[wall(0.0), wall(apart)]);
            assert!((along - Vec3::X * 3.0).length() < 1e-3, "{apart} rad: {along}");
        }
    }

    #[test]
    fn the_order_of_planes_does_not_matter() {
        let normals = [wall(0.3), Vec3::Y, wall(-0.9), Vec3::new(0.6, 0.8, 0.0)];
        let velocity = Vec3::new(-1.0, -1.0, -2.0);
        let one = project_velocity(velocity, &normals);
        let mut turned = normals;
        for _ in 0..4 {
            turned.rotate_left(1);
            near(project_velocity(velocity, &turned), one);
        }
        assert!(normals.iter().all(|n| n.dot(one) > -1e-5), "{one} leads into a surface");
    }

    #[test]
    fn the_way_out_is_the_shortest() {
        let plane = |normal, depth| Plane { normal, depth };
        near(way_out(&[plane(Vec3::Y, -0.1)]), Vec3::ZERO);
        near(way_out(&[plane(Vec3::Y, 0.1), plane(Vec3::X, 0.2)]), Vec3::new(0.2, 0.1, 0.0));
        let corner = [plane(Vec3::Y, 0.1), plane(Vec3::X, 0.2), plane(Vec3::Z, 0.3)];
        near(way_out(&corner), Vec3::new(0.2, 0.1, 0.3));
        // Between two walls that are too near there is none: the depth is shared.
        near(way_out(&[plane(Vec3::X, 0.1), plane(Vec3::NEG_X, 0.3)]), Vec3::X * -0.1);
    }
}
