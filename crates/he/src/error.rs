//! Errors of homomorphic encryption.

use thiserror::Error;

/// Why a key, ciphertext or argument was refused, or a computation failed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum HeError {
    /// Bytes do not have their fixed length.
    #[error("{what}: {given} bytes given, {expected} expected")]
    Length {
        /// What the bytes stand for.
        what: &'static str,
        /// How many there were.
        given: usize,
        /// How many there should be.
        expected: usize,
    },
    /// A number is not below its bound, or a coefficient not below its modulus.
    #[error("{what} is out of range")]
    Range {
        /// The number.
        what: &'static str,
    },
    /// A number shares a factor with the modulus; zero shares all of them.
    #[error("{what} is not coprime to the modulus")]
    NotCoprime {
        /// The number.
        what: &'static str,
    },
    /// Bytes that are not the canonical encoding of a group element.
    #[error("{what} is not the canonical encoding of a point")]
    Point {
        /// The point.
        what: &'static str,
    },
    /// The identity, where it would reveal a secret.
    #[error("{what} is the identity")]
    Identity {
        /// The point.
        what: &'static str,
    },
    /// A key that no honest party makes.
    #[error("unusable key: {0}")]
    Key(#[from] KeyFault),
    /// Parameters that do not fit together or fall short of their purpose.
    #[error("unusable parameters: {0}")]
    Parameters(#[from] ParameterFault),
    /// A ciphertext, randomness or key that belongs to another key.
    #[error("{what} belongs to another key")]
    OtherKey {
        /// What it was.
        what: &'static str,
    },
    /// A ciphertext does not decrypt: it was made under another key, or its plaintext is beyond the table.
    #[error("the ciphertext has no plaintext in range under this key")]
    NoPlaintext,
    /// The noise that a ciphertext may have is too large for decryption.
    #[error("noise of up to 2^{noise_bits} is above 2^{limit_bits}, the limit for correct decryption")]
    Noise {
        /// Bits of the bound on the noise.
        noise_bits: u32,
        /// Bits of the largest noise that decrypts.
        limit_bits: u32,
    },
    /// Two ways of computing one result disagree: the hardware made an error. The result was dropped, because it could
    /// reveal the key.
    #[error("a result failed its check (a hardware error); run again, or on another machine")]
    Fault,
    /// Lists that belong together differ in length.
    #[error("{what}: {given} given, {expected} expected")]
    Count {
        /// What was counted.
        what: &'static str,
        /// How many there were.
        given: usize,
        /// How many there should be.
        expected: usize,
    },
}

/// What is wrong with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyFault {
    /// The modulus does not have the agreed size.
    #[error("its modulus has {given} bits, not {expected}")]
    Size {
        /// Bits of the modulus.
        given: u32,
        /// Bits of the agreed size.
        expected: u32,
    },
    /// The modulus is even or has a factor that trial division finds.
    #[error("its modulus has the factor {0}")]
    SmallFactor(u32),
    /// The modulus is a square: both primes are equal.
    #[error("both its primes are equal")]
    EqualPrimes,
    /// A factor is not a prime, or not a prime of the form that the scheme needs.
    #[error("a factor of its modulus is not a prime of the right form")]
    NotPrime,
    /// A generator does not have the required order modulo each prime.
    #[error("a generator has the wrong order")]
    Order,
    /// The parts of the key contradict one another.
    #[error("its parts do not belong together")]
    Inconsistent,
}

/// What is wrong with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParameterFault {
    /// A modulus of an unsupported size.
    #[error("a modulus of {0} bits")]
    ModulusBits(u32),
    /// A plaintext space that the scheme does not offer at this size.
    #[error("a plaintext space of {0} bits")]
    PlainBits(u32),
    /// An order that is small enough for attacks on subgroups, or too large for the primes.
    #[error("a subgroup of {0} bits")]
    SubgroupBits(u32),
    /// The number of plaintexts must be a small prime and is not. The value 0 stands for a power of two.
    #[error("{0} plaintexts, which is not a prime below 2^16")]
    Plaintexts(u32),
    /// Slots of this width do not fit into the plaintext space.
    #[error("slots of {slot_bits} bits in a plaintext of {plain_bits} bits")]
    Slots {
        /// Bits of a slot.
        slot_bits: u32,
        /// Bits of a plaintext.
        plain_bits: u32,
    },
    /// A table larger than this crate supports.
    #[error("a table of {0} entries")]
    Table(u64),
    /// No ring of 128-bit security has room for the noise.
    #[error("a ciphertext modulus of {0} bits, which no ring of 128-bit security has")]
    Noise(u32),
}
