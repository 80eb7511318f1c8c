//! What is drawn, line by line, without a renderer.

use super::*;
use bevy_asset::Assets;
use bevy_color::{Color, LinearRgba};
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{GizmoAsset, GizmoHandles};
use core::any::TypeId;
use orthant::engine::lcp::Method;
use orthant::engine::report::StepStatus;
use orthant::engine::settings::SolverSettings;

pub(super) const RED: Color = Color::srgb(1.0, 0.0, 0.0);

/// An app that draws nothing but what is asked for.
pub(super) fn drawing(gizmos: PhysicsGizmos) -> App {
    let mut app = App::new();
    app.init_resource::<Assets<GizmoAsset>>();
    let physics = (as_it_is(PhysicsPlugins::default()), PhysicsDebugPlugin);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
    *app.world_mut().resource_mut::<GizmoConfigStore>().config_mut::<PhysicsGizmos>().1 = gizmos;
    steps_each_update(&mut app, 1);
    app.update();
    app
}

/// The lines of the last update, with their colors.
pub(super) fn lines(app: &App) -> Vec<([Vec3; 2], LinearRgba)> {
    let handles = app.world().resource::<GizmoHandles>().handles();
    let Some(Some(handle)) = handles.get(&TypeId::of::<PhysicsGizmos>()) else { return Vec::new() };
    let assets = app.world().resource::<Assets<GizmoAsset>>();
    let Some(asset) = assets.get(handle) else { return Vec::new() };
    let view = asset.buffer().buffer();
    let ends = view.list_positions.chunks(2).map(|ends| [ends[0], ends[1]].map(from_single3));
    ends.zip(view.list_colors.iter().copied().step_by(2)).collect()
}

fn colors(app: &App) -> Vec<LinearRgba> {
    let mut list: Vec<LinearRgba> = Vec::new();
    for (_, color) in lines(app) {
        if !list.contains(&color) {
            list.push(color);
        }
    }
    list
}

pub(super) fn only(change: impl FnOnce(&mut PhysicsGizmos)) -> PhysicsGizmos {
    let mut gizmos = PhysicsGizmos::none();
    change(&mut gizmos);
    gizmos
}

#[test]
fn shapes_are_drawn_where_they_are() {
    let mut app = drawing(only(|g| g.dynamic_color = Some(RED)));
    without_gravity(&mut app);
    let place = at(2.0, 0.0, 0.0);
    let body = spawn(&mut app, (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 3.0), place));
    run(&mut app, 2);
    let drawn = lines(&app);
    assert_eq!(drawn.len(), 12, "the edges of a box");
    for ([from, to], color) in &drawn {
        assert_eq!(*color, RED.to_linear());
        for end in [from, to] {
            assert_near((*end - Vec3::X * 2.0).abs(), Vec3::new(0.5, 1.0, 1.5), 1e-5);
        }
    }
    // A ball: every line is at its surface.
    app.world_mut().entity_mut(body).insert(Collider::sphere(0.7));
    run(&mut app, 2);
    let drawn = lines(&app);
    assert!(drawn.len() >= 24, "{} lines", drawn.len());
    for ([from, to], _) in &drawn {
        for end in [from, to] {
            assert!((end.distance(Vec3::X * 2.0) - 0.7).abs() < 1e-4, "{end} is not on the ball");
        }
    }
    let shapes = [
        Collider::capsule(0.5, 1.0),
        Collider::cylinder(0.5, 1.0),
        Collider::cone(0.5, 1.0),
        Collider::ellipsoid(1.0, 2.0, 3.0),
        Collider::round_cuboid(1.0, 1.0, 1.0, 0.1),
        Collider::round_cylinder(0.5, 1.0, 0.1),
    ];
    for shape in shapes {
        let bounds = shape.shape().expect("it makes sense").aabb(Vec3::X * 2.0, Quat::IDENTITY);
        app.world_mut().entity_mut(body).insert(shape);
        run(&mut app, 2);
        let drawn = lines(&app);
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for end in drawn.iter().flat_map(|(ends, _)| ends) {
            (min, max) = (min.min(*end), max.max(*end));
        }
        assert_near(min, bounds.min, 1e-4);
        assert_near(max, bounds.max, 1e-4);
    }
}

