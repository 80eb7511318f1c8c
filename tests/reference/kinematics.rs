//! Smooth contact kinematics against differences and closed forms, planar regions, accelerations.

use orthant::accelerations::{Accelerations, accelerations};
use orthant::engine::lcp::{BodyBlock, ContactRow, FIXED};
use orthant::engine::query::{PlacedShape, closest};
use orthant::engine::shape::Shape;
use orthant::math::{
    DMat3, DVec3, Double, EPSILON, Quat, Real, Vec3, narrow, quat_exp, quat_mul, widen, widen3,
};
use orthant::papers::kinematics::{ContactSide, NoRates, Patch, extreme_points, rates, sides};
use orthant_lab::experiments::kinematics::{PAIRS, differences, on_a_ball};
use orthant_lab::random::Rng;

/// All rates of surface–surface, surface–curve and curve–curve pairs, and the second derivative of the
/// distance of bodies that do not accelerate, are those of the extremal points found anew at nearby times.
#[test]
fn rates_are_those_of_the_extremal_points() {
    for (k, (name, one, other)) in PAIRS.into_iter().enumerate() {
        let (worst, seen) = differences((one, other), 40, k as u64);
        assert!(seen >= 20, "{name}: only {seen} pairs had extremal points");
        // Differences of sixth order over 2 ms lose five digits to rounding, of second ones eight.
        for (what, error, allowed) in [
            ("points", worst[0], 1e-7),
            ("normal", worst[1], 1e-7),
            ("angles", worst[2], 1e-7),
            ("second derivative", worst[3], 1e-5),
        ] {
            assert!(error < allowed, "{name}: {what} off by {error:e}");
        }
    }
}

fn ball(radius: Double, center: DVec3, linear: DVec3, angular: DVec3) -> ContactSide {
    ContactSide { patch: Patch::Point, point: center, radius, center, linear, angular }
}

/// A sphere's surface about the point along `normal` from its center.
fn sphere(radius: Double, center: DVec3, normal: DVec3, angular: DVec3) -> ContactSide {
    let x = normal.any_orthonormal_vector();
    let frame = DMat3::from_cols(x, normal.cross(x), normal);
    let curvature = [[1.0 / radius, 0.0], [0.0, 1.0 / radius]];
    let patch = Patch::Surface { frame, metric: [1.0; 2], curvature, torsion: [0.0; 2] };
    let point = center + normal * radius;
    ContactSide { patch, point, radius: 0.0, center, linear: DVec3::ZERO, angular }
}

/// A ball as a surface and as a rounded point are one; the relative curvature of a ball in a bowl of its
/// size is singular, and so are a cylinder and a box that lie on the ground.
#[test]
fn singular_relative_curvature_is_told() {
    let up = DVec3::Y;
    let spin = DVec3::new(0.3, 0.2, -2.0);
    let ground = |curvature: Double| {
        let frame = DMat3::from_cols(DVec3::Z, DVec3::X, up);
        let curvature = [[curvature, 0.0], [0.0, curvature]];
        let patch = Patch::Surface { frame, metric: [1.0; 2], curvature, torsion: [0.0; 2] };
        ContactSide { patch, ..ball(0.0, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO) }
    };
    let center = up * 0.5;
    let surface = sphere(0.5, center, -up, spin);
    let rounded = ball(0.5, center, DVec3::ZERO, spin);
    // In a bowl of 2 m, on the plane, on a hill of 1 m.
    for curvature in [-0.5, 0.0, 1.0] {
        let pair = [[ground(curvature), surface], [ground(curvature), rounded]];
        let [one, other] = pair.map(|pair| rates(&pair, up).expect("they touch in a point"));
        for (p, q) in one.points.iter().zip(&other.points) {
            assert!((*p - *q).length() < 1e-12, "{curvature}: {p} and {q}");
        }
        assert!((one.normal - other.normal).length() < 1e-12, "{curvature}: the normal");
        // Relative curvature: (K_a + K_b) u = ω × n + K_b v, with v = ω × r.
        let v = spin.cross(-up * 0.5);
        let wanted = (spin.cross(up) + v * 2.0) / (curvature + 2.0);
        assert!((one.points[0] - wanted).length() < 1e-12, "{} for {wanted}", one.points[0]);
    }
    let bowl = rates(&[ground(-2.0), surface], up);
    assert_eq!(bowl.expect_err("it fits"), NoRates::Singular);
    let plane = Shape::half_space(Vec3::Y).expect("a normal");
    let lying = quat_exp(Vec3::new(0.0, 0.0, narrow(core::f64::consts::FRAC_PI_2)));
    let still = [[Vec3::ZERO; 2]; 2];
    for (shape, height, rotation) in [
        (Shape::cuboid(1.0, 1.0, 1.0), 0.5, Quat::IDENTITY),
        (Shape::cylinder(0.5, 1.0), 0.5, lying),
        (Shape::cylinder(0.5, 1.0), 0.5, Quat::IDENTITY),
    ] {
        let shape = shape.expect("lengths");
        let at = (&shape, Vec3::new(0.0, height, 0.0), rotation);
        let (pair, n) =
            sides(((&plane, Vec3::ZERO, Quat::IDENTITY), at), still).expect("a hull and a plane");
        assert_eq!(rates(&pair, n).expect_err("a line or a region"), NoRates::Singular);
    }
    assert_eq!(
        sides(((&plane, Vec3::ZERO, Quat::IDENTITY), (&plane, Vec3::Y, Quat::IDENTITY)), still)
            .expect_err("two planes"),
        NoRates::Shapes
    );
}

