//! Elements that two parties draw from a common key, without a message.

use tacit_crypto::Secret;
use tacit_crypto::aes::Aes128;
use tacit_math::Block;
use tacit_math::field::Field;

use crate::parties::PartyIndex;
use crate::prf;

/// A party's keys in common with each other party, and its own.
///
/// Security: as AES-128 as a PRF. The keys are secret. A column is drawn once in a lane, by each of the two, and keys are fresh in each session.
/// Cost: for each element, [`Field::uniform_bytes`] bytes of AES output.
#[derive(Clone, Default)]
pub(crate) struct PairKeys {
    /// By party.
    ciphers: Vec<Aes128>,
}

impl PairKeys {
    /// Keys, given by party.
    pub(crate) fn new(keys: &[Secret<Block>]) -> PairKeys {
        PairKeys { ciphers: keys.iter().map(|key| Aes128::new(*key.expose())).collect() }
    }

    /// The number of keys.
    pub(crate) fn len(&self) -> usize {
        self.ciphers.len()
    }

    /// Keys derived from these and a number, as [`prf::apart`].
    pub(crate) fn apart(&self, lane: u64, number: u64) -> PairKeys {
        PairKeys { ciphers: self.ciphers.iter().map(|cipher| prf::apart(cipher, lane, number)).collect() }
    }

    /// Identifies a key, for tests.
    #[cfg(test)]
    pub(crate) fn name(&self, peer: PartyIndex) -> u128 {
        self.ciphers[peer].encrypt(Block(u128::MAX)).0
    }

    /// Uniform elements that this party and another know, at columns `first` and after.
    pub(crate) fn draw<F: Field>(
        &self,
        field: &F,
        (peer, lane): (PartyIndex, u64),
        first: u64,
        elements: &mut [F::Element],
    ) {
        let each = field.uniform_bytes();
        prf::each_chunk(&self.ciphers[peer], (lane, first), each, elements, |elements, bytes| {
            field.uniform_all(bytes, elements);
        });
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Gf256, Mersenne61, Montgomery};

    use super::*;

    fn addresses<F: Field>(field: &F) {
        let keys = PairKeys::new(&[Secret::new(Block(1)), Secret::new(Block(2))]);
        let drawn = |peer, lane, first, count| {
            let mut elements = vec![F::Element::default(); count];
            keys.draw(field, (peer, lane), first, &mut elements);
            elements
        };
        let all = drawn(0, 5, 0, 5000);
        assert_eq!(drawn(0, 5, 7, 4980), all[7..4987], "columns address elements");
        assert_ne!(drawn(1, 5, 0, 5000), all);
        assert_ne!(drawn(0, 6, 0, 5000), all);
        let mut other = vec![F::Element::default(); 5000];
        keys.apart(prf::DERIVATION, 1).draw(field, (0, 5), 0, &mut other);
        assert_ne!(other, all);
    }

    #[test]
    fn columns_address_elements() {
        addresses(&Mersenne61);
        addresses(&Gf256);
        addresses(&Montgomery::<4>::new(&[u64::MAX - 58, 0, 0, 1 << 20]).expect("odd"));
    }
}
