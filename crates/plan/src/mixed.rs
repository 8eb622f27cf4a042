//! Moves classes of operations to other domains than the best whole program uses.
//!
//! The search starts from the candidate that is best with one domain throughout. Each class of operations,
//! and then everything else, is moved to each other domain in turn, and stays there if the plan is predicted to be better, until no move
//! helps or the search has taken as much time as it may save. Moves are compared by drafts, whose circuits
//! are not optimised: drafts take a hundredth of the time, and optimisation mostly saves the same in both. A
//! draft is lowered and predicted like any candidate, with templates kept as templates, so conversions,
//! merged layers and setup all count. If moves improved the plan, the last draft's circuits are optimised,
//! too. The result is the best of all predictions made on the way.
//!
//! Source: the search answers the question of Demmler, Schneider and Zohner (ABY, NDSS'15, §VII) by classes,
//! as Büscher et al. do (HyCC, CCS'18).
//! Differs: uses local search, and counted costs of the whole run.

use std::collections::BTreeSet;

use tacit_ir::{Body, Domain, Op, Program, ShiftOp};
use tacit_lower::{Assigned, OpClass, Options, movable_classes};
use tacit_schedule::rules;

use crate::candidate::Candidate;
use crate::choice::{Planned, better};
use crate::drafts::Draft;
use crate::{Goal, Objective};

/// Most moves that are tried.
const MOST_MOVES: usize = 40;
/// Upper limit on the nanoseconds estimated for trying moves; the second constant is always allowed.
const MOST_NS: u64 = 500_000_000;
const LEAST_NS: u64 = 20_000_000;
/// Nanoseconds estimated for each gate that a draft writes.
const GATE_NS: u64 = 500;
/// Nanoseconds estimated for each operation that is lowered.
const OPERATION_NS: u64 = 10_000;
/// From this many predicted nanoseconds of a plan on, the circuits of its moves are optimised.
const SMALLER_NS: u64 = 100_000_000;
/// Products leave words only if one domain throughout is predicted to cost at most this many times the best.
pub(crate) const NEAR: u64 = 2;

/// Another way to lower a program whose values are words: with everything that works on bits in a domain
/// whose layers are rounds. No single move leads there from one domain throughout, since each move alone pays
/// for conversions. None if there is nothing to divide.
pub(crate) fn divided(found: &Found, lowering: &Options) -> Option<Options> {
    let on_bits = [OpClass::Comparisons, OpClass::Choices, OpClass::Bits];
    let is_of_words = |class: &OpClass| !on_bits.contains(class);
    let divides = found.classes.iter().any(is_of_words) && !found.classes.iter().all(is_of_words);
    let layered = Domain::UNPINNED.iter().copied().find(|domain| rules(*domain).is_layered())?;
    let applies = divides && !found.pins && rules(lowering.domain).is_of_words();
    let free = on_bits.into_iter().filter(|class| lowering.assigned.of(*class).is_none());
    let assigned = free.fold(lowering.assigned, |all, class| all.with(class, Some(layered)));
    (applies && assigned != lowering.assigned).then_some(Options { assigned, ..*lowering })
}

/// The best of the candidate, the result of moves from it, and the drafts on the way. `lowered` makes a draft
/// if the effort is 0; `classes` may be moved.
pub(crate) fn improved(
    found: &Found,
    classes: &[OpClass],
    from: Candidate,
    drafts: &[Draft],
    goal: Goal,
    lowered: &mut dyn FnMut(&Options) -> Planned,
) -> Planned {
    let effort = from.lowering.effort;
    let time = time_for(from.sides.forecast.prediction.nanoseconds(), goal);
    let mut best = Ok(from);
    if let (Ok(start), false) = (&best, classes.is_empty()) {
        let mut moves = Moves { found, classes, drafts, goal, left: time, tried: 0 };
        if let Some((drawn, has_moved)) = moves.from(start, lowered) {
            let smaller = Options { effort, ..drawn.lowering };
            best = better(best, Ok(drawn), goal);
            if has_moved && time >= SMALLER_NS {
                best = better(best, lowered(&smaller), goal);
            }
        }
    }
    let of = |best: &Candidate| best.sides.forecast.prediction.of(goal);
    match drafts.iter().min_by_key(|draft| draft.prediction.of(goal)) {
        Some(drawn) if best.as_ref().is_ok_and(|best| drawn.prediction.of(goal) < of(best)) => {
            better(best, lowered(&drawn.lowering), goal)
        }
        _ => best,
    }
}

