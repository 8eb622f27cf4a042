//! The lattice keys of a session: a pair for each size in use, and one for products in slots, made and exchanged when a product first
//! needs it.
//!
//! Each party encrypts under its own key and computes under the peer's. Each only learns the public half of the other's
//! key, which hides the secret one by ring-LWE ([`tacit_he::bfv`]).

use crate::ShareError;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tacit_crypto::Prg;
use tacit_he::bfv::{Parameters, PublicKey, Ring, SecretKey};
use tacit_he::{PublicKey as _, SecretKey as _};
use tacit_net::Channel;

/// The ring and plaintexts of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeySize {
    /// The ring, with the modulus of ciphertexts.
    pub ring: Ring,
    /// Plaintexts are modulo 2^bits, where `bits` is 1 to 64.
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

/// Bytes that each party sends for the key of products in slots.
pub fn slot_key_bytes() -> u64 {
    Ring::SLOTS.key_bytes() as u64
}

/// Residues of that key, to which its time is about proportional.
pub fn slot_key_residues() -> u64 {
    Ring::SLOTS.residues() as u64
}

/// The set of keys of a session: the same at both parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeySet {
    widths: [u64; Ring::ALL.len()],
    slots: bool,
}

impl KeySet {
    /// Adds a key; returns whether it was missing.
    pub fn insert(&mut self, size: KeySize) -> bool {
        let bit = 1u64 << (size.bits.wrapping_sub(1) % 64);
        let widths = Ring::ALL.iter().zip(&mut self.widths).find(|(ring, _)| **ring == size.ring);
        widths.is_some_and(|(_, widths)| {
            let missing = *widths & bit == 0;
            *widths |= bit;
            missing
        })
    }

    /// Adds the key of products in slots; returns whether it was missing.
    pub fn insert_slots(&mut self) -> bool {
        !std::mem::replace(&mut self.slots, true)
    }
}

/// This party's key, and the peer's public one.
pub(crate) struct KeyPair {
    pub own: SecretKey,
    pub theirs: PublicKey,
}

/// The keys of a session at one party.
#[derive(Default)]
pub struct LatticeKeys {
    widths: BTreeMap<KeySize, KeyPair>,
    /// The same keys for each plaintext modulus, as far as they were needed.
    slots: Vec<KeyPair>,
}

impl LatticeKeys {
    /// The set of existing keys.
    pub fn set(&self) -> KeySet {
        let mut set = KeySet { slots: !self.slots.is_empty(), ..KeySet::default() };
        self.widths.keys().for_each(|size| {
            set.insert(*size);
        });
        set
    }

    /// Makes the keys of this size and exchanges the public halves, unless they exist; making triples does this
    /// automatically.
    ///
    /// Cost and errors: as for triples, [`KeySize::bytes`] and [`ShareError::He`].
    pub async fn make(
        &mut self,
        channel: &mut Channel,
        size: KeySize,
        prg: &mut Prg,
    ) -> Result<(), ShareError> {
        self.pair(channel, size, prg).await.map(|_| ())
    }

    /// Makes the key of products in slots, unless it exists, as [`LatticeKeys::make`].
    ///
    /// Cost and errors: as for the products, [`slot_key_bytes`] and [`ShareError::He`].
    pub async fn make_slots(&mut self, channel: &mut Channel, prg: &mut Prg) -> Result<(), ShareError> {
        self.slots(channel, 1, prg).await.map(|_| ())
    }

    /// The keys of this size. If they don't exist, they are made and the public halves exchanged. `prg` is secret and
    /// fresh.
    ///
    /// Cost: [`KeySize::bytes`] each way, the first time.
    ///
    /// # Errors
    /// [`ShareError::He`] for an invalid public key; failures of the channel.
    pub(crate) async fn pair(
        &mut self,
        channel: &mut Channel,
        size: KeySize,
        prg: &mut Prg,
    ) -> Result<&KeyPair, ShareError> {
        match self.widths.entry(size) {
            Entry::Occupied(there) => Ok(there.into_mut()),
            Entry::Vacant(place) => {
                let parameters = size.ring.parameters(size.bits)?;
                Ok(place.insert(exchanged(channel, &parameters, prg).await?))
            }
        }
    }

    /// The keys of products in slots, for at least this many plaintext moduli; otherwise as [`LatticeKeys::pair`]. A key does
    /// not depend on the plaintext modulus, so a single one is sent and serves all.
    ///
    /// Cost: [`slot_key_bytes`] each way, the first time.
    pub(crate) async fn slots(
        &mut self,
        channel: &mut Channel,
        moduli: usize,
        prg: &mut Prg,
    ) -> Result<&[KeyPair], ShareError> {
        if self.slots.is_empty() && moduli > 0 {
            self.slots.push(exchanged(channel, &Parameters::slots(0)?, prg).await?);
        }
        for index in self.slots.len()..moduli {
            let (parameters, first) = (Parameters::slots(index)?, &self.slots[0]);
            let own = SecretKey::from_bytes(&parameters, &first.own.to_bytes())?;
            let theirs = PublicKey::from_bytes(&parameters, &first.theirs.to_bytes())?;
            self.slots.push(KeyPair { own, theirs });
        }
        Ok(&self.slots)
    }
}

/// A new key, and the peer's.
async fn exchanged(
    channel: &mut Channel,
    parameters: &Parameters,
    prg: &mut Prg,
) -> Result<KeyPair, ShareError> {
    let own = SecretKey::generate(parameters, prg)?;
    let sent = own.public().to_bytes();
    let mut received = vec![0; sent.len()];
    channel.exchange(&sent, &mut received).await?;
    Ok(KeyPair { theirs: PublicKey::from_bytes(parameters, &received)?, own })
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
        assert!(set.insert_slots());
        assert!(!set.insert_slots());
    }
}
