//! Which of the ways to lower a program is predicted to be fastest.

use tacit_lower::Options;

use crate::{Link, Plan, PlanError};

/// Makes the plan of one way of lowering.
pub(crate) type Planner<'a> = &'a mut dyn FnMut(&Options) -> Result<Plan, PlanError>;

/// The fastest plan with values shared in the domain of `lowering` where nothing says otherwise. Sums are compared and shifted as
/// they are, or as bits unless `lowering` says the former.
///
/// Errors: that of the first way, where none gives a plan.
pub(crate) fn fastest(lowering: &Options, link: Link, planner: Planner<'_>) -> Result<Plan, PlanError> {
    let mut best = planner(&Options { direct_comparisons: true, direct_shifts: true, ..*lowering });
    let material = best.as_ref().ok().map(Plan::material);
    let compares = material.is_none_or(|material| !material.comparisons.is_empty());
    let shifts = material.is_none_or(|material| !material.shifts.is_empty());
    let compared_as_bits = compares && !lowering.direct_comparisons;
    let shifted_as_bits = shifts && !lowering.direct_shifts;
    for (direct_comparisons, direct_shifts) in [(false, false), (false, true), (true, false)] {
        if (direct_comparisons || compared_as_bits) && (direct_shifts || shifted_as_bits) {
            best = faster(best, planner(&Options { direct_comparisons, direct_shifts, ..*lowering }), link);
        }
    }
    best
}

/// The second where it is faster, or where the first is none.
pub(crate) fn faster(
    first: Result<Plan, PlanError>,
    second: Result<Plan, PlanError>,
    link: Link,
) -> Result<Plan, PlanError> {
    let time = |plan: &Plan| plan.prediction().nanoseconds(link);
    match (&first, &second) {
        (Ok(a), Ok(b)) if time(b) < time(a) => second,
        (Err(_), Ok(_)) => second,
        _ => first,
    }
}
