//! A tree of boxes: which of many boxes meet a box, lie on a ray, or are near a point.
//!
//! Boxes in → primitives (their indices) out, in an order that depends on the boxes alone. Built from the top
//! by the surface area heuristic in bins (Wald 2007), O(n log n); below a fixed depth, and where centers
//! coincide, by halves, so that the depth is bounded and a traversal needs no memory but a small array. Nodes
//! lie in one list, both children of a node side by side and after it: 32 bytes a node in single precision.
//!
//! What a leaf holds is visited whole: a traversal never misses a box but may tell of a few others of
//! the same leaf, none with leaves of one. Boxes may be infinite; coordinates that are not numbers are
//! left out of the tree's boxes. Queries that are not numbers find nothing.
//!
//! Deliberately absent: insertion and removal; [`rebuild`](Bvh::rebuild) is fast enough for thousands
//! of boxes a frame, [`refit`](Bvh::refit) for those that move little.

#[cfg(test)]
mod tests;

use crate::math::aabb::Aabb;
use crate::math::{EPSILON, Real, Vec3};

/// Bins of a split.
const BINS: usize = 12;
/// Nodes at this depth and below are split into halves.
const SAH_DEPTH_MAX: u32 = 28;
/// More than the depth of any tree: `SAH_DEPTH_MAX` plus 32 halvings.
const STACK: usize = 64;
/// Primitives of a leaf, unless told otherwise.
const LEAF_MAX: u32 = 4;

#[derive(Clone, Copy, Debug)]
struct BvhNode {
    min: Vec3,
    /// A leaf's first primitive in `order`, or the first of two children.
    first: u32,
    max: Vec3,
    /// Primitives of a leaf; 0 for an inner node.
    count: u32,
}

impl BvhNode {
    fn children(&self) -> [usize; 2] {
        [self.first as usize, self.first as usize + 1]
    }
}

/// A primitive while the tree is built.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Aabb,
    primitive: u32,
}

impl Item {
    /// Twice the center of the box along an axis, finite in any case.
    fn center(&self, axis: usize) -> Real {
        const FAR: Real = 0.1 * Real::MAX;
        let sum = self.bounds.min[axis] + self.bounds.max[axis];
        if sum.is_nan() { 0.0 } else { sum.clamp(-FAR, FAR) }
    }
}

/// A static tree over boxes.
#[derive(Clone, Debug)]
pub struct Bvh {
    nodes: Vec<BvhNode>,
    order: Vec<u32>,
    items: Vec<Item>,
    /// Nodes to split: index, range of items, depth.
    open: Vec<(u32, u32, u32, u32)>,
    leaf_max: u32,
}

impl Default for Bvh {
    fn default() -> Self {
        Self::with_leaves(LEAF_MAX)
    }
}

/// The smallest box around both; what is not a number in `b` is left out.
#[inline]
fn grow(a: Aabb, b: &Aabb) -> Aabb {
    let low = |a: Real, b: Real| if b < a { b } else { a };
    let high = |a: Real, b: Real| if b > a { b } else { a };
    Aabb {
        min: Vec3::new(low(a.min.x, b.min.x), low(a.min.y, b.min.y), low(a.min.z, b.min.z)),
        max: Vec3::new(high(a.max.x, b.max.x), high(a.max.y, b.max.y), high(a.max.z, b.max.z)),
    }
}

impl Bvh {
    /// An empty tree whose leaves hold up to `leaf_max` primitives: 1 where visits are dear, about 4
    /// where they are cheap or memory matters.
    #[must_use]
    pub const fn with_leaves(leaf_max: u32) -> Self {
        let leaf_max = if leaf_max == 0 { 1 } else { leaf_max };
        Self { nodes: Vec::new(), order: Vec::new(), items: Vec::new(), open: Vec::new(), leaf_max }
    }

    /// The tree over `boxes`; a primitive is an index into them. O(n log n).
    #[must_use]
    pub fn build(boxes: &[Aabb]) -> Self {
        let mut tree = Self::default();
        tree.rebuild(boxes);
        // A static tree keeps no buffers.
        tree.items = Vec::new();
        tree.open = Vec::new();
        tree
    }

