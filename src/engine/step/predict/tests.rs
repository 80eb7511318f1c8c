//! How far free motions bring two bodies together.

use super::{approach, coasting};
use crate::engine::lcp::tests::random::Random;
use crate::engine::state::body::{Body, BodyDesc, BodyId, BodyKind};
use crate::engine::state::motion::Motion;
use crate::math::{DVec3, Double, Real, Vec3, narrow3, quat_exp, quat_rotate};

fn motion(linear: Vec3, angular: Vec3, radius: Real) -> Motion {
    let body =
        Body::new(BodyId::default(), BodyDesc { kind: BodyKind::Static, ..BodyDesc::default() });
    let body = body.expect("a body");
    Motion { linear, angular, radius, ..coasting(&body) }
}

/// No point of the smaller body moves farther as seen from the other, and some move nearly as far.
#[test]
fn no_point_comes_closer_than_that() {
    let mut rng = Random::new(7);
    let dt = 1.0 / 60.0;
    let mut sharpest: Real = 0.0;
    for round in 0..20_000 {
        let mut vector = |size: Double| narrow3(DVec3::from(rng.vector3(size)));
        let (d, point) = (vector(2.0), vector(1.0).normalize() * 0.3);
        let large = motion(vector(3.0), vector(6.0), 1.0);
        // Half of them are carried along, nearly.
        let small = if round % 2 == 0 {
            motion(vector(3.0), vector(6.0), 0.3)
        } else {
            motion(large.velocity_at(d) + vector(0.1), large.angular + vector(0.1), 0.3)
        };
        let bound = approach([&large.course(), &small.course()], d, dt);
        assert_eq!(bound, approach([&small.course(), &large.course()], -d, dt), "either way round");
        let after = d
            + (small.linear - large.linear) * dt
            + quat_rotate(quat_exp(small.angular * dt), point);
        let seen = quat_rotate(quat_exp(large.angular * -dt), after);
        let moved = (seen - (d + point)).length();
        assert!(moved <= bound + 1e-6, "round {round}: {moved} {bound}");
        sharpest = sharpest.max(moved / bound);
    }
    assert!(sharpest > 0.95, "{sharpest}");
}

/// What is carried along on a turntable hardly comes closer, however fast that is.
#[test]
fn what_is_carried_along_stays_apart() {
    let dt = 1.0 / 60.0;
    let table = motion(Vec3::X * 5.0, Vec3::Y * 2.0, 3.0);
    let d = Vec3::X * 2.0;
    let carried = motion(table.velocity_at(d), table.angular, 0.3);
    let bound = approach([&table.course(), &carried.course()], d, dt);
    assert!(bound < 0.002, "{bound}");
    let standing = motion(Vec3::ZERO, Vec3::ZERO, 0.3);
    assert!(
        approach([&table.course(), &standing.course()], d, dt) > 0.08,
        "the other runs into it"
    );
}
