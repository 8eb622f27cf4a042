//! Assembles bodies of several steps.

use tacit_circuit::{CircuitBuilder, arithmetic};
use tacit_ir::{Index, Operation, TemplateId, Words};

use super::{Draft, Lowering, MANY_LANES};
use crate::error::LowerError;
use crate::wires::Wires;
use tacit_schedule::{Action, BundleId, Operand};

/// Writes steps to a draft on behalf of one operation.
pub(super) struct Assembler<'l, 'a> {
    pub(super) lowering: &'l mut Lowering<'a>,
    pub(super) draft: Draft,
    origin: (TemplateId, &'l Operation),
}

impl<'l, 'a> Assembler<'l, 'a> {
    /// A body with parameters of these bits and lanes.
    pub(super) fn new(
        lowering: &'l mut Lowering<'a>,
        name: &str,
        many: bool,
        origin: (TemplateId, &'l Operation),
        parameters: &[(u32, u64)],
    ) -> Self {
        let mut draft = Draft::empty(name, many, lowering.domain);
        draft.body.parameters = parameters.iter().map(|(bits, lanes)| draft.words(*bits, *lanes)).collect();
        Assembler { lowering, draft, origin }
    }

    pub(super) fn parameter(&self, number: usize) -> BundleId {
        self.draft.body.parameters[number]
    }

    /// Ends the body; returns its number.
    pub(super) fn finish(mut self, results: Vec<BundleId>) -> Result<u32, LowerError> {
        self.draft.body.results = results;
        self.lowering.push_body(self.draft)
    }

    /// A body inside the one being written.
    pub(super) fn inner(&mut self, name: &str, parameters: &[(u32, u64)]) -> Assembler<'_, 'a> {
        Assembler::new(self.lowering, name, self.draft.many, self.origin, parameters)
    }

    pub(super) fn bits(&self, bundle: BundleId) -> u32 {
        self.draft.body.bundles[bundle.index()].bits
    }

    pub(super) fn lanes(&self, bundle: BundleId) -> u64 {
        self.draft.body.bundles[bundle.index()].lanes
    }

    pub(super) fn bundle(&mut self, bits: u32, lanes: u64) -> BundleId {
        self.draft.words(bits, lanes)
    }

    pub(super) fn push(&mut self, action: Action) -> Result<(), LowerError> {
        self.lowering.push(&mut self.draft, self.origin.1.line, action)
    }

    pub(super) fn constant(&mut self, words: Words) -> Result<BundleId, LowerError> {
        let target = self.bundle(words.bits(), words.lanes());
        self.push(Action::Constant { words, target })?;
        Ok(target)
    }

    pub(super) fn gather(&mut self, source: BundleId, positions: Vec<u32>) -> Result<BundleId, LowerError> {
        let target = self.bundle(self.bits(source), positions.len() as u64);
        self.push(Action::Gather { source, positions: Index::List(positions), target })?;
        Ok(target)
    }

    /// `count` lanes from `start`; the bundle itself if these are all its lanes.
    pub(super) fn range(&mut self, source: BundleId, start: u64, count: u64) -> Result<BundleId, LowerError> {
        if (start, count) == (0, self.lanes(source)) {
            return Ok(source);
        }
        let target = self.bundle(self.bits(source), count);
        let start = u32::try_from(start).map_err(|_| self.too_large())?;
        self.push(Action::Gather { source, positions: Index::Range { start, step: 1, count }, target })?;
        Ok(target)
    }

    /// Lanes one after the other; empty parts are skipped.
    pub(super) fn join(&mut self, parts: &[Option<BundleId>]) -> Result<BundleId, LowerError> {
        let sources: Vec<BundleId> = parts.iter().copied().flatten().collect();
        if let [single] = sources[..] {
            return Ok(single);
        }
        let lanes = sources.iter().map(|source| self.lanes(*source)).sum();
        let target = self.bundle(self.bits(sources[0]), lanes);
        self.push(Action::Join { sources, target })?;
        Ok(target)
    }

    /// Runs a circuit over `lanes` lanes; `write` sees one lane's share of each operand and returns that of each result.
    pub(super) fn circuit(
        &mut self,
        lanes: u64,
        operands: &[Operand],
        write: impl FnOnce(&mut CircuitBuilder, &[Wires]) -> Vec<Wires>,
    ) -> Result<Vec<BundleId>, LowerError> {
        let mut builder = self.lowering.builder();
        let mut inputs = Vec::with_capacity(operands.len());
        for operand in operands {
            let shares = if operand.broadcast { 1 } else { lanes };
            let width = self.lanes(operand.bundle) / shares * u64::from(self.bits(operand.bundle));
            let width =
                u32::try_from(width).ok().filter(|width| *width as usize <= self.lowering.context.limit);
            let width = width.ok_or_else(|| self.too_large())?;
            inputs.push(Wires::new(self.bits(operand.bundle) as usize, builder.input(width)));
        }
        if builder.is_full() {
            return Err(self.too_large());
        }
        let results = write(&mut builder, &inputs);
        let types: Vec<(u32, u64)> =
            results.iter().map(|wires| (wires.bits() as u32, wires.lane_count() as u64 * lanes)).collect();
        let circuit = builder.finish(results.into_iter().map(Wires::into_lits).collect());
        let circuit = circuit.map_err(|_| self.too_large())?;
        let circuit = self.lowering.push_circuit(circuit, self.draft.many || lanes >= MANY_LANES);
        let outputs: Vec<BundleId> =
            types.into_iter().map(|(bits, lanes)| self.bundle(bits, lanes)).collect();
        self.push(Action::Circuit { circuit, lanes, inputs: operands.to_vec(), outputs: outputs.clone() })?;
        Ok(outputs)
    }

    /// As [`Assembler::circuit`], for one result.
    pub(super) fn word(
        &mut self,
        lanes: u64,
        operands: &[Operand],
        write: impl FnOnce(&mut CircuitBuilder, &[Wires]) -> Wires,
    ) -> Result<BundleId, LowerError> {
        Ok(self.circuit(lanes, operands, |builder, wires| vec![write(builder, wires)])?[0])
    }

    /// The words of several bundles with equally many lanes, concatenated; the first is the least
    /// significant.
    pub(super) fn concat(&mut self, parts: &[BundleId]) -> Result<BundleId, LowerError> {
        let lanes = self.lanes(parts[0]);
        let operands: Vec<Operand> = parts.iter().map(|part| share(*part)).collect();
        self.word(lanes, &operands, |_, parts| {
            let lits: Vec<_> = parts.iter().flat_map(|part| part.lits()).copied().collect();
            Wires::new(lits.len(), lits)
        })
    }

    /// `0`, `1`, … in `bits` bits.
    pub(super) fn positions(&mut self, bits: u32, count: u64) -> Result<BundleId, LowerError> {
        let positions: Vec<u128> = (0..u128::from(count)).collect();
        self.constant(Words::from_u128s(bits, &positions))
    }

    pub(super) fn too_large(&self) -> LowerError {
        self.lowering.context.too_large(self.origin.0, self.origin.1)
    }
}

/// An operand of which each lane of a step sees its share.
pub(super) fn share(bundle: BundleId) -> Operand {
    Operand { bundle, broadcast: false }
}

/// An operand that each lane of a step sees whole.
pub(super) fn whole(bundle: BundleId) -> Operand {
    Operand { bundle, broadcast: true }
}

/// Bits of a position among `count`; zero for one position.
pub(super) fn position_bits(count: u64) -> u32 {
    count.next_power_of_two().trailing_zeros()
}

/// The first minimum of the lanes of `values`, and the lanes that belong to it.
pub(super) fn first_minimum(
    builder: &mut CircuitBuilder,
    values: &Wires,
    beside: &Wires,
    signed: bool,
) -> [Wires; 2] {
    let items: Vec<_> = values.lanes().zip(beside.lanes()).collect();
    let (value, position) = arithmetic::first_minimum(builder, &items, signed);
    [Wires::new(values.bits(), value), Wires::new(beside.bits(), position)]
}
