//! What the report tells of a step, recomputed from poses, velocities and impulses alone.
//!
//! Balls and cubes, whose inertia is a number, fall in a heap. After every step the natural map and the
//! equation of motion are worked out here from the way that bodies went, the velocity they go on with, the
//! gaps at which the step began and the impulses, by nothing of the engine's own. Rounding of poses of a few
//! meters in single precision makes `ε |x| / h`, 4e-5 m/s for 5 m.

use std::collections::HashMap;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Material};
use orthant::engine::contact::ActiveContact;
use orthant::engine::joint::{JointAxis, JointDesc, JointKind};
use orthant::engine::lcp::Method;
use orthant::engine::pair::Pair;
use orthant::engine::settings::Settings;
use orthant::math::{
    DVec3, Double, Quat, Real, Vec3, narrow3, quat_conjugate, quat_log, quat_mul, quat_rotate,
    widen, widen3,
};
use orthant_lab::random::Rng;
use orthant_lab::support::{DT, add, body, cuboid, floor, settings, sphere};

/// Side of the cubes, diameter of the balls (m).
const SIZE: Real = 0.5;

/// Velocity and angular velocity.
type Motion = [DVec3; 2];

/// A body as a step found it, and what the step made of it.
struct Part {
    ball: bool,
    mass: Double,
    inertia: Double,
    last: Motion,
    /// Its displacement (m) and its turn.
    way: DVec3,
    turn: Quat,
    /// What moved it, and what it goes on with.
    now: [Motion; 2],
    /// Impulses on it.
    impulse: [Motion; 2],
}

/// What a step is found to be.
#[derive(Debug, Default)]
struct Found {
    /// At least and at most.
    natural_map: [[Double; 2]; 2],
    motion: [Double; 2],
}

/// Where the problem of what an island carries is posed. Its carried impulses `l` act where the contacts
/// come to as far as they are others than those that moved it, `λ`: so that `Σ r × λ + Σ r⁺ × (l - λ)` is
/// the angular momentum given. Those are others where it was pushed; small steps are told at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Posed {
    Start,
    End,
    /// Pushed by less than the tolerance.
    Either,
}

/// A heap of balls and cubes in the air, thrown down. Two hundred of them make up one island soon.
fn heap(n: usize, restitution: Real) -> (Simulation, Vec<BodyId>) {
    let (mut world, mut rng) = (floor(), Rng::new(11));
    let mut ids = Vec::new();
    for i in 0..n {
        let shape = if i % 3 == 0 { sphere(SIZE / 2.0) } else { cuboid(SIZE, SIZE, SIZE) };
        let place = Vec3::new((i % 5) as Real, (i / 25) as Real, (i / 5 % 5) as Real);
        let material = Material { restitution, ..Material::new(0.5) };
        let desc = BodyDesc {
            colliders: vec![Collider { material, ..Collider::new(shape) }],
            position: place * (1.2 * SIZE) + Vec3::Y * SIZE + rng.vector(-0.05, 0.05),
            rotation: rng.rotation(),
            linear_velocity: Vec3::Y * -3.0,
            ..BodyDesc::default()
        };
        ids.push(world.add_body(desc).expect("a sound body"));
    }
    (world, ids)
}

/// Poses and velocities.
fn note(world: &Simulation, ids: &[BodyId]) -> Vec<(Vec3, Quat, Motion)> {
    let state = |&id| {
        let body = body(world, id);
        let velocity = [body.linear_velocity, body.angular_velocity].map(widen3);
        (body.center(), body.rotation(), velocity)
    };
    ids.iter().map(state).collect()
}

/// What became of the bodies, with the impulses of all contacts summed.
fn parts(
    world: &Simulation,
    ids: &[BodyId],
    before: &[(Vec3, Quat, Motion)],
    posed: &HashMap<BodyId, Posed>,
    settings: &Settings,
) -> HashMap<BodyId, Part> {
    let mut parts = HashMap::new();
    let after = note(world, ids);
    for (i, (&id, (old, new))) in ids.iter().zip(before.iter().zip(after)).enumerate() {
        let mass = widen(body(world, id).mass());
        let size = widen(SIZE);
        let part = if i % 3 == 0 { 0.1 } else { 1.0 / 6.0 };
        let went = widen3(new.0 - old.0) / widen(DT);
        let turn = quat_mul(new.1, quat_conjugate(old.1));
        let turned = quat_log(turn);
        parts.insert(
            id,
            Part {
                ball: i % 3 == 0,
                mass,
                inertia: mass * size * size * part,
                last: old.2,
                way: widen3(new.0 - old.0),
                turn,
                now: [[went, widen3(turned) / widen(DT)], new.2],
                impulse: [[DVec3::ZERO; 2]; 2],
            },
        );
    }
    for pair in world.pairs() {
        for contact in &pair.contacts {
            let [moved, carried] = contact.impulse;
            let late = match place(posed, pair) {
                Posed::Start => contact.arms.map(widen3),
                Posed::End | Posed::Either => arms_at_end(&parts, pair, contact, settings),
            };
            for (k, (id, arm, sign)) in ends(pair, contact.arms.map(widen3)).into_iter().enumerate()
            {
                let Some(part) = parts.get_mut(&id) else { continue };
                let [first, last] = &mut part.impulse;
                first[0] += moved * sign;
                first[1] += arm.cross(moved) * sign;
                last[0] += carried * sign;
                last[1] += (arm.cross(moved) + late[k].cross(carried - moved)) * sign;
            }
        }
    }
    parts
}

