//! The ratio metric: closed forms, its own certificate, laws.

use orthant::engine::ratio::{
    Centers, Measured, PortalCache, Ratio, Relative, measure as measure_ratio, measure_half_space,
};
use orthant::engine::shape::ShapeError;
use orthant::engine::shape::curve::Curve;
use orthant::engine::shape::hull::Hull;
use orthant::math::{DVec3, Double, Mat3, Real, Vec3, quat_to_mat3, widen, widen_mat3, widen3};

use super::{at_most, by_precision};
use crate::claims::Claims;
use crate::random::Rng;

/// Every claim about the metric.
pub fn measure(claims: &mut Claims) {
    let bar = by_precision(1e-6, 1e-12);
    let forms: [(&str, fn(&mut Rng) -> Double); 5] = [
        ("balls", balls),
        ("balls and capsules, parallel capsules", capsules),
        ("alike ellipsoids", ellipsoids),
        ("half-spaces and pieces of all kinds", half_spaces),
        ("ellipsoids and balls along an axis", along_axes),
    ];
    for (name, form) in forms {
        let mut rng = Rng::new(31);
        let worst = (0..1000).map(|_| form(&mut rng)).fold(0.0, Double::max);
        at_most(claims, &format!("metric of {name}"), worst, bar);
    }
    let mut worst = Worst::default();
    let mut rng = Rng::new(32);
    for _ in 0..2000 {
        worst.certify(&mut rng);
    }
    at_most(claims, "curved pairs: ratio against its own bound", worst.certificate, bar);
    at_most(claims, "… by how much a sampled normal beats it", worst.beaten, bar);
    let mut rng = Rng::new(33);
    for _ in 0..2000 {
        worst.obey(&mut rng);
    }
    // As near as reference values of the metric are asked for; poses are rounded as well.
    let bar = by_precision(2e-6, 1e-12);
    at_most(claims, "r of an exchanged pair, beyond rounding of poses", worst.exchange, bar);
    at_most(claims, "… of the pair moved, beyond rounding of poses", worst.motion, bar);
    at_most(claims, "… of the pair with half the offset", worst.scaling, bar);
}

/// Largest relative errors.
#[derive(Default)]
struct Worst {
    certificate: Double,
    beaten: Double,
    exchange: Double,
    motion: Double,
    scaling: Double,
}

impl Worst {
    /// A random pair of which one at least is curved: its normal bounds the ratio from below, and no
    /// other normal does better.
    fn certify(&mut self, rng: &mut Rng) {
        let (a, b) = pieces(rng);
        let relative = place(rng, &a, &b);
        let found = ratio(&a, &b, &relative);
        let r = widen(found.ratio);
        let n = widen3(found.normal);
        let (d, h) = bounds(&a, &b, &relative, n);
        self.certificate = self.certificate.max((d / h / r - 1.0).abs());
        let best = best_bound(rng, &a, &b, &relative, n);
        self.beaten = self.beaten.max(best / r - 1.0);
    }

    /// A random pair exchanged, moved, and with half its offset.
    fn obey(&mut self, rng: &mut Rng) {
        let (a, b) = (any_piece(rng), any_piece(rng));
        let relative = place(rng, &a, &b);
        let r = widen(ratio(&a, &b, &relative).ratio);
        let inverse = relative.rotation.transpose();
        let swapped = Relative { rotation: inverse, offset: -(inverse * relative.offset) };
        let error = |other: Double| (other / r - 1.0).abs();
        // Poses are rounded, and the metric of what results is another: the bounds of both along the same
        // normal tell how much.
        let found = ratio(&b, &a, &swapped);
        let there = relation(bounds(&b, &a, &swapped, widen3(found.normal)));
        let normal = -(widen_mat3(relative.rotation) * widen3(found.normal));
        let here = relation(bounds(&a, &b, &relative, normal));
        self.exchange = self.exchange.max(error(widen(found.ratio) * here / there));
        let (at, turn) = (rng.vector(-3.0, 3.0), quat_to_mat3(rng.rotation()));
        let moved = Relative::new(at, turn, at + turn * relative.offset, turn * relative.rotation);
        let found = ratio(&a, &b, &moved);
        let n = widen3(found.normal);
        let [here, there] = [&relative, &moved].map(|pose| relation(bounds(&a, &b, pose, n)));
        self.motion = self.motion.max(error(widen(found.ratio) * here / there));
        let half = Relative { offset: relative.offset * 0.5, ..relative };
        self.scaling = self.scaling.max(error(2.0 * widen(ratio(&a, &b, &half).ratio)));
    }
}

