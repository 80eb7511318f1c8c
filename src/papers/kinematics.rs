//! Smooth contact kinematics: how the nearest points of two bodies move on them.
//!
//! Input: the boundaries of both bodies about their extremal points, where a common normal meets them, to
//! second order, and the bodies' velocities. Output: the rates of the points, of the normal and of the
//! distance. The points may touch, be apart or overlap. (Montana, Int. J. Robotics Res. 7(3), 1988;
//! Anitescu, Cremer, Potra, Reports on Computational Mathematics 80, University of Iowa, 1995, section 4.)
//!
//! With `n` the unit normal from a to b, `d` the distance, `V_i` the velocities of the bodies at the points
//! `p_i`, `e_ij` unit tangents of body i there, `s_ij` the speeds along them and `ω_i` the body's rotation:
//!
//! ```text
//! p_b = p_a + d n       V_b + Σ e_bj s_bj = V_a + Σ e_aj s_aj + ḋ n + d ṅ
//! n · e_ij = 0          ṅ · e_ij + n · (ω_i × e_ij) + Σ_k (n · ∂e_ij/∂s_ik) s_ik = 0
//! ```
//!
//! A surface has two tangents, a curve, as an edge or a rim, one, a corner none; so all pairs are one square
//! system, of at most six equations. For two surfaces it is Montana's, of `K_a + K_b + d K_b K_a`. Rounded
//! bodies are those about their cores, farther apart by their radii. It is singular where the points
//! are not alone or may run away: where the relative curvature vanishes, in lines and regions of contact. A
//! planar region needs its extreme points only, see [`extreme_points`]. O(1); allocates.

use crate::engine::geometry::shape::Convex;
use crate::engine::geometry::shape::curve::Curve;
use crate::engine::geometry::shape::hull::Hull;
use crate::math::dense::eliminate;
use crate::math::{DMat3, DVec3, Double, EPSILON, Vec3, widen, widen_mat3, widen3};
use crate::query::piece::{Closest, Placed, PlacedShape, least, placed};

/// Pivots below this are zero (–).
const SINGULAR: Double = 1e-9;
/// Directions, and lengths over the size, closer than this are the same (–).
const SAME: Double = 1e-9 + 256.0 * EPSILON as Double;

/// The boundary of a body about a point, to second order, in world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Patch {
    /// A surface with an orthogonal chart `f(u, v)`.
    Surface {
        /// Its Gauss frame: the unit vectors `x` along `f_u` and `y` along `f_v`, and the outward normal `z`.
        frame: DMat3,
        /// Metric tensor `diag(|f_u|, |f_v|)` (m for each unit of the coordinate).
        metric: [Double; 2],
        /// Curvature tensor `(x, y)ᵀ (z_u / |f_u|, z_v / |f_v|)` [1/m], by rows; positive where convex.
        curvature: [[Double; 2]; 2],
        /// Torsion form `yᵀ (x_u / |f_u|, x_v / |f_v|)` [1/m].
        torsion: [Double; 2],
    },
    /// A curve `f(u)`, an edge of the body.
    Curve {
        /// Its Frenet trihedron: tangent, principal normal, binormal.
        frame: DMat3,
        /// `|f_u|` (m for each unit of the coordinate).
        metric: Double,
        /// κ [1/m].
        curvature: Double,
        /// τ [1/m].
        torsion: Double,
    },
    /// A corner.
    Point,
}

/// A body about its extremal point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSide {
    /// The boundary, of a rounded body that of its core.
    pub patch: Patch,
    /// The extremal point on it, in the world (m).
    pub point: DVec3,
    /// Rounding radius (m).
    pub radius: Double,
    /// A point of the body, as its center of mass, in the world (m).
    pub center: DVec3,
    /// Velocity of the body there [m/s].
    pub linear: DVec3,
    /// Its angular velocity [rad/s].
    pub angular: DVec3,
}

/// How the extremal points of two bodies move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRates {
    /// Rates of the coordinates of both charts (1/s); of a curve the first, of a corner none.
    pub coordinates: [[Double; 2]; 2],
    /// World velocities of the extremal points on the boundaries, with their rounding [m/s].
    pub points: [DVec3; 2],
    /// Rate of the unit normal from a to b (1/s).
    pub normal: DVec3,
    /// Rate of the distance [m/s].
    pub distance: Double,
    /// ψ̇: rate of the angle about the normal from the first tangent of a to that of b [rad/s]; of a corner
    /// that of its body.
    pub angle: Double,
    /// φ̇: rate of the angle about the tangent of a curve from its principal normal to the contact normal
    /// [rad/s]; zero for others.
    pub lean: [Double; 2],
    /// The part of the second derivative of the distance that no acceleration changes, `J̇ q̇` [m/s²].
    pub convective: Double,
}

