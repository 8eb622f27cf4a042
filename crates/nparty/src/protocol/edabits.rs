//! Comparisons by masks whose bits are shared 64 to an element, not in the computation's field: an AND then takes two bits from each party, or
//! three.

use tacit_math::field::{BitSliced, Field, Slices};
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::pool::BitMask;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows};
use crate::protocol::bits::power_of_two;
use crate::protocol::compare::LANES;
use crate::prss::Purpose;
use crate::randomness::Randomness;

/// From this many lanes on, comparisons by such masks send less than others.
pub(crate) const MIN_LANES: usize = 16;

/// The maximum bits of a mask.
pub(crate) const MAX_BITS: usize = 128;

impl<F: Field, G: BinaryField> BitMask<F, G> {
    pub(super) fn sizes(&self) -> BitRows {
        BitRows { rows: self.rows, words: G::words(self.lanes) }
    }
}

impl<F: Field> Task<F> {
    /// Whether this many comparisons with masks of this many bits use bits 64 to an element.
    pub(super) fn by_bits(&self, rows: usize, lanes: usize) -> bool {
        let sliced = BitSliced::for_parties(self.names().len()).is_some() && !self.scheme().is_active();
        lanes >= MIN_LANES && rows <= MAX_BITS && sliced
    }

    /// Whether they use bits in bytes: among more parties with dealt sharings, where that costs less than masks with bits in the field.
    pub(super) fn by_bytes(&self, rows: usize, lanes: usize) -> bool {
        let dealt = self.scheme().randomness() == Randomness::Dealt;
        dealt && lanes >= MIN_LANES && rows <= MAX_BITS && !self.has_mask(rows, lanes)
    }

    /// Masks of this many bits for this many numbers; prepared ones are used first.
    pub(super) fn bit_mask(&self, rows: usize, lanes: usize) -> Result<BitMask<F>, RunError> {
        match self.pooled_bit_mask(rows, lanes)? {
            Some(mask) => Ok(mask),
            None => self.new_bit_mask(rows, lanes),
        }
    }

    /// As [`Task::bit_mask`], with lanes up to the next multiple of 64.
    ///
    /// Each contributor knows a number, whose bits are shared too, and a circuit adds these. The bits of the sum above 2^`rows` are converted to the
    /// field, and subtracted there.
    ///
    /// Source: edaBits (Escudero, Ghosh, Keller, Rachuri and Scholl, CRYPTO 2020), section 4. Differs: the numbers come from pseudorandom sharing, and
    /// security is passive.
    /// Security: as the conversion of the carries, [`Task::from_bytes`].
    /// Cost: with 3 parties and 61 bits about 470 ANDs of two bits from each party, and two conversions of a
    /// bit.
    pub(super) fn new_bit_mask(&self, rows: usize, lanes: usize) -> Result<BitMask<F>, RunError> {
        self.new_bit_mask_in(self.sliced()?, rows, lanes)
    }

    /// The same in a field of characteristic 2.
    fn new_bit_mask_in<G: BinaryField>(
        &self,
        other: &Task<G>,
        rows: usize,
        lanes: usize,
    ) -> Result<BitMask<F, G>, RunError> {
        let (lanes, words) = (lanes.next_multiple_of(G::LANES), G::words(lanes));
        let carries = self.set_bits();
        let sum = BitRows { rows: rows + carries, words };
        let (first, bits) = (self.draw(lanes), rows as u32);
        let added = other.sum_rows(other.joint_rows((first, 0x6562), (rows, lanes), sum)?, sum)?;
        let part = |from: usize, count: usize| {
            other.local(count * words, false, mixed(0x6563, from as u64), &[&added], move |_, given| {
                given[0][from * words..][..count * words].to_vec()
            })
        };
        let (bits_of, above) = (part(0, rows)?, part(rows, carries)?);
        let above = self.bits_of(other, &above, carries * lanes)?;
        let sum_of_all = self.contributed(first, (lanes, mixed(0x6574, rows as u64)), move |prss| {
            let mut number = zeros(lanes);
            prss.bounded(Purpose::JOINT, first, bits, &mut number);
            number
        })?;
        let field = self.field().clone();
        let hash = mixed(0x6564, rows as u64);
        let number = self.local(lanes, false, hash, &[&above, &sum_of_all], move |_, given| {
            let mut number = given[1].to_vec();
            for (carry, above) in given[0].chunks(lanes).enumerate() {
                field.add_scaled(&mut number, above, field.neg(power_of_two(&field, rows + carry)));
            }
            number
        })?;
        let pairs = other.neighbours(&bits_of, BitRows { rows, words })?;
        Ok(BitMask { number, bits: bits_of, pairs, rows, lanes })
    }

