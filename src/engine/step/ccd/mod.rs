//! Continuous collision detection: where swept bodies meet others on their way, and where they end a step.
pub mod stop;
pub(super) mod swept;
pub mod time_of_impact;
