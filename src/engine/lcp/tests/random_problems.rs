//! Random problems: whatever a solver claims to have solved must pass the certificate.

use super::scenes::{Point, Scene, cross};
use super::{Scratch, solve};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::{Cone, FIXED, Method, SolveStats, Status};
use crate::math::Double;

pub(super) fn frame(random: &mut Random, up: Double) -> [Point; 3] {
    loop {
        let mut n = random.vector3(1.0);
        n[1] += up;
        let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
        if length < 0.1 {
            continue;
        }
        let n = n.map(|x| x / length);
        let side = if n[0].abs() < 0.7 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let t = cross(n, side);
        let length = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
        let t = t.map(|x| x / length);
        return [n, t, cross(n, t)];
    }
}

/// Bodies above the floor and each other: normals point upwards from the lower index to the higher,
/// so no bodies are wedged; contacts may repeat, joints connect some bodies.
pub(crate) fn pile(random: &mut Random, cone: Cone, friction: Double, ratio: Double) -> Scene {
    let mut scene = Scene::new(cone);
    let n_bodies = 1 + random.below(5);
    for _ in 0..n_bodies {
        let mass = if random.below(2) == 0 { 1.0 + random.unit() } else { ratio };
        let (p, q) = (random.vector3(2.0), random.vector3(2.0));
        scene.cube(mass, [p[0], p[1], p[2], q[0], q[1], q[2]]);
    }
    for body in 0..n_bodies as u32 {
        let below = if body == 0 || random.below(2) == 0 { FIXED } else { body - 1 };
        for _ in 0..1 + random.below(4) {
            let (p, q) = (random.vector3(0.5), random.vector3(0.5));
            scene.contact((below, p), (body, q), frame(random, 3.0), friction);
            if random.below(3) == 0 {
                let last = scene.contacts[scene.contacts.len() - 1];
                scene.contacts.push(last);
                scene.contact_impulse.push([0.0; 3]);
            }
        }
    }
    if n_bodies > 1 && random.below(2) == 0 {
        let (p, q) = (random.vector3(0.5), random.vector3(0.5));
        let b = 1 + random.below(n_bodies - 1);
        scene.ball_joint((b as u32 - 1, p), (b as u32, q));
    }
    for row in &mut scene.contacts {
        row.bias[0] = if random.below(3) == 0 { 0.0 } else { 0.3 * random.unit() };
    }
    scene
}

pub(super) fn run(
    scene: &mut Scene,
    method: Method,
    tolerance: Double,
    scratch: &mut Scratch,
) -> SolveStats {
    let (problem, mut iterate) = scene.parts();
    let stats = solve(&problem, &mut iterate, method, tolerance, scratch);
    let certificate = scene.certificate();
    assert_eq!(stats.certificate, certificate, "the certificate reported is that of the result");
    stats
}

const PILES: usize = 100;

/// Solves a hundred piles and returns how many converged; what converged must meet `tolerance`.
fn count_solved(
    (cone, friction, ratio): (Cone, Double, Double),
    method: Method,
    tolerance: Double,
) -> usize {
    let mut random = Random::new(21);
    let mut scratch = Scratch::default();
    let (mut solved, mut iterations, mut factors) = (0, 0, 0);
    for _ in 0..PILES {
        let mut scene = pile(&mut random, cone, friction, ratio);
        let stats = run(&mut scene, method, tolerance, &mut scratch);
        assert!(stats.certificate.error().is_finite(), "{method:?} {stats:?}");
        if stats.status == Status::Converged {
            assert!(stats.certificate.error() <= tolerance, "{method:?} {stats:?}");
            solved += 1;
            iterations += stats.iterations;
            factors += stats.factorizations;
        }
    }
    let mean = |sum: u32| Double::from(sum) / solved.max(1) as Double;
    println!(
        "{method:?} {cone:?}, friction {friction}, ratio {ratio}: {solved} of {PILES}, {:.1} \
         iterations, {:.1} factors",
        mean(iterations),
        mean(factors)
    );
    solved
}

