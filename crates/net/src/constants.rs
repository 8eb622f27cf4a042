//! The constants of this crate that determine the layout of frames and greetings.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("session::hello::PROTOCOL_VERSION", crate::session::hello::PROTOCOL_VERSION as u64),
    ("session::handshake::HELLO_STREAM", crate::session::handshake::HELLO_STREAM.0 as u64),
    ("session::cause::SILENT_STREAM", crate::session::cause::SILENT_STREAM.0 as u64),
    ("frame::HEADER_BYTES", crate::frame::HEADER_BYTES as u64),
    ("frame::MAX_PAYLOAD", crate::frame::MAX_PAYLOAD as u64),
    ("connection::table::FIRST_CREDIT", crate::connection::table::FIRST_CREDIT as u64),
    ("channel::MAX_RESERVE", crate::channel::MAX_RESERVE as u64),
];
