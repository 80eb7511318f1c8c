//! An hour in which things come and go: memory, work, times, what stands, what swings, names, energy. What
//! grows with time is judged: the minutes after the first third by those of it.

use std::collections::VecDeque;

use orthant::engine::Simulation;
use orthant::engine::body::{Body, BodyDesc, BodyId, BodyKind};
use orthant::engine::collider::{Collider, Layers};
use orthant::engine::joint::{JointDesc, JointKind};
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, widen};
use orthant_lab::random::Rng;
use orthant_lab::support::bounces::energy;
use orthant_lab::support::{DT, add, cuboid, floor};

use super::{Verdict, heap, median, memory, settings, short, timed};

/// Steps of a minute.
const MINUTE: u32 = 3600;
/// A body comes every so many steps (–), and is one of at most so many.
const EVERY: u32 = 12;
const HERE: usize = 120;

/// By how much the heap, and the memory of the process, may be larger than ever in the first third (–): if
/// that is of ten minutes and more, and if it is shorter. What is kept for pairs and factors grows to the
/// largest that was needed.
const MORE: f64 = 0.1;
const MORE_SOON: f64 = 0.25;
/// By how much a step may take more counted work, and more time, than in the first third (–): the median of
/// the minutes of the last third. Times are judged by medians, and are no counts.
const MORE_WORK: f64 = 0.25;
const LONGER: f64 = 0.5;
/// How far a cube of a tower may come from where it was after a minute (m): of a tower that was struck, and
/// of one that nothing has touched yet.
const DRIFT: f64 = 1e-5;
const DRIFT_ALONE: f64 = 0.0;
/// By which share the energy of the chain may change (–).
const ENERGY: f64 = 1e-4;
/// By which share the most energy of all that is there may be more than ever in the first third (–). What
/// is there is drawn anew, and masses of 120 differ by chance, from minute to minute by a few hundredths.
const MORE_ENERGY: f64 = 0.05;
/// What a step may add to the energy (J), in which nothing comes: a joint whose bodies are too far from each
/// other draws them together, and may lift the heaviest of 0.5 kg by a sixtieth of 12 m, that is faster than
/// any body falls here.
const GAIN: f64 = 1.0;

/// What is there from the beginning to the end.
struct Lasting {
    /// A tower that may sleep, and one that may not.
    towers: Vec<BodyId>,
    /// Has something other than the ground touched the first tower, and the second?
    struck: [bool; 2],
    /// A chain that swings without friction.
    chain: Vec<BodyId>,
}

/// Cubes of a tower.
const HIGH: usize = 6;

