//! A door, a drawer, a lamp, a shelf: `cargo run --release --example joints`.
//!
//! A joint is an entity. `None` is the world; anchors and axes are given in the world where all is built.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use orthant::math::{Real, Vec3};
use orthant::prelude::*;

/// What a joint holds, and where it must be in the end: the least and the largest position on its axis.
#[derive(Component)]
struct Holds {
    what: &'static str,
    within: [Real; 2],
}

/// What broke.
#[derive(Resource, Default)]
struct Broken(Vec<&'static str>);

fn main() {
    let mut app = App::new();
    app.add_plugins((TimePlugin, PhysicsPlugins::default()))
        .insert_resource(TimeUpdateStrategy::FixedTimesteps(1))
        .init_resource::<Broken>()
        .add_systems(Startup, spawn)
        .add_systems(Update, hear);
    (0..6 * 64).for_each(|_| app.update());
    let mut fine = app.world().resource::<Broken>().0 == ["shelf"];
    let mut joints = app.world_mut().query::<(&Holds, &Joint, &JointPosition)>();
    for (holds, joint, position) in joints.iter(app.world()) {
        let (x, unit) = match joint.axis() {
            JointAxis::AngularX => (position.angular.x, "rad"),
            _ => (position.linear.x, "m"),
        };
        let [low, high] = holds.within;
        fine &= (low..=high).contains(&x);
        println!("The {} is at {x:.3} {unit}, within {low:.3} and {high:.3}.", holds.what);
    }
    assert!(fine, "a joint is where it should not be");
}

fn spawn(mut commands: Commands) {
    // Pushed open, the door swings to its stop; friction in the hinge keeps it from coming back.
    let at = Transform::from_xyz(0.5, 1.0, 0.0);
    let pushed = (AngularVelocity(Vec3::Y * 3.0), LinearVelocity(Vec3::Z * -1.5));
    let door = (RigidBody::Dynamic, Collider::cuboid(1.0, 2.0, 0.05), Mass(10.0), at, pushed);
    let door = commands.spawn(door).id();
    let hinge = Joint::hinge(None, door).with_anchor(Vec3::Y).with_axis(Vec3::Y);
    let hinge = hinge.with_limits(0.0, 1.5).with_friction(0.5);
    let holds = Holds { what: "door", within: [1.0, 1.501] };
    commands.spawn((hinge, JointPosition::default(), holds));

    let at = Transform::from_xyz(3.0, 1.0, 0.0);
    let pulled = LinearVelocity(Vec3::Z * 2.0);
    let drawer = (RigidBody::Dynamic, Collider::cuboid(0.5, 0.2, 0.5), Mass(3.0), at, pulled);
    let drawer = commands.spawn(drawer).id();
    let slide = Joint::prismatic(None, drawer).with_anchor(Vec3::new(3.0, 1.0, 0.0));
    let slide = slide.with_axis(Vec3::Z).with_limits(0.0, 0.4).with_friction(2.0);
    let holds = Holds { what: "drawer", within: [0.3, 0.401] };
    commands.spawn((slide, JointPosition::default(), holds));

    // Let go aside, with a slack rope, it falls until the rope is taut, and swings.
    let lamp = (RigidBody::Dynamic, Collider::sphere(0.1), Transform::from_xyz(6.5, 3.0, 0.0));
    let lamp = commands.spawn((lamp, Mass(1.0), LinearDamping(0.5))).id();
    let (hook, top) = (Vec3::new(6.0, 3.0, 0.0), Vec3::new(6.5, 3.0, 0.0));
    let rope = Joint::rope(None, lamp, 1.0).with_world_anchors(hook, top);
    let holds = Holds { what: "lamp", within: [0.9, 1.001] };
    commands.spawn((rope, JointPosition::default(), holds));

    // A plank of 20 kg on a bracket that bears 100 N.
    let plank = (RigidBody::Dynamic, Collider::cuboid(1.0, 0.05, 0.3), Mass(20.0));
    let plank = commands.spawn((plank, Transform::from_xyz(9.0, 2.0, 0.0))).id();
    let bracket = Joint::fixed(None, plank).with_anchor(Vec3::new(8.5, 2.0, 0.0));
    commands.spawn((bracket.with_break_force(100.0), Name("shelf")));
}

/// The name of a joint that may break.
#[derive(Component)]
struct Name(&'static str);

fn hear(mut news: MessageReader<JointBroken>, names: Query<&Name>, mut broken: ResMut<Broken>) {
    for news in news.read() {
        if let Ok(Name(name)) = names.get(news.joint) {
            println!("The {name} broke under {:.0} N.", news.force.length());
            broken.0.push(name);
        }
    }
}
