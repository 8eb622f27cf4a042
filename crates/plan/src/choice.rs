//! The choice of the way of lowering, and of the garbler, that is predicted to be best.

use tacit_lower::Options;
use tacit_schedule::Consumed;

use crate::candidate::Candidate;
use crate::{Goal, PlanError, Prediction};

/// A plan departs from the usual garbler and mode only if that saves at least 1 part in this many.
const LEAST_GAIN: u128 = 20;

/// A way to run a program, or why there is none.
pub(crate) type Planned = Result<Candidate, PlanError>;

/// The best way with values shared in the domain of `lowering` unless a pin decides. Sums are compared and
/// shifted directly; doing so on bits is tried, too, unless `lowering` asks for direct ones. `directs` says
/// whether the program compares and shifts any.
///
/// Errors: that of the first way, if none works.
pub(crate) fn best(
    lowering: &Options,
    goal: Goal,
    directs: [bool; 2],
    lowered: &mut dyn FnMut(&Options) -> Planned,
) -> Planned {
    let mut best = lowered(&Options { direct_comparisons: true, direct_shifts: true, ..*lowering });
    let material = best.as_ref().ok().map(|candidate| &candidate.counts.material);
    let takes =
        |is: fn(Consumed) -> bool| material.is_none_or(|material| material.iter().any(|(kind, _)| is(kind)));
    let compares = directs[0] && takes(|kind| matches!(kind, Consumed::Comparison { .. }));
    let shifts = directs[1] && takes(|kind| matches!(kind, Consumed::Shift { .. }));
    let compared_as_bits = compares && !lowering.direct_comparisons;
    let shifted_as_bits = shifts && !lowering.direct_shifts;
    for (direct_comparisons, direct_shifts) in [(false, false), (false, true), (true, false)] {
        if (direct_comparisons || compared_as_bits) && (direct_shifts || shifted_as_bits) {
            best = better(best, lowered(&Options { direct_comparisons, direct_shifts, ..*lowering }), goal);
        }
    }
    best
}

/// The second if it is better, or if the first is none.
pub(crate) fn better(first: Planned, second: Planned, goal: Goal) -> Planned {
    better_of(first, second, goal, |candidate| candidate)
}

/// As [`better`], for values that contain candidates.
pub(crate) fn better_of<T>(
    first: Result<T, PlanError>,
    second: Result<T, PlanError>,
    goal: Goal,
    candidate: impl Fn(&T) -> &Candidate,
) -> Result<T, PlanError> {
    let of = |one: &T| candidate(one).sides.forecast.prediction.of(goal);
    match (&first, &second) {
        (Ok(a), Ok(b)) if of(b) < of(a) => second,
        (Err(_), Ok(_)) => second,
        // If all plans take too much memory, report the one that takes least.
        (Err(PlanError::Memory { needed: a, .. }), Err(PlanError::Memory { needed: b, .. })) if b < a => {
            second
        }
        _ => first,
    }
}

/// The usual way, or another if it is so much better that it is worth it, or the usual one is none.
pub(crate) fn departing<T>(
    usual: Result<T, PlanError>,
    other: Result<T, PlanError>,
    goal: Goal,
    prediction: impl Fn(&T) -> &Prediction,
) -> Result<T, PlanError> {
    match (usual, other) {
        (Ok(usual), Ok(other)) => {
            let is_worth_it = is_worth_it(prediction(&usual), prediction(&other), goal);
            Ok(if is_worth_it { other } else { usual })
        }
        (Err(_), Ok(other)) => Ok(other),
        (usual, Err(_)) => usual,
    }
}

/// Whether a plan is so much better with the other garbler or mode that it is worth departing from the usual
/// one.
fn is_worth_it(usual: &Prediction, other: &Prediction, goal: Goal) -> bool {
    let saves = |usual: u64, other: u64| {
        let [usual, other] = [usual, other].map(u128::from);
        other < usual && other * LEAST_GAIN <= usual * (LEAST_GAIN - 1)
    };
    let (usual, other) = (usual.of(goal), other.of(goal));
    saves(usual.0, other.0) || (other.0 <= usual.0 && saves(usual.1, other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Objective, PhaseTime, PredictedTime, Traffic};

    /// A prediction of so many bytes and nanoseconds.
    fn of((garbler_bytes, waiting_ns): (u64, u64)) -> Prediction {
        let online = PhaseTime { waiting_ns, ..PhaseTime::default() };
        Prediction {
            online: Traffic { garbler_bytes, ..Traffic::default() },
            time: PredictedTime { online, ..PredictedTime::default() },
            ..Prediction::default()
        }
    }

    /// Whether the second is worth it if bytes count most, and then time.
    fn by_bytes(usual: (u64, u64), other: (u64, u64)) -> bool {
        let goal = Goal { objective: Objective::Bytes, ..Goal::default() };
        is_worth_it(&of(usual), &of(other), goal)
    }

    #[test]
    fn time_decides_between_plans_of_equal_bytes() {
        assert!(by_bytes((1000, 100), (1000, 95)));
        assert!(!by_bytes((1000, 100), (1000, 96)));
        assert!(!by_bytes((1000, 100), (1001, 1)));
        assert!(by_bytes((1000, 100), (950, 500)));
    }

    #[test]
    fn a_gain_of_five_percent_is_worth_it() {
        let is_worth_it = |usual, other| by_bytes((usual, 0), (other, 0));
        assert!(is_worth_it(1000, 950));
        assert!(!is_worth_it(1000, 951));
        assert!(!is_worth_it(1000, 1001));
        assert!(!is_worth_it(0, 0));
        assert!(is_worth_it(u64::MAX, 1));
    }
}
