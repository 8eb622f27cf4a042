//! Comparisons by masks whose bits are shared 64 to an element, not in the computation's field: an AND then takes two bits from each party, or
//! three.

use tacit_math::field::{BitSliced, Field, Slices};
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::pool::BitMask;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows, numbers_of};
use crate::protocol::bits::power_of_two;
use crate::protocol::compare::LANES;
use crate::prss::Purpose;
use crate::randomness::Randomness;

/// From this many lanes on, comparisons by such masks send less than others.
pub(crate) const MIN_LANES: usize = 16;

/// The maximum bits of a mask.
pub(crate) const MAX_BITS: usize = 128;

/// Sums of numbers in the field, and their bits in another: rows of lanes.
struct SharedSum<F: Field, G: Field> {
    number: Value<F>,
    bits: Value<G>,
}

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
    /// Each contributor knows a number, whose bits are shared too, and a circuit adds these. If the field's order is 2^`rows` - 1, their carries go
    /// around as in the field. Else the bits of the sum above 2^`rows` are converted to the field, and subtracted there.
    ///
    /// Source: edaBits (Escudero, Ghosh, Keller, Rachuri and Scholl, CRYPTO 2020), section 4. Differs: the numbers come from pseudorandom sharing, and
    /// security is passive.
    /// Security: with carries that go around the number is uniform but for one case in 2^`rows`; else as the conversion of the carries, [`Task::from_bytes`].
    /// Cost: with 3 parties and 61 bits about 470 ANDs of two bits from each party, and two conversions of a bit; modulo 2^61 - 1, 423 ANDs and
    /// no conversion.
    ///
    /// Errors: the computation has ended.
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
        let all: Vec<_> = (0..rows).collect();
        let sum = match self.ends_around(rows) {
            true => self.sum_of_drawn_around(other, &all, lanes)?,
            false => self.sum_of_drawn(other, rows, lanes)?,
        };
        let pairs = other.neighbours(&sum.bits, BitRows { rows, words: G::words(lanes) })?;
        Ok(BitMask {
            number: sum.number,
            bits: sum.bits,
            pairs,
            rows,
            lanes: lanes.next_multiple_of(G::LANES),
        })
    }

    /// Whether the field's order is 2^`rows` - 1.
    fn ends_around(&self, rows: usize) -> bool {
        let ones = self.field().order().iter().map(|limb| limb.count_ones() as usize).sum::<usize>();
        ones == rows && self.order_bits() == rows
    }

    /// Sums of numbers below 2^`rows` that the contributors draw, modulo 2^`rows`.
    fn sum_of_drawn<G: BinaryField>(
        &self,
        other: &Task<G>,
        rows: usize,
        lanes: usize,
    ) -> Result<SharedSum<F, G>, RunError> {
        let (lanes, words) = (lanes.next_multiple_of(G::LANES), G::words(lanes));
        let carries = self.set_bits();
        let sum = BitRows { rows: rows + carries, words };
        let first = self.draw(lanes);
        let added = other.sum_rows(other.joint_rows((first, 0x6562), (rows, lanes), sum)?, sum)?;
        let part = |from: usize, count: usize| {
            other.local(count * words, false, mixed(0x6563, from as u64), &[&added], move |_, given| {
                given[0][from * words..][..count * words].to_vec()
            })
        };
        let (bits, above) = (part(0, rows)?, part(rows, carries)?);
        let above = self.bits_of(other, &above, carries * lanes)?;
        let sum_of_all = self.sum_of_numbers(first, rows, lanes)?;
        let field = self.field().clone();
        let hash = mixed(0x6564, rows as u64);
        let number = self.local(lanes, false, hash, &[&above, &sum_of_all], move |_, given| {
            let mut number = given[1].to_vec();
            for (carry, above) in given[0].chunks(lanes).enumerate() {
                field.add_scaled(&mut number, above, field.neg(power_of_two(&field, rows + carry)));
            }
            number
        })?;
        Ok(SharedSum { number, bits })
    }

    /// Sums of numbers that the contributors draw, modulo the field's order 2^k - 1, and the wanted ones of their bits. No carry has to be
    /// subtracted in the field.
    fn sum_of_drawn_around<G: BinaryField>(
        &self,
        other: &Task<G>,
        wanted: &[usize],
        lanes: usize,
    ) -> Result<SharedSum<F, G>, RunError> {
        let (lanes, rows) = (lanes.next_multiple_of(G::LANES), self.order_bits());
        let of = BitRows { rows, words: G::words(lanes) };
        let first = self.draw(lanes);
        let bits = other.sum_around(other.joint_rows((first, 0x6562), (rows, lanes), of)?, of, wanted)?;
        Ok(SharedSum { number: self.sum_of_numbers(first, rows, lanes)?, bits })
    }

    /// The sums in the field of the numbers that are drawn at a position.
    fn sum_of_numbers(&self, first: u64, bits: usize, lanes: usize) -> Result<Value<F>, RunError> {
        self.contributed(first, (lanes, mixed(0x6574, bits as u64)), move |prss| {
            let mut number = zeros(lanes);
            prss.bounded(Purpose::JOINT, first, bits as u32, &mut number);
            number
        })
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

    /// Whether [`Task::is_negative_within`] of numbers of this many bits only needs as many bits of a mask: the field's order is 2^k - 1, and no masks of
    /// k bits are prepared.
    pub(super) fn by_some_bits(&self, bits: usize, lanes: usize) -> bool {
        let rows = self.order_bits();
        let prepared = self.has_bit_mask(rows, lanes) || self.has_mask(rows, lanes);
        let many = self.by_bits(rows, lanes) || self.by_bytes(rows, lanes);
        self.ends_around(rows) && bits + 2 <= rows && many && !prepared
    }

    /// As [`Task::is_negative_within`], if [`Task::by_some_bits`] holds.
    pub(super) fn is_negative_by_some_bits(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        match self.by_bits(self.order_bits(), a.len()) {
            true => self.is_negative_around(self.sliced()?, a, bits),
            false => self.is_negative_around(self.bytes()?, a, bits),
        }
    }

    /// 1 where numbers of this many bits, signs included, are negative, in a field of order 2^k - 1.
    ///
    /// A mask r covers the field. Unless c = a + r is within 2^(bits - 1) of 0 or of the order, the sum did not wrap around, and c - r has the last bits of
    /// a. There, the mask's first bit says whether it did, and wrapping changes the sum by 2^k - 1, so its last bits by 1:
    /// either c less that bit, or c + 1 less that bit, less r has the last bits of a. So c is known early, and of the mask only its first bit and its last ones are
    /// needed.
    ///
    /// Source: the opened sum is that of Nishide and Ohta (PKC 2007), section 3, the subtraction that of Catrina and de Hoogh (SCN 2010); that a bit of
    /// the mask says where the sum wrapped around is new.
    /// Security: as [`Task::is_negative_by_bits`], for any number; the result is right for numbers in the range.
    /// Cost: with 3 parties modulo 2^61 - 1 and 33 bits, 382 ANDs of two bits from each party, one opening, and 2 products, in as many rounds as
    /// [`Task::is_negative_by_bits`].
    fn is_negative_around<G: BinaryField>(
        &self,
        other: &Task<G>,
        a: &Value<F>,
        bits: usize,
    ) -> Result<Value<F>, RunError> {
        // The first bit comes before the last ones, as one that is subtracted with them; the sign's place is not compared.
        let wanted: Vec<_> = [self.order_bits() - 1].into_iter().chain(0..bits).collect();
        let mask = self.sum_of_drawn_around(other, &wanted, a.len())?;
        let (rows, words) = (BitRows { rows: wanted.len(), words: G::words(a.len()) }, G::words(a.len()));
        let masked = self.open(&self.add(a, &self.first_of(&mask.number, a.len())?)?)?;
        let order = numbers_of(self.field(), &[self.field().neg(self.field().one())])[0] + 1;
        let public = self.public_rows_by(other, &masked, rows, move |masked| {
            let (below, above) = (masked >> (bits - 1) == 0, masked >= order - (1 << (bits - 1)));
            (masked + u128::from(above)) << 1 | u128::from(!below && !above)
        })?;
        let compared = BitRows { rows: bits, words };
        let pairs = other.neighbours(&mask.bits, compared)?;
        let borrowed = other.below_rows(&public, (&mask.bits, &pairs), compared)?;
        let field = other.field().clone();
        let sign =
            other.local(words, false, 0x656e, &[&borrowed, &public, &mask.bits], move |_, given| {
                let mut sign = given[0].to_vec();
                field.add_assign(&mut sign, &given[1][bits * words..]);
                field.add_assign(&mut sign, &given[2][bits * words..]);
                sign
            })?;
        self.bits_of(other, &sign, a.len())
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
    /// Cost: with 3 parties and a modulus of 61 bits about 530 ANDs of two bits from each party, one opening, and 6 products; modulo 2^61 - 1, 482
    /// ANDs, one opening, and 2 products; 6 or 7 rounds after the mask's.
    ///
    /// Errors: the modulus is not just below a power of two, or has more than 128 bits; there are more than 15 parties; the computation has ended.
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
        _ => Slices([0, 1, 2, 3].map(|i| low[i] >> shift | high[i] << (64 - shift))),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::runtime::simulation::{LARGER_SIZES, SIZES, computed, cost, elements, input};

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
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            compares(&Mersenne61, size, 70);
        }
        compares(&Mersenne61, (3, 1), 2_500);
        compares(&Montgomery::<1>::new(&[u64::MAX - 58]).expect("odd"), (4, 1), 130);
        compares(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), (3, 1), 40);
        compares(&Montgomery::<2>::new(&[u64::MAX - 158, u64::MAX]).expect("odd"), (5, 2), 20);
    }

    /// All numbers of some bits, many times modulo a small prime, so that many sums wrap around.
    fn compares_around(order: u64, bits: usize, size: (usize, usize)) {
        let field = Montgomery::<1>::new(&[order]).expect("odd");
        let half = 1i64 << (bits - 1);
        let all: Vec<_> = (0..1000).map(|i| i % (2 * half) - half).collect();
        let negative: Vec<_> = all.iter().map(|a| i64::from(*a < 0)).collect();
        let result = computed(&field, size, 3, |task| {
            let (a, bytes) = (input(task, 0, &all), task.bytes()?);
            let mut signs = vec![task.is_negative_around(bytes, &a, bits)?];
            if BitSliced::for_parties(size.0).is_some() {
                signs.push(task.is_negative_around(task.sliced()?, &a, bits)?);
            }
            task.open(&task.concat(&signs.iter().collect::<Vec<_>>())?)
        });
        let signs = result.chunks(all.len());
        let expected = elements(&field, &negative);
        signs.for_each(|signs| assert_eq!(signs, expected, "{bits} bits modulo {order}, {size:?}"));
    }

    #[test]
    fn few_bits_of_a_mask_tell_signs_wherever_sums_wrap_around() {
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            compares_around(127, 5, size);
            compares_around(127, 1, size);
        }
        for (order, bits) in [(31, 3), (127, 2), (8191, 11), (8191, 8), (131_071, 15)] {
            compares_around(order, bits, (3, 1));
        }
        compares_around(127, 5, (16, 7));
    }

    #[test]
    fn numbers_of_some_bits_compare_as_plain_ones() {
        for size in SIZES.into_iter().chain(LARGER_SIZES).chain([(16, 7)]) {
            for bits in [2, 33, 58, 59, 60] {
                // The ends of the range, and numbers of all magnitudes.
                let (least, most) = (-(1i64 << (bits - 2)), (1i64 << (bits - 2)) - 1);
                let mut a: Vec<_> = numbers(40, 7).into_iter().map(|a| a >> (62 - bits)).collect();
                let mut b: Vec<_> = numbers(40, 9).into_iter().map(|b| b >> (62 - bits)).collect();
                a[..4].copy_from_slice(&[least, most, 0, 0]);
                b[..4].copy_from_slice(&[most, least, 0, 1]);
                let less: Vec<_> = a.iter().zip(&b).map(|(a, b)| i64::from(a < b)).collect();
                let result = computed(&Mersenne61, size, 3, |task| {
                    task.open(&task.less_within(&input(task, 0, &a), &input(task, 1, &b), bits)?)
                });
                assert_eq!(result, elements(&Mersenne61, &less), "{bits} bits, {size:?}");
            }
        }
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
        // Carry-save, the sum of two, pairs, the tree; each element has 16 bytes.
        let ands = 61 + 61 + 271 + 30 + 59;
        // An opening of an element, then a random bit and an opening in the field.
        let sent = (ands + 1) * 16 + (2 * 64 + 64) * 8;
        // 1 + 1 + 7 for the sum, while the masked number is opened, 1 + 5 + 1 for the comparison, and the result.
        assert_eq!(cost(&Mersenne61, (3, 1), by_bits), (17, 3 * sent + ends));
        // Of 33 bits only those and the mask's first are needed, and there are as many rows of pairs and of the tree.
        let by_some_bits =
            |task: &Task<Mersenne61>| task.open(&task.is_negative_within(&input(task, 0, &[5; 64]), 33)?);
        let sent = (61 + 61 + 213 + 16 + 31 + 1) * 16 + (2 * 64 + 64) * 8;
        assert_eq!(cost(&Mersenne61, (3, 1), by_some_bits), (17, 3 * sent + ends));
        let by_tree =
            |task: &Task<Mersenne61>| task.open(&task.is_negative_by_tree(&input(task, 0, &[5; 64]))?);
        let sent = (2 * 61 + 30 + 1 + 59 + 1) * 64 * 8;
        assert_eq!(cost(&Mersenne61, (3, 1), by_tree), (10, 3 * sent + ends));
    }

    #[test]
    fn fields_without_bits_are_refused() {
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&Mersenne61, 16, 1, 1);
        assert!(tasks[0].is_negative_by_bits(&input(&tasks[0], 0, &[1; 20])).is_err());
        let large = Montgomery::<4>::new(&[u64::MAX - 188, u64::MAX, u64::MAX, u64::MAX]).expect("odd");
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&large, 3, 1, 1);
        assert!(tasks[0].is_negative_by_bits(&input(&tasks[0], 0, &[1; 20])).is_err());
        assert!(tasks[0].is_negative(&input(&tasks[0], 0, &[1; 20])).is_ok());
    }
}
