//! What is measured of each example, by the same lines for every engine.

use bevy::prelude::*;

use crate::Figures;
use crate::scene::{DT, Scene};

fn least(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(f32::INFINITY, f32::min)
}

fn most(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(-f32::INFINITY, f32::max)
}

/// Turn about z (rad).
fn about_z(pose: &GlobalTransform) -> f32 {
    let x = pose.rotation() * Vec3::X;
    x.y.atan2(x.x)
}

/// A hub that turns by 1.5 rad/s, body 0, and the weight on it, body 1, which hinges by 1 rad either way.
pub fn revolute(mut scene: Scene) -> Figures {
    let (mut gap, mut beyond, mut up) = (0.0_f32, 0.0_f32, None);
    let mut step = 0;
    scene.run(640, |scene| {
        let [hub, weight] = [0, 1].map(|body| scene.pose(body));
        gap = gap.max(hub.translation().distance(weight.transform_point(Vec3::Y * 2.0)));
        let turn = hub.rotation().inverse() * weight.rotation();
        let turn = 2.0 * turn.z.atan2(turn.w);
        let turn =
            (turn + std::f32::consts::PI).rem_euclid(std::f32::consts::TAU) - std::f32::consts::PI;
        beyond = beyond.max(turn.abs() - 1.0);
        step += 1;
        if weight.translation().y > 0.0 && up.is_none() {
            up = Some(step as f32 * DT);
        }
    });
    let weight = scene.pose(1);
    vec![
        (
            "the weight passes the height of the hub, if the limit does not throw it 1.714 (s)",
            f64::from(up.unwrap_or(f32::NAN)),
        ),
        ("angle of the weight after 10 s (rad)", f64::from(about_z(&weight))),
        ("the hinge opens by at most (mm)", f64::from(1e3 * gap)),
        ("beyond its limit by at most (mrad)", f64::from(1e3 * beyond)),
    ]
}

/// 64 cubes of 2 m on a floor at -1.5 m.
pub fn cubes(mut scene: Scene) -> Figures {
    scene.run(1, |_| {});
    let start = scene.places();
    scene.run(639, |_| {});
    let rest = scene.places();
    let apart = |now: &[Vec3], then: &[Vec3]| {
        most(now.iter().zip(then).map(|(a, b)| a.xz().distance(b.xz())))
    };
    let speed = most(scene.velocities().iter().map(|v| v.length()));
    scene.push(true);
    scene.run(64, |_| {});
    let pushed = scene.velocities();
    scene.push(false);
    let mean = pushed.iter().map(|v| v.x).sum::<f32>() / pushed.len() as f32;
    vec![
        ("lowest center after 10 s, exact -0.5 (m)", f64::from(least(rest.iter().map(|p| p.y)))),
        ("highest center after 10 s, exact 5.5 (m)", f64::from(most(rest.iter().map(|p| p.y)))),
        ("moved sideways by at most (mm)", f64::from(1e3 * apart(&rest, &start))),
        ("fastest after 10 s (mm/s)", f64::from(1e3 * speed)),
        ("mean speed after a key is pressed for 1 s (m/s)", f64::from(mean)),
    ]
}

/// A weight of 1 kg, body 1, on a spring of 400 N/m and 1.5 m at body 0.
pub fn distance(mut scene: Scene) -> Figures {
    let length = |scene: &Scene| {
        scene.pose(0).translation().distance(scene.pose(1).transform_point(Vec3::splat(0.5)))
    };
    let mut lengths = Vec::new();
    scene.run(640, |scene| lengths.push(length(scene)));
    let (shortest, longest) = (least(lengths.iter().copied()), most(lengths.iter().copied()));
    let mut places = vec![scene.places()[1]];
    let mut late = Vec::new();
    scene.run(3200, |scene| {
        places.push(scene.places()[1]);
        late.push(length(scene));
    });
    let late = &late[late.len() - 640..];
    let places = &places[places.len() - 641..];
    let fastest = most(places.windows(2).map(|pair| pair[0].distance(pair[1]) / DT));
    let mean = late.iter().sum::<f32>() / late.len() as f32;
    vec![
        ("shortest length in the first 10 s (m)", f64::from(shortest)),
        ("longest length in the first 10 s (m)", f64::from(longest)),
        ("mean length from 50 to 60 s, at rest exact 1.5245 (m)", f64::from(mean)),
        ("fastest from 50 to 60 s (m/s)", f64::from(fastest)),
    ]
}

