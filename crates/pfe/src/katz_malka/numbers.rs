//! Keys that are numbers of 128 bits.

use tacit_crypto::Prg;
use zeroize::Zeroizing;

use super::scheme::Pairs;
use crate::rows::SHORT_KEY;

/// A key's encoding.
pub(super) type Key = [u8; SHORT_KEY];

/// Uniform numbers.
pub(super) fn uniform(count: usize, prg: &mut Prg) -> Zeroizing<Vec<u128>> {
    let mut keys = Zeroizing::new(vec![[0; SHORT_KEY]; count]);
    prg.fill_bytes(keys.as_flattened_mut());
    Zeroizing::new(keys.iter().map(|key| u128::from_le_bytes(*key)).collect())
}

/// A uniform number other than 0.
pub(super) fn not_zero(prg: &mut Prg) -> Zeroizing<u128> {
    loop {
        let drawn = uniform(1, prg);
        if drawn[0] != 0 {
            return Zeroizing::new(drawn[0]);
        }
    }
}

/// The keys for 0 and, by the sum with a difference, for 1.
pub(super) fn pairs(
    zeros: impl Iterator<Item = u128>,
    difference: u128,
    sum: impl Fn(u128, u128) -> u128,
) -> Pairs<Key> {
    Zeroizing::new(zeros.map(|zero| [zero, sum(zero, difference)].map(u128::to_le_bytes)).collect())
}
