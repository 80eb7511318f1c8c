//! Chains that whip: they hold together, and gain nothing.

use orthant::engine::body::BodyId;
use orthant::engine::report::StepStatus;
use orthant::math::{Double, widen};
use orthant_lab::games::{DT, Play, piles};

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
