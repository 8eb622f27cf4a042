//! Words modulo powers of two in a prime field: integers of which only the low bits count. They are opened, reduced, and converted to bits and back.
//!
//! The mask of an integer is a sum of one number for each set of parties, longer than the integer by [`Task::statistical_bits`]. Modulo 2^low, the opened number is
//! the integer's own low bits if the mask is a multiple of 2^low, and uniform if not.

use tacit_math::field::{BitSliced, Field, Gf256};
use tacit_math::zeros;

use crate::error::RunError;
use crate::parties::Parties;
use crate::program::{Task, Value, mixed};
use crate::protocol::binary::{BinaryField, BitRows};
use crate::protocol::bits::power_of_two;
use crate::protocol::dabits::FEW_SETS;
use crate::protocol::packed::{SharedBits, packed, unpacked};
use crate::prss::Purpose;

/// From this many lanes on, masks are added 64 to an element.
pub(crate) const MIN_WORD_LANES: usize = 32;

/// The size of integers of which only the low bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordSize {
    /// All magnitudes are below two to this power.
    pub(crate) size: usize,
    /// Bits that count, at most 128.
    pub(crate) low: usize,
}

/// Sums of one number below a power of two for each set of parties, and the sums' low bits.
struct JointNumbers<F: Field, G: Field> {
    number: Value<F>,
    /// Rows that begin at an element.
    rows: Value<G>,
}

impl<F: Field> Task<F> {
    /// Bits of the order of a field that has room for such integers and their masks.
    pub(crate) fn word_room(&self, of: WordSize) -> usize {
        self.covered_bits(of) + self.statistical_bits() + self.set_bits() + 3
    }

    /// Whether the field has room for such integers.
    pub(crate) fn has_word_room(&self, of: WordSize) -> bool {
        self.word_room(of) <= self.order_bits()
    }

    /// The size of integers of which only the low bits were kept.
    pub(crate) fn small_word(&self, low: usize) -> usize {
        low + self.set_bits()
    }

    /// Bits of integers after they are made positive, so that the sums in masks may be added to them or
    /// subtracted.
    fn covered_bits(&self, of: WordSize) -> usize {
        of.size.max(self.small_word(of.low)) + 2
    }

    /// Integers plus a multiple of 2^low that nobody knows: positive, and hidden above their low bits.
    fn covered(&self, a: &Value<F>, of: WordSize) -> Result<Value<F>, RunError> {
        let bits = self.covered_bits(of);
        let noise = self.upper_mask(a.len(), bits + self.statistical_bits() - of.low, of.low)?;
        self.add(&self.positive(a, of)?, &noise)
    }

    /// Integers plus a multiple of 2^low that makes them positive.
    fn positive(&self, a: &Value<F>, of: WordSize) -> Result<Value<F>, RunError> {
        self.shift(a, power_of_two(self.field(), self.covered_bits(of) - 1))
    }