/// Where the carried problem of a pair's island is posed.
fn place(posed: &HashMap<BodyId, Posed>, pair: &Pair) -> Posed {
    let found = [pair.key.a, pair.key.b].iter().find_map(|id| posed.get(id));
    found.copied().unwrap_or(Posed::Start)
}

/// The bodies of a contact, with its arm and the sign of its impulse.
fn ends(pair: &Pair, [a, b]: [DVec3; 2]) -> [(BodyId, DVec3, Double); 2] {
    [(pair.key.a, a, -1.0), (pair.key.b, b, 1.0)]
}

/// The arms where a contact comes to: with the corner that touches, else with the touching point of the
/// smaller body, the ball, or the second of two alike. Where the normal turns with neither a face nor two
/// edges that point does not turn with its body; which it is is not published, so the better one counts.
fn arms_at_end(
    parts: &HashMap<BodyId, Part>,
    pair: &Pair,
    contact: &ActiveContact,
    settings: &Settings,
) -> [DVec3; 2] {
    let arms = contact.arms.map(widen3);
    let both = [pair.key.a, pair.key.b].map(|id| parts.get(&id));
    let corners = [contact.id.0 >> 62 == 0, contact.id.0 >> 30 & 3 == 0];
    let with = match (both, corners) {
        ([Some(_), None], _) | ([Some(_), Some(_)], [true, false]) => 0,
        ([None, _], _) | (_, [false, true]) => 1,
        ([Some(a), Some(b)], _) => usize::from(!a.ball || b.ball),
    };
    let Some(part) = both[with] else { return arms };
    // The touching points of both bodies, of a ball its center.
    let half = widen3(contact.normal) * (0.5 * widen(contact.gap));
    let core = if part.ball { DVec3::ZERO } else { arms[with] + half * [-1.0, 1.0][with] };
    let turned = widen3(quat_rotate(part.turn, narrow3(core)) - narrow3(core));
    let [one, other] = [turned, DVec3::ZERO].map(|turned| {
        let way = part.way + turned;
        [0, 1].map(|k| arms[k] + way - both[k].map_or(DVec3::ZERO, |part| part.way))
    });
    let error = |arms| natural_map(parts, pair, contact, arms, settings, 1);
    if error(other) + ROUNDING < error(one) { other } else { one }
}

/// The islands: the first body of that of each body.
fn islands(world: &Simulation, ids: &[BodyId]) -> HashMap<BodyId, BodyId> {
    let mut first: HashMap<BodyId, BodyId> = ids.iter().map(|&id| (id, id)).collect();
    for pair in world.pairs().iter().filter(|pair| !pair.contacts.is_empty()) {
        let both = [pair.key.a, pair.key.b].map(|id| first.get(&id).copied());
        if let [Some(a), Some(b)] = both {
            first.values_mut().filter(|id| **id == a.max(b)).for_each(|id| *id = a.min(b));
        }
    }
    first
}

/// Where the carried problem of each body's island is posed.
fn posed(world: &Simulation, ids: &[BodyId], settings: &Settings) -> HashMap<BodyId, Posed> {
    let first = islands(world, ids);
    let mut deepest: HashMap<BodyId, Double> = HashMap::new();
    for pair in world.pairs() {
        // A blow has one place.
        if pair.restitution > 0.0 {
            continue;
        }
        let Some(id) = [pair.key.a, pair.key.b].iter().find_map(|id| first.get(id)) else {
            continue;
        };
        let least = deepest.entry(*id).or_default();
        pair.contacts.iter().for_each(|contact| *least = least.min(contact.row_gap));
    }
    let zone = settings.solver.tolerance * widen(DT) / widen(settings.contact.gamma);
    let small = |id| {
        let solves = &world.report().solves;
        solves.iter().any(|solve| solve.first == id && solve.method == Method::Substeps)
    };
    let of = |id: BodyId| match deepest.get(&id) {
        Some(gap) if *gap < 0.0 && !small(id) => {
            if *gap < -zone {
                Posed::End
            } else {
                Posed::Either
            }
        }
        _ => Posed::Start,
    };
    first.into_iter().map(|(id, first)| (id, of(first))).collect()
}

