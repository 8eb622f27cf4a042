/// Slots near an operand that are searched before the whole table.
pub(crate) const NEAR: usize = 16;

/// An open-addressed set of gates. It stores only node numbers; the gates themselves are read from the
/// builder. Eight to sixteen bytes for each gate.
///
/// A gate is searched first near the place of its youngest operand: recently written gates are still in
/// cache, and most gates use them. If the neighbourhood of a node is full, as for one that chooses between
/// many words, its gates overflow into slots given by a hash of all operands. Nothing is ever removed, so a
/// vacant slot ends either search.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    /// Node numbers, 0 for vacant slots; the length is a power of two.
    slots: Vec<u32>,
    count: usize,
}

/// Where a gate is searched for.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    youngest: u32,
    hash: usize,
}

impl Place {
    /// By the youngest operand, and a number that few other gates share.
    pub(crate) fn new(youngest: u32, all: u64) -> Place {
        let mixed = all.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20) as usize;
        Place { youngest, hash }
    }
}

impl Table {
    /// An empty table with room for so many gates.
    pub(crate) fn with_capacity(gates: usize) -> Table {
        Table { slots: vec![0; (2 * gates.max(1 << 9)).next_power_of_two()], count: 0 }
    }

    /// Makes room for one more gate; `place` gives the places of existing gates.
    pub(crate) fn reserve(&mut self, place: impl Fn(u32) -> Place) {
        if (self.count + 1) * 2 <= self.slots.len() {
            return;
        }
        let length = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![0; length]);
        for node in old.into_iter().filter(|node| *node != 0) {
            // All of them differ.
            if let Err(vacant) = self.find(place(node), |_| false) {
                self.slots[vacant] = node;
            }
        }
    }

    /// The gate of this place for which `is` holds, or the slot where it belongs.
    pub(crate) fn find(&self, place: Place, is: impl Fn(u32) -> bool) -> Result<u32, usize> {
        let (hash, mask) = (place.hash, self.slots.len() - 1);
        let near = 2 * place.youngest as usize + hash % NEAR;
        for slot in (near..near + NEAR).chain(hash / NEAR..) {
            match self.slots[slot & mask] {
                0 => return Err(slot & mask),
                node if is(node) => return Ok(node),
                _ => {}
            }
        }
        unreachable!("half of the slots are vacant")
    }

    /// Fills the vacant slot that [`Table::find`] returned.
    pub(crate) fn insert(&mut self, vacant: usize, node: u32) {
        self.slots[vacant] = node;
        self.count += 1;
    }
}
