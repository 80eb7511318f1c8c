//! Items by groups.

use core::ops::Range;

use super::refill;

/// Items sorted by group, in ascending order within each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    /// Where the items of each group end.
    end: Vec<u32>,
    pub(crate) items: Vec<u32>,
}

impl Groups {
    /// Sorts the items `0, 1, …` by their groups; those of none that there is are left out.
    pub(crate) fn fill(&mut self, groups: usize, group: impl Iterator<Item = u32> + Clone) {
        refill(&mut self.end, groups, 0);
        let mut total = 0;
        for k in group.clone().filter(|&k| (k as usize) < groups) {
            self.end[k as usize] += 1;
            total += 1;
        }
        // Each end is a start first, and moves on with every item.
        let mut sum = 0;
        for end in &mut self.end {
            sum += core::mem::replace(end, sum);
        }
        refill(&mut self.items, total, 0);
        for (i, k) in group.enumerate().filter(|&(_, k)| (k as usize) < groups) {
            let at = &mut self.end[k as usize];
            self.items[*at as usize] = i as u32;
            *at += 1;
        }
    }

    /// Where the items of group `k` are.
    pub(crate) fn range(&self, k: usize) -> Range<usize> {
        let start = if k == 0 { 0 } else { self.end[k - 1] };
        start as usize..self.end[k] as usize
    }

    /// The items of group `k`.
    pub(crate) fn of(&self, k: usize) -> &[u32] {
        &self.items[self.range(k)]
    }
}
