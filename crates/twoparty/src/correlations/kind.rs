//! The description of a kind of correlated randomness.

use super::Columns;
use crate::ShareError;
use std::collections::BTreeMap;
use std::fmt::Debug;
use tacit_schedule::Consumed;

/// A kind of correlated randomness. The type holds any number of pieces, column by column; its content is secret, and
/// its columns wipe themselves.
pub trait CorrelationKind: Default + Send + Sync {
    /// The name of the pieces, for errors if there are too few.
    const NAME: &'static str;

    /// The parameters in which pieces of a kind differ: a width, or the sides of matrices.
    type Shape: Copy + Ord + Debug + Send + Sync;

    /// Refuses impossible shapes.
    ///
    /// # Errors
    /// [`ShareError::Width`], [`ShareError::Shape`].
    fn check(shape: Self::Shape) -> Result<(), ShareError>;

    /// The shape of the pieces that a kernel consumes, if they are of this kind.
    fn consumed(_kind: Consumed) -> Option<Self::Shape> {
        None
    }

    /// The same pieces with each column replaced by the result of `by`. Only this function defines the columns of
    /// pieces: how pieces are split, packed, read and counted follows from it. Without any pieces, columns may be
    /// missing.
    #[must_use]
    fn columns(&self, shape: Self::Shape, by: &mut impl Columns) -> Self;
}

/// The number of pieces of each shape.
pub type PieceCounts<K> = BTreeMap<<K as CorrelationKind>::Shape, u64>;
