//! Rolling and spinning rows: the cone against its definition, exact answers of one ball, and random
//! problems that every solver must certify and agree on.

use super::Scratch;
use super::random_problems::{frame, pile, run};
use super::scenes::{DT, GRAVITY, Scene};
use crate::engine::lcp::cone::{FrictionCone, Zone};
use crate::engine::lcp::newton::{NewtonParams, solve_rows};
use crate::engine::lcp::rolling::{RollingZone, WithRolling, join};
use crate::engine::lcp::rows::{contact_velocity, dot6, mass_mul};
use crate::engine::lcp::tests::random::Random;
use crate::engine::lcp::{Cone, FIXED, Method, Status, pgs};
use crate::math::Double;

const CONES: [Cone; 5] =
    [Cone::Circular, Cone::Pyramid(2), Cone::Pyramid(4), Cone::Pyramid(6), Cone::Pyramid(8)];

/// Where all impulses are below their bounds.
const STICKS: RollingZone = RollingZone { friction: Zone::Inside, spins: 0, rolls: false };

fn vector6(random: &mut Random) -> [Double; 6] {
    let ([a, b, c], [d, e, f]) = (random.vector3(1.0), random.vector3(1.0));
    [a, b, c, d, e, f]
}

fn limits(random: &mut Random) -> [Double; 3] {
    [0, 1, 2].map(|_| if random.below(5) == 0 { 0.0 } else { 2.0 * random.unit() * random.unit() })
}

/// Inside: what the cone's dual says of the negative is checked by `slip_rolling`, so only the bounds
/// are left, as the support of every part.
fn inside(cone: &FrictionCone, limits: [Double; 3], l: &[Double; 6]) -> bool {
    let section = cone.project_section(limits[0] * l[0], [l[1], l[2]]);
    let friction = (section[0] - l[1]).hypot(section[1] - l[2]);
    friction <= 1e-13
        && l[3].abs() <= limits[1] * l[0] + 1e-13
        && l[4].hypot(l[5]) <= limits[2] * l[0] + 1e-13
}

#[test]
fn projection_is_the_nearest_point() {
    let mut random = Random::new(41);
    let mut at_bounds = [0; 3];
    for kind in CONES {
        let cone = FrictionCone::new(kind);
        for _ in 0..4000 {
            let (limits, mut p) = (limits(&mut random), vector6(&mut random));
            // Some points near the axis, inside.
            let narrow = random.unit() * random.unit();
            p[1..].iter_mut().for_each(|x| *x *= narrow);
            let image = cone.project_rolling(limits, p);
            let q = image.point;
            let r = [0, 1, 2, 3, 4, 5].map(|i| p[i] - q[i]);
            assert!(dot6(&r, &q).abs() < 1e-13, "{kind:?} {limits:?}: not orthogonal");
            assert!(inside(&cone, limits, &q), "{kind:?} {limits:?}: {q:?} outside");
            // The rest lies in the polar cone: its product with every generator is at most zero.
            let polar = r[0] + cone.slip_rolling(limits, &r);
            assert!(polar < 1e-13, "{kind:?} {limits:?}: {r:?} not polar, {polar}");
            at_bounds[0] += usize::from(image.zone == STICKS);
            at_bounds[1] += usize::from(image.zone.spins == 0 && image.zone.rolls);
            at_bounds[2] += usize::from(image.zone.spins != 0 && !image.zone.rolls);
        }
    }
    assert!(at_bounds.iter().all(|n| *n > 300), "all kinds of zones occur: {at_bounds:?}");
}

#[test]
fn derivative_is_the_limit_of_differences() {
    let mut random = Random::new(42);
    let mut compared = 0;
    for kind in CONES {
        let cone = FrictionCone::new(kind);
        for _ in 0..1500 {
            let (limits, p) = (limits(&mut random), vector6(&mut random));
            if p[1].hypot(p[2]) < 0.1 || p[4].hypot(p[5]) < 0.1 {
                continue;
            }
            let image = cone.project_rolling(limits, p);
            let d = cone.derivative_rolling(limits, &p, &image);
            for k in 0..6 {
                let h = 1e-6;
                let (mut p1, mut p0) = (p, p);
                p1[k] += h;
                p0[k] -= h;
                let q1 = cone.project_rolling(limits, p1);
                let q0 = cone.project_rolling(limits, p0);
                if q1.zone != image.zone || q0.zone != image.zone {
                    continue;
                }
                compared += 1;
                for i in 0..6 {
                    let expected = (q1.point[i] - q0.point[i]) / (2.0 * h);
                    let error = (d[i][k] - expected).abs();
                    assert!(error < 1e-7, "{kind:?} {limits:?} {:?} {i} {k}: {error}", image.zone);
                    assert!((d[i][k] - d[k][i]).abs() < 1e-15, "the derivative is symmetric");
                }
            }
        }
    }
    assert!(compared > 30_000, "most points lie away from the borders: {compared}");
}

