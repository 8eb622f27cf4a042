//! The session's material for encrypted words: one key, and prepared randomness for each run.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_he::paillier::{PublicKey, Randomness, SecretKey};
use tacit_he::{HeError, PublicKey as _, SecretKey as _, Threads};
use tacit_math::Wiped;
use tacit_net::Channel;

use super::comparator::Comparator;
use super::parameters::{CiphertextCount, HeParameters, ready};
use crate::{Party, ShareError};

/// A party's half of the session's key.
#[derive(Clone)]
pub struct HeKey {
    parameters: HeParameters,
    half: Half,
}

#[derive(Clone)]
enum Half {
    /// At the second party, which has the key.
    Owner(Arc<SecretKey>),
    /// At the first party, which holds ciphertexts.
    Holder(Arc<PublicKey>),
}

tacit_math::redacted!(HeKey, Half, HeMaterial);

impl HeKey {
    /// Makes the key at the second party; the first party receives its public half and checks it.
    ///
    /// Cost: [`HeParameters::key_bytes`] from the second party, and the search for two primes.
    ///
    /// # Errors
    /// Failures of the channel; [`HeError`] for an invalid key.
    pub async fn meet(
        channel: &mut Channel,
        party: Party,
        parameters: HeParameters,
        prg: &mut Prg,
    ) -> Result<HeKey, ShareError> {
        let half = match party {
            Party::First => {
                let mut bytes = vec![0; parameters.key_bytes() as usize];
                channel.receive_into(&mut bytes).await?;
                Half::Holder(Arc::new(PublicKey::from_bytes(&parameters.size, &bytes)?))
            }
            Party::Second => {
                let key = SecretKey::generate(&parameters.size, prg)?;
                channel.send(&key.public().to_bytes()).await?;
                channel.flush().await?;
                Half::Owner(Arc::new(key))
            }
        };
        Ok(HeKey { parameters, half })
    }

    /// Prepares randomness for this many ciphertexts of this party, up to the limit of setup.
    ///
    /// # Errors
    /// [`HeError::Fault`].
    pub fn prepare(&self, count: CiphertextCount, prg: &mut Prg) -> Result<HeMaterial, ShareError> {
        let randomness = match &self.half {
            Half::Owner(key) => key.randomness_all(ready(count.encrypted), Threads::all(), prg)?,
            Half::Holder(key) => key.hiding_randomness_all(ready(count.replies), Threads::all(), prg),
        };
        Ok(self.clone().with_randomness(randomness))
    }

    /// The second party's key.
    pub(super) fn owner(parameters: HeParameters, key: SecretKey) -> HeKey {
        HeKey { parameters, half: Half::Owner(Arc::new(key)) }
    }

    /// The first party's key.
    pub(super) fn holder(parameters: HeParameters, key: PublicKey) -> HeKey {
        HeKey { parameters, half: Half::Holder(Arc::new(key)) }
    }

    /// With prepared randomness.
    pub(super) fn with_randomness(self, randomness: Vec<Randomness>) -> HeMaterial {
        HeMaterial { key: self, randomness, comparator: None }
    }

    pub(super) fn public(&self) -> &PublicKey {
        match &self.half {
            Half::Owner(key) => key.public(),
            Half::Holder(key) => key,
        }
    }

    /// The half that this party has; both halves take [`HeParameters::key_bytes`] bytes.
    pub(super) fn to_bytes(&self) -> Wiped<u8> {
        match &self.half {
            Half::Owner(key) => key.to_bytes(),
            Half::Holder(key) => Wiped::from(key.to_bytes()),
        }
    }
}

/// A party's material for the encrypted words of a run.
pub struct HeMaterial {
    key: HeKey,
    /// For this party's encryptions. The holder adds them to its ciphertexts, to hide from the owner how these were computed.
    randomness: Vec<Randomness>,
    /// For comparisons, if there are any.
    comparator: Option<Comparator>,
}

impl HeMaterial {
    /// With the material of comparisons.
    pub fn with_comparisons(self, comparator: Comparator) -> HeMaterial {
        HeMaterial { comparator: Some(comparator), ..self }
    }

    pub(super) fn into_parts(self) -> (HeKey, Vec<Randomness>, Option<Comparator>) {
        (self.key, self.randomness, self.comparator)
    }

    /// The comparator for numbers of this many bits.
    pub(super) fn comparator(&mut self, bits: u32) -> Result<&mut Comparator, ShareError> {
        let comparator = self.comparator.as_mut().ok_or(ShareError::NoKey)?;
        comparator.set_bits(bits)?;
        Ok(comparator)
    }

    pub(super) fn parameters(&self) -> HeParameters {
        self.key.parameters
    }

    /// The owner's key.
    pub(super) fn owner(&self) -> Result<Arc<SecretKey>, ShareError> {
        match &self.key.half {
            Half::Owner(key) => Ok(key.clone()),
            Half::Holder(_) => Err(ShareError::NoKey),
        }
    }

    /// The holder's key.
    pub(super) fn holder(&self) -> Result<Arc<PublicKey>, ShareError> {
        match &self.key.half {
            Half::Holder(key) => Ok(key.clone()),
            Half::Owner(_) => Err(ShareError::NoKey),
        }
    }

    /// Makes the missing randomness for this many encryptions by the owner.
    pub(super) fn reserve(&mut self, key: &SecretKey, count: usize, prg: &mut Prg) -> Result<(), HeError> {
        let missing = count.saturating_sub(self.randomness.len());
        self.randomness.extend(key.randomness_all(missing, Threads::all(), prg)?);
        Ok(())
    }

    /// Randomness for an encryption by the owner.
    pub(super) fn randomness(&mut self, key: &SecretKey, prg: &mut Prg) -> Result<Randomness, HeError> {
        match self.randomness.pop() {
            Some(ready) => Ok(ready),
            None => key.randomness(prg),
        }
    }

    /// Randomness for an encryption by the holder, which hides from the owner how the ciphertext that it is added
    /// to was computed.
    pub(super) fn hiding_randomness(
        &mut self,
        key: &PublicKey,
        prg: &mut Prg,
    ) -> Result<Randomness, HeError> {
        let mut ready = || self.randomness.pop();
        ready().or_else(|| key.hiding_randomness_all(1, Threads::ONE, prg).pop()).ok_or(HeError::Fault)
    }
}
