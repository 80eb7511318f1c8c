//! How a world behaves from step to step: same bits, sleep, touches, what is kept, what is told.

mod certificate;
mod changes;
mod determinism;
mod extremes;
mod golden;
mod hostile;
mod inheritance;
mod invariance;
mod kept_snapshot;
mod peas;
mod regressions;
mod sharing;
mod sleeping;
mod sleeping_random;
mod snapshots;
mod step_lengths;
mod stillness;
mod thresholds;
mod touches;
