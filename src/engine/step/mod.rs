//! The stages of a step, in their order: each takes slices and returns lists.
//!
//! [`predict`], [`broad`], [`narrow`], [`islands`], [`assemble`], [`solve`], [`ccd`], [`integrate`],
//! [`sleep`], [`touches`]; in [`quasistatic`] what all of them do otherwise in quasistatic steps.
pub mod assemble;
pub mod broad;
pub mod ccd;
pub mod integrate;
pub mod islands;
pub mod narrow;
pub mod predict;
pub mod quasistatic;
pub mod sleep;
pub mod solve;
pub mod touches;
pub mod unchanged;
