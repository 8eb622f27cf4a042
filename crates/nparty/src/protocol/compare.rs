//! Comparisons of numbers between -p/2 and p/2, by masks whose bits are shared.

use tacit_math::field::Field;
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::pool::FieldMask;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::BitRows;

/// Number of lanes that are compared together.
pub(crate) const LANES: usize = 1 << 11;

/// A bit of an element's canonical number; `bytes` is as long as an encoded element.
pub(super) fn bit<F: Field>(field: &F, element: F::Element, number: usize, bytes: &mut [u8]) -> bool {
    field.encode(element, bytes);
    bytes.get(number / 8).is_some_and(|byte| byte >> (number % 8) & 1 == 1)
}

impl<F: Field> Task<F> {
    /// Bits of masks that cover the field: for a prime so near to a power of two that a number of uniform bits
    /// is almost uniform in the field.
    pub(super) fn mask_rows(&self) -> Result<usize, RunError> {
        let order = self.field().order();
        let top = order.last().copied().unwrap_or(0);
        let rows = 64 * order.len() - top.leading_zeros() as usize;
        // The next power of two is near if the upper bits are ones.
        let ones = (0..rows).rev().take_while(|bit| order[bit / 64] >> (bit % 64) & 1 == 1).count();
        let needed = self.statistical_bits();
        match ones >= needed {
            true => Ok(rows),
            false => Err(UsageError::NotNearPower { security: needed }.into()),
        }
    }

    /// Masks of this many bits; prepared ones are used first.
    pub(super) fn mask(&self, rows: usize, lanes: usize) -> Result<FieldMask<F>, RunError> {
        match self.pooled_mask(rows, lanes)? {
            Some(mask) => Ok(mask),
            None => self.new_mask(rows, lanes),
        }
    }

    pub(super) fn new_mask(&self, rows: usize, lanes: usize) -> Result<FieldMask<F>, RunError> {
        let bits = self.random_bits(rows * lanes)?;
        let field = self.field().clone();
        let number = self.local(lanes, false, mixed(0x6e, rows as u64), &[&bits], move |_, given| {
            let mut number = zeros(lanes);
            for row in given[0].chunks(lanes).rev() {
                for (number, bit) in number.iter_mut().zip(row) {
                    *number = field.add(field.add(*number, *number), *bit);
                }
            }
            number
        })?;
        let pairs = self.factors(rows / 2 * lanes, mixed(0x70, rows as u64), &[&bits], move |given| {
            let pairs = || given[0].chunks_exact(2 * lanes);
            let low = pairs().flat_map(|pair| &pair[..lanes]).copied().collect();
            [low, pairs().flat_map(|pair| &pair[lanes..]).copied().collect()]
        })?;
        Ok(FieldMask { number, bits, pairs, rows, lanes })
    }

    /// Whether a public number modulo 2^rows is below the mask modulo 2^rows.
    ///
    /// A row of the mask and a bit of the number yield whether they are equal, and whether the number's is less. Two neighbouring rows yield
    /// the same about both, and so on up a tree. In its first level the number is public, so products of the mask's own bits suffice.
    pub(super) fn below(
        &self,
        number: &Value<F>,
        mask: &FieldMask<F>,
        rows: usize,
    ) -> Result<Value<F>, RunError> {
        let (lanes, field) = (mask.lanes, self.field().clone());
        let height = rows.div_ceil(2);
        let hash = mixed(mixed(0x62, rows as u64), lanes as u64);
        let first = move |_: &_, given: &[&[F::Element]]| leaves(&field, given, rows, lanes);
        let inputs = [number, &mask.bits, &mask.pairs];
        // Rows of “below”, then rows of “equal”.
        let state = self.local(2 * height * lanes, false, hash, &inputs, first)?;
        self.joined_below(state, BitRows { rows: height, words: lanes })
    }

