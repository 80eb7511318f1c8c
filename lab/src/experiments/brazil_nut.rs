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

/// Where the four nuts are among all bodies, before the first shake and after each: the part of the others
/// whose centers are below theirs, on average (–). `watch` sees the world after each shake.
///
/// # Errors
/// The engine refused something.
pub fn ranks(
    scene: &Nuts,
    shakes: usize,
    mut watch: impl FnMut(usize, &Play),
) -> Result<Vec<Double>, String> {
    let game = nuts(scene);
    let settings = game.settings();
    let mut play = Play::new(&game, DT)?;
    let steps = (1.0 / (SHAKES * DT)).round() as usize;
    let mut ranks = vec![rank(&play)];
    watch(0, &play);
    for shake in 1..=shakes {
        for _ in 0..steps {
            play.advance(&settings);
        }
        ranks.push(rank(&play));
        watch(shake, &play);
    }
    Ok(ranks)
}

/// The part of the small bodies below the nuts, on average.
fn rank(play: &Play) -> Double {
    let height = |id| play.world.body(id).map_or(Double::NAN, |body| widen(body.center().y));
    let heights: Vec<_> = play.ids[1..].iter().map(|&id| height(id)).collect();
    let (nuts, others) = heights.split_at(4.min(heights.len()));
    let below = |nut: &Double| others.iter().filter(|other| *other < nut).count() as Double;
    nuts.iter().map(below).sum::<Double>() / (nuts.len() * others.len()).max(1) as Double
}

/// The experiment.
pub fn perform(out: &Path) -> Outcome {
    println!("| bodies | seed | small ones below, at 0 shakes | 10 | 20 | 30 | 40 |");
    println!("|---|---|---|---|---|---|---|");
    let mut lines = Vec::new();
    for (name, large, form) in KINDS {
        for seed in [1, 2, 3] {
            let drawn = name == "icosahedra" && seed == 1;
            let mut film = Film::new(DVec3::new(0.4, 0.25, 1.0), 2, 2, 4);
            let ranks = ranks(&Nuts { large, form, seed }, SHAKEN, |shake, play| {
                if drawn && [0, 2, 20, 40].contains(&shake) {
                    film.shoot(format!("{shake} shakes"), &play.world, |body| color(body, play));
                }
            })?;
            if drawn {
                film.save(&out.join("brazil_nut_frames.svg").to_string_lossy());
            }
            let at = |shake: usize| ranks.get(shake).map_or(Double::NAN, |r| 100.0 * r);
            let [a, b, c, d, e] = [0, 10, 20, 30, 40].map(|shake| format!("{:.0} %", at(shake)));
            println!("| {name} | {seed} | {a} | {b} | {c} | {d} | {e} |");
            let points = ranks.iter().enumerate().map(|(k, r)| (k as Double, (100.0 * r).max(1.0)));
            let (label, points) = (format!("{name}, seed {seed}"), points.collect());
            lines.push(Line { label, points, style: LineStyle::Thin });
        }
    }
    let chart = Chart {
        title: "Brazil nuts: small bodies below the large ones".to_owned(),
        axes: ["shakes".to_owned(), "below [%]".to_owned()],
        log_x: false,
        floor: 1.0,
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
