//! Systems as dense matrices and as blocks, and a slow solver with pivoting.

use crate::engine::lcp::factor::{Factor, NodeLanes, Pattern};
use crate::engine::lcp::tests::random::Random;
use crate::math::{Double, Scalar};

/// A dense 6×6 matrix by rows.
pub(super) type Dense6 = [[Double; 6]; 6];

/// A system of bodies, then joints: diagonal blocks and one block an edge.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    pub(super) bodies: usize,
    pub(super) diagonal: Vec<Dense6>,
    pub(super) edges: Vec<[u32; 2]>,
    /// Rows of `edges[e][0]`, columns of `edges[e][1]`.
    pub(super) off: Vec<Dense6>,
}

impl System {
    pub(super) fn dense(&self) -> Vec<Vec<Double>> {
        let n = 6 * self.diagonal.len();
        let mut a = vec![vec![0.0; n]; n];
        for (k, block) in self.diagonal.iter().enumerate() {
            for i in 0..6 {
                for j in 0..6 {
                    a[6 * k + i][6 * k + j] += block[i][j];
                }
            }
        }
        for (&[p, q], block) in self.edges.iter().zip(&self.off) {
            let (p, q) = (6 * p as usize, 6 * q as usize);
            for i in 0..6 {
                for j in 0..6 {
                    a[p + i][q + j] += block[i][j];
                    a[q + j][p + i] += block[i][j];
                }
            }
        }
        a
    }

    /// `A x`, without making the matrix.
    pub(super) fn multiply(&self, x: &[[Double; 6]]) -> Vec<[Double; 6]> {
        let mut y = vec![[0.0; 6]; x.len()];
        for (k, block) in self.diagonal.iter().enumerate() {
            add(&mut y[k], block, &x[k]);
        }
        for (&[p, q], block) in self.edges.iter().zip(&self.off) {
            add(&mut y[p as usize], block, &x[q as usize]);
            add(&mut y[q as usize], &transpose(block), &x[p as usize]);
        }
        y
    }

    /// Builds the pattern if `pattern` has another graph, and the values.
    pub(super) fn write<T: Scalar>(&self, pattern: &Pattern, factor: &mut Factor<T>) {
        factor.clear(pattern);
        for (k, block) in self.diagonal.iter().enumerate() {
            let target = &mut factor.diagonal(k).0;
            for i in 0..6 {
                for j in 0..6 {
                    target[j][i] = T::from_double(block[i][j]);
                }
            }
        }
        for (e, block) in self.off.iter().enumerate() {
            let (slot, is_swapped) = pattern.slot(e);
            let block = if is_swapped { transpose(block) } else { *block };
            let target = &mut factor.off(slot).0;
            for i in 0..6 {
                for j in 0..6 {
                    target[j][i] = target[j][i] + T::from_double(block[i][j]);
                }
            }
        }
    }

    /// Largest residual of a solution over the largest entry of the right side.
    pub(super) fn residual(&self, x: &[[Double; 6]], b: &[[Double; 6]]) -> Double {
        largest_difference(&self.multiply(x), b) / largest(b)
    }

    pub(super) fn random_vector(&self, random: &mut Random) -> Vec<[Double; 6]> {
        self.diagonal.iter().map(|_| std::array::from_fn(|_| random.signed(1.0))).collect()
    }
}

fn add(y: &mut [Double; 6], block: &Dense6, x: &[Double; 6]) {
    for i in 0..6 {
        for j in 0..6 {
            y[i] += block[i][j] * x[j];
        }
    }
}

pub(super) fn transpose(block: &Dense6) -> Dense6 {
    std::array::from_fn(|i| std::array::from_fn(|j| block[j][i]))
}

pub(super) fn largest(x: &[[Double; 6]]) -> Double {
    x.as_flattened().iter().fold(0.0, |m, x| m.max(x.abs()))
}

pub(super) fn largest_difference(x: &[[Double; 6]], y: &[[Double; 6]]) -> Double {
    let pairs = x.as_flattened().iter().zip(y.as_flattened());
    pairs.fold(0.0, |m, (x, y)| if (x - y).is_nan() { Double::NAN } else { m.max((x - y).abs()) })
}

