//! Chains, a net, a ragdoll: joints stay together, energy and angular momentum are kept.
//!
//! Links have no shapes, so that nothing but gravity and the hook acts. The hook gives no torque about
//! itself: `dL/dt` is the torque of gravity, of which the mean of where a step begins and ends counts.

use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::report::StepStatus;
use orthant::math::{DVec3, Double, Real, Vec3, narrow, narrow3, widen, widen3};

use super::{Lab, angular_momentum, at_most, heavy, point, worst};
use crate::claims::Claims;
use crate::games::{Game, Play, joints, piles};

/// Largest distance of two anchors in any step (m).
const APART: Double = 0.01;
/// Residual of the places of joints in a step that is told solved, along each axis, in tolerances (–).
const TOLERANCES: Double = 10.0;
/// Largest change of the energy, of the largest kinetic one.
const ENERGY: Double = 0.05;
/// Largest drift of the angular momentum, of the largest sum of its parts.
const MOMENTUM: Double = 1e-3;

/// A chain in a plane, released level: links, their length (m), mass of the load in links, its name.
const CHAINS: [(usize, Double, Double, &str); 7] = [
    (17, 0.2, 0.0, "whip of 17"),
    (20, 0.5, 1.0, "chain of 20, load ×1"),
    (20, 0.5, 1000.0, "chain of 20, load ×1 000"),
    (50, 0.5, 1.0, "chain of 50, load ×1"),
    (50, 0.5, 100.0, "chain of 50, load ×100"),
    (100, 0.5, 1.0, "chain of 100, load ×1"),
    (100, 0.5, 100.0, "chain of 100, load ×100"),
];
/// Of these, those whose energy is also looked at in steps 64 times as fine.
const FINE: [usize; 2] = [0, 4];

/// All of them for 10 s.
pub fn measure(claims: &mut Claims) {
    for (k, &(links, pitch, load, name)) in CHAINS.iter().enumerate() {
        let mut chain = chain(Lab::new(), links, pitch, load);
        let fall = chain.play(10.0);
        chain_claims(claims, name, &fall);
        if FINE.contains(&k) {
            let fine = self::chain(Lab::at(64.0 * 60.0), links, pitch, load).play(2.0);
            let what = format!("{name}, steps 64 times as fine, 2 s");
            at_most(
                claims,
                &format!("{what}: energy, of the largest kinetic"),
                fine.energy,
                ENERGY,
                "",
            );
            at_most(claims, &format!("{what}: joints"), fine.apart, APART, "m");
        }
    }
    net(claims);
    for scene in [Floating::Net, Floating::Ragdoll] {
        floats(claims, scene);
    }
}

/// Bodies, joints and their anchors.
struct Chain {
    lab: Lab,
    /// Indices into `world.bodies()`, none for the world, and anchors.
    links: Vec<([Option<usize>; 2], [DVec3; 2])>,
}

/// What a run showed.
#[derive(Clone, Copy, Debug, Default)]
struct Fall {
    /// Largest distance of two anchors (m).
    apart: Double,
    /// Largest change of the energy, of the largest kinetic energy.
    energy: Double,
    /// Largest drift of L, of the largest `Σ |L|`.
    drift: Double,
    /// Steps that were not solved.
    unsolved: usize,
    /// Largest distance of two anchors in a step that was told solved, and what such a step may leave (m).
    told: [Double; 2],
    /// Steps with rows that were softened, and those of them that were told solved.
    softened: [usize; 2],
}

fn chain_claims(claims: &mut Claims, name: &str, fall: &Fall) {
    at_most(claims, &format!("{name}, 10 s: joints"), fall.apart, APART, "m");
    at_most(
        claims,
        &format!("{name}, 10 s: energy, of the largest kinetic"),
        fall.energy,
        ENERGY,
        "",
    );
    at_most(claims, &format!("{name}, 10 s: L - ∫ torque, of Σ|L|"), fall.drift, MOMENTUM, "");
    at_most(claims, &format!("{name}, 10 s: steps not solved"), fall.unsolved as Double, 0.0, "");
    told_claims(claims, &format!("{name}, 10 s"), fall);
}

