//! Trees and matrices of SoftSpokenOT.

#[path = "../../../../ot/src/softspoken/fold.rs"]
mod fold;
#[path = "../../../../ot/src/softspoken/pprf.rs"]
mod pprf;

use crate::constant_time::{public, secret};
use fold::Folder;
use tacit_crypto::Prg;
use tacit_math::{Block, transpose};

/// Bits of delta that a tree serves, and blocks of a row.
const K: usize = 4;
const WIDTH: usize = 2;

/// All trees at both parties, whose seeds, choices and delta are secret, and the blocks of OTs from them.
pub(super) fn trees() {
    let mut prg = Prg::new(Block(4));
    let mut delta = [prg.next_block()];
    let mut base = vec![Block::ZERO; 2 * 128];
    prg.fill(&mut base);
    for secrets in [&mut delta[..], &mut base] {
        secret(secrets);
    }
    let (pairs, _) = base.as_chunks::<2>();
    let hole: Vec<bool> = (0..128).map(|i| delta[0].bit(i)).collect();
    let chosen: Vec<Block> = pairs
        .iter()
        .zip(&hole)
        .map(|(pair, &bit)| pair[1] ^ ((pair[0] ^ pair[1]) & Block::mask(bit)))
        .collect();
    let [mut v, mut w] = [vec![Block::ZERO; 128 * WIDTH], vec![Block::ZERO; 128 * WIDTH]];
    let (mut u, mut unused, mut first) = ([Block::ZERO; WIDTH], [Block::ZERO; WIDTH], [Block::ZERO; WIDTH]);
    for tree in 0..128 / K {
        let places = K * tree..K * (tree + 1);
        let rows = K * WIDTH * tree..K * WIDTH * (tree + 1);
        let (leaves, mut corrections) = pprf::full(&pairs[places.clone()]);
        public(Block::as_bytes_mut(corrections.as_flattened_mut()));
        let known = pprf::punctured(&chosen[places.clone()], &hole[places.clone()], &corrections);
        Folder::new(&leaves, false).fold(0, &mut v[rows.clone()], &mut u);
        Folder::new(&known, true).fold(0, &mut w[rows.clone()], &mut unused);
        if tree == 0 {
            first = u;
        }
        let mut correction = [u[0] ^ first[0], u[1] ^ first[1]];
        public(Block::as_bytes_mut(&mut correction));
        for (row, bit) in w[rows].chunks_exact_mut(WIDTH).zip(&hole[places]) {
            row.iter_mut().zip(correction).for_each(|(block, by)| *block ^= by & Block::mask(*bit));
        }
    }
    let [mut received, mut sent] = [vec![Block::ZERO; 128 * WIDTH], vec![Block::ZERO; 128 * WIDTH]];
    transpose::to_columns(&v, &mut received);
    transpose::to_columns(&w, &mut sent);
    for secrets in [&mut delta[..], &mut received, &mut sent, &mut first, &mut base] {
        public(Block::as_bytes_mut(secrets));
    }
    for (i, (sent, received)) in sent.iter().zip(&received).enumerate() {
        let choice = first[i / 128].bit(i % 128);
        assert_eq!(*sent ^ *received, delta[0] & Block::mask(choice), "OT {i}");
    }
}
