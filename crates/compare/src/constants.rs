//! What decides the layout of messages.

/// Bytes that each message begins with: both ends must derive the same from what they compare.
pub(crate) const TAG_BYTES: usize = 16;

/// How many of them, the last, say how long the rest of the message is.
pub(crate) const LENGTH_BYTES: usize = 4;

/// Bits of the longest numbers.
pub(crate) const MAX_BITS: u32 = 64;

/// How unlikely it is that the check of a submission accepts shares that are no bits: 2 to the power of minus this.
pub(crate) const SOUNDNESS_BITS: u32 = 40;

/// Bytes of the name that both halves of a sealed number bear.
pub(crate) const NAME_BYTES: usize = 16;

/// Most comparisons of [`crate::Server::share_less`] that one message takes.
pub const LESS_WINDOW: usize = 1 << 9;
