//! The constants of this crate that decide what stands where: streams, words and windows of runs, sessions and entries.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

use tacit_net::session::Build;

/// Version of the order in which what no constant below tells follows one another: the walk over a schedule, what travels in a message, what an
/// entry holds. Whatever changes that raises it.
const ORDER: u64 = 2;

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("ORDER", ORDER),
    ("drive::labels::RANDOM_BATCH", crate::drive::labels::RANDOM_BATCH as u64),
    ("prices::domains::MAX_READY_LABELS", crate::prices::domains::MAX_READY_LABELS as u64),
    ("open::prepare::BATCH_BYTES", crate::open::prepare::BATCH_BYTES as u64),
    ("open::prepare::BATCH_ENTRIES", crate::open::prepare::BATCH_ENTRIES as u64),
    ("open::prepare::STORED", crate::open::prepare::STORED[0] as u64),
    ("open::externals::WAITING", crate::open::externals::WAITING[0] as u64),
    ("open::externals::COMPLETE", crate::open::externals::COMPLETE[0] as u64),
    ("open::externals::LACKING", crate::open::externals::LACKING[0] as u64),
    ("open::STREAM", crate::open::STREAM.0 as u64),
    ("open::SHARES", crate::open::SHARES.0 as u64),
    ("open::STORED_SHARES", crate::open::STORED_SHARES.0 as u64),
    ("live::INPUTS", crate::live::INPUTS.0 as u64),
    ("live::BATCHES", crate::live::BATCHES.0 as u64),
    ("live::ANSWERS", crate::live::ANSWERS.0 as u64),
    ("live::CONTROL", crate::live::CONTROL.0 as u64),
    ("live::STORED_SHARES", crate::live::STORED_SHARES.0 as u64),
    ("live::FAREWELL", crate::live::FAREWELL as u64),
    ("live::DIVERGENCE", crate::live::DIVERGENCE as u64),
    ("live::gates::DONE", crate::live::gates::DONE as u64),
    ("live::gates::CLOSED", crate::live::gates::CLOSED as u64),
    ("live::inputs::NAME_BYTES", crate::live::inputs::NAME_BYTES as u64),
    ("outside_parties::STREAM", crate::outside_parties::STREAM.0 as u64),
    ("outside_parties::WINDOW", crate::outside_parties::WINDOW as u64),
    ("outside_parties::KEEP_ALIVE", crate::outside_parties::KEEP_ALIVE[0] as u64),
    ("outside_parties::READY", crate::outside_parties::READY[0] as u64),
    ("stored_shares::agreement::WRITTEN", crate::stored_shares::agreement::WRITTEN[0] as u64),
];

/// This build: its release, and the layouts of all crates that a run of two parties goes through.
pub fn build() -> Build {
    Build::new(&[
        ("net", tacit_net::LAYOUT),
        ("crypto", tacit_crypto::LAYOUT),
        ("circuit", tacit_circuit::LAYOUT),
        ("schedule", tacit_schedule::LAYOUT),
        ("lower", tacit_lower::LAYOUT),
        ("plan", tacit_plan::LAYOUT),
        ("ot", tacit_ot::LAYOUT),
        ("twoparty", tacit_twoparty::LAYOUT),
        ("engine", LAYOUT),
    ])
}
