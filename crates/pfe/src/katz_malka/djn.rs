//! DJN, Paillier's scheme in the form of Damgård, Jurik and Nielsen: keys are numbers modulo 2^128.
//!
//! A reply holds as many operands as fit, each in a slot of 200 bits: the sum of the wires' keys, each multiplied by the power of two of its
//! slot, and of a packed encryption of blinds of 199 bits. P2 decrypts K + r as an integer and takes it modulo 2^128.
//!
//! Source: Holz, Kiss, Rathee and Schneider (ESORICS'20), sections 3.3, 4.1 and 4.2. Differs: replies are packed as
//! that paper packs those of BFV, which saves nine of ten decryptions at 2048 bits.
//! Security: the decisional composite residuosity assumption, with short exponents, hides keys from P1. From P2, K + r hides K within a statistical distance of
//! 2^-71 for each operand, 2^-42 for the largest function. The exponent of a reply's randomness is longer than the order of its group, because
//! P2 knows the factors, so it can compute logarithms modulo them, and knows the randomness of every wire.
//! Cost at 2048 bits: 512 bytes for each wire, and for every ten operands.

use core::ops::Range;

use tacit_crypto::Prg;
use tacit_he::paillier::{Ciphertext, ModulusSize, PublicKey, SecretKey};
use tacit_he::{HeError, Natural, ParameterFault, PublicKey as _, SecretKey as _, Threads};
use zeroize::Zeroizing;

use super::numbers::{self, Key};
use super::scheme::{Pairs, Scheme, Sealed};
use crate::PfeError;
use crate::rows::SHORT_KEY;

/// Bytes of an operand in a reply's plaintext: a key, a blind that hides it, and their carry.
pub(crate) const SLOT: usize = 25;

/// DJN with a modulus of a public size.
#[derive(Clone, Copy, Debug)]
pub struct Djn {
    size: ModulusSize,
}

impl Djn {
    /// DJN with a modulus of this size.
    ///
    /// # Errors
    /// [`HeError::Parameters`] for a modulus that is too small for an operand.
    pub fn new(size: ModulusSize) -> Result<Djn, HeError> {
        let djn = Djn { size };
        if djn.slots() == 0 {
            return Err(ParameterFault::ModulusBits(size.bits()).into());
        }
        Ok(djn)
    }

    /// DJN with a modulus of 3072 bits: 128 bits of security.
    ///
    /// # Errors
    /// None at present.
    pub fn long() -> Result<Djn, HeError> {
        Djn::new(ModulusSize::LONG)
    }

    /// Operands in a reply.
    fn slots(&self) -> usize {
        (self.size.bits() as usize - 1) / (8 * SLOT)
    }

    fn ciphertext_bytes(&self) -> usize {
        2 * self.size.bits() as usize / 8
    }

    /// For each list of operands, an encryption of their keys in slots. All lists have the same length.
    fn gather(
        public: &PublicKey,
        wires: &[Ciphertext],
        lists: &[&[u32]],
        threads: Threads,
    ) -> Result<Vec<Ciphertext>, PfeError> {
        let read = |slot: usize| -> Vec<Ciphertext> {
            lists.iter().map(|list| wires[list[slot] as usize].clone()).collect()
        };
        let Some(last) = lists.first().and_then(|list| list.len().checked_sub(1)) else {
            return Ok(Vec::new());
        };
        // Horner's rule.
        let mut sums = read(last);
        for slot in (0..last).rev() {
            let moved = public.shift_all(&sums, 8 * SLOT as u32, threads)?;
            sums = public.add_all(&moved, &read(slot), threads)?;
        }
        Ok(sums)
    }
}

/// The number in a slot, modulo 2^128.
fn number(slot: &[u8; SLOT]) -> u128 {
    let mut low = Zeroizing::new([0; SHORT_KEY]);
    low.copy_from_slice(&slot[..SHORT_KEY]);
    u128::from_le_bytes(*low)
}

impl Sealed for Djn {}

impl Scheme for Djn {
    type Key = Key;
    type Number = u128;
    type Secret = SecretKey;
    type Public = PublicKey;
    type Ciphertext = Ciphertext;
    type Mask = Ciphertext;

    fn mark(&self) -> u64 {
        2 << 32 | u64::from(self.size.bits())
    }

    fn public_bytes(&self) -> usize {
        self.ciphertext_bytes()
    }

    fn wires_bytes(&self, wires: usize) -> usize {
        self.ciphertext_bytes() * wires
    }