/// Why there are no rates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRates {
    /// The relative curvature is singular.
    #[error("the bodies meet along a line or a region, or their relative curvature is singular")]
    Singular,
    /// One is a mesh, both are half-spaces, or something is not a number.
    #[error("the shapes have no extremal points")]
    Shapes,
}

impl Patch {
    /// A surface of lengths with this normal, tangent and curvature along and across it [1/m].
    fn surface(x: DVec3, z: DVec3, [along, across]: [Double; 2]) -> Self {
        let curvature = [[along, 0.0], [0.0, across]];
        let frame = DMat3::from_cols(x, z.cross(x), z);
        Self::Surface { frame, metric: [1.0; 2], curvature, torsion: [0.0; 2] }
    }

    /// A curve of length with these tangent and principal normal.
    fn curve(tangent: DVec3, normal: DVec3, curvature: Double) -> Self {
        let frame = DMat3::from_cols(tangent, normal, tangent.cross(normal));
        Self::Curve { frame, metric: 1.0, curvature, torsion: 0.0 }
    }

    /// The core of a hull, turned into the world, about its point farthest along `normal`, which lies at `at`
    /// from its centroid; the charts are arc lengths.
    fn of_core(hull: &Hull, turn: &DMat3, at: DVec3, normal: DVec3) -> Self {
        let back = turn.transpose();
        let (point, n) = (back * at, back * normal);
        let size = widen(hull.bounding_radius) * SAME;
        let flat = Self::surface(normal.any_orthonormal_vector(), normal, [0.0; 2]);
        let Some(curve) = &hull.curve else {
            let height = |v: &Vec3| n.dot(widen3(*v));
            let top = hull.vertices.iter().map(height).fold(Double::NEG_INFINITY, Double::max);
            let mut on = hull.vertices.iter().filter(|v| height(v) >= top - size);
            return match (on.next(), on.next(), on.next()) {
                (Some(p), Some(q), None) => {
                    let along = *turn * widen3(*q - *p).normalize_or_zero();
                    Self::curve(along, along.any_orthonormal_vector(), 0.0)
                }
                (_, _, Some(_)) => flat,
                _ => Self::Point,
            };
        };
        if let Curve::Ellipsoid { .. } = curve {
            // The bend is that of the point by the normal: the inverse of the curvature.
            let (x, y) = n.any_orthonormal_pair();
            let [p, q] = [x, y].map(|t| curve.bend(0, n) * t);
            let (a, b, c) = (x.dot(p), x.dot(q), y.dot(q));
            let by = 1.0 / (a * c - b * b);
            let curvature = [[c * by, -b * by], [-b * by, a * by]];
            let frame = *turn * DMat3::from_cols(x, y, n);
            return Self::Surface { frame, metric: [1.0; 2], curvature, torsion: [0.0; 2] };
        }
        let radial = DVec3::new(point.x, 0.0, point.z);
        let (radius, outward) = (radial.length(), radial.normalize_or_zero());
        let around = *turn * DVec3::Y.cross(outward);
        let (sides, count) = curve.meridian();
        let across = (n.x * n.x + n.z * n.z).sqrt();
        let mut normals = sides[..count].iter().map(|side| side.normal.map(widen));
        match normals.find(|[x, y]| (x - across).abs().max((y - n.y).abs()) <= SAME) {
            Some([0.0, _]) => flat,
            Some([x, _]) if radius > size => Self::surface(around, normal, [x / radius, 0.0]),
            None if radius > size => Self::curve(around, -(*turn * outward), 1.0 / radius),
            _ => Self::Point,
        }
    }

    /// Its tangents, each with its metric, and `n · ∂e_j/∂s_k` for a normal `n` that is outward or inward.
    fn tangents(&self, n: DVec3, outward: Double) -> Vec<(DVec3, Double, [Double; 2])> {
        match self {
            Self::Surface { frame, metric, curvature, .. } => (0..2)
                .map(|j| (frame.col(j), metric[j], curvature[j].map(|k| -outward * k)))
                .collect(),
            Self::Curve { frame, metric, curvature, .. } => {
                vec![(frame.col(0), *metric, [curvature * n.dot(frame.col(1)), 0.0])]
            }
            Self::Point => Vec::new(),
        }
    }
}

