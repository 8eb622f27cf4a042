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
use crate::{Objective, PlanError};

/// Most moves that are tried.
const MOST_MOVES: usize = 12;
/// Operations that all moves together may lower.
const MOST_OPERATIONS: usize = 30_000;
/// Predicted nanoseconds for each move: choosing is not to take longer than what it may save.
const MOVE_NS: u64 = 100_000_000;
/// A move must save one part in so many.
const LEAST_GAIN: u64 = 50;

/// The candidate, or a better one that differs from it by moves.
pub(crate) fn improved(
    program: &Program,
    from: Candidate,
    objective: Objective,
    lowered: &mut dyn FnMut(&Options) -> Result<Candidate, PlanError>,
) -> Candidate {
    let found = Found::of(program);
    if found.pins || found.classes.len() < 2 {
        return from;
    }
    let mut moves = most_moves(found.operations, from.forecast.prediction.nanoseconds());
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
                Ok(moved) if is_better(&moved, &best, objective) => {
                    best = moved;
                    last = Some(*class);
                }
                _ => {}
            }
        }
    }
    best
}

/// How many moves are tried for a program of so many operations, whose plan is predicted to take so long.
fn most_moves(operations: usize, nanoseconds: u64) -> usize {
    let worth = usize::try_from(nanoseconds / MOVE_NS).unwrap_or(usize::MAX);
    MOST_MOVES.min(MOST_OPERATIONS / operations.max(1)).min(worth)
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

fn is_better(moved: &Candidate, best: &Candidate, objective: Objective) -> bool {
    let [(moved, _), (best, _)] = [moved, best].map(|one| one.forecast.prediction.of(objective));
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
        assert_eq!(most_moves(10, MOVE_NS - 1), 0);
        assert_eq!(most_moves(10, 3 * MOVE_NS), 3);
        assert_eq!(most_moves(10, u64::MAX), MOST_MOVES);
        assert_eq!(most_moves(MOST_OPERATIONS + 1, u64::MAX), 0);
        assert_eq!(most_moves(0, u64::MAX), MOST_MOVES);
    }
}
