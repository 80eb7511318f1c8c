//! Nanoseconds of spatial queries: rays and shape casts of this crate beside parry3d, on the same
//! scenes in the same run.
//!
//! *Scene*: 1 000 boxes, hulls of 20 points and balls of 0.3 to 0.7 m in a cube of 20 m; rays and moving
//! shapes cross it from random points, in a tree each: ours, and parry's compound shape, which is its
//! tree of boxes and a query of each leaf. *Single*: one pair of shapes, aimed so that most hit. Each
//! number is the least of several repetitions, ours and theirs in turn.
//!
//! Arguments: repetitions, then words that the measured names must contain.

use std::hint::black_box;
use std::time::Instant;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::query::{CastConfig, QueryTree};
use orthant::engine::shape::Shape;
use orthant::math::{Quat, Vec3, quat_exp};
use parry3d::math::{Pose, Rotation, Vector};
use parry3d::query::{self, Ray, RayCast, ShapeCastOptions};
use parry3d::shape::{Compound, SharedShape};
use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const BODIES: usize = 1000;
const QUERIES: usize = 2000;

/// Random numbers and directions.
struct Random(SplitMix64);

impl Random {
    fn within(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * ((self.0.next_u64() >> 40) as f32 / (1_u64 << 24) as f32)
    }

    fn cube(&mut self, half: f32) -> Vec3 {
        Vec3::from_array([0; 3].map(|_| self.within(-half, half)))
    }

    fn unit(&mut self) -> Vec3 {
        loop {
            let v = self.cube(1.0);
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }

    fn turn(&mut self) -> Quat {
        quat_exp(self.unit() * self.within(0.0, 3.1))
    }
}

/// One shape for either library.
#[derive(Clone)]
struct Both(Shape, SharedShape);

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Cuboid,
    Hull,
    Ball,
    Capsule,
}

fn shape(random: &mut Random, kind: Kind) -> Both {
    let size = Vec3::from_array([0; 3].map(|_| random.within(0.15, 0.36)));
    let fine = "the shape has volume";
    match kind {
        Kind::Cuboid => {
            let ours = Shape::cuboid(2.0 * size.x, 2.0 * size.y, 2.0 * size.z).expect(fine);
            Both(ours, SharedShape::cuboid(size.x, size.y, size.z))
        }
        Kind::Ball => Both(Shape::sphere(size.x).expect(fine), SharedShape::ball(size.x)),
        Kind::Capsule => {
            let ours = Shape::capsule(size.x, 2.0 * size.y).expect(fine);
            Both(ours, SharedShape::capsule_y(size.y, size.x))
        }
        Kind::Hull => {
            let points: Vec<Vec3> = (0..20).map(|_| random.unit() * size).collect();
            let other: Vec<Vector> = points.iter().map(|p| vector(*p)).collect();
            let theirs = SharedShape::convex_hull(&other).expect(fine);
            Both(Shape::convex_hull(&points).expect(fine), theirs)
        }
    }
}

fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(position: Vec3, rotation: Quat) -> Pose {
    let [x, y, z, w] = rotation.to_array();
    Pose::from_parts(vector(position), Rotation::from_xyzw(x, y, z, w))
}

struct Query {
    origin: Vec3,
    rotation: Quat,
    direction: Vec3,
}

/// Bodies and queries, for either library.
struct Scene {
    tree: QueryTree,
    compound: Compound,
    queries: Vec<Query>,
}

fn scene(kinds: &[Kind], count: usize, half: f32) -> Scene {
    let mut random = Random(SplitMix64::seed_from_u64(7 + count as u64));
    let mut simulation = Simulation::default();
    let mut parts = Vec::new();
    for k in 0..count {
        let Both(ours, theirs) = shape(&mut random, kinds[k % kinds.len()]);
        let (position, rotation) = (random.cube(half), random.turn());
        let desc = BodyDesc {
            kind: BodyKind::Static,
            position,
            rotation,
            colliders: vec![ours.into()],
            ..BodyDesc::default()
        };
        simulation.add_body(desc).expect("a static body");
        parts.push((pose(position, rotation), theirs));
    }
    let reach = if count == 1 { 0.25 } else { half };
    let queries = (0..QUERIES)
        .map(|_| {
            let origin = if count == 1 { random.unit() * 3.0 } else { random.cube(half) };
            let aim = random.cube(reach);
            Query { origin, rotation: random.turn(), direction: (aim - origin).normalize() }
        })
        .collect();
    Scene {
        tree: QueryTree::build(simulation.bodies().iter()),
        compound: Compound::new(parts),
        queries,
    }
}

