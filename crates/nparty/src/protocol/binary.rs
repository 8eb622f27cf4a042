//! Bits in fields of characteristic 2, where an exclusive or is a sum: rows of bits, comparisons of rows with public numbers, and adders.

use tacit_math::field::{BitOctets, BitSliced, Field, Gf256, Octet, Slices};
use tacit_math::{Block, Wiped, transpose, zeros};
use zeroize::Zeroizing;

use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value, mixed};
use crate::prss::{Prss, Purpose};

/// A field of characteristic 2 whose elements hold bits, one or several side by side. Bits of many numbers are in rows: row i has bit i of all
/// numbers.
pub trait BinaryField: Field {
    /// Bits in an element.
    const LANES: usize;

    /// The element with these bits, the first in the least significant place, times `weight`. They are public, or part of
    /// a share.
    fn weighted(&self, bits: u64, weight: Self::Element) -> Self::Element;

    /// The bits of an opened element.
    fn opened(&self, element: Self::Element) -> u64;

    /// An element with `count` bits of another, from place `from` there to place `to` here; zeros elsewhere. Both ranges end within the element.
    fn places(&self, element: Self::Element, range: (usize, usize), count: usize) -> Self::Element;

    /// Fills elements with the bits from a place of the first element on, which is not 0; `from` has one element more than `to`.
    fn shifted(&self, from: &[Self::Element], place: usize, to: &mut [Self::Element]) {
        let rest = Self::LANES - place;
        for (pair, to) in from.windows(2).zip(to) {
            *to = self.add(self.places(pair[0], (place, 0), rest), self.places(pair[1], (0, rest), place));
        }
    }

    /// The first `lanes` bits of slots, or of their complements, side by side: as many slots to an element as it holds, a multiple of `lanes`. `flips` has a
    /// bit for each slot at this place, which says whether it is complemented.
    fn packed(
        &self,
        values: &[Self::Element],
        (slots, flips, place): (&[u32], &[u8], u32),
        lanes: usize,
    ) -> Vec<Self::Element> {
        let masks = [Self::Element::default(), self.one()];
        let element = |(slots, flips): (&[u32], &[u8])| {
            let shares = slots
                .iter()
                .zip(flips)
                .map(|(slot, flip)| self.add(values[*slot as usize], masks[usize::from(flip >> place & 1)]));
            let moved =
                shares.zip((0..).step_by(lanes)).map(|(share, at)| self.places(share, (0, at), lanes));
            moved.fold(Self::Element::default(), |sum, bits| self.add(sum, bits))
        };
        let together = Self::LANES / lanes;
        slots.chunks(together).zip(flips.chunks(together)).map(element).collect()
    }

    /// Puts `lanes` bits for each slot into the slot, from elements that have them side by side.
    fn unpacked(&self, packed: &[Self::Element], slots: &[u32], lanes: usize, values: &mut [Self::Element]) {
        for (slots, element) in slots.chunks(Self::LANES / lanes).zip(packed) {
            for (slot, at) in slots.iter().zip((0..).step_by(lanes)) {
                values[*slot as usize] = self.places(*element, (at, 0), lanes);
            }
        }
    }

    /// Adds bits, 64 to a word, as elements times a weight to `to`.
    fn add_bits(&self, words: &[u64], weight: Self::Element, to: &mut [Self::Element]) {
        for (i, to) in to.iter_mut().enumerate() {
            let at = i * Self::LANES;
            let bits = words[at / 64] >> (at % 64);
            *to = self.add(*to, self.weighted(bits, weight));
        }
    }

    /// The number of elements that hold this many bits.
    fn words(lanes: usize) -> usize {
        lanes.div_ceil(Self::LANES)
    }
}

impl BinaryField for BitSliced {
    const LANES: usize = 64;

    fn weighted(&self, bits: u64, weight: Slices) -> Slices {
        self.mul(self.bits(bits), weight)
    }

    fn opened(&self, element: Slices) -> u64 {
        element.0[0]
    }

    fn places(&self, element: Slices, (from, to): (usize, usize), count: usize) -> Slices {
        Slices(element.0.map(|word| (word >> from & (u64::MAX >> (64 - count))) << to))
    }
}

impl BinaryField for BitOctets {
    const LANES: usize = BitOctets::LANES;

    fn weighted(&self, bits: u64, weight: Octet) -> Octet {
        self.mul(self.bits(bits as u8), weight)
    }

