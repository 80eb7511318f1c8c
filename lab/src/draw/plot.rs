//! Line charts as SVG, with logarithmic axes.

use orthant::math::Double;
use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::ValueFormatter;
use plotters::prelude::*;

use super::solid::PALETTE;

/// A line of a chart.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it is, for the legend.
    pub label: String,
    /// Its points; values that a logarithmic axis cannot show are left out.
    pub points: Vec<(Double, Double)>,
    /// How it is drawn.
    pub style: LineStyle,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineStyle {
    /// Line with a dot at every point.
    Dots,
    /// Thin line.
    Thin,
    /// Dashed gray line, for comparison; does not stretch the axes.
    Guide,
}

/// A chart with a logarithmic y axis.
#[derive(Clone, Debug)]
pub struct Chart {
    /// Heading.
    pub title: String,
    /// Names of the axes, x and y.
    pub axes: [String; 2],
    /// Is the x axis logarithmic as well?
    pub log_x: bool,
    /// Values below this are drawn there: they are rounding.
    pub floor: Double,
    /// The lines.
    pub lines: Vec<Line>,
}

type Error = Box<dyn std::error::Error>;

/// Charts in so many columns as one picture, each of `size` in pixels.
///
/// # Errors
/// The drawing library refused something.
pub fn side_by_side(charts: &[Chart], columns: usize, size: (u32, u32)) -> Result<String, Error> {
    let rows = charts.len().div_ceil(columns);
    let mut svg = String::new();
    {
        let all = (size.0 * columns as u32, size.1 * rows as u32);
        let root = SVGBackend::with_string(&mut svg, all).into_drawing_area();
        root.fill(&WHITE)?;
        for (chart, area) in charts.iter().zip(root.split_evenly((rows, columns))) {
            chart.draw_on(&area)?;
        }
        root.present()?;
    }
    Ok(svg)
}

impl Chart {
    /// The chart as SVG, `size` in pixels.
    ///
    /// # Errors
    /// The drawing library refused something.
    pub fn to_svg(&self, size: (u32, u32)) -> Result<String, Error> {
        side_by_side(std::slice::from_ref(self), 1, size)
    }

    fn draw_on(&self, area: &DrawingArea<SVGBackend, Shift>) -> Result<(), Error> {
        let ([x0, x1], [y0, y1]) = self.ranges();
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(&self.title, ("sans-serif", 18))
            .margin(14)
            .x_label_area_size(44)
            .y_label_area_size(64);
        if self.log_x {
            let coordinates = ((x0..x1).log_scale(), (y0..y1).log_scale());
            self.draw(&mut builder.build_cartesian_2d(coordinates.0, coordinates.1)?)
        } else {
            self.draw(&mut builder.build_cartesian_2d(x0..x1, (y0..y1).log_scale())?)
        }
    }

    /// Ranges of both axes with some air.
    fn ranges(&self) -> ([Double; 2], [Double; 2]) {
        let mut x = [Double::INFINITY, Double::NEG_INFINITY];
        let mut y = x;
        for line in self.lines.iter().filter(|line| line.style != LineStyle::Guide) {
            for point in self.shown(line) {
                x = [x[0].min(point.0), x[1].max(point.0)];
                y = [y[0].min(point.1), y[1].max(point.1)];
            }
        }
        if x[0] > x[1] {
            return ([0.5, 1.5], [self.floor, 1.0]);
        }
        let x = if self.log_x { [x[0] / 1.2, x[1] * 1.2] } else { x };
        (x, [y[0] / 1.6, y[1] * 1.6])
    }

    fn shown<'a>(&'a self, line: &'a Line) -> impl Iterator<Item = (Double, Double)> + 'a {
        let fine =
            |&(x, y): &(Double, Double)| x.is_finite() && y.is_finite() && (x > 0.0 || !self.log_x);
        line.points.iter().copied().filter(fine).map(|(x, y)| (x, y.max(self.floor)))
    }

    fn draw<'a, X>(
        &self,
        chart: &mut ChartContext<'a, SVGBackend<'a>, Cartesian2d<X, LogCoord<Double>>>,
    ) -> Result<(), Error>
    where
        X: Ranged<ValueType = Double> + ValueFormatter<Double> + 'a,
    {
        let format = |v: &Double| tick(*v);
        chart
            .configure_mesh()
            .x_desc(&self.axes[0])
            .y_desc(&self.axes[1])
            .x_labels(8)
            .y_labels(9)
            .x_label_formatter(&format)
            .y_label_formatter(&format)
            .light_line_style(RGBColor(238, 240, 243))
            .bold_line_style(RGBColor(214, 218, 224))
            .axis_style(RGBColor(90, 90, 90))
            .label_style(("sans-serif", 13))
            .draw()?;
        for (i, line) in self.lines.iter().enumerate() {
            let byte = |x: Double| (x * 200.0) as u8;
            let c = PALETTE[(i + 1) % PALETTE.len()];
            let color = RGBColor(byte(c.0), byte(c.1), byte(c.2));
            let points: Vec<_> = self.shown(line).collect();
            let style = match line.style {
                LineStyle::Guide => RGBColor(120, 120, 120).stroke_width(1),
                LineStyle::Thin => color.stroke_width(1),
                LineStyle::Dots => color.stroke_width(2),
            };
            let drawn = if line.style == LineStyle::Guide {
                chart.draw_series(DashedLineSeries::new(points.clone(), 6, 5, style))?
            } else {
                chart.draw_series(LineSeries::new(points.clone(), style))?
            };
            drawn
                .label(&line.label)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
            if line.style == LineStyle::Dots {
                let dots = points.iter().map(|&p| Circle::new(p, 3, color.filled()));
                chart.draw_series(dots)?;
            }
        }
        chart
            .configure_series_labels()
            .position(if self.log_x {
                SeriesLabelPosition::LowerRight
            } else {
                SeriesLabelPosition::UpperRight
            })
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(214, 218, 224))
            .label_font(("sans-serif", 13))
            .draw()?;
        Ok(())
    }
}

/// A number on an axis: plain near 1, with a power of ten else.
fn tick(value: Double) -> String {
    if value != 0.0 && !(1e-3..1e4).contains(&value.abs()) {
        let text = format!("{value:.1e}");
        text.replace(".0e", "e")
    } else {
        let text = format!("{value:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}
