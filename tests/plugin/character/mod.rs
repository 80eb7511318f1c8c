//! Characters: stairs, slopes, corners, crowds, seams, at any length of a step.

mod moving;
mod walls;

use super::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_time::{Fixed, Time};
use orthant::math::{PI, cos, quat_rotate, sin};

/// Distance at which a character rests (m).
const SKIN: Real = 0.01;

/// An app with so many steps a second.
fn app_at(hz: u32) -> App {
    let mut app = app();
    app.insert_resource(Time::<Fixed>::from_hz(f64::from(hz)));
    app
}

/// Runs so many seconds, with a look at the world after each step.
fn run_for(app: &mut App, hz: u32, seconds: Real, mut look: impl FnMut(&App)) {
    for _ in 0..(seconds * hz as Real).round() as u32 {
        app.update();
        look(app);
    }
}

/// The three shapes that people take for persons, 1.8 m high; their feet are 0.9 m below the origin.
fn persons() -> [Collider; 3] {
    [Collider::capsule(0.3, 1.2), Collider::cylinder(0.3, 1.8), Collider::cuboid(0.6, 1.8, 0.6)]
}

fn capsule() -> Collider {
    Collider::capsule(0.3, 1.2)
}

fn person(app: &mut App, collider: Collider, feet: Vec3) -> Entity {
    let at = Transform::from_translation(single3(feet + Vec3::Y * (0.9 + SKIN)));
    spawn(app, (CharacterController::default(), collider, at))
}

fn walk(app: &mut App, entity: Entity, velocity: Vec3) {
    app.world_mut().get_mut::<CharacterInput>(entity).expect("a character").walk = velocity;
}

fn jump(app: &mut App, entity: Entity, speed: Real) {
    app.world_mut().get_mut::<CharacterInput>(entity).expect("a character").jump = speed;
}

fn state(app: &App, entity: Entity) -> CharacterState {
    *app.world().get::<CharacterState>(entity).expect("a character")
}

fn feet(app: &App, entity: Entity) -> Vec3 {
    position(app, entity) - Vec3::Y * (0.9 + SKIN)
}

fn block(app: &mut App, size: Vec3, center: Vec3) -> Entity {
    let at = Transform::from_translation(single3(center));
    spawn(app, (Collider::cuboid(size.x, size.y, size.z), at))
}

/// A wide plate whose upper side goes through a point, tilted about z by an angle.
fn slope(app: &mut App, through: Vec3, angle: Real) -> Entity {
    let turn = Quat::from_rotation_z(angle);
    let at = through - quat_rotate(turn, Vec3::Y) * 0.5;
    let at =
        Transform::from_translation(single3(at)).with_rotation(orthant::math::single_quat(turn));
    spawn(app, (Collider::cuboid(40.0, 1.0, 40.0), at))
}

#[test]
fn it_stands_still_where_it_is_put() {
    for hz in [30, 64, 240] {
        let mut app = app_at(hz);
        floor(&mut app);
        let one = person(&mut app, capsule(), Vec3::Y * 0.5);
        run_for(&mut app, hz, 1.0, |_| {});
        let rest = position(&app, one);
        assert_near(rest, Vec3::Y * (0.9 + SKIN), 1e-5);
        run_for(&mut app, hz, 2.0, |app| assert_eq!(position(app, one), rest, "it trembles"));
        assert!(state(&app, one).is_grounded(), "it does not know that it stands");
    }
}

#[test]
fn stairs_are_climbed_at_the_speed_of_the_plain() {
    for hz in [30, 64, 240] {
        for collider in persons() {
            let mut app = app_at(hz);
            floor(&mut app);
            for k in 0..12 {
                let k = k as Real;
                let size = Vec3::new(20.0, 0.2, 4.0);
                block(&mut app, size, Vec3::new(11.0 + 0.4 * k, 0.1 + 0.2 * k, 0.0));
            }
            let one = person(&mut app, collider, Vec3::ZERO);
            walk(&mut app, one, Vec3::X * 3.0);
            run_for(&mut app, hz, 2.5, |app| {
                assert!(state(app, one).is_grounded(), "it flies at {}", position(app, one));
            });
            let end = feet(&app, one);
            // The way of 7.5 m, less what the start took: a v²/2a, or up to a skin more for each stair.
            let way = 7.5 - 9.0 / 80.0;
            assert!((end.y - 2.4).abs() < 1e-3, "{hz} Hz: at {end}");
            assert!((-1e-3..12.0 * SKIN + 1e-3).contains(&(end.x - way)), "{hz} Hz: at {end}");
            // Down again, without flying.
            walk(&mut app, one, -Vec3::X * 3.0);
            run_for(&mut app, hz, 2.5, |app| {
                assert!(state(app, one).is_grounded(), "it flies at {}", position(app, one));
            });
            assert!(feet(&app, one).y.abs() < 1e-3, "{hz} Hz: at {}", feet(&app, one));
        }
    }
}

