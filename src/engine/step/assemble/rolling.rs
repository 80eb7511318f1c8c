//! Rolling and spinning rows of the contacts of a pair with such resistance.
//!
//! Input: a contact and its frame. Output: a [`RollingRow`] with `ℓ` times the relative angular velocity
//! about the normal and the two tangents, bounded by the pair's coefficients over ℓ. O(1) a contact.

use super::{Sources, StepProblem, imposed, mask, pushed};
use crate::engine::lcp::RollingRow;
use crate::engine::lcp::manifold::Manifold;
use crate::engine::lcp::rows::dot6;
use crate::engine::state::contact::ActiveContact;
use crate::engine::state::pairs::Pair;
use crate::math::{DVec3, Double, SymMat3, widen};

impl StepProblem {
    /// Rolling rows of a contact of this manifold, which is number `index` of all contacts; `first` is the
    /// first one of its island. Bodies that cannot turn have none.
    pub(super) fn add_rolling(
        &mut self,
        sources: &Sources<'_>,
        pair: &Pair,
        contact: &ActiveContact,
        manifold: &Manifold,
        index: usize,
        first: usize,
    ) {
        let pushed = pushed(sources, pair);
        let Some(length) = rolling_length(sources, pair, pushed) else { return };
        let frame = manifold.frame().map(DVec3::from_array);
        let mut row = RollingRow {
            contact: (index - first) as u32,
            jacobian_a: [[0.0; 6]; 3],
            jacobian_b: [[0.0; 6]; 3],
            length,
            bias: [0.0; 3],
            spinning: widen(pair.spinning.max(0.0)) / length,
            rolling: widen(pair.rolling.max(0.0)) / length,
        };
        for (side, sign) in [(0, -length), (1, length)] {
            let i = pair.bodies[side] as usize;
            let rows = frame.map(|direction| {
                let d = direction * sign;
                [0.0, 0.0, 0.0, d.x, d.y, d.z]
            });
            if pushed[side] {
                let locked = sources.bodies[i].locked_axes.bits();
                let jacobian = if side == 0 { &mut row.jacobian_a } else { &mut row.jacobian_b };
                *jacobian = rows.map(|row| mask(row, locked));
            } else {
                let velocity = imposed(sources, i);
                for (bias, row) in row.bias.iter_mut().zip(rows) {
                    *bias += dot6(&row, &velocity);
                }
            }
        }
        self.rolling.push(row);
        self.rolling_source.push(index as u32);
        self.rolling_frame.push(frame);
        let scale = widen(sources.dt_ratio) / length;
        let split = |impulse: DVec3| frame.map(|d| d.dot(impulse) * scale);
        let [biased, relaxed] = pair.angular_impulse(contact.id).map(split);
        self.biased.rolling_impulse.push(biased);
        self.relaxed.rolling_impulse.push(relaxed);
    }
}

/// The length ℓ of the rolling rows of a pair (m): the radius of gyration of its reduced mass and
/// inertia, so that linear and angular rows have like compliance. None if nothing can turn.
fn rolling_length(sources: &Sources<'_>, pair: &Pair, pushed: [bool; 2]) -> Option<Double> {
    let (mut linear, mut angular) = (0.0, 0.0);
    for (i, pushed) in pair.bodies.into_iter().zip(pushed) {
        if pushed {
            let motion = &sources.motions[i as usize];
            let SymMat3 { xx, yy, zz, .. } = motion.inverse_inertia;
            linear += 3.0 * widen(motion.inverse_mass);
            angular += widen(xx) + widen(yy) + widen(zz);
        }
    }
    let length = (linear / angular).sqrt();
    (length.is_finite() && length > 0.0).then_some(length)
}
