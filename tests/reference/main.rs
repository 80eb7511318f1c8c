//! Cases of independent references, and the scenes and gauges by which solvers are judged.

mod accelerations;
mod cases;
mod equal_work;
mod events;
mod kinematics;
mod lcps;
mod nuts;
mod one_sided;
mod pairs;
mod relaxations;
mod scenes;
mod theorems;
