//! How bodies are shown between fixed steps by the crate `bevy_transform_interpolation` and by Orthant's own
//! easing: the same apps with the one or the other, without a window.
//!
//! Prints a table. The crate is used as it tells: its plugin, its component required by `RigidBody`, and for
//! extrapolation the velocities of physics as its sources.

use core::time::Duration;

use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy::time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform_interpolation as theirs;
use orthant::plugin::{EngineBody, sync_physics};
use orthant::prelude::PhysicsTime as _;
use orthant::prelude::{
    AngularVelocity, Collider, Gravity, LinearVelocity, MoveOrigin, Physics,
    PhysicsInterpolationPlugin, PhysicsPlugins, PhysicsWorld, RigidBody,
};
use theirs::extrapolation::TransformExtrapolationPlugin;
use theirs::interpolation::TransformInterpolationPlugin;

/// Who eases, and how.
#[derive(Clone, Copy, PartialEq)]
enum Ease {
    Nobody,
    Theirs,
    TheirsAhead,
    Here,
    HereAhead,
}

/// Frames a second.
const RATES: [f64; 4] = [30.0, 60.0, 144.0, 240.0];
/// Length of a step (s), speed [m/s], rate of turning [rad/s].
const H: f32 = 1.0 / 64.0;
const SPEED: f32 = 3.0;
const SPIN: f32 = 2.0;

#[derive(QueryData)]
struct Linear;

impl theirs::VelocitySource for Linear {
    type Previous = LinearVelocity;
    type Current = LinearVelocity;

    fn previous(velocity: &LinearVelocity) -> Vec3 {
        velocity.0
    }

    fn current(velocity: &LinearVelocity) -> Vec3 {
        velocity.0
    }
}

#[derive(QueryData)]
struct Angular;

impl theirs::VelocitySource for Angular {
    type Previous = AngularVelocity;
    type Current = AngularVelocity;

    fn previous(velocity: &AngularVelocity) -> Vec3 {
        velocity.0
    }

    fn current(velocity: &AngularVelocity) -> Vec3 {
        velocity.0
    }
}

fn app(rate: f64, ease: Ease) -> App {
    let own = match ease {
        Ease::Here => PhysicsInterpolationPlugin::interpolate_all(),
        Ease::HereAhead => PhysicsInterpolationPlugin::extrapolate_all(),
        _ => PhysicsInterpolationPlugin::by_component(),
    };
    let mut app = App::new();
    let physics = PhysicsPlugins::default().set(own);
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, physics));
    if let Ease::Theirs | Ease::TheirsAhead = ease {
        let ahead = TransformExtrapolationPlugin::<Linear, Angular>::default();
        app.add_plugins((TransformInterpolationPlugin::default(), ahead));
    }
    match ease {
        Ease::Theirs => {
            app.register_required_components::<RigidBody, theirs::interpolation::TransformInterpolation>();
        }
        Ease::TheirsAhead => {
            app.register_required_components::<RigidBody, theirs::extrapolation::TransformExtrapolation>();
        }
        _ => {}
    }
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / rate)));
    app.insert_resource(Gravity::ZERO);
    app.finish();
    app.cleanup();
    app.update();
    app
}

fn run(app: &mut App, frames: usize) {
    for _ in 0..frames {
        app.update();
    }
}

/// The time that has passed in steps and since (s).
fn now(app: &App) -> f32 {
    let time = app.world().resource::<Time<Fixed>>();
    time.elapsed_secs() + time.overstep().as_secs_f32()
}

fn shown(app: &App, entity: Entity) -> GlobalTransform {
    *app.world().get(entity).expect("it has a transform")
}

fn moving() -> (RigidBody, Collider, LinearVelocity, AngularVelocity) {
    let velocities = (LinearVelocity(Vec3::X * SPEED), AngularVelocity(Vec3::Y * SPIN));
    (RigidBody::Dynamic, Collider::sphere(0.5), velocities.0, velocities.1)
}

