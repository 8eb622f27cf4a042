//! A form of an objective that adds up over operations.

use tacit_schedule::{Computing, Effort, Unit};

use crate::{Forecast, Goal, Link, Objective, Profile};

/// An objective counted in two ways, neither of which ever exceeds the whole. For tables that travel while
/// they are garbled, one way counts the computing and the other the travelling. The larger total decides,
/// after all operations are added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Linear {
    ways: [f64; 2],
}

/// The share of these units that does not grow with the computation, or is done for several operations at
/// once.
const ONCE: [Unit; 9] = [
    Unit::BaseTransfers,
    Unit::SilentSmallStart,
    Unit::SilentLargeStart,
    Unit::LatticeKey,
    Unit::LabelGate,
    Unit::LabelIdle,
    Unit::LabelGathered,
    Unit::Step,
    Unit::Message,
];

impl Linear {
    /// The cost of a run apart from the handshake, inputs and outputs.
    pub(super) fn of(forecast: &Forecast, goal: Goal, (profile, link): (&Profile, Link)) -> Linear {
        let [setup, online] =
            [&forecast.setup, &forecast.online].map(|effort| Phase { effort, profile, link });
        let bytes = forecast.prediction.bytes() as f64;
        let ways = match goal.objective {
            Objective::Total => [0, 1].map(|way| setup.nanoseconds()[way] + online.nanoseconds()[way]),
            Objective::Online => [online.evaluating(); 2],
            Objective::Bytes => [bytes; 2],
            Objective::Money => {
                let processors = setup.processors() + online.processors();
                [goal.tariff.cost(0, processors as u64) as f64 + goal.tariff.cost(bytes as u64, 0) as f64; 2]
            }
            // Memory does not add up.
            Objective::Memory => [0.0; 2],
        };
        Linear { ways }
    }

    /// The sum with `times` times another.
    pub(super) fn and(self, other: Linear, times: f64) -> Linear {
        Linear { ways: [0, 1].map(|way| self.ways[way] + other.ways[way] * times) }
    }

    /// One of so many equal parts.
    pub(super) fn part(self, parts: f64) -> Linear {
        Linear { ways: self.ways.map(|way| way / parts) }
    }

    /// The increase over `before`, at least zero.
    pub(super) fn since(self, before: Linear) -> Linear {
        Linear { ways: [0, 1].map(|way| (self.ways[way] - before.ways[way]).max(0.0)) }
    }

    /// The smaller value of each of the two ways.
    pub(super) fn smaller(self, other: Linear) -> Linear {
        Linear { ways: [0, 1].map(|way| self.ways[way].min(other.ways[way])) }
    }

    /// The larger value of each of the two ways.
    pub(super) fn larger(self, other: Linear) -> Linear {
        Linear { ways: [0, 1].map(|way| self.ways[way].max(other.ways[way])) }
    }

    /// The objective, at least.
    pub(super) fn value(self) -> u64 {
        self.ways[0].max(self.ways[1]).max(0.0) as u64
    }
}

/// The cost of a phase.
struct Phase<'a> {
    effort: &'a Effort,
    profile: &'a Profile,
    link: Link,
}

impl Phase<'_> {
    /// Nanoseconds of the computing that grows with the program.
    fn computing(&self, computing: &Computing) -> f64 {
        let grows = computing.iter().filter(|(unit, _)| !ONCE.contains(unit));
        let grows = grows.fold(Computing::default(), |all, (unit, count)| all.and(unit, count));
        self.profile.picoseconds(&grows) as f64 / 1000.0
    }

    fn travelling(&self, bytes: u64) -> f64 {
        bytes as f64 * 8e9 / self.link.bits_per_second.max(1) as f64
    }

    /// Once with the garbler's computing, once with the travelling of tables.
    fn nanoseconds(&self) -> [f64; 2] {
        let all = self.computing(&self.effort.computing) + self.travelling(self.effort.awaited_bytes);
        let [garbled, _] = &self.effort.streamed;
        [all + self.computing(garbled), all + self.travelling(self.effort.table_bytes)]
    }

    /// With the evaluator's computing, which is online whenever tables travel.
    fn evaluating(&self) -> f64 {
        let [_, evaluated] = &self.effort.streamed;
        let all = self.computing(&self.effort.computing) + self.travelling(self.effort.awaited_bytes);
        all + self.computing(evaluated)
    }

    /// Processor time of both parties.
    fn processors(&self) -> f64 {
        let streamed: f64 = self.effort.streamed.iter().map(|one| self.computing(one)).sum();
        2.0 * self.computing(&self.effort.computing) + streamed
    }
}