    fn opened(&self, element: Octet) -> u64 {
        self.ground(element).into()
    }

    fn places(&self, element: Octet, range: (usize, usize), count: usize) -> Octet {
        self.lanes(element, range, count)
    }

    fn shifted(&self, from: &[Octet], place: usize, to: &mut [Octet]) {
        BitOctets::shifted(*self, from, place, to);
    }

    fn packed(&self, values: &[Octet], slots: (&[u32], &[u8], u32), lanes: usize) -> Vec<Octet> {
        BitOctets::packed(*self, values, slots, lanes)
    }

    fn unpacked(&self, packed: &[Octet], slots: &[u32], lanes: usize, values: &mut [Octet]) {
        BitOctets::unpacked(*self, packed, slots, lanes, values);
    }
}

impl BinaryField for Gf256 {
    const LANES: usize = 1;

    fn weighted(&self, bits: u64, weight: u8) -> u8 {
        // A mask instead of a branch.
        ((bits & 1) as u8).wrapping_neg() & weight
    }

    fn add_bits(&self, words: &[u64], weight: u8, to: &mut [u8]) {
        Gf256::add_bits(self, to, words, weight);
    }

    fn opened(&self, element: u8) -> u64 {
        u64::from(element & 1)
    }

    fn places(&self, element: u8, _: (usize, usize), _: usize) -> u8 {
        element
    }
}

/// Adds the bits of numbers in rows, times a weight, to elements.
pub(super) fn add_rows<G: BinaryField>(
    field: &G,
    numbers: &[u128],
    weight: G::Element,
    (to, of): (&mut [G::Element], BitRows),
) {
    let stride = numbers.len().div_ceil(64).max(1);
    let rows = rows_of(numbers, of.rows, stride);
    for (row, to) in rows.chunks(stride).zip(to.chunks_mut(of.words)) {
        field.add_bits(row, weight, to);
    }
}

/// This party's shares of rows of the last bits of a set's numbers that are the same in all fields, from a position on.
pub(super) fn set_rows<G: BinaryField>(
    prss: &Prss<G>,
    set: Parties,
    (first, bits, lanes): (u64, usize, usize),
    of: BitRows,
) -> Vec<G::Element> {
    let mut shares = zeros(of.rows * of.words);
    prss.each_number((Purpose::JOINT, bits as u32), (first, lanes), Some(set), |weight, numbers| {
        add_rows(prss.scheme().field(), numbers, weight, (&mut shares, of));
    });
    shares
}

/// The rows of some numbers, 64 to a word and `words` words to a row.
pub(super) fn rows_of(numbers: &[u128], rows: usize, words: usize) -> Zeroizing<Vec<u64>> {
    let padded = (64 * words).next_multiple_of(128);
    let mut columns = Wiped::blocks(padded);
    for (column, number) in columns.iter_mut().zip(numbers) {
        *column = Block(*number);
    }
    let mut transposed = Wiped::blocks(padded);
    transpose::to_rows(&columns, &mut transposed);
    let row = |row: usize| {
        // Numbers have no bits beyond 128.
        let blocks = transposed.get(row * (padded / 128)..).unwrap_or_default();
        let block = |word: usize| blocks.get(word / 2).map_or(0, |block| block.0);
        (0..words).map(move |word| (block(word) >> (word % 2 * 64)) as u64)
    };
    Zeroizing::new((0..rows).flat_map(row).collect())
}

/// The canonical numbers of elements below 2^128.
pub(super) fn numbers_of<F: Field>(field: &F, elements: &[F::Element]) -> Vec<u128> {
    let mut bytes = vec![0; field.bytes()];
    let number = |element: &F::Element| {
        field.encode(*element, &mut bytes);
        bytes.iter().rev().fold(0, |number, byte| number << 8 | u128::from(*byte))
    };
    elements.iter().map(number).collect()
}

/// The sizes of rows: how many, and elements in each.
#[derive(Clone, Copy)]
pub(super) struct BitRows {
    pub(super) rows: usize,
    pub(super) words: usize,
}

/// What becomes of a carry out of the last row of a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Overflow {
    /// There is none, or it is not needed.
    Dropped,
    /// It is added to the first row: the sum is one modulo 2^rows - 1.
    Around,
}