    /// Builds the tree anew in the memory it has.
    pub fn rebuild(&mut self, boxes: &[Aabb]) {
        self.nodes.clear();
        self.order.clear();
        self.items.clear();
        self.open.clear();
        self.items
            .extend((0_u32..).zip(boxes).map(|(primitive, &bounds)| Item { bounds, primitive }));
        if boxes.is_empty() {
            return;
        }
        let root = BvhNode { min: Vec3::ZERO, first: 0, max: Vec3::ZERO, count: 0 };
        self.nodes.push(root);
        self.open.push((0, 0, self.items.len() as u32, 0));
        while let Some((index, start, end, depth)) = self.open.pop() {
            let items = &mut self.items[start as usize..end as usize];
            let bounds = items.iter().fold(Aabb::EMPTY, |b, item| grow(b, &item.bounds));
            let leaf = items.len() <= self.leaf_max as usize;
            let mut first = start;
            if !leaf {
                let middle = start + split(items, depth) as u32;
                first = self.nodes.len() as u32;
                self.nodes.extend([root; 2]);
                self.open.push((first + 1, middle, end, depth + 1));
                self.open.push((first, start, middle, depth + 1));
            } else {
                items.sort_unstable_by_key(|item| item.primitive);
            }
            let count = if leaf { end - start } else { 0 };
            self.nodes[index as usize] = BvhNode { min: bounds.min, first, max: bounds.max, count };
        }
        self.order.extend(self.items.iter().map(|item| item.primitive));
    }

    /// Takes over new boxes of the same primitives and keeps the structure: O(n). Another number of
    /// boxes builds anew.
    pub fn refit(&mut self, boxes: &[Aabb]) {
        if boxes.len() != self.order.len() {
            return self.rebuild(boxes);
        }
        // Children come after their node.
        for index in (0..self.nodes.len()).rev() {
            let node = self.nodes[index];
            let mut bounds = Aabb::EMPTY;
            if node.count == 0 {
                for child in node.children() {
                    let BvhNode { min, max, .. } = self.nodes[child];
                    bounds = grow(bounds, &Aabb { min, max });
                }
            } else {
                for &primitive in self.leaf(&node) {
                    bounds = grow(bounds, &boxes[primitive as usize]);
                }
            }
            (self.nodes[index].min, self.nodes[index].max) = (bounds.min, bounds.max);
        }
    }

