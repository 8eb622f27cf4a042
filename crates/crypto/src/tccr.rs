//! The tweakable circular correlation-robust hash over a fixed permutation: H(i, x) = pi(pi(x) ^ i) ^ pi(x).
//!
//! Source: Guo, Katz, Wang, Yu, *Efficient and secure multiparty computation from fixed-key block ciphers*, IEEE S&P
//! 2020 (`TMMO`).
//! Security: tweakable circular correlation robust with pi an ideal permutation (AES-128 under a public key); the loss
//! grows with the number of hashes, so garbling uses [`crate::mitccrh`] instead.

use crate::Backend;
use crate::aes::Aes128;
use tacit_math::Block;

/// The public key of the permutation: the first 128 bits of the fraction of pi, a nothing-up-my-sleeve
/// number.
const PERMUTATION_KEY: Block = Block(0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344);

/// The hash, with its permutation expanded.
#[derive(Clone, Debug)]
pub struct Tccr(Aes128);

impl Tccr {
    /// The hash over the common permutation, on the machine's best backend.
    pub fn new() -> Tccr {
        Tccr::on(Backend::best())
    }

    /// The hash over the common permutation, on the given backend.
    pub fn on(backend: Backend) -> Tccr {
        Tccr(Aes128::on(backend, PERMUTATION_KEY))
    }

    /// Replaces `blocks[j]` by H(`first` + j, `blocks[j]`). Blocks may be secret, tweaks are public; tweaks
    /// count modulo 2^128, so the upper half can identify the use and the lower half count.
    ///
    /// Cost: two AES calls a block.
    pub fn hash(&self, first: u128, blocks: &mut [Block]) {
        const CHUNK: usize = 64;
        let mut tweak = first;
        for chunk in blocks.chunks_mut(CHUNK) {
            let mut inner = [Block::ZERO; CHUNK];
            let inner = &mut inner[..chunk.len()];
            self.0.encrypt_blocks(chunk);
            for (inner, &outer) in inner.iter_mut().zip(&*chunk) {
                *inner = outer ^ Block(tweak);
                tweak = tweak.wrapping_add(1);
            }
            self.0.encrypt_blocks(inner);
            chunk.iter_mut().zip(inner).for_each(|(outer, inner)| *outer ^= *inner);
        }
    }
}

impl Default for Tccr {
    fn default() -> Tccr {
        Tccr::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_agrees_with_the_definition() {
        let pi = Aes128::on(Backend::PORTABLE, PERMUTATION_KEY);
        let blocks: Vec<Block> = (0..200).map(|i| Block((i * i) << 70 | i)).collect();
        let first = u128::MAX - 100;
        let expected: Vec<Block> = (0..)
            .zip(&blocks)
            .map(|(j, &x)| pi.encrypt(pi.encrypt(x) ^ Block(first.wrapping_add(j))) ^ pi.encrypt(x))
            .collect();
        for backend in Backend::available() {
            let mut hashed = blocks.clone();
            Tccr::on(backend).hash(first, &mut hashed);
            assert_eq!(hashed, expected, "{}", backend.name());
        }
    }
}
