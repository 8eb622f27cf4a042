//! What a kind of correlated randomness says of itself, and who makes it.

use super::{Columns, Pool, Price, Registered, Requirement};
use crate::ShareError;
use std::collections::BTreeMap;
use std::fmt::Debug;
use tacit_net::Channel;

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

    /// The same pieces with each column as `by` gives it. No other place says of which columns pieces consist: from it
    /// follow how they are cut, packed, read and counted. Without any pieces, columns may be missing.
    #[must_use]
    fn columns(&self, shape: Self::Shape, by: &mut impl Columns) -> Self;
}

/// How many pieces of each shape.
pub type PieceCounts<K> = BTreeMap<<K as CorrelationKind>::Shape, u64>;

/// Makes pieces of a kind together with the peer's provider, which makes the same at the same time.
///
/// Both must be asked for equal counts in the same order.
pub trait Provider<K: Registered>: Send {
    /// Adds what it takes of other kinds, all of which are registered before this one.
    fn ingredients(_counts: &PieceCounts<K>, _requirement: &mut Requirement) {}

    /// What making them takes, without the ingredients.
    fn price(counts: &PieceCounts<K>) -> Price;

    /// Makes them, shape after shape, all of which are checked. The ingredients are in the pool.
    ///
    /// # Errors
    /// What the peer or the channel did wrong.
    fn make(
        &mut self,
        channel: &mut Channel,
        counts: &PieceCounts<K>,
        pool: &mut Pool,
    ) -> impl Future<Output = Result<Vec<K>, ShareError>> + Send;
}
