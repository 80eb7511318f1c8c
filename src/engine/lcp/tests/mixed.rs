//! Piles with joint rows of all kinds: limits, motors, joint friction, springs; and slow, obvious oracles.

use super::Scratch;
use super::random_problems::{frame, pile, run};
use super::scenes::Scene;
use crate::engine::lcp::rows::{dot6, inverse_mass_mul, joint_compliance};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::{BodyBlock, Cone, FIXED, JointRow, Method, Status, Vec6};
use crate::math::Double;

/// A pile with up to eight more joint rows. All hard rows are met at rest, so there is a solution.
pub(crate) fn mixed(random: &mut Random, cone: Cone, friction: Double, ratio: Double) -> Scene {
    let mut scene = pile(random, cone, friction, ratio);
    for _ in 0..1 + random.below(4) {
        let n = scene.bodies.len();
        let b = random.below(n) as u32;
        let a = if b == 0 || random.below(3) == 0 { FIXED } else { b - 1 };
        // Rows of one joint, that share their bodies.
        for _ in 0..1 + random.below(2) {
            add_row(&mut scene, random, [a, b]);
        }
    }
    scene
}

/// A row along or about a random axis, of a random kind.
fn add_row(scene: &mut Scene, random: &mut Random, [a, b]: [u32; 2]) {
    let axis = frame(random, 0.0)[0];
    let turns = random.below(2) == 0;
    let mut row = JointRow::equality(Default::default(), 0.0);
    for (body, sign) in [(a, -1.0), (b, 1.0)] {
        if body == FIXED {
            continue;
        }
        let arm = random.vector3(0.5);
        let turn = if turns { axis } else { super::scenes::cross(arm, axis) };
        let along = if turns { [0.0; 3] } else { axis };
        let [x, y, z] = along;
        let [u, v, w] = turn;
        row.terms.push((body, [x, y, z, u, v, w].map(|c| sign * c)));
    }
    // Impulses and softness in the scale of the row.
    let compliance = joint_compliance(&scene.bodies, &row);
    let mass = 1.0 / compliance;
    let power = |random: &mut Random, low: Double, high: Double| {
        libm::pow(10.0, low + (high - low) * random.unit())
    };
    let infinity = Double::INFINITY;
    match random.below(6) {
        // Hard limits of either side.
        0 => (row.bounds, row.bias) = ([0.0, infinity], 0.3 * random.unit()),
        1 => (row.bounds, row.bias) = ([-infinity, 0.0], -0.3 * random.unit()),
        // A motor, or friction.
        2 => {
            let force = mass * power(random, -2.0, 1.0);
            (row.bounds, row.bias) = ([-force, force], random.signed(2.0));
        }
        3 => {
            let force = mass * power(random, -2.0, 1.0);
            row.bounds = [-force, force];
        }
        // A spring.
        4 => {
            row.softness = compliance * power(random, -4.0, 1.0);
            row.bias = random.signed(2.0);
        }
        // A soft limit, and a servo with bounds of its own.
        _ => {
            row.softness = compliance * power(random, -4.0, 1.0);
            row.bias = random.signed(2.0);
            row.bounds =
                [-mass * random.unit(), if turns { infinity } else { mass * random.unit() }];
        }
    }
    scene.joints.push(row);
    scene.joint_impulse.push(0.0);
}

/// `M⁻¹ xᵀ` of a row, and a product with it, over all bodies.
fn spread(bodies: &[BodyBlock], terms: &[(u32, Vec6)]) -> [Vec<Vec6>; 2] {
    let mut row = vec![[0.0; 6]; bodies.len()];
    for (body, jacobian) in terms {
        for k in 0..6 {
            row[*body as usize][k] += jacobian[k];
        }
    }
    let change = row.iter().zip(bodies).map(|(x, body)| inverse_mass_mul(body, x)).collect();
    [row, change]
}

fn dot(a: &[Vec6], b: &[Vec6]) -> Double {
    a.iter().zip(b).map(|(a, b)| dot6(a, b)).sum()
}

