//! Joints that ask for the impossible, of bodies at rest without weight that also touch.

use orthant::engine::Simulation;
use orthant::engine::body::BodyDesc;
use orthant::engine::joint::{JointDesc, JointFrame};
use orthant::engine::settings::Settings;
use orthant::math::{Double, Quat, Vec3, quat_normalize, widen};
use orthant_lab::random::{Rng, times};
use orthant_lab::support::{DT, cuboid};

use super::KINDS;

/// Worlds, with `ORTHANT_TIMES=4` four times as many, and steps of each.
const WORLDS: usize = 100;
const STEPS: usize = 40;

/// Energies below this are not counted as gained (J).
const GAINED: Double = 1e-6;

fn rotation(rng: &mut Rng) -> Quat {
    let (v, w) = (rng.vector(-1.0, 1.0), rng.vector(-1.0, 1.0));
    quat_normalize(Quat::from_xyzw(v.x, v.y, v.z, w.x))
}

/// Two to four boxes somewhere, with joints of any kind between any places of any two of them, or the world.
fn world(rng: &mut Rng) -> Simulation {
    let mut world = Simulation::new();
    let any = |rng: &mut Rng, n: usize| (rng.vector(0.0, n as _).x as usize).min(n - 1);
    let mut ids = Vec::new();
    for _ in 0..2 + any(rng, 3) {
        let size = rng.vector(0.2, 1.0);
        let shape = Some(cuboid(size.x, size.y, size.z));
        let (position, rotation) = (rng.vector(-0.8, 0.8), rotation(rng));
        let desc = BodyDesc { shape, density: 10.0, position, rotation, ..BodyDesc::default() };
        ids.push(world.add_body(desc).expect("a box"));
    }
    for _ in 0..1 + any(rng, 4) {
        let ends = [ids.get(any(rng, ids.len() + 1)).copied(), Some(ids[any(rng, ids.len())])];
        let mut desc = JointDesc::new(KINDS[any(rng, KINDS.len())], ends);
        for frame in &mut desc.frames {
            *frame = JointFrame { anchor: rng.vector(-0.6, 0.6), basis: rotation(rng) };
        }
        desc.collide = true;
        // Of a body with itself there is none.
        let _ = world.add_joint(desc);
    }
    world
}

/// Kinetic energy (J) of all, and their mass (kg).
fn motion(world: &Simulation) -> (Double, Double) {
    world.bodies().iter().fold((0.0, 0.0), |(energy, mass), body| {
        (energy + widen(body.kinetic_energy()), mass + widen(body.mass()))
    })
}

/// Forces of a lock whose anchors are apart are a torque that nothing answers: torn joints made angular
/// momentum, which was kept as if bodies had had it, and in 118 of 400 such worlds up to 1e16 J with it. What
/// the push draws together may turn as fast as it is drawn, and no faster.
#[test]
fn regression_bodies_at_rest_gain_no_more_than_the_push_gives() {
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let most = widen(settings.contact.push_speed_max);
    let mut rng = Rng::new(7);
    let (worlds, mut gained, mut largest) = (WORLDS * times(), 0, (0.0, 0));
    for case in 0..worlds {
        let (mut world, mut highest) = (world(&mut rng), 0.0);
        for step in 0..STEPS {
            world.step(&settings, DT);
            let (energy, mass) = motion(&world);
            let speed = (2.0 * energy / mass).sqrt();
            assert_eq!(world.report().quarantined, [], "world {case}, step {step}: broken");
            assert!(speed <= most, "world {case}, step {step}: {energy} J, {speed} m/s");
            highest = energy.max(highest);
        }
        gained += usize::from(highest > GAINED);
        if highest > largest.0 {
            largest = (highest, case);
        }
    }
    let (energy, case) = largest;
    println!(
        "{gained} of {worlds} worlds gain more than {GAINED} J, world {case} most: {energy} J"
    );
}
