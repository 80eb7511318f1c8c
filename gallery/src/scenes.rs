//! The scenes.

mod brazil_nut;
mod character;
mod grasp;
mod ragdolls;
mod robot;
mod vehicle;

use std::f32::consts::PI;

use bevy::prelude::*;
use orthant::prelude::*;

use crate::kit::Kit;

/// A scene of the gallery.
#[derive(Clone, Copy)]
pub struct Scene {
    pub name: &'static str,
    pub help: &'static str,
    /// Where the camera looks from, and at what (m).
    pub view: [Vec3; 2],
    pub spawn: fn(Kit),
    /// Adds what goes on in it.
    pub systems: fn(&mut App),
}

pub const ALL: [Scene; 13] = [
    Scene {
        name: "brazil_nut",
        help: "shaken, large balls rise",
        view: [Vec3::new(1.2, 2.9, 6.6), Vec3::new(0.0, 1.8, 0.0)],
        spawn: brazil_nut::spawn,
        systems: brazil_nut::systems,
    },
    Scene {
        name: "card_house",
        help: "four storeys of cards, which lean on each other by friction",
        view: [Vec3::new(0.4, 0.85, 1.85), Vec3::new(0.0, 0.4, 0.0)],
        spawn: card_house,
        systems: nothing,
    },
    Scene {
        name: "character",
        help: "stairs, a turning disc, a ramp, crates; arrows: walk   enter: jump",
        view: [Vec3::new(0.4, 5.8, 14.0), Vec3::new(-0.2, 0.6, 0.0)],
        spawn: character::spawn,
        systems: character::systems,
    },
    Scene {
        name: "chains",
        help: "a bridge of planks on ball joints, and heavy balls on chains that hang from a beam",
        view: [Vec3::new(4.0, 5.0, 14.5), Vec3::new(-0.6, 2.6, 0.0)],
        spawn: chains,
        systems: nothing,
    },
    Scene {
        name: "dominoes",
        help: "a spiral of dominoes",
        view: [Vec3::new(0.0, 9.0, 9.0), Vec3::new(0.0, 0.0, 0.5)],
        spawn: dominoes,
        systems: nothing,
    },
    Scene {
        name: "drum",
        help: "a drum turns, and stones tumble in it",
        view: [Vec3::new(2.0, 2.8, 9.0), Vec3::new(0.0, 2.2, 0.0)],
        spawn: drum,
        systems: nothing,
    },
    Scene {
        name: "grasp",
        help: "three fingers lift a glass by friction",
        view: [Vec3::new(0.3, 0.85, 1.65), Vec3::new(0.0, 0.48, 0.0)],
        spawn: grasp::spawn,
        systems: grasp::systems,
    },
    Scene {
        name: "playground",
        help: "everything falls; drag with the left button",
        view: [Vec3::new(6.5, 6.5, 13.0), Vec3::new(-0.8, 0.8, 0.0)],
        spawn: playground,
        systems: nothing,
    },
    Scene {
        name: "pyramid",
        help: "210 boxes and the certificate that they stand",
        view: [Vec3::new(4.0, 8.5, 21.5), Vec3::new(0.0, 5.7, 0.0)],
        spawn: pyramid,
        systems: nothing,
    },
    Scene {
        name: "ragdolls",
        help: "people tumble down a stair",
        view: [Vec3::new(6.0, 4.5, 9.0), Vec3::new(0.0, 1.2, 0.0)],
        spawn: ragdolls::spawn,
        systems: nothing,
    },
    Scene {
        name: "robot",
        help: "an arm from URDF sets a box aside and takes it back",
        view: [Vec3::new(1.9, 1.9, 3.5), Vec3::new(0.75, 0.5, 0.2)],
        spawn: robot::spawn,
        systems: robot::systems,
    },
    Scene {
        name: "vehicle",
        help: "a car on springs; arrows: drive",
        view: [Vec3::new(-9.5, 5.0, -7.0), Vec3::new(0.0, 0.8, -14.0)],
        spawn: vehicle::spawn,
        systems: vehicle::systems,
    },
    Scene {
        name: "wrecking_ball",
        help: "a ball of 2 t on a chain meets a wall",
        view: [Vec3::new(10.0, 6.5, 15.0), Vec3::new(0.0, 4.2, 0.0)],
        spawn: wrecking_ball,
        systems: nothing,
    },
];

/// Nothing goes on but physics.
fn nothing(_: &mut App) {}

