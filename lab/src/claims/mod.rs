//! Measures what the documentation claims, topic by topic, and prints a line for each claim.
//!
//! `cargo run --release --example claims -- [--check] [TOPIC…]`
//!
//! Each line says what is claimed, what this run measured, the bar, and whether it holds. The exit
//! status is 1 if a claim falls short. Claims about double precision are measured by a second build of
//! this program, which it starts itself.
//!
//! With `--check` it is 1 if `short.txt`, which lists what falls short and why, is not true: a claim
//! that is not on it falls short, or one that is on it holds or was not measured. Times are not judged then.
//!
//! | topic | what |
//! |---|---|
//! | `foundation` | reference cases, solvers, Theorem 6.12, metric speed, determinism, allocations |
//! | `collision` | ghosts, piles, rolling, metric, queries, fast and driven bodies, random operations |
//! | `solvers` | rest, friction, masonry, violence: overlap, speed, residual and time of known scenes |
//! | `joints` | chains, bridges, mechanisms against references, motors, reactions |
//! | `laws` | flight, rotation, pendulums, chains, tops, bounces, sleep, steps of other lengths: mechanics |
//! | `throughput` | growth, sleepers, spawning, memory, threads, what the plugin adds |

mod collision;
mod foundation;
mod joints;
mod laws;
mod short;
mod solvers;
mod throughput;

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};

use crate::cases;

/// Collects claims as they are measured.
#[derive(Debug, Default)]
pub struct Claims {
    holds: usize,
    falls_short: usize,
    /// What fell short and what held, if the list is checked.
    checked: Option<[BTreeSet<String>; 2]>,
}

impl Claims {
    /// A claim with its figure and bar as text.
    pub fn add(&mut self, what: &str, figure: &str, bar: &str, holds: bool) {
        if let Some([short, fine]) = &mut self.checked {
            if holds { fine } else { short }.insert(what.to_owned());
        }
        self.add_time(what, figure, bar, holds);
    }

    /// A claim on a time, which depends on the machine.
    pub fn add_time(&mut self, what: &str, figure: &str, bar: &str, holds: bool) {
        let verdict = if holds { "holds" } else { "FALLS SHORT" };
        println!("{}  {what:64} {figure:>24}   bar {bar:22} {verdict}", precision());
        if holds {
            self.holds += 1;
        } else {
            self.falls_short += 1;
        }
    }
}

/// The precision of this build.
fn precision() -> &'static str {
    if cases::is_double() { "f64" } else { "f32" }
}

/// What is measured, by name.
const TOPICS: [(&str, fn(&mut Claims)); 6] = [
    ("foundation", foundation::measure),
    ("collision", collision::measure),
    ("solvers", solvers::measure),
    ("joints", joints::measure),
    ("laws", laws::measure),
    ("throughput", throughput::measure),
];

/// The program: measures the topics that the command line names. Its allocator must be
/// [`Counting`](crate::counting::Counting).
pub fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let check = arguments.iter().any(|argument| argument == "--check");
    let topics: Vec<&String> = arguments.iter().filter(|word| *word != "--check").collect();
    let is_known = |topic: &&&String| TOPICS.iter().any(|(name, _)| name == **topic);
    if let Some(unknown) = topics.iter().find(|topic| !is_known(topic)) {
        let known = TOPICS.map(|(name, _)| name).join(", ");
        eprintln!("there is no topic {unknown}; topics: {known}");
        return ExitCode::FAILURE;
    }
    let mut claims = Claims { checked: check.then(Default::default), ..Claims::default() };
    let mut fine = true;
    for (name, measure) in TOPICS {
        if topics.is_empty() || topics.iter().any(|topic| *topic == name) {
            measure(&mut claims);
            if let Some([short, held]) = &mut claims.checked {
                fine &= short::is_true(name, precision(), short, held);
                short.clear();
                held.clear();
            }
        }
    }
    fine &= check || claims.falls_short == 0;
    println!("{} hold, {} fall short", claims.holds, claims.falls_short);
    // Throughput is measured in single precision only.
    let concerns_double = topics.is_empty() || topics.iter().any(|topic| *topic != "throughput");
    if !cases::is_double() && concerns_double {
        fine &= in_double_precision(&arguments);
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs the double-precision build of this program; false if it could not or a claim fell short.
fn in_double_precision(arguments: &[String]) -> bool {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let build = ["run", "--release", "--quiet", "--no-default-features", "--features", "f64"];
    let status = Command::new(cargo)
        .current_dir(crate::ROOT)
        .args(build)
        .args(["--example", "claims", "--"])
        .args(arguments)
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            eprintln!("the double-precision build did not start: {error}");
            false
        }
    }
}
