//! Both ends of a channel over which nothing is sent: bytes and rounds, counted as [`tacit_net::Channel`] counts them.

use crate::Party;
use crate::dialogue::{Dialogue, Step};
use crate::lattice_keys::{slot_key_bytes, slot_key_residues};
use crate::transfers::Tally;
use tacit_ot::cot::Extension;
use tacit_ot::{ferret, softspoken};
use tacit_schedule::{Computing, Effort, Tally as _, Unit};

/// OTs of a session: their state, and the extension.
#[derive(Clone, Copy, Debug)]
pub struct CountedOts {
    /// The OTs that are set up.
    pub tally: Tally,
    /// The extension that makes OTs.
    pub extension: Extension,
}

/// Both ends of a channel. It counts what they send and how many times they change to receiving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CountedChannel {
    /// Bytes that the first and that the second party has sent.
    pub bytes: [u64; 2],
    /// How many times the first and the second party went from sending to receiving.
    pub rounds: [u64; 2],
    /// Whether each party has sent something since it last received.
    turned: [bool; 2],
    /// The length of the longest chain of messages that leads to the first and the second party's state.
    waited: [u64; 2],
    /// What both parties compute, and what they wait for, without messages.
    effort: Effort,
}

impl CountedChannel {
    /// Counts what is sent. Repetitions are not replayed one by one, so the time does not depend on their number.
    pub fn play(&mut self, dialogue: &Dialogue, ots: &mut CountedOts) {
        for step in &dialogue.steps {
            match *step {
                Step::SetUp { sender } => {
                    self.start(sender, ots);
                    let dialogue = ots.tally.set_up(ots.extension, sender);
                    self.play(&dialogue, ots);
                }
                Step::Key { size } if ots.tally.keys.insert(size) => {
                    self.effort.compute(Unit::LatticeKey, size.residues());
                    self.play(&Dialogue::default().exchange([size.bytes(); 2]), ots);
                }
                Step::SlotKey if ots.tally.keys.insert_slots() => {
                    self.effort.compute(Unit::LatticeKey, slot_key_residues());
                    self.play(&Dialogue::default().exchange([slot_key_bytes(); 2]), ots);
                }
                Step::EncryptionKey { bytes } if !std::mem::replace(&mut ots.tally.he_key, true) => {
                    self.play(&Dialogue::default().send(Party::Second, bytes), ots);
                }
                Step::ComparisonKey { bytes } if !std::mem::replace(&mut ots.tally.comparison_key, true) => {
                    self.play(&Dialogue::default().send(Party::Second, bytes), ots);
                }
                // The keys exist.
                Step::Key { .. }
                | Step::SlotKey
                | Step::EncryptionKey { .. }
                | Step::ComparisonKey { .. } => {}
                Step::Send { from, bytes } => {
                    self.send(from, bytes);
                    self.receive(from.peer());
                }
                Step::Exchange { bytes } => {
                    self.both_send(bytes);
                    PARTIES.into_iter().for_each(|party| self.receive(party));
                }
                Step::Announce { bytes } => {
                    let waited = self.waited;
                    for (party, bytes) in PARTIES.into_iter().zip(bytes) {
                        self.departs(party, bytes);
                        self.receive(party);
                    }
                    self.waited = waited;
                }
                Step::Transfer { ots: counts } => {
                    self.effort.compute(unit_of(ots.extension), counts[0].saturating_add(counts[1]));
                    let take = |sender: Party| ots.tally.take(ots.extension, sender, counts[sender.index()]);
                    self.cross(PARTIES.map(take));
                }
                Step::Supply { count, most } => {
                    let offer = |sender| ots.tally.offer(ots.extension, sender, (count, most));
                    self.cross(PARTIES.map(offer));
                }
                Step::Compute { unit, count } => self.effort.compute(unit, count),
                Step::Stream { bytes, ref computing } => self.stream(bytes, computing),
                Step::Repeat { times, ref each } => self.repeat(times, each, ots),
            }
        }
    }

