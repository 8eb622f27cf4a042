//! Widths, slices, concatenation and shifts.

use tacit_ir::ShiftOp;

use super::{Facts, Graph, Node, Word};
use crate::int::{Int, IntOp, mask};

impl Graph {
    /// `value` widened to `bits` bits.
    pub(crate) fn extend(&mut self, value: Word, bits: u32, signed: bool) -> Word {
        let narrow = self.bits(value);
        if narrow == bits {
            return value;
        }
        let facts = *self.facts(value);
        let signed = signed && !(narrow <= 64 && facts.min >= 0);
        let facts = extended(&facts, narrow, bits, signed);
        match *self.node(value) {
            Node::Constant(ref constant) => {
                let wide = constant.extend(bits, signed);
                return self.constant(wide);
            }
            Node::Extend { value: inner, signed: inner_signed, .. } if signed || !inner_signed => {
                let wide = self.extend(inner, bits, inner_signed);
                self.refine(wide, &facts);
                return wide;
            }
            _ => {}
        }
        self.add(Node::Extend { value, bits, signed }, bits, facts)
    }

    /// `value` truncated or widened to `bits` bits.
    pub(crate) fn resize(&mut self, value: Word, bits: u32, signed: bool) -> Word {
        if bits < self.bits(value) { self.slice(value, 0, bits) } else { self.extend(value, bits, signed) }
    }

    pub(crate) fn bit(&mut self, value: Word, index: u32) -> Word {
        self.slice(value, index, 1)
    }

    /// `bits` bits from bit `low` up.
    pub(crate) fn slice(&mut self, value: Word, low: u32, bits: u32) -> Word {
        let width = self.bits(value);
        if low == 0 && bits == width {
            return value;
        }
        match self.node(value).clone() {
            Node::Constant(constant) => {
                let slice = constant.slice(low, bits);
                return self.constant(slice);
            }
            Node::Slice { value: inner, low: start, .. } => return self.slice(inner, start + low, bits),
            Node::Extend { value: inner, signed, .. } => {
                let facts = *self.facts(value);
                if let Some(word) = self.slice_extended(inner, signed, low, bits, &facts) {
                    return word;
                }
            }
            Node::Concat(parts) => return self.slice_concat(&parts, low, bits),
            Node::ShiftLeftBy(inner, amount) => {
                if low + bits <= amount {
                    return self.number(bits, 0);
                }
                if low >= amount {
                    return self.slice(inner, low - amount, bits);
                }
            }
            Node::Not(inner) => {
                let slice = self.slice(inner, low, bits);
                return self.not(slice);
            }
            Node::Select(condition, a, b) if self.value(a).is_some() || self.value(b).is_some() => {
                let (a, b) = (self.slice(a, low, bits), self.slice(b, low, bits));
                return self.select(condition, a, b);
            }
            _ => {}
        }
        let facts = *self.facts(value);
        let facts = match width {
            0..=64 if low == 0 && facts.significant_signed(width) <= bits => facts.truncated(bits),
            0..=64 => Facts::with_bits(bits, facts.zeros >> low, facts.ones >> low),
            _ => Facts::unknown(bits),
        };
        self.add(Node::Slice { value, low, bits }, bits, facts)
    }

    fn slice_extended(
        &mut self,
        inner: Word,
        signed: bool,
        low: u32,
        bits: u32,
        facts: &Facts,
    ) -> Option<Word> {
        let width = self.bits(inner);
        if low + bits <= width {
            return Some(self.slice(inner, low, bits));
        }
        if low >= width {
            let fill = if signed { self.bit(inner, width - 1) } else { self.number(1, 0) };
            return Some(self.extend(fill, bits, true));
        }
        let rest = self.slice(inner, low, width - low);
        let wide = self.extend(rest, bits, signed);
        if low == 0 && bits <= 64 && facts.significant_signed(64) <= bits {
            self.refine(wide, &facts.truncated(bits));
        }
        Some(wide)
    }

    fn slice_concat(&mut self, parts: &[Word], low: u32, bits: u32) -> Word {
        let (mut start, mut taken) = (0, Vec::new());
        for part in parts {
            let end = start + self.bits(*part);
            let (from, to) = (low.max(start), (low + bits).min(end));
            if from < to {
                taken.push(self.slice(*part, from - start, to - from));
            }
            start = end;
        }
        self.concat(&taken)
    }

    /// Concatenates one or more words; the first is the least significant.
    pub(crate) fn concat(&mut self, parts: &[Word]) -> Word {
        let mut flat: Vec<Word> = Vec::with_capacity(parts.len());
        for part in parts {
            match self.node(*part).clone() {
                Node::Concat(inner) => inner.iter().for_each(|word| self.append_part(&mut flat, *word)),
                _ => self.append_part(&mut flat, *part),
            }
        }
        if let [single] = flat[..] {
            return single;
        }
        let bits = flat.iter().map(|part| self.bits(*part)).sum();
        if let [low, high] = flat[..]
            && self.value(high).is_some_and(Int::is_zero)
        {
            return self.extend(low, bits, false);
        }
        let mut facts = Facts::unknown(bits);
        if bits <= 64 {
            let (mut zeros, mut ones, mut at) = (0, 0, 0);
            for part in &flat {
                zeros |= self.facts(*part).zeros << at;
                ones |= self.facts(*part).ones << at;
                at += self.bits(*part);
            }
            facts = Facts::with_bits(bits, zeros, ones);
        }
        self.add(Node::Concat(flat.into()), bits, facts)
    }

