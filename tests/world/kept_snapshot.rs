//! A snapshot that was written down once: whoever kept one can read it, until its version is another.
//!
//! Only what is restored is compared, nothing of the steps after it: those may change with the method.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use orthant::engine::Simulation;
use orthant::engine::body::Body;
use orthant::engine::collider::Collider;
use orthant::engine::joint::Joint;
use orthant::snapshot::{Snapshot, SnapshotError, VERSION};
use orthant_lab::support::moving::{Mixer, Scene, chain, scene, scenes, together};
use orthant_lab::support::{DOUBLE, DT, fingerprint};

/// What makes the files anew.
const RECORD: &str = "ORTHANT_RECORD=1 cargo test --no-default-features --test world -- kept_snapshot, \
                      and again with --features f64";
/// What is restored: bits of the state, and the sum of all that is told of it.
const SINGLE: (u64, u64) = (0x2b68_657d_f889_4a9c, 0x7e70_e8b6_1ac0_523d);
const DOUBLED: (u64, u64) = (0x7238_a6bf_eb0e_b63d, 0xb950_aa05_d0cd_643f);

fn path() -> PathBuf {
    let name = if DOUBLE { "kept_double.bin" } else { "kept_single.bin" };
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/world").join(name)
}

/// A chain with a motor, a net over a mesh, piles of which some sleep, a sensor, shapes of all kinds.
fn world() -> Simulation {
    let scenes = scenes().into_iter().filter(|scene| ["net", "sleepers"].contains(&scene.name));
    let scenes = scenes.chain([scene("chain", chain(), 0)]).collect();
    let Scene { mut world, settings, .. } = together(scenes, 1);
    for _ in 0..100 {
        world.step(&settings, DT);
    }
    world
}

/// Bits of the state; names, shapes, kinds and joints, who touches and who sleeps, in words, mixed into one
/// number.
fn print(world: &Simulation) -> (u64, u64) {
    let collider = |of: &Collider| {
        let place = (of.position, of.rotation, of.shape.pieces().len());
        (of.tag, of.material, of.layers, of.sensor, place)
    };
    let body = |body: &Body| {
        let colliders: Vec<_> = body.colliders().list().iter().map(collider).collect();
        let names = (body.id(), body.tag, body.kind(), body.locked_axes, body.dominance);
        let manner = (body.gravity_scale, body.linear_damping, body.angular_damping);
        let flags = (body.swept, body.can_sleep, body.is_sleeping(), body.is_quarantined());
        let mass = (body.mass(), body.inertia(), body.center_of_mass(), body.aabb());
        (names, manner, flags, mass, colliders)
    };
    let bodies: Vec<_> = world.bodies().iter().map(body).collect();
    let joint = |joint: &Joint| (joint.id(), *joint.desc(), joint.impulses());
    let joints: Vec<_> = world.joints().map(joint).collect();
    let touches: Vec<_> = world.touches().all().iter().map(|touch| touch.key).collect();
    let sleepers: Vec<_> = world.sleepers().islands().collect();
    let mut mixer = Mixer::default();
    write!(mixer, "{bodies:?} {joints:?} {touches:?} {sleepers:?}").expect("a mixer takes all");
    (fingerprint(world), mixer.0)
}

/// Writes the file; one of the same version stays as it is.
fn record() {
    let bytes = world().snapshot().expect("between steps").to_bytes();
    let known = fs::read(path()).map(|bytes| Snapshot::from_bytes(&bytes));
    let stale = matches!(known, Err(_) | Ok(Err(SnapshotError::Version(_))));
    assert!(stale, "the file is of version {VERSION}: raise that first, in src/snapshot/mod.rs");
    fs::write(path(), bytes).expect("the file can be written");
}

#[test]
fn a_snapshot_that_was_kept_is_read_for_as_long_as_its_version_is_known() {
    if std::env::var_os("ORTHANT_RECORD").is_some() {
        record();
    }
    let bytes = fs::read(path()).expect("the file is there");
    assert!(DOUBLE || bytes.len() < 20_000, "{} bytes", bytes.len());
    let snapshot = Snapshot::from_bytes(&bytes).unwrap_or_else(|error| match error {
        SnapshotError::Version(_) => panic!("{error}: make the files anew, {RECORD}"),
        _ => panic!("{error}: what is written is another. Raise VERSION in src/snapshot/mod.rs"),
    });
    let mut world = Simulation::new();
    world.restore(&snapshot).expect("a world that was sound");
    let (got, known) = (print(&world), if DOUBLE { DOUBLED } else { SINGLE });
    assert!(
        got == known,
        "({:#018x}, {:#018x}) is restored of the kept snapshot. If it was just made anew, write that down \
         here; else what is read is another than what was written: raise VERSION in src/snapshot/mod.rs, \
         then {RECORD}",
        got.0,
        got.1
    );
    let again = world.snapshot().expect("between steps").to_bytes();
    assert!(
        again == bytes,
        "the bytes are others: raise VERSION in src/snapshot/mod.rs, then {RECORD}"
    );
}