impl ContactSide {
    /// A piece about its extremal point, which is on its rounding (m).
    fn of_piece(
        piece: &Placed<'_>,
        point: Vec3,
        outward: DVec3,
        center: Vec3,
        [linear, angular]: [Vec3; 2],
    ) -> Option<Self> {
        let (turn, position) = (widen_mat3(piece.rotation), widen3(piece.position));
        let radius = if let Convex::Hull(hull) = piece.convex { widen(hull.radius) } else { 0.0 };
        let point = widen3(point) - outward * radius;
        let patch = match piece.convex {
            Convex::Hull(hull) => Patch::of_core(hull, &turn, point - position, outward),
            Convex::HalfSpace(_) => {
                Patch::surface(outward.any_orthonormal_vector(), outward, [0.0; 2])
            }
            Convex::Mesh(_) => return None,
        };
        let [center, linear, angular] = [center, linear, angular].map(widen3);
        Some(Self { patch, point, radius, center, linear, angular })
    }

    /// Velocity of the body at a point of the world [m/s].
    fn velocity(&self, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - self.center)
    }
}

/// The extremal points of two shapes in the world, those of the pieces that are nearest or overlap most, and
/// the unit normal from the first to the second. The velocities are linear, at the shape's position, and
/// angular [m/s, rad/s].
///
/// # Errors
/// Shapes that have none.
pub fn sides(
    (a, b): (PlacedShape<'_>, PlacedShape<'_>),
    velocities: [[Vec3; 2]; 2],
) -> Result<([ContactSide; 2], DVec3), NoRates> {
    let nearest = least(a, b, Placed::closest, |closest| closest.distance);
    let Some((Closest { normal, point1, point2, .. }, [i, j])) = nearest else {
        return Err(NoRates::Shapes);
    };
    let n = widen3(normal).normalize_or_zero();
    let side = |(shape, at, turn): PlacedShape<'_>, k: u32, point, outward, velocity| {
        let piece = placed(shape, at, turn).nth(k as usize)?;
        ContactSide::of_piece(&piece, point, outward, at, velocity)
    };
    let one = side(a, i, point1, n, velocities[0]).ok_or(NoRates::Shapes)?;
    let other = side(b, j, point2, -n, velocities[1]).ok_or(NoRates::Shapes)?;
    Ok(([one, other], n))
}

