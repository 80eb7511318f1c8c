//! A little of everything:
//! `cargo run --release -p orthant_lab --features bevy --example playground`.
//!
//! Bodies of every shape fall on a bumpy height field with a half-space around and beneath it. An area
//! counts who enters, a ghost falls through all but the ground, an eye looks down on the hill. A line a
//! second tells how many rest, with the certificate of the step; a picture of six moments goes to
//! `out/playground.svg`. The exit status says whether all came to rest where they should.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Dir3;
use bevy_time::{Fixed, Time};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use orthant::engine::body::Body;
use orthant::engine::shape::{Shape, ShapeError};
use orthant::math::{DVec3, Quat, Real, Vec3, cos, from_single3, quat_exp, sin};
use orthant::prelude::*;
use orthant_lab::draw::film::Film;
use orthant_lab::draw::solid::{PALETTE, Rgb};

/// Length of a side of the field (m), and into how many cells it is divided.
const SIDE: Real = 8.0;
const CELLS: u16 = 14;
/// What is slower than this rests [m/s and rad/s].
const STILL: Real = 0.01;
/// The end, if not all are at rest before (s).
const TIME_MAX: f64 = 20.0;
/// When the pictures are taken (s); the last one at the end.
const MOMENTS: [f64; 5] = [0.1, 0.6, 1.0, 1.6, 3.0];

#[derive(PhysicsLayer, Default)]
enum Layer {
    #[default]
    Ground,
    Body,
    Ghost,
}

/// What falls, and its name.
#[derive(Component)]
struct Falls(&'static str);

#[derive(Component)]
struct Ghost;

#[derive(Component)]
struct Field;

/// An area that counts.
#[derive(Component, Default)]
struct Area {
    entered: usize,
    left: usize,
}

fn main() -> AppExit {
    println!("Every shape falls on a bumpy field.\n");
    let mut app = orthant_lab::headless::app();
    app.add_plugins((TransformPlugin, PhysicsPlugins::default()))
        .add_systems(Startup, (spawn_ground, spawn_bodies))
        .add_systems(FixedLast, (film, tell).chain())
        .add_observer(enter)
        .add_observer(leave);
    app.insert_non_send(Film::new(DVec3::new(0.6, 0.9, 1.4), 14, 12, 3));
    app.run()
}

/// Hills that begin below the plane, so that nothing gets beneath them.
fn field() -> Result<Shape, ShapeError> {
    let height = |i: u16, k: u16| {
        let [u, v] = [i, k].map(|n| 2.0 * Real::from(n) / Real::from(CELLS) - 1.0);
        let inside = (1.0 - u * u) * (1.0 - v * v);
        inside * (0.7 + 0.35 * sin(7.0 * u) * cos(6.0 * v)) - 0.05
    };
    let rows = (0..=CELLS).map(|i| (0..=CELLS).map(|k| height(i, k)).collect());
    Shape::heightfield(&rows.collect::<Vec<Vec<Real>>>(), Vec3::new(SIDE, 1.0, SIDE))
}

fn spawn_ground(mut commands: Commands) {
    let friction = Friction::new(0.7);
    commands.spawn((RigidBody::Static, Collider::half_space(Vec3::Y), friction));
    match field() {
        Ok(shape) => {
            commands.spawn((Field, RigidBody::Static, Collider::from(shape), friction));
        }
        Err(why) => eprintln!("there is no field: {why}"),
    }
    // The front half of the field, up to a height of three meters.
    let area = Collider::cuboid(SIDE, 3.0, 0.5 * SIDE);
    let at = Transform::from_xyz(0.0, 1.5, 2.0);
    commands.spawn((Area::default(), RigidBody::Static, area, Sensor, CollisionEventsEnabled, at));
    let from = Transform::from_xyz(0.0, 8.0, 0.0);
    let eye = RayCaster::new(Vec3::ZERO, Dir3::NEG_Y).with_max_hits(1);
    commands.spawn((eye.with_query_filter(SpatialQueryFilter::default().without_sensors()), from));
}

/// One of each shape, with its name.
fn shapes() -> Vec<(&'static str, Collider)> {
    let corners = [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 2, 0), (1, 0, 1)];
    let corner = |(x, y, z): (i16, i16, i16)| Vec3::from_array([x, y, z].map(Real::from)) * 0.3;
    let still = Quat::IDENTITY;
    let bar = Collider::cuboid(1.0, 0.2, 0.2);
    let crossed = quat_exp(Vec3::Y * 1.570_796_4);
    let jack = vec![
        (Vec3::ZERO, still, bar.clone()),
        (Vec3::ZERO, crossed, bar),
        (Vec3::ZERO, still, Collider::cuboid(0.2, 1.0, 0.2)),
    ];
    let mut shapes = vec![
        ("sphere", Collider::sphere(0.3)),
        ("cuboid", Collider::cuboid(0.7, 0.5, 0.4)),
        ("capsule", Collider::capsule(0.2, 0.5)),
        ("cylinder", Collider::cylinder(0.3, 0.5)),
        ("cone", Collider::cone(0.35, 0.7)),
        ("ellipsoid", Collider::ellipsoid(0.9, 0.5, 0.6)),
        ("round cylinder", Collider::round_cylinder(0.25, 0.2, 0.1)),
        ("round cuboid", Collider::round_cuboid(0.4, 0.2, 0.3, 0.12)),
        ("compound", Collider::compound(jack)),
    ];
    // Shapes from points may have none; those that are written down have.
    shapes.extend(Collider::convex_hull(corners.map(corner)).map(|hull| ("hull", hull)));
    shapes.extend(
        Collider::round_convex_hull(corners.map(|c| corner(c) * 0.7), 0.1)
            .map(|hull| ("round hull", hull)),
    );
    shapes
}

