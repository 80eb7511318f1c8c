//! Packed blocks against dense elimination: random graphs, chains, nets.

use crate::engine::lcp::factor::{Order, Packed, Pattern};
use crate::engine::lcp::tests::random::Random;
use crate::math::Double;

/// A positive definite matrix over nodes: `B Bᵀ` over rows of the pairs, and a little more on the diagonal.
struct System {
    sizes: Vec<u32>,
    pairs: Vec<[u32; 2]>,
    starts: Vec<usize>,
    matrix: Vec<Vec<Double>>,
}

impl System {
    fn new(sizes: Vec<u32>, pairs: Vec<[u32; 2]>, rng: &mut Random) -> Self {
        let mut starts = Vec::new();
        let mut end = 0;
        for size in &sizes {
            starts.push(end);
            end += *size as usize;
        }
        let mut matrix = vec![vec![0.0; end]; end];
        for (i, row) in matrix.iter_mut().enumerate() {
            row[i] = 0.1;
        }
        let rows = |k: u32| starts[k as usize]..starts[k as usize] + sizes[k as usize] as usize;
        for &[a, b] in &pairs {
            for _ in 0..3 {
                let mut b_row = vec![0.0; end];
                for i in rows(a).chain(rows(b)) {
                    b_row[i] = rng.signed(1.0);
                }
                for i in rows(a).chain(rows(b)) {
                    for j in rows(a).chain(rows(b)) {
                        matrix[i][j] += b_row[i] * b_row[j];
                    }
                }
            }
        }
        Self { sizes, pairs, starts, matrix }
    }

    fn fill(&self, packed: &mut Packed) {
        packed.build(&self.sizes, &self.pairs);
        packed.clear();
        let mut done = std::collections::BTreeSet::new();
        for (e, &[a, b]) in self.pairs.iter().enumerate() {
            // A pair that is listed twice shares the block.
            if !done.insert([a.min(b), a.max(b)]) {
                continue;
            }
            let slot = packed.slot(e);
            let [sa, sb] = [a, b].map(|k| self.starts[k as usize]);
            for i in 0..self.sizes[a as usize] as usize {
                for j in 0..self.sizes[b as usize] as usize {
                    let [r, c] = if slot.rows_of_first { [i, j] } else { [j, i] };
                    packed.add(slot, r, c, self.matrix[sa + i][sb + j]);
                }
            }
        }
        for (k, size) in self.sizes.iter().enumerate() {
            let slot = packed.diagonal(k);
            for i in 0..*size as usize {
                for j in 0..*size as usize {
                    packed.add(slot, i, j, self.matrix[self.starts[k] + i][self.starts[k] + j]);
                }
            }
        }
    }

    /// Largest error of a solution, relative to the largest number of it.
    fn error(&self, packed: &mut Packed, rng: &mut Random) -> Double {
        let solution: Vec<Double> = self.matrix.iter().map(|_| rng.signed(1.0)).collect();
        let mut x = vec![[0.0; 8]; packed.blocks()];
        let mut worst: Double = 0.0;
        for (k, size) in self.sizes.iter().enumerate() {
            for i in 0..*size as usize {
                let row = &self.matrix[self.starts[k] + i];
                let place = packed.place(k);
                x[place.block as usize][place.first as usize + i] =
                    row.iter().zip(&solution).map(|(a, b)| a * b).sum();
            }
        }
        packed.solve(&mut x);
        for (k, size) in self.sizes.iter().enumerate() {
            for i in 0..*size as usize {
                let place = packed.place(k);
                let value = x[place.block as usize][place.first as usize + i];
                let error = (value - solution[self.starts[k] + i]).abs();
                worst = if error > worst || error.is_nan() { error } else { worst };
            }
        }
        worst
    }
}

#[test]
fn random_graphs_of_mixed_sizes() {
    let mut rng = Random::new(7);
    // One after the other in the same buffers.
    let mut packed = Packed::default();
    for round in 0..60 {
        let n = 1 + rng.below(40);
        let sizes: Vec<u32> = (0..n).map(|_| 1 + rng.below(6) as u32).collect();
        let mut pairs = Vec::new();
        for _ in 0..rng.below(3 * n) {
            let [a, b] = [rng.below(n) as u32, rng.below(n) as u32];
            if a != b {
                pairs.push([a, b]);
            }
        }
        let system = System::new(sizes, pairs, &mut rng);
        system.fill(&mut packed);
        assert!(packed.factor(), "round {round} is positive definite");
        let error = system.error(&mut packed, &mut rng);
        assert!(error < 1e-10, "round {round}: error {error:e}");
    }
}

#[test]
fn a_matrix_that_is_not_positive_definite_is_refused() {
    let mut rng = Random::new(3);
    let pairs = vec![[0, 1], [1, 2], [2, 3]];
    let mut system = System::new(vec![3; 4], pairs, &mut rng);
    for sign in [1.0, -1.0] {
        system.matrix[7][7] = sign * system.matrix[7][7].abs();
        let mut packed = Packed::default();
        system.fill(&mut packed);
        assert_eq!(packed.factor(), sign > 0.0, "sign {sign}");
    }
}

/// Pairs of the edges of a net that meet in a node of it.
fn net(n: usize) -> (usize, Vec<[u32; 2]>) {
    let (mut at, mut edges) = (vec![Vec::new(); n * n], 0);
    for i in 0..n {
        for j in 0..n {
            for (di, dj) in [(1, 0), (0, 1)] {
                if i + di < n && j + dj < n {
                    at[i * n + j].push(edges);
                    at[(i + di) * n + j + dj].push(edges);
                    edges += 1;
                }
            }
        }
    }
    let mut pairs = Vec::new();
    for list in &at {
        for (k, a) in list.iter().enumerate() {
            pairs.extend(list[..k].iter().map(|b| [*a, *b]));
        }
    }
    (edges as usize, pairs)
}

#[test]
fn a_net_is_solved_with_separators_of_its_width() {
    let mut rng = Random::new(5);
    let (nodes, pairs) = net(8);
    let system = System::new(vec![3; nodes], pairs, &mut rng);
    let mut packed = Packed::default();
    system.fill(&mut packed);
    assert!(packed.factor());
    assert!(system.error(&mut packed, &mut rng) < 1e-10);
    let (nodes, pairs) = net(30);
    packed.build(&vec![3; nodes], &pairs);
    // Two joints fill a block.
    assert!(
        packed.blocks() as Double <= 1.05 * (nodes / 2) as Double,
        "{} blocks",
        packed.blocks()
    );
    // A block for each joint is an eighth full, as far as products go.
    let mut single = Pattern::default();
    single.build_fair(&mut Order::default(), nodes, &pairs);
    let saved = single.work() as Double * 216.0 / packed.work();
    assert!(saved > 4.0, "packed blocks take a {saved}th of the work of single ones");
}

#[test]
fn a_chain_costs_what_a_band_costs() {
    let mut packed = Packed::default();
    let pairs: Vec<[u32; 2]> = (1..50).map(|k| [k, k - 1]).collect();
    packed.build(&[3; 50], &pairs);
    // Half as many blocks as joints, and one between every two of them.
    assert_eq!(packed.blocks(), 25);
    assert_eq!(packed.size(), 49 * 36);
    // A node costs a product, a block below it another.
    assert!(packed.work() <= 49.0 * 216.0, "work {}", packed.work());
}
