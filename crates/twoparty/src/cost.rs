//! What a protocol on shares takes, known from sizes alone.

use crate::Dialogue;
use crate::correlations::Requirement;
use crate::counted_channel::{CountedChannel, CountedOts};
use crate::transfers::Tally;
use tacit_ot::softspoken::Params;

/// What a protocol on shares takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Correlated randomness, which setup makes.
    pub requirement: Requirement,
    /// What both parties send online.
    pub dialogue: Dialogue,
}

impl Cost {
    /// Adds what comes after it.
    pub fn then(&mut self, next: &Cost) {
        self.requirement.add(&next.requirement, 1);
        self.append(next.dialogue.clone());
    }

    /// Bytes that the first and that the second party sends online.
    pub fn bytes(&self) -> [u64; 2] {
        self.dialogue.bytes()
    }

    /// Rounds of the first and of the second party online: messages that it sends, and receives others before the next.
    pub fn rounds(&self) -> [u64; 2] {
        // No OTs are online.
        let mut ots = CountedOts { tally: Tally::default(), extension: Params::default().into() };
        let mut channel = CountedChannel::default();
        channel.play(&self.dialogue, &mut ots);
        channel.rounds
    }

    /// Adds messages of both parties at the same time.
    pub(crate) fn exchange(&mut self, bytes: [u64; 2]) {
        self.append(Dialogue::default().exchange(bytes));
    }

    fn append(&mut self, next: Dialogue) {
        self.dialogue = std::mem::take(&mut self.dialogue).then(next);
    }
}