fn spawn_bodies(mut commands: Commands) {
    let common = (
        RigidBody::Dynamic,
        Friction::new(0.7),
        RollingFriction::new(0.05, 0.02),
        CollisionLayers::new(Layer::Body, [Layer::Ground, Layer::Body]),
    );
    let place = |i: usize, turn: f32, y: f32| {
        let (row, column) = ((i / 4) as f32, (i % 4) as f32);
        let mut at = Transform::from_xyz(1.5 * column - 2.2, y, 1.7 * row - 1.8);
        at.rotate_x(turn);
        at.rotate_z(0.6 * turn);
        at
    };
    let shapes = shapes();
    let count = shapes.len();
    // Two of each, one above the other.
    for (i, (name, collider)) in shapes.into_iter().enumerate() {
        for (turn, y) in [(0.7, 2.0), (2.1, 3.4)] {
            let at = place(i, turn + i as f32, y);
            commands.spawn((Falls(name), collider.clone(), common, at));
        }
    }
    // A body of children: a hammer.
    let handle =
        (Falls("hammer"), Collider::cuboid(0.12, 0.9, 0.12), common, place(count, 0.9, 2.4));
    commands.spawn(handle).with_children(|parts| {
        let head = (Collider::cuboid(0.5, 0.22, 0.22), ColliderDensity(4000.0));
        let layers = CollisionLayers::new(Layer::Body, [Layer::Ground, Layer::Body]);
        parts.spawn((head, layers, Transform::from_xyz(0.0, 0.5, 0.0)));
    });
    let ghost = (Falls("ghost"), Ghost, Collider::cuboid(0.5, 0.5, 0.5), place(5, 0.4, 5.0));
    let through = CollisionLayers::new(Layer::Ghost, Layer::Ground);
    commands
        .spawn((ghost, RigidBody::Dynamic, through, Friction::new(0.7)))
        .insert((CollisionEventsEnabled, CollidingEntities::default()));
}

fn enter(start: On<CollisionStart>, mut areas: Query<&mut Area>) {
    if let Ok(mut area) = areas.get_mut(start.entity) {
        area.entered += 1;
    }
}

fn leave(end: On<CollisionEnd>, mut areas: Query<&mut Area>) {
    if let Ok(mut area) = areas.get_mut(end.entity) {
        area.left += 1;
    }
}

/// Takes the pictures.
fn film(physics: Res<PhysicsWorld>, time: Res<Time<Fixed>>, mut film: NonSendMut<Film>) {
    let (seconds, world) = (time.elapsed_secs_f64(), physics.engine());
    if let Some(number) = film.due(seconds, &MOMENTS) {
        if number == 0 {
            film.add_meshes(world, |_| Some(Rgb::hex(0xb9cf9f)));
        }
        film.shoot(format!("{seconds:.1} s"), world, color);
    }
}

fn color(body: &Body) -> Option<Rgb> {
    let ghostly =
        body.colliders().list().iter().any(|c| c.layers.memberships == Layer::Ghost.to_bits());
    let number = (body.id().0 % PALETTE.len() as u64) as usize;
    let color = if ghostly { Rgb::hex(0xf4f4ff) } else { PALETTE[number] };
    body.is_dynamic().then_some(color)
}

type FallsData =
    (&'static Falls, &'static Transform, &'static LinearVelocity, &'static AngularVelocity);

