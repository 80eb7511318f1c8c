//! The robotic grasp (Anitescu, Miller, Hart 2003): infeasibility for several γ, and what friction holds.

use std::path::Path;

use orthant::engine::body::BodyKind;
use orthant::math::{DVec3, Double, widen};

use super::{Outcome, draw};
use crate::draw::film::Film;
use crate::draw::plot::{Chart, Line, LineStyle};
use crate::draw::solid::PALETTE;
use crate::scenes::grasp::{self as scene, GLASS, Grasp, LET_GO, Moment, SLIPPERY, STEP};

/// Values of γ of the paper.
const GAMMAS: [Double; 3] = [0.0, 0.2, 1.0];
/// Length of a run (s).
const DURATION: Double = 2.0;

/// All steps of a run; with a layer (m) it stops where that is used up, as the paper's did.
fn run(gamma: Double, friction: Double, layer: Double) -> Result<Vec<Moment>, String> {
    let mut grasp = Grasp::new(layer)?;
    let settings = scene::settings(gamma, friction);
    let mut moments = Vec::new();
    for _ in 0..(DURATION / STEP).round() as usize {
        moments.push(grasp.advance(&settings, STEP));
        if layer > 0.0 && moments.last().is_some_and(|m| m.infeasibility[1] >= layer) {
            break;
        }
    }
    Ok(moments)
}

/// The experiment.
pub fn perform(out: &Path) -> Outcome {
    infeasibility(out)?;
    holding()?;
    frames(out)
}

/// Figures 3 and 4: infeasibility over time, of the joints and of all.
fn infeasibility(out: &Path) -> Outcome {
    println!(
        "| γ | layer [mm] | joints: average, largest, end [µm] | all of it | end [s] | residual [m/s] |"
    );
    println!("|---|---|---|---|---|---|");
    let (mut joints, mut all) = (Vec::new(), Vec::new());
    for layer in [0.0, 5e-3] {
        for gamma in GAMMAS {
            let moments = run(gamma, SLIPPERY, layer)?;
            let tell = |of: fn(&Moment) -> Double| {
                let list: Vec<_> = moments.iter().map(of).collect();
                let mean = list.iter().sum::<Double>() / list.len() as Double;
                let most = list.iter().copied().fold(0.0, Double::max);
                let end = list.last().copied().unwrap_or(0.0);
                [mean, most, end].map(|x| format!("{:.3}", 1e6 * x)).join(", ")
            };
            let of_joints = |m: &Moment| m.infeasibility[0];
            let of_all = |m: &Moment| m.infeasibility[0].max(m.infeasibility[1]);
            let end = moments.last().map_or(0.0, |m| m.time + STEP);
            let residual = moments.iter().map(|m| m.residual).fold(0.0, Double::max);
            println!(
                "| {gamma} | {} | {} | {} | {end:.3} | {residual:.0e} |",
                1e3 * layer,
                tell(of_joints),
                tell(of_all)
            );
            if layer == 0.0 {
                let line = |of: &dyn Fn(&Moment) -> Double| Line {
                    label: format!("γ = {gamma}"),
                    points: moments.iter().map(|m| (m.time, of(m))).collect(),
                    style: LineStyle::Thin,
                };
                joints.push(line(&of_joints));
                all.push(line(&of_all));
            }
        }
    }
    for (name, what, lines) in [
        ("grasp_joints.svg", "of joints", joints),
        ("grasp_all.svg", "of joints and contacts", all),
    ] {
        let chart = Chart {
            title: format!("Grasp: infeasibility {what}, h = {STEP} s"),
            axes: ["t [s]".to_owned(), "I [m]".to_owned()],
            log_x: false,
            floor: 1e-10,
            lines,
        };
        draw(out, name, &chart)?;
    }
    Ok(())
}

/// What the hand did with the glass.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// Sum of the normal forces on the glass half a second after the table began to sink (N).
    pub squeeze: Double,
    /// What friction carries then (N).
    pub carried: Double,
    /// By how much the glass is lower at the end (m).
    pub fallen: Double,
    /// Speed of the glass, on average over the last second [m/s].
    pub creep: Double,
}

/// Closes the hand, takes away the table, and watches for two seconds more.
///
/// # Errors
/// The engine refused something.
pub fn hold(friction: Double, layer: Double) -> Result<Held, String> {
    let mut grasp = Grasp::new(layer)?;
    let settings = scene::settings(1.0, friction);
    let steps = |t: Double| (t / STEP).round() as usize;
    let advance = |grasp: &mut Grasp, t| {
        for _ in 0..steps(t) {
            grasp.advance(&settings, STEP);
        }
        grasp.center()
    };
    let start = advance(&mut grasp, LET_GO);
    advance(&mut grasp, 0.5);
    let [squeeze, carried] = grasp.forces(STEP);
    let before = advance(&mut grasp, 0.5);
    let end = advance(&mut grasp, 1.0);
    Ok(Held { squeeze, carried, fallen: start.y - end.y, creep: (end - before).length() })
}

/// Too little friction drops it, enough holds it without creep.
fn holding() -> Outcome {
    let weight = widen(GLASS) * 9.81;
    let [least, most] = scene::squeeze();
    let [slips, holds] = [weight / most, weight / least];
    println!(
        "\nΣ N from {least:.2} to {most:.2} N, m g = {weight:.3} N: μ from {slips:.4} to {holds:.4}\n"
    );
    println!("| μ | layer [mm] | Σ N [N] | carried / m g | fallen [mm] | creep [m/s] |");
    println!("|---|---|---|---|---|---|");
    for layer in [0.0, 5e-3] {
        for mu in
            [0.5 * slips, 0.9 * slips, 0.5 * (slips + holds), 1.1 * holds, 2.0 * holds, 4.0 * holds]
        {
            let Held { squeeze, carried, fallen, creep } = hold(mu, layer)?;
            println!(
                "| {mu:.3} | {} | {squeeze:.3} | {:.6} | {:.4} | {creep:.1e} |",
                1e3 * layer,
                carried / weight,
                1e3 * fallen
            );
        }
    }
    Ok(())
}

/// Eight frames of a glass that is held and one that slips out.
fn frames(out: &Path) -> Outcome {
    for (name, friction) in [("grasp_held.svg", 0.3), ("grasp_slips.svg", SLIPPERY)] {
        let mut film = Film::new(DVec3::new(-0.3, 0.2, 1.0), 0, 0, 4);
        let mut grasp = Grasp::new(0.0)?;
        let settings = scene::settings(1.0, friction);
        for step in 0..=(1.2 / STEP) as usize {
            let time = step as Double * STEP;
            if film.due(time, &[0.0, 0.5, 1.05, 1.15]).is_some() {
                film.shoot(format!("t = {time:.2} s"), &grasp.world, |body| {
                    if body.id() == grasp.glass {
                        Some(PALETTE[1])
                    } else if body.kind() == BodyKind::Dynamic {
                        Some(PALETTE[0])
                    } else {
                        None
                    }
                });
            }
            grasp.advance(&settings, STEP);
        }
        film.save(&out.join(name).to_string_lossy());
    }
    Ok(())
}
