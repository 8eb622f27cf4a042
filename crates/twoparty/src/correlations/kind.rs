//! What a kind of correlated randomness says of itself.

use super::Columns;
use crate::ShareError;
use std::collections::BTreeMap;
use std::fmt::Debug;
use tacit_schedule::Consumed;

/// A kind of correlated randomness. The type holds any number of pieces, column by column; what is in it is secret, and
/// its columns wipe themselves.
pub trait CorrelationKind: Default + Send + Sync {
    /// What pieces are called where there are too few.
    const NAME: &'static str;

    /// What pieces of a kind differ by: a width, the sides of matrices.
    type Shape: Copy + Ord + Debug + Send + Sync;

    /// Refuses shapes that pieces cannot have.
    ///
    /// # Errors
    /// [`ShareError::Width`], [`ShareError::Shape`].
    fn check(shape: Self::Shape) -> Result<(), ShareError>;

    /// The shape of the pieces that kernels consume as this, if they are of this kind.
    fn consumed(_kind: Consumed) -> Option<Self::Shape> {
        None
    }

    /// The same pieces with each column as `by` gives it. No other place says of which columns pieces consist: from it
    /// follow how they are cut, packed, read and counted. Without any pieces, columns may be missing.
    #[must_use]
    fn columns(&self, shape: Self::Shape, by: &mut impl Columns) -> Self;
}

/// How many pieces of each shape.
pub type PieceCounts<K> = BTreeMap<<K as CorrelationKind>::Shape, u64>;
