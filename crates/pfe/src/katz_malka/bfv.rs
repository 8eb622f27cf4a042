//! BFV: keys are eight words of 16 bits, added word by word.
//!
//! A plaintext has 4096 words, in 512 slots of eight. A wire's ciphertext has the keys of 16 wires in its first slots. A reply has 32 operands,
//! in every sixteenth slot: for each operand, a monomial moves the ciphertext so that the wire's slot comes to the operand's, and the sum of all
//! is blinded. The other wires of a ciphertext come to the slots between, whose coefficients are not in the reply.
//!
//! Source: Holz, Kiss, Rathee and Schneider (ESORICS'20), section 4.4. Differs: that paper has bits in place of words, one wire for each ciphertext, and a
//! modulus of 54 bits for 2048 coefficients, which has no room for a flood of 40 bits. This code has 4096 coefficients and 100 bits, and sends fewer bytes.
//! Security: ring-LWE at 128 bits. Replies hide the wiring from P2 within a statistical distance of 2^-40 each by the flood, and
//! computationally by the added zero ([`tacit_he::bfv`]); r is uniform in the group of keys, so K + r hides K perfectly.
//! Cost: 51 kB for 16 wires and 27 kB for 32 operands. P1 keeps 8 kB for each wire.

use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::bfv::{Ciphertext, Factor, Parameters, Plain, PublicKey, Ring, SecretKey, Use};
use tacit_he::{HeError, PublicKey as _, SecretKey as _, Threads, map_groups, map_secret_groups};
use zeroize::Zeroizing;

use super::numbers::{self, Key};
use super::scheme::{Pairs, Scheme, Sealed};
use super::streams::Streams;
use crate::PfeError;

/// Bits of a coefficient of plaintexts.
pub(crate) const WORD_BITS: u32 = 16;

/// Coefficients of a key.
pub(crate) const WORDS: usize = 8;

/// Wires of a ciphertext.
pub(crate) const WIRES: usize = 16;

/// Operands of a reply.
pub(crate) const OPERANDS: usize = 32;

/// The ring of all plaintexts.
const RING: Ring = Ring::ALL[0];

/// The highest bit of every word.
const HIGH: u128 = 0x8000_8000_8000_8000_8000_8000_8000_8000;

const _: () = assert!(
    crate::bytes::WINDOW.is_multiple_of(WIRES) && (2 * crate::bytes::WINDOW).is_multiple_of(OPERANDS),
    "a window begins with a ciphertext, and with a reply"
);

/// BFV with parameters of 128 bits of security.
#[derive(Clone, Debug)]
pub struct Bfv {
    parameters: Parameters,
}

/// The public key, and the monomials by which ciphertexts are moved.
pub struct Public {
    key: PublicKey,
    /// The monomials by number of slots, from `1 - WIRES` on.
    moves: Vec<Factor>,
}

impl Bfv {
    /// BFV with parameters that have room for replies.
    ///
    /// # Errors
    /// None at present.
    pub fn new() -> Result<Bfv, HeError> {
        Ok(Bfv { parameters: Parameters::fitting(WORD_BITS, &Use::sums(OPERANDS))? })
    }
}

impl Public {
    /// The monomial that moves a wire's slot to an operand's place in a reply.
    fn movement(&self, place: usize, wire: usize) -> &Factor {
        &self.moves[place * WIRES + WIRES - 1 - wire % WIRES]
    }

    /// The reply for up to [`OPERANDS`] operands.
    fn reply(
        &self,
        parameters: &Parameters,
        wires: &[Ciphertext],
        operands: &[u32],
        blinds: &[u128],
        prg: &mut Prg,
    ) -> Result<Vec<u8>, HeError> {
        let mut moved = operands.iter().enumerate().map(|(place, wire)| {
            let wire = *wire as usize;
            (&wires[wire / WIRES], self.movement(place, wire))
        });
        let Some((first, by)) = moved.next() else { return Ok(Vec::new()) };
        let mut sum = self.key.multiply(first, by)?;
        for (ciphertext, by) in moved {
            self.key.add_product(&mut sum, ciphertext, by)?;
        }
        let places = places(operands.len());
        let sum = self.key.add_plain(&sum, &scattered(parameters, blinds, WIRES)?)?;
        self.key.encode_reply(&self.key.reply(&sum, &places, prg)?)
    }
}

/// The coefficients of a reply's operands.
fn places(operands: usize) -> Vec<usize> {
    (0..operands).flat_map(|operand| (0..WORDS).map(move |word| operand * WIRES * WORDS + word)).collect()
}

/// The plaintext with these numbers in slots at this distance.
fn scattered(parameters: &Parameters, numbers: &[u128], stride: usize) -> Result<Plain, HeError> {
    let mut coefficients = Zeroizing::new(vec![0; parameters.degree()]);
    for (slot, number) in coefficients.chunks_exact_mut(WORDS).step_by(stride).zip(numbers) {
        for (word, bytes) in slot.iter_mut().zip(number.to_le_bytes().as_chunks().0) {
            *word = u64::from(u16::from_le_bytes(*bytes));
        }
    }
    parameters.plain(&coefficients)
}

/// The number that a slot's words form.
fn number(words: &[u64; WORDS]) -> u128 {
    words.iter().rev().fold(0, |number, word| number << WORD_BITS | u128::from(*word))
}

