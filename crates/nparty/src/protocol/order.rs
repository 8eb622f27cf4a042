//! Least and greatest elements, and sorting.

use std::sync::Arc;

use tacit_circuit::arithmetic::merge_exchange_passes;
use tacit_math::field::Field;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value};

/// Selects one of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smaller one.
    Least,
    /// The larger one.
    Greatest,
}

impl<F: Field> Task<F> {
    /// The smaller or the larger of two elements, pairwise.
    ///
    /// Cost: a comparison and a product for each pair.
    ///
    /// Errors: as [`Task::less`].
    pub fn extreme(&self, a: &Value<F>, b: &Value<F>, which: Extreme) -> Result<Value<F>, RunError> {
        let less = self.less(a, b)?;
        match which {
            Extreme::Least => self.select(&less, a, b),
            Extreme::Greatest => self.select(&less, b, a),
        }
    }

    /// The least or greatest element, and its position; of equal ones the first.
    ///
    /// Cost: as many comparisons and pairs of products as elements, in logarithmically many steps.
    ///
    /// Errors: the value is empty; as [`Task::less`].
    pub fn extreme_of(&self, a: &Value<F>, which: Extreme) -> Result<(Value<F>, Value<F>), RunError> {
        self.extremes(a, which, Rows { length: a.len(), bits: None })
    }

    /// As [`Task::extreme_of`], for numbers whose differences are from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Errors: the value is empty; as [`Task::less_within`].
    pub fn extreme_within(
        &self,
        a: &Value<F>,
        which: Extreme,
        bits: usize,
    ) -> Result<(Value<F>, Value<F>), RunError> {
        self.extremes(a, which, Rows { length: a.len(), bits: Some(bits) })
    }

    /// The least or greatest element of each row, and its position there; of equal ones the first.
    ///
    /// Cost: as [`Task::extreme_of`] for each row, in the steps of one row.
    ///
    /// Errors: rows are empty or do not fill the value; as [`Task::less`], or as [`Task::less_within`] if `rows` gives the bits of
    /// differences.
    pub fn extremes(
        &self,
        a: &Value<F>,
        which: Extreme,
        rows: Rows,
    ) -> Result<(Value<F>, Value<F>), RunError> {
        let (count, mut length) = (rows.count(a.len())?, rows.length);
        let mut values = self.scale(a, self.field().one())?;
        let places = (0..count).flat_map(|_| (0..length as u64).map(|place| self.field().element(place)));
        let mut places = self.constant(places.collect())?;
        while length > 1 {
            let [even, odd] = [0, 1].map(|parity| every_second((count, length), parity));
            let (first, second) = (self.gather(&values, even.clone())?, self.gather(&values, odd.clone())?);
            // The second is only taken if it is better, so of equal ones the first is taken.
            let better = match which {
                Extreme::Least => self.less_by(&second, &first, rows.bits)?,
                Extreme::Greatest => self.less_by(&first, &second, rows.bits)?,
            };
            let chosen = self.select(&better, &second, &first)?;
            let chosen_places =
                self.select(&better, &self.gather(&places, odd)?, &self.gather(&places, even)?)?;
            values = self.with_the_last(chosen, &values, (count, length))?;
            places = self.with_the_last(chosen_places, &places, (count, length))?;
            length = length.div_ceil(2);
        }
        Ok((values, places))
    }

    /// Rows of the selected elements, for rows of this count and length, with the last element if it had no partner.
    fn with_the_last(
        &self,
        chosen: Value<F>,
        all: &Value<F>,
        (count, length): (usize, usize),
    ) -> Result<Value<F>, RunError> {
        if length.is_multiple_of(2) {
            return Ok(chosen);
        }
        let half = length / 2;
        let row = |row: usize| (row * half..(row + 1) * half).chain([count * half + (row + 1) * length - 1]);
        self.gather(&self.concat(&[&chosen, all])?, (0..count).flat_map(row).collect())
    }

