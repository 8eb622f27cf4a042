//! Consecutive bits, as many to an element as it holds: bundles of compiled programs.

use tacit_math::field::{BitOctets, Field, Gf256};
use tacit_math::zeros;

use crate::error::RunError;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows};
use crate::prss::Purpose;

/// A field in which the bits of compiled programs are shared, if the computation has it.
pub(crate) trait SharedBits: BinaryField {
    /// A task in the field.
    ///
    /// Errors: the computation has no such field, or has ended.
    fn of<F: Field>(task: &Task<F>) -> Result<&Task<Self>, RunError>;

    /// This many random bits that nobody knows.
    ///
    /// Errors: the computation has ended.
    fn random(task: &Task<Self>, count: usize) -> Result<Value<Self>, RunError>;

    /// Rows of the low bits of sums of one number for each set of parties, at positions that the task has drawn:
    /// as [`Task::sums_of_sets`], in the cheapest field.
    ///
    /// Errors: the computation has ended.
    fn sums<F: Field>(task: &Task<F>, first: u64, size: (usize, usize)) -> Result<Value<Self>, RunError>;

    /// The last bits of this many bits, in the computation's own field.
    ///
    /// Errors: the computation has ended.
    fn brought<F: Field>(task: &Task<F>, bits: &Value<Self>, count: usize) -> Result<Value<F>, RunError>;
}

impl SharedBits for Gf256 {
    fn of<F: Field>(task: &Task<F>) -> Result<&Task<Gf256>, RunError> {
        task.bytes()
    }

    fn random(task: &Task<Gf256>, count: usize) -> Result<Value<Gf256>, RunError> {
        task.random_bits(count)
    }

    fn sums<F: Field>(task: &Task<F>, first: u64, size: (usize, usize)) -> Result<Value<Gf256>, RunError> {
        task.sums_in_bytes(first, size)
    }

    fn brought<F: Field>(task: &Task<F>, bits: &Value<Gf256>, _: usize) -> Result<Value<F>, RunError> {
        task.from_bytes(bits)
    }
}

impl SharedBits for BitOctets {
    fn of<F: Field>(task: &Task<F>) -> Result<&Task<BitOctets>, RunError> {
        task.octets()
    }

    fn random(task: &Task<BitOctets>, count: usize) -> Result<Value<BitOctets>, RunError> {
        task.random_places(count)
    }

    fn sums<F: Field>(
        task: &Task<F>,
        first: u64,
        size: (usize, usize),
    ) -> Result<Value<BitOctets>, RunError> {
        task.octets()?.sums_of_sets(first, size)
    }

    fn brought<F: Field>(
        task: &Task<F>,
        bits: &Value<BitOctets>,
        count: usize,
    ) -> Result<Value<F>, RunError> {
        task.bits_of(task.octets()?, bits, count)
    }
}

/// Copies bits from one place to another.
pub(crate) fn copy_bits<G: BinaryField>(
    field: &G,
    (from, mut first): (&[G::Element], usize),
    (to, mut at): (&mut [G::Element], usize),
    mut count: usize,
) {
    while count > 0 {
        let (source, target) = ((first / G::LANES, first % G::LANES), (at / G::LANES, at % G::LANES));
        let mut moved = count.min(G::LANES - source.1).min(G::LANES - target.1);
        if target.1 == 0 && count >= G::LANES {
            let whole = count / G::LANES;
            let to = &mut to[target.0..target.0 + whole];
            match source.1 {
                0 => to.copy_from_slice(&from[source.0..source.0 + whole]),
                place => field.shifted(&from[source.0..=source.0 + whole], place, to),
            }
            moved = whole * G::LANES;
        } else {
            let there = to[target.0];
            let kept = field.sub(there, field.places(there, (target.1, target.1), moved));
            to[target.0] = field.add(kept, field.places(from[source.0], (source.1, target.1), moved));
        }
        (first, at, count) = (first + moved, at + moved, count - moved);
    }
}

