//! Converts values from one form to another.

use tacit_circuit::{CircuitBuilder, arithmetic};
use tacit_ir::{Domain, Op, ValueId};

use super::assemble::share;
use super::{Draft, Lowering, MANY_LANES};
use crate::error::LowerError;
use crate::partition::{Form, Partition};
use tacit_schedule::{Action, BundleId, Conversion, Widths, Written, last_conversion, rules};

impl Lowering<'_> {
    /// The bundle of an already written value in another form.
    pub(super) fn convert(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        value: ValueId,
        form: Form,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let own = partition.form(value);
        let unwritten = LowerError::Unwritten { value, line };
        let source = *draft.of_value.get(&(value, own)).ok_or(unwritten)?;
        let fits = form.bits <= own.bits;
        if own.domain == form.domain && fits {
            return self.narrowed(draft, source, form.bits, line);
        }
        // The bits of shares beyond the value's width are meaningless unless they are known to extend it.
        let bits = super::bits_of(partition.types[value.index()]);
        let wider = form.bits > bits && !(fits && partition.domains.is_exact(value));
        self.by_conversions(draft, partition, value, (form, wider), line)
    }

    /// A value in another form; `wider` says whether its bits are widened.
    fn by_conversions(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        value: ValueId,
        (form, wider): (Form, bool),
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let own = partition.form(value);
        let unreachable = LowerError::NoConversion { from: own.domain.name(), to: form.domain.name(), line };
        let last = last_conversion(own.domain, form.domain, wider).ok_or(unreachable)?;
        let (value, signed) = match last.widths {
            Widths::Free if last.from == own.domain && rules(form.domain).is_of_words() => {
                partition.narrowest(value, form.bits)
            }
            _ => (value, partition.domains.signed(value)),
        };
        let before = match last.widths {
            Widths::Same => Form { domain: last.from, bits: form.bits },
            Widths::Free if last.from == own.domain => partition.form(value),
            // In a domain on the way, it has its own width.
            Widths::Free => Form { domain: last.from, bits: super::bits_of(partition.types[value.index()]) },
        };
        let source = match last.widths {
            // It is widened where it is.
            Widths::Same if wider && last.from == own.domain => {
                self.by_conversions(draft, partition, value, (before, wider), line)?
            }
            _ => self.read(draft, partition, value, before, line)?,
        };
        self.write_conversion(draft, (last, source), form, (signed, line))
    }

    /// A bundle of one domain at the same width in another one, to which a conversion leads.
    pub(super) fn converted(
        &mut self,
        draft: &mut Draft,
        (from, source): (Domain, BundleId),
        form: Form,
        (signed, line): (bool, u32),
    ) -> Result<BundleId, LowerError> {
        let unreachable = LowerError::NoConversion { from: from.name(), to: form.domain.name(), line };
        let last = last_conversion(from, form.domain, false).filter(|last| last.from == from);
        self.write_conversion(draft, (last.ok_or(unreachable)?, source), form, (signed, line))
    }

    /// The steps of a conversion that needs no domain in between.
    fn write_conversion(
        &mut self,
        draft: &mut Draft,
        (conversion, source): (Conversion, BundleId),
        form: Form,
        (signed, line): (bool, u32),
    ) -> Result<BundleId, LowerError> {
        let lanes = draft.body.bundles[source.index()].lanes;
        let many = draft.many || lanes >= MANY_LANES;
        let target = draft.shared(form, lanes);
        let kernel = match conversion.written {
            Written::Kernel(kernel) => kernel(signed),
            Written::Adder(kernel) => kernel(self.adder(form, many)?, lanes),
            Written::Addends(kernel) => {
                let addends = vec![target, draft.shared(form, lanes)];
                let inputs = addends.iter().map(|addend| share(*addend)).collect();
                self.push(
                    draft,
                    line,
                    Action::Kernel { kernel: kernel(), inputs: vec![source], targets: addends },
                )?;
                let circuit = self.adder(form, many)?;
                let sum = draft.shared(form, lanes);
                self.push(draft, line, Action::Circuit { circuit, lanes, inputs, outputs: vec![sum] })?;
                return Ok(sum);
            }
        };
        self.push(draft, line, Action::Kernel { kernel, inputs: vec![source], targets: vec![target] })?;
        Ok(target)
    }

    /// An adding circuit: shallow if each layer is a round, else small.
    fn adder(&mut self, Form { domain, bits }: Form, many: bool) -> Result<u32, LowerError> {
        if let Some(circuit) = self.adders.get(&(domain, bits, many)) {
            return Ok(*circuit);
        }
        let mut builder = CircuitBuilder::new();
        let (x, y) = (builder.input(bits), builder.input(bits));
        let sum = match rules(domain).is_layered() {
            true => arithmetic::add_shallow(&mut builder, &x, &y),
            false => arithmetic::add(&mut builder, &x, &y),
        };
        let circuit = builder.finish(vec![sum]).map_err(|_| LowerError::TooManyAnds)?;
        let around = std::mem::replace(&mut self.domain, domain);
        let circuit = self.push_circuit(circuit, many);
        self.domain = around;
        self.adders.insert((domain, bits, many), circuit);
        Ok(circuit)
    }

    /// The bundle of an operation that moves or converts a value without changing it; none for other
    /// operations.
    pub(super) fn moved_or_pinned(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        index: usize,
    ) -> Result<Option<BundleId>, LowerError> {
        let operation = &partition.operations[index];
        let Some(form) = partition.results(index).next().map(|result| partition.form(result)) else {
            return Ok(None);
        };
        match &operation.op {
            Op::Pin(_, value) => self.read(draft, partition, *value, form, operation.line).map(Some),
            Op::Gather(value, positions) => {
                let source = self.read(draft, partition, *value, form, operation.line)?;
                let lanes = positions.lanes(partition.lanes(*value));
                let target = draft.shared(form, lanes);
                let positions = positions.clone();
                self.push(draft, operation.line, Action::Gather { source, positions, target })?;
                Ok(Some(target))
            }
            _ => Ok(None),
        }
    }
}
