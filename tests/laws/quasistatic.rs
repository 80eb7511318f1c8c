//! Quasistatic steps: what is pushed moves as little as it must, and stays in equilibrium.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind, LockedAxes};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::lcp::pgs::{self, PgsParams, PgsScratch};
use orthant::engine::lcp::{Cone, FIXED, Iterate, Method, Problem, SolveStats, Status};
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::solvers::lemke::{self, LemkeParams};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, EPSILON, Real, Vec3, cos, sin, widen, widen3};
use orthant_lab::experiments::quasistatic::push_drawer;
use orthant_lab::random::Rng;
use orthant_lab::scenes::quasistatic::{self as scenes, FENCE, exact, fence, floor, place};
use orthant_lab::support::{body, change, cuboid};

const G: Real = 9.81;

/// The table is rounded to half a unit of its last place; in single precision a pose is by a few roundings a
/// step.
fn allowed() -> Double {
    if EPSILON < 1e-10 { 1e-8 } else { 64.0 * 4.0 * widen(EPSILON) }
}

#[test]
fn a_fence_pushes_a_particle_as_model_dqc_says() {
    for (k, mu) in [0.5, 1.0, 4.0].into_iter().enumerate() {
        let states = fence(&exact(1.0), [mu; 3], 0.1, 63, |_, _| {});
        for (step, x, along) in FENCE {
            let [a, b] = states[step - 1];
            let off = (a - x).abs().max((b - along[k]).abs());
            println!("mu {mu}, t = {:.1}: {a:.9} {b:.9}, off {off:.1e}", 0.1 * step as Double);
            assert!(off <= allowed(), "mu {mu}, step {step}: ({a}, {b}) for ({x}, {})", along[k]);
        }
    }
}

/// With friction at the ground only nothing pushes the particle along the fence, whatever method is asked
/// for: there are no small steps to equilibrium.
#[test]
fn a_smooth_fence_pushes_straight() {
    for method in [Method::Auto, Method::Newton, Method::Substeps] {
        let mut settings = exact(1.0);
        settings.solver.method = method;
        let states = fence(&settings, [0.0, 0.0, 1.0], 0.1, 63, |_, _| {});
        for (step, x, _) in FENCE {
            let [a, b] = states[step - 1];
            let off = (a - x).abs().max(b.abs());
            assert!(off <= allowed(), "{method:?}, step {step}: ({a}, {b}) for {x}");
        }
    }
}

/// With a pyramid of four sides friction at the ground opposes a tilted force only at 45°: the particle goes
/// as far along the fence as ahead of it, if that goes as far, for every friction of the fence.
#[test]
fn under_a_pyramid_the_particle_goes_at_45_degrees() {
    for mu in [0.5, 1.0, 4.0] {
        let mut settings = exact(1.0);
        settings.solver.cone = Cone::Pyramid(4);
        let states = fence(&settings, [mu; 3], 0.1, 20, |_, _| {});
        let (mut x, mut z): (Double, Double) = (0.6, 0.0);
        for (k, [a, b]) in states.into_iter().enumerate() {
            let t = 0.1 * k as Real;
            let ahead = 0.4 * 0.1 * widen(cos(t)) + 0.5 + 0.4 * widen(sin(t)) - x;
            let ahead = ahead.max(0.0);
            (x, z) = (x + ahead, z + ahead.min(0.1));
            let off = (a - x).abs().max((b - z).abs());
            assert!(off <= 4.0 * allowed(), "mu {mu}, step {k}: ({a}, {b}) for ({x}, {z})");
        }
    }
}

/// Proposition 1: on a table without friction a block may go anywhere, with friction it stays.
#[test]
fn friction_makes_the_motion_unique() {
    for (friction, is_unique) in [(0.0, false), (0.5, true)] {
        let mut world = Simulation::new();
        floor(&mut world, friction);
        let at = Vec3::new(0.0, 0.1, 0.0);
        let id = place(&mut world, BodyKind::Dynamic, cuboid(0.2, 0.2, 0.2), friction, at);
        for _ in 0..3 {
            world.step(&exact(0.005), 1.0 / 60.0);
        }
        let free = world.free_motion(1e-6);
        assert_eq!(free.is_none(), is_unique, "friction {friction}: {free:?}");
        assert!((body(&world, id).center() - at).length() < 1e-6, "it stays in any case");
        let Some(free) = free else { continue };
        // The body neither falls nor tips.
        let [motion] = free[..] else { panic!("one body: {free:?}") };
        let tilt = motion.angular - Vec3::Y * motion.angular.y;
        assert!(motion.linear.y.abs() + tilt.length() < 1e-6, "{motion:?}");
    }
}

