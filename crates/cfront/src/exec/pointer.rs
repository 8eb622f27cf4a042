//! Addresses: an object, or one of several, and an offset into it that may be secret.

use crate::graph::{Graph, Node, Word};
use crate::int::{Int, IntOp};
use crate::llvm::SymbolId;

/// A variable, or anything else that has an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectId(pub u32);

/// The target of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// An address that was never set.
    Unset,
    /// No object; the offset is the address itself.
    Null,
    Object(ObjectId),
    Function(SymbolId),
}

/// An address with alternatives: the one whose guard is set applies, and exactly one guard is set.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pointer {
    pub alternatives: Vec<Alternative>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Alternative {
    pub guard: Word,
    pub target: Target,
    pub offset: Offset,
}

/// `constant + Σ word · stride` bytes; words have 64 bits and are signed. Strides differ and descend.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Offset {
    pub constant: i64,
    pub terms: Vec<(Word, i64)>,
}

impl Pointer {
    pub(super) fn to(graph: &mut Graph, target: Target, offset: Offset) -> Self {
        Pointer { alternatives: vec![Alternative { guard: graph.flag(true), target, offset }] }
    }

    pub(super) fn null(graph: &mut Graph) -> Self {
        Pointer::to(graph, Target::Null, Offset::default())
    }

    /// The only target, if there is only one.
    pub(super) fn single(&self) -> Option<(Target, &Offset)> {
        match &self.alternatives[..] {
            [only] => Some((only.target, &only.offset)),
            _ => None,
        }
    }

    /// The address moved by a change of its offset.
    pub(super) fn moved(&self, mut change: impl FnMut(&mut Offset)) -> Self {
        let mut moved = self.clone();
        moved.alternatives.iter_mut().for_each(|alternative| change(&mut alternative.offset));
        moved
    }

    pub(super) fn select(graph: &mut Graph, condition: Word, a: &Pointer, b: &Pointer) -> Self {
        let mut alternatives = Vec::new();
        let not_condition = graph.not(condition);
        let find = |pointer: &Pointer, target| {
            pointer.alternatives.iter().find(|alternative| alternative.target == target).cloned()
        };
        let mut targets: Vec<_> =
            a.alternatives.iter().chain(&b.alternatives).map(|one| one.target).collect();
        targets.sort_unstable();
        targets.dedup();
        for target in targets {
            let (guard, offset) = match (find(a, target), find(b, target)) {
                (Some(a), Some(b)) => {
                    let guard = graph.select(condition, a.guard, b.guard);
                    (guard, Offset::select(graph, condition, &a.offset, &b.offset))
                }
                (Some(a), None) => (graph.and(condition, a.guard), a.offset),
                (None, Some(b)) => (graph.and(not_condition, b.guard), b.offset),
                (None, None) => continue,
            };
            if graph.flag_value(guard) != Some(false) {
                alternatives.push(Alternative { guard, target, offset });
            }
        }
        Pointer { alternatives }
    }

    /// The flag that two addresses are equal, or that the first is before the second.
    ///
    /// Objects are ordered by number; addresses without an object come first.
    pub(super) fn compare(graph: &mut Graph, a: &Pointer, b: &Pointer, less: bool) -> Word {
        let mut result = graph.flag(false);
        for x in &a.alternatives {
            for y in &b.alternatives {
                let holds = if x.target == y.target {
                    x.offset.compare(graph, &y.offset, less)
                } else {
                    graph.flag(less && x.target < y.target)
                };
                let guard = graph.and(x.guard, y.guard);
                let term = graph.and(guard, holds);
                result = graph.or(result, term);
            }
        }
        result
    }

    /// The flag that two addresses are in different objects; `None` if they never can be.
    pub(super) fn unrelated(graph: &mut Graph, a: &Pointer, b: &Pointer) -> Option<Word> {
        let mut result = None;
        for x in &a.alternatives {
            for y in b.alternatives.iter().filter(|y| y.target != x.target) {
                let both = graph.and(x.guard, y.guard);
                let before = result.unwrap_or(graph.flag(false));
                result = Some(graph.or(before, both));
            }
        }
        result
    }

    /// The flag that `bytes` bytes, at least one, at two addresses overlap; `exactly` says whether identical
    /// ranges count. `None` if they never can overlap.
    pub(super) fn overlap(
        graph: &mut Graph,
        a: &Pointer,
        b: &Pointer,
        bytes: u64,
        exactly: bool,
    ) -> Option<Word> {
        let mut result = None;
        for x in &a.alternatives {
            let Target::Object(_) = x.target else { continue };
            let Some(y) = b.alternatives.iter().find(|y| y.target == x.target) else { continue };
            let (left, right) = x.offset.without_common(&y.offset);
            let (left, right) = (left.to_word(graph), right.to_word(graph));
            let distance = graph.sub(left, right);
            // Strictly between -bytes and bytes.
            let (before, both) =
                (graph.number(64, (bytes - 1).into()), graph.number(64, (2 * bytes - 1).into()));
            let moved = graph.add_words(distance, before);
            let mut near = graph.compare(tacit_ir::CompareOp::LtU, moved, both);
            if exactly {
                let zero = graph.number(64, 0);
                let same = graph.equal(distance, zero);
                let other = graph.not(same);
                near = graph.and(near, other);
            }
            let guard = graph.and(x.guard, y.guard);
            let overlap = graph.and(guard, near);
            let before = result.unwrap_or(graph.flag(false));
            result = Some(graph.or(before, overlap));
        }
        result
    }

