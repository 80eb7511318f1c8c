//! What both programs share: a game, a bad network, and messages over it.

pub mod game;
pub mod link;
pub mod network;

/// Frames a second.
pub const RATE: u32 = 60;

/// The argument at a place, or what stands for it.
#[must_use]
pub fn argument(place: usize, default: u32) -> u32 {
    std::env::args().nth(place).and_then(|text| text.parse().ok()).unwrap_or(default)
}
