//! Ferret: silent OT, which makes millions of correlated OTs from a few and a short message.
//!
//! The parties stretch k + t·h correlated OTs to n = t·2^h. The first k are a short secret; a public random
//! code ([`tacit_crypto::local_code`]) expands it to n OTs whose choices are a code word. Noise hides the code word: each of t trees
//! of 2^h leaves turns h OTs into 2^h, of which exactly one, at a random place, has the choice 1. The sum of both is
//! uniform by the assumption of learning parity with noise (LPN). k + t·h of each stage's OTs start the next stage when it is
//! needed, so a session never ends; its very first stage starts from [`crate::softspoken`].
//!
//! A tree ([`tacit_crypto::half_tree`]) sums to delta at every level. For each level below the first, the sender sends
//! the sum of the left nodes, masked by an OT. From it the receiver learns the sum of the side opposite to
//! the OT's choice, and so every leaf but one. The first level is an OT itself.
//!
//! Source: Yang, Weng, Lan, Zhang and Wang, *Ferret: Fast Extension for Correlated OT with Small Communication* (CCS'20), with
//! regular noise; trees as in Guo, Yang, Wang, Zhang, Xie, Liu and Zhao, *Half-Tree* (EUROCRYPT'23), §4 and §5.1.
//! Differs: semi-honest, so trees are not checked for consistency. Places of noise are the choices of the OTs, which are
//! random already, so the receiver sends nothing. The root of a tree is an OT's block, so its first level needs no message.
//! Trees are made one after another on demand, so neither memory nor the first message holds a whole stage.
//! Each tree has its own hash key, and each stage its own code.
//!
//! Security: semi-honest, under LPN with regular noise for local codes in the parameter sets of [`Set`]. Delta and each
//! block have 127 random bits: the least significant one of delta is 1, of the sender's blocks 0, and of the receiver's the
//! choice. If delta leaks, all blocks are revealed; for independent blocks, hash them ([`crate::rot`]).
//! Cost: see [`Params`]. Nothing is sent from receiver to sender after setup.

mod blocks;
mod line;
mod receiver;
pub(crate) mod sender;
mod stage;
mod tree;

pub use receiver::Receiver;
pub use sender::Sender;

use crate::softspoken;
use tacit_math::Block;

/// The extension that makes the OTs of the first stage: the one that sends least.
pub(crate) const SEEDS: softspoken::Params = softspoken::Params::K8;

/// A set of parameters of LPN with regular noise: n = `trees`·2^`depth` samples, one error in each 2^`depth` of them, of a
/// secret of `secrets` bits.
///
/// Cost of attacks, as binary logarithms of operations, computed by `tests/integration/lpn.rs`, which cites their sources and estimates
/// further attacks. The first five treat the code as dense. The others use that a row has ten nonzeros, on the smallest
/// subset of the columns that could exist: Gaussian elimination, dense and by Wiedemann's algorithm, and a search for few errors among the
/// rows within the subset, the cheapest of all estimated attacks. The hybrid attack of 2025 (Wang, Liu and
/// others, ePrint 2025/1284) is not estimated.
///
/// | set | Gauss | ISD | regular ISD | algebraic | statistical | subset, dense | subset, sparse | subset, search |
/// |---|---|---|---|---|---|---|---|---|
/// | [`Set::SEED`] | 241 | 223 | 221 | 224 | 433 | 168 | 162 | 138 |
/// | [`Set::SMALL`] | 239 | 224 | 224 | 222 | 411 | 163 | 155 | 132 |
/// | [`Set::MIDDLE`] | 261 | 243 | 246 | 259 | 441 | 181 | 172 | 148 |
/// | [`Set::LARGE`] | 249 | 236 | 240 | 238 | 407 | 169 | 158 | 135 |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Set {
    /// Trees t: the weight of the noise.
    pub trees: usize,
    /// Levels h of a tree below its root.
    pub depth: u32,
    /// Bits k of the secret.
    pub secrets: usize,
}

