//! Eight elements of the field of four elements side by side.

use zeroize::DefaultIsZeroes;

use super::{BitSliced, Field};

/// Eight lanes, each an element of GF(4): the low byte of an [`Octet`] has the constant coefficients, the high byte those of `x`, with `x^2 = x + 1`.
///
/// What is shared in it are bits, eight at once: lanes of 0 and 1, the field's [ground](Field::to_ground). Three parties' points are the nonzero elements, the same in all lanes.
///
/// A share of Shamir's scheme among three with threshold 1 is then a share of replicated sharing, in another basis: where a bit is the exclusive or of three bits of which
/// each party lacks one, a party's two times the values at its point of the polynomials that are 1 at 0 and 0 at the party that lacks the bit sum to its share. These two values differ and are
/// not zero, so that they are a basis of GF(4) over GF(2): a share tells both bits, and both bits tell the share.
///
/// Source: Cramer, Damgård and Ishai (TCC 2005), section 3, for the conversion.
/// Differs from a field: an element has an inverse only if all its lanes are nonzero, and the inverse of a zero lane is zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BitOctets;

/// An element of [`BitOctets`]. It may be secret, so `Debug` doesn't show it.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Octet(u16);

crate::redacted!(Octet);

impl DefaultIsZeroes for Octet {}

/// The constant coefficients of all lanes.
const GROUND: u16 = 0x00ff;

impl BitOctets {
    /// Lanes of an element.
    pub const LANES: usize = 8;

    /// The parties whose points it has, and the only threshold below half of them.
    pub const PARTIES: (usize, usize) = (3, 1);

    /// The element whose lanes are these bits.
    #[inline(always)]
    pub fn bits(self, bits: u8) -> Octet {
        Octet(u16::from(bits))
    }

    /// The bits that the lanes are, where they are such.
    #[inline(always)]
    pub fn ground(self, octet: Octet) -> u8 {
        (octet.0 & GROUND) as u8
    }

    /// The two bits of each lane that a party's share tells: the one that it has in common with the next party, and the one with the previous party. The exclusive or of three
    /// bits of which each two parties have one in common is what is shared.
    #[inline(always)]
    pub fn parts(self, octet: Octet) -> [u8; 2] {
        // As the share is next · (1 + x) + previous · x.
        let [next, both] = octet.0.to_le_bytes();
        [next, next ^ both]
    }

    /// The share that tells these two bits of each lane, as [`BitOctets::parts`] gives them.
    #[inline(always)]
    pub fn share(self, [next, previous]: [u8; 2]) -> Octet {
        Octet(u16::from_le_bytes([next, next ^ previous]))
    }

    /// The first `lanes` lanes of these slots, or of their complements, side by side: as many slots to an element as it holds. `flips` has a bit
    /// for each slot at this place, which says whether it is complemented. `lanes` divides [`BitOctets::LANES`].
    ///
    /// Cost: a load of two bytes for each slot.
    pub fn packed(
        self,
        values: &[Octet],
        (slots, flips, place): (&[u32], &[u8], u32),
        lanes: usize,
    ) -> Vec<Octet> {
        let together = Self::LANES / lanes;
        let mut packed = Vec::with_capacity(slots.len().div_ceil(together));
        match lanes {
            // Eight slots at a time, so that the loop over them is unrolled.
            1 => {
                let ((slots, last), (flips, last_flips)) = (slots.as_chunks::<8>(), flips.as_chunks::<8>());
                let eights = slots.iter().zip(flips);
                packed.extend(eights.map(|(slots, flips)| joined(values, (slots, flips, place), 1)));
                if !last.is_empty() {
                    packed.push(joined(values, (last, last_flips, place), 1));
                }
            }
            _ => {
                let groups = slots.chunks(together).zip(flips.chunks(together));
                packed.extend(groups.map(|(slots, flips)| joined(values, (slots, flips, place), lanes)));
            }
        }
        packed
    }

