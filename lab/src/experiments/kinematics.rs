//! Smooth contact kinematics against differences: bodies of surfaces of revolution and space curves move
//! freely, and their extremal points are found anew at nearby times.
//!
//! The charts, their tensors and the extremal points here come from nothing but the parametrizations, by
//! differences and Newton's method: the engine is not asked.

use std::path::Path;

use orthant::engine::lcp::{BodyBlock, FIXED};
use orthant::math::{DMat3, DVec3, Double, sin_cos_double};
use orthant::papers::kinematics::{ContactRates, ContactSide, NoRates, Patch, rates};

use super::Outcome;
use crate::random::Rng;
use orthant::accelerations::{accelerations, contact_row};

/// A boundary with a chart of one or two coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Boundary {
    /// A spheroid with half axes across and along its axis (m).
    Spheroid([Double; 2]),
    /// A torus with the radii of its circle and its tube (m), which is concave inside.
    Torus([Double; 2]),
    /// A helix of this radius and rise for each radian (m).
    Helix([Double; 2]),
    /// A plane curve of varying curvature, an ellipse with these half axes (m).
    Ellipse([Double; 2]),
}

impl Boundary {
    /// Number of coordinates.
    pub const fn size(&self) -> usize {
        match self {
            Self::Spheroid(_) | Self::Torus(_) => 2,
            Self::Helix(_) | Self::Ellipse(_) => 1,
        }
    }

    /// The point at these coordinates in the axes of the body (m).
    pub fn at(&self, [u, v]: [Double; 2]) -> DVec3 {
        let ((su, cu), (sv, cv)) = (sin_cos_double(u), sin_cos_double(v));
        match *self {
            Self::Spheroid([a, c]) => DVec3::new(a * cu * cv, a * su * cv, c * sv),
            Self::Torus([r, t]) => DVec3::new((r + t * cv) * cu, (r + t * cv) * su, t * sv),
            Self::Helix([r, rise]) => DVec3::new(r * cu, r * su, rise * u),
            Self::Ellipse([a, b]) => DVec3::new(a * cu, b * su, 0.0),
        }
    }

    /// Derivative along coordinate `k`, by differences of sixth order.
    fn along<T>(k: usize, at: [Double; 2], of: impl Fn([Double; 2]) -> T) -> T
    where
        T: core::ops::Mul<Double, Output = T> + core::ops::Add<Output = T>,
    {
        let moved = |by: Double| {
            let mut at = at;
            at[k] += by * STEP;
            of(at)
        };
        let pair = |by: Double, weight: Double| {
            moved(by) * (weight / STEP) + moved(-by) * (-weight / STEP)
        };
        pair(1.0, 0.75) + pair(2.0, -0.15) + pair(3.0, 1.0 / 60.0)
    }

    /// Tangents.
    fn tangents(&self, at: [Double; 2]) -> Vec<DVec3> {
        (0..self.size()).map(|k| Self::along(k, at, |at| self.at(at))).collect()
    }

    /// The Gauss frame of a surface, the Frenet trihedron of a curve.
    pub fn frame(&self, at: [Double; 2]) -> DMat3 {
        let tangents = self.tangents(at);
        let x = tangents[0].normalize();
        if let Some(other) = tangents.get(1) {
            let z = x.cross(*other).normalize();
            return DMat3::from_cols(x, z.cross(x), z);
        }
        let turned = Self::along(0, at, |at| self.tangents(at)[0].normalize());
        let normal = turned.normalize();
        DMat3::from_cols(x, normal, x.cross(normal))
    }

    /// Its tensors, from their definitions.
    pub fn patch(&self, at: [Double; 2]) -> Patch {
        let (frame, tangents) = (self.frame(at), self.tangents(at));
        let along = |k: usize, column: usize| {
            Self::along(k, at, |at| self.frame(at).col(column)) * (1.0 / tangents[k].length())
        };
        if self.size() == 1 {
            let curvature = along(0, 0).dot(frame.col(1));
            let torsion = along(0, 1).dot(frame.col(2));
            return Patch::Curve { frame, metric: tangents[0].length(), curvature, torsion };
        }
        let z = [along(0, 2), along(1, 2)];
        Patch::Surface {
            frame,
            metric: [tangents[0].length(), tangents[1].length()],
            curvature: [0, 1].map(|i| z.map(|z| frame.col(i).dot(z))),
            torsion: [0, 1].map(|k| frame.col(1).dot(along(k, 0))),
        }
    }
}

