//! Errors of comparisons.

use tacit_crypto::EntropyError;
use tacit_he::HeError;
use tacit_net::NetError;
use thiserror::Error;

/// Why a comparison or its preparation stopped. Nothing was decided.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The channel to the other server failed.
    #[error(transparent)]
    Net(#[from] NetError),
    /// The operating system gave no randomness.
    #[error(transparent)]
    Entropy(#[from] EntropyError),
    /// Encryption refused an argument of this server, or failed.
    #[error("homomorphic encryption: {0}")]
    He(#[from] HeError),
    /// The other server sent invalid ciphertexts or an invalid key.
    #[error("{peer} sent {what} that cannot be used: {source}")]
    Malformed {
        /// Name of the other server.
        peer: String,
        /// What the bytes stand for.
        what: &'static str,
        /// What is wrong with them.
        source: HeError,
    },
    /// The servers' keys, parameters, relations, sealed numbers or prices differ. Both get this error, and the channel remains
    /// usable.
    #[error(
        "{peer} compares under another key, other parameters, another relation, other sealed numbers or other prices; nothing was decided"
    )]
    Disagree {
        /// Name of the other server.
        peer: String,
    },
    /// So few plaintexts that sums could wrap around and a decision could be wrong.
    #[error("{plaintexts} plaintexts are too few to compare {bits} bits; a prime above {least} is needed")]
    Plaintexts {
        /// How many plaintexts the key has: u.
        plaintexts: u32,
        /// Bits of the numbers to compare.
        bits: u32,
        /// What u must be above.
        least: u32,
    },
    /// A number of bits that is not supported.
    #[error("numbers of {0} bits cannot be compared; 1 to 64 bits can")]
    Bits(u32),
    /// A number that does not fit into the agreed number of bits.
    #[error("{what} number {index} has more than {bits} bits")]
    Range {
        /// What the number is.
        what: &'static str,
        /// Its place in the list, from 0.
        index: usize,
        /// The bits that it may have.
        bits: u32,
    },
    /// A share that is not below u.
    #[error("share {index} of a half is not below {plaintexts}")]
    Share {
        /// Its place in the half, from 0.
        index: usize,
        /// u.
        plaintexts: u32,
    },
    /// Two halves with different names, so of different numbers.
    #[error("the halves belong to different numbers")]
    Names,
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
    /// Not enough randomness was prepared.
    #[error("{needed} pieces of prepared randomness are needed, {left} are left; prepare more")]
    Unprepared {
        /// Pieces that the call needs.
        needed: usize,
        /// Pieces that are left.
        left: usize,
    },
    /// A batch whose message would be longer than its head can encode.
    #[error("a message of {bytes} bytes is too long; compare in smaller batches")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// A modulus, or a number modulo it, with which masked numbers cannot be compared.
    #[error("masked numbers of {bits} bits need a modulus above {} and must be below the modulus, which is {modulus}", 4u128 << .bits)]
    Modulus {
        /// The modulus.
        modulus: u128,
        /// Bits of the numbers to compare.
        bits: u32,
    },
    /// The parameters are for revealed results, and shared ones were requested.
    #[error("these parameters are for revealed results only; make parameters for shared results")]
    Revealed,
}

impl CompareError {
    /// Checks that two lists have the same length.
    pub(crate) fn check_count(what: &'static str, given: usize, expected: usize) -> Result<(), CompareError> {
        if given == expected { Ok(()) } else { Err(CompareError::Count { what, given, expected }) }
    }
}
