//! The cone Newton against rows: same problem, same measures, same matrix, same answers.

mod bounded;
mod interior;
mod lorentz;
mod products;
mod rows;
mod solutions;
mod world;

use self::world::World;
use super::kernel::Sweep;
use super::*;
use crate::engine::lcp::factor::{Factor, Order};
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
        loaded: false,
    }
}

/// Where a body comes and then others go, what is left may have no contact: the graph of the bodies before
/// is not theirs, though none of its edges says so.
#[test]
fn a_factor_of_other_bodies_is_forgotten() {
    let mut memory = NewtonMemory::default();
    assert!(memory.pattern.build(&mut Order::default(), 2, 0, &[[0, 1]]), "a new graph");
    memory.pass_on([Some(0), Some(1)].into_iter());
    assert!(memory.pattern.is_left(&memory.nodes, 0, &[[0, 1]]), "all are there");
    memory.pass_on([Some(0), Some(1), None].into_iter());
    memory.pass_on([Some(2)].into_iter());
    assert!(!memory.pattern.is_left(&memory.nodes, 0, &[]), "the third had no node");
}
