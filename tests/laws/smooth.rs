//! Motion of cylinders, cones, ellipsoids and rounded bodies, with the default settings.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{PI, Quat, Real, Vec3, quat_exp, quat_rotate, sin};
use orthant_lab::support::{self, DT, floor, run_with};

const G: Real = 9.81;

fn run(world: &mut Simulation, n: usize) {
    run_with(world, n, &Settings::default());
}

fn drop_on(world: &mut Simulation, shape: Shape, position: Vec3, rotation: Quat) -> BodyId {
    let shape = Some(shape);
    let desc = BodyDesc { shape, position, rotation, ..BodyDesc::default() };
    world.add_body(desc).expect("a sound body")
}

fn made(shape: Result<Shape, orthant::engine::shape::ShapeError>) -> Shape {
    shape.expect("the lengths are in range")
}

#[track_caller]
fn assert_still(world: &Simulation, id: BodyId, speed: Real) {
    let body = world.body(id).expect("the body is there");
    let (v, w) = (body.linear_velocity.length(), body.angular_velocity.length());
    assert!(v < speed && w < speed, "at rest: {v} m/s, {w} rad/s");
}

#[track_caller]
fn assert_height(world: &Simulation, id: BodyId, height: Real) {
    let at = world.body(id).expect("the body is there").center().y;
    assert!((at - height).abs() < 1e-3, "at {at}, not {height}");
}

/// A floor that is a half-space, or the top of a wide box.
fn grounds() -> [Simulation; 2] {
    let mut boxed = Simulation::new();
    let ground = made(Shape::cuboid(40.0, 1.0, 40.0));
    support::add(&mut boxed, BodyKind::Static, ground, Vec3::new(1.0, -0.5, 2.0));
    [floor(), boxed]
}

#[test]
fn a_cylinder_rolls_down_an_incline() {
    let angle: Real = 0.3;
    for kind in 0..2 {
        let mut world = Simulation::new();
        let tilt = quat_exp(Vec3::Z * -angle);
        let up = quat_rotate(tilt, Vec3::Y);
        let (shape, at) = if kind == 0 {
            (made(Shape::half_space(Vec3::Y)), Vec3::ZERO)
        } else {
            (made(Shape::cuboid(100.0, 1.0, 20.0)), up * -0.5)
        };
        let desc = BodyDesc {
            kind: BodyKind::Static,
            shape: Some(shape),
            position: at,
            rotation: tilt,
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a sound body");
        let lying = quat_exp(Vec3::X * (0.5 * PI));
        let id = drop_on(&mut world, made(Shape::cylinder(0.5, 1.0)), up * 0.5, lying);
        let steps = 60;
        run(&mut world, steps);
        let body = world.body(id).expect("the body is there");
        let down = quat_rotate(tilt, Vec3::X);
        let (speed, time) = (body.linear_velocity.dot(down), DT * steps as Real);
        let expected = 2.0 / 3.0 * G * sin(angle) * time;
        assert!((speed / expected - 1.0).abs() < 0.005, "{speed} m/s, not {expected}, on {kind}");
        let spin = -body.angular_velocity.z * 0.5;
        assert!((spin / speed - 1.0).abs() < 0.005, "rolls: {spin} of {speed}, on {kind}");
        let off = body.center().dot(up) - 0.5;
        assert!(off.abs() < 2e-3, "stays on the plane: {off}, on {kind}");
        assert!(body.linear_velocity.z.abs() < 1e-3 * speed, "straight on, on {kind}");
    }
}

#[test]
fn a_cylinder_stands_and_lies() {
    for mut world in grounds() {
        let shape = made(Shape::cylinder(0.3, 1.0));
        let standing = drop_on(&mut world, shape.clone(), Vec3::new(0.0, 0.6, 0.0), Quat::IDENTITY);
        let lying = quat_exp(Vec3::X * (0.5 * PI));
        let lying = drop_on(&mut world, shape, Vec3::new(3.0, 0.4, 0.0), lying);
        let coin = made(Shape::cylinder(0.4, 0.05));
        let coin = drop_on(&mut world, coin, Vec3::new(-3.0, 0.6, 0.0), quat_exp(Vec3::X * 0.5));
        run(&mut world, 300);
        assert_height(&world, standing, 0.5);
        assert_height(&world, lying, 0.3);
        assert_height(&world, coin, 0.025);
        assert_still(&world, standing, 1e-3);
        assert_still(&world, lying, 1e-2);
        assert_still(&world, coin, 1e-2);
        let up = quat_rotate(world.body(standing).expect("the body").rotation(), Vec3::Y);
        assert!(up.y > 0.9999, "still upright: {up}");
    }
}

#[test]
fn a_cone_stands_on_its_base() {
    for mut world in grounds() {
        let shape = made(Shape::cone(0.5, 1.0));
        let id = drop_on(&mut world, shape.clone(), Vec3::new(0.0, 0.6, 0.0), Quat::IDENTITY);
        let tipped = quat_exp(Vec3::X * 0.4);
        let tipped = drop_on(&mut world, shape, Vec3::new(3.0, 0.8, 0.0), tipped);
        run(&mut world, 300);
        for id in [id, tipped] {
            // The center of mass is a quarter of the height up.
            assert_height(&world, id, 0.25);
            assert_still(&world, id, 1e-2);
        }
    }
}

#[test]
fn an_ellipsoid_comes_to_rest_on_its_flat_side() {
    for mut world in grounds() {
        let shape = made(Shape::ellipsoid(1.0, 0.5, 0.8));
        let tilted = quat_exp(Vec3::new(0.1, 0.2, 0.15));
        let desc = BodyDesc {
            shape: Some(shape),
            position: Vec3::new(0.0, 0.4, 0.0),
            rotation: tilted,
            angular_damping: 1.0,
            ..BodyDesc::default()
        };
        let id = world.add_body(desc).expect("a sound body");
        run(&mut world, 1200);
        assert_height(&world, id, 0.25);
        assert_still(&world, id, 2e-2);
    }
}

#[test]
fn a_stack_of_all_kinds_stands() {
    for mut world in grounds() {
        let still = Quat::IDENTITY;
        let stack = [
            (made(Shape::cylinder(0.5, 0.4)), 0.4),
            (made(Shape::round_cuboid(0.6, 0.2, 0.6, 0.1)), 0.4),
            (made(Shape::cylinder(0.4, 0.5)), 0.5),
            (made(Shape::round_cylinder(0.4, 0.1, 0.1)), 0.3),
            (made(Shape::cone(0.5, 0.8)), 0.8),
        ];
        let mut bottom = 0.0;
        let mut placed = Vec::new();
        for (shape, height) in stack {
            let at = Vec3::new(0.0, bottom + 0.5 * height, 0.0);
            let id = drop_on(&mut world, shape, at, still);
            placed.push((id, world.body(id).expect("the body is there").center().y));
            bottom += height;
        }
        run(&mut world, 240);
        for (k, &(id, height)) in placed.iter().enumerate() {
            let body = world.body(id).expect("the body is there");
            let at = body.center();
            assert!((at.y - height).abs() < 2e-3, "part {k} stays up: {at}, not {height}");
            assert!(at.x.abs() < 5e-3 && at.z.abs() < 5e-3, "part {k} stays in place: {at}");
        }
    }
}
