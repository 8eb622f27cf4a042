//! A cut: a few nodes that determine another node, and the function that computes it from them.

use super::function::{VARIABLE, VARIABLES, depends, exchanged};

/// Nodes that determine a node, ascending, and the node as a function of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) leaves: [u32; VARIABLES],
    pub(super) count: u8,
    /// The number of ANDs of the function.
    pub(super) ands: u8,
    pub(super) table: u64,
    /// A bit for each leaf, by its number modulo 64.
    signature: u64,
}

impl Cut {
    /// Leaves, of which those beyond `count` are zero, and a function of them.
    pub(super) fn new(leaves: [u32; VARIABLES], count: usize, table: u64) -> Cut {
        let signature = leaves[..count].iter().fold(0, |all, leaf| all | 1 << (leaf % 64));
        Cut { leaves, count: count as u8, ands: 0, table, signature }
    }

    /// Whether both certainly have more than `most` leaves together, decided without comparing them.
    pub(super) fn union_is_above(&self, other: &Cut, most: usize) -> bool {
        (self.signature | other.signature).count_ones() as usize > most
    }

    pub(super) fn has_leaves_of(&self, other: &Cut) -> bool {
        self.signature == other.signature && self.count == other.count && self.leaves == other.leaves
    }

    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..self.count as usize]
    }

    /// The same leaves with another function of this many ANDs.
    pub(super) fn with(self, table: u64, ands: u8) -> Cut {
        Cut { table, ands, ..self }
    }

    pub(super) fn of_node(node: u32) -> Cut {
        let mut leaves = [0; VARIABLES];
        leaves[0] = node;
        Cut::new(leaves, 1, VARIABLE[0])
    }

    pub(super) fn constant() -> Cut {
        Cut::new([0; VARIABLES], 0, 0)
    }

    /// The table over the leaves of `wide`, which include those of this cut.
    pub(super) fn over(&self, wide: &[u32]) -> u64 {
        let mut table = self.table;
        let mut place = wide.len();
        for own in (0..self.count as usize).rev() {
            place = wide[..place].iter().rposition(|leaf| *leaf == self.leaves[own]).unwrap_or(own);
            table = exchanged(table, own, place);
        }
        table
    }

    /// The same cut without leaves on which the function does not depend.
    pub(super) fn without_idle_leaves(mut self) -> Cut {
        let count = self.count as usize;
        if (0..count).all(|place| depends(self.table, place)) {
            return self;
        }
        let mut kept = 0;
        for place in 0..count {
            if depends(self.table, place) {
                self.leaves[kept] = self.leaves[place];
                self.table = exchanged(self.table, kept, place);
                kept += 1;
            }
        }
        self.leaves[kept..].fill(0);
        Cut { ands: self.ands, ..Cut::new(self.leaves, kept, self.table) }
    }
}

/// The leaves of both, ascending; `None` if there are more than `most`.
pub(super) fn union(a: &[u32], b: &[u32], most: usize) -> Option<([u32; VARIABLES], usize)> {
    let (mut leaves, mut count, mut i, mut j) = ([0; VARIABLES], 0, 0, 0);
    while i < a.len() || j < b.len() {
        let (x, y) = (a.get(i).copied().unwrap_or(u32::MAX), b.get(j).copied().unwrap_or(u32::MAX));
        if count == most {
            return None;
        }
        leaves[count] = x.min(y);
        count += 1;
        i += usize::from(x <= y);
        j += usize::from(y <= x);
    }
    Some((leaves, count))
}
