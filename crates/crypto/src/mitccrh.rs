//! MITCCRH, the re-keyed correlation-robust hash: H(i, x) = AES_k(x) ^ x under the key k = S ^ i.
//!
//! Source: Guo, Katz, Wang, Weng, Yu, *Better concrete security for half-gates garbling (in the multi-instance
//! setting)*, CRYPTO 2020.
//! Security: in the ideal-cipher model, multi-instance tweakable correlation robust, with a loss that depends
//! on how often one tweak is used, not on the number of tweaks. It is not circular: a value hidden by the
//! hash of a label must not depend on the delta of that label (for that, [`crate::half_gates`] adds sigma(x)
//! instead of x). The start S is random for each use, drawn after the values that it protects are fixed, and
//! may be public from then on. No tweak may repeat under one start, except for the few blocks of one
//! operation (the paper's bound on uses of a key).

use crate::Backend;
use crate::aes::portable;
use crate::simd::dispatch;
use core::fmt;
use tacit_math::Block;

/// The hash with its random start S.
#[derive(Clone, Copy)]
pub struct Mitccrh {
    start: Block,
    backend: Backend,
}

impl Mitccrh {
    /// The hash that starts at `start`, on the machine's best backend.
    pub fn new(start: Block) -> Mitccrh {
        Mitccrh::on(Backend::best(), start)
    }

    /// The hash that starts at `start`, on the given backend.
    pub fn on(backend: Backend, start: Block) -> Mitccrh {
        Mitccrh { start, backend }
    }

    /// Replaces `blocks[j]` by H(`first` + j, `blocks[j]`). Blocks may be secret, tweaks are public.
    ///
    /// Cost: a key expansion and an AES call a block.
    pub fn hash(&self, first: u64, blocks: &mut [Block]) {
        dispatch::hash(self.backend, self.start, first, blocks);
    }

    /// For each block x at index j, both hashes that a sender of OT needs: x becomes H(`first` + j, x) and
    /// `ones[j]` becomes H(`first` + j, x ^ `delta`). Blocks and `delta` may be secret, tweaks are public.
    ///
    /// Cost: a key expansion and two AES calls a block.
    ///
    /// # Panics
    /// If the slices differ in length.
    pub fn hash_both(&self, first: u64, delta: Block, zeros: &mut [Block], ones: &mut [Block]) {
        assert_eq!(zeros.len(), ones.len(), "two hashes for each block");
        dispatch::hash_both(self.backend, self.start, first, delta, zeros, ones);
    }
}

impl fmt::Debug for Mitccrh {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Mitccrh({})", self.backend.name())
    }
}

/// The keys of the sixteen tweaks from `first` on, expanded.
fn expand_from(start: Block, first: u128) -> [[Block; portable::KEYS]; 11] {
    portable::expand(&core::array::from_fn(|i| start ^ Block(first + i as u128)))
}

/// [`Mitccrh::hash`] in plain Rust.
pub(crate) fn hash_portable(start: Block, first: u64, blocks: &mut [Block]) {
    let tweaks = (u128::from(first)..).step_by(portable::KEYS);
    for (tweak, chunk) in tweaks.zip(blocks.chunks_mut(portable::KEYS)) {
        let rounds = expand_from(start, tweak);
        for (quad, four) in chunk.chunks_mut(4).enumerate() {
            hash_four(&portable::slice_keys(&rounds, quad), four);
        }
    }
}

/// [`Mitccrh::hash_both`] in plain Rust.
pub(crate) fn hash_both_portable(
    start: Block,
    first: u64,
    delta: Block,
    zeros: &mut [Block],
    ones: &mut [Block],
) {
    let tweaks = (u128::from(first)..).step_by(portable::KEYS);
    let chunks = zeros.chunks_mut(portable::KEYS).zip(ones.chunks_mut(portable::KEYS));
    for (tweak, (zeros, ones)) in tweaks.zip(chunks) {
        let rounds = expand_from(start, tweak);
        for (quad, (zeros, ones)) in zeros.chunks_mut(4).zip(ones.chunks_mut(4)).enumerate() {
            ones.iter_mut().zip(&*zeros).for_each(|(one, &zero)| *one = zero ^ delta);
            let keys = portable::slice_keys(&rounds, quad);
            hash_four(&keys, zeros);
            hash_four(&keys, ones);
        }
    }
}

/// Hashes up to four blocks, each under its own expanded key.
fn hash_four(keys: &[crate::aes::sliced::Sliced; 11], blocks: &mut [Block]) {
    let mut four = [Block::ZERO; 4];
    four[..blocks.len()].copy_from_slice(blocks);
    let encrypted = portable::encrypt_four(keys, &four);
    blocks.iter_mut().zip(encrypted).for_each(|(block, cipher)| *block ^= cipher);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::Aes128;
    use proptest::prelude::*;

    fn reference(start: Block, tweak: u128, block: Block) -> Block {
        Aes128::on(Backend::PORTABLE, start ^ Block(tweak)).encrypt(block) ^ block
    }

    /// FIPS 197, C.1: the start is the key without tweak 15 in its lowest byte.
    #[test]
    fn known_answer() {
        let start = Block(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_010f);
        let plain = Block(0xffee_ddcc_bbaa_9988_7766_5544_3322_1100);
        let cipher = Block(0x5ac5_b470_80b7_cdd8_3004_7b6a_d8e0_c469);
        for backend in Backend::available() {
            let mut blocks = [plain];
            Mitccrh::on(backend, start).hash(15, &mut blocks);
            assert_eq!(blocks[0], cipher ^ plain);
        }
    }

    proptest! {
        #[test]
        fn every_backend_agrees_with_the_definition(start: u128, delta: u128, first in prop_oneof![any::<u64>(), u64::MAX - 20..=u64::MAX], blocks in prop::collection::vec(any::<u128>(), 0..70)) {
            let (start, delta) = (Block(start), Block(delta));
            let blocks: Vec<Block> = blocks.into_iter().map(Block).collect();
            let expected = |delta: Block| -> Vec<Block> {
                (u128::from(first)..).zip(&blocks).map(|(tweak, &x)| reference(start, tweak, x ^ delta)).collect()
            };
            for backend in Backend::available() {
                let hash = Mitccrh::on(backend, start);
                let mut hashed = blocks.clone();
                hash.hash(first, &mut hashed);
                prop_assert_eq!(&hashed, &expected(Block::ZERO), "{}", backend.name());
                let (mut zeros, mut ones) = (blocks.clone(), vec![Block::ZERO; blocks.len()]);
                hash.hash_both(first, delta, &mut zeros, &mut ones);
                prop_assert_eq!(&zeros, &expected(Block::ZERO), "{}", backend.name());
                prop_assert_eq!(&ones, &expected(delta), "{}", backend.name());
            }
        }
    }
}