    /// Opens numbers under masks: returns the opened numbers, in rows of bits.
    fn opened_rows<G: BinaryField>(
        &self,
        other: &Task<G>,
        a: &Value<F>,
        mask: &BitMask<F, G>,
    ) -> Result<Value<G>, RunError> {
        let number = self.first_of(&mask.number, a.len())?;
        self.public_rows_in(other, &self.open(&self.add(a, &number)?)?, mask.sizes())
    }

    /// The first elements of a value.
    pub(super) fn first_of(&self, value: &Value<F>, count: usize) -> Result<Value<F>, RunError> {
        self.local(count, false, mixed(0x6565, count as u64), &[value], move |_, given| {
            given[0][..count].to_vec()
        })
    }

    /// As [`Task::parity`], by masks of bits.
    pub(super) fn last_bit_by_bits(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        self.last_bit_under(self.sliced()?, a, &self.bit_mask(rows, a.len())?)
    }

    /// The same, with bits in bytes.
    pub(super) fn last_bit_in_bytes(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        let bytes = self.bytes()?;
        self.last_bit_under(bytes, a, &self.new_bit_mask_in(bytes, rows, a.len())?)
    }

    fn last_bit_under<G: BinaryField>(
        &self,
        other: &Task<G>,
        a: &Value<F>,
        mask: &BitMask<F, G>,
    ) -> Result<Value<F>, RunError> {
        let (masked, words) = (self.opened_rows(other, a, mask)?, mask.sizes().words);
        let wrapped = other.below_rows(&masked, (&mask.bits, &mask.pairs), mask.sizes())?;
        let field = other.field().clone();
        let odd = other.local(words, false, 0x6567, &[&wrapped, &masked, &mask.bits], move |_, given| {
            let mut odd = given[0].to_vec();
            field.add_assign(&mut odd, &given[1][..words]);
            field.add_assign(&mut odd, &given[2][..words]);
            odd
        })?;
        self.bits_of(other, &odd, a.len())
    }

    /// 1 where a number is zero, by masks of bits.
    pub(super) fn is_zero_by_bits(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        self.is_zero_under(self.sliced()?, a, &self.bit_mask(rows, a.len())?)
    }

    /// The same, with bits in bytes.
    pub(super) fn is_zero_in_bytes(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        let bytes = self.bytes()?;
        self.is_zero_under(bytes, a, &self.new_bit_mask_in(bytes, rows, a.len())?)
    }

    fn is_zero_under<G: BinaryField>(
        &self,
        other: &Task<G>,
        a: &Value<F>,
        mask: &BitMask<F, G>,
    ) -> Result<Value<F>, RunError> {
        let difference = other.add(&self.opened_rows(other, a, mask)?, &mask.bits)?;
        let same = other.shift(&difference, other.field().one())?;
        self.bits_of(other, &other.all_rows(same, mask.sizes())?, a.len())
    }