/// The point of the cone `|t| ≤ μ n·p` that is nearest.
fn nearest(p: DVec3, n: DVec3, mu: Double) -> DVec3 {
    let along = p.dot(n);
    let across = p - n * along;
    let size = across.length();
    if size <= mu * along {
        return p;
    }
    if mu * size <= -along {
        return DVec3::ZERO;
    }
    let on = (along + mu * size) / (1.0 + mu * mu);
    n * on + across * (mu * on / size)
}

/// Natural map of a contact, of what moved (0) or is carried (1) [m/s].
fn natural_map(
    parts: &HashMap<BodyId, Part>,
    pair: &Pair,
    contact: &ActiveContact,
    arms: [DVec3; 2],
    settings: &Settings,
    of: usize,
) -> Double {
    let (n, l) = (widen3(contact.normal).normalize(), contact.impulse[of]);
    let (mut w, mut compliance) = (DVec3::ZERO, 0.0);
    for (id, arm, sign) in ends(pair, arms) {
        let Some(part) = parts.get(&id) else { continue };
        let [v, spin] = part.now[of];
        w += (v + spin.cross(arm)) * sign;
        compliance += 1.0 / part.mass + arm.cross(n).length_squared() / part.inertia;
    }
    let (gap, dt) = (contact.row_gap, widen(DT));
    let bias = if gap >= 0.0 {
        gap / dt
    } else if of == 0 {
        let back = widen(settings.contact.gamma) * gap / dt;
        back.max(-widen(settings.contact.push_speed_max))
    } else {
        0.0
    };
    let mu = widen(pair.friction);
    let slip = (w - n * n.dot(w)).length();
    let w = w + n * (bias + mu * slip);
    (l - nearest(l - w / compliance, n, mu)).length() * compliance
}

fn find(
    world: &Simulation,
    ids: &[BodyId],
    before: &[(Vec3, Quat, Motion)],
    settings: &Settings,
) -> Found {
    let posed = posed(world, ids, settings);
    let parts = parts(world, ids, before, &posed, settings);
    let mut found = Found::default();
    for of in 0..2 {
        for pair in world.pairs() {
            for contact in &pair.contacts {
                let at = |arms| natural_map(&parts, pair, contact, arms, settings, of);
                let first = at(contact.arms.map(widen3));
                let last = at(arms_at_end(&parts, pair, contact, settings));
                let errors = match (of, place(&posed, pair)) {
                    (0, _) | (_, Posed::Start) => [first; 2],
                    (_, Posed::End) => [last; 2],
                    (_, Posed::Either) => [first.min(last), first.max(last)],
                };
                for (most, error) in found.natural_map[of].iter_mut().zip(errors) {
                    *most = most.max(error);
                }
            }
        }
        for part in parts.values().filter(|part| part.impulse[of][0] != DVec3::ZERO) {
            let fall = widen3(settings.gravity) * widen(DT);
            let [force, torque] = part.impulse[of];
            let [v, spin] = part.now[of];
            let straight = v - part.last[0] - fall - force / part.mass;
            let turn = spin - part.last[1] - torque / part.inertia;
            let miss = straight.abs().max_element().max(turn.abs().max_element());
            found.motion[of] = found.motion[of].max(miss);
        }
    }
    found
}

/// Rounding of poses, velocities and arms [m/s, rad/s], and of large numbers (–).
const ROUNDING: Double = 2e-4;
const PART: Double = 1e-3;

