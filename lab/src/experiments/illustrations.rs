//! Pictures of `docs/how_it_works.md`, from runs: the ratio metric, and a wall that is struck.

use std::path::Path;

use orthant::engine::lcp::Method;
use orthant::engine::query::ratio;
use orthant::engine::settings::{Settings, SolverSettings};
use orthant::engine::shape::Shape;
use orthant::math::{DMat3, DVec3, Double, Quat, Real, Vec3, narrow3, widen, widen3};

use super::{Outcome, draw};
use crate::draw::plot::{Chart, Line, LineStyle};
use crate::draw::solid::{PALETTE, Placed, Rgb, Solid};
use crate::draw::{Camera, Strip};
use crate::games::{DT, Play, impact};

/// Outlines of two plates (m).
const OUTLINES: [&[[Double; 2]]; 2] = [
    &[[-0.9, -0.5], [0.7, -0.7], [1.0, 0.3], [0.1, 0.9]],
    &[[-0.7, -0.4], [0.6, -0.8], [0.5, 0.7]],
];
/// Where the second is, seen from the first, apart and overlapping (m).
const PLACES: [[Double; 2]; 2] = [[2.3, 0.5], [1.3, 0.3]];
/// Rows of cubes of the wall that is struck, and how long it is watched (s).
const WALL: (usize, Real) = (6, 6.0);

/// All of them.
pub fn perform(out: &Path) -> Outcome {
    std::fs::write(out.join("how_ratio.svg"), growing()?.to_svg())?;
    struck(out)
}

/// Both plates as they are, and as large as makes them touch.
fn growing() -> Result<Strip, String> {
    let mut strip = Strip::new(Camera::front(), DVec3::new(0.2, 0.4, 1.0), 4);
    for place in PLACES {
        let mut shapes = Vec::new();
        for outline in OUTLINES {
            let both = |&[x, y]: &[Double; 2]| [-1.0, 1.0].map(|z| DVec3::new(x, y, z));
            let points: Vec<Vec3> = outline.iter().flat_map(both).map(narrow3).collect();
            shapes.push(Shape::convex_hull(&points).map_err(|error| error.to_string())?);
        }
        let at = [DVec3::ZERO, DVec3::new(place[0], place[1], 0.0)];
        let placed = |k: usize| (&shapes[k], narrow3(at[k]), Quat::IDENTITY);
        let metric = ratio(placed(0), placed(1)).ok_or("these shapes have a metric")?;
        let r = widen(metric.ratio);
        for (scale, what) in [(1.0, "as they are"), (r, "both scaled by r")] {
            let plate = |k: usize| {
                // Shapes have their frames, bodies grow about their centroids.
                let center = widen3(shapes[k].mass_properties(1.0).center_of_mass);
                let grown = OUTLINES[k]
                    .iter()
                    .map(|&[x, y]| center + (DVec3::new(x, y, 0.0) - center) * scale);
                Solid::plate(&grown.collect::<Vec<_>>(), PALETTE[k]).placed(at[k], DMat3::IDENTITY)
            };
            let mut bodies: Vec<Placed> = vec![plate(0), plate(1)];
            for face in bodies.iter_mut().flat_map(|body| &mut body.faces) {
                let touch = widen3(metric.point);
                face.marks = if scale == 1.0 { Vec::new() } else { vec![dot(touch).to_vec()] };
                face.mark_color = Rgb::hex(0x2a2a2a);
            }
            let gap = 1.0 - 1.0 / r;
            strip.add_frame(format!("{what}: r = {r:.3}, ρ = {gap:.3}"), bodies);
        }
    }
    Ok(strip)
}

/// A small square about a point.
fn dot(at: DVec3) -> [DVec3; 4] {
    [-DVec3::X, -DVec3::Y, DVec3::X, DVec3::Y].map(|corner| at + corner * 0.07)
}

/// Residual and overlap of a wall before, while and after it is struck, as by default and in small steps.
fn struck(out: &Path) -> Outcome {
    let game = impact::hit(WALL.0);
    let mut lines = Vec::new();
    for (name, method) in [("default", Method::Auto), ("small steps", Method::Substeps)] {
        let solver = SolverSettings { method, ..SolverSettings::default() };
        let settings = Settings { solver, ..game.settings() };
        let mut play = Play::new(&game, DT)?;
        let (mut residual, mut overlap) = (Vec::new(), Vec::new());
        for step in 0..(WALL.1 / DT) as usize {
            let time = widen(step as Real * DT);
            let report = play.advance(&settings);
            residual.push((time, report.natural_map.max(report.motion_residual)));
            overlap.push((time, widen(report.overlap)));
        }
        for (what, points) in [("residual [m/s]", residual), ("overlap (m)", overlap)] {
            lines.push(Line { label: format!("{name}: {what}"), points, style: LineStyle::Thin });
        }
    }
    let tolerance = SolverSettings::default().tolerance;
    let points = vec![(0.0, tolerance), (widen(WALL.1), tolerance)];
    lines.push(Line { label: "tolerance [m/s]".to_owned(), points, style: LineStyle::Guide });
    let chart = Chart {
        title: "A wall of cubes is struck: what each step tells of itself".to_owned(),
        axes: ["t [s]".to_owned(), "residual [m/s], overlap (m)".to_owned()],
        log_x: false,
        floor: 1e-9,
        lines,
    };
    draw(out, "how_certificate.svg", &chart)
}