    /// As [`Task::is_negative`], always by masks whose bits are shared 64 to an element, even where another
    /// way is cheaper.
    ///
    /// The comparison is that of Nishide and Ohta, with edaBits as masks and its tree on bits.
    ///
    /// Source: Nishide and Ohta (PKC 2007), section 3; edaBits (CRYPTO 2020).
    /// Security: as [`Task::is_negative`]; with many sets of parties also the random bits of [`Task::from_bytes`]: statistical, 40 bits.
    /// Cost: with 3 parties and a modulus of 61 bits about 530 ANDs of two bits from each party, one opening, and 6 products; 7 rounds after
    /// the mask's.
    ///
    /// Errors: the modulus is not just below a power of two, or has more than 128 bits; there are more than 7 parties; the computation has ended.
    pub fn is_negative_by_bits(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        let rows = self.mask_rows()?;
        if rows > MAX_BITS {
            return Err(UsageError::MaskBits { bits: rows, most: MAX_BITS }.into());
        }
        self.by_lanes(a, |a| self.last_bit_by_bits(&self.add(a, a)?, rows))
    }

    /// Some lanes of a mask.
    pub(super) fn bit_mask_lanes(
        &self,
        mask: &BitMask<F>,
        (first, count): (usize, usize),
    ) -> Result<BitMask<F>, RunError> {
        let (sliced, rows, all) = (self.sliced()?, mask.rows, mask.sizes().words);
        let words = count.div_ceil(BitSliced::LANES);
        let shifted = |value: &Value<BitSliced>, rows: usize| {
            sliced.local(rows * words, false, mixed(0x6568, first as u64), &[value], move |_, given| {
                let row = |row: &[Slices]| -> Vec<Slices> {
                    (0..words).map(|word| shifted(row, first + 64 * word)).collect()
                };
                given[0].chunks(all).flat_map(row).collect()
            })
        };
        let number =
            self.local(count, false, mixed(0x6569, first as u64), &[&mask.number], move |_, given| {
                given[0][first..][..count].to_vec()
            })?;
        let (bits, pairs) = (shifted(&mask.bits, rows)?, shifted(&mask.pairs, rows / 2)?);
        Ok(BitMask { number, bits, pairs, rows, lanes: count })
    }

    /// Makes masks for this many comparisons by bits.
    pub(super) fn each_bit_mask(
        &self,
        rows: usize,
        count: usize,
        mut f: impl FnMut(BitMask<F>),
    ) -> Result<(), RunError> {
        for first in (0..count).step_by(LANES) {
            f(self.new_bit_mask(rows, LANES.min(count - first))?);
        }
        Ok(())
    }
}