    /// Counts a repeated dialogue until the state recurs, and multiplies. What follows depends on which ends have turned and on the
    /// OTs that are left over; cycles are found by Brent's algorithm.
    fn repeat(&mut self, times: u64, each: &Dialogue, ots: &mut CountedOts) {
        let (mut left, mut before) = (times, (*self, ots.tally));
        let (mut steps, mut lap) = (0, 1);
        while left > 0 {
            self.play(each, ots);
            (left, steps) = (left - 1, steps + 1);
            if self.is_alike(&before.0) && ots.tally.is_alike(&before.1) {
                let cycles = left / steps;
                self.again(&before.0, cycles);
                ots.tally.again(&before.1, cycles);
                left %= steps;
            } else if steps == lap {
                (before, steps, lap) = ((*self, ots.tally), 0, 2 * lap);
            }
        }
    }

    /// Adds what was counted since `before` this many times more.
    fn again(&mut self, before: &CountedChannel, times: u64) {
        let more = |now: u64, before: u64| now.saturating_add((now - before).saturating_mul(times));
        self.bytes = [0, 1].map(|i| more(self.bytes[i], before.bytes[i]));
        self.rounds = [0, 1].map(|i| more(self.rounds[i], before.rounds[i]));
        self.waited = [0, 1].map(|i| more(self.waited[i], before.waited[i]));
        self.effort.again(&before.effort, times);
    }

    /// Counts what both parties compute.
    pub fn compute(&mut self, computing: &Computing) {
        self.effort.computing.add(computing, 1);
    }

    /// Whether the same dialogue counts the same from here as after `other`.
    fn is_alike(&self, other: &CountedChannel) -> bool {
        let ahead = |channel: &CountedChannel| channel.waited[0].abs_diff(channel.waited[1]);
        let first_is_ahead = |channel: &CountedChannel| channel.waited[0] > channel.waited[1];
        self.turned == other.turned
            && ahead(self) == ahead(other)
            && first_is_ahead(self) == first_is_ahead(other)
    }

    /// The effort of both parties besides what they send; its messages are the longest chain.
    pub fn effort(&self) -> Effort {
        Effort { flights: self.waited[0].max(self.waited[1]), ..self.effort }
    }

    /// Counts the computing of base OTs and of the start of silent ones, if they are not set up.
    fn start(&mut self, sender: Party, ots: &CountedOts) {
        let CountedOts { tally, extension } = ots;
        if tally.has(*extension, sender) {
            return;
        }
        let loud = Extension::SoftSpoken(tally.params());
        if PARTIES.into_iter().all(|sender| !tally.has(loud, sender)) {
            self.effort.compute(Unit::BaseTransfers, 1);
        }
        match extension {
            Extension::SoftSpoken(_) => {}
            Extension::Ferret(ferret::Params::Small) => self.effort.compute(Unit::SilentSmallStart, 1),
            Extension::Ferret(ferret::Params::Large) => self.effort.compute(Unit::SilentLargeStart, 1),
        }
    }

    /// Counts tables that are sent while one party garbles and the other evaluates them.
    fn stream(&mut self, bytes: u64, computing: &[Computing; 2]) {
        self.effort.stream(bytes, computing);
        if bytes > 0 {
            self.departs(Party::First, bytes);
            self.receive(Party::Second);
        }
    }

    /// Counts messages of OTs; a party to which nothing is sent receives nothing.
    fn cross(&mut self, ways: [[u64; 2]; 2]) {
        let bytes = [0, 1].map(|i| ways[0][i].saturating_add(ways[1][i]));
        self.both_send(bytes);
        for party in PARTIES.into_iter().filter(|party| bytes[party.peer().index()] > 0) {
            self.receive(party);
        }
    }

    fn both_send(&mut self, bytes: [u64; 2]) {
        self.effort.wait_for(bytes[0].max(bytes[1]));
        let waited = self.waited;
        for (party, bytes) in PARTIES.into_iter().zip(bytes) {
            self.departs(party, bytes);
        }
        // Messages that cross do not wait for each other.
        self.waited = [0, 1].map(|i| {
            if bytes[1 - i] > 0 { waited[i].max(waited[1 - i].saturating_add(1)) } else { waited[i] }
        });
    }

    fn send(&mut self, party: Party, bytes: u64) {
        self.effort.wait_for(bytes);
        self.departs(party, bytes);
    }

    /// Counts bytes that a party sends and that the other waits for.
    fn departs(&mut self, party: Party, bytes: u64) {
        let (i, peer) = (party.index(), party.peer().index());
        self.bytes[i] = self.bytes[i].saturating_add(bytes);
        if bytes > 0 {
            self.turned[i] = true;
            self.waited[peer] = self.waited[peer].max(self.waited[i].saturating_add(1));
        }
    }

