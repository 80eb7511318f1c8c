//! Friction cones: slip speed, nearest point, and its derivative.
//!
//! The cone of impulses of a contact is `K_μ = {(n, t) : t ∈ μ n C}` with `C` the unit disc or the
//! regular `m_C`-gon with the corners `d_i` of (4.5). The solvers need three things of it:
//!
//! - the slip speed `Λ(w_t) = max {-t·w_t : t ∈ C}` of (5.9), `|w_t|` for the disc;
//! - the nearest point `P_K(p)`, for the natural map and for the augmented Lagrangian;
//! - `dP_K/dp`, symmetric with eigenvalues in [0, 1], for Newton's method.
//!
//! A cone with rolling rows is the general case: both are found in [`rolling`](super::rolling).
//!
//! The polygon has `2 m_C` mirror lines, so the nearest point lies in the same half sector as `p`,
//! between the middle `e` of an edge and a corner `d`. In the half sector's axes (n, x along e, y
//! towards d) the cone has one facet `x = μ a n`, one ray `(1, μ a, μ b)`, and the apex, with
//! `a = cos(π/m_C)`, `b = sin(π/m_C)`: four cases, each in closed form, exact to rounding.
//!
//! With `m_C = 2` the cone is flat (`t_2 = 0`) and "inside" means inside the plane; with μ = 0 it
//! is the ray `n ≥ 0`. Cost: O(1) for the disc, O(m_C) for the polygon, to find the sector.

use super::problem::Cone;
use super::rolling::join;
use crate::math::{Double, PI_DOUBLE, sin_cos_double};

/// Where on the cone the nearest point lies. Equal values of a polyhedral cone have equal derivatives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// The tip: no impulse.
    Apex,
    /// The point itself: it sticks.
    Inside,
    /// The curved surface of the circular cone, where the derivative varies.
    Surface,
    /// The facet between the corners `i` and `i + 1` of the polygon.
    Facet(u32),
    /// The ray through corner `i` of the polygon; also the ray `n ≥ 0` of a contact without friction.
    Ray(u32),
}

/// The nearest point of the cone and where it lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// `P_K(p)`, as (n, t_1, t_2) [N·s].
    pub point: [Double; 3],
    /// Part of the cone it lies on.
    pub zone: Zone,
}

/// The friction cone of a problem with its directions computed once.
#[derive(Clone, Debug)]
pub struct FrictionCone {
    cone: Cone,
    /// Corners `d_i` of the polygon; empty for the disc.
    directions: Vec<[Double; 2]>,
    /// `a = cos(π/m_C)`, distance of the edges from the center.
    apothem: Double,
    /// `b = sin(π/m_C)`, half the length of an edge.
    half_edge: Double,
}

impl Default for FrictionCone {
    fn default() -> Self {
        Self::new(Cone::Circular)
    }
}

/// A direction of the balanced set (4.5), exact on the axes.
fn direction(i: u32, count: u32) -> [Double; 2] {
    let (s, c) = sin_cos_double(2.0 * PI_DOUBLE * Double::from(i) / Double::from(count));
    let snap = |x: Double| if x.abs() < 1e-15 { 0.0 } else { x };
    [snap(c), snap(s)]
}

impl FrictionCone {
    /// Computes the directions of `cone`. An odd or too small number of directions is raised to the
    /// next even number.
    #[must_use]
    pub fn new(cone: Cone) -> Self {
        let mut kernel =
            Self { cone: Cone::Circular, directions: Vec::new(), apothem: 1.0, half_edge: 0.0 };
        kernel.set(cone);
        kernel
    }

    /// Replaces the cone; does nothing if it is the same.
    pub fn set(&mut self, cone: Cone) {
        if self.cone == cone {
            return;
        }
        self.cone = cone;
        self.directions.clear();
        (self.apothem, self.half_edge) = (1.0, 0.0);
        if let Cone::Pyramid(count) = cone {
            let count = count.max(2).next_multiple_of(2);
            self.directions.extend((0..count).map(|i| direction(i, count)));
            let (s, c) = sin_cos_double(PI_DOUBLE / Double::from(count));
            (self.apothem, self.half_edge) = (if count == 2 { 0.0 } else { c }, s);
        }
    }

