//! Pressed by what cannot yield: joints to a kinematic target against contacts with the fixed world.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointAxis, JointDesc, JointFrame, JointId, JointKind, Motor};
use orthant::engine::report::StepStatus;
use orthant::engine::settings::Settings;
use orthant::engine::shape::mass::MassProperties;
use orthant::math::{Double, Quat, Real, SymMat3, Vec3, narrow, quat_exp, quat_rotate, widen};
use orthant_lab::support::{DT, add, body, change, cuboid, sphere};

/// Side of all boxes (m).
const SIZE: Real = 0.1;

/// What a joint bears for each kilogram of its island when it is pressed [m/s²].
const PRESSED: Real = 1e4;

/// A table with its surface at y = 0, a hand welded to a target, a box that lies on the hand, and two
/// that stand on each other beside it.
struct Scene {
    world: Simulation,
    target: BodyId,
    hand: BodyId,
    free: Vec<BodyId>,
    weld: JointId,
}

impl Scene {
    /// The hand is welded where its lower face is at `height`, `gap` (m) from the two.
    fn new(height: Real, gap: Real) -> Self {
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, cuboid(2.0, 0.5, 2.0), Vec3::Y * -0.25);
        let at = Vec3::Y * (height + 0.5 * SIZE);
        let target = add(&mut world, BodyKind::Kinematic, sphere(0.01), at);
        let mut cube = |at| add(&mut world, BodyKind::Dynamic, cuboid(SIZE, SIZE, SIZE), at);
        let hand = cube(at);
        let beside = SIZE + gap;
        let places = [
            at + Vec3::Y * SIZE,
            Vec3::new(beside, 0.5 * SIZE, 0.0),
            Vec3::new(beside, 1.5 * SIZE, 0.0),
        ];
        let free = places.map(cube).to_vec();
        let weld = JointDesc::between(JointKind::Fixed, target, hand);
        let weld = world.add_joint(weld).expect("two bodies");
        Self { world, target, hand, free, weld }
    }

    fn aim(&mut self, height: Real, rotation: Quat) {
        let at = Vec3::Y * (height + 0.5 * SIZE);
        change(&mut self.world, self.target).set_target(at, rotation);
    }

    /// Largest speed of a corner of a free body or the hand [m/s].
    fn speed(&self) -> Real {
        let speed = |id: &BodyId| {
            let body = body(&self.world, *id);
            body.linear_velocity.length() + SIZE * body.angular_velocity.length()
        };
        self.free.iter().chain([&self.hand]).map(speed).fold(0.0, Real::max)
    }

    fn force(&self) -> Real {
        self.world.joint(self.weld).expect("it is there").reaction().0.length()
    }

    fn mass(&self) -> Real {
        body(&self.world, self.hand).mass()
    }
}

/// A hand whose target is 1 cm inside a table, level or turned, lies on the table.
#[test]
fn a_hand_that_is_held_in_a_table_lies_on_it() {
    let settings = Settings::default();
    // What turns may push the others aside until it has turned.
    for (turn, gap, first) in [(0.0, 0.001, 10), (0.1, 0.03, 90), (0.3, 0.03, 90)] {
        let mut scene = Scene::new(-0.01, gap);
        let (mut unsolved, mut fastest, mut most): (u32, Real, Real) = (0, 0.0, 0.0);
        for step in 0..first + 290 {
            let part = (step as Real / 60.0).min(1.0);
            scene.aim(-0.01, quat_exp(Vec3::new(0.0, turn, turn) * part));
            let report = scene.world.step(&settings, DT);
            let unmet = report.status != StepStatus::Solved;
            if step >= first {
                assert_eq!(report.yielded, [scene.weld], "turned by {turn}, step {step}");
                unsolved += u32::from(unmet);
                fastest = fastest.max(scene.speed());
                most = most.max(scene.force());
            }
        }
        println!("turned by {turn}: {unsolved} unsolved, {fastest} m/s, {most} N");
        assert_eq!(unsolved, 0, "turned by {turn}");
        assert!(fastest <= 0.01, "turned by {turn}: {fastest} m/s");
        // All four boxes may be one island; along three axes.
        let bound = 4.0 * PRESSED * scene.mass() * Real::sqrt(3.0);
        assert!(most <= 1.0001 * bound, "turned by {turn}: {most} N of {bound} N");
        // What was pressed in comes back.
        for step in 0..120 {
            let part = (step as Real / 60.0).min(1.0);
            scene.aim(-0.01 + 0.06 * part, Quat::IDENTITY);
            scene.world.step(&settings, DT);
        }
        let report = scene.world.report();
        assert_eq!((report.status, &report.yielded[..]), (StepStatus::Solved, &[][..]), "free");
        assert!(report.joint_error < 1e-5, "turned by {turn}: {}", report.joint_error);
        let y = body(&scene.world, scene.hand).position().y;
        assert!((y - 0.1).abs() < 1e-4, "turned by {turn}: held at {y} m");
    }
}

