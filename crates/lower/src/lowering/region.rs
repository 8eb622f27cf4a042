//! Operations that become one circuit.

use std::collections::BTreeMap;
use std::rc::Rc;

use foldhash::HashMap;
use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_ir::{Index, Op, TemplateId, ValueId, Words};

use super::{Draft, Lowering, MANY_LANES, bits_of};
use crate::cost;
use crate::error::LowerError;
use crate::partition::{Partition, Source, Widened};
use crate::wires::Wires;
use crate::words;
use tacit_schedule::{Action, BundleId, Operand};

/// Lanes from which on a circuit takes only those it uses of a value, if they are at most half.
pub(crate) const SPARSE_LANES: usize = 64;

/// Lowers a region to a circuit step over `lanes` lanes.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    draft: &mut Draft,
    partition: &Partition<'_>,
    template: TemplateId,
    lanes: u64,
    operations: &[usize],
) -> Result<(), LowerError> {
    let builder = lowering.builder();
    let mut region = Region::new(partition, lanes, operations, builder);
    let mut written: Vec<ValueId> = Vec::new();
    for index in operations {
        let operation = &partition.operations[*index];
        if region.operand_bits(&operation.op) > lowering.context.limit as u64 {
            return Err(lowering.context.too_large(template, operation));
        }
        let operands = region.operands(&operation.op);
        let refs: Vec<&Wires> = operands.iter().map(AsRef::as_ref).collect();
        let defer = partition.results(*index).all(|value| partition.deferrable(value));
        let results =
            lowering.context.operation(&mut region.builder, (template, operation), &refs, lanes, defer)?;
        drop(operands);
        for (value, wires) in partition.results(*index).zip(results) {
            region.define(value, wires);
            written.extend(partition.escapes[value.index()].then_some(value));
        }
    }
    if written.is_empty() {
        return Ok(());
    }
    let line = partition.operations[operations[0]].line;
    let Region { builder, mut local, external, .. } = region;
    let mut take = |value: &ValueId| {
        local.remove(value).map_or(Vec::new(), |wires| Rc::unwrap_or_clone(wires).into_lits())
    };
    let groups = written.iter().map(&mut take).collect();
    let limit = lowering.context.limit;
    let last = &partition.operations[operations[operations.len() - 1]];
    let too_large = |_| LowerError::TooLarge {
        template: lowering.context.template(template).name.clone(),
        line: last.line,
        operation: last.op.name(),
        limit,
    };
    let circuit = builder.finish(groups).map_err(too_large)?;
    let (circuit, inputs) = take_inputs(lowering, draft, partition, circuit, &external, line)?;
    let circuit = lowering.push_circuit(circuit, draft.many || lanes >= MANY_LANES);
    let outputs: Vec<BundleId> = written.iter().map(|value| draft.define_new(partition, *value)).collect();
    lowering.push(draft, line, Action::Circuit { circuit, lanes, inputs, outputs })
}

/// A value from elsewhere.
struct External {
    value: ValueId,
    broadcast: bool,
    wires: Rc<Wires>,
}

/// A circuit being written; values are those of one of its lanes.
struct Region<'a> {
    partition: &'a Partition<'a>,
    lanes: u64,
    /// An operation of the region.
    first: usize,
    builder: CircuitBuilder,
    /// Values defined here that are still to be read.
    local: HashMap<ValueId, Rc<Wires>>,
    /// Reads within the region that are still to come.
    reads: HashMap<ValueId, u32>,
    external: Vec<External>,
    /// Where each external value, shared or broadcast, stands in the list.
    known: BTreeMap<(ValueId, bool), usize>,
}

impl<'a> Region<'a> {
    fn new(partition: &'a Partition<'a>, lanes: u64, operations: &[usize], builder: CircuitBuilder) -> Self {
        let mut reads: HashMap<ValueId, u32> = HashMap::default();
        for index in operations {
            partition.operations[*index].op.for_each_operand(|value| {
                *reads.entry(partition.stem(value, *index)).or_default() += 1;
            });
        }
        let (local, external, known) = (HashMap::default(), Vec::new(), BTreeMap::new());
        Region { partition, lanes, first: operations[0], builder, local, reads, external, known }
    }

    /// Bits of the largest operand that one lane of the circuit sees.
    fn operand_bits(&self, op: &Op) -> u64 {
        let (mut most, mut first) = (0, true);
        op.for_each_operand(|value| {
            let whole = std::mem::take(&mut first) && matches!(op, Op::Lookup { .. });
            let shares = if whole { 1 } else { self.lanes };
            most = most.max(cost::size(self.partition.types[value.index()]) / shares);
        });
        most
    }

    fn operands(&mut self, op: &Op) -> Vec<Rc<Wires>> {
        let mut operands = Vec::new();
        op.for_each_operand(|value| {
            let whole = operands.is_empty() && matches!(op, Op::Lookup { .. });
            operands.push(self.operand(value, whole));
        });
        operands
    }