/// Copies the bits at these places after `first` to consecutive places from `at` on, where there are zeros.
pub(crate) fn pick_bits<G: BinaryField>(
    field: &G,
    (from, first): (&[G::Element], usize),
    mut places: &[u32],
    (to, mut at): (&mut [G::Element], usize),
) {
    while !places.is_empty() {
        let (element, lane) = (at / G::LANES, at % G::LANES);
        let (now, later) = places.split_at(places.len().min(G::LANES - lane));
        let bit = |sum, (place, lane): (&u32, usize)| {
            let place = first + *place as usize;
            field.add(sum, field.places(from[place / G::LANES], (place % G::LANES, lane), 1))
        };
        to[element] = now.iter().zip(lane..).fold(to[element], bit);
        (places, at) = (later, at + now.len());
    }
}

/// Copies bits that are `step` places apart, from place `first` on, to consecutive places: `count` bits, from the first place of `to` on.
pub(crate) fn gather_bits<G: BinaryField>(
    field: &G,
    (from, first, step): (&[G::Element], usize, usize),
    to: &mut [G::Element],
    count: usize,
) {
    for (to, start) in to.iter_mut().zip((0..count).step_by(G::LANES)) {
        let bit = |sum, lane: usize| {
            let at = first + (start + lane) * step;
            field.add(sum, field.places(from[at / G::LANES], (at % G::LANES, lane), 1))
        };
        *to = (0..G::LANES.min(count - start)).fold(G::Element::default(), bit);
    }
}

/// Bits as elements, as many to each as it holds; zeros follow the last bit.
pub(crate) fn packed<G: BinaryField>(field: &G, bits: &[u8]) -> Vec<G::Element> {
    let word = |bits: &[u8]| bits.iter().rev().fold(0, |word, bit| word << 1 | u64::from(*bit));
    bits.chunks(G::LANES).map(|bits| field.weighted(word(bits), field.one())).collect()
}

/// The first `count` opened bits.
pub(crate) fn unpacked<G: BinaryField>(field: &G, elements: &[G::Element], count: usize) -> Vec<u8> {
    let mut bits = vec![0; count];
    for (bits, element) in bits.chunks_mut(G::LANES).zip(elements) {
        let word = field.opened(*element);
        bits.iter_mut().enumerate().for_each(|(place, bit)| *bit = (word >> place & 1) as u8);
    }
    bits
}

