//! Time per pair query of parry3d and of this engine, on the same pairs in the same run.
//!
//! Pairs of random hulls (points on ellipsoids with half axes of 0.3 to 0.6 m) are brought to
//! within ±20 mm of touching, and then walk at random for 64 frames, 1 mm and 0.2° each, staying
//! near the start. All pairs are visited in a frame before the next frame, as an engine does. The
//! time of a frame is the least of the repetitions, which other programs on the machine disturb
//! least.
//!
//! `cargo run --release --manifest-path benches/pair/Cargo.toml [repetitions]`

use std::hint::black_box;
use std::time::Instant;

use orthant::engine::ratio::{Centers, Measured, PortalCache, Relative, measure};
use orthant::engine::shape::hull::Hull;
use orthant::math::{Mat3, Quat, Real, Vec3, narrow, quat_to_mat3};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{
    self, ContactManifold, ContactManifoldsWorkspace, DefaultQueryDispatcher,
    PersistentQueryDispatcher,
};
use parry3d::shape::{ConvexPolyhedron, Cuboid, Shape};

const PAIRS: usize = 512;
const FRAMES: usize = 64;
/// Distance up to which contacts are wanted [m].
const MARGIN: f32 = 0.02;

/// splitmix64.
struct Rng(u64);

impl Rng {
    fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn unit(&mut self) -> [f64; 3] {
        let z = self.range(-1.0, 1.0);
        let angle = self.range(0.0, 2.0 * std::f64::consts::PI);
        let s = (1.0 - z * z).sqrt();
        [s * angle.cos(), s * angle.sin(), z]
    }

    fn rotation(&mut self) -> Rotation {
        let u = self.unit();
        let half = 0.5 * self.range(0.0, 2.0 * std::f64::consts::PI);
        rotation(u, half)
    }
}

fn rotation(axis: [f64; 3], half_angle: f64) -> Rotation {
    let s = half_angle.sin();
    let [x, y, z] = axis.map(|c| (c * s) as f32);
    Rotation::from_xyzw(x, y, z, half_angle.cos() as f32)
}

fn vector(v: [f64; 3]) -> Vector {
    Vector::new(v[0] as f32, v[1] as f32, v[2] as f32)
}

/// A pair in both engines, and its poses: b relative to a, about the centroids of our hulls.
struct Pair {
    parry: [Box<dyn Shape>; 2],
    ours: [Hull; 2],
    poses: Vec<Pose>,
    relatives: Vec<Relative>,
}

/// A random hull whose centroid is the origin in both engines.
fn random_hull(rng: &mut Rng, n: usize) -> (Box<dyn Shape>, Hull) {
    let axes = [rng.range(0.3, 0.6), rng.range(0.3, 0.6), rng.range(0.3, 0.6)];
    loop {
        let points: Vec<Vec3> = (0..n)
            .map(|_| {
                let u = rng.unit();
                Vec3::new(narrow(u[0] * axes[0]), narrow(u[1] * axes[1]), narrow(u[2] * axes[2]))
            })
            .collect();
        let Ok(hull) = Hull::convex_hull(&points) else { continue };
        let vertices: Vec<Vector> =
            hull.vertices().iter().map(|v| vector([v.x, v.y, v.z].map(wide))).collect();
        if let Some(parry) = ConvexPolyhedron::from_convex_hull(&vertices) {
            return (Box::new(parry), hull);
        }
    }
}

fn random_box(rng: &mut Rng) -> (Box<dyn Shape>, Hull) {
    let half = [rng.range(0.15, 0.36), rng.range(0.15, 0.36), rng.range(0.15, 0.36)];
    let [x, y, z] = half.map(|h| narrow(2.0 * h));
    let hull = Hull::cuboid(Vec3::new(x, y, z)).expect("the sizes are in range");
    (Box::new(Cuboid::new(vector(half))), hull)
}

fn wide(x: Real) -> f64 {
    #[allow(clippy::unnecessary_cast, clippy::cast_lossless, reason = "Real may be f64")]
    {
        x as f64
    }
}

fn relative(pose: &Pose) -> Relative {
    let (t, q) = (pose.translation, pose.rotation);
    let [x, y, z, w] = [q.x, q.y, q.z, q.w].map(|c| narrow(f64::from(c)));
    let rotation: Mat3 = quat_to_mat3(Quat::from_xyzw(x, y, z, w));
    let [x, y, z] = [t.x, t.y, t.z].map(|c| narrow(f64::from(c)));
    Relative { rotation, offset: Vec3::new(x, y, z) }
}

/// `n` points per hull, boxes for none.
fn pairs(n: Option<usize>) -> Vec<Pair> {
    let mut rng = Rng(99 + n.unwrap_or(0) as u64);
    let piece = |rng: &mut Rng| match n {
        Some(n) => random_hull(rng, n),
        None => random_box(rng),
    };
    let mut pairs = Vec::with_capacity(PAIRS);
    for _ in 0..PAIRS {
        let ((a, hull_a), (b, hull_b)) = (piece(&mut rng), piece(&mut rng));
        let turn = rng.rotation();
        let direction = vector(rng.unit());
        let (mut low, mut high) = (0.0_f32, 2.0_f32);
        for _ in 0..30 {
            let middle = 0.5 * (low + high);
            let pose = Pose::from_parts(direction * middle, turn);
            let hit = query::intersection_test(&Pose::IDENTITY, a.as_ref(), &pose, b.as_ref());
            if hit.is_ok_and(|h| h.intersecting) { low = middle } else { high = middle }
        }
        let home = direction * (high + rng.range(-0.02, 0.02) as f32);
        let mut pose = Pose::from_parts(home, turn);
        let poses: Vec<Pose> = (0..FRAMES)
            .map(|_| {
                let step = vector(rng.unit()) * 0.001;
                pose.translation = home + (pose.translation - home) * 0.8 + step;
                let turn = rotation(rng.unit(), 0.1_f64.to_radians());
                pose.rotation = (turn * pose.rotation).normalize();
                pose
            })
            .collect();
        let relatives = poses.iter().map(relative).collect();
        pairs.push(Pair { parry: [a, b], ours: [hull_a, hull_b], poses, relatives });
    }
    pairs
}

