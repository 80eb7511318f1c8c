//! Steps of different lengths, one after the other.

use orthant::engine::Simulation;
use orthant::engine::body::BodyKind;
use orthant::engine::settings::Settings;
use orthant::math::{Real, Vec3};
use orthant_lab::support::{DT, add, add_floor, body, change, cuboid, end_step};

/// By how much the arms of contacts lead to different places (m), at most.
fn torn(world: &Simulation) -> Real {
    let apart = |pair: &orthant::engine::pair::Pair| {
        let [a, b] = [pair.key.a, pair.key.b].map(|id| body(world, id).center());
        let of = |arms: [Vec3; 2]| ((arms[0] - arms[1]) - (b - a)).length();
        pair.contacts.iter().map(|contact| of(contact.arms)).fold(0.0, Real::max)
    };
    world.pairs().iter().map(|pair| apart(pair)).fold(0.0, Real::max)
}

/// Contacts stay as they are while bodies move by less than `c h²`, which is 4.5 mm in steps of half a
/// second, so the arms of a contact lead to places as far apart. The checks of `validate` bore a tenth of a
/// millimetre in steps of any length, as the fuzzer found; they bear what is kept, and when steps get
/// shorter, all is looked at again that stood still since.
#[test]
fn regression_what_a_long_step_kept_a_short_one_finds_anew() {
    let mut world = Simulation::new();
    add_floor(&mut world);
    let id = add(&mut world, BodyKind::Dynamic, cuboid(1.0, 1.0, 1.0), Vec3::Y * 0.5);
    let settings = Settings { gravity: Vec3::ZERO, ..Settings::default() };
    let zone = |dt: Real| settings.contact.stillness * dt * dt + 1e-6;
    let step = |world: &mut Simulation, dt: Real| {
        world.begin(&settings, dt);
        world.find_pairs(&settings);
        world.find_contacts(&settings);
        let seen = (torn(world), world.report().measured);
        end_step(world, &settings);
        seen
    };
    step(&mut world, 0.5);
    change(&mut world, id).linear_velocity = Vec3::X * 0.008;
    step(&mut world, 0.5);
    change(&mut world, id).linear_velocity = Vec3::ZERO;
    for _ in 0..3 {
        let (torn, measured) = step(&mut world, 0.5);
        assert!(torn > 0.003 && torn <= zone(0.5) && measured == 0, "{torn} m: it is kept");
    }
    let (torn, _) = step(&mut world, DT);
    assert!(torn <= zone(DT), "{torn} m apart in a short step");
    assert_eq!(step(&mut world, DT).1, 0, "and is kept from there on");
}
