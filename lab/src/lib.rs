//! By what orthant is judged: scenes, gauges, reference cases, and the measuring of what is claimed.
//!
//! Tests, benches and examples use this; programs of its own are in `src/bin`:
//!
//! | `cargo run --release -p orthant_lab --bin` … | what |
//! |---|---|
//! | `experiments --features f64` | the experiments of the papers, see `docs/experiments.md` |
//! | `measure_scene -- SCENE` | overlap, rest, drift, residual and time of a scene |
//! | `solver_compare` | error against time of every solver |
//!
//! Longer apps that draw what happens are in `examples`; they need the feature `bevy`:
//! `playground`, `chains`, `ragdoll_pile`, `linkage`, `vehicle`, `crane`.

pub mod cases;
#[cfg(feature = "bevy")]
pub mod chaos;
pub mod claims;
pub mod counting;
pub mod draw;
pub mod experiments;
pub mod games;
pub mod gauge;
#[cfg(feature = "bevy")]
pub mod headless;
pub mod hostile;
pub mod measure;
pub mod pool;
pub mod random;
pub mod scenes;
pub mod support;

/// The folder of the repository.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
