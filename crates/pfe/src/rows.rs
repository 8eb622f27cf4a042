//! Garbled NAND gates over keys of 32 bytes that are given: four rows, and for each operand a place in a hash at which its
//! two keys differ.
//!
//! The keys of both operands and of the result are fixed before the gate is garbled, so no row can be left out, and no bit of a key
//! can be kept for point-and-permute. Instead the colour of a key is a bit of its hash; which bit is sent. The hash is a random
//! oracle, and only its answers are compared: places at which the keys' own encodings differ would tell of the difference R between
//! keys, which all wires share, a few bits each.

use subtle::{Choice, ConditionallySelectable};
use tacit_crypto::Oracle;
use zeroize::Zeroize;

use crate::PfeError;

/// Bytes of a key, and of a row.
pub(crate) const KEY: usize = 32;

/// Bytes of a garbled gate: a byte for each operand, then the rows.
pub(crate) const GATE: usize = 2 + 4 * KEY;

/// A key's encoding.
pub(crate) type Key = [u8; KEY];

/// A key for 0 and one for 1.
pub(crate) type Pair = [Key; 2];

/// The random oracles of one run.
pub(crate) struct Rows {
    colours: Oracle,
    masks: Oracle,
}

impl Rows {
    /// Those of a run; no two runs may have the same name.
    pub fn new(run: &[u8; 32]) -> Rows {
        Rows {
            colours: Oracle::new("tacit private functions v1: colour").absorb(run),
            masks: Oracle::new("tacit private functions v1: row").absorb(run),
        }
    }

    fn colours(&self, gate: usize, side: u8, key: &Key) -> [u8; 32] {
        let mut input = [side; 9 + KEY];
        input[1..9].copy_from_slice(&(gate as u64).to_le_bytes());
        input[9..].copy_from_slice(key);
        let digest = self.colours.clone().absorb(&input).digest();
        input.zeroize();
        digest
    }

    fn mask(&self, gate: usize, row: u8, [left, right]: [&Key; 2]) -> [u8; KEY] {
        let mut input = [row; 9 + 2 * KEY];
        input[1..9].copy_from_slice(&(gate as u64).to_le_bytes());
        input[9..9 + KEY].copy_from_slice(left);
        input[9 + KEY..].copy_from_slice(right);
        let digest = self.masks.clone().absorb(&input).digest();
        input.zeroize();
        digest
    }

    /// A place at which the hashes of an operand's keys differ, and the bit of the key for 0 there. The place is public.
    fn place(&self, gate: usize, side: u8, keys: &Pair) -> Result<(u8, u8), PfeError> {
        let [zero, one] = [0, 1].map(|bit| self.colours(gate, side, &keys[bit]));
        let differs = |place: &u8| bit(&zero, *place) != bit(&one, *place);
        let place = (0..=u8::MAX).find(differs).ok_or(PfeError::Collision)?;
        Ok((place, bit(&zero, place)))
    }

    /// The garbled gate that leads from the keys of two operands to those of their NAND. All keys are secret.
    ///
    /// # Errors
    /// [`PfeError::Collision`].
    pub fn garble(&self, gate: usize, operands: [&Pair; 2], result: &Pair) -> Result<[u8; GATE], PfeError> {
        let [left, right] = operands;
        let (left_place, left_zero) = self.place(gate, 0, left)?;
        let (right_place, right_zero) = self.place(gate, 1, right)?;
        let mut garbled = [0; GATE];
        (garbled[0], garbled[1]) = (left_place, right_place);
        for (row, bytes) in (0u8..4).zip(garbled[2..].as_chunks_mut::<KEY>().0) {
            let bits = [row >> 1 ^ left_zero, row & 1 ^ right_zero];
            let keys = [select(left, bits[0]), select(right, bits[1])];
            *bytes = select(result, 1 ^ bits[0] & bits[1]);
            add(bytes, &self.mask(gate, row, [&keys[0], &keys[1]]));
        }
        Ok(garbled)
    }

    /// The result's key that follows from one key of each operand.
    pub fn evaluate(&self, gate: usize, garbled: &[u8; GATE], operands: [&Key; 2]) -> Key {
        let [left, right] = operands;
        let left_colour = bit(&self.colours(gate, 0, left), garbled[0]);
        let right_colour = bit(&self.colours(gate, 1, right), garbled[1]);
        let row = left_colour << 1 | right_colour;
        let mut key = garbled[2..].as_chunks::<KEY>().0[usize::from(row)];
        add(&mut key, &self.mask(gate, row, operands));
        key
    }
}

fn bit(bytes: &[u8; 32], place: u8) -> u8 {
    bytes[usize::from(place >> 3)] >> (place & 7) & 1
}

/// The key for a secret bit.
fn select(pair: &Pair, bit: u8) -> Key {
    core::array::from_fn(|i| u8::conditional_select(&pair[0][i], &pair[1][i], Choice::from(bit)))
}

pub(crate) fn add(bytes: &mut Key, mask: &Key) {
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
    }
}
