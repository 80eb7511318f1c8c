//! Nanoseconds of a pair query: the ratio metric and the events of this crate beside the contact
//! manifold of parry3d, on the same pairs in the same run.
//!
//! Random hulls of 8 to 256 points, boxes of 0.3 to 0.72 m, balls, capsules, boxes with rounded edges and
//! cylinders of like sizes, touching to within 2 cm, in 64 frames that move 1 mm and 0.2°; contacts are
//! wanted up to 2 cm. Pairs are visited in turn, frame by frame,
//! as an engine does. *Cold* forgets everything between queries, *moving* keeps the cache, *unmoved*
//! repeats the first frame. Each frame takes the least time of several repetitions, ours and theirs in
//! turn, and each number is the mean of all frames, so that a busy machine matters little.
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
use parry3d::shape::{
    Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, RoundCuboid, Shape,
};
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

/// What a piece is.
#[derive(Clone, Copy)]
enum Piece {
    Points(usize),
    Cuboid,
    RoundCuboid,
    Ball,
    Capsule,
    Cylinder,
}

/// A piece for either library.
fn piece(random: &mut Random, kind: Piece) -> (Hull, Box<dyn Shape>) {
    let mut half = || Vec3::from_array([0; 3].map(|_| random.within(0.15, 0.36)));
    match kind {
        Piece::Points(count) => of_points(random, count),
        Piece::Cuboid => {
            let half = half();
            let cuboid = Cuboid::new(Vector::new(half.x, half.y, half.z));
            (Hull::cuboid(half * 2.0).expect("a box"), Box::new(cuboid))
        }
        Piece::RoundCuboid => {
            let (half, radius) = (half(), 0.05);
            let inner_shape = Cuboid::new(Vector::new(half.x, half.y, half.z));
            let round = RoundCuboid { inner_shape, border_radius: radius };
            (Hull::round_cuboid(half * 2.0, radius).expect("a box"), Box::new(round))
        }
        Piece::Ball => {
            let radius = half().x;
            (Hull::sphere(radius).expect("a ball"), Box::new(Ball::new(radius)))
        }
        Piece::Capsule => {
            let Vec3 { x, y, .. } = half();
            let capsule = Capsule::new_y(y, 0.5 * x);
            (Hull::capsule(0.5 * x, 2.0 * y).expect("a capsule"), Box::new(capsule))
        }
        Piece::Cylinder => {
            let Vec3 { x, y, .. } = half();
            (Hull::cylinder(x, 2.0 * y).expect("a cylinder"), Box::new(Cylinder::new(y, x)))
        }
    }
}

/// A hull of points on an ellipsoid for either library.
fn of_points(random: &mut Random, count: usize) -> (Hull, Box<dyn Shape>) {
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

fn pairs([kind_a, kind_b]: [Piece; 2], aligned: bool) -> Vec<Pair> {
    let seed = if let Piece::Points(count) = kind_a { count as u64 } else { 1 };
    let mut random = Random(SplitMix64::seed_from_u64(99 + seed));
    (0..PAIRS)
        .map(|_| {
            let (a, shape_a) = piece(&mut random, kind_a);
            let (b, shape_b) = piece(&mut random, kind_b);
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

/// Contacts found per query; each frame notes its time in `least` [s] if that is less.
fn ours(pairs: &[Pair], query: Query, stage: Stage, least: &mut [f64]) -> f64 {
    let mut caches = vec![PortalCache::default(); pairs.len()];
    let mut manifold = Manifold::default();
    let (mut found, mut sum) = (0, Vec3::ZERO);
    let params = ClipParams::new(BAND, 1e-3);
    for (k, least) in least.iter_mut().enumerate() {
        let start = Instant::now();
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
        *least = least.min(start.elapsed().as_secs_f64());
    }
    black_box(sum);
    found as f64 / (PAIRS * least.len()) as f64
}

fn theirs(pairs: &[Pair], query: Query, least: &mut [f64]) -> f64 {
    type Kept = (Vec<ContactManifold<(), ()>>, Option<ContactManifoldsWorkspace>);
    let mut caches: Vec<Kept> = pairs.iter().map(|_| (Vec::new(), None)).collect();
    let mut found = 0;
    for (k, least) in least.iter_mut().enumerate() {
        let start = Instant::now();
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
        *least = least.min(start.elapsed().as_secs_f64());
    }
    found as f64 / (PAIRS * least.len()) as f64
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repetitions = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(7);
    let frames = if repetitions == 0 { 4 } else { FRAMES };
    let wanted = |name: &str| arguments.iter().skip(1).all(|word| name.contains(word.as_str()));
    use Piece::{Ball, Capsule, Cuboid, Cylinder, Points, RoundCuboid};
    let kinds = [
        ("8 points", [Points(8); 2], false),
        ("20 points", [Points(20); 2], false),
        ("64 points", [Points(64); 2], false),
        ("256 points", [Points(256); 2], false),
        ("cuboids", [Cuboid; 2], false),
        ("faces of cuboids", [Cuboid; 2], true),
        ("balls", [Ball; 2], false),
        ("ball, capsule", [Ball, Capsule], false),
        ("capsules", [Capsule; 2], false),
        ("ball, cuboid", [Ball, Cuboid], false),
        ("ball, 20 points", [Ball, Points(20)], false),
        ("capsule, cuboid", [Capsule, Cuboid], false),
        ("round cuboids", [RoundCuboid; 2], false),
        ("cylinders", [Cylinder; 2], false),
    ];
    println!("pair, query: metric / and normal / and contacts (found), parry (found), ratio");
    for (kind, pieces, aligned) in kinds {
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
            let pairs: &Vec<Pair> = made.get_or_insert_with(|| pairs(pieces, aligned));
            let mut best = [const { (Vec::new(), 0.0) }; 4];
            for _ in 0..repetitions.max(1) {
                for ((least, found), (stage, wanted)) in best.iter_mut().zip(chosen) {
                    if wanted {
                        least.resize(frames, f64::INFINITY);
                        *found = match stage {
                            Some(stage) => ours(pairs, query, stage, least),
                            None => theirs(pairs, query, least),
                        };
                    }
                }
            }
            let total = (PAIRS * frames) as f64;
            let [m, n, c, p] =
                best.map(|(least, found)| (least.iter().sum::<f64>() * 1e9 / total, found));
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
