//! Balls that strike a tower: how far its cubes come from where they were.

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyKind};
use orthant::engine::shape::Shape;
use orthant::math::{Real, Vec3, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::{add, cuboid, floor, run};

/// Towers, and steps of each before and after the ball comes.
const STRIKES: u64 = 400;
const STEPS: [usize; 2] = [60, 240];

/// Where the cubes are (m).
fn cubes(world: &Simulation) -> Vec<Vec3> {
    let cubes = world.bodies().iter().filter(|body| body.tag == 1);
    cubes.map(Body::center).collect()
}

/// A ball as dense as the six cubes of a tower strikes the lowest one: how far they are off then, across (m).
fn strike(rng: &mut Rng) -> f64 {
    let mut world = floor();
    for k in 0..6_u8 {
        let (shape, position) = (Some(cuboid(1.0, 1.0, 1.0)), Vec3::Y * (0.5 + Real::from(k)));
        world
            .add_body(BodyDesc { shape, position, tag: 1, ..BodyDesc::default() })
            .expect("a cube");
    }
    run(&mut world, STEPS[0]);
    let (radius, speed) = (rng.range(0.15, 0.3), rng.range(0.5, 4.0));
    let (aside, beside) = (rng.range(-0.3, 0.3), rng.range(-0.3, 0.3));
    let ball = Shape::sphere(radius).expect("a ball");
    let ball = add(&mut world, BodyKind::Dynamic, ball, Vec3::new(1.5, radius, beside));
    if let Some(body) = world.body_mut(ball) {
        body.linear_velocity = Vec3::new(-1.0, 0.0, aside) * speed;
    }
    let stood = cubes(&world);
    run(&mut world, STEPS[1]);
    let off = stood.iter().zip(cubes(&world)).map(|(a, b)| (*a - b).abs());
    off.fold(0.0, |most, d| widen(d.x.max(d.z)).max(most))
}

/// Strikes as many towers as there are, one each, and tells of all.
pub(super) fn tell() {
    let mut rng = Rng::new(1);
    let mut off: Vec<f64> = (0..STRIKES).map(|_| 1e6 * strike(&mut rng)).collect();
    off.sort_by(f64::total_cmp);
    let at = |part: usize| off[(off.len() - 1) * part / 100];
    let sum = 1e-3 * off.iter().sum::<f64>();
    println!("| strikes | median (µm) | 95th percentile | most | all together (mm) |");
    println!("|---|---|---|---|---|");
    println!("| {} | {:.2} | {:.1} | {:.1} | {sum:.2} |", off.len(), at(50), at(95), at(100));
}
