//! Laws of mechanics with exact discrete answers, and random problems that every solver must
//! certify.

mod laws;
pub(in crate::engine) mod mixed;
pub(in crate::engine) mod random_problems;
mod rolling;
pub(in crate::engine) mod scenes;