    /// Corners `d_i` of the polygon, empty for the disc.
    #[must_use]
    pub fn directions(&self) -> &[[Double; 2]] {
        &self.directions
    }

    /// `Λ(w_t)` of (5.9) [m/s]: the speed that friction opposes.
    #[must_use]
    pub fn slip(&self, t: [Double; 2]) -> Double {
        if self.directions.is_empty() {
            return (t[0] * t[0] + t[1] * t[1]).sqrt();
        }
        // The set is balanced, so max(-d·t) = max(d·t).
        self.directions.iter().fold(0.0, |m: Double, d| m.max(d[0] * t[0] + d[1] * t[1]))
    }

    /// `P_K(p)`: the point of `K_μ` nearest to `p = (n, t_1, t_2)`.
    #[must_use]
    pub fn project(&self, friction: Double, p: [Double; 3]) -> Projection {
        let image = self.project_rolling([friction, 0.0, 0.0], join(p, [0.0; 3]));
        let [n, t1, t2, ..] = image.point;
        Projection { point: [n, t1, t2], zone: image.zone.friction }
    }

    /// The point of `radius · C` nearest to `t`: friction impulses under a fixed normal impulse.
    #[must_use]
    pub fn project_section(&self, radius: Double, t: [Double; 2]) -> [Double; 2] {
        if radius <= 0.0 {
            return [0.0; 2];
        }
        match self.directions.len() {
            0 => {
                let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
                let s = if length > radius { radius / length } else { 1.0 };
                [t[0] * s, t[1] * s]
            }
            2 => [t[0].max(-radius).min(radius), 0.0],
            _ => {
                let sector = self.half_sector(t);
                if sector.x <= radius * self.apothem {
                    return t;
                }
                let y = sector.y.min(radius * self.half_edge);
                sector.to_world(radius * self.apothem, y)
            }
        }
    }

    /// `a = cos(π/m_C)`, distance of the edges from the center.
    pub(super) const fn apothem(&self) -> Double {
        self.apothem
    }

    /// Sizes of a tangent vector along the axes of its half sector, each with its bound over the
    /// normal impulse: the two scalar parts of which a polygonal cone consists.
    pub(super) fn sector_parts(&self, mu: Double, t: [Double; 2]) -> [(Double, Double); 2] {
        let sector = self.half_sector(t);
        [(sector.x, mu * self.apothem), (sector.y, mu * self.half_edge)]
    }

    /// The point of `μ n C` nearest to `t`, and the part of the cone it lies on.
    pub(super) fn section_zone(
        &self,
        mu: Double,
        n: Double,
        t: [Double; 2],
    ) -> ([Double; 2], Zone) {
        if mu <= 0.0 {
            return ([0.0; 2], Zone::Ray(u32::MAX));
        }
        let radius = mu * n;
        match self.directions.len() {
            0 => {
                let length = (t[0] * t[0] + t[1] * t[1]).sqrt();
                if length <= radius {
                    return (t, Zone::Inside);
                }
                ([t[0] * (radius / length), t[1] * (radius / length)], Zone::Surface)
            }
            2 if t[0].abs() <= radius => ([t[0], 0.0], Zone::Inside),
            2 => ([radius.copysign(t[0]), 0.0], Zone::Ray(u32::from(t[0] < 0.0))),
            _ => {
                let sector = self.half_sector(t);
                if sector.x <= radius * self.apothem {
                    return (t, Zone::Inside);
                }
                if sector.y < radius * self.half_edge {
                    let t = sector.to_world(radius * self.apothem, sector.y);
                    return (t, Zone::Facet(sector.edge));
                }
                let d = self.directions[sector.corner as usize];
                ([radius * d[0], radius * d[1]], Zone::Ray(sector.corner))
            }
        }
    }

