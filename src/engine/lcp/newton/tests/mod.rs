//! The cone Newton against rows: same problem, same measures, same matrix, same answers.

mod bounded;
mod products;
mod rows;
mod solutions;
mod world;

use self::world::World;
use super::kernel::Sweep;
use super::*;
use crate::engine::lcp::factor::Factor;
use crate::engine::lcp::problem::Vec6;
use crate::math::Single;

fn params(tolerance: Double) -> NewtonParams {
    NewtonParams {
        tolerance,
        penalty: 200.0,
        outer_max: 200,
        newton_max: 40,
        work_max: 1e6,
        half_work: Double::INFINITY,
        patient: false,
    }
}