fn card_house(mut kit: Kit) {
    kit.ground();
    let (length, thickness, lean) = (0.2_f32, 0.004_f32, 0.35_f32);
    let card = Cuboid::new(thickness, length, 0.12);
    let tall = length * lean.cos() + thickness * lean.sin();
    let wide = length * lean.sin() + thickness * lean.cos();
    let step = 2.0 * wide + 0.002;
    for storey in 0..4_usize {
        let (base, tents) = (storey as f32 * (tall + thickness), 4 - storey);
        for tent in 0..tents {
            let middle = (tent as f32 - 0.5 * (tents - 1) as f32) * step;
            for side in [-1.0, 1.0] {
                let at = Transform::from_xyz(middle + side * 0.5 * wide, base + 0.5 * tall, 0.0)
                    .with_rotation(Quat::from_rotation_z(side * lean));
                let card = kit.body(card, storey + tent, at);
                kit.commands.entity(card).insert((Friction::new(0.8), ColliderDensity(700.0)));
            }
            if tent + 1 < tents {
                let at =
                    Transform::from_xyz(middle + 0.5 * step, base + tall + 0.5 * thickness, 0.0)
                        .with_rotation(Quat::from_rotation_z(0.5 * PI));
                let card = kit.body(card, 5, at);
                kit.commands.entity(card).insert((Friction::new(0.8), ColliderDensity(700.0)));
            }
        }
    }
}

fn chains(mut kit: Kit) {
    kit.ground();
    let planks = 16;
    let plank = Cuboid::new(0.46, 0.08, 1.2);
    let place = |i: f32| Vec3::new(0.5 * (i - 0.5 * (planks - 1) as f32), 3.0, -1.5);
    // The bridge hangs between two posts.
    let pier = |kit: &mut Kit, i: f32| {
        let at = Transform::from_translation(place(i).with_y(1.52));
        kit.spawn(Cuboid::new(0.46, 3.04, 1.2), 5, (RigidBody::Static, at))
    };
    let mut last = pier(&mut kit, -1.0);
    for i in 0..=planks {
        let next = if i < planks {
            kit.body(plank, i, Transform::from_translation(place(i as f32)))
        } else {
            pier(&mut kit, planks as f32)
        };
        for side in [-0.5, 0.5] {
            let anchor = place(i as f32 - 0.5) + Vec3::Z * side;
            kit.commands.spawn(Joint::spherical(last, next).with_anchor(anchor));
        }
        last = next;
    }
    for i in 0..5 {
        let at = Vec3::new(1.2 * (i as f32 - 2.0), 4.2 + 0.3 * i as f32, -1.5);
        kit.body(Sphere::new(0.3), i, Transform::from_translation(at));
    }
    // The chains hang from a beam on two posts.
    let beam = Transform::from_xyz(-1.0, 5.5, 3.0);
    let beam = kit.spawn(Cuboid::new(0.2, 0.2, 5.0), 5, (RigidBody::Static, beam));
    for z in [0.6, 5.4] {
        let at = Transform::from_xyz(-1.0, 2.7, z);
        kit.spawn(Cuboid::new(0.2, 5.4, 0.2), 5, (RigidBody::Static, at));
    }
    for i in 0..4 {
        let top = Vec3::new(-1.0, 5.5, 1.5 + 1.0 * i as f32);
        let mut last = beam;
        for link in 0..8 {
            let at = top + Vec3::new(0.3 * (link as f32 + 0.5), 0.0, 0.0);
            let lying =
                Transform::from_translation(at).with_rotation(Quat::from_rotation_z(0.5 * PI));
            let next = kit.body(Capsule3d::new(0.06, 0.18), i, lying);
            let anchor = top + Vec3::X * (0.3 * link as f32);
            kit.commands.spawn(Joint::spherical(last, next).with_anchor(anchor));
            last = next;
        }
        let at = top + Vec3::X * 2.8;
        let ball = kit.body(Sphere::new(0.4), i, Transform::from_translation(at));
        kit.commands.entity(ball).insert(Mass(500.0));
        kit.commands.spawn(Joint::spherical(last, ball).with_anchor(top + Vec3::X * 2.4));
    }
}

fn dominoes(mut kit: Kit) {
    kit.ground();
    let (mut angle, mut count) = (0.0_f32, 0);
    while angle < 6.0 * PI {
        let radius = 0.8 + 0.17 * angle;
        let at = Vec3::new(radius * angle.cos(), 0.4, radius * angle.sin());
        let turned = Quat::from_rotation_y(-angle);
        let mut place = Transform::from_translation(at).with_rotation(turned);
        if count == 0 {
            place.rotate(Quat::from_axis_angle(turned * Vec3::X, 0.3));
        }
        let piece = kit.body(Cuboid::new(0.4, 0.8, 0.1), count / 12, place);
        if count == 0 {
            kit.commands.entity(piece).insert(AngularVelocity((turned * Vec3::X) * 2.0));
        }
        count += 1;
        angle += 0.34 / radius;
    }
}

