//! Exact answers: boxes that stick and slide, towers and chains of unequal masses, degenerate rows.

use super::scenes::{DT, GRAVITY, Scene, chain, pyramid, stack};
use super::{Scratch, solve};
use crate::engine::lcp::{Cone, FIXED, Method, SolveStats, Status};
use crate::math::Double;

const CONES: [Cone; 3] = [Cone::Circular, Cone::Pyramid(4), Cone::Pyramid(8)];

fn run(scene: &mut Scene, method: Method, tolerance: Double) -> SolveStats {
    let (problem, mut iterate) = scene.parts();
    solve(&problem, &mut iterate, method, tolerance, &mut Scratch::default())
}

/// A box on the floor with horizontal velocity `v_x`; friction 0.5.
fn box_on_floor(cone: Cone, v_x: Double) -> Scene {
    let mut scene = Scene::new(cone);
    let body = scene.cube(3.0, [v_x, 0.0, 0.0, 0.0, 0.0, 0.0]);
    scene.rest_on(FIXED, body, 0.5);
    scene
}

#[test]
fn slow_box_sticks() {
    for cone in CONES {
        for method in [Method::Newton, Method::Pgs, Method::Lemke] {
            // Friction can stop μ g h = 0.08 m/s. The box would tip about its lower edge if the
            // friction exceeded the weight; it does not.
            let mut scene = box_on_floor(cone, 0.05);
            let stats = run(&mut scene, method, 1e-11);
            assert_eq!(stats.status, Status::Converged, "{cone:?} {method:?} {stats:?}");
            let v = scene.velocity[0];
            assert!(v.iter().all(|x| x.abs() < 1e-10), "{cone:?} {method:?}: {v:?}");
            let total =
                scene.contact_impulse.iter().fold([0.0; 2], |s, l| [s[0] + l[0], s[1] + l[1]]);
            assert!((total[0] - 3.0 * GRAVITY * DT).abs() < 1e-9, "carries its weight: {total:?}");
            assert!((total[1] + 3.0 * 0.05).abs() < 1e-9, "loses its momentum: {total:?}");
        }
    }
}

#[test]
fn fast_box_slides_and_loses_friction_times_weight() {
    for cone in CONES {
        for method in [Method::Newton, Method::Pgs, Method::Lemke] {
            let mut scene = box_on_floor(cone, 2.0);
            let stats = run(&mut scene, method, 1e-11);
            assert_eq!(stats.status, Status::Converged, "{cone:?} {method:?} {stats:?}");
            let v = scene.velocity[0];
            // Along the first direction every pyramid is as wide as the cone.
            let exact = 2.0 - 0.5 * GRAVITY * DT;
            assert!((v[0] - exact).abs() < 1e-10, "{cone:?} {method:?}: {v:?}");
            assert!(v[1..].iter().all(|x| x.abs() < 1e-10), "{cone:?} {method:?}: {v:?}");
        }
    }
}

#[test]
fn circular_friction_opposes_an_oblique_slide() {
    let mut scene = box_on_floor(Cone::Circular, 0.6);
    scene.bodies[0].velocity_free[2] = 0.8;
    let stats = run(&mut scene, Method::Newton, 1e-12);
    assert_eq!(stats.status, Status::Converged, "{stats:?}");
    let speed = 1.0 - 0.5 * GRAVITY * DT;
    let v = scene.velocity[0];
    assert!((v[0] - 0.6 * speed).abs() < 1e-11, "{v:?}");
    assert!((v[2] - 0.8 * speed).abs() < 1e-11, "{v:?}");
}

#[test]
fn flat_pyramid_has_no_friction_on_the_second_tangent() {
    for method in [Method::Newton, Method::Pgs, Method::Lemke] {
        let mut scene = box_on_floor(Cone::Pyramid(2), 0.05);
        scene.bodies[0].velocity_free[2] = 0.8;
        let stats = run(&mut scene, method, 1e-11);
        assert_eq!(stats.status, Status::Converged, "{method:?} {stats:?}");
        let v = scene.velocity[0];
        assert!(v[0].abs() < 1e-10 && (v[2] - 0.8).abs() < 1e-10, "{method:?}: {v:?}");
    }
}