/// Plays the heap and compares what is published with what is found; rows solved, swept, softened in all.
fn play(method: Method, n: usize, steps: usize) -> [u32; 3] {
    let mut settings = settings();
    // Gaps are then all there is to know of a row.
    settings.contact.dead_zone = 0.0;
    settings.solver.method = method;
    let (mut world, ids) = heap(n, 0.0);
    let mut rows = [0; 3];
    for step in 0..steps {
        let before = note(&world, &ids);
        let report = world.step(&settings, DT).clone();
        let found = find(&world, &ids, &before, &settings);
        let told = [report.natural_map, report.natural_map_relaxed];
        let names = ["moved", "carried"];
        for (name, (told, [least, most])) in names.iter().zip(told.iter().zip(found.natural_map)) {
            let bar = ROUNDING + PART * most;
            let what =
                format!("{method:?}, step {step}, {name}: told {told}, found {least} to {most}");
            assert!((least - bar..=most + bar).contains(told), "{what}: {report}");
        }
        // Bodies without an impulse are left out here, but not in the report.
        let told = [report.motion_residual, report.motion_residual_relaxed];
        for (name, (told, found)) in names.iter().zip(told.iter().zip(&found.motion)) {
            let what = format!("{method:?}, step {step}, {name}: told {told}, found {found}");
            assert!(told + ROUNDING + PART * found >= *found, "{what}: {report}");
        }
        let all = [report.rows_solved, report.rows_swept, report.rows_softened];
        assert_eq!(all.iter().sum::<u32>(), report.contacts, "{report}");
        assert_eq!(report.to_string().contains("softened"), all[1] + all[2] > 0, "{report}");
        if report.rows_softened + report.rows_swept == 0 {
            let residuals = told.iter().chain(found.natural_map.iter().map(|[least, _]| least));
            assert!(residuals.fold(0.0, |m: Double, x| m.max(*x)) <= 1e-5 + ROUNDING, "{report}");
        }
        (0..3).for_each(|k| rows[k] += all[k]);
    }
    rows
}

#[test]
fn the_report_tells_what_moved_a_struck_heap_and_what_it_carries() {
    let [solved, _, softened] = play(Method::Auto, 150, 90);
    assert!(softened > 10_000, "it is struck and large: {softened}");
    assert!(solved > 0, "its first blows are few: {solved}");
}

#[test]
fn the_report_tells_the_truth_whatever_the_method() {
    for method in [Method::Newton, Method::Pgs, Method::Substeps, Method::Auto] {
        let rows = play(method, 30, 60);
        assert_eq!(rows[2] > 0, method == Method::Substeps, "{method:?}: {rows:?}");
    }
}

#[test]
fn the_report_tells_by_how_much_a_bounce_is_not_that_of_its_impulses() {
    let settings = settings();
    for method in [Method::Auto, Method::Substeps] {
        let mut settings = settings;
        settings.solver.method = method;
        let (mut world, ids) = heap(30, 0.5);
        for step in 0..90 {
            let before = note(&world, &ids);
            let report = world.step(&settings, DT).clone();
            let found = find(&world, &ids, &before, &settings).motion;
            let told = [report.motion_residual, report.motion_residual_relaxed];
            for (told, found) in told.iter().zip(&found) {
                let what = format!("{method:?}, step {step}: told {told}, found {found}");
                assert!(told + ROUNDING + PART * found >= *found, "{what}: {report}");
            }
        }
    }
}

/// How far two cubes at rest may be from where their joint keeps them [m or rad]: `|Θ|_∞` by definition.
const APART: Real = 0.2;

#[test]
fn infeasibility_takes_joints_in() {
    let anchors = |kind, b: Vec3| {
        move |ids: [BodyId; 2]| {
            JointDesc::between(kind, ids[0], ids[1]).with_anchors(Vec3::X * 0.9, b)
        }
    };
    let ball = anchors(JointKind::Spherical, Vec3::X * -0.9);
    // The centers are 2 m apart along x.
    let rope = |ids: [BodyId; 2]| {
        let kind = JointKind::Distance { min: 0.0, max: 2.0 - APART };
        JointDesc::between(kind, ids[0], ids[1])
    };
    let slider = |ids: [BodyId; 2]| {
        let desc = JointDesc::between(JointKind::Prismatic, ids[0], ids[1]);
        desc.with_limit(JointAxis::LinearX, -1.0, 2.0 - APART)
    };
    let cases: [(&str, &dyn Fn([BodyId; 2]) -> JointDesc); 3] =
        [("ball", &ball), ("rope", &rope), ("slider", &slider)];
    let near = |x: Real| (x - APART).abs() < 4.0 * Real::EPSILON;
    for (name, desc) in cases {
        for asleep in [false, true] {
            let mut world = Simulation::new();
            let ids = [0.0, 2.0]
                .map(|x| add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::X * x));
            let joint = world.add_joint(desc(ids)).expect("two bodies");
            let mut settings = Settings { gravity: Vec3::ZERO, ..settings() };
            settings.sleep.enabled = asleep;
            // The second is connected with the first.
            assert!(!asleep || world.sleep_body(ids[0]), "{name}");
            let of_poses = world.infeasibility();
            let report = world.step(&settings, DT);
            assert!(near(report.joint_error), "{name}, {asleep}: {report}");
            assert_eq!(report.infeasibility, report.joint_error, "{name}, {asleep}");
            assert_eq!(of_poses, (report.infeasibility, 0.0), "{name}, {asleep}");
            // What does not hold is not apart.
            assert!(world.set_joint_enabled(joint, false));
            assert_eq!(world.infeasibility().0, 0.0, "{name}, {asleep}");
        }
    }
}
