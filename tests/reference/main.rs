//! Cases of independent references, and the scenes and gauges by which solvers are judged.

mod cases;
mod equal_work;
mod events;
mod lcps;
mod nuts;
mod pairs;
mod relaxations;
mod scenes;
mod theorems;
