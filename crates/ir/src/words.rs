use std::fmt;

use serde::{Deserialize, Serialize};
use zeroize::optimization_barrier;

use crate::ValueType;

/// A vector of `lanes` words of `bits` bits in the clear.
///
/// Lane `i` occupies `limbs_per_lane()` little-endian 64-bit limbs; bits above `bits` are zero.
///
/// Words are often inputs or shares, so `Debug` prints only width and lanes, and words are overwritten when
/// dropped.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Words {
    bits: u32,
    lanes: u64,
    limbs: Vec<u64>,
}

/// Lanes whose bits are moved together, so that they stay in the cache.
const LANES_AT_ONCE: usize = 1 << 11;

/// Words before they are checked.
#[derive(Deserialize)]
struct Unchecked {
    bits: u32,
    lanes: u64,
    limbs: Vec<u64>,
}

impl TryFrom<Unchecked> for Words {
    type Error = &'static str;

    fn try_from(Unchecked { bits, lanes, limbs }: Unchecked) -> Result<Self, Self::Error> {
        Words::from_limbs(bits, lanes, limbs).ok_or("limbs do not match the width and the lanes")
    }
}

impl Words {
    /// `lanes` zeros.
    pub fn zero(bits: u32, lanes: u64) -> Self {
        Words { bits, lanes, limbs: vec![0; bits.div_ceil(64) as usize * lanes as usize] }
    }

    /// One lane from an unsigned integer, reduced modulo `2^bits`.
    pub fn scalar(bits: u32, value: u128) -> Self {
        Words::from_u128s(bits, &[value])
    }

    /// One lane for each integer, each reduced modulo `2^bits`.
    pub fn from_u128s(bits: u32, values: &[u128]) -> Self {
        let mut words = Words::zero(bits, values.len() as u64);
        for (lane, value) in values.iter().enumerate() {
            for (index, limb) in words.lane_mut(lane as u64).iter_mut().take(2).enumerate() {
                *limb = (value >> (64 * index)) as u64;
            }
        }
        words.mask();
        words
    }

    /// Words from their limbs, lane after lane; none if the number of limbs does not fit width and lanes, if
    /// the width is 0, or if a bit above the width is set.
    pub fn from_limbs(bits: u32, lanes: u64, limbs: Vec<u64>) -> Option<Self> {
        let words = Words { bits, lanes, limbs };
        words.is_well_formed().then_some(words)
    }

    /// Width in bits of each lane.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Number of lanes.
    pub fn lanes(&self) -> u64 {
        self.lanes
    }

    /// The type of these words in a program.
    pub fn value_type(&self) -> ValueType {
        ValueType::word(self.bits, self.lanes)
    }

    /// 64-bit limbs in each lane.
    pub fn limbs_per_lane(&self) -> usize {
        self.bits.div_ceil(64) as usize
    }

    /// The limbs of one lane, least significant first.
    pub fn lane(&self, lane: u64) -> &[u64] {
        let width = self.limbs_per_lane();
        &self.limbs[lane as usize * width..][..width]
    }

    /// The limbs of one lane, for writing; call [`Words::mask`] if bits above the width may have been set.
    pub fn lane_mut(&mut self, lane: u64) -> &mut [u64] {
        let width = self.limbs_per_lane();
        &mut self.limbs[lane as usize * width..][..width]
    }

    /// One bit of one lane.
    pub fn bit(&self, lane: u64, bit: u32) -> bool {
        self.lane(lane)[bit as usize / 64] >> (bit % 64) & 1 == 1
    }

    /// Sets one bit of one lane.
    pub fn set_bit(&mut self, lane: u64, bit: u32, value: bool) {
        let limb = &mut self.lane_mut(lane)[bit as usize / 64];
        *limb = *limb & !(1 << (bit % 64)) | u64::from(value) << (bit % 64);
    }

    /// The low 128 bits of one lane.
    pub fn low_u128(&self, lane: u64) -> u128 {
        self.lane(lane).iter().take(2).rev().fold(0, |high, limb| high << 64 | u128::from(*limb))
    }

    /// `count` lanes from lane `start` up, all of which must exist.
    pub fn range(&self, start: u64, count: u64) -> Words {
        let width = self.limbs_per_lane();
        let limbs = &self.limbs[start as usize * width..][..count as usize * width];
        Words { bits: self.bits, lanes: count, limbs: limbs.to_vec() }
    }

    /// The lanes of all parts, one part after the other; none without parts, or if their widths differ.
    pub fn concat(parts: &[Words]) -> Option<Words> {
        let bits = parts.first()?.bits;
        let lanes = parts.iter().map(Words::lanes).sum();
        // Allocated at its final size, so that no copy of secrets stays behind.
        let mut limbs = Vec::with_capacity(parts.iter().map(|part| part.limbs.len()).sum());
        parts.iter().for_each(|part| limbs.extend_from_slice(&part.limbs));
        parts.iter().all(|part| part.bits == bits).then_some(Words { bits, lanes, limbs })
    }

