//! Brazil nuts (thesis, Figure 16): large bodies rise in a heap that is shaken.

use std::path::Path;

use orthant::engine::body::Body;
use orthant::math::{DVec3, Double, Real, widen};

use super::{Outcome, draw};
use crate::draw::film::Film;
use crate::draw::plot::{Chart, Line, LineStyle};
use crate::draw::solid::{PALETTE, Rgb};
use crate::games::piles::{Nuts, SHAKES, SMALL_NUT, icosahedron, nuts};
use crate::games::{DT, Form, Play};

/// Shakes of the experiment; the thesis has the large ball on top after about 40.
pub const SHAKEN: usize = 40;

/// What is shaken: how it is called, radius of the nuts (m), form.
pub const KINDS: [(&str, Real, fn(Real) -> Form); 3] = [
    ("balls", 0.3, Form::Ball),
    ("icosahedra", 0.3, icosahedron),
    ("icosahedra, large and small alike", SMALL_NUT, icosahedron),
];

/// Seeds of the experiment.
const SEEDS: core::ops::RangeInclusive<u64> = 1..=7;

/// How high the four nuts are.
#[derive(Clone, Copy, Debug)]
pub struct Rise {
    /// The part of the others whose centers are below theirs, on average (–).
    pub below: Double,
    /// Mean height of their centers above the floor of the container as it begins (m).
    pub height: Double,
}

/// The nuts before the first shake and after each. `watch` sees the world after each shake.
///
/// # Errors
/// The engine refused something.
pub fn rises(
    scene: &Nuts,
    shakes: usize,
    mut watch: impl FnMut(usize, &Play),
) -> Result<Vec<Rise>, String> {
    let game = nuts(scene);
    let settings = game.settings();
    let mut play = Play::new(&game, DT)?;
    let steps = (1.0 / (SHAKES * DT)).round() as usize;
    let mut rises = vec![rise(&play)];
    watch(0, &play);
    for shake in 1..=shakes {
        for _ in 0..steps {
            play.advance(&settings);
        }
        rises.push(rise(&play));
        watch(shake, &play);
    }
    Ok(rises)
}

/// Where the nuts are now.
fn rise(play: &Play) -> Rise {
    let height = |id| play.world.body(id).map_or(Double::NAN, |body| widen(body.center().y));
    let heights: Vec<_> = play.ids[1..].iter().map(|&id| height(id)).collect();
    let (nuts, others) = heights.split_at(4.min(heights.len()));
    let below = |nut: &Double| others.iter().filter(|other| *other < nut).count() as Double;
    let below = nuts.iter().map(below).sum::<Double>();
    Rise {
        below: below / (nuts.len() * others.len()).max(1) as Double,
        height: nuts.iter().sum::<Double>() / nuts.len().max(1) as Double,
    }
}

/// Least, mean and largest.
fn spread(values: &[Double]) -> [Double; 3] {
    let least = values.iter().copied().fold(Double::INFINITY, Double::min);
    let largest = values.iter().copied().fold(Double::NEG_INFINITY, Double::max);
    [least, values.iter().sum::<Double>() / values.len() as Double, largest]
}

/// The experiment.
pub fn perform(out: &Path) -> Outcome {
    println!("| bodies | shakes | small ones below: least, mean, largest | mean height [m] |");
    println!("|---|---|---|---|");
    let mut lines = Vec::new();
    for (name, large, form) in KINDS {
        let mut runs = Vec::new();
        for seed in SEEDS {
            let drawn = name == "icosahedra" && seed == 1;
            let mut film = Film::new(DVec3::new(0.4, 0.25, 1.0), 2, 2, 4);
            runs.push(rises(&Nuts { large, form, seed }, SHAKEN, |shake, play| {
                if drawn && [0, 2, 20, 40].contains(&shake) {
                    film.shoot(format!("{shake} shakes"), &play.world, |body| color(body, play));
                }
            })?);
            if drawn {
                film.save(&out.join("brazil_nut_frames.svg").to_string_lossy());
            }
        }
        let at = |shake: usize, of: fn(&Rise) -> Double| {
            spread(&runs.iter().map(|run| of(&run[shake])).collect::<Vec<_>>())
        };
        for shake in [0, 10, 20, 30, 40] {
            let [a, b, c] = at(shake, |rise| 100.0 * rise.below);
            let [_, height, _] = at(shake, |rise| rise.height);
            println!("| {name} | {shake} | {a:.0} %, {b:.0} %, {c:.0} % | {height:.2} |");
        }
        let height = |shake| (shake as Double, at(shake, |rise| rise.height)[1]);
        let points = (0..=SHAKEN).map(height).collect();
        lines.push(Line { label: name.to_owned(), points, style: LineStyle::Dots });
    }
    let chart = Chart {
        title: "Brazil nuts: height of four of 270 bodies, mean of seven seeds".to_owned(),
        axes: ["shakes".to_owned(), "height [m]".to_owned()],
        log_x: false,
        floor: 0.01,
        lines,
    };
    draw(out, "brazil_nut.svg", &chart)
}

/// Nuts stand out; the container is not drawn.
fn color(body: &Body, play: &Play) -> Option<Rgb> {
    let index = play.ids.iter().position(|&id| id == body.id())?;
    match index {
        0 => None,
        1..=4 => Some(PALETTE[1]),
        _ => Some(Rgb::hex(0xc9cfd8)),
    }
}
