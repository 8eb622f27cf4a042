use tacit_ir::CompareOp;

use super::{Facts, Graph, Node, Word};
use crate::int::IntOp;

impl Graph {
    /// `a` if the flag `condition` is set, else `b`.
    pub(crate) fn select(&mut self, condition: Word, a: Word, b: Word) -> Word {
        if a == b {
            return a;
        }
        match *self.node(condition) {
            Node::Constant(ref value) => return if value.is_zero() { b } else { a },
            Node::Not(inner) => return self.select(inner, b, a),
            _ => {}
        }
        let (a, b) = (self.assuming(condition, true, a), self.assuming(condition, false, b));
        if a == b {
            return a;
        }
        let bits = self.bits(a);
        if bits == 1 {
            return self.select_flag(condition, a, b);
        }
        if let Some(word) = self.select_gated(condition, a, b) {
            return word;
        }
        if let Some(word) = self.select_nested(condition, a, b) {
            return word;
        }
        if let Some(word) = self.select_extended(condition, a, b) {
            return word;
        }
        if let Some(word) = self.select_change(condition, a, b) {
            return word;
        }
        let facts = self.selected_facts(condition, a, b);
        self.add(Node::Select(condition, a, b), bits, facts)
    }

    /// `word` given the value of `condition`, looking one choice deep.
    fn assuming(&self, condition: Word, known: bool, word: Word) -> Word {
        match *self.node(word) {
            Node::Select(other, a, b) if other == condition => {
                if known {
                    a
                } else {
                    b
                }
            }
            _ => word,
        }
    }

    fn select_flag(&mut self, condition: Word, a: Word, b: Word) -> Word {
        match (self.flag_value(a), self.flag_value(b)) {
            (Some(true), _) => self.or(condition, b),
            (_, Some(false)) => self.and(condition, a),
            (Some(false), _) => {
                let no = self.not(condition);
                self.and(no, b)
            }
            (_, Some(true)) => {
                let no = self.not(condition);
                self.or(no, a)
            }
            _ if self.not(a) == b => self.xor(condition, b),
            _ if condition == a => self.or(condition, b),
            _ if condition == b => self.and(condition, a),
            _ => self.add(Node::Select(condition, a, b), 1, Facts::unknown(1)),
        }
    }

    /// Two choices between the same two words become one choice by a combined condition.
    fn select_nested(&mut self, condition: Word, a: Word, b: Word) -> Option<Word> {
        if let Node::Select(inner, x, y) = *self.node(a) {
            if y == b {
                let both = self.and(condition, inner);
                return Some(self.select(both, x, b));
            }
            if x == b {
                let no = self.not(inner);
                let both = self.and(condition, no);
                return Some(self.select(both, y, b));
            }
        }
        if let Node::Select(inner, x, y) = *self.node(b) {
            if x == a {
                let either = self.or(condition, inner);
                return Some(self.select(either, a, y));
            }
            if y == a {
                let no = self.not(inner);
                let either = self.or(condition, no);
                return Some(self.select(either, a, x));
            }
        }
        None
    }

    /// Chooses before widening.
    fn select_extended(&mut self, condition: Word, a: Word, b: Word) -> Option<Word> {
        let bits = self.bits(a);
        let source = |graph: &Graph, word: Word| match *graph.node(word) {
            Node::Extend { value, signed, .. } => Some((value, signed)),
            _ => None,
        };
        let (x, y, signed) = match (source(self, a), source(self, b)) {
            (Some((x, signed)), Some((y, same))) if signed == same => (x, y, signed),
            (Some((x, signed)), None) => (x, self.narrow_constant(b, signed)?, signed),
            (None, Some((y, signed))) => (self.narrow_constant(a, signed)?, y, signed),
            _ => return None,
        };
        let width = self.bits(x).max(self.bits(y));
        if width >= bits {
            return None;
        }
        let (x, y) = (self.extend(x, width, signed), self.extend(y, width, signed));
        let choice = self.select(condition, x, y);
        Some(self.extend(choice, bits, signed))
    }

    /// A constant in the fewest bits that hold it.
    fn narrow_constant(&mut self, word: Word, signed: bool) -> Option<Word> {
        let facts = *self.facts(word);
        let value = self.value(word)?;
        let bits = value.bits();
        let needed = if signed { facts.significant_signed(bits) } else { facts.significant(bits) };
        let narrow = value.slice(0, needed.clamp(1, bits));
        Some(self.constant(narrow))
    }

