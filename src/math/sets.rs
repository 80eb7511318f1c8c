//! Sets of indices: disjoint ones, and those of a list of marks.

/// Disjoint sets over indices, joined under their smallest member.
#[derive(Clone, Debug, Default)]
pub struct DisjointSets {
    parent: Vec<u32>,
}

impl DisjointSets {
    /// `n` sets of one member each.
    pub fn reset(&mut self, n: usize) {
        self.parent.clear();
        self.parent.extend(0..n as u32);
    }

    /// Keeps `n` of them, new ones of one member each.
    pub fn resize(&mut self, n: usize) {
        self.parent.truncate(n);
        self.parent.extend(self.parent.len() as u32..n as u32);
    }

    /// Makes `i` a set by itself; none may be joined with it that is not made one as well.
    pub fn part(&mut self, i: u32) {
        self.parent[i as usize] = i;
    }

    /// The smallest member of the set of `i`.
    #[inline]
    pub fn find(&mut self, i: u32) -> u32 {
        let mut root = i;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = i;
        while self.parent[at as usize] != root {
            at = core::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    /// Joins the sets of `i` and `j`.
    pub fn join(&mut self, i: u32, j: u32) {
        let (i, j) = (self.find(i), self.find(j));
        self.link(i, j);
    }

    /// Joins two sets of which `i` and `j` are the smallest members.
    pub fn link(&mut self, i: u32, j: u32) {
        self.parent[i.max(j) as usize] = i.min(j);
    }
}

/// The places of those that are true, ascending. Many that are not are passed at once.
pub fn marked(list: &[bool]) -> impl Iterator<Item = usize> {
    let parts = list.chunks(64).enumerate();
    let parts = parts.filter(|(_, part)| part.iter().fold(false, |any, mark| any | mark));
    parts.flat_map(|(k, part)| {
        let places = part.iter().enumerate().filter(|(_, mark)| **mark);
        places.map(move |(i, _)| 64 * k + i)
    })
}