/// Largest deviation of what is shown from an even motion, as a share of a step's, of a body and its child.
fn even(rate: f64, ease: Ease, parent: Option<Transform>) -> f32 {
    let mut app = app(rate, ease);
    let above = parent.map(|parent| app.world_mut().spawn(parent).id());
    let body = app.world_mut().spawn((moving(), Transform::default())).id();
    if let Some(above) = above {
        app.world_mut().entity_mut(body).insert(ChildOf(above));
    }
    let child = (Transform::from_xyz(0.0, 0.0, 2.0), ChildOf(body));
    let child = app.world_mut().spawn(child).id();
    run(&mut app, rate as usize / 4);
    let ((_, turn, from), begin) = (shown(&app, body).to_scale_rotation_translation(), now(&app));
    let mut most: f32 = 0.0;
    for _ in 0..rate as usize / 2 {
        app.update();
        let passed = now(&app) - begin;
        let (_, rotation, at) = shown(&app, body).to_scale_rotation_translation();
        most = most.max(at.distance(from + Vec3::X * SPEED * passed) / (SPEED * H));
        let turned = Quat::from_rotation_y(SPIN * passed) * turn;
        // Twice the sine of half the angle: of small ones the cosine tells nothing.
        let apart = 2.0 * (rotation * turned.inverse()).xyz().length();
        most = most.max(apart / (SPIN * H));
        let place = at + rotation * Vec3::Z * 2.0 * parent.map_or(1.0, |parent| parent.scale.x);
        most = most.max(shown(&app, child).translation().distance(place) / (SPEED * H));
    }
    most
}

/// Of a way of 100 m to where a body is placed: the largest part at which it is shown on its way.
fn smeared(rate: f64, ease: Ease, within_steps: bool) -> f32 {
    #[derive(Resource, Default)]
    struct Place(Option<Vec3>);
    let mut app = app(rate, ease);
    app.init_resource::<Place>();
    let place = |mut place: ResMut<Place>, mut body: Single<&mut Transform, With<RigidBody>>| {
        if let Some(place) = place.0.take() {
            body.translation = place;
        }
    };
    if within_steps {
        app.add_systems(FixedUpdate, place);
    } else {
        app.add_systems(Update, place);
    }
    let body = app.world_mut().spawn((moving(), Transform::default())).id();
    run(&mut app, 20);
    let mut most: f32 = 0.0;
    for k in 1..20 {
        app.world_mut().resource_mut::<Place>().0 = Some(Vec3::Y * 100.0 * k as f32);
        for _ in 0..rate as usize / 7 {
            app.update();
            let part = shown(&app, body).translation().y / 100.0 - (k - 1) as f32;
            most = most.max(part.min(1.0 - part));
        }
    }
    most
}

/// How often in 100 frames what rests is told as changed.
fn resting(ease: Ease) -> usize {
    #[derive(Resource, Default)]
    struct Seen(usize);
    let mut app = app(240.0, ease);
    app.init_resource::<Seen>();
    app.world_mut().spawn((RigidBody::Dynamic, Collider::sphere(0.5), Transform::default()));
    run(&mut app, 100);
    app.add_systems(Last, |bodies: Query<(), Changed<Transform>>, mut seen: ResMut<Seen>| {
        seen.0 += bodies.iter().count();
    });
    app.update();
    app.world_mut().resource_mut::<Seen>().0 = 0;
    run(&mut app, 100);
    app.world().resource::<Seen>().0
}

/// What happens in an app besides steps.
#[derive(Clone, Copy)]
enum Event {
    Nothing,
    PhysicsPaused,
    Synchronized,
}

/// Where four cubes that fall on each other are after 70 frames.
fn cubes(ease: Ease, event: Event) -> Vec<Vec3> {
    let mut app = app(144.0, ease);
    app.insert_resource(Gravity(Vec3::NEG_Y * 9.81));
    app.world_mut().spawn((Collider::cuboid(20.0, 1.0, 20.0), Transform::from_xyz(0.0, -0.5, 0.0)));
    let mut bodies = Vec::new();
    for k in 0..4 {
        let at = Transform::from_xyz(0.2 * k as f32, 0.6 + 1.1 * k as f32, 0.0);
        let cube = (RigidBody::Dynamic, Collider::cuboid(1.0, 1.0, 1.0), at);
        bodies.push(app.world_mut().spawn(cube).id());
    }
    for frame in 0..70 {
        app.update();
        match (event, frame) {
            (Event::PhysicsPaused, 40) => app.world_mut().resource_mut::<Time<Physics>>().pause(),
            (Event::PhysicsPaused, 50) => app.world_mut().resource_mut::<Time<Physics>>().unpause(),
            (Event::Synchronized, 41) => sync_physics(app.world_mut()),
            _ => {}
        }
    }
    let engine = app.world().resource::<PhysicsWorld>().engine();
    let id = |&body| app.world().get::<EngineBody>(body).and_then(|link| link.id());
    let at = |body| engine.body(id(body)?).map(|body| body.position());
    bodies.iter().map(|body| at(body).expect("a body")).collect()
}

