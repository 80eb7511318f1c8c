//! Chains that whip: they hold together, and gain nothing.

use orthant::engine::body::BodyId;
use orthant::engine::report::StepStatus;
use orthant::math::{DIAGONAL, Double, PI, Quat, Real, Vec3, widen};
use orthant_lab::games::{DT, Form, Game, Link, Piece, Play, piles};
use orthant_lab::support::body;

use crate::mechanics::state;

/// Chains that fall from level and whip until folded links strike each other, with tolerances that take them
/// other ways. There is never more energy than at the start. Joints come within ten tolerances a step of
/// where they should be, and places are rounded; in a step that is not solved they stay within a centimetre.
#[test]
fn whips_hold_together_and_gain_no_energy() {
    let whips = [(100, 1, 20, 1.0), (30, 1000, 20, 1.0), (50, 10_000, 10, 1.0)];
    let heavy = [0.9, 1.0, 1.1, 1.3].map(|part| (20, 10_000, 20, part));
    for (n, ratio, seconds, part) in whips.into_iter().chain(heavy) {
        let game = piles::chain(n, ratio);
        let mut settings = game.settings();
        settings.solver.tolerance *= part;
        let mut play = Play::new(&game, DT).expect("a sound game");
        let ids: Vec<BodyId> = play.ids[1..].to_vec();
        let (begin, _) = state(&play.world, &ids);
        let (mut gain, mut kinetic, mut unsolved): (Double, Double, u32) = (0.0, 0.0, 0);
        let mut apart: [Double; 2] = [0.0; 2];
        let mut was_unsolved = false;
        let steps = seconds * 60;
        for _ in 0..steps {
            let report = play.advance(&settings);
            let is_unsolved = report.status != StepStatus::Solved;
            unsolved += u32::from(is_unsolved);
            kinetic = kinetic.max(report.kinetic_energy);
            // A step tells how far apart the joints are as it begins.
            let worst = &mut apart[usize::from(was_unsolved)];
            was_unsolved = is_unsolved;
            *worst = worst.max(widen(report.joint_error));
            gain = gain.max(state(&play.world, &ids).0 - begin);
        }
        let name = format!("{n} links, x{ratio}, {part} of the tolerance");
        println!(
            "{name}: gains {gain:.1e} of {kinetic:.0} J, {unsolved} unsolved, {apart:?} m apart"
        );
        // The state is rounded in every step, in double precision by the tolerance of the solver.
        let rounding = Double::from(steps) * widen(orthant::math::EPSILON).max(1e-9);
        assert!(gain < rounding * kinetic, "{name}: {gain} of {kinetic} J");
        // Both anchors are rounded twice each, as far out as the chain is long.
        let reach = 0.5 * n as Double;
        let near = 10.0 * settings.solver.tolerance * widen(DT);
        let bar = near + 4.0 * widen(orthant::math::EPSILON) * reach;
        assert!(apart[0] < bar, "{name}: joints part by {} m, {bar} m at most", apart[0]);
        assert!(apart[1] < 0.01, "{name}: unsolved they part by {} m", apart[1]);
    }
}

/// Four chains side by side, each with a ball of half a ton that begins within the links of the next: joints
/// and overlaps ask for what cannot be, and nothing is solved at first. Nobody is frozen, and there is never
/// more energy than at the start and that of every body at v_push.
#[test]
fn chains_that_begin_in_heavy_balls_freeze_nobody() {
    for (apart, density) in [(2.0, 1.0), (2.0, 1000.0), (2.4, 1.0), (1.5, 10.0), (1.0, 100.0)] {
        let game = entangled(apart, density);
        let settings = game.settings();
        let mut play = Play::new(&game, DT).expect("a sound game");
        let hooks = play.ids.iter().copied();
        let moves = |id: &BodyId| play.world.body(*id).is_some_and(|body| body.mass() > 0.0);
        let ids: Vec<BodyId> = hooks.filter(moves).collect();
        let (begin, _) = state(&play.world, &ids);
        let mass: Double = ids.iter().map(|&id| widen(body(&play.world, id).mass())).sum();
        let push = widen(settings.contact.push_speed_max);
        let most = begin + 0.5 * mass * push * push;
        for step in 0..300 {
            let report = play.advance(&settings);
            let name = format!("{apart} m, density {density}, step {step}");
            assert!(report.quarantined.is_empty(), "{name}: {report}");
            let (energy, _) = state(&play.world, &ids);
            assert!(energy < most, "{name}: {energy} J of {most} J");
        }
    }
}

/// Chains of eight capsules, end to end along x, so far apart (m).
fn entangled(apart: Real, density: Real) -> Game {
    let (links, pitch, radius): (usize, Real, Real) = (8, 0.3, 0.4);
    let rotation = Quat::from_xyzw(0.0, 0.0, -DIAGONAL, DIAGONAL);
    let (front, back) = (Vec3::Y * (0.5 * pitch), Vec3::Y * (-0.5 * pitch));
    let mut game = Game::new("entangled");
    for chain in 0..4 {
        let hook = Vec3::new(apart * chain as Real, 0.0, 0.0);
        let first = game.pieces.len();
        game.pieces.push(Piece::fixed(Vec3::splat(0.01), hook));
        for i in 0..links {
            let form = Form::Capsule { half: 0.09, radius: 0.06 };
            let place = hook + Vec3::X * (pitch * (i as Real + 0.5));
            game.pieces.push(Piece { rotation, density, ..Piece::new(form, place) });
            let from = if i == 0 { Vec3::ZERO } else { front };
            let bodies = [first + i, first + i + 1];
            game.links.push(Link { bodies, anchors: [from, back], length: None });
        }
        let ball = Piece::new(Form::Ball(radius), hook + Vec3::X * (2.4 + radius));
        let density = 500.0 / (4.0 / 3.0 * PI * radius.powi(3));
        game.pieces.push(Piece { density, ..ball });
        let bodies = [first + links, first + links + 1];
        game.links.push(Link { bodies, anchors: [front, Vec3::X * -radius], length: None });
    }
    game
}