/// Shapes with flat and curved facets (Figure 12 of the thesis): rates of their nearest points are those of
/// the nearest points a little later and earlier.
#[test]
fn rates_of_shapes_are_those_of_their_nearest_points() {
    let mut rng = Rng::new(31);
    let shapes: Vec<(&str, Shape)> = [
        ("half-space", Shape::half_space(Vec3::Y)),
        ("ball", Shape::sphere(0.4)),
        ("box", Shape::cuboid(0.8, 0.5, 0.6)),
        ("capsule", Shape::capsule(0.2, 0.6)),
        ("cylinder", Shape::cylinder(0.4, 0.6)),
        ("cone", Shape::cone(0.4, 0.7)),
        ("ellipsoid", Shape::ellipsoid(0.8, 0.5, 0.6)),
    ]
    .into_iter()
    .map(|(name, shape)| (name, shape.expect("sound lengths")))
    .collect();
    // Positions of a meter are rounded to ε; so differences over 2h are off by ε / h, and by h² of curved
    // ways.
    let h = widen(EPSILON).cbrt().max(1e-3);
    let mut seen = std::collections::BTreeMap::new();
    for round in 0..600 {
        let (first, one) = &shapes[round % shapes.len()];
        let (second, other) = &shapes[1 + rng.below(shapes.len() - 1)];
        let vector = |rng: &mut Rng, size: Real| rng.vector(-size, size);
        let turn = |rng: &mut Rng| match *first {
            "half-space" => Quat::IDENTITY,
            _ => rng.uniform_rotation(),
        };
        let (a, b) = (turn(&mut rng), rng.uniform_rotation());
        let at = vector(&mut rng, 0.6) + Vec3::new(0.0, 1.3, 0.0);
        let velocities = [0, 1].map(|_| [vector(&mut rng, 1.0), vector(&mut rng, 1.0)]);
        let pose = |k: usize, place: Vec3, rotation: Quat, time: Double| {
            let [linear, angular] = velocities[k];
            let by = narrow(time);
            (place + linear * by, quat_mul(quat_exp(angular * by), rotation))
        };
        let look = |time: Double| {
            let (p, q) = (pose(0, Vec3::ZERO, a, time), pose(1, at, b, time));
            closest((one, p.0, p.1), (other, q.0, q.1)).expect("they have nearest points")
        };
        let pair: (PlacedShape<'_>, PlacedShape<'_>) = ((one, Vec3::ZERO, a), (other, at, b));
        let (both, n) = sides(pair, velocities).expect("hulls and planes");
        if look(0.0).distance < 0.1 {
            continue;
        }
        let Ok(found) = rates(&both, n) else { continue };
        let [before, after] = [look(-h), look(h)];
        let rate = |p: Vec3, q: Vec3| (widen3(q) - widen3(p)) / (2.0 * h);
        let points = [rate(before.point1, after.point1), rate(before.point2, after.point2)];
        // Beside an edge another facet takes over, and the points change their way.
        let [early, late] = [look(-2.0 * h), look(2.0 * h)];
        let wider = [rate(early.point1, late.point1), rate(early.point2, late.point2)];
        if (0..2).any(|i| (wider[i] * 0.5 - points[i]).length() > 0.02) {
            continue;
        }
        let distance = widen(after.distance - before.distance) / (2.0 * h);
        let fast = found.points.iter().map(|p| p.length()).fold(1.0, Double::max);
        let allowed = (8.0 * widen(EPSILON) / h + 40.0 * h * h) * fast * fast * fast;
        assert!(
            (distance - found.distance).abs() < allowed,
            "{first}, {second}, {round}: {distance} m/s, not {}",
            found.distance
        );
        for i in 0..2 {
            let off = (points[i] - found.points[i]).length();
            assert!(
                off < 20.0 * allowed.max(1e-3),
                "{first}, {second}, {round}, {i}: {off} m/s of {fast}"
            );
        }
        *seen.entry((*first, *second)).or_insert(0) += 1;
    }
    assert!(seen.len() > 30, "{} kinds of pairs: {seen:?}", seen.len());
}