    /// `c ? x + k : x` as `x + (c ? k : 0)`, and the same for other operations for which zero is neutral.
    fn select_change(&mut self, condition: Word, a: Word, b: Word) -> Option<Word> {
        let step = |graph: &Graph, changed: Word, base: Word| match *graph.node(changed) {
            Node::Binary(op @ (IntOp::Add | IntOp::Xor | IntOp::Or), x, k) if x == base => Some((op, k)),
            Node::Binary(op @ (IntOp::Add | IntOp::Xor | IntOp::Or), k, x) if x == base => Some((op, k)),
            Node::Binary(IntOp::Sub, x, k) if x == base => Some((IntOp::Sub, k)),
            _ => None,
        };
        let zero = self.number(self.bits(a), 0);
        if let Some((op, k)) = step(self, a, b) {
            let change = self.select(condition, k, zero);
            return Some(self.binary(op, b, change));
        }
        if let Some((op, k)) = step(self, b, a) {
            let change = self.select(condition, zero, k);
            return Some(self.binary(op, a, change));
        }
        // c ? x + k : x + l as x + (c ? k : l), for constants.
        match (self.node(a), self.node(b)) {
            (Node::Binary(IntOp::Add, x, k), Node::Binary(IntOp::Add, y, l))
                if x == y && self.value(*k).is_some() && self.value(*l).is_some() =>
            {
                let (x, k, l) = (*x, *k, *l);
                let change = self.select(condition, k, l);
                Some(self.binary(IntOp::Add, x, change))
            }
            _ => None,
        }
    }

    /// Facts that hold for each choice under its condition.
    fn selected_facts(&self, condition: Word, a: Word, b: Word) -> Facts {
        let (bits, plain) = (self.bits(a), self.facts(a).union(self.facts(b)));
        if bits > 64 {
            return plain;
        }
        let (x, y) = (self.facts_where(condition, true, a), self.facts_where(condition, false, b));
        let mut facts = x.union(&y);
        // Minimum and maximum.
        if let Node::Compare(CompareOp::LtS, left, right) = *self.node(condition) {
            let (x, y) = (self.facts(a), self.facts(b));
            if (left, right) == (a, b) {
                facts.max = facts.max.min(x.max).min(y.max);
            }
            if (left, right) == (b, a) {
                facts.min = facts.min.max(x.min).max(y.min);
            }
        }
        if facts.min > facts.max { plain } else { facts.tightened(bits) }
    }

    /// Facts of a word if a condition holds, or if it does not.
    fn facts_where(&self, condition: Word, holds: bool, word: Word) -> Facts {
        let mut facts = *self.facts(word);
        let Some((subject, bound)) = self.bound(condition, holds) else { return facts };
        let applies = match *self.node(word) {
            _ if subject == word => bound.signed || bound.max <= Facts::positive(self.bits(word)),
            Node::Extend { value, signed, .. } if value == subject => match (signed, bound.signed) {
                (true, true) | (false, false) => true,
                (true, false) => bound.max <= Facts::positive(self.bits(value)),
                (false, true) => bound.min >= 0,
            },
            _ => false,
        };
        if applies {
            facts.min = facts.min.max(i64::try_from(bound.min).unwrap_or(i64::MAX));
            facts.max = facts.max.min(i64::try_from(bound.max).unwrap_or(i64::MAX));
        }
        facts
    }

    /// The word that a condition bounds, and the bounds.
    fn bound(&self, condition: Word, holds: bool) -> Option<(Word, Bound)> {
        let number = |word: Word, signed: bool| {
            let value = self.value(word)?;
            if signed { value.to_i128() } else { value.to_u64().map(i128::from) }
        };
        match *self.node(condition) {
            Node::Compare(op @ (CompareOp::LtS | CompareOp::LtU), limit, word) => {
                let signed = op == CompareOp::LtS;
                let limit = number(limit, signed)?;
                let least = if signed { i128::from(i64::MIN) } else { 0 };
                let (min, max) = if holds { (limit + 1, i128::from(u64::MAX)) } else { (least, limit) };
                Some((word, Bound { min, max: if signed { max.min(i64::MAX.into()) } else { max }, signed }))
            }
            Node::Compare(CompareOp::Eq, word, value) if holds => {
                let value = number(value, true)?;
                Some((word, Bound { min: value, max: value, signed: true }))
            }
            // Only the sign.
            Node::Slice { value, low, bits: 1 } if low + 1 == self.bits(value) => {
                let (min, max) = if holds { (i64::MIN, -1) } else { (0, i64::MAX) };
                Some((value, Bound { min: min.into(), max: max.into(), signed: true }))
            }
            Node::Not(inner) => self.bound(inner, !holds),
            _ => None,
        }
    }
}

/// Bounds of a number, read with or without a sign.
struct Bound {
    min: i128,
    max: i128,
    signed: bool,
}
