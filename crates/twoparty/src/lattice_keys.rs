//! The lattice keys of a session: a pair for each size in use, made and exchanged when a product first takes it.
//!
//! Each party encrypts under its own key and computes under the peer's. What either learns of the other's key is the public
//! half, which hides the secret one by ring-LWE ([`tacit_he::bfv`]).

use crate::ShareError;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tacit_crypto::Prg;
use tacit_he::bfv::{PublicKey, Ring, SecretKey};
use tacit_he::{PublicKey as _, SecretKey as _};
use tacit_net::Channel;

/// What a key is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeySize {
    /// The ring, with the modulus of ciphertexts.
    pub ring: Ring,
    /// Plaintexts are modulo 2^bits; 1 to 64.
    pub bits: u32,
}

impl KeySize {
    /// Bytes that each party sends for it.
    pub fn bytes(self) -> u64 {
        self.ring.key_bytes() as u64
    }

    /// Residues of a polynomial.
    pub fn residues(self) -> u64 {
        self.ring.residues() as u64
    }
}

/// Which keys a session has: the same at both parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeySet([u64; Ring::ALL.len()]);

impl KeySet {
    /// Adds a key; whether it was missing.
    pub fn insert(&mut self, size: KeySize) -> bool {
        let bit = 1u64 << (size.bits.wrapping_sub(1) % 64);
        let widths = Ring::ALL.iter().zip(&mut self.0).find(|(ring, _)| **ring == size.ring);
        widths.is_some_and(|(_, widths)| {
            let missing = *widths & bit == 0;
            *widths |= bit;
            missing
        })
    }
}

/// This party's key, and the peer's public one.
pub(crate) struct KeyPair {
    pub own: SecretKey,
    pub theirs: PublicKey,
}

/// The keys of a session at one party.
#[derive(Default)]
pub struct LatticeKeys(BTreeMap<KeySize, KeyPair>);

impl LatticeKeys {
    /// Which there are.
    pub fn set(&self) -> KeySet {
        let mut set = KeySet::default();
        self.0.keys().for_each(|size| {
            set.insert(*size);
        });
        set
    }

    /// Makes the keys of this size and exchanges the public halves, unless they are there; triples do it by themselves.
    ///
    /// Cost and errors: as for them, [`KeySize::bytes`] and [`ShareError::He`].
    pub async fn make(
        &mut self,
        channel: &mut Channel,
        size: KeySize,
        prg: &mut Prg,
    ) -> Result<(), ShareError> {
        self.pair(channel, size, prg).await.map(|_| ())
    }

    /// The keys of this size; if there are none, they are made and the public halves exchanged. `prg` is secret and fresh.
    ///
    /// Cost: [`KeySize::bytes`] each way, the first time.
    ///
    /// # Errors
    /// [`ShareError::He`] for a public key that no honest party makes; failures of the channel.
    pub(crate) async fn pair(
        &mut self,
        channel: &mut Channel,
        size: KeySize,
        prg: &mut Prg,
    ) -> Result<&KeyPair, ShareError> {
        match self.0.entry(size) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(place) => {
                let parameters = size.ring.parameters(size.bits)?;
                let own = SecretKey::generate(&parameters, prg)?;
                let mut received = vec![0; size.ring.key_bytes()];
                channel.exchange(&own.public().to_bytes(), &mut received).await?;
                let theirs = PublicKey::from_bytes(&parameters, &received)?;
                Ok(place.insert(KeyPair { own, theirs }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_knows_each_key_once() {
        let mut set = KeySet::default();
        for ring in Ring::ALL {
            for bits in [1, 32, 64] {
                assert!(set.insert(KeySize { ring, bits }));
                assert!(!set.insert(KeySize { ring, bits }));
            }
        }
    }
}
