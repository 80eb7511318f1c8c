//! The figures as a picture: error over time, a chart for each scene.

use orthant::math::Double;
use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::prelude::*;

use crate::engines::{Engine, Mode};
use crate::outcome::Outcome;

/// Size of a chart in pixels.
const SIZE: (u32, u32) = (330, 250);
/// Charts side by side.
const COLUMNS: usize = 4;
/// Errors are drawn within these (mm).
const ERRORS: [Double; 2] = [1e-4, 1e5];
/// Engines in the legend, in its order.
const LEGEND: [Engine; 9] = [
    Engine::Orthant(Mode::Auto),
    Engine::Orthant(Mode::Budget),
    Engine::OrthantApp(Mode::Auto),
    Engine::OrthantApp(Mode::Budget),
    Engine::Rapier,
    Engine::BevyRapier,
    Engine::Avian,
    Engine::Box3d,
    Engine::Jolt,
];

type Error = Box<dyn std::error::Error>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Logs = Cartesian2d<LogCoord<Double>, LogCoord<Double>>;

const fn color(engine: Engine) -> RGBColor {
    match engine {
        Engine::Orthant(Mode::Auto) | Engine::OrthantApp(Mode::Auto) => RGBColor(24, 90, 189),
        Engine::Orthant(Mode::Budget) | Engine::OrthantApp(Mode::Budget) => RGBColor(60, 178, 226),
        Engine::Rapier | Engine::BevyRapier => RGBColor(226, 108, 30),
        Engine::Avian => RGBColor(190, 40, 70),
        Engine::Box3d => RGBColor(96, 150, 40),
        Engine::Jolt => RGBColor(130, 100, 170),
    }
}

/// A chart for each scene and a legend, as SVG on white.
///
/// # Errors
/// The drawing library refused something.
pub fn draw(outcomes: &[Outcome]) -> Result<String, Error> {
    let rows = (outcomes.len() + 1).div_ceil(COLUMNS);
    let size = (SIZE.0 * COLUMNS as u32, SIZE.1 * rows as u32);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let areas = root.split_evenly((rows, COLUMNS));
        for (outcome, area) in outcomes.iter().zip(&areas) {
            chart(outcome, area)?;
        }
        legend(&areas[outcomes.len()])?;
        root.present()?;
    }
    Ok(svg)
}

/// The points of a scene: engine, time (ms), worst error (mm), and is it a yardstick?
fn points(outcome: &Outcome) -> Vec<(Engine, (Double, Double), bool)> {
    let point = |(engine, figures): &(Engine, crate::measure::Figures)| {
        let error = (1e3 * figures.error()[1]).clamp(ERRORS[0], ERRORS[1]);
        (*engine, (figures.milliseconds, error), figures.is_yardstick())
    };
    outcome.figures.iter().map(point).filter(|point| point.1.0 > 0.0).collect()
}

fn chart(outcome: &Outcome, area: &Area) -> Result<(), Error> {
    let points = points(outcome);
    let times = points.iter().map(|point| point.1.0);
    let low = times.clone().fold(Double::INFINITY, Double::min);
    let high = times.fold(0.0, Double::max);
    // Whole decades, so that there are marks on the axis.
    let (low, high) = if low <= high { (low / 1.2, high * 1.2) } else { (0.1, 10.0) };
    let decade = |power: Double| Double::powi(10.0, power as i32);
    let (low, high) = (decade(low.log10().floor()), decade(high.log10().ceil()));
    let jointed = outcome.figures.iter().any(|(_, figures)| figures.joint_error.is_some());
    let what = if jointed { "joint error (mm)" } else { "overlap (mm)" };
    let mut chart = ChartBuilder::on(area)
        .caption(&outcome.scene, ("sans-serif", 15))
        .margin(8)
        .x_label_area_size(34)
        .y_label_area_size(48)
        .build_cartesian_2d((low..high).log_scale(), (ERRORS[0] / 2.0..ERRORS[1]).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("ms a step")
        .y_desc(what)
        .x_labels(5)
        .y_labels(6)
        .x_label_formatter(&|x| tick(*x))
        .y_label_formatter(&|y| format!("{y:.0e}"))
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(226, 229, 234))
        .axis_style(RGBColor(90, 90, 90))
        .label_style(("sans-serif", 11))
        .draw()?;
    for (engine, place, is_yardstick) in points {
        mark(&mut chart, engine, place, is_yardstick)?;
    }
    Ok(())
}

/// A power of ten without the zeros behind it.
fn tick(x: Double) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A disc for an engine alone, a ring for an app, a cross if bodies fell or left.
fn mark<'a>(
    chart: &mut ChartContext<'a, SVGBackend<'a>, Logs>,
    engine: Engine,
    place: (Double, Double),
    is_yardstick: bool,
) -> Result<(), Error> {
    let color = color(engine);
    if !is_yardstick {
        chart.draw_series([Cross::new(place, 4, color.stroke_width(2))])?;
    } else if engine.is_app() {
        chart.draw_series([Circle::new(place, 4, color.stroke_width(2))])?;
    } else {
        chart.draw_series([Circle::new(place, 5, color.filled())])?;
    }
    Ok(())
}

fn legend(area: &Area) -> Result<(), Error> {
    let text = ("sans-serif", 13).into_font().color(&RGBColor(50, 50, 50));
    let row = |k: usize| 34 + 19 * k as i32;
    for (k, engine) in LEGEND.into_iter().enumerate() {
        let (place, style) = ((26, row(k)), color(engine));
        if engine.is_app() {
            area.draw(&Circle::new(place, 4, style.stroke_width(2)))?;
        } else {
            area.draw(&Circle::new(place, 5, style.filled()))?;
        }
        let note = match engine {
            engine if engine.is_recorded() => ", recorded and scaled",
            Engine::Avian => ", whole update of an app",
            engine if engine.is_app() && !engine.is_ours() => ", whole update of an app",
            _ => "",
        };
        area.draw(&Text::new(format!("{}{note}", engine.name()), (40, row(k) - 6), text.clone()))?;
    }
    let last = LEGEND.len();
    area.draw(&Cross::new((26, row(last)), 4, RGBColor(90, 90, 90).stroke_width(2)))?;
    let words = "fell, or left its container";
    area.draw(&Text::new(words, (40, row(last) - 6), text.clone()))?;
    let words = "errors: worst of the run; below 1e-4 mm drawn there";
    area.draw(&Text::new(words, (20, row(last + 1) - 6), text))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::tests::outcome;

    #[test]
    fn a_picture_has_a_mark_for_every_engine_that_stands() {
        let figures: Vec<_> = LEGEND.into_iter().map(|e| (e, 1.0, 1e-3)).collect();
        let mut outcome = outcome("tower-10", &figures);
        let circles = |outcome: &Outcome| {
            let svg = draw(std::slice::from_ref(outcome)).expect("a picture");
            svg.matches("<circle").count()
        };
        assert_eq!(circles(&outcome), 2 * LEGEND.len(), "one in the chart, one in the legend");
        outcome.figures[4].1.stands = Some(false);
        assert_eq!(circles(&outcome), 2 * LEGEND.len() - 1, "a cross instead");
        outcome.figures[3].1.overlap = [f64::INFINITY; 2];
        outcome.figures[2].1.milliseconds = f64::NAN;
        assert_eq!(circles(&outcome), 2 * LEGEND.len() - 2, "no time, no mark");
    }
}