    /// Number of primitives.
    #[must_use]
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Is there no primitive?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Box around all (m); empty without primitives.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        self.nodes.first().map_or(Aabb::EMPTY, |root| Aabb { min: root.min, max: root.max })
    }

    fn leaf(&self, node: &BvhNode) -> &[u32] {
        &self.order[node.first as usize..(node.first + node.count) as usize]
    }

    /// Visits the primitives whose boxes meet `query`.
    #[inline]
    pub fn overlaps(&self, query: &Aabb, mut visit: impl FnMut(u32)) {
        self.overlaps_until(query, |primitive| {
            visit(primitive);
            true
        });
    }

    /// Visits the primitives whose boxes meet `query` until a visit returns false.
    #[inline]
    pub fn overlaps_until(&self, query: &Aabb, mut visit: impl FnMut(u32) -> bool) {
        let meets =
            |node: &BvhNode| query.min.cmple(node.max).all() && node.min.cmple(query.max).all();
        if !self.nodes.first().is_some_and(meets) {
            return;
        }
        let mut stack = [0_u32; STACK];
        let (mut depth, mut at) = (0, 0_usize);
        loop {
            let node = &self.nodes[at];
            if node.count > 0 {
                for &primitive in self.leaf(node) {
                    if !visit(primitive) {
                        return;
                    }
                }
            } else {
                let [left, right] = node.children();
                let met = (meets(&self.nodes[left]), meets(&self.nodes[right]));
                if met.1 && met.0 {
                    stack[depth] = right as u32;
                    depth += 1;
                }
                if met.0 || met.1 {
                    at = if met.0 { left } else { right };
                    continue;
                }
            }
            if depth == 0 {
                return;
            }
            depth -= 1;
            at = stack[depth] as usize;
        }
    }

    /// Visits the primitives whose boxes the ray `origin + t direction`, `0 ≤ t ≤ max`, meets, about
    /// front to back. A visit gets a primitive and the current `max` and returns the new one, which
    /// only ever falls; a negative one ends the cast.
    #[inline]
    pub fn cast_ray(
        &self,
        origin: Vec3,
        direction: Vec3,
        max: Real,
        visit: impl FnMut(u32, Real) -> Real,
    ) {
        self.cast_box(Aabb { min: origin, max: origin }, direction, max, visit);
    }

    /// [`cast_ray`](Self::cast_ray) of a box that moves along `direction`.
    #[inline]
    pub fn cast_box(
        &self,
        bounds: Aabb,
        direction: Vec3,
        max: Real,
        visit: impl FnMut(u32, Real) -> Real,
    ) {
        if direction.is_nan() || bounds.min.is_nan() || bounds.max.is_nan() || max.is_nan() {
            return;
        }
        let slabs = Slabs::new(bounds, direction);
        self.descend(max, |node, max| slabs.entry(node, max), visit);
    }

    /// Visits the primitives whose boxes are within `max` (m) of a point, the near ones first. A visit
    /// gets a primitive and the current `max` and returns the new one, which only ever falls; a
    /// negative one ends the search.
    #[inline]
    pub fn nearest(&self, point: Vec3, max: Real, visit: impl FnMut(u32, Real) -> Real) {
        if point.is_nan() || max.is_nan() {
            return;
        }
        let positive = |x: Real| if x > 0.0 { x } else { 0.0 };
        let distance = |node: &BvhNode, _: Real| {
            let gap = |axis: usize| {
                positive(node.min[axis] - point[axis]) + positive(point[axis] - node.max[axis])
            };
            Vec3::new(gap(0), gap(1), gap(2)).length() * (1.0 - 4.0 * EPSILON)
        };
        self.descend(max, distance, visit);
    }

    /// Best first among siblings: `key` of a node is a lower bound on that of all below it; what is
    /// above `max` is left out.
    #[inline]
    fn descend(
        &self,
        mut max: Real,
        key: impl Fn(&BvhNode, Real) -> Real,
        mut visit: impl FnMut(u32, Real) -> Real,
    ) {
        let Some(root) = self.nodes.first() else { return };
        // An infinite key is a miss.
        max = if max > Real::MAX { Real::MAX } else { max };
        let root_key = key(root, max);
        let mut stack = [(0_u32, 0.0); STACK];
        let (mut depth, mut at, mut at_key) = (0, 0_usize, root_key);
        loop {
            if at_key <= max {
                let node = &self.nodes[at];
                if node.count == 0 {
                    let [left, right] = node.children();
                    let keys = [key(&self.nodes[left], max), key(&self.nodes[right], max)];
                    let (near, far) = if keys[1] < keys[0] { (1, 0) } else { (0, 1) };
                    if keys[far] <= max {
                        stack[depth] = ((left + far) as u32, keys[far]);
                        depth += 1;
                    }
                    (at, at_key) = (left + near, keys[near]);
                    continue;
                }
                for &primitive in self.leaf(node) {
                    let shorter = visit(primitive, max);
                    max = if shorter < max { shorter } else { max };
                }
            }
            if depth == 0 {
                return;
            }
            depth -= 1;
            (at, at_key) = (stack[depth].0 as usize, stack[depth].1);
        }
    }
}

/// A moving box as slabs: when it enters and leaves the slabs of another.
struct Slabs {
    /// The upper and the lower corner of the moving box, a little enlarged.
    corners: [Vec3; 2],
    inverse: Vec3,
}

impl Slabs {
    fn new(bounds: Aabb, direction: Vec3) -> Self {
        let slack = (bounds.min.abs().max(bounds.max.abs())) * (2.0 * EPSILON);
        Self {
            corners: [bounds.max + slack, bounds.min - slack],
            inverse: Vec3::new(1.0 / direction.x, 1.0 / direction.y, 1.0 / direction.z),
        }
    }