    /// Appends a part, joining constants and neighbouring slices of one word.
    fn append_part(&mut self, flat: &mut Vec<Word>, part: Word) {
        let joined = flat.last().and_then(|last| match (self.node(*last), self.node(part)) {
            (Node::Constant(low), Node::Constant(high)) => Some(Err(low.concat(high))),
            (Node::Slice { value, low, bits }, Node::Slice { value: next, low: start, bits: more })
                if value == next && low + bits == *start =>
            {
                Some(Ok((*value, *low, bits + more)))
            }
            _ => None,
        });
        let word = match joined {
            None => return flat.push(part),
            Some(Err(constant)) => self.constant(constant),
            Some(Ok((value, low, bits))) => self.slice(value, low, bits),
        };
        flat.pop();
        flat.push(word);
    }

    /// A shift by an amount of any width; amounts of at least the operand's width give what
    /// [`tacit_ir::ShiftOp`] defines.
    pub(crate) fn shift(&mut self, op: IntOp, a: Word, amount: Word) -> Word {
        let bits = self.bits(a);
        if let Some(amount) = self.value(amount) {
            let amount = amount.to_u64().map_or(bits, |amount| amount.min(u64::from(bits)) as u32);
            return match op {
                IntOp::ShiftLeft => self.shift_left_by(a, amount),
                _ => self.shift_right_by(a, amount, op == IntOp::ShiftRightS),
            };
        }
        if self.value(a).is_some_and(Int::is_zero) {
            return a;
        }
        // Amounts of the width or more are undefined in C, so higher bits of the amount are ignored.
        let needed = (32 - (bits - 1).leading_zeros()).max(1);
        let amount = if self.bits(amount) > needed { self.slice(amount, 0, needed) } else { amount };
        if self.value(amount).is_some() {
            return self.shift(op, a, amount);
        }
        let (op, facts) = match op {
            IntOp::ShiftLeft => (ShiftOp::Left, Facts::unknown(bits)),
            IntOp::ShiftRightU => (ShiftOp::RightU, self.shifted_right_facts(a)),
            _ => (ShiftOp::RightS, self.shifted_right_facts(a)),
        };
        self.add(Node::Shift(op, a, amount), bits, facts)
    }

    /// Facts of a right shift: a number that is not negative does not grow.
    fn shifted_right_facts(&self, a: Word) -> Facts {
        let (bits, facts) = (self.bits(a), self.facts(a));
        if bits <= 64 && facts.min >= 0 {
            Facts::between(bits, 0, facts.max.into())
        } else {
            Facts::unknown(bits)
        }
    }

    pub(crate) fn shift_left_by(&mut self, a: Word, amount: u32) -> Word {
        let bits = self.bits(a);
        if amount == 0 {
            return a;
        }
        if amount >= bits {
            return self.number(bits, 0);
        }
        match *self.node(a) {
            Node::Constant(ref value) => {
                let shifted = value.shifted_left(amount);
                return self.constant(shifted);
            }
            Node::ShiftLeftBy(inner, first) => return self.shift_left_by(inner, (first + amount).min(bits)),
            _ => {}
        }
        let facts = *self.facts(a);
        let shifted = match bits {
            0..=64 => {
                Facts::with_bits(bits, facts.zeros << amount | mask(amount) as u64, facts.ones << amount)
            }
            _ => Facts::unknown(bits),
        };
        self.add(Node::ShiftLeftBy(a, amount), bits, shifted)
    }

    pub(crate) fn shift_right_by(&mut self, a: Word, amount: u32, signed: bool) -> Word {
        let bits = self.bits(a);
        if amount >= bits {
            return match signed {
                true => self.shift_right_by(a, bits - 1, true),
                false => self.number(bits, 0),
            };
        }
        let high = self.slice(a, amount, bits - amount);
        self.extend(high, bits, signed)
    }
}

fn extended(facts: &Facts, narrow: u32, bits: u32, signed: bool) -> Facts {
    if bits > 64 {
        return Facts::unknown(bits);
    }
    let high = (mask(bits) & !mask(narrow)) as u64;
    if signed {
        return Facts {
            zeros: facts.zeros & !(1 << (narrow - 1)),
            ones: facts.ones & !(1 << (narrow - 1)),
            ..*facts
        };
    }
    let mut wide = Facts::with_bits(bits, facts.zeros | high, facts.ones);
    if facts.min >= 0 {
        (wide.min, wide.max) = (wide.min.max(facts.min), wide.max.min(facts.max));
    }
    wide.tightened(bits)
}
