//! Least significant bits of OTs' blocks, which hold choices.

use tacit_math::Block;

/// All bits but the least significant.
pub(super) const UPPER: Block = Block(!1);

/// Clears the least significant bits, as this protocol requires of the sender's blocks.
pub(super) fn clear(blocks: &mut [Block]) {
    blocks.iter_mut().for_each(|block| *block &= UPPER);
}

/// `one` if `bit` is set, else `zero`, without a branch.
pub(super) fn select(bit: bool, zero: Block, one: Block) -> Block {
    zero ^ ((zero ^ one) & Block::mask(bit))
}
