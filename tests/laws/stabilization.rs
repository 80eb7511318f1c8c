//! Overlap is taken back alike by every method.
//!
//! A body that is sunk into a fixed floor by `d`, without gravity and friction, is one row: with `o = d - c
//! h²` beyond the dead zone it leaves by `min(γ o, v_push h)` in a step. With `relax` it then stands still,
//! without it goes on at `min(γ o / h, v_push)`.
//!
//! A ball has one contact, which a sweep solves. On the four corners of a cube (rows `1 + 6 (x x' + z z')`,
//! in units of its mass and side) a sweep of Gauss–Seidel leaves an eighth of what it found, its spectral
//! radius: that much of a push that is carried on small steps may err by, whose sweeps are two. One that is
//! not they find by three, and the first of the two sees what those leave.
//!
//! Under gravity small steps let a body sink by `s g (h/n)²` in its first step, while they know no load.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::settings::{ContactSettings, Integration, Settings};
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::{ground, material, place};
use orthant_lab::support::{DT, add, body, change, cuboid, floor, sphere};

const METHODS: [Method; 5] =
    [Method::Auto, Method::Newton, Method::Pgs, Method::Substeps, Method::Lemke];

/// Half of the height of the bodies (m).
const HALF: Real = 0.5;

/// Rounding of numbers of one meter and meter per second: a few of single precision, which the small steps
/// and sweeps use in every build.
const ROUNDING: Real = 8.0 * f32::EPSILON as Real;

fn settings(method: Method, gamma: Real, relax: bool) -> Settings {
    let mut settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    (settings.contact.gamma, settings.contact.relax) = (gamma, relax);
    settings.contact.friction = Some(0.0);
    settings.solver.method = method;
    settings
}

/// A body on a floor, sunk by `depth`.
fn sunk(shape: Shape, depth: Real) -> (Simulation, BodyId) {
    let mut world = floor();
    let id = add(&mut world, BodyKind::Dynamic, shape, Vec3::new(0.0, HALF - depth, 0.0));
    (world, id)
}

/// What a sweep over four corners of a cube leaves (–).
const LEFT: Real = 0.125;

/// What the sweeps leave by which small steps push a cube: three where the push is not carried on.
fn left_of_cube(relax: bool) -> Real {
    LEFT.powi(if relax { 3 } else { 1 })
}

/// One step of an overlap in every method, against the closed form. `sweep` is what a sweep over the contacts
/// leaves (–).
#[track_caller]
fn check(shape: &Shape, sweep: Real, depth: Real, gamma: Real, relax: bool) {
    for method in METHODS {
        let settings = settings(method, gamma, relax);
        let (mut world, id) = sunk(shape.clone(), depth);
        let report = world.step(&settings, DT).clone();
        let zone = settings.contact.dead_zone * DT * DT;
        let speed = (gamma * (depth - zone) / DT).min(settings.contact.push_speed_max);
        let tolerance = settings.solver.tolerance as Real;
        let sweep = if method == Method::Substeps { sweep } else { 0.0 };
        let case = format!("{method:?}, depth {depth}, γ {gamma}, relax {relax}");
        let left = HALF - body(&world, id).position().y;
        let wanted = depth - speed * DT;
        let bar = tolerance * DT + ROUNDING + sweep * speed * DT;
        assert!((left - wanted).abs() <= bar, "{case}: {left} m left, wanted {wanted}: {report}");
        let carried = body(&world, id).linear_velocity.y;
        let wanted = if relax { 0.0 } else { speed };
        let bar = tolerance + ROUNDING * speed.max(1.0) + sweep * speed;
        assert!((carried - wanted).abs() <= bar, "{case}: {carried} m/s, wanted {wanted}");
    }
}

#[test]
fn every_method_takes_back_the_same_part_of_an_overlap() {
    for gamma in [1.0, 0.7, 0.2, 0.05] {
        for relax in [true, false] {
            for depth in [0.002, 0.02] {
                check(&sphere(HALF), 0.0, depth, gamma, relax);
                check(&cuboid(1.0, 1.0, 1.0), left_of_cube(relax), depth, gamma, relax);
            }
        }
    }
}

#[test]
fn no_method_pushes_faster_than_the_cap() {
    // 3 m/s take back 50 mm in a step.
    for gamma in [1.0, 0.7, 0.4] {
        for relax in [true, false] {
            check(&sphere(HALF), 0.0, 0.15, gamma, relax);
            check(&cuboid(1.0, 1.0, 1.0), left_of_cube(relax), 0.15, gamma, relax);
        }
    }
}

