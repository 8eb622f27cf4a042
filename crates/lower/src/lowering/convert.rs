//! Values from one form to another.

use tacit_circuit::{CircuitBuilder, arithmetic};
use tacit_ir::{Domain, Op, ValueId};

use super::assemble::share;
use super::{Draft, Lowering, MANY_LANES};
use crate::error::LowerError;
use crate::partition::{Form, Partition};
use tacit_schedule::{Action, BundleId};

impl Lowering<'_> {
    /// The bundle of a value, written before, in another form than it is there.
    pub(super) fn convert(
        &mut self,
        draft: &mut Draft,
        partition: &Partition<'_>,
        value: ValueId,
        form: Form,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let own = partition.form(value);
        let source = draft.of_value.get(&(value, own)).copied();
        let source = source.ok_or(LowerError::Unwritten { value, line })?;
        let signed = partition.domains.signed(value);
        match (own.domain, form.domain) {
            (Domain::Arith, Domain::Arith) if form.bits <= own.bits => {
                self.truncate(draft, source, form.bits, line)
            }
            (Domain::Arith, Domain::Yao) => self.write_labels(draft, source, form, line),
            (Domain::Arith, Domain::Bool) => self.write_bits(draft, source, form, line),
            (Domain::Arith | Domain::Yao, Domain::Arith) => {
                let bits = super::bits_of(partition.types[value.index()]);
                let shared = self.read(draft, partition, value, Form { domain: Domain::Bool, bits }, line)?;
                self.push_convert(draft, shared, form, signed, line)
            }
            _ => self.push_convert(draft, source, form, signed, line),
        }
    }

    fn push_convert(
        &mut self,
        draft: &mut Draft,
        source: BundleId,
        form: Form,
        signed: bool,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let target = draft.shared(form, draft.body.bundles[source.index()].lanes);
        self.push(draft, line, Action::Convert { source, signed, target })?;
        Ok(target)
    }

    /// The labels of words shared by sum.
    fn write_labels(
        &mut self,
        draft: &mut Draft,
        source: BundleId,
        form: Form,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let lanes = draft.body.bundles[source.index()].lanes;
        let circuit = self.adder(form, draft.many || lanes >= MANY_LANES)?;
        let target = draft.shared(form, lanes);
        self.push(draft, line, Action::Sum { circuit, lanes, source, target })?;
        Ok(target)
    }

    /// The bits of words shared by sum.
    fn write_bits(
        &mut self,
        draft: &mut Draft,
        source: BundleId,
        form: Form,
        line: u32,
    ) -> Result<BundleId, LowerError> {
        let lanes = draft.body.bundles[source.index()].lanes;
        let targets = [draft.shared(form, lanes), draft.shared(form, lanes)];
        self.push(draft, line, Action::Addends { source, targets })?;
        let circuit = self.adder(form, draft.many || lanes >= MANY_LANES)?;
        let sum = draft.shared(form, lanes);
        let inputs = targets.map(share).to_vec();
        self.push(draft, line, Action::Circuit { circuit, lanes, inputs, outputs: vec![sum] })?;
        Ok(sum)
    }

    /// A circuit that adds: small for labels, shallow for shares.
    fn adder(&mut self, Form { domain, bits }: Form, many: bool) -> Result<u32, LowerError> {
        if let Some(circuit) = self.adders.get(&(domain, bits, many)) {
            return Ok(*circuit);
        }
        let mut builder = CircuitBuilder::new();
        let (x, y) = (builder.input(bits), builder.input(bits));
        let sum = match domain {
            Domain::Bool => arithmetic::add_shallow(&mut builder, &x, &y),
            _ => arithmetic::add(&mut builder, &x, &y),
        };
        let circuit = builder.finish(vec![sum]).map_err(|_| LowerError::TooManyAnds)?;
        let around = std::mem::replace(&mut self.domain, domain);
        let circuit = self.push_circuit(circuit, many);
        self.domain = around;
        self.adders.insert((domain, bits, many), circuit);
        Ok(circuit)
    }

    /// The bundle of an operation that moves or converts a value and leaves it what it is, if this is one.
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
