//! The constants of this crate that determine the layouts of tables, control bits and codes.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("half_gates::TABLE_BYTES", crate::half_gates::TABLE_BYTES as u64),
    ("three_halves::GATE_BYTES", crate::three_halves::GATE_BYTES as u64),
    ("three_halves::CONTROL_BITS", crate::three_halves::CONTROL_BITS as u64),
    ("local_code::LOCALITY", crate::local_code::LOCALITY as u64),
];
