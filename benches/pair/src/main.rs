//! Nanoseconds of a pair query: the ratio metric and the events of this crate beside the contact
//! manifold of parry3d, on the same pairs in the same run.
//!
//! Random hulls of 8 to 256 points and boxes of 0.3 to 0.72 m, touching to within 2 cm, in 64 frames
//! that move 1 mm and 0.2°; contacts are wanted up to 2 cm. Pairs are visited in turn, frame by frame,
//! as an engine does. *Cold* forgets everything between queries, *moving* keeps the cache, *unmoved*
//! repeats the first frame. Each number is the least of several repetitions, ours and theirs in turn,
//! in time on the processor where the system tells it, so that a busy machine matters little.
//!
//! Arguments: repetitions, then words that the measured names must contain, for example
//! `5 moving cuboid ours`; no repetitions are one pass over four frames, for an instruction counter.

use std::hint::black_box;
use std::time::Instant;

use orthant::engine::step::narrow::normal::{Twist, reference_normal};
use orthant::engine::step::narrow::clip::{ClipParams, find_contacts};
use orthant::engine::step::narrow::collect::Manifold;
use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, measure};
use orthant::engine::shape::hull::Hull;
use orthant::math::{Quat, Vec3, quat_exp, quat_to_mat3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{
    self, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher,
    PersistentQueryDispatcher,
};
use parry3d::shape::{ConvexPolyhedron, Cuboid, Shape};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const PAIRS: usize = 512;
const FRAMES: usize = 64;
const BAND: f32 = 0.02;
const DT: f32 = 1.0 / 60.0;

/// Random numbers and directions.
struct Random(SplitMix64);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.0.next_u64() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    fn unit(&mut self) -> Vec3 {
        loop {
            let v = Vec3::from_array([0; 3].map(|_| self.within(-1.0, 1.0)));
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn turn(&mut self) -> Quat {
        quat_exp(self.unit() * self.within(0.0, 3.1))
    }
}

/// What a frame needs: the pose for either library and the motion that led there.
struct Frame {
    relative: Relative,
    twist: Twist,
    pose: Pose,
}

struct Pair {
    hulls: [Hull; 2],
    shapes: [Box<dyn Shape>; 2],
    frames: Vec<Frame>,
}

/// The pieces of a pair for either library.
fn pieces(random: &mut Random, points: Option<usize>) -> (Hull, Box<dyn Shape>) {
    let Some(count) = points else {
        let half = Vec3::from_array([0; 3].map(|_| random.within(0.15, 0.36)));
        let cuboid = Cuboid::new(Vector::new(half.x, half.y, half.z));
        return (Hull::cuboid(half * 2.0).expect("a box"), Box::new(cuboid));
    };
    let size = Vec3::from_array([0; 3].map(|_| random.within(0.15, 0.3)));
    loop {
        let points: Vec<Vec3> = (0..count).map(|_| random.unit() * size).collect();
        let Ok(hull) = Hull::convex_hull(&points) else { continue };
        let about: Vec<Vector> = points
            .iter()
            .map(|&p| p - hull.centroid())
            .map(|p| Vector::new(p.x, p.y, p.z))
            .collect();
        if hull.inradius() > 0.02
            && let Some(other) = ConvexPolyhedron::from_convex_hull(&about)
        {
            return (hull, Box::new(other));
        }
    }
}

fn frame(rotation: Quat, offset: Vec3, twist: Twist) -> Frame {
    let [x, y, z, w] = rotation.to_array();
    let turn = Rotation::from_xyzw(x, y, z, w);
    Frame {
        relative: Relative { rotation: quat_to_mat3(rotation), offset },
        twist,
        pose: Pose::from_parts(Vector::new(offset.x, offset.y, offset.z), turn),
    }
}

fn pairs(points: Option<usize>, aligned: bool) -> Vec<Pair> {
    let mut random = Random(SplitMix64::seed_from_u64(99 + points.unwrap_or(1) as u64));
    (0..PAIRS)
        .map(|_| {
            let (a, shape_a) = pieces(&mut random, points);
            let (b, shape_b) = pieces(&mut random, points);
            let mut rotation =
                if aligned { quat_exp(Vec3::Y * random.within(-3.0, 3.0)) } else { random.turn() };
            let direction = if aligned { Vec3::Y } else { random.unit() };
            let (mut low, mut high) = (0.0_f32, 2.0_f32);
            for _ in 0..30 {
                let middle = 0.5 * (low + high);
                let pose = frame(rotation, direction * middle, Twist::default()).pose;
                let hit = query::intersection_test(&Pose::IDENTITY, &*shape_a, &pose, &*shape_b)
                    .expect("parry knows these shapes")
                    .intersecting;
                if hit { low = middle } else { high = middle }
            }
            let spread = if aligned { 0.002 } else { 0.02 };
            let home = direction * (high + random.within(-spread, spread));
            let mut offset = home;
            let frames = (0..FRAMES)
                .map(|_| {
                    let last = offset;
                    offset = home + (offset - home) * 0.8 + random.unit() * 0.001;
                    let spin = random.unit() * 0.2_f32.to_radians();
                    if !aligned {
                        rotation = orthant::math::quat_mul(quat_exp(spin), rotation);
                    }
                    let velocities = [Vec3::ZERO, (offset - last) / DT];
                    let twist = Twist::new(velocities, [Vec3::ZERO, spin / DT], offset);
                    frame(rotation, offset, twist)
                })
                .collect();
            Pair { hulls: [a, b], shapes: [shape_a, shape_b], frames }
        })
        .collect()
}

/// What is asked of a pair.
#[derive(Clone, Copy, PartialEq)]
enum Query {
    Cold,
    Moving,
    Unmoved,
}

/// How far our query goes.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Metric,
    Normal,
    Contacts,
}

/// Time of a query [ns], and contacts found per query.
fn ours(pairs: &[Pair], query: Query, stage: Stage, frames: usize) -> (f64, f64) {
    let mut caches = vec![PortalCache::default(); pairs.len()];
    let mut manifold = Manifold::default();
    let (mut found, mut sum) = (0, Vec3::ZERO);
    let params = ClipParams::new(BAND, 1e-3);
    let watch = Watch::start();
    for k in 0..frames {
        for (pair, cache) in pairs.iter().zip(&mut caches) {
            let f = &pair.frames[if query == Query::Unmoved { 0 } else { k }];
            let [a, b] = &pair.hulls;
            if query == Query::Cold {
                *cache = PortalCache::default();
            }
            let measured = measure(a, b, &f.relative, &Centers::default(), BAND, cache);
            let Measured::Near(ratio) = measured else { continue };
            sum += ratio.normal;
            if stage == Stage::Metric {
                continue;
            }
            let slack = 20.0 * DT * DT;
            let n =
                reference_normal(a, b, &f.relative, ratio.normal, cache.hints, &f.twist, DT, slack);
            sum += n;
            if stage == Stage::Normal {
                continue;
            }
            find_contacts(a, b, &f.relative, n, cache.hints, &params, &mut manifold);
            found += black_box(&manifold).contacts.len();
        }
    }
    black_box(sum);
    watch.per_query(frames, found)
}

fn theirs(pairs: &[Pair], query: Query, frames: usize) -> (f64, f64) {
    type Kept = (Vec<ContactManifold<(), ()>>, Option<ContactManifoldsWorkspace>);
    let mut caches: Vec<Kept> = pairs.iter().map(|_| (Vec::new(), None)).collect();
    let mut found = 0;
    let watch = Watch::start();
    for k in 0..frames {
        for (pair, cache) in pairs.iter().zip(&mut caches) {
            let f = &pair.frames[if query == Query::Unmoved { 0 } else { k }];
            let [a, b] = &pair.shapes;
            if query == Query::Cold {
                *cache = (Vec::new(), None);
            }
            DefaultQueryDispatcher
                .contact_manifolds(&f.pose, &**a, &**b, BAND, &mut cache.0, &mut cache.1)
                .expect("parry knows these shapes");
            found += black_box(&cache.0).iter().map(|m| m.points.len()).sum::<usize>();
        }
    }
    watch.per_query(frames, found)
}

/// A stopwatch of this thread's time on the processor, or of the wall where that is not known.
struct Watch(Instant, Option<f64>);

impl Watch {
    fn start() -> Self {
        Self(Instant::now(), processor_time())
    }

    /// Time per query [ns], and contacts found per query.
    fn per_query(&self, frames: usize, found: usize) -> (f64, f64) {
        let total = (PAIRS * frames) as f64;
        let time = match (self.1, processor_time()) {
            (Some(start), Some(end)) => end - start,
            _ => self.0.elapsed().as_secs_f64() * 1e9,
        };
        (time / total, found as f64 / total)
    }
}

/// Time of this thread on the processor [ns].
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().next()?.parse().ok()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repetitions = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(7);
    let frames = if repetitions == 0 { 4 } else { FRAMES };
    let wanted = |name: &str| arguments.iter().skip(1).all(|word| name.contains(word.as_str()));
    let kinds = [
        ("8 points", Some(8), false),
        ("20 points", Some(20), false),
        ("64 points", Some(64), false),
        ("256 points", Some(256), false),
        ("cuboids", None, false),
        ("faces of cuboids", None, true),
    ];
    println!("pair, query: metric / and normal / and contacts (found), parry (found), ratio");
    for (kind, points, aligned) in kinds {
        let queries =
            [(Query::Cold, "cold"), (Query::Moving, "moving"), (Query::Unmoved, "unmoved")];
        let mut made = None;
        for (query, word) in queries {
            let stages = [
                (Some(Stage::Metric), "ours metric"),
                (Some(Stage::Normal), "ours normal"),
                (Some(Stage::Contacts), "ours contacts"),
                (None, "parry"),
            ];
            let chosen = stages.map(|(stage, s)| (stage, wanted(&format!("{kind} {word} {s}"))));
            if chosen.iter().all(|c| !c.1) {
                continue;
            }
            let pairs: &Vec<Pair> = made.get_or_insert_with(|| pairs(points, aligned));
            let mut best = [(f64::INFINITY, 0.0); 4];
            for _ in 0..repetitions.max(1) {
                for (best, (stage, wanted)) in best.iter_mut().zip(chosen) {
                    if wanted {
                        let (time, found) = match stage {
                            Some(stage) => ours(pairs, query, stage, frames),
                            None => theirs(pairs, query, frames),
                        };
                        *best = (best.0.min(time), found);
                    }
                }
            }
            let [m, n, c, p] = best;
            println!(
                "{kind:>16} {word:>7}: {:6.0} / {:6.0} / {:6.0} ({:.2}), {:6.0} ({:.2}), {:5.2}",
                m.0,
                n.0,
                c.0,
                c.1,
                p.0,
                p.1,
                p.0 / c.0
            );
        }
    }
}
