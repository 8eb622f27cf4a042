//! The material of encrypted words as bytes, so that a run can be prepared in a store: a key for only that run, and its
//! randomness.

use tacit_compare::{Assistant, Server};
use tacit_he::paillier::{PublicKey, SecretKey};
use tacit_he::{PublicKey as _, SecretKey as _, Threads};
use tacit_math::Wiped;

use super::comparator::Comparator;
use super::key::{HeKey, HeMaterial};
use super::parameters::{CiphertextCount, HeParameters, ready};
use crate::{Party, ShareError, StoredFault};

/// The material of a prepared run's encrypted words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredEncryption {
    /// The size of the keys.
    pub parameters: HeParameters,
    /// Ciphertexts that are sent.
    pub ciphertexts: CiphertextCount,
    /// Compared bits, of the second and of the first party.
    pub compared_bits: [u64; 2],
}

impl StoredEncryption {
    /// Whether it needs a key for comparisons.
    fn compares(&self) -> bool {
        self.compared_bits != [0; 2]
    }

    /// Maximum bytes at the party that keeps more.
    pub fn most_bytes(&self) -> u64 {
        let each = self.parameters.ciphertext_bytes();
        let words = ready(self.ciphertexts.encrypted.max(self.ciphertexts.replies)) as u64 + 1;
        let [server, assistant] = self.compared_bits;
        // A key for comparisons has at most four numbers of half that size.
        let bits = if self.compares() { ready(server.max(assistant)) as u64 + 4 } else { 0 };
        each.saturating_mul(words.saturating_add(bits))
    }

    /// Reads the bytes of [`HeMaterial::into_bytes`] at this party; also returns what follows them.
    ///
    /// # Errors
    /// [`ShareError::Stored`] if bytes are missing; [`tacit_he::HeError`] and [`tacit_compare::CompareError`] for invalid keys or
    /// randomness.
    pub fn read<'b>(&self, party: Party, bytes: &'b [u8]) -> Result<(HeMaterial, &'b [u8]), ShareError> {
        let (parameters, size) = (self.parameters, &self.parameters.size);
        let (key, rest) = split(bytes, parameters.key_bytes())?;
        let (count, key) = match party {
            Party::First => {
                (self.ciphertexts.replies, HeKey::holder(parameters, PublicKey::from_bytes(size, key)?))
            }
            Party::Second => {
                (self.ciphertexts.encrypted, HeKey::owner(parameters, SecretKey::from_bytes(size, key)?))
            }
        };
        let count = ready(count);
        let (randomness, rest) = split(rest, count as u64 * parameters.ciphertext_bytes())?;
        let randomness = key.public().decode_randomness(count, randomness)?;
        let material = key.with_randomness(randomness);
        match self.compares() {
            true => self.read_comparator(material, party, rest),
            false => Ok((material, rest)),
        }
    }

    fn read_comparator<'b>(
        &self,
        material: HeMaterial,
        party: Party,
        bytes: &'b [u8],
    ) -> Result<(HeMaterial, &'b [u8]), ShareError> {
        let (parameters, [server, assistant]) = (self.parameters.comparisons()?, self.compared_bits);
        let (length, rest) = split(bytes, 4)?;
        let length = u32::from_le_bytes(length.try_into().unwrap_or_default());
        let (key, rest) = split(rest, length.into())?;
        let count = ready(if party == Party::First { assistant } else { server });
        let (randomness, rest) = split(rest, count as u64 * (self.parameters.ciphertext_bytes() / 2))?;
        let comparator = match party {
            Party::First => {
                let mut end = Assistant::with_key(parameters, key, Threads::all())?;
                end.add_randomness(count, randomness)?;
                Comparator::assistant(end)
            }
            Party::Second => {
                let mut end = Server::with_key(parameters, key, Threads::all())?;
                end.add_randomness(count, randomness)?;
                Comparator::server(end)
            }
        };
        Ok((material.with_comparisons(comparator), rest))
    }
}

/// The first `count` bytes, and the others.
fn split(bytes: &[u8], count: u64) -> Result<(&[u8], &[u8]), ShareError> {
    let parts = usize::try_from(count).ok().and_then(|count| bytes.split_at_checked(count));
    let fault = StoredFault::Short { needed: count, left: bytes.len() as u64 };
    parts.ok_or(ShareError::Stored(fault))
}

impl HeMaterial {
    /// Key and randomness as bytes, to be read once by [`StoredEncryption::read`]. Secret.
    ///
    /// # Errors
    /// None for material from setup.
    pub fn into_bytes(self) -> Result<Wiped<u8>, ShareError> {
        let (key, randomness, comparator) = self.into_parts();
        let randomness = key.public().encode_randomness(randomness)?;
        let comparator = comparator.map(comparator_bytes).transpose()?.unwrap_or_default();
        Ok(joined(&[&key.to_bytes(), &randomness, &comparator]))
    }
}

/// The key for comparisons with its length, and the randomness.
fn comparator_bytes(comparator: Comparator) -> Result<Wiped<u8>, ShareError> {
    let [key, randomness] = comparator.into_key_and_randomness()?;
    Ok(joined(&[&(key.len() as u32).to_le_bytes(), &key, &randomness]))
}

/// Concatenates all parts, in memory that is reserved once.
fn joined(parts: &[&[u8]]) -> Wiped<u8> {
    let mut bytes = Vec::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    Wiped::from(bytes)
}