/// What nothing holds is told and stays; what is near its support comes to rest on it.
#[test]
fn without_equilibrium_nothing_moves() {
    let mut world = Simulation::new();
    floor(&mut world, 0.5);
    let shape = || cuboid(0.2, 0.2, 0.2);
    let near = place(&mut world, BodyKind::Dynamic, shape(), 0.5, Vec3::new(0.0, 0.104, 0.0));
    let far = place(&mut world, BodyKind::Dynamic, shape(), 0.5, Vec3::new(2.0, 1.0, 0.0));
    for step in 0..10 {
        let report = world.step(&exact(0.005), 1.0 / 60.0);
        assert_eq!(report.unbalanced, [far], "step {step}: {report}");
    }
    assert!((body(&world, near).center().y - 0.1).abs() < 1e-6);
    assert_eq!(body(&world, far).center(), Vec3::new(2.0, 1.0, 0.0));
    assert_eq!(body(&world, far).linear_velocity, Vec3::ZERO);
}

/// Work of a small displacement of a body beside the one that it made: against its weight, and against
/// friction, whose part of a contact with the slip `d` is `μ λ_n (|d + δ| - |d|)`, the objective of (29).
fn work(contacts: &[Touching], weight: Double, [linear, angular]: [DVec3; 2]) -> Double {
    let friction = |c: &Touching| {
        let moved = linear + angular.cross(c.arm);
        let along = moved - c.normal * c.normal.dot(moved);
        c.bound * ((c.slip + along).length() - c.slip.length())
    };
    weight * linear.y + contacts.iter().map(friction).sum::<Double>()
}

/// A contact of the body: arm (m), normal towards it, slip in the step (m), friction bound (N).
struct Touching {
    arm: DVec3,
    normal: DVec3,
    slip: DVec3,
    bound: Double,
}

/// Theorem 1: given the normal forces, the displacement of a step is a global minimum of the convex program
/// (29). A box is pushed off its middle by a finger, and turns; no displacement that opens or keeps its
/// contacts takes less work.
#[test]
fn the_pushed_box_is_lazy() {
    let mut world = Simulation::new();
    let ground = floor(&mut world, 0.5);
    let size = Vec3::new(0.4, 0.2, 0.3);
    let shape = cuboid(size.x, size.y, size.z);
    let id = place(&mut world, BodyKind::Dynamic, shape, 0.5, Vec3::new(0.0, 0.1, 0.0));
    let ball = Shape::sphere(0.05).expect("a ball");
    let from = Vec3::new(-0.25, 0.1, 0.06);
    let finger = place(&mut world, BodyKind::Kinematic, ball, 0.5, from);
    change(&mut world, finger).linear_velocity = Vec3::new(0.06, 0.0, 0.0);
    let (h, settings) = (1.0 / 60.0, exact(0.005));
    let mut rng = Rng::new(5);
    let mut turned: Real = 0.0;
    for step in 0..120 {
        let report = world.step(&settings, h);
        assert!(report.unbalanced.is_empty() && report.natural_map < 1e-6, "step {step}: {report}");
        let gap = report.complementarity_gap;
        let pushed = body(&world, id);
        let own = [pushed.linear_velocity, pushed.angular_velocity].map(|v| widen3(v) * widen(h));
        let weight = widen(pushed.mass() * G);
        // Σ l·w̃ is by how much the value of (29) and that of its dual differ; friction takes μ m g Δq.
        let rubbing = 0.5 * weight * widen(0.06 * h);
        assert!(gap <= 1e-3 * rubbing, "step {step}: {gap} J of {rubbing} J");
        turned += h * pushed.angular_velocity.y;
        let mut contacts = Vec::new();
        for pair in world.pairs() {
            let side = usize::from(pair.key.b == id);
            let other = if side == 1 { pair.key.a } else { pair.key.b };
            for c in &pair.contacts {
                let (arm, sign) = (widen3(c.arms[side]), 2.0 * side as Double - 1.0);
                let normal = widen3(c.normal) * sign;
                let force = c.impulse[0].dot(widen3(c.normal)) / widen(h);
                if force <= 1e-9 * weight {
                    continue;
                }
                let led = if other == ground { Vec3::ZERO } else { Vec3::X * 0.06 };
                let slip = own[0] + own[1].cross(arm) - widen3(led) * widen(h);
                let slip = slip - normal * normal.dot(slip);
                contacts.push(Touching { arm, normal, slip, bound: 0.5 * force });
            }
        }
        assert!(contacts.len() >= 3, "step {step}: it stands");
        // Displacements of some µm, of which those count that keep all contacts or open them.
        let mut tried = 0;
        for _ in 0..400 {
            let [a, b] = [(); 2].map(|()| widen3(rng.vector(-1.0, 1.0)));
            let flat = DVec3::new(a.x, 0.0, a.z);
            let way = if tried % 2 == 0 { [flat, DVec3::Y * b.y] } else { [a, b] };
            let opens = |c: &Touching| c.normal.dot(way[0] + way[1].cross(c.arm)) >= -1e-12;
            if !contacts.iter().all(opens) {
                continue;
            }
            tried += 1;
            let way = way.map(|w| w * 1e-5);
            let cost = work(&contacts, weight, way);
            // The resistance to displacements that chooses the least one bends forces by m Δq / T².
            let bend = widen(pushed.mass()) * own[0].length().max(own[1].length()) * 1e-5 * 4.0;
            assert!(cost >= -bend - 1e-9 * weight * 1e-5, "step {step}: {way:?} takes {cost} J");
        }
        assert!(tried > 50, "step {step}: {tried} displacements were tried");
    }
    assert!(turned > 0.05, "it turns: {turned} rad");
}