/// What parted, or was softened, is not told solved.
fn told_claims(claims: &mut Claims, what: &str, fall: &Fall) {
    let [told, bar] = fall.told;
    at_most(claims, &format!("{what}: joints in steps told solved"), told, bar, "m");
    let [softened, solved] = fall.softened;
    let what = format!("{what}: softened steps told solved");
    claims.add(&what, &format!("{solved} of {softened}"), "0", solved == 0);
}

/// Links of 1 kg a meter that hang from the origin, level along x.
fn chain(mut lab: Lab, n: usize, pitch: Double, load: Double) -> Chain {
    let mut links = Vec::new();
    let mut last = None;
    let mass = pitch;
    for i in 0..n {
        // A rod 5 cm thick.
        let thick = 0.5 * mass * 0.05 * 0.05;
        let long = mass * pitch * pitch / 12.0 + 0.5 * thick;
        let center = DVec3::X * (pitch * (i as Double + 0.5));
        let id = lab.add(heavy(mass, DVec3::new(thick, long, long), center));
        let half = DVec3::X * (0.5 * pitch);
        let from = last.map_or(DVec3::ZERO, |_| half);
        let desc = JointDesc::new(JointKind::Spherical, [last.map(|(id, _)| id), Some(id)]);
        lab.join(desc.with_anchors(narrow3(from), narrow3(-half)));
        links.push(([last.map(|(_, index)| index), Some(i)], [from, -half]));
        last = Some((id, i));
    }
    if let Some((id, i)) = last.filter(|_| load > 0.0) {
        let (mass, radius) = (mass * load, 0.25);
        let center = DVec3::X * (pitch * n as Double + radius);
        let ball = lab.add(heavy(mass, DVec3::splat(0.4 * mass * radius * radius), center));
        let anchors = [DVec3::X * (0.5 * pitch), DVec3::X * -radius];
        let desc = JointDesc::between(JointKind::Spherical, id, ball);
        lab.join(desc.with_anchors(narrow3(anchors[0]), narrow3(anchors[1])));
        links.push(([Some(i), Some(i + 1)], anchors));
    }
    Chain { lab, links }
}

impl Chain {
    /// Largest distance of two anchors (m).
    fn apart(&self) -> Double {
        let bodies: Vec<_> = self.lab.world.bodies().iter().collect();
        let of = |(ends, anchors): &([Option<usize>; 2], [DVec3; 2])| {
            let at = |k: usize| ends[k].map_or(anchors[k], |i| point(bodies[i], anchors[k]));
            (at(1) - at(0)).length()
        };
        self.links.iter().map(of).fold(0.0, worst)
    }

    fn play(&mut self, seconds: Double) -> Fall {
        let (energy, [_, begin]) = (self.lab.energy(), self.lab.momentum());
        let h = widen(self.lab.dt);
        let (mut kinetic, mut all): (Double, Double) = (0.0, 0.0);
        let mut fall = Fall::default();
        // Both anchors are rounded where their bodies are.
        let far = self.lab.moving().map(|b| widen(b.center().length())).fold(1.0, worst);
        let tolerance = TOLERANCES * self.lab.settings.solver.tolerance * h;
        fall.told[1] = 3.0_f64.sqrt() * (tolerance + 2.0 * widen(Real::EPSILON) * far);
        let (mut given, mut drift): (DVec3, Double) = (DVec3::ZERO, 0.0);
        for _ in 0..self.lab.steps(seconds) {
            given += self.lab.torque() * (0.5 * h);
            self.lab.step();
            given += self.lab.torque() * (0.5 * h);
            let (report, apart) = (self.lab.world.report(), self.apart());
            let solved = report.status == StepStatus::Solved;
            let softened = report.rows_softened > 0;
            fall.unsolved += report.islands_unsolved as usize;
            fall.apart = worst(fall.apart, apart);
            fall.told[0] = if solved { worst(fall.told[0], apart) } else { fall.told[0] };
            fall.softened[0] += usize::from(softened);
            fall.softened[1] += usize::from(softened && solved);
            kinetic = worst(kinetic, self.lab.kinetic());
            fall.energy = worst(fall.energy, (self.lab.energy() - energy).abs());
            all = worst(all, self.lab.moving().map(|b| angular_momentum(b).length()).sum());
            drift = worst(drift, (self.lab.momentum()[1] - begin - given).length());
        }
        fall.energy /= kinetic;
        fall.drift = drift / all;
        fall
    }
}

