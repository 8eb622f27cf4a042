//! Who makes correlated randomness.

use super::kind::PieceCounts;
use super::pool::Registered;
use super::{Pool, Requirement};
use crate::{Dialogue, ShareError};
use tacit_net::Channel;

/// Makes pieces of a kind together with the peer's provider, which makes the same at the same time.
///
/// Both must be asked for equal counts in the same order.
pub trait Provider<K: Registered>: Send {
    /// Adds what it takes of other kinds, all of which are registered before this one.
    fn ingredients(_counts: &PieceCounts<K>, _requirement: &mut Requirement) {}

    /// What making them takes, without the ingredients: what [`Provider::make`] sends, in its order.
    fn price(counts: &PieceCounts<K>) -> Dialogue;

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