#[test]
fn a_step_that_is_too_high_is_a_wall() {
    for (height, climbs) in [(0.25, true), (0.35, false)] {
        for collider in persons() {
            let mut app = app_at(64);
            floor(&mut app);
            block(&mut app, Vec3::new(10.0, height, 10.0), Vec3::new(6.0, 0.5 * height, 0.0));
            let one = person(&mut app, collider, Vec3::ZERO);
            // However slow it is.
            walk(&mut app, one, Vec3::X * 0.4);
            run_for(&mut app, 64, 4.0, |_| {});
            let up = feet(&app, one).y > 0.5 * height;
            assert_eq!(up, climbs, "a step of {height} m: at {}", feet(&app, one));
        }
    }
}

#[test]
fn slopes_are_walked_up_to_the_limit() {
    for hz in [30, 240] {
        for (degrees, walks) in [(44.0, true), (46.0, false)] {
            let angle: Real = degrees / 180.0 * PI;
            let mut app = app_at(hz);
            floor(&mut app);
            slope(&mut app, Vec3::X, angle);
            let one = person(&mut app, capsule(), Vec3::ZERO);
            walk(&mut app, one, Vec3::X * 2.0);
            run_for(&mut app, hz, 3.0, |_| {});
            let end = feet(&app, one);
            assert_eq!(end.y > 2.0, walks, "{degrees}°: at {end}");
            if !walks {
                assert!(end.y < 1e-2, "it climbs a slope of {degrees}°: at {end}");
                continue;
            }
            // Stands there, and comes down without flying.
            walk(&mut app, one, Vec3::ZERO);
            run_for(&mut app, hz, 0.5, |_| {});
            let rest = position(&app, one);
            run_for(&mut app, hz, 1.0, |app| assert_near(position(app, one), rest, 1e-5));
            walk(&mut app, one, Vec3::X * -2.0);
            run_for(&mut app, hz, 3.0, |app| {
                assert!(state(app, one).is_grounded(), "it flies at {}", position(app, one));
            });
        }
    }
}

#[test]
fn what_is_too_steep_is_slid_down_and_not_climbed_in_the_air() {
    let mut app = app_at(64);
    let angle: Real = 50.0 / 180.0 * PI;
    slope(&mut app, Vec3::ZERO, angle);
    let one = person(&mut app, capsule(), Vec3::Y * 0.3);
    // Against the slope.
    walk(&mut app, one, Vec3::X * 5.0);
    let mut last = Real::INFINITY;
    run_for(&mut app, 64, 1.0, |app| {
        let height = position(app, one).y;
        assert!(height <= last + 1e-4, "it climbs from {last} to {height}");
        last = height;
    });
    assert!(last < -1.0, "it hangs at {last}");
}

/// Two walls that meet at the origin, open towards -x, with so much between them.
fn corner(app: &mut App, between: Real) {
    for side in [-1.0, 1.0] {
        let turn = Quat::from_rotation_y(side * 0.5 * between);
        let at = quat_rotate(turn, Vec3::new(-5.0, 1.5, side * 0.5));
        let at = Transform::from_translation(single3(at));
        let at = at.with_rotation(orthant::math::single_quat(turn));
        spawn(app, (Collider::cuboid(10.0, 3.0, 1.0), at));
    }
}

#[test]
fn corners_hold() {
    for hz in [30, 64, 240] {
        for degrees in [90.0, 30.0] {
            for (k, collider) in persons().into_iter().enumerate() {
                let mut app = app_at(hz);
                floor(&mut app);
                corner(&mut app, degrees / 180.0 * PI);
                let one = person(&mut app, collider, Vec3::new(-4.0, 0.0, 0.1));
                walk(&mut app, one, Vec3::new(5.0, 0.0, 1.0));
                run_for(&mut app, hz, 3.0, |_| {});
                let rest = position(&app, one);
                run_for(&mut app, hz, 0.5, |app| {
                    let apart = (position(app, one) - rest).length();
                    assert!(apart < 1e-4, "{degrees}° at {hz} Hz, {k}: trembles by {apart}");
                });
                assert!(rest.x < 0.0, "{degrees}° at {hz} Hz, {k}: through the walls at {rest}");
                assert!((rest.y - 0.9 - SKIN).abs() < 1e-3, "{degrees}°, {k}: squeezed to {rest}");
                walk(&mut app, one, Vec3::X * -5.0);
                run_for(&mut app, hz, 0.5, |_| {});
                assert!(position(&app, one).x < rest.x - 2.0, "{degrees}°, {k}: it is stuck");
            }
        }
    }
}

