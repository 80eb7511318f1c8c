//! Equal shapes in one place in memory.
//!
//! Input: shapes as bodies bring them, each made by itself. Output: for equal ones, the same. A wall of a
//! thousand equal boxes then keeps one hull (1.8 KB). O(shapes kept) for a shape that comes.

use super::{Convex, Shape};
use std::sync::Arc;

/// How many shapes are kept. Programs make few kinds of bodies, or all of them different.
const KEPT: usize = 32;

/// The shapes that came last.
#[derive(Clone, Debug, Default)]
pub struct Shapes {
    list: Vec<Shape>,
    /// The place of the next one to come, once the list is full.
    next: usize,
}

impl Shapes {
    /// An equal shape that came before, or else this one.
    pub fn share(&mut self, shape: &Shape) -> Shape {
        // Large ones are rarely made twice, and take long to compare.
        let small = |convex: &Convex| match convex {
            Convex::Hull(hull) => hull.vertices.len() <= 64,
            Convex::HalfSpace(_) => true,
            Convex::Mesh(_) => false,
        };
        if shape.pieces.len() > 8 || !shape.pieces.iter().all(|piece| small(&piece.convex)) {
            return shape.clone();
        }
        let known = |other: &&Shape| Arc::ptr_eq(&other.pieces, &shape.pieces) || *other == shape;
        if let Some(known) = self.list.iter().find(known) {
            return known.clone();
        }
        if self.list.len() < KEPT {
            self.list.push(shape.clone());
        } else {
            self.list[self.next] = shape.clone();
            self.next = (self.next + 1) % KEPT;
        }
        shape.clone()
    }
}