/// Step of the coordinates in differences.
const STEP: Double = 2e-3;

/// Differences of two orders that are closer than this are fine enough [m/s, rad/s].
const FINE: Double = 1e-7;

/// A boundary that moves with constant velocities.
#[derive(Clone, Copy, Debug)]
pub struct Moving {
    /// Its boundary.
    pub boundary: Boundary,
    /// Where its origin is at time zero (m).
    pub center: DVec3,
    /// Its rotation then.
    pub rotation: DMat3,
    /// Velocity of the origin [m/s].
    pub linear: DVec3,
    /// Angular velocity [rad/s].
    pub angular: DVec3,
}

/// `exp([w]×)`.
fn turn(w: DVec3) -> DMat3 {
    let angle = w.length();
    if angle == 0.0 { DMat3::IDENTITY } else { DMat3::from_axis_angle(w / angle, angle) }
}

impl Moving {
    fn place(&self, time: Double) -> (DVec3, DMat3) {
        (self.center + self.linear * time, turn(self.angular * time) * self.rotation)
    }

    /// The point at the coordinates, in the world.
    fn point(&self, time: Double, at: [Double; 2]) -> DVec3 {
        let (center, rotation) = self.place(time);
        center + rotation * self.boundary.at(at)
    }

    /// As the engine takes it at time zero.
    fn side(&self, at: [Double; 2]) -> ContactSide {
        let world = |frame: DMat3| self.rotation * frame;
        let patch = match self.boundary.patch(at) {
            Patch::Surface { frame, metric, curvature, torsion } => {
                Patch::Surface { frame: world(frame), metric, curvature, torsion }
            }
            Patch::Curve { frame, metric, curvature, torsion } => {
                Patch::Curve { frame: world(frame), metric, curvature, torsion }
            }
            Patch::Point => Patch::Point,
        };
        let (point, center) = (self.point(0.0, at), self.center);
        ContactSide {
            patch,
            point,
            radius: 0.0,
            center,
            linear: self.linear,
            angular: self.angular,
        }
    }
}

/// Extremal points of two boundaries at a time: their coordinates, of which those of curves have one.
type Extremal = [[Double; 2]; 2];

/// What the extremal points must fulfill: the way between them is across all tangents.
fn across(pair: &[Moving; 2], time: Double, x: &Extremal) -> Vec<Double> {
    let way = pair[1].point(time, x[1]) - pair[0].point(time, x[0]);
    let mut rest = Vec::new();
    for (body, x) in pair.iter().zip(x) {
        let rotation = body.place(time).1;
        rest.extend(body.boundary.tangents(*x).iter().map(|e| way.dot(rotation * *e)));
    }
    rest
}

/// Newton's method for the extremal points, from a start; none if it does not end.
fn extremal(pair: &[Moving; 2], time: Double, start: Extremal) -> Option<Extremal> {
    let names: Vec<(usize, usize)> =
        (0..2).flat_map(|i| (0..pair[i].boundary.size()).map(move |k| (i, k))).collect();
    let n = names.len();
    let mut x = start;
    for _ in 0..40 {
        let rest = across(pair, time, &x);
        if rest.iter().all(|r| r.abs() < 1e-13) {
            return Some(x);
        }
        let mut matrix = vec![vec![0.0; n + 1]; n];
        for (column, (i, k)) in names.iter().enumerate() {
            let [mut up, mut down] = [x, x];
            up[*i][*k] += 1e-5;
            down[*i][*k] -= 1e-5;
            let (up, down) = (across(pair, time, &up), across(pair, time, &down));
            for row in 0..n {
                matrix[row][column] = (up[row] - down[row]) / 2e-5;
            }
        }
        for row in 0..n {
            matrix[row][n] = -rest[row];
        }
        let change = solve(matrix)?;
        for ((i, k), change) in names.iter().zip(change) {
            x[*i][*k] += change.clamp(-0.3, 0.3);
        }
    }
    let rest = across(pair, time, &x);
    rest.iter().all(|r| r.abs() < 1e-11).then_some(x)
}

