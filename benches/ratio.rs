//! Time of the ratio metric per query: cold, after a small motion, and unmoved.
//!
//! Random hulls of 8 to 256 vertices and boxes at ratios from 0.9 to 1.2, visited in turn as an
//! engine does, so that neither pair nor cache is the one used last. A motion is 0.1 % of the size
//! and 0.001 rad.

#![allow(missing_docs, reason = "a program")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, measure};
use orthant::engine::shape::hull::Hull;
use orthant::math::{Double, Real, Vec3, narrow, quat_exp, quat_to_mat3};
use orthant_lab::random::Rng;

const PAIRS: usize = 512;

/// Random hulls and boxes.
struct Random(Rng);

impl Random {
    fn range(&mut self, low: Double, high: Double) -> Real {
        narrow(self.0.between(low, high))
    }

    fn unit(&mut self) -> Vec3 {
        loop {
            let mut c = || self.range(-1.0, 1.0);
            let v = Vec3::new(c(), c(), c());
            if v.dot(v) < 1.0 && v.dot(v) > 0.01 {
                return v.normalize();
            }
        }
    }

    fn hull(&mut self, n: usize) -> Hull {
        let mut c = || self.range(0.3, 0.6);
        let size = Vec3::new(c(), c(), c());
        loop {
            let points: Vec<Vec3> = (0..n).map(|_| self.unit() * size).collect();
            if let Ok(hull) = Hull::convex_hull(&points)
                && hull.inradius() > 0.03
            {
                return hull;
            }
        }
    }

    fn cuboid(&mut self) -> Hull {
        let mut c = || self.range(0.3, 0.72);
        Hull::cuboid(Vec3::new(c(), c(), c())).expect("the sizes are in range")
    }
}

struct Pair {
    a: Hull,
    b: Hull,
    relative: Relative,
    moved: Relative,
    cache: PortalCache,
}

fn query(p: &Pair, relative: &Relative, cache: &mut PortalCache) -> Measured {
    measure(&p.a, &p.b, relative, &Centers::default(), Real::INFINITY, cache)
}

fn pairs(n: Option<usize>) -> Vec<Pair> {
    let mut rng = Random(Rng::new(7));
    (0..PAIRS)
        .map(|_| {
            let (a, b) = match n {
                Some(n) => (rng.hull(n), rng.hull(n)),
                None => (rng.cuboid(), rng.cuboid()),
            };
            let turn = rng.unit() * rng.range(0.0, 3.0);
            let mut relative =
                Relative { rotation: quat_to_mat3(quat_exp(turn)), offset: rng.unit() };
            let mut pair = Pair { a, b, relative, moved: relative, cache: PortalCache::default() };
            let mut cache = PortalCache::default();
            if let Measured::Near(found) = query(&pair, &relative, &mut cache) {
                relative.offset *= rng.range(0.9, 1.2) / found.ratio;
            }
            cache = PortalCache::default();
            query(&pair, &relative, &mut cache);
            pair.relative = relative;
            pair.cache = cache;
            pair.moved = Relative {
                rotation: quat_to_mat3(quat_exp(rng.unit() * 0.001)) * relative.rotation,
                offset: relative.offset + rng.unit() * 0.001,
            };
            pair
        })
        .collect()
}

fn ratio(c: &mut Criterion) {
    let kinds = [None, Some(8), Some(12), Some(20), Some(64), Some(256)];
    for n in kinds {
        let pairs = pairs(n);
        let name = n.map_or("box".to_owned(), |n| n.to_string());
        let warm: Vec<PortalCache> = pairs.iter().map(|p| p.cache).collect();
        let cold = vec![PortalCache::default(); PAIRS];
        let mut group = c.benchmark_group(format!("ratio/{name}"));
        group.throughput(Throughput::Elements(PAIRS as u64));
        for (kind, caches, is_moved) in
            [("cold", &cold, false), ("moved", &warm, true), ("unmoved", &warm, false)]
        {
            group.bench_function(kind, |bencher| {
                bencher.iter_batched_ref(
                    || caches.clone(),
                    |caches| {
                        for (p, cache) in pairs.iter().zip(caches.iter_mut()) {
                            let relative = if is_moved { &p.moved } else { &p.relative };
                            black_box(query(p, relative, cache));
                        }
                    },
                    BatchSize::LargeInput,
                );
            });
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_millis(600));
    targets = ratio
}
criterion_main!(benches);
