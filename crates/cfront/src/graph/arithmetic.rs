use super::{Facts, Graph, Node, Word};
use crate::int::{Int, IntOp, mask};

impl Graph {
    pub(crate) fn add_words(&mut self, a: Word, b: Word) -> Word {
        self.binary(IntOp::Add, a, b)
    }

    pub(crate) fn sub(&mut self, a: Word, b: Word) -> Word {
        self.binary(IntOp::Sub, a, b)
    }

    pub(crate) fn and(&mut self, a: Word, b: Word) -> Word {
        self.binary(IntOp::And, a, b)
    }

    pub(crate) fn or(&mut self, a: Word, b: Word) -> Word {
        self.binary(IntOp::Or, a, b)
    }

    pub(crate) fn xor(&mut self, a: Word, b: Word) -> Word {
        self.binary(IntOp::Xor, a, b)
    }

    /// Any operation of [`IntOp`] on words of one width, except that the amount of a shift may have any
    /// width.
    pub(crate) fn binary(&mut self, op: IntOp, a: Word, b: Word) -> Word {
        if let IntOp::ShiftLeft | IntOp::ShiftRightU | IntOp::ShiftRightS = op {
            return self.shift(op, a, b);
        }
        if let (Some(x), Some(y)) = (self.value(a), self.value(b)) {
            let value = x.binary(op, y);
            return self.constant(value);
        }
        let (a, b) = if is_commutative(op) { self.ordered(a, b) } else { (a, b) };
        let bits = self.bits(a);
        if let (1, Some(op)) = (bits, one_bit(op)) {
            return self.binary(op, a, b);
        }
        if a == b
            && let Some(word) = self.with_itself(op, a)
        {
            return word;
        }
        if let Some(y) = self.value(b).cloned()
            && let Some(word) = self.with_constant(op, a, &y)
        {
            return word;
        }
        if let Some(word) = self.divide_narrow(op, a, b) {
            return word;
        }
        if let Some(word) = self.beside(op, a, b).or_else(|| self.beside(op, b, a)) {
            return word;
        }
        if let Some(word) = self.absorbed(op, a, b).or_else(|| self.absorbed(op, b, a)) {
            return word;
        }
        if op == IntOp::Sub
            && let Some(word) = self.subtract(a, b)
        {
            return word;
        }
        if op == IntOp::Add && bits <= 64 && (self.facts(a).zeros | self.facts(b).zeros) == mask(bits) as u64
        {
            return self.binary(IntOp::Or, a, b);
        }
        let facts = Facts::of_binary(op, bits, self.facts(a), self.facts(b));
        self.add(Node::Binary(op, a, b), bits, facts)
    }

    pub(crate) fn not(&mut self, a: Word) -> Word {
        match self.node(a) {
            Node::Constant(value) => {
                let value = value.not();
                self.constant(value)
            }
            Node::Not(inner) => *inner,
            _ => {
                let (bits, facts) = (self.bits(a), *self.facts(a));
                let facts = match bits {
                    0..=64 => {
                        Facts { zeros: facts.ones, ones: facts.zeros, min: !facts.max, max: !facts.min }
                    }
                    _ => facts,
                };
                self.add(Node::Not(a), bits, facts)
            }
        }
    }

    /// `(x << n) op y`, where `y` has no bits from `n` up: concatenates both.
    fn beside(&mut self, op: IntOp, a: Word, b: Word) -> Option<Word> {
        let Node::ShiftLeftBy(high, amount) = *self.node(a) else { return None };
        let bits = self.bits(a);
        let joins = matches!(op, IntOp::Add | IntOp::Or | IntOp::Xor);
        if !joins || self.significant(b) > amount {
            return None;
        }
        let (low, high) = (self.slice(b, 0, amount), self.slice(high, 0, bits - amount));
        Some(self.concat(&[low, high]))
    }

    /// Recognises `-1 - b` as the complement of `b`, and `a - a / y * y` as the remainder, which shares the
    /// division's circuit.
    fn subtract(&mut self, a: Word, b: Word) -> Option<Word> {
        if self.value(a).is_some_and(Int::is_ones) {
            return Some(self.not(b));
        }
        let Node::Binary(IntOp::Mul, x, y) = *self.node(b) else { return None };
        let quotient = |word: Word| match *self.node(word) {
            Node::Binary(op @ (IntOp::DivU | IntOp::DivS), dividend, divisor) if dividend == a => {
                Some((op, divisor))
            }
            _ => None,
        };
        let (op, divisor) = match (quotient(x), quotient(y)) {
            (Some((op, divisor)), _) if divisor == y => (op, divisor),
            (_, Some((op, divisor))) if divisor == x => (op, divisor),
            _ => return None,
        };
        Some(self.binary(if op == IntOp::DivU { IntOp::RemU } else { IntOp::RemS }, a, divisor))
    }

    /// The number of bits up to the highest one that may be set.
    fn significant(&self, word: Word) -> u32 {
        match *self.node(word) {
            Node::Extend { value, signed: false, .. } => self.bits(value),
            _ => self.facts(word).significant(self.bits(word)),
        }
    }

    /// `x & (x | y)` and `x | (x & y)` are `x`.
    fn absorbed(&self, op: IntOp, a: Word, b: Word) -> Option<Word> {
        let Node::Binary(inner, x, y) = *self.node(b) else { return None };
        let opposite = matches!((op, inner), (IntOp::And, IntOp::Or) | (IntOp::Or, IntOp::And));
        (opposite && (x == a || y == a)).then_some(a)
    }

