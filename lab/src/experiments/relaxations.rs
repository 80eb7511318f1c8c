//! The step problem by fixed points (thesis, chapter 5): rates of contraction of χ₁, χ₂ and χ₃ over friction.

use std::path::Path;

use orthant::engine::lcp::{BodyBlock, Cone, ContactRow, FIXED, Problem};
use orthant::engine::papers::export::ExportedProblem;
use orthant::math::{Double, sin_cos_double};
use orthant::papers::relaxation::{AggregateMap, iterate};

use super::Outcome;
use crate::cases::lcp::{self, LcpCase};
use crate::games::{DT, Play, by_name};
use crate::scenes::World;
use crate::scenes::thesis;

/// Friction coefficients.
const FRICTIONS: [Double; 6] = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2];
/// The maps.
pub const MAPS: [(&str, AggregateMap); 3] =
    [("χ₁", AggregateMap::Chi1), ("χ₂", AggregateMap::Chi2), ("χ₃", AggregateMap::Chi3)];
/// Distances below this are the tolerance of the quadratic programs.
const ROUNDING: Double = 1e-9;

/// Rates on problems of running steps, as they are but for their friction.
pub fn perform(_: &Path) -> Outcome {
    println!("| problem | map | μ = 0.1 | 0.2 | 0.4 | 0.8 | 1.6 | 3.2 |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, problem) in problems()? {
        for (map_name, map) in MAPS {
            let rates = FRICTIONS.map(|mu| rate(&problem, map, mu));
            println!("| {name} | {map_name} | {} |", rates.join(" | "));
        }
    }
    let cases = lcp::all()?;
    println!(
        "\n| of {} reference problems contract | μ = 0.1 | 0.2 | 0.4 | 0.8 | 1.6 | 3.2 |",
        cases.len()
    );
    println!("|---|---|---|---|---|---|---|");
    for (map_name, map) in MAPS {
        let count = FRICTIONS.map(|mu| {
            let fine = |case: &&LcpCase| contracts(&case.problem(), map, mu);
            cases.iter().filter(fine).count().to_string()
        });
        println!("| {map_name} | {} |", count.join(" | "));
    }
    Ok(())
}

/// Does a map come to a solution at a friction coefficient, of all contacts?
fn contracts(problem: &Problem, map: AggregateMap, mu: Double) -> bool {
    let with = |row: &ContactRow| ContactRow { friction: mu, ..*row };
    let contacts: Vec<_> = problem.contacts.iter().map(with).collect();
    let point = iterate(&Problem { contacts: &contacts, ..*problem }, map, 200, ROUNDING);
    point.distances.last().is_some_and(|d| *d <= ROUNDING) && point.certificate.error() <= 1e-7
}

/// The rate at a friction coefficient; how large a residual is left where it does not contract.
fn rate(problem: &ExportedProblem, map: AggregateMap, mu: Double) -> String {
    let with = |row: &ContactRow| ContactRow { friction: mu, ..*row };
    let contacts: Vec<_> = problem.contacts.iter().map(with).collect();
    let problem = Problem { contacts: &contacts, ..problem.problem() };
    let point = iterate(&problem, map, 60, ROUNDING);
    let error = point.certificate.error();
    match point.rate(ROUNDING) {
        _ if point.distances.last().is_some_and(|d| *d <= ROUNDING) => {
            let rate = point.rate(ROUNDING).map_or("at once".to_owned(), |r| format!("{r:.2}"));
            if error <= 1e-7 { rate } else { format!("{rate}, ends {error:.0e} off") }
        }
        Some(rate) if rate < 0.99 => format!("{rate:.2}, slow"),
        _ => format!("does not contract, {error:.0e} off"),
    }
}

/// Problems in the middle of a motion, the largest island of each.
fn problems() -> Result<Vec<(&'static str, ExportedProblem)>, String> {
    let mut list = vec![("a rod at 60° that slides", rod(60.0))];
    for (name, experiment, time) in [
        ("Balance2, t = 1 s", thesis::balance2(), 1.0),
        ("Pyramid1, t = 2 s", thesis::pyramid1(), 2.0),
    ] {
        let params = experiment.scene.params;
        let settings = params.papers();
        let mut world = World::new(&experiment.scene)?;
        let dt = orthant::math::narrow(params.dt);
        for _ in 0..(time / params.dt) as usize {
            world.simulation.step(&settings, dt);
        }
        let world = &mut world.simulation;
        world.begin(&settings, dt);
        world.find_pairs(&settings);
        world.find_contacts(&settings);
        world.build_islands();
        world.assemble(&settings);
        list.push((name, largest(name, world.step_problems(Cone::Pyramid(2)))?));
    }
    for (name, steps) in [("cards", 0), ("hulls-30", 90)] {
        let game = by_name(name).ok_or("a known scene")?;
        let settings = game.settings();
        let mut play = Play::new(&game, DT)?;
        for _ in 0..steps {
            play.advance(&settings);
        }
        play.drive();
        let world = &mut play.world;
        world.begin(&settings, DT);
        world.find_pairs(&settings);
        world.find_contacts(&settings);
        world.build_islands();
        world.assemble(&settings);
        list.push((name, largest(name, world.step_problems(Cone::Pyramid(4)))?));
    }
    Ok(list)
}

/// Mass (kg), half length (m) and moment of inertia [kg·m²] of the rod.
const ROD: [Double; 3] = [1.0, 1.0, 1.0 / 3.0];

/// `W_nn`, `W_tt` and `W_nt` at the end of the rod [1/kg], which stands at an angle (°).
pub fn rod_compliance(angle: Double) -> [Double; 3] {
    let (sin, cos) = sin_cos_double(angle.to_radians());
    let [mass, half, inertia] = ROD;
    let [x, y] = [half * cos, -half * sin];
    [1.0 / mass + x * x / inertia, 1.0 / mass + y * y / inertia, -x * y / inertia]
}

/// A rod in the plane that strikes the ground with its end and slides on it, away from its center; its
/// friction coefficient is to be set.
pub fn rod(angle: Double) -> ExportedProblem {
    let (sin, cos) = sin_cos_double(angle.to_radians());
    let [mass, half, inertia] = ROD;
    let [x, y] = [half * cos, -half * sin];
    let block = BodyBlock {
        mass: [mass, mass, 1.0],
        inertia: [1.0, 1.0, inertia, 0.0, 0.0, 0.0],
        inverse_mass: [1.0 / mass, 1.0 / mass, 0.0],
        inverse_inertia: [0.0, 0.0, 1.0 / inertia, 0.0, 0.0, 0.0],
        velocity_free: [20.0, -1.0, 0.0, 0.0, 0.0, 0.0],
    };
    let row = ContactRow {
        a: FIXED,
        b: 0,
        jacobian_a: [[0.0; 6]; 3],
        jacobian_b: [[0.0, 1.0, 0.0, 0.0, 0.0, x], [1.0, 0.0, 0.0, 0.0, 0.0, -y], [0.0; 6]],
        bias: [0.0; 3],
        friction: 0.0,
    };
    ExportedProblem {
        bodies: Vec::new(),
        blocks: vec![block],
        contacts: vec![row],
        contact_origins: Vec::new(),
        joints: Vec::new(),
        joint_origins: Vec::new(),
        rolling: Vec::new(),
        cone: Cone::Pyramid(2),
    }
}

fn largest(name: &str, problems: Vec<ExportedProblem>) -> Result<ExportedProblem, String> {
    let largest = problems.into_iter().max_by_key(|problem| problem.contacts.len());
    largest.ok_or_else(|| format!("{name}: nothing touches"))
}
