//! Toft's comparisons, a baseline for measurements.

use tacit_math::field::{Field, Gf256};
use tacit_math::zeros;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::BitRows;
use crate::protocol::bits::power_of_two;
use crate::protocol::compare::bit;

/// The maximum bits that are compared by rows.
pub(crate) const MAX_BITS: usize = 120;

impl<F: Field> Task<F> {
    /// 1 where `a >= b`, for numbers from 0 to 2^`bits` - 1.
    ///
    /// The masked difference of the numbers is opened, and its low bits are compared with those of the mask. A product over the rows, opened under a mask, is
    /// zero or not, depending on whether a random sign matches the sign of the difference where the bits first differ.
    ///
    /// Source: `greater_thanII` of VIFF: Toft's thesis (Aarhus 2007), as Damgård, Geisler and Krøigaard (ACISP 2007) compare bits.
    /// Security: as [`Task::remainder`].
    /// Cost: `bits` + 1 random bits and `bits` + 2 products; two openings, and the logarithm of `bits` in rounds of products.
    ///
    /// Errors: the field has no room for a mask of such numbers, the lengths do not fit, or the computation has ended.
    pub fn greater_than_equal_toft(
        &self,
        a: &Value<F>,
        b: &Value<F>,
        bits: usize,
    ) -> Result<Value<F>, RunError> {
        if !self.has_room(bits + 1) || bits == 0 || !self.is_large() {
            return Err(UsageError::Comparison { bits, security: self.statistical_bits() }.into());
        }
        let step = power_of_two(self.field(), bits);
        let z = self.shift(&self.sub(a, b)?, step)?;
        self.by_lanes(&z, |z| {
            let masked = self.masked(z, bits + 1, bits)?;
            let (from, mask) = (&masked.from[0], &masked.mask);
            let below = self.below_by_sign(from, &mask.bits, bits)?;
            let low = self.add(&self.sub(from, &mask.number)?, &self.scale(&below, step)?)?;
            self.scale(&self.sub(z, &low)?, self.field().inverse(step))
        })
    }

    /// 1 where `a >= b`, for numbers from 0 to 2^`bits` - 1; the result is shared in GF(2^8).
    ///
    /// The difference is opened under a mask whose bits are shared in both fields; a comparison in GF(2^8) yields whether the opened number is
    /// below the mask.
    ///
    /// Source: `greater_than` of VIFF: Toft, “Secure integer computation with applications in economics” (Aarhus, 2005). Differs: random bits in both fields
    /// are those of [`Task::from_bytes`], and the first level of the tree only needs products of the mask's own bits.
    /// Security: as [`Task::remainder`].
    /// Cost: `bits` + 1 random bits in both fields, one opening, and about 2.5 · `bits` products of a byte.
    ///
    /// Errors: the field has no room for a mask of such numbers, the lengths do not fit, or the computation has ended.
    pub fn greater_than_equal_in_bytes(
        &self,
        a: &Value<F>,
        b: &Value<F>,
        bits: usize,
    ) -> Result<Value<Gf256>, RunError> {
        let rows = bits + 1;
        if !self.has_room(rows) || bits == 0 || rows > MAX_BITS {
            return Err(UsageError::Comparison { bits, security: self.statistical_bits() }.into());
        }
        let bytes = self.bytes()?;
        let z = self.shift(&self.sub(a, b)?, power_of_two(self.field(), bits))?;
        let lanes = z.len();
        let random = self.da_bits(bytes, rows * lanes)?;
        let mask = self.number_of_rows(&random.own, lanes)?;
        let upper = self.upper_mask(lanes, self.statistical_bits(), rows)?;
        let opened = self.open(&self.add(&self.add(&z, &mask)?, &upper)?)?;
        let from = self.field().clone();
        let public =
            bytes.carry(self, &opened, (rows * lanes, mixed(0x7463, bits as u64)), move |opened| {
                let mut buffer = vec![0; from.bytes()];
                let rows = (0..rows).flat_map(|row| opened.iter().map(move |element| (row, *element)));
                rows.map(|(row, element)| u8::from(bit(&from, element, row, &mut buffer))).collect()
            })?;
        let low = BitRows { rows: bits, words: lanes };
        let below =
            bytes.below_rows(&public, (&random.other, &bytes.neighbours(&random.other, low)?), low)?;
        bytes.local(lanes, false, 0x7464, &[&below, &public, &random.other], move |_, given| {
            let top = bits * lanes..rows * lanes;
            let [public, mask] = [&given[1][top.clone()], &given[2][top]];
            given[0]
                .iter()
                .zip(public)
                .zip(mask)
                .map(|((below, public), mask)| below ^ public ^ mask)
                .collect()
        })
    }

