//! Colors: which pairs of bodies may be solved side by side.
//!
//! Input: pairs of bodies. Output: the pairs sorted by color, such that no two of a color share a body that
//! moves, so that the order within a color does not matter. Greedy in the order of the pairs: each takes the
//! first color that both of its bodies are free of; a body with 64 colors leaves the rest of its pairs to an
//! overflow that is solved one by one. Deterministic; kept while the list of pairs stays the same. O(pairs).

use crate::math::{Groups, fill_from, refill};
use core::ops::Range;

/// Colors that a body can be in; one bit each.
const COLORS: usize = 64;
/// Largest size of an item, in points or rows.
pub(super) const SIZE_MAX: usize = 6;
/// Keys of the sort: colors and the overflow, each by size.
const KEYS: usize = (COLORS + 1) * (SIZE_MAX + 1);

/// Bodies a and b, an index of the number of bodies standing for the fixed world, and a size.
pub(super) type Item = [u32; 3];

/// Items sorted by color, larger ones first within a color.
#[derive(Clone, Debug, Default)]
pub(super) struct Coloring {
    /// What the colors were made for.
    items: Vec<Item>,
    bodies: usize,
    /// Sort key of each item.
    keys: Vec<u16>,
    /// Colors that each body is in.
    used: Vec<u64>,
    /// Items in order of their keys.
    pub(super) order: Groups,
    /// Where each color ends in `order`.
    pub(super) ends: Vec<u32>,
    /// Where the overflow starts in `order`.
    overflow: usize,
}

impl Coloring {
    /// Colors the items, unless they are those of the last call.
    pub(super) fn update(&mut self, bodies: usize, items: impl Iterator<Item = Item> + Clone) {
        let count = items.clone().count();
        if self.bodies == bodies
            && self.items.len() == count
            && items.clone().zip(&self.items).all(|(new, old)| new == *old)
        {
            return;
        }
        self.bodies = bodies;
        fill_from(&mut self.items, items);
        refill(&mut self.used, bodies, 0);
        self.keys.clear();
        for &[a, b, size] in &self.items {
            let pair = [a as usize, b as usize];
            let taken = pair.iter().fold(0, |m, &i| m | self.used.get(i).copied().unwrap_or(0));
            let color = (!taken).trailing_zeros() as usize;
            if color < COLORS {
                for i in pair {
                    if let Some(used) = self.used.get_mut(i) {
                        *used |= 1 << color;
                    }
                }
            }
            let size = (size as usize).min(SIZE_MAX);
            self.keys.push((color * (SIZE_MAX + 1) + SIZE_MAX - size) as u16);
        }
        self.sort();
    }

    fn sort(&mut self) {
        self.order.fill(KEYS, self.keys.iter().map(|&key| key.into()));
        let order = &self.order;
        let first = |color: usize| order.range(color * (SIZE_MAX + 1)).start;
        self.overflow = first(COLORS);
        fill_from(&mut self.ends, (1..=COLORS).map(|color| first(color) as u32));
        self.ends.dedup();
    }

    /// Ranges of `order` that may be solved side by side, of at most `lanes` items, color by color.
    pub(super) fn groups(&self, lanes: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = core::iter::once(0).chain(self.ends.iter().copied());
        let colors = starts.zip(&self.ends).flat_map(move |(start, &end)| {
            let (start, end) = (start as usize, end as usize);
            (start..end).step_by(lanes).map(move |i| i..(i + lanes).min(end))
        });
        colors.chain((self.overflow..self.order.items.len()).map(|i| i..i + 1))
    }
}