#[test]
fn bodies_have_colors_of_their_own_and_switches() {
    let mut app = drawing(PhysicsGizmos::default());
    without_gravity(&mut app);
    for (k, kind) in [RigidBody::Dynamic, RigidBody::Kinematic].into_iter().enumerate() {
        spawn(&mut app, (kind, cube(), at(3.0 * k as f32, 0.0, 0.0)));
    }
    spawn(&mut app, (cube(), at(9.0, 0.0, 0.0)));
    spawn(&mut app, (cube(), Sensor, at(12.0, 0.0, 0.0)));
    spawn(&mut app, (RigidBody::Dynamic, cube(), Sleeping, at(15.0, 0.0, 0.0)));
    let own = DebugRender::collider(RED).with_aabb_color(RED);
    let body = spawn(&mut app, (RigidBody::Dynamic, cube(), own, at(20.0, 0.0, 0.0)));
    run(&mut app, 2);
    assert_eq!(colors(&app).len(), 6, "dynamic, kinematic, static, sensor, sleeping, and its own");
    assert_eq!(lines(&app).len(), 7 * 12, "boxes, and a bounding box");
    app.world_mut().entity_mut(body).insert(DebugRender::none());
    run(&mut app, 2);
    assert_eq!(lines(&app).len(), 5 * 12, "one is hidden");
    let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
    store.config_mut::<PhysicsGizmos>().0.enabled = false;
    run(&mut app, 2);
    assert_eq!(lines(&app).len(), 0, "all are hidden");
}

#[test]
fn contacts_are_drawn_with_what_they_do() {
    let gizmos = only(|g| {
        g.contact_colors = PhysicsGizmos::all().contact_colors;
        g.normal_color = Some(RED);
        g.impulse_color = Some(Color::WHITE);
        g.impulse_scale = 2.0;
        g.friction_cone_color = Some(Color::BLACK);
    });
    let mut app = drawing(gizmos);
    floor(&mut app);
    let resting = (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), Mass(4.0), SleepingDisabled);
    let cube = spawn(&mut app, (resting, Friction::new(0.5)));
    run(&mut app, 20);
    let drawn = lines(&app);
    let of = |color: Color| drawn.iter().filter(move |line| line.1 == color.to_linear());
    let contacts = report(&app).contacts as usize;
    assert_eq!(of(RED).count(), contacts, "a normal each");
    for ([from, to], _) in of(RED) {
        assert_near((*to - *from).abs(), Vec3::Y * 0.25, 1e-4);
    }
    let pushed: Real = of(Color::WHITE).map(|([from, to], _)| (to.y - from.y).abs()).sum();
    let weight = 4.0 * 9.81 / 64.0;
    assert!((pushed - 2.0 * weight).abs() < 0.02 * weight, "{pushed} for {weight} N s");
    let [_, touching, _] = PhysicsGizmos::all().contact_colors.expect("all");
    assert_eq!(of(touching).count(), 3 * contacts, "crosses of what touches");
    // A rim is as far from the axis as friction says.
    for ([rim, _], _) in of(Color::BLACK).filter(|([from, _], _)| from.y.abs() > 0.2) {
        let axis = of(RED).map(|([from, _], _)| (*rim - *from).with_y(0.0).length());
        let nearest = axis.fold(Real::INFINITY, Real::min);
        assert!((nearest - 0.5 * 0.25).abs() < 1e-3, "{nearest} m from the axis");
    }
    // Lifted apart and pressed together the colors change.
    app.world_mut().entity_mut(cube).insert(at(0.0, 0.4, 0.0));
    run(&mut app, 1);
    let [overlap, ..] = PhysicsGizmos::all().contact_colors.expect("all");
    assert!(lines(&app).iter().any(|line| line.1 == overlap.to_linear()), "they overlap");
}