#[test]
fn frictionless_box_keeps_its_speed() {
    for method in [Method::Newton, Method::Pgs, Method::Lemke] {
        let mut scene = Scene::new(Cone::Circular);
        let body = scene.cube(3.0, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        scene.rest_on(FIXED, body, 0.0);
        let stats = run(&mut scene, method, 1e-11);
        assert_eq!(stats.status, Status::Converged, "{method:?} {stats:?}");
        let v = scene.velocity[0];
        assert!((v[0] - 1.0).abs() < 1e-12 && v[1].abs() < 1e-10, "{method:?}: {v:?}");
    }
}

#[test]
fn heavy_box_on_nine_light_ones_rests() {
    for cone in CONES {
        let mut scene = stack(10, 1e4, cone);
        let stats = run(&mut scene, Method::Newton, 1e-10);
        println!("{cone:?}: {stats:?}");
        assert_eq!(stats.status, Status::Converged, "{cone:?} {stats:?}");
        let e = scene.certificate().natural_map;
        assert!(e <= 1e-10, "{cone:?}: {e}");
        for v in &scene.velocity {
            assert!(v.iter().all(|x| x.abs() < 1e-9), "{cone:?}: {v:?}");
        }
    }
}

#[test]
fn chain_with_a_heavy_end_holds() {
    let mut scene = chain(20, 1e4);
    let stats = run(&mut scene, Method::Newton, 1e-10);
    println!("{stats:?}");
    assert_eq!(stats.status, Status::Converged, "{stats:?}");
    assert!(scene.certificate().joint <= 1e-10, "{:?}", scene.certificate());
    assert!(stats.iterations <= 3, "joints alone are a linear problem: {stats:?}");
}

#[test]
fn tall_tower_and_wall_rest() {
    for (name, mut scene) in
        [("tower", stack(30, 1.0, Cone::Circular)), ("wall", pyramid(8, Cone::Circular))]
    {
        let stats = run(&mut scene, Method::Newton, 1e-10);
        println!("{name}: {stats:?}");
        assert_eq!(stats.status, Status::Converged, "{name}: {stats:?}");
        for v in &scene.velocity {
            assert!(v.iter().all(|x| x.abs() < 1e-8), "{name}: {v:?}");
        }
    }
}

#[test]
fn repeated_rows_change_nothing() {
    let mut scene = chain(4, 10.0);
    // Without friction the velocity is unique.
    scene.rest_on(FIXED, 3, 0.0);
    let mut doubled = scene.clone();
    for k in 0..scene.joints.len() {
        doubled.joints.push(scene.joints[k].clone());
        doubled.joint_impulse.push(0.0);
    }
    for k in 0..scene.contacts.len() {
        doubled.contacts.push(scene.contacts[k]);
        doubled.contact_impulse.push([0.0; 3]);
    }
    for method in [Method::Newton, Method::Lemke] {
        let (mut scene, mut doubled) = (scene.clone(), doubled.clone());
        let (one, two) = (run(&mut scene, method, 1e-11), run(&mut doubled, method, 1e-11));
        assert_eq!(one.status, Status::Converged, "{method:?} {one:?}");
        assert_eq!(two.status, Status::Converged, "{method:?} {two:?}");
        for (v, w) in scene.velocity.iter().zip(&doubled.velocity) {
            for k in 0..6 {
                assert!((v[k] - w[k]).abs() < 1e-8, "{method:?}: {v:?} and {w:?}");
            }
        }
    }
}

#[test]
fn nothing_to_solve_is_solved() {
    for method in [Method::Auto, Method::Newton, Method::Pgs, Method::Lemke] {
        let mut empty = Scene::new(Cone::Circular);
        assert_eq!(run(&mut empty, method, 1e-10).status, Status::Converged, "{method:?}");
        let mut flying = Scene::new(Cone::Circular);
        flying.cube(1.0, [1.0; 6]);
        let stats = run(&mut flying, method, 1e-10);
        assert_eq!(stats.status, Status::Converged, "{method:?}");
        assert_eq!(flying.velocity[0], flying.bodies[0].velocity_free, "{method:?}");
    }
}

#[test]
fn rows_of_locked_bodies_are_left_alone() {
    let mut scene = box_on_floor(Cone::Circular, 0.05);
    let locked = scene.cube(1.0, [0.0; 6]);
    let body = &mut scene.bodies[locked as usize];
    (body.mass, body.inverse_mass) = ([1.0; 3], [0.0; 3]);
    (body.inertia, body.inverse_inertia) = ([1.0, 1.0, 1.0, 0.0, 0.0, 0.0], [0.0; 6]);
    body.velocity_free = [0.0, 0.1, 0.0, 0.0, 0.0, 0.0];
    // Rows of locked directions are zero; the bias says that the bodies part.
    scene.rest_on(FIXED, locked, 0.5);
    for row in &mut scene.contacts[4..] {
        row.jacobian_b = [[0.0; 6]; 3];
        row.bias = [0.1, 0.0, 0.0];
    }
    for method in [Method::Newton, Method::Pgs, Method::Lemke] {
        let mut scene = scene.clone();
        let stats = run(&mut scene, method, 1e-10);
        assert_eq!(stats.status, Status::Converged, "{method:?} {stats:?}");
        assert_eq!(scene.velocity[1], scene.bodies[1].velocity_free, "{method:?}");
        assert!(scene.velocity[0].iter().all(|x| x.abs() < 1e-9), "{method:?}");
    }
}

#[test]
fn wedged_box_reports_what_it_reached() {
    // Two walls that close in on a box: no velocity satisfies both rows.
    let mut scene = Scene::new(Cone::Circular);
    let body = scene.cube(1.0, [0.0; 6]);
    let right = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let left = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]];
    scene.contact((FIXED, [0.0; 3]), (body, [-0.5, 0.0, 0.0]), right, 0.5);
    scene.contact((FIXED, [0.0; 3]), (body, [0.5, 0.0, 0.0]), left, 0.5);
    for row in &mut scene.contacts {
        row.bias[0] = -0.1;
    }
    for method in [Method::Newton, Method::Pgs, Method::Lemke] {
        let mut scene = scene.clone();
        let stats = run(&mut scene, method, 1e-10);
        println!("{method:?} {stats:?}");
        assert_ne!(stats.status, Status::Converged, "{method:?}: infeasible");
        let certificate = scene.certificate();
        assert!(certificate.natural_map >= 0.05, "{method:?}: {certificate:?}");
        assert!(certificate.natural_map.is_finite(), "{method:?}: {certificate:?}");
        assert!(scene.velocity[0].iter().all(|x| x.abs() < 10.0), "{method:?}: no explosion");
    }
}

