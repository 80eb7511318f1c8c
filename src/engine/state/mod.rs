//! What there is: bodies, colliders, pairs and joints, and what of them changed. Knows no step.
pub mod bodies;
pub mod body;
pub(crate) mod changes;
pub mod collider;
pub mod contact;
pub mod joint;
pub mod locked_axes;
pub(in crate::engine) mod measurement;
pub mod motion;
pub(crate) mod pair_head;
pub mod pair_key;
pub(in crate::engine) mod pair_runs;
pub mod pairs;
pub mod sleep_state;