/// (2.6)–(2.7) on a ball that slides down another one: it is carried by `m g (3 cos θ - 2)`, leaves where
/// that vanishes, at `cos θ = 2/3`, and from then on the gap opens.
#[test]
fn a_ball_leaves_a_ball_where_nothing_carries_it() {
    for radii in [[1.0, 0.2], [0.3, 2.0]] {
        for k in 0..90 {
            let angle = Double::from(k).to_radians();
            let [force, gap] = on_a_ball(radii, angle).expect("they touch in a point");
            let wanted = 9.81 * (3.0 * libm::cos(angle) - 2.0);
            let scale = 1e-9 * 9.81;
            assert!((force - wanted.max(0.0)).abs() < scale, "{k}°: {force} N, not {wanted} N");
            assert!(
                (gap - (-wanted).max(0.0)).abs() < scale,
                "{k}°: the gap opens with {gap} m/s²"
            );
        }
    }
}

/// A plate of mass 2 and the inertia (x and z, y) at height zero, with its free acceleration.
fn plate(inertia: [Double; 2], free: [Double; 6]) -> BodyBlock {
    let [across, along] = inertia;
    BodyBlock {
        mass: [2.0; 3],
        inertia: [across, along, across, 0.0, 0.0, 0.0],
        inverse_mass: [0.5; 3],
        inverse_inertia: [1.0 / across, 1.0 / along, 1.0 / across, 0.0, 0.0, 0.0],
        velocity_free: free,
    }
}

/// The row of a fixed plane under a point of the plate.
fn under(point: DVec3) -> ContactRow {
    let turn = point.cross(DVec3::Y);
    let row = [0.0, 1.0, 0.0, turn.x, turn.y, turn.z];
    ContactRow {
        a: FIXED,
        b: 0,
        jacobian_a: [[0.0; 6]; 3],
        jacobian_b: [row, [0.0; 6], [0.0; 6]],
        bias: [0.0; 3],
        friction: 0.0,
    }
}

fn solved(block: BodyBlock, points: &[DVec3]) -> Accelerations {
    let mut rows: Vec<_> = points.iter().map(|p| under(*p)).collect();
    accelerations(&[block], &mut rows, &[], |_| None)
}

