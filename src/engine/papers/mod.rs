//! What the papers do in another way than games need: every event tested one by one, the active set, rows
//! with one normal each, the one-sided metric, Lemke's algorithm, and whether a quasistatic motion is unique.
pub mod active_set;
pub mod enumerate;
pub mod one_sided;
mod rows;
pub mod solvers;
pub mod uniqueness;
