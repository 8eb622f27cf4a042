//! Garbled NAND gates over given keys of 16 or 32 bytes: four rows and, for each operand, a bit position at which the hashes of its two keys differ.
//!
//! The keys of both operands and of the result are fixed before the gate is garbled, so no row can be left out, and no bit of a key can be reserved for
//! point-and-permute. Instead the colour of a key is a bit of its hash, and the position of this bit is sent. The hash is a random oracle, and only its outputs
//! are compared: a position at which the keys themselves differ would reveal a few bits of the difference R, which all wires share.

use subtle::{Choice, ConditionallySelectable};
use tacit_crypto::Oracle;
use zeroize::Zeroize;

use crate::PfeError;

/// Bytes of a long key, which is an encoded group element, and of a row with it.
pub(crate) const KEY: usize = 32;

/// Bytes of a garbled gate with long keys: a byte for each operand, then the rows.
pub(crate) const GATE: usize = 2 + 4 * KEY;

/// Bytes of a short key, a number of 128 bits.
pub(crate) const SHORT_KEY: usize = 16;

/// Bytes of a garbled gate with short keys.
pub(crate) const SHORT_GATE: usize = 2 + 4 * SHORT_KEY;

/// A long key's encoding.
pub(crate) type Key = [u8; KEY];

/// A long key for 0 and one for 1.
pub(crate) type Pair = [Key; 2];

/// Byte arrays of a fixed length, of which many are read and written at once.
pub trait ByteArray: Copy + Send + Sync + Zeroize + AsRef<[u8]> + AsMut<[u8]> {
    /// Zeros.
    const ZERO: Self;

    /// The bytes of all arrays, as one slice.
    fn flat(arrays: &[Self]) -> &[u8];

    /// The bytes of all arrays, as one mutable slice.
    fn flat_mut(arrays: &mut [Self]) -> &mut [u8];

    /// The arrays with these bytes; an incomplete last one is dropped.
    fn of_flat(bytes: &[u8]) -> Vec<Self> {
        let count = bytes.len() / size_of::<Self>();
        let mut arrays = vec![Self::ZERO; count];
        Self::flat_mut(&mut arrays).copy_from_slice(&bytes[..count * size_of::<Self>()]);
        arrays
    }
}

impl<const N: usize> ByteArray for [u8; N]
where
    [u8; N]: Zeroize,
{
    const ZERO: Self = [0; N];

    fn flat(arrays: &[Self]) -> &[u8] {
        arrays.as_flattened()
    }

    fn flat_mut(arrays: &mut [Self]) -> &mut [u8] {
        arrays.as_flattened_mut()
    }
}

/// The encoding of a wire's key, of one of two lengths.
pub trait KeyBytes: ByteArray {
    /// A garbled gate of such keys.
    type Gate: ByteArray;
}

impl KeyBytes for [u8; KEY] {
    type Gate = [u8; GATE];
}

impl KeyBytes for [u8; SHORT_KEY] {
    type Gate = [u8; SHORT_GATE];
}

/// The random oracles of one run.
pub(crate) struct Rows {
    colours: Oracle,
    masks: Oracle,
}

impl Rows {
    /// The oracles of a run; no two runs may have the same name.
    pub fn new(run: &[u8; 32]) -> Rows {
        Rows {
            colours: Oracle::new("tacit private functions v1: colour").absorb(run),
            masks: Oracle::new("tacit private functions v1: row").absorb(run),
        }
    }

    fn colours<K: KeyBytes>(&self, gate: usize, side: u8, key: &K) -> [u8; 32] {
        let mut input = [side; 9 + KEY];
        let end = 9 + size_of::<K>();
        input[1..9].copy_from_slice(&(gate as u64).to_le_bytes());
        input[9..end].copy_from_slice(key.as_ref());
        let digest = self.colours.clone().absorb(&input[..end]).digest();
        input.zeroize();
        digest
    }

    fn mask<K: KeyBytes>(&self, gate: usize, row: u8, [left, right]: [&K; 2]) -> [u8; KEY] {
        let mut input = [row; 9 + 2 * KEY];
        let (middle, end) = (9 + size_of::<K>(), 9 + 2 * size_of::<K>());
        input[1..9].copy_from_slice(&(gate as u64).to_le_bytes());
        input[9..middle].copy_from_slice(left.as_ref());
        input[middle..end].copy_from_slice(right.as_ref());
        let digest = self.masks.clone().absorb(&input[..end]).digest();
        input.zeroize();
        digest
    }

    /// A bit position at which the hashes of an operand's keys differ, and the bit of the key for 0 there. The position is public.
    fn place<K: KeyBytes>(&self, gate: usize, side: u8, keys: &[K; 2]) -> Result<(u8, u8), PfeError> {
        let [zero, one] = [0, 1].map(|bit| self.colours(gate, side, &keys[bit]));
        let differs = |place: &u8| bit(&zero, *place) != bit(&one, *place);
        let place = (0..=u8::MAX).find(differs).ok_or(PfeError::Collision)?;
        Ok((place, bit(&zero, place)))
    }

