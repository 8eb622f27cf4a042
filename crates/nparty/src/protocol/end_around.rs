//! Sums of shared numbers modulo 2^k - 1, in rows of bits: a carry out of the last row goes into the first.
//!
//! Carries are computed within blocks of rows first; then what reaches each block from all others, in a circle; then the rows' own. Rows that are not wanted
//! only take part as far as their carries are.
//!
//! Source: end-around carries by parallel prefixes (Zimmermann, ARITH 1999), with the graph of Sklansky (1960) in blocks and that of Kogge and Stone (1973)
//! between them.

use std::sync::Arc;

use tacit_math::zeros;

use crate::error::RunError;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows, Overflow};

/// Rows of a block, a power of two.
pub(crate) const BLOCK: usize = 8;

/// A group of rows and the group before it, which are joined.
type Join = (usize, usize);

/// Which groups are joined in a step, among how many, and whether it is still asked afterwards if a joined group passes a carry on.
#[derive(Clone)]
struct Joins {
    groups: usize,
    words: usize,
    pairs: Arc<[Join]>,
    passing: bool,
}

impl<G: BinaryField> Task<G> {
    /// The wanted rows, in this order, of the sum of shared numbers modulo 2^`rows` - 1, which is 0 or 2^`rows` - 1 if they are multiples of that.
    ///
    /// Cost: `rows` products for each number beyond the first; for all rows of 61 another 271, for the first 33 and the last another 213, in 7 rounds
    /// after levels of carry-save addition and one round.
    pub(super) fn sum_around(
        &self,
        numbers: Vec<Value<G>>,
        of: BitRows,
        wanted: &[usize],
    ) -> Result<Value<G>, RunError> {
        match self.addends(numbers, of, Overflow::Around)? {
            (a, Some(b)) => self.sum_of_two_around([&a, &b], of, wanted),
            (one, None) => self.groups(&one, wanted.into(), of.words),
        }
    }

    fn sum_of_two_around(
        &self,
        [a, b]: [&Value<G>; 2],
        of: BitRows,
        wanted: &[usize],
    ) -> Result<Value<G>, RunError> {
        let length = of.rows * of.words;
        let sum = self.add(a, b)?;
        let field = self.field().clone();
        let carried = self.form(length, 0x6561, &[a, b], move |_, given| {
            let mut products = given[0].to_vec();
            field.mul_assign(&mut products, given[1]);
            products
        })?;
        // What each group of rows carries on by itself, and whether it passes on what it is given.
        let mut rows = self.concat(&[&carried, &sum])?;
        for pairs in joins_in_blocks(of.rows, wanted) {
            rows = self.join(&rows, Joins { groups: of.rows, words: of.words, pairs, passing: true })?;
        }
        let entering = self.entering(&rows, of, wanted)?;
        self.summed([&sum, &rows, &entering], of, wanted)
    }

    /// The carries into the blocks, in a circle; those into blocks without wanted rows are not computed.
    fn entering(&self, rows: &Value<G>, of: BitRows, wanted: &[usize]) -> Result<Value<G>, RunError> {
        let blocks = of.rows.div_ceil(BLOCK);
        let ends = (1..=blocks).map(|block| (block * BLOCK).min(of.rows) - 1);
        let both: Arc<[usize]> = ends.clone().chain(ends.map(|end| of.rows + end)).collect();
        let mut around = self.groups(rows, both, of.words)?;
        let mut covered = 1;
        while covered < blocks {
            // Groups that overlap join to what they cover: what both contain carries, stops or passes in both.
            let next = blocks.min(2 * covered);
            let passing = next < blocks;
            let is_wanted = |block: usize| wanted.iter().any(|row| row / BLOCK == (block + 1) % blocks);
            let pairs = (0..blocks).filter(|block| passing || is_wanted(*block));
            let pairs = pairs.map(|block| (block, (block + blocks - (next - covered)) % blocks)).collect();
            around = self.join(&around, Joins { groups: blocks, words: of.words, pairs, passing })?;
            covered = next;
        }
        let before: Arc<[usize]> = (0..blocks).map(|block| (block + blocks - 1) % blocks).collect();
        self.groups(&around, before, of.words)
    }