#[test]
fn along_a_wall_it_keeps_what_leads_along() {
    let mut app = app_at(64);
    floor(&mut app);
    block(&mut app, Vec3::new(1.0, 3.0, 100.0), Vec3::new(1.5, 1.5, 0.0));
    let one = person(&mut app, capsule(), Vec3::ZERO);
    walk(&mut app, one, Vec3::new(3.0, 0.0, 3.0));
    run_for(&mut app, 64, 1.0, |_| {});
    let before = position(&app, one);
    run_for(&mut app, 64, 2.0, |_| {});
    assert_near((position(&app, one) - before) / 2.0, Vec3::Z * 3.0, 1e-3);
}

/// The least distance between two characters of a list (m).
fn least_distance(app: &mut App, all: &[Entity]) -> Real {
    let all = all.to_vec();
    let ask = move |query: SpatialQuery| {
        let pairs =
            all.iter().enumerate().flat_map(|(k, a)| all[..k].iter().map(move |b| (*a, *b)));
        let least = pairs.filter_map(|(a, b)| query.distance(a, b));
        least.fold(Real::INFINITY, Real::min)
    };
    app.world_mut().run_system_once(ask).expect("the parameters are there")
}

#[test]
fn crowds_do_not_pass_through_each_other() {
    for hz in [30, 64] {
        let mut app = app_at(hz);
        floor(&mut app);
        let all: Vec<Entity> = (0..24)
            .map(|k| {
                let angle = k as Real * PI / 12.0;
                let from = Vec3::new(sin(angle), 0.0, cos(angle)) * (4.0 + (k % 3) as Real);
                person(&mut app, capsule(), from)
            })
            .collect();
        for _ in 0..3 * hz {
            for &one in &all {
                let to = -feet(&app, one) * Vec3::new(1.0, 0.0, 1.0);
                walk(&mut app, one, to.normalize_or_zero() * 3.0);
            }
            app.update();
            let least = least_distance(&mut app, &all);
            assert!(least > 0.4 * SKIN, "two are {least} m apart");
        }
        for &one in &all {
            assert!(feet(&app, one).y.abs() < 1e-3, "one stands at {}", feet(&app, one));
            assert!(feet(&app, one).length() < 3.0, "one is left behind at {}", feet(&app, one));
        }
    }
}

#[test]
fn seams_and_gaps_are_not_felt() {
    let radius: Real = 0.3;
    for gap in [0.0, 0.02, 0.1] {
        for (k, collider) in persons().into_iter().enumerate() {
            let mut app = app_at(64);
            for k in 0..12 {
                let x = k as Real * (1.0 + gap);
                block(&mut app, Vec3::new(1.0, 1.0, 4.0), Vec3::new(x, -0.5, 0.0));
            }
            let one = person(&mut app, collider, Vec3::ZERO);
            run_for(&mut app, 64, 0.5, |_| {});
            walk(&mut app, one, Vec3::X * 4.0);
            // A ball sinks between two edges by this; a flat foot does not.
            let dip =
                if k == 0 { radius - (radius * radius - 0.25 * gap * gap).sqrt() } else { 0.0 };
            run_for(&mut app, 64, 2.0, |app| {
                let height = feet(app, one).y;
                assert!(state(app, one).is_grounded(), "{gap} m, {k}: it flies");
                assert!(height < 1e-4 && height > -dip - 1e-4, "{gap} m, {k}: at {height}");
            });
            let way = 8.0 - 16.0 / 80.0;
            assert!((feet(&app, one).x - way).abs() < 2e-3, "{gap} m, {k}: {}", feet(&app, one));
        }
    }
}

