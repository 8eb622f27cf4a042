//! How much of a store is filled together, and the message that entries are durable.

/// Maximum bytes of a batch of several entries.
pub(crate) const BATCH_BYTES: u64 = 64 << 20;
/// Maximum entries of a batch.
pub(crate) const BATCH_ENTRIES: u64 = 256;
/// The message that a party's entries are durable.
pub(crate) const STORED: [u8; 1] = [0x5a];