#[test]
fn an_overlap_decays_alike_under_every_method() {
    // Without friction and gravity nothing else acts: (1 - γ)ⁿ of it is left after n steps.
    let (gamma, steps, depth) = (0.2, 10, 0.01);
    for method in METHODS {
        let settings = settings(method, gamma, true);
        let (mut world, id) = sunk(sphere(HALF), depth);
        for _ in 0..steps {
            world.step(&settings, DT);
        }
        let zone = settings.contact.dead_zone * DT * DT;
        let wanted = zone + (depth - zone) * (1.0 - gamma).powi(steps);
        let left = HALF - body(&world, id).position().y;
        // Errors of a step fade like the overlap does.
        let bar = (settings.solver.tolerance as Real * DT + ROUNDING) / gamma;
        assert!((left - wanted).abs() <= bar, "{method:?}: {left} m left, wanted {wanted}");
    }
}

/// What a heavy cube, sunk by `depth`, has come to after `steps`: `left` of the overlap, pushed by `push` in
/// the last of them (m/s). Errors of each step and the sinking of the first add up `errors` times.
struct Loaded {
    contact: ContactSettings,
    depth: Real,
    steps: u32,
    left: Real,
    push: Real,
    errors: [Real; 2],
}

impl Loaded {
    /// In every method, with friction and without.
    #[track_caller]
    fn check(&self) {
        for (method, friction) in METHODS.into_iter().flat_map(|m| [(m, None), (m, Some(0.0))]) {
            let contact = ContactSettings { friction, ..self.contact };
            let mut settings = Settings { contact, ..Settings::default() };
            settings.solver.method = method;
            let (mut world, id) = sunk(cuboid(1.0, 1.0, 1.0), self.depth);
            for _ in 0..self.steps {
                world.step(&settings, DT);
            }
            let (solver, weight) = (&settings.solver, settings.gravity.length());
            let substep = DT / solver.substeps as Real;
            let small = if method == Method::Substeps { 1.0 } else { 0.0 };
            let sinking = small * solver.softness as Real * weight * substep * substep;
            let tolerance = solver.tolerance as Real;
            let case = format!("{method:?}, friction {friction:?}");
            let off = HALF - body(&world, id).position().y - self.left;
            let bar = self.errors[0] * (tolerance * DT + ROUNDING) + self.errors[1] * sinking;
            assert!(off.abs() <= bar, "{case}: {off} m off {} m", self.left);
            let speed = body(&world, id).linear_velocity.length();
            let bar = tolerance + ROUNDING * weight + small * left_of_cube(true) * self.push;
            assert!(speed <= bar, "{case}: {speed} m/s carried");
        }
    }
}

#[test]
fn an_overlap_under_load_decays_alike_under_every_method() {
    let (gamma, depth) = (0.2, 0.01);
    let contact = ContactSettings { gamma, ..ContactSettings::default() };
    let zone = contact.dead_zone * DT * DT;
    let kept: Real = 1.0 - gamma;
    let before = (depth - zone) * kept.powi(9);
    let (left, push) = (zone + kept * before, gamma * before / DT);
    // Errors of a step fade like the overlap does.
    Loaded { contact, depth, steps: 10, left, push, errors: [1.0 / gamma, kept.powi(9)] }.check();
}

#[test]
fn the_cap_of_the_push_holds_alike_under_load() {
    let (push, depth) = (0.3, 0.1);
    let contact = ContactSettings { push_speed_max: push, ..ContactSettings::default() };
    let left = depth - 10.0 * push * DT;
    Loaded { contact, depth, steps: 10, left, push, errors: [10.0, 1.0] }.check();
}

#[test]
fn a_limit_is_met_again_alike_under_every_method() {
    for method in METHODS {
        for relax in [true, false] {
            let (gamma, depth) = (0.2, 0.02);
            let settings = settings(method, gamma, relax);
            let mut world = Simulation::new();
            let id = add(&mut world, BodyKind::Dynamic, sphere(HALF), Vec3::X * -depth);
            let desc = JointDesc::to_world(JointKind::Prismatic, id)
                .with_anchors(Vec3::ZERO, Vec3::ZERO)
                .with_limit(JointAxis::LinearX, 0.0, 1.0);
            world.add_joint(desc).expect("a body");
            world.step(&settings, DT);
            let zone = settings.contact.dead_zone * DT * DT;
            let speed = gamma * (depth - zone) / DT;
            let bar = settings.solver.tolerance as Real + ROUNDING * speed.max(1.0);
            let body = body(&world, id);
            let left = -body.position().x - (depth - speed * DT);
            assert!(left.abs() <= bar * DT + ROUNDING * depth, "{method:?}, {relax}: {left} m off");
            let off = body.linear_velocity.x - if relax { 0.0 } else { speed };
            assert!(off.abs() <= bar, "{method:?}, {relax}: {off} m/s off");
        }
    }
}

