//! What the papers ask of bodies, pairs and step problems, and no step does: the one-sided metric, how
//! contact points move, the problem of a step as the matrix of (5.1) and by relaxations, whether a
//! quasistatic motion is unique. The engine does not know it.

pub mod kinematics;
pub mod matrix_form;
pub mod one_sided;
pub mod relaxation;
pub mod uniqueness;