impl<G: BinaryField> Task<G> {
    /// Random bits in the first `count` places, followed by zeros.
    ///
    /// Cost: no message where sets of parties have common keys.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn random_places(&self, count: usize) -> Result<Value<G>, RunError> {
        let first = self.draw(count);
        self.contributed(first, (G::words(count), 0x7062), move |prss| {
            let field = prss.scheme().field();
            let mut shares = zeros(G::words(count));
            prss.each_bits(Purpose::BIT, (first, count), None, |weight, words| {
                field.add_bits(words, weight, &mut shares);
            });
            // The bits drawn after the last one are used again later.
            if let (Some(last), over @ 1..) = (shares.last_mut(), count % G::LANES) {
                *last = field.places(*last, (0, 0), over);
            }
            shares
        })
    }

    /// Rows of lanes without gaps, as rows that begin at an element; the last row is repeated `copied` more times, if given.
    pub(crate) fn as_rows(
        &self,
        bits: &Value<G>,
        (count, lanes): (usize, usize),
        (rows, signed): (usize, bool),
    ) -> Result<Value<G>, RunError> {
        let (words, hash) = (G::words(lanes), mixed(0x7772, 2 * rows as u64 + u64::from(signed)));
        self.local(rows * words, bits.is_public(), hash, &[bits], move |prss, given| {
            let field = prss.scheme().field();
            let mut wide = zeros(rows * words);
            for (row, to) in wide.chunks_exact_mut(words.max(1)).enumerate() {
                if row < count || signed {
                    copy_bits(field, (given[0], row.min(count - 1) * lanes), (to, 0), lanes);
                }
            }
            wide
        })
    }

    /// The inverse: rows that begin at an element, as rows without gaps.
    pub(crate) fn of_rows(
        &self,
        rows: &Value<G>,
        (count, lanes): (usize, usize),
    ) -> Result<Value<G>, RunError> {
        let BitRows { rows: count, words } = BitRows { rows: count, words: G::words(lanes) };
        let (length, hash) = (G::words(count * lanes), mixed(0x7775, lanes as u64));
        self.local(length, rows.is_public(), hash, &[rows], move |prss, given| {
            let mut dense = zeros(length);
            for (row, from) in given[0].chunks_exact(words.max(1)).enumerate() {
                copy_bits(prss.scheme().field(), (from, 0), (&mut dense, row * lanes), lanes);
            }
            dense
        })
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::BitSliced;

    use super::*;

    fn copies<G: BinaryField>(field: &G) {
        let bits: Vec<u8> = (0..200u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 31) as u8).collect();
        let elements = packed(field, &bits);
        assert_eq!(elements.len(), G::words(200));
        assert_eq!(unpacked(field, &elements, 200), bits);
        for (first, at, count) in
            (0..70).flat_map(|at| [(at, 3 * at % 71, 0), (at, at % 9, 130 - at), (7, at, 64)])
        {
            let mut target = packed(field, &[1; 200]);
            copy_bits(field, (&elements, first), (&mut target, at), count);
            let mut expected = vec![1; 200];
            expected[at..at + count].copy_from_slice(&bits[first..first + count]);
            assert_eq!(unpacked(field, &target, 200), expected, "{first} {at} {count}");
        }
        for (first, step) in (0..20).flat_map(|first| [1, 2, 3, 7, 64].map(|step| (first, step))) {
            let expected: Vec<_> = bits[first..].iter().step_by(step).copied().collect();
            let mut target = vec![G::Element::default(); G::words(expected.len())];
            gather_bits(field, (&elements, first, step), &mut target, expected.len());
            assert_eq!(unpacked(field, &target, expected.len()), expected, "{first} {step}");
        }
        for at in [0, 3, 7, 64, 65] {
            let places: Vec<u32> = (0..130u32).map(|i| i * 37 % 190).collect();
            let mut target = packed(field, &[0; 200]);
            pick_bits(field, (&elements, 9), &places, (&mut target, at));
            let mut expected = vec![0; 200];
            for (place, bit) in places.iter().zip(&mut expected[at..]) {
                *bit = bits[9 + *place as usize];
            }
            assert_eq!(unpacked(field, &target, 200), expected, "{at}");
        }
        for lanes in [1, 2, 4, 8].into_iter().filter(|lanes| G::LANES.is_multiple_of(*lanes)) {
            let slots: Vec<u32> = (0..23).map(|i| i * 7 % elements.len() as u32).collect();
            let flips: Vec<u8> = (0..23).map(|i| i * 5 % 4).collect();
            let side_by_side = field.packed(&elements, (&slots, &flips, 1), lanes);
            let mut back = elements.clone();
            field.unpacked(&side_by_side, &slots, lanes, &mut back);
            let mut expected = Vec::new();
            for (slot, flip) in slots.iter().zip(&flips) {
                let first = unpacked(field, &elements[*slot as usize..], lanes);
                expected.extend(first.iter().map(|bit| bit ^ flip >> 1 & 1));
                let stored = unpacked(field, &back[*slot as usize..], lanes);
                assert!(first.iter().zip(&stored).all(|(a, b)| a ^ b == first[0] ^ stored[0]), "{lanes}");
            }
            assert_eq!(unpacked(field, &side_by_side, expected.len()), expected, "{lanes} lanes");
        }
    }

    #[test]
    fn bits_are_copied_from_anywhere_to_anywhere() {
        copies(&Gf256);
        copies(&BitOctets);
        copies(&BitSliced::for_parties(3).expect("few parties"));
    }
}
