//! AES-128 in portable form: many keys expanded at once, four blocks encrypted at once.

use super::sliced::{Sliced, add_key, last_round, round, slice, sub_bytes, unslice};
use tacit_math::Block;

/// How many keys [`expand`] takes at once: their last words fill one bitsliced state.
pub(crate) const KEYS: usize = 16;

/// The round constants of the key schedule.
pub(crate) const ROUND_CONSTANTS: [u32; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x1b, 0x36];

/// The round keys of sixteen keys: `rounds[round][i]` for key i. Keys are secret.
pub(crate) fn expand(keys: &[Block; KEYS]) -> [[Block; KEYS]; 11] {
    let mut rounds = [*keys; 11];
    for round in 0..10 {
        let words = sub_words(&rounds[round].map(|key| (key.0 >> 96) as u32));
        for i in 0..KEYS {
            let word = words[i].rotate_right(8) ^ ROUND_CONSTANTS[round];
            // Word j of the next key is the new word added to words 0 to j.
            let mut key = rounds[round][i].0 ^ u128::from(word);
            key ^= key << 32;
            key ^= key << 64;
            rounds[round + 1][i] = Block(key);
        }
    }
    rounds
}

/// The S-box on each byte of sixteen words.
fn sub_words(words: &[u32; KEYS]) -> [u32; KEYS] {
    let block = |i: usize| Block((0..4).fold(0, |sum, j| sum | u128::from(words[4 * i + j]) << (32 * j)));
    let mut state = slice(&core::array::from_fn(block));
    sub_bytes(&mut state);
    let blocks = unslice(state);
    core::array::from_fn(|i| (blocks[i / 4].0 >> (32 * (i % 4))) as u32)
}

/// The bitsliced round keys of keys 4 `quad` to 4 `quad` + 3.
pub(crate) fn slice_keys(rounds: &[[Block; KEYS]; 11], quad: usize) -> [Sliced; 11] {
    core::array::from_fn(|round| slice(&rounds[round].as_chunks().0[quad]))
}

/// Encrypts four blocks under four keys given by their bitsliced round keys.
pub(crate) fn encrypt_four(keys: &[Sliced; 11], blocks: &[Block; 4]) -> [Block; 4] {
    let mut state = slice(blocks);
    add_key(&mut state, &keys[0]);
    keys[1..10].iter().for_each(|key| round(&mut state, key));
    last_round(&mut state, &keys[10]);
    unslice(state)
}

/// The round keys of one key.
pub(crate) fn expand_one(key: Block) -> [Block; 11] {
    expand(&[key; KEYS]).map(|keys| keys[0])
}

/// Encrypts consecutive numbers from `first` on.
pub(crate) fn encrypt_from(rounds: &[Block; 11], first: Block, blocks: &mut [Block]) {
    for (place, block) in (0_u64..).zip(&mut *blocks) {
        *block = Block(first.0.wrapping_add(place.into()));
    }
    encrypt(rounds, blocks);
}

/// Encrypts any number of blocks under one expanded key.
pub(crate) fn encrypt(rounds: &[Block; 11], blocks: &mut [Block]) {
    let keys = rounds.map(|key| slice(&[key; 4]));
    for chunk in blocks.chunks_mut(4) {
        let mut four = [Block::ZERO; 4];
        four[..chunk.len()].copy_from_slice(chunk);
        chunk.copy_from_slice(&encrypt_four(&keys, &four)[..chunk.len()]);
    }
}
