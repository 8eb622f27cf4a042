use crate::lit::Lit;

/// Slots near an operand that are tried before the whole table is.
pub(crate) const NEAR: usize = 16;

/// An open-addressed set of gates, keyed by their operands without complements. It holds node numbers alone; the
/// operands are read from the builder's nodes. Eight to sixteen bytes a gate.
///
/// A gate is first sought near the place of its younger operand: what was written lately is still in cache, and most
/// gates use it. A node whose neighbourhood is full, as one that chooses between many words, overflows into the slots
/// that a hash of both operands gives. Nothing is ever removed, so a vacant slot ends either search.
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

fn hash((a, b): (u32, u32)) -> usize {
    let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20) as usize
}

impl Table {
    /// Makes room for one more gate.
    pub(super) fn reserve(&mut self, nodes: &[[Lit; 2]]) {
        if (self.count + 1) * 2 <= self.slots.len() {
            return;
        }
        let length = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        for node in old.into_iter().filter(|node| *node != 0) {
            if let Err(vacant) = self.find(nodes, nodes[node as usize]) {
                self.slots[vacant] = node;
            }
        }
    }

    /// The gate over the same nodes, or the slot where it belongs.
    pub(super) fn find(&self, nodes: &[[Lit; 2]], operands: [Lit; 2]) -> Result<u32, usize> {
        let (wanted, mask) = (key(operands), self.slots.len() - 1);
        let hash = hash(wanted);
        let near = 2 * wanted.0.max(wanted.1) as usize + hash % NEAR;
        for slot in (near..near + NEAR).chain(hash / NEAR..) {
            match self.slots[slot & mask] {
                0 => return Err(slot & mask),
                node if key(nodes[node as usize]) == wanted => return Ok(node),
                _ => {}
            }
        }
        unreachable!("half of the slots are vacant")
    }

    /// Fills the vacant slot that [`Table::find`] returned.
    pub(super) fn insert(&mut self, vacant: usize, node: u32) {
        self.slots[vacant] = node;
        self.count += 1;
    }
}