/// A block that a wall touches and pushes with `ahead` m/s, while it moves along its face with 1 m/s; every
/// pair has the friction coefficient μ. The problem of a step from there.
fn at_the_fence(settings: &Settings, mu: Real, ahead: Real) -> (Simulation, ExportedProblem) {
    let mut world = Simulation::new();
    floor(&mut world, mu);
    let colliders =
        vec![Collider { material: Material::new(mu), ..Collider::new(cuboid(0.2, 0.2, 0.2)) }];
    let desc = BodyDesc {
        position: Vec3::Y * 0.1,
        colliders,
        locked_axes: LockedAxes::ROTATION,
        ..BodyDesc::default()
    };
    world.add_body(desc).expect("a sound body");
    let at = Vec3::new(-0.35, 0.5, 0.0);
    let wall = place(&mut world, BodyKind::Kinematic, cuboid(0.5, 1.0, 40.0), mu, at);
    change(&mut world, wall).linear_velocity = Vec3::new(ahead, 0.0, 1.0);
    world.begin(settings, H);
    world.find_pairs(settings);
    world.find_contacts(settings);
    world.build_islands();
    world.assemble(settings);
    let mut problems = world.step_problems(settings.solver.cone);
    (world, problems.pop().expect("the block touches"))
}

/// Length of a step (s).
const H: Real = 0.1;

/// Solves a problem and gives the velocity of its one body, (x, y, z), and the contact impulses.
fn solved(
    problem: &Problem,
    solve: impl FnOnce(&Problem, &mut Iterate) -> SolveStats,
) -> ([Double; 3], Vec<[Double; 3]>) {
    let mut velocity = vec![[0.0; 6]; problem.bodies.len()];
    let mut contact_impulse = vec![[0.0; 3]; problem.contacts.len()];
    let mut iterate = Iterate {
        velocity: &mut velocity,
        joint_impulse: &mut [],
        contact_impulse: &mut contact_impulse,
        rolling_impulse: &mut [],
    };
    let stats = solve(problem, &mut iterate);
    assert_eq!(stats.status, Status::Converged, "{stats:?}");
    let [x, y, z, ..] = velocity[0];
    ([x, y, z], contact_impulse)
}

/// Rounding of gaps of a block of 0.2 m, taken back within a step.
fn rounding() -> Double {
    4.0 * widen(EPSILON) / widen(H) + 1e-9
}

fn assert_near(found: [Double; 3], wanted: [Double; 3], allowed: Double, what: &str) {
    let off = found.iter().zip(&wanted).fold(0.0, |m: Double, (a, b)| m.max((a - b).abs()));
    assert!(off <= allowed, "{what}: {found:?} for {wanted:?}");
}

