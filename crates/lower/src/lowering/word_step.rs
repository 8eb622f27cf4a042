//! Lowers operations of domains of words, each to its own step.

use tacit_ir::{Domain, Op, Operation, ValueId, Words};

use super::{Draft, Lowering, bits_of, widened};
use crate::domains::{Leaving, Made, Values, word_domain};
use crate::error::LowerError;
use crate::partition::{Form, Partition, Source};
use tacit_schedule::{Action, BundleId, Kernel, narrow, rules};

impl Lowering<'_> {
    /// Lowers an operation that works in a domain of words.
    pub(super) fn word_operation(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<(), LowerError> {
        let operation = &partition.operations[index];
        let Some(result) = partition.results(index).next() else { return Ok(()) };
        let domain = partition.domains.of_operation[index];
        let mut step = WordStep { lowering: self, draft, partition, operation, result };
        if let Some(leaving) = partition.domains.leaving(result) {
            return step.leave(leaving, partition.results(index));
        }
        match &operation.op {
            Op::Input { port, column } => step.input(port.0, *column),
            Op::Random(_) => step.enter(|target| Action::Random { target }),
            _ => step.compute(domain),
        }
    }

    /// Writes an output column in its sharing, without the bits above its width.
    pub(super) fn output(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        (port, column, value): (u32, u32, ValueId),
        line: u32,
    ) -> Result<(), LowerError> {
        let form = partition.form(partition.copied_or(partition.root(value)));
        let bits = bits_of(partition.types[value.index()]);
        let domain = rules(form.domain).boundary.unwrap_or(form.domain);
        let source = self.read(draft, partition, value, Form { domain, bits }, line)?;
        self.push(draft, line, Action::Output { port, column, source })
    }

    /// The low bits of words that are as wide or wider.
    pub(super) fn narrowed(
        &mut self,
        draft: &mut Draft,
        source: BundleId,
        bits: u32,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let bundle = draft.body.bundles[source.index()];
        // In other domains nothing is wider than its value.
        let Some(kernel) = narrow(bundle.domain).filter(|_| bundle.bits != bits) else { return Ok(source) };
        let target = draft.shared(Form { domain: bundle.domain, bits }, bundle.lanes);
        self.push(draft, line, Action::Kernel { kernel, inputs: vec![source], targets: vec![target] })?;
        Ok(target)
    }
}

/// An operation of a domain of words that has a result.
struct WordStep<'s, 'l, 'p> {
    lowering: &'s mut Lowering<'l>,
    draft: &'s mut Draft,
    partition: &'s Partition<'p>,
    operation: &'s Operation,
    result: ValueId,
}