    /// Reveals the low bits of integers to some parties, in numbers whose other bits have no meaning.
    ///
    /// Security: statistical, [`Task::statistical_bits`]: the higher bits are hidden by one number for each set of parties.
    /// Cost: as one opening.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn open_words(&self, a: &Value<F>, of: WordSize, to: Parties) -> Result<Value<F>, RunError> {
        match a.is_public() {
            true => self.open_to(&self.positive(a, of)?, to),
            false => self.open_to(&self.covered(a, of)?, to),
        }
    }

    /// Smaller integers with the same low bits, with magnitudes below 2^[`Task::small_word`].
    ///
    /// An integer plus a mask is opened. The result is the opened number's low bits less the mask's part below 2^low, with no wrap-around
    /// in the field.
    ///
    /// Source: the masks of Catrina and de Hoogh (SCN 2010), protocol 3.1. Differs: the low bits are kept, up to a multiple of 2^low.
    /// Security: statistical, [`Task::statistical_bits`].
    /// Cost: one opening.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn smaller_words(&self, a: &Value<F>, of: WordSize) -> Result<Value<F>, RunError> {
        let number = self.random_words(a.len(), of.low)?;
        let opened = self.open(&self.add(&self.covered(a, of)?, &number)?)?;
        self.sub(&self.low_bits(&opened, of.low, false)?, &number)
    }

    /// Random words that nobody knows, as sums of one number below 2^`low` for each set of parties.
    ///
    /// Cost: no message.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn random_words(&self, lanes: usize, low: usize) -> Result<Value<F>, RunError> {
        self.set_numbers(Purpose::BOUNDED, (self.draw(lanes), lanes), low)
    }

    fn set_numbers(
        &self,
        purpose: Purpose,
        (first, lanes): (u64, usize),
        low: usize,
    ) -> Result<Value<F>, RunError> {
        self.contributed(first, (lanes, mixed(0x776e, low as u64)), move |prss| {
            let mut shares = zeros(lanes);
            prss.bounded(purpose, first, low as u32, &mut shares);
            shares
        })
    }

    /// Two addends of the low bits of integers, in consecutive bits at `row · lanes + lane`: the first is public, and nobody knows the second.
    ///
    /// Source: edaBits (Escudero, Ghosh, Keller, Rachuri and Scholl, CRYPTO 2020), section 4, without the carry, which sums modulo 2^low do not need. Differs: the numbers
    /// come from pseudorandom sharing.
    /// Security: statistical, [`Task::statistical_bits`].
    /// Cost: one opening; before it, a sum of one number in bits for each set of parties.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn word_addends<G: SharedBits>(
        &self,
        a: &Value<F>,
        of: WordSize,
    ) -> Result<[Value<G>; 2], RunError> {
        let (lanes, low) = (a.len(), of.low);
        let mask = self.joint_numbers::<G>(lanes, low)?;
        let opened = self.open(&self.sub(&self.covered(a, of)?, &mask.number)?)?;
        let (bits, field) = (G::of(self)?, self.field().clone());
        let to = bits.field().clone();
        let public = bits.carry(self, &opened, (G::words(low * lanes), 0x7770), move |opened| {
            let (mut rows, mut number) = (vec![0; low * lanes], vec![0; field.bytes()]);
            for (lane, element) in opened.iter().enumerate() {
                field.encode(*element, &mut number);
                for (row, bit) in rows[lane..].iter_mut().step_by(lanes).enumerate() {
                    *bit = number[row / 8] >> (row % 8) & 1;
                }
            }
            packed(&to, &rows)
        })?;
        let mask = if G::LANES == 1 { mask.rows } else { bits.of_rows(&mask.rows, (low, lanes))? };
        Ok([public, mask])
    }

    /// Integers whose low bits are words given by bits at `row · lanes + lane`, and the size of the integers. Missing bits repeat the sign or are zero.
    ///
    /// A few bits are converted individually. For many, the word plus a number with known bits is opened, and the number subtracted again.
    ///
    /// Source: daBits (Rotaru and Wood, INDOCRYPT 2019) as in [`Task::from_bytes`]; edaBits as in [`Task::word_addends`].
    /// Security: perfect, except for the random bits if there are many sets of parties: statistical,
    /// [`Task::statistical_bits`].
    /// Cost: for each of a few bits that of [`Task::from_bytes`]; else a sum of words in bits, and `low` openings of a
    /// byte.
    ///
    /// Errors: the computation has ended.
    pub(crate) fn words_of_bits<G: SharedBits>(
        &self,
        wires: &Value<G>,
        (size, signed): ((usize, usize), bool),
        low: usize,
    ) -> Result<(Value<F>, usize), RunError> {
        match self.is_cheaper_by_bits(size.0, low)? {
            true => Ok((self.words_by_bits(wires, (size, signed))?, size.0)),
            false => Ok((self.words_by_mask(wires, (size, signed), low)?, self.small_word(low))),
        }
    }

    /// Whether converting this many bits individually is cheaper than converting a whole word of `low` bits.
    fn is_cheaper_by_bits(&self, bits: usize, low: usize) -> Result<bool, RunError> {
        let products = self.contributor_count()?.min(FEW_SETS) - 1;
        let levels = low.next_power_of_two().trailing_zeros() as usize;
        Ok(bits * products * self.field().bytes() <= low * (levels + 2))
    }

    fn words_by_bits<G: SharedBits>(
        &self,
        wires: &Value<G>,
        ((bits, lanes), signed): ((usize, usize), bool),
    ) -> Result<Value<F>, RunError> {
        let (own, field) = (G::brought(self, wires, bits * lanes)?, self.field().clone());
        let hash = mixed(0x7771, 2 * bits as u64 + u64::from(signed));
        self.local(lanes, false, hash, &[&own], move |_, given| {
            let mut words = zeros(lanes);
            for (row, wires) in given[0].chunks_exact(lanes).enumerate() {
                let weight = power_of_two(&field, row);
                let is_sign = signed && row + 1 == bits;
                field.add_scaled(&mut words, wires, if is_sign { field.neg(weight) } else { weight });
            }
            words
        })
    }

    fn words_by_mask<G: SharedBits>(
        &self,
        wires: &Value<G>,
        (size, signed): ((usize, usize), bool),
        low: usize,
    ) -> Result<Value<F>, RunError> {
        let (lanes, rows) = (size.1, BitRows { rows: low, words: G::words(size.1) });
        let (task, mask) = (G::of(self)?, self.joint_numbers::<G>(lanes, low)?);
        let wide = task.as_rows(wires, size, (low, signed))?;
        let sum = task.sum_rows(vec![wide, mask.rows], rows)?;
        let (opened, field) = (task.open(&sum)?, self.field().clone());
        let from = task.field().clone();
        let public = self.carry(task, &opened, (lanes, 0x7773), move |opened| {
            let mut words = zeros(lanes);
            for (row, elements) in opened.chunks_exact(rows.words).enumerate() {
                let bits = unpacked(&from, elements, lanes);
                let bits: Vec<_> = bits.iter().map(|bit| field.element(u64::from(*bit))).collect();
                field.add_scaled(&mut words, &bits, power_of_two(&field, row));
            }
            words
        })?;
        self.sub(&public, &mask.number)
    }

    /// Sums of one number below 2^`low` for each set of parties, and their low bits.
    fn joint_numbers<G: SharedBits>(&self, lanes: usize, low: usize) -> Result<JointNumbers<F, G>, RunError> {
        let first = self.draw(lanes);
        let number = self.set_numbers(Purpose::JOINT, (first, lanes), low)?;
        Ok(JointNumbers { number, rows: G::sums(self, first, (low, lanes))? })
    }

    /// The low bits of such sums in GF(2^8); they are added 64 to an element if there are many.
    pub(super) fn sums_in_bytes(
        &self,
        first: u64,
        (low, lanes): (usize, usize),
    ) -> Result<Value<Gf256>, RunError> {
        // A quarter less is worth the conversion.
        let is_less = |field: BitSliced| 4 * BitSliced::words(lanes) * field.bytes() <= 3 * lanes;
        match lanes >= MIN_WORD_LANES && BitSliced::for_parties(self.names().len()).is_some_and(is_less) {
            true => self.rows_in_bytes(&self.sliced()?.sums_of_sets(first, (low, lanes))?, (low, lanes)),
            false => self.bytes()?.sums_of_sets(first, (low, lanes)),
        }
    }

    /// Converts rows of bits, 64 to an element, to bytes: opened under random bits that are shared in both
    /// fields.
    fn rows_in_bytes(
        &self,
        rows: &Value<BitSliced>,
        (count, lanes): (usize, usize),
    ) -> Result<Value<Gf256>, RunError> {
        let (sliced, bytes, words) = (self.sliced()?, self.bytes()?, BitSliced::words(lanes));
        let all = rows.len() * BitSliced::LANES;
        let first = self.draw(all);
        let opened = sliced.open(&sliced.add(rows, &sliced.joint_bits_here(first, all)?)?)?;
        let (from, length) = (*sliced.field(), count * lanes);
        let place = move |at: usize| {
            (at / lanes * words + at % lanes / BitSliced::LANES, at % lanes % BitSliced::LANES)
        };
        let public = bytes.carry(sliced, &opened, (length, 0x7774), move |opened| {
            let bit = |(element, lane): (usize, usize)| (from.opened(opened[element]) >> lane & 1) as u8;
            (0..length).map(|at| bit(place(at))).collect()
        })?;
        let joint = bytes.joint_bits_here(first, all)?;
        let joint = bytes.local(length, false, mixed(0x7775, lanes as u64), &[&joint], move |_, given| {
            let bit = |(element, lane)| given[0][element * BitSliced::LANES + lane];
            (0..length).map(|at| bit(place(at))).collect()
        })?;
        bytes.add(&public, &joint)
    }
}

impl<G: BinaryField> Task<G> {
    /// Rows of the low bits of sums of one number for each set of parties.
    pub(super) fn sums_of_sets(
        &self,
        first: u64,
        (low, lanes): (usize, usize),
    ) -> Result<Value<G>, RunError> {
        let rows = BitRows { rows: low, words: G::words(lanes) };
        self.sum_rows(self.joint_rows((first, 0x7776), (low, lanes), rows)?, rows)
    }
}