/// Solves with a factor in any precision.
pub(super) fn solve<T: Scalar>(
    factor: &Factor<T>,
    pattern: &Pattern,
    b: &[[Double; 6]],
) -> Vec<[Double; 6]> {
    // The padding holds rubbish, which must not matter.
    let mut x: Vec<NodeLanes<T>> = b
        .iter()
        .map(|b| std::array::from_fn(|i| T::from_double(if i < 6 { b[i] } else { 7.0 })))
        .collect();
    factor.solve(pattern, &mut x);
    x.iter().map(|x| std::array::from_fn(|i| x[i].to_double())).collect()
}

/// Gaussian elimination with partial pivoting.
pub(super) fn dense_solve(mut a: Vec<Vec<Double>>, b: &[[Double; 6]]) -> Vec<[Double; 6]> {
    let mut x = b.as_flattened().to_vec();
    let n = x.len();
    for k in 0..n {
        let pivot = (k..n)
            .max_by(|i, j| a[*i][k].abs().total_cmp(&a[*j][k].abs()))
            .expect("the range is not empty");
        a.swap(k, pivot);
        x.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            if factor == 0.0 {
                continue;
            }
            for j in k..n {
                a[i][j] -= factor * a[k][j];
            }
            x[i] -= factor * x[k];
        }
    }
    for k in (0..n).rev() {
        for j in k + 1..n {
            x[k] -= a[k][j] * x[j];
        }
        x[k] /= a[k][k];
    }
    x.chunks(6).map(|c| std::array::from_fn(|i| c[i])).collect()
}

/// `Gᵀ G` of a random matrix plus `shift` on the diagonal.
pub(super) fn random_definite(random: &mut Random, shift: Double) -> Dense6 {
    let g: Dense6 = random_block(random);
    std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let product: Double = (0..6).map(|k| g[k][i] * g[k][j]).sum();
            product + if i == j { shift } else { 0.0 }
        })
    })
}

pub(super) fn random_block(random: &mut Random) -> Dense6 {
    std::array::from_fn(|_| std::array::from_fn(|_| random.signed(1.0)))
}

/// A random quasi-definite system on a random graph: contacts add `Jᵀ J` to two bodies, joints of
/// one to six rows couple one to three bodies.
pub(super) fn random_system(
    random: &mut Random,
    bodies: usize,
    contacts: usize,
    joints: usize,
    proximal: Double,
) -> System {
    let mut system = System { bodies, ..System::default() };
    for _ in 0..bodies {
        system.diagonal.push(random_definite(random, 0.5));
    }
    for _ in 0..contacts {
        let (p, q) = (random.below(bodies), random.below(bodies));
        let (a, b) = (random_block(random), random_block(random));
        let (ta, tb) = (transpose(&a), transpose(&b));
        add_product(&mut system.diagonal[p], &ta, &a);
        if p != q {
            add_product(&mut system.diagonal[q], &tb, &b);
            let mut off = [[0.0; 6]; 6];
            add_product(&mut off, &ta, &b);
            system.edges.push([p as u32, q as u32]);
            system.off.push(off);
        }
    }
    for joint in 0..joints {
        let rows = 1 + random.below(6);
        let mut diagonal = [[0.0; 6]; 6];
        for i in 0..6 {
            diagonal[i][i] = if i < rows { -proximal } else { -1.0 };
        }
        system.diagonal.push(diagonal);
        for body in 0..1 + random.below(3).min(bodies - 1) {
            let mut block = random_block(random);
            block[rows..].fill([0.0; 6]);
            let node = (bodies + joint) as u32;
            let to = ((joint * 7 + body) % bodies) as u32;
            // Both directions of an edge occur.
            if body == 0 {
                system.edges.push([node, to]);
                system.off.push(block);
            } else {
                system.edges.push([to, node]);
                system.off.push(transpose(&block));
            }
        }
    }
    system
}

pub(super) fn add_product(target: &mut Dense6, a: &Dense6, b: &Dense6) {
    for i in 0..6 {
        for j in 0..6 {
            target[i][j] += (0..6).map(|k| a[i][k] * b[k][j]).sum::<Double>();
        }
    }
}