/// A body of inertia m/6 (ℓ² = 1/6) and radius 0.5 m that rolls along x at `speed` and turns about the
/// vertical at `spin`.
fn ball(cone: Cone, speed: Double, spin: Double) -> Scene {
    let mut scene = Scene::new(cone);
    let body = scene.cube(2.0, [speed, 0.0, 0.0, 0.0, spin, -speed / 0.5]);
    let up = [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0]];
    scene.contact((FIXED, [0.0; 3]), (body, [0.0, -0.5, 0.0]), up, 0.8);
    scene.resist_rolling(0, 0.02, 0.05);
    scene
}

#[test]
fn a_rolling_ball_slows_and_a_spinning_one_too() {
    for cone in CONES {
        for method in [Method::Newton, Method::Pgs] {
            let mut scene = ball(cone, 2.0, 7.0);
            let stats = run(&mut scene, method, 1e-11, &mut Scratch::default());
            assert_eq!(stats.status, Status::Converged, "{cone:?} {method:?} {stats:?}");
            let v = scene.velocity[0];
            // Rolling: (m R² + I) dω = -μ_r m g h; spinning: I dω = -μ_s m g h.
            let (normal, inertia) = (2.0 * GRAVITY * DT, 2.0 / 6.0);
            let speed = 2.0 - 0.5 * 0.05 * normal / (2.0 * 0.25 + inertia);
            assert!((v[0] - speed).abs() < 1e-10, "{cone:?} {method:?}: {v:?} for {speed}");
            assert!((v[5] + speed / 0.5).abs() < 1e-10, "{cone:?} {method:?}: rolls {v:?}");
            let spin = 7.0 - 0.02 * normal / inertia;
            assert!((v[4] - spin).abs() < 1e-10, "{cone:?} {method:?}: {v:?} for {spin}");
        }
    }
}

#[test]
fn a_slow_ball_stops() {
    for cone in CONES {
        for method in [Method::Newton, Method::Pgs] {
            let mut scene = ball(cone, 5e-3, 0.005);
            let stats = run(&mut scene, method, 1e-11, &mut Scratch::default());
            assert_eq!(stats.status, Status::Converged, "{cone:?} {method:?} {stats:?}");
            let v = scene.velocity[0];
            assert!(v.iter().all(|x| x.abs() < 1e-10), "{cone:?} {method:?}: {v:?}");
        }
    }
}

#[test]
fn lemke_leaves_rolling_to_others() {
    let mut scene = ball(Cone::Pyramid(4), 2.0, 7.0);
    let stats = run(&mut scene, Method::Lemke, 1e-11, &mut Scratch::default());
    assert_eq!(stats.status, Status::TooLarge, "{stats:?}");
}

/// A pile where two of three contacts resist rolling.
fn rolling_pile(random: &mut Random, cone: Cone, friction: Double, rolling: Double) -> Scene {
    let mut scene = pile(random, cone, friction, 2.0);
    for contact in 0..scene.contacts.len() {
        if random.below(3) > 0 {
            let spinning = if random.below(3) == 0 { 0.0 } else { rolling * random.unit() };
            scene.resist_rolling(contact, spinning, rolling * random.unit());
        }
    }
    scene
}

/// Balls of diameter 1 m on the floor and each other, with up to `contacts` contacts each to what is
/// below. Arms lie along the normals, so rolling does not lift a ball.
fn ball_pile(random: &mut Random, cone: Cone, contacts: usize, kind: (Double, Double)) -> Scene {
    let (friction, rolling) = kind;
    let mut scene = Scene::new(cone);
    for body in 0..1 + random.below(5) as u32 {
        let (p, q) = (random.vector3(2.0), random.vector3(2.0));
        scene.cube(1.0 + random.unit(), [p[0], p[1], p[2], q[0], q[1], q[2]]);
        for _ in 0..1 + random.below(contacts) {
            let below = if body == 0 || random.below(2) == 0 { FIXED } else { body - 1 };
            let frame = frame(random, 3.0);
            let (p, q) = (frame[0].map(|x| 0.5 * x), frame[0].map(|x| -0.5 * x));
            scene.contact((below, p), (body, q), frame, friction);
            let contact = scene.contacts.len() - 1;
            scene.resist_rolling(contact, rolling * random.unit(), rolling * random.unit());
        }
    }
    scene
}

