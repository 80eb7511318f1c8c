//! Snapshots whose bytes were changed by someone who knows the checksum.

use std::sync::LazyLock;

use orthant::engine::Simulation;
use orthant::engine::settings::Settings;
use orthant::snapshot::Snapshot;

use super::Bytes;
use crate::support::DT;
use crate::support::moving::{Scene, scenes};

/// Length of the head (bytes): magic, version and precision, then the checksum of what is behind it.
pub const HEAD: usize = 15;

/// The bytes of a snapshot with the checksum that fits.
#[must_use]
pub fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    if bytes.len() >= HEAD {
        let sum = bytes[HEAD..].iter().fold(0xcbf2_9ce4_8422_2325, mix);
        bytes[7..HEAD].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// Snapshots of the moving worlds after twenty steps.
static SOUND: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let of = |scene: Scene| {
        let mut world = scene.world;
        (0..20).for_each(|_| _ = world.step(&scene.settings, DT));
        world.snapshot().expect("between steps").to_bytes()
    };
    scenes().into_iter().map(of).collect()
});

/// Bytes behind a sound head, or a snapshot in which some bytes are others, are left out or come twice: it is
/// refused and nothing happens, or what it makes is stepped and no pose is broken by that.
///
/// # Errors
/// What is wrong with it.
pub fn check_snapshot(bytes: &[u8]) -> Result<(), String> {
    let bytes = &mut Bytes::new(bytes);
    let sound = &SOUND[bytes.below(SOUND.len())];
    let mut other = sound.clone();
    if bytes.one_in(4) {
        other.truncate(HEAD);
        other.extend(core::iter::from_fn(|| (!bytes.is_empty()).then(|| bytes.byte())));
    }
    while !bytes.is_empty() && other.len() > HEAD {
        let place = usize::from(bytes.byte()) << 8 | usize::from(bytes.byte());
        let at = HEAD + place % (other.len() - HEAD);
        match bytes.below(8) {
            0 => other.truncate(at),
            1 => _ = other.remove(at),
            2 => other.insert(at, bytes.byte()),
            3 => other[at] = [0xff, 0x00, 0x80, 0x7f][bytes.below(4)],
            _ => other[at] = bytes.byte(),
        }
    }
    let mut world = Simulation::new();
    let restored =
        Snapshot::from_bytes(&with_checksum(other)).and_then(|snapshot| world.restore(&snapshot));
    if restored.is_err() {
        let nothing = world.bodies().is_empty() && world.joints().next().is_none();
        return if nothing { Ok(()) } else { Err("refused, and something happened".to_owned()) };
    }
    for step in 0..3 {
        world.step(&Settings::default(), DT);
        for body in world.bodies().iter() {
            if !(body.center().is_finite() && body.rotation().is_finite()) {
                return Err(format!("step {step}: body {}: {}", body.id().0, body.center()));
            }
        }
    }
    Ok(())
}
