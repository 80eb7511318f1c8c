//! What the papers do in another way than games need, and a step can be asked to do: every event tested one
//! by one, the active set, rows with one normal each, Lemke's algorithm, whether a friction cone is pointed,
//! and the problem of a step to be solved elsewhere. [What no step does](crate::papers) is beside the engine.
pub mod active_set;
pub mod enumerate;
pub mod export;
pub mod pointed;
mod rows;
pub mod solvers;