/// The metric about the centroids.
fn ratio(a: &Hull, b: &Hull, relative: &Relative) -> Ratio {
    let mut cache = PortalCache::default();
    match measure_ratio(a, b, relative, &Centers::default(), Real::INFINITY, &mut cache) {
        Measured::Near(ratio) => ratio,
        Measured::Apart { .. } => unreachable!("no pair is beyond an endless margin"),
    }
}

fn made(hull: Result<Hull, ShapeError>) -> Hull {
    hull.expect("the lengths are in range")
}

fn curved_piece(rng: &mut Rng) -> Hull {
    let (radius, height) = (rng.range(0.1, 1.0), rng.range(0.1, 2.0));
    match rng.below(4) {
        0 => made(Hull::cylinder(radius, height)),
        1 => made(Hull::cone(radius, height)),
        2 => made(Hull::round_cylinder(radius, height, 0.1)),
        _ => made(Hull::ellipsoid(rng.vector(0.2, 2.0))),
    }
}

fn any_piece(rng: &mut Rng) -> Hull {
    let (radius, length) = (rng.range(0.1, 0.6), rng.range(0.1, 2.0));
    match rng.below(6) {
        0 => made(Hull::sphere(radius)),
        1 => made(Hull::capsule(radius, length)),
        2 => made(Hull::cuboid(rng.vector(0.2, 2.0))),
        3 => {
            let mut point = || rng.vector(-1.0, 1.0).normalize_or(Vec3::X) * 0.7;
            let points: Vec<Vec3> = (0..14).map(|_| point()).collect();
            made(Hull::convex_hull(&points))
        }
        _ => curved_piece(rng),
    }
}

/// Two pieces, at least one of them curved, in any order.
fn pieces(rng: &mut Rng) -> (Hull, Hull) {
    let (a, b) = (curved_piece(rng), any_piece(rng));
    if rng.below(2) == 0 { (a, b) } else { (b, a) }
}

fn unit(rng: &mut Rng) -> Vec3 {
    rng.vector(-1.0, 1.0).normalize_or(Vec3::X)
}

/// A random pose, from deep overlap to apart.
fn place(rng: &mut Rng, a: &Hull, b: &Hull) -> Relative {
    let size = a.bounding_radius() + b.bounding_radius();
    let offset = unit(rng) * (size * rng.range(0.2, 2.0));
    Relative { rotation: quat_to_mat3(rng.rotation()), offset }
}

/// The support function of a piece from the definition of its shape; `n` of any length.
fn height(hull: &Hull, n: DVec3) -> Double {
    let across = (n.x * n.x + n.z * n.z).sqrt();
    let core = match hull.curve() {
        Some(Curve::Cylinder { radius, half_height }) => {
            widen(*radius) * across + widen(*half_height) * n.y.abs()
        }
        Some(Curve::Cone { radius, height }) => {
            let (r, h) = (widen(*radius), widen(*height));
            (r * across - 0.25 * h * n.y).max(0.75 * h * n.y)
        }
        Some(Curve::Ellipsoid { half }) => (widen3(*half) * n).length(),
        None => {
            let heights = hull.vertices().iter().map(|&v| widen3(v).dot(n));
            heights.fold(Double::NEG_INFINITY, Double::max)
        }
    };
    core + widen(hull.radius()) * n.length()
}

/// `n·d` and `H(n)`: their quotient bounds the ratio from below for every n.
fn bounds(a: &Hull, b: &Hull, relative: &Relative, n: DVec3) -> (Double, Double) {
    let rotation = widen_mat3(relative.rotation);
    let reach = height(a, n) + height(b, -(rotation.transpose() * n));
    (n.dot(widen3(relative.offset)), reach)
}

fn relation((d, h): (Double, Double)) -> Double {
    d / h
}

