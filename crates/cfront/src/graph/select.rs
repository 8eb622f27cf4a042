use super::{Facts, Graph, Node, Word};
use crate::int::{Int, IntOp};

impl Graph {
    /// `a` where the flag `condition` is set, else `b`.
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

    /// `word` where `condition` is known, looking one choice deep.
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
            _ if self.not(a) == b => {
                let same = self.xor(condition, b);
                self.not(same)
            }
            _ if condition == a => self.or(condition, b),
            _ if condition == b => self.and(condition, a),
            _ => self.add(Node::Select(condition, a, b), 1, Facts::unknown(1)),
        }
    }

    /// Two choices between the same two words are one choice by a combined condition.
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

    /// A constant in as few bits as hold it.
    fn narrow_constant(&mut self, word: Word, signed: bool) -> Option<Word> {
        let facts = *self.facts(word);
        let value = self.value(word)?;
        let bits = value.bits();
        let needed = if signed { facts.significant_signed(bits) } else { facts.significant(bits) };
        let narrow = value.slice(0, needed.clamp(1, bits));
        Some(self.constant(narrow))
    }

    /// `c ? x + k : x` as `x + (c ? k : 0)`, and the same for other operations that zero leaves alone.
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

    /// The union of both, less what `min`- and `max`-like choices exclude.
    fn selected_facts(&self, condition: Word, a: Word, b: Word) -> Facts {
        let bits = self.bits(a);
        let (x, y) = (self.facts(a), self.facts(b));
        let mut facts = x.union(y);
        if bits > 64 {
            return facts;
        }
        let Node::Compare(op, left, right) = *self.node(condition) else { return facts };
        let unsigned_safe = x.min >= 0 && y.min >= 0;
        let constant =
            |word: Word| self.value(word).and_then(Int::to_i128).and_then(|value| i64::try_from(value).ok());
        if op == tacit_ir::CompareOp::LtS || op == tacit_ir::CompareOp::LtU && unsigned_safe {
            // limit < x ? y : x is at most limit where x is chosen, at least limit + 1 where y is it.
            if let Some(limit) = constant(left) {
                if right == b {
                    facts.max = x.max.max(y.max.min(limit));
                }
                if right == a {
                    facts.min = y.min.min(x.min.max(limit.saturating_add(1)));
                }
            }
            if left == a && right == b {
                facts.max = x.max.min(y.max);
            }
            if left == b && right == a {
                facts.min = x.min.max(y.min);
            }
        }
        if facts.min > facts.max { x.union(y) } else { facts.tightened(bits) }
    }
}
