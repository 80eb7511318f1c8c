//! The figures as tables of Markdown.

use crate::asked::{APPS, GROUPS};
use crate::bars::Group;
use crate::engines::{Engine, Mode};
use crate::measure::Figures;
use crate::outcome::Outcome;

/// Rows below a head, padded so that they can be read as they are.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    pub fn new(head: &[&str]) -> Self {
        Self { rows: vec![head.iter().map(|&word| word.to_owned()).collect()] }
    }

    pub fn add<const N: usize>(&mut self, row: [String; N]) {
        self.rows.push(row.into());
    }
}

impl core::fmt::Display for Table {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let columns = self.rows[0].len();
        let width = |i: usize| self.rows.iter().map(|row| row[i].chars().count()).max();
        let widths: Vec<usize> = (0..columns).map(|i| width(i).unwrap_or(0)).collect();
        for (k, row) in self.rows.iter().enumerate() {
            for (cell, width) in row.iter().zip(&widths) {
                write!(f, "| {cell:width$} ")?;
            }
            writeln!(f, "|")?;
            if k == 0 {
                widths.iter().try_for_each(|width| write!(f, "|{}", "-".repeat(width + 2)))?;
                writeln!(f, "|")?;
            }
        }
        Ok(())
    }
}

/// What every engine showed in a scene.
pub fn scene(outcome: &Outcome) -> String {
    let (from, to) = outcome.window;
    let mut table = Table::new(&[
        "engine",
        "ms a step: median / p95 / slowest",
        "× rapier",
        "slowest × its phase",
        "overlap mm: end / run",
        "joint error mm: median / end / run",
        "stands",
        "fastest m/s",
        "residual m/s",
        "steps unsolved",
        "% of rows solved / swept / softened",
    ]);
    for (engine, figures) in &outcome.figures {
        let note = if engine.is_recorded() { " (scaled)" } else { "" };
        table.add([
            format!("{}{note}", engine.name()),
            times(figures),
            over_rapier(outcome, *engine, figures),
            figures.peak.map_or_else(dash, number),
            pair(figures.overlap),
            figures.joint_error.map_or_else(dash, |error| joints(figures, error)),
            stands(figures),
            figures.speed.map_or_else(dash, number),
            residual(figures),
            unsolved(figures),
            rows(figures),
        ]);
    }
    let (name, moving) = (&outcome.scene, outcome.moving);
    format!("## {name}: {moving} bodies, times from {from} s to {to} s\n\n{table}")
}

/// Every bar in every scene that was played: a table for each group.
pub fn bars(outcomes: &[Outcome]) -> String {
    let (mut text, mut counts) = (String::new(), [0, 0]);
    for group in GROUPS.iter().chain([&APPS]) {
        text.push_str(&bars_of(group, outcomes, &mut counts));
    }
    let [held, asked] = counts;
    format!("## Bars: {held} of {asked} hold\n\n{text}")
}

/// The bars of a group that was played, which are counted: those that hold, and all.
fn bars_of(group: &Group, outcomes: &[Outcome], counts: &mut [usize; 2]) -> String {
    let played = outcomes.iter().filter(|o| group.scenes.contains(&o.scene.as_str()));
    let mut rows = Vec::new();
    for outcome in played {
        let figures = group.bars.iter().map(|bar| (bar, bar.figure(outcome)));
        let cells = figures.map(|(bar, figure)| {
            let Some(figure) = figure else { return dash() };
            let holds = bar.holds(outcome, figure);
            counts[0] += usize::from(holds);
            counts[1] += 1;
            format!("{} {}", number(figure), if holds { "holds" } else { "**falls short**" })
        });
        let cells: Vec<String> = cells.collect();
        if cells.iter().any(|cell| *cell != dash()) {
            rows.push([vec![format!("`{}`", outcome.scene)], cells].concat());
        }
    }
    if rows.is_empty() {
        return String::new();
    }
    let asked = group.bars.iter().map(|bar| format!("{}: {}", bar.engine.name(), bar.words()));
    let head = [vec!["scene".to_owned()], asked.collect()].concat();
    let table = Table { rows: [vec![head], rows].concat() };
    format!("**{}**\n\n{table}\n", group.title)
}

/// A row for each scene: both of our modes beside the fastest peer.
pub fn summary(outcomes: &[Outcome]) -> String {
    let mut table = Table::new(&[
        "scene",
        "ms",
        "× fastest",
        "error mm: end / run",
        "budget: ms",
        "× fastest",
        "error mm: end / run",
        "fastest peer",
        "its ms",
        "its error mm: end / run",
    ]);
    for outcome in outcomes {
        let fastest = outcome.fastest();
        let ours = |mode: Mode| {
            let Some(figures) = outcome.of(Engine::Orthant(mode)) else {
                return [dash(), dash(), dash()];
            };
            let ratio = |(_, peer): (Engine, &Figures)| figures.milliseconds / peer.milliseconds;
            let ratio = fastest.map_or_else(dash, |peer| format!("{}×", number(ratio(peer))));
            [number(figures.milliseconds), ratio, error(figures)]
        };
        let [auto, auto_ratio, auto_error] = ours(Mode::Auto);
        let [budget, budget_ratio, budget_error] = ours(Mode::Budget);
        let peer = fastest.map_or_else(
            || "none stands".to_owned(),
            |(engine, _)| {
                let note = if engine.is_recorded() { " (scaled)" } else { "" };
                format!("{}{note}", engine.name())
            },
        );
        table.add([
            outcome.scene.clone(),
            auto,
            auto_ratio,
            auto_error,
            budget,
            budget_ratio,
            budget_error,
            peer,
            fastest.map_or_else(dash, |(_, figures)| number(figures.milliseconds)),
            fastest.map_or_else(dash, |(_, figures)| error(figures)),
        ]);
    }
    table.to_string()
}

