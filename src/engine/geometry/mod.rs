//! Shapes, the ratio metric, trees and queries. Knows no body, no motion and no force.

pub mod bvh;
pub mod ratio;
pub mod shape;
