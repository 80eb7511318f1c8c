//! Bodies roll and slide over seams as if there were none, and over real edges as they are.

use orthant::math::{Real, Vec3};
use orthant_lab::random::Rng;
use orthant_lab::support::DT;
use orthant_lab::support::fast::{pass, passers};
use orthant_lab::support::floors::{Floor, Worst, field, mesh, movers, survey, tiles};

/// Sends every body over a floor of 30 m.
fn survey_all(name: &str, floor: Floor) -> Worst {
    let mut all = Worst::default();
    for mover in &movers() {
        let body = mover.name;
        let worst = survey(floor, 30, mover, |speed, angle, offset, one| {
            if one.vertical > 1e-3 || one.turned > 1e-3 || one.slowed > 1e-3 {
                println!("  {name}, {body}: {speed} m/s, angle {angle}, {offset}: {one:?}");
            }
        });
        println!("{name}, {body}: {worst:?}");
        all = all.with(worst);
    }
    all
}

fn assert_smooth(worst: Worst) {
    assert!(worst.vertical <= 1e-3, "vertical speed {}", worst.vertical);
    assert!(worst.turned <= 1e-3, "turned {}", worst.turned);
    assert!(worst.slowed <= 1e-3, "slowed {}", worst.slowed);
}

#[test]
fn a_flat_mesh_has_no_ghosts() {
    assert_smooth(survey_all("mesh", mesh));
}

#[test]
fn a_flat_height_field_has_no_ghosts() {
    assert_smooth(survey_all("field", field));
}

#[test]
fn tiles_have_no_ghosts() {
    assert_smooth(survey_all("tiles", tiles));
}

/// Two bodies as they are that pass each other closely, however they lie, at up to three times their width a
/// step. What contacts are followed may cross their planes by a little more than as they were measured, see
/// `SLIP`: by 0.02 of the eligible depth `20 h²`, in a step `0.4 h` m/s.
#[test]
fn what_flies_past_strikes_nothing() {
    let mut rng = Rng::new(1);
    for passer in &passers() {
        for speed in [1.0, 2.0, 5.0, 8.0, 14.0, 20.0] {
            for miss in [0.001, 0.01, 0.05] {
                for _ in 0..40 {
                    let gained = passer.pass(speed, miss, &mut rng);
                    let most = gained[0].max(gained[1]);
                    let name = passer.name;
                    assert!(most <= 0.4 * DT, "{name}, {speed} m/s, {miss} m: {gained:?} m/s");
                }
            }
        }
    }
}

/// What is swept gives nothing at all to what it misses, and stops at what it meets.
#[test]
fn what_is_swept_strikes_nothing_that_it_misses() {
    for speed in [2.0, 5.0, 8.0, 11.0, 14.0, 20.0] {
        for k in 0..20 {
            let part = k as Real / 20.0;
            for miss in [0.101, 0.11, 0.15] {
                let [other, own] = pass(speed, miss, part, true);
                assert_eq!([other, own], [Vec3::ZERO, Vec3::X * speed], "{speed} m/s, {miss} m");
            }
            let [other, _] = pass(speed, 0.05, part, true);
            assert!(other.length() > 0.1 * speed, "{speed} m/s: met, {other}");
        }
    }
}
