//! Least and greatest elements, and sorting.

use std::sync::Arc;

use tacit_math::field::Field;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value};

/// Which of two numbers is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extreme {
    /// The smaller one.
    Least,
    /// The larger one.
    Greatest,
}

impl<F: Field> Task<F> {
    /// The smaller, or the larger, of each two elements.
    ///
    /// Cost: a comparison and a product for each.
    ///
    /// Errors: as [`Task::less`].
    pub fn extreme(&self, a: &Value<F>, b: &Value<F>, which: Extreme) -> Result<Value<F>, RunError> {
        let less = self.less(a, b)?;
        match which {
            Extreme::Least => self.select(&less, a, b),
            Extreme::Greatest => self.select(&less, b, a),
        }
    }

    /// The least or the greatest element, and its position; of several the first.
    ///
    /// Cost: as many comparisons and pairs of products as elements, in the logarithm of as many steps.
    ///
    /// Errors: the value is empty; as [`Task::less`].
    pub fn extreme_of(&self, a: &Value<F>, which: Extreme) -> Result<(Value<F>, Value<F>), RunError> {
        self.extreme_by(a, which, None)
    }

    /// As [`Task::extreme_of`], of numbers whose differences are from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Errors: the value is empty; as [`Task::less_within`].
    pub fn extreme_within(
        &self,
        a: &Value<F>,
        which: Extreme,
        bits: usize,
    ) -> Result<(Value<F>, Value<F>), RunError> {
        self.extreme_by(a, which, Some(bits))
    }

    fn extreme_by(
        &self,
        a: &Value<F>,
        which: Extreme,
        bits: Option<usize>,
    ) -> Result<(Value<F>, Value<F>), RunError> {
        if a.len() == 0 {
            return Err(UsageError::Empty.into());
        }
        let mut values = self.scale(a, self.field().one())?;
        let places = (0..a.len() as u64).map(|place| self.field().element(place)).collect();
        let mut places = self.constant(places)?;
        while values.len() > 1 {
            let (length, half) = (values.len(), values.len() / 2);
            let even: Arc<[usize]> = (0..half).map(|i| 2 * i).collect();
            let odd: Arc<[usize]> = (0..half).map(|i| 2 * i + 1).collect();
            let rest: Arc<[usize]> = (2 * half..length).collect();
            let (first, second) = (self.gather(&values, even.clone())?, self.gather(&values, odd.clone())?);
            // The second is taken only where it is better: so of equal ones the first is.
            let better = match which {
                Extreme::Least => self.less_by(&second, &first, bits)?,
                Extreme::Greatest => self.less_by(&first, &second, bits)?,
            };
            let chosen = self.select(&better, &second, &first)?;
            let chosen_places =
                self.select(&better, &self.gather(&places, odd)?, &self.gather(&places, even)?)?;
            values = self.concat(&[&chosen, &self.gather(&values, rest.clone())?])?;
            places = self.concat(&[&chosen_places, &self.gather(&places, rest)?])?;
        }
        Ok((values, places))
    }

    /// The elements in ascending order.
    ///
    /// Source: Batcher's odd-even merge sort, as in Knuth, “The art of computer programming” 3, algorithm 5.2.2M.
    /// Cost: some n·(log n)²/4 comparisons and products in (log n)²/2 steps.
    ///
    /// Errors: as [`Task::less`].
    pub fn sort(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        self.sort_by(a, None)
    }

    /// As [`Task::sort`], of numbers whose differences are from -2^(`bits` - 1) to 2^(`bits` - 1) - 1.
    ///
    /// Errors: as [`Task::less_within`].
    pub fn sort_within(&self, a: &Value<F>, bits: usize) -> Result<Value<F>, RunError> {
        self.sort_by(a, Some(bits))
    }

    /// 1 where `a < b`, for any numbers, or for those whose difference has so many bits.
    fn less_by(&self, a: &Value<F>, b: &Value<F>, bits: Option<usize>) -> Result<Value<F>, RunError> {
        match bits {
            Some(bits) => self.less_within(a, b, bits),
            None => self.less(a, b),
        }
    }

    fn sort_by(&self, a: &Value<F>, bits: Option<usize>) -> Result<Value<F>, RunError> {
        let mut sorted = self.scale(a, self.field().one())?;
        for step in exchanges(a.len()) {
            let low: Arc<[usize]> = step.iter().map(|(low, _)| *low).collect();
            let high: Arc<[usize]> = step.iter().map(|(_, high)| *high).collect();
            let (first, second) = (self.gather(&sorted, low)?, self.gather(&sorted, high)?);
            let swapped = self.mul(&self.less_by(&second, &first, bits)?, &self.sub(&second, &first)?)?;
            let pair =
                self.concat(&[&self.add(&first, &swapped)?, &self.sub(&second, &swapped)?, &sorted])?;
            let mut order: Vec<_> = (0..a.len()).map(|i| 2 * step.len() + i).collect();
            for (number, (low, high)) in step.iter().enumerate() {
                (order[*low], order[*high]) = (number, step.len() + number);
            }
            sorted = self.gather(&pair, order.into())?;
        }
        Ok(sorted)
    }
}

/// The exchanges that sort so many elements; those of one step touch different elements.
fn exchanges(length: usize) -> Vec<Vec<(usize, usize)>> {
    let mut steps = Vec::new();
    let highest = length.next_power_of_two() / 2;
    let mut p = highest;
    while p > 0 {
        let (mut q, mut r, mut d) = (highest, 0, p);
        loop {
            let pairs = (0..length.saturating_sub(d)).filter(|i| i & p == r).map(|i| (i, i + d));
            let step: Vec<_> = pairs.collect();
            if !step.is_empty() {
                steps.push(step);
            }
            if q == p {
                break;
            }
            (d, q, r) = (q - p, q / 2, p);
        }
        p /= 2;
    }
    steps
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
            // A negative number is below the odd modulus by as much.
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
    fn networks_sort() {
        for length in 0..40 {
            for seed in 0..20u64 {
                let mut numbers: Vec<_> = (0..length as u64).map(|i| (i * 7919 + seed * 31) % 17).collect();
                for (low, high) in exchanges(length).into_iter().flatten() {
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