/// What is remembered between frames.
#[derive(Clone, Copy, PartialEq)]
enum Memory {
    /// Nothing.
    Cold,
    /// The last frame, and the pair moves.
    Moving,
    /// The last frame, and the pair stays.
    Still,
}

/// Nanoseconds per query, and the part of queries that found contact.
struct Timed {
    nanoseconds: f64,
    found: f64,
}

/// Runs all frames some times; `frame(state, f)` returns how many pairs are in contact in frame f.
fn timed<S>(
    repetitions: usize,
    mut fresh: impl FnMut() -> S,
    mut frame: impl FnMut(&mut S, usize) -> usize,
) -> Timed {
    let mut least = [f64::INFINITY; FRAMES];
    let mut found = 0;
    for _ in 0..repetitions {
        let mut state = fresh();
        found = 0;
        for (f, least) in least.iter_mut().enumerate() {
            let start = Instant::now();
            found += frame(&mut state, f);
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    let total = (PAIRS * FRAMES) as f64;
    // The first frame fills the caches.
    let warm = least[1..].iter().sum::<f64>() / (PAIRS * (FRAMES - 1)) as f64;
    Timed { nanoseconds: warm * 1e9, found: found as f64 / total }
}

/// parry's contact manifolds.
fn parry_manifolds(pairs: &[Pair], memory: Memory, repetitions: usize) -> Timed {
    type State = (Vec<ContactManifold<(), ()>>, Option<ContactManifoldsWorkspace>);
    timed(
        repetitions,
        || (0..PAIRS).map(|_| -> State { (Vec::new(), None) }).collect::<Vec<_>>(),
        |states, f| {
            let f = if memory == Memory::Still { 0 } else { f };
            let mut found = 0;
            for (p, state) in pairs.iter().zip(states) {
                if memory == Memory::Cold {
                    *state = (Vec::new(), None);
                }
                let [a, b] = &p.parry;
                let done = DefaultQueryDispatcher.contact_manifolds(
                    &p.poses[f],
                    a.as_ref(),
                    b.as_ref(),
                    MARGIN,
                    &mut state.0,
                    &mut state.1,
                );
                debug_assert!(done.is_ok(), "parry supports the shapes");
                found += usize::from(black_box(&state.0).iter().any(|m| !m.points.is_empty()));
            }
            found
        },
    )
}

/// Our metric.
fn metric(pairs: &[Pair], memory: Memory, repetitions: usize) -> Timed {
    timed(
        repetitions,
        || vec![PortalCache::default(); PAIRS],
        |caches, f| {
            let f = if memory == Memory::Still { 0 } else { f };
            let mut found = 0;
            for (p, cache) in pairs.iter().zip(caches) {
                if memory == Memory::Cold {
                    *cache = PortalCache::default();
                }
                let [a, b] = &p.ours;
                let margin = narrow(f64::from(MARGIN));
                let centers = Centers::default();
                let answer = measure(a, b, &p.relatives[f], &centers, margin, cache);
                found += usize::from(matches!(black_box(answer), Measured::Near(_)));
            }
            found
        },
    )
}

/// Our metric and the events of near pairs: what replaces a contact manifold.
fn metric_and_events(_pairs: &[Pair], _memory: Memory, _repetitions: usize) -> Option<Timed> {
    None
}

fn main() {
    let repetitions = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(15);
    println!(
        "{} against parry3d 0.31.1, ns per query, {PAIRS} pairs, target {}",
        if size_of::<Real>() == 4 {
            "this engine in single precision"
        } else {
            "this engine in double precision"
        },
        if cfg!(target_feature = "avx2") { "x86-64-v3" } else { "baseline" },
    );
    println!("points  pose     parry manifold    metric  (times faster)   metric + events  found");
    for n in [None, Some(8), Some(12), Some(20), Some(64), Some(256)] {
        let pairs = pairs(n);
        let name = n.map_or("box".to_owned(), |n| n.to_string());
        for (memory, pose) in
            [(Memory::Cold, "cold"), (Memory::Moving, "moving"), (Memory::Still, "still")]
        {
            let parry = parry_manifolds(&pairs, memory, repetitions);
            let ours = metric(&pairs, memory, repetitions);
            let events = metric_and_events(&pairs, memory, repetitions);
            println!(
                "{name:>6}  {pose:7}  {:14.0}  {:8.0}  {:14.2}x  {:>16}  {:.2} / {:.2}",
                parry.nanoseconds,
                ours.nanoseconds,
                parry.nanoseconds / ours.nanoseconds,
                events.map_or("-".to_owned(), |e| format!("{:.0}", e.nanoseconds)),
                parry.found,
                ours.found,
            );
        }
    }
}