    /// Unit vector through the middle of the edge from corner `i` to the next.
    pub(super) fn edge_middle(&self, i: usize) -> [Double; 2] {
        let (d, f) = (self.directions[i], self.directions[(i + 1) % self.directions.len()]);
        let s = 0.5 / self.apothem;
        [(d[0] + f[0]) * s, (d[1] + f[1]) * s]
    }

    fn half_sector(&self, t: [Double; 2]) -> HalfSector {
        let count = self.directions.len();
        let (mut corner, mut best) = (0, Double::NEG_INFINITY);
        for (i, d) in self.directions.iter().enumerate() {
            let s = d[0] * t[0] + d[1] * t[1];
            if s > best {
                (corner, best) = (i, s);
            }
        }
        let d = self.directions[corner];
        let ahead = d[0] * t[1] - d[1] * t[0] >= 0.0;
        let edge = if ahead { corner } else { (corner + count - 1) % count };
        let e = self.edge_middle(edge);
        let f = if ahead { [e[1], -e[0]] } else { [-e[1], e[0]] };
        HalfSector {
            corner: corner as u32,
            edge: edge as u32,
            x: e[0] * t[0] + e[1] * t[1],
            y: (f[0] * t[0] + f[1] * t[1]).max(0.0),
            e,
            f,
        }
    }
}

/// A tangent vector in the axes of its half sector.
struct HalfSector {
    corner: u32,
    edge: u32,
    x: Double,
    y: Double,
    /// Axis x: through the middle of the edge.
    e: [Double; 2],
    /// Axis y: along the edge towards the corner.
    f: [Double; 2],
}