    /// Joins rows of “below”, followed by rows of “equal”, to one row of “below”.
    pub(super) fn joined_below(
        &self,
        mut state: Value<F>,
        BitRows { rows: mut height, words: lanes }: BitRows,
    ) -> Result<Value<F>, RunError> {
        while height > 1 {
            let pairs = height / 2;
            let last = height == 2;
            let products = if last { pairs * lanes } else { 2 * pairs * lanes };
            let hash = mixed(mixed(0x74, height as u64), lanes as u64);
            let joined = self.factors(products, hash, &[&state], move |given| {
                let (below, equal) = given[0].split_at(height * lanes);
                let (mut upper, mut lower) = (Vec::with_capacity(products), Vec::with_capacity(products));
                for of in [below, equal].into_iter().take(if last { 1 } else { 2 }) {
                    for pair in 0..pairs {
                        upper.extend_from_slice(&equal[(2 * pair + 1) * lanes..][..lanes]);
                        lower.extend_from_slice(&of[2 * pair * lanes..][..lanes]);
                    }
                }
                [upper, lower]
            })?;
            let (above, field) = (height.div_ceil(2), self.field().clone());
            state = self.local(2 * above * lanes, false, hash, &[&state, &joined], move |_, given| {
                let (below, equal) = given[0].split_at(height * lanes);
                let mut next = zeros(2 * above * lanes);
                for pair in 0..pairs {
                    let high = &below[(2 * pair + 1) * lanes..][..lanes];
                    next[pair * lanes..][..lanes].copy_from_slice(high);
                }
                field.add_assign(&mut next[..pairs * lanes], &given[1][..pairs * lanes]);
                if !last {
                    next[above * lanes..][..pairs * lanes].copy_from_slice(&given[1][pairs * lanes..]);
                }
                if above > pairs {
                    next[pairs * lanes..][..lanes].copy_from_slice(&below[2 * pairs * lanes..]);
                    next[(above + pairs) * lanes..].copy_from_slice(&equal[2 * pairs * lanes..]);
                }
                next
            })?;
            height = above;
        }
        self.local(lanes, false, 0x6c, &[&state], move |_, given| given[0][..lanes].to_vec())
    }

    /// Applies `f` to a value in chunks of lanes.
    pub(super) fn by_lanes(
        &self,
        a: &Value<F>,
        f: impl Fn(&Value<F>) -> Result<Value<F>, RunError>,
    ) -> Result<Value<F>, RunError> {
        if a.len() <= LANES {
            return f(a);
        }
        let chunk = |first: usize| {
            let count = LANES.min(a.len() - first);
            let lanes =
                self.local(count, a.is_public(), mixed(0x6b, first as u64), &[a], move |_, given| {
                    given[0][first..][..count].to_vec()
                })?;
            f(&lanes)
        };
        let chunks: Vec<_> = (0..a.len()).step_by(LANES).map(chunk).collect::<Result<_, _>>()?;
        self.concat(&chunks.iter().collect::<Vec<_>>())
    }

    /// 1 where the number, between -p/2 and p/2, is negative, and 0 elsewhere.
    ///
    /// Twice a negative number wraps around the odd modulus and is odd. The last bit of the double follows from the last bit of the opened
    /// double plus a mask, the mask's last bit, and whether the sum wrapped around.
    ///
    /// Source: Nishide and Ohta (PKC 2007), section 3, with the comparison of a public number with shared bits by a tree.
    /// Security: statistical, [`Task::statistical_bits`]: the mask is uniform except where it exceeds the modulus. The number may be any.
    /// Cost: for 16 numbers or more, among at most 15 parties, as [`Task::is_negative_by_bits`]; else as
    /// [`Task::is_negative_by_tree`].
    ///
    /// Errors: the modulus is not just below a power of two, or the computation has ended.
    pub fn is_negative(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        let rows = self.mask_rows()?;
        self.by_lanes(a, |a| self.last_bit(&self.add(a, a)?, rows))
    }

    /// The last bit of numbers from 0 to p - 1.
    ///
    /// Cost and errors: as [`Task::is_negative`].
    pub fn parity(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        let rows = self.mask_rows()?;
        self.by_lanes(a, |a| self.last_bit(a, rows))
    }

    fn last_bit(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        if self.by_bits(rows, a.len()) || self.has_bit_mask(rows, a.len()) {
            return self.last_bit_by_bits(a, rows);
        }
        match self.by_bytes(rows, a.len()) {
            true => self.last_bit_in_bytes(a, rows),
            false => self.last_bit_by_tree(a, rows),
        }
    }

    /// As [`Task::is_negative`], always with all bits in the field, even where another way is cheaper.
    ///
    /// Cost: with a modulus of 61 bits, 61 random bits and about 120 products for each number; 7 rounds after the
    /// mask's.
    ///
    /// Errors: as [`Task::is_negative`].
    pub fn is_negative_by_tree(&self, a: &Value<F>) -> Result<Value<F>, RunError> {
        let rows = self.mask_rows()?;
        self.by_lanes(a, |a| self.last_bit_by_tree(&self.add(a, a)?, rows))
    }

    fn last_bit_by_tree(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        let (lanes, mask) = (a.len(), self.mask(rows, a.len())?);
        let masked = self.open(&self.add(a, &mask.number)?)?;
        let wrapped = self.below(&masked, &mask, mask.rows)?;
        let last =
            self.local(lanes, false, 0x30, &[&mask.bits], move |_, given| given[0][..lanes].to_vec())?;
        let odd = self.xor(&last, &wrapped)?;
        let field = self.field().clone();
        self.local(lanes, false, 0x31, &[&masked, &odd], move |_, given| {
            let mut bytes = vec![0; field.bytes()];
            let flipped =
                |(masked, odd): (&F::Element, &F::Element)| match bit(&field, *masked, 0, &mut bytes) {
                    true => field.sub(field.one(), *odd),
                    false => *odd,
                };
            given[0].iter().zip(given[1]).map(flipped).collect()
        })
    }