    /// Constants go last, else the older operand first.
    fn ordered(&self, a: Word, b: Word) -> (Word, Word) {
        let key = |word: Word| (self.value(word).is_some(), word);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    fn with_itself(&mut self, op: IntOp, a: Word) -> Option<Word> {
        match op {
            IntOp::Sub | IntOp::Xor => Some(self.number(self.bits(a), 0)),
            IntOp::And | IntOp::Or => Some(a),
            _ => None,
        }
    }

    fn with_constant(&mut self, op: IntOp, a: Word, y: &Int) -> Option<Word> {
        let bits = y.bits();
        match op {
            IntOp::Add | IntOp::Or | IntOp::Xor | IntOp::Sub if y.is_zero() => Some(a),
            IntOp::Mul | IntOp::And if y.is_zero() => Some(self.number(bits, 0)),
            IntOp::And if y.is_ones() => Some(a),
            IntOp::Or if y.is_ones() => Some(self.constant(y.clone())),
            IntOp::Xor if y.is_ones() => Some(self.not(a)),
            IntOp::Sub => {
                let negated = self.constant(y.neg());
                Some(self.binary(IntOp::Add, a, negated))
            }
            IntOp::Add | IntOp::Xor => self.reassociate(op, a, y),
            IntOp::And => self.mask_with(a, y),
            IntOp::Mul | IntOp::DivU | IntOp::RemU => {
                let power = y.log2()?;
                Some(match op {
                    IntOp::Mul => self.shift_left_by(a, power),
                    IntOp::DivU => self.shift_right_by(a, power, false),
                    _ if power == 0 => self.number(bits, 0),
                    _ => {
                        let low = self.slice(a, 0, power);
                        self.extend(low, bits, false)
                    }
                })
            }
            IntOp::DivS | IntOp::RemS => self.divide_signed_by(op, a, y),
            _ => None,
        }
    }

    /// Rewrites `(x + k) + y` as `x + (k + y)`.
    fn reassociate(&mut self, op: IntOp, a: Word, y: &Int) -> Option<Word> {
        let Node::Binary(inner, x, k) = *self.node(a) else { return None };
        let sum = self.value(k).filter(|_| inner == op)?.binary(op, y);
        let sum = self.constant(sum);
        Some(self.binary(op, x, sum))
    }

    /// `a & y`, where `y` keeps every bit that can be set, or is a run of low ones.
    fn mask_with(&mut self, a: Word, y: &Int) -> Option<Word> {
        let bits = y.bits();
        if bits <= 64 && !self.facts(a).zeros & !(y.low_u128() as u64) & (mask(bits) as u64) == 0 {
            return Some(a);
        }
        let low = y.binary(IntOp::Add, &Int::new(bits, 1)).log2()?;
        let slice = self.slice(a, 0, low);
        Some(self.extend(slice, bits, false))
    }

    /// Divides by a power of two, rounding towards zero: the divisor less one is added to a negative dividend
    /// first.
    fn divide_signed_by(&mut self, op: IntOp, a: Word, y: &Int) -> Option<Word> {
        let bits = y.bits();
        let negative = y.bit(bits - 1);
        let magnitude = if negative { y.neg() } else { y.clone() };
        let power = magnitude.log2().filter(|power| *power + 1 < bits)?;
        if power == 0 {
            return Some(match op {
                IntOp::RemS => self.number(bits, 0),
                _ if negative => self.negate(a),
                _ => a,
            });
        }
        let sign = self.slice(a, bits - 1, 1);
        let spread = self.extend(sign, power, true);
        let bias = self.extend(spread, bits, false);
        let biased = self.add_words(a, bias);
        let quotient = self.shift_right_by(biased, power, true);
        Some(match op {
            IntOp::RemS => {
                let multiple = self.shift_left_by(quotient, power);
                self.sub(a, multiple)
            }
            _ if negative => self.negate(quotient),
            _ => quotient,
        })
    }

    pub(crate) fn negate(&mut self, a: Word) -> Word {
        let zero = self.number(self.bits(a), 0);
        self.sub(zero, a)
    }

    /// Divides in no more bits than the operands need.
    fn divide_narrow(&mut self, op: IntOp, a: Word, b: Word) -> Option<Word> {
        let signed = match op {
            IntOp::DivU | IntOp::RemU => false,
            IntOp::DivS | IntOp::RemS => true,
            _ => return None,
        };
        let bits = self.bits(a);
        let (fa, fb) = (*self.facts(a), *self.facts(b));
        if bits > 64 {
            return None;
        }
        if signed && fa.min >= 0 && fb.min >= 0 {
            let op = if op == IntOp::DivS { IntOp::DivU } else { IntOp::RemU };
            return Some(self.binary(op, a, b));
        }
        let needed = match signed {
            false => fa.significant(bits).max(fb.significant(bits)).max(1),
            // One more bit, since the least number divided by -1 needs it.
            true => fa.significant_signed(bits).max(fb.significant_signed(bits)) + 1,
        };
        if !signed && fa.greatest(bits) < fb.least() {
            return Some(if op == IntOp::DivU { self.number(bits, 0) } else { a });
        }
        if needed >= bits {
            return None;
        }
        let (narrow_a, narrow_b) = (self.slice(a, 0, needed), self.slice(b, 0, needed));
        let narrow = self.binary(op, narrow_a, narrow_b);
        Some(self.extend(narrow, bits, signed))
    }
}

fn is_commutative(op: IntOp) -> bool {
    matches!(op, IntOp::Add | IntOp::Mul | IntOp::And | IntOp::Or | IntOp::Xor)
}

/// The bitwise operation that is equivalent to an arithmetic one on single bits.
fn one_bit(op: IntOp) -> Option<IntOp> {
    match op {
        IntOp::Add | IntOp::Sub => Some(IntOp::Xor),
        IntOp::Mul => Some(IntOp::And),
        _ => None,
    }
}