#[test]
fn islands_and_their_certificates_have_colors() {
    let mut app = drawing(only(|g| {
        g.dynamic_color = Some(RED);
        g.shade = ShapeShade::Island;
    }));
    floor(&mut app);
    for x in [0.0, 9.0] {
        for y in [0.5, 1.5] {
            let body = (RigidBody::Dynamic, cube(), at(x, y, 0.0), SleepingDisabled);
            spawn(&mut app, body);
        }
    }
    run(&mut app, 5);
    assert_eq!(colors(&app).len(), 2, "two stacks are two islands");
    let shade = |app: &mut App| {
        let mut store = app.world_mut().resource_mut::<GizmoConfigStore>();
        store.config_mut::<PhysicsGizmos>().1.shade = ShapeShade::Certificate;
    };
    shade(&mut app);
    run(&mut app, 2);
    let gizmos = PhysicsGizmos::default();
    assert_eq!(report(&app).rows_softened + report(&app).rows_swept, 0, "it is solved");
    assert_eq!(colors(&app), [gizmos.solved_color.to_linear()], "solved");
    let small_steps = SolverSettings { method: Method::Substeps, ..SolverSettings::default() };
    app.insert_resource(SolverConfig(small_steps));
    for y in 0..8 {
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.3, 4.0 + 1.2 * y as f32, 0.2)));
    }
    let mut softened = false;
    for _ in 0..120 {
        run(&mut app, 1);
        let has = colors(&app).contains(&gizmos.softened_color.to_linear());
        assert_eq!(has, report(&app).rows_softened > 0, "as the report says");
        softened |= has;
    }
    assert!(softened, "the budget's small steps are soft");
}

#[test]
fn joints_boxes_velocities_and_casters_are_drawn() {
    let gizmos = only(|g| {
        g.joint_color = Some(RED);
        g.limit_color = Some(Color::BLACK);
        g.joint_error_color = Some(Color::WHITE);
    });
    let mut app = drawing(gizmos);
    without_gravity(&mut app);
    let a = spawn(&mut app, (RigidBody::Dynamic, cube()));
    let b = spawn(&mut app, (RigidBody::Dynamic, cube(), at(2.0, 0.0, 0.0)));
    let joint = Joint::hinge(a, b).with_anchor(Vec3::X).with_axis(Vec3::Z).with_limits(-0.5, 0.5);
    let joint = spawn(&mut app, joint);
    run(&mut app, 2);
    let drawn = lines(&app);
    let of = |color: Color| drawn.iter().filter(move |line| line.1 == color.to_linear());
    assert_eq!(of(RED).count(), 6, "an arm and two axes on each end");
    assert_eq!(of(Color::BLACK).count(), 14, "an arc and its ends");
    assert_eq!(of(Color::WHITE).count(), 0, "it is where it should be");
    app.world_mut().entity_mut(joint).insert(JointDisabled);
    run(&mut app, 2);
    assert_eq!(lines(&app).len(), 0, "a joint that does not hold is not drawn");

    let gizmos = only(|g| {
        g.aabb_color = Some(RED);
        g.center_of_mass_color = Some(Color::BLACK);
        g.velocity_color = Some(Color::WHITE);
        g.angular_velocity_color = Some(Color::srgb(1.0, 1.0, 0.0));
        g.caster_color = Some(Color::srgb(0.0, 0.0, 1.0));
        g.hit_color = Some(Color::srgb(0.0, 1.0, 0.0));
    });
    let mut app = drawing(gizmos);
    without_gravity(&mut app);
    let moving = (LinearVelocity(Vec3::Y * 5.0), AngularVelocity(Vec3::X * 4.0));
    spawn(&mut app, (RigidBody::Dynamic, cube(), moving));
    let ray = RayCaster::new(Vec3::ZERO, bevy_math::Dir3::X).with_max_distance(50.0);
    spawn(&mut app, (ray, at(-5.0, 0.0, 0.0)));
    run(&mut app, 2);
    let drawn = lines(&app);
    let of = |color: Color| drawn.iter().filter(move |line| line.1 == color.to_linear());
    assert_eq!(of(RED).count(), 12, "a box");
    assert_eq!(of(Color::BLACK).count(), 3, "a cross");
    let way = of(Color::WHITE).next().expect("a velocity").0;
    assert_near(way[1] - way[0], Vec3::Y * 0.5, 1e-5);
    let axis = of(Color::srgb(1.0, 1.0, 0.0)).next().expect("an angular velocity").0;
    assert_near(axis[1] - axis[0], Vec3::X * 0.4, 1e-5);
    let ray = of(Color::srgb(0.0, 0.0, 1.0)).next().expect("a ray").0;
    assert_near(ray[0], Vec3::X * -5.0, 1e-5);
    assert_near(ray[1], Vec3::X * -0.5, 1e-4);
    assert_eq!(of(Color::srgb(0.0, 1.0, 0.0)).count(), 4, "a hit and its normal");
}