impl<G: BinaryField> Task<G> {
    /// For each contributor, rows of the last bits of numbers that are the same in all fields.
    pub(super) fn joint_rows(
        &self,
        (first, hash): (u64, u64),
        (bits, lanes): (usize, usize),
        of: BitRows,
    ) -> Result<Vec<Value<G>>, RunError> {
        self.contributions(first, (of.rows * of.words, hash), move |prss, set| {
            set_rows(prss, set, (first, bits, lanes), of)
        })
    }

    /// The products of neighbouring rows, two by two, for [`Task::below_rows`].
    pub(super) fn neighbours(
        &self,
        bits: &Value<G>,
        BitRows { rows, words }: BitRows,
    ) -> Result<Value<G>, RunError> {
        let field = self.field().clone();
        self.form(rows / 2 * words, mixed(0x6270, rows as u64), &[bits], move |_, given| {
            let mut products = Vec::with_capacity(rows / 2 * words);
            for pair in given[0].chunks_exact(2 * words).take(rows / 2) {
                let (low, high) = pair.split_at(words);
                let from = products.len();
                products.extend_from_slice(low);
                field.mul_assign(&mut products[from..], high);
            }
            products
        })
    }

    /// Whether public numbers are below shared ones, both in rows of bits; `pairs` are the [`Task::neighbours`] of these.
    ///
    /// Each row yields whether the bits are equal, and whether the public one is less. Two neighbouring rows yield the same about both, and so on up a tree, whose
    /// first level only needs the pairs.
    pub(super) fn below_rows(
        &self,
        public: &Value<G>,
        (bits, pairs): (&Value<G>, &Value<G>),
        BitRows { rows, words }: BitRows,
    ) -> Result<Value<G>, RunError> {
        let (field, height) = (self.field().clone(), rows.div_ceil(2));
        let hash = mixed(mixed(0x6262, rows as u64), words as u64);
        let state =
            self.local(2 * height * words, false, hash, &[public, bits, pairs], move |_, given| {
                leaves(&field, given, BitRows { rows, words })
            })?;
        self.joined_below(state, BitRows { rows: height, words })
    }

    /// The sums of shared numbers in rows. The numbers and their sum are below 2^`rows`.
    ///
    /// Three numbers are reduced to two without carry propagation; at last, two are added with all carries
    /// computed in parallel.
    ///
    /// Source: carry-save addition (Wallace, 1964), and the prefix graph of Sklansky (1960).
    /// Cost: `rows` products for each number beyond two, then rows · (log rows + 1) at most, in as many rounds as log rows + 1 and levels of carry-save addition.
    pub(super) fn sum_rows(&self, numbers: Vec<Value<G>>, rows: BitRows) -> Result<Value<G>, RunError> {
        match self.addends(numbers, rows, Overflow::Dropped)? {
            (a, Some(b)) => self.sum_of_two(&a, &b, rows),
            (one, None) => Ok(one),
        }
    }

    /// At most two numbers with the same sum: of three, two are made without carry propagation.
    pub(super) fn addends(
        &self,
        mut numbers: Vec<Value<G>>,
        rows: BitRows,
        overflow: Overflow,
    ) -> Result<(Value<G>, Option<Value<G>>), RunError> {
        while numbers.len() > 2 {
            let mut fewer = Vec::new();
            let mut rest = numbers.into_iter();
            while let Some(a) = rest.next() {
                match (rest.next(), rest.next()) {
                    (Some(b), Some(c)) => fewer.extend(self.three_to_two([&a, &b, &c], rows, overflow)?),
                    (b, _) => {
                        fewer.push(a);
                        fewer.extend(b);
                    }
                }
            }
            numbers = fewer;
        }
        let mut numbers = numbers.into_iter();
        Ok((numbers.next().ok_or(RunError::Over)?, numbers.next()))
    }

    /// Two numbers with the same sum as three.
    fn three_to_two(
        &self,
        [a, b, c]: [&Value<G>; 3],
        BitRows { rows, words }: BitRows,
        overflow: Overflow,
    ) -> Result<[Value<G>; 2], RunError> {
        let length = rows * words;
        let field = self.field().clone();
        let products = self.form(length, 0x6263, &[a, b, c], move |_, given| {
            let mut first = given[0].to_vec();
            field.add_assign(&mut first, given[2]);
            let mut second = given[1].to_vec();
            field.add_assign(&mut second, given[2]);
            field.mul_assign(&mut first, &second);
            first
        })?;
        let sum = self.add(&self.add(a, b)?, c)?;
        let field = self.field().clone();
        let hash = mixed(0x6264, overflow as u64);
        let carry = self.local(length, false, hash, &[&products, c], move |_, given| {
            let mut carry = zeros(length);
            let (first, others) = carry.split_at_mut(words);
            let (carries, last) = given[0].split_at(length - words);
            let (added, last_added) = given[1].split_at(length - words);
            others.copy_from_slice(carries);
            field.add_assign(others, added);
            if overflow == Overflow::Around {
                first.copy_from_slice(last);
                field.add_assign(first, last_added);
            }
            carry
        })?;
        Ok([sum, carry])
    }

