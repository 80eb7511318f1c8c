//! The report: what it says of the velocities that move bodies and are carried, of rows, of what is held, of
//! joints, of γ.

use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::shape::Shape;
use orthant::math::{DVec3, Double, Vec3, narrow, widen};

use super::{Lab, METHODS, at_least, at_most};
use crate::claims::Claims;
use crate::random::Rng;
use crate::support::recompute::{ROUNDING, ROUNDING_ALONE, Round, find, note};

/// Residuals and rows, what is held, joints apart, stabilization.
pub fn measure(claims: &mut Claims) {
    for (name, method) in METHODS {
        falls(claims, name, method);
        holds(claims, name, method);
    }
    joints_apart(claims);
    for (name, method) in METHODS {
        stabilizes(claims, name, method);
    }
}

fn ground(lab: &mut Lab, friction: Double) {
    let shape = Shape::half_space(Vec3::Y).ok();
    let kind = BodyKind::Static;
    lab.add(BodyDesc { kind, shape, friction: narrow(friction), ..BodyDesc::default() });
}

/// Cubes without friction or with it, of half a meter at most, in layers of nine.
fn cubes(lab: &mut Lab, count: u8, sides: [Double; 2]) -> Vec<Round> {
    let mut rng = Rng::new(3);
    let one = |i: u8| {
        let (layer, row, column) = (i / 9, i / 3 % 3, i % 3);
        let side = rng.range(narrow(sides[0]), narrow(sides[1]));
        let at = DVec3::new(Double::from(row), Double::from(layer), Double::from(column)) * 0.6;
        let id = lab.add(BodyDesc {
            shape: Shape::cuboid(side, side, side).ok(),
            position: orthant::math::narrow3(at) + Vec3::Y * 0.4,
            rotation: rng.rotation(),
            ..BodyDesc::default()
        });
        Round { id, is_ball: false, size: widen(side) }
    };
    (0..count).map(one).collect()
}

/// Sixty cubes without friction that fall on each other: the published residual of what moves and of what is
/// carried over that recomputed from poses, impulses and velocities, in steps in which one of them is more
/// than rounding; and how many of the rows are told.
fn falls(claims: &mut Claims, name: &str, method: Method) {
    let mut lab = Lab::new();
    lab.settings.solver.method = method;
    lab.settings.contact.friction = Some(0.0);
    // Gaps are then all there is to know of a row.
    lab.settings.contact.dead_zone = 0.0;
    ground(&mut lab, 0.0);
    let cubes = cubes(&mut lab, 60, [0.3, 0.5]);
    let (mut ratios, mut most): ([Vec<Double>; 2], [Double; 2]) = Default::default();
    let (mut rows, mut all) = ([0; 3], 0);
    for _ in 0..lab.steps(2.0) {
        let before = note(&lab.world, &cubes);
        lab.step();
        let found = find(&lab.world, &before, &lab.settings).natural_map;
        let report = lab.world.report();
        let told = [report.natural_map, report.natural_map_relaxed];
        for (k, [least, at_most]) in found.into_iter().enumerate() {
            let own = told[k].clamp(least, at_most);
            most[k] = most[k].max(told[k]);
            if own.max(told[k]) > 1e-3 {
                ratios[k].push(told[k] / own.max(ROUNDING));
            }
        }
        let parts = [report.rows_solved, report.rows_swept, report.rows_softened];
        (0..3).for_each(|k| rows[k] += parts[k]);
        all += report.contacts;
    }
    for (k, what) in ["moves", "is carried"].into_iter().enumerate() {
        ratios[k].sort_by(Double::total_cmp);
        let median = ratios[k].get(ratios[k].len() / 2);
        let what = format!("60 smooth cubes fall, {name}: residual of what {what}, told over own");
        eprintln!("    {what}: {} steps, {:.1e} m/s at most", ratios[k].len(), most[k]);
        // Without a step in which either is larger they agree on that.
        let holds = median.is_none_or(|median| (0.5..=2.0).contains(median));
        let figure = match median {
            Some(median) => format!("{median:.3}, {} steps", ratios[k].len()),
            None => "both ≤ 1e-3 m/s".to_owned(),
        };
        claims.add(&what, &figure, "0.5 to 2, median", holds);
    }
    let [solved, swept, softened] = rows;
    let what = format!("60 smooth cubes fall, {name}: rows solved, swept, softened");
    let small = method == Method::Substeps;
    let holds = solved + swept + softened == all && (softened > 0) == small;
    let bar = if small { "all told, softened" } else { "all told, none soft" };
    claims.add(&what, &format!("{solved}, {swept}, {softened} of {all}"), bar, holds);
}