/// The sum word by word.
fn sum(a: u128, b: u128) -> u128 {
    ((a & !HIGH) + (b & !HIGH)) ^ ((a ^ b) & HIGH)
}

impl Sealed for Bfv {}

impl Scheme for Bfv {
    type Key = Key;
    type Number = u128;
    type Secret = SecretKey;
    type Public = Public;
    type Ciphertext = Ciphertext;
    type Mask = ();

    fn mark(&self) -> u64 {
        3 << 32 | self.parameters.degree() as u64
    }

    fn public_bytes(&self) -> usize {
        RING.key_bytes()
    }

    fn wires_bytes(&self, wires: usize) -> usize {
        RING.fresh_bytes() * wires.div_ceil(WIRES)
    }

    fn replies_bytes(&self, operands: usize) -> usize {
        let reply = |operands: usize| RING.reply_bytes(WORD_BITS, WORDS * operands);
        let rest = operands % OPERANDS;
        operands / OPERANDS * reply(OPERANDS) + if rest == 0 { 0 } else { reply(rest) }
    }

    fn generate(&self, prg: &mut Prg) -> Result<SecretKey, PfeError> {
        Ok(SecretKey::generate(&self.parameters, prg)?)
    }

    fn encode_public(&self, secret: &SecretKey) -> Vec<u8> {
        secret.public().to_bytes()
    }

    fn difference(&self, prg: &mut Prg) -> Zeroizing<u128> {
        numbers::not_zero(prg)
    }

    fn draw(
        &self,
        secret: &SecretKey,
        difference: &u128,
        wires: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Pairs<Key>, Vec<u8>), PfeError> {
        let zeros = numbers::uniform(wires, prg);
        let plains = zeros.chunks(WIRES).map(|some| scattered(&self.parameters, some, 1));
        let plains = plains.collect::<Result<Vec<Plain>, HeError>>()?;
        let fresh = secret.encrypt_fresh_all(&plains, threads, prg)?;
        let pairs = numbers::pairs(zeros.iter().copied(), *difference, sum);
        Ok((pairs, secret.public().encode_fresh(&fresh)?))
    }

    fn decrypt(
        &self,
        secret: &SecretKey,
        difference: &u128,
        operands: Range<usize>,
        replies: &[u8],
        threads: Threads,
    ) -> Result<Pairs<Key>, PfeError> {
        let pieces: Vec<&[u8]> = replies.chunks(self.replies_bytes(OPERANDS)).collect();
        map_secret_groups(&pieces, 1, threads, |index, piece| {
            let count = OPERANDS.min(operands.len() - index * OPERANDS);
            let reply = secret.public().decode_reply(WORDS * count, piece[0])?;
            let words = secret.decrypt_reply(&reply, &places(count))?;
            Ok(numbers::pairs(words.as_chunks().0.iter().map(number), *difference, sum))
        })
    }

    fn decode_public(&self, bytes: &[u8]) -> Result<Public, PfeError> {
        let degree = self.parameters.degree();
        // From x^(-8·15) on; x^(2n) is 1.
        let powers = (0..OPERANDS * WIRES).map(|slot| (2 * degree + slot * WORDS) - (WIRES - 1) * WORDS);
        let moves = powers.map(|power| self.parameters.monomial(power)).collect();
        Ok(Public { key: PublicKey::from_bytes(&self.parameters, bytes)?, moves })
    }

    fn decode_wires(
        &self,
        public: &Public,
        wires: Range<usize>,
        bytes: &[u8],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, PfeError> {
        let fresh = public.key.decode_fresh(wires.len().div_ceil(WIRES), bytes)?;
        map_groups(&fresh, 1, threads, |_, fresh| Ok(vec![public.key.expand(&fresh[0])?]))
    }

    /// Blinds need no further randomness here: the randomness that hides how a reply was computed is drawn with the
    /// reply.
    fn blind(
        &self,
        _: &Public,
        operands: usize,
        _: Threads,
        prg: &mut Prg,
    ) -> Result<(Zeroizing<Vec<u128>>, Vec<()>), PfeError> {
        Ok((numbers::uniform(operands, prg), Vec::new()))
    }

    fn reply(
        &self,
        public: &Public,
        wires: &[Ciphertext],
        operands: &[u32],
        (blinds, _): (&[u128], Vec<()>),
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<Vec<u8>, PfeError> {
        let streams = Streams::new(prg);
        map_groups(operands, OPERANDS, threads, |first, group| {
            let mut prg = streams.prg_of_group(first / OPERANDS);
            let blinds = &blinds[first..][..group.len()];
            Ok(public.reply(&self.parameters, wires, group, blinds, &mut prg)?)
        })
    }

    fn encode_blinds(blinds: &[u128]) -> Zeroizing<Vec<Key>> {
        Zeroizing::new(blinds.iter().map(|blind| blind.to_le_bytes()).collect())
    }

    fn decode_keys(keys: &[Key]) -> Result<Zeroizing<Vec<u128>>, usize> {
        Ok(Zeroizing::new(keys.iter().map(|key| u128::from_le_bytes(*key)).collect()))
    }

    fn add(wires: Zeroizing<Vec<u128>>, blinds: &[u128]) -> Zeroizing<Vec<Key>> {
        let pairs = wires.iter().zip(blinds);
        Zeroizing::new(pairs.map(|(wire, blind)| sum(*wire, *blind).to_le_bytes()).collect())
    }
}