/// A hand that is led down into a table, dragged along in it and lifted does not jump.
#[test]
fn a_hand_that_is_led_through_a_table_slides_on_it() {
    let settings = Settings::default();
    let mut scene = Scene::new(0.03, 0.001);
    let (mut unsolved, mut fastest, mut worst): (u32, Real, f64) = (0, 0.0, 0.0);
    for step in 0..400 {
        let time = step as Real * DT;
        let down = 0.04 * time.min(1.0);
        let up = 0.05 * (time - 5.0).clamp(0.0, 1.0);
        let at =
            Vec3::new(-0.05 * (time - 2.0).clamp(0.0, 2.0), 0.03 + 0.5 * SIZE - down + up, 0.0);
        change(&mut scene.world, scene.target).set_target(at, Quat::IDENTITY);
        let report = scene.world.step(&settings, DT);
        unsolved += u32::from(report.status != StepStatus::Solved);
        worst = worst.max(report.natural_map).max(report.natural_map_relaxed);
        fastest = fastest.max(scene.speed());
    }
    println!("{unsolved} unsolved, residual up to {worst}, {fastest} m/s");
    assert_eq!(unsolved, 0, "all are solved");
    // The hand is led at 50 mm/s; what lies on it may slip, what it lets go of follows at its speed.
    assert!(fastest < 0.2, "{fastest} m/s");
    let report = scene.world.report();
    assert!(report.joint_error < 1e-4 && report.yielded.is_empty(), "{report}");
}

/// Joints yield at the force that they are given, and hold below it.
#[test]
fn joints_yield_at_their_own_force() {
    let settings = Settings::default();
    for (strength, holds) in [(1.05, true), (0.95, false)] {
        let mut world = Simulation::new();
        let id = add(&mut world, BodyKind::Dynamic, cuboid(SIZE, SIZE, SIZE), Vec3::ZERO);
        let weight = 9.81 * body(&world, id).mass();
        let desc = JointDesc::to_world(JointKind::Fixed, id);
        let desc = desc.with_yield(strength * weight, Real::INFINITY);
        let joint = world.add_joint(desc).expect("a body");
        for _ in 0..60 {
            let report = world.step(&settings, DT);
            assert_eq!(report.status, StepStatus::Solved, "{report}");
            assert_eq!(report.yielded.is_empty(), holds, "at {strength} of the weight");
            assert!(report.broken.is_empty(), "it does not break");
        }
        let force = world.joint(joint).expect("it is there").reaction().0.y;
        let want = weight * Real::min(strength, 1.0);
        assert!((force - want).abs() < 1e-3 * weight, "{strength}: {force} N, {want} N");
        // The body falls with what is left of gravity.
        let speed = -body(&world, id).linear_velocity.y;
        let want = 9.81 * Real::max(1.0 - strength, 0.0);
        assert!((speed - want).abs() < 1e-3 * 9.81, "{strength}: {speed} m/s, {want} m/s");
    }
}

