//! The constants of this crate that determine layouts: they decide how all parties turn programs into
//! schedules.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("domains::arith::MOST_MINIMISED", crate::domains::arith::MOST_MINIMISED as u64),
    ("domains::arith::MOST_DIFFERENCE", crate::domains::arith::MOST_DIFFERENCE as u64),
    ("sums::MAX_TERMS", crate::sums::MAX_TERMS as u64),
    ("lowering::MANY_LANES", crate::lowering::MANY_LANES as u64),
    ("widen::OT_BITS", crate::widen::OT_BITS as u64),
    ("widen::ROUND_OTS", crate::widen::ROUND_OTS as u64),
    ("lowering::region::SPARSE_LANES", crate::lowering::region::SPARSE_LANES as u64),
    ("lowering::long::CHUNK", crate::lowering::long::CHUNK as u64),
    ("lowering::long::minimum::PAIRED", crate::lowering::long::minimum::PAIRED as u64),
    ("lowering::long::minimum::MOST_PAIRED", crate::lowering::long::minimum::MOST_PAIRED as u64),
    ("lowering::long::minimum::FEW_PAIRS", crate::lowering::long::minimum::FEW_PAIRS as u64),
    ("lowering::long::SCAN_ANDS", crate::lowering::long::SCAN_ANDS as u64),
    ("lowering::long::table::DECODED", crate::lowering::long::table::DECODED as u64),
    ("lowering::matrix::TILE", crate::lowering::matrix::TILE as u64),
    ("lowering::matrix::LONGEST", crate::lowering::matrix::LONGEST as u64),
    ("partition::place::WIRED_LANES", crate::partition::place::WIRED_LANES as u64),
    ("partition::PIECES", crate::partition::PIECES as u64),
    ("tiles::MOST_TILES", crate::tiles::MOST_TILES as u64),
    ("tiles::WORTH", crate::tiles::WORTH as u64),
    ("partition::place::FUSED_LANES", crate::partition::place::FUSED_LANES as u64),
];
