//! The constants of this crate that determine the layout of messages of oblivious transfers.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; `tests/layout.rs` fails if such a constant is missing here.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("endemic::POINT", crate::endemic::POINT as u64),
    ("softspoken::BASE_OTS", crate::softspoken::BASE_OTS as u64),
    ("softspoken::GRANULE", crate::softspoken::GRANULE as u64),
    ("softspoken::CHUNK", crate::softspoken::CHUNK as u64),
    ("chosen::WINDOW", crate::chosen::WINDOW as u64),
    ("ferret::sender::FLIGHT", crate::ferret::sender::FLIGHT as u64),
    ("ferret::Set::SEED.trees", crate::ferret::Set::SEED.trees as u64),
    ("ferret::Set::SEED.depth", crate::ferret::Set::SEED.depth as u64),
    ("ferret::Set::SEED.secrets", crate::ferret::Set::SEED.secrets as u64),
    ("ferret::Set::SMALL.trees", crate::ferret::Set::SMALL.trees as u64),
    ("ferret::Set::SMALL.depth", crate::ferret::Set::SMALL.depth as u64),
    ("ferret::Set::SMALL.secrets", crate::ferret::Set::SMALL.secrets as u64),
    ("ferret::Set::MIDDLE.trees", crate::ferret::Set::MIDDLE.trees as u64),
    ("ferret::Set::MIDDLE.depth", crate::ferret::Set::MIDDLE.depth as u64),
    ("ferret::Set::MIDDLE.secrets", crate::ferret::Set::MIDDLE.secrets as u64),
    ("ferret::Set::LARGE.trees", crate::ferret::Set::LARGE.trees as u64),
    ("ferret::Set::LARGE.depth", crate::ferret::Set::LARGE.depth as u64),
    ("ferret::Set::LARGE.secrets", crate::ferret::Set::LARGE.secrets as u64),
];