fn drum(mut kit: Kit) {
    kit.ground();
    let turning = (RigidBody::Kinematic, AngularVelocity(Vec3::Z * 0.9), Friction::new(0.7));
    let at = Transform::from_xyz(0.0, 2.4, 0.0);
    let drum = kit.commands.spawn((turning, at, Visibility::default())).id();
    let staves = 24;
    for i in 0..staves {
        let turn = Quat::from_rotation_z(2.0 * PI * i as f32 / staves as f32);
        let at = Transform::from_translation(turn * Vec3::Y * 2.1).with_rotation(turn);
        kit.spawn(Cuboid::new(0.57, 0.12, 2.0), 5, (at, ChildOf(drum)));
        if i % 6 == 0 {
            let at = Transform::from_translation(turn * Vec3::Y * 1.9).with_rotation(turn);
            kit.spawn(Cuboid::new(0.1, 0.4, 2.0), 3, (at, ChildOf(drum)));
        }
    }
    // Nothing falls out in front or behind, and one sees through.
    for side in [-1.0, 1.0] {
        let at = Transform::from_xyz(0.0, 2.4, side * 1.25);
        kit.commands.spawn((Collider::cuboid(4.6, 4.6, 0.5), at, Friction::new(0.0)));
    }
    for i in 0..140_usize {
        let at = Vec3::new(
            0.36 * (i % 7) as f32 - 1.1,
            1.1 + 0.36 * (i / 35) as f32,
            0.36 * (i / 7 % 5) as f32 - 0.72,
        );
        let at = Transform::from_translation(at).with_rotation(Quat::from_rotation_y(i as f32));
        match i % 3 {
            0 => kit.body(Cuboid::new(0.26, 0.2, 0.24), i % 5, at),
            1 => kit.body(Sphere::new(0.14), i % 5, at),
            _ => kit.body(Tetrahedron::default(), i % 5, at.with_scale(Vec3::splat(0.3))),
        };
    }
}

fn playground(mut kit: Kit) {
    kit.ground();
    let ramp = Transform::from_xyz(-3.0, 0.8, 0.0).with_rotation(Quat::from_rotation_z(-0.3));
    kit.spawn(Cuboid::new(6.0, 0.2, 4.0), 5, (RigidBody::Static, ramp));
    for i in 0..120_usize {
        let spread =
            Vec3::new((i % 4) as f32 - 4.5, 2.5 + (i / 16) as f32, (i / 4 % 4) as f32 - 1.5);
        let turned = Quat::from_euler(EulerRot::XYZ, 0.7 * i as f32, 0.3 * i as f32, 0.0);
        let at = Transform::from_translation(spread * 0.95).with_rotation(turned);
        match i % 5 {
            0 => kit.body(Cuboid::new(0.6, 0.5, 0.7), i, at),
            1 => kit.body(Sphere::new(0.32), i, at),
            2 => kit.body(Capsule3d::new(0.22, 0.4), i, at),
            3 => kit.body(Cylinder::new(0.3, 0.5), i, at),
            _ => kit.body(Cone::new(0.35, 0.6), i, at),
        };
    }
}

fn pyramid(mut kit: Kit) {
    kit.ground();
    for row in 0..20_usize {
        for i in 0..20 - row {
            let x = 1.05 * (i as f32 - 0.5 * (19 - row) as f32);
            kit.body(
                Cuboid::from_length(0.6),
                row,
                Transform::from_xyz(0.6 * x, 0.3 + 0.6 * row as f32, 0.0),
            );
        }
    }
}

fn wrecking_ball(mut kit: Kit) {
    kit.ground();
    for row in 0..10_usize {
        for i in 0..8_usize {
            let z = 0.82 * (i as f32 - 3.5) + 0.4 * (row % 2) as f32;
            let at = Transform::from_xyz(0.0, 0.2 + 0.4 * row as f32, z);
            let brick = kit.body(Cuboid::new(0.4, 0.4, 0.8), row + i, at);
            kit.commands.entity(brick).insert(ColliderDensity(200.0));
        }
    }
    let top = Vec3::new(0.0, 9.0, 0.0);
    let way = Vec3::new(-0.8, -0.6, 0.0);
    // A crane: an arm that the chain hangs from, on a mast behind the wall.
    let arm = Transform::from_xyz(0.0, 9.0, -3.0);
    let mut last = kit.spawn(Cuboid::new(0.3, 0.3, 6.6), 5, (RigidBody::Static, arm));
    let mast = Transform::from_xyz(0.0, 4.6, -6.3);
    kit.spawn(Cuboid::new(0.4, 9.2, 0.4), 5, (RigidBody::Static, mast));
    for link in 0..12 {
        let along = |part: f32| top + way * (0.5 * part);
        let lying = Transform::from_translation(along(link as f32 + 0.5))
            .with_rotation(Quat::from_rotation_arc(Vec3::Y, way));
        let next = kit.body(Capsule3d::new(0.07, 0.36), 3, lying);
        kit.commands.entity(next).insert(Mass(5.0));
        kit.commands.spawn(Joint::spherical(last, next).with_anchor(along(link as f32)));
        last = next;
    }
    let ball = kit.body(Sphere::new(0.7), 4, Transform::from_translation(top + way * 6.7));
    kit.commands.entity(ball).insert((Mass(2000.0), SweptCcd));
    kit.commands.spawn(Joint::spherical(last, ball).with_anchor(top + way * 6.0));
}