    /// Puts `lanes` lanes for each slot into the slot, from elements that have them side by side; the inverse of [`BitOctets::packed`].
    ///
    /// Cost: a store of two bytes for each slot.
    pub fn unpacked(self, packed: &[Octet], slots: &[u32], lanes: usize, values: &mut [Octet]) {
        match lanes {
            // As in `packed`.
            1 => {
                let (eights, last) = slots.as_chunks::<8>();
                eights.iter().zip(packed).for_each(|(slots, octet)| separate(*octet, slots, 1, values));
                packed.get(eights.len()).into_iter().for_each(|octet| separate(*octet, last, 1, values));
            }
            _ => {
                let groups = slots.chunks(Self::LANES / lanes).zip(packed);
                groups.for_each(|(slots, octet)| separate(*octet, slots, lanes, values));
            }
        }
    }

    /// An element with `count` lanes of another, from lane `from` on there and from lane `to` on here. Zero elsewhere.
    #[inline(always)]
    pub fn lanes(self, octet: Octet, (from, to): (usize, usize), count: usize) -> Octet {
        Octet((octet.0 >> from & first_lanes(count)) << to)
    }

    /// Fills elements with consecutive lanes, from lane `lane` of the first element on, which is not 0; `from` has one element more than `to`.
    pub fn shifted(self, from: &[Octet], lane: usize, to: &mut [Octet]) {
        let (first, rest) = (first_lanes(lane), first_lanes(Self::LANES - lane));
        for (to, pair) in to.iter_mut().zip(from.array_windows::<2>()) {
            to.0 = pair[0].0 >> lane & rest | (pair[1].0 & first) << (Self::LANES - lane);
        }
    }
}

/// The first lanes of an element.
#[inline(always)]
fn first_lanes(count: usize) -> u16 {
    (u16::MAX >> (16 - count)) * 0x0101
}

/// The first lanes of some slots, or of their complements, side by side in one element.
#[inline(always)]
fn joined(values: &[Octet], (slots, flips, place): (&[u32], &[u8], u32), lanes: usize) -> Octet {
    let kept = first_lanes(lanes);
    let mut joined = 0;
    for (at, (slot, flip)) in slots.iter().zip(flips).enumerate() {
        let ones = u16::from(flip >> place & 1).wrapping_neg() & GROUND;
        joined |= ((values[*slot as usize].0 ^ ones) & kept) << (at * lanes);
    }
    Octet(joined)
}

/// Puts the lanes of an element into slots, so many into each.
#[inline(always)]
fn separate(octet: Octet, slots: &[u32], lanes: usize, values: &mut [Octet]) {
    for (at, slot) in slots.iter().enumerate() {
        values[*slot as usize] = Octet(octet.0 >> (at * lanes) & first_lanes(lanes));
    }
}

impl Field for BitOctets {
    type Element = Octet;
    super::extends_itself!();

    fn one(&self) -> Octet {
        Octet(GROUND)
    }

    /// The polynomial whose coefficients are the two low bits, in all lanes.
    fn element(&self, value: u64) -> Octet {
        let byte = |bit: u64| ((value >> bit & 1) as u16).wrapping_neg() & GROUND;
        Octet(byte(0) | byte(1) << 8)
    }

    #[inline(always)]
    fn add(&self, a: Octet, b: Octet) -> Octet {
        Octet(a.0 ^ b.0)
    }

    #[inline(always)]
    fn sub(&self, a: Octet, b: Octet) -> Octet {
        Octet(a.0 ^ b.0)
    }

    #[inline(always)]
    fn mul(&self, a: Octet, b: Octet) -> Octet {
        let (straight, crossed) = (a.0 & b.0, a.0 & b.0.swap_bytes());
        let high = straight >> 8;
        // x^2 = x + 1.
        let (low, middle) = (straight ^ high, crossed ^ crossed >> 8 ^ high);
        Octet(low & GROUND | middle << 8)
    }

