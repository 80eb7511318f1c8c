//! Time to order, factor and solve the Newton matrix of typical contact graphs.

#![allow(missing_docs, reason = "a program")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use orthant::engine::lcp::factor::{Block, Factor, Order, Pattern};
use orthant::math::{Double, Scalar, Single};
use orthant_lab::random::Rng;

struct Scene {
    name: &'static str,
    bodies: usize,
    edges: Vec<[u32; 2]>,
}

/// Boxes in rows of `base`, `base - 1`, … 1, each on two of the row below and beside the next.
fn pyramid(name: &'static str, base: u32) -> Scene {
    let mut edges = Vec::new();
    let mut first = 0;
    for width in (1..=base).rev() {
        for i in 0..width {
            if i + 1 < width {
                edges.push([first + i, first + i + 1]);
                edges.push([first + i, first + width + i]);
                edges.push([first + i + 1, first + width + i]);
            }
        }
        first += width;
    }
    Scene { name, bodies: first as usize, edges }
}

fn tower(name: &'static str, height: u32) -> Scene {
    let edges = (1..height).map(|i| [i - 1, i]).collect();
    Scene { name, bodies: height as usize, edges }
}

/// A lattice whose bodies touch their six neighbors mostly, and diagonal ones sometimes.
fn pile(name: &'static str, size: [u32; 3]) -> Scene {
    let mut rng = Rng::new(7);
    let [w, d, h] = size;
    let at = |x, y, z| (z * d + y) * w + x;
    let mut edges = Vec::new();
    for z in 0..h {
        for y in 0..d {
            for x in 0..w {
                for (dx, dy, dz, chance) in [
                    (1, 0, 0, 0.8),
                    (0, 1, 0, 0.8),
                    (0, 0, 1, 0.95),
                    (1, 0, 1, 0.3),
                    (0, 1, 1, 0.3),
                ] {
                    if x + dx < w && y + dy < d && z + dz < h && rng.unit() < chance {
                        edges.push([at(x, y, z), at(x + dx, y + dy, z + dz)]);
                    }
                }
            }
        }
    }
    Scene { name, bodies: (w * d * h) as usize, edges }
}

fn scenes() -> [Scene; 4] {
    [
        tower("tower50", 50),
        pyramid("pyramid210", 20),
        pyramid("pyramid820", 40),
        pile("pile500", [8, 8, 8]),
    ]
}

/// Unit masses and contacts of stiffness 100 in all directions: long waves are soft, as in a pile.
fn fill<T: Scalar>(scene: &Scene, pattern: &Pattern, matrix: &mut Factor<T>) {
    const STIFFNESS: Double = 100.0;
    matrix.clear(pattern);
    let add = |block: &mut Block<T>, i: usize, j: usize, value| {
        block.0[j][i] = block.0[j][i] + T::from_double(value);
    };
    for node in 0..scene.bodies {
        (0..6).for_each(|i| add(matrix.diagonal(node), i, i, 1.0));
    }
    for (e, edge) in scene.edges.iter().enumerate() {
        for node in edge {
            (0..6).for_each(|i| add(matrix.diagonal(*node as usize), i, i, STIFFNESS));
        }
        let off = matrix.off(pattern.slot(e).0);
        (0..6).for_each(|i| add(off, i, i, -STIFFNESS));
    }
}

fn numbers<T: Scalar>(criterion: &mut Criterion, precision: &str, scene: &Scene) {
    let mut pattern = Pattern::default();
    pattern.build(&mut Order::default(), scene.bodies, 0, &scene.edges);
    let (mut matrix, mut factor) = (Factor::<T>::default(), Factor::<T>::default());
    fill(scene, &pattern, &mut matrix);
    let mut group = criterion.benchmark_group(format!("factor/{}/{precision}", scene.name));
    group.bench_function("clear", |bencher| bencher.iter(|| factor.clear(&pattern)));
    group.bench_function("factor", |bencher| {
        bencher.iter_batched_ref(
            || matrix.clone(),
            |factor| assert!(factor.factor(&pattern), "the matrix is positive definite"),
            BatchSize::LargeInput,
        );
    });
    let mut factor = matrix.clone();
    assert!(factor.factor(&pattern), "the matrix is positive definite");
    let mut x = vec![[T::ONE; 8]; scene.bodies];
    group.bench_function("solve", |bencher| {
        bencher.iter(|| {
            x.fill([T::ONE; 8]);
            factor.solve(&pattern, black_box(&mut x));
        });
    });
}

fn factor(criterion: &mut Criterion) {
    for scene in &scenes() {
        let mut pattern = Pattern::default();
        pattern.build(&mut Order::default(), scene.bodies, 0, &scene.edges);
        println!(
            "{}: {} bodies, {} edges, {} blocks, work {}",
            scene.name,
            scene.bodies,
            scene.edges.len(),
            pattern.blocks(),
            pattern.work()
        );
        let mut fewer = scene.edges.clone();
        fewer.swap(0, 1);
        let (mut turn, mut order) = (false, Order::default());
        let mut group = criterion.benchmark_group(format!("factor/{}", scene.name));
        group.bench_function("build", |bencher| {
            bencher.iter(|| {
                turn = !turn;
                let edges = if turn { &fewer } else { &scene.edges };
                assert!(pattern.build(&mut order, scene.bodies, 0, edges), "the graph changed");
            });
        });
        group.finish();
        numbers::<Single>(criterion, "single", scene);
        numbers::<Double>(criterion, "double", scene);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(200))
        .measurement_time(std::time::Duration::from_millis(500));
    targets = factor
}
criterion_main!(benches);
