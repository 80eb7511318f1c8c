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
//! 1. [`Pattern::build`] orders the nodes and finds the blocks of the factor, when contacts appear
//!    or vanish ([`order`](self), minimum degree);
//! 2. [`Factor::factor`] computes them, when contacts change their zone of the cone;
//! 3. [`Factor::solve`] solves, every Newton step.
//!
//! [`Pattern::work`] counts what a factor costs before it is computed, so that callers can choose a
//! method by counted work and not by time.
mod block;
mod graph;
mod numeric;
mod order;
mod symbolic;
#[cfg(test)]
mod tests;

pub use block::{Block, Lanes};
pub use numeric::Factor;
pub use symbolic::{Fill, Pattern};
