//! The constants of this crate that determine layouts: the chunks in which bodies run, and the counted depth
//! of a schedule.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("depth::FOLLOWED", crate::depth::FOLLOWED as u64),
    ("depth::BUDGET", crate::depth::BUDGET as u64),
    ("domains::arith::MAX_ARITH_BITS", crate::domains::arith::MAX_ARITH_BITS as u64),
    ("layout::CHUNK_LABELS", crate::layout::CHUNK_LABELS as u64),
    ("layout::CHUNK_INSTANCES", crate::layout::CHUNK_INSTANCES as u64),
    ("layout::CHUNK_LABELS_MAX", crate::layout::CHUNK_LABELS_MAX as u64),
];