    fn order(&self) -> Vec<u64> {
        vec![4]
    }

    fn bytes(&self) -> usize {
        2
    }

    fn encode(&self, element: Octet, bytes: &mut [u8]) {
        bytes.copy_from_slice(&element.0.to_le_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<Octet> {
        Some(Octet(u16::from_le_bytes(bytes.try_into().ok()?)))
    }

    fn uniform_bytes(&self) -> usize {
        2
    }

    /// Perfect.
    fn uniform_security(&self) -> usize {
        usize::MAX
    }

    fn uniform(&self, bytes: &[u8]) -> Octet {
        let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or(0));
        Octet(byte(0) | byte(1) << 8)
    }

    fn ground_bytes(&self) -> usize {
        1
    }

    /// The constant coefficients.
    fn to_ground(&self, elements: &mut [Octet]) {
        elements.iter_mut().for_each(|element| element.0 &= GROUND);
    }

    fn encode_ground(&self, elements: &[Octet], bytes: &mut [u8]) {
        debug_assert_eq!(bytes.len(), elements.len());
        for (element, byte) in elements.iter().zip(bytes) {
            *byte = self.ground(*element);
        }
    }

    fn decode_ground(&self, bytes: &[u8], elements: &mut [Octet]) -> Result<(), usize> {
        debug_assert_eq!(bytes.len(), elements.len());
        for (element, byte) in elements.iter_mut().zip(bytes) {
            *element = self.bits(*byte);
        }
        Ok(())
    }

    fn add_ground(&self, sum: &mut [Octet], bytes: &[u8], _: bool) {
        debug_assert_eq!(bytes.len(), sum.len());
        sum.iter_mut().zip(bytes).for_each(|(sum, byte)| sum.0 ^= u16::from(*byte));
    }

    super::loops::loops!(pow inverse pow_all add_assign sub_assign mul_assign add_scaled add_products dot combine encode_all decode_all uniform_all scale_to_ground combine_ground add_uniform);
}

const _: () = assert!(BitSliced::LANES.is_multiple_of(BitOctets::LANES));

#[cfg(test)]
mod tests {
    use super::*;

    /// The lanes of an element of [`BitSliced`] are the other implementation.
    fn sliced(octet: Octet) -> super::super::Slices {
        super::super::Slices([u64::from(octet.0 & GROUND), u64::from(octet.0 >> 8), 0, 0])
    }

    #[test]
    fn all_elements_are_as_those_of_64_lanes() {
        let (octets, other) = (BitOctets, BitSliced::for_parties(3).expect("few parties"));
        for a in (0..=u16::MAX).step_by(257).map(|low| Octet(low.wrapping_mul(40_503))) {
            for b in (0..=u16::MAX).step_by(251).map(|low| Octet(low.wrapping_mul(25_173))) {
                assert_eq!(sliced(octets.mul(a, b)), other.mul(sliced(a), sliced(b)));
                assert_eq!(sliced(octets.add(a, b)), other.add(sliced(a), sliced(b)));
            }
        }
        for value in 0..4 {
            let found = sliced(octets.element(value));
            assert_eq!(found.0.map(|word| word & 0xff), other.element(value).0.map(|word| word & 0xff));
            let inverse = octets.inverse(octets.element(value));
            assert_eq!(octets.mul(octets.element(value), inverse), octets.element(u64::from(value != 0)));
        }
    }