    fn sum_of_two(
        &self,
        a: &Value<G>,
        b: &Value<G>,
        BitRows { rows, words }: BitRows,
    ) -> Result<Value<G>, RunError> {
        let (length, field) = (rows * words, self.field().clone());
        let sum = self.add(a, b)?;
        let mut carried = self.form(length, 0x6265, &[a, b], move |_, given| {
            let mut products = given[0].to_vec();
            field.mul_assign(&mut products, given[1]);
            products
        })?;
        let mut passed = self.add(a, b)?;
        let mut reach = 1;
        while reach < rows {
            let step = PrefixStep { rows, words, reach };
            let (count, hash) = (step.count(), mixed(0x6266, reach as u64));
            let field = self.field().clone();
            let products =
                self.form(count, hash, &[&carried, &passed], move |_, given| step.products(&field, given))?;
            let field = self.field().clone();
            carried = self.local(length, false, hash, &[&carried, &products], move |_, given| {
                let mut carried = given[0].to_vec();
                for (place, (row, _)) in step.upper().enumerate() {
                    field.add_assign(
                        &mut carried[row * words..][..words],
                        &given[1][place * words..][..words],
                    );
                }
                carried
            })?;
            passed = self.local(length, false, hash, &[&passed, &products], move |_, given| {
                let mut passed = given[0].to_vec();
                let products = given[1][step.upper().count() * words..].chunks(words);
                for ((row, _), products) in step.passing().zip(products) {
                    passed[row * words..][..words].copy_from_slice(products);
                }
                passed
            })?;
            reach *= 2;
        }
        let field = self.field().clone();
        self.local(length, false, 0x6267, &[&sum, &carried], move |_, given| {
            let mut sum = given[0].to_vec();
            field.add_assign(&mut sum[words..], &given[1][..length - words]);
            sum
        })
    }
}

/// The first level of the tree of [`Task::below_rows`], from rows of public bits, rows of shared bits, and the products of neighbouring shared
/// rows.
fn leaves<G: BinaryField>(
    field: &G,
    given: &[&[G::Element]],
    BitRows { rows, words }: BitRows,
) -> Vec<G::Element> {
    let (public, bits, pairs) = (given[0], given[1], given[2]);
    let (height, one) = (rows.div_ceil(2), field.one());
    let mut state = zeros(2 * height * words);
    let (below, equal) = state.split_at_mut(height * words);
    // One factor of each product is a public bit.
    let times = |public: G::Element, share: G::Element| field.weighted(field.opened(public), share);
    for pair in 0..height {
        let (low, r) = (&public[2 * pair * words..][..words], &bits[2 * pair * words..][..words]);
        let (below, equal) = (&mut below[pair * words..][..words], &mut equal[pair * words..][..words]);
        if 2 * pair + 1 == rows {
            for i in 0..words {
                let c = field.sub(one, low[i]);
                (below[i], equal[i]) = (times(c, r[i]), field.add(c, r[i]));
            }
            continue;
        }
        let upper = (2 * pair + 1) * words;
        let (high, s, products) =
            (&public[upper..][..words], &bits[upper..][..words], &pairs[pair * words..][..words]);
        for i in 0..words {
            let (c, d) = (field.sub(one, low[i]), field.sub(one, high[i]));
            // (d + s) · (c · r), and (d + s) · (c + r), of which s · r is known.
            let with_low = times(c, field.add(times(d, r[i]), products[i]));
            below[i] = field.add(times(d, s[i]), with_low);
            let sums = field.add(times(d, field.add(c, r[i])), times(c, s[i]));
            equal[i] = field.add(sums, products[i]);
        }
    }
    state
}

/// A level of Sklansky's graph: blocks of `reach` rows are joined with those before them.
#[derive(Clone, Copy)]
struct PrefixStep {
    rows: usize,
    words: usize,
    reach: usize,
}

