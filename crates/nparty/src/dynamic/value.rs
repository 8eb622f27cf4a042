//! Values of fields that are chosen at run time.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use tacit_math::field::Field;

use crate::compiled::ColumnBits;
use crate::error::{RunError, UsageError};
use crate::program::Value;

/// A value of a computation in any field.
#[derive(Clone)]
pub struct AnyValue {
    value: Arc<dyn Any + Send + Sync>,
    length: usize,
    public: bool,
    /// Of words that are shared bit by bit, how many bits each has.
    word_bits: Option<u32>,
}

impl fmt::Debug for AnyValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyValue").field("len", &self.length).field("public", &self.public).finish()
    }
}

impl AnyValue {
    pub(super) fn new<F: Field>(value: Value<F>) -> Self {
        let (length, public) = (value.len(), value.is_public());
        AnyValue { value: Arc::new(value), length, public, word_bits: None }
    }

    /// A column of words of so many bits.
    pub(super) fn of_column<F: Field>(column: ColumnBits<F>, (bits, lanes): (u32, u64)) -> Self {
        let (length, public) = (lanes as usize, column.is_public());
        AnyValue { value: Arc::new(column), length, public, word_bits: Some(bits) }
    }

    pub(super) fn column<F: Field>(&self) -> Result<&ColumnBits<F>, RunError> {
        Ok(self.value.downcast_ref().ok_or(UsageError::OtherField)?)
    }

    pub(super) fn of<F: Field>(&self) -> Result<&Value<F>, RunError> {
        Ok(self.value.downcast_ref().ok_or(UsageError::OtherField)?)
    }

    /// One value, from its parts at the parties that compute for the one.
    pub(super) fn of_parts(parts: Vec<AnyValue>) -> Self {
        let (length, public) = parts.first().map_or((0, true), |first| (first.length, first.public));
        let word_bits = parts.first().and_then(|first| first.word_bits);
        AnyValue { value: Arc::new(parts), length, public, word_bits }
    }

    /// Its part at one of the parties that compute for the one.
    pub(super) fn part(&self, part: usize) -> Result<&AnyValue, RunError> {
        let parts: Option<&Vec<AnyValue>> = self.value.downcast_ref();
        Ok(parts.and_then(|parts| parts.get(part)).ok_or(UsageError::OtherField)?)
    }

    /// Of words that are shared bit by bit, how many bits each has; none for elements of a field.
    pub fn word_bits(&self) -> Option<u32> {
        self.word_bits
    }

    /// The number of elements.
    #[expect(clippy::len_without_is_empty, reason = "a value is seldom empty, and nobody asks")]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether all parties know it, or will know it.
    pub fn is_public(&self) -> bool {
        self.public
    }
}
