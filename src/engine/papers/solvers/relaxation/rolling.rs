//! Contacts with rolling rows in the relaxation: all six rows of each are projected at once.

use super::Relaxation;
use crate::engine::lcp::Problem;
use crate::engine::lcp::cone::{FrictionCone, Projection};
use crate::engine::lcp::rolling::join;
use crate::engine::lcp::rows::contact_velocity;

impl Relaxation {
    /// Replaces `p` and `P_K(p)` of contacts with rolling rows by those with all six rows.
    pub(super) fn evaluate_rolling(&mut self, problem: &Problem, cone: &FrictionCone) {
        for (k, rolling) in problem.rolling.iter().enumerate() {
            let c = rolling.contact as usize;
            let row = &problem.contacts[c];
            let (rho, limits) = (self.contact_penalty(c), rolling.limits(row));
            let turn = rolling.velocity(row, &self.velocity);
            let w = join(contact_velocity(row, &self.velocity), turn);
            let l = join(self.contact[c], self.rolling[k]);
            let mut p = [0.0; 6];
            for i in 0..6 {
                p[i] = l[i] - rho * w[i];
            }
            p[0] = l[0] - rho * (w[0] + self.gamma[c]);
            let mut image = cone.project_rolling(limits, p);
            if self.coupled && !image.zone.sticks() {
                p[0] = l[0] - rho * (w[0] + cone.slip_sliding(limits, &w, image.zone));
                image = cone.project_rolling(limits, p);
            }
            self.rolling_point[k] = p;
            self.rolling_image[k] = image;
            let [n, t1, t2, ..] = image.point;
            self.image[c] = Projection { point: [n, t1, t2], zone: image.zone.friction };
        }
    }
}
