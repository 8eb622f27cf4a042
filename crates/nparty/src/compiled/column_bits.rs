//! The bits of columns of words that stay shared between compiled programs.

use std::sync::Arc;

use tacit_math::field::{Field, Gf256};

use super::elements::Elements;
use crate::program::Value;

/// The bits of a column of words, which the parties share, or all know; as bundles of bits have them, wire by wire.
pub struct ColumnBits<F: Field>(Arc<Elements<F>>);

impl<F: Field> Clone for ColumnBits<F> {
    fn clone(&self) -> Self {
        ColumnBits(self.0.clone())
    }
}

impl<F: Field> std::fmt::Debug for ColumnBits<F> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "ColumnBits({} bits)", self.len())
    }
}

impl<F: Field> ColumnBits<F> {
    /// These bits, which the caller has checked to be bits.
    pub(super) fn of(elements: Arc<Elements<F>>) -> Self {
        ColumnBits(elements)
    }

    /// Columns of bits that are each a byte, by port.
    pub(crate) fn of_values(ports: Vec<Vec<Value<Gf256>>>) -> Vec<Vec<Self>> {
        let column = |bits| ColumnBits(Arc::new(Elements::Bytes(bits)));
        ports.into_iter().map(|columns| columns.into_iter().map(column).collect()).collect()
    }

    pub(super) fn elements(&self) -> &Arc<Elements<F>> {
        &self.0
    }

    /// How many bits there are.
    #[expect(clippy::len_without_is_empty, reason = "as elements are")]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether all parties know them, or will know them.
    pub fn is_public(&self) -> bool {
        match &*self.0 {
            Elements::Own(value) => value.is_public(),
            Elements::Bytes(value) => value.is_public(),
            Elements::Octets(value, _) => value.is_public(),
            Elements::Words(value) => value.is_public(),
        }
    }
}
