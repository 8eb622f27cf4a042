//! One tree: expands h correlated OTs to 2^h, in which all choices of the receiver but one are zero.
//!
//! Level i, counted from 1, uses OT i of the tree: the sender's block is m\[i\], the receiver's m\[i\] ^ r\[i\]·delta. The
//! path to the leaf that the receiver does not know goes left where r\[i\] is one.

use super::blocks::{UPPER, clear, select};
use tacit_crypto::aes::Aes128;
use tacit_crypto::half_tree::{child_of_zero, grow, place};
use tacit_math::Block;

/// Writes the sender's leaves into `leaves` and, for each level below the first, the masked sum of its left nodes into
/// `corrections`. `masks` are the sender's blocks of the tree's OTs.
pub(super) fn full(
    permutation: &Aes128,
    masks: &[Block],
    delta: Block,
    leaves: &mut [Block],
    corrections: &mut [Block],
) {
    (leaves[0], leaves[1]) = (masks[0], masks[0] ^ delta);
    for ((level, mask), correction) in (1..).zip(&masks[1..]).zip(corrections) {
        *correction = grow(permutation, leaves, 1 << level) ^ *mask;
    }
    clear(leaves);
}

/// Writes the receiver's leaves into `leaves`: those of the sender, except that one differs by delta. `masks` are the receiver's blocks of
/// the tree's OTs, whose least significant bits are their choices.
///
/// Constant time in the place.
pub(super) fn punctured(permutation: &Aes128, masks: &[Block], corrections: &[Block], leaves: &mut [Block]) {
    // The known nodes of a level, with zero in place of the unknown one.
    let side = masks[0].lsb();
    leaves[0] = select(side, masks[0], Block::ZERO);
    leaves[1] = select(side, Block::ZERO, masks[0]);
    let mut known = masks[0];
    let mut hole = usize::from(!side);
    let garbage = child_of_zero(permutation);
    for ((level, mask), correction) in (1usize..).zip(&masks[1..]).zip(corrections) {
        let (width, side) = (1 << level, mask.lsb());
        let left = grow(permutation, leaves, width);
        // The sum over the side that the path leaves, minus the known nodes there, is the unknown node's child on that side.
        let right = left ^ known;
        let child = *correction ^ *mask ^ select(side, left, right) ^ garbage;
        known ^= child;
        // Both children of the unknown node are garbage now: one gets its value, the other becomes the unknown one. The unknown
        // leaf gets the sum of all others, which differs from it by delta.
        let last = level == masks.len() - 1;
        let unknown = known & Block::mask(last);
        let (left, right) = (select(side, child, unknown), select(side, unknown, child));
        let (keep, choice) = if last { (UPPER, Block(1)) } else { (Block::ONES, Block::ZERO) };
        let [left, right] = [left, right].map(|node| (node ^ garbage) & keep);
        let choices = [select(side, Block::ZERO, choice), select(side, choice, Block::ZERO)];
        place(&mut leaves[..2 * width], hole, left ^ choices[0], right ^ choices[1], keep);
        hole |= usize::from(!side) << level;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_crypto::Prg;

    #[test]
    fn leaves_differ_at_one_place_by_delta() {
        let mut prg = Prg::new(Block(11));
        for depth in 2..9u32 {
            let mut holes = std::collections::HashSet::new();
            for _ in 0..1 << depth {
                let permutation = Aes128::new(prg.next_block());
                let delta = prg.next_block().with_lsb();
                let sent: Vec<Block> = (0..depth).map(|_| prg.next_block() & UPPER).collect();
                let received: Vec<Block> =
                    sent.iter().map(|&mask| mask ^ (delta & Block::mask(prg.next_u64() & 1 == 1))).collect();
                let mut leaves = vec![Block::ONES; 1 << depth];
                let mut corrections = vec![Block::ZERO; depth as usize - 1];
                full(&permutation, &sent, delta, &mut leaves, &mut corrections);
                let mut known = vec![Block::ONES; 1 << depth];
                punctured(&permutation, &received, &corrections, &mut known);
                let hole = (0..depth).fold(0, |hole, i| hole | usize::from(!received[i as usize].lsb()) << i);
                for (place, (v, w)) in leaves.iter().zip(&known).enumerate() {
                    assert_eq!(*v ^ *w, delta & Block::mask(place == hole), "depth {depth}, place {place}");
                    assert_eq!((v.lsb(), w.lsb()), (false, place == hole));
                }
                holes.insert(hole);
            }
            assert!(holes.len() > 1 << (depth - 1), "{} places of 2^{depth}", holes.len());
        }
    }
}