    /// The numbers with these rows of bits.
    fn number_of_rows(&self, bits: &Value<F>, lanes: usize) -> Result<Value<F>, RunError> {
        let field = self.field().clone();
        self.local(lanes, false, mixed(0x7465, bits.len() as u64), &[bits], move |_, given| {
            let mut number = zeros(lanes);
            for row in given[0].chunks(lanes).rev() {
                for (number, bit) in number.iter_mut().zip(row) {
                    *number = field.add(field.add(*number, *number), *bit);
                }
            }
            number
        })
    }

    /// 1 where a public number is below the one with these rows of bits.
    fn below_by_sign(&self, number: &Value<F>, bits: &Value<F>, rows: usize) -> Result<Value<F>, RunError> {
        let (lanes, field) = (number.len(), self.field().clone());
        let (minus, mask) = (self.random_bits(lanes)?, self.random(lanes)?);
        let hash = mixed(mixed(0x74_6f, rows as u64), lanes as u64);
        // The mask follows the terms of all rows and that of equality.
        let inputs = [number, bits, &minus, &mask];
        let mut terms = self.local((rows + 2) * lanes, false, hash, &inputs, move |_, given| {
            sign_terms(&field, given, rows, lanes)
        })?;
        let mut height = rows + 2;
        while height > 1 {
            let pairs = height / 2;
            let hash = mixed(hash, height as u64);
            let joined = self.factors(pairs * lanes, hash, &[&terms], move |given| {
                let (low, high) = given[0][..2 * pairs * lanes].split_at(pairs * lanes);
                [low.to_vec(), high.to_vec()]
            })?;
            let rest = height % 2 * lanes;
            terms = self.local(joined.len() + rest, false, hash, &[&terms, &joined], move |_, given| {
                [given[1], &given[0][2 * pairs * lanes..]].concat()
            })?;
            height = height.div_ceil(2);
        }
        let (opened, field) = (self.open(&terms)?, self.field().clone());
        self.local(lanes, false, hash, &[&opened, &minus], move |_, given| {
            let result = |(opened, minus): (&F::Element, &F::Element)| match *opened == F::Element::default()
            {
                true => *minus,
                false => field.sub(field.one(), *minus),
            };
            given[0].iter().zip(given[1]).map(result).collect()
        })
    }
}

/// For each row `s + r - c + 3 · (differences above)`, then `s - 1 + 3 · (all differences)`, and a mask. Here s is 1, or -1 where `minus` is 1, and one of
/// the terms is zero if s is the sign of c - r, or 1 if they are equal.
fn sign_terms<F: Field>(field: &F, given: &[&[F::Element]], rows: usize, lanes: usize) -> Vec<F::Element> {
    let [numbers, bits, minus, mask] = [given[0], given[1], given[2], given[3]];
    let mut terms = zeros((rows + 2) * lanes);
    let (one, three) = (field.one(), field.element(3));
    let mut bytes = vec![0; field.bytes()];
    for lane in 0..lanes {
        let sign = field.sub(one, field.add(minus[lane], minus[lane]));
        let mut differences = F::Element::default();
        for row in (0..rows).rev() {
            let share = bits[row * lanes + lane];
            let set = bit(field, numbers[lane], row, &mut bytes);
            let (less, differs) = match set {
                true => (field.sub(share, one), field.sub(one, share)),
                false => (share, share),
            };
            let above = field.mul(three, differences);
            terms[row * lanes + lane] = field.add(field.add(sign, less), above);
            differences = field.add(differences, differs);
        }
        let all = field.mul(three, differences);
        terms[rows * lanes + lane] = field.add(field.sub(sign, one), all);
        terms[(rows + 1) * lanes + lane] = mask[lane];
    }
    terms
}
