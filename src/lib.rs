//! Orthant.
pub mod math;
pub mod engine;
