//! Providers of correlated randomness.

use super::kind::PieceCounts;
use super::pool::Registered;
use super::{Pool, Requirement};
use crate::{Dialogue, ShareError};
use tacit_net::Channel;

/// Makes pieces of a kind together with the peer's provider, which makes the same at the same time.
///
/// Both must be called with equal counts in the same order.
pub trait Provider<K: Registered>: Send {
    /// Adds the pieces of other kinds that it needs; all of these kinds are registered before this one.
    fn ingredients(_counts: &PieceCounts<K>, _requirement: &mut Requirement) {}

    /// The cost of making them, without the ingredients: what [`Provider::make`] sends, in its order.
    fn price(counts: &PieceCounts<K>) -> Dialogue;

    /// Makes them, shape after shape; the shapes are checked, and the ingredients are in the pool.
    ///
    /// # Errors
    /// Violations by the peer, and failures of the channel.
    fn make(
        &mut self,
        channel: &mut Channel,
        counts: &PieceCounts<K>,
        pool: &mut Pool,
    ) -> impl Future<Output = Result<Vec<K>, ShareError>> + Send;
}