impl PrefixStep {
    /// The rows that are joined, and the one that each is joined with.
    fn upper(self) -> impl Iterator<Item = (usize, usize)> {
        (0..self.rows)
            .filter(move |row| row & self.reach != 0)
            .map(move |row| (row, row / self.reach * self.reach - 1))
    }

    /// The rows among them whose carries may still propagate.
    fn passing(self) -> impl Iterator<Item = (usize, usize)> {
        self.upper().filter(move |(row, _)| *row >= 2 * self.reach)
    }

    fn count(self) -> usize {
        (self.upper().count() + self.passing().count()) * self.words
    }

    /// The products of what rows generate and propagate.
    fn products<G: BinaryField>(self, field: &G, given: &[&[G::Element]]) -> Vec<G::Element> {
        let (carried, passed) = (given[0], given[1]);
        let row = |of: &[G::Element], row: usize| of[row * self.words..][..self.words].to_vec();
        let mut products = Vec::with_capacity(self.count());
        for (of, rows) in [(carried, self.upper().collect::<Vec<_>>()), (passed, self.passing().collect())] {
            for (upper, lower) in rows {
                let mut product = row(of, lower);
                field.mul_assign(&mut product, &row(passed, upper));
                products.append(&mut product);
            }
        }
        products
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::{BitSliced, Gf256};

    use super::*;
    use crate::runtime::simulation::{LARGER_SIZES, SIZES, computed};

    /// Rows of public numbers.
    fn rows<G: BinaryField>(task: &Task<G>, numbers: &[u128], rows: usize) -> Value<G> {
        let words = G::words(numbers.len());
        let bits = rows_of(numbers, rows, numbers.len().div_ceil(64));
        let one = task.field().one();
        let element = |row: usize, word: usize| {
            let at = word * G::LANES;
            task.field().weighted(bits[row * numbers.len().div_ceil(64) + at / 64] >> (at % 64), one)
        };
        let elements = (0..rows).flat_map(|row| (0..words).map(move |word| (row, word)));
        let elements: Vec<_> = elements.map(|(row, word)| element(row, word)).collect();
        let given = (task.me() == 0).then_some(elements);
        task.input(0, rows * words, given).expect("an input")
    }

    /// The first bits of opened elements.
    fn bits<G: BinaryField>(field: &G, elements: &[G::Element], count: usize) -> Vec<bool> {
        (0..count).map(|i| field.opened(elements[i / G::LANES]) >> (i % G::LANES) & 1 == 1).collect()
    }

    fn adds_and_compares<G: BinaryField>(field: &G, size: (usize, usize)) {
        let pairs: Vec<_> = (0..8u128).flat_map(|a| (0..8u128).map(move |b| (a, b))).collect();
        let (a, b): (Vec<_>, Vec<_>) = pairs.iter().copied().unzip();
        let c: Vec<_> = (0..64).map(|i| i * 11 % 8).collect();
        let words = G::words(64);
        let result = computed(field, size, 3, |task| {
            let [x, y, z] = [&a, &b, &c].map(|numbers| rows(task, numbers, 5));
            let sum = task.sum_rows(vec![x, y, z], BitRows { rows: 5, words })?;
            let (shared, public) = (rows(task, &a, 3), task.open(&rows(task, &b, 3))?);
            let of = BitRows { rows: 3, words };
            let below = task.below_rows(&public, (&shared, &task.neighbours(&shared, of)?), of)?;
            let same = task.add(&task.add(&public, &shared)?, &task.constant(vec![task.field().one()])?)?;
            task.open(&task.concat(&[&sum, &below, &task.all_rows(same, of)?])?)
        });
        for row in 0..5 {
            let expected: Vec<_> = (0..64).map(|i| (a[i] + b[i] + c[i]) >> row & 1 == 1).collect();
            assert_eq!(bits(field, &result[row * words..], 64), expected, "{size:?} row {row} of the sum");
        }
        let below: Vec<_> = pairs.iter().map(|(a, b)| b < a).collect();
        assert_eq!(bits(field, &result[5 * words..], 64), below, "{size:?}");
        let same: Vec<_> = pairs.iter().map(|(a, b)| b == a).collect();
        assert_eq!(bits(field, &result[6 * words..], 64), same, "{size:?}");
    }

    #[test]
    fn all_small_numbers_add_and_compare() {
        for size in SIZES.into_iter().chain(LARGER_SIZES) {
            adds_and_compares(&BitSliced::for_parties(size.0).expect("few parties"), size);
            adds_and_compares(&Gf256, size);
        }
    }
}
