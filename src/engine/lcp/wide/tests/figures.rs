//! Figures of what substeps reach, printed on demand.

use super::*;

#[test]
#[ignore = "prints figures"]
fn figures() {
    let scenes = [
        ("stack10", World::stack(10, 1.0)),
        ("pyr10", World::pyramid(10)),
        ("pyr20", World::pyramid(20)),
        ("pile", World::pile()),
    ];
    for (name, world) in scenes {
        for n in [4, 8, 16, 32] {
            for rate in [0.25, 0.5, 1.0] {
                let mut world = world.clone();
                let params = SubstepParams { push_rate: rate, ..params(n) };
                let (overlap, speed) = worst(&mut world, &params);
                println!("{name} n {n} rate {rate}: overlap {overlap:.2e} speed {speed:.2e}");
            }
        }
    }
}

#[test]
#[ignore = "prints figures"]
fn mass_ratios() {
    for ratio in [1.0, 10.0, 100.0, 1000.0] {
        for n in [8, 16, 32, 64] {
            let (a, b) = worst(&mut World::stack(10, ratio), &params(n));
            let mut chain = World::chain(10, ratio);
            chain.gravity = [1.0, -GRAVITY, 0.0];
            let (_, speed) = worst(&mut chain, &params(n));
            let error = (0..chain.joints.len()).fold(0.0_f64, |m, i| m.max(chain.error(i).abs()));
            println!(
                "ratio {ratio} n {n}: stack overlap {a:.2e} speed {b:.2e}; \
                 chain error {error:.2e} speed {speed:.2e}"
            );
        }
    }
}

/// Largest overlap from half a second on and largest speed in the second half, over two seconds.
fn worst(world: &mut World, params: &SubstepParams) -> (Double, Double) {
    let mut scratch = WideScratch::default();
    let (mut overlap, mut speed) = (0.0_f64, 0.0_f64);
    for frame in 0..120 {
        world.step(params, &mut scratch);
        if frame >= 30 {
            overlap = overlap.max(world.overlap());
        }
        if frame >= 60 {
            speed = speed.max(world.speed());
        }
    }
    (overlap, speed)
}