    /// The elements in ascending order.
    ///
    /// Source: Batcher's odd-even merge sort, as in Knuth, “The art of computer programming” 3, algorithm 5.2.2M.
    /// Cost: about n·(log n)²/4 comparisons and products in (log n)²/2 steps.
    ///
    /// Errors: as [`Task::less`].
    pub fn sort(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        self.sort_whole(a, None)
    }

    /// As [`Task::sort`], for numbers whose differences are from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Errors: as [`Task::less_within`].
    pub fn sort_within(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        self.sort_whole(a, Some(bits))
    }

    /// 1 where `a < b`, for any numbers, or for those whose difference has this many bits.
    fn less_by(&self, a: &Value<F>, b: &Value<F>, bits: Option<usize>) -> Result<Value<F>, RunError> {
        match bits {
            Some(bits) => self.less_within(a, b, bits),
            None => self.less(a, b),
        }
    }

    fn sort_whole(&self, a: &Value<F>, bits: Option<usize>) -> Result<Value<F>, RunError> {
        if a.len() == 0 {
            return self.scale(a, self.field().one());
        }
        Ok(self.sort_rows(&[a], Rows { length: a.len(), bits })?.swap_remove(0))
    }

    /// Sorts the rows of several values by those of the first one, in ascending order. Equal elements of the first may end up in any order.
    ///
    /// Source: as [`Task::sort`].
    /// Cost: as there for each row, in the steps of one row; for each further value as many products.
    ///
    /// Errors: there is no value, or they have different lengths; rows are empty or do not fill them; as [`Task::less`], or as [`Task::less_within`] if
    /// `rows` gives the bits of differences.
    pub fn sort_rows(&self, values: &[&Value<F>], rows: Rows) -> Result<Vec<Value<F>>, RunError> {
        let keys = values.first().ok_or(UsageError::Empty)?;
        let count = rows.count(keys.len())?;
        if let Some(other) = values.iter().find(|value| value.len() != keys.len()) {
            return Err(UsageError::Operands { left: keys.len(), right: other.len() }.into());
        }
        let own = |value: &&Value<F>| self.scale(value, self.field().one());
        let mut sorted = values.iter().map(own).collect::<Result<Vec<_>, _>>()?;
        for step in merge_exchange_passes(rows.length).filter(|step| !step.is_empty()) {
            let pairs = Pairs::new(&step, (count, rows.length));
            let (first, second) = pairs.of(self, &sorted[0])?;
            let swap = self.less_by(&second, &first, rows.bits)?;
            sorted =
                sorted.iter().map(|value| pairs.swapped(self, value, &swap)).collect::<Result<_, _>>()?;
        }
        Ok(sorted)
    }
}

/// Rows of equal length, each of which is processed separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Elements of a row.
    pub length: usize,
    /// Bits of differences of elements, the sign included; `None` if the elements may be any numbers of the
    /// field.
    pub bits: Option<usize>,
}

impl Rows {
    /// The number of rows that these elements form.
    fn count(self, elements: usize) -> Result<usize, UsageError> {
        match self.length {
            0 => Err(UsageError::Empty),
            length if !elements.is_multiple_of(length) => Err(UsageError::Rows { length, elements }),
            length => Ok(elements / length),
        }
    }
}

/// The positions of every second element of rows of this count and length, up to the last that has a partner.
fn every_second((count, length): (usize, usize), parity: usize) -> Arc<[usize]> {
    let row = |row: usize| (0..length / 2).map(move |pair| row * length + 2 * pair + parity);
    (0..count).flat_map(row).collect()
}

/// Pairs of elements that are exchanged at the same time, in all rows.
struct Pairs {
    low: Arc<[usize]>,
    high: Arc<[usize]>,
    /// Where each element comes from, in the concatenation of the first of all pairs, the second of all pairs, and the
    /// elements as they were.
    order: Arc<[usize]>,
}

