//! Quasistatic steps: forces are in equilibrium at every time, and what moves is led or pushed.
//!
//! Input: bodies at rest, driven bodies with their velocities. Output: the displacement of the step and the
//! forces, of the discrete models of Trinkle, Berard and Pang: (1), (20)–(23) with the circular cone
//! (Model-DQC), (24)–(26) with a pyramid (Model-DLC). With `h` the length of the step, `Δq = h v`,
//!
//! ```text
//! W_n λ_n + W_t λ_t + W_o λ_o + f = M Δq / T²,    0 ≤ λ_n ⊥ ψ_n + W_nᵀ Δq + h ∂ψ_n/∂t ≥ 0
//! ```
//!
//! and friction against the slip `W_tᵀ Δq + h ∂ψ_t/∂t`. The right-hand side is no inertia: it is taken with
//! respect to where the step begins, and chooses of all displacements that keep the equilibrium the least,
//! where that is not unique (Proposition 1). With `M_q = (h/T)² M` and impulses `h λ` these are the rows of
//! the dynamic step from rest, `M_q (v - v*) = Jᵀ h λ` with `v* = h M_q⁻¹ f`, so that assembly and solvers
//! are the same. Bodies that would move by more than `step_max`, as in free fall, have no equilibrium.

use super::islands::Islands;
use crate::engine::lcp::{Method, Vec6};
use crate::engine::settings::{
    ContactSettings, Integration, Quasistatic, Settings, SolverSettings,
};
use crate::engine::state::body::{Body, BodyId};
use crate::engine::state::motion::Motion;
use crate::math::{DVec3, Real, Vec3, widen};

/// What the settings are in a step: a quasistatic one has no velocities to carry, nothing that bounces or
/// sleeps, no small steps, and knows all contacts that bodies may come to.
pub fn effective(settings: &Settings) -> Settings {
    let Some(quasistatic) = settings.mode.as_quasistatic() else { return *settings };
    let mut settings = *settings;
    let ContactSettings { margin, relax, restitution_speed, stillness, .. } = &mut settings.contact;
    *margin = margin.max(2.0 * quasistatic.step_max);
    (*relax, *restitution_speed, *stillness) = (false, Real::MAX, 0.0);
    let SolverSettings { integration, method, newton_rows_max, .. } = &mut settings.solver;
    (*integration, *newton_rows_max) = (Integration::Euler, u32::MAX);
    if *method == Method::Substeps {
        *method = Method::Auto;
    }
    settings.sleep.enabled = false;
    settings
}

/// A body at rest, with the mass `M_q` and the velocity `v*` that its force (N) and torque (N·m) would give
/// it.
pub fn predict(
    motion: &mut Motion,
    body: &Body,
    quasistatic: &Quasistatic,
    [force, torque]: [Vec3; 2],
    dt: Real,
) {
    let part = dt / quasistatic.inertia_time;
    let scale = part * part;
    motion.mass = scale * body.mass();
    motion.inverse_mass = 1.0 / motion.mass;
    (motion.linear, motion.angular) = (Vec3::ZERO, Vec3::ZERO);
    let (inertia, inverse) =
        (motion.inertia.scaled(scale), motion.inverse_inertia.scaled(1.0 / scale));
    (motion.inertia, motion.inverse_inertia) = (inertia, inverse);
    let linear = body.locked_axes.filter_translation(force * (dt * motion.inverse_mass));
    motion.lead = [linear, inverse.mul_vec(torque * dt)];
}

/// Takes the displacement of every body, by the biased velocities, as what is carried, too; bodies without
/// equilibrium stay, and are listed.
pub fn hold_unbalanced(
    quasistatic: &Quasistatic,
    [biased, relaxed]: [&mut [Vec6]; 2],
    sources: (&[Body], &[Motion], &Islands),
    dt: Real,
    unbalanced: &mut Vec<BodyId>,
) {
    let ((bodies, motions, islands), [h, most]) = (sources, [dt, quasistatic.step_max].map(widen));
    let velocities = biased.iter_mut().zip(relaxed);
    for (&i, (biased, relaxed)) in islands.members.iter().zip(velocities) {
        let [x, y, z, a, b, c] = *biased;
        let [linear, angular] = [DVec3::new(x, y, z), DVec3::new(a, b, c)];
        let radius = widen(motions[i as usize].radius);
        let is_balanced = h * (linear.length() + radius * angular.length()) <= most;
        if !is_balanced {
            *biased = [0.0; 6];
            unbalanced.push(bodies[i as usize].id());
        }
        *relaxed = *biased;
    }
    unbalanced.sort_unstable();
}
