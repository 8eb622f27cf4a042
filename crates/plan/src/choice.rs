//! The choice of the way of lowering that is predicted to be best.

use tacit_lower::Options;
use tacit_schedule::Consumed;

use crate::candidate::Candidate;
use crate::{Goal, PlanError};

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
