//! Mechanisms: chains, trees, loops, nets, with masses far apart and locked axes.

use super::matrices::{Dense6, System, dense_solve, largest, largest_difference, solve};
use crate::engine::lcp::factor::{Factor, Order, Pattern};
use crate::math::{Double, PI_DOUBLE, Scalar, Single};

type Vec3 = [Double; 3];

/// Bodies at places, and joints between two of them or one and the world.
#[derive(Default)]
struct Mechanism {
    places: Vec<Vec3>,
    masses: Vec<Double>,
    /// Locked directions: an identity row of `H` and no entry in any joint.
    locked: Vec<[bool; 6]>,
    /// Bodies, point, and number of rows: 3 a ball joint, 5 a hinge, 6 a weld.
    joints: Vec<(Vec<u32>, Vec3, usize)>,
}

impl Mechanism {
    fn body(&mut self, place: Vec3, mass: Double) -> u32 {
        self.places.push(place);
        self.masses.push(mass);
        self.locked.push([false; 6]);
        self.places.len() as u32 - 1
    }

    fn joint(&mut self, bodies: &[u32], rows: usize) {
        let mut point = [0.0; 3];
        for body in bodies {
            for i in 0..3 {
                point[i] += self.places[*body as usize][i] / bodies.len() as Double;
            }
        }
        if bodies.len() == 1 {
            point[1] += 0.5;
        }
        self.joints.push((bodies.to_vec(), point, rows));
    }

    /// The matrix, with `δ = proximal · νᵀ M⁻¹ ν` of each row.
    fn system(&self, proximal: Double) -> System {
        let bodies = self.places.len();
        let mut system = System { bodies, ..System::default() };
        let mut inverses = Vec::new();
        for (mass, locked) in self.masses.iter().zip(&self.locked) {
            let entries: [Double; 6] = std::array::from_fn(|i| match i {
                _ if locked[i] => 1.0,
                0..3 => *mass,
                _ => 0.1 * mass,
            });
            let inverse: [Double; 6] =
                std::array::from_fn(|i| if locked[i] { 0.0 } else { 1.0 / entries[i] });
            inverses.push(inverse);
            system.diagonal.push(std::array::from_fn(|i| {
                std::array::from_fn(|j| if i == j { entries[i] } else { 0.0 })
            }));
        }
        for (number, (near, point, rows)) in self.joints.iter().enumerate() {
            let mut compliance = [0.0; 6];
            for (side, body) in near.iter().enumerate() {
                let body_at = *body as usize;
                let sign = if side == 0 { 1.0 } else { -1.0 };
                let mut block =
                    joint_rows(std::array::from_fn(|i| point[i] - self.places[body_at][i]), *rows);
                for i in 0..6 {
                    for j in 0..6 {
                        block[i][j] *= if self.locked[body_at][j] { 0.0 } else { -sign };
                        compliance[i] += block[i][j] * block[i][j] * inverses[body_at][j];
                    }
                }
                let node = (bodies + number) as u32;
                system.edges.push([node, *body]);
                system.off.push(block);
            }
            system.diagonal.push(std::array::from_fn(|i| {
                let entry = if i < *rows { -proximal * compliance[i].max(1e-12) } else { -1.0 };
                std::array::from_fn(|j| if i == j { entry } else { 0.0 })
            }));
        }
        system
    }
}

/// Rows `(e_i, r × e_i)` for the point, then `(0, e_i)` for the rotation.
fn joint_rows(r: Vec3, rows: usize) -> Dense6 {
    let mut block = [[0.0; 6]; 6];
    for i in 0..rows {
        block[i][i] = 1.0;
    }
    let [x, y, z] = r;
    block[0][3..].copy_from_slice(&[0.0, z, -y]);
    block[1][3..].copy_from_slice(&[-z, 0.0, x]);
    block[2][3..].copy_from_slice(&[y, -x, 0.0]);
    block
}

fn chain(links: usize, end_mass: Double, rows: usize) -> Mechanism {
    let mut m = Mechanism::default();
    let mut last = m.body([0.0, 0.0, 0.0], 1.0);
    m.joint(&[last], rows);
    for i in 1..links {
        let mass = if i + 1 == links { end_mass } else { 1.0 };
        let next = m.body([i as Double, 0.1 * (i % 3) as Double, 0.0], mass);
        m.joint(&[last, next], rows);
        last = next;
    }
    m
}

fn star(arms: usize, length: usize) -> Mechanism {
    let mut m = Mechanism::default();
    let hub = m.body([0.0; 3], 100.0);
    for arm in 0..arms {
        let (s, c) = crate::math::sin_cos_double(arm as Double);
        let mut last = hub;
        for i in 1..=length {
            let next = m.body([c * i as Double, s * i as Double, 0.1], 1.0);
            m.joint(&[last, next], 3);
            last = next;
        }
    }
    m
}

/// A ring of bodies. Welded, or with hinges that are all parallel, its rows repeat each other.
fn ring(bodies: usize, rows: usize) -> Mechanism {
    let mut m = Mechanism::default();
    for i in 0..bodies {
        let (s, c) = crate::math::sin_cos_double(2.0 * PI_DOUBLE * i as Double / bodies as Double);
        m.body([3.0 * c, 3.0 * s, 0.0], 1.0 + i as Double);
    }
    for i in 0..bodies as u32 {
        m.joint(&[i, (i + 1) % bodies as u32], rows);
    }
    m
}

