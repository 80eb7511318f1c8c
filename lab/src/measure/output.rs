//! Tables, charts and CSV of an experiment.

use std::fmt::Write as _;

use orthant::math::Double;

use super::{Preset, ROUNDING, Row, fitted_slope, slope};
use crate::draw::plot::{Chart, Line, LineStyle};
use crate::scenes::thesis::Experiment;

fn or_dash(value: Option<Double>) -> String {
    value.map_or_else(|| "–".to_owned(), |v| format!("{v:.2}"))
}

fn of(rows: &[Row], preset: Preset, gamma: Double) -> Vec<&Row> {
    rows.iter().filter(|row| row.preset == preset && row.gamma == gamma).collect()
}

/// The table of one preset and γ.
pub fn table(rows: &[Row], preset: Preset, gamma: Double) -> String {
    let rows = of(rows, preset, gamma);
    let mut text = format!(
        "  γ = {gamma}, {} settings\n  {:>7} {:>10} {:>6} {:>10} {:>6} {:>10} {:>8} {:>8} {:>9} \
         {:>9} {:>6}\n",
        preset.name(),
        "h",
        "average I",
        "slope",
        "max I",
        "slope",
        "overlap m",
        "|v| m/s",
        "C(h)",
        "E end J",
        "unsolved",
        "frozen"
    );
    for (i, row) in rows.iter().enumerate() {
        let before = i.checked_sub(1).map(|i| rows[i]);
        let steep = |value: fn(&Row) -> Double| {
            or_dash(before.and_then(|b| slope((b.dt, value(b)), (row.dt, value(row)))))
        };
        let _ = writeln!(
            text,
            "  {:>7} {:>10.3e} {:>6} {:>10.3e} {:>6} {:>10.2e} {:>8.3} {:>8.3} {:>9.1e} {:>9} {:>6}",
            row.dt,
            row.run.average(),
            steep(|r| r.run.average()),
            row.run.max(),
            steep(|r| r.run.max()),
            row.run.overlap_max,
            row.speed,
            row.constant(),
            row.run.kinetic_energy_end,
            format!("{}/{}", row.run.unsolved, row.run.infeasibility.len()),
            row.run.quarantined
        );
    }
    if let Some(row) = rows.iter().find(|row| row.dt == 0.01) {
        let centers = row.ends.iter().map(|(p, gaps)| {
            let gaps: Vec<_> = gaps.iter().skip(1).map(|gap| format!("{gap:.4}")).collect();
            let walls = if gaps.is_empty() {
                String::new()
            } else {
                format!(" to walls {}", gaps.join(", "))
            };
            format!("({:.2}, {:.2}, {:.2}){walls}", p.x, p.y, p.z)
        });
        let _ = writeln!(
            text,
            "  centers at the end, h = 0.01: {}",
            centers.collect::<Vec<_>>().join(" ")
        );
    }
    let fit = |value: fn(&Row) -> Double| {
        or_dash(fitted_slope(rows.iter().map(|row| (row.dt, value(row)))))
    };
    let _ = writeln!(
        text,
        "  slope fitted over h ≤ {}: average {}, max {}",
        super::ASYMPTOTIC_DT,
        fit(|r| r.run.average()),
        fit(|r| r.run.max())
    );
    // What the theorem bounds.
    let fine = || rows.iter().filter(|row| row.dt <= super::ASYMPTOTIC_DT);
    let range = |value: fn(&Row) -> Double| {
        let over = || fine().map(|row| value(row) / row.dt.powi(2));
        let least = over().fold(Double::INFINITY, Double::min);
        format!("{least:.3} to {:.3}", over().fold(0.0, Double::max))
    };
    let _ = writeln!(
        text,
        "  over h² there [1/s²]: average {}, max {}",
        range(|r| r.run.average()),
        range(|r| r.run.max())
    );
    text
}

/// One line a run.
pub fn summary_csv(rows: &[Row]) -> String {
    let mut csv = String::from(
        "preset,gamma,h_s,steps,average_infeasibility,max_infeasibility,max_overlap_m,speed_m_s,\
         constant,kinetic_energy_end_J,unsolved,max_residual_m_s,frozen\n",
    );
    for row in rows {
        let run = &row.run;
        let _ = writeln!(
            csv,
            "{},{},{},{},{:e},{:e},{:e},{:e},{:e},{:e},{},{:e},{}",
            row.preset.name(),
            row.gamma,
            row.dt,
            run.infeasibility.len(),
            run.average(),
            run.max(),
            run.overlap_max,
            row.speed,
            row.constant(),
            run.kinetic_energy_end,
            run.unsolved,
            run.residual_max,
            run.quarantined
        );
    }
    csv
}

