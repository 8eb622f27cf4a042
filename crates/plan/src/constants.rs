//! The constants of this crate that determine layouts, such as which values travel together.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("drafts::LEAST_LEFT", crate::drafts::LEAST_LEFT as u64),
    ("drafts::LEAST_ROUNDS_LEFT", crate::drafts::LEAST_ROUNDS_LEFT as u64),
    ("message_order::INPUT_BATCH_LABELS", crate::message_order::INPUT_BATCH_LABELS as u64),
    ("message_order::REVEAL_LABELS", crate::message_order::REVEAL_LABELS as u64),
    ("mode::TABLE_BYTES", crate::mode::TABLE_BYTES as u64),
];
