//! Laws that substeps and sweeps keep, and a slow reference in double precision.

mod bounded;
mod colors;
mod domains;
mod kernel;
mod laws;
mod nncg;
mod world;

use self::world::{DT, GRAVITY, World};
use super::*;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::problem::{BodyBlock, FIXED, JointRow, Vec6};
use crate::engine::lcp::tests::random::Random;
use crate::math::Double;
use crate::par::Serial;

fn params(substeps: u32) -> SubstepParams {
    SubstepParams {
        dt: DT,
        substeps,
        gamma: 1.0,
        relax: true,
        softness: 0.5,
        joint_softness: 0.3,
        push_speed_max: 3.0,
        dead_zone: 0.0,
    }
}

/// Runs a scene for some steps.
fn run(world: &mut World, params: &SubstepParams, steps: usize) {
    let mut scratch = SweepScratch::default();
    for _ in 0..steps {
        world.step(params, &mut scratch);
    }
}

/// A wall with a pendulum beside it, everything kicked and drifting.
fn kicked(seed: u64) -> World {
    let mut random = Random::new(seed);
    let mut world = World::pyramid(7);
    let fixed = world.bodies.len() as u32;
    let mut above = FIXED;
    for _ in 0..5 {
        let b = world.cube(0.3 + random.unit());
        world.ball(above, b, [0.1, -0.5, 0.0], [0.0, 0.5, 0.2]);
        above = b;
    }
    // A bridge from the pendulum to the wall, so that contacts and joints share bodies.
    world.rest(3, above, [0.3, 0.1], [-0.2, 0.4], [-0.3, 0.3]);
    for manifold in &mut world.manifolds {
        for i in [&mut manifold.a, &mut manifold.b] {
            *i = if *i == fixed { FIXED } else { *i };
        }
        manifold.count = 1 + random.below(4) as u32;
        for lane in manifold.count as usize..4 {
            manifold.compliance[lane] = 0.0;
        }
        for lane in 0..manifold.count as usize {
            manifold.gap[lane] = random.signed(0.004);
            manifold.point[0][lane] += random.signed(0.1);
            if random.below(5) == 0 {
                manifold.drift[0][lane] = random.signed(1.0);
            }
        }
    }
    let mut world = world.close();
    for velocity in &mut world.velocity {
        *velocity = [0; 6].map(|_| random.signed(1.0));
    }
    for manifold in &world.manifolds {
        for lane in 0..manifold.count as usize {
            for impulses in &mut world.impulse {
                impulses[manifold.first as usize + lane] =
                    [random.signed(0.3), random.unit(), random.signed(0.3)];
            }
        }
    }
    world
}
