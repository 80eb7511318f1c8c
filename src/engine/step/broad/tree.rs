//! A tree of boxes that come, go and move: which of them meet a box.
//!
//! Input: boxes, each with an item (a number). Output: the items whose boxes meet a query. A binary tree
//! in one list with a free list. A new leaf goes where it costs least surface, by the greedy descent of
//! Box2D; on the way up every node that changed is fitted anew and, where that shrinks a child, a child
//! changes places with a grandchild (Kopta et al. 2012). So depth and surface stay good without rebuilding,
//! whatever the order of changes. A leaf that moves looks for its new place below the nearest node that
//! holds it: a descent from the root would come by there. What is found does not depend on the shape of the
//! tree; the order does. Insertion, removal and moves are O(depth), a query O(depth + found).

use smallvec::SmallVec;

use crate::engine::geometry::shape::Aabb;

/// No node, no item.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
pub(super) struct TreeNode {
    pub(super) bounds: Aabb,
    /// The node above; for a free node the next free one.
    pub(super) parent: u32,
    /// Two nodes; for a leaf nothing and its item.
    pub(super) children: [u32; 2],
}

impl TreeNode {
    pub(super) const fn is_leaf(&self) -> bool {
        self.children[0] == NONE
    }
}

/// A tree of boxes.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    pub(super) nodes: Vec<TreeNode>,
    pub(super) root: u32,
    pub(super) free: u32,
}

impl Default for Tree {
    fn default() -> Self {
        Self { nodes: Vec::new(), root: NONE, free: NONE }
    }
}

impl Tree {
    /// Adds a box; returns the name of its leaf.
    pub(super) fn insert(&mut self, bounds: Aabb, item: u32) -> u32 {
        let leaf = self.take_node(TreeNode { bounds, parent: NONE, children: [NONE, item] });
        self.attach(leaf, self.root);
        leaf
    }

    /// Removes a leaf.
    pub(super) fn remove(&mut self, leaf: u32) {
        self.detach(leaf);
        self.give_back(leaf);
    }

    /// Gives a leaf another box. It stays below the nearest node above that holds it.
    pub(super) fn set(&mut self, leaf: u32, bounds: Aabb) {
        let mut above = self.detach(leaf);
        self.node_mut(leaf).bounds = bounds;
        while above != NONE && self.bounds(above).union(bounds) != self.bounds(above) {
            above = self.nodes[above as usize].parent;
        }
        self.attach(leaf, if above == NONE { self.root } else { above });
    }

    /// The box of a node.
    #[inline]
    pub(super) fn bounds(&self, leaf: u32) -> Aabb {
        self.nodes[leaf as usize].bounds
    }

    /// Visits the items whose boxes meet a box.
    #[inline]
    pub(super) fn overlaps(&self, query: Aabb, mut visit: impl FnMut(u32)) {
        let mut open: SmallVec<[u32; 64]> = SmallVec::new();
        let meets = |at: u32| at != NONE && self.bounds(at).meets(query);
        let mut at = if meets(self.root) { self.root } else { NONE };
        while at != NONE {
            let node = &self.nodes[at as usize];
            let [left, right] = node.children;
            at = NONE;
            if node.is_leaf() {
                visit(right);
            } else {
                // Only what meets the query is kept for later.
                let [on_left, on_right] = [meets(left), meets(right)];
                if on_left && on_right {
                    open.push(right);
                }
                at = if on_left {
                    left
                } else if on_right {
                    right
                } else {
                    NONE
                };
            }
            if at == NONE {
                at = open.pop().unwrap_or(NONE);
            }
        }
    }

    fn node_mut(&mut self, at: u32) -> &mut TreeNode {
        &mut self.nodes[at as usize]
    }

    fn take_node(&mut self, node: TreeNode) -> u32 {
        if self.free == NONE {
            self.nodes.push(node);
            return self.nodes.len() as u32 - 1;
        }
        let at = self.free;
        self.free = self.nodes[at as usize].parent;
        *self.node_mut(at) = node;
        at
    }