/// A planar region of any boundary is as good as its extreme points: accelerations are those of all its
/// points, which are unique whatever the order of the contacts is, though forces are not.
#[test]
fn planar_regions_need_their_extreme_points_only() {
    let mut rng = Rng::new(8);
    for case in 0..60 {
        // An L with a notch, its sides cut into many points, turned; or points anywhere.
        let angle = quat_exp(Vec3::new(0.0, rng.range(-3.0, 3.0), 0.0));
        let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.7], [0.9, 0.7], [0.7, 1.5], [0.0, 1.5]];
        let mut points = Vec::new();
        for k in 0..6 {
            let ([x, z], [u, w]) = (corners[k], corners[(k + 1) % 6]);
            for part in 0..4 {
                let t = 0.25 * Double::from(part);
                let local =
                    Vec3::new(narrow(x + t * (u - x) - 0.8), 0.0, narrow(z + t * (w - z) - 0.6));
                points.push(widen3(orthant::math::quat_rotate(angle, local)));
            }
        }
        if case % 2 == 1 {
            points = (0..24)
                .map(|_| DVec3::new(rng.between(-1.0, 1.0), 0.0, rng.between(-1.0, 1.0)))
                .collect();
        }
        let extreme = extreme_points(&points, DVec3::Y);
        assert!(extreme.len() >= 3 && extreme.len() < points.len(), "{} points", extreme.len());
        let free = [0, 1, 2, 3, 4, 5].map(|k| rng.between(-8.0, if k == 1 { -2.0 } else { 8.0 }));
        let block = plate([0.6, 1.1], free);
        let kept: Vec<_> = extreme.iter().map(|&k| points[k]).collect();
        let all = solved(block, &points);
        let few = solved(block, &kept);
        let order = rng.order(points.len());
        let other = solved(block, &order.iter().map(|&k| points[k]).collect::<Vec<_>>());
        for (found, what) in [(&few, "extreme points"), (&other, "another order")] {
            for k in 0..6 {
                let off = (found.bodies[0][k] - all.bodies[0][k]).abs();
                assert!(off < 1e-8, "case {case}, {what}, {k}: {off} m/s²");
            }
        }
        // No point is pressed in, and forces only push.
        for p in &points {
            let turn = p.cross(DVec3::Y);
            let a = all.bodies[0];
            let rate = a[1] + turn.x * a[3] + turn.y * a[4] + turn.z * a[5];
            assert!(rate > -1e-8, "case {case}: {p} is pressed in with {rate} m/s²");
        }
        assert!(all.forces.iter().all(|l| *l >= 0.0), "case {case}: {:?}", all.forces);
    }
    // On a line and in one place the ends are left.
    let line: Vec<_> = (0..5).map(|k| DVec3::new(Double::from(k), 0.0, 2.0)).collect();
    assert_eq!(extreme_points(&line, DVec3::Y), [0, 4]);
    assert_eq!(extreme_points(&[DVec3::X; 3], DVec3::Y).len(), 1);
    assert!(extreme_points(&[], DVec3::Y).is_empty());
}

/// A round boundary has no corners: the point that is pressed in most is asked for until there is none. A
/// disc under a force beyond its rim tips over the nearest point of it.
#[test]
fn a_disc_tips_over_its_rim() {
    let (radius, mass, across, g): (Double, Double, Double, Double) = (0.5, 2.0, 0.3, 9.81);
    for (force, far) in [(30.0, 0.8), (30.0, 0.2), (100.0, 1.5)] {
        for angle in [0.0, 0.4, 2.0] {
            let out = DVec3::new(libm::cos(angle), 0.0, libm::sin(angle));
            let torque = (out * far).cross(-DVec3::Y * force) / across;
            let free = [0.0, -g - force / mass, 0.0, torque.x, torque.y, torque.z];
            let rate = |a: &[Double; 6], p: DVec3| a[1] + DVec3::new(a[3], a[4], a[5]).cross(p).y;
            let worst = |a: &[[Double; 6]]| {
                let a = &a[0];
                // The gap falls fastest along (ω × p)·y = (ω_z x - ω_x z).
                let way = DVec3::new(-a[5], 0.0, a[3]);
                let p = way.normalize_or(DVec3::X) * radius;
                (rate(a, p) < -1e-9).then(|| under(p))
            };
            let mut rows = Vec::new();
            let found = accelerations(&[plate([across, 1.0], free)], &mut rows, &[], worst);
            let a = found.bodies[0];
            let total: Double = found.forces.iter().sum();
            // Held flat while the load is within the rim, in which all forces together can act.
            let moment = force * far / (mass * g + force);
            let wanted = if moment <= radius {
                mass * g + force
            } else {
                (g + force / mass + radius * force * far / across)
                    / (1.0 / mass + radius * radius / across)
            };
            assert!(
                (total - wanted).abs() < 1e-6 * wanted,
                "{force} N at {far} m: {total} N, not {wanted} N"
            );
            let lowest = (0..64).map(|k| {
                let angle = Double::from(k) * 0.1;
                rate(&a, DVec3::new(libm::cos(angle), 0.0, libm::sin(angle)) * radius)
            });
            let lowest = lowest.fold(Double::INFINITY, Double::min);
            assert!(
                lowest > -1e-8,
                "{force} N at {far} m: the rim is pressed in with {lowest} m/s²"
            );
        }
    }
}
