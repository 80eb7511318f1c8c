//! Snapshots as bytes: a head with a checksum, and what they hold in the format of postcard.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{FORMAT, Snapshot, SnapshotError, VERSION};

/// What the bytes of a snapshot begin with.
const NAME: [u8; 4] = *b"ORTS";
/// Name, version, bytes of a number, checksum.
const HEAD: usize = 4 + 2 + 1 + 8;

/// FNV-1a: damage is seen, but not ill will.
fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, mix)
}

impl Snapshot {
    /// Compact bytes, the same for the same state. O(bodies + pairs).
    ///
    /// ```
    /// use orthant::engine::Simulation;
    /// use orthant::snapshot::{Snapshot, SnapshotError};
    ///
    /// # fn main() -> Result<(), SnapshotError> {
    /// let mut world = Simulation::new();
    /// let bytes = world.snapshot()?.to_bytes();
    /// let mut other = Simulation::new();
    /// other.restore(&Snapshot::from_bytes(&bytes)?)?;
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.to_bytes_with(&())
    }

    /// Bytes with something more.
    pub(crate) fn to_bytes_with(&self, more: &impl Serialize) -> Vec<u8> {
        let mut bytes = NAME.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.push(FORMAT.real);
        bytes.extend([0; 8]);
        // Lists of known length into memory: there is nothing that could fail.
        let mut bytes = postcard::to_extend(&(self, more), bytes).unwrap_or_default();
        if let Some((head, body)) = bytes.split_at_mut_checked(HEAD) {
            head[HEAD - 8..].copy_from_slice(&checksum(body).to_le_bytes());
        }
        bytes
    }

    /// The snapshot of bytes that [`to_bytes`](Self::to_bytes) gave.
    ///
    /// # Errors
    /// Another version or precision, or bytes that are truncated, changed or something else. Memory is taken
    /// for what the bytes hold, not for what they say they hold.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::from_bytes_with(bytes).map(|(snapshot, ())| snapshot)
    }

    /// A snapshot with something more.
    pub(crate) fn from_bytes_with<T: DeserializeOwned>(
        bytes: &[u8],
    ) -> Result<(Self, T), SnapshotError> {
        let damaged = SnapshotError::Damaged;
        let (head, body) = bytes.split_at_checked(HEAD).ok_or(damaged.clone())?;
        if head[..4] != NAME {
            return Err(damaged);
        }
        let version = u16::from_le_bytes([head[4], head[5]]);
        if version != VERSION {
            return Err(SnapshotError::Version(version));
        } else if head[6] != FORMAT.real {
            return Err(SnapshotError::Precision(head[6]));
        } else if head[HEAD - 8..] != checksum(body).to_le_bytes() {
            return Err(damaged);
        }
        match postcard::take_from_bytes(body) {
            Ok((both, [])) => Ok(both),
            _ => Err(damaged),
        }
    }
}
