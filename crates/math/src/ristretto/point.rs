//! The public form of a point.

/// Bytes of an encoded point.
pub const BYTES: usize = 32;

/// An encoded point, of 32 bytes.
pub type Encoding = [u8; BYTES];

/// A point of the group, possibly secret: `Debug` does not show it.
#[derive(Clone, Copy)]
pub struct Point(pub(super) [[u64; 5]; 4]);

crate::redacted!(Point);
