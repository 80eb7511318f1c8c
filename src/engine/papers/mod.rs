//! What the papers do in another way than games need: every event tested one by one, the active set, rows
//! with one normal each, the one-sided metric, Lemke's algorithm, relaxations, whether a quasistatic motion
//! is unique and a friction cone pointed, how contact points move, and the problem of a step to be solved
//! elsewhere.
pub mod active_set;
pub mod enumerate;
pub mod export;
pub mod kinematics;
pub mod one_sided;
pub mod pointed;
pub mod relaxation;
mod rows;
pub mod solvers;
pub mod uniqueness;
