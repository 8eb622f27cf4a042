//! How entries of prepared runs are kept together.

use tacit_pfe::{Size, half_elgamal};

use crate::store::settle::batch_entries;

/// First numbers of entries that are kept together, and how many they are.
pub(super) fn batches(size: &Size, count: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let each = batch_entries(half_elgamal::entry_bytes(size)[0] as u64);
    (0..count.div_ceil(each)).map(move |batch| (batch * each, each.min(count - batch * each)))
}