    fn receive(&mut self, party: Party) {
        let i = party.index();
        self.rounds[i] = self.rounds[i].saturating_add(std::mem::take(&mut self.turned[i]).into());
    }
}

/// The unit of a transfer.
fn unit_of(extension: Extension) -> Unit {
    match extension {
        Extension::SoftSpoken(softspoken::Params::K1 | softspoken::Params::K2) => Unit::SoftSpoken2,
        Extension::SoftSpoken(softspoken::Params::K4) => Unit::SoftSpoken4,
        Extension::SoftSpoken(softspoken::Params::K8) => Unit::SoftSpoken8,
        Extension::Ferret(ferret::Params::Small) => Unit::SilentSmall,
        Extension::Ferret(ferret::Params::Large) => Unit::SilentLarge,
    }
}

const PARTIES: [Party; 2] = [Party::First, Party::Second];

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_ot::{ferret, softspoken};

    /// The dialogue with repetitions written out.
    fn unrolled(dialogue: &Dialogue) -> Dialogue {
        let all = dialogue.steps.iter().map(|step| match step {
            Step::Repeat { times, each } => (0..*times).map(|_| unrolled(each)).sum(),
            step => Dialogue { steps: vec![step.clone()] },
        });
        all.sum()
    }

    fn set_up() -> Dialogue {
        Dialogue::default().set_up(Party::First).set_up(Party::Second)
    }

    fn extensions() -> [Extension; 3] {
        let [small, large] = ferret::Params::ALL;
        [softspoken::Params::K2.into(), small.into(), large.into()]
    }

    /// Windows with few and with many OTs, with and without messages, one way and both ways.
    fn dialogues() -> Vec<Dialogue> {
        let mut all = Vec::new();
        for ots in [[1, 0], [5, 0], [32, 32], [96, 96], [127, 128], [0, 1000], [4096, 4096], [40_000, 40_000]]
        {
            let most = ots[0].max(ots[1]);
            let supplied = Dialogue::default().supply(most, 7 * most).transfer(ots);
            let said = supplied.clone().send(Party::First, 9).send(Party::Second, ots[0]);
            let nested = Dialogue::default().repeat(5, supplied.clone()).exchange([3, 4]);
            for each in [supplied, said, nested] {
                all.extend([1, 2, 3, 130, 700].map(|times| Dialogue::default().repeat(times, each.clone())));
            }
        }
        all
    }

    #[test]
    fn repeating_counts_as_going_through_again_and_again() {
        for extension in extensions() {
            let mut ots = CountedOts { tally: Tally::default(), extension };
            let mut channel = CountedChannel::default();
            channel.play(&set_up(), &mut ots);
            for dialogue in dialogues() {
                let (mut other, mut others) = (channel, ots);
                other.play(&unrolled(&dialogue), &mut others);
                channel.play(&dialogue, &mut ots);
                assert_eq!((channel, ots.tally), (other, others.tally), "{extension:?}, {dialogue:?}");
            }
        }
    }

    #[test]
    fn nobody_waits_for_announcements() {
        let mut ots = CountedOts { tally: Tally::default(), extension: extensions()[0] };
        let mut channel = CountedChannel::default();
        let dialogue = Dialogue::default().announce([16, 9]).send(Party::First, 5);
        channel.play(&dialogue, &mut ots);
        assert_eq!((channel.bytes, channel.rounds), ([21, 9], [1, 1]));
        assert_eq!((channel.effort().flights, channel.effort().awaited_bytes), (1, 5));
    }

    /// A loop over all repetitions would not end.
    #[test]
    fn the_largest_number_of_times_is_counted_at_once() {
        for extension in extensions() {
            let mut ots = CountedOts { tally: Tally::default(), extension };
            let mut channel = CountedChannel::default();
            channel.play(&set_up(), &mut ots);
            let window = Dialogue::default().supply(96, 96).transfer([96; 2]).send(Party::First, 1);
            channel.play(&Dialogue::default().repeat(u64::MAX, window), &mut ots);
            assert_eq!(channel.bytes[0], u64::MAX, "{extension:?}");
        }
    }
}
