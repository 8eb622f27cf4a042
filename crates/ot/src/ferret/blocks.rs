//! What becomes of an OT's least significant bits: choices.

use tacit_math::Block;

/// All bits but the least significant.
pub(super) const UPPER: Block = Block(!1);

/// The sender's block as this protocol wants it: the least significant bit is zero.
pub(super) fn clear(blocks: &mut [Block]) {
    blocks.iter_mut().for_each(|block| *block &= UPPER);
}

/// The block, or the other if `bit`, without a branch.
pub(super) fn select(bit: bool, zero: Block, one: Block) -> Block {
    zero ^ ((zero ^ one) & Block::mask(bit))
}