    /// The wanted rows of the sum, from the sum without carries, the carries within blocks and those into blocks.
    fn summed(
        &self,
        [sum, rows, entering]: [&Value<G>; 3],
        of: BitRows,
        wanted: &[usize],
    ) -> Result<Value<G>, RunError> {
        let (words, field) = (of.words, self.field().clone());
        let wanted: Arc<[usize]> = wanted.into();
        let inner: Arc<[usize]> = wanted.iter().copied().filter(|row| row % BLOCK > 0).collect();
        let passed = self.form(inner.len() * words, hash_of(&inner), &[rows, entering], {
            let inner = inner.clone();
            move |_, given| {
                let mut passed = Vec::with_capacity(inner.len() * words);
                for row in inner.iter() {
                    let from = passed.len();
                    passed.extend_from_slice(group(given[0], of.rows + row - 1, words));
                    field.mul_assign(&mut passed[from..], group(given[1], row / BLOCK, words));
                }
                passed
            }
        })?;
        let field = self.field().clone();
        let (length, hash) = (wanted.len() * words, hash_of(&wanted));
        self.local(length, false, hash, &[sum, rows, entering, &passed], move |_, given| {
            let mut sums = Vec::with_capacity(length);
            let mut passed = given[3].chunks_exact(words);
            for row in wanted.iter() {
                let from = sums.len();
                sums.extend_from_slice(group(given[0], *row, words));
                let sum = &mut sums[from..];
                if row % BLOCK == 0 {
                    field.add_assign(sum, group(given[2], row / BLOCK, words));
                    continue;
                }
                field.add_assign(sum, group(given[1], row - 1, words));
                if let Some(passed) = passed.next() {
                    field.add_assign(sum, passed);
                }
            }
            sums
        })
    }

    /// Joins groups with those before them. The value holds first what each group carries on, then whether it passes a carry on.
    fn join(&self, state: &Value<G>, joins: Joins) -> Result<Value<G>, RunError> {
        let (halves, hash) = (if joins.passing { 2 } else { 1 }, hash_of_joins(&joins));
        let Joins { groups, words, pairs, .. } = joins;
        let (length, field) = (halves * pairs.len() * words, self.field().clone());
        let products = self.form(length, hash, &[state], {
            let pairs = pairs.clone();
            move |_, given| {
                let mut products = Vec::with_capacity(length);
                for half in 0..halves {
                    for (upper, lower) in pairs.iter() {
                        let from = products.len();
                        products.extend_from_slice(group(given[0], half * groups + lower, words));
                        field.mul_assign(&mut products[from..], group(given[0], groups + upper, words));
                    }
                }
                products
            }
        })?;
        let field = self.field().clone();
        self.local(2 * groups * words, false, hash, &[state, &products], move |_, given| {
            let mut joined = given[0].to_vec();
            let (carried, passed) = given[1].split_at(pairs.len() * words);
            for ((upper, _), carried) in pairs.iter().zip(carried.chunks_exact(words)) {
                field.add_assign(&mut joined[upper * words..][..words], carried);
            }
            for ((upper, _), passed) in pairs.iter().zip(passed.chunks_exact(words)) {
                joined[(groups + upper) * words..][..words].copy_from_slice(passed);
            }
            joined
        })
    }

    /// Some groups of elements, in this order.
    fn groups(&self, of: &Value<G>, wanted: Arc<[usize]>, words: usize) -> Result<Value<G>, RunError> {
        self.local(wanted.len() * words, false, hash_of(&wanted), &[of], move |_, given| {
            let mut groups = zeros(wanted.len() * words);
            for (to, from) in groups.chunks_exact_mut(words).zip(wanted.iter()) {
                to.copy_from_slice(group(given[0], *from, words));
            }
            groups
        })
    }
}

/// The elements of a group.
fn group<E>(of: &[E], number: usize, words: usize) -> &[E] {
    &of[number * words..][..words]
}

/// The joins of Sklansky's graph in each block that the ends of all blocks and the carries into wanted rows need, step by step.
fn joins_in_blocks(rows: usize, wanted: &[usize]) -> Vec<Arc<[Join]>> {
    let mut needed: Vec<_> = (1..=rows).map(|next| next % BLOCK == 0 || next == rows).collect();
    for row in wanted.iter().filter(|row| *row % BLOCK > 0) {
        needed[row - 1] = true;
    }
    let mut steps = Vec::new();
    let mut reach = BLOCK / 2;
    while reach > 0 {
        let joined: Arc<[Join]> = (0..rows)
            .filter(|row| row & reach > 0 && needed[*row])
            .map(|row| (row, row / reach * reach - 1))
            .collect();
        joined.iter().for_each(|(_, lower)| needed[*lower] = true);
        steps.push(joined);
        reach /= 2;
    }
    steps.reverse();
    steps.retain(|joined| !joined.is_empty());
    steps
}

fn hash_of(rows: &[usize]) -> u64 {
    rows.iter().fold(0x6561, |hash, row| mixed(hash, *row as u64))
}

