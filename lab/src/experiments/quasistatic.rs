//! Quasistatic experiments (Trinkle, Berard, Pang 2005): the fence and its particle, a peg and its hole, a
//! drawer that sticks.

use std::path::Path;

use orthant::engine::body::BodyKind;
use orthant::engine::lcp::Cone;
use orthant::engine::papers::export::ExportedProblem;
use orthant::engine::papers::pointed::{Pointed, is_pointed};
use orthant::engine::report::StepStatus;
use orthant::math::{DVec3, Double, Real, widen};

use super::Outcome;
use crate::draw::film::Film;
use crate::draw::solid::{PALETTE, Rgb};
use crate::scenes::quasistatic::{self as scenes, FENCE, exact};

/// Friction coefficients of the fence.
const FRICTIONS: [Real; 3] = [0.5, 1.0, 4.0];

/// The fence and the particle: Model-DQC against an independent implementation, its order, Model-DLC.
pub fn fence(_: &Path) -> Outcome {
    println!(
        "| t [s] | h [s] | x [m] | y, μ = 0.5 | y, μ = 1 | y, μ = 4 | off the reference [m] |"
    );
    println!("|---|---|---|---|---|---|---|");
    let runs = FRICTIONS.map(|mu| scenes::fence(&exact(1.0), [mu; 3], 0.1, 63, |_, _| {}));
    for (step, x, along) in FENCE {
        let states = [0, 1, 2].map(|k| runs[k][step - 1]);
        let off = |k: usize| (states[k][0] - x).abs().max((states[k][1] - along[k]).abs());
        let off = [0, 1, 2].map(off).into_iter().fold(0.0, Double::max);
        let [a, b, c] = states.map(|[_, y]| y);
        let (t, x) = (0.1 * step as Double, states[0][0]);
        println!("| {t:.1} | 0.1 | {x:.9} | {a:.9} | {b:.9} | {c:.9} | {off:.1e} |");
    }
    println!("\n| h [s] | x at the end [m] | beyond 0.9 m | order |");
    println!("|---|---|---|---|");
    let mut last: Option<[Double; 2]> = None;
    for (h, steps) in [(0.1, 63), (0.05, 126), (0.01, 630), (0.005, 1260)] {
        let states = scenes::fence(&exact(1.0), [1.0; 3], h, steps, |_, _| {});
        let x = states.last().map_or(Double::NAN, |s| s[0]);
        let (off, h) = (x - 0.9, widen(h));
        let order = last.map(|[a, b]| libm::log(a / off) / libm::log(b / h));
        let order = order.map_or("–".to_owned(), |order| format!("{order:.2}"));
        println!("| {h} | {x:.9} | {off:.3e} | {order} |");
        last = Some([off, h]);
    }
    println!("\n| cone | μ | way ahead [m] | way along [m] | angle |");
    println!("|---|---|---|---|---|");
    for cone in [Cone::Pyramid(4), Cone::Pyramid(8), Cone::Pyramid(32), Cone::Circular] {
        for mu in [0.5, 1.0] {
            let mut settings = exact(1.0);
            settings.solver.cone = cone;
            let states = scenes::fence(&settings, [mu; 3], 0.01, 60, |_, _| {});
            let [x, y] = states.last().copied().unwrap_or([Double::NAN; 2]);
            let angle = libm::atan2(y, x - 0.6).to_degrees();
            println!("| {cone:?} | {mu} | {:.6} | {y:.6} | {angle:.2}° |", x - 0.6);
        }
    }
    Ok(())
}

