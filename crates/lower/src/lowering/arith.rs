//! Operations on words shared by sum.

use tacit_ir::{BinaryOp, Domain, Op, Operation, ScanOp, ShiftOp, UnaryOp, ValueId, Words};

use super::{Draft, Lowering, widened};
use crate::error::LowerError;
use crate::partition::{Form, Partition, Source};
use tacit_schedule::{Action, ArithOp, BundleId};

impl Lowering<'_> {
    /// Lowers an operation that works on shares by sum.
    pub(super) fn arithmetic(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<(), LowerError> {
        let Operation { op, line } = &partition.operations[index];
        let mut operands = Vec::new();
        op.for_each_operand(|value| operands.push(value));
        let Some(result) = partition.results(index).next() else { return Ok(()) };
        let form = partition.form(result);
        if let (Op::Compare(_, a, b), Some((relation, bits))) = (op, partition.domains.comparison(result)) {
            let form = Form { domain: Domain::Arith, bits };
            let mut read = |value: ValueId| self.read(draft, partition, value, form, *line);
            let inputs = vec![read(*a)?, read(*b)?];
            let target = draft.shared(Form { domain: Domain::Bool, bits: 1 }, partition.lanes(result));
            draft.define(result, target);
            return self.push(draft, *line, Action::Arith { op: ArithOp::Compare(relation), inputs, target });
        }
        if let Op::ShiftBy(shift @ (ShiftOp::RightU | ShiftOp::RightS), value, by) = op {
            let narrow = Form { bits: super::bits_of(partition.types[value.index()]), ..form };
            let source = self.read(draft, partition, *value, narrow, *line)?;
            let target = draft.shared(form, partition.lanes(result));
            draft.define(result, target);
            let op = ArithOp::ShiftRight { by: *by, signed: *shift == ShiftOp::RightS };
            return self.push(draft, *line, Action::Arith { op, inputs: vec![source], target });
        }
        let mut read = |draft: &mut Draft, value: ValueId| self.read(draft, partition, value, form, *line);
        let (op, inputs) = match op {
            Op::Input { port, column } => {
                let target = draft.shared(form, partition.lanes(result));
                draft.define(result, target);
                let bits = super::bits_of(partition.types[result.index()]);
                let signed = partition.domains.signed(result);
                let action = Action::Share { port: port.0, column: *column, bits, signed, target };
                return self.push(draft, *line, action);
            }
            Op::Random(_) => {
                let target = draft.shared(form, partition.lanes(result));
                draft.define(result, target);
                return self.push(draft, *line, Action::Random { target });
            }
            // Its range is known, or all that counts are its low bits: the shares stay what they are.
            Op::Extend { value, .. } | Op::Slice { value, .. } => {
                let bundle = read(draft, *value)?;
                draft.define(result, bundle);
                return Ok(());
            }
            Op::Join(values) => {
                let sources = values.iter().map(|value| read(draft, *value)).collect::<Result<_, _>>()?;
                let target = draft.shared(form, partition.lanes(result));
                draft.define(result, target);
                return self.push(draft, *line, Action::Join { sources, target });
            }
            Op::Binary(BinaryOp::Mul, a, b) if partition.root(*a) == partition.root(*b) => {
                (ArithOp::Square, vec![*a])
            }
            Op::Binary(BinaryOp::Mul, a, b) => match (constant(partition, *a), constant(partition, *b)) {
                (Some(words), _) => (scale(partition, words, *a, form), vec![*b]),
                (_, Some(words)) => (scale(partition, words, *b, form), vec![*a]),
                _ => (ArithOp::Mul, vec![*a, *b]),
            },
            Op::Binary(BinaryOp::Add, a, b) => (ArithOp::Add, vec![*a, *b]),
            Op::Binary(BinaryOp::Sub, a, b) => (ArithOp::Sub, vec![*a, *b]),
            Op::Unary(UnaryOp::Neg, a) => (ArithOp::Neg, vec![*a]),
            Op::ShiftBy(ShiftOp::Left, a, by) => {
                let mut factor = Words::zero(form.bits, partition.lanes(*a));
                // Beyond the width nothing is left of the value; the shares' higher bits do not count.
                if *by < form.bits {
                    (0..factor.lanes()).for_each(|lane| factor.set_bit(lane, *by, true));
                }
                (ArithOp::Scale(factor), vec![*a])
            }
            Op::SegmentSum { value, length } => (ArithOp::SegmentSum(*length), vec![*value]),
            Op::Scan { op: ScanOp::Add, value, length } => (ArithOp::Scan(*length), vec![*value]),
            Op::MatrixProduct { left, right, batch, rows, inner, columns } => (
                ArithOp::MatrixProduct { batch: *batch, rows: *rows, inner: *inner, columns: *columns },
                vec![*left, *right],
            ),
            _ => {
                let operation = &partition.operations[index];
                return Err(self.context.unsupported(
                    self.context.program.main,
                    operation,
                    "is not arithmetic",
                ));
            }
        };
        let inputs = inputs.into_iter().map(|value| read(draft, value)).collect::<Result<_, _>>()?;
        let target = draft.shared(form, partition.lanes(result));
        draft.define(result, target);
        self.push(draft, *line, Action::Arith { op, inputs, target })
    }

    /// Gives an output column as it is shared, without the bits above its width.
    pub(super) fn output(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        (port, column, value): (u32, u32, ValueId),
        line: u32,
    ) -> Result<(), LowerError> {
        let form = partition.form(partition.copied_or(partition.root(value)));
        let bits = super::bits_of(partition.types[value.index()]);
        let source = self.read(draft, partition, value, Form { bits, ..form }, line)?;
        self.push(draft, line, Action::Output { port, column, source })
    }

    /// The low bits of words shared by sum.
    pub(super) fn truncate(
        &mut self,
        draft: &mut Draft,
        source: BundleId,
        bits: u32,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let bundle = draft.body.bundles[source.index()];
        if bundle.bits == bits {
            return Ok(source);
        }
        let target = draft.shared(Form { domain: bundle.domain, bits }, bundle.lanes);
        self.push(draft, line, Action::Arith { op: ArithOp::Truncate, inputs: vec![source], target })?;
        Ok(target)
    }
}

/// The words of a constant.
fn constant<'a>(partition: &Partition<'a>, value: ValueId) -> Option<&'a Words> {
    match partition.source(partition.root(value)) {
        Source::Constant(operation) => match &partition.operations[operation].op {
            Op::Constant(words) => Some(words),
            _ => None,
        },
        _ => None,
    }
}

fn scale(partition: &Partition<'_>, words: &Words, value: ValueId, form: Form) -> ArithOp {
    ArithOp::Scale(widened(words, form.bits, partition.domains.signed(partition.root(value))))
}
