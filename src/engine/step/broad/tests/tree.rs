//! What trees of boxes cost, and that they hold together.

use crate::engine::step::broad::tree::{NONE, Tree};
use crate::math::Real;

impl Tree {
    /// Half the surface of all nodes together (m²), in proportion to which a query visits nodes.
    pub(super) fn cost(&self) -> Real {
        let mut sum = 0.0;
        let mut open = vec![self.root];
        while let Some(at) = open.pop().filter(|&at| at != NONE) {
            let node = &self.nodes[at as usize];
            sum += node.bounds.half_area();
            if !node.is_leaf() {
                open.extend(node.children);
            }
        }
        sum
    }

    /// Every node is the parent of its children and the box around them, and there is no other; returns
    /// the depth.
    pub(super) fn check(&self, items: usize) -> u32 {
        let (mut leaves, mut used, mut deepest) = (0, 0, 0);
        let mut open = vec![(self.root, NONE, 0)];
        while let Some((at, parent, depth)) = open.pop().filter(|open| open.0 != NONE) {
            let node = &self.nodes[at as usize];
            assert_eq!(node.parent, parent, "node {at} knows its parent");
            used += 1;
            deepest = deepest.max(depth);
            if node.is_leaf() {
                leaves += 1;
                continue;
            }
            let [left, right] = node.children.map(|child| self.bounds(child));
            assert_eq!(node.bounds, left.union(right), "node {at} is the box around both");
            open.extend(node.children.map(|child| (child, at, depth + 1)));
        }
        assert_eq!(leaves, items, "every item has a leaf");
        let mut free = self.free;
        while free != NONE {
            used += 1;
            free = self.nodes[free as usize].parent;
        }
        assert_eq!(used, self.nodes.len(), "every node is in use or free");
        deepest
    }
}
