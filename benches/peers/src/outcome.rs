//! What was measured, by scene and engine.

use crate::engines::Engine;
use crate::measure::Figures;
use crate::recorded;
pub use orthant_lab::games::COMPARED as SCENES;
use orthant_lab::games::Game;

/// What all engines showed in a scene.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name.
    pub scene: String,
    /// Number of dynamic bodies.
    pub moving: usize,
    /// Times are taken between these moments (s).
    pub window: (f32, f32),
    /// How far a dynamic body may fall until it is at y = 0 (m), the highest of them.
    pub height: f64,
    /// Figures of each engine, in the order of the tables.
    pub figures: Vec<(Engine, Figures)>,
}

impl Outcome {
    /// Nothing yet, of a scene with such a [`height`](Self::height).
    pub fn new(game: &Game, height: f64) -> Self {
        let (scene, moving) = (game.name.clone(), game.moving());
        Self { scene, moving, window: game.window, height, figures: Vec::new() }
    }

    /// Joins a run of an engine with its earlier ones.
    pub fn add(&mut self, engine: Engine, figures: Figures) {
        match self.figures.iter_mut().find(|(known, _)| *known == engine) {
            Some((_, known)) => known.join(&figures),
            None => self.figures.push((engine, figures)),
        }
    }

    /// Adds the engines that are recorded, if rapier3d tells how fast this machine is, and sorts.
    pub fn complete(&mut self) {
        if let Some(rapier) = self.of(Engine::Rapier).map(|figures| figures.milliseconds) {
            for engine in recorded::ENGINES {
                let figures = recorded::scaled(engine, &self.scene, rapier);
                self.figures.extend(figures.map(|figures| (engine, figures)));
            }
        }
        self.sort();
    }

    /// Brings the engines into the order of the tables.
    pub fn sort(&mut self) {
        let place = |engine: Engine| Engine::RUN.iter().position(|&e| e == engine);
        self.figures.sort_by_key(|&(engine, _)| place(engine).unwrap_or(usize::MAX));
    }

    /// Figures of an engine.
    pub fn of(&self, engine: Engine) -> Option<&Figures> {
        self.figures.iter().find(|(known, _)| *known == engine).map(|(_, figures)| figures)
    }

    /// The fastest peer alone, in no app, that is a yardstick.
    pub fn fastest(&self) -> Option<(Engine, &Figures)> {
        self.least(|engine, figures| !engine.is_app() && figures.is_yardstick())
    }

    /// The fastest peer in an app that is a yardstick, or the fastest of all if none is one.
    pub fn fastest_app(&self) -> Option<(Engine, &Figures)> {
        self.least(|engine, figures| engine.is_app() && figures.is_yardstick())
            .or_else(|| self.least(|engine, _| engine.is_app()))
    }

    /// The least error at the end or of the run (m) of peers alone that are yardsticks.
    pub fn best(&self, when: usize) -> Option<f64> {
        let peers = self.figures.iter().filter(|(engine, figures)| {
            !engine.is_ours() && !engine.is_app() && figures.is_yardstick()
        });
        peers.map(|(_, figures)| figures.error()[when]).min_by(f64::total_cmp)
    }

    /// The fastest of some peers.
    fn least(&self, of: impl Fn(Engine, &Figures) -> bool) -> Option<(Engine, &Figures)> {
        self.figures
            .iter()
            .filter(|(engine, figures)| !engine.is_ours() && of(*engine, figures))
            .min_by(|(_, a), (_, b)| a.milliseconds.total_cmp(&b.milliseconds))
            .map(|(engine, figures)| (*engine, figures))
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A result in which each engine has a time (ms) and an overlap (m).
    pub fn outcome(scene: &str, figures: &[(Engine, f64, f64)]) -> Outcome {
        let figures = figures.iter().map(|&(engine, milliseconds, overlap)| {
            let figures = Figures {
                milliseconds,
                tail: Some([2.0 * milliseconds, 3.0 * milliseconds]),
                peak: Some(3.0),
                overlap: [overlap; 2],
                joint_error: None,
                joint_median: None,
                speed: None,
                stands: Some(true),
                escaped: 0,
                solving: None,
            };
            (engine, figures)
        });
        let (scene, window) = (scene.to_owned(), (5.0, 10.0));
        Outcome { scene, moving: 3, window, height: 0.0, figures: figures.collect() }
    }

    #[test]
    fn what_fell_is_no_yardstick() {
        let mut outcome =
            outcome("tower-3", &[(Engine::Rapier, 2.0, 1e-3), (Engine::Box3d, 1.0, 1e-3)]);
        assert_eq!(outcome.fastest().map(|f| f.0), Some(Engine::Box3d), "it is faster");
        outcome.figures[1].1.stands = Some(false);
        assert_eq!(outcome.fastest().map(|f| f.0), Some(Engine::Rapier), "the other fell");
        outcome.figures[0].1.escaped = 1;
        assert_eq!(outcome.fastest(), None, "none is left");
    }

    #[test]
    fn apps_are_no_yardstick_of_engines() {
        let outcome =
            outcome("tower-3", &[(Engine::Rapier, 2.0, 1e-3), (Engine::Avian, 1.0, 1e-3)]);
        assert_eq!(outcome.fastest().map(|f| f.0), Some(Engine::Rapier), "alone");
        assert_eq!(outcome.fastest_app().map(|f| f.0), Some(Engine::Avian), "in an app");
    }

    #[test]
    fn repeats_join_to_the_least_time_and_the_worst_error() {
        let game = orthant_lab::games::by_name("tower-3").expect("a scene of this name");
        let mut joined = Outcome::new(&game, 0.0);
        for (_, figures) in
            outcome("", &[(Engine::Rapier, 2.0, 1.0), (Engine::Rapier, 3.0, 2.0)]).figures
        {
            joined.add(Engine::Rapier, figures);
        }
        let figures = joined.of(Engine::Rapier).expect("it was added");
        assert_eq!((figures.milliseconds, figures.overlap), (2.0, [2.0; 2]), "least and worst");
        assert_eq!(joined.figures.len(), 1, "one engine");
    }

    #[test]
    fn recorded_engines_follow_rapier() {
        for scene in SCENES {
            let mut outcome = outcome(scene, &[(Engine::Rapier, 1.0, 1e-3)]);
            outcome.complete();
            let engines: Vec<Engine> = outcome.figures.iter().map(|f| f.0).collect();
            let alive = ["floor", "top", "ball"].iter().any(|end| scene.ends_with(end));
            let all = [Engine::Rapier, Engine::Box3d, Engine::Jolt];
            assert_eq!(engines, if alive { &all[..1] } else { &all[..] }, "{scene}");
        }
    }
}