/// What the tale needs to know.
#[derive(SystemParam)]
struct Scene<'w, 's> {
    falling: Query<'w, 's, FallsData>,
    names: Query<'w, 's, &'static Falls>,
    is_field: Query<'w, 's, (), With<Field>>,
    area: Single<'w, 's, (&'static Area, &'static Transform)>,
    eye: Single<'w, 's, &'static RayHits>,
    ghost: Single<'w, 's, &'static CollidingEntities, With<Ghost>>,
    queries: SpatialQuery<'w, 's>,
    report: Res<'w, StepReport>,
    time: Res<'w, Time<Fixed>>,
}

impl Scene<'_, '_> {
    /// How many bodies rest, and how many there are.
    fn resting(&self) -> (usize, usize) {
        let rests = |(_, _, v, w): &(&Falls, &Transform, &LinearVelocity, &AngularVelocity)| {
            v.length() < STILL && w.length() < STILL
        };
        (self.falling.iter().filter(rests).count(), self.falling.iter().count())
    }

    /// The name of a body, or of the ground.
    fn name(&self, entity: Entity) -> &'static str {
        let ground = if self.is_field.contains(entity) { "the field" } else { "the plane" };
        self.names.get(entity).map_or(ground, |falls| falls.0)
    }

    /// What the eye sees, and how far below.
    fn seen(&self) -> String {
        let hit = self.eye.first();
        hit.map_or("nothing".to_owned(), |hit| {
            format!("{} {:.2} m below", self.name(hit.entity), hit.distance)
        })
    }

    /// Names of bodies that are below the ground or far away.
    fn astray(&self) -> Vec<&'static str> {
        let ground = SpatialQueryFilter::from_mask(Layer::Ground).without_sensors();
        let is_astray = |at: &Transform| {
            let p = from_single3(at.translation);
            let above = Vec3::new(p.x, 10.0, p.z);
            let hit = self.queries.cast_ray(above, Dir3::NEG_Y, 20.0, true, &ground);
            hit.is_none_or(|hit| p.y < 10.0 - hit.distance) || p.length() > SIDE
        };
        let astray = self.falling.iter().filter(|(_, at, ..)| is_astray(at));
        astray.map(|(falls, ..)| falls.0).collect()
    }

    /// Colliders in the area, by its own count and by a query.
    fn in_area(&self) -> (usize, usize) {
        let (area, at) = *self.area;
        let falling = SpatialQueryFilter::from_mask([Layer::Body, Layer::Ghost]);
        let shape = Collider::cuboid(SIDE, 3.0, 0.5 * SIDE);
        let at = from_single3(at.translation);
        let inside = self.queries.shape_intersections(&shape, at, Quat::IDENTITY, &falling);
        (area.entered - area.left, inside.len())
    }
}

/// A line a second, and the end.
fn tell(
    scene: Scene,
    physics: Res<PhysicsWorld>,
    mut film: NonSendMut<Film>,
    mut exit: MessageWriter<AppExit>,
    mut still: Local<u32>,
) {
    let seconds = scene.time.elapsed_secs_f64();
    let (resting, all) = scene.resting();
    *still = if resting == all { *still + 1 } else { 0 };
    let is_over = *still > 32 || seconds > TIME_MAX;
    // The clock goes by 1/64 s: whole seconds are exact.
    if seconds.fract() == 0.0 || is_over {
        let (inside, seen) = (scene.in_area().0, scene.seen());
        println!("{seconds:5.2} s  {resting:2} of {all} rest, {inside:2} in the area, {seen}");
        println!("         {}", *scene.report);
    }
    if !is_over {
        return;
    }
    film.shoot(format!("{seconds:.1} s"), physics.engine(), color);
    film.save("out/playground.svg");
    let (astray, (counted, inside)) = (scene.astray(), scene.in_area());
    let ghost_alone = scene.ghost.iter().all(|&other| !scene.names.contains(other));
    let fine = [
        (resting == all, format!("{resting} of {all} rest")),
        (astray.is_empty(), format!("below the ground or far away: {astray:?}")),
        (counted == inside, format!("in the area: {counted} counted, {inside} found")),
        (ghost_alone, "the ghost touches the ground alone".to_owned()),
    ];
    for (holds, what) in &fine {
        println!("{}: {what}", if *holds { "as it should" } else { "NOT as it should" });
    }
    let fine = fine.iter().all(|(holds, _)| *holds);
    exit.write(if fine { AppExit::Success } else { AppExit::error() });
}
