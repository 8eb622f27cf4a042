//! Groups the operations that are computed together, tile by tile.

use std::collections::BTreeMap;

use tacit_ir::{Body, Index, Op, Operation, Program, ValueId, ValueType};

use super::flow::{Flow, Use, Values, gcd};
use super::{MOST_TILES, WORTH, labels};
use crate::options::Options;

/// Operations of `main` that run one after the other, or tile by tile.
pub(super) struct Group {
    /// The operations, in order.
    pub(super) members: Vec<usize>,
    /// The number of rows, and how many of them form a tile; none if the operations run untiled.
    pub(super) tile: Option<(u64, u64)>,
}

/// The operations of `main`, with the readers and writers of values.
pub(super) struct Main<'a> {
    pub(super) program: &'a Program,
    pub(super) types: &'a [ValueType],
    pub(super) operations: &'a [Operation],
    /// The operation that defines each value.
    pub(super) definer: Vec<usize>,
    /// The first value that each operation defines.
    pub(super) first: Vec<u32>,
    /// The operations that read each value, except those that lead to no output.
    pub(super) readers: Vec<Vec<usize>>,
    /// Whether an operation leads to an output.
    live: Vec<bool>,
}

impl<'a> Main<'a> {
    pub(super) fn new(program: &'a Program, types: &'a [ValueType]) -> Option<Main<'a>> {
        let Body::Operations { operations, .. } = &program.templates[program.main.index()].body else {
            return None;
        };
        let (mut definer, mut first) = (Vec::with_capacity(types.len()), Vec::new());
        for (index, operation) in operations.iter().enumerate() {
            first.push(definer.len() as u32);
            definer.extend(std::iter::repeat_n(index, operation.op.result_count(&program.templates)));
        }
        let mut live = vec![false; operations.len()];
        let mut readers = vec![Vec::new(); definer.len()];
        for (index, operation) in operations.iter().enumerate().rev() {
            live[index] |= matches!(operation.op, Op::Output { .. });
            if live[index] {
                operation.op.for_each_operand(|value| {
                    live[definer[value.index()]] = true;
                    readers[value.index()].push(index);
                });
            }
        }
        Some(Main { program, types, operations, definer, first, readers, live })
    }

    pub(super) fn results(&self, index: usize) -> impl Iterator<Item = ValueId> + use<> {
        let end = self.first.get(index + 1).map_or(self.definer.len() as u32, |next| *next);
        (self.first[index]..end).map(ValueId)
    }

    pub(super) fn lanes(&self, value: ValueId) -> u64 {
        self.types[value.index()].lanes
    }

    pub(super) fn op(&self, value: ValueId) -> &Op {
        &self.operations[self.definer[value.index()]].op
    }

    pub(super) fn is_constant(&self, value: ValueId) -> bool {
        matches!(self.op(value), Op::Constant(_))
    }

    /// The parts of a value that joins others, if only rows of it are selected.
    pub(super) fn parts(&self, value: ValueId) -> Option<Vec<u64>> {
        let Op::Join(parts) = self.op(value) else { return None };
        let chosen = |reader: &usize| matches!(self.operations[*reader].op, Op::Gather(_, Index::List(_)));
        self.readers[value.index()]
            .iter()
            .all(chosen)
            .then(|| parts.iter().map(|part| self.lanes(*part)).collect())
    }

    /// Calls `see` with the properties of values.
    pub(super) fn with_values<T>(&self, see: impl FnOnce(Values<'_>) -> T) -> T {
        let parts = |value: ValueId| self.parts(value);
        see(Values { program: self.program, types: self.types, parts: &parts })
    }

    /// Whether an operation stays in the program: it leads to an output, or takes an input, since every input
    /// must be taken.
    fn is_kept(&self, index: usize) -> bool {
        self.live[index] || matches!(self.operations[index].op, Op::Input { .. })
    }

    fn operands(&self, index: usize) -> Vec<ValueId> {
        let mut operands = Vec::new();
        self.operations[index].op.for_each_operand(|value| operands.push(value));
        operands
    }

    /// The operands of an operation that acts on rows, and how it reads each.
    pub(super) fn uses(&self, index: usize, flow: &Flow) -> Vec<(ValueId, Use)> {
        self.operands(index).into_iter().zip(flow.operands.iter().copied()).collect()
    }
}

