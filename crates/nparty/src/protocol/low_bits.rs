//! Remainders, truncation and bits of numbers that leave room in the field, by masks whose bits are shared 64 to an element.

use tacit_math::field::{BitSliced, Field, Slices};
use tacit_math::zeros;

use crate::error::RunError;
use crate::program::pool::BitMask;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows, add_rows, numbers_of};
use crate::protocol::bits::power_of_two;
use crate::randomness::Randomness;

/// Masks with fewer bits are cheaper individually.
pub(crate) const MIN_BITS: usize = 4;

/// The minimum cost of masks of 64 lanes, by the number of contributors: in bits of individual masks, and in lanes for each bit of a mask.
fn least(randomness: Randomness, contributors: usize) -> (usize, usize) {
    match (randomness, contributors) {
        (Randomness::Dealt, 0..=4) => (480, 8),
        (Randomness::Dealt, 5..=6) => (560, 9),
        (Randomness::Dealt, _) => (720, 12),
        (_, 0..=3) => (128, 3),
        (_, 4) => (150, 4),
        (_, 5..=7) => (320, 7),
        (_, 8..=10) => (480, 7),
        (_, 11..=21) => (680, 12),
        _ => (768, 16),
    }
}

/// Numbers less masks, modulo 2^low.
pub(super) struct LowMaskedNumber<F: Field> {
    /// One for each number.
    pub(super) number: Value<F>,
    mask: BitMask<F>,
    /// Public numbers from which the masks are to be subtracted.
    pub(super) from: Value<F>,
}

impl<F: Field> Task<F> {
    /// Whether this many masks of this many bits are made with bits 64 to an element, because that sends less.
    pub(super) fn masks_by_bits(&self, bits: usize, lanes: usize) -> bool {
        let contributors = self.contributor_count().unwrap_or(usize::MAX);
        let ((all, lost), words) =
            (least(self.scheme().randomness(), contributors), lanes.div_ceil(BitSliced::LANES));
        let single = bits.saturating_mul(lanes.saturating_sub(words.saturating_mul(lost)));
        let sliced = single >= words.saturating_mul(all);
        bits >= MIN_BITS && lanes > 0 && sliced && self.by_bits(bits, lanes)
    }

    /// Whether the `low` last of `bits` bits of this many numbers are computed from masks with bits 64 to an element. Prepared masks are used first.
    pub(super) fn low_by_bits(&self, lanes: usize, bits: usize, low: usize) -> bool {
        let cheaper = || !self.has_mask(low, lanes) && self.masks_by_bits(low, lanes);
        self.has_room(bits) && (self.has_bit_mask(low, lanes) || cheaper())
    }

    /// As [`Task::masked`], if [`Task::low_by_bits`] holds.
    pub(super) fn low_masked(
        &self,
        a: &Value<F>,
        bits: usize,
        low: usize,
    ) -> Result<LowMaskedNumber<F>, RunError> {
        let (lanes, mask) = (a.len(), self.bit_mask(low, a.len())?);
        let number = self.first_of(&mask.number, lanes)?;
        let upper = self.upper_mask(lanes, bits + self.statistical_bits() - low, low)?;
        let opened = self.open(&self.add(&self.add(a, &number)?, &upper)?)?;
        let from = self.low_bits(&opened, low, false)?;
        Ok(LowMaskedNumber { number, mask, from })
    }

    /// The bits of public numbers, 64 to an element.
    pub(super) fn public_rows(&self, public: &Value<F>, of: BitRows) -> Result<Value<BitSliced>, RunError> {
        self.public_rows_in(self.sliced()?, public, of)
    }

    /// The same in a field of characteristic 2.
    pub(super) fn public_rows_in<G: BinaryField>(
        &self,
        other: &Task<G>,
        public: &Value<F>,
        of: BitRows,
    ) -> Result<Value<G>, RunError> {
        self.public_rows_by(other, public, of, |number| number)
    }

    /// The last bits of what `f` makes of public numbers.
    pub(super) fn public_rows_by<G: BinaryField>(
        &self,
        other: &Task<G>,
        public: &Value<F>,
        of: BitRows,
        f: impl Fn(u128) -> u128 + Send + 'static,
    ) -> Result<Value<G>, RunError> {
        let (from, field) = (self.field().clone(), other.field().clone());
        other.carry(self, public, (of.rows * of.words, 0x6566), move |public| {
            let mut elements = zeros(of.rows * of.words);
            let numbers: Vec<_> = numbers_of(&from, public).into_iter().map(&f).collect();
            add_rows(&field, &numbers, field.one(), (&mut elements, of));
            elements
        })
    }

