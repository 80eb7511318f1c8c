//! An arm from URDF sets a box aside and takes it back. Its motors are as strong as it says, and at most half
//! as fast; it is drawn as it says.

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

const ARM: &str = include_str!("robot.urdf");

/// What is led, in the order of [`pose`].
const JOINTS: [&str; 5] = ["turn", "shoulder", "elbow", "wrist", "grip"];

/// The box is set aside by this angle (rad).
const ASIDE: f32 = -1.2;

/// A joint that goes to its share of the pose.
#[derive(Component)]
struct Servo {
    joint: usize,
    limit: UrdfLimit,
    /// Where it is led to now (rad or m).
    at: f32,
}

pub fn spawn(mut kit: Kit) {
    kit.ground();
    let robot = match Urdf::read(ARM) {
        Ok(robot) => robot,
        Err(error) => return error!("{error}"),
    };
    let arm = robot.spawn(&mut kit.commands, Transform::from_rotation(Urdf::upright()));
    // Links are not drawn themselves; with this those below them are shown.
    for &(_, link) in &arm.links {
        kit.commands.entity(link).insert(Visibility::default());
    }
    for (joint, name) in JOINTS.into_iter().enumerate() {
        if let (Some(entity), Some(limit)) = (arm.joint(name), robot.limit(name)) {
            kit.commands.entity(entity).insert(Servo { joint, limit, at: 0.0 });
        }
    }
    for (turn, height, color) in [(0.0, 0.15, 3), (ASIDE, 0.15, 3), (0.0, 0.45, 2)] {
        let mut at = Transform::from_xyz(1.1, height, 0.0);
        at.rotate_around(Vec3::ZERO, Quat::from_rotation_y(turn));
        let cube = kit.body(Cuboid::new(0.3, 0.3, 0.3), color, at);
        kit.commands.entity(cube).insert((Mass(2.0), Friction::new(0.8)));
    }
}

pub fn systems(app: &mut App) {
    app.add_systems(FixedUpdate, work).add_systems(Update, draw);
}

/// Above the box, down to it, fingers closed, up, across, down, fingers open; then from the other side.
fn pose(seconds: f32) -> [f32; 5] {
    let beat = (seconds / 1.2) as u32;
    let part = beat % 7;
    let across = (beat / 7 + u32::from(part > 3)) % 2 == 1;
    let turn = if across { ASIDE } else { 0.0 };
    let grip = if (2..6).contains(&part) { 0.06 } else { 0.0 };
    // The three angles make half a turn, so that the hand looks down.
    if matches!(part, 1 | 2 | 5 | 6) {
        [turn, 0.9, 1.2, 1.04, grip]
    } else {
        [turn, 0.3, 1.5, 1.34, grip]
    }
}

/// Leads the joints so that all arrive at the same time, none faster than half of what its limit says.
fn work(time: Res<Time>, mut servos: Query<(&mut Joint, &mut Servo)>) {
    let (pose, dt) = (pose(time.elapsed_secs()), time.delta_secs());
    let way = |servo: &Servo| pose[servo.joint] - servo.at;
    let longest =
        |most: f32, servo: &Servo| most.max(way(servo).abs() / (0.5 * servo.limit.velocity));
    let seconds = servos.iter().fold(dt, |most, (_, servo)| longest(most, servo));
    for (mut joint, mut servo) in &mut servos {
        let speed = way(&servo) / seconds;
        servo.at += speed * dt;
        let motor = Motor::spring(servo.at, 2e4, 2e3).with_velocity(speed);
        let motor = Some(motor.with_max_force(servo.limit.effort));
        if *joint.bypass_change_detection().motor_mut() != motor {
            *joint.motor_mut() = motor;
        }
    }
}

/// Gives what is seen of a robot its meshes and materials.
fn draw(
    visuals: Query<(Entity, &UrdfVisual), Added<UrdfVisual>>,
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    for (entity, UrdfVisual { shape, color, .. }) in &visuals {
        let mesh: Mesh = match *shape {
            UrdfShape::Cuboid { size } => Cuboid::from_size(size).into(),
            UrdfShape::Sphere { radius } => Sphere::new(radius).into(),
            UrdfShape::Cylinder { radius, length } => Cylinder::new(radius, length).into(),
            UrdfShape::Capsule { radius, length } => Capsule3d::new(radius, length).into(),
            // There are none in this one; a game asks its asset server for the file.
            UrdfShape::Mesh { .. } => continue,
        };
        let [r, g, b, a] = color.unwrap_or([0.8, 0.8, 0.8, 1.0]);
        let material =
            StandardMaterial { perceptual_roughness: 0.6, ..Color::srgba(r, g, b, a).into() };
        let seen = (Mesh3d(meshes.add(mesh)), MeshMaterial3d(materials.add(material)));
        commands.entity(entity).insert(seen);
    }
}
