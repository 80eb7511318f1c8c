//! Many bodies, twice as many, and what they cost then: memory, counted work, times.

use orthant::engine::Simulation;
use orthant::engine::body::{BodyId, BodyKind};
use orthant::engine::joint::JointDesc;
use orthant::engine::report::StepReport;
use orthant::math::{Real, Vec3};
use orthant_lab::support::{DT, add, cuboid, floor};

use super::{Verdict, field, heap, layers, median, settings, timed};

/// Twice as many may take so many times as much memory (–): a tenth more than in proportion.
const MEMORY: f64 = 2.2;
/// So many times as much counted work, and as long (–). Sorting grows by a little more than the count,
/// and caches become too small; by the square it would be four.
pub(super) const LONGER: f64 = 3.0;
/// Each is run so often. Of each step the shortest time counts: the others have in them what else the machine
/// does to its caches.
pub(super) const RUNS: usize = 3;

/// What some steps of a world took.
struct Cost {
    bodies: usize,
    /// What the world has on the heap in the end (MB).
    memory: f64,
    /// What reports count, in millions, see [`work`].
    work: [f64; 3],
    /// Times of steps (ms).
    times: Vec<f64>,
}

impl Cost {
    fn first(&self) -> f64 {
        self.times[0]
    }

    fn slowest(&self) -> f64 {
        self.times[1..].iter().fold(0.0, |a: f64, b| a.max(*b))
    }

    fn all(&self) -> f64 {
        self.times.iter().sum()
    }

    fn work(&self) -> f64 {
        self.work.iter().sum()
    }

    fn tell(&self, name: &str, growth: &str) {
        let [searched, measured, swept] = self.work;
        println!(
            "| {name} | {} | {:.1} | {searched:.3}, {measured:.3}, {swept:.3} | {:.1} | {:.2} | {:.1} \
             | {:.0} | {growth} |",
            self.bodies,
            self.memory,
            self.first(),
            median(self.times[1..].to_vec()),
            self.slowest(),
            self.all()
        );
    }
}

/// What a step did, as its report counts it: boxes searched, pairs measured, and contacts, rows of joints and
/// bodies swept.
pub(super) fn work(report: &StepReport) -> [f64; 3] {
    let swept = report.solves.iter().map(|island| {
        let size = island.contacts + island.joint_rows + island.bodies;
        f64::from(size) * (island.work[0] + island.work[1])
    });
    [f64::from(report.searched), f64::from(report.measured), swept.sum::<f64>()]
}

/// Steps a world.
fn measure(world: &mut Simulation, steps: usize, before: f64) -> Cost {
    let settings = settings();
    let (mut times, mut counted) = (Vec::new(), [0.0; 3]);
    for _ in 0..steps {
        times.push(timed(|| world.step(&settings, DT).status).0);
        let work = work(world.report());
        (0..3).for_each(|k| counted[k] += 1e-6 * work[k]);
    }
    Cost { bodies: world.bodies().len(), memory: heap() - before, work: counted, times }
}

/// Makes a world and steps it, a few times; gives the last one.
fn play(make: impl Fn() -> Simulation, steps: usize) -> (Cost, Simulation) {
    let run = || {
        let before = heap();
        let mut world = make();
        (measure(&mut world, steps, before), world)
    };
    let (mut cost, _) = run();
    for _ in 2..RUNS {
        shorten(&mut cost, &run().0);
    }
    let (last, world) = run();
    shorten(&mut cost, &last);
    (cost, world)
}

/// Takes the shorter times.
fn shorten(cost: &mut Cost, other: &Cost) {
    for (time, other) in cost.times.iter_mut().zip(&other.times) {
        *time = time.min(*other);
    }
}

/// Static boxes side by side, and one that falls on them.
fn fixed(count: u32) -> Simulation {
    let mut world = floor();
    let side = f64::from(count).sqrt().ceil() as u32;
    for k in 0..count {
        let at = [k % side, k / side].map(|k| 1.0 * k as Real);
        add(&mut world, BodyKind::Static, cuboid(1.0, 1.0, 1.0), Vec3::new(at[0], 0.5, at[1]));
    }
    add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::new(3.2, 3.0, 3.3));
    world
}

/// Boxes side by side, each on a rod with the next.
fn joined(count: u32) -> Simulation {
    let mut world = field(count);
    let bodies = world.bodies().iter().skip(1).map(|body| (body.id(), body.position()));
    let bodies: Vec<(BodyId, Vec3)> = bodies.collect();
    for &[(a, from), (b, to)] in bodies.as_chunks().0 {
        world.add_joint(JointDesc::rod(a, b, from.distance(to))).expect("both are there");
    }
    world
}