/// The 64 lanes of a row from `first` on; zeros after its end.
fn shifted(row: &[Slices], first: usize) -> Slices {
    let (word, shift) = (first / 64, first % 64);
    let of = |word: usize| row.get(word).copied().unwrap_or_default().0;
    let (low, high) = (of(word), of(word + 1));
    match shift {
        0 => Slices(low),
        _ => Slices([0, 1, 2].map(|i| low[i] >> shift | high[i] << (64 - shift))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::runtime::simulation::{SIZES, computed, cost, elements, input};

    /// Numbers of all magnitudes and both signs.
    fn numbers(count: usize, seed: u64) -> Vec<i64> {
        let number =
            |i: u64| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) as i64 >> (5 + (i * 7 + seed) % 58);
        let mut numbers: Vec<_> = (0..count as u64).map(number).collect();
        for (number, at) in numbers.iter_mut().zip([0, 1, -1, (1 << 60) - 1, 1 - (1 << 60), 0, 2, -2]) {
            *number = at;
        }
        numbers
    }

    fn compares<F: Field>(field: &F, size: (usize, usize), count: usize) {
        let a = numbers(count, 3);
        let b: Vec<_> = a.iter().enumerate().map(|(i, a)| if i % 3 == 0 { *a } else { a / 2 }).collect();
        let result = computed(field, size, 3, |task| {
            let (x, y) = (input(task, 0, &a), input(task, 1, &b));
            let signs = [task.is_negative_by_bits(&x)?, task.is_negative_by_tree(&x)?];
            let same = [task.is_negative(&x)?, task.parity(&task.mul(&x, &x)?)?, task.equal(&x, &y)?];
            task.open(&task.concat(&signs.iter().chain(&same[..1]).chain(&same[2..]).collect::<Vec<_>>())?)
        });
        let negative: Vec<_> = a.iter().map(|a| i64::from(*a < 0)).collect();
        let equal: Vec<_> = a.iter().zip(&b).map(|(a, b)| i64::from(a == b)).collect();
        assert_eq!(
            result,
            elements(field, &[&negative[..], &negative, &negative, &equal].concat()),
            "{size:?}"
        );
    }

    #[test]
    fn numbers_compare_as_plain_ones() {
        for size in SIZES {
            compares(&Mersenne61, size, 70);
        }
        compares(&Mersenne61, (3, 1), 2_500);
        compares(&Montgomery::<1>::new(&[u64::MAX - 58]).expect("odd"), (4, 1), 130);
        compares(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), (3, 1), 40);
        compares(&Montgomery::<2>::new(&[u64::MAX - 158, u64::MAX]).expect("odd"), (5, 2), 20);
    }

    #[test]
    fn masks_made_ahead_are_spent_lane_by_lane() {
        let (a, b) = (numbers(64, 1), numbers(64, 2));
        for size in [(3, 1), (5, 2)] {
            let result = computed(&Mersenne61, size, 3, |task| {
                let (x, y) = (input(task, 0, &a), input(task, 1, &b));
                task.prepare_comparisons(50)?;
                let parts = [(0, 7), (7, 1), (8, 30), (38, 26)].map(|(first, count)| {
                    let at: Arc<[usize]> = (first..first + count).collect();
                    task.less(&task.gather(&x, at.clone())?, &task.gather(&y, at)?)
                });
                let parts: Vec<_> = parts.into_iter().collect::<Result<_, _>>()?;
                task.open(&task.concat(&parts.iter().collect::<Vec<_>>())?)
            });
            // Differences wrap around modulo p.
            let half = i128::from(Mersenne61::MODULUS / 2);
            let less = |(a, b): (&i64, &i64)| {
                let difference = (i128::from(*a) - i128::from(*b)).rem_euclid(2 * half + 1);
                u64::from(difference > half)
            };
            assert_eq!(result, a.iter().zip(&b).map(less).collect::<Vec<_>>(), "{size:?}");
        }
    }

    #[test]
    fn comparisons_send_what_they_say() {
        // An input takes one element.
        let ends = 64 * 8 + 3 * 64 * 8;
        let by_bits =
            |task: &Task<Mersenne61>| task.open(&task.is_negative_by_bits(&input(task, 0, &[5; 64]))?);
        // Carry-save, carries, six levels, pairs, the tree; each element has 16 bytes.
        let ands = 63 + 63 + 310 + 30 + 59;
        // Two openings of elements, then random bits and openings in the field.
        let sent = (ands + 2 + 1) * 16 + (2 * 2 * 64 + 2 * 64 + 64) * 8;
        // 8 for the sum, 1 for its carries, 1 + 5 + 1 for the comparison, and the result.
        assert_eq!(cost(&Mersenne61, (3, 1), by_bits), (17, 3 * sent + ends));
        let by_tree =
            |task: &Task<Mersenne61>| task.open(&task.is_negative_by_tree(&input(task, 0, &[5; 64]))?);
        let sent = (2 * 61 + 30 + 1 + 59 + 1) * 64 * 8;
        assert_eq!(cost(&Mersenne61, (3, 1), by_tree), (10, 3 * sent + ends));
    }

    #[test]
    fn fields_without_bits_are_refused() {
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&Mersenne61, 9, 1, 1);
        assert!(tasks[0].is_negative_by_bits(&input(&tasks[0], 0, &[1; 20])).is_err());
        let large = Montgomery::<4>::new(&[u64::MAX - 188, u64::MAX, u64::MAX, u64::MAX]).expect("odd");
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&large, 3, 1, 1);
        assert!(tasks[0].is_negative_by_bits(&input(&tasks[0], 0, &[1; 20])).is_err());
        assert!(tasks[0].is_negative(&input(&tasks[0], 0, &[1; 20])).is_ok());
    }
}
