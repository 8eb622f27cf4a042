//! Defers additions until their result is needed, so that many become one.
//!
//! A value that is only used by other additions, directly or through slices and masks that no carry crosses,
//! stays a sum of weighted bits. So a loop that counts bits becomes one tree of full adders, and so do the
//! steps of counting bits in parallel within a word.

use std::collections::BTreeSet;

use tacit_circuit::CircuitBuilder;
use tacit_circuit::arithmetic::Heap;
use tacit_ir::{BinaryOp, CompareOp, Op, Operation, ShiftOp, UnaryOp, ValueId};

use crate::wires::Wires;

/// A sum with this many bits is added up at once.
pub(crate) const MAX_TERMS: usize = 1 << 12;

/// Writes an operation on sums, or one whose result may stay a sum; `None` for any other operation.
pub(crate) fn write(
    builder: &mut CircuitBuilder,
    op: &Op,
    operands: &[&Wires],
    defer: bool,
) -> Option<Wires> {
    let first = *operands.first()?;
    if !defer && operands.iter().all(|operand| !operand.is_pending()) {
        return None;
    }
    let each = |f: &dyn Fn(Heap) -> Option<Heap>| first.sums().map(f).collect::<Option<Vec<Heap>>>();
    let pending = first.is_pending();
    let sums = match op {
        Op::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), ..) => {
            let pairs = first.sums().zip(operands[1].sums());
            Some(pairs.map(|(a, b)| a.plus(&if *op == BinaryOp::Sub { b.negated() } else { b })).collect())
        }
        Op::Unary(UnaryOp::Neg, _) => each(&|a| Some(a.negated())),
        Op::Binary(op @ (BinaryOp::Mul | BinaryOp::And), ..) => {
            let (value, constant) = match (constants(first), constants(operands[1])) {
                (Some(constant), _) => (operands[1], constant),
                (_, Some(constant)) => (first, constant),
                _ => return None,
            };
            let sums = value.sums().zip(constant.chunks(value.bits()));
            match op {
                BinaryOp::Mul => Some(sums.map(|(a, constant)| a.times(constant)).collect()),
                _ if value.is_pending() => sums.map(|(a, constant)| a.masked(constant)).collect(),
                _ => None,
            }
        }
        Op::SegmentSum { length, .. } => Some(segments(first, *length as usize)),
        Op::Extend { bits, signed: false, .. } if pending => each(&|a| a.extended(*bits as usize)),
        Op::Slice { low, bits, .. } if pending => each(&|a| a.slice(*low as usize, *bits as usize)),
        Op::ShiftBy(ShiftOp::Left, _, amount) if pending => each(&|a| Some(a.shifted_left(*amount as usize))),
        Op::ShiftBy(ShiftOp::RightU, _, amount) if pending => each(&|a| {
            let (amount, width) = ((*amount as usize).min(a.width()), a.width());
            if amount == width {
                Some(Heap::new(width))
            } else {
                a.slice(amount, width - amount)?.extended(width)
            }
        }),
        _ => None,
    }?;
    let small = sums.iter().map(Heap::terms).sum::<usize>() <= MAX_TERMS;
    let bits = sums.first().map_or(1, Heap::width);
    let result = Wires::of_sums(bits, sums);
    Some(if defer && small { result } else { result.settle(builder).into_owned() })
}

/// The bits of a value that is a constant.
fn constants(wires: &Wires) -> Option<Vec<bool>> {
    if wires.is_pending() {
        return None;
    }
    wires.lits().iter().map(|lit| lit.as_constant()).collect()
}

fn segments(wires: &Wires, length: usize) -> Vec<Heap> {
    let sums: Vec<Heap> = wires.sums().collect();
    let total = |segment: &[Heap]| segment.iter().fold(Heap::new(wires.bits()), |sum, one| sum.plus(one));
    sums.chunks(length).map(total).collect()
}

/// The readers of a value, looking through slices and masks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Nobody,
    /// One addition.
    Addition(usize),
    /// Anything else.
    Others,
}

impl Reader {
    fn and(self, other: Reader) -> Reader {
        match (self, other) {
            (Reader::Nobody, one) | (one, Reader::Nobody) => one,
            _ if self == other => self,
            _ => Reader::Others,
        }
    }
}

/// Whether each value of a template is used by only one addition, so that it may stay a sum. `first_result`
/// gives the first value that each operation defines; `count` is the number of all values.
pub(crate) fn deferrable(
    operations: &[Operation],
    first_result: &[u32],
    results: &[ValueId],
    count: usize,
) -> Vec<bool> {
    let mut readers = vec![Reader::Nobody; count];
    results.iter().for_each(|value| readers[value.index()] = Reader::Others);
    for (index, operation) in operations.iter().enumerate().rev() {
        let result = first_result[index] as usize;
        let reader = match operation.op {
            Op::Binary(BinaryOp::Add | BinaryOp::Sub, ..) | Op::Unary(UnaryOp::Neg, _) => {
                Reader::Addition(index)
            }
            // A product with a constant is a sum; for any other product the factors are added up when it is
            // written.
            Op::Binary(BinaryOp::And | BinaryOp::Mul, ..)
            | Op::Slice { .. }
            | Op::Extend { signed: false, .. }
            | Op::ShiftBy(ShiftOp::Left | ShiftOp::RightU, ..) => readers[result],
            _ => Reader::Others,
        };
        operation.op.for_each_operand(|value| {
            readers[value.index()] = readers[value.index()].and(reader);
        });
    }
    let mut deferrable: Vec<bool> =
        readers.iter().map(|reader| matches!(reader, Reader::Addition(_))).collect();
    // A difference shares its carries with a comparison of the same words.
    let compared: BTreeSet<(ValueId, ValueId)> = operations
        .iter()
        .filter_map(|operation| match operation.op {
            Op::Compare(CompareOp::LtU | CompareOp::LtS, a, b) => Some((a, b)),
            _ => None,
        })
        .collect();
    for (index, operation) in operations.iter().enumerate() {
        if let Op::Binary(BinaryOp::Sub, a, b) = operation.op
            && (compared.contains(&(a, b)) || compared.contains(&(b, a)))
        {
            deferrable[first_result[index] as usize] = false;
        }
    }
    deferrable
}
