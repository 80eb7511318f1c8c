//! What a step's report tells, recomputed from poses, velocities and impulses alone.
//!
//! Of balls and cubes, whose inertia is a number: the natural map and the equation of motion from the way
//! that bodies went, the velocity they go on with, the gaps at which the step began and the impulses, by
//! nothing of the engine's own. Without a dead zone, so that gaps are all there is to know of a row.

use std::collections::HashMap;

use orthant::engine::Simulation;
use orthant::engine::body::BodyId;
use orthant::engine::contact::ActiveContact;
use orthant::engine::lcp::Method;
use orthant::engine::pair::Pair;
use orthant::engine::settings::Settings;
use orthant::math::{
    DVec3, Double, Quat, Vec3, quat_conjugate, quat_log, quat_mul, quat_rotate, widen, widen3,
};

use super::body;

/// Rounding of poses of a few meters, velocities and arms [m/s, rad/s]: in single precision `ε |x| / h` is
/// 4e-5 m/s for 5 m. In double precision what is not known of bodies that turn fast is as much.
pub const ROUNDING: Double = 2e-4;

/// Rounding alone, of bodies whose rule is known: `ε |x| / h` is 7e-14 m/s for 5 m in double precision.
pub const ROUNDING_ALONE: Double = if super::DOUBLE { 4e-13 } else { ROUNDING };

/// Velocity and angular velocity.
type Motion = [DVec3; 2];

/// Settings and length of the step (s).
#[derive(Clone, Copy)]
struct Rules<'a> {
    settings: &'a Settings,
    dt: Double,
}

impl Rules<'_> {
    /// How fast the overlap of a contact is pushed out, as a part of its bias [m/s]; not above zero.
    fn push(self, contact: &ActiveContact) -> Double {
        let back = widen(self.settings.contact.gamma) * contact.row_gap / self.dt;
        back.min(0.0).max(-widen(self.settings.contact.push_speed_max))
    }
}

/// A body whose inertia is a number.
#[derive(Clone, Copy, Debug)]
pub struct Round {
    pub id: BodyId,
    /// A ball, else a cube.
    pub is_ball: bool,
    /// Diameter or side (m).
    pub size: Double,
}

/// A body as a step finds it.
#[derive(Clone, Copy, Debug)]
pub struct State {
    round: Round,
    center: Vec3,
    rotation: Quat,
    velocity: Motion,
}

/// A body as a step found it, and what the step made of it.
struct Part {
    /// Farthest point from its center (m).
    reach: Double,
    mass: Double,
    inertia: Double,
    last: Motion,
    /// Its rotation at first, displacement (m) and turn.
    rotation: Quat,
    way: DVec3,
    turn: Quat,
    /// What moved it, and what it goes on with.
    now: [Motion; 2],
    /// Impulses on it.
    impulse: [Motion; 2],
    /// Speeds at which other bodies are pushed out of it, in all [m/s].
    pushed: Double,
}