/// Rates of the extremal points, with the unit normal from a to b.
///
/// ```
/// use orthant::papers::kinematics::{rates, sides};
/// use orthant::engine::shape::Shape;
/// use orthant::math::{Quat, Vec3};
///
/// // A ball of 0.5 m that rolls on the ground with 2 rad/s takes its contact along, by 1 m/s.
/// let (ground, ball) = (Shape::half_space(Vec3::Y)?, Shape::sphere(0.5)?);
/// let at = |shape, height| (shape, Vec3::new(0.0, height, 0.0), Quat::IDENTITY);
/// let rolls = [Vec3::X, Vec3::new(0.0, 0.0, -2.0)];
/// let (pair, normal) = sides((at(&ground, 0.0), at(&ball, 0.5)), [[Vec3::ZERO; 2], rolls])?;
/// let found = rates(&pair, normal)?;
/// assert!((found.points[0].x - 1.0).abs() < 1e-6 && found.distance.abs() < 1e-6);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The relative curvature is singular.
pub fn rates(sides: &[ContactSide; 2], n: DVec3) -> Result<ContactRates, NoRates> {
    let signs = [1.0, -1.0];
    let tangents = [0, 1].map(|i| sides[i].patch.tangents(n, signs[i]));
    let d = n.dot(sides[1].point - sides[0].point);
    let across = n.any_orthonormal_pair();
    let count = [tangents[0].len(), tangents[1].len()];
    let (w, size) = (count[0] + count[1], count[0] + count[1] + 2);
    // Lengths in units of this one, so that all numbers are about 1.
    let bends = tangents.iter().flatten().flat_map(|(_, _, bend)| bend);
    let bend = bends.fold(0.0, |most: Double, x| most.max(x.abs()));
    let unit = [1.0 / bend, d.abs(), 1.0].into_iter().find(|x| *x > 0.0 && x.is_finite());
    let unit = unit.unwrap_or(1.0);
    let mut system = vec![0.0; size * (size + 1)];
    for (i, side) in sides.iter().enumerate() {
        for (j, (e, _, bend)) in tangents[i].iter().enumerate() {
            let first = i * count[0];
            let row = &mut system[(first + j) * (size + 1)..][..size + 1];
            (0..count[i]).for_each(|k| row[first + k] = unit * bend[k]);
            (row[w], row[w + 1]) = (e.dot(across.0), e.dot(across.1));
            row[size] = -unit * n.dot(side.angular.cross(*e));
            for (k, t) in [across.0, across.1].iter().enumerate() {
                system[(w + k) * (size + 1) + first + j] = -signs[i] * t.dot(*e);
            }
        }
    }
    let [va, vb] = [0, 1].map(|i| sides[i].velocity(sides[i].point));
    for (k, t) in [across.0, across.1].iter().enumerate() {
        system[(w + k) * (size + 1) + w + k] = -d / unit;
        system[(w + k) * (size + 1) + size] = t.dot(va - vb);
    }
    let x = eliminate(&mut system, size, SINGULAR).ok_or(NoRates::Singular)?;
    let normal = (across.0 * x[w] + across.1 * x[w + 1]) / unit;
    let mut found = ContactRates {
        coordinates: [[0.0; 2]; 2],
        points: [va, vb],
        normal,
        distance: n.dot(vb - va),
        angle: 0.0,
        lean: [0.0; 2],
        convective: 0.0,
    };
    for (i, side) in sides.iter().enumerate() {
        let s = &x[i * count[0]..][..count[i]];
        for (j, (e, metric, _)) in tangents[i].iter().enumerate() {
            found.points[i] += *e * s[j];
            found.coordinates[i][j] = s[j] / metric;
        }
        found.points[i] += normal * (signs[i] * side.radius);
        let turn = match &side.patch {
            Patch::Surface { torsion, .. } => signs[i] * (torsion[0] * s[0] + torsion[1] * s[1]),
            Patch::Curve { frame, curvature, torsion, .. } => {
                let tangent = frame.col(0);
                found.lean[i] =
                    tangent.dot(n.cross(normal)) - side.angular.dot(tangent) - torsion * s[0];
                curvature * frame.col(1).dot(n.cross(tangent)) * s[0]
            }
            Patch::Point => 0.0,
        };
        found.angle -= signs[i] * (side.angular.dot(n) + turn);
        let point = side.point + n * (signs[i] * side.radius);
        let carried = side.angular.cross(found.points[i] - side.linear);
        found.convective -= signs[i] * (normal.dot(side.velocity(point)) + n.dot(carried));
    }
    Ok(found)
}

/// The points, by their indices, that a planar contact region of any boundary needs: the corners of the
/// convex hull of points of it, as seen along `n`, in their order around it. A gap that is affine on the
/// plane is nowhere negative if it is not so there, and any pressure without friction is one of forces at
/// these alone (Anitescu, Cremer, Potra 1995, section 5); friction differs, as where it acts on the plane
/// does. O(n) for each corner.
#[must_use]
pub fn extreme_points(points: &[DVec3], n: DVec3) -> Vec<usize> {
    let (x, y) = n.normalize_or_zero().any_orthonormal_pair();
    let at: Vec<[Double; 2]> = points.iter().map(|p| [x.dot(*p), y.dot(*p)]).collect();
    let from = |i: usize, k: usize| [at[k][0] - at[i][0], at[k][1] - at[i][1]];
    let least = |i: &usize, k: &usize| {
        at[*i][0].total_cmp(&at[*k][0]).then(at[*i][1].total_cmp(&at[*k][1]))
    };
    let mut found: Vec<usize> = (0..at.len()).min_by(least).into_iter().collect();
    while let Some(&last) = found.last() {
        // All others lie to the left of the way to the next one, or on it and nearer.
        let others = (0..at.len()).filter(|&k| at[k] != at[last]);
        let next = others.reduce(|next, k| {
            let ([a, b], [c, d]) = (from(last, next), from(last, k));
            let (old, new) = (a * a + b * b, c * c + d * d);
            // Sine of the angle between both.
            let sine = (a * d - b * c) / (old * new).sqrt();
            if sine < -SINGULAR || sine <= SINGULAR && new > old { k } else { next }
        });
        match next {
            Some(next) if at[next] != at[found[0]] && found.len() < at.len() => found.push(next),
            _ => break,
        }
    }
    found
}
