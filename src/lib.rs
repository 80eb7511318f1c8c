//! Orthant.
pub mod engine;
pub mod math;
#[cfg(feature = "bevy")]
pub mod plugin;