/// 1280 boxes of 2 m above a floor at 0 m.
pub fn boxes(mut scene: Scene) -> Figures {
    scene.run(640, |_| {});
    let places = scene.places();
    let moving = scene.velocities().iter().filter(|v| v.length() > 0.1).count();
    let count = places.len() as f32;
    let middle = places.iter().sum::<Vec3>() / count;
    let spread = places.iter().map(|p| (p - middle).xz().length_squared()).sum::<f32>() / count;
    vec![
        ("boxes", f64::from(count)),
        ("mean height after 10 s (m)", f64::from(middle.y)),
        ("highest center after 10 s (m)", f64::from(most(places.iter().map(|p| p.y)))),
        ("lowest center after 10 s, exact ≥ 1 (m)", f64::from(least(places.iter().map(|p| p.y)))),
        ("mean distance from the middle, squared mean (m)", f64::from(spread.sqrt())),
        ("below the floor after 10 s", places.iter().filter(|p| p.y < 0.0).count() as f64),
        ("faster than 0.1 m/s after 10 s", moving as f64),
    ]
}

/// A cube of 1 kg, body 0, that falls through a sensor onto a floor at -0.2 m.
pub fn events(mut scene: Scene) -> Figures {
    let (mut inside, mut landed) = (None, None);
    let mut step = 0;
    scene.run(320, |scene| {
        step += 1;
        let time = step as f32 * DT;
        let told = scene.told();
        if told.starts >= 1 && inside.is_none() {
            inside = Some(time);
        }
        if told.starts >= 2 && landed.is_none() {
            landed = Some(time);
        }
    });
    let told = scene.told();
    let or_none = |time: Option<f32>| f64::from(time.unwrap_or(f32::NAN));
    vec![
        ("starts told in 5 s", f64::from(told.starts)),
        ("ends told in 5 s", f64::from(told.ends)),
        ("the sensor tells at, exact 1.106 (s)", or_none(inside)),
        ("the floor tells at, exact 1.609 (s)", or_none(landed)),
        ("blows above the threshold", f64::from(told.blows)),
        ("impulse of the largest, exact 15.8 (N·s)", f64::from(told.impulse)),
        ("rest height, exact 0.3 (m)", f64::from(scene.places()[0].y)),
    ]
}

/// A plate that only turns about x, body 0, and a box that only moves, body 1, falling onto it.
pub fn locked(mut scene: Scene) -> Figures {
    scene.run(1, |_| {});
    let tilt = scene.pose(1).rotation();
    let (mut off, mut turned, mut lowest) = (0.0_f32, 0.0_f32, f32::INFINITY);
    scene.run(319, |scene| {
        let [plate, falling] = [0, 1].map(|body| scene.pose(body));
        off = off.max(plate.translation().distance(Vec3::Y * 3.0));
        turned = turned.max(falling.rotation().angle_between(tilt));
        lowest = lowest.min(falling.translation().y);
    });
    let [plate, falling] = [0, 1].map(|body| scene.pose(body));
    let z = plate.rotation() * Vec3::Z;
    vec![
        ("angle of the plate after 5 s (rad)", f64::from((-z.y).atan2(z.z))),
        ("the plate leaves its place by at most (mm)", f64::from(1e3 * off)),
        ("the box turns by at most (mrad)", f64::from(1e3 * turned)),
        ("height of the box after 5 s (m)", f64::from(falling.translation().y)),
    ]
}