/// Nanoseconds a query, and hits a query.
fn ours(scene: &Scene, moving: Option<&Shape>) -> (f64, f64) {
    let config = CastConfig {
        max_distance: 100.0,
        compute_contact_on_penetration: false,
        ..Default::default()
    };
    let watch = Watch::start();
    let mut hits = 0;
    for q in &scene.queries {
        let (tree, all) = (&scene.tree, |_, _: &_| true);
        let hit = match moving {
            None => tree.cast_ray(q.origin, q.direction, 100.0, true, all).is_some(),
            Some(shape) => tree
                .cast_shape(shape, q.origin, q.rotation, q.direction, &config, all)
                .is_some(),
        };
        hits += usize::from(black_box(hit));
    }
    watch.per_query(hits)
}

fn theirs(scene: &Scene, moving: Option<&SharedShape>) -> (f64, f64) {
    let options = ShapeCastOptions {
        max_time_of_impact: 100.0,
        compute_impact_geometry_on_penetration: false,
        ..Default::default()
    };
    let watch = Watch::start();
    let mut hits = 0;
    for q in &scene.queries {
        let hit = match moving {
            None => {
                let ray = Ray::new(vector(q.origin), vector(q.direction));
                scene.compound.cast_local_ray_and_get_normal(&ray, 100.0, true).is_some()
            }
            Some(shape) => query::cast_shapes(
                &Pose::IDENTITY,
                Vector::ZERO,
                &scene.compound,
                &pose(q.origin, q.rotation),
                vector(q.direction),
                &**shape,
                options,
            )
            .expect("parry knows these shapes")
            .is_some(),
        };
        hits += usize::from(black_box(hit));
    }
    watch.per_query(hits)
}

/// A stopwatch. A measurement is short, and the least of many is taken, so that a busy machine matters
/// little.
struct Watch(Instant);

impl Watch {
    fn start() -> Self {
        Self(Instant::now())
    }

    fn per_query(&self, hits: usize) -> (f64, f64) {
        let time = self.0.elapsed().as_secs_f64() * 1e9;
        (time / QUERIES as f64, hits as f64 / QUERIES as f64)
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let repetitions: usize = arguments.first().and_then(|a| a.parse().ok()).unwrap_or(40);
    let wanted = |name: &str| arguments.iter().skip(1).all(|word| name.contains(word.as_str()));
    let kinds = [
        ("cuboid", Kind::Cuboid),
        ("hull", Kind::Hull),
        ("ball", Kind::Ball),
        ("capsule", Kind::Capsule),
    ];
    let all = kinds.map(|(_, kind)| kind);
    let mut random = Random(SplitMix64::seed_from_u64(3));
    let mut table = Vec::new();
    for (name, kind) in kinds {
        table.push((format!("scene: {name} cast"), &all[..3], BODIES, Some(kind)));
    }
    table.insert(0, ("scene: ray".to_string(), &all[..3], BODIES, None));
    for (k, (name, _)) in kinds.iter().enumerate() {
        table.push((format!("single: ray on {name}"), &all[k..=k], 1, None));
        for (moving, kind) in kinds {
            table.push((format!("single: {moving} on {name}"), &all[k..=k], 1, Some(kind)));
        }
    }
    println!("{:>28}: ours [ns] (hits), parry [ns] (hits), ratio", "query");
    for (name, kinds, count, moving) in table {
        if !wanted(&name) {
            continue;
        }
        let scene = scene(kinds, count, if count == 1 { 0.0 } else { 10.0 });
        let moving = moving.map(|kind| shape(&mut random, kind));
        let (mut a, mut b) = ((f64::INFINITY, 0.0), (f64::INFINITY, 0.0));
        for _ in 0..repetitions.max(1) {
            let time = ours(&scene, moving.as_ref().map(|both| &both.0));
            a = (a.0.min(time.0), time.1);
            let time = theirs(&scene, moving.as_ref().map(|both| &both.1));
            b = (b.0.min(time.0), time.1);
        }
        println!(
            "{name:>28}: {:7.0} ({:.2}), {:7.0} ({:.2}), {:5.2}",
            a.0,
            a.1,
            b.0,
            b.1,
            b.0 / a.0
        );
    }
}
