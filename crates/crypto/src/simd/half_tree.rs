//! Growing a level of a correlated tree in registers.

use super::Wide;
use crate::aes::Aes128;
use crate::half_tree::portable;
use tacit_math::Block;

/// How many registers are hashed side by side, so that the AES unit is never idle.
const SIDE_BY_SIDE: usize = 8;

/// See [`crate::half_tree::grow`]; both slices are of the same length.
///
/// # Safety
/// The processor must have the instructions of `V`.
#[inline(always)]
pub(crate) unsafe fn grow<V: Wide>(permutation: &Aes128, left: &mut [Block], right: &mut [Block]) -> Block {
    assert_eq!(left.len(), right.len(), "every node has two children");
    let step = SIDE_BY_SIDE * V::BLOCKS;
    let whole = left.len() - left.len() % step;
    let mut sums = [Block::ZERO; 4];
    // SAFETY: the caller vouches for the processor; registers are read and written within the whole steps of both slices, and
    // the sums fill any register.
    unsafe {
        let mut keys = [V::splat(Block::ZERO); 11];
        for (key, &round) in keys.iter_mut().zip(permutation.rounds()) {
            *key = V::splat(round);
        }
        let mut sum = V::splat(Block::ZERO);
        for start in (0..whole).step_by(step) {
            let (left, right) = (left.as_mut_ptr().add(start), right.as_mut_ptr().add(start));
            let nodes: [V; SIDE_BY_SIDE] = core::array::from_fn(|i| V::load(left.add(i * V::BLOCKS)));
            let mut states = nodes;
            for state in &mut states {
                *state = state.xor(keys[0]);
            }
            for key in &keys[1..10] {
                for state in &mut states {
                    *state = state.round(*key);
                }
            }
            for (i, (state, node)) in states.into_iter().zip(nodes).enumerate() {
                let child = state.last_round(keys[10]).xor(node.sigma());
                sum = sum.xor(child);
                child.store(left.add(i * V::BLOCKS));
                child.xor(node).store(right.add(i * V::BLOCKS));
            }
        }
        sum.store(sums.as_mut_ptr());
    }
    let sum = sums[..V::BLOCKS].iter().fold(Block::ZERO, |sum, lane| sum ^ *lane);
    sum ^ portable(permutation, &mut left[whole..], &mut right[whole..])
}
