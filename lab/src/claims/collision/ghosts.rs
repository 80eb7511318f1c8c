//! Seams of flat floors that nothing notices.

use orthant::math::{Double, widen};

use crate::claims::Claims;
use crate::support::floors::{Floor, field, mesh, movers, survey, tiles};

/// Length of a floor (m), and the number of its squares along a side.
const SIDE: usize = 100;
/// Largest vertical speed [m/s], and largest sine between directions.
const BAR: Double = 1e-3;

/// Five bodies over three floors.
pub fn measure(claims: &mut Claims) {
    let floors: [(&str, Floor); 3] =
        [("adjacent boxes", tiles), ("a flat trimesh", mesh), ("a flat height field", field)];
    for (name, floor) in floors {
        for mover in movers() {
            if !["ball", "capsule", "cylinder", "cube", "hull"].contains(&mover.name) {
                continue;
            }
            let mut runs = 0;
            let worst = survey(floor, SIDE, &mover, |speed, angle, offset, one| {
                runs += 1;
                if widen(one.vertical) > BAR || widen(one.turned) > BAR {
                    let body = mover.name;
                    eprintln!("    {body}, {speed} m/s, angle {angle}, from {offset}: {one:?}");
                }
            });
            let (vertical, turned) = (widen(worst.vertical), widen(worst.turned));
            let what = format!("{} over {name}, {runs} runs", mover.name);
            let figure = format!("{:.4} mm/s, {turned:.1e}", 1e3 * vertical);
            let holds = vertical <= BAR && turned <= BAR && runs > 0;
            claims.add(&what, &figure, "≤ 1 mm/s, ≤ 1e-3", holds);
        }
    }
}
