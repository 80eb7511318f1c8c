//! γ that adapts, beside fixed ones, on all experiments (Anitescu, Miller, Hart 2003: future work).

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::settings::Settings;
use orthant::math::{Double, narrow, narrow3, widen};

use super::Outcome;
use crate::scenes::ellipse::{self, Ellipse};
use crate::scenes::grasp::{self, Grasp};
use crate::scenes::{World, thesis};

/// γ of a step.
#[derive(Clone, Copy, Debug)]
pub enum Strategy {
    Fixed(Double),
    Adaptive(Adaptive),
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Adaptive {
    pub share: Double,
    pub forward: Double,
    pub cap: Double,
    last: [Double; 2],
    new: Double,
}

impl Adaptive {
    pub fn next(&mut self, i: Double) -> Double {
        let [i_last, gamma_last] = self.last;
        let new = (i - (1.0 - gamma_last) * i_last).max(0.0);
        let lasting = new.min(self.new);
        self.new = new;
        let gamma = if i > 0.0 { (self.share + self.forward * lasting / i).min(self.cap) } else { self.share };
        self.last = [i, gamma];
        gamma
    }
}

/// What a run showed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shown {
    pub average: Double,
    pub most: Double,
    pub gained: Double,
    pub gamma: Double,
    pub unsolved: usize,
}

fn energy(world: &Simulation, settings: &Settings) -> Double {
    let of = |body: &orthant::engine::body::Body| {
        widen(body.kinetic_energy()) - widen(body.mass()) * widen(body.center().dot(settings.gravity))
    };
    world.bodies().iter().filter(|b| b.kind() == orthant::engine::body::BodyKind::Dynamic).map(of).sum()
}

fn infeasibility(world: &Simulation) -> Double {
    let overlap = widen(world.infeasibility().1);
    let joints = world.joints().iter().map(|_| 0.0);
    joints.fold(overlap, Double::max)
}

pub fn run(
    mut world: Simulation,
    mut settings: Settings,
    h: Double,
    steps: usize,
    strategy: Strategy,
    mut before: impl FnMut(&mut Simulation, usize),
) -> Shown {
    let mut strategy = strategy;
    let mut shown = Shown::default();
    let mut i = infeasibility(&world);
    let mut e = energy(&world, &settings);
    for step in 0..steps {
        before(&mut world, step);
        let gamma = match &mut strategy {
            Strategy::Fixed(gamma) => *gamma,
            Strategy::Adaptive(it) => it.next(i),
        };
        settings.contact.gamma = narrow(gamma);
        let report = world.step(&settings, narrow(h));
        shown.unsolved += usize::from(report.status != orthant::engine::report::StepStatus::Solved);
        i = infeasibility(&world);
        let e_new = energy(&world, &settings);
        shown.gained += (e_new - e).max(0.0);
        e = e_new;
        shown.average += i / steps as Double;
        shown.most = shown.most.max(i);
        shown.gamma += gamma / steps as Double;
    }
    shown
}

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    let fixed = [0.0, 0.2, 0.5, 1.0, 1.5].map(Strategy::Fixed);
    let adaptive = [(0.2, 0.0, 2.0), (0.2, 0.5, 1.0), (0.2, 0.8, 2.0), (0.2, 1.0, 2.0), (0.5, 0.5, 2.0), (0.5, 1.0, 2.0), (0.8, 0.8, 2.0), (0.1, 1.0, 2.0)];
    let adaptive = adaptive.map(|(share, forward, cap)| {
        Strategy::Adaptive(Adaptive { share, forward, cap, ..Adaptive::default() })
    });
    println!("| experiment | γ | average I [mm] | largest | gained [J] | mean γ | unsolved |");
    let tell = |name: &str, s: Strategy, shown: Shown| {
        let what = match s {
            Strategy::Fixed(g) => format!("{g}"),
            Strategy::Adaptive(a) => format!("s {} f {} c {}", a.share, a.forward, a.cap),
        };
        println!(
            "| {name} | {what} | {:.6} | {:.4} | {:.5} | {:.3} | {} |",
            1e3 * shown.average, 1e3 * shown.most, shown.gained, shown.gamma, shown.unsolved
        );
    };
    for s in fixed.into_iter().chain(adaptive) {
        let world = Ellipse::new()?.world;
        let shown = run(world, ellipse::settings(1.0), 0.05, 200, s, |_, _| {});
        tell("ellipse", s, shown);
    }
    for experiment in thesis::all() {
        let scene = &experiment.scene;
        for s in fixed.into_iter().chain(adaptive) {
            let world = World::new(scene)?.simulation;
            let mut settings = grasp::settings(1.0, scene.params.mu);
            settings.gravity = narrow3(scene.params.gravity);
            let shown = run(world, settings, 0.01, (scene.params.duration.min(6.0) / 0.01) as usize, s, |_, _| {});
            tell(&scene.name, s, shown);
        }
    }
    let _ = Grasp::new(0.0)?;
    Ok(())
}
