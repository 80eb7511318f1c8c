//! The factor against dense elimination, on random systems and on mechanisms.

mod fronts;
mod matrices;
mod mechanisms;
mod pattern;
mod solutions;
