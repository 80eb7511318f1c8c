//! Mechanisms that run and that jam: `cargo run --release --example linkage`.
//!
//! Four of them lie on a table, each driven by a motor that keeps its speed as long as its torque lets it.
//! The rocker of a four-bar linkage must swing between the angles that its lengths tell. The slider of a
//! slider–crank rubs in its guide: a turn must cost the friction times the way. In the third one the
//! friction is more than the motor can overcome: it must stand, and hold against just what pushes it. The
//! fourth slider is two millimetres wider than its guide: walls of a friction cone that is not pointed.
//! Its step problem has no solution, and every step must say so. A picture goes to `out/linkage.svg`. The
//! exit status says whether all of this is so.

mod draw;

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::components::Transform;
use draw::film::Film;
use draw::solid::{PALETTE, Rgb};
use orthant::engine::body::Body;
use orthant::math::{DVec3, PI, Real, Vec3, atan2, quat_exp, single_quat, single3};
use orthant::prelude::*;

/// Speed [rad/s] and largest torque (N·m) of every motor.
const SPEED: Real = 2.0;
const TORQUE: Real = 20.0;
/// Lengths of cranks, rods and the four-bar's others (m).
const CRANK: Real = 0.5;
const ROD: Real = 1.5;
const GROUND: Real = 2.0;
const COUPLER: Real = 2.0;
const ROCKER: Real = 1.5;
/// Friction of the guides (N).
const RUBS: Real = 10.0;
const HOLDS: Real = 200.0;
/// How much wider than its guide the last slider is (m).
const PRESSED: Real = 0.002;
/// Height of the mechanisms above the table (m).
const HEIGHT: Real = 0.3;
/// Turns until the end, and when the pictures are taken (turns).
const TURNS: Real = 3.0;
const MOMENTS: [Real; 4] = [0.0, 0.25, 0.5, 0.75];

/// Mechanisms by number; joints and bodies carry it.
#[derive(Component, Clone, Copy, PartialEq)]
enum Machine {
    FourBar,
    Rubbing,
    Stuck,
    Pressed,
}

/// What is read.
#[derive(Component)]
struct Drive(Machine);

#[derive(Component)]
struct Rocker;

#[derive(Component)]
struct Guide(Machine);

#[derive(Component)]
struct Slider(Machine);

/// A point of the table, so far to the right and away.
fn point(x: Real, y: Real) -> Vec3 {
    Vec3::new(x, HEIGHT, -y)
}
