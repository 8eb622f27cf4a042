//! The constants of this crate that determine the layout of messages of private functions.
//!
//! Two builds in which one of them differs do not understand each other. The values are those that the code uses; `tests/layout.rs`
//! fails if such a constant is missing here.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("size::SIZE_BYTES", crate::size::SIZE_BYTES as u64),
    ("rows::KEY", crate::rows::KEY as u64),
    ("rows::GATE", crate::rows::GATE as u64),
    ("rows::SHORT_KEY", crate::rows::SHORT_KEY as u64),
    ("rows::SHORT_GATE", crate::rows::SHORT_GATE as u64),
    ("points::SEED", crate::points::SEED as u64),
    ("points::UNIFORM", crate::points::UNIFORM as u64),
    ("entry::RUN", crate::entry::RUN as u64),
    ("evaluation::LABEL_SECRET", crate::evaluation::LABEL_SECRET as u64),
    ("bytes::WINDOW", crate::bytes::WINDOW as u64),
    ("bytes::LEAD", crate::bytes::LEAD as u64),
    ("bytes::POINT", crate::bytes::POINT as u64),
    ("katz_malka::bytes::MARK", crate::katz_malka::bytes::MARK as u64),
    ("katz_malka::djn::SLOT", crate::katz_malka::djn::SLOT as u64),
    ("katz_malka::bfv::WORD_BITS", crate::katz_malka::bfv::WORD_BITS as u64),
    ("katz_malka::bfv::WORDS", crate::katz_malka::bfv::WORDS as u64),
    ("katz_malka::bfv::WIRES", crate::katz_malka::bfv::WIRES as u64),
    ("katz_malka::bfv::OPERANDS", crate::katz_malka::bfv::OPERANDS as u64),
    ("evaluation::SIGN", crate::evaluation::SIGN as u64),
    ("bytes::PROGRESS", crate::bytes::PROGRESS as u64),
    ("universal::SWITCH", crate::universal::SWITCH as u64),
    ("universal::ROWS", crate::universal::ROWS as u64),
    ("universal::GATE_TWEAKS", crate::universal::GATE_TWEAKS as u64),
    ("universal::size::HEADER", crate::universal::size::HEADER as u64),
];
