//! Bits in two fields of a computation: random ones, and conversions of shared ones.

use tacit_math::field::{Field, Gf256};
use tacit_math::zeros;

use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows};
use crate::protocol::bits::DRAWN_BITS;
use crate::protocol::compare::bit;
use crate::prss::{Prss, Purpose};
use crate::randomness::Randomness;

/// Up to this many sets of parties, random bits in two fields are exclusive ors of bits that each set knows.
pub(crate) const FEW_SETS: usize = 4;

/// Bits of a byte above the last.
pub(crate) const UPPER_BITS: usize = 7;

/// Random bits in this field, and in another one.
pub(super) struct DaBits<F: Field, G: Field> {
    pub(super) own: Value<F>,
    pub(super) other: Value<G>,
}

impl<F: Field> Task<F> {
    /// Bits of this field, shared as 0 or 1, converted to GF(2^8). For an element that is not a bit, the result
    /// is a random bit.
    ///
    /// Source: VIFF's `convert_bit_share`: opened under a mask whose last bit is shared in both fields. Differs: the mask is a sum of numbers that sets of parties
    /// know, whose last bit is shared in GF(2^8) without a message; and x · (x - 1) times a random element is added. It is zero for bits, and hides other elements,
    /// for which the mask would be too short.
    /// Security: statistical, [`Task::statistical_bits`]; perfect in fields without room for that, and for elements that
    /// are not bits.
    /// Cost: two products and one opening; in fields without room, a further product for each set of parties.
    ///
    /// Errors: the computation has ended.
    pub fn to_bytes(&self, bits: &Value<F>) -> Result<Value<Gf256>, RunError> {
        let field = self.field().clone();
        let zero = self.mul(bits, &self.shift(bits, field.neg(field.one()))?)?;
        let covered = self.add(bits, &self.mul(&zero, &self.random(bits.len())?)?)?;
        self.bits_in(self.bytes()?, &covered)
    }

    /// The last bits of bytes of GF(2^8), converted to this field: the bits themselves, if the bytes are
    /// shared as 0 or 1.
    ///
    /// Source: as [`Task::to_bytes`]; the bits are opened in GF(2^8) under bits that are random in both fields, and the bits above them under bits that
    /// nobody knows.
    /// Security: perfect, except for the random bits if there are many sets of parties: statistical, [`Task::statistical_bits`].
    /// Cost: an opening of one byte in GF(2^8), and a random bit in both fields: with 3 parties 2 products.
    ///
    /// Errors: the computation has ended.
    pub fn from_bytes(&self, bits: &Value<Gf256>) -> Result<Value<F>, RunError> {
        let bytes = self.bytes()?;
        let hidden = bytes.add(bits, &bytes.upper_mask(bits.len(), UPPER_BITS, 1)?)?;
        self.bits_of(bytes, &hidden, bits.len())
    }

    /// The first `count` bits of elements of another field, whose other bits are zero or masked.
    pub(crate) fn bits_of<G: BinaryField>(
        &self,
        other: &Task<G>,
        bits: &Value<G>,
        count: usize,
    ) -> Result<Value<F>, RunError> {
        let random = self.da_bits(other, count)?;
        let opened = other.open(&other.add(bits, &random.other)?)?;
        let (field, from) = (self.field().clone(), other.field().clone());
        let public = self.carry(other, &opened, (count, 0x6462), move |opened| {
            let bit = |i: usize| from.opened(opened[i / G::LANES]) >> (i % G::LANES) & 1;
            (0..count).map(|i| field.element(bit(i))).collect()
        })?;
        let field = self.field().clone();
        self.local(count, false, 0x6463, &[&public, &random.own], move |_, given| {
            let flipped = |(public, share): (&F::Element, &F::Element)| match *public == field.one() {
                true => field.sub(field.one(), *share),
                false => *share,
            };
            given[0].iter().zip(given[1]).map(flipped).collect()
        })
    }