/// One line a step: the infeasibility over time, papers' settings.
pub fn series_csv(rows: &[Row]) -> String {
    let mut csv = String::from("gamma,h_s,t_s,infeasibility\n");
    for row in rows.iter().filter(|row| row.preset == Preset::Papers) {
        for (l, i) in row.run.infeasibility.iter().enumerate() {
            let t = (l + 1) as Double * row.dt;
            let _ = writeln!(csv, "{},{},{t:.6},{i:e}", row.gamma, row.dt);
        }
    }
    csv
}

/// Infeasibility over h with a line of slope 2: Figures 20, 22, 24, 25.
pub fn chart_over_h(experiment: &Experiment, rows: &[Row], gamma: Double) -> Chart {
    let mut lines = Vec::new();
    for (preset, name) in [(Preset::Papers, "papers' scheme"), (Preset::Default, "defaults")] {
        let rows = of(rows, preset, gamma);
        let points = |value: fn(&Row) -> Double| rows.iter().map(|r| (r.dt, value(r))).collect();
        for (what, points) in
            [("average", points(|r| r.run.average())), ("maximum", points(|r| r.run.max()))]
        {
            lines.push(Line { label: format!("{what}, {name}"), points, style: LineStyle::Dots });
        }
    }
    lines.extend(guide(&lines[0].points));
    Chart {
        title: format!(
            "{}: infeasibility over the step length, γ = {gamma}",
            experiment.scene.name
        ),
        axes: ["h [s]".to_owned(), "I(q) [ratio units]".to_owned()],
        log_x: true,
        floor: ROUNDING,
        lines,
    }
}

/// A line of slope 2 through the smallest h that is not rounding.
fn guide(points: &[(Double, Double)]) -> Option<Line> {
    let real = points.iter().filter(|p| p.1 > ROUNDING);
    let &(h, i) = real.min_by(|a, b| a.0.total_cmp(&b.0))?;
    let largest = points.iter().map(|p| p.0).fold(h, Double::max);
    let points = vec![(h, 0.5 * i), (largest, 0.5 * i * (largest / h).powi(2))];
    Some(Line { label: "slope 2".to_owned(), points, style: LineStyle::Guide })
}

/// Average infeasibility over h for several γ: Figure 19.
pub fn chart_over_gamma(experiment: &Experiment, rows: &[Row]) -> Chart {
    let (dts, gammas) = &experiment.gamma_sweep;
    let line = |&gamma: &Double| {
        let rows = of(rows, Preset::Papers, gamma);
        let points = rows.iter().filter(|row| dts.contains(&row.dt));
        Line {
            label: format!("γ = {gamma}"),
            points: points.map(|row| (row.dt, row.run.average())).collect(),
            style: LineStyle::Dots,
        }
    };
    Chart {
        title: format!("{}: effect of γ on the average infeasibility", experiment.scene.name),
        axes: ["h [s]".to_owned(), "average I(q) [ratio units]".to_owned()],
        log_x: true,
        floor: ROUNDING,
        lines: gammas.iter().map(line).collect(),
    }
}

/// Infeasibility over time, for each h; of many steps the largest in each of 300 intervals.
pub fn chart_over_time(experiment: &Experiment, rows: &[Row], gamma: Double) -> Chart {
    let line = |row: &&Row| {
        let series = &row.run.infeasibility;
        let width = series.len().div_ceil(300).max(1);
        let points = series.chunks(width).enumerate().map(|(i, chunk)| {
            let middle = (i * width) as Double + 0.5 * (chunk.len() + 1) as Double;
            (middle * row.dt, chunk.iter().copied().fold(0.0, Double::max))
        });
        let label = format!("h = {} s", row.dt);
        Line { label, points: points.collect(), style: LineStyle::Thin }
    };
    Chart {
        title: format!("{}: infeasibility over time, γ = {gamma}", experiment.scene.name),
        axes: ["t [s]".to_owned(), "I(q) [ratio units]".to_owned()],
        log_x: false,
        floor: 1e-9,
        lines: of(rows, Preset::Papers, gamma).iter().map(line).collect(),
    }
}
