//! Orthant.
pub mod engine;
pub mod math;
