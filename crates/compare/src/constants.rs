//! Constants that determine the layout of messages.

/// Bytes of the tag at the beginning of each message. Both ends derive it from what they compare, and must agree.
pub(crate) const TAG_BYTES: usize = 16;

/// How many of them, at the end, give the length of the rest of the message.
pub(crate) const LENGTH_BYTES: usize = 4;

/// Bits of the longest numbers.
pub(crate) const MAX_BITS: u32 = 64;

/// The check of a submission accepts shares that do not decode to bits with a probability of at most 2 to the power of minus this.
pub(crate) const SOUNDNESS_BITS: u32 = 40;

/// Bytes of a sealed number's name, which both halves have.
pub(crate) const NAME_BYTES: usize = 16;

/// Maximum comparisons of [`crate::Server::share_less`] in one message.
pub const LESS_WINDOW: usize = 1 << 9;