    /// Random bits in this field and another.
    pub(super) fn da_bits<G: BinaryField>(
        &self,
        other: &Task<G>,
        count: usize,
    ) -> Result<DaBits<F, G>, RunError> {
        if self.contributor_count()? > FEW_SETS && self.is_large() && self.has_room_for_bit() {
            let own = self.random_bits(count)?;
            let other = self.bits_in(other, &own)?;
            return Ok(DaBits { own, other });
        }
        self.da_bits_of_sets(other, count)
    }

    fn da_bits_of_sets<G: BinaryField>(
        &self,
        other: &Task<G>,
        count: usize,
    ) -> Result<DaBits<F, G>, RunError> {
        self.passive_only("converting bits to or from bytes")?;
        let first = self.draw_elements::<G>(count);
        let mut parts = self.contributions(first, (count, 0x6a62), move |prss, set| {
            joint_bits(prss, Some(set), (first, count))
        })?;
        while parts.len() > 1 {
            let pairs = parts.chunks(2).map(|pair| match pair {
                [a, b] => self.xor(a, b),
                rest => self.scale(&rest[0], self.field().one()),
            });
            parts = pairs.collect::<Result<_, _>>()?;
        }
        let own = parts.pop().ok_or(RunError::Over)?;
        Ok(DaBits { own, other: other.joint_bits_here(first, count)? })
    }

    /// Positions for this many bits, and for the rest of the last element, so that no bit that hides an opened one is used twice.
    fn draw_elements<G: BinaryField>(&self, count: usize) -> u64 {
        self.draw(G::words(count) * G::LANES)
    }

    /// The mask of a bit, as the sum of one number of each contributor, and the sum's last bit in a field of characteristic
    /// 2.
    fn mask_of_bits<G: BinaryField>(
        &self,
        other: &Task<G>,
        count: usize,
    ) -> Result<(Value<F>, Value<G>), RunError> {
        let (first, bits, words) =
            (self.draw_elements::<G>(count), 1 + self.statistical_bits(), G::words(count));
        // With common keys both parts take no message.
        if self.scheme().randomness() == Randomness::CommonKeys || bits > DRAWN_BITS {
            let last =
                self.contributed(first, (count, 0x6a62), move |prss| joint_bits(prss, None, (first, count)))?;
            let mask = self.add(&last, &self.upper_mask(count, bits - 1, 1)?)?;
            return Ok((mask, other.joint_bits_here(first, count)?));
        }
        let mask = self.contributed(first, (count, mixed(0x6a6d, bits as u64)), move |prss| {
            let mut shares = zeros(count);
            prss.bounded(Purpose::JOINT, first, bits as u32, &mut shares);
            shares
        })?;
        let last = other.joint_rows((first, 0x6a6e), (bits, words * G::LANES), BitRows { rows: 1, words })?;
        Ok((mask, other.sum_of(&last)?))
    }

    /// Whether there is room for the mask of a bit without wrapping around.
    fn has_room_for_bit(&self) -> bool {
        self.has_room(1)
    }

    /// Bits of this field, converted to another field of characteristic 2. Elements that are not bits are not
    /// hidden.
    pub(crate) fn bits_in<G: BinaryField>(
        &self,
        other: &Task<G>,
        bits: &Value<F>,
    ) -> Result<Value<G>, RunError> {
        self.passive_only("converting bits to or from bytes")?;
        let count = bits.len();
        let (masked, last) = match self.has_room_for_bit() {
            true => {
                let (mask, last) = self.mask_of_bits(other, count)?;
                (self.add(bits, &mask)?, last)
            }
            false => {
                let DaBits { own, other } = self.da_bits_of_sets(other, count)?;
                (self.xor(bits, &own)?, other)
            }
        };
        let (opened, from, field) = (self.open(&masked)?, self.field().clone(), other.field().clone());
        let public = other.carry(self, &opened, (G::words(count), 0x6464), move |opened| {
            let mut bytes = vec![0; from.bytes()];
            let mut words = vec![0; count.div_ceil(64)];
            for (i, element) in opened.iter().enumerate() {
                words[i / 64] |= u64::from(bit(&from, *element, 0, &mut bytes)) << (i % 64);
            }
            let mut elements = zeros(G::words(count));
            field.add_bits(&words, field.one(), &mut elements);
            elements
        })?;
        other.add(&public, &last)
    }
}