/// The best bound by random search from a normal: the bounds are quasi-concave, so there is no other
/// maximum than the ratio.
fn best_bound(rng: &mut Rng, a: &Hull, b: &Hull, relative: &Relative, n: DVec3) -> Double {
    let value = |n: DVec3| {
        let (d, h) = bounds(a, b, relative, n);
        if d > 0.0 { d / h } else { 0.0 }
    };
    let mut n = n.normalize_or(DVec3::X);
    let mut best = value(n);
    for power in 0..27 {
        let step = 1.0 / Double::from(1_u32 << power);
        for _ in 0..12 {
            let trial = (n + widen3(unit(rng)) * step).normalize_or(n);
            if value(trial) > best {
                best = value(trial);
                n = trial;
            }
        }
    }
    best
}

/// Relative error of a ratio.
fn error(found: &Ratio, exact: Double) -> Double {
    (widen(found.ratio) / exact - 1.0).abs()
}

fn balls(rng: &mut Rng) -> Double {
    let (a, b) = (made(Hull::sphere(rng.range(0.1, 2.0))), made(Hull::sphere(rng.range(0.1, 2.0))));
    let relative = place(rng, &a, &b);
    let exact = widen3(relative.offset).length() / (widen(a.radius()) + widen(b.radius()));
    error(&ratio(&a, &b, &relative), exact)
}

/// The Minkowski difference is a capsule of the summed radii and lengths. Its side grows to `d` where
/// `across = t R`; its caps where `(along - t l)² + across² = (t R)²`, of which the smaller root counts.
fn capsules(rng: &mut Rng) -> Double {
    let half = |hull: &Hull| widen(hull.vertices().iter().fold(0.0, |m: Real, v| m.max(v.y)));
    let a = made(Hull::capsule(rng.range(0.1, 1.0), rng.range(0.1, 2.0)));
    let b = if rng.below(2) == 0 {
        made(Hull::sphere(rng.range(0.1, 1.0)))
    } else {
        made(Hull::capsule(rng.range(0.1, 1.0), rng.range(0.1, 2.0)))
    };
    let offset = place(rng, &a, &b).offset;
    let found = ratio(&a, &b, &Relative { rotation: Mat3::IDENTITY, offset });
    let d = widen3(offset);
    let (l, r) = (half(&a) + half(&b), widen(a.radius()) + widen(b.radius()));
    let (across, along) = ((d.x * d.x + d.z * d.z).sqrt(), d.y.abs());
    let side = across / r;
    let (p, q, s) = (l * l - r * r, along * l, across * across + along * along);
    let cap = s / (q + (q * q - p * s).max(0.0).sqrt());
    error(&found, if along <= side * l { side } else { cap })
}

/// Two alike ellipsoids, one larger, with the same axes: `|A⁻¹ d| / (1 + s)`.
fn ellipsoids(rng: &mut Rng) -> Double {
    let size = rng.vector(0.2, 2.0);
    let scale = [0.25, 0.5, 1.0, 2.0][rng.below(4)];
    let (a, b) = (made(Hull::ellipsoid(size)), made(Hull::ellipsoid(size * scale)));
    let offset = place(rng, &a, &b).offset;
    let found = ratio(&a, &b, &Relative { rotation: Mat3::IDENTITY, offset });
    let exact = (widen3(offset) / (0.5 * widen3(size))).length() / (1.0 + widen(scale));
    error(&found, exact)
}

/// `height / h(-n)`, with the support function from the definition of the shape.
fn half_spaces(rng: &mut Rng) -> Double {
    let hull = any_piece(rng);
    let rotation = quat_to_mat3(rng.rotation());
    let (normal, above) = (unit(rng), rng.range(0.05, 3.0));
    let found = measure_half_space(&hull, rotation, above, normal);
    let down = -(widen_mat3(rotation).transpose() * widen3(normal));
    error(&found, widen(above) / height(&hull, down))
}

/// A ball on an axis of an ellipsoid: both halves add up.
fn along_axes(rng: &mut Rng) -> Double {
    let (size, axis) = (rng.vector(0.2, 2.0), rng.below(3));
    let (a, b) = (made(Hull::ellipsoid(size)), made(Hull::sphere(rng.range(0.1, 1.0))));
    let mut offset = Vec3::ZERO;
    offset[axis] = rng.range(0.2, 3.0);
    let found = ratio(&a, &b, &Relative { rotation: Mat3::IDENTITY, offset });
    let reach = 0.5 * widen(size[axis]) + widen(b.radius());
    error(&found, widen(offset[axis]) / reach)
}