/// Largest violation of the conditions themselves, written out: no penetration, no pull, bounds, and
/// the largest dissipation of every part [m/s, with impulses taken as speeds].
fn violation(scene: &Scene) -> Double {
    let cone = FrictionCone::new(scene.cone);
    let mut worst: Double = 0.0;
    let mut blocks = scene.rolling.iter().zip(&scene.rolling_impulse).peekable();
    for (c, (row, l)) in scene.contacts.iter().zip(&scene.contact_impulse).enumerate() {
        let speed = |a: &[[Double; 6]; 3], b: &[[Double; 6]; 3], bias: &[Double; 3]| {
            [0, 1, 2].map(|i| {
                let of = |body: u32, j: &[Double; 6]| match body {
                    FIXED => 0.0,
                    body => dot6(j, &scene.velocity[body as usize]),
                };
                of(row.a, &a[i]) + of(row.b, &b[i]) + bias[i]
            })
        };
        let w = speed(&row.jacobian_a, &row.jacobian_b, &row.bias);
        let dissipated = |impulse: Double, bound: Double| (impulse + bound).abs();
        worst = worst.max(-w[0]).max(-l[0]).max((l[0] * w[0]).abs());
        let slip = row.friction * l[0] * cone.slip([w[1], w[2]]);
        worst = worst.max(dissipated(l[1] * w[1] + l[2] * w[2], slip));
        let section = cone.project_section(row.friction * l[0], [l[1], l[2]]);
        worst = worst.max((section[0] - l[1]).hypot(section[1] - l[2]));
        let Some((block, r)) = blocks.next_if(|(block, _)| block.contact as usize == c) else {
            continue;
        };
        let w = speed(&block.jacobian_a, &block.jacobian_b, &block.bias);
        let (spin, roll) = (block.spinning * l[0], block.rolling * l[0]);
        worst = worst.max(r[0].abs() - spin).max(r[1].hypot(r[2]) - roll);
        worst = worst.max(dissipated(r[0] * w[0], spin * w[0].abs()));
        worst = worst.max(dissipated(r[1] * w[1] + r[2] * w[2], roll * w[1].hypot(w[2])));
    }
    worst
}

/// Do both solvers give the same velocity? What they solve must satisfy the conditions themselves.
fn solve_twice(scene: Scene, scratch: &mut Scratch) -> [bool; 3] {
    let (mut newton, mut pgs) = (scene.clone(), scene);
    let solved = run(&mut newton, Method::Auto, 1e-10, scratch).status == Status::Converged;
    let swept = run(&mut pgs, Method::Pgs, 1e-9, scratch).status == Status::Converged;
    for (scene, solved) in [(&newton, solved), (&pgs, swept)] {
        let error = violation(scene);
        assert!(!solved || error < 1e-8, "claimed as solved, violated by {error}");
    }
    let near = |(v, w): (&[Double; 6], &[Double; 6])| (0..6).all(|k| (v[k] - w[k]).abs() < 1e-6);
    [solved, swept, newton.velocity.iter().zip(&pgs.velocity).all(near)]
}

fn count(random: Random, make: impl Fn(&mut Random) -> Scene) -> [u32; 3] {
    let (mut random, mut scratch) = (random, Scratch::default());
    let mut counts = [0; 3];
    for _ in 0..100 {
        let outcome = solve_twice(make(&mut random), &mut scratch);
        counts = [0, 1, 2].map(|i| counts[i] + u32::from(outcome[i]));
    }
    counts
}

const KINDS: [(Double, Double); 4] = [(0.0, 0.1), (0.3, 0.05), (0.3, 0.2), (0.8, 0.1)];