/// Median, 95th percentile and largest time of a step (ms).
pub fn times(figures: &Figures) -> String {
    let median = number(figures.milliseconds);
    figures.tail.map_or_else(
        || median.clone(),
        |[p95, slowest]| format!("{median} / {} / {}", number(p95), number(slowest)),
    )
}

/// Median over that of rapier3d: of engines alone over the engine's, of apps over its app's.
pub fn over_rapier(outcome: &Outcome, engine: Engine, figures: &Figures) -> String {
    let rapier = if engine.is_app() { Engine::BevyRapier } else { Engine::Rapier };
    let ratio = |rapier: &Figures| number(figures.milliseconds / rapier.milliseconds);
    outcome.of(rapier).map_or_else(dash, ratio)
}

/// Steps with an island above the tolerance, of all.
pub fn unsolved(figures: &Figures) -> String {
    figures.solving.map_or_else(dash, |s| format!("{} of {}", s.unsolved, s.steps))
}

/// Parts of rows that were solved, swept, softened (%).
pub fn rows(figures: &Figures) -> String {
    let percent = |part: f64| format!("{:.1}", 100.0 * part);
    let parts = |[a, b, c]: [f64; 3]| format!("{} / {} / {}", percent(a), percent(b), percent(c));
    figures.solving.map_or_else(dash, |solving| parts(solving.parts()))
}

/// Median residual of what moved the bodies [m/s].
pub fn residual(figures: &Figures) -> String {
    figures.solving.map_or_else(dash, |solving| number(solving.residual))
}

pub fn dash() -> String {
    "–".to_owned()
}

/// Median of the joint errors where that is known, before those at the end and at worst (mm).
fn joints(figures: &Figures, error: [f64; 2]) -> String {
    let both = pair(error);
    figures.joint_median.map_or_else(|| both.clone(), |m| format!("{} / {both}", length(m)))
}

/// Error at the end and at worst (mm), of joints behind their median, or how it failed.
pub fn error(figures: &Figures) -> String {
    match (figures.stands, figures.escaped) {
        (Some(false), _) => "falls".to_owned(),
        (_, 0) => joints(figures, figures.error()),
        (_, n) => format!("flies apart, {n} left"),
    }
}

fn stands(figures: &Figures) -> String {
    match (figures.stands, figures.escaped) {
        (Some(true), 0) => "yes".to_owned(),
        (None, 0) => dash(),
        (Some(false), 0) => "NO".to_owned(),
        (_, n) => format!("NO, {n} left"),
    }
}

fn pair([end, run]: [f64; 2]) -> String {
    format!("{} / {}", length(end), length(run))
}

/// A length in mm.
fn length(meters: f64) -> String {
    number(1e3 * meters)
}

/// A number with three digits.
pub fn number(x: f64) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let digits = 2 - x.abs().log10().floor() as i32;
    match digits {
        ..=0 => format!("{x:.0}"),
        1..=5 => format!("{x:.*}", digits as usize),
        _ => format!("{x:.1e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    #[test]
    fn numbers_have_three_digits() {
        for (x, text) in [
            (0.0, "0"),
            (1234.5, "1234"),
            (123.4, "123"),
            (12.34, "12.3"),
            (0.01234, "0.0123"),
            (1.234e-4, "1.2e-4"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(number(x), text, "{x}");
        }
    }

    #[test]
    fn rows_line_up() {
        let figures =
            [(Engine::Orthant(Mode::Auto), 1.0, 1e-6), (Engine::BevyRapier, 123.4, f64::INFINITY)];
        for text in [scene(&outcome("tower-10", &figures)), summary(&[outcome("net-30", &figures)])]
        {
            let rows: Vec<usize> = text
                .lines()
                .filter(|line| line.starts_with('|'))
                .map(|line| line.chars().count())
                .collect();
            assert!(rows.len() >= 3 && rows.iter().all(|&n| n == rows[0]), "{text}");
        }
    }

    #[test]
    fn bars_are_counted() {
        let figures = [
            (Engine::Orthant(Mode::Auto), 1.0, 1e-6),
            (Engine::Orthant(Mode::Budget), 1.0, 1e-2),
            (Engine::Rapier, 1.0, 1e-3),
        ];
        let text = bars(&[outcome("tower-10", &figures)]);
        assert!(text.contains("4 of 6 hold"), "all but the errors of the budget:\n{text}");
        assert_eq!(
            text.matches("10.0 **falls short**").count(),
            2,
            "at the end and at worst:\n{text}"
        );
        assert!(!text.contains("Apps"), "none was played:\n{text}");
    }
}