impl HalfSector {
    fn to_world(&self, x: Double, y: Double) -> [Double; 2] {
        [x * self.e[0] + y * self.f[0], x * self.e[1] + y * self.f[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::lcp::tests::random::Random;

    const CONES: [Cone; 6] = [
        Cone::Circular,
        Cone::Pyramid(2),
        Cone::Pyramid(4),
        Cone::Pyramid(6),
        Cone::Pyramid(8),
        Cone::Pyramid(64),
    ];
    const FRICTIONS: [Double; 5] = [0.0, 0.1, 0.5, 1.0, 2.0];

    fn inside(kernel: &FrictionCone, mu: Double, p: [Double; 3], tolerance: Double) -> bool {
        match kernel.directions().len() {
            0 => (p[1] * p[1] + p[2] * p[2]).sqrt() <= mu * p[0] + tolerance,
            2 => p[1].abs() <= mu * p[0] + tolerance && p[2].abs() <= tolerance,
            count => (0..count).all(|i| {
                let e = kernel.edge_middle(i);
                e[0] * p[1] + e[1] * p[2] <= mu * kernel.apothem * p[0] + tolerance
            }),
        }
    }

    /// `p` lies in the polar cone iff its product with every generator is at most zero.
    fn polar(kernel: &FrictionCone, mu: Double, p: [Double; 3], tolerance: Double) -> bool {
        p[0] + mu * kernel.slip([p[1], p[2]]) <= tolerance
    }

    #[test]
    fn projection_is_the_nearest_point() {
        let mut random = Random::new(1);
        for cone in CONES {
            let kernel = FrictionCone::new(cone);
            for mu in FRICTIONS {
                for _ in 0..2000 {
                    let p = random.vector3(1.0);
                    let q = kernel.project(mu, p).point;
                    let r = [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
                    let product = r[0] * q[0] + r[1] * q[1] + r[2] * q[2];
                    assert!(product.abs() < 1e-14, "{cone:?} μ={mu}: not orthogonal {product}");
                    assert!(inside(&kernel, mu, q, 1e-14), "{cone:?} μ={mu}: {q:?} outside");
                    assert!(polar(&kernel, mu, r, 1e-14), "{cone:?} μ={mu}: {r:?} not polar");
                }
            }
        }
    }

    #[test]
    fn derivative_is_the_limit_of_differences() {
        let mut random = Random::new(2);
        let mut compared = 0;
        for cone in CONES {
            let kernel = FrictionCone::new(cone);
            for mu in FRICTIONS {
                for _ in 0..500 {
                    let p = random.vector3(1.0);
                    let image = kernel.project(mu, p);
                    if p[1] * p[1] + p[2] * p[2] < 0.01 {
                        // Differences are inaccurate where the surface bends sharply.
                        continue;
                    }
                    let (limits, whole) = ([mu, 0.0, 0.0], join(p, [0.0; 3]));
                    let nearest = kernel.project_rolling(limits, whole);
                    let d = kernel.derivative_rolling(limits, &whole, &nearest);
                    for k in 0..3 {
                        let h = 1e-6;
                        let (mut p1, mut p0) = (p, p);
                        p1[k] += h;
                        p0[k] -= h;
                        let (q1, q0) = (kernel.project(mu, p1), kernel.project(mu, p0));
                        if q1.zone != image.zone || q0.zone != image.zone {
                            continue;
                        }
                        compared += 1;
                        for i in 0..3 {
                            let expected = (q1.point[i] - q0.point[i]) / (2.0 * h);
                            let error = (d[i][k] - expected).abs();
                            assert!(error < 1e-7, "{cone:?} μ={mu} {:?}: {error}", image.zone);
                            assert!(d[i][k] == d[k][i], "the derivative is symmetric");
                        }
                    }
                }
            }
        }
        assert!(compared > 40_000, "most points lie away from the borders: {compared}");
    }

    #[test]
    fn many_sided_pyramid_tends_to_the_circular_cone() {
        let mut random = Random::new(3);
        let (many, disc) =
            (FrictionCone::new(Cone::Pyramid(64)), FrictionCone::new(Cone::Circular));
        for _ in 0..5000 {
            let p = random.vector3(1.0);
            let (a, b) = (many.project(0.7, p).point, disc.project(0.7, p).point);
            for i in 0..3 {
                // The sagitta of a side is 1 - cos(π/64) = 1.2e-3; along the side the image may
                // lag by a whole sector's sine of the angle.
                assert!((a[i] - b[i]).abs() < 0.05, "{a:?} and {b:?}");
            }
            let (s, t) = (many.slip([p[1], p[2]]), disc.slip([p[1], p[2]]));
            assert!(s <= t + 1e-15 && s >= t * 0.9987, "slip {s} and {t}");
        }
    }

    #[test]
    fn section_is_the_nearest_point_under_a_fixed_normal_impulse() {
        let mut random = Random::new(4);
        for cone in CONES {
            let kernel = FrictionCone::new(cone);
            for _ in 0..2000 {
                let p = random.vector3(2.0);
                let t = [p[1], p[2]];
                let q = kernel.project_section(0.6, t);
                assert!(inside(&kernel, 0.6, [1.0, q[0], q[1]], 1e-14), "{cone:?}: {q:?}");
                // Nearest: (t - q)·(s - q) ≤ 0 for all s in the section, by its support function.
                let r = [t[0] - q[0], t[1] - q[1]];
                let excess = 0.6 * kernel.slip(r) - (r[0] * q[0] + r[1] * q[1]);
                assert!(excess.abs() < 1e-14, "{cone:?}: {excess}");
            }
        }
    }

    #[test]
    fn two_directions_leave_the_second_tangent_free() {
        let kernel = FrictionCone::new(Cone::Pyramid(2));
        assert_eq!(kernel.slip([-0.5, 9.0]), 0.5, "slip counts the first tangent only");
        assert_eq!(kernel.project(0.5, [1.0, 0.2, 9.0]).point, [1.0, 0.2, 0.0], "inside");
        assert_eq!(kernel.project_section(0.5, [-3.0, 9.0]), [-0.5, 0.0], "section");
    }
}
