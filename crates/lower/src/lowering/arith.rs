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
        let operation = &partition.operations[index];
        let Some(result) = partition.results(index).next() else { return Ok(()) };
        let mut step = ArithStep { lowering: self, draft, partition, operation, result };
        match &operation.op {
            Op::Compare(_, a, b) => step.compare(*a, *b),
            Op::ShiftBy(ShiftOp::RightU, value, by) => step.shift_right(*value, *by, false),
            Op::ShiftBy(ShiftOp::RightS, value, by) => step.shift_right(*value, *by, true),
            Op::Input { port, column } => step.share(port.0, *column),
            Op::Random(_) => step.write(step.form(), |target| Action::Random { target }),
            // Its range is known, or all that counts are its low bits: the shares stay what they are.
            Op::Extend { value, .. } | Op::Slice { value, .. } => step.keep(*value),
            Op::Join(values) => {
                let sources = step.read_all(values)?;
                step.write(step.form(), |target| Action::Join { sources, target })
            }
            _ => step.compute(),
        }
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

/// An operation with a result that works on shares by sum.
struct ArithStep<'s, 'l, 'p> {
    lowering: &'s mut Lowering<'l>,
    draft: &'s mut Draft,
    partition: &'s Partition<'p>,
    operation: &'s Operation,
    result: ValueId,
}

impl ArithStep<'_, '_, '_> {
    /// How the result is shared.
    fn form(&self) -> Form {
        self.partition.form(self.result)
    }

    fn read(&mut self, value: ValueId, form: Form) -> Result<BundleId, LowerError> {
        self.lowering.read(self.draft, self.partition, value, form, self.operation.line)
    }

    /// Operands in the form of the result.
    fn read_all(&mut self, values: &[ValueId]) -> Result<Vec<BundleId>, LowerError> {
        let form = self.form();
        values.iter().map(|value| self.read(*value, form)).collect()
    }

    /// Appends what writes the result.
    fn write(&mut self, form: Form, action: impl FnOnce(BundleId) -> Action) -> Result<(), LowerError> {
        let target = self.draft.shared(form, self.partition.lanes(self.result));
        self.draft.define(self.result, target);
        self.lowering.push(self.draft, self.operation.line, action(target))
    }

    fn compare(&mut self, a: ValueId, b: ValueId) -> Result<(), LowerError> {
        let Some((relation, bits)) = self.partition.domains.comparison(self.result) else {
            return Err(self.unsupported());
        };
        let words = Form { domain: Domain::Arith, bits };
        let inputs = vec![self.read(a, words)?, self.read(b, words)?];
        let op = ArithOp::Compare(relation);
        self.write(Form { domain: Domain::Bool, bits: 1 }, |target| Action::Arith { op, inputs, target })
    }

    fn shift_right(&mut self, value: ValueId, by: u32, signed: bool) -> Result<(), LowerError> {
        let (form, bits) = (self.form(), super::bits_of(self.partition.types[value.index()]));
        let inputs = vec![self.read(value, Form { bits, ..form })?];
        let op = ArithOp::ShiftRight { by, signed };
        self.write(form, |target| Action::Arith { op, inputs, target })
    }

    /// A column of an input.
    fn share(&mut self, port: u32, column: u32) -> Result<(), LowerError> {
        let bits = super::bits_of(self.partition.types[self.result.index()]);
        let signed = self.partition.domains.signed(self.result);
        self.write(self.form(), |target| Action::Share { port, column, bits, signed, target })
    }

    /// The result is the shares of `value`.
    fn keep(&mut self, value: ValueId) -> Result<(), LowerError> {
        let bundle = self.read(value, self.form())?;
        self.draft.define(self.result, bundle);
        Ok(())
    }

    fn compute(&mut self) -> Result<(), LowerError> {
        let Some((op, values)) = computed(self.partition, &self.operation.op, self.form()) else {
            return Err(self.unsupported());
        };
        let inputs = self.read_all(&values)?;
        self.write(self.form(), |target| Action::Arith { op, inputs, target })
    }

    fn unsupported(&self) -> LowerError {
        let context = self.lowering.context;
        context.unsupported(context.program.main, self.operation, "is not arithmetic")
    }
}

/// What computes an operation whose result has this form, and of which values, if it is arithmetic.
fn computed(partition: &Partition<'_>, op: &Op, form: Form) -> Option<(ArithOp, Vec<ValueId>)> {
    Some(match op {
        Op::Binary(BinaryOp::Mul, a, b) => product(partition, *a, *b, form),
        Op::Binary(BinaryOp::Add, a, b) => (ArithOp::Add, vec![*a, *b]),
        Op::Binary(BinaryOp::Sub, a, b) => (ArithOp::Sub, vec![*a, *b]),
        Op::Unary(UnaryOp::Neg, a) => (ArithOp::Neg, vec![*a]),
        Op::ShiftBy(ShiftOp::Left, a, by) => {
            (ArithOp::Scale(power_of_two(*by, form.bits, partition.lanes(*a))), vec![*a])
        }
        Op::SegmentSum { value, length } => (ArithOp::SegmentSum(*length), vec![*value]),
        Op::Scan { op: ScanOp::Add, value, length } => (ArithOp::Scan(*length), vec![*value]),
        Op::MatrixProduct { left, right, batch, rows, inner, columns } => (
            ArithOp::MatrixProduct { batch: *batch, rows: *rows, inner: *inner, columns: *columns },
            vec![*left, *right],
        ),
        _ => return None,
    })
}

/// A product: a square, one with a constant, or one of two shared values.
fn product(partition: &Partition<'_>, a: ValueId, b: ValueId, form: Form) -> (ArithOp, Vec<ValueId>) {
    if partition.root(a) == partition.root(b) {
        return (ArithOp::Square, vec![a]);
    }
    match (constant(partition, a), constant(partition, b)) {
        (Some(words), _) => (scale(partition, words, a, form), vec![b]),
        (_, Some(words)) => (scale(partition, words, b, form), vec![a]),
        _ => (ArithOp::Mul, vec![a, b]),
    }
}

/// 2^`exponent` in each lane, modulo 2^`bits`.
fn power_of_two(exponent: u32, bits: u32, lanes: u64) -> Words {
    let mut words = Words::zero(bits, lanes);
    // Beyond the width nothing is left of the value; the shares' higher bits do not count.
    if exponent < bits {
        (0..lanes).for_each(|lane| words.set_bit(lane, exponent, true));
    }
    words
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
