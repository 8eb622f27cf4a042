//! Constants of this crate that determine layouts: streams, words and windows of runs, sessions and entries.
//!
//! Two builds in which one of them differs are incompatible, so both ends compare them in their greetings. The values
//! are those that the code uses. If a constant that matters is missing here, `tests/layout.rs` fails.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

use tacit_net::session::Build;

/// Version of everything about order that no constant below determines: the walk over a schedule, and the contents of messages and of entries.
/// Every change of these increments it.
const ORDER: u64 = 4;

/// Name and value of each constant.
pub const LAYOUT: &[(&str, u64)] = &[
    ("ORDER", ORDER),
    ("drive::labels::RANDOM_BATCH", crate::drive::labels::RANDOM_BATCH as u64),
    ("prices::domains::MAX_READY_LABELS", crate::prices::constants::MAX_READY_LABELS as u64),
    ("store::BATCH_BYTES", crate::store::constants::BATCH_BYTES as u64),
    ("store::BATCH_ENTRIES", crate::store::constants::BATCH_ENTRIES as u64),
    ("store::STORED", crate::store::constants::STORED[0] as u64),
    ("open::externals::WAITING", crate::open::constants::WAITING[0] as u64),
    ("open::externals::COMPLETE", crate::open::constants::COMPLETE[0] as u64),
    ("open::externals::LACKING", crate::open::constants::LACKING[0] as u64),
    ("calibrate::STREAM", crate::calibrate::constants::STREAM.0 as u64),
    ("calibrate::ROUND_TRIPS", crate::calibrate::constants::ROUND_TRIPS as u64),
    ("calibrate::TRANSFERS", crate::calibrate::constants::TRANSFERS as u64),
    ("calibrate::LEAD_BYTES", crate::calibrate::constants::LEAD_BYTES as u64),
    ("calibrate::LEAST_TRANSFER", crate::calibrate::constants::LEAST_TRANSFER as u64),
    ("calibrate::GROWTH", crate::calibrate::constants::GROWTH as u64),
    ("calibrate::BUSY", crate::calibrate::constants::BUSY as u64),
    ("calibrate::READY", crate::calibrate::constants::READY as u64),
    ("open::STREAM", crate::open::constants::STREAM.0 as u64),
    ("open::SHARES", crate::open::constants::SHARES.0 as u64),
    ("open::STORED_SHARES", crate::open::constants::STORED_SHARES.0 as u64),
    ("live::INPUTS", crate::live::constants::INPUTS.0 as u64),
    ("live::BATCHES", crate::live::constants::BATCHES.0 as u64),
    ("live::ANSWERS", crate::live::constants::ANSWERS.0 as u64),
    ("live::CONTROL", crate::live::constants::CONTROL.0 as u64),
    ("live::FAREWELL", crate::live::constants::FAREWELL as u64),
    ("live::DIVERGENCE", crate::live::constants::DIVERGENCE as u64),
    ("live::gates::DONE", crate::live::constants::DONE as u64),
    ("live::gates::CLOSED", crate::live::constants::CLOSED as u64),
    ("live::inputs::NAME_BYTES", crate::live::constants::NAME_BYTES as u64),
    ("live::inputs::RUN", crate::live::constants::RUN as u64),
    ("live::inputs::NO_RUN", crate::live::constants::NO_RUN as u64),
    ("outside_parties::STREAM", crate::outside_parties::constants::STREAM.0 as u64),
    ("outside_parties::WINDOW", crate::outside_parties::constants::WINDOW as u64),
    ("outside_parties::KEEP_ALIVE", crate::outside_parties::constants::KEEP_ALIVE[0] as u64),
    ("outside_parties::READY", crate::outside_parties::constants::READY[0] as u64),
    ("private::STREAM", crate::private::constants::STREAM.0 as u64),
    ("private::ACCEPTED", crate::private::constants::ACCEPTED as u64),
    ("private::OTHER_INTERFACE", crate::private::constants::OTHER_INTERFACE as u64),
    ("private::TOO_LARGE", crate::private::constants::TOO_LARGE as u64),
    ("private::INTERFACE_VERSION", crate::private::constants::INTERFACE_VERSION as u64),
    ("private::NOTHING_PREPARED", crate::private::constants::NOTHING_PREPARED as u64),
    ("private::SET_NAME_BYTES", crate::private::constants::SET_NAME_BYTES as u64),
    ("private::DECLINED", crate::private::constants::DECLINED as u64),
    ("stored_shares::agreement::WRITTEN", crate::stored_shares::agreement::WRITTEN[0] as u64),
];

/// This build: its release, and the layouts of all crates that runs of two parties use.
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