    /// All limbs, lane after lane.
    pub fn limbs(&self) -> &[u64] {
        &self.limbs
    }

    pub(crate) fn limbs_mut(&mut self) -> &mut [u64] {
        &mut self.limbs
    }

    /// The bits of all lanes, a byte of 0 or 1 for each: bit after bit, and lane after lane within a bit. Neither time nor
    /// addresses depend on the values.
    pub fn to_wires(&self) -> Vec<u8> {
        let (width, lanes) = (self.limbs_per_lane(), self.lanes as usize);
        let mut wires = vec![0; self.bits as usize * lanes];
        for first in (0..lanes).step_by(LANES_AT_ONCE) {
            let part = first..lanes.min(first + LANES_AT_ONCE);
            for (number, wire) in wires.chunks_exact_mut(lanes).enumerate() {
                let words = self.limbs[part.start * width..part.end * width].chunks_exact(width);
                let (limb, place) = (number / 64, number % 64);
                for (bit, word) in wire[part.clone()].iter_mut().zip(words) {
                    *bit = (word[limb] >> place & 1) as u8;
                }
            }
        }
        wires
    }

    /// The words with these bits, as [`Words::to_wires`] gives them; of each byte the lowest bit counts. Bits that are missing
    /// are zero.
    pub fn from_wires(bits: u32, lanes: u64, wires: &[u8]) -> Words {
        let mut words = Words::zero(bits, lanes);
        let (width, lanes) = (words.limbs_per_lane(), lanes as usize);
        for first in (0..lanes).step_by(LANES_AT_ONCE) {
            let part = first..lanes.min(first + LANES_AT_ONCE);
            for (number, wire) in wires.chunks(lanes).take(bits as usize).enumerate() {
                let wire = wire.get(first..).unwrap_or_default();
                let words = words.limbs[part.start * width..part.end * width].chunks_exact_mut(width);
                let (limb, place) = (number / 64, number % 64);
                for (bit, word) in wire.iter().zip(words) {
                    word[limb] |= u64::from(bit & 1) << place;
                }
            }
        }
        words
    }

    /// Whether the width is not zero, the number of limbs fits lanes and width, and no bit above the width is
    /// set.
    pub(crate) fn is_well_formed(&self) -> bool {
        let (width, top) = (self.limbs_per_lane(), self.bits % 64);
        let limbs = (width as u64).checked_mul(self.lanes);
        self.bits > 0
            && limbs == Some(self.limbs.len() as u64)
            && (top == 0 || self.limbs.iter().skip(width - 1).step_by(width).all(|limb| limb >> top == 0))
    }

    /// Clears every bit above the width.
    pub fn mask(&mut self) {
        let (width, top) = (self.limbs_per_lane(), self.bits % 64);
        if top != 0 {
            self.limbs.iter_mut().skip(width - 1).step_by(width).for_each(|limb| *limb &= (1 << top) - 1);
        }
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.limbs.fill(0);
        optimization_barrier(self.limbs.as_slice());
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Words({} bits, {} lanes)", self.bits, self.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_are_the_bits_of_all_lanes() {
        for (bits, lanes) in [(1, 1), (7, 3), (64, 5), (65, 2), (130, 9), (3, 5000), (20, 2048), (5, 0)] {
            let mut words = Words::zero(bits, lanes);
            let place = |bit: u32, lane: u64| (u64::from(bit) * 0x9e37_79b9 + lane * 0x85eb_ca6b) >> 7 & 1;
            let places = || (0..bits).flat_map(|bit| (0..lanes).map(move |lane| (bit, lane)));
            places().for_each(|(bit, lane)| words.set_bit(lane, bit, place(bit, lane) == 1));
            let wires = words.to_wires();
            let expected: Vec<_> = places().map(|(bit, lane)| u8::from(words.bit(lane, bit))).collect();
            assert_eq!(wires, expected, "{bits} bits, {lanes} lanes");
            assert_eq!(Words::from_wires(bits, lanes, &wires), words, "{bits} bits, {lanes} lanes");
            let half = wires.len() / 2;
            let zeros = [&wires[..half], &vec![0; wires.len() - half]].concat();
            assert_eq!(
                Words::from_wires(bits, lanes, &wires[..half]),
                Words::from_wires(bits, lanes, &zeros)
            );
        }
    }

    #[test]
    fn debug_shows_width_and_lanes_alone() {
        assert_eq!(format!("{:?}", Words::from_u128s(32, &[123_456, 7])), "Words(32 bits, 2 lanes)");
    }
}