    #[test]
    fn the_ground_keeps_sums_and_bits() {
        let all: Vec<_> = (0..=u16::MAX).step_by(97).map(Octet).collect();
        for pair in all.windows(2) {
            let mut given = [pair[0], pair[1], BitOctets.add(pair[0], pair[1])];
            BitOctets.to_ground(&mut given);
            assert_eq!(BitOctets.add(given[0], given[1]), given[2], "linear");
            let mut bytes = [0; 3];
            BitOctets.encode_ground(&[pair[0], pair[1], given[2]], &mut bytes);
            let mut back = [Octet::default(); 3];
            assert_eq!(BitOctets.decode_ground(&bytes, &mut back), Ok(()));
            assert_eq!(back, given);
            let mut sum = [pair[1]; 3];
            BitOctets.add_ground(&mut sum, &bytes, true);
            assert_eq!(sum, given.map(|given| BitOctets.sub(pair[1], given)));
        }
        for bits in 0..=u8::MAX {
            let mut ground = [BitOctets.bits(bits)];
            BitOctets.to_ground(&mut ground);
            assert_eq!((ground[0], BitOctets.ground(ground[0])), (BitOctets.bits(bits), bits));
        }
    }

    #[test]
    fn packed_slots_are_their_lanes_in_order() {
        let values: Vec<_> =
            (0..200u32).map(|i| Octet((i.wrapping_mul(2_654_435_761) >> 13) as u16)).collect();
        for (lanes, count) in
            [1, 2, 4, 8].into_iter().flat_map(|lanes| (0..40).map(move |count| (lanes, count)))
        {
            let slots: Vec<u32> = (0..count).map(|i| (i * 37 + 5) % 200).collect();
            let flips: Vec<u8> = (0..count).map(|i| (i * 11 % 7) as u8).collect();
            for place in [0, 1] {
                let packed = BitOctets.packed(&values, (&slots, &flips, place), lanes);
                assert_eq!(packed.len(), (count as usize * lanes).div_ceil(8));
                let mut back = values.clone();
                BitOctets.unpacked(&packed, &slots, lanes, &mut back);
                for (number, (slot, flip)) in slots.iter().zip(&flips).enumerate() {
                    let one = if flip >> place & 1 == 1 { BitOctets.one() } else { Octet::default() };
                    let value = BitOctets.add(values[*slot as usize], one);
                    let expected = BitOctets.lanes(value, (0, 0), lanes);
                    let (element, at) = (number * lanes / 8, number * lanes % 8);
                    assert_eq!(BitOctets.lanes(packed[element], (at, 0), lanes), expected, "{lanes} {count}");
                    assert_eq!(back[*slot as usize], expected);
                }
            }
        }
    }

    #[test]
    fn shifted_elements_have_the_lanes_that_follow() {
        let from: Vec<_> = (0..40u32).map(|i| Octet((i.wrapping_mul(2_654_435_761) >> 13) as u16)).collect();
        for (lane, count) in (1..8).flat_map(|lane| [0, 1, 2, 17, 39].map(|count| (lane, count))) {
            let mut shifted = vec![Octet(u16::MAX); count];
            BitOctets.shifted(&from[..=count], lane, &mut shifted);
            for (number, octet) in shifted.iter().enumerate() {
                for at in 0..8 {
                    let (element, place) = ((number * 8 + lane + at) / 8, (lane + at) % 8);
                    let expected = BitOctets.lanes(from[element], (place, 0), 1);
                    assert_eq!(BitOctets.lanes(*octet, (at, 0), 1), expected, "{lane} {count}");
                }
            }
        }
    }

    #[test]
    fn lanes_come_out_where_they_are_said_to() {
        let lane = |octet: Octet, at: usize| (octet.0 >> at & 1, octet.0 >> (8 + at) & 1);
        let octet = Octet(0b1011_0010_0110_1101);
        for (from, to) in (0..8).flat_map(|from| (0..8).map(move |to| (from, to))) {
            for count in 1..=8 - from.max(to) {
                let moved = BitOctets.lanes(octet, (from, to), count);
                for at in 0..8 {
                    let inside = (to..to + count).contains(&at);
                    let expected = if inside { lane(octet, at - to + from) } else { (0, 0) };
                    assert_eq!(lane(moved, at), expected, "{from} {to} {count}");
                }
            }
        }
    }
}
