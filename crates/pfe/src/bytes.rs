//! The exact bytes that runs of a private function send, and their division into windows.

use core::ops::Range;

use tacit_net::{Channel, Options};

use crate::Size;
use crate::rows::{GATE, KEY};
use crate::size::SIZE_BYTES;

/// Gates of a window, between two turns from sending to receiving.
pub(crate) const WINDOW: usize = 1024;

/// Maximum number of windows that the holder sends before it reads the first one. They keep links of 100 Mbit/s and 100 ms busy.
pub(crate) const LEAD: usize = 14;

const _: () =
    assert!(2 * (LEAD + 1) * WINDOW * GATE <= Options::DEFAULT_WINDOW, "predicted rounds are those of runs");

/// Number of windows that the holder sends before it reads the first one, for gates of this many bytes. The windows in transit to the holder fit into the
/// credit that it always grants, so the owner never waits for credit and keeps reading.
pub(crate) fn lead(channel: &Channel, gate: usize) -> usize {
    LEAD.min((channel.window() / (2 * WINDOW * gate)).saturating_sub(1))
}

/// Number of gates after which the holder sends a byte as a sign of progress, so that it is not silent during a long
/// evaluation.
pub(crate) const PROGRESS: usize = 1 << 15;

/// Bytes of a point in a message of the oblivious transfers.
pub(crate) const POINT: usize = 32;

/// The windows of `items` items, as ranges of indices.
pub(crate) fn windows(items: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    (0..items).step_by(WINDOW).map(move |first| first..items.min(first + WINDOW))
}

/// Bytes that each party sends, or its rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// By the function's holder.
    pub holder: u64,
    /// By the data's owner.
    pub owner: u64,
}

/// Bytes of each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Introducing the function, once.
    pub introduction: Traffic,
    /// Each run, before inputs are known.
    pub setup: Traffic,
    /// Each run, once inputs are known.
    pub online: Traffic,
}

impl Bytes {
    /// The sum over all phases and both parties.
    pub fn total(&self) -> u64 {
        [self.introduction, self.setup, self.online].iter().map(|phase| phase.holder + phase.owner).sum()
    }
}

/// Turns from sending to receiving at each party in a run that introduces its function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rounds {
    /// Introduction and setup together.
    pub setup: Traffic,
    /// Once inputs are known.
    pub online: Traffic,
}

/// Signs of progress in an evaluation.
pub(crate) fn signs(size: &Size) -> usize {
    size.inner_gates() / PROGRESS
}

/// The bytes of the online phase with keys of this length: inputs, signs of progress, outputs. Oblivious transfers send points.
pub(crate) fn online(size: &Size, key: usize) -> Traffic {
    let [holder, owner] = [size.holder_inputs(), size.owner_inputs()];
    let transfers = if holder == 0 { 0 } else { POINT };
    let sent =
        [2 * POINT * holder + signs(size) + key * size.outputs(), key * owner + transfers + 2 * key * holder];
    Traffic { holder: sent[0] as u64, owner: sent[1] as u64 }
}

/// The bytes of half-ElGamal.
pub(crate) fn half_elgamal(size: &Size) -> Bytes {
    let gates = size.gates();
    let both = SIZE_BYTES as u64;
    let introduced = (crate::points::SEED + 2 * KEY * gates) as u64;
    let garbled = (2 * KEY + GATE * gates) as u64;
    Bytes {
        introduction: Traffic { holder: both + introduced, owner: both },
        setup: Traffic { holder: 0, owner: garbled },
        online: online(size, KEY),
    }
}

/// The bytes of the re-executable protocol, which sends no public point.
pub(crate) fn re_executable(size: &Size) -> Bytes {
    let mut bytes = half_elgamal(size);
    bytes.setup.owner -= KEY as u64;
    bytes
}

/// The rounds of protocols whose wiring is used for many runs, where the introduction overlaps with the setup.
pub(crate) fn reusable_rounds(size: &Size) -> Rounds {
    let windows = size.gates().div_ceil(WINDOW);
    Rounds {
        setup: Traffic { holder: 2 + windows.saturating_sub(LEAD).max(1) as u64, owner: windows as u64 + 1 },
        online: online_rounds(size),
    }
}

/// The rounds of the online phase.
pub(crate) fn online_rounds(size: &Size) -> Traffic {
    let transfers = u64::from(size.holder_inputs() > 0);
    Traffic { holder: transfers, owner: 1 + transfers }
}
