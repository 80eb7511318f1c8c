//! A ragdoll that falls on the floor: it gains no energy, its joints hold, it comes to rest.

use orthant::engine::joint::{JointAxis, JointKind};
use orthant::math::{DVec3, Double, quat_rotate, widen, widen3};
use orthant_lab::games::{self, DT, Play};

/// Steps: the fall, and some seconds more.
const STEPS: usize = 400;

#[test]
fn a_ragdoll_falls_and_lies_still() {
    let game = games::by_name("ragdoll").expect("a scene");
    let masses = |play: &Play| -> Vec<Double> {
        play.world.bodies().iter().filter(|b| b.is_dynamic()).map(|b| widen(b.mass())).collect()
    };
    let mut play = Play::new(&game, DT).expect("a sound scene");
    let all = masses(&play);
    let (low, high) =
        all.iter().fold((1e9, 0.0), |(a, b): (Double, Double), m| (a.min(*m), b.max(*m)));
    assert!((high / low - 365.0).abs() < 0.1, "mass ratio {}", high / low);
    let energy = |play: &Play| -> Double {
        let bodies = play.world.bodies().iter().filter(|b| b.is_dynamic());
        let height = |y| widen(game.gravity) * widen(y);
        bodies.map(|b| widen(b.kinetic_energy()) + widen(b.mass()) * height(b.position().y)).sum()
    };
    let begin = energy(&play);
    for step in 0..STEPS {
        let report = play.advance(&game.settings());
        assert!(report.joint_residual < 1e-3, "step {step}: {report}");
        let rounding = 1.0 + 64.0 * widen(orthant::math::EPSILON);
        let now = energy(&play);
        assert!(now <= begin * rounding, "step {step}: {now} of {begin} J");
    }
    for (k, link) in game.links.iter().enumerate() {
        let [a, b] = [0, 1].map(|k| {
            let body = play.world.body(play.ids[link.bodies[k]]).expect("it is there");
            widen3(body.position()) + widen3(quat_rotate(body.rotation(), link.anchors[k]))
        });
        let gap: DVec3 = a - b;
        assert!(gap.length() < 1e-4, "link {k} is {} m apart", gap.length());
    }
    for joint in play.world.joints() {
        if joint.desc().kind == JointKind::Revolute {
            let limit = joint.desc().limits[3].expect("all hinges have limits");
            let at = joint.position(JointAxis::AngularX);
            let zone = super::beyond_limits();
            assert!(at > limit.min - zone && at < limit.max + zone, "a hinge is at {at}");
        }
    }
    let speed = play.world.bodies().iter().map(|b| widen(b.linear_velocity.length()));
    let speed = speed.fold(0.0, Double::max);
    assert!(speed < 0.2, "it still moves at {speed} m/s");
}

/// Twenty dolls dropped into a container are more than is solved while they fall on each other. What is made
/// in small steps instead gives them no energy, parts no joint by more than its ends go in a step, freezes
/// nobody, and is told.
#[test]
fn a_pile_of_dolls_gains_no_energy() {
    let game = games::by_name("dolls-20-7").expect("a scene");
    let mut play = Play::new(&game, DT).expect("a sound scene");
    let moving = |play: &Play| -> [Double; 2] {
        let bodies = play.world.bodies().iter().filter(|b| b.is_dynamic());
        let height = |y| widen(game.gravity) * widen(y);
        bodies.fold([0.0, 0.0], |[energy, mass], b| {
            let m = widen(b.mass());
            [energy + widen(b.kinetic_energy()) + m * height(b.position().y), mass + m]
        })
    };
    let [begin, _] = moving(&play);
    // Whatever falls that high has at most this speed; both ends go in a step at most twice h times it.
    let top = game.pieces.iter().map(|piece| widen(piece.position.y)).fold(0.0, Double::max);
    let apart = 2.0 * widen(DT) * (2.0 * widen(game.gravity) * top).sqrt();
    let (mut last, mut softened) = (begin, 0);
    for step in 0..240 {
        let report = play.advance(&game.settings());
        softened += report.rows_softened;
        assert!(report.quarantined.is_empty(), "step {step}: {:?}", report.quarantined);
        let [now, mass] = moving(&play);
        // Overlaps are pushed out by v_push at most; the state is rounded.
        let push = mass * widen(game.gravity * game.settings().contact.push_speed_max * DT);
        let rounding = 64.0 * widen(orthant::math::EPSILON) * begin;
        assert!(now <= last + push + rounding, "step {step}: {now} after {last} J");
        assert!(now <= begin + rounding, "step {step}: {now} of {begin} J");
        last = now;
        for (k, link) in game.links.iter().enumerate() {
            let [a, b] = [0, 1].map(|k| {
                let body = play.world.body(play.ids[link.bodies[k]]).expect("it is there");
                widen3(body.position()) + widen3(quat_rotate(body.rotation(), link.anchors[k]))
            });
            assert!((a - b).length() < apart, "step {step}, link {k}: {} m", (a - b).length());
        }
    }
    assert!(softened > 0, "none of it was made in small steps");
}