impl WordStep<'_, '_, '_> {
    /// How the result is shared.
    fn form(&self) -> Form {
        self.partition.form(self.result)
    }

    fn read(&mut self, value: ValueId, form: Form) -> Result<BundleId, LowerError> {
        self.lowering.read(self.draft, self.partition, value, form, self.operation.line)
    }

    /// Values in the same form.
    fn read_all(&mut self, values: &[ValueId], form: Form) -> Result<Vec<BundleId>, LowerError> {
        values.iter().map(|value| self.read(*value, form)).collect()
    }

    /// Appends the action that writes the result.
    fn write(&mut self, action: impl FnOnce(BundleId) -> Action) -> Result<(), LowerError> {
        let target = self.draft.shared(self.form(), self.partition.lanes(self.result));
        self.draft.define(self.result, target);
        self.lowering.push(self.draft, self.operation.line, action(target))
    }

    /// Appends the action that writes a result from outside, through another domain if necessary.
    fn enter(&mut self, action: impl FnOnce(BundleId) -> Action) -> Result<(), LowerError> {
        let (form, line) = (self.form(), self.operation.line);
        let Some(domain) = rules(form.domain).boundary else { return self.write(action) };
        let lanes = self.partition.lanes(self.result);
        let source = self.draft.shared(Form { domain, ..form }, lanes);
        self.lowering.push(self.draft, line, action(source))?;
        let signed = self.partition.domains.signed(self.result);
        let target = self.lowering.converted(self.draft, (domain, source), form, (signed, line))?;
        self.draft.define(self.result, target);
        Ok(())
    }

    fn kernel(&mut self, kernel: Kernel, inputs: Vec<BundleId>) -> Result<(), LowerError> {
        self.write(|target| Action::Kernel { kernel, inputs, targets: vec![target] })
    }

    /// A kernel whose results have forms of their own, except that the first one has that of the operands if it is in their domain.
    fn leave(&mut self, leaving: &Leaving, results: impl Iterator<Item = ValueId>) -> Result<(), LowerError> {
        let mut values = Vec::new();
        self.operation.op.for_each_operand(|value| values.push(value));
        let (own, domain) = (self.form(), leaving.domain);
        let form = if own.domain == domain { own } else { Form { domain, bits: leaving.width } };
        let inputs = self.read_all(&values, form)?;
        let targets = results.map(|result| {
            let target = self.draft.shared(self.partition.form(result), self.partition.lanes(result));
            self.draft.define(result, target);
            target
        });
        let (kernel, targets) = (leaving.kernel.clone(), targets.collect());
        self.lowering.push(self.draft, self.operation.line, Action::Kernel { kernel, inputs, targets })
    }

    /// A column of an input.
    fn input(&mut self, port: u32, column: u32) -> Result<(), LowerError> {
        let bits = bits_of(self.partition.types[self.result.index()]);
        let signed = self.partition.domains.signed(self.result);
        match self.partition.domains.is_held(self.result) {
            true => self.write(|target| Action::Input { port, column, bits, signed, target }),
            false => self.enter(|target| Action::Input { port, column, bits, signed, target }),
        }
    }

    fn compute(&mut self, domain: Domain) -> Result<(), LowerError> {
        let form = self.form();
        let values = ValuesHere { partition: self.partition, form };
        match word_domain(domain).and_then(|words| words.make(&self.operation.op, &values)) {
            Some(Made::Kernel(kernel, operands)) => {
                let inputs = self.read_all(&operands, form)?;
                self.kernel(kernel, inputs)
            }
            Some(Made::Narrow(kernel, operand)) => {
                let bits = bits_of(self.partition.types[operand.index()]);
                let input = self.read(operand, Form { bits, ..form })?;
                self.kernel(kernel, vec![input])
            }
            Some(Made::Same(operand)) => {
                let bundle = self.read(operand, form)?;
                self.draft.define(self.result, bundle);
                Ok(())
            }
            Some(Made::Join(operands)) => {
                let sources = self.read_all(&operands, form)?;
                self.write(|target| Action::Join { sources, target })
            }
            None => {
                let context = self.lowering.context;
                Err(context.unsupported(context.program.main, self.operation, "is not arithmetic"))
            }
        }
    }
}

/// Properties of values where a result has this form.
struct ValuesHere<'a> {
    partition: &'a Partition<'a>,
    form: Form,
}

impl Values for ValuesHere<'_> {
    fn are_same(&self, a: ValueId, b: ValueId) -> bool {
        self.partition.root(a) == self.partition.root(b)
    }

    fn is_held(&self, value: ValueId) -> bool {
        self.partition.domains.is_held(value)
    }

    fn constant(&self, value: ValueId) -> Option<Words> {
        let root = self.partition.root(value);
        let Source::Constant(operation) = self.partition.source(root) else { return None };
        match &self.partition.operations[operation].op {
            Op::Constant(words) => Some(widened(words, self.form.bits, self.partition.domains.signed(root))),
            _ => None,
        }
    }

    fn lanes(&self, value: ValueId) -> u64 {
        self.partition.lanes(value)
    }

    fn width(&self) -> u32 {
        self.form.bits
    }
}
