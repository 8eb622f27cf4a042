//! The state of a stage at both parties: its short secret, the OTs of its trees, its public keys.

use super::Set;
use tacit_crypto::aes::Aes128;
use tacit_crypto::{Oracle, local_code};
use tacit_math::{Block, Table};

/// A stage at one party.
pub(super) struct Stage {
    set: Set,
    /// The blocks of the secret's OTs, then those of the trees.
    seeds: Table,
    /// The hash key of tree i is this ^ i.
    trees: Block,
    code: Aes128,
}

impl Stage {
    /// The `number`-th stage with this set, which starts from the OTs `seeds`. `salt` is that of the session.
    pub(super) fn new(set: Set, salt: Block, number: u64, seeds: Table) -> Stage {
        assert_eq!(seeds.len(), set.seeds(), "the set determines from how many OTs a stage starts");
        let [trees, code] = Oracle::new("tacit ferret v1: keys of a stage")
            .absorb(&salt.to_bytes())
            .absorb(&set.depth.to_le_bytes())
            .absorb(&number.to_le_bytes())
            .halves();
        Stage { set, seeds, trees, code: Aes128::new(code) }
    }

    /// The hash of a tree, and its OTs.
    pub(super) fn tree(&self, tree: usize) -> (Aes128, &[Block]) {
        let depth = self.set.depth as usize;
        let masks = &self.seeds[self.set.secrets + tree * depth..][..depth];
        (Aes128::new(self.trees ^ Block(tree as u128)), masks)
    }

    /// Adds the code word to the leaves of a tree, which makes them OTs.
    pub(super) fn encode(&self, tree: usize, leaves: &mut [Block]) {
        local_code::encode(&self.code, (tree * leaves.len()) as u64, &self.seeds[..self.set.secrets], leaves);
    }
}

/// The progress of a session: which trees are made, and for which ones the sender has sent corrections. It is equal at both parties
/// whenever they have made and offered equally many.
pub(super) struct Progress {
    set: Set,
    /// The number of the stage.
    stage: u64,
    /// Trees of the stage that are made.
    made: usize,
    /// Trees whose corrections the sender has sent; those beyond the stage's trees belong to the next stage.
    offered: usize,
}

impl Progress {
    pub(super) fn new(set: Set) -> Progress {
        Progress { set, stage: 0, made: 0, offered: 0 }
    }

    /// Counts a tree as made. Returns its number.
    pub(super) fn make(&mut self) -> usize {
        self.made += 1;
        self.made - 1
    }

    /// Counts a tree as offered. Returns its number, and whether it belongs to the next stage.
    pub(super) fn offer(&mut self) -> (usize, bool) {
        let tree = self.offered;
        self.offered += 1;
        (tree % self.set.trees, tree >= self.set.trees)
    }

    /// Whether the next tree to be made has not been offered.
    pub(super) fn is_due(&self) -> bool {
        self.made == self.offered
    }

    /// OTs of the stage's trees that are not yet made.
    pub(super) fn left(&self) -> usize {
        (self.set.trees - self.made) * self.set.leaves()
    }

    /// The number of the stage.
    pub(super) fn stage(&self) -> u64 {
        self.stage
    }

    /// Goes on to the next stage.
    pub(super) fn renew(&mut self) {
        self.stage += 1;
        self.made = 0;
        self.offered = self.offered.saturating_sub(self.set.trees);
    }

    /// How many trees must still be offered so that `count` OTs, at most those of a stage, can be made, when `left` OTs of the last tree
    /// are left. If this stage has fewer trees, the next one has started.
    pub(super) fn to_offer(&self, left: usize, count: usize) -> usize {
        let Set { trees, .. } = self.set;
        let last = match count.saturating_sub(left + self.left()) {
            0 => self.made + count.saturating_sub(left).div_ceil(self.set.leaves()),
            more => trees + more.div_ceil(self.set.leaves()),
        };
        last.saturating_sub(self.offered)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Two trees, or two codes, under one key would be correlated.
    #[test]
    fn no_two_trees_and_no_two_codes_have_a_key_in_common() {
        let mut seen = HashSet::new();
        for (set, salt) in [(Set::SEED, 1), (Set::SEED, 2), (Set::SMALL, 1)] {
            for number in 0..3 {
                let stage = Stage::new(set, Block(salt), number, Table::new(set.seeds()));
                let trees = (0..set.trees).map(|tree| stage.tree(tree).0);
                for key in trees.chain([stage.code.clone()]) {
                    assert!(seen.insert(key.encrypt(Block::ZERO)), "stage {number} of {set:?}");
                }
            }
        }
    }
}