/// A press with a motor of unlimited force: its lock and the contacts below ask for what cannot be, and the
/// impulses that were to give it heated up both. Joints yield where they press against what cannot.
#[test]
fn a_motor_that_knows_no_bound_presses_and_stops() {
    let settings = Settings::default();
    let mut world = Simulation::new();
    add(&mut world, BodyKind::Static, cuboid(2.0, 0.5, 2.0), Vec3::Y * -0.25);
    let block = add(&mut world, BodyKind::Dynamic, cuboid(SIZE, SIZE, SIZE), Vec3::Y * 0.05);
    let stamp = add(&mut world, BodyKind::Dynamic, cuboid(SIZE, SIZE, SIZE), Vec3::Y * 0.2);
    let frame = |anchor: Vec3| JointFrame::along(anchor, Vec3::NEG_Y);
    let desc = JointDesc::to_world(JointKind::Prismatic, stamp)
        .with_frames(frame(Vec3::Y * 0.2), frame(Vec3::ZERO))
        .with_motor(JointAxis::LinearX, Motor::velocity(0.1, Real::INFINITY));
    world.add_joint(desc).expect("a body");
    let mut unsolved = 0;
    for step in 0..300 {
        let status = world.step(&settings, DT).status;
        if step >= 60 {
            unsolved += u32::from(status != StepStatus::Solved);
        }
    }
    let speed = [block, stamp].map(|id| body(&world, id).linear_velocity.length());
    let overlap = 0.15 - body(&world, stamp).position().y;
    println!("{unsolved} unsolved, {speed:?} m/s, {overlap} m");
    assert_eq!(unsolved, 0, "all are solved");
    assert!(speed.iter().all(|v| *v < 1e-4), "{speed:?} m/s");
    assert!(overlap < 1e-4, "{overlap} m");
}

/// A lid is led down onto boxes on a table, by contacts alone, stays 1 cm too low, and is lifted. No velocity
/// meets both: impulses that were to do so grew with every sweep, and heated up what is pressed. Where they
/// prove themselves that there is none, contacts ask for what they have when all give way alike.
#[test]
fn a_lid_that_presses_boxes_onto_a_table_is_quiet() {
    let settings = Settings::default();
    for count in [1, 3] {
        let mut world = Simulation::new();
        add(&mut world, BodyKind::Static, cuboid(2.0, 0.5, 2.0), Vec3::Y * -0.25);
        let boxes: Vec<BodyId> = (0..count)
            .map(|i| {
                let at = Vec3::Y * (SIZE * (i as Real + 0.5));
                add(&mut world, BodyKind::Dynamic, cuboid(SIZE, SIZE, SIZE), at)
            })
            .collect();
        let top = SIZE * count as Real + 0.05;
        let lid = add(&mut world, BodyKind::Kinematic, cuboid(1.0, 0.1, 1.0), Vec3::Y * top);
        let (mut unsolved, mut told, mut fastest, mut late): (u32, u32, Real, Real) =
            (0, 0, 0.0, 0.0);
        for step in 0..500 {
            let time = step as Real * DT;
            let up = 0.02 - 0.03 * time.min(1.0) + 0.03 * (time - 5.0).clamp(0.0, 1.0);
            change(&mut world, lid).set_target(Vec3::Y * (top + up), Quat::IDENTITY);
            let report = world.step(&settings, DT);
            unsolved += u32::from(report.status != StepStatus::Solved);
            if (60..300).contains(&step) {
                told += u32::from(report.pressed == [boxes[0]]);
                // Solved, but not as posed.
                let rows = [report.rows_solved, report.rows_swept, report.rows_softened];
                assert_eq!((rows, report.rows_pressed), ([0; 3], report.contacts), "{report}");
                assert_eq!(report.solves[0].rows_pressed, report.contacts, "{report}");
                assert!(report.to_string().contains("after contacts gave way"), "{report}");
            }
            let speed = boxes.iter().map(|&id| body(&world, id).linear_velocity.length());
            let speed = speed.fold(0.0, Real::max);
            fastest = fastest.max(speed);
            late = if (90..300).contains(&step) { late.max(speed) } else { late };
        }
        println!("{count}: {unsolved} unsolved, {told} told, {fastest} m/s, {late} m/s pressed");
        assert_eq!((unsolved, told), (0, 240), "{count} boxes");
        // The lid comes at 30 mm/s, and lets go.
        assert!(fastest < 0.031, "{count} boxes: {fastest} m/s");
        assert!(late < 1e-3, "{count} boxes: {late} m/s while they are pressed");
        let report = world.report();
        assert!(report.pressed.is_empty() && report.overlap < 2e-5, "{count} boxes: {report}");
        let rows = [report.rows_solved, report.rows_pressed];
        assert_eq!(rows, [report.contacts, 0], "{count} boxes are solved as posed: {report}");
    }
}