/// Nanoseconds to spend on moves for a run of this predicted time: if the objective is time, hardly more than
/// the run takes.
fn time_for(predicted: u64, goal: Goal) -> u64 {
    match goal.objective {
        Objective::Total | Objective::Online => predicted.clamp(LEAST_NS, MOST_NS),
        Objective::Bytes | Objective::Money | Objective::Memory => MOST_NS,
    }
}

/// What a move puts into another domain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Movable {
    /// The operations of a class.
    Class(OpClass),
    /// Inputs, and what follows them.
    Others,
}

impl Movable {
    /// The same lowering with this in a domain.
    fn to(self, domain: Domain, lowering: &Options) -> Options {
        match self {
            Movable::Class(class) => {
                Options { assigned: lowering.assigned.with(class, Some(domain)), ..*lowering }
            }
            Movable::Others => Options { domain, ..*lowering },
        }
    }
}

/// A search by moves.
struct Moves<'s> {
    found: &'s Found,
    classes: &'s [OpClass],
    drafts: &'s [Draft],
    goal: Goal,
    /// Nanoseconds left of the estimate for trying moves.
    left: u64,
    tried: usize,
}

impl Moves<'_> {
    /// The best draft reached by moves from that of a candidate, and whether it differs; none if there is no
    /// time for drafts.
    fn from(
        &mut self,
        start: &Candidate,
        lowered: &mut dyn FnMut(&Options) -> Planned,
    ) -> Option<(Candidate, bool)> {
        let mut drawn = self.drawn(start, &start.lowering, lowered)?;
        let mut last = None;
        let everything = self.classes.iter().copied().map(Movable::Class).chain([Movable::Others]);
        for movable in everything.cycle() {
            // Something is tried again only after something else has moved.
            if last == Some(movable) || self.tried >= MOST_MOVES {
                break;
            }
            last = last.or(Some(movable));
            for domain in Domain::UNPINNED.iter().copied() {
                let to = movable.to(domain, &drawn.lowering);
                if to == drawn.lowering || !self.may_work(movable, domain, &drawn.lowering) {
                    continue;
                }
                self.tried += 1;
                let moved = self.drawn(&drawn, &to, lowered);
                if let Some(moved) = moved.filter(|moved| self.of(moved) < self.of(&drawn)) {
                    drawn = moved;
                    last = Some(movable);
                }
            }
        }
        let has_moved = drawn.lowering != Options { effort: 0, ..start.lowering };
        Some((drawn, has_moved))
    }

    /// A draft, if there is time for one that writes as many gates as another one.
    fn drawn(
        &mut self,
        like: &Candidate,
        lowering: &Options,
        lowered: &mut dyn FnMut(&Options) -> Planned,
    ) -> Option<Candidate> {
        if self.time(like) > self.left {
            return None;
        }
        let drawn = lowered(&Options { effort: 0, ..*lowering }).ok();
        self.left = self.left.saturating_sub(self.time(drawn.as_ref().unwrap_or(like)));
        drawn
    }

    /// Nanoseconds estimated for a draft.
    fn time(&self, drawn: &Candidate) -> u64 {
        let gates = drawn.schedule.circuits.iter().map(|circuit| circuit.and_count + circuit.xor_count());
        let written = gates.fold(0, u64::saturating_add).saturating_mul(GATE_NS);
        written.saturating_add((self.found.operations as u64).saturating_mul(OPERATION_NS))
    }

    fn of(&self, candidate: &Candidate) -> (u64, u64) {
        candidate.sides.forecast.prediction.of(self.goal)
    }

    /// Whether something may be moved to a domain. Products leave words only for a domain that is near the best
    /// throughout, since products take longest to count.
    fn may_work(&self, movable: Movable, domain: Domain, from: &Options) -> bool {
        let assigned = from.assigned.of(OpClass::Products);
        let moves_products = match movable {
            Movable::Class(class) => class == OpClass::Products,
            // Products without a domain of their own follow their operands.
            Movable::Others => assigned.is_none() && self.found.classes.contains(&OpClass::Products),
        };
        let is_of_words = |domain| rules(domain).is_of_words();
        let leaves = is_of_words(assigned.unwrap_or(from.domain)) && !is_of_words(domain);
        let works = match movable {
            Movable::Class(class) => class.works_in(domain),
            Movable::Others => true,
        };
        works && (!moves_products || !leaves || self.is_near(domain))
    }

    /// Whether a domain throughout is predicted to cost little more than the best one.
    fn is_near(&self, domain: Domain) -> bool {
        let of = |draft: &Draft| draft.prediction.of(self.goal).0;
        let Some(best) = self.drafts.iter().map(of).min() else { return false };
        let throughout = self.drafts.iter().filter(|draft| draft.lowering.domain == domain).map(of);
        throughout.min().is_some_and(|one| one <= best.saturating_mul(NEAR))
    }
}

