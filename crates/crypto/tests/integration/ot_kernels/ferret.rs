//! Trees of silent OT.

#[path = "../../../../ot/src/ferret/blocks.rs"]
mod blocks;
#[path = "../../../../ot/src/ferret/tree.rs"]
mod tree;

use crate::constant_time::{public, secret};
use tacit_crypto::aes::Aes128;
use tacit_crypto::{Backend, Prg};
use tacit_math::Block;

/// Levels of a tree: narrow ones, and ones that [`tacit_crypto::half_tree::place`] compares in groups.
const DEPTH: usize = 7;

/// A tree at both parties, whose choices, blocks and delta are secret.
pub(super) fn trees() {
    let mut prg = Prg::new(Block(3));
    let permutation = Aes128::on(Backend::PORTABLE, Block(8));
    let mut delta = [prg.next_block().with_lsb()];
    let mut sent: Vec<Block> = (0..DEPTH).map(|_| prg.next_block() & blocks::UPPER).collect();
    let mut chosen: Vec<Block> =
        (0..DEPTH).map(|_| Block::ZERO ^ (delta[0] & Block::mask(prg.next_block().lsb()))).collect();
    for secrets in [&mut delta[..], &mut sent, &mut chosen] {
        secret(secrets);
    }
    let received: Vec<Block> = sent.iter().zip(&chosen).map(|(&sent, &chosen)| sent ^ chosen).collect();
    let mut corrections = [Block::ZERO; DEPTH - 1];
    let [mut all, mut known] = [vec![Block::ZERO; 1 << DEPTH], vec![Block::ZERO; 1 << DEPTH]];
    tree::full(&permutation, &sent, delta[0], &mut all, &mut corrections);
    public(Block::as_bytes_mut(&mut corrections));
    tree::punctured(&permutation, &received, &corrections, &mut known);
    for secrets in [&mut delta[..], &mut all, &mut known] {
        public(Block::as_bytes_mut(secrets));
    }
    let differing: Vec<Block> =
        all.iter().zip(&known).map(|(&a, &b)| a ^ b).filter(|&d| d != Block::ZERO).collect();
    assert_eq!(differing, delta);
}