/// Gauss' elimination with pivots, rows with the right-hand side last.
fn solve(mut a: Vec<Vec<Double>>) -> Option<Vec<Double>> {
    let n = a.len();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()))?;
        a.swap(k, p);
        let pivot = a[k].clone();
        if pivot[k].abs() < 1e-12 {
            return None;
        }
        for (_, row) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
            let factor = row[k] / pivot[k];
            row.iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
        }
    }
    Some((0..n).map(|k| a[k][n] / a[k][k]).collect())
}

/// What is compared: coordinates, points, normal, distance, angle, leans.
#[derive(Clone, Copy, Debug)]
struct Seen {
    x: Extremal,
    points: [DVec3; 2],
    normal: DVec3,
    distance: Double,
    angle: Double,
    lean: [Double; 2],
}

/// Angle about `n` from `from` to `to` (rad).
fn angle(n: DVec3, from: DVec3, to: DVec3) -> Double {
    libm::atan2(n.dot(from.cross(to)), from.dot(to))
}

fn look(pair: &[Moving; 2], time: Double, start: Extremal, n: DVec3) -> Option<Seen> {
    let x = extremal(pair, time, start)?;
    let points = [0, 1].map(|i| pair[i].point(time, x[i]));
    let way = points[1] - points[0];
    let distance = way.dot(n).signum() * way.length();
    let normal = way / distance;
    let frames = [0, 1].map(|i| pair[i].place(time).1 * pair[i].boundary.frame(x[i]));
    let lean = [0, 1].map(|i| match pair[i].boundary.size() {
        1 => angle(frames[i].col(0), frames[i].col(1), normal),
        _ => 0.0,
    });
    let angle = angle(normal, frames[0].col(0), frames[1].col(0));
    Some(Seen { x, points, normal, distance, angle, lean })
}