    fn give_back(&mut self, at: u32) {
        self.node_mut(at).parent = self.free;
        self.free = at;
    }

    /// Hangs a leaf into the tree, below a node or beside it.
    fn attach(&mut self, leaf: u32, below: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.node_mut(leaf).parent = NONE;
            return;
        }
        let bounds = self.bounds(leaf);
        let sibling = self.best_sibling(bounds, below);
        let above = self.nodes[sibling as usize].parent;
        let union = bounds.union(self.bounds(sibling));
        let parent =
            self.take_node(TreeNode { bounds: union, parent: above, children: [sibling, leaf] });
        self.node_mut(sibling).parent = parent;
        self.node_mut(leaf).parent = parent;
        self.replace_child(above, sibling, parent);
        self.refit(above);
    }

    /// Takes a leaf out of the tree; returns the node that was two above it, if any.
    fn detach(&mut self, leaf: u32) -> u32 {
        let parent = self.nodes[leaf as usize].parent;
        if parent == NONE {
            self.root = NONE;
            return NONE;
        }
        let TreeNode { parent: above, children: [left, right], .. } = self.nodes[parent as usize];
        let sibling = if left == leaf { right } else { left };
        self.node_mut(sibling).parent = above;
        self.replace_child(above, parent, sibling);
        self.give_back(parent);
        self.refit(above);
        above
    }

    fn replace_child(&mut self, parent: u32, old: u32, new: u32) {
        if parent == NONE {
            self.root = new;
            return;
        }
        let children = &mut self.node_mut(parent).children;
        children[usize::from(children[1] == old)] = new;
    }

    /// The node beside which a box adds least surface, from a node on downward.
    fn best_sibling(&self, bounds: Aabb, mut at: u32) -> u32 {
        loop {
            let node = &self.nodes[at as usize];
            if node.is_leaf() {
                return at;
            }
            let together = node.bounds.union(bounds).half_area();
            // What every node below has to pay for those above it.
            let inherited = together - node.bounds.half_area();
            let cost = |child: u32| {
                let child = &self.nodes[child as usize];
                let union = child.bounds.union(bounds).half_area();
                inherited + if child.is_leaf() { union } else { union - child.bounds.half_area() }
            };
            let [left, right] = node.children.map(cost);
            // Written so that what is not a number goes down.
            if together < left && together < right {
                return at;
            }
            at = node.children[usize::from(right < left)];
        }
    }

    /// Fits a node and those above it to their children, up to the first that is as it was.
    fn refit(&mut self, mut at: u32) {
        while at != NONE {
            self.rotate(at);
            let TreeNode { bounds, parent, children: [left, right] } = self.nodes[at as usize];
            let fitted = self.bounds(left).union(self.bounds(right));
            if fitted == bounds {
                return;
            }
            self.node_mut(at).bounds = fitted;
            at = parent;
        }
    }

    /// Lets a child change places with a child of the other where that shrinks the other most.
    fn rotate(&mut self, at: u32) {
        let children = self.nodes[at as usize].children;
        let mut best = (0.0, 0, 0);
        for side in 0..2 {
            let [moved, other] = [children[side], children[1 - side]];
            let other = &self.nodes[other as usize];
            if other.is_leaf() {
                continue;
            }
            let before = other.bounds.half_area();
            for k in 0..2 {
                let stays = self.bounds(other.children[1 - k]);
                let gain = before - stays.union(self.bounds(moved)).half_area();
                if gain > best.0 {
                    best = (gain, side, k);
                }
            }
        }
        let (gain, side, k) = best;
        if gain > 0.0 {
            let [moved, other] = [children[side], children[1 - side]];
            let grandchild = self.nodes[other as usize].children[k];
            self.node_mut(at).children[side] = grandchild;
            self.node_mut(grandchild).parent = at;
            self.node_mut(other).children[k] = moved;
            self.node_mut(moved).parent = other;
            let [left, right] = self.nodes[other as usize].children;
            self.node_mut(other).bounds = self.bounds(left).union(self.bounds(right));
        }
    }
}
