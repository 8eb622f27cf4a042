//! Sizes of moduli with two secret prime factors.

use crate::{HeError, ParameterFault};

/// Bits of a modulus that is a product of two primes of equal length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModulusSize(u32);

impl ModulusSize {
    /// 2048 bits: about 112 bits of security, the level `medium`.
    pub const MEDIUM: ModulusSize = ModulusSize(2048);
    /// 3072 bits: 128 bits of security, the level `long`.
    pub const LONG: ModulusSize = ModulusSize(3072);

    /// 512 bits, which are factored in hours: only for tests.
    pub const TOY: ModulusSize = ModulusSize(512);

    /// 1024 bits, as published measurements before 2010 have them, which is not secure.
    pub const BITS_1024: ModulusSize = ModulusSize(1024);
    /// 1248 bits, the level `ultra-short` of published measurements, which is not secure.
    pub const ULTRA_SHORT: ModulusSize = ModulusSize(1248);
    /// 1776 bits, the level `short` of published measurements, which is not secure.
    pub const SHORT: ModulusSize = ModulusSize(1776);

    /// Any size that keys can have, to repeat published measurements or to test. Security: sizes below 2048 bits are not
    /// secure.
    ///
    /// # Errors
    /// [`ParameterFault::ModulusBits`] unless the size is a multiple of 16 from 128 to 16384.
    pub fn insecure(bits: u32) -> Result<ModulusSize, HeError> {
        let usable = (128..=16384).contains(&bits) && bits.is_multiple_of(16);
        usable.then_some(ModulusSize(bits)).ok_or(ParameterFault::ModulusBits(bits).into())
    }

    /// Bits of the modulus.
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Bits of each prime.
    pub(crate) fn prime_bits(self) -> u32 {
        self.0 / 2
    }

    /// Bytes of the modulus.
    pub(crate) fn bytes(self) -> usize {
        self.0 as usize / 8
    }
}
