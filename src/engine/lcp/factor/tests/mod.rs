//! The factor against dense elimination, on random systems and on mechanisms.

mod matrices;
mod mechanisms;
mod packed;
mod pattern;
mod solutions;
