//! Counting bits.

use super::{Facts, Graph, Node, Word};
use crate::int::Int;

impl Graph {
    /// The number of ones, in as many bits as the operand has.
    pub(crate) fn count_ones(&mut self, a: Word) -> Word {
        let bits = self.bits(a);
        match *self.node(a) {
            _ if bits == 1 => a,
            Node::Constant(ref value) => {
                let count = value.count_ones();
                self.number(bits, count.into())
            }
            Node::Extend { value, signed: false, .. } => {
                let count = self.count_ones(value);
                self.extend(count, bits, false)
            }
            _ if bits == 2 => {
                let (low, high) = (self.bit(a, 0), self.bit(a, 1));
                let (sum, carry) = (self.xor(low, high), self.and(low, high));
                self.concat(&[sum, carry])
            }
            _ => {
                let facts = Facts::between(bits, 0, bits.into());
                self.add(Node::CountOnes(a), bits, facts)
            }
        }
    }

    /// The number of zeros above the highest one, or the width if there is no one; in as many bits as the
    /// operand.
    pub(crate) fn leading_zeros(&mut self, a: Word) -> Word {
        let reversed = self.reverse_bits(a);
        self.trailing_zeros(reversed)
    }

    /// The number of zeros below the lowest one, or the width if there is no one; in as many bits as the
    /// operand.
    ///
    /// Repeatedly halves the word: if the low half is zero, the search continues in the high half.
    pub(crate) fn trailing_zeros(&mut self, a: Word) -> Word {
        let bits = self.bits(a);
        let padded = bits.next_power_of_two();
        // Ones above end the search at `bits`.
        let mut rest = a;
        if padded > bits {
            let ones = self.constant(Int::ones(padded - bits));
            rest = self.concat(&[a, ones]);
        }
        let mut digits = Vec::new();
        while self.bits(rest) > 1 {
            let half = self.bits(rest) / 2;
            let (low, high) = (self.slice(rest, 0, half), self.slice(rest, half, half));
            let zero = self.number(half, 0);
            let skip = self.equal(low, zero);
            digits.push(skip);
            rest = self.select(skip, high, low);
        }
        digits.reverse();
        // If no bit is set, the digits are all ones: one less than the answer.
        let none = self.not(rest);
        let width = (digits.len() as u32 + 1).max(bits);
        digits.push(self.number(1, 0));
        let count = self.concat(&digits);
        let count = self.extend(count, width, false);
        let one = self.extend(none, width, false);
        let count = self.add_words(count, one);
        self.slice(count, 0, bits)
    }

    pub(crate) fn reverse_bits(&mut self, a: Word) -> Word {
        let parts: Vec<_> = (0..self.bits(a)).rev().map(|index| self.bit(a, index)).collect();
        self.concat(&parts)
    }

    pub(crate) fn reverse_bytes(&mut self, a: Word) -> Word {
        let parts: Vec<_> = (0..self.bits(a) / 8).rev().map(|index| self.slice(a, index * 8, 8)).collect();
        self.concat(&parts)
    }
}