#[test]
fn frictionless_piles_are_solved_whatever_the_masses() {
    for ratio in [1.0, 1e4] {
        let kind = (Cone::Circular, 0.0, ratio);
        assert_eq!(count_solved(kind, Method::Newton, 1e-10), PILES, "Newton, {ratio}");
        assert_eq!(count_solved(kind, Method::Lemke, 1e-8), PILES, "Lemke, {ratio}");
        assert!(count_solved(kind, Method::Pgs, 1e-6) >= PILES - 3, "Gauss–Seidel, {ratio}");
    }
}

#[test]
fn piles_with_moderate_friction_are_solved() {
    for cone in [Cone::Circular, Cone::Pyramid(2), Cone::Pyramid(4), Cone::Pyramid(8)] {
        let kind = (cone, 0.3, 1.0);
        assert_eq!(count_solved(kind, Method::Newton, 1e-10), PILES, "Newton, {cone:?}");
        assert_eq!(count_solved(kind, Method::Pgs, 1e-6), PILES, "Gauss–Seidel, {cone:?}");
        if cone != Cone::Circular {
            assert_eq!(count_solved(kind, Method::Lemke, 1e-10), PILES, "Lemke, {cone:?}");
        }
    }
}

#[test]
fn piles_with_large_friction_are_solved_by_taking_turns() {
    // χ₂ contracts for small friction only. Newton alone must still solve most, sweeps in between
    // the others.
    for cone in [Cone::Circular, Cone::Pyramid(4), Cone::Pyramid(8)] {
        for (friction, alone) in [(0.8, 95), (1.5, 85)] {
            let kind = (cone, friction, 1.0);
            let solved = count_solved(kind, Method::Newton, 1e-10);
            assert!(solved >= alone, "Newton, {cone:?}, {friction}: {solved}");
            let solved = count_solved(kind, Method::Auto, 1e-10);
            assert_eq!(solved, PILES, "Auto, {cone:?}, {friction}");
        }
    }
}

#[test]
fn piles_with_mass_ratio_ten_thousand_are_mostly_solved() {
    // Impulses of the heavy bodies round at 1e-9 m/s of the light ones.
    for cone in [Cone::Circular, Cone::Pyramid(4)] {
        for (friction, expected) in [(0.3, 98), (0.8, 95)] {
            let solved = count_solved((cone, friction, 1e4), Method::Auto, 1e-8);
            assert!(solved >= expected, "{cone:?}, {friction}: {solved}");
        }
    }
}

#[test]
fn pyramid_answers_of_all_solvers_agree_without_friction() {
    // The frictionless problem is strictly convex in v, so its velocity is unique.
    let mut random = Random::new(8);
    let mut scratch = Scratch::default();
    for _ in 0..50 {
        let scene = pile(&mut random, Cone::Pyramid(4), 0.0, 3.0);
        let (mut newton, mut lemke) = (scene.clone(), scene.clone());
        run(&mut newton, Method::Newton, 1e-11, &mut scratch);
        run(&mut lemke, Method::Lemke, 1e-11, &mut scratch);
        for (v, w) in newton.velocity.iter().zip(&lemke.velocity) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-8, "{v:?} and {w:?}");
            }
        }
    }
}

#[test]
fn warm_start_from_a_nearby_problem_takes_few_steps() {
    let mut random = Random::new(9);
    let mut scratch = Scratch::default();
    let (mut cold, mut warm) = (0, 0);
    for _ in 0..50 {
        let mut scene = pile(&mut random, Cone::Circular, 0.3, 2.0);
        cold += run(&mut scene, Method::Newton, 1e-8, &mut scratch).iterations;
        for body in &mut scene.bodies {
            body.velocity_free[0] += 1e-4 * random.signed(1.0);
        }
        warm += run(&mut scene, Method::Newton, 1e-8, &mut scratch).iterations;
    }
    println!("cold {cold}, warm {warm}");
    assert!(2 * warm < cold, "cold {cold}, warm {warm}");
}
