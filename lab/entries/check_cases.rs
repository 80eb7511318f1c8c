//! Runs case files and judges the results:
//! `cargo run --release --example check_cases -- FOLDER`, without a folder `tests/cases`.
//!
//! Ends with the counts of passed and failed checks, and with status 1 if any failed.

use std::path::PathBuf;
use std::process::ExitCode;

use orthant_lab::cases;

fn main() -> ExitCode {
    let folder = std::env::args().nth(1).map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases")),
        PathBuf::from,
    );
    let files = match cases::files(&folder) {
        Ok(files) => files,
        Err(error) => {
            eprintln!("cannot read {}: {error}", folder.display());
            return ExitCode::FAILURE;
        }
    };
    if files.is_empty() {
        eprintln!("no JSON files in {}", folder.display());
        return ExitCode::FAILURE;
    }
    let precision = if cases::is_double() { "f64" } else { "f32" };
    println!("{} case files of {} in {precision}\n", files.len(), folder.display());
    let mut totals = cases::Totals::default();
    for file in files {
        for group in cases::run_file(&file) {
            totals.add(&group);
        }
    }
    let cases::Totals { passed, failed, skipped } = totals;
    println!("\n{passed} passed, {failed} failed ({skipped} skipped)");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
