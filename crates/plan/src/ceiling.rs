//! The cost beyond which a draft cannot lead to the best plan.
//!
//! A draft is left out if its ANDs or rounds alone make it so expensive that its circuits, even made smaller,
//! could not be better than a draft that is known already. This is the same rule as for finished drafts, see
//! [`crate::drafts`]. The prices of ANDs and rounds are lower bounds of every prediction, so the choice never
//! changes.

use tacit_ir::Domain;
use tacit_lower::{Ceiling, Options};
use tacit_schedule::{Unit, rules};

use crate::drafts::{LEAST_LEFT, LEAST_ROUNDS_LEFT};
use crate::mixed::NEAR;
use crate::{AUTO_TABLE_BYTES, Garbling, ModeChoice, Objective, PlanOptions, TABLE_BYTES};

/// More than rounding loses when times are cut into parts.
const ROUNDING: u64 = 16;
/// Bytes of an AND's table by three halves, at least.
const LEAST_TABLE_BYTES: u64 = 24;

/// The ceiling for a draft with this lowering, where another draft has the predicted objective `best`. `pins`
/// says whether the program pins values.
pub(crate) fn ceiling(best: u64, lowering: &Options, pins: bool, options: &PlanOptions) -> Ceiling {
    // Beyond this much of an objective, the smallest part that could be left of a draft is still neither the
    // best nor near it.
    let beyond = |parts: u64| best.saturating_add(ROUNDING).saturating_mul(parts.max(NEAR));
    let is_of_time = matches!(options.objective, Objective::Total | Objective::Online);
    let rounds = match is_of_time {
        true => rounds(beyond(LEAST_ROUNDS_LEFT), options),
        false => u64::MAX,
    };
    // Which ANDs are garbled is known only if all of them are.
    let whole = !pins && lowering.assigned == Options::default().assigned;
    let ands = if whole { ands(beyond(LEAST_LEFT), lowering.domain, options) } else { u64::MAX };
    Ceiling { ands, rounds }
}

/// The number of rounds that take longer than this many nanoseconds.
fn rounds(nanoseconds: u64, options: &PlanOptions) -> u64 {
    let each = options.link.round_us.saturating_mul(500);
    nanoseconds.checked_div(each).map_or(u64::MAX, |most| most.saturating_add(1))
}

/// The number of ANDs that cost more of the objective than `most`, where all values are in this domain.
fn ands(most: u64, domain: Domain, options: &PlanOptions) -> u64 {
    let rules = rules(domain);
    let (each, floor) = match () {
        _ if rules.is_garbled() => (of_garbled(options), streamed_from(options)),
        _ if rules.is_layered() => (of_shared(options), 0),
        _ => (0, 0),
    };
    let ands = (u128::from(most) * THOUSANDTHS).checked_div(each).and_then(|ands| u64::try_from(ands).ok());
    ands.map_or(u64::MAX, |ands| ands.saturating_add(1).max(floor))
}

/// Thousandths, of a nanosecond or a byte.
const THOUSANDTHS: u128 = 1000;

/// Thousandths of the objective that a garbled AND costs at least: its table is made, and travels meanwhile.
fn of_garbled(options: &PlanOptions) -> u128 {
    let (bytes, unit) = match options.garbling {
        Garbling::HalfGates => (TABLE_BYTES, Unit::HalfGatesGarbled),
        Garbling::ThreeHalves => (LEAST_TABLE_BYTES, Unit::ThreeHalvesGarbled),
    };
    match options.objective {
        Objective::Total | Objective::Online => sent(8 * bytes, options).max(rate(unit, options)),
        Objective::Bytes => u128::from(bytes) * THOUSANDTHS,
        Objective::Money | Objective::Memory => 0,
    }
}

/// Thousandths of the objective that an AND of shared bits costs at least: its triple, and a bit that each
/// party opens.
fn of_shared(options: &PlanOptions) -> u128 {
    let online = || sent(1, options) + rate(Unit::ShareAnd, options);
    match options.objective {
        Objective::Total => online() + rate(Unit::AndTriple, options),
        Objective::Online => online(),
        Objective::Bytes => THOUSANDTHS / 4,
        Objective::Money | Objective::Memory => 0,
    }
}

/// The number of ANDs whose tables may travel before the phase that the objective counts.
fn streamed_from(options: &PlanOptions) -> u64 {
    match (options.objective, options.mode) {
        (Objective::Online, ModeChoice::Precomputed) => u64::MAX,
        (Objective::Online, ModeChoice::Auto) => AUTO_TABLE_BYTES / TABLE_BYTES,
        _ => 0,
    }
}

/// Picoseconds in which this many bits travel.
fn sent(bits: u64, options: &PlanOptions) -> u128 {
    u128::from(bits) * 1_000_000_000_000 / u128::from(options.link.bits_per_second.max(1))
}

/// Picoseconds of a unit.
fn rate(unit: Unit, options: &PlanOptions) -> u128 {
    options.profile.rate(unit).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Link, Named};

    fn ceiling_of(domain: Domain, change: impl Fn(&mut PlanOptions)) -> Ceiling {
        let mut options = PlanOptions {
            link: Link { bits_per_second: 8_000_000_000, round_us: 10 },
            ..PlanOptions::default()
        };
        change(&mut options);
        let lowering = Options { domain, ..options.lowering };
        ceiling(1_000_000 - ROUNDING, &lowering, false, &options)
    }

    #[test]
    fn a_draft_may_take_as_much_as_leaves_it_better() {
        // 32 bytes take 32 ns, and a third remains; a round takes 5 µs, and half remains.
        assert_eq!(ceiling_of(Domain::Yao, |_| {}), Ceiling { ands: 93_751, rounds: 401 });
        let bytes = |options: &mut PlanOptions| options.objective = Objective::Bytes;
        assert_eq!(ceiling_of(Domain::Yao, bytes), Ceiling { ands: 93_751, rounds: u64::MAX });
        assert_eq!(ceiling_of(Domain::Bool, bytes), Ceiling { ands: 12_000_001, rounds: u64::MAX });
        assert_eq!(ceiling_of(Domain::Arith, |_| {}), Ceiling { ands: u64::MAX, rounds: 401 });
    }

    #[test]
    fn tables_that_travel_before_do_not_count_online() {
        let online = |mode| {
            move |options: &mut PlanOptions| (options.objective, options.mode) = (Objective::Online, mode)
        };
        assert_eq!(ceiling_of(Domain::Yao, online(ModeChoice::Streamed)).ands, 93_751);
        assert_eq!(ceiling_of(Domain::Yao, online(ModeChoice::Auto)).ands, 1 << 21);
        assert_eq!(ceiling_of(Domain::Yao, online(ModeChoice::Precomputed)).ands, u64::MAX);
    }

    #[test]
    fn what_cannot_be_bounded_is_not() {
        for objective in [Objective::Memory, Objective::Money] {
            for domain in Domain::UNPINNED {
                assert_eq!(ceiling_of(*domain, |options| options.objective = objective), Ceiling::default());
            }
        }
        let still = |options: &mut PlanOptions| options.link.round_us = 0;
        assert_eq!(ceiling_of(Domain::Arith, still), Ceiling::default());
        assert!(Objective::ALL.len() == 5, "each objective has a price of an AND, or none");
    }
}