/// The net of 30 by 30, hung by its corners, where it is taut and cannot move, and let go by two of them.
fn net(claims: &mut Claims) {
    let mut game = piles::net(30);
    let fall = of_game(&game, &Floating::Hung).play(5.0);
    let what = "net of 30 on four corners, 5 s";
    at_most(claims, &format!("{what}: joints"), fall.apart, APART, "m");
    told_claims(claims, what, &fall);
    for corner in game.pieces.iter_mut().filter(|piece| piece.position.x > 0.0) {
        corner.kind = BodyKind::Dynamic;
    }
    let fall = of_game(&game, &Floating::Hung).play(5.0);
    let what = "net of 30 let go by two corners, 5 s";
    at_most(claims, &format!("{what}: joints"), fall.apart, APART, "m");
    at_most(claims, &format!("{what}: energy, of the largest kinetic"), fall.energy, ENERGY, "");
    told_claims(claims, what, &fall);
}

/// Jointed bodies without gravity and a hook, struck.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Floating {
    /// As it is, with gravity.
    Hung,
    Net,
    Ragdoll,
}

/// The bodies and joints of a scene without shapes; if it floats, without gravity and what is fixed.
fn of_game(game: &Game, how: &Floating) -> Chain {
    let play = Play::new(game, 1.0 / 60.0).expect("the engine takes the scene");
    let mut lab = Lab::new();
    if *how != Floating::Hung {
        lab = lab.weightless();
    }
    let mut places = vec![None; game.pieces.len()];
    let mut ids = Vec::new();
    for (i, (&id, piece)) in play.ids.iter().zip(&game.pieces).enumerate() {
        let body = play.world.body(id).expect("the body is there");
        let fixed = piece.kind != BodyKind::Dynamic;
        let floor = game.links.iter().all(|link| !link.bodies.contains(&i));
        if floor {
            continue;
        }
        let kind = if *how == Floating::Hung { piece.kind } else { BodyKind::Dynamic };
        // A corner that floats weighs as much as the others.
        let like = if fixed { play.world.body(play.ids[1]).expect("as above") } else { body };
        let mut desc = heavy(widen(like.mass()), DVec3::ONE, widen3(body.position()));
        if let Some(properties) = &mut desc.mass_properties {
            properties.inertia = like.inertia();
        }
        places[i] = Some(ids.len());
        ids.push(lab.add(BodyDesc { kind, rotation: piece.rotation, ..desc }));
    }
    let mut links = Vec::new();
    for (joint, link) in play.world.joints().zip(&game.links) {
        let ends = link.bodies.map(|i| places[i]);
        let [a, b] = ends.map(|end| end.map(|i| ids[i]));
        lab.join(JointDesc { ends: [a, b], ..*joint.desc() });
        links.push((ends, link.anchors.map(widen3)));
    }
    Chain { lab, links }
}

/// Struck on one side, it flies and turns: momenta stay, joints hold, energy does not grow.
fn floats(claims: &mut Claims, how: Floating) {
    let (game, name) = match how {
        Floating::Ragdoll => (joints::ragdoll(), "ragdoll"),
        _ => (piles::net(30), "net of 30"),
    };
    let mut chain = of_game(&game, &how);
    let ids: Vec<_> = chain.lab.world.bodies().iter().map(|body| body.id()).collect();
    // The center of mass stays at rest: a pull to both sides, and a turn.
    let (first, last) = (ids[0], ids[ids.len() - 1]);
    for (id, strength) in [(first, 1.0), (last, -1.0)] {
        let body = chain.lab.world.body_mut(id).expect("the body is there");
        let mass = widen(body.mass()).min(1.0);
        body.apply_linear_impulse(Vec3::new(0.5, 3.0, 4.0) * narrow(strength * mass));
    }
    chain.lab.step();
    let fall = chain.play(10.0);
    let what = format!("{name} struck in free space, 10 s");
    at_most(claims, &format!("{what}: drift of L, of Σ|L|"), fall.drift, MOMENTUM, "");
    at_most(claims, &format!("{what}: joints"), fall.apart, APART, "m");
    if how == Floating::Net {
        at_most(claims, &format!("{what}: energy"), fall.energy, ENERGY, "");
    }
}
