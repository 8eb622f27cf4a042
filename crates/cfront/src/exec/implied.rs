//! What a path implies about comparisons with constants.

use std::collections::BTreeSet;

use super::comparison::{Comparison, Relation};
use super::condition::{Condition, Conditions, DEPTH};
use crate::graph::{Facts, Graph, Node, Word};
use crate::int::{IntOp, mask};

/// Number of values of a word that are enumerated to use equalities.
const LISTED: i128 = 64;

/// What is known of a word on a path.
#[derive(Debug)]
struct Known {
    /// Bounds as a signed number.
    signed: (i128, i128),
    /// Bounds as an unsigned number.
    unsigned: (i128, i128),
    /// Values that it does not have, signed.
    excluded: BTreeSet<i128>,
}

impl Known {
    fn note(&mut self, comparison: Comparison, holds: bool) {
        let value = comparison.value;
        match (comparison.relation, holds) {
            (Relation::Equals, true) => self.signed = (value, value),
            (Relation::Equals, false) => drop(self.excluded.insert(value)),
            (Relation::IsNegative, true) => self.signed.1 = self.signed.1.min(-1),
            (Relation::IsNegative, false) => self.signed.0 = self.signed.0.max(0),
            (Relation::Exceeds { signed }, _) => {
                let bounds = if signed { &mut self.signed } else { &mut self.unsigned };
                match holds {
                    true => bounds.0 = bounds.0.max(value + 1),
                    false => bounds.1 = bounds.1.min(value),
                }
            }
        }
    }

    /// Tightens the signed and unsigned bounds by each other, and drops excluded values at the ends.
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
            Relation::IsNegative if self.signed.1 < 0 => Some(true),
            Relation::IsNegative => (self.signed.0 >= 0).then_some(false),
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
                // An And is false if one side is false, perhaps only given the other one; the same holds for
                // an Or that is true.
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

    /// Whether a path is impossible, given what it says about the word that a flag compares.
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

#[cfg(test)]
mod tests {
    use tacit_ir::CompareOp;

    use super::*;

    struct Paths {
        graph: Graph,
        all: Conditions,
        path: Condition,
    }

    impl Paths {
        fn new() -> Self {
            Paths { graph: Graph::default(), all: Conditions::new(), path: Condition::ALWAYS }
        }

        fn compare(&mut self, op: CompareOp, word: Word, value: u128) -> Word {
            let value = self.graph.number(self.graph.bits(word), value);
            match op {
                CompareOp::Eq => self.graph.equal(word, value),
                _ => self.graph.compare(op, word, value),
            }
        }

        /// Continues the path on which a comparison has an outcome.
        fn take(&mut self, op: CompareOp, word: Word, value: u128, holds: bool) {
            let flag = self.compare(op, word, value);
            let flag = if holds { flag } else { self.graph.not(flag) };
            let condition = self.all.of_word(&self.graph, flag);
            self.path = self.all.and(self.path, condition);
        }

        fn implied(&mut self, op: CompareOp, word: Word, value: u128) -> Option<bool> {
            let flag = self.compare(op, word, value);
            self.all.implied(&self.graph, self.path, flag)
        }
    }

    #[test]
    fn a_loop_ends_where_all_values_were_tried() {
        let mut paths = Paths::new();
        let input = paths.graph.input(0, 0, 0, 2);
        let count = paths.graph.extend(input, 32, false);
        for value in 0..3 {
            assert_eq!(paths.implied(CompareOp::Eq, count, value), None);
            paths.take(CompareOp::Eq, count, value, false);
        }
        assert_eq!(paths.implied(CompareOp::Eq, count, 3), Some(true));
        assert_eq!(paths.implied(CompareOp::Eq, count, 1), Some(false));
    }

    #[test]
    fn a_check_before_a_loop_bounds_it() {
        let mut paths = Paths::new();
        let n = paths.graph.input(0, 0, 0, 32);
        // n < 6, unsigned, so not negative either.
        paths.take(CompareOp::LtU, n, 6, true);
        assert_eq!(paths.implied(CompareOp::LtS, n, 9), Some(true));
        assert_eq!(paths.implied(CompareOp::LtS, n, 0), Some(false));
        assert_eq!(paths.implied(CompareOp::LtU, n, 5), None);
        paths.take(CompareOp::Eq, n, 5, false);
        assert_eq!(paths.implied(CompareOp::LtU, n, 5), Some(true));
        paths.take(CompareOp::Eq, n, 3, true);
        assert_eq!(paths.implied(CompareOp::Eq, n, 4), Some(false));
    }

    #[test]
    fn what_paths_share_is_seen_below_where_they_differ() {
        let mut paths = Paths::new();
        let (x, other) = (paths.graph.input(0, 0, 0, 32), paths.graph.input(0, 0, 1, 8));
        paths.take(CompareOp::LtS, x, 10, true);
        let (one, two) = (paths.compare(CompareOp::Eq, other, 1), paths.compare(CompareOp::LtU, other, 99));
        let (one, two) = (paths.all.of_word(&paths.graph, one), paths.all.of_word(&paths.graph, two));
        let either = paths.all.or(one, two);
        paths.path = paths.all.and(paths.path, either);
        assert_eq!(paths.implied(CompareOp::LtS, x, 12), Some(true));
    }
}