impl Lasting {
    fn new(world: &mut Simulation) -> Self {
        let mut towers = Vec::new();
        for (x, can_sleep) in [(20.0, true), (30.0, false)] {
            for k in 0..HIGH as u8 {
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
        Self { towers, struck: [false; 2], chain }
    }

    /// Where the cubes are (m).
    fn cubes(&self, world: &Simulation) -> Vec<Vec3> {
        let bodies = self.towers.iter().filter_map(|id| world.body(*id));
        bodies.map(Body::center).collect()
    }

    /// Notes which towers something comes to touch that falls or rolls.
    fn note_strikes(&mut self, world: &Simulation) {
        for touch in world.touches().started() {
            let places = touch.key.bodies.map(|id| self.towers.iter().position(|cube| *cube == id));
            let moves = |id: BodyId| world.body(id).is_some_and(Body::is_dynamic);
            if let [Some(place), None] | [None, Some(place)] = places
                && touch.key.bodies.into_iter().all(moves)
            {
                self.struck[place / HIGH] = true;
            }
        }
    }

    /// How far cubes came from where they stood (m): in height, and across, and those of towers that nothing
    /// has struck in any direction.
    fn drift(&self, stood: &[Vec3], cubes: &[Vec3]) -> [f64; 3] {
        let (mut most, mut alone) = (Vec3::ZERO, Vec3::ZERO);
        for (k, (from, to)) in stood.iter().zip(cubes).enumerate() {
            let of = if self.struck[k / HIGH] { &mut most } else { &mut alone };
            *of = of.max((*from - *to).abs());
        }
        [most.y, most.x.max(most.z), alone.max_element()].map(f64::from)
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
    fn change(&mut self, world: &mut Simulation, verdict: &mut Verdict) {
        let shape = Some(self.shape());
        let position = Vec3::new(self.rng.range(-3.0, 3.0), 6.0, self.rng.range(-3.0, 3.0));
        let (rotation, tag) = (self.rng.rotation(), self.came);
        let desc = BodyDesc { shape, position, rotation, tag, ..BodyDesc::default() };
        let id = world.add_body(desc).expect("a sound body");
        verdict.ask(Some(id) > self.newest, || format!("{id:?} was given out before"));
        if let Some(&(before, _)) = self.here.back().filter(|_| self.came % 7 == 6) {
            let joint = JointDesc::rod(before, id, 6.0);
            world.add_joint(joint).expect("two bodies");
        }
        (self.newest, self.came) = (Some(id), self.came + 1);
        self.here.push_back((id, tag));
        if self.here.len() > HERE
            && let Some((id, _)) = self.here.pop_front()
        {
            verdict.ask(world.remove_body(id), || format!("{id:?} is gone before it was removed"));
            verdict
                .ask(world.body(id).is_none(), || format!("{id:?} is there after it was removed"));
        }
    }

    /// Does every name still mean the body that got it?
    fn check(&self, world: &Simulation, verdict: &mut Verdict) {
        for &(id, tag) in &self.here {
            let found = world.body(id).map(|body| body.tag);
            verdict.ask(found == Some(tag), || format!("{id:?} means another body, or none"));
        }
    }
}

/// What is judged of a minute.
struct Minute {
    /// What the thread has on the heap, and the process in memory, in the end (MB).
    heap: f64,
    memory: f64,
    /// Counted work of a step (–), the mean, and its time (ms), the median.
    work: f64,
    time: f64,
    /// How far a cube came from where it was after the first minute (m): in height, and across; and of a
    /// tower that nothing has struck.
    drift: [f64; 3],
    /// Most energy of all that is there, and most that a step added (J).
    energy: [f64; 2],
    /// Energy of the chain (J).
    swing: f64,
}

/// The ground, with what lasts.
fn ground() -> (Simulation, Lasting) {
    let mut world = floor();
    let heights: Vec<Vec<Real>> = (0..9)
        .map(|i| (0..9).map(|k| 0.1 + 0.1 * Real::from((i * k % 3) as u8)).collect())
        .collect();
    let ground = Shape::heightfield(&heights, Vec3::new(12.0, 1.0, 12.0)).expect("a field");
    add(&mut world, BodyKind::Static, ground, Vec3::ZERO);
    let lasting = Lasting::new(&mut world);
    (world, lasting)
}

/// Plays so many minutes, tells how some of them were, and judges them all.
pub(super) fn run(minutes: u32, verdict: &mut Verdict) {
    println!(
        "| minute | bodies | asleep | joints | pairs | heap (MB) | process (MB) | work of a step | \
         median (ms) | slowest (ms) | fastest body (m/s) | \
         most energy (J) | gained in a step (J) | energy of the chain (J) |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let settings = settings();
    let (mut world, mut lasting) = ground();
    let mut passing = Passing { rng: Rng::new(5), here: VecDeque::new(), came: 0, newest: None };
    let (mut stood, mut unsolved, mut all) = (Vec::new(), 0_u32, Vec::new());
    for minute in 1..=minutes {
        let (mut times, mut fastest, mut work) = (Vec::new(), 0.0 as Real, 0.0);
        let (mut most, mut gain) = (0.0 as Double, 0.0 as Double);
        for step in 0..MINUTE {
            if step % EVERY == 0 {
                passing.change(&mut world, verdict);
            }
            let before = energy(&world);
            times.push(timed(|| world.step(&settings, DT).status).0);
            let after = energy(&world);
            lasting.note_strikes(&world);
            (most, gain) = (most.max(after), gain.max(after - before));
            let speeds = world.bodies().iter().map(|body| body.linear_velocity.length());
            fastest = speeds.fold(fastest, Real::max);
            let report = world.report();
            unsolved += u32::from(report.islands_unsolved > 0);
            work += super::load::work(report).iter().sum::<f64>() / f64::from(MINUTE);
            let frozen = report.quarantined.first();
            verdict.ask(frozen.is_none(), || format!("{frozen:?} was frozen in minute {minute}"));
        }
        passing.check(&world, verdict);
        let cubes = lasting.cubes(&world);
        if minute == 1 {
            stood.clone_from(&cubes);
        }
        let now = Minute {
            heap: heap(),
            memory: memory(),
            work,
            time: median(times.clone()),
            drift: lasting.drift(&stood, &cubes),
            energy: [most, gain],
            swing: lasting.swing(&world),
        };
        if minute == 1 || minute % 10 == 0 || minute == minutes {
            let report = world.report();
            println!(
                "| {minute} | {} | {} | {} | {} | {:.2} | {:.1} | {work:.0} | {:.3} | {:.1} | \
                 {fastest:.1} | {most:.1} | {gain:.3} | {:.5} |",
                report.bodies,
                report.sleeping,
                world.joints().count(),
                report.pairs,
                now.heap,
                now.memory,
                now.time,
                times.iter().fold(0.0, |a: f64, b| a.max(*b)),
                now.swing,
            );
        }
        all.push(now);
    }
    println!("{} came; steps with unsolved islands: {unsolved}", passing.came);
    println!("struck: {:?}", lasting.struck);
    judge(&all, verdict);
}

/// Judges minutes by those of the first third.
fn judge(minutes: &[Minute], verdict: &mut Verdict) {
    let (first, later) = minutes.split_at((minutes.len() / 3).max(1).min(minutes.len()));
    let (Some(start), false) = (first.first(), later.is_empty()) else {
        return verdict.ask(false, || "two minutes at least are needed to judge".into());
    };
    let last = &later[later.len() - first.len().min(later.len())..];
    let most = |some: &[Minute], of: fn(&Minute) -> f64| some.iter().map(of).fold(0.0, f64::max);
    let middle = |some: &[Minute], of: fn(&Minute) -> f64| median(some.iter().map(of).collect());
    let growth = |a: f64, b: f64| b / a - 1.0;
    let heap: fn(&Minute) -> f64 = |minute| minute.heap;
    let memory: fn(&Minute) -> f64 = |minute| minute.memory;
    let work: fn(&Minute) -> f64 = |minute| minute.work;
    let time: fn(&Minute) -> f64 = |minute| minute.time;
    let energy: fn(&Minute) -> f64 = |minute| minute.energy[0];
    let swing = minutes.iter().map(|minute| (minute.swing / start.swing - 1.0).abs());
    let more = if first.len() < 10 { MORE_SOON } else { MORE };
    let by = "by that of the first third";
    for (what, value, bound) in [
        (format!("growth of the heap {by}"), growth(most(first, heap), most(later, heap)), more),
        (format!("growth of memory {by}"), growth(most(first, memory), most(later, memory)), more),
        (
            format!("growth of work {by}"),
            growth(middle(first, work), middle(last, work)),
            MORE_WORK,
        ),
        (format!("growth of times {by}"), growth(middle(first, time), middle(last, time)), LONGER),
        ("drift of a tower in height (m)".into(), most(minutes, |minute| minute.drift[0]), DRIFT),
        ("drift of a tower across (m)".into(), most(minutes, |minute| minute.drift[1]), DRIFT),
        (
            "drift of a tower that nothing struck (m)".into(),
            most(minutes, |minute| minute.drift[2]),
            DRIFT_ALONE,
        ),
        ("change of the energy of the chain (–)".into(), swing.fold(0.0, f64::max), ENERGY),
        (
            format!("growth of the most energy {by}"),
            growth(most(first, energy), most(later, energy)),
            MORE_ENERGY,
        ),
        ("energy that a step added (J)".into(), most(minutes, |minute| minute.energy[1]), GAIN),
    ] {
        println!("{what}: {}, at most {bound}", short(value));
        verdict.at_most(&what, value, bound);
    }
}
