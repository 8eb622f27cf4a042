//! Lowers operations that become one circuit.

use std::collections::BTreeMap;
use std::rc::Rc;

use foldhash::HashMap;
use tacit_circuit::{Circuit, CircuitBuilder};
use tacit_ir::{Domain, Index, Op, TemplateId, ValueId, ValueType, Words};

use super::{Draft, Lowering, MANY_LANES, bits_of};
use crate::cost;
use crate::error::LowerError;
use crate::partition::{Partition, Source, Widened};
use crate::wires::Wires;
use crate::words;
use tacit_schedule::{Action, BundleId, Operand};

/// From this many lanes on, a circuit takes only those lanes of a value that it uses, if they are at most
/// half.
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
    let line = partition.operations[operations[0]].line;
    let shape = (partition.is_cut && lanes == 1)
        .then(|| Shape::of(partition, operations, (lowering.domain, draft.many)));
    if let Some((shape, values)) = &shape
        && let Some(piece) = lowering.pieces.get(shape).cloned()
    {
        let external = values.iter().map(|value| (*value, false));
        let inputs = read_inputs(lowering, draft, partition, external.zip(&piece.kept), line)?;
        let outputs = values_written(partition, operations);
        let outputs: Vec<BundleId> = outputs.map(|value| draft.define_new(partition, value)).collect();
        return lowering.push(
            draft,
            line,
            Action::Circuit { circuit: piece.circuit, lanes, inputs, outputs },
        );
    }
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
    let (circuit, kept) = take_inputs(partition, circuit, &external);
    let values = external.iter().map(|external| (external.value, external.broadcast));
    let inputs = read_inputs(lowering, draft, partition, values.zip(&kept), line)?;
    let circuit = lowering.push_circuit(circuit, draft.many || lanes >= MANY_LANES);
    if let Some((shape, _)) = shape {
        lowering.pieces.insert(shape, Rc::new(Piece { circuit, kept }));
    }
    let outputs: Vec<BundleId> = written.iter().map(|value| draft.define_new(partition, *value)).collect();
    lowering.push(draft, line, Action::Circuit { circuit, lanes, inputs, outputs })
}

/// A value from outside the region.
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
    /// The index in the list of each external value, shared or broadcast.
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
        // A width that overflows exceeds the builder's limit anyway.
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

/// Whether a constant repeats every `period` lanes.
fn periodic(words: &Words, period: u64) -> bool {
    (period..words.lanes()).all(|lane| words.lane(lane) == words.lane(lane - period))
}

/// The part of an external value that a circuit takes.
enum Kept {
    /// Nothing.
    None,
    /// All of it.
    Whole,
    /// Some of its lanes, of this width.
    Lanes(Vec<u32>, u32),
}

/// Removes inputs that the circuit does not use: whole values, and unused lanes of long ones.
fn take_inputs(partition: &Partition<'_>, circuit: Circuit, external: &[External]) -> (Circuit, Vec<Kept>) {
    let used = circuit.used_inputs();
    let (mut keep, mut widths, mut kept) = (Vec::with_capacity(used.len()), Vec::new(), Vec::new());
    for External { value, wires, .. } in external {
        let bits = &used[keep.len()..][..wires.lits().len()];
        let lanes_used: Vec<bool> = bits.chunks(wires.bits()).map(|lane| lane.contains(&true)).collect();
        let count = lanes_used.iter().filter(|used| **used).count();
        if count == 0 {
            keep.resize(keep.len() + bits.len(), false);
            kept.push(Kept::None);
            continue;
        }
        let whole = wires.lane_count() as u64 == partition.lanes(*value);
        let sparse = whole && lanes_used.len() >= SPARSE_LANES && count <= lanes_used.len() / 2;
        let taken = if sparse { count } else { lanes_used.len() };
        widths.push((taken * wires.bits()) as u32);
        keep.extend(lanes_used.iter().flat_map(|used| std::iter::repeat_n(*used || !sparse, wires.bits())));
        kept.push(match sparse {
            true => {
                let positions = (0..).zip(&lanes_used).filter(|(_, used)| **used).map(|(lane, _)| lane);
                Kept::Lanes(positions.collect(), wires.bits() as u32)
            }
            false => Kept::Whole,
        });
    }
    (circuit.keep_inputs(&keep, widths), kept)
}