/// The instantaneous models have the velocities that statics gives, and the step made of them is the discrete
/// model's. Friction of the wall, μ N, and its push N go against friction of the ground: under a circular
/// cone the block moves along the force, `(1, μ)`, unless the wall would have to hold it back; under a
/// pyramid of four sides at 45°.
#[test]
fn instantaneous_models_have_the_velocities_of_statics() {
    for (mu, ahead) in [(0.5, 0.1), (1.0, 0.3), (4.0, 0.1), (4.0, 0.5)] {
        let settings = exact(1.0);
        let (mut world, problem) = at_the_fence(&settings, mu, ahead);
        let instant = problem.instantaneous(1e-5);
        let wanted = [ahead, 0.0, (mu * ahead).min(1.0)].map(widen);
        let (velocity, _) = solved(&instant.problem(), |problem, iterate| {
            let params = PgsParams { iterations_max: 20_000, tolerance: 1e-12 };
            pgs::solve(problem, iterate, &params, &mut PgsScratch::default())
        });
        assert_near(velocity, wanted, rounding(), &format!("IQC, μ {mu}, {ahead} m/s"));
        world.solve(&settings);
        world.integrate();
        world.finish();
        let moved = world.bodies().iter().find(|body| body.kind() == BodyKind::Dynamic);
        let moved = moved.expect("the block").linear_velocity;
        // The tolerance of the step is one of `w + μ |w_t|`.
        let allowed = rounding() + widen(1.0 + mu) * settings.solver.tolerance;
        assert_near([moved.x, moved.y, moved.z].map(widen), wanted, allowed, "DQC");

        let mut settings = exact(1.0);
        settings.solver.cone = Cone::Pyramid(4);
        let (_, problem) = at_the_fence(&settings, mu, ahead);
        let wanted = [ahead, 0.0, ahead.min(1.0)].map(widen);
        let (velocity, _) = solved(&problem.instantaneous(1e-5).problem(), |problem, iterate| {
            lemke::solve(problem, iterate, &LemkeParams::default())
        });
        assert_near(velocity, wanted, rounding(), &format!("ILC, μ {mu}, {ahead} m/s"));
    }
}

/// What does not touch is no part of the instantaneous models.
#[test]
fn what_is_apart_has_no_force_at_an_instant() {
    let (_, problem) = at_the_fence(&exact(1.0), 0.5, 0.1);
    let count = |touching| problem.instantaneous(touching).contacts.len();
    assert_eq!(count(1e-5), problem.contacts.len(), "all touch");
    assert_eq!(count(-1.0), 0, "none overlaps by a meter");
}

/// Under the square cone (33) both directions of friction are by themselves: the ground holds the block along
/// the wall as long as `μ N < μ m g`, where `N = μ m g`. For the normal forces of its solution the linear
/// program (36) has the same motion, and friction is as (34) and (35) say.
#[test]
fn the_linear_program_has_the_motion_of_the_square_cone() {
    for (mu, ahead) in [(0.5, 0.1), (0.8, 0.3), (2.0, 0.1), (4.0, 0.5)] {
        let (_, problem) = at_the_fence(&exact(1.0), mu, ahead);
        let problem = problem.problem();
        let square = |given: Option<&[Double]>| {
            solved(&problem, |problem, it| lemke::solve_square_cone(problem, given, it))
        };
        let (velocity, impulses) = square(None);
        let along = if mu < 1.0 { 0.0 } else { 1.0 };
        // Resistance to the displacement, m Δq / T², is a force along the wall of its own.
        assert_near(
            velocity,
            [widen(ahead), 0.0, along],
            rounding(),
            &format!("μ {mu}, {ahead} m/s"),
        );
        for (row, l) in problem.contacts.iter().zip(&impulses) {
            let bound = row.friction * l[0];
            for k in 1..3 {
                let slip: Double = (0..3).map(|i| row.jacobian_b[k][i] * velocity[i]).sum();
                let slip = if row.b == FIXED {
                    (0..3).map(|i| row.jacobian_a[k][i] * velocity[i]).sum()
                } else {
                    slip
                } + row.bias[k];
                assert!(l[k].abs() <= bound + 1e-12, "in the cone: {l:?}");
                if slip.abs() > 1e-6 {
                    let off = (l[k] + bound * slip.signum()).abs();
                    assert!(off <= 1e-12, "(34): {l:?} against {slip} m/s");
                }
            }
        }
        let normal: Vec<_> = impulses.iter().map(|l| l[0]).collect();
        let by_program = square(Some(&normal)).0;
        assert_near(by_program, velocity, rounding(), "the program at these normal forces");
    }
}

/// A peg beside a hole and turned is led in by cheeks and pusher: it ends before the pusher, within the
/// clearance, at rest in every step that asks nothing of it.
#[test]
fn a_peg_finds_its_hole() {
    let steps = 600;
    for (mu, aside, turn) in [(0.1, 0.0, 0.0), (0.1, 0.02, -0.05), (0.2, -0.03, 0.1)] {
        let mut peg = scenes::peg(mu, aside, turn);
        for step in 0..steps {
            let report = peg.advance(&exact(0.005), 1.0 / 60.0);
            assert!(report.unbalanced.is_empty(), "μ {mu}, step {step}: {report}");
        }
        let [x, z, angle] = peg.pose();
        let [length, _] = scenes::PEG.map(widen);
        let face = widen(body(&peg.world, peg.pusher).center().x) + 0.05;
        let (allowed, clear) = (1e-5, widen(scenes::CLEARANCE));
        assert!((x - 0.5 * length - face).abs() <= allowed, "μ {mu}: {x} m before {face} m");
        assert!(x + 0.5 * length > 0.2, "μ {mu}: half of it is in: {x} m");
        assert!(z.abs() <= clear + allowed, "μ {mu}: {z} m aside");
        assert!(angle.abs() <= 2.0 * clear / length, "μ {mu}: turned by {angle}");
    }
}