    /// 1 where `a < b`, for numbers whose difference is between -p/2 and p/2.
    ///
    /// Cost and errors: as [`Task::is_negative`]; the lengths do not fit.
    pub fn less(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        self.is_negative(&self.sub(a, b)?)
    }

    /// 1 where `a = b`.
    ///
    /// The difference is zero exactly if the difference plus a mask, which is opened, has the same bits as the
    /// mask.
    ///
    /// Security: as [`Task::is_negative`].
    /// Cost: for fewer than 16 numbers, with a modulus of 61 bits, 61 random bits and 60 products for each; 6 rounds after the mask's. For more
    /// as [`Task::is_negative_by_bits`].
    ///
    /// Errors: as [`Task::less`].
    pub fn equal(&self, a: &Value<F>, b: &Value<F>) -> Result<Value<F>, RunError> {
        let rows = self.mask_rows()?;
        self.by_lanes(&self.sub(a, b)?, |difference| self.is_zero(difference, rows))
    }

    fn is_zero(&self, a: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        if self.by_bits(rows, a.len()) || self.has_bit_mask(rows, a.len()) {
            return self.is_zero_by_bits(a, rows);
        }
        if self.by_bytes(rows, a.len()) {
            return self.is_zero_in_bytes(a, rows);
        }
        let mask = self.mask(rows, a.len())?;
        let masked = self.open(&self.add(a, &mask.number)?)?;
        self.same(&masked, &mask)
    }

    /// 1 where the bits of a public number equal those of a mask.
    pub(super) fn same(&self, number: &Value<F>, mask: &FieldMask<F>) -> Result<Value<F>, RunError> {
        let (rows, lanes, field) = (mask.rows, mask.lanes, self.field().clone());
        let same = self.local(rows * lanes, false, mixed(0x7a, rows as u64), &[number, &mask.bits], {
            move |_, given| {
                let mut bytes = vec![0; field.bytes()];
                let mut same = given[1].to_vec();
                for (number, row) in same.chunks_mut(lanes).enumerate() {
                    for (same, masked) in row.iter_mut().zip(given[0]) {
                        if !bit(&field, *masked, number, &mut bytes) {
                            *same = field.sub(field.one(), *same);
                        }
                    }
                }
                same
            }
        })?;
        self.all_rows(same, BitRows { rows, words: lanes })
    }

    /// 1 where all rows are 1.
    pub(super) fn all_rows(
        &self,
        rows: Value<F>,
        BitRows { rows: mut height, words }: BitRows,
    ) -> Result<Value<F>, RunError> {
        let mut all = rows;
        while height > 1 {
            let pairs = height / 2;
            let hash = mixed(mixed(0x6261, height as u64), words as u64);
            let joined = self.factors(pairs * words, hash, &[&all], move |given| {
                let (low, high) = given[0][..2 * pairs * words].split_at(pairs * words);
                [low.to_vec(), high.to_vec()]
            })?;
            let rest = height % 2 * words;
            all = self.local(joined.len() + rest, false, hash, &[&all, &joined], move |_, given| {
                [given[1], &given[0][2 * pairs * words..]].concat()
            })?;
            height = height.div_ceil(2);
        }
        Ok(all)
    }
}

/// The first level of the tree of [`Task::below`]: from the public number, the mask's bits and the products of its neighbouring rows.
fn leaves<F: Field>(field: &F, given: &[&[F::Element]], rows: usize, lanes: usize) -> Vec<F::Element> {
    let (numbers, bits, products) = (given[0], given[1], given[2]);
    let height = rows.div_ceil(2);
    let mut state = zeros(2 * height * lanes);
    let (below, equal) = state.split_at_mut(height * lanes);
    let one = field.one();
    let mut bytes = vec![0; field.bytes()];
    for (lane, number) in numbers.iter().enumerate() {
        field.encode(*number, &mut bytes);
        let public = |row: usize| bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1);
        for pair in 0..height {
            let at = pair * lanes + lane;
            let low = bits[2 * pair * lanes + lane];
            let (below_low, equal_low) =
                if public(2 * pair) { (F::Element::default(), low) } else { (low, field.sub(one, low)) };
            if 2 * pair + 1 == rows {
                (below[at], equal[at]) = (below_low, equal_low);
                continue;
            }
            let (high, product) = (bits[(2 * pair + 1) * lanes + lane], products[at]);
            let (below_high, equal_high, equal_high_low) = match public(2 * pair + 1) {
                true => (F::Element::default(), high, product),
                false => (high, field.sub(one, high), field.sub(low, product)),
            };
            (below[at], equal[at]) = match public(2 * pair) {
                true => (below_high, equal_high_low),
                false => (field.add(below_high, equal_high_low), field.sub(equal_high, equal_high_low)),
            };
        }
    }
    state
}