/// Lines of worlds, each but the first of twice as many, and judged; gives the worlds as they end.
fn grow(
    name: &str,
    (make, counts, steps): (fn(u32) -> Simulation, [u32; 3], usize),
    verdict: &mut Verdict,
) -> Vec<Simulation> {
    let (mut half, mut worlds): (Option<Cost>, _) = (None, Vec::new());
    for count in counts {
        let (cost, world) = play(|| make(count), steps);
        let growth = half.as_ref().map(|half| judge(name, half, &cost, verdict));
        cost.tell(name, &growth.unwrap_or_default());
        half = Some(cost);
        worlds.push(world);
    }
    worlds
}

/// Lines of worlds that sleep, of which bodies are removed, each but the first of twice as many, and judged.
fn removals(worlds: &[Simulation], verdict: &mut Verdict) {
    let mut half: Option<(f64, Cost)> = None;
    for world in worlds {
        let (sleeping, count) = (world.report().sleeping, world.bodies().len() - 1);
        verdict.ask(sleeping as usize == count, || format!("{sleeping} of {count} boxes sleep"));
        let (removal, cost) = remove(world);
        let growth = half.as_ref().map(|(half_removal, half)| {
            let what =
                format!("removal, and all steps with it, that leaves {} bodies", cost.bodies);
            let times =
                [removal / half_removal, (removal + cost.all()) / (half_removal + half.all())];
            times.iter().for_each(|&times| verdict.at_most(&what, times, LONGER));
            format!("{:.2}, {:.2}", times[0], times[1])
        });
        let name = format!("… of which each fifth is removed, in {removal:.2} ms");
        cost.tell(&name, &growth.unwrap_or_default());
        half = Some((removal, cost));
    }
}

/// A table, in which each line but the first of a kind is of twice as many, and judged.
pub(super) fn run(verdict: &mut Verdict) {
    println!(
        "| what | bodies | memory (MB) | counted work (millions): searched, measured, swept | first step \
         (ms) | median step (ms) | slowest after it (ms) | all (ms) | growth: memory, work, first step, \
         slowest, all |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let many = [12_500, 25_000, 50_000];
    let falling = (|count| layers(count, 400)) as fn(u32) -> Simulation;
    grow("boxes that fall, 400 in a layer", (falling, [5000, 10_000, 20_000], 45), verdict);
    let wide = |count| layers(count, count / 5);
    grow("five layers that fall, and land", (wide, [1000, 2000, 4000], 90), verdict);
    grow("static boxes, one that falls", (fixed, [25_000, 50_000, 100_000], 90), verdict);
    let asleep = grow("boxes that fall asleep", (field, many, 90), verdict);
    removals(&asleep, verdict);
    let asleep = grow("boxes on rods, two and two, that fall asleep", (joined, many, 90), verdict);
    removals(&asleep, verdict);
    #[cfg(feature = "bevy")]
    super::app::despawns(verdict);
}

/// Takes each fifth body away and steps what is left, a few times: how long taking away took (ms), and what
/// the steps did.
fn remove(world: &Simulation) -> (f64, Cost) {
    let run = || {
        let before = heap();
        let mut world = world.clone();
        let gone: Vec<BodyId> =
            world.bodies().iter().skip(1).step_by(5).map(|body| body.id()).collect();
        let (removal, all) = timed(|| gone.iter().all(|&id| world.remove_body(id)));
        assert!(all, "each was there");
        (removal, measure(&mut world, 10, before))
    };
    let (mut removal, mut cost) = run();
    for _ in 1..RUNS {
        let (again, other) = run();
        removal = removal.min(again);
        shorten(&mut cost, &other);
    }
    (removal, cost)
}

/// How many times as much is taken, and whether that is borne.
fn judge(name: &str, half: &Cost, cost: &Cost, verdict: &mut Verdict) -> String {
    let growth = [
        ("memory", cost.memory / half.memory, MEMORY),
        ("counted work", cost.work() / half.work(), LONGER),
        ("time of the first step", cost.first() / half.first(), LONGER),
        ("time of the slowest after it", cost.slowest() / half.slowest(), LONGER),
        ("time of all steps", cost.all() / half.all(), LONGER),
    ];
    for (what, times, most) in growth {
        let what = format!("{name}: {what} of {} bodies by that of half as many", cost.bodies);
        verdict.at_most(&what, times, most);
    }
    growth.map(|(_, times, _)| format!("{times:.2}")).join(", ")
}