/// Nine cubes fall and come to rest, where they are held: by how much the residuals of velocities and
/// impulses as they are returned are larger than they are told.
fn holds(claims: &mut Claims, name: &str, method: Method) {
    let mut lab = Lab::new();
    lab.settings.solver.method = method;
    lab.settings.contact.dead_zone = 0.0;
    ground(&mut lab, 0.5);
    let cubes = cubes(&mut lab, 9, [0.3, 0.5]);
    let (mut excess, mut still): (Double, usize) = (0.0, 0);
    for _ in 0..lab.steps(4.0) {
        let before = note(&lab.world, &cubes);
        lab.step();
        let found = find(&lab.world, &before, &lab.settings);
        let report = lab.world.report();
        let told = [
            [report.natural_map, report.motion_residual],
            [report.natural_map_relaxed, report.motion_residual_relaxed],
        ];
        for k in 0..2 {
            for (told, own) in told[k].into_iter().zip([found.natural_map[k][0], found.motion[k]]) {
                // Large numbers are rounded in parts.
                excess = excess.max(own * (1.0 - 1e-3) - told);
            }
        }
        still += lab.moving().filter(|body| body.linear_velocity == Vec3::ZERO).count();
    }
    let what = format!("9 cubes come to rest, {name}: residuals above those told");
    eprintln!("    {what}: bodies stood still {still} times");
    at_most(claims, &what, excess, ROUNDING_ALONE, "m/s");
}

/// Two cubes on a ball joint whose anchors are 0.2 m apart.
fn joints_apart(claims: &mut Claims) {
    let mut lab = Lab::new().weightless();
    let ids = [0.0, 2.0].map(|x| {
        let shape = Shape::cuboid(1.0, 1.0, 1.0).ok();
        lab.add(BodyDesc { shape, position: Vec3::X * x, ..BodyDesc::default() })
    });
    let desc = JointDesc::between(JointKind::Spherical, ids[0], ids[1]);
    lab.join(desc.with_anchors(Vec3::X * 0.9, Vec3::X * -0.9));
    let (probe, _) = lab.world.infeasibility();
    lab.step();
    let told = widen(lab.world.report().infeasibility);
    at_least(claims, "anchors 0.2 m apart: infeasibility in the report", told, 0.199);
    at_least(claims, "anchors 0.2 m apart: infeasibility of the poses", widen(probe), 0.199);
}

/// A cube sunk by 1 cm: with γ = 0.2 what is left after ten steps, and the speed carried with `relax` and
/// without; with 0.3 m/s at most, how far a cube sunk by 10 cm comes.
fn stabilizes(claims: &mut Claims, name: &str, method: Method) {
    let play = |gamma: Double, push: Double, relax: bool, depth: Double, steps: usize| {
        let mut lab = Lab::new();
        lab.settings.solver.method = method;
        lab.settings.contact.gamma = narrow(gamma);
        lab.settings.contact.push_speed_max = narrow(push);
        lab.settings.contact.relax = relax;
        ground(&mut lab, 0.5);
        let shape = Shape::cuboid(1.0, 1.0, 1.0).ok();
        let position = Vec3::Y * narrow(0.5 - depth);
        let id: BodyId = lab.add(BodyDesc { shape, position, ..BodyDesc::default() });
        for _ in 0..steps {
            lab.step();
        }
        let body = lab.body(id);
        [0.5 - lab.center(id).y, widen(body.linear_velocity.y)]
    };
    // Overlaps below the dead zone are left alone.
    let default = Lab::new();
    let h = widen(default.dt);
    let zone = widen(default.settings.contact.dead_zone) * h * h;
    let [left, speed] = play(0.2, 3.0, true, 0.01, 10);
    let exact = zone + (0.01 - zone) * 0.8_f64.powi(10);
    let what = format!("γ = 0.2, sunk by 1 cm, {name}");
    let figure = format!("{:.3} of {:.3} mm", 1e3 * left, 1e3 * exact);
    let holds = (left - exact).abs() <= 1e-3 * exact;
    claims.add(&format!("{what}: left after 10 steps"), &figure, "within 0.1 %", holds);
    at_most(claims, &format!("{what}: speed carried, relaxed"), speed.abs(), 1e-4, "m/s");
    let [_, speed] = play(0.2, 3.0, false, 0.01, 1);
    let off = (speed - 0.2 * (0.01 - zone) / h).abs();
    at_most(claims, &format!("{what}: speed carried off γ d / h, not relaxed"), off, 1e-4, "m/s");
    let [left, _] = play(1.0, 0.3, true, 0.1, 10);
    let off = (left - (0.1 - 10.0 * 0.3 * h)).abs();
    at_most(
        claims,
        &format!("v_push = 0.3, sunk by 10 cm, {name}: off after 10 steps"),
        off,
        1e-4,
        "m",
    );
}
