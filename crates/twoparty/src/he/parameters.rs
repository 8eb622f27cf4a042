use tacit_compare::{CompareError, Cost, Parameters, Results};
use tacit_he::paillier::ModulusSize;
use tacit_he::{HeError, Slots};
use tacit_schedule::domains::he::MAX_COMPARED_BITS;

/// Maximum ciphertexts for which setup prepares randomness; more is made on demand.
const MOST_READY: u64 = 1 << 14;

/// For how many of `count` ciphertexts setup prepares randomness.
pub(super) fn ready(count: u64) -> usize {
    count.min(MOST_READY) as usize
}

/// Parameters on which both parties agree before there is a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeParameters {
    /// The size of the modulus.
    pub size: ModulusSize,
    /// By how many bits masks are longer than what they hide.
    pub statistical_bits: u32,
}

impl HeParameters {
    /// Bytes of the public key, which is sent once per session.
    pub fn key_bytes(&self) -> u64 {
        u64::from(self.size.bits()) / 4
    }

    /// Bytes of a ciphertext.
    pub fn ciphertext_bytes(&self) -> u64 {
        u64::from(self.size.bits()) / 4
    }

    /// The parameters of the key under which bits are compared, at the same level, for any supported number of
    /// bits.
    ///
    /// # Errors
    /// None for the sizes that sessions use.
    pub(super) fn comparisons(&self) -> Result<Parameters, CompareError> {
        let (size, bits) = (self.size, MAX_COMPARED_BITS);
        match size.bits() {
            3072.. => Parameters::new(size, 256, bits, Results::Shared),
            2048.. => Parameters::new(size, 224, bits, Results::Shared),
            // Not secure, like the size.
            1024.. => Parameters::insecure(size, 160, bits, Results::Shared),
            _ => Parameters::insecure(size, 64, bits, Results::Shared),
        }
    }

    /// Bytes of the key under which bits are compared, which is sent once per session.
    ///
    /// # Errors
    /// None for the sizes that sessions use.
    pub fn comparison_key_bytes(&self) -> Result<u64, CompareError> {
        Ok(Cost::key_bytes(&self.comparisons()?) as u64)
    }

    /// The maximum bits of numbers that can be decrypted under a mask.
    pub fn most_bits(&self) -> u32 {
        (self.size.bits() - 1).saturating_sub(self.statistical_bits + 1)
    }

    /// How masked numbers of this many bits are packed.
    ///
    /// # Errors
    /// Not even one fits.
    pub fn slots(&self, value_bits: u32) -> Result<Slots, HeError> {
        Slots::new(self.size.bits() - 1, value_bits, self.statistical_bits)
    }
}

/// Ciphertexts that the parties send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CiphertextCount {
    /// Ciphertexts from the key's owner: one for each word.
    pub encrypted: u64,
    /// Ciphertexts from the holder: of masked words, packed.
    pub replies: u64,
}

impl CiphertextCount {
    /// Adds those of another message; saturates.
    pub fn add(&mut self, other: CiphertextCount) {
        self.encrypted = self.encrypted.saturating_add(other.encrypted);
        self.replies = self.replies.saturating_add(other.replies);
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.encrypted == 0 && self.replies == 0
    }

    /// Bytes that the first and the second party sends.
    pub fn bytes(&self, parameters: &HeParameters) -> [u64; 2] {
        [self.replies, self.encrypted].map(|count| count.saturating_mul(parameters.ciphertext_bytes()))
    }
}
