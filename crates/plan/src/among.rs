use tacit_schedule::Computing;

use crate::{Link, PhaseTime, Profile};

/// The work of a run among three parties or more, of which its time depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkAmong {
    /// What a party computes.
    pub computing: Computing,
    /// The smallest number of messages that follow one another.
    pub rounds: u64,
    /// Bytes of elements that the party sends which sends most.
    pub most_bytes: u64,
}

impl WorkAmong {
    /// How long a run takes from its inputs to its last output. Each party has a machine of its own, and the link's
    /// bandwidth for all others together. Computing, sending and waiting follow one another; saturates.
    pub fn time(&self, link: Link, profile: &Profile) -> PhaseTime {
        let bits = u128::from(self.most_bytes) * 8_000_000_000;
        let waiting = u128::from(self.rounds) * u128::from(link.round_us) * 500;
        let whole = |nanoseconds: u128| u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        PhaseTime {
            computing_ns: whole(profile.picoseconds(&self.computing) / 1000),
            sending_ns: whole(bits / u128::from(link.bits_per_second.max(1))),
            waiting_ns: whole(waiting),
        }
    }
}

#[cfg(test)]
mod tests {
    use tacit_schedule::Unit;

    use super::*;

    #[test]
    fn computing_sending_and_waiting_are_counted() {
        let work = WorkAmong {
            computing: Computing::of(Unit::RingProduct, 1_000_000).and(Unit::SharedRound, 40),
            rounds: 20,
            most_bytes: 2_500_000,
        };
        let profile = Profile::named("p").with(Unit::RingProduct, 90_000).with(Unit::SharedRound, 30_000_000);
        let time = work.time(Link::SITES, &profile);
        // A million times 90 ns and 40 times 30 us; 20 million bits of 250 Mbit/s; 20 times 5 ms.
        let expected =
            PhaseTime { computing_ns: 91_200_000, sending_ns: 80_000_000, waiting_ns: 100_000_000 };
        assert_eq!(time, expected);
    }

    #[test]
    fn nothing_overflows() {
        let all = u64::MAX;
        let work =
            WorkAmong { computing: Computing::of(Unit::RingProduct, all), rounds: all, most_bytes: all };
        let link = Link { bits_per_second: 0, round_us: all };
        assert_eq!(work.time(link, &Profile::default()).nanoseconds(), all);
    }
}
