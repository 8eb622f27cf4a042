//! The cost of a protocol on shares, which only depends on sizes.

use crate::Dialogue;
use crate::correlations::Requirement;
use crate::counted_channel::{CountedChannel, CountedOts};
use crate::transfers::Tally;
use tacit_ot::softspoken::Params;

/// The cost of a protocol on shares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Correlated randomness from setup.
    pub requirement: Requirement,
    /// What both parties send online.
    pub dialogue: Dialogue,
}

impl Cost {
    /// Adds the cost of what comes next.
    pub fn then(&mut self, next: &Cost) {
        self.requirement.add(&next.requirement, 1);
        self.append(next.dialogue.clone());
    }

    /// Bytes that the first and that the second party sends online.
    pub fn bytes(&self) -> [u64; 2] {
        self.dialogue.bytes()
    }

    /// Rounds of the first and of the second party online: how many times each sends messages and then receives others.
    pub fn rounds(&self) -> [u64; 2] {
        // There are no OTs online.
        let mut ots = CountedOts { tally: Tally::default(), extension: Params::default().into() };
        let mut channel = CountedChannel::default();
        channel.play(&self.dialogue, &mut ots);
        channel.rounds
    }

    /// Adds messages that both parties send at the same time.
    pub(crate) fn exchange(&mut self, bytes: [u64; 2]) {
        self.append(Dialogue::default().exchange(bytes));
    }

    fn append(&mut self, next: Dialogue) {
        self.dialogue = std::mem::take(&mut self.dialogue).then(next);
    }
}
