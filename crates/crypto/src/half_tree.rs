//! Correlated trees: seed trees whose levels all have the same sum (XOR), namely the secret offset with which
//! the root began.
//!
//! Node x has the children H(x) and H(x) ^ x, so a level has the same sum as the level above. A tree is
//! stored level by level: in a level of w nodes, the left child of the node at index j is at j and its right
//! one at j + w, so that bit i of a leaf's index is the side taken at level i.
//!
//! Source: Guo, Yang, Wang, Zhang, Xie, Liu, Zhao, *Half-Tree: Halving the Cost of Tree Expansion in COT and
//! DPF* (EUROCRYPT'23), §4.1, with the hash pi(x) ^ sigma(x), where pi is [`crate::aes`] and sigma, as in
//! half gates, is linear and one to one, and so is sigma(x) ^ x. Differs: sigma is not applied to the input
//! of pi, which gives the same hash for another permutation; and each tree has its own permutation.
//! Security: circular correlation robust if pi is an ideal permutation. An adversary's advantage from n
//! hashes under one permutation grows with n, so every tree has its own key.

use crate::aes::Aes128;
use crate::orthomorphism::sigma;
use crate::simd::dispatch;
use tacit_math::Block;

/// Nodes hashed at a time, in the first-level cache.
const CHUNK: usize = 64;
/// Nodes that share one comparison in [`place`], and how many bits count them.
const LANES: usize = 1 << LANE_BITS;
const LANE_BITS: u32 = 4;

/// Grows a level: `nodes[..width]` are its nodes before, and `nodes[..2 * width]` those of the next level
/// afterwards. Returns the sum of the left children.
///
/// Constant time; nodes may be secret, the key of `permutation` is public.
/// Cost: an AES call a node.
///
/// # Panics
/// If `nodes` has no room for twice the width.
pub fn grow(permutation: &Aes128, nodes: &mut [Block], width: usize) -> Block {
    let (left, right) = nodes[..2 * width].split_at_mut(width);
    dispatch::grow(permutation, left, right)
}

/// Replaces the nodes in `left` by their left children and writes their right ones to `right`; returns the
/// sum of the left ones.
pub(crate) fn portable(permutation: &Aes128, left: &mut [Block], right: &mut [Block]) -> Block {
    let mut sum = Block::ZERO;
    for (left, right) in left.chunks_mut(CHUNK).zip(right.chunks_mut(CHUNK)) {
        right.copy_from_slice(left);
        permutation.encrypt_blocks(left);
        for (left, right) in left.iter_mut().zip(right) {
            *left ^= sigma(*right);
            *right ^= *left;
            sum ^= *left;
        }
    }
    sum
}

/// The left child of a node that is zero, which equals its right one.
pub fn child_of_zero(permutation: &Aes128) -> Block {
    permutation.encrypt(Block::ZERO)
}

/// Adds (XOR) `left` to the node at `place` in the first half of a level, and `right` to the one at `place`
/// in the second half; all nodes are first masked with `keep`.
///
/// Constant time: the whole level is written, whatever `place` is, and nothing is divided, since the time of
/// a division depends on its operands. All arguments may be secret.
///
/// # Panics
/// If the level does not consist of two halves whose size is a power of two.
pub fn place(level: &mut [Block], place: usize, left: Block, right: Block, keep: Block) {
    let width = level.len() / 2;
    assert!(width.is_power_of_two() && level.len() == 2 * width, "a level of {} nodes", level.len());
    let (first, second) = level.split_at_mut(width);
    place_in(first, place, left, keep);
    place_in(second, place, right, keep);
}

/// Adds `value` to the node at `place` of a power of two, after masking all with `keep`.
fn place_in(nodes: &mut [Block], place: usize, value: Block, keep: Block) {
    let at: [Block; LANES] =
        std::array::from_fn(|lane| value & Block::mask(equal(lane, place & (LANES - 1))));
    // One of these is empty.
    let (groups, few) = nodes.as_chunks_mut::<LANES>();
    for (number, nodes) in groups.iter_mut().enumerate() {
        let mask = Block::mask(equal(number, place >> LANE_BITS));
        nodes.iter_mut().zip(&at).for_each(|(node, at)| *node = (*node & keep) ^ (*at & mask));
    }
    few.iter_mut().zip(&at).for_each(|(node, at)| *node = (*node & keep) ^ *at);
}

/// Whether two numbers below 2^63 are equal, without a branch.
fn equal(a: usize, b: usize) -> bool {
    ((a ^ b) as u64).wrapping_sub(1) >> 63 == 1
}
