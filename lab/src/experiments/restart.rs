//! How small the steps of a method are that stops at every collision (thesis, chapters 1 and 6: simulate,
//! detect, restart), beside steps of one length.
//!
//! Bodies fly with rows only where they touch. If a step would let others overlap by more than a tolerance it
//! is taken back and shortened, by bisection, until the first of them just touch, and the next one begins
//! there. The engine itself makes these steps, of its snapshots, so that both methods differ in nothing else.

use std::path::Path;

use orthant::engine::Simulation;
use orthant::engine::body::{BodyDesc, BodyKind};
use orthant::engine::settings::Settings;
use orthant::engine::shape::Shape;
use orthant::math::{Double, Real, Vec3, narrow, widen};

use super::Outcome;
use crate::random::Rng;
use crate::scenes::grasp;

/// Longest step (s), which is that of the steps of one length.
pub const STEP: Double = 1.0 / 60.0;
/// Gap up to which bodies touch, and overlap at which a collision is found (m).
const TOUCHING: Double = 1e-6;
/// A step is never shorter than this (s): collisions may follow each other without end.
const SHORTEST: Double = 1e-7;

/// Balls of 0.1 m that fall into a box, without a bounce.
///
/// # Errors
/// The engine refused something.
pub fn balls(count: usize) -> Result<Simulation, String> {
    let mut world = Simulation::new();
    let walls = [(Vec3::Y, 0.0), (Vec3::X, 0.5), (-Vec3::X, 0.5), (Vec3::Z, 0.5), (-Vec3::Z, 0.5)];
    for (normal, away) in walls {
        let shape = Shape::half_space(normal).map_err(|e| e.to_string())?;
        let desc = BodyDesc {
            kind: BodyKind::Static,
            shape: Some(shape),
            position: normal * -away,
            ..BodyDesc::default()
        };
        world.add_body(desc).map_err(|e| e.to_string())?;
    }
    let mut rng = Rng::new(1);
    for k in 0..count {
        let at = |k: usize| 0.26 * (k as Real - 1.0);
        let place = Vec3::new(at(k % 3), 0.3 + 0.26 * (k / 9) as Real, at(k / 3 % 3));
        let desc = BodyDesc {
            shape: Some(Shape::sphere(0.1).map_err(|e| e.to_string())?),
            density: 1000.0,
            position: place + rng.vector(-0.02, 0.02),
            linear_velocity: rng.vector(-0.5, 0.5),
            ..BodyDesc::default()
        };
        world.add_body(desc).map_err(|e| e.to_string())?;
    }
    Ok(world)
}

/// The settings of both methods.
pub fn settings() -> Settings {
    grasp::settings(1.0, 0.3)
}

/// A step in which only what touches has rows; the deepest overlap after it of what had none (m).
fn fly(world: &mut Simulation, settings: &Settings, h: Double) -> Double {
    let open = |gap: Real| widen(gap) > TOUCHING;
    world.begin(settings, narrow(h));
    world.find_pairs(settings);
    world.find_contacts(settings);
    for pair in world.pairs_mut() {
        pair.contacts.retain(|contact| !open(contact.gap));
    }
    let touched: Vec<_> = world
        .pairs()
        .iter()
        .filter(|pair| !pair.contacts.is_empty())
        .map(|pair| pair.key)
        .collect();
    world.build_islands();
    world.assemble(settings);
    world.solve(settings);
    world.integrate();
    world.finish();
    let mut probe = world.clone();
    probe.begin(settings, Real::EPSILON);
    probe.find_pairs(settings);
    probe.find_contacts(settings);
    let others = probe.pairs().iter().filter(|pair| touched.binary_search(&pair.key).is_err());
    let gaps = others.flat_map(|pair| pair.contacts.iter().map(|contact| -widen(contact.gap)));
    gaps.fold(0.0, Double::max)
}

/// What a run needed.
#[derive(Clone, Debug, Default)]
pub struct Needed {
    /// Lengths of its steps (s).
    pub lengths: Vec<Double>,
    /// Steps that were tried, each with its complementarity problems.
    pub tried: usize,
    /// Steps that ended at a collision.
    pub collisions: usize,
    /// Overlap that collisions were given (m).
    pub overlap: Double,
}

/// Simulates, detects and restarts for some time (s).
pub fn with_restarts(world: &mut Simulation, time: Double) -> Needed {
    let (settings, mut needed) = (settings(), Needed::default());
    let mut left = time;
    while left > 1e-9 {
        let (mut free, mut hit) = (0.0, STEP.min(left));
        let mut try_it = |h: Double| {
            let mut next = world.clone();
            needed.tried += 1;
            let overlap = fly(&mut next, &settings, h);
            (next, overlap)
        };
        let mut found = try_it(hit);
        let mut length = hit;
        if found.1 > TOUCHING {
            needed.collisions += 1;
            // The last length that is known to be too long is taken when its overlap is small enough.
            while found.1 > TOUCHING && hit - free > SHORTEST {
                let middle = 0.5 * (free + hit);
                let tried = try_it(middle);
                if tried.1 > 0.0 {
                    (hit, length, found) = (middle, middle, tried);
                } else {
                    free = middle;
                }
            }
        }
        needed.overlap = needed.overlap.max(found.1);
        *world = found.0;
        needed.lengths.push(length);
        left -= length;
    }
    needed
}

/// Numbers of balls.
const COUNTS: [usize; 4] = [1, 3, 9, 27];
/// How long they are watched (s).
const WATCHED: Double = 1.0;

/// The experiment.
pub fn perform(_: &Path) -> Outcome {
    println!(
        "| balls | stops | steps | tried | mean [s] | shortest [s] | overlap [m] | h / mean | h / shortest |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for count in COUNTS {
        let needed = with_restarts(&mut balls(count)?, WATCHED);
        let steps = needed.lengths.len();
        let mean = WATCHED / steps as Double;
        let shortest = needed.lengths.iter().copied().fold(STEP, Double::min);
        println!(
            "| {count} | {} | {steps} | {} | {mean:.1e} | {shortest:.1e} | {:.0e} | {:.1} | {:.0} |",
            needed.collisions,
            needed.tried,
            needed.overlap,
            STEP / mean,
            STEP / shortest
        );
    }
    println!("\n| balls | steps of 1/60 s | unsolved | deepest overlap [m] |");
    println!("|---|---|---|---|");
    for count in COUNTS {
        let (mut world, settings) = (balls(count)?, settings());
        let (mut unsolved, mut deepest): (usize, Real) = (0, 0.0);
        for _ in 0..60 {
            let report = world.step(&settings, narrow(STEP));
            unsolved += usize::from(report.status != orthant::engine::report::StepStatus::Solved);
            deepest = deepest.max(world.infeasibility().1);
        }
        println!("| {count} | 60 | {unsolved} | {deepest:.1e} |");
    }
    Ok(())
}
