//! Half gates: the size of a gate's table, and limits for gates and lanes.
//!
//! A gate's table is 32 bytes, and tables follow one another without framing; [`crate::garbling`] has the other scheme.
//!
//! Source: Zahur, Rosulek and Evans, *Two Halves Make a Whole* (EUROCRYPT'15), Figure 2; hash MITCCRH of Guo, Katz,
//! Wang and Yu, *Better Concrete Security for Half-Gates Garbling* (CRYPTO'20), with gate ids as tweaks.
//! Security and cost of a gate: see [`tacit_crypto::half_gates`].

pub use tacit_crypto::half_gates::TABLE_BYTES;

/// Gate ids are below this, so that every id is a tweak of the kernels.
pub const MAX_IDS: u64 = 1 << 63;

/// The maximum lanes of a chunk, whatever a circuit requests, so that one AND's tables fit a message.
pub(crate) const MOST_LANES: usize = 64;

/// The number of instances of a circuit with this lane chunk that run side by side.
pub(crate) fn lanes(lane_chunk: u32) -> usize {
    (lane_chunk.max(1) as usize).min(MOST_LANES)
}
