//! AES-128 as a permutation under an expanded key.

use crate::Backend;
use crate::simd::dispatch;
use tacit_math::Block;
use zeroize::{Zeroize, ZeroizeOnDrop};

pub(crate) mod portable;
pub(crate) mod sliced;

/// AES-128 under one key, encryption only.
///
/// Source: FIPS 197; a block's bytes, least significant first, are the bytes of the state in order.
/// Security: constant time. Key and blocks may be secret; the expanded key is overwritten on drop.
///
/// ```
/// use tacit_crypto::aes::Aes128;
/// use tacit_math::Block;
///
/// let key = Block(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);
/// let plain = Block(0xffee_ddcc_bbaa_9988_7766_5544_3322_1100);
/// assert_eq!(Aes128::new(key).encrypt(plain), Block(0x5ac5_b470_80b7_cdd8_3004_7b6a_d8e0_c469));
/// ```
#[derive(Clone, Zeroize, ZeroizeOnDrop)]
pub struct Aes128 {
    rounds: [Block; 11],
    #[zeroize(skip)]
    backend: Backend,
}

impl Aes128 {
    /// Expands `key` for the machine's best backend.
    pub fn new(key: Block) -> Aes128 {
        Aes128::on(Backend::best(), key)
    }

    /// Expands `key` for the given backend.
    pub fn on(backend: Backend, key: Block) -> Aes128 {
        Aes128 { rounds: dispatch::expand(backend, key), backend }
    }

    /// The backend that this key was expanded for.
    pub(crate) fn backend(&self) -> Backend {
        self.backend
    }

    /// The round keys.
    pub(crate) fn rounds(&self) -> &[Block; 11] {
        &self.rounds
    }

    /// Encrypts one block. Use [`Aes128::encrypt_blocks`] for many: it is an order of magnitude faster.
    pub fn encrypt(&self, block: Block) -> Block {
        let mut blocks = [block];
        self.encrypt_blocks(&mut blocks);
        let [block] = blocks;
        block
    }

    /// Encrypts each block in place.
    pub fn encrypt_blocks(&self, blocks: &mut [Block]) {
        dispatch::encrypt(self.backend, &self.rounds, blocks);
    }

    /// Encrypts consecutive numbers from `first` on. The results replace the content of `blocks`.
    pub fn encrypt_from(&self, first: Block, blocks: &mut [Block]) {
        dispatch::encrypt_from(self.backend, &self.rounds, first, blocks);
    }
}

impl core::fmt::Debug for Aes128 {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(formatter, "Aes128({})", self.backend.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::aes::cipher::{BlockCipherEncrypt, KeyInit};
    use proptest::prelude::*;

    fn reference(key: Block, block: Block) -> Block {
        let cipher = ::aes::Aes128::new(&key.to_bytes().into());
        let mut state = block.to_bytes().into();
        cipher.encrypt_block(&mut state);
        Block::from_bytes(state.into())
    }

    /// FIPS 197, appendix B, and the appendix C.1 vector.
    #[test]
    fn known_answers() {
        let vectors = [
            (
                0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128,
                0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128,
                0x3925_841d_02dc_09fb_dc11_8597_196a_0b32_u128,
            ),
            (
                0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f,
                0x0011_2233_4455_6677_8899_aabb_ccdd_eeff,
                0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a,
            ),
        ];
        for backend in Backend::available() {
            for (key, plain, cipher) in vectors {
                let [key, plain, cipher] = [key, plain, cipher].map(|value: u128| Block(value.swap_bytes()));
                assert_eq!(Aes128::on(backend, key).encrypt(plain), cipher, "{}", backend.name());
            }
        }
    }

    proptest! {
        #[test]
        fn every_backend_agrees_with_another_implementation(key: u128, blocks in prop::collection::vec(any::<u128>(), 0..70)) {
            let key = Block(key);
            let blocks: Vec<Block> = blocks.into_iter().map(Block).collect();
            let expected: Vec<Block> = blocks.iter().map(|&block| reference(key, block)).collect();
            for backend in Backend::available() {
                let mut encrypted = blocks.clone();
                Aes128::on(backend, key).encrypt_blocks(&mut encrypted);
                prop_assert_eq!(&encrypted, &expected, "{}", backend.name());
            }
        }
    }

    #[test]
    fn blocks_that_are_counted_are_those_that_are_written_down() {
        let top = u128::from(u64::MAX);
        let starts = [0, 5, top - 100, top - 40, top - 2, top, 7 << 64 | 9, u128::MAX - 1, u128::MAX];
        for cipher in Backend::available().into_iter().map(|backend| Aes128::on(backend, Block(7))) {
            for (first, count) in
                starts.into_iter().flat_map(|first| (0..75).map(move |count| (first, count)))
            {
                let mut counted = vec![Block(1); count];
                cipher.encrypt_from(Block(first), &mut counted);
                let mut written: Vec<_> =
                    (0..count as u128).map(|place| Block(first.wrapping_add(place))).collect();
                cipher.encrypt_blocks(&mut written);
                assert_eq!(counted, written, "{cipher:?}: {count} from {first}");
            }
        }
    }
}