/// This party's shares of the sum of bits that one contributor or all of them know.
fn joint_bits<F: Field>(
    prss: &Prss<F>,
    set: Option<Parties>,
    (first, count): (u64, usize),
) -> Vec<F::Element> {
    let field = prss.scheme().field();
    let mut shares = zeros(count);
    prss.each_bits(Purpose::JOINT, (first, count), set, |weight, words| {
        for (i, share) in shares.iter_mut().enumerate() {
            // The bit chooses by multiplication, not by a branch.
            let bit = field.element(words[i / 64] >> (i % 64) & 1);
            *share = field.add(*share, field.mul(bit, weight));
        }
    });
    shares
}

impl<G: BinaryField> Task<G> {
    /// The exclusive or of the bits of all sets, at positions that the task drew.
    pub(super) fn joint_bits_here(&self, first: u64, count: usize) -> Result<Value<G>, RunError> {
        self.contributed(first, (G::words(count), 0x6a62), move |prss| {
            let mut shares = zeros(G::words(count));
            prss.each_bits(Purpose::JOINT, (first, count), None, |weight, words| {
                prss.scheme().field().add_bits(words, weight, &mut shares);
            });
            shares
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::runtime::simulation::{LARGER_SIZES, SIZES, computed, cost, elements, input};

    /// All lanes of random bits that are drawn consecutively, `count` each time.
    fn lanes_of_da_bits<F: Field>(field: &F, size: (usize, usize), count: usize) -> Vec<u64> {
        let result = computed(field, size, 3, |task| {
            let sliced = task.sliced()?;
            let drawn: Vec<_> =
                (0..3).map(|_| task.da_bits(sliced, count)).collect::<Result<_, RunError>>()?;
            let opened =
                sliced.open(&sliced.concat(&drawn.iter().map(|bits| &bits.other).collect::<Vec<_>>())?)?;
            // As numbers below 2^32, which all fields here have.
            task.carry(sliced, &opened, (2 * opened.len(), 1), {
                let (from, field) = (*sliced.field(), field.clone());
                move |opened| {
                    let halves = |element| [from.opened(element) >> 32, from.opened(element) & 0xffff_ffff];
                    opened
                        .iter()
                        .flat_map(|element| halves(*element))
                        .map(|half| field.element(half))
                        .collect()
                }
            })
        });
        let number = |element: &F::Element| {
            let mut bytes = vec![0; field.bytes()];
            field.encode(*element, &mut bytes);
            bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
        };
        result.chunks(2).map(|half| number(&half[0]) << 32 | number(&half[1])).collect()
    }

    #[test]
    fn no_lane_has_the_bits_of_another() {
        let narrow = Montgomery::<1>::new(&[(1 << 40) - 87]).expect("odd");
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            for count in [3, 30, 40] {
                for all in
                    [lanes_of_da_bits(&Mersenne61, size, count), lanes_of_da_bits(&narrow, size, count)]
                {
                    // 24 bits after the end of one, and the first 24 of the next.
                    let mask = u64::MAX >> 40;
                    for pair in all.windows(2) {
                        assert!(pair[0] >> count & mask != pair[1] & mask, "{size:?} {count}");
                    }
                }
            }
        }
    }

    fn converts<F: Field>(field: &F, size: (usize, usize)) {
        let (a, b) = ([0, 0, 1, 1, 1], [0, 1, 0, 1, 1]);
        let result = computed(field, size, 5, |task| {
            let (x, y) = (task.to_bytes(&input(task, 0, &a))?, task.to_bytes(&input(task, 1, &b))?);
            let bytes = task.bytes()?;
            let (xor, both) = (bytes.xor(&x, &y)?, bytes.mul(&x, &y)?);
            let here = task.from_bytes(&bytes.concat(&[&xor, &both])?)?;
            // Openings in that field too, and in another task.
            let other = task.fork()?;
            let there = other.from_bytes(&other.bytes()?.open(&xor)?)?;
            task.open(&task.concat(&[&here, &there])?)
        });
        assert_eq!(
            result,
            elements(field, &[0, 1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 1, 1, 0, 0]),
            "{field:?} {size:?}"
        );
    }

    #[test]
    fn bits_go_to_bytes_and_back() {
        for size in SIZES {
            converts(&Mersenne61, size);
            converts(&Montgomery::<1>::new(&[11]).expect("odd"), size);
            converts(&Gf256, size);
        }
        converts(&Montgomery::<2>::new(&[277, 1 << 36]).expect("odd"), (5, 2));
    }

    #[test]
    fn random_bits_are_the_same_in_both_fields() {
        for size in SIZES {
            let result = computed(&Mersenne61, size, 5, |task| {
                let random = task.da_bits(task.bytes()?, 500)?;
                let opened = task.bytes()?.open(&random.other)?;
                let other = task.carry(task.bytes()?, &opened, (500, 0), |bits| {
                    bits.iter().map(|bit| u64::from(*bit)).collect()
                })?;
                task.concat(&[&task.open(&random.own)?, &other])
            });
            let (own, other) = result.split_at(500);
            let ones: u64 = own.iter().sum();
            assert!(
                own == other && own.iter().all(|bit| *bit < 2) && (180..320).contains(&ones),
                "{size:?} {ones}"
            );
        }
    }

    #[test]
    fn tofts_first_comparison_agrees_in_bytes() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        let pairs: Vec<_> = (0..16).flat_map(|a| (0..16).map(move |b| (a, b))).collect();
        let (mut a, mut b): (Vec<i64>, Vec<i64>) = pairs.into_iter().unzip();
        let ends = [0, 1, (1 << 32) - 1, 1 << 31, (1 << 31) - 1];
        a.extend(ends.iter().flat_map(|a| [*a; 5]));
        b.extend(ends.repeat(5));
        let expected: Vec<_> = a.iter().zip(&b).map(|(a, b)| i64::from(a >= b)).collect();
        for size in SIZES {
            let result = computed(&wide, size, 5, |task| {
                let result =
                    task.greater_than_equal_in_bytes(&input(task, 0, &a), &input(task, 1, &b), 32)?;
                let all: Arc<[usize]> = (0..a.len()).collect();
                task.open(&task.from_bytes(&task.bytes()?.gather(&result, all)?)?)
            });
            assert_eq!(result, elements(&wide, &expected), "{size:?}");
        }
    }

    #[test]
    fn conversions_send_what_they_say() {
        // An input of one element, two products and an opening of 8 bytes from each party, and one byte for the result.
        let there = |task: &Task<Mersenne61>| {
            let bits = task.to_bytes(&input(task, 0, &[0, 1, 1]))?;
            task.carry(task.bytes()?, &task.bytes()?.open(&bits)?, (3, 0), |bits| vec![0; bits.len()])
        };
        assert_eq!(cost(&Mersenne61, (3, 1), there), (5, 3 * (8 + 3 * (2 * 8 + 8) + 3)));
        // Two products of 8 bytes from each party, while the input arrives; then a byte, and the result.
        let back = |task: &Task<Mersenne61>| {
            let bits = task.bytes()?.input(0, 3, (task.me() == 0).then(|| vec![0, 1, 1]))?;
            task.open(&task.from_bytes(&bits)?)
        };
        assert_eq!(cost(&Mersenne61, (3, 1), back), (3, 3 * (1 + 3 * (2 * 8 + 1 + 8))));
    }
}
