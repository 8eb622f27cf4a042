//! Classes of operations in other domains than those of the best whole program.
//!
//! From the candidate that is best with one domain throughout, each class of operations is moved to each other domain in turn, and stays where the
//! plan is predicted to be better, until no move helps or as many were tried as the program's size allows. A move is lowered and predicted like any
//! candidate, templates as templates, so conversions, layers that merge and setup all count. The result is never predicted to be worse than what it
//! starts from.
//!
//! Source: the search is Demmler, Schneider and Zohner's question (ABY, NDSS'15, §VII) as Büscher et al. answer it by classes (HyCC, CCS'18).
//! Differs: by local search, and by counted costs of the whole run.

use std::collections::BTreeSet;

use tacit_ir::{Body, Domain, Op, Program};
use tacit_lower::{OpClass, Options};
use tacit_schedule::rules;

use crate::candidate::Candidate;
use crate::{Goal, PlanError};

/// Most moves that are tried.
const MOST_MOVES: usize = 6;
/// Operations that all moves together may lower.
const MOST_OPERATIONS: usize = 30_000;
/// Gates that all moves together may write.
const MOST_GATES: u64 = 1 << 21;
/// Predicted nanoseconds for each move: choosing is not to take longer than what it may save.
const MOVE_NS: u64 = 100_000_000;
/// A move must save one part in so many.
const LEAST_GAIN: u64 = 50;

/// Another way to lower a program whose values are words: with everything that works on bits in a domain whose layers are rounds. No single move leads from one
/// domain throughout to it, since each pays for conversions alone; none where there is nothing to divide.
pub(crate) fn divided(program: &Program, lowering: &Options) -> Option<Options> {
    let found = Found::of(program);
    let on_bits = [OpClass::Comparisons, OpClass::Choices, OpClass::Bits];
    let is_of_words = |class: &OpClass| !on_bits.contains(class);
    let divides = found.classes.iter().any(is_of_words) && !found.classes.iter().all(is_of_words);
    let layered = Domain::UNPINNED.iter().copied().find(|domain| rules(*domain).is_layered())?;
    let applies = divides && !found.pins && rules(lowering.domain).is_of_words();
    let assigned = on_bits.into_iter().fold(lowering.assigned, |all, class| all.with(class, Some(layered)));
    applies.then_some(Options { assigned, ..*lowering })
}

/// The candidate, or a better one that differs from it by moves.
pub(crate) fn improved(
    program: &Program,
    from: Candidate,
    goal: Goal,
    lowered: &mut dyn FnMut(&Options) -> Result<Candidate, PlanError>,
) -> Candidate {
    let found = Found::of(program);
    if found.pins || found.classes.len() < 2 {
        return from;
    }
    let gates = from.schedule.circuits.iter().map(|circuit| circuit.and_count + circuit.xor_count());
    let written = gates.fold(0, u64::saturating_add);
    let mut moves = most_moves((found.operations, written), from.forecast.prediction.nanoseconds());
    let start = from.lowering.domain;
    let mut best = from;
    let mut last = None;
    for class in found.classes.iter().cycle() {
        // A class comes again only after something has moved.
        if last == Some(*class) || moves == 0 {
            break;
        }
        last = last.or(Some(*class));
        for domain in Domain::UNPINNED.iter().copied().filter(|domain| may_work(*class, *domain, start)) {
            let assigned = best.lowering.assigned.with(*class, Some(domain));
            if assigned == best.lowering.assigned || moves == 0 {
                continue;
            }
            moves -= 1;
            match lowered(&Options { assigned, ..best.lowering }) {
                Ok(moved) if is_better(&moved, &best, goal) => {
                    best = moved;
                    last = Some(*class);
                }
                _ => {}
            }
        }
    }
    best
}

/// How many moves are tried for a program of so many operations, in circuits of so many gates, whose plan is predicted to take so long.
fn most_moves((operations, gates): (usize, u64), nanoseconds: u64) -> usize {
    let [worth, written] = [nanoseconds / MOVE_NS, MOST_GATES / gates.max(1)]
        .map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    MOST_MOVES.min(MOST_OPERATIONS / operations.max(1)).min(worth).min(written)
}

/// Whether a class may be assigned to a domain, where the plan starts from another. Sums and products do not leave words, which is hardly ever
/// better and takes longest to count.
fn may_work(class: OpClass, domain: Domain, from: Domain) -> bool {
    let [to_words, from_words] = [domain, from].map(|one| rules(one).is_of_words());
    match class {
        OpClass::Sums | OpClass::Products => to_words || !from_words,
        OpClass::Comparisons => true,
        OpClass::Choices | OpClass::Bits => !to_words,
    }
}

fn is_better(moved: &Candidate, best: &Candidate, goal: Goal) -> bool {
    let [(moved, _), (best, _)] = [moved, best].map(|one| one.forecast.prediction.of(goal));
    moved < best.saturating_sub(best / LEAST_GAIN)
}

/// What there is in a program.
struct Found {
    classes: BTreeSet<OpClass>,
    operations: usize,
    pins: bool,
}

impl Found {
    fn of(program: &Program) -> Found {
        let mut found = Found { classes: BTreeSet::new(), operations: 0, pins: false };
        for template in &program.templates {
            let Body::Operations { operations, .. } = &template.body else { continue };
            found.operations += operations.len();
            for operation in operations {
                found.pins |= matches!(operation.op, Op::Pin(..));
                found.classes.extend(OpClass::of(&operation.op));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_few_where_little_can_be_saved() {
        assert_eq!(most_moves((10, 1), MOVE_NS - 1), 0);
        assert_eq!(most_moves((10, 1), 3 * MOVE_NS), 3);
        assert_eq!(most_moves((10, 1), u64::MAX), MOST_MOVES);
        assert_eq!(most_moves((MOST_OPERATIONS + 1, 1), u64::MAX), 0);
        assert_eq!(most_moves((10, MOST_GATES / 2), u64::MAX), 2);
        assert_eq!(most_moves((10, MOST_GATES + 1), u64::MAX), 0);
        assert_eq!(most_moves((0, 0), u64::MAX), MOST_MOVES);
    }
}