    /// The distance in bytes if both point into the same object.
    pub(super) fn distance(graph: &mut Graph, a: &Pointer, b: &Pointer) -> Option<Word> {
        let mut result = None;
        for x in &a.alternatives {
            let y = b.alternatives.iter().find(|y| y.target == x.target);
            let Some(y) = y else { continue };
            let (left, right) = x.offset.without_common(&y.offset);
            let (left, right) = (left.to_word(graph), right.to_word(graph));
            let distance = graph.sub(left, right);
            result = Some(match result {
                None => distance,
                Some(other) => graph.select(x.guard, distance, other),
            });
        }
        result
    }
}

impl Offset {
    /// Adds `word · stride` bytes.
    pub(super) fn add(&mut self, graph: &mut Graph, word: Word, stride: i64) {
        if stride == 0 {
            return;
        }
        let small = |value: Option<&Int>| value.and_then(Int::to_i128).map(|value| value as i64);
        if let Some(value) = small(graph.value(word)) {
            self.constant = self.constant.wrapping_add(value.wrapping_mul(stride));
            return;
        }
        match *graph.node(word) {
            Node::Binary(IntOp::Add, x, k) if let Some(k) = small(graph.value(k)) => {
                self.constant = self.constant.wrapping_add(k.wrapping_mul(stride));
                return self.add(graph, x, stride);
            }
            Node::Binary(IntOp::Mul, x, k) if let Some(k) = small(graph.value(k)) => {
                return self.add(graph, x, stride.wrapping_mul(k));
            }
            Node::ShiftLeftBy(x, amount) => return self.add(graph, x, stride.wrapping_shl(amount)),
            _ => {}
        }
        match self.terms.iter_mut().find(|(_, other)| *other == stride) {
            Some((sum, _)) => {
                let total = graph.add_words(*sum, word);
                self.terms.retain(|(_, other)| *other != stride);
                if graph.value(total).is_some() {
                    return self.add(graph, total, stride);
                }
                self.insert(total, stride);
            }
            None => self.insert(word, stride),
        }
    }

    fn insert(&mut self, word: Word, stride: i64) {
        let at = self.terms.partition_point(|(_, other)| *other > stride);
        self.terms.insert(at, (word, stride));
    }

    /// The greatest common divisor of all strides; 0 without terms.
    pub(super) fn common_stride(&self) -> u64 {
        self.terms.iter().fold(0, |common, (_, stride)| greatest_divisor(common, stride.unsigned_abs()))
    }

    /// The sum of the terms in units of `unit` bytes, which divides all strides.
    pub(super) fn scaled(&self, graph: &mut Graph, unit: u64) -> Word {
        let mut sum = graph.number(64, 0);
        for (word, stride) in &self.terms {
            let factor = graph.constant(Int::signed(64, i128::from(*stride) / i128::from(unit)));
            let product = graph.binary(IntOp::Mul, *word, factor);
            sum = graph.add_words(sum, product);
        }
        sum
    }

    pub(super) fn to_word(&self, graph: &mut Graph) -> Word {
        let sum = self.scaled(graph, 1);
        let constant = graph.constant(Int::signed(64, self.constant.into()));
        graph.add_words(sum, constant)
    }

    /// Both offsets without their common terms.
    fn without_common(&self, other: &Offset) -> (Offset, Offset) {
        let rest = |a: &Offset, b: &Offset| {
            let terms = a.terms.iter().filter(|term| !b.terms.contains(term)).copied().collect();
            Offset { constant: a.constant, terms }
        };
        (rest(self, other), rest(other, self))
    }

    fn compare(&self, graph: &mut Graph, other: &Offset, less: bool) -> Word {
        let (a, b) = self.without_common(other);
        let (a, b) = (a.to_word(graph), b.to_word(graph));
        if less { graph.compare(tacit_ir::CompareOp::LtS, a, b) } else { graph.equal(a, b) }
    }

    /// The offset `a` if the flag is set, else `b`; keeps common terms and counts in the largest unit.
    fn select(graph: &mut Graph, condition: Word, a: &Offset, b: &Offset) -> Self {
        let (left, right) = a.without_common(b);
        let difference = left.constant.wrapping_sub(right.constant);
        let mut result = b.clone();
        result.terms.retain(|term| !right.terms.contains(term));
        if left.terms.is_empty() && right.terms.is_empty() {
            let chosen = graph.extend(condition, 64, false);
            result.add(graph, chosen, difference);
            return result;
        }
        let unit = greatest_divisor(left.common_stride(), right.common_stride());
        let unit = greatest_divisor(unit, difference.unsigned_abs());
        let (steps, other) = (left.scaled(graph, unit), right.scaled(graph, unit));
        let ahead = graph.constant(Int::signed(64, i128::from(difference) / i128::from(unit)));
        let steps = graph.add_words(steps, ahead);
        let steps = graph.select(condition, steps, other);
        result.add(graph, steps, unit as i64);
        result
    }
}

/// Whether an address may have this width, on some machine.
pub(super) fn is_address(bits: u32) -> bool {
    matches!(bits, 16 | 64)
}

fn greatest_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}