fn hash_of_joins(joins: &Joins) -> u64 {
    let of_pairs = joins
        .pairs
        .iter()
        .fold(0x656a, |hash, (upper, lower)| mixed(mixed(hash, *upper as u64), *lower as u64));
    mixed(mixed(of_pairs, joins.groups as u64), joins.passing.into())
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{BitSliced, Field, Gf256};

    use super::*;
    use crate::runtime::simulation::{LARGER_SIZES, SIZES, computed, cost};

    /// Rows of the last bits of public numbers.
    fn rows<G: BinaryField>(task: &Task<G>, numbers: &[u64], rows: usize) -> Value<G> {
        let (field, words) = (task.field(), G::words(numbers.len()));
        let element = |row: usize, word: usize| {
            let bits = numbers.iter().skip(word * G::LANES).take(G::LANES).enumerate();
            let bits = bits.fold(0, |bits, (lane, number)| bits | (number >> row & 1) << lane);
            field.weighted(bits, field.one())
        };
        let elements: Vec<_> = (0..rows).flat_map(|row| (0..words).map(move |word| (row, word))).collect();
        let elements = elements.into_iter().map(|(row, word)| element(row, word)).collect();
        task.input(0, rows * words, (task.me() == 0).then_some(elements)).expect("an input")
    }

    /// Sums of `count` numbers of k bits, opened and compared with plain ones in wanted rows.
    fn adds<G: BinaryField>(field: &G, size: (usize, usize), (k, count): (usize, usize), wanted: &[usize]) {
        let order = (1u64 << k) - 1;
        let number = |lane: u64, of: u64| match lane {
            // Sums of zero, and of all ones in several ways.
            0 => 0,
            1 => order,
            2 => order * u64::from(of == 0),
            3 => [5 & order, order - (5 & order)].get(of as usize).copied().unwrap_or_default(),
            4 => u64::from(of < 2) << (k - 1),
            _ => {
                let mixed = lane.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ of.wrapping_mul(0x2545_f491_4f6c_dd1d);
                mixed.rotate_left(of as u32 * 7) & order
            }
        };
        let addends: Vec<Vec<_>> =
            (0..count as u64).map(|of| (0..64).map(|lane| number(lane, of)).collect()).collect();
        let words = G::words(64);
        let opened = computed(field, size, 3, |task| {
            let numbers = addends.iter().map(|numbers| rows(task, numbers, k)).collect();
            task.open(&task.sum_around(numbers, BitRows { rows: k, words }, wanted)?)
        });
        let sums = (0..64).map(|lane| addends.iter().map(|of| of[lane]).sum::<u64>());
        let bit = |at: usize, lane: usize| {
            field.opened(opened[at * words + lane / G::LANES]) >> (lane % G::LANES) & 1
        };
        for (lane, sum) in sums.enumerate() {
            let found = wanted.iter().enumerate().fold(0, |found, (at, row)| found | bit(at, lane) << row);
            let mask = wanted.iter().fold(0, |mask, row| mask | 1 << row);
            let equals = |number: u64| found == number & mask;
            let reduced = sum % order;
            assert!(
                equals(reduced) || reduced == 0 && equals(order),
                "{size:?}: {count} numbers of {k} bits in lane {lane}: {found:b} for {sum:b} in rows {wanted:?}"
            );
        }
    }

    #[test]
    fn sums_are_those_modulo_one_less_than_a_power() {
        for k in [2, 3, 7, 8, 9, 13, 16, 17, 24, 31, 61] {
            let all: Vec<_> = (0..k).collect();
            for count in [1, 2, 3, 5] {
                adds(&BitSliced::for_parties(3).expect("few"), (3, 1), (k, count), &all);
                let some: Vec<_> = [k - 1].into_iter().chain(0..k / 2).collect();
                adds(&BitSliced::for_parties(3).expect("few"), (3, 1), (k, count), &some);
            }
        }
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            adds(&BitSliced::for_parties(size.0).expect("few"), size, (61, 4), &[60, 0, 1, 2, 40]);
            adds(&Gf256, size, (19, 4), &[18, 0, 9]);
        }
    }

    #[test]
    fn sums_take_as_many_products_as_they_say() {
        let field = BitSliced::for_parties(3).expect("few");
        let some: Vec<_> = [60].into_iter().chain(0..33).collect();
        let all: Vec<_> = (0..61).collect();
        for (count, wanted, products) in [(2, &all, 61 + 271), (2, &some, 61 + 213), (3, &some, 2 * 61 + 213)]
        {
            let (rounds, bytes) = cost(&field, (3, 1), |task| {
                let numbers = (0..count).map(|of| rows(task, &[of; 64], 61)).collect();
                let sum = task.sum_around(numbers, BitRows { rows: 61, words: 1 }, wanted)?;
                task.open(&task.groups(&sum, [0].into(), 1)?)
            });
            // Inputs, products and an opened element, of as many bytes as an element has.
            let ends = (count as usize * 61 + 3) * field.bytes();
            assert_eq!(bytes, 3 * products * field.bytes() + ends, "{count} numbers, {} rows", wanted.len());
            assert_eq!(
                rounds,
                1 + 1 + 7 + usize::from(count == 3) + 1,
                "{count} numbers, {} rows",
                wanted.len()
            );
        }
    }
}