/// The velocity of a scene without friction, by Gauss–Seidel over all rows, one by one, until it stands
/// still: the minimizer of a strictly convex function. None if that takes too long.
pub(crate) fn gauss_seidel(scene: &Scene) -> Option<Vec<Vec6>> {
    struct Row {
        row: Vec<Vec6>,
        change: Vec<Vec6>,
        bias: Double,
        softness: Double,
        bounds: [Double; 2],
        impulse: Double,
    }
    let bodies = &scene.bodies;
    let mut rows = Vec::new();
    for joint in &scene.joints {
        let [row, change] = spread(bodies, &joint.terms);
        let JointRow { bias, softness, bounds, .. } = *joint;
        rows.push(Row { row, change, bias, softness, bounds, impulse: 0.0 });
    }
    for contact in &scene.contacts {
        assert_eq!(contact.friction, 0.0, "friction is not convex");
        let ends = [(contact.a, contact.jacobian_a[0]), (contact.b, contact.jacobian_b[0])];
        let terms: Vec<_> = ends.into_iter().filter(|(body, _)| *body != FIXED).collect();
        let [row, change] = spread(bodies, &terms);
        let bounds = [0.0, Double::INFINITY];
        rows.push(Row { row, change, bias: contact.bias[0], softness: 0.0, bounds, impulse: 0.0 });
    }
    let mut v: Vec<Vec6> = bodies.iter().map(|body| body.velocity_free).collect();
    for _ in 0..40_000 {
        let mut moved: Double = 0.0;
        for row in &mut rows {
            let diagonal = dot(&row.row, &row.change) + row.softness;
            let w = dot(&row.row, &v) + row.bias + row.softness * row.impulse;
            let new = (row.impulse - w / diagonal).max(row.bounds[0]).min(row.bounds[1]);
            for (v, change) in v.iter_mut().zip(&row.change) {
                for k in 0..6 {
                    v[k] += change[k] * (new - row.impulse);
                }
            }
            moved = moved.max((new - row.impulse).abs() * diagonal);
            row.impulse = new;
        }
        if moved < 1e-13 {
            return Some(v);
        }
    }
    None
}

/// Largest violation of the law of joint rows, by cases: `w = 0` inside the bounds, `w ≥ 0` at the lower one,
/// `w ≤ 0` at the upper one, nothing outside. Impulses within `slack` speeds of a bound may be at it.
pub(crate) fn violation(scene: &Scene, velocity: &[Vec6], impulses: &[Double]) -> Double {
    let mut worst: Double = 0.0;
    for (row, &c) in scene.joints.iter().zip(impulses) {
        let compliance = joint_compliance(&scene.bodies, row) + row.softness;
        let rate: Double = row.terms.iter().map(|(i, x)| dot6(x, &velocity[*i as usize])).sum();
        let w = rate + row.bias + row.softness * c;
        let [below, above] = [(c - row.bounds[0]) * compliance, (row.bounds[1] - c) * compliance];
        let outside = (-below).max(-above).max(0.0);
        // A positive w asks for the lower bound, a negative one for the upper.
        let to_bound = if w > 0.0 { below } else { above };
        worst = worst.max(outside).max(w.abs().min(to_bound.max(0.0)));
    }
    worst
}

#[test]
fn errors_of_rows_are_violations() {
    let mut random = Random::new(71);
    let mut positive = 0;
    for _ in 0..300 {
        let mut scene = mixed(&mut random, Cone::Circular, 0.3, 10.0);
        for (c, row) in scene.joint_impulse.iter_mut().zip(&scene.joints) {
            *c = row.clamp(random.signed(0.5));
        }
        let impulses = scene.joint_impulse.clone();
        let (problem, mut iterate) = scene.parts();
        iterate.rebuild(&problem);
        let velocity = scene.velocity.clone();
        let expected = violation(&scene, &velocity, &impulses);
        let found = scene.certificate().joint;
        positive += usize::from(found > 0.1);
        assert!((found - expected).abs() < 1e-12 * (1.0 + expected), "{found}, is {expected}");
    }
    assert!(positive > 200, "most are far from solved: {positive}");
}

const PILES: usize = 200;

