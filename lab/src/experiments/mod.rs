//! Experiments of the papers beside the thesis' four: each prints tables in Markdown and draws pictures.
//!
//! `docs/experiments.md` shows what they print beside what the papers say.

pub mod adaptive;
pub mod brazil_nut;
pub mod dual;
pub mod ellipse;
pub mod energy;
pub mod grasp;
pub mod illustrations;
pub mod kinematics;
pub mod metric;
pub mod one_sided;
pub mod penalty;
pub mod pushing;
pub mod quasistatic;
pub mod relaxations;
pub mod restart;
pub mod slider_crank;

use std::error::Error;
use std::path::Path;

use crate::draw::plot::Chart;

/// What performing an experiment gives: pictures and tables, or why not.
pub type Outcome = Result<(), Box<dyn Error>>;

/// The experiments by name; each writes its pictures into a folder.
pub const ALL: [(&str, fn(&Path) -> Outcome); 17] = [
    ("ellipse", ellipse::perform),
    ("adaptive", adaptive::perform),
    ("grasp", grasp::perform),
    ("penalty", penalty::perform),
    ("restart", restart::perform),
    ("brazil-nut", brazil_nut::perform),
    ("energy", energy::perform),
    ("metric", metric::perform),
    ("one-sided", one_sided::perform),
    ("kinematics", kinematics::perform),
    ("fence", quasistatic::fence),
    ("peg", quasistatic::peg),
    ("pushing", pushing::perform),
    ("drawer", quasistatic::drawer),
    ("slider-crank", slider_crank::perform),
    ("relaxations", relaxations::perform),
    ("illustrations", illustrations::perform),
];

/// Writes a chart into the folder.
fn draw(out: &Path, name: &str, chart: &Chart) -> Outcome {
    std::fs::write(out.join(name), chart.to_svg((720, 480))?)?;
    Ok(())
}
