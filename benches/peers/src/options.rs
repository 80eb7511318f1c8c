//! What is asked for on the command line.

use std::path::{Path, PathBuf};

use crate::asked;
use crate::engines::Engine;
use crate::outcome::SCENES;
use orthant_lab::games::TABLED;

const USAGE: &str = "usage: [SCENE…] [--engines A,B] [--repeats N] [--quick] [--seconds S]
       [--threads N] [--out FILE]
  SCENE      tower-10, chain-20-100, … (default: those compared with apps)
             readme: those of its table; bars: all that have bars of engines alone
  --engines  orthant, orthant-budget, orthant-app, orthant-app-budget, rapier3d, avian3d, bevy_rapier3d
  --repeats  how often each scene is played on each engine (default 3)
  --quick    two seconds of each scene, once; nothing to quote
  --seconds  so much of each scene, at most
  --threads  compute threads of the apps (default: Bevy's)
  --out      where the picture is drawn (default docs/pictures/peers.svg, if everything is run)";

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Names of the scenes.
    pub scenes: Vec<String>,
    /// Engines that are run.
    pub engines: Vec<Engine>,
    /// How often.
    pub repeats: usize,
    /// Only the first seconds, once?
    pub quick: bool,
    /// At most so much of each scene (s).
    pub seconds: Option<f32>,
    /// Compute threads of the apps; `None`: Bevy's default.
    pub threads: Option<usize>,
    /// Where the picture is drawn.
    pub out: Option<PathBuf>,
}

impl Options {
    /// Reads arguments.
    ///
    /// # Errors
    /// What is wrong with them, and how they are used.
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (mut scenes, mut engines) = (Vec::new(), Vec::new());
        let (mut repeats, mut quick, mut threads, mut out) = (None, false, None, None);
        let mut seconds = None;
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or(format!("{argument} needs a value\n{USAGE}"));
            match argument.as_str() {
                "--quick" => quick = true,
                "--engines" => {
                    let named: Result<Vec<_>, _> = value()?.split(',').map(engine).collect();
                    engines.extend(named?);
                }
                "--seconds" => seconds = Some(time(&value()?)?),
                "--repeats" => repeats = Some(positive(&value()?)?),
                "--threads" => threads = Some(positive(&value()?)?),
                "--out" => out = Some(PathBuf::from(value()?)),
                name if name.starts_with('-') => return Err(USAGE.to_owned()),
                "readme" => scenes.extend(TABLED.map(str::to_owned)),
                "bars" => scenes.extend(asked::scenes().into_iter().map(str::to_owned)),
                name => scenes.push(name.to_owned()),
            }
        }
        let whole = !quick && seconds.is_none();
        let complete = scenes.is_empty() && engines.is_empty() && whole && threads.is_none();
        if scenes.is_empty() {
            scenes = SCENES.map(str::to_owned).to_vec();
        }
        if engines.is_empty() {
            engines = Engine::RUN.to_vec();
        }
        let picture = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pictures/peers.svg");
        Ok(Self {
            scenes,
            engines,
            repeats: repeats.unwrap_or(if quick { 1 } else { 3 }),
            quick,
            seconds,
            threads,
            out: out.or(complete.then_some(picture)),
        })
    }
}

fn engine(name: &str) -> Result<Engine, String> {
    let found = Engine::RUN.into_iter().find(|engine| engine.name() == name);
    found.ok_or_else(|| format!("there is no engine {name}\n{USAGE}"))
}

fn time(text: &str) -> Result<f32, String> {
    let number = text.parse().ok().filter(|&number: &f32| number > 0.0 && number.is_finite());
    number.ok_or_else(|| format!("{text} is no time\n{USAGE}"))
}

fn positive(text: &str) -> Result<usize, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{text} is not a positive number\n{USAGE}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options, String> {
        Options::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn options_are_read() {
        let all = read("").expect("nothing is asked for");
        assert_eq!((all.scenes.len(), all.engines.len(), all.repeats), (20, 7, 3), "everything");
        assert!(all.out.is_some(), "and drawn");
        let some = read("tower-10 --engines rapier3d,orthant net-30 --quick --threads 2");
        let some = some.expect("all of this is known");
        assert_eq!(some.scenes, ["tower-10", "net-30"], "in their order");
        assert_eq!((some.engines.len(), some.repeats), (2, 1), "two engines once");
        assert_eq!((some.threads, some.out), (Some(2), None), "two threads, no picture");
        let tabled = read("readme --engines orthant,rapier3d").expect("a table");
        assert_eq!(tabled.scenes, TABLED, "in its order");
        let bars = read("bars --seconds 0.5").expect("scenes of the bars, cut short");
        assert!(bars.scenes.iter().any(|scene| scene == "crowd-5000"), "what has a bar");
        assert_eq!((bars.seconds, bars.out), (Some(0.5), None), "half a second, no picture");
        for wrong in
            ["--seconds 0", "--seconds x", "--engines jolt", "--repeats 0", "--out", "--fast"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