/// What ends above the tolerance has a color of its own.
#[test]
fn what_is_swept_has_the_color_of_the_report() {
    let mut app = drawing(only(|g| {
        g.dynamic_color = Some(RED);
        g.shade = ShapeShade::Certificate;
    }));
    let few = SolverSettings { method: Method::Pgs, work_max: 2.0, ..SolverSettings::default() };
    app.insert_resource(SolverConfig(few));
    floor(&mut app);
    for y in 0..12 {
        spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.02 * y as f32, 0.5 + y as f32, 0.0)));
    }
    let gizmos = PhysicsGizmos::default();
    let (mut swept, mut solved) = (0, 0);
    for _ in 0..120 {
        run(&mut app, 1);
        let report = report(&app);
        if report.rows_softened > 0 || report.sleeping > 0 {
            continue;
        }
        let has = |color: Color| colors(&app).contains(&color.to_linear());
        let is_swept = report.rows_swept > 0 || report.islands_unsolved > 0;
        assert_eq!(has(gizmos.swept_color), is_swept, "as the report says");
        (swept, solved) = (swept + usize::from(is_swept), solved + usize::from(!is_swept));
    }
    assert!(swept > 10, "{swept} steps swept, {solved} solved");
}

/// What is solved only after contacts gave way has a color of its own, too.
#[test]
fn what_is_pressed_has_the_color_of_the_report() {
    let mut app = drawing(only(|g| {
        g.dynamic_color = Some(RED);
        g.shade = ShapeShade::Certificate;
    }));
    squeeze(&mut app);
    let gizmos = PhysicsGizmos::default();
    let mut pressed = 0;
    for _ in 0..40 {
        run(&mut app, 1);
        let report = report(&app);
        if report.rows_softened + report.rows_swept > 0 || report.status != StepStatus::Solved {
            continue;
        }
        let is = report.rows_pressed > 0;
        let color = if is { gizmos.pressed_color } else { gizmos.solved_color };
        assert_eq!(colors(&app), [color.to_linear()], "as the report says");
        pressed += u32::from(is);
    }
    assert!(pressed > 5, "{pressed} steps");
}

/// Crosses grow with the gap, and have its sign as their color.
#[test]
fn gaps_are_seen_by_size_and_color() {
    let mut app = drawing(only(|g| g.contact_colors = PhysicsGizmos::all().contact_colors));
    without_gravity(&mut app);
    floor(&mut app);
    let ball = spawn(&mut app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0)));
    let [overlap, _, apart] = PhysicsGizmos::all().contact_colors.expect("all");
    for deep in [0.02_f32, 0.06] {
        let inside = (at(0.0, 0.5 - deep, 0.0), LinearVelocity(Vec3::ZERO));
        app.world_mut().entity_mut(ball).insert(inside);
        run(&mut app, 1);
        let drawn = lines(&app);
        let of = drawn.iter().filter(|line| line.1 == overlap.to_linear());
        let sizes: Vec<_> = of.map(|([from, to], _)| from.distance(*to)).collect();
        assert_eq!(sizes.len(), 12, "crosses of four contacts");
        let largest = sizes.into_iter().fold(0.0, Real::max);
        // A cross reaches 4 cm and the gap to either side.
        assert!((largest - 2.0 * (0.04 + Real::from(deep))).abs() < 1e-3, "{largest} m for {deep}");
    }
    app.world_mut().entity_mut(ball).insert((at(0.0, 0.51, 0.0), LinearVelocity(Vec3::Y * -1.0)));
    run(&mut app, 1);
    assert!(lines(&app).iter().any(|line| line.1 == apart.to_linear()), "it has not arrived");
}

