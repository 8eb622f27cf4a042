//! What two parties send each other over a channel, in order; it only depends on sizes.

use crate::Party;
use crate::lattice_keys::KeySize;
use std::iter::Sum;
use tacit_schedule::{Computing, Unit};

/// The messages of two parties, one step after the other, both as senders and as receivers: see [`crate::CountedChannel`],
/// which counts its bytes and rounds. Numbers saturate instead of wrapping: the maximum exceeds every limit that it is compared
/// with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialogue {
    pub(crate) steps: Vec<Step>,
}

/// What both parties do at one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Set up the OTs of this sender, unless they are set up.
    SetUp { sender: Party },
    /// Exchange keys for lattices, unless they exist.
    Key { size: KeySize },
    /// Exchange the key of products in slots, unless it exists.
    SlotKey,
    /// The second party sends the key for encrypted words, unless it exists.
    EncryptionKey { bytes: u64 },
    /// The second party sends the key for comparisons of encrypted words, unless it exists.
    ComparisonKey { bytes: u64 },
    /// One party sends, and the other receives.
    Send { from: Party, bytes: u64 },
    /// Both send, then both receive.
    Exchange { bytes: [u64; 2] },
    /// Both send what the other one reads when it has arrived long since.
    Announce { bytes: [u64; 2] },
    /// Random OTs, by their sender. Each party is first the receiver of the peer's, then the sender of its own.
    Transfer { ots: [u64; 2] },
    /// [`tacit_ot::rot::Sender::offer`] and then [`tacit_ot::rot::Receiver::accept`] of each party, in OTs.
    Supply { count: u64, most: u64 },
    /// Both parties compute this many of a unit.
    Compute { unit: Unit, count: u64 },
    /// The first party sends tables while it garbles them, and the second evaluates the ones that have arrived; what each of them
    /// computes meanwhile.
    Stream { bytes: u64, computing: Box<[Computing; 2]> },
    /// The same, repeatedly.
    Repeat { times: u64, each: Dialogue },
}

impl Dialogue {
    fn with(mut self, step: Step) -> Dialogue {
        self.steps.push(step);
        self
    }

    /// Sets up the random OTs of this sender as [`crate::transfers::Transfers`] does, unless they are set up.
    #[must_use]
    pub fn set_up(self, sender: Party) -> Dialogue {
        self.with(Step::SetUp { sender })
    }

    /// Exchanges keys for lattices as [`crate::lattice_keys::LatticeKeys`] does, unless they exist.
    #[must_use]
    pub fn key(self, size: KeySize) -> Dialogue {
        self.with(Step::Key { size })
    }

    /// Exchanges the key of products in slots as [`crate::lattice_keys::LatticeKeys`] does, unless it exists.
    #[must_use]
    pub fn slot_key(self) -> Dialogue {
        self.with(Step::SlotKey)
    }

    /// The second party sends the key for encrypted words, as in [`crate::he::HeKey::meet`], unless it exists.
    #[must_use]
    pub fn encryption_key(self, bytes: u64) -> Dialogue {
        self.with(Step::EncryptionKey { bytes })
    }

    /// The second party sends the key for comparisons of encrypted words, as in [`crate::he::ComparisonKey::meet`], unless it exists.
    #[must_use]
    pub fn comparison_key(self, bytes: u64) -> Dialogue {
        self.with(Step::ComparisonKey { bytes })
    }

    /// One party sends, and the other receives, even if there are no bytes.
    #[must_use]
    pub fn send(self, from: Party, bytes: u64) -> Dialogue {
        self.with(Step::Send { from, bytes })
    }

    /// Both send everything, then both receive, as in [`tacit_net::Channel::exchange`]: bytes of the first and of the second party.
    #[must_use]
    pub fn exchange(self, bytes: [u64; 2]) -> Dialogue {
        if bytes == [0; 2] { self } else { self.with(Step::Exchange { bytes }) }
    }

    /// Both send what the other one only reads when it has arrived long since, so that nobody waits for it.
    #[must_use]
    pub fn announce(self, bytes: [u64; 2]) -> Dialogue {
        self.with(Step::Announce { bytes })
    }

    /// Random OTs, by their sender: each party is first the receiver of the peer's, then the sender of its own.
    #[must_use]
    pub fn transfer(self, ots: [u64; 2]) -> Dialogue {
        self.with(Step::Transfer { ots })
    }

    /// The sender's messages for the next `count` OTs of each direction are available; or if they are not, those for the next
    /// `most` are sent.
    #[must_use]
    pub fn supply(self, count: u64, most: u64) -> Dialogue {
        self.with(Step::Supply { count, most })
    }

    /// Both parties compute this many of a unit.
    #[must_use]
    pub fn compute(self, unit: Unit, count: u64) -> Dialogue {
        if count == 0 { self } else { self.with(Step::Compute { unit, count }) }
    }

    /// The first party sends tables while it computes the first of `computing`, and the second computes the second as they
    /// arrive.
    #[must_use]
    pub fn stream(self, bytes: u64, computing: [Computing; 2]) -> Dialogue {
        self.with(Step::Stream { bytes, computing: Box::new(computing) })
    }

    /// The same `times` times, one after the other.
    #[must_use]
    pub fn repeat(self, times: u64, each: Dialogue) -> Dialogue {
        match times {
            0 => self,
            1 => self.then(each),
            times => self.with(Step::Repeat { times, each }),
        }
    }

    /// The cost of `count` pieces that are made at most `window` at a time: `one` returns that of this many.
    #[must_use]
    pub fn windows(self, count: u64, window: u64, one: impl Fn(u64) -> Dialogue) -> Dialogue {
        let (whole, rest) = (count / window, count % window);
        let all = if whole > 0 { self.repeat(whole, one(window)) } else { self };
        if rest > 0 { all.then(one(rest)) } else { all }
    }

    /// Adds what comes next.
    #[must_use]
    pub fn then(mut self, next: Dialogue) -> Dialogue {
        self.steps.extend(next.steps);
        self
    }

    /// Random OTs in which the first, and in which the second party is the sender.
    pub fn ots(&self) -> [u64; 2] {
        self.sum(|step| if let Step::Transfer { ots } = step { *ots } else { [0; 2] })
    }

    /// Bytes that the first and that the second party sends besides those of OTs and keys.
    pub fn bytes(&self) -> [u64; 2] {
        self.sum(|step| match *step {
            Step::Send { from: Party::First, bytes } | Step::Stream { bytes, .. } => [bytes, 0],
            Step::Send { from: Party::Second, bytes } => [0, bytes],
            Step::Exchange { bytes } => bytes,
            // The other steps are for OTs and keys.
            _ => [0; 2],
        })
    }

    fn sum(&self, of: impl Fn(&Step) -> [u64; 2] + Copy) -> [u64; 2] {
        self.steps.iter().fold([0u64; 2], |sum, step| {
            let more = match step {
                Step::Repeat { times, each } => each.sum(of).map(|count| count.saturating_mul(*times)),
                step => of(step),
            };
            [0, 1].map(|i| sum[i].saturating_add(more[i]))
        })
    }
}

impl Sum for Dialogue {
    fn sum<I: Iterator<Item = Dialogue>>(all: I) -> Dialogue {
        all.fold(Dialogue::default(), Dialogue::then)
    }
}
