//! Operations on long vectors as steps over lanes, so that no circuit grows with the vector.
//!
//! Vectors are processed in chunks, level by level; a partial chunk goes through its own circuit. The number
//! of ANDs is at most that of one large circuit, except for minima by pairs, which take more for fewer layers.

pub(crate) mod minimum;
mod sort;
pub(crate) mod table;

use tacit_circuit::{CircuitBuilder, Lit, arithmetic};
use tacit_ir::{Op, Operation, ScanOp, TemplateId, ValueId, ValueType, index_bits};

use super::assemble::{Assembler, first_minimum, position_bits, share};
use super::{Draft, Lowering, MANY_LANES, bits_of};
use crate::error::LowerError;
use crate::wires::Wires;
use crate::words;
use tacit_schedule::{Action, BundleId, rules};

/// Lanes of a chunk.
pub(crate) const CHUNK: u64 = 32;
/// Approximate ANDs of a chunk of a scan.
pub(crate) const SCAN_ANDS: u64 = 1 << 14;

/// Lowers an operation on long vectors; `sources` are its operands, in order. `None` for operations without
/// such a form.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    draft: &mut Draft,
    origin: (TemplateId, &Operation),
    (sources, types): (&[BundleId], &[ValueType]),
) -> Result<Option<Vec<BundleId>>, LowerError> {
    let lanes = |value: &ValueId| types[value.index()].lanes;
    let mut forms = Vec::new();
    origin.1.op.for_each_operand(|value| forms.push((bits_of(types[value.index()]), lanes(&value))));
    let count = match &origin.1.op {
        Op::SegmentSum { value, length }
        | Op::Scan { value, length, .. }
        | Op::ArgMin { value, length, .. }
        | Op::Sort { key: value, length, .. } => {
            forms.iter_mut().for_each(|form| form.1 = *length);
            lanes(value) / length
        }
        Op::Lookup { index, .. } => {
            forms[1].1 = 1;
            lanes(index)
        }
        Op::Permute { .. } | Op::Update { .. } => 1,
        _ => return Ok(None),
    };
    let many = draft.many || count >= MANY_LANES;
    let mut assembler = Assembler::new(lowering, origin.1.op.name(), many, origin, &forms);
    let results = assembler.segment(&origin.1.op)?;
    let body = assembler.finish(results)?;
    let body_of = &lowering.bodies[body as usize];
    let forms: Vec<_> = body_of.results.iter().map(|bundle| body_of.bundles[bundle.index()]).collect();
    let results: Vec<BundleId> =
        forms.iter().map(|form| draft.words(form.bits, form.lanes * count)).collect();
    let action = match &origin.1.op {
        Op::Lookup { .. } => Action::Iterate {
            body,
            count,
            carried: Vec::new(),
            invariant: vec![sources[0]],
            sliced: vec![sources[1]],
            results: results.clone(),
        },
        _ => Action::Map { body, lanes: count, arguments: sources.to_vec(), results: results.clone() },
    };
    lowering.push(draft, origin.1.line, action)?;
    Ok(Some(results))
}

impl Assembler<'_, '_> {
    /// The operation on one segment: maps the parameters of the body to its results.
    fn segment(&mut self, op: &Op) -> Result<Vec<BundleId>, LowerError> {
        let first = self.parameter(0);
        match op {
            Op::SegmentSum { .. } => Ok(vec![self.sum(first)?]),
            Op::Scan { op, .. } => Ok(vec![self.scan(first, *op)?]),
            Op::ArgMin { signed, .. } => self.arg_min(first, *signed),
            Op::Sort { payloads, signed, .. } => self.sort(1 + payloads.len(), *signed),
            Op::Permute { .. } => Ok(vec![self.permute(first, self.parameter(1))?]),
            Op::Lookup { .. } => Ok(vec![self.lookup(first, self.parameter(1))?]),
            Op::Update { .. } => Ok(vec![self.update(first, self.parameter(1), self.parameter(2))?]),
            _ => Ok(Vec::new()),
        }
    }

    /// Applies `write` to every chunk of the lanes of `sources`, and to the rest as one shorter chunk. Each
    /// result has one lane for each chunk.
    fn chunks(
        &mut self,
        sources: &[BundleId],
        mut write: impl FnMut(&mut CircuitBuilder, &[Wires]) -> Vec<Wires>,
    ) -> Result<Vec<BundleId>, LowerError> {
        let lanes = self.lanes(sources[0]);
        let (full, left) = (lanes / CHUNK, lanes % CHUNK);
        let mut parts: [Option<Vec<BundleId>>; 2] = [None, None];
        for (part, (start, length, instances)) in
            parts.iter_mut().zip([(0, full * CHUNK, full), (full * CHUNK, left, 1)])
        {
            if length > 0 {
                let mut operands = Vec::with_capacity(sources.len());
                for source in sources {
                    operands.push(share(self.range(*source, start, length)?));
                }
                *part = Some(self.circuit(instances, &operands, &mut write)?);
            }
        }
        let [full, left] = parts;
        let count = full.as_ref().or(left.as_ref()).map_or(0, Vec::len);
        let at = |part: &Option<Vec<BundleId>>, number: usize| part.as_ref().map(|part| part[number]);
        (0..count).map(|number| self.join(&[at(&full, number), at(&left, number)])).collect()
    }