/// What a step is found to be: what moved the bodies, and what they carry.
#[derive(Debug, Default)]
pub struct Found {
    /// Largest natural map, at least and at most [m/s].
    pub natural_map: [[Double; 2]; 2],
    /// Residual of the equation of motion [m/s, rad/s].
    pub motion: [Double; 2],
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

/// The bodies as the next step finds them.
pub fn note(world: &Simulation, bodies: &[Round]) -> Vec<State> {
    let state = |&round: &Round| {
        let body = body(world, round.id);
        let velocity = [body.linear_velocity, body.angular_velocity].map(widen3);
        State { round, center: body.center(), rotation: body.rotation(), velocity }
    };
    bodies.iter().map(state).collect()
}

/// What became of the bodies, with the impulses of all contacts summed.
fn parts(
    world: &Simulation,
    before: &[State],
    posed: &HashMap<BodyId, Posed>,
    rules: Rules<'_>,
) -> HashMap<BodyId, Part> {
    let (mut parts, dt) = (HashMap::new(), rules.dt);
    for old in before {
        let Round { id, is_ball, size } = old.round;
        let body = body(world, id);
        let mass = widen(body.mass());
        let (part, far) = if is_ball { (0.1, 1.0) } else { (1.0 / 6.0, 3.0_f64.sqrt()) };
        let way = widen3(body.center() - old.center);
        let turn = quat_mul(body.rotation(), quat_conjugate(old.rotation));
        let carried = [body.linear_velocity, body.angular_velocity].map(widen3);
        parts.insert(
            id,
            Part {
                reach: 0.5 * size * far,
                mass,
                inertia: mass * size * size * part,
                last: old.velocity,
                rotation: old.rotation,
                way,
                turn,
                now: [[way / dt, widen3(quat_log(turn)) / dt], carried],
                impulse: [[DVec3::ZERO; 2]; 2],
                pushed: 0.0,
            },
        );
    }
    for pair in world.pairs() {
        let ids = [pair.key.a, pair.key.b];
        if ids.iter().all(|id| parts.contains_key(id)) {
            let speeds = pair.contacts.iter().map(|contact| -rules.push(contact));
            let fastest = speeds.fold(0.0, Double::max);
            for id in ids {
                parts.entry(id).and_modify(|part: &mut Part| part.pushed += fastest);
            }
        }
        for contact in &pair.contacts {
            let [moved, carried] = contact.impulse;
            let late = match place(posed, pair) {
                Posed::Start => contact.arms.map(widen3),
                Posed::End | Posed::Either => arms_at_end(&parts, pair, contact),
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
/// smaller body, or the second of two alike. Where the normal turns with neither a face nor two edges that
/// point does not turn with its body.
fn arms_at_end(parts: &HashMap<BodyId, Part>, pair: &Pair, contact: &ActiveContact) -> [DVec3; 2] {
    let arms = contact.arms.map(widen3);
    let both = [pair.key.a, pair.key.b].map(|id| parts.get(&id));
    let corners = [contact.id.0 >> 62 == 0, contact.id.0 >> 30 & 3 == 0];
    let with = match (both, corners) {
        ([Some(_), None], _) | ([Some(_), Some(_)], [true, false]) => 0,
        ([None, _], _) | (_, [false, true]) => 1,
        ([Some(a), Some(b)], _) => usize::from(b.reach <= a.reach),
    };
    let Some(part) = both[with] else { return arms };
    let core = quat_rotate(part.rotation, contact.cores[with]);
    let turned = widen3(quat_rotate(part.turn, core) - core);
    let way = part.way + turned;
    [0, 1].map(|k| arms[k] + way - both[k].map_or(DVec3::ZERO, |part| part.way))
}

/// The islands: the first body of that of each body.
fn islands(world: &Simulation, before: &[State]) -> HashMap<BodyId, BodyId> {
    let mut first: HashMap<BodyId, BodyId> =
        before.iter().map(|state| (state.round.id, state.round.id)).collect();
    for pair in world.pairs().iter().filter(|pair| !pair.contacts.is_empty()) {
        let both = [pair.key.a, pair.key.b].map(|id| first.get(&id).copied());
        if let [Some(a), Some(b)] = both {
            first.values_mut().filter(|id| **id == a.max(b)).for_each(|id| *id = a.min(b));
        }
    }
    first
}

/// Where the carried problem of each body's island is posed.
fn posed(world: &Simulation, before: &[State], rules: Rules<'_>) -> HashMap<BodyId, Posed> {
    let first = islands(world, before);
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
    let zone = rules.settings.solver.tolerance * rules.dt / widen(rules.settings.contact.gamma);
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
pub(super) fn nearest(p: DVec3, n: DVec3, mu: Double) -> DVec3 {
    let along = p.dot(n);
    let across = p - n * along;
    let size = across.length();
    // First what points away: without friction the cone is a ray.
    if mu * size <= -along {
        return DVec3::ZERO;
    }
    if size <= mu * along {
        return p;
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
    rules: Rules<'_>,
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
    let (gap, dt) = (contact.row_gap, rules.dt);
    let bias = if gap >= 0.0 {
        gap / dt
    } else if of == 0 {
        rules.push(contact).max(-most(parts, pair, rules))
    } else {
        0.0
    };
    let mu = widen(rules.settings.contact.friction.unwrap_or(pair.friction));
    let slip = (w - n * n.dot(w)).length();
    let w = w + n * (bias + mu * slip);
    (l - nearest(l - w / compliance, n, mu)).length() * compliance
}

/// How fast a pair is pushed apart at most [m/s]: those of a body share two full pushes, unless they are that
/// far apart already.
fn most(parts: &HashMap<BodyId, Part>, pair: &Pair, rules: Rules<'_>) -> Double {
    let most = widen(rules.settings.contact.push_speed_max);
    let [Some(a), Some(b)] = [pair.key.a, pair.key.b].map(|id| parts.get(&id)) else {
        return most;
    };
    let [all, ratio] = [a.pushed.max(b.pushed), 1.0 / (1.0 - widen(pair.gap))];
    if all > 2.0 * most { most * ratio.max(2.0 * most / all).min(1.0) } else { most }
}

/// What the last step is found to be, of bodies as it found them.
pub fn find(world: &Simulation, before: &[State], settings: &Settings) -> Found {
    let rules = Rules { settings, dt: widen(world.report().dt) };
    let posed = posed(world, before, rules);
    let parts = parts(world, before, &posed, rules);
    let mut found = Found::default();
    for of in 0..2 {
        for pair in world.pairs() {
            for contact in &pair.contacts {
                let at = |arms| natural_map(&parts, pair, contact, arms, rules, of);
                let first = at(contact.arms.map(widen3));
                let last = at(arms_at_end(&parts, pair, contact));
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
            let fall = widen3(settings.gravity) * rules.dt;
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