/// A drawer that is pushed beside its middle sticks if `2 μ e > l`, and then the friction cone of what
/// touches is not pointed.
#[test]
fn a_drawer_pushed_aside_sticks() {
    for mu in [0.3, 0.5, 0.8] {
        for (part, sticks) in [(0.5, false), (0.9, false), (1.1, true), (1.3, true)] {
            let e = part * scenes::DRAWER / (2.0 * mu);
            if e > 0.58 {
                continue;
            }
            let drawer = push_drawer(mu, e);
            let case = format!("μ {mu}, 2 μ e / l = {part}: {drawer:?}");
            assert_eq!(drawer.is_pointed, !sticks, "{case}");
            assert_eq!(drawer.way > 0.99, !sticks, "{case}");
            assert!(!sticks || drawer.solved == 0, "{case}");
        }
    }
}

/// A drawer that sticks is told as jammed, with the contacts that hold each other and how they push: each
/// within its friction cone, without force and torque in sum. One that moves is not, nor is what only ran out
/// of its budget.
#[test]
fn a_jam_is_told_from_a_budget_that_ran_out() {
    let mut settings = scenes::weightless();
    let h = 1.0 / 60.0;
    // The clearance of the drawer is within it.
    settings.contact.dead_zone = 0.036;
    for (part, sticks) in [(0.5, false), (1.4, true)] {
        let mut drawer = scenes::drawer(0.5, part * scenes::DRAWER);
        let mut jammed = 0;
        for _ in 0..10 {
            let report = drawer.advance(&settings, h).clone();
            let jams = drawer.world.jams(&settings);
            let is_open = report.status == StepStatus::NotConverged;
            assert_eq!(report.jammed.len(), jams.len(), "{report}");
            assert!(is_open || jams.is_empty(), "what is solved is no jam");
            for jam in jams {
                jammed += 1;
                assert_eq!(jam.bodies, [drawer.id]);
                assert_eq!(report.jammed, [drawer.id]);
                let (mut force, mut torque, mut most) = (DVec3::ZERO, DVec3::ZERO, 0.0);
                for (origin, impulse) in &jam.contacts {
                    let pairs = drawer.world.pairs();
                    let pair =
                        pairs.iter().find(|pair| pair.key == origin.pair).expect("it is there");
                    let contact = pair.contacts.iter().find(|contact| contact.id == origin.id);
                    let side = usize::from(pair.key.b == drawer.id);
                    let arm = widen3(contact.expect("it is there").arms[side]);
                    let impulse = *impulse * (2.0 * side as Double - 1.0);
                    let normal = widen3(origin.normal) * (2.0 * side as Double - 1.0);
                    let along = impulse.dot(normal);
                    let slip = (impulse - normal * along).length();
                    // The finger has none.
                    assert!(along > 0.0 && slip <= 0.5 * along + 1e-6, "{impulse} along {normal}");
                    (force, torque) = (force + impulse, torque + arm.cross(impulse));
                    most = along.max(most);
                }
                assert!((most - 1.0).abs() < 1e-6, "the largest is one");
                // The drawer moves in the plane.
                let off = force.x.abs().max(force.z.abs()).max(torque.y.abs());
                assert!(off < 1e-3, "{force}, {torque}: they hold each other");
            }
        }
        assert_eq!(jammed > 0, sticks, "2 μ e / l = {part}");
    }

    let mut world = Simulation::new();
    floor(&mut world, 0.5);
    let mut settings = Settings::default();
    settings.solver.method = Method::Pgs;
    settings.solver.sweeps_max = 1;
    settings.solver.tolerance = 1e-12;
    let id = place(&mut world, BodyKind::Dynamic, cuboid(1.0, 0.2, 0.4), 0.5, Vec3::Y * 0.1);
    change(&mut world, id).angular_velocity = Vec3::Z;
    let mut unsolved = 0;
    for _ in 0..10 {
        let report = world.step(&settings, h);
        unsolved += report.islands_unsolved;
        assert!(report.jammed.is_empty(), "a budget ran out: {report}");
    }
    assert!(unsolved > 0, "one sweep is not enough");
}