/// Largest differences of the rates, over the largest speed and angular velocity at hand (–), of the
/// distance's second derivative over their product [1/m]; none if the points are not found or singular.
pub fn compare(pair: &[Moving; 2], start: Extremal) -> Option<[Double; 4]> {
    let x = extremal(pair, 0.0, start)?;
    let way = pair[1].point(0.0, x[1]) - pair[0].point(0.0, x[0]);
    // Outward of the first, if it is a surface.
    let outward = match pair[0].boundary.size() {
        2 => pair[0].rotation * pair[0].boundary.frame(x[0]).col(2),
        _ => way,
    };
    let n = way.normalize() * way.dot(outward).signum();
    let inward = pair[1].rotation * pair[1].boundary.frame(x[1]).col(2);
    // Charts have poles, where a coordinate has no direction.
    let smallest = |i: usize| {
        let tangents = pair[i].boundary.tangents(x[i]).into_iter();
        tangents.map(|e| e.length()).fold(Double::INFINITY, Double::min)
    };
    if smallest(0).min(smallest(1)) < 0.05 {
        return None;
    }
    if way.length() < 0.05 || pair[1].boundary.size() == 2 && inward.dot(n) > 0.0 {
        return None;
    }
    let sides = [pair[0].side(x[0]), pair[1].side(x[1])];
    let found = rates(&sides, n).ok()?;
    // Differences of sixth order in time.
    let h = 2e-3;
    let at = |k: Double| look(pair, k * h, x, n);
    let around = [at(-3.0)?, at(-2.0)?, at(-1.0)?, at(0.0)?, at(1.0)?, at(2.0)?, at(3.0)?];
    let weights = [-1.0 / 60.0, 0.15, -0.75, 0.0, 0.75, -0.15, 1.0 / 60.0];
    let rate = |of: &dyn Fn(&Seen) -> Double| -> Double {
        around.iter().zip(weights).map(|(seen, w)| w * of(seen)).sum::<Double>() / h
    };
    let second = [2.0, -27.0, 270.0, -490.0, 270.0, -27.0, 2.0];
    let bent = around.iter().zip(second).map(|(seen, w)| w * seen.distance).sum::<Double>();
    let of_points = (0..2).map(|i| {
        let wanted = |k: usize| rate(&|seen| seen.points[i][k]);
        (DVec3::new(wanted(0), wanted(1), wanted(2)) - found.points[i]).length()
    });
    let coordinates = (0..2)
        .flat_map(|i| (0..2).map(move |k| (i, k)))
        .map(|(i, k)| (rate(&|seen| seen.x[i][k]) - found.coordinates[i][k]).abs());
    // Where the relative curvature nearly vanishes the points run: differences of fourth and of sixth order
    // tell whether they are fine enough.
    let coarse = [0.0, 1.0 / 12.0, -2.0 / 3.0, 0.0, 2.0 / 3.0, -1.0 / 12.0, 0.0];
    let parts = |seen: &Seen| {
        let [p, q] = seen.points;
        let mut parts = [p, q, seen.normal].map(|v| v.to_array()).concat();
        parts.extend(seen.x.concat());
        parts.extend([seen.distance, seen.angle, seen.lean[0], seen.lean[1]]);
        parts
    };
    let spread = weights.iter().zip(coarse).map(|(fine, coarse)| (fine - coarse) / h);
    let mut error = vec![0.0; parts(&around[0]).len()];
    for (weight, seen) in spread.zip(&around) {
        error.iter_mut().zip(parts(seen)).for_each(|(sum, x): (&mut Double, _)| *sum += weight * x);
    }
    if error.iter().any(|x| x.abs() > FINE) {
        return None;
    }
    let speed =
        coordinates.chain(of_points).chain([(rate(&|s| s.distance) - found.distance).abs()]);
    let wanted = |k: usize| rate(&|seen| seen.normal[k]);
    let normal = (DVec3::new(wanted(0), wanted(1), wanted(2)) - found.normal).length();
    let angles = [
        (rate(&|seen| seen.angle) - found.angle).abs(),
        (rate(&|seen| seen.lean[0]) - found.lean[0]).abs(),
        (rate(&|seen| seen.lean[1]) - found.lean[1]).abs(),
    ];
    let worst = |list: &mut dyn Iterator<Item = Double>| list.fold(0.0, Double::max);
    let size = found.points.iter().map(|p| p.length()).fold(1.0, Double::max);
    Some([
        worst(&mut { speed }) / size,
        normal / size,
        worst(&mut angles.into_iter()) / size,
        (bent / (180.0 * h * h) - found.convective).abs() / (size * size),
    ])
}

/// The kinds of pairs.
pub const PAIRS: [(&str, Boundary, Boundary); 6] = [
    ("surface–surface", Boundary::Spheroid([0.6, 0.4]), Boundary::Spheroid([0.3, 0.5])),
    ("surface–surface, one concave", Boundary::Torus([0.9, 0.3]), Boundary::Spheroid([0.2, 0.15])),
    ("surface–curve", Boundary::Spheroid([0.5, 0.4]), Boundary::Helix([0.5, 0.2])),
    ("curve–surface", Boundary::Ellipse([0.7, 0.4]), Boundary::Torus([0.8, 0.2])),
    ("curve–curve", Boundary::Helix([0.4, 0.3]), Boundary::Helix([0.6, 0.15])),
    ("curve–curve, both plane", Boundary::Ellipse([0.6, 0.5]), Boundary::Ellipse([0.3, 0.8])),
];

