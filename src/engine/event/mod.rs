//! Events: where two pieces touch, or are about to.
//!
//! An event is a corner on a face or two crossing edges; the contact region of two convex polyhedra
//! is the convex hull of its events (thesis, Theorem 3.4). Two ways lead to them:
//!
//! - [`enumerate`] and [`active`]: every event tested one by one, with the windows of the thesis.
//!   The reference, and what the papers' settings run. O(features of a × features of b).
//! - [`clip`]: from the normal of the ratio metric to a [`Manifold`](manifold::Manifold) of
//!   contacts by clipping one face against another. What games run. No allocation.
//!
//! [`choose`] picks the normal that a pair uses for one step.

pub mod active;
pub mod choose;
pub mod clip;
pub mod enumerate;
pub mod exposed;
mod intersect;
pub mod manifold;
mod outline;
mod smooth;
#[cfg(test)]
mod tests;
