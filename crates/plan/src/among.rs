use tacit_lower::Ceiling;
use tacit_schedule::{Computing, Unit};

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

    /// Limits that no schedule exceeds whose run takes at most so many nanoseconds: an AND takes at least one bit of the link, and its part of a byte
    /// of shared gates.
    pub fn ceiling(nanoseconds: u64, link: Link, profile: &Profile) -> Ceiling {
        let computing = profile.picoseconds(&Computing::of(Unit::SharedGateByte, 1)) / 8;
        let sending = 1_000_000_000_000 / u128::from(link.bits_per_second.max(1));
        let within = |most: u128, one: u128| u64::try_from(most / one.max(1)).unwrap_or(u64::MAX);
        // Two parts of a time were rounded down.
        let nanoseconds = u128::from(nanoseconds) + 2;
        Ceiling {
            ands: within(nanoseconds * 1000, computing + sending),
            rounds: within(nanoseconds * 2, u128::from(link.round_us) * 1000),
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
    fn no_run_within_a_time_exceeds_its_ceiling() {
        let profile = Profile::named("p").with(Unit::SharedGateByte, 3000).with(Unit::SharedRound, 7);
        for (ands, rounds) in [(1, 1), (1000, 30), (123_456_789, 2), (64, 1_000_000)] {
            let computing = Computing::of(Unit::SharedGateByte, u64::div_ceil(ands, 8));
            let work = WorkAmong { computing, rounds, most_bytes: ands.div_ceil(8) };
            for link in [Link::LOOPBACK, Link::SITES] {
                let taken = work.time(link, &profile).nanoseconds();
                let ceiling = WorkAmong::ceiling(taken, link, &profile);
                assert!(ceiling.ands >= ands && ceiling.rounds >= rounds, "{ands} {rounds} {ceiling:?}");
            }
            let ceiling = WorkAmong::ceiling(ands / 2, Link::SITES, &profile);
            assert!(ceiling.ands < ands && ceiling.rounds <= ands / 10_000_000 + 1);
        }
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