/// Solves piles from nothing, checks what is said of them and returns how many converged.
fn count_solved(
    (cone, friction, ratio): (Cone, Double, Double),
    method: Method,
    tolerance: Double,
) -> usize {
    let mut random = Random::new(51);
    let mut scratch = Scratch::default();
    let (mut solved, mut steps, mut factors, mut most) = (0, 0, 0, 0);
    for _ in 0..PILES {
        let mut scene = mixed(&mut random, cone, friction, ratio);
        let stats = run(&mut scene, method, tolerance, &mut scratch);
        if stats.status == Status::Converged {
            let law = violation(&scene, &scene.velocity, &scene.joint_impulse);
            assert!(law <= 1.01 * tolerance, "{method:?}: {law}, {stats:?}");
            solved += 1;
            steps += stats.iterations;
            factors += stats.factorizations;
            most = most.max(stats.iterations);
        }
    }
    let mean = |sum: u32| Double::from(sum) / solved.max(1) as Double;
    println!(
        "{method:?} {cone:?}, friction {friction}, ratio {ratio}: {solved} of {PILES}, {:.1} steps, at most \
         {most}, {:.1} factors",
        mean(steps),
        mean(factors)
    );
    solved
}

#[test]
fn newton_solves_piles_with_all_kinds_of_rows() {
    for (cone, friction, ratio, tolerance, expected) in [
        (Cone::Circular, 0.0, 1.0, 1e-10, PILES),
        (Cone::Circular, 0.0, 1e4, 1e-8, PILES),
        (Cone::Circular, 0.3, 1.0, 1e-10, PILES),
        (Cone::Pyramid(4), 0.3, 1.0, 1e-10, PILES),
        (Cone::Circular, 0.8, 1e2, 1e-8, PILES - 4),
        (Cone::Circular, 0.3, 1e4, 1e-8, PILES - 1),
    ] {
        let solved = count_solved((cone, friction, ratio), Method::Newton, tolerance);
        assert!(solved >= expected, "{cone:?}, friction {friction}, ratio {ratio}: {solved}");
    }
}

#[test]
fn sweeps_solve_piles_with_all_kinds_of_rows() {
    for (friction, ratio, expected) in [(0.0, 1.0, PILES), (0.3, 1.0, PILES), (0.3, 1e2, PILES - 4)]
    {
        let solved = count_solved((Cone::Circular, friction, ratio), Method::Pgs, 1e-8);
        assert!(solved >= expected, "friction {friction}, ratio {ratio}: {solved}");
    }
}

#[test]
fn velocities_without_friction_are_those_of_the_oracle() {
    let mut random = Random::new(52);
    let mut scratch = Scratch::default();
    let mut compared = 0;
    for case in 0..200 {
        let scene = mixed(&mut random, Cone::Circular, 0.0, [1.0, 10.0, 100.0][case % 3]);
        let Some(expected) = gauss_seidel(&scene) else { continue };
        compared += 1;
        for method in [Method::Newton, Method::Pgs] {
            let mut scene = scene.clone();
            let stats = run(&mut scene, method, 1e-11, &mut scratch);
            if method == Method::Pgs && stats.status != Status::Converged {
                continue;
            }
            for (v, w) in scene.velocity.iter().zip(&expected) {
                for k in 0..6 {
                    let near = (v[k] - w[k]).abs() < 1e-8;
                    assert!(near, "{method:?}, case {case}: {v:?} and {w:?}, {stats:?}");
                }
            }
        }
    }
    assert!(compared > 150, "most sweeps converge: {compared}");
}

#[test]
fn springs_are_known_to_lemke() {
    let mut random = Random::new(53);
    let mut scratch = Scratch::default();
    let mut springs = 0;
    for case in 0..200 {
        let mut scene = mixed(&mut random, Cone::Pyramid(4), 0.0, 10.0);
        let bounded = scene.joints.iter().any(JointRow::is_bounded);
        let stats = run(&mut scene, Method::Lemke, 1e-9, &mut scratch);
        if bounded {
            // What is solved as it is needs no solver.
            let solved = stats.certificate.error() <= 0.0;
            assert!(solved || stats.status == Status::TooLarge, "case {case}: {stats:?}");
            continue;
        }
        springs += 1;
        let Some(expected) = gauss_seidel(&scene) else { continue };
        for (v, w) in scene.velocity.iter().zip(&expected) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-7, "case {case}: {v:?} and {w:?}, {stats:?}");
            }
        }
    }
    assert!(springs > 5, "some have no bounds: {springs}");
}