impl Pairs {
    /// Pairs of positions in a row, in rows of this count and length.
    fn new(step: &[(usize, usize)], (count, length): (usize, usize)) -> Pairs {
        let rows = 0..count;
        let all: Vec<_> = rows
            .flat_map(|row| step.iter().map(move |(low, high)| (row * length + low, row * length + high)))
            .collect();
        let mut order: Vec<_> = (2 * all.len()..2 * all.len() + count * length).collect();
        for (number, (low, high)) in all.iter().enumerate() {
            (order[*low], order[*high]) = (number, all.len() + number);
        }
        let (low, high): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        Pairs { low: low.into(), high: high.into(), order: order.into() }
    }

    /// The first and the second elements of the pairs.
    fn of<F: Field>(&self, task: &Task<F>, value: &Value<F>) -> Result<(Value<F>, Value<F>), RunError> {
        Ok((task.gather(value, self.low.clone())?, task.gather(value, self.high.clone())?))
    }

    /// The value, with the pairs exchanged where `swap` is 1.
    fn swapped<F: Field>(
        &self,
        task: &Task<F>,
        value: &Value<F>,
        swap: &Value<F>,
    ) -> Result<Value<F>, RunError> {
        let (first, second) = self.of(task, value)?;
        let moved = task.mul(swap, &task.sub(&second, &first)?)?;
        let (low, high) = (task.add(&first, &moved)?, task.sub(&second, &moved)?);
        task.gather(&task.concat(&[&low, &high, value])?, self.order.clone())
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{Field, Gf256, Mersenne61, Montgomery};

    use super::*;
    use crate::runtime::simulation::{SIZES, computed, elements, input};

    const A: [i64; 9] = [0, 5, -5, 7, (1 << 59) + 1, -(1 << 59), 1 << 31, -1, 3];
    const B: [i64; 9] = [0, 7, 5, -7, 1 << 59, -(1 << 59) + 1, (1 << 31) - 1, 0, 3];

    fn compares<F: Field>(field: &F, sizes: &[(usize, usize)]) {
        for (seed, size) in sizes.iter().enumerate() {
            let result = computed(field, *size, seed as u64, |task| {
                let (a, b) = (input(task, 0, &A), input(task, 1, &B));
                let (less, equal) = (task.less(&a, &b)?, task.equal(&a, &b)?);
                task.open(&task.concat(&[&less, &equal, &task.parity(&a)?])?)
            });
            let less = A.iter().zip(B).map(|(a, b)| i64::from(*a < b));
            let equal = A.iter().zip(B).map(|(a, b)| i64::from(*a == b));
            // A negative number -x stands for the odd modulus less x.
            let parity = A.iter().map(|a| if *a < 0 { 1 - a.abs() % 2 } else { a % 2 });
            let expected: Vec<_> = less.chain(equal).chain(parity).collect();
            assert_eq!(result, elements(field, &expected), "{size:?}");
        }
    }

    #[test]
    fn comparisons_agree_with_plain_numbers() {
        compares(&Mersenne61, &SIZES);
        compares(&Montgomery::<1>::new(&[u64::MAX - 58]).expect("odd"), &[(3, 1), (5, 2)]);
        compares(
            &Montgomery::<4>::new(&[u64::MAX - 188, u64::MAX, u64::MAX, u64::MAX]).expect("odd"),
            &[(4, 1)],
        );
    }

    #[test]
    fn random_numbers_compare_as_they_should() {
        let mut prg = tacit_crypto::Prg::new(tacit_math::Block(8));
        let mut numbers: Vec<i64> = Vec::new();
        for _ in 0..1500 {
            let bits = prg.next_block().0;
            numbers.push((bits as i64 >> 5) >> (bits >> 64 & 31));
        }
        let result = computed(&Mersenne61, (3, 1), 1, |task| {
            let a = input(task, 0, &numbers);
            task.open(&task.is_negative(&a)?)
        });
        assert!(result.iter().zip(&numbers).all(|(result, number)| *result == u64::from(*number < 0)));
    }

    #[test]
    fn fields_without_room_are_refused() {
        let field = Montgomery::<1>::new(&[(1 << 61) + 15]).expect("odd");
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&field, 3, 1, 1);
        let a = input(&tasks[0], 0, &[1]);
        assert!(tasks[0].is_negative(&a).is_err());
    }