fn net(size: usize) -> Mechanism {
    let mut m = Mechanism::default();
    for i in 0..size * size {
        m.body([(i % size) as Double, 0.0, (i / size) as Double], 1.0);
    }
    for i in 0..size * size {
        if i % size + 1 < size {
            m.joint(&[i as u32, i as u32 + 1], 3);
        }
        if i + size < size * size {
            m.joint(&[i as u32, (i + size) as u32], 3);
        }
    }
    m.joint(&[0], 3);
    m.joint(&[size as u32 - 1], 3);
    m
}

/// Every second link of a chain is locked in some directions.
fn locked(links: usize) -> Mechanism {
    let mut m = chain(links, 1e4, 3);
    for i in (0..links).step_by(2) {
        m.locked[i] = match i % 3 {
            0 => [false, false, true, true, true, false],
            1 => [false, false, false, true, true, true],
            _ => [true, false, true, true, true, true],
        };
    }
    m
}

struct Errors {
    /// Largest residual over the largest entry of the right side.
    residual: Double,
    /// Difference to the solution improved by further solutions, relative to it.
    solution: Double,
    /// Difference of dense elimination with pivoting, for small systems.
    dense: Double,
}

fn measure<T: Scalar>(name: &str, mechanism: &Mechanism, proximal: Double) -> Errors {
    let system = mechanism.system(proximal);
    let mut pattern = Pattern::default();
    let nodes = system.diagonal.len();
    pattern.build(&mut Order::default(), system.bodies, nodes - system.bodies, &system.edges);
    let mut factor = Factor::<T>::default();
    system.write(&pattern, &mut factor);
    assert!(factor.factor(&pattern), "{name} is quasi-definite");
    // Weight and a sideways push on the bodies, joints at rest.
    let b: Vec<[Double; 6]> = (0..nodes)
        .map(|i| match mechanism.masses.get(i) {
            Some(mass) => [0.01, -0.16 * mass, 0.02, 0.003, 0.0, -0.001],
            None => [0.0; 6],
        })
        .collect();
    let first = solve(&factor, &pattern, &b);
    let mut x = first.clone();
    for _ in 0..6 {
        let product = system.multiply(&x);
        let rest: Vec<[Double; 6]> =
            b.iter().zip(&product).map(|(b, p)| std::array::from_fn(|i| b[i] - p[i])).collect();
        for (x, d) in x.iter_mut().zip(solve(&factor, &pattern, &rest)) {
            for i in 0..6 {
                x[i] += d[i];
            }
        }
    }
    Errors {
        residual: system.residual(&first, &b),
        solution: largest_difference(&first[..system.bodies], &x[..system.bodies])
            / largest(&x[..system.bodies]),
        dense: if nodes < 100 {
            let dense = dense_solve(system.dense(), &b);
            largest_difference(&dense[..system.bodies], &x[..system.bodies])
                / largest(&x[..system.bodies])
        } else {
            Double::NAN
        },
    }
}

#[test]
fn mechanisms_keep_their_digits() {
    let mechanisms = [
        ("chain", chain(100, 1.0, 3)),
        ("chain with a heavy end", chain(100, 1e4, 3)),
        ("hinges with a heavy end", chain(100, 1e4, 5)),
        ("star", star(8, 5)),
        ("wheel", star(100, 1)),
        ("ring", ring(12, 3)),
        ("ring of parallel hinges", ring(12, 5)),
        ("ring of welds", ring(12, 6)),
        ("net", net(30)),
        ("chain with locked axes", locked(60)),
    ];
    for (name, mechanism) in &mechanisms {
        // A long beam: bodies first leaves the compliance of its joints, whose condition grows with
        // the fourth power of the length. Pivoting would keep three digits more.
        let is_stiff = name.starts_with("hinges");
        let errors = measure::<Double>(name, mechanism, 1e-10);
        assert!(errors.residual < 2e-15, "{name}: residual {}", errors.residual);
        let limit = if is_stiff { 1e-10 } else { 5e-15 };
        assert!(errors.solution < limit, "{name}: solution {}", errors.solution);
        let errors = measure::<Single>(name, mechanism, 1e-5);
        assert!(errors.residual < 1.5e-6, "{name}: residual {} in single", errors.residual);
        let limit = if is_stiff { 1e-4 } else { 3e-6 };
        assert!(errors.solution < limit, "{name}: solution {} in single", errors.solution);
    }
}

/// No pivoting, and yet no digit less than with it, long beams excepted (see above).
#[test]
fn errors_are_those_of_elimination_with_pivoting() {
    let mechanisms = [
        ("chain", chain(40, 1e4, 3)),
        ("star", star(8, 3)),
        ("wheel", star(30, 1)),
        ("ring of welds", ring(12, 6)),
        ("net", net(5)),
        ("chain with locked axes", locked(40)),
    ];
    for (name, mechanism) in &mechanisms {
        let errors = measure::<Double>(name, mechanism, 1e-10);
        let limit = 10.0 * errors.dense + 1e-15;
        assert!(errors.solution < limit, "{name}: {:e} not {:e}", errors.solution, errors.dense);
    }
}