    /// As [`Task::remainder`].
    pub(super) fn remainder_by_bits(
        &self,
        a: &Value<F>,
        low: usize,
        bits: usize,
    ) -> Result<Value<F>, RunError> {
        let (sliced, LowMaskedNumber { number, mask, from }) =
            (self.sliced()?, self.low_masked(a, bits, low)?);
        let rows = self.public_rows(&from, mask.sizes())?;
        let below = sliced.below_rows(&rows, (&mask.bits, &mask.pairs), mask.sizes())?;
        let borrowed = self.bits_of(sliced, &below, a.len())?;
        let borrowed = self.scale(&borrowed, power_of_two(self.field(), low))?;
        self.add(&self.sub(&from, &number)?, &borrowed)
    }

    /// 1 where a number is congruent modulo 2^`bits` to a public number, which `f` computes from the opened one.
    pub(super) fn same_by_bits(
        &self,
        a: &Value<F>,
        bits: usize,
        f: impl FnOnce(&Value<F>) -> Result<Value<F>, RunError>,
    ) -> Result<Value<F>, RunError> {
        let (sliced, LowMaskedNumber { mask, from, .. }) = (self.sliced()?, self.low_masked(a, bits, bits)?);
        let rows = self.public_rows(&f(&from)?, mask.sizes())?;
        let same = sliced.shift(&sliced.add(&rows, &mask.bits)?, sliced.field().one())?;
        self.bits_of(sliced, &sliced.all_rows(same, mask.sizes())?, a.len())
    }

    /// As [`Task::bits`], row by row.
    ///
    /// A number less a mask is the complement of the sum of its complement and the mask.
    pub(super) fn rows_by_bits(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        let (sliced, LowMaskedNumber { mask, from, .. }) = (self.sliced()?, self.low_masked(a, bits, bits)?);
        let (sizes, one) = (mask.sizes(), sliced.field().one());
        let complement = sliced.shift(&self.public_rows(&from, sizes)?, one)?;
        let sum = sliced.sum_rows(vec![complement, mask.bits], sizes)?;
        let (lanes, all) = (a.len(), bits * a.len());
        let hash = mixed(0x6c72, lanes as u64);
        let packed =
            sliced.local(all.div_ceil(BitSliced::LANES), false, hash, &[&sum], move |_, given| {
                packed(given[0], sizes, lanes)
            })?;
        self.bits_of(sliced, &sliced.shift(&packed, one)?, all)
    }
}

