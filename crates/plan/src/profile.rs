use std::fmt;

use tacit_schedule::{Computing, Effort, Unit};

use crate::{Link, PhaseTime};

/// The time that a machine takes for each unit of computing. Both parties plan by the same profile: that of
/// the slower one.
#[derive(Clone, PartialEq, Eq)]
pub struct Profile {
    name: String,
    /// Picoseconds, in the order of [`Unit::ALL`].
    rates: [u64; Unit::ALL.len()],
}

impl Profile {
    /// The name of the default profile.
    pub const BUILT_IN: &'static str = "built-in";

    /// A profile of this name with the rates of the built-in one.
    pub fn named(name: impl Into<String>) -> Profile {
        Profile { name: name.into(), ..Profile::default() }
    }

    /// The same profile with another rate, in picoseconds.
    #[must_use]
    pub fn with(mut self, unit: Unit, picoseconds: u64) -> Profile {
        self.rates[unit as usize] = picoseconds;
        self
    }

    /// The profile of this name for two machines that run together: for each unit, the rate of the slower one.
    #[must_use]
    pub fn slower(&self, other: &Profile, name: impl Into<String>) -> Profile {
        let slower =
            |profile: Profile, unit: &Unit| profile.with(*unit, self.rate(*unit).max(other.rate(*unit)));
        Unit::ALL.iter().fold(Profile::named(name), slower)
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Picoseconds of a unit.
    pub fn rate(&self, unit: Unit) -> u64 {
        self.rates[unit as usize]
    }

    /// Hash of all rates, by the names of their units.
    pub fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 profile, version 1");
        for unit in Unit::ALL {
            hasher.update(unit.name().as_bytes()).update(&[0]).update(&self.rate(*unit).to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// Picoseconds that computing takes; saturates.
    pub fn picoseconds(&self, computing: &Computing) -> u128 {
        computing.iter().map(|(unit, count)| u128::from(count) * u128::from(self.rate(unit))).sum()
    }

    /// Nanoseconds of processors that a phase takes, of both parties together; saturates.
    pub fn processor_ns(&self, effort: &Effort) -> u64 {
        let streamed = effort.streamed.iter().map(|one| self.picoseconds(one)).fold(0, u128::saturating_add);
        let both = self.picoseconds(&effort.computing).saturating_mul(2).saturating_add(streamed);
        u64::try_from(both / 1000).unwrap_or(u64::MAX)
    }

    /// How long a phase takes over a link. Tables are garbled, sent and evaluated at the same time, so only
    /// the slowest of the three counts; all other waiting is added.
    pub fn time(&self, effort: &Effort, link: Link) -> PhaseTime {
        let sent =
            |bytes: u64| u128::from(bytes) * 8_000_000_000_000 / u128::from(link.bits_per_second.max(1));
        let tables = sent(effort.table_bytes);
        let walked = effort.streamed.iter().map(|one| self.picoseconds(one)).max().unwrap_or(0);
        let [computing, sending] = if walked >= tables { [walked, 0] } else { [0, tables] };
        let waiting = u128::from(effort.flights) * u128::from(link.round_us) * 500_000;
        let nanoseconds = |picoseconds: u128| u64::try_from(picoseconds / 1000).unwrap_or(u64::MAX);
        PhaseTime {
            computing_ns: nanoseconds(computing.saturating_add(self.picoseconds(&effort.computing))),
            sending_ns: nanoseconds(sending.saturating_add(sent(effort.awaited_bytes))),
            waiting_ns: nanoseconds(waiting),
        }
    }
}

impl Default for Profile {
    /// Measured on two cores of an AMD EPYC and of an Intel Xeon with vector AES, in runs between two processes. The rates of large silent transfers and of sent bytes are approximate.
    fn default() -> Profile {
        let rate = |unit: &Unit| built_in(*unit);
        let mut rates = [0; Unit::ALL.len()];
        rates.iter_mut().zip(Unit::ALL).for_each(|(slot, unit)| *slot = rate(unit));
        Profile { name: Profile::BUILT_IN.to_owned(), rates }
    }
}

/// Picoseconds of a unit by default.
const fn built_in(unit: Unit) -> u64 {
    match unit {
        Unit::BaseTransfers => 10_200_000_000,
        Unit::SoftSpoken2 => 9_000,
        Unit::SoftSpoken4 => 11_200,
        Unit::SoftSpoken8 => 28_000,
        Unit::SilentSmallStart => 4_000_000_000,
        Unit::SilentSmall => 25_000,
        Unit::SilentLargeStart => 60_000_000_000,
        Unit::SilentLarge => 40_000,
        Unit::AndTriple => 4_000,
        Unit::NaryBit => 1_700,
        Unit::LookupTable => 50_000,
        Unit::MaskedWord => 5_600,
        Unit::MaskedByte => 6_800,
        Unit::Label => 35_000,
        Unit::LatticeKey => 125_000,
        Unit::LatticeFresh => 43_000,
        Unit::LatticeProduct => 4_500,
        Unit::LatticeReply => 63_000,
        Unit::HalfGatesGarbled => 11_000,
        Unit::LabelGate => 2_000,
        Unit::LabelIdle => 17_000,
        Unit::LabelGathered => 12_000,
        Unit::HalfGatesEvaluated => 7_700,
        Unit::ThreeHalvesGarbled => 21_000,
        Unit::ThreeHalvesEvaluated => 15_000,
        Unit::LabelXor => 800,
        Unit::LabelMoved => 3_100,
        Unit::ShareGate => 66_000,
        Unit::ShareGateWord => 4_300,
        Unit::ShareAnd => 100,
        Unit::Word => 6_500,
        Unit::WordProduct => 350,
        Unit::WordBit => 1_700,
        Unit::Step => 4_800_000,
        Unit::Message => 20_000_000,
        Unit::SentByte => 300,
        Unit::FreshByte => 500,
        Unit::SharedStep => 4_800_000,
        Unit::SharedByte => 80,
        Unit::DerivedByte => 50,
        Unit::SharedRandomByte => 8_000,
        Unit::OctetProduct => 3_000,
        Unit::SlicedProduct => 500,
        Unit::ByteProduct => 14_500,
        Unit::RingProduct => 6_900,
        Unit::FieldProduct => 300,
        Unit::SharedWordProduct => 700,
        Unit::FieldWordProduct => 13_500,
        Unit::SharedGate => 9_600,
        Unit::SharedGateByte => 1_250,
        Unit::SharedInputByte => 1_250,
        Unit::KingByte => 50,
        Unit::OpenedByte => 20,
        Unit::VerifiedByte => 50_000,
        Unit::SharedSentByte => 50,
        Unit::SharedRound => 2_000_000,
    }
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Profile").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Display for Profile {
    /// The name, and the first digits of the hash.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits: String = self.hash()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        write!(f, "{} {digits}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slower_machine_counts_for_each_unit() {
        let [one, other] = [(1_000, 9_000), (7_000, 2_000)]
            .map(|(word, label)| Profile::named("p").with(Unit::Word, word).with(Unit::Label, label));
        let both = one.slower(&other, "both");
        assert_eq!((both.name(), both.rate(Unit::Word), both.rate(Unit::Label)), ("both", 7_000, 9_000));
        assert_eq!(both.hash(), other.slower(&one, "the same").hash());
    }

    #[test]
    fn tables_travel_while_they_are_made_and_all_else_is_added() {
        let profile = Profile::named("p").with(Unit::HalfGatesGarbled, 3_000).with(Unit::Word, 1_000);
        let mut effort = Effort::default();
        effort.stream(1000, &[Computing::of(Unit::HalfGatesGarbled, 10), Computing::default()]);
        effort.compute(Unit::Word, 7);
        effort.wait_for(2000);
        effort.flights = 3;
        let link = |bits_per_second, round_us| Link { bits_per_second, round_us };
        // 1000 bytes take 8 ns, 2000 take 16; ten ANDs take 30 ns.
        let fast = profile.time(&effort, link(1_000_000_000_000, 2));
        assert_eq!(fast, PhaseTime { computing_ns: 37, sending_ns: 16, waiting_ns: 3000 });
        let slow = profile.time(&effort, link(1_000_000_000, 0));
        assert_eq!(slow, PhaseTime { computing_ns: 7, sending_ns: 24_000, waiting_ns: 0 });
        assert_eq!(slow.nanoseconds(), 24_007);
        // Both compute seven words; one garbles.
        assert_eq!(profile.processor_ns(&effort), 44);
    }

    #[test]
    fn profiles_are_told_apart_by_their_rates() {
        let other = Profile::named("x").with(Unit::Step, 1);
        assert_eq!(Profile::named("x").hash(), Profile::default().hash());
        assert_ne!(other.hash(), Profile::default().hash());
        assert_ne!(other.to_string(), Profile::named("x").to_string());
    }

    #[test]
    fn what_is_beyond_counting_takes_longest() {
        let mut effort = Effort { flights: u64::MAX, ..Effort::default() };
        effort.compute(Unit::BaseTransfers, u64::MAX);
        let time = Profile::default().time(&effort, Link { bits_per_second: 0, round_us: u64::MAX });
        assert_eq!(time.nanoseconds(), u64::MAX);
    }
}
