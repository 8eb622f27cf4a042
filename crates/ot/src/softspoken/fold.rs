//! Expanding the seeds of one tree and folding them into vectors over GF(2^k).

use super::CHUNK_BLOCKS;
use tacit_crypto::aes::Aes128;
use tacit_math::Block;

/// The seeds of one tree, as AES keys in the order of the Gray code.
///
/// With r\[x\] the expansion of seed x, [`Folder::fold`] gives u, the sum of all r\[x\], and v, the sum of x·r\[x\], row j
/// of which is the sum of those r\[x\] whose x has bit j. Along the Gray code neighbours differ in one bit, so by
/// Abel's summation row j is the sum of the prefix sums after which bit j changes: two additions per seed instead of
/// one and k/2.
pub(super) struct Folder {
    /// Key of the seed with number `gray(t)`; the first is absent if it is the hole.
    keys: Vec<Aes128>,
    /// The t of the first key.
    first: usize,
}

impl Folder {
    /// `leaves` are 2^k seeds. With `hole` leaf 0 is unknown, and its expansion counts as zero.
    pub(super) fn new(leaves: &[Block], hole: bool) -> Folder {
        let first = usize::from(hole);
        let keys = (first..leaves.len()).map(|t| Aes128::new(leaves[t ^ (t >> 1)])).collect();
        Folder { keys, first }
    }

    /// Overwrites `rows`, k rows of as many blocks as `u` has, with v, and `u` with u, both for the blocks from number
    /// `position` of every expansion on.
    pub(super) fn fold(&self, position: u64, rows: &mut [Block], u: &mut [Block]) {
        let width = u.len();
        let counters: [Block; CHUNK_BLOCKS] =
            std::array::from_fn(|i| Block(u128::from(position) + i as u128));
        let mut expansion = [Block::ZERO; CHUNK_BLOCKS];
        let expansion = &mut expansion[..width];
        rows.fill(Block::ZERO);
        u.fill(Block::ZERO);
        let last = self.first + self.keys.len() - 1;
        for (t, key) in (self.first..).zip(&self.keys) {
            expansion.copy_from_slice(&counters[..width]);
            key.encrypt_blocks(expansion);
            // After the last number, whose only bit is the highest, the code returns to zero.
            let changed = if t == last { last.ilog2() } else { (t + 1).trailing_zeros() };
            let row = &mut rows[changed as usize * width..][..width];
            for ((prefix, row), block) in u.iter_mut().zip(row).zip(&*expansion) {
                *prefix ^= *block;
                *row ^= *prefix;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_crypto::Prg;

    /// u and v by their definition.
    fn direct(leaves: &[Block], hole: bool, position: u64, width: usize) -> (Vec<Block>, Vec<Block>) {
        let k = leaves.len().ilog2() as usize;
        let (mut rows, mut u) = (vec![Block::ZERO; k * width], vec![Block::ZERO; width]);
        for (x, &leaf) in leaves.iter().enumerate().skip(usize::from(hole)) {
            for i in 0..width {
                let block = Aes128::new(leaf).encrypt(Block(u128::from(position) + i as u128));
                u[i] ^= block;
                (0..k).filter(|j| x >> j & 1 == 1).for_each(|j| rows[j * width + i] ^= block);
            }
        }
        (rows, u)
    }

    #[test]
    fn folding_along_the_gray_code_is_summation() {
        let mut prg = Prg::new(Block(5));
        for k in [1, 2, 4, 8] {
            let leaves: Vec<Block> = (0..1 << k).map(|_| prg.next_block()).collect();
            for (hole, width) in [(false, CHUNK_BLOCKS), (false, 3), (true, 1), (true, CHUNK_BLOCKS)] {
                let (mut rows, mut u) = (vec![Block::ONES; k * width], vec![Block::ONES; width]);
                Folder::new(&leaves, hole).fold(77, &mut rows, &mut u);
                assert_eq!((rows, u), direct(&leaves, hole, 77, width));
            }
        }
    }
}
