//! What a path implies about comparisons with constants.

use std::collections::BTreeSet;

use tacit_ir::CompareOp;

use super::condition::{Condition, Conditions, DEPTH};
use crate::graph::{Facts, Graph, Node, Word};
use crate::int::{IntOp, mask};

/// Values of a word that are gone through for what equalities imply.
const LISTED: i128 = 64;

/// A comparison of a word with a constant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comparison {
    of: Word,
    relation: Relation,
    value: i128,
}

#[derive(Clone, Copy, Debug)]
enum Relation {
    /// The word is the value, which is signed.
    Equals,
    /// The word is greater.
    Exceeds { signed: bool },
}

impl Comparison {
    /// The comparison that a flag stands for, if it is one.
    pub(super) fn of(graph: &Graph, word: Word) -> Option<Self> {
        let (relation, of, constant, signed) = match *graph.node(word) {
            Node::Compare(CompareOp::Eq, of, value) => (Relation::Equals, of, value, true),
            Node::Compare(op, limit, of) => {
                let signed = op == CompareOp::LtS;
                (Relation::Exceeds { signed }, of, limit, signed)
            }
            _ => return None,
        };
        let value = graph.value(constant)?;
        let value = if signed { value.to_i128()? } else { value.to_u64()?.into() };
        Some(Comparison { of, relation, value })
    }
}

/// What is known of a word on a path.
#[derive(Debug)]
struct Known {
    /// Bounds as a signed number.
    signed: (i128, i128),
    /// Bounds as an unsigned number.
    unsigned: (i128, i128),
    /// Values that it has not, signed.
    excluded: BTreeSet<i128>,
}

impl Known {
    fn note(&mut self, comparison: Comparison, holds: bool) {
        let value = comparison.value;
        match (comparison.relation, holds) {
            (Relation::Equals, true) => self.signed = (value, value),
            (Relation::Equals, false) => drop(self.excluded.insert(value)),
            (Relation::Exceeds { signed }, _) => {
                let bounds = if signed { &mut self.signed } else { &mut self.unsigned };
                match holds {
                    true => bounds.0 = bounds.0.max(value + 1),
                    false => bounds.1 = bounds.1.min(value),
                }
            }
        }
    }

    /// Lets the two readings learn from one another, and drops excluded values at the ends.
    fn settle(&mut self, bits: u32) {
        if self.unsigned.1 <= Facts::positive(bits) {
            self.signed = (self.signed.0.max(self.unsigned.0), self.signed.1.min(self.unsigned.1));
        }
        while self.signed.0 <= self.signed.1 && self.excluded.contains(&self.signed.0) {
            self.signed.0 += 1;
        }
        while self.signed.0 <= self.signed.1 && self.excluded.contains(&self.signed.1) {
            self.signed.1 -= 1;
        }
        if self.signed.0 >= 0 {
            self.unsigned = (self.unsigned.0.max(self.signed.0), self.unsigned.1.min(self.signed.1));
        } else if self.signed.1 < 0 {
            let wrapped = |value: i128| value & mask(bits) as i128;
            self.unsigned = (wrapped(self.signed.0), wrapped(self.signed.1));
        }
        let signed = |value: i128| if value > Facts::positive(bits) { value - (1 << bits) } else { value };
        while self.unsigned.0 <= self.unsigned.1 && self.excluded.contains(&signed(self.unsigned.0)) {
            self.unsigned.0 += 1;
        }
        while self.unsigned.0 <= self.unsigned.1 && self.excluded.contains(&signed(self.unsigned.1)) {
            self.unsigned.1 -= 1;
        }
    }

    /// Whether no value is left, so that the path is never taken.
    fn is_impossible(&self) -> bool {
        self.signed.0 > self.signed.1 || self.unsigned.0 > self.unsigned.1
    }

    /// Whether a comparison holds, if that is known.
    fn decides(&self, comparison: Comparison, facts: &Facts) -> Option<bool> {
        let value = comparison.value;
        match comparison.relation {
            Relation::Exceeds { signed } => {
                let (min, max) = if signed { self.signed } else { self.unsigned };
                if value < min { Some(true) } else { (value >= max).then_some(false) }
            }
            Relation::Equals => {
                let (min, max) = self.signed;
                if !(min..=max).contains(&value) || self.excluded.contains(&value) {
                    return Some(false);
                }
                let possible = |other: i128| !self.excluded.contains(&other) && facts.allow(other as i64);
                let alone =
                    max - min <= LISTED && (min..=max).all(|other| other == value || !possible(other));
                alone.then_some(true)
            }
        }
    }
}

impl Conditions {
    /// Whether the flag `word` is decided on every path of `path`.
    pub(super) fn implied(&mut self, graph: &Graph, path: Condition, word: Word) -> Option<bool> {
        self.implied_within(graph, path, word, DEPTH)
    }

    fn implied_within(&mut self, graph: &Graph, path: Condition, word: Word, depth: u32) -> Option<bool> {
        let condition = self.of_word(graph, word);
        let with = self.and(path, condition);
        if with == Condition::NEVER {
            return Some(false);
        }
        if with == path {
            return Some(true);
        }
        match *graph.node(word) {
            Node::Not(inner) => self.implied_within(graph, path, inner, depth).map(|known| !known),
            Node::Binary(op @ (IntOp::And | IntOp::Or), a, b) if depth > 0 => {
                // An And fails where one side fails, perhaps only given the other; an Or holds likewise.
                let decisive = op == IntOp::Or;
                match self.implied_within(graph, path, a, depth - 1) {
                    Some(known) if known == decisive => return Some(decisive),
                    Some(_) => return self.implied_within(graph, path, b, depth - 1),
                    None => {}
                }
                let first = self.of_word(graph, a);
                let rest = if decisive { self.minus(path, first) } else { self.and(path, first) };
                if self.contradicts(graph, rest, a) {
                    return Some(decisive);
                }
                self.implied_within(graph, rest, b, depth - 1).filter(|known| *known == decisive)
            }
            _ => {
                let comparison = Comparison::of(graph, word)?;
                let facts = *graph.facts(comparison.of);
                self.known(graph, path, comparison.of)?.decides(comparison, &facts)
            }
        }
    }

    /// Whether a path, given what it says of the word that a flag compares, is never taken.
    fn contradicts(&mut self, graph: &Graph, path: Condition, flag: Word) -> bool {
        let flag = if let Node::Not(inner) = *graph.node(flag) { inner } else { flag };
        let comparison = Comparison::of(graph, flag);
        let known = comparison.and_then(|comparison| self.known(graph, path, comparison.of));
        known.is_some_and(|known| known.is_impossible())
    }

    fn known(&mut self, graph: &Graph, path: Condition, of: Word) -> Option<Known> {
        let (bits, facts) = (graph.bits(of), *graph.facts(of));
        if bits > 64 {
            return None;
        }
        let mut known = Known {
            signed: (facts.min.into(), facts.max.into()),
            unsigned: (facts.least().into(), facts.greatest(bits).into()),
            excluded: BTreeSet::new(),
        };
        for (variable, holds) in self.forced(path) {
            if let Some(comparison) = self.comparisons[variable as usize]
                && comparison.of == of
            {
                known.note(comparison, holds);
            }
        }
        known.settle(bits);
        Some(known)
    }
}
