//! A hash modelled as a random oracle: BLAKE3 in its key derivation mode, with a context for each use.

use core::fmt;
use tacit_math::Block;
use zeroize::Zeroize;

/// A random oracle over a sequence of byte strings. Each string is absorbed with its length first, so that
/// different sequences never collide by concatenation.
///
/// Source: BLAKE3, `derive_key` mode; `context` names protocol and use and is a constant of the program.
/// Security: 128-bit collision resistance; absorbed strings may be secret (time depends only on lengths).
///
/// ```
/// use tacit_crypto::Oracle;
///
/// let digest = |parts: &[&[u8]]| parts.iter().fold(Oracle::new("example"), |oracle, part| oracle.absorb(part)).digest();
/// assert_ne!(digest(&[b"ab", b"c"]), digest(&[b"a", b"bc"]));
/// ```
#[derive(Clone)]
pub struct Oracle(blake3::Hasher);

impl Oracle {
    /// An oracle for `context`; different contexts give independent oracles.
    pub fn new(context: &str) -> Oracle {
        Oracle(blake3::Hasher::new_derive_key(context))
    }

    /// Absorbs one byte string.
    #[must_use]
    pub fn absorb(mut self, part: &[u8]) -> Oracle {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    /// The answer as 32 bytes.
    pub fn digest(&self) -> [u8; 32] {
        self.0.finalize().into()
    }

    /// The first 16 bytes of the answer.
    pub fn block(&self) -> Block {
        let [low, _] = self.halves();
        low
    }

    /// The two halves of the answer, 16 bytes each.
    pub fn halves(&self) -> [Block; 2] {
        let digest = self.digest();
        let half = |start: usize| Block::from_bytes(core::array::from_fn(|i| digest[start + i]));
        [half(0), half(16)]
    }

    /// The answer as an endless stream whose first 32 bytes are the digest.
    pub fn stream(&self) -> OracleStream {
        OracleStream(self.0.finalize_xof())
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for Oracle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Oracle(..)")
    }
}

/// The endless answer of an [`Oracle`].
pub struct OracleStream(blake3::OutputReader);

impl OracleStream {
    /// The next bytes of the stream.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }

    /// Adds (XOR) the next bytes of the stream to `bytes`: masks them, or removes the same mask.
    pub fn apply(&mut self, bytes: &mut [u8]) {
        let mut mask = [0; 1024];
        for chunk in bytes.chunks_mut(mask.len()) {
            let mask = &mut mask[..chunk.len()];
            self.0.fill(mask);
            chunk.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= *mask);
        }
        mask.zeroize();
    }

    /// Continues at byte `position` of the stream.
    pub fn seek(&mut self, position: u64) {
        self.0.set_position(position);
    }
}

impl Drop for OracleStream {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl fmt::Debug for OracleStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("OracleStream(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answer() {
        // Pinned: a change of this value changes what parties of different versions agree on.
        let expected = blake3::derive_key("use", &[[3, 0, 0, 0, 0, 0, 0, 0].as_slice(), b"abc"].concat());
        assert_eq!(Oracle::new("use").absorb(b"abc").digest(), expected);
    }

    #[test]
    fn contexts_and_boundaries_separate() {
        let oracle = |context: &str, parts: &[&[u8]]| {
            parts.iter().fold(Oracle::new(context), |o, p| o.absorb(p)).block()
        };
        assert_ne!(oracle("a", &[b"x"]), oracle("b", &[b"x"]));
        assert_ne!(oracle("a", &[b"x", b""]), oracle("a", &[b"x"]));
    }

    #[test]
    fn the_stream_begins_with_the_digest_and_applies_twice_to_nothing() {
        let oracle = Oracle::new("a").absorb(b"key");
        let mut bytes = vec![0; 5000];
        oracle.stream().apply(&mut bytes);
        assert_eq!(bytes[..32], oracle.digest());
        let mut tail = vec![0; 100];
        let mut stream = oracle.stream();
        stream.seek(4000);
        stream.fill(&mut tail);
        assert_eq!(tail, bytes[4000..4100]);
        oracle.stream().apply(&mut bytes);
        assert!(bytes.iter().all(|&byte| byte == 0));
    }
}
