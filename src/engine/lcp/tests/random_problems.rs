//! Random problems: whatever a solver claims to have solved must pass the certificate.

use super::scenes::{Point, Scene, cross};
use crate::engine::lcp::random::Random;
use crate::engine::lcp::{
    Cone, FIXED, Method, Scratch, SolveStats, SolverParams, Status, newton::NewtonParams,
    pgs::PgsParams, solve,
};
use crate::math::Double;

fn frame(random: &mut Random, up: Double) -> [Point; 3] {
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

/// Bodies above the floor and each other: normals point upwards from the lower index to the higher, so
/// no bodies are wedged; contacts may repeat, joints connect some bodies.
fn pile(random: &mut Random, cone: Cone, friction: Double, ratio: Double) -> Scene {
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

fn run(scene: &mut Scene, method: Method, tolerance: Double, scratch: &mut Scratch) -> SolveStats {
    let params = SolverParams {
        method,
        newton: NewtonParams { tolerance, ..NewtonParams::default() },
        pgs: PgsParams { tolerance, iterations_max: 20_000, ..PgsParams::default() },
        ..SolverParams::default()
    };
    let (problem, mut iterate) = scene.parts();
    let stats = solve(&problem, &mut iterate, &params, scratch);
    let certificate = scene.certificate();
    assert_eq!(stats.certificate, certificate, "the certificate reported is that of the result");
    stats
}

/// Solves many piles; returns how many converged, and the mean iterations of those.
fn solve_piles(
    seed: u64,
    cone: Cone,
    friction: Double,
    ratio: Double,
    method: Method,
    tolerance: Double,
) -> (usize, Double) {
    let mut random = Random::new(seed);
    let mut scratch = Scratch::default();
    let (mut solved, mut iterations) = (0, 0);
    let (mut factors, mut worst) = (0, 0);
    for _ in 0..PILES {
        let mut scene = pile(&mut random, cone, friction, ratio);
        let stats = run(&mut scene, method, tolerance, &mut scratch);
        if stats.status == Status::Converged {
            solved += 1;
            iterations += stats.iterations;
            factors += stats.factorizations;
            worst = worst.max(stats.iterations);
            assert!(stats.certificate.error() <= tolerance.max(1e-9), "{stats:?}");
        } else {
            println!(
                "   {stats:?} bodies {} contacts {} joints {}",
                scene.bodies.len(),
                scene.contacts.len(),
                scene.joints.len()
            );
        }
    }
    let mean = Double::from(iterations) / solved.max(1) as Double;
    let fmean = Double::from(factors) / solved.max(1) as Double;
    println!(
        "{method:?} {cone:?} μ={friction} ratio {ratio}: {solved} of {PILES}, {mean:.1} it, {fmean:.1} factors, worst {worst}"
    );
    (solved, mean)
}

const PILES: usize = 200;

#[test]
fn survey() {
    for cone in [Cone::Circular, Cone::Pyramid(4), Cone::Pyramid(8)] {
        for friction in [0.0, 0.3, 0.8, 1.5, 2.0] {
            for ratio in [1.0, 1e4] {
                solve_piles(21, cone, friction, ratio, Method::Newton, 1e-10);
                if cone != Cone::Circular {
                    solve_piles(21, cone, friction, ratio, Method::Lemke, 1e-10);
                }
                solve_piles(21, cone, friction, ratio, Method::Pgs, 1e-6);
            }
        }
    }
}
