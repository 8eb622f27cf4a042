//! Words modulo a power of two as integers in the computation's prime field, on Shamir shares: sums need no message, and products of words, of vectors and of
//! matrices are those of the field.
//!
//! The low bits of an integer are the word. From step to step, all parties and forecasts track how large the integers can be. Where the field has no
//! room for a result and its mask, the operands are reduced first, by one opening. If there is still no room, planning fails. Among three parties, words that
//! are no wider than 64 bits wrap around instead ([`ring`]).

mod operation;
pub(super) mod ring;

pub(super) use ring::WrappingWords;

use tacit_ir::{Domain, Words};
use tacit_math::field::Field;
use tacit_schedule::Bundle as Form;

use super::{InputColumn, OpenedElements, SharedDomain, Site, Size};
use crate::compiled::CompiledError;
use crate::compiled::elements::Elements;
use crate::compiled::memory::Bundle;
use crate::parties::Parties;
use crate::program::{Task, Value};
use crate::protocol::words::WordSize;

/// Words in a prime field.
pub(super) struct Integers;

impl<F: Field> SharedDomain<F> for Integers {
    fn domain(&self) -> Domain {
        Domain::Arith
    }

    fn serves(&self, size: Size) -> bool {
        !size.wraps()
    }

    fn input(&self, site: Site<'_, F>, column: &InputColumn<'_>) -> Result<Bundle<F>, CompiledError> {
        let InputColumn { owner, words, form, bits, signed, length } = *column;
        let field = site.task.field();
        let given = words.map(|words| {
            let lane = |lane| if signed { centred(words, lane) } else { (words.low_u128(lane), false) };
            (0..words.lanes()).map(|number| integer(field, lane(number))).collect()
        });
        bundle(site.task, site.task.input(owner, length, given)?, (bits, form.bits))
    }

    fn random(&self, site: Site<'_, F>, form: Form, length: usize) -> Result<Bundle<F>, CompiledError> {
        let low = form.bits as usize;
        let size = site.task.small_word(low) as u32;
        bundle(site.task, site.task.random_words(length, low)?, (size, form.bits))
    }

    fn constant(
        &self,
        site: Site<'_, F>,
        words: &Words,
        (form, copies): (Form, u64),
    ) -> Result<Bundle<F>, CompiledError> {
        let (field, lanes) = (site.task.field(), words.lanes() as usize);
        let elements: Vec<_> = (0..words.lanes()).map(|lane| integer(field, centred(words, lane))).collect();
        let elements = elements.into_iter().cycle().take(lanes * copies as usize).collect();
        bundle(site.task, site.task.constant(elements)?, (magnitude(words), form.bits))
    }

    fn open(
        &self,
        site: Site<'_, F>,
        (source, form): (&Bundle<F>, Form),
        to: Parties,
    ) -> Result<Elements<F>, CompiledError> {
        let size = WordSize { size: source.size as usize, low: form.bits as usize };
        Ok(Elements::Own(site.task.open_words(source.elements()?.own()?, size, to)?))
    }

    fn words(
        &self,
        field: &F,
        opened: &mut OpenedElements<'_, F>,
        (bits, lanes): (u32, u64),
    ) -> Option<Words> {
        let elements = opened.own.split_off(..lanes as usize)?;
        let (mut words, mut bytes) = (Words::zero(bits, lanes), vec![0; field.bytes()]);
        for (lane, element) in (0..lanes).zip(elements) {
            field.encode(*element, &mut bytes);
            for bit in 0..bits {
                let byte = bytes.get(bit as usize / 8).copied().unwrap_or(0);
                words.set_bit(lane, bit, byte >> (bit % 8) & 1 == 1);
            }
        }
        Some(words)
    }
}

/// Integers below 2^`size` in magnitude as a bundle of words of `bits` bits.
///
/// Errors: the field has no room for them.
pub(super) fn bundle<F: Field>(
    task: &Task<F>,
    value: Value<F>,
    (size, bits): (u32, u32),
) -> Result<Bundle<F>, CompiledError> {
    check_room(task, (size, bits))?;
    Ok(Bundle::written(Elements::Own(value)).sized(size))
}

/// Whether the field has room for words of `bits` bits that are integers below 2^`size` in magnitude.
fn has_room<F: Field>(task: &Task<F>, (size, bits): (u32, u32)) -> bool {
    task.has_word_room(WordSize { size: size as usize, low: bits as usize })
}

pub(super) fn check_room<F: Field>(task: &Task<F>, (size, bits): (u32, u32)) -> Result<(), CompiledError> {
    match has_room(task, (size, bits)) {
        true => Ok(()),
        false => {
            let needed = task.word_room(WordSize { size: size as usize, low: bits as usize });
            Err(CompiledError::Room { bits, needed, has: task.order_bits() })
        }
    }
}

/// The number of smallest size that a word stands for: its magnitude, and whether it is negative.
fn centred(words: &Words, lane: u64) -> (u128, bool) {
    let (word, bits) = (words.low_u128(lane), words.bits());
    let negative = word.wrapping_neg() & (u128::MAX >> (128 - bits));
    if word >> (bits - 1) & 1 == 1 { (negative, true) } else { (word, false) }
}

/// An integer as an element.
fn integer<F: Field>(field: &F, (magnitude, negative): (u128, bool)) -> F::Element {
    let [low, high] = [magnitude as u64, (magnitude >> 64) as u64].map(|half| field.element(half));
    let number = field.add(low, field.mul(high, field.pow(field.element(1 << 32), &[2])));
    if negative { field.neg(number) } else { number }
}

/// Bits of the largest magnitude of public words.
fn magnitude(words: &Words) -> u32 {
    let bits = |lane| 128 - centred(words, lane).0.leading_zeros();
    (0..words.lanes()).map(bits).max().unwrap_or(0)
}
