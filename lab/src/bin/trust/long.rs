//! An hour in which things come and go: memory, times, what stands, what swings, names, energy.

use std::collections::VecDeque;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::energy;
use orthant_lab::support::{DT, add, cuboid, floor};

use super::{median, memory, settings, timed};

/// Steps of a minute.
const MINUTE: u32 = 3600;
/// A body comes every so many steps (–), and is one of at most so many.
const EVERY: u32 = 12;
const HERE: usize = 120;

/// What is there from the beginning to the end.
struct Lasting {
    /// A tower that may sleep, and one that may not.
    towers: Vec<BodyId>,
    /// A chain that swings without friction.
    chain: Vec<BodyId>,
}

impl Lasting {
    fn new(world: &mut Simulation) -> Self {
        let mut towers = Vec::new();
        for (x, can_sleep) in [(20.0, true), (30.0, false)] {
            for k in 0..6_u8 {
                let position = Vec3::new(x, 0.5 + Real::from(k), 0.0);
                let shape = Some(cuboid(1.0, 1.0, 1.0));
                let desc = BodyDesc { shape, position, can_sleep, ..BodyDesc::default() };
                towers.push(world.add_body(desc).expect("a cube"));
            }
        }
        let mut chain: Vec<BodyId> = Vec::new();
        for k in 0..5_u8 {
            let at = Vec3::new(-20.3 - 0.6 * Real::from(k), 6.0, 0.0);
            // Its links do not meet each other: nothing but rounding and the tolerance takes energy.
            let layers = Layers { memberships: 2, filters: 1 };
            let colliders = vec![Collider { layers, ..Collider::new(cuboid(0.5, 0.1, 0.1)) }];
            let desc = BodyDesc { position: at, colliders, ..BodyDesc::default() };
            let link = world.add_body(desc).expect("a link");
            let hung = Vec3::new(-20.0, 6.0, 0.0);
            let hung = if chain.is_empty() { hung } else { Vec3::X * -0.3 };
            let joint = JointDesc::new(JointKind::Spherical, [chain.last().copied(), Some(link)]);
            world.add_joint(joint.with_anchors(hung, Vec3::X * 0.3)).expect("a link");
            chain.push(link);
        }
        Self { towers, chain }
    }

    /// Heights of the cubes (m).
    fn heights(&self, world: &Simulation) -> Vec<Real> {
        let bodies = self.towers.iter().filter_map(|id| world.body(*id));
        bodies.map(|body| body.center().y).collect()
    }

    /// Energy of the chain (J), zero on the floor.
    fn swing(&self, world: &Simulation) -> Double {
        let bodies = self.chain.iter().filter_map(|id| world.body(*id));
        bodies.map(|b| widen(b.kinetic_energy() + 9.81 * b.mass() * b.center().y)).sum()
    }
}

/// What comes and goes.
struct Passing {
    rng: Rng,
    here: VecDeque<(BodyId, u64)>,
    came: u64,
    newest: Option<BodyId>,
}

impl Passing {
    fn shape(&mut self) -> Shape {
        let rng = &mut self.rng;
        match rng.below(5) {
            0 => cuboid(rng.range(0.3, 0.8), rng.range(0.3, 0.8), rng.range(0.3, 0.8)),
            1 => Shape::sphere(rng.range(0.2, 0.4)).expect("a ball"),
            2 => Shape::cylinder(rng.range(0.1, 0.3), 0.5).expect("a can"),
            3 => {
                let points: Vec<Vec3> = (0..12).map(|_| rng.vector(-0.4, 0.4)).collect();
                Shape::convex_hull(&points).expect("random points span a hull")
            }
            _ => Shape::capsule(rng.range(0.1, 0.2), 0.5).expect("a capsule"),
        }
    }