/// Two boxes that turn, in and above a floor and each other, with restitution `e`.
fn entangled(rng: &mut Rng, e: Real) -> (Simulation, [BodyId; 2]) {
    let mut world = Simulation::new();
    ground(&mut world, material(0.5, e));
    let sizes = [([1.0, 0.6, 0.4], 0.25), ([0.5, 0.3, 1.0], 0.8)];
    let ids = sizes.map(|([x, y, z], height)| {
        let (shape, at) = (cuboid(x, y, z), Vec3::Y * height);
        let velocity = rng.vector(-1.0, 1.0);
        let id = place(&mut world, BodyKind::Dynamic, shape, material(0.5, e), at, velocity);
        let body = change(&mut world, id);
        body.set_pose(at, rng.rotation());
        body.angular_velocity = rng.vector(-6.0, 6.0);
        id
    });
    (world, ids)
}

#[test]
fn what_is_not_relaxed_carries_on_the_velocity_that_moves_it() {
    // q⁺ = q + h v⁺ with the v⁺ that is kept. Small steps move by the mean of theirs.
    let mut rng = Rng::new(41);
    for method in METHODS.into_iter().filter(|m| *m != Method::Substeps) {
        let mut settings = Settings::default();
        settings.contact.relax = false;
        // Nothing bounces, also what could.
        settings.contact.restitution_speed = 100.0;
        settings.solver.method = method;
        settings.solver.integration = Integration::Euler;
        for case in 0..20 {
            let (mut world, ids) = entangled(&mut rng, [0.0, 1.0][case % 2]);
            for step in 0..5 {
                let before = ids.map(|id| body(&world, id).position());
                let report = world.step(&settings, DT).clone();
                for (id, before) in ids.into_iter().zip(before) {
                    let body = body(&world, id);
                    let moved = (body.position() - before) / DT;
                    let off = (moved - body.linear_velocity).length();
                    // Places are known to their digits.
                    let bar = ROUNDING * (1.0 + moved.length()) / DT;
                    assert!(off <= bar, "{method:?}, {case}, {step}: {off} m/s off: {report}");
                }
            }
        }
    }
}

/// What a step tells that its impulses gave is what a push and a lift give: `½ m (v² - (g h)²)`.
#[test]
fn the_energy_that_a_push_or_a_lift_gives_is_told() {
    let (depth, mass) = (0.01, 1.0);
    let told = |speed: Real| 0.5 * mass * (speed * speed - (9.81 * DT).powi(2));
    for (relax, gamma) in [(false, 1.0), (false, 0.2), (true, 1.0)] {
        let (mut world, _) = sunk(cuboid(1.0, 1.0, 1.0), depth);
        let contact = ContactSettings { gamma, relax, ..Settings::default().contact };
        let settings = Settings { contact, ..Settings::default() };
        let zone = contact.dead_zone * DT * DT;
        world.step(&settings, DT);
        let want = if relax { 0.0 } else { told(gamma * (depth - zone) / DT).max(0.0) };
        let got = world.report().energy_given as Real;
        // Speeds to the tolerance, and rounding of a meter to the gap.
        let error = settings.solver.tolerance as Real + ROUNDING / DT;
        assert!((got - want).abs() <= mass * error, "γ {gamma}, relax {relax}: {got} for {want} J");
    }
    let mut world = Simulation::new();
    let lift = add(&mut world, BodyKind::Kinematic, cuboid(2.0, 1.0, 2.0), Vec3::ZERO);
    add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y);
    change(&mut world, lift).linear_velocity = Vec3::Y;
    world.step(&Settings::default(), DT);
    let got = world.report().energy_given as Real;
    assert!((got - told(1.0)).abs() <= mass * (1e-5 + ROUNDING / DT), "{got} J by a lift");
}

/// Contacts with what is fixed give nothing: `T(v⁺) - T(v*) ≤ Σ l · w`, which is what the tolerance leaves of
/// the complementarity. Cubes, whose inertia is the same however they turn.
#[test]
fn contacts_give_no_energy() {
    let (mut world, mut rng) = (floor(), Rng::new(5));
    for i in 0..12_u8 {
        let at = Vec3::new(rng.range(-0.5, 0.5), 0.8 + 0.9 * Real::from(i), rng.range(-0.5, 0.5));
        let id = add(&mut world, BodyKind::Dynamic, cuboid(0.6, 0.6, 0.6), at);
        let turn = rng.rotation();
        change(&mut world, id).set_pose(at, turn);
    }
    let settings = Settings::default();
    let (mut solved, mut touched) = (0, 0);
    for step in 0..180 {
        world.step(&settings, DT);
        let report = world.report();
        let pushes: Real = world.contacts().map(|contact| contact.impulse.length()).sum();
        touched += u32::from(pushes > 0.0);
        if report.islands_unsolved > 0 {
            continue;
        }
        solved += 1;
        let left = 2.0 * settings.solver.tolerance as Real * (pushes + 1.0);
        let given = report.energy_given as Real;
        assert!(given <= left, "step {step}: {given} J, {left} J by the tolerance");
    }
    assert!(touched > 100 && solved > 150, "{solved} steps are solved, bodies touch in {touched}");
}
