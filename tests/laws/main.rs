//! Laws of mechanics: motion, contact, friction, bounces, joints, against closed forms, conservation laws
//! and fine references.

mod bounce_energy;
mod continuous;
mod crowd;
mod decay;
mod equilibrium;
mod flight;
mod ghosts;
mod grasp;
mod impact_sequence;
mod joints;
mod kinematic;
mod mechanics;
mod meshes;
mod motion;
mod pressed;
mod pushing;
mod quasistatic;
mod restitution;
mod rolling;
mod short_steps;
mod smooth;
mod stabilization;
mod whips;
