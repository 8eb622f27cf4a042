use crate::lit::Lit;

/// An open-addressed set of gates, keyed by their operands without complements. It holds node numbers alone; the
/// operands are read from the builder's nodes. Four to eight bytes a gate.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// Node numbers, 0 where vacant; the length is a power of two.
    slots: Vec<u32>,
    count: usize,
}

/// The nodes of a gate in the order they are stored, which tells an AND from an XOR.
fn key([a, b]: [Lit; 2]) -> (u32, u32) {
    (a.node(), b.node())
}

fn hash((a, b): (u32, u32)) -> u64 {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24
}

impl Table {
    /// Makes room for one more gate.
    pub(super) fn reserve(&mut self, nodes: &[[Lit; 2]]) {
        if (self.count + 1) * 4 <= self.slots.len() * 3 {
            return;
        }
        let length = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        for node in old.into_iter().filter(|node| *node != 0) {
            let mut slot = hash(key(nodes[node as usize])) as usize & (length - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (length - 1);
            }
            self.slots[slot] = node;
        }
    }

    /// The gate over the same nodes, or the slot where it belongs.
    pub(super) fn find(&self, nodes: &[[Lit; 2]], operands: [Lit; 2]) -> Result<u32, usize> {
        let (wanted, mask) = (key(operands), self.slots.len() - 1);
        let mut slot = hash(wanted) as usize & mask;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                node if key(nodes[node as usize]) == wanted => return Ok(node),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// Fills the vacant slot that [`Table::find`] returned.
    pub(super) fn insert(&mut self, vacant: usize, node: u32) {
        self.slots[vacant] = node;
        self.count += 1;
    }
}
