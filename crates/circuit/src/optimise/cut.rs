//! A cut: few nodes from which another follows, and the function by which it does.

use super::function::{VARIABLE, VARIABLES, depends, exchanged};

/// Nodes that determine a node, ascending, with the function of them that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    pub(super) leaves: [u32; VARIABLES],
    pub(super) count: u8,
    /// ANDs that the function takes.
    pub(super) ands: u8,
    pub(super) table: u64,
}

impl Cut {
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..self.count as usize]
    }

    /// The same leaves with another function, of so many ANDs.
    pub(super) fn with(self, table: u64, ands: u8) -> Cut {
        Cut { table, ands, ..self }
    }

    pub(super) fn of_node(node: u32) -> Cut {
        let mut leaves = [0; VARIABLES];
        leaves[0] = node;
        Cut { leaves, count: 1, ands: 0, table: VARIABLE[0] }
    }

    pub(super) fn constant() -> Cut {
        Cut { leaves: [0; VARIABLES], count: 0, ands: 0, table: 0 }
    }

    /// The table over the leaves of `wide`, of which this one's are a part.
    pub(super) fn over(&self, wide: &[u32]) -> u64 {
        let mut table = self.table;
        let mut place = wide.len();
        for own in (0..self.count as usize).rev() {
            place = wide[..place].iter().rposition(|leaf| *leaf == self.leaves[own]).unwrap_or(own);
            table = exchanged(table, own, place);
        }
        table
    }

    /// The leaves that the function does not depend on left out.
    pub(super) fn without_idle_leaves(mut self) -> Cut {
        let mut kept = 0;
        for place in 0..self.count as usize {
            if depends(self.table, place) {
                self.leaves[kept] = self.leaves[place];
                self.table = exchanged(self.table, kept, place);
                kept += 1;
            }
        }
        self.leaves[kept..].fill(0);
        self.count = kept as u8;
        self
    }
}

/// The leaves of both, ascending; `None` where there are more than `most`.
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