    /// When the moving box meets that of a node; infinite if not before `max`. What is 0 · ∞ bounds
    /// nothing: a box along whose face the ray runs is met.
    #[inline]
    fn entry(&self, node: &BvhNode, max: Real) -> Real {
        let (mut enter, mut leave) = (0.0, max);
        for axis in 0..3 {
            let inverse = self.inverse[axis];
            let low = (node.min[axis] - self.corners[0][axis]) * inverse;
            let high = (node.max[axis] - self.corners[1][axis]) * inverse;
            let (near, far) = if inverse >= 0.0 { (low, high) } else { (high, low) };
            let far = far * (1.0 + 4.0 * EPSILON);
            enter = if near > enter { near } else { enter };
            leave = if far < leave { far } else { leave };
        }
        if enter <= leave { enter } else { Real::INFINITY }
    }
}

/// Sorts items into two parts, neither empty; returns the length of the first.
fn split(items: &mut [Item], depth: u32) -> usize {
    let mut low = Vec3::splat(Real::INFINITY);
    let mut high = Vec3::splat(Real::NEG_INFINITY);
    for item in items.iter() {
        let center = Vec3::new(item.center(0), item.center(1), item.center(2));
        low = low.min(center);
        high = high.max(center);
    }
    let size = high - low;
    if depth < SAH_DEPTH_MAX
        && let Some(plane) = best_plane(items, low, size)
    {
        let left = partition(items, |item| plane.bin(item) <= plane.last);
        if left > 0 && left < items.len() {
            return left;
        }
    }
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    let middle = items.len() / 2;
    items.select_nth_unstable_by(middle, |a, b| {
        a.center(axis).total_cmp(&b.center(axis)).then(a.primitive.cmp(&b.primitive))
    });
    middle
}

/// A split between two bins along an axis.
#[derive(Clone, Copy)]
struct SplitPlane {
    axis: usize,
    low: Real,
    scale: Real,
    /// The last bin of the first part.
    last: usize,
}

impl SplitPlane {
    #[inline]
    fn bin(&self, item: &Item) -> usize {
        // The cast takes what is not a number as zero.
        (((item.center(self.axis) - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// The plane of least expected cost `Σ surface · count`; none if no plane parts the centers or if
/// surfaces are not finite.
fn best_plane(items: &[Item], low: Vec3, size: Vec3) -> Option<SplitPlane> {
    let mut best = None;
    let mut best_cost = Real::INFINITY;
    for axis in 0..3 {
        if size[axis] <= 0.0 {
            continue;
        }
        let scale = BINS as Real * (1.0 - 4.0 * EPSILON) / size[axis];
        let plane = SplitPlane { axis, low: low[axis], scale, last: 0 };
        let mut bins = [(Aabb::EMPTY, 0_u32); BINS];
        for item in items {
            let bin = &mut bins[plane.bin(item)];
            *bin = (grow(bin.0, &item.bounds), bin.1 + 1);
        }
        // From the right: cost of all bins after each.
        let mut after = [0.0; BINS];
        let (mut bounds, mut count) = (Aabb::EMPTY, 0);
        for k in (1..BINS).rev() {
            bounds = grow(bounds, &bins[k].0);
            count += bins[k].1;
            after[k - 1] = if count > 0 { bounds.half_area() * count as Real } else { -1.0 };
        }
        let (mut bounds, mut count) = (Aabb::EMPTY, 0);
        for k in 0..BINS - 1 {
            bounds = grow(bounds, &bins[k].0);
            count += bins[k].1;
            let cost = bounds.half_area() * count as Real + after[k];
            if count > 0 && after[k] >= 0.0 && cost < best_cost {
                best_cost = cost;
                best = Some(SplitPlane { last: k, ..plane });
            }
        }
    }
    best
}

/// Moves the items for which `left` holds to the front; returns their number.
fn partition(items: &mut [Item], left: impl Fn(&Item) -> bool) -> usize {
    let mut count = 0;
    for k in 0..items.len() {
        if left(&items[k]) {
            items.swap(k, count);
            count += 1;
        }
    }
    count
}