#[test]
fn triangles_are_walked_like_boxes() {
    let mut app = app_at(64);
    let heights = vec![vec![0.0; 41]; 41];
    let ground = Collider::heightfield(heights, Vec3::new(20.0, 1.0, 20.0));
    spawn(&mut app, ground.expect("a flat field"));
    let one = person(&mut app, capsule(), Vec3::new(-4.0, 0.0, 0.3));
    walk(&mut app, one, Vec3::new(3.0, 0.0, 0.5));
    run_for(&mut app, 64, 2.0, |app| {
        assert!(feet(app, one).y.abs() < 1e-4, "at {}", feet(app, one));
        assert!(state(app, one).is_grounded(), "it flies at {}", feet(app, one));
    });
    assert_near(state(&app, one).velocity, Vec3::new(3.0, 0.0, 0.5), 1e-5);
}

/// The step of a character of one's own at 64 Hz, and what it ran into.
fn step(
    app: &mut App,
    place: CharacterPlace,
    input: CharacterInput,
) -> (CharacterPlace, Vec<(Entity, Vec3, Vec3)>) {
    let ask = move |slide: MoveAndSlide, gravity: Res<Gravity>| {
        let (settings, any) = (CharacterController::default(), SpatialQueryFilter::default());
        let (dt, mut pushed) = (core::time::Duration::from_micros(15_625), Vec::new());
        let place =
            slide.walk(&capsule(), place, &settings, &input, gravity.0, dt, &any, |body, at, v| {
                pushed.push((body, at, v));
            });
        (place, pushed)
    };
    app.world_mut().run_system_once(ask).expect("the parameters are there")
}

/// The parameter takes the steps of the component: stairs, a plate that moves, an edge, a jump, a wall.
#[test]
fn a_character_of_ones_own_walks_like_the_component() {
    let mut app = app_at(64);
    floor(&mut app);
    for k in 0..3 {
        let k = k as Real;
        block(&mut app, Vec3::new(20.0, 0.2, 40.0), Vec3::new(11.0 + 0.4 * k, 0.1 + 0.2 * k, 0.0));
    }
    let plate = (Collider::cuboid(4.0, 0.2, 40.0), at(6.0, 0.7, 0.0), RigidBody::Kinematic);
    spawn(&mut app, (plate, LinearVelocity(Vec3::Z * 0.5)));
    block(&mut app, Vec3::new(4.0, 0.5, 40.0), Vec3::new(13.0, 0.85, 0.0));
    let one = person(&mut app, capsule(), Vec3::ZERO);
    run_for(&mut app, 64, 0.25, |_| {});
    let aside = Vec3::Z * 5.0;
    let position_of_own = position(&app, one) + aside;
    let mut own = CharacterPlace { position: position_of_own, ..CharacterPlace::default() };
    walk(&mut app, one, Vec3::X * 3.0);
    let mut highest: Real = 0.0;
    for k in 0..288 {
        let jumps = if k == 190 { 3.0 } else { 0.0 };
        jump(&mut app, one, jumps);
        own = step(&mut app, own, CharacterInput { walk: Vec3::X * 3.0, jump: jumps }).0;
        app.update();
        assert_near(own.position, position(&app, one) + aside, 1e-4);
        let state = state(&app, one);
        assert_eq!(own.state.is_grounded(), state.is_grounded(), "step {k}");
        assert_eq!(own.state.ground.map(|g| g.entity), state.ground.map(|g| g.entity), "step {k}");
        assert_near(own.state.velocity, state.velocity, 1e-4);
        highest = highest.max(own.position.y);
    }
    let end = own.position - Vec3::Y * (0.9 + SKIN);
    assert!((end.y - 0.6).abs() < 1e-3 && (end.x - 10.7).abs() < 0.02, "at the wall: {end}");
    assert!(end.z > 5.3 && highest > 1.8, "carried, and it jumped: {end}, {highest} m");
}

#[test]
fn a_character_of_ones_own_is_told_what_it_runs_into() {
    let mut app = app_at(64);
    floor(&mut app);
    let crate_ = spawn(&mut app, (RigidBody::Dynamic, cube(), at(2.0, 0.5, 0.0)));
    run(&mut app, 2);
    let input = CharacterInput { walk: Vec3::X * 2.0, ..CharacterInput::default() };
    let place = CharacterPlace { position: Vec3::Y * (0.9 + SKIN), ..CharacterPlace::default() };
    let (place, pushed) = (0..64).fold((place, Vec::new()), |(place, before), _| {
        let (place, pushed) = step(&mut app, place, input);
        (place, [before, pushed].concat())
    });
    assert!((place.position.x - 1.2).abs() < 0.02, "it stops there: {}", place.position);
    let (entity, point, velocity) = pushed[0];
    assert_eq!(entity, crate_);
    assert!((point.x - 1.5).abs() < 0.02, "{point}");
    assert_near(velocity, Vec3::X * 2.0, 1e-2);
}