    /// A lane's share of a value, or all of it where `whole`.
    fn operand(&mut self, value: ValueId, whole: bool) -> Rc<Wires> {
        let Widened { value: root, steps } = self.partition.read_by(value, self.first);
        let narrow = self.narrow_operand(root, whole);
        steps.into_iter().fold(narrow, |wires, step| Rc::new(words::widened(&wires, step)))
    }

    fn narrow_operand(&mut self, root: ValueId, whole: bool) -> Rc<Wires> {
        let lanes = self.partition.lanes(root);
        let count = if whole { lanes } else { lanes / self.lanes };
        match self.partition.source(root) {
            Source::Constant(operation) => match &self.partition.operations[operation].op {
                Op::Constant(words) if periodic(words, count) => Rc::new(Wires::constant(words, 0, count)),
                _ => self.external(root, false),
            },
            Source::Copies(of) => {
                let single = self.operand(of, true);
                Rc::new(Wires::new(single.bits(), single.lits().repeat(count as usize)))
            }
            _ => self.local_or_external(root, whole && self.lanes > 1),
        }
    }

    fn local_or_external(&mut self, value: ValueId, broadcast: bool) -> Rc<Wires> {
        let left = self.reads.get_mut(&value).map_or(1, |reads| {
            *reads -= 1;
            *reads
        });
        let keep = left > 0 || self.partition.escapes[value.index()];
        let local = match keep {
            true => self.local.get(&value).cloned(),
            false => self.local.remove(&value),
        };
        local.unwrap_or_else(|| self.external(value, broadcast))
    }

    fn external(&mut self, value: ValueId, broadcast: bool) -> Rc<Wires> {
        if let Some(index) = self.known.get(&(value, broadcast)) {
            return self.external[*index].wires.clone();
        }
        let ty = self.partition.types[value.index()];
        let (bits, lanes) = (bits_of(ty), if broadcast { ty.lanes } else { ty.lanes / self.lanes });
        // A width beyond counting is beyond the builder's limit.
        let width = u32::try_from(lanes.saturating_mul(bits.into())).unwrap_or(u32::MAX);
        let wires = Rc::new(Wires::new(bits as usize, self.builder.input(width)));
        self.known.insert((value, broadcast), self.external.len());
        self.external.push(External { value, broadcast, wires: wires.clone() });
        wires
    }

    fn define(&mut self, value: ValueId, wires: Wires) {
        if self.reads.contains_key(&value) || self.partition.escapes[value.index()] {
            self.local.insert(value, Rc::new(wires));
        }
    }
}

/// Whether a constant repeats itself every `period` lanes.
fn periodic(words: &Words, period: u64) -> bool {
    (period..words.lanes()).all(|lane| words.lane(lane) == words.lane(lane - period))
}

/// Leaves out inputs that the circuit does not use: whole values, and of long ones all but the lanes used.
fn take_inputs(
    lowering: &mut Lowering<'_>,
    draft: &mut Draft,
    partition: &Partition<'_>,
    circuit: Circuit,
    external: &[External],
    line: u32,
) -> Result<(Circuit, Vec<Operand>), LowerError> {
    let used = circuit.used_inputs();
    let (mut keep, mut widths, mut operands) = (Vec::with_capacity(used.len()), Vec::new(), Vec::new());
    for External { value, broadcast, wires } in external {
        let bits = &used[keep.len()..][..wires.lits().len()];
        let lanes_used: Vec<bool> = bits.chunks(wires.bits()).map(|lane| lane.contains(&true)).collect();
        let count = lanes_used.iter().filter(|used| **used).count();
        if count == 0 {
            keep.resize(keep.len() + bits.len(), false);
            continue;
        }
        let mut bundle = lowering.read_bits(draft, partition, *value, line)?;
        let whole = wires.lane_count() as u64 == partition.lanes(*value);
        let sparse = whole && lanes_used.len() >= SPARSE_LANES && count <= lanes_used.len() / 2;
        if sparse {
            let positions: Vec<u32> =
                (0..).zip(&lanes_used).filter(|(_, used)| **used).map(|(lane, _)| lane).collect();
            let target = draft.words(wires.bits() as u32, count as u64);
            lowering.push(
                draft,
                line,
                Action::Gather { source: bundle, positions: Index::List(positions), target },
            )?;
            bundle = target;
        }
        let kept = if sparse { count } else { lanes_used.len() };
        widths.push((kept * wires.bits()) as u32);
        keep.extend(lanes_used.iter().flat_map(|used| std::iter::repeat_n(*used || !sparse, wires.bits())));
        operands.push(Operand { bundle, broadcast: *broadcast });
    }
    Ok((circuit.keep_inputs(&keep, widths), operands))
}