    /// The garbled gate that leads from the keys of two operands to those of their NAND. All keys are secret.
    ///
    /// # Errors
    /// [`PfeError::Collision`].
    pub fn garble<K: KeyBytes>(
        &self,
        gate: usize,
        operands: [&[K; 2]; 2],
        result: &[K; 2],
    ) -> Result<K::Gate, PfeError> {
        let [left, right] = operands;
        let (left_place, left_zero) = self.place(gate, 0, left)?;
        let (right_place, right_zero) = self.place(gate, 1, right)?;
        let mut garbled = K::Gate::ZERO;
        let (places, rows) = garbled.as_mut().split_at_mut(2);
        places.copy_from_slice(&[left_place, right_place]);
        for (row, bytes) in (0u8..4).zip(rows.chunks_exact_mut(size_of::<K>())) {
            let bits = [row >> 1 ^ left_zero, row & 1 ^ right_zero];
            let keys = [select(left, bits[0]), select(right, bits[1])];
            bytes.copy_from_slice(select(result, 1 ^ bits[0] & bits[1]).as_ref());
            add(bytes, &self.mask(gate, row, [&keys[0], &keys[1]]));
        }
        Ok(garbled)
    }

    /// The result's key, from one key of each operand.
    pub fn evaluate<K: KeyBytes>(&self, gate: usize, garbled: &K::Gate, operands: [&K; 2]) -> K {
        let [left, right] = operands;
        let (places, rows) = garbled.as_ref().split_at(2);
        let left_colour = bit(&self.colours(gate, 0, left), places[0]);
        let right_colour = bit(&self.colours(gate, 1, right), places[1]);
        let row = left_colour << 1 | right_colour;
        let mut key = K::ZERO;
        key.as_mut().copy_from_slice(&rows[usize::from(row) * size_of::<K>()..][..size_of::<K>()]);
        add(key.as_mut(), &self.mask(gate, row, operands));
        key
    }
}

fn bit(bytes: &[u8; 32], place: u8) -> u8 {
    bytes[usize::from(place >> 3)] >> (place & 7) & 1
}

/// The key for a secret bit.
pub(crate) fn select<K: KeyBytes>(pair: &[K; 2], bit: u8) -> K {
    let (mut key, choice) = (pair[0], Choice::from(bit));
    let one = pair[1].as_ref().iter();
    key.as_mut().iter_mut().zip(one).for_each(|(byte, one)| byte.conditional_assign(one, choice));
    key
}

/// Adds the first bytes of a mask to a key or a row.
pub(crate) fn add(bytes: &mut [u8], mask: &[u8; KEY]) {
    bytes.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Pair = [[1; KEY], [2; KEY]];
    const RIGHT: Pair = [[3; KEY], [4; KEY]];
    const RESULT: Pair = [[5; KEY], [6; KEY]];

    #[test]
    fn a_garbled_gate_is_a_nand() {
        let rows = Rows::new(&[7; 32]);
        for gate in 0..50 {
            let garbled = rows.garble(gate, [&LEFT, &RIGHT], &RESULT).unwrap();
            for (left, right) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let key = rows.evaluate(gate, &garbled, [&LEFT[left], &RIGHT[right]]);
                assert_eq!(key, RESULT[1 - left * right]);
            }
        }
    }

    #[test]
    fn a_garbled_gate_of_short_keys_is_a_nand() {
        let [left, right, result] = [1, 3, 5].map(|byte| [[byte; SHORT_KEY], [byte + 1; SHORT_KEY]]);
        let rows = Rows::new(&[7; 32]);
        for gate in 0..50 {
            let garbled = rows.garble(gate, [&left, &right], &result).unwrap();
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let key: [u8; SHORT_KEY] = rows.evaluate(gate, &garbled, [&left[x], &right[y]]);
                assert_eq!(key, result[1 - x * y]);
            }
        }
    }

    #[test]
    fn runs_gates_and_rows_have_masks_of_their_own() {
        let mask = |run: u8, gate, row| Rows::new(&[run; 32]).mask(gate, row, [&LEFT[0], &RIGHT[0]]);
        let masks = [mask(0, 0, 0), mask(1, 0, 0), mask(0, 1, 0), mask(0, 0, 1)];
        assert!((0..4).all(|i| (0..i).all(|j| masks[i] != masks[j])));
    }

    #[test]
    fn known_answer() {
        let mut input = vec![2];
        input.extend(9u64.to_le_bytes());
        input.extend([LEFT[0], RIGHT[1]].concat());
        let expected =
            Oracle::new("tacit private functions v1: row").absorb(&[7; 32]).absorb(&input).digest();
        assert_eq!(Rows::new(&[7; 32]).mask(9, 2, [&LEFT[0], &RIGHT[1]]), expected);
    }

    #[test]
    fn equal_keys_are_refused() {
        let same = [[1; KEY]; 2];
        assert!(matches!(Rows::new(&[0; 32]).garble(0, [&same, &RIGHT], &RESULT), Err(PfeError::Collision)));
        let [same, right] = [[[1; SHORT_KEY]; 2], [[3; SHORT_KEY], [4; SHORT_KEY]]];
        assert!(matches!(Rows::new(&[0; 32]).garble(0, [&right, &same], &right), Err(PfeError::Collision)));
    }
}