    fn replies_bytes(&self, operands: usize) -> usize {
        self.ciphertext_bytes() * operands.div_ceil(self.slots())
    }

    fn generate(&self, prg: &mut Prg) -> Result<SecretKey, PfeError> {
        Ok(SecretKey::generate(&self.size, prg)?)
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
        let plains: Vec<Natural> = zeros.iter().map(|zero| Natural::from(*zero)).collect();
        let ciphertexts = secret.encrypt_all(&plains, threads, prg)?;
        let pairs = numbers::pairs(zeros.iter().copied(), *difference, u128::wrapping_add);
        Ok((pairs, secret.public().encode(&ciphertexts)?))
    }

    fn decrypt(
        &self,
        secret: &SecretKey,
        difference: &u128,
        operands: Range<usize>,
        replies: &[u8],
        threads: Threads,
    ) -> Result<Pairs<Key>, PfeError> {
        let count = operands.len().div_ceil(self.slots());
        let ciphertexts = secret.public().decode(count, replies)?;
        let plains = secret.decrypt_all(&ciphertexts, threads)?;
        let mut pairs = Zeroizing::new(Vec::with_capacity(operands.len()));
        for (index, plain) in operands.clone().step_by(self.slots()).zip(&plains) {
            let bytes = plain.to_le_bytes();
            let (slots, rest) = bytes.split_at(SLOT * self.slots().min(operands.end - index));
            if rest.iter().fold(0, |all, byte| all | byte) != 0 {
                return Err(PfeError::Operand { index });
            }
            let zeros = slots.as_chunks().0.iter().map(number);
            pairs.extend_from_slice(&numbers::pairs(zeros, *difference, u128::wrapping_add));
        }
        Ok(pairs)
    }

    fn decode_public(&self, bytes: &[u8]) -> Result<PublicKey, PfeError> {
        Ok(PublicKey::from_bytes(&self.size, bytes)?)
    }

    fn decode_wires(
        &self,
        public: &PublicKey,
        wires: Range<usize>,
        bytes: &[u8],
        _: Threads,
    ) -> Result<Vec<Ciphertext>, PfeError> {
        Ok(public.decode(wires.len(), bytes)?)
    }

    fn blind(
        &self,
        public: &PublicKey,
        operands: usize,
        threads: Threads,
        prg: &mut Prg,
    ) -> Result<(Zeroizing<Vec<u128>>, Vec<Ciphertext>), PfeError> {
        let mut slots = Zeroizing::new(vec![[0; SLOT]; operands]);
        prg.fill_bytes(slots.as_flattened_mut());
        slots.iter_mut().for_each(|slot| slot[SLOT - 1] &= 0x7f);
        let blinds = Zeroizing::new(slots.iter().map(number).collect());
        let lists = slots.chunks(self.slots());
        let randomness = public.hiding_randomness_all(lists.len(), threads, prg);
        let masks = lists.zip(randomness).map(|(list, randomness)| {
            public.encrypt_with(&Natural::from_le_bytes(list.as_flattened()), randomness)
        });
        Ok((blinds, masks.collect::<Result<_, HeError>>()?))
    }

    fn reply(
        &self,
        public: &PublicKey,
        wires: &[Ciphertext],
        operands: &[u32],
        (_, masks): (&[u128], Vec<Ciphertext>),
        threads: Threads,
        _: &mut Prg,
    ) -> Result<Vec<u8>, PfeError> {
        let lists: Vec<&[u32]> = operands.chunks(self.slots()).collect();
        let (full, rest) = lists.split_at(operands.len() / self.slots());
        let mut sums = Djn::gather(public, wires, full, threads)?;
        sums.extend(Djn::gather(public, wires, rest, threads)?);
        Ok(public.encode(&public.add_all(&sums, &masks, threads)?)?)
    }

    fn encode_blinds(blinds: &[u128]) -> Zeroizing<Vec<Key>> {
        Zeroizing::new(blinds.iter().map(|blind| blind.to_le_bytes()).collect())
    }

    fn decode_keys(keys: &[Key]) -> Result<Zeroizing<Vec<u128>>, usize> {
        Ok(Zeroizing::new(keys.iter().map(|key| u128::from_le_bytes(*key)).collect()))
    }

    fn add(wires: Zeroizing<Vec<u128>>, blinds: &[u128]) -> Zeroizing<Vec<Key>> {
        let pairs = wires.iter().zip(blinds);
        Zeroizing::new(pairs.map(|(wire, blind)| wire.wrapping_add(*blind).to_le_bytes()).collect())
    }
}
