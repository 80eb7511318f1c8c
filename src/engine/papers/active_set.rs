//! The papers' active set: which events of a pair become rows of the step problem.
//!
//! Input: all events of a pair and its ratio `t*`. Output: the events in `E` of (4.8)–(4.9). With
//! the windows in `t`, as in the thesis' computations (`t* - ε_0 ≤ t ≤ t* + ε_t`, chapter 7):
//!
//! ```text
//! E₁   Φ = 1 - 1/t* ≤ ε_t                                the pair is near enough
//! E₂   t* - ε_0 ≤ t^m ≤ t* + ε_t                         the event is nearly the first one
//! E₃₄  A_i R_iᵀ (x^m - x_i) - b_i t^m ≤ ε_x, all rows    the point is nearly in both scaled bodies
//! ```
//!
//! Differences from the printed text: condition 2 of Algorithm 3.14 has its sign turned and holds
//! for all rows, not only those of the event; `E₃`, `E₄` use `t^m`, not 1. As printed, the set
//! still admits *ghost events*: corners against faces they cannot touch, such as the side faces of
//! neighboring boxes, whose rows contradict the true ones. The ghost filter keeps an event only if
//! the plane of the event itself nearly separates the bodies, `n·d / H(n) ≥ t* - 0.2`, and if its
//! equality system is well conditioned. Cost: O(events).

use super::enumerate::PairEvent;
use crate::math::Double;

/// How far below `t*` the separating ratio of an event's own plane may lie (-).
const GHOST_SLACK: Double = 0.2;

/// Tolerances of the active set, in ratio units (-).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PapersActive {
    /// ε_x: how far outside a scaled body an event may lie, in units of `A x ≤ 1` (–).
    pub eps_x: Double,
    /// ε_t: width of the window above `t*`, and the largest Φ of an active pair (–).
    pub eps_t: Double,
    /// ε_0: width of the window below `t*` (–).
    pub eps_0: Double,
    /// δ_max (–): an event is dropped as singular if its conditioning is not above `1/δ_max`. Used by
    /// the ghost filter only.
    pub delta_max: Double,
}

impl PapersActive {
    /// E₁: is a pair with ratio `t*` near enough to have active events at all?
    #[must_use]
    pub fn is_near(&self, ratio: Double) -> bool {
        ratio > 0.0 && 1.0 - 1.0 / ratio <= self.eps_t
    }

    /// E₂ to E₄: does the corrected Algorithm 3.14 accept the event?
    #[must_use]
    pub fn admits(&self, event: &PairEvent, ratio: Double) -> bool {
        self.in_window(event.ratio, ratio) && event.violation <= self.eps_x
    }

    /// Does Algorithm 3.14 accept the event, and is it no ghost?
    #[must_use]
    pub fn admits_real(&self, event: &PairEvent, ratio: Double) -> bool {
        self.admits(event, ratio)
            && event.separating_ratio >= ratio - GHOST_SLACK
            && event.conditioning > 1.0 / self.delta_max
    }

    /// Indices of the active events of a pair with ratio `t*` that are no ghosts; none if it is too far
    /// apart.
    #[must_use]
    pub fn select_real(&self, events: &[PairEvent], ratio: Double) -> Vec<usize> {
        let admits = |m: &usize| self.is_near(ratio) && self.admits_real(&events[*m], ratio);
        (0..events.len()).filter(admits).collect()
    }

    /// E₂.
    fn in_window(&self, event: Double, pair: Double) -> bool {
        event >= pair - self.eps_0 && event <= pair + self.eps_t
    }
}