#[test]
fn piles_of_balls_are_solved_and_the_solvers_agree() {
    for cone in [Cone::Circular, Cone::Pyramid(4), Cone::Pyramid(2)] {
        for kind in KINDS {
            // Without friction, or with one contact each, the velocity is unique; friction may wedge a
            // ball between several contacts in more than one way, as it may without rolling, and one
            // that slides along the diagonal of a pyramid is at a kink of Newton's function.
            let newton = if kind.0 == 0.0 || cone == Cone::Circular { 100 } else { 99 };
            let unique = if kind.0 == 0.0 { [100; 3] } else { [newton, 100, 95] };
            for (contacts, expected) in [(1, [100; 3]), (3, unique)] {
                let make = |random: &mut Random| ball_pile(random, cone, contacts, kind);
                let counts = count(Random::new(47), make);
                println!("{cone:?} {kind:?} {contacts}: {counts:?}");
                let enough = counts.iter().zip(&expected).all(|(n, least)| n >= least);
                assert!(enough, "{cone:?} {kind:?} {contacts}: solved, swept, agree {counts:?}");
            }
        }
    }
}

#[test]
fn random_piles_are_solved() {
    for cone in [Cone::Circular, Cone::Pyramid(4), Cone::Pyramid(2)] {
        for (friction, rolling) in KINDS {
            let make = |random: &mut Random| rolling_pile(random, cone, friction, rolling);
            let [solved, swept, agreed] = count(Random::new(44), make);
            println!("{cone:?} {friction} {rolling}: {solved}, {swept}, {agreed}");
            assert_eq!(solved, 100, "{cone:?} {friction} {rolling}: Newton");
            assert!(swept >= 99, "{cone:?} {friction} {rolling}: sweeps solve {swept}");
            // Where arms are oblique the problem may have several answers, as with large friction.
            assert!(agreed >= 85, "{cone:?} {friction} {rolling}: {agreed} agree");
        }
    }
}

#[test]
fn contacts_with_rolling_never_make_energy() {
    let mut random = Random::new(45);
    let mut scratch = Scratch::default();
    for _ in 0..100 {
        let mut scene = rolling_pile(&mut random, Cone::Circular, 0.5, 0.1);
        scene.contacts.iter_mut().for_each(|row| row.bias = [0.0; 3]);
        run(&mut scene, Method::Auto, 1e-10, &mut scratch);
        let energy = |v: &[[Double; 6]]| -> Double {
            scene.bodies.iter().zip(v).map(|(b, v)| 0.5 * dot6(v, &mass_mul(b, v))).sum()
        };
        let free: Vec<_> = scene.bodies.iter().map(|b| b.velocity_free).collect();
        let (before, after) = (energy(&free), energy(&scene.velocity));
        assert!(after <= before + 1e-9, "{after} J of {before} J");
    }
}

#[test]
fn the_relaxation_at_the_right_gamma_is_the_problem() {
    let mut random = Random::new(46);
    let mut scratch = Scratch::default();
    for _ in 0..30 {
        let mut scene = rolling_pile(&mut random, Cone::Circular, 0.3, 0.1);
        run(&mut scene, Method::Auto, 1e-11, &mut scratch);
        let velocity = scene.velocity.clone();
        let cone = FrictionCone::new(Cone::Circular);
        let (problem, mut iterate) = scene.parts();
        let slip = |(_, row, rolling): WithRolling<'_>| {
            let w = contact_velocity(row, &velocity);
            match rolling {
                None => row.friction * cone.slip([w[1], w[2]]),
                Some((_, rolling)) => {
                    let w = join(w, rolling.velocity(row, &velocity));
                    cone.slip_rolling(rolling.limits(row), &w)
                }
            }
        };
        let slip_bounds: Vec<_> = problem.contacts_with_rolling().map(slip).collect();
        iterate.contact_impulse.fill([0.0; 3]);
        iterate.rolling_impulse.fill([0.0; 3]);
        let params = NewtonParams { tolerance: 1e-9, ..Default::default() };
        let newton = &mut scratch.newton;
        solve_rows(&problem, Some(&slip_bounds), &mut iterate, &params, newton);
        for (v, w) in scene.velocity.iter().zip(&velocity) {
            assert!((0..6).all(|k| (v[k] - w[k]).abs() < 1e-6), "{v:?} and {w:?}");
        }
    }
}

#[test]
fn warm_starts_are_taken_up() {
    let mut scene = ball(Cone::Circular, 2.0, 7.0);
    run(&mut scene, Method::Newton, 1e-11, &mut Scratch::default());
    let again = run(&mut scene, Method::Newton, 1e-11, &mut Scratch::default());
    assert_eq!(again.iterations, 0, "the answer is known");
    let (problem, mut iterate) = scene.parts();
    let params = pgs::PgsParams { tolerance: 1e-11, ..Default::default() };
    let swept = pgs::solve(&problem, &mut iterate, &params, &mut Scratch::default().pgs);
    assert_eq!(swept.iterations, 0, "nor has the sweep anything to do");
}
