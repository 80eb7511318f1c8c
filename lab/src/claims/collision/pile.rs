//! A thousand bodies in a pen.

use std::time::Instant;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};

use crate::claims::Claims;
use crate::random::Rng;
use crate::support::{DT, add, add_floor};

const BODIES: usize = 1000;
/// Bodies of a layer along each side.
const ROW: usize = 10;
const STEPS: usize = 600;

/// Bodies of six kinds above a floor between four walls, all half-spaces.
fn pen() -> Simulation {
    let mut world = Simulation::new();
    add_floor(&mut world);
    for normal in [Vec3::X, -Vec3::X, Vec3::Z, -Vec3::Z] {
        let wall = Shape::half_space(normal).expect("a direction");
        add(&mut world, BodyKind::Static, wall, normal * (-0.31 * ROW as Real));
    }
    let mut rng = Rng::new(1000);
    let material = Material { rolling: 0.01, spinning: 0.01, ..Material::new(0.5) };
    for i in 0..BODIES {
        let mut size = || rng.range(0.2, 0.34);
        let (a, b, c) = (size(), size(), size());
        let shape = match i % 6 {
            0 => Shape::cuboid(a, b, c),
            1 => Shape::sphere(0.5 * a),
            2 => Shape::capsule(0.3 * a, b),
            3 => {
                let mut point = || rng.vector(-1.0, 1.0).normalize_or(Vec3::X) * 0.6 * a;
                let points: Vec<Vec3> = (0..12).map(|_| point()).collect();
                Shape::convex_hull(&points)
            }
            4 => Shape::cylinder(0.5 * a, b),
            _ => Shape::cone(0.5 * a, b),
        };
        let (layer, k) = (i / (ROW * ROW), i % (ROW * ROW));
        let middle = 0.5 * (ROW - 1) as Real;
        let at = Vec3::new((k % ROW) as Real - middle, layer as Real, (k / ROW) as Real - middle);
        let collider = Collider { material, ..Collider::new(shape.expect("it has volume")) };
        let desc = BodyDesc {
            colliders: vec![collider],
            position: at * 0.6 + Vec3::Y * 0.5 + rng.vector(-0.05, 0.05),
            rotation: rng.rotation(),
            ..BodyDesc::default()
        };
        world.add_body(desc).expect("a sound body");
    }
    world
}

/// Root mean square and largest of the speeds [m/s].
fn speeds(world: &Simulation) -> (Double, Double) {
    let moving = world.bodies().iter().filter(|body| body.is_dynamic());
    let squares = moving.map(|body| widen(body.linear_velocity.length_squared()));
    let (sum, most) = squares.fold((0.0, 0.0), |(s, m): (Double, Double), x| (s + x, m.max(x)));
    ((sum / BODIES as Double).sqrt(), most.sqrt())
}

/// Ten seconds of it.
pub fn measure(claims: &mut Claims) {
    let mut world = pen();
    let start = Instant::now();
    let (mut rms, mut most, mut overlap): (Double, Double, Double) = (0.0, 0.0, 0.0);
    for step in 1..=STEPS {
        world.step(&Settings::default(), DT);
        let now = speeds(&world);
        if step > STEPS - 60 {
            (rms, most) = (rms.max(now.0), most.max(now.1));
            overlap = overlap.max(widen(world.report().overlap));
        }
        if step % 30 == 0 {
            let seconds = start.elapsed().as_secs_f64();
            let (deep, speed) = (1e3 * widen(world.report().overlap), now.0);
            eprintln!(
                "    pile: step {step} of {STEPS}, {seconds:.0} s, {deep:.3} mm, {speed:.4} m/s"
            );
        }
    }
    let what = format!("a pile of {BODIES} bodies, 10 s: overlap in the last second");
    claims.add(&what, &format!("{:.3} mm", 1e3 * overlap), "≤ 1 mm", overlap <= 1e-3);
    let low = world.bodies().iter().filter(|body| body.is_dynamic());
    let lost = low.filter(|body| body.center().y < 0.0).count();
    claims.add("… of which fell out of the pen", &lost.to_string(), "0", lost == 0);
    let figure = format!("{rms:.1e} m/s, fastest {most:.1e}");
    claims.add("… RMS speed in the last second", &figure, "≤ 1e-2 m/s", rms <= 1e-2);
}
