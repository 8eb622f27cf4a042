//! How much of a store is filled together, and what parties say of it.

/// Bytes that one batch holds at most, unless it is one entry.
pub(crate) const BATCH_BYTES: u64 = 64 << 20;
/// Entries that one batch holds at most.
pub(crate) const BATCH_ENTRIES: u64 = 256;
/// What a party says when its entries are durable.
pub(crate) const STORED: [u8; 1] = [0x5a];
