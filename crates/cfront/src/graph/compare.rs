use tacit_ir::CompareOp;

use super::{Facts, Graph, Node, Word};
use crate::int::{Int, IntOp};

impl Graph {
    pub(crate) fn equal(&mut self, a: Word, b: Word) -> Word {
        self.compare(CompareOp::Eq, a, b)
    }

    /// A comparison of words of one width.
    pub(crate) fn compare(&mut self, op: CompareOp, a: Word, b: Word) -> Word {
        if let Some(known) = self.compare_known(op, a, b) {
            return self.flag(known);
        }
        if let Some(word) = self.compare_selected(op, a, b) {
            return word;
        }
        if let Some((op, a, b)) = self.narrowed(op, a, b) {
            return self.compare(op, a, b);
        }
        match op {
            CompareOp::Eq => self.equal_unknown(a, b),
            CompareOp::LtU | CompareOp::LtS => self.less_unknown(op, a, b),
        }
    }

    fn compare_known(&self, op: CompareOp, a: Word, b: Word) -> Option<bool> {
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            return Some(match op {
                CompareOp::Eq => x == y,
                CompareOp::LtU => x.less_unsigned(y),
                CompareOp::LtS => x.less_signed(y),
            });
        }
        if a == b {
            return Some(op == CompareOp::Eq);
        }
        let bits = self.bits(a);
        let (x, y) = (self.facts(a), self.facts(b));
        match op {
            _ if bits > 64 => None,
            CompareOp::Eq => {
                let apart = x.ones & y.zeros | x.zeros & y.ones != 0 || x.max < y.min || y.max < x.min;
                apart.then_some(false)
            }
            CompareOp::LtU if x.greatest(bits) < y.least() => Some(true),
            CompareOp::LtU => (x.least() >= y.greatest(bits)).then_some(false),
            CompareOp::LtS if x.max < y.min => Some(true),
            CompareOp::LtS => (x.min >= y.max).then_some(false),
        }
    }

    /// Comparing a choice of constants with a constant becomes a choice between known answers.
    fn compare_selected(&mut self, op: CompareOp, a: Word, b: Word) -> Option<Word> {
        let choice = |graph: &Graph, word: Word| match *graph.node(word) {
            Node::Select(condition, yes, no) if graph.value(yes).is_some() && graph.value(no).is_some() => {
                Some((condition, yes, no))
            }
            _ => None,
        };
        let (condition, yes, no) = if self.value(b).is_some() {
            let (condition, x, y) = choice(self, a)?;
            (condition, self.compare(op, x, b), self.compare(op, y, b))
        } else if self.value(a).is_some() {
            let (condition, x, y) = choice(self, b)?;
            (condition, self.compare(op, a, x), self.compare(op, a, y))
        } else {
            return None;
        };
        Some(self.select(condition, yes, no))
    }

    /// `(c ? x : k) = l` as a choice between `x = l` and a known answer, so that the comparison is of `x`
    /// itself.
    fn equal_selected(&mut self, a: Word, b: Word) -> Option<Word> {
        let Node::Select(condition, x, y) = *self.node(a) else { return None };
        self.value(b)?;
        if self.value(x).is_none() && self.value(y).is_none() {
            return None;
        }
        let (yes, no) = (self.equal(x, b), self.equal(y, b));
        Some(self.select(condition, yes, no))
    }

    /// The comparison in fewer bits, if both operands were widened, or one was and the other is a constant.
    fn narrowed(&mut self, op: CompareOp, a: Word, b: Word) -> Option<(CompareOp, Word, Word)> {
        let source = |graph: &Graph, word: Word| match *graph.node(word) {
            Node::Extend { value, signed, .. } => Some((value, signed)),
            _ => None,
        };
        let (signed, a, b) = match (source(self, a), source(self, b)) {
            (Some((x, signed)), Some((y, same))) if signed == same => {
                let bits = self.bits(x).max(self.bits(y));
                (signed, self.extend(x, bits, signed), self.extend(y, bits, signed))
            }
            (Some((x, signed)), None) => (signed, x, self.fitting(b, x, signed)?),
            (None, Some((y, signed))) => (signed, self.fitting(a, y, signed)?, y),
            _ => return None,
        };
        // Values widened with zeros are not negative, so their order is the unsigned one.
        let op = if op == CompareOp::LtS && !signed { CompareOp::LtU } else { op };
        Some((op, a, b))
    }

    /// The constant `word` in the width of `model`, if it is the widening of a constant of that width.
    fn fitting(&mut self, word: Word, model: Word, signed: bool) -> Option<Word> {
        let value = self.value(word)?;
        let narrow = value.slice(0, self.bits(model));
        (narrow.extend(value.bits(), signed) == *value).then(|| self.constant(narrow))
    }

    fn equal_unknown(&mut self, a: Word, b: Word) -> Word {
        let (a, b) =
            if self.value(a).is_some() || self.value(b).is_none() && b < a { (b, a) } else { (a, b) };
        if self.bits(a) == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        if let Some(word) = self.equal_selected(a, b) {
            return word;
        }
        if let Some(value) = self.value(b).cloned() {
            match *self.node(a) {
                Node::Not(x) => {
                    let flipped = self.constant(value.not());
                    return self.equal(x, flipped);
                }
                Node::Binary(op @ (IntOp::Add | IntOp::Xor), x, k) if self.value(k).is_some() => {
                    let inverse = if op == IntOp::Add { IntOp::Sub } else { IntOp::Xor };
                    let rest = self.binary(inverse, b, k);
                    return self.equal(x, rest);
                }
                Node::Binary(IntOp::Sub | IntOp::Xor, x, y) if value.is_zero() => return self.equal(x, y),
                _ => {}
            }
        }
        self.add(Node::Compare(CompareOp::Eq, a, b), 1, Facts::unknown(1))
    }

    /// Constants are moved to the left side, so that each threshold has only one form.
    fn less_unknown(&mut self, op: CompareOp, a: Word, b: Word) -> Word {
        let (bits, signed) = (self.bits(a), op == CompareOp::LtS);
        if let Some(limit) = self.value(b) {
            let least = if signed { Int::ones(bits).shifted_left(bits - 1) } else { Int::zero(bits) };
            if *limit == least {
                return self.flag(false);
            }
            let below = limit.binary(IntOp::Sub, &Int::new(bits, 1));
            let below = self.constant(below);
            let greater = self.compare(op, below, a);
            return self.not(greater);
        }
        if let Some(limit) = self.value(a) {
            if signed && limit.is_ones() {
                let sign = self.bit(b, bits - 1);
                return self.not(sign);
            }
            if !signed && limit.is_zero() {
                let zero = self.equal(b, a);
                return self.not(zero);
            }
        }
        if bits == 1 {
            let (low, high) = if signed { (b, a) } else { (a, b) };
            let not_low = self.not(low);
            return self.and(not_low, high);
        }
        self.add(Node::Compare(op, a, b), 1, Facts::unknown(1))
    }
}