/// A peg is pushed into a hole, from beside it and turned.
pub fn peg(out: &Path) -> Outcome {
    println!(
        "| μ | aside, turned [mm, mrad] | deep [m] | aside, turned at the end | unbalanced | residual [m/s] |"
    );
    println!("|---|---|---|---|---|---|");
    let mut film = Film::new(DVec3::new(-0.3, 1.0, 0.5), 2, 2, 4);
    for (k, (mu, aside, turn)) in
        [(0.1, 0.0, 0.0), (0.1, 0.015, 0.05), (0.1, -0.03, 0.1), (0.3, 0.015, 0.05)]
            .into_iter()
            .enumerate()
    {
        let mut peg = scenes::peg(mu, aside, turn);
        let (mut lost, mut worst): (usize, Double) = (0, 0.0);
        for step in 0..=PEG_STEPS {
            if k == 2 && step % (PEG_STEPS / 3) == 0 {
                let time = step as Double / 60.0;
                film.shoot(format!("t = {time:.1} s"), &peg.world, |body| match body.kind() {
                    BodyKind::Dynamic => Some(PALETTE[1]),
                    BodyKind::Kinematic => Some(PALETTE[0]),
                    BodyKind::Static => Some(Rgb::hex(0xc9cfd8)),
                });
            }
            let report = peg.advance(&exact(0.005), 1.0 / 60.0);
            lost += usize::from(!report.unbalanced.is_empty());
            worst = worst.max(report.natural_map);
        }
        let [x, z, angle] = peg.pose();
        let deep = x + 0.5 * widen(scenes::PEG[0]);
        println!(
            "| {mu} | {:.0}, {:.0} | {deep:.4} | {:.3}, {:.3} | {lost} | {worst:.0e} |",
            1e3 * aside,
            1e3 * turn,
            1e3 * z,
            1e3 * angle
        );
    }
    film.save(&out.join("peg_frames.svg").to_string_lossy());
    Ok(())
}

/// Steps in which the peg is pushed in.
pub const PEG_STEPS: usize = 600;

/// A drawer pushed beside its middle sticks where `2 μ e > l`.
pub fn drawer(_: &Path) -> Outcome {
    println!("| μ | l [m] | e [m] | 2 μ e / l | way / finger's | friction cone | solved of 10 |");
    println!("|---|---|---|---|---|---|---|");
    let (mu, l) = (0.5, scenes::DRAWER);
    for part in [0.0, 0.5, 0.8, 0.9, 1.1, 1.2, 1.4] {
        let e = part * l / (2.0 * mu);
        let Drawer { way, solved, is_pointed } = push_drawer(mu, e);
        let cone = if is_pointed { "pointed" } else { "not pointed: jammed" };
        println!("| {mu} | {l} | {e:.3} | {part} | {way:.4} | {cone} | {solved} |");
    }
    Ok(())
}

/// A drawer after ten steps of pushing.
#[derive(Clone, Copy, Debug)]
pub struct Drawer {
    /// Its way over that of the finger (–).
    pub way: Double,
    /// Steps that were solved.
    pub solved: usize,
    /// Was the friction cone of what touches at the start pointed?
    pub is_pointed: bool,
}

/// Pushes a drawer for ten steps.
pub fn push_drawer(mu: Real, e: Real) -> Drawer {
    let mut drawer = scenes::drawer(mu, e);
    let settings = scenes::weightless();
    let h = 1.0 / 60.0;
    let start = drawer.pose()[0];
    let mut pushed = Drawer { way: 0.0, solved: 0, is_pointed: true };
    for step in 0..10 {
        let world = &mut drawer.world;
        world.begin(&settings, h);
        world.find_pairs(&settings);
        world.find_contacts(&settings);
        world.build_islands();
        world.assemble(&settings);
        if step == 0 {
            // Of the contacts that touch, to half of the clearance.
            let problems = world.step_problems(Cone::Circular);
            let touching = problems.iter().map(|problem| problem.instantaneous(5e-6));
            let is_pointed = |p: ExportedProblem| is_pointed(&p.problem());
            pushed.is_pointed = touching.map(is_pointed).all(|p| matches!(p, Pointed::Yes(_)));
        }
        world.solve(&settings);
        world.integrate();
        world.finish();
        pushed.solved += usize::from(world.report().status == StepStatus::Solved);
    }
    pushed.way = (drawer.pose()[0] - start) / widen(10.0 * h * scenes::PUSH);
    pushed
}
