//! Laws of mechanics with exact discrete answers, and random problems that every solver must
//! certify.

mod laws;
pub(super) mod mixed;
pub(super) mod random_problems;
mod rolling;
pub(super) mod scenes;
