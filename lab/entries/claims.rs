//! Measures what the documentation claims: `cargo run --release --example claims -- [--check] [TOPIC…]`.
//!
//! Topics, and what `--check` does: `lab/src/claims`.

use std::process::ExitCode;

use orthant_lab::claims;
use orthant_lab::counting::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> ExitCode {
    claims::main()
}