impl Set {
    /// 75 776 OTs from 20 528: the step between SoftSpokenOT and [`Set::SMALL`].
    pub const SEED: Set = Set { trees: 592, depth: 7, secrets: 1 << 14 };
    /// 524 288 OTs from 74 752.
    pub const SMALL: Set = Set { trees: 1024, depth: 9, secrets: 1 << 16 };
    /// 1 081 344 OTs from 267 952: the step between [`Set::SMALL`] and [`Set::LARGE`].
    pub const MIDDLE: Set = Set { trees: 528, depth: 11, secrets: 1 << 18 };
    /// 11 141 120 OTs from 1 066 256.
    pub const LARGE: Set = Set { trees: 1360, depth: 13, secrets: 1 << 20 };

    /// OTs of a tree.
    pub const fn leaves(self) -> usize {
        1 << self.depth
    }

    /// OTs of a stage.
    pub const fn samples(self) -> usize {
        self.trees * self.leaves()
    }

    /// OTs from which a stage starts.
    pub const fn seeds(self) -> usize {
        self.secrets + self.trees * self.depth as usize
    }

    /// OTs that a stage hands out; the others start the next stage.
    pub const fn usable(self) -> usize {
        self.samples() - self.seeds()
    }

    /// Bytes that the sender sends for a tree.
    pub const fn tree_bytes(self) -> usize {
        (self.depth as usize - 1) * Block::BYTES
    }
}

/// The sets that a session goes through; it stays at the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Params {
    /// [`Set::SEED`], then [`Set::SMALL`] forever: 2.33 bits per OT, a table of 1 MiB. For up to a few hundred thousand OTs.
    Small,
    /// [`Set::SEED`], [`Set::SMALL`], [`Set::MIDDLE`], then [`Set::LARGE`] forever: 0.21 bits per OT, a table of 16 MiB.
    #[default]
    Large,
}

impl Params {
    /// All parameters, smallest first.
    pub const ALL: [Params; 2] = [Params::Small, Params::Large];

    /// The sets in order.
    pub const fn sets(self) -> &'static [Set] {
        match self {
            Params::Small => &[Set::SEED, Set::SMALL],
            Params::Large => &[Set::SEED, Set::SMALL, Set::MIDDLE, Set::LARGE],
        }
    }

    /// The last set.
    pub const fn set(self) -> Set {
        match self {
            Params::Small => Set::SMALL,
            Params::Large => Set::LARGE,
        }
    }

    /// Bytes that the sender sends for the first `count` OTs after setup. Exact.
    pub const fn bytes(self, count: u64) -> u64 {
        self.trees(count) * self.set().tree_bytes() as u64
    }

    /// Bytes of setup, base OTs included: those of the sender and those of the receiver. Exact.
    pub const fn setup_bytes(self) -> (u64, u64) {
        let (sender, receiver) = SEEDS.setup_bytes();
        let (from_sender, from_receiver) = self.bootstrap_bytes();
        (sender + from_sender, receiver + from_receiver)
    }

    /// Bytes of setup besides the base OTs: those of the sender and those of the receiver. Exact.
    pub const fn derived_bytes(self) -> (u64, u64) {
        let (from_sender, from_receiver) = self.bootstrap_bytes();
        (from_sender, SEEDS.grown_bytes() + from_receiver)
    }

    /// Bytes of [`Sender::bootstrap`] from a fresh session of SoftSpokenOT with k = 8: those of the sender and those of the
    /// receiver. Exact.
    pub const fn bootstrap_bytes(self) -> (u64, u64) {
        let (sets, mut sent, mut i) = (self.sets(), 0, 1);
        while i < sets.len() {
            let trees = sets[i].seeds().div_ceil(sets[i - 1].leaves());
            sent += trees * sets[i - 1].tree_bytes();
            i += 1;
        }
        (sent as u64, SEEDS.bytes(sets[0].seeds() as u64))
    }

    /// Trees of the last set that the first `count` OTs need, including those whose OTs start later stages.
    const fn trees(self, count: u64) -> u64 {
        let set = self.set();
        let stages = count.saturating_sub(1) / set.usable() as u64;
        let left = count - stages * set.usable() as u64;
        stages * set.trees as u64 + left.div_ceil(set.leaves() as u64)
    }
}