    /// The sum of all lanes.
    pub(super) fn sum(&mut self, mut values: BundleId) -> Result<BundleId, LowerError> {
        let bits = self.bits(values) as usize;
        loop {
            values = self.chunks(&[values], |builder, inputs| {
                let summands: Vec<&[Lit]> = inputs[0].lanes().collect();
                vec![Wires::new(bits, arithmetic::sum(builder, &summands, bits))]
            })?[0];
            if self.lanes(values) == 1 {
                return Ok(values);
            }
        }
    }

    fn arg_min(&mut self, values: BundleId, signed: bool) -> Result<Vec<BundleId>, LowerError> {
        let lanes = self.lanes(values);
        let layered = rules(self.lowering.domain).is_layered();
        let by_pairs = self.lowering.options.paired_minima && layered && !self.draft.many;
        let most_paired = if by_pairs { minimum::MOST_PAIRED } else { 0 };
        let (mut values, mut places) = (values, None);
        // The position is built from its lowest bits: each level adds the position within the chunk on top.
        while places.is_none() || self.lanes(values) > 1 {
            let next = if (minimum::PAIRED..=most_paired).contains(&self.lanes(values)) {
                self.paired_minimum(values, places, signed)?
            } else {
                let operands: Vec<_> = std::iter::once(values).chain(places).collect();
                let least = self.chunks(&operands, |builder, inputs| {
                    let within = positions(position_bits(CHUNK), inputs[0].lane_count(), inputs.get(1));
                    first_minimum(builder, &inputs[0], &within, signed).to_vec()
                })?;
                [least[0], least[1]]
            };
            (values, places) = (next[0], Some(next[1]));
        }
        let places = places.ok_or_else(|| self.too_large())?;
        let width = index_bits(lanes) as usize;
        let position = self.word(1, &[share(places)], |_, inputs| {
            let mut bits = inputs[0].lits().to_vec();
            bits.resize(width, Lit::FALSE);
            Wires::new(width, bits)
        })?;
        Ok(vec![values, position])
    }

    /// A loop over chunks that carries the last result.
    fn scan(&mut self, values: BundleId, op: ScanOp) -> Result<BundleId, LowerError> {
        let (bits, lanes) = (self.bits(values), self.lanes(values));
        let chunk = (SCAN_ANDS / u64::from(bits)).clamp(CHUNK, 1 << 12).min(lanes);
        let (full, left) = (lanes / chunk, lanes % chunk);
        let head = self.range(values, 0, chunk)?;
        let head =
            self.circuit(1, &[share(head)], |builder, inputs| scan_chunk(builder, op, None, &inputs[0]))?;
        let (mut last, mut parts) = (head[0], vec![Some(head[1])]);
        if full > 1 {
            let mut inner = self.inner("scan of a chunk", &[(bits, 1), (bits, chunk)]);
            let operands = [share(inner.parameter(0)), share(inner.parameter(1))];
            let write = |builder: &mut CircuitBuilder, inputs: &[Wires]| {
                scan_chunk(builder, op, Some(&inputs[0]), &inputs[1])
            };
            let results = inner.circuit(1, &operands, write)?;
            let body = inner.finish(results)?;
            let sliced = vec![self.range(values, chunk, (full - 1) * chunk)?];
            let results = vec![self.bundle(bits, 1), self.bundle(bits, (full - 1) * chunk)];
            let (carried, invariant) = (vec![last], Vec::new());
            (last, parts) = (results[0], vec![parts[0], Some(results[1])]);
            self.push(Action::Iterate { body, count: full - 1, carried, invariant, sliced, results })?;
        }
        if left > 0 {
            let tail = self.range(values, full * chunk, left)?;
            let write = |builder: &mut CircuitBuilder, inputs: &[Wires]| {
                scan_chunk(builder, op, Some(&inputs[0]), &inputs[1])
            };
            parts.push(Some(self.circuit(1, &[share(last), share(tail)], write)?[1]));
        }
        self.join(&parts)
    }
}

/// The last result of a scan, and all its results.
fn scan_chunk(
    builder: &mut CircuitBuilder,
    op: ScanOp,
    before: Option<&Wires>,
    values: &Wires,
) -> Vec<Wires> {
    let words: Vec<&[Lit]> = before.into_iter().chain([values]).flat_map(Wires::lanes).collect();
    let mut results = arithmetic::scan(builder, &words, |builder, a, b| words::accumulate(builder, op, a, b));
    results.drain(..words.len() - values.lane_count());
    let last = results[results.len() - 1].clone();
    vec![Wires::new(values.bits(), last), Wires::of_lanes(values.bits(), results)]
}

/// Positions of so many lanes, in `width` bits, above the bits of `below`.
fn positions(width: u32, count: usize, below: Option<&Wires>) -> Wires {
    let position = |lane: usize| {
        let below = below.map_or(&[][..], |below| below.lane(lane));
        [below, &arithmetic::constant(lane as u128, width)].concat()
    };
    Wires::of_lanes(below.map_or(0, Wires::bits) + width as usize, (0..count).map(position))
}