/// Groups of operations, in an order in which each depends only on earlier ones.
pub(super) struct Groups<'a> {
    pub(super) main: Main<'a>,
    pub(super) flows: Vec<Option<Flow>>,
    pub(super) groups: Vec<Group>,
    /// Inputs and outputs with at least this many labels are taken and given in tiles.
    pub(super) large: u64,
}

/// The groups of `main`, or none if none of them is worth tiling.
pub(super) fn groups<'a>(
    program: &'a Program,
    types: &'a [ValueType],
    options: &Options,
) -> Option<Groups<'a>> {
    let main = Main::new(program, types)?;
    let flows = flows(&main, options);
    let stages = stages(&main, &flows);
    let (flows, stages) = with_inputs(&main, flows, stages, options);
    let mut units: BTreeMap<(u32, bool, usize), Vec<usize>> = BTreeMap::new();
    let groups = joined(&main, &flows, &stages);
    for index in (0..main.operations.len()).filter(|index| main.is_kept(*index)) {
        let unit = match &flows[index] {
            Some(_) => (stages[index], true, groups[index]),
            None => (stages[index], false, index),
        };
        units.entry(unit).or_default().push(index);
    }
    let tile = |members: &Vec<usize>| tile(&main, &flows, members, options);
    let groups: Vec<Group> =
        units.into_values().map(|members| Group { tile: tile(&members), members }).collect();
    let found = groups.iter().any(|group| group.tile.is_some());
    found.then_some(Groups { main, flows, groups, large: options.tile_labels })
}

/// How each operation acts on rows, if one row of it is no more than a tile. Inputs are not yet included.
fn flows(main: &Main<'_>, options: &Options) -> Vec<Option<Flow>> {
    let mut flows: Vec<Option<Flow>> = Vec::with_capacity(main.operations.len());
    for (index, operation) in main.operations.iter().enumerate() {
        let flow = match main.live[index] && !matches!(operation.op, Op::Join(_)) {
            true => main.with_values(|values| values.flow(&operation.op)),
            false => None,
        };
        let fits = |flow: &Flow| {
            let read = main.uses(index, flow).into_iter().filter(|(_, of)| *of == Use::Rows);
            let values = read.map(|(value, _)| value).chain(main.results(index).filter(|_| !flow.is_sum));
            let most = values.map(|value| labels(main.types[value.index()])).max().unwrap_or(0);
            most / flow.rows <= options.tile_labels
        };
        flows.push(flow.filter(fits));
    }
    // Joined rows are read row by row by all their readers, or by none.
    for index in 0..flows.len() {
        let Op::Join(_) = &main.operations[index].op else { continue };
        let joined = ValueId(main.first[index]);
        if main.parts(joined).is_none() || !main.live[index] {
            continue;
        }
        let readers = &main.readers[joined.index()];
        match readers.iter().all(|reader| flows[*reader].is_some()) {
            true => flows[index] = main.with_values(|values| values.flow(&main.operations[index].op)),
            false => readers.iter().for_each(|reader| flows[*reader] = None),
        }
        if flows[index].is_none() {
            readers.iter().for_each(|reader| flows[*reader] = None);
        }
    }
    for (flow, operation) in flows.iter_mut().zip(main.operations) {
        flow.take_if(|_| matches!(operation.op, Op::Input { .. }));
    }
    flows
}

/// Whether an operation reads row by row what another one makes row by row.
fn follows(flows: &[Option<Flow>], definer: usize, by: Use) -> bool {
    by == Use::Rows && flows[definer].as_ref().is_some_and(|flow| !flow.is_sum)
}