/// The first lanes of each row, without the unused lanes between rows.
fn packed(rows: &[Slices], BitRows { words, .. }: BitRows, lanes: usize) -> Vec<Slices> {
    let count = rows.len() / words.max(1);
    let mut packed = vec![Slices::default(); (count * lanes).div_ceil(64) + 1];
    for (number, row) in rows.chunks(words.max(1)).enumerate() {
        for (word, slices) in row.iter().enumerate().take(lanes.div_ceil(64)) {
            let (at, kept) = (number * lanes + 64 * word, (lanes - 64 * word).min(64));
            let (place, shift) = (at / 64, at % 64);
            for i in 0..4 {
                let bits = slices.0[i] & u64::MAX >> (64 - kept);
                packed[place].0[i] |= bits << shift;
                // In two steps, because a shift by 64 is not possible.
                packed[place + 1].0[i] |= bits >> 1 >> (63 - shift);
            }
        }
    }
    packed.truncate((count * lanes).div_ceil(64));
    packed
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Mersenne61, Montgomery};

    use super::*;
    use crate::runtime::simulation::{LARGER_SIZES, SIZES, Simulation, computed, cost, elements, input};

    /// Signed numbers of 12 bits, including all interesting ones.
    fn numbers(count: usize) -> Vec<i64> {
        let ends = [0, 1, -1, 2047, -2048, 7, 8, -8, -9];
        ends.into_iter()
            .chain(0..)
            .map(|i| if i < 9 { i } else { i * 7919 % 4096 - 2048 })
            .take(count)
            .collect()
    }

    fn agrees<F: Field>(field: &F, size: (usize, usize), count: usize) {
        let a = numbers(count);
        let b: Vec<_> = a.iter().enumerate().map(|(i, a)| if i % 3 == 0 { *a } else { -a / 2 }).collect();
        let up: Vec<_> = a.iter().map(|a| a + 2048).collect();
        let result = computed(field, size, 3, |task| {
            let (x, y, z) = (input(task, 0, &a), input(task, 1, &b), input(task, 2, &up));
            let all = [
                task.truncate(&x, 5, 12)?,
                task.remainder(&z, 12, 12)?,
                task.remainder(&z, 5, 12)?,
                task.less_within(&x, &y, 13)?,
                task.equal_within(&x, &y, 13)?,
                task.bits(&z, 12)?,
            ];
            task.open(&task.concat(&all.iter().collect::<Vec<_>>())?)
        });
        let each = |f: &dyn Fn(i64) -> i64| a.iter().map(|a| f(*a)).collect::<Vec<_>>();
        let pair =
            |f: fn(&i64, &i64) -> bool| a.iter().zip(&b).map(|(a, b)| i64::from(f(a, b))).collect::<Vec<_>>();
        let bits: Vec<_> = up.iter().flat_map(|z| (0..12).map(move |bit| z >> bit & 1)).collect();
        let expected =
            [each(&|a| a >> 5), up.clone(), each(&|a| (a + 2048) % 32), pair(i64::lt), pair(i64::eq), bits];
        assert_eq!(result, elements(field, &expected.concat()), "{size:?} {count} numbers");
    }

    #[test]
    fn numbers_are_cut_as_plain_ones() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            agrees(&wide, size, 40);
        }
        agrees(&Mersenne61, (3, 1), 33);
        agrees(&wide, (3, 1), 2_100);
        agrees(&wide, (4, 1), 130);
    }

    #[test]
    fn probable_truncation_is_near() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        let a = numbers(64);
        let result = computed(&wide, (3, 1), 3, |task| {
            task.open(&task.truncate_probably(&input(task, 0, &a), 5, 12)?)
        });
        for (a, found) in a.iter().zip(result) {
            let near = elements(&wide, &[a >> 5, (a >> 5) + 1]);
            assert!(found == near[0] || found == near[1] && a % 32 != 0, "{a}");
        }
    }

    #[test]
    fn what_was_made_ahead_is_spent() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        let a = numbers(64);
        for size in [(3, 1), (5, 2)] {
            let result = computed(&wide, size, 3, |task| {
                task.prepare_masks(12, 64)?;
                task.prepare_masks(5, 4)?;
                task.prepare_masks(1, 3)?;
                let x = input(task, 0, &a);
                let part = |first: usize, count| task.gather(&x, (first..first + count).collect());
                let cut = [
                    // These masks come from 64 to an element, though a single number would not use them.
                    task.truncate(&part(0, 30)?, 12, 13)?,
                    task.truncate(&part(30, 1)?, 12, 13)?,
                    task.truncate(&part(31, 33)?, 12, 13)?,
                    task.truncate(&part(3, 3)?, 5, 12)?,
                    task.truncate(&part(3, 1)?, 5, 12)?,
                    task.truncate(&part(3, 2)?, 1, 12)?,
                    task.truncate(&part(3, 1)?, 1, 12)?,
                ];
                task.open(&task.concat(&cut.iter().collect::<Vec<_>>())?)
            });
            let cut = |from: &[i64], by: i64| from.iter().map(|a| a >> by).collect::<Vec<_>>();
            let five = [cut(&a[3..6], 5), cut(&a[3..4], 5), cut(&a[3..5], 1), cut(&a[3..4], 1)].concat();
            assert_eq!(result, elements(&wide, &[cut(&a, 12), five].concat()), "{size:?}");
        }
    }

    type Program<F> = fn(&Task<F>, &Value<F>, usize) -> Result<Value<F>, RunError>;

    fn programs<F: Field>() -> [(&'static str, Program<F>); 4] {
        [
            ("remainder", |task, a, bits| task.remainder(a, bits, bits)),
            ("equal", |task, a, bits| task.equal_within(a, a, bits)),
            ("truncate_probably", |task, a, bits| task.truncate_probably(a, bits, bits + 1)),
            ("bits", |task, a, bits| task.bits(a, bits)),
        ]
    }

    /// Bytes that all parties together send for an operation on numbers of `bits` bits.
    fn sent<F: Field>(
        field: &F,
        size: (usize, usize),
        (lanes, bits): (usize, usize),
        program: Program<F>,
    ) -> usize {
        cost(field, size, |task| task.open(&program(task, &task.random(lanes)?, bits)?)).1
    }

    fn sends_less<F: Field>(field: &F, size: (usize, usize)) {
        let task = &Simulation::new(field, size.0, size.1, 1).1[0];
        for lanes in [16, 40, 64, 65, 130] {
            let Some(least) = (1..=64).find(|bits| task.masks_by_bits(*bits, lanes)) else { continue };
            // With few numbers, the unused rest of dealt blocks is a large part.
            let dealt = task.scheme().randomness() == Randomness::Dealt;
            if !task.has_room(least + 1) || dealt && lanes < 64 {
                continue;
            }
            for (name, program) in programs() {
                // So few numbers never use masks by bits, and each costs the same.
                let few = sent(field, size, (15, least), program);
                let many = sent(field, size, (lanes, least), program);
                assert!(
                    many * 15 <= few * lanes,
                    "{field:?} {size:?} {name}: {} and not {} for each of {lanes} of {least} bits",
                    many / lanes,
                    few / 15
                );
            }
        }
    }

    #[test]
    fn masks_by_bits_send_less_where_they_are_used() {
        let wide = Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd");
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            sends_less(&wide, size);
            sends_less(&Mersenne61, size);
        }
    }
}
