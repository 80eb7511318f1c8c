//! Throughput: how cost grows, what sleeps, what a body takes, and what the plugin adds.
//!
//! Times are medians or least values of many steps, of one run, on one core unless said. Nothing is fitted:
//! a bar that is not met falls short.

mod engine;
#[cfg(feature = "bevy")]
mod plugin;

use std::time::Instant;

use orthant::math::Double;

use crate::cases;
use crate::claims::Claims;

/// Measures every claim of this topic that this build can.
pub fn measure(claims: &mut Claims) {
    if !cases::is_double() {
        #[cfg(feature = "bevy")]
        plugin::measure(claims);
        engine::measure(claims);
    }
}

/// The time that something takes (s).
fn seconds(mut work: impl FnMut()) -> Double {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

/// The middle one.
fn median(mut values: Vec<Double>) -> Double {
    values.sort_by(Double::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(Double::NAN)
}

/// A claim that a time (s) is at most a bar (s).
fn at_most(claims: &mut Claims, what: &str, time: Double, bar: Double) {
    let figure = format!("{:.4} ms", 1e3 * time);
    claims.add(what, &figure, &format!("≤ {} ms", 1e3 * bar), time <= bar);
}

/// A claim that a ratio is at most a bar.
fn times_at_most(claims: &mut Claims, what: &str, ratio: Double, bar: Double) {
    claims.add(what, &format!("{ratio:.2} times"), &format!("≤ {bar} times"), ratio <= bar);
}
