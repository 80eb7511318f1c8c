//! Thresholds of the policy: a scene scaled across one costs and errs as it did below.
//!
//! Each family is one scene in sizes a few percent apart, on both sides of a threshold: 40, 160 and 400
//! contacts, joint rows and bodies, a blow of 0.5 m/s, a mass ratio of 100. Of each size the means over a
//! second are taken: of the counted work for each row, and of the error, no less than the tolerance. From
//! one size to the next both change by less than a factor of two, but where `KNOWN` says how far from that
//! we are.

use orthant::engine::report::IslandReport;
use orthant::math::{Double, Real, Vec3};
use orthant_lab::games::{self, DT, Form, Game, Link, Play};

/// Steps of a run: a second.
const STEPS: usize = 60;
/// By this factor work and error may change from one size to the next (–).
const NEAR: Double = 2.0;
/// Contacts and bodies up to which an island is tiny; contacts, joint rows and bodies from which on a jointed
/// one keeps an account (–).
const TINY: u32 = 40;
const JOINTED: u32 = 160;
/// Families that fall off at a threshold, and the factors of work and error by which they may: as measured,
/// rounded up. They only become less where what is beyond gets better: of work it is what the largest walls
/// that are solved take, 34 sweeps a row where they took 64. What a blow costs grows faster than the rows,
/// and what Newton may spend on it does not: beyond some size a wall is made in small steps, at 178 sweeps.
const KNOWN: [(&str, [Double; 2]); 1] = [("rows of a large wall that is struck", [5.5, 1300.0])];

/// What a run took and left.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Most rows of an island: contacts, joint rows and bodies (–).
    rows: u32,
    /// Work of a step for each of them, in sweeps (–).
    work: Double,
    /// Error of a step, no less than the tolerance [m/s].
    error: Double,
}

fn run(game: &Game) -> Size {
    let settings = game.settings();
    let mut play = Play::new(game, DT).expect("a sound scene");
    let mut size = Size { rows: 0, work: 0.0, error: 0.0 };
    let rows = |island: &IslandReport| island.bodies + island.contacts + island.joint_rows;
    for _ in 0..STEPS {
        let islands = &play.advance(&settings).solves;
        size.rows = islands.iter().map(rows).fold(size.rows, u32::max);
        let all: u32 = islands.iter().map(rows).sum();
        let work = islands.iter().map(|i| (i.work[0] + i.work[1]) * Double::from(rows(i)));
        size.work += work.sum::<Double>() / Double::from(all.max(1)) / STEPS as Double;
        let errors = islands.iter().map(|i| i.residual.max(i.residual_relaxed));
        let error = errors.fold(settings.solver.tolerance, Double::max);
        size.error += error / STEPS as Double;
    }
    size
}

/// The largest factors between neighbors: of work, of errors.
fn factors(sizes: &[Size]) -> [Double; 2] {
    let factor = |of: fn(&Size) -> Double| {
        let ratios = sizes.windows(2).map(|pair| of(&pair[1]) / of(&pair[0]));
        ratios.map(|r| r.max(1.0 / r)).fold(1.0, Double::max)
    };
    [factor(|size| size.work), factor(|size| size.error)]
}

/// Checks a family; `rows` is the threshold that its sizes cross, if they grow in rows.
fn check(name: &str, rows: Option<u32>, games: impl Iterator<Item = Game>) {
    check_sizes(name, rows, games.map(|game| run(&game)).collect());
}

/// [`check`] with what the sizes took and left.
fn check_sizes(name: &str, rows: Option<u32>, sizes: Vec<Size>) {
    let table: Vec<String> = sizes.iter().map(|size| format!("{size:?}")).collect();
    let table = table.join("\n");
    println!("{name}\n{table}");
    if let Some(rows) = rows {
        let (first, last) = (sizes[0].rows, sizes[sizes.len() - 1].rows);
        assert!(first < rows && rows < last, "{name} does not cross {rows} rows:\n{table}");
    }
    let [work, error] = factors(&sizes);
    match KNOWN.iter().find(|(known, _)| *known == name) {
        None => assert!(
            work < NEAR && error < NEAR,
            "{name}: work by {work:.1}, error by {error:.1}\n{table}"
        ),
        Some((_, [work_max, error_max])) => {
            assert!(
                work <= *work_max && error <= *error_max,
                "{name} falls off farther: work by {work:.1}, error by {error:.1}\n{table}"
            );
            assert!(work >= NEAR || error >= NEAR, "{name} is mended: take it off the list");
        }
    }
}

const CUBE: Vec3 = Vec3::splat(0.5);

/// The mean of runs. One by itself is chaotic where small steps are made: rounding alone changes what is
/// left by some percent.
fn mean(runs: &[Size]) -> Size {
    let all = |of: fn(&Size) -> Double| runs.iter().map(of).sum::<Double>() / runs.len() as Double;
    let rows = runs.iter().map(|run| run.rows).max().unwrap_or(0);
    Size { rows, work: all(|run| run.work), error: all(|run| run.error) }
}