#[test]
fn ways_cones_and_cast_shapes_are_drawn() {
    let mut app = drawing(only(|g| g.limit_color = Some(Color::BLACK)));
    without_gravity(&mut app);
    let a = spawn(&mut app, (RigidBody::Dynamic, cube()));
    let b = spawn(&mut app, (RigidBody::Dynamic, cube(), at(2.0, 0.0, 0.0)));
    let slide = Joint::prismatic(a, b).with_anchor(Vec3::X).with_axis(Vec3::X);
    let slide = spawn(&mut app, slide.with_limits(-0.25, 0.5));
    run(&mut app, 2);
    let drawn = lines(&app);
    assert_eq!(drawn.len(), 7, "a way and two crosses");
    let way = drawn.iter().map(|([from, to], _)| from.distance(*to)).fold(0.0, Real::max);
    assert!((way - 0.75).abs() < 1e-4, "{way} m");
    app.world_mut()
        .entity_mut(slide)
        .insert(Joint::ball(a, b).with_anchor(Vec3::X).with_swing_limit(0.5));
    run(&mut app, 2);
    assert_eq!(lines(&app).len(), 16, "a rim of twelve sides, and four lines to it");

    let mut app = drawing(only(|g| {
        g.caster_color = Some(RED);
        g.hit_color = Some(Color::WHITE);
    }));
    spawn(&mut app, (cube(), at(5.0, 0.0, 0.0)));
    let cast = ShapeCaster::new(cube(), Vec3::ZERO, Quat::IDENTITY, bevy_math::Dir3::X);
    spawn(&mut app, (cast, at(0.0, 0.0, 0.0)));
    run(&mut app, 2);
    let drawn = lines(&app);
    let of = |color: Color| drawn.iter().filter(move |line| line.1 == color.to_linear());
    assert_eq!(of(RED).count(), 12 + 1, "where it starts, and the way");
    assert_eq!(of(Color::WHITE).count(), 12, "where it stops");
    let far = of(Color::WHITE).flat_map(|(ends, _)| ends).map(|end| end.x).fold(0.0, Real::max);
    assert!((far - 4.5).abs() < 1e-3, "it stops at {far} m");
}

/// Lines of a world are relative to the origin, wherever that is, in the step in which it moves, too.
#[test]
fn all_is_drawn_relative_to_the_floating_origin() {
    let [mut still, mut moved] = [PhysicsGizmos::all(); 2].map(drawing);
    let far = Vec3::new(1024.0, -512.0, 256.0);
    for app in [&mut still, &mut moved] {
        floor(app);
        spawn(app, (RigidBody::Dynamic, cube(), at(0.0, 0.5, 0.0), SleepingDisabled));
        let hung = spawn(app, (RigidBody::Dynamic, Collider::sphere(0.3), at(4.0, 3.0, 1.0)));
        spawn(app, Joint::ball(hung, None).with_anchor(Vec3::new(3.0, 3.0, 1.0)));
        let eye = RayCaster::new(Vec3::ZERO, bevy_math::Dir3::NEG_Y);
        spawn(app, (eye, at(0.2, 5.0, 0.1)));
    }
    for step in 0..30 {
        if step == 10 {
            moved.world_mut().commands().queue(MoveOrigin(far));
        }
        still.update();
        moved.update();
        let [a, b] = [&still, &moved].map(lines);
        assert!(a.len() > 60 && a.len() == b.len(), "{} and {} lines", a.len(), b.len());
        let origin = if step < 10 { Vec3::ZERO } else { far };
        for ((one, color), (other, same)) in a.into_iter().zip(b) {
            assert_eq!(color, same, "step {step}");
            // Numbers of a kilometre in single precision, some of them added.
            (0..2).for_each(|k| assert_near(other[k] + origin, one[k], 1e-3));
        }
    }
}
