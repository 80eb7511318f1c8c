//! Block-sparse factor of the Newton matrix of an island: bodies and joints are nodes of one graph,
//! every node has six rows.
//!
//! ```text
//! [ H   -ν ]      H = M + Jᵀ diag(D_c) J   symmetric positive definite, a 6×6 block a body
//! [ -νᵀ -δ ]      δ > 0, a 6×6 block a joint; unused rows have -1 on the diagonal
//! ```
//!
//! Input: the graph (contacts are edges between bodies, joints are nodes with edges to their
//! bodies), then the blocks. Output: solutions. Three steps that change at different rates:
//!
//! 1. [`Pattern::build`] orders the nodes (minimum degree) and finds the blocks of the factor, when
//!    contacts appear or vanish;
//! 2. [`Factor::factor`] computes them, when contacts change their zone of the cone;
//! 3. [`Factor::solve`] solves, every Newton step.
//!
//! Joints alone make a matrix of smaller nodes, which [`Packed`] packs into blocks of six.
//!
//! In single precision `δ` has to be about 1e-5 of a joint's compliance or more, in double precision
//! 1e-10: it is the smallest pivot of rows that repeat each other, and must exceed rounding.
//!
//! Cost, on one core at 2.5 GHz, double precision with SSE2: order and pattern 90 µs, factor 0.9 ms,
//! solution 75 µs for 210 boxes in a wall (570 edges); half a millisecond, 11 ms and 0.6 ms for 820.
//! A product of two blocks takes 75 ns, in single precision 47 ns, with AVX2 50 ns and 23 ns.
//!
//! [`Pattern::work`] counts what a factor costs before it is computed, so that callers can choose a method by
//! counted work and not by time.
//!
//! Deliberately not done: conjugate gradients instead of a factor. With an incomplete factor of the same
//! blocks they take as long for 210 to 500 bodies, and a kept factor solves the steps after almost for
//! nothing; for 2000 neither ends within the budget of a step.

mod block;
mod graph;
mod numeric;
mod order;
mod packed;
mod symbolic;
#[cfg(test)]
pub(in crate::engine) mod tests;

pub use self::block::{Block, NodeLanes};
pub use self::numeric::Factor;
pub use self::order::Order;
pub use self::packed::{NodePlace, Packed, Slot};
pub use self::symbolic::Pattern;