/// Random pairs of a kind that have extremal points: the largest differences, and how many there were.
pub fn differences(
    (one, other): (Boundary, Boundary),
    count: usize,
    seed: u64,
) -> ([Double; 4], usize) {
    let mut rng = Rng::new(seed);
    let (mut worst, mut seen): ([Double; 4], _) = ([0.0; 4], 0);
    for _ in 0..20 * count {
        let vector = |rng: &mut Rng, size: Double| {
            DVec3::from_array([0, 1, 2].map(|_| rng.between(-size, size)))
        };
        let moving = |rng: &mut Rng, boundary, center| Moving {
            boundary,
            center,
            rotation: turn(vector(rng, 2.0)),
            linear: vector(rng, 1.0),
            angular: vector(rng, 1.0),
        };
        let center = vector(&mut rng, 1.2);
        let pair = [moving(&mut rng, one, DVec3::ZERO), moving(&mut rng, other, center)];
        let start = [0, 1].map(|_| [rng.between(-1.5, 1.5), rng.between(-1.0, 1.0)]);
        let start = [0, 1]
            .map(|i| if pair[i].boundary.size() == 1 { [start[i][0], 0.0] } else { start[i] });
        let Some(found) = compare(&pair, start) else { continue };
        seen += 1;
        worst = [0, 1, 2, 3].map(|k| worst[k].max(found[k]));
        if seen == count {
            break;
        }
    }
    (worst, seen)
}

/// A ball of mass 1 that has slid down a fixed one without friction, from its top to an angle (rad): the
/// force that carries it (N), and the acceleration of the gap [m/s²]. By energy the force is `g (3 cos θ -
/// 2)`.
pub fn on_a_ball(radii: [Double; 2], angle: Double) -> Result<[Double; 2], NoRates> {
    let (g, far) = (9.81, radii[0] + radii[1]);
    let (sin, cos) = sin_cos_double(angle);
    let (normal, down) = (DVec3::new(sin, cos, 0.0), DVec3::new(cos, -sin, 0.0));
    let side = |center, radius, linear| ContactSide {
        patch: Patch::Point,
        point: center,
        radius,
        center,
        linear,
        angular: DVec3::ZERO,
    };
    let speed = (2.0 * g * far * (1.0 - cos)).sqrt();
    let sides =
        [side(DVec3::ZERO, radii[0], DVec3::ZERO), side(normal * far, radii[1], down * speed)];
    let found: ContactRates = rates(&sides, normal)?;
    let row = contact_row(&found, &sides, normal, [FIXED, 0]);
    let block = BodyBlock {
        mass: [1.0; 3],
        inertia: [0.1, 0.1, 0.1, 0.0, 0.0, 0.0],
        inverse_mass: [1.0; 3],
        inverse_inertia: [10.0, 10.0, 10.0, 0.0, 0.0, 0.0],
        velocity_free: [0.0, -g, 0.0, 0.0, 0.0, 0.0],
    };
    let solved = accelerations(&[block], &mut vec![row], &[], |_| None);
    let a = solved.bodies[0];
    let rate = DVec3::new(a[0], a[1], a[2]).dot(normal) + found.convective;
    Ok([solved.forces[0], rate])
}

/// Rates against differences, and where a ball leaves another one.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| pair | how many | off: points, coordinates | normal | angles | distance, second derivative |"
    );
    println!("|---|---|---|---|---|---|");
    for (k, (name, one, other)) in PAIRS.into_iter().enumerate() {
        let (worst, seen) = differences((one, other), 200, 100 + k as u64);
        let [a, b, c, d] = worst;
        println!("| {name} | {seen} | {a:.1e} | {b:.1e} | {c:.1e} | {d:.1e} |");
    }
    println!(
        "\n| θ | force on the ball, m = 1 kg [N] | g (3 cos θ - 2) | acceleration of the gap [m/s²] |"
    );
    println!("|---|---|---|---|");
    for degrees in [0.0, 15.0, 30.0, 45.0, 48.0, 48.19, 50.0, 60.0] {
        let angle = Double::to_radians(degrees);
        let [force, gap] = on_a_ball([1.0, 0.2], angle)?;
        let wanted = 9.81 * (3.0 * libm::cos(angle) - 2.0);
        println!("| {degrees}° | {force:.6} | {wanted:.6} | {gap:.6} |");
    }
    Ok(())
}