/// Whether an operation encrypts a value.
pub(crate) fn is_encrypted(op: &Op) -> bool {
    matches!(op, Op::Pin(domain, _) if rules(*domain).is_encrypted())
}

/// Properties of a program.
#[derive(Default)]
pub(crate) struct Found {
    /// The classes with an operation that no pin keeps where it is.
    classes: BTreeSet<OpClass>,
    operations: usize,
    pub(crate) pins: bool,
    /// Whether it computes under encryption.
    pub(crate) encrypts: bool,
    /// Whether it compares words, and shifts them to the right.
    pub(crate) directs: [bool; 2],
    /// Whether it multiplies matrices.
    pub(crate) matrices: bool,
}

impl Found {
    pub(crate) fn of(program: &Program) -> Found {
        let mut found = Found { classes: movable_classes(program), ..Found::default() };
        for template in &program.templates {
            let Body::Operations { operations, .. } = &template.body else { continue };
            found.operations += operations.len();
            for operation in operations {
                found.pins |= matches!(operation.op, Op::Pin(..));
                found.encrypts |= is_encrypted(&operation.op);
                let shifts = matches!(operation.op, Op::ShiftBy(ShiftOp::RightU | ShiftOp::RightS, ..));
                let directs = [matches!(operation.op, Op::Compare(..)), shifts];
                found.directs.iter_mut().zip(directs).for_each(|(all, one)| *all |= one);
                found.matrices |= matches!(operation.op, Op::MatrixProduct { .. });
            }
        }
        found
    }

    /// The classes to try in other domains, where the options have `given` domains to some. None if the time
    /// of the run is not counted, or if one class is everything that a domain throughout decides.
    pub(crate) fn movable(&self, given: Assigned) -> Vec<OpClass> {
        let free: Vec<_> = self.classes.iter().copied().filter(|class| given.of(*class).is_none()).collect();
        let is_everything = free.len() == 1 && !self.pins && given.is_empty();
        if is_everything || self.encrypts { Vec::new() } else { free }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_take_hardly_longer_than_what_they_may_save() {
        let of = |objective, predicted| time_for(predicted, Goal { objective, ..Goal::default() });
        for objective in [Objective::Total, Objective::Online] {
            assert_eq!(of(objective, 0), LEAST_NS);
            assert_eq!(of(objective, MOST_NS - 1), MOST_NS - 1);
            assert_eq!(of(objective, u64::MAX), MOST_NS);
        }
        assert_eq!(of(Objective::Bytes, 0), MOST_NS);
    }
}
