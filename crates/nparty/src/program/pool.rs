//! Prepared randomness of a task: bits, and masks with their bits, each used once.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tacit_math::field::{BitSliced, Field};

use super::value::Value;

/// Uniform numbers below a power of two, and their bits: rows of lanes, least significant first.
pub(crate) struct FieldMask<F: Field> {
    pub(crate) number: Value<F>,
    pub(crate) bits: Value<F>,
    /// Products of neighbouring rows, two by two.
    pub(crate) pairs: Value<F>,
    pub(crate) rows: usize,
    pub(crate) lanes: usize,
}

/// Uniform numbers below 2^`rows` in the field, and their bits in another field, with 64 bits or one to an element. Their number fills whole
/// elements.
pub(crate) struct BitMask<F: Field, G: Field = BitSliced> {
    pub(crate) number: Value<F>,
    pub(crate) bits: Value<G>,
    /// Products of neighbouring rows, two by two.
    pub(crate) pairs: Value<G>,
    pub(crate) rows: usize,
    pub(crate) lanes: usize,
}

/// A task's prepared randomness, in the order in which it will be used.
pub(crate) struct Pool<F: Field>(Mutex<PooledValues<F>>);

pub(crate) struct PooledValues<F: Field> {
    /// Bits, and how many of them are used.
    pub(crate) bits: VecDeque<(Value<F>, usize)>,
    /// Masks, and how many of their lanes are used.
    pub(crate) masks: VecDeque<(FieldMask<F>, usize)>,
    /// The same for masks with bits 64 to an element.
    pub(crate) bit_masks: VecDeque<(BitMask<F>, usize)>,
}

impl<F: Field> PooledValues<F> {
    /// The index of a mask by bits with this many rows, and at least this many lanes left.
    pub(crate) fn bit_mask(&self, rows: usize, lanes: usize) -> Option<usize> {
        self.bit_masks.iter().position(|(mask, spent)| mask.rows == rows && mask.lanes - spent >= lanes)
    }
}

impl<F: Field> Default for Pool<F> {
    fn default() -> Self {
        Pool(Mutex::new(PooledValues {
            bits: VecDeque::new(),
            masks: VecDeque::new(),
            bit_masks: VecDeque::new(),
        }))
    }
}

impl<F: Field> Pool<F> {
    pub(crate) fn lock(&self) -> MutexGuard<'_, PooledValues<F>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