/// The stage of each operation: it rises where an operation reads from a group other than row by row.
fn stages(main: &Main<'_>, flows: &[Option<Flow>]) -> Vec<u32> {
    let mut stages = vec![0; flows.len()];
    for index in 0..flows.len() {
        let uses = match &flows[index] {
            Some(flow) => main.uses(index, flow),
            None => main.operands(index).into_iter().map(|value| (value, Use::Whole)).collect(),
        };
        for (value, by) in uses {
            let definer = main.definer[value.index()];
            let stays = flows[definer].is_none() || follows(flows, definer, by);
            stages[index] = stages[index].max(stages[definer] + u32::from(!stays));
        }
    }
    stages
}

/// Adds large inputs that are read row by row in only one stage.
fn with_inputs(
    main: &Main<'_>,
    mut flows: Vec<Option<Flow>>,
    mut stages: Vec<u32>,
    options: &Options,
) -> (Vec<Option<Flow>>, Vec<u32>) {
    for (index, operation) in main.operations.iter().enumerate() {
        let Op::Input { .. } = operation.op else { continue };
        let value = ValueId(main.first[index]);
        let readers = &main.readers[value.index()];
        let by_rows = |reader: &usize| {
            let flow = flows[*reader].as_ref();
            flow.is_some_and(|flow| {
                main.uses(*reader, flow).iter().all(|(read, by)| *read != value || *by == Use::Rows)
            })
        };
        let Some(stage) = readers.first().map(|reader| stages[*reader]) else { continue };
        let alone = readers.iter().all(|reader| by_rows(reader) && stages[*reader] == stage);
        if alone && labels(main.types[value.index()]) >= options.tile_labels {
            flows[index] = main.with_values(|values| values.flow(&operation.op));
            stages[index] = if flows[index].is_some() { stage } else { stages[index] };
        }
    }
    (flows, stages)
}

/// The representative of an operation's group.
fn first(groups: &mut [usize], mut one: usize) -> usize {
    while groups[one] != one {
        groups[one] = groups[groups[one]];
        one = groups[one];
    }
    one
}

/// For each operation, the first of those connected to it row by row in its stage.
fn joined(main: &Main<'_>, flows: &[Option<Flow>], stages: &[u32]) -> Vec<usize> {
    let mut groups: Vec<usize> = (0..flows.len()).collect();
    for (index, flow) in flows.iter().enumerate() {
        let Some(flow) = flow else { continue };
        for (value, by) in main.uses(index, flow) {
            let definer = main.definer[value.index()];
            if follows(flows, definer, by) && stages[definer] == stages[index] {
                let (a, b) = (first(&mut groups, definer), first(&mut groups, index));
                groups[a.max(b)] = a.min(b);
            }
        }
    }
    (0..flows.len()).map(|index| first(&mut groups, index)).collect()
}

/// The rows of a group and of a tile of it; none if tiling does not pay off.
fn tile(main: &Main<'_>, flows: &[Option<Flow>], members: &[usize], options: &Options) -> Option<(u64, u64)> {
    let (mut rows, mut most) = (0, 0);
    for index in members {
        let flow = flows[*index].as_ref()?;
        rows = gcd(rows, flow.rows);
        let read = main.uses(*index, flow).into_iter().filter(|(_, by)| *by == Use::Rows);
        let made = main.results(*index).filter(|_| !flow.is_sum);
        for value in read.map(|(value, _)| value).chain(made) {
            most = most.max(labels(main.types[value.index()]));
        }
    }
    if rows < 2 || most < options.tile_labels.saturating_mul(WORTH) {
        return None;
    }
    let row = most / rows;
    let fitting = (options.tile_labels / row.max(1)).max(1);
    // The rows of a tile are a power of two, so that inputs come in whole windows.
    let tile = (1 << fitting.ilog2()).max(rows.div_ceil(MOST_TILES).next_power_of_two());
    (tile < rows).then_some((rows, tile))
}