/// By how much they are elsewhere than without easing (mm).
fn read_back(ease: Ease, event: Event) -> f32 {
    let apart = cubes(Ease::Nobody, event).into_iter().zip(cubes(ease, event));
    apart.map(|(a, b)| 1e3 * a.distance(b)).fold(0.0, f32::max)
}

/// Largest deviation from an even motion while the origin is moved ten times, as a share of a step's.
fn origin(rate: f64, ease: Ease) -> f32 {
    let mut app = app(rate, ease);
    let body = app.world_mut().spawn((moving(), Transform::default())).id();
    run(&mut app, rate as usize / 4);
    let (from, begin) = (shown(&app, body).translation(), now(&app));
    let (mut most, mut moved): (f32, Vec3) = (0.0, Vec3::ZERO);
    for frame in 0..rate as usize / 2 {
        if frame % (rate as usize / 20) == 0 {
            moved = Vec3::new(0.0, 8.0 * frame as f32, 0.0);
            app.world_mut().commands().queue(MoveOrigin(moved));
        }
        app.update();
        let at = from + Vec3::X * SPEED * (now(&app) - begin) - moved;
        most = most.max(shown(&app, body).translation().distance(at) / (SPEED * H));
    }
    most
}

fn worst(measure: impl Fn(f64) -> f32) -> f32 {
    RATES.into_iter().map(measure).fold(0.0, f32::max)
}

fn main() {
    let parent = Transform::from_xyz(1.0, 2.0, 3.0)
        .with_rotation(Quat::from_rotation_z(0.7))
        .with_scale(Vec3::splat(2.0));
    println!("| what | `bevy_transform_interpolation` 0.6.0 | here |\n|---|---|---|");
    let print = |what: &str, measure: &dyn Fn(Ease) -> f32, [a, b]: [Ease; 2]| {
        println!("| {what} | {:.3} | {:.3} |", measure(a), measure(b));
    };
    let between = [Ease::Theirs, Ease::Here];
    let ahead = [Ease::TheirsAhead, Ease::HereAhead];
    for (how, both) in [("interpolated", between), ("extrapolated", ahead)] {
        let line = |what: &str| format!("{how}: {what}");
        let free = |ease| 100.0 * worst(|rate| even(rate, ease, None));
        print(&line("an even motion, off by (% of a step's)"), &free, both);
        let below = |ease| 100.0 * worst(|rate| even(rate, ease, Some(parent)));
        print(&line("the same below a turned parent of scale 2 (%)"), &below, both);
        let frame = |ease| 100.0 * worst(|rate| smeared(rate, ease, false));
        print(&line("placed elsewhere in `Update`, shown on the way (%)"), &frame, both);
        let step = |ease| 100.0 * worst(|rate| smeared(rate, ease, true));
        print(&line("placed elsewhere in `FixedUpdate`, shown on the way (%)"), &step, both);
        let rest = |ease| resting(ease) as f32;
        print(&line("a body at rest, told as changed in 100 frames"), &rest, both);
        let read = |ease| read_back(ease, Event::Nothing);
        print(&line("cubes that fall, 70 frames, elsewhere than without by (mm)"), &read, both);
        let read = |ease| read_back(ease, Event::PhysicsPaused);
        print(&line("… with physics paused in ten of them (mm)"), &read, both);
        let read = |ease| read_back(ease, Event::Synchronized);
        print(&line("… with `sync_physics` called in one of them (mm)"), &read, both);
        let moves = |ease| 100.0 * worst(|rate| origin(rate, ease));
        print(&line("an even motion while the origin moves, off by (%)"), &moves, both);
    }
}
