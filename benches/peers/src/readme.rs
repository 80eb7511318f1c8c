//! The tables of the README: engines alone beside rapier3d, apps beside apps.

use crate::engines::{Engine, Mode};
use crate::measure::Figures;
use crate::outcome::Outcome;
use crate::tables::{Table, dash, error, number, over_rapier, residual, rows, times, unsolved};

/// Both tables.
pub fn tables(outcomes: &[Outcome]) -> String {
    format!("{}\n{}", alone(outcomes), apps(outcomes))
}

/// Our engine and rapier3d, each on one thread. Where either takes small steps the budget has a row.
fn alone(outcomes: &[Outcome]) -> String {
    let mut table = Table::new(&[
        "scene",
        "ms a step: median / p95 / slowest",
        "rapier3d",
        "ratio of medians",
        "slowest × its phase",
        "error mm: (joints: median /) end / run",
        "rapier3d",
        "residual m/s",
        "steps unsolved",
        "% of rows solved / swept / softened",
    ]);
    for outcome in outcomes {
        let rapier = outcome.of(Engine::Rapier);
        let auto = outcome.of(Engine::Orthant(Mode::Auto));
        let budget = outcome.of(Engine::Orthant(Mode::Budget));
        let soft = |figures: &Figures| figures.solving.is_some_and(|s| s.rows[2] > 0);
        let any_soft = [auto, budget].into_iter().flatten().any(soft);
        for (mode, note) in [(Mode::Auto, ""), (Mode::Budget, ", budget")] {
            let engine = Engine::Orthant(mode);
            let Some(figures) = outcome.of(engine) else {
                continue;
            };
            if mode == Mode::Budget && !any_soft {
                continue;
            }
            table.add([
                format!("`{}`{note}", outcome.scene),
                times(figures),
                rapier.map_or_else(dash, times),
                if figures.is_yardstick() { over_rapier(outcome, engine, figures) } else { dash() },
                figures.peak.map_or_else(dash, number),
                error(figures),
                rapier.map_or_else(dash, error),
                residual(figures),
                unsolved(figures),
                rows(figures),
            ]);
        }
    }
    table.to_string()
}

/// The apps.
fn apps(outcomes: &[Outcome]) -> String {
    let engines = [Engine::OrthantApp(Mode::Auto), Engine::Avian, Engine::BevyRapier];
    let mut table = Table::new(&[
        "scene, ms an update: median / p95 / slowest",
        "Orthant",
        "avian3d",
        "bevy_rapier3d",
        "error mm: (joints: median /) end / run",
        "avian3d",
        "bevy_rapier3d",
    ]);
    for outcome in outcomes {
        if !engines.iter().any(|&engine| outcome.of(engine).is_some()) {
            continue;
        }
        let [a, b, c] = engines.map(|e| outcome.of(e).map_or_else(dash, times));
        let [x, y, z] = engines.map(|e| outcome.of(e).map_or_else(dash, error));
        table.add([format!("`{}`", outcome.scene), a, b, c, x, y, z]);
    }
    table.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    #[test]
    fn engines_are_not_held_against_apps() {
        let figures = [
            (Engine::Orthant(Mode::Auto), 1.0, 1e-6),
            (Engine::OrthantApp(Mode::Auto), 3.0, 1e-6),
            (Engine::Rapier, 2.0, 1e-3),
            (Engine::Avian, 7.0, 1e-3),
        ];
        let outcomes = [outcome("tower-10", &figures)];
        let engines = alone(&outcomes);
        for times in ["1.00 / 2.00 / 3.00", "2.00 / 4.00 / 6.00"] {
            assert!(engines.contains(times), "{times} in\n{engines}");
        }
        assert!(!engines.contains("7.00"), "no app:\n{engines}");
        assert!(apps(&outcomes).contains("7.00 / 14.0 / 21.0"), "an app beside apps");
    }
}