/// `n` cubes in rows of eight, each row half a cube aside of that below, 0.5 mm apart, falling at `speed`
/// [m/s].
fn wall(n: usize, speed: Real) -> Game {
    let (mut game, gap) = (Game::new("wall"), 5e-4);
    game.add_floor(30.0);
    for k in 0..n {
        let (row, column) = (k / 8, k % 8);
        let x = column as Real + 0.5 * (row % 2) as Real;
        let y = 0.5 + gap + row as Real * (1.0 + gap);
        game.add(Form::Cuboid(CUBE), Vec3::new(x, y, 0.0));
    }
    game.pieces.iter_mut().skip(1).for_each(|piece| piece.velocity = Vec3::new(0.0, -speed, 0.0));
    game
}

/// A wall with a cube in its top row that is `ratio` times as dense.
fn loaded(n: usize, ratio: Real) -> Game {
    let mut game = wall(n, 0.0);
    let top = game.pieces.len() - 4;
    game.pieces[top].density = ratio;
    game
}

/// A chain of `n` balls that drops onto the floor from 20 mm.
fn chain(n: usize) -> Game {
    let mut game = Game::new("chain");
    game.add_floor(30.0);
    for k in 0..n {
        game.add(Form::Ball(0.1), Vec3::new(0.25 * k as Real, 0.12, 0.0));
    }
    for k in 1..n {
        let half = Vec3::new(0.125, 0.0, 0.0);
        game.links.push(Link { bodies: [k, k + 1], anchors: [half, -half], length: None });
    }
    game
}

const SPEEDS: [Real; 5] = [0.46, 0.48, 0.5, 0.52, 0.54];
const RATIOS: [Real; 5] = [90.0, 95.0, 100.0, 105.0, 110.0];

#[test]
fn a_wall_that_settles_knows_no_number_of_rows() {
    check("rows of what settles", Some(400), (34..=40).map(|n| wall(n, 0.0)));
}

#[test]
fn a_wall_that_lands_gently_knows_no_number_of_rows() {
    check("rows of what lands", Some(400), (34..=40).map(|n| wall(n, 0.4)));
}

#[test]
fn a_wall_that_is_struck_knows_no_number_of_rows() {
    check("rows of what is struck", Some(400), (35..=38).map(|n| wall(n, 1.0)));
}

#[test]
fn a_pyramid_on_a_lift_that_starts_knows_no_number_of_rows() {
    // At 0.47 m/s: what is new has the work that it may need unless a blow comes. With what a blow leaves,
    // which is less the larger it is, the first step of 300 cubes leaves overlaps, in which they jam: what
    // takes them back in one step asks for five times their load, and no step after it is solved.
    let lift = |n: usize| run(&games::by_name(&format!("pyramid-{n}-lift")).expect("a scene"));
    let sizes: Vec<Size> = (18..=25).map(lift).collect();
    assert!(sizes.iter().all(|size| size.error < 1.01e-5), "{sizes:?}");
    check_sizes("rows of what a lift starts", Some(3000), sizes);
}

#[test]
fn a_large_wall_that_is_struck_falls_off_no_farther() {
    let struck = |n| {
        let runs = [0.999, 1.0, 1.001].map(|speed| run(&wall(n, speed)));
        println!("{runs:?}");
        mean(&runs)
    };
    let sizes: Vec<Size> = (40..=128).step_by(8).map(struck).collect();
    // Whatever tries come first, these are solved.
    for size in sizes.iter().filter(|size| size.rows <= 1220) {
        assert!(size.error < 2e-5, "{size:?}");
    }
    check_sizes("rows of a large wall that is struck", None, sizes);
}

#[test]
fn a_chain_on_the_floor_knows_no_number_of_rows() {
    check("rows of a chain", Some(400), (78..=82).map(chain));
}

#[test]
fn a_few_cubes_that_are_struck_know_no_number_of_rows() {
    check("rows of a tiny wall", Some(TINY), (2..=8).map(|n| wall(n, 1.0)));
}

#[test]
fn a_chain_that_keeps_an_account_knows_no_number_of_rows() {
    check("rows of a chain with an account", Some(JOINTED), (30..=36).map(chain));
}

#[test]
fn a_small_wall_knows_no_speed_of_impacts() {
    check("blows of a small wall", None, SPEEDS.into_iter().map(|speed| wall(24, speed)));
}

#[test]
fn a_large_wall_knows_no_speed_of_impacts() {
    check("blows of a large wall", None, SPEEDS.into_iter().map(|speed| wall(64, speed)));
}

#[test]
fn a_load_knows_no_mass_ratio() {
    check("ratio on a small wall", None, RATIOS.into_iter().map(|ratio| loaded(24, ratio)));
    check("ratio on a large wall", None, RATIOS.into_iter().map(|ratio| loaded(64, ratio)));
}
