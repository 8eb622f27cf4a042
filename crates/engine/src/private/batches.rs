//! Groups of entries of prepared runs that are kept together.

use tacit_pfe::{Protocol, Size};

use crate::store::settle::batch_entries;

/// The first number of each group of entries that are kept together, and the size of the group.
pub(super) fn batches(
    protocol: Protocol,
    size: &Size,
    count: u64,
) -> impl Iterator<Item = (u64, u64)> + use<> {
    let [holder, _] = protocol.entry_bytes(size).unwrap_or_default();
    let each = batch_entries(holder as u64);
    (0..count.div_ceil(each)).map(move |batch| (batch * each, each.min(count - batch * each)))
}
