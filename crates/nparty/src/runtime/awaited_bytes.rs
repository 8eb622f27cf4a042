//! Bytes that a party waits for, to use them as they arrive.

use std::collections::BTreeMap;

use tacit_math::field::Field;

use super::operation::Take;
use super::pending_exchange::ResultRange;
use crate::parties::PartyIndex;

/// The bytes of one operation.
pub(super) struct AwaitedBytes<F: Field> {
    pub(super) task: u32,
    pub(super) peer: PartyIndex,
    /// The position of the next element.
    pub(super) cursor: u64,
    pub(super) target: ResultRange,
    pub(super) take: Take<F>,
}

/// By task and the position of the first element.
pub(super) type ByPlace<F> = BTreeMap<(u32, u64), AwaitedBytes<F>>;