    #[test]
    fn extremes_and_sorted_orders_are_found() {
        for (seed, size) in [(3, 1), (4, 1), (5, 2)].into_iter().enumerate() {
            for length in [1, 2, 3, 7] {
                // Halves, so that all differences are in range.
                let numbers = &A.map(|a| a / 2)[..length];
                let result = computed(&Mersenne61, size, seed as u64, |task| {
                    let a = input(task, 0, numbers);
                    let (least, first) = task.extreme_of(&a, Extreme::Least)?;
                    let (greatest, last) = task.extreme_of(&a, Extreme::Greatest)?;
                    task.open(&task.concat(&[&least, &first, &greatest, &last, &task.sort(&a)?])?)
                });
                let place = |wanted: i64| numbers.iter().position(|a| *a == wanted).expect("there") as i64;
                let (least, greatest) = (numbers.iter().min(), numbers.iter().max());
                let (least, greatest) = (*least.expect("some"), *greatest.expect("some"));
                let mut expected = vec![least, place(least), greatest, place(greatest)];
                let mut sorted = numbers.to_vec();
                sorted.sort();
                expected.extend(sorted);
                assert_eq!(result, elements(&Mersenne61, &expected), "{size:?} {length}");
            }
        }
    }

    #[test]
    fn rows_are_put_in_order_by_themselves() {
        for (seed, (length, count)) in [(1, 4), (2, 3), (3, 5), (5, 2), (8, 1)].into_iter().enumerate() {
            let numbers: Vec<i64> = (0..(length * count) as i64).map(|i| i * 7919 % 11 - 5).collect();
            let names: Vec<i64> = (100..100 + numbers.len() as i64).collect();
            for bits in [None, Some(5)] {
                let rows = Rows { length, bits };
                let result = computed(&Mersenne61, (3, 1), seed as u64, |task| {
                    let (a, names) = (input(task, 0, &numbers), input(task, 1, &names));
                    let (least, first) = task.extremes(&a, Extreme::Least, rows)?;
                    let (greatest, last) = task.extremes(&a, Extreme::Greatest, rows)?;
                    let sorted = task.sort_rows(&[&a, &names], rows)?;
                    task.open(&task.concat(&[&least, &first, &greatest, &last, &sorted[0], &sorted[1]])?)
                });
                let (extremes, sorted) = result.split_at(4 * count);
                let (keys, carried) = sorted.split_at(numbers.len());
                let found = |row: &[i64], wanted: i64| row.iter().position(|a| *a == wanted).expect("there");
                let mut expected = [const { Vec::new() }; 4];
                for row in numbers.chunks(length) {
                    let (least, greatest) =
                        (*row.iter().min().expect("some"), *row.iter().max().expect("some"));
                    let all = [least, found(row, least) as i64, greatest, found(row, greatest) as i64];
                    expected.iter_mut().zip(all).for_each(|(column, one)| column.push(one));
                }
                assert_eq!(extremes, elements(&Mersenne61, &expected.concat()), "{rows:?}");
                for (number, row) in numbers.chunks(length).enumerate() {
                    let mut row = row.to_vec();
                    row.sort();
                    let range = number * length..(number + 1) * length;
                    assert_eq!(keys[range.clone()], elements(&Mersenne61, &row), "{rows:?}");
                    // Each carried element is next to its original key.
                    for (key, name) in keys[range.clone()].iter().zip(&carried[range.clone()]) {
                        let place = (*name - 100) as usize;
                        assert!(range.contains(&place), "{rows:?}");
                        assert_eq!(*key, elements(&Mersenne61, &numbers[place..=place])[0], "{rows:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_that_do_not_fill_a_value_are_refused() {
        let (_, tasks) = crate::runtime::simulation::Simulation::new(&Mersenne61, 3, 1, 1);
        let a = input(&tasks[0], 0, &[1, 2, 3]);
        for length in [0, 2, 4] {
            let rows = Rows { length, bits: None };
            assert!(tasks[0].extremes(&a, Extreme::Least, rows).is_err(), "{length}");
            assert!(tasks[0].sort_rows(&[&a], rows).is_err(), "{length}");
        }
        let rows = Rows { length: 3, bits: None };
        assert!(tasks[0].sort_rows(&[], rows).is_err());
        assert!(tasks[0].sort_rows(&[&a, &input(&tasks[0], 0, &[1])], rows).is_err());
    }

    #[test]
    fn networks_sort() {
        for length in 0..40 {
            for seed in 0..20u64 {
                let mut numbers: Vec<_> = (0..length as u64).map(|i| (i * 7919 + seed * 31) % 17).collect();
                for (low, high) in merge_exchange_passes(length).flatten() {
                    if numbers[low] > numbers[high] {
                        numbers.swap(low, high);
                    }
                }
                assert!(numbers.is_sorted(), "{length}");
            }
        }
    }

    fn powers<F: Field>(field: &F, size: (usize, usize)) {
        let result = computed(field, size, 2, |task| {
            let a = input(task, 0, &[3, 9, 77]);
            let root = task.sqrt(&task.mul(&a, &a)?)?;
            let square = task.mul(&root, &root)?;
            let product = task.mul(&a, &task.inverse(&a)?)?;
            task.open(&task.concat(&[&square, &product, &task.pow(&a, &[5])?, &task.pow(&a, &[0])?])?)
        });
        let expected = [9, 81, 77 * 77, 1, 1, 1, 243, 59_049, 2_706_784_157, 1, 1, 1];
        assert_eq!(result, elements(field, &expected));
    }

    #[test]
    fn powers_roots_and_inverses() {
        powers(&Mersenne61, (3, 1));
        // Congruent to 1 modulo 4, and modulo 2^32.
        powers(&Montgomery::<1>::new(&[u64::MAX - (1 << 32) + 2]).expect("odd"), (5, 2));
        powers(&Montgomery::<4>::new(&[u64::MAX - 188, u64::MAX, u64::MAX, u64::MAX]).expect("odd"), (4, 1));
    }

    #[test]
    fn inverses_in_small_fields() {
        let all: Vec<i64> = (1..256).collect();
        let result = computed(&Gf256, (3, 1), 2, |task| {
            let a = input(task, 0, &all);
            task.open(&task.mul(&a, &task.inverse(&a)?)?)
        });
        assert_eq!(result, vec![1; 255]);
    }

    #[test]
    fn random_bits_are_bits_and_matrices_multiply() {
        for size in SIZES {
            let result = computed(&Mersenne61, size, 2, |task| task.open(&task.random_bits(2000)?));
            let ones = result.iter().filter(|bit| **bit == 1).count();
            assert!(result.iter().all(|bit| *bit < 2) && (850..1150).contains(&ones), "{size:?}: {ones}");
        }
        let result = computed(&Gf256, (5, 2), 2, |task| task.open(&task.random_bits(2000)?));
        let ones = result.iter().filter(|bit| **bit == 1).count();
        assert!(result.iter().all(|bit| *bit < 2) && (850..1150).contains(&ones), "{ones}");
        let result = computed(&Mersenne61, (3, 1), 2, |task| {
            let (a, b) = (input(task, 0, &[1, 2, 3, 4, 5, 6]), input(task, 1, &[7, 8, 9, 10, 11, 12]));
            let sums = task.sum_runs(&task.matmul(&a, &b, (2, 3, 2))?, 2)?;
            task.open(&task.concat(&[&task.dot(&a, &b)?, &sums])?)
        });
        assert_eq!(result, [217, 58 + 64, 139 + 154]);
    }
}