#[test]
fn reused_buffers_do_not_change_results() {
    // Scratch that went through other problems gives the bits of a fresh one.
    let mut scratch = Scratch::default();
    for _ in 0..2 {
        for scene in [stack(5, 10.0, Cone::Pyramid(4)), chain(5, 3.0), pyramid(3, Cone::Circular)] {
            let (mut fresh, mut reused) = (scene.clone(), scene);
            let a = run(&mut fresh, Method::Auto, 1e-10);
            let (problem, mut iterate) = reused.parts();
            let b = solve(&problem, &mut iterate, Method::Auto, 1e-10, &mut scratch);
            assert_eq!(a, b, "statistics");
            assert_eq!(fresh.velocity, reused.velocity, "velocities");
            assert_eq!(fresh.contact_impulse, reused.contact_impulse, "impulses");
        }
    }
}

#[test]
fn solvers_one_after_the_other_have_worked_together() {
    let first = SolveStats { iterations: 3, factorizations: 2, work: 1.5, ..Default::default() };
    let second = SolveStats { iterations: 4, factorizations: 1, work: 0.25, ..Default::default() };
    let mut both = first;
    both.add(&second);
    assert_eq!((both.iterations, both.factorizations, both.work), (7, 3, 1.75), "the sums");
    assert_eq!(both.status, second.status, "the outcome is that of the later one");
}
