//! A program's handle of a value.

use std::sync::Arc;

use tacit_math::field::Field;

use crate::runtime::shared::ProgramLink;
use crate::runtime::value::ValueId;

/// Elements that are, or will be, shared among the parties or known to all. Dropping it forgets them, once no operation that was written needs
/// them.
pub struct Value<F: Field> {
    pub(super) id: ValueId,
    pub(super) length: usize,
    pub(super) public: bool,
    /// Its identity in the program, the same at all parties.
    pub(super) name: u64,
    pub(super) shared: Arc<ProgramLink<F>>,
}

impl<F: Field> std::fmt::Debug for Value<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.public { "public" } else { "shared" };
        write!(f, "Value({kind}, {} elements)", self.length)
    }
}

impl<F: Field> Value<F> {
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

impl<F: Field> Drop for Value<F> {
    fn drop(&mut self) {
        self.shared.release(self.id);
    }
}
