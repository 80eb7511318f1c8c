//! Time of event clipping per pair: from a normal to the contacts.
//!
//! `cargo bench --no-default-features --bench clip`
//!
//! Random boxes of 0.3 m to 0.7 m face on face and edge on edge, random hulls of 20 vertices, and both
//! on a half-space; the gap is ±1 mm, contacts are wanted up to 5 mm, and the hints are the metric's.
//! Pairs are visited in turn as an engine does, so that none is the one used last.

#![allow(missing_docs, reason = "a program")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use orthant::engine::ratio::{Centers, Measured, PortalCache, Ratio, Relative, measure};
use orthant::engine::settings::Settings;
use orthant::engine::shape::hull::Hull;
use orthant::engine::step::narrow::clip::{ClipParams, find_contacts};
use orthant::engine::step::narrow::collect::Manifold;
use orthant::engine::step::narrow::half_space::find_contacts_half_space;
use orthant::math::{Mat3, Real, Vec3, quat_exp, quat_to_mat3};

use orthant_lab::random::Rng;

const PAIRS: usize = 512;
/// Contacts up to this gap are found (m).
const BAND: Real = 0.005;

fn gap(rng: &mut Rng) -> Real {
    rng.range(-0.001, 0.001)
}

fn size(rng: &mut Rng) -> Vec3 {
    rng.vector(0.3, 0.7)
}

fn cuboid(size: Vec3) -> Hull {
    Hull::cuboid(size).expect("the sizes are in range")
}

fn hull(rng: &mut Rng) -> Hull {
    let size = rng.vector(0.3, 0.6);
    loop {
        let points: Vec<Vec3> = core::iter::repeat_with(|| rng.vector(-1.0, 1.0))
            .filter(|v| (0.01..1.0).contains(&v.length_squared()))
            .map(|v| v.normalize() * size)
            .take(20)
            .collect();
        if let Ok(hull) = Hull::convex_hull(&points)
            && hull.inradius() > 0.03
        {
            return hull;
        }
    }
}

struct Pair {
    a: Hull,
    b: Hull,
    relative: Relative,
    normal: Vec3,
    hints: [u32; 2],
}

fn near(a: &Hull, b: &Hull, relative: &Relative, cache: &mut PortalCache) -> Ratio {
    match measure(a, b, relative, &Centers::default(), Real::INFINITY, cache) {
        Measured::Near(ratio) => ratio,
        Measured::Apart { .. } => panic!("nothing is too far"),
    }
}

/// The pair with the metric's normal.
fn pair(a: Hull, b: Hull, rotation: Mat3, offset: Vec3) -> Pair {
    let relative = Relative { rotation, offset };
    let mut cache = PortalCache::default();
    let normal = near(&a, &b, &relative, &mut cache).normal;
    Pair { a, b, relative, normal, hints: cache.hints }
}

/// A box turned about the vertical on another one, up to 0.1 m aside.
fn faces(rng: &mut Rng) -> Pair {
    let (a, b) = (size(rng), size(rng));
    let turn = quat_to_mat3(quat_exp(Vec3::Y * rng.range(-3.0, 3.0)));
    let aside = |rng: &mut Rng| rng.range(-0.1, 0.1);
    let offset = Vec3::new(aside(rng), 0.5 * (a.y + b.y) + gap(rng), aside(rng));
    pair(cuboid(a), cuboid(b), turn, offset)
}

/// Two boxes whose edges cross within 0.1 m of their middles, at 60° to 120°.
fn edges(rng: &mut Rng) -> Pair {
    let (a, b) = (size(rng), size(rng));
    let normal = Vec3::new(0.0, 1.0, 1.0).normalize();
    let turn = quat_to_mat3(quat_exp(normal * rng.range(1.05, 2.09)));
    let on_edge = |size: Vec3, along| Vec3::new(along, 0.5 * size.y, 0.5 * size.z);
    let p = on_edge(a, rng.range(-0.1, 0.1));
    let q = -on_edge(b, rng.range(-0.1, 0.1));
    let offset = p + normal * gap(rng) - turn * q;
    pair(cuboid(a), cuboid(b), turn, offset)
}

fn hulls(rng: &mut Rng) -> Pair {
    let (a, b) = (hull(rng), hull(rng));
    let rotation = quat_to_mat3(rng.rotation());
    let mut relative = Relative { rotation, offset: rng.vector(0.1, 1.0) };
    // Scaled to touching, but for the gap along the line of centers.
    let ratio = near(&a, &b, &relative, &mut PortalCache::default()).ratio;
    relative.offset /= ratio;
    let offset = relative.offset + relative.offset.normalize() * gap(rng);
    pair(a, b, rotation, offset)
}

/// A hull over the plane y = 0.
struct OnPlane {
    hull: Hull,
    rotation: Mat3,
    height: Real,
}

fn on_plane(rng: &mut Rng, hull: Hull, turn: Vec3) -> OnPlane {
    let rotation = quat_to_mat3(quat_exp(turn));
    let lowest = hull.vertices().iter().map(|&v| (rotation * v).y).fold(0.0, Real::min);
    let height = gap(rng) - lowest;
    OnPlane { hull, rotation, height }
}

/// Times `find` on all items; each has as many contacts as `expected`.
fn time<T>(
    c: &mut Criterion,
    name: &str,
    expected: core::ops::RangeInclusive<usize>,
    items: &[T],
    find: impl Fn(&T, &mut Manifold),
) {
    let mut out = Manifold::default();
    for item in items {
        find(item, &mut out);
        let count = out.contacts.len();
        assert!(expected.contains(&count), "{name}: {count} contacts");
    }
    let mut group = c.benchmark_group("clip");
    group.throughput(Throughput::Elements(items.len() as u64));
    group.bench_function(name, |bencher| {
        bencher.iter(|| {
            for item in items {
                find(item, &mut out);
                black_box(&out);
            }
        });
    });
}

fn clip(c: &mut Criterion) {
    let mut rng = Rng::new(7);
    let params = ClipParams::new(BAND, Settings::default().contact.reference_slack);
    let kinds: [(&str, fn(&mut Rng) -> Pair, _); 3] =
        [("face", faces, 3..=8), ("edge", edges, 1..=1), ("hull20", hulls, 1..=8)];
    for (name, make, expected) in kinds {
        let pairs: Vec<Pair> = (0..PAIRS).map(|_| make(&mut rng)).collect();
        time(c, name, expected, &pairs, |p, out| {
            find_contacts(&p.a, &p.b, &p.relative, p.normal, p.hints, &params, out);
        });
    }
    let boxes: Vec<OnPlane> = core::iter::repeat_with(|| {
        let (hull, turn) = (cuboid(size(&mut rng)), Vec3::Y * rng.range(-3.0, 3.0));
        on_plane(&mut rng, hull, turn)
    })
    .take(PAIRS)
    .collect();
    let hulls: Vec<OnPlane> = core::iter::repeat_with(|| {
        let (hull, turn) = (hull(&mut rng), rng.vector(-1.8, 1.8));
        on_plane(&mut rng, hull, turn)
    })
    .take(PAIRS)
    .collect();
    let find = |p: &OnPlane, out: &mut Manifold| {
        find_contacts_half_space(&p.hull, &p.rotation, p.height, Vec3::Y, &params, out);
    };
    time(c, "half_space/face", 4..=4, &boxes, find);
    time(c, "half_space/hull20", 1..=8, &hulls, find);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(600));
    targets = clip
}
criterion_main!(benches);