    /// One comes, now and then joined to the one before; the oldest goes.
    fn change(&mut self, world: &mut Simulation) {
        let shape = Some(self.shape());
        let position = Vec3::new(self.rng.range(-3.0, 3.0), 6.0, self.rng.range(-3.0, 3.0));
        let (rotation, tag) = (self.rng.rotation(), self.came);
        let desc = BodyDesc { shape, position, rotation, tag, ..BodyDesc::default() };
        let id = world.add_body(desc).expect("a sound body");
        assert!(Some(id) > self.newest, "an id is given out once");
        if let Some(&(before, _)) = self.here.back().filter(|_| self.came % 7 == 6) {
            let joint = JointDesc::rod(before, id, 6.0);
            world.add_joint(joint).expect("two bodies");
        }
        (self.newest, self.came) = (Some(id), self.came + 1);
        self.here.push_back((id, tag));
        if self.here.len() > HERE
            && let Some((id, _)) = self.here.pop_front()
        {
            assert!(world.remove_body(id), "what came is there until it goes");
            assert!(world.body(id).is_none(), "and not after");
        }
    }

    /// Does every name still mean the body that got it?
    fn check(&self, world: &Simulation) {
        for &(id, tag) in &self.here {
            assert_eq!(world.body(id).map(|body| body.tag), Some(tag), "{id:?} is another");
        }
    }
}

/// Plays so many minutes and tells how each of some was.
pub(super) fn run(minutes: u32) {
    println!(
        "| minute | bodies | asleep | joints | pairs | MB | median (ms) | slowest (ms) | \
         fastest body (m/s) | \
         most energy (J) | gained in a step (J) | energy of the chain (J) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|");
    let (settings, mut world) = (settings(), floor());
    let heights: Vec<Vec<Real>> = (0..9)
        .map(|i| (0..9).map(|k| 0.1 + 0.1 * Real::from((i * k % 3) as u8)).collect())
        .collect();
    let ground = Shape::heightfield(&heights, Vec3::new(12.0, 1.0, 12.0)).expect("a field");
    add(&mut world, BodyKind::Static, ground, Vec3::ZERO);
    let lasting = Lasting::new(&mut world);
    let mut passing = Passing { rng: Rng::new(5), here: VecDeque::new(), came: 0, newest: None };
    let (mut stood, mut unsolved) = (Vec::new(), 0_u32);
    for minute in 1..=minutes {
        let (mut times, mut fastest) = (Vec::new(), 0.0 as Real);
        let (mut most, mut gain) = (0.0 as Double, 0.0 as Double);
        for step in 0..MINUTE {
            if step % EVERY == 0 {
                passing.change(&mut world);
            }
            let before = energy(&world);
            times.push(timed(|| world.step(&settings, DT).status).0);
            let after = energy(&world);
            (most, gain) = (most.max(after), gain.max(after - before));
            let speeds = world.bodies().iter().map(|body| body.linear_velocity.length());
            fastest = speeds.fold(fastest, Real::max);
            unsolved += u32::from(world.report().islands_unsolved > 0);
            assert_eq!(world.report().quarantined, [], "nothing is frozen");
        }
        passing.check(&world);
        if minute == 1 {
            stood = lasting.heights(&world);
        }
        if minute == 1 || minute % 10 == 0 || minute == minutes {
            let report = world.report();
            println!(
                "| {minute} | {} | {} | {} | {} | {:.1} | {:.3} | {:.1} | {fastest:.1} | \
                 {most:.1} | {gain:.3} | \
                 {:.5} |",
                report.bodies,
                report.sleeping,
                world.joints().len(),
                report.pairs,
                memory(),
                median(times.clone()),
                times.iter().fold(0.0, |a: f64, b| a.max(*b)),
                lasting.swing(&world),
            );
        }
    }
    let now = lasting.heights(&world);
    let drift = stood.iter().zip(now).map(|(a, b)| (a - b).abs());
    let drift: Vec<String> = drift.map(|d| format!("{d:.1e}")).collect();
    println!("cubes of the towers moved since the first minute by {} m", drift.join(" "));
    println!("{} came; steps with unsolved islands: {unsolved}", passing.came);
}