/// A motor drives a slider by crank and rod between walls that are two millimetres too near: the friction
/// cone is not pointed, walls hold each other's impulses however large those are, and no step needs to have a
/// solution. No impulse grows beyond what stops all of it, and nothing gains a speed that neither motor nor
/// push gives.
#[test]
fn a_slider_that_is_too_wide_for_its_guide_does_not_fly_apart() {
    let (crank, rod, speed): (Real, Real, Real) = (0.5, 1.5, 2.0);
    let mut world = Simulation::new();
    let end = Vec3::Z * -crank;
    let at = Vec3::X * (rod * rod - crank * crank).sqrt();
    // Without shapes, along their x axes.
    let mut bar = |length: Real, position: Vec3, angle: Real| {
        let inertia = Vec3::new(1e-3, length * length / 12.0, length * length / 12.0) * length;
        let mass_properties = Some(MassProperties {
            mass: length,
            center_of_mass: Vec3::ZERO,
            inertia: SymMat3::diagonal(inertia),
        });
        let rotation = quat_exp(Vec3::Y * angle);
        let desc = BodyDesc { mass_properties, position, rotation, ..BodyDesc::default() };
        world.add_body(desc).expect("a sound body")
    };
    let lean = -narrow(libm::asin(widen(crank / rod)));
    let cranked = bar(crank, 0.5 * end, narrow(0.5 * core::f64::consts::PI));
    let led = bar(rod, 0.5 * (end + at), lean);
    let slider = add(&mut world, BodyKind::Dynamic, cuboid(0.4, 0.1, 0.3), at);
    for side in [-1.0, 1.0] {
        let wall = at + Vec3::Z * (side * (0.15 - 0.001 + 0.03));
        add(&mut world, BodyKind::Static, cuboid(1.8, 0.1, 0.06), wall);
    }
    let frame = |world: &Simulation, id: Option<BodyId>, at: Vec3| {
        let (place, back) = id.map_or((Vec3::ZERO, Quat::IDENTITY), |id| {
            (body(world, id).position(), body(world, id).rotation().inverse())
        });
        let anchor = quat_rotate(back, at - place);
        JointFrame { anchor, ..JointFrame::along(Vec3::ZERO, Vec3::Y) }
    };
    let ends = [(None, cranked, Vec3::ZERO), (Some(cranked), led, end), (Some(led), slider, at)];
    for (a, b, at) in ends {
        let frames = [frame(&world, a, at), frame(&world, Some(b), at)];
        let hinge = JointDesc::new(JointKind::Revolute, [a, Some(b)]);
        let hinge = hinge.with_frames(frames[0], frames[1]);
        let hinge = match a {
            None => hinge.with_motor(JointAxis::AngularX, Motor::velocity(speed, 20.0)),
            Some(_) => hinge,
        };
        world.add_joint(hinge).expect("a sound joint");
    }
    let settings = Settings::default();
    let ids = [cranked, led, slider];
    let mass: Real = ids.iter().map(|&id| body(&world, id).mass()).sum();
    let (mut fastest, mut unsolved): (Real, u32) = (0.0, 0);
    for _ in 0..600 {
        let before = ids.map(|id| body(&world, id).linear_velocity.length());
        unsolved += world.step(&settings, DT).islands_unsolved;
        let of = |id: BodyId| body(&world, id).linear_velocity.length();
        fastest = ids.into_iter().map(of).fold(fastest, Real::max);
        // Of each component.
        let speed = before.into_iter().fold(0.0, Real::max) + 9.81 * DT;
        let most = mass * (PRESSED * DT + speed);
        for contact in world.pairs().iter().flat_map(|pair| &pair.contacts) {
            let impulse = contact.impulse.iter().map(|l| l.length()).fold(0.0, Double::max);
            assert!(impulse <= 1.01 * 3.0_f64.sqrt() * widen(most), "an impulse of {impulse} N·s");
        }
    }
    println!("{unsolved} of 600 steps are not solved, nobody is faster than {fastest} m/s");
    // The crank's end, or the speed of the push.
    let most = (speed * crank).max(settings.contact.push_speed_max);
    assert!(fastest <= 1.01 * most, "{fastest} m/s");
}