/// Reads the external values that a circuit takes; for each, whether all lanes of the circuit see all of it.
fn read_inputs<'k>(
    lowering: &mut Lowering<'_>,
    draft: &mut Draft,
    partition: &Partition<'_>,
    values: impl Iterator<Item = ((ValueId, bool), &'k Kept)>,
    line: u32,
) -> Result<Vec<Operand>, LowerError> {
    let mut operands = Vec::new();
    for ((value, broadcast), kept) in values {
        if matches!(kept, Kept::None) {
            continue;
        }
        let mut bundle = lowering.read_bits(draft, partition, value, line)?;
        if let Kept::Lanes(positions, bits) = kept {
            let target = draft.words(*bits, positions.len() as u64);
            let positions = Index::List(positions.clone());
            lowering.push(draft, line, Action::Gather { source: bundle, positions, target })?;
            bundle = target;
        }
        operands.push(Operand { bundle, broadcast });
    }
    Ok(operands)
}

/// The results of operations that are read outside the region, in order.
fn values_written<'p>(
    partition: &'p Partition<'_>,
    operations: &'p [usize],
) -> impl Iterator<Item = ValueId> + use<'p> {
    let results = operations.iter().flat_map(|index| partition.results(*index));
    results.filter(|value| partition.escapes[value.index()])
}

/// A circuit of a piece of many flattened operations, reused for equal pieces.
pub(super) struct Piece {
    circuit: u32,
    kept: Vec<Kept>,
}

/// Everything that determines the circuit of flattened operations: equal shapes give equal circuits.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Shape {
    domain: Domain,
    many: bool,
    operations: Vec<Shaped>,
    /// Types of the external values, in the order in which they are first read.
    external: Vec<ValueType>,
}

/// An operation of a shape.
#[derive(PartialEq, Eq, Hash)]
struct Shaped {
    /// Its operands are placeholders.
    op: Op,
    reads: Vec<Read>,
    /// For each result: its type, whether it is read outside, and whether it may stay a sum.
    results: Vec<(ValueType, bool, bool)>,
}

/// An operand of a shape.
#[derive(PartialEq, Eq, Hash)]
struct Read {
    from: From,
    /// How it is widened.
    steps: Vec<(u32, bool)>,
}

#[derive(PartialEq, Eq, Hash)]
enum From {
    Constant(Words),
    /// Copies of another operand, by their number.
    Copies(u64, Box<Read>),
    /// An earlier result, by its number.
    Local(u32),
    /// An external value, by its number.
    External(u32),
}

/// Numbers values in the order in which a region of these operations would meet them.
struct Shaping<'p> {
    partition: &'p Partition<'p>,
    first: usize,
    local: HashMap<ValueId, u32>,
    external: HashMap<ValueId, u32>,
    values: Vec<ValueId>,
}

impl Shape {
    /// The shape of a region of one lane, and the external values that it reads.
    fn of(
        partition: &Partition<'_>,
        operations: &[usize],
        (domain, many): (Domain, bool),
    ) -> (Shape, Vec<ValueId>) {
        let (local, external) = (HashMap::default(), HashMap::default());
        let mut shaping = Shaping { partition, first: operations[0], local, external, values: Vec::new() };
        let shaped = operations.iter().map(|index| shaping.operation(*index)).collect();
        let types = shaping.values.iter().map(|value| partition.types[value.index()]).collect();
        (Shape { domain, many, operations: shaped, external: types }, shaping.values)
    }
}

impl Shaping<'_> {
    fn operation(&mut self, index: usize) -> Shaped {
        let partition = self.partition;
        let (mut op, mut reads) = (partition.operations[index].op.clone(), Vec::new());
        op.for_each_operand_mut(|value| reads.push(self.read(std::mem::replace(value, ValueId(0)))));
        let mut results = Vec::new();
        for value in partition.results(index) {
            let number = self.local.len() as u32;
            self.local.insert(value, number);
            let (ty, escapes) = (partition.types[value.index()], partition.escapes[value.index()]);
            results.push((ty, escapes, partition.deferrable(value)));
        }
        Shaped { op, reads, results }
    }

    fn read(&mut self, value: ValueId) -> Read {
        let Widened { value: root, steps } = self.partition.read_by(value, self.first);
        let from = match self.partition.source(root) {
            Source::Constant(operation) => match &self.partition.operations[operation].op {
                Op::Constant(words) => From::Constant(words.clone()),
                _ => self.value(root),
            },
            Source::Copies(of) => From::Copies(self.partition.lanes(root), Box::new(self.read(of))),
            _ => self.value(root),
        };
        Read { from, steps }
    }

    fn value(&mut self, value: ValueId) -> From {
        if let Some(number) = self.local.get(&value) {
            return From::Local(*number);
        }
        let next = self.values.len() as u32;
        let number = *self.external.entry(value).or_insert(next);
        if number == next {
            self.values.push(value);
        }
        From::External(number)
    }
}
