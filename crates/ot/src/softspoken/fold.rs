//! The seeds of one tree, ready to be expanded and folded.

use tacit_crypto::aes::Aes128;
use tacit_crypto::fold::fold;
use tacit_math::Block;

/// The seeds of one tree as AES keys, in the order of the Gray code.
pub(super) struct Folder {
    keys: Vec<Aes128>,
    /// Whether leaf 0, the first in that order, is missing.
    hole: bool,
}

impl Folder {
    /// `leaves` are 2^k seeds. With `hole`, leaf 0 is unknown, and its expansion counts as zero.
    pub(super) fn new(leaves: &[Block], hole: bool) -> Folder {
        let keys = (usize::from(hole)..leaves.len()).map(|t| Aes128::new(leaves[t ^ (t >> 1)])).collect();
        Folder { keys, hole }
    }

    /// Overwrites `rows`, k rows of as many blocks as `u` has, with v, and `u` with u: see [`fold`].
    pub(super) fn fold(&self, position: u64, rows: &mut [Block], u: &mut [Block]) {
        fold(&self.keys, self.hole, position, rows, u);
    }
}
