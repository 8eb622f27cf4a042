//! Writes a program in tiles.

use std::collections::{BTreeMap, BTreeSet};

use tacit_ir::{Body, Index, Op, Operation, Program, Template, TemplateId, ValueId, ValueType, Words};

use super::flow::{Use, summed_first};
use super::group::{Group, Groups};
use super::{Parts, labels};

/// The program with its groups in tiles; none if a number in it would overflow.
pub(super) fn written(
    program: &Program,
    types: &[ValueType],
    groups: &Groups<'_>,
) -> Option<(Program, Parts)> {
    let mut writer = Writer {
        groups,
        types,
        templates: program.templates.clone(),
        operations: Vec::new(),
        count: 0,
        values: BTreeMap::new(),
        parts: Parts::none(),
    };
    let main = writer.templates.pop()?;
    for group in &groups.groups {
        match group.tile {
            Some((rows, tile)) => writer.tiles(group, rows, tile)?,
            None => group.members.iter().for_each(|index| writer.copy(*index)),
        }
    }
    let Writer { mut templates, operations, parts, .. } = writer;
    let number = TemplateId(u32::try_from(templates.len()).ok()?);
    templates.push(Template { body: Body::Operations { operations, results: Vec::new() }, ..main });
    Some((Program { templates, main: number, ..program.clone() }, parts))
}

struct Writer<'a> {
    groups: &'a Groups<'a>,
    types: &'a [ValueType],
    templates: Vec<Template>,
    /// The new `main`.
    operations: Vec<Operation>,
    /// The number of values that these define.
    count: u32,
    /// The value in the new `main` for each value of the program.
    values: BTreeMap<ValueId, ValueId>,
    parts: Parts,
}

/// The inputs and results of a group.
struct Border {
    /// Values of which each tile sees its rows.
    rows: Vec<ValueId>,
    /// Values that each tile sees whole.
    whole: Vec<ValueId>,
    /// The results, and whether each is a sum.
    results: Vec<(ValueId, bool)>,
}

impl Writer<'_> {
    fn push(&mut self, op: Op, line: u32, results: u32) -> ValueId {
        self.operations.push(Operation { op, line });
        self.count += results;
        ValueId(self.count - results)
    }

    /// Copies an operation unchanged.
    fn copy(&mut self, index: usize) {
        let Operation { op, line } = &self.groups.main.operations[index];
        let mut op = op.clone();
        op.for_each_operand_mut(|value| {
            if let Some(new) = self.values.get(value) {
                *value = *new;
            }
        });
        let results: Vec<ValueId> = self.groups.main.results(index).collect();
        let first = self.push(op, *line, results.len() as u32);
        self.values.extend(results.into_iter().zip((first.0..).map(ValueId)));
    }

    fn border(&self, group: &Group) -> Border {
        let Groups { main, flows, .. } = self.groups;
        let members: BTreeSet<usize> = group.members.iter().copied().collect();
        let (mut rows, mut whole, mut results) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        for index in &group.members {
            let Some(flow) = &flows[*index] else { continue };
            for (value, by) in main.uses(*index, flow) {
                let definer = main.definer[value.index()];
                let is_input = matches!(main.operations[definer].op, Op::Input { .. });
                match by {
                    Use::Whole if main.is_constant(value) => false,
                    Use::Rows if main.is_constant(value) && self.is_uniform(value) => false,
                    Use::Whole => whole.insert(value),
                    Use::Rows if is_input || !members.contains(&definer) => rows.insert(value),
                    Use::Rows => false,
                };
            }
            let input = matches!(main.operations[*index].op, Op::Input { .. });
            for value in main.results(*index).filter(|_| !input) {
                let leaves = |reader: &usize| !members.contains(reader);
                if main.readers[value.index()].iter().any(leaves) {
                    results.push((value, flow.is_sum));
                }
            }
        }
        Border { rows: rows.into_iter().collect(), whole: whole.into_iter().collect(), results }
    }

    /// Whether all lanes of a constant are equal.
    fn is_uniform(&self, value: ValueId) -> bool {
        let Op::Constant(words) = self.groups.main.op(value) else { return false };
        (1..words.lanes()).all(|lane| words.lane(lane) == words.lane(0))
    }

    /// Writes a group, tile by tile.
    fn tiles(&mut self, group: &Group, rows: u64, tile: u64) -> Option<()> {
        let border = self.border(group);
        self.take_inputs(group);
        let line = self.groups.main.operations[*group.members.first()?].line;
        let mut templates = BTreeMap::new();
        let mut found: Vec<Vec<ValueId>> = vec![Vec::new(); border.results.len()];
        for start in (0..rows).step_by(usize::try_from(tile).ok()?) {
            let count = tile.min(rows - start);
            let template = match templates.get(&count) {
                Some(template) => *template,
                None => self.template(group, &border, rows, count)?,
            };
            templates.insert(count, template);
            let mut arguments = Vec::new();
            for value in &border.rows {
                arguments.push(self.rows_of(*value, (rows, start, count), line)?);
            }
            arguments.extend(border.whole.iter().map(|value| self.values[value]));
            let results = border.results.len() as u32;
            let first = self.push(Op::Call { template, arguments }, line, results);
            found.iter_mut().zip(first.0..).for_each(|(found, number)| found.push(ValueId(number)));
        }
        for ((value, is_sum), found) in border.results.iter().zip(found) {
            self.result(*value, *is_sum, found);
        }
        Some(())
    }

    /// The inputs of a group, which are taken in its tiles.
    fn take_inputs(&mut self, group: &Group) {
        for index in &group.members {
            if let Op::Input { .. } = self.groups.main.operations[*index].op {
                self.copy(*index);
                let value = ValueId(self.groups.main.first[*index]);
                self.parts.inputs.insert(self.values[&value]);
            }
        }
    }

    /// Selects some rows of a value.
    fn rows_of(
        &mut self,
        value: ValueId,
        (rows, start, count): (u64, u64, u64),
        line: u32,
    ) -> Option<ValueId> {
        let width = self.groups.main.lanes(value) / rows;
        let (start, count) = (start * width, count * width);
        let op = match self.groups.main.op(value) {
            Op::Constant(words) => Op::Constant(words.range(start, count)),
            _ => {
                let start = u32::try_from(start).ok()?;
                Op::Gather(self.values[&value], Index::Range { start, step: 1, count })
            }
        };
        Some(self.push(op, line, 1))
    }

    /// Joins or adds the results of all tiles for a value.
    fn result(&mut self, value: ValueId, is_sum: bool, found: Vec<ValueId>) {
        let main = &self.groups.main;
        let (line, length) = (main.operations[main.definer[value.index()]].line, found.len() as u64);
        let columns = self.columns(value).filter(|_| !is_sum);
        let joined = self.push(Op::Join(found.clone()), line, 1);
        let result = match is_sum {
            true => self.push(Op::SegmentSum { value: joined, length }, line, 1),
            false => joined,
        };
        self.values.insert(value, result);
        if let Some(columns) = columns {
            self.parts.outputs.insert(joined);
            self.parts.given.extend(found.into_iter().map(|part| (part, columns.clone())));
        }
    }

    /// The columns of outputs to which a large value goes, if it goes nowhere else.
    fn columns(&self, value: ValueId) -> Option<Vec<(u32, u32)>> {
        let Groups { main, large, .. } = self.groups;
        let column = |reader: &usize| match &main.operations[*reader].op {
            Op::Output { port, column, .. } => {
                let kept = main.program.outputs[port.index()].is_stored(main.program);
                (!kept).then_some((port.0, *column))
            }
            _ => None,
        };
        let is_large = labels(self.types[value.index()]) >= *large;
        is_large.then(|| main.readers[value.index()].iter().map(column).collect::<Option<_>>())?
    }

    /// Writes the template that computes `count` of a group's rows.
    fn template(&mut self, group: &Group, border: &Border, rows: u64, count: u64) -> Option<TemplateId> {
        let lanes = |value: ValueId| self.groups.main.lanes(value) / rows * count;
        let shape = |value: ValueId| ValueType { lanes: lanes(value), ..self.types[value.index()] };
        let of_rows = border.rows.iter().map(|value| shape(*value));
        let whole = border.whole.iter().map(|value| self.types[value.index()]);
        let parameters: Vec<ValueType> = of_rows.chain(whole).collect();
        let mut tile = TileWriter {
            operations: Vec::new(),
            count: parameters.len() as u32,
            rows: border.rows.iter().copied().zip((0..).map(ValueId)).collect(),
            whole: border.whole.iter().copied().zip((border.rows.len() as u32..).map(ValueId)).collect(),
        };
        for index in &group.members {
            self.member(&mut tile, *index, rows, count)?;
        }
        let results = border.results.iter().map(|(value, is_sum)| match is_sum {
            true => self.types[value.index()],
            false => shape(*value),
        });
        let results = results.collect();
        let given = border.results.iter().map(|(value, _)| tile.rows.get(value).copied());
        let given = given.collect::<Option<Vec<ValueId>>>()?;
        let number = TemplateId(u32::try_from(self.templates.len()).ok()?);
        self.templates.push(Template {
            name: format!("tile of {count} rows"),
            parameters,
            results,
            body: Body::Operations { operations: tile.operations, results: given },
        });
        self.parts.tiles.insert(number);
        Some(number)
    }

    /// Writes an operation for `count` of `rows` rows.
    fn member(&self, tile: &mut TileWriter, index: usize, rows: u64, count: u64) -> Option<()> {
        let Groups { main, flows, .. } = self.groups;
        let (Operation { op, line }, flow) = (&main.operations[index], flows[index].as_ref()?);
        if let Op::Input { .. } = op {
            return Some(());
        }
        let mut operands = Vec::new();
        for (value, by) in main.uses(index, flow) {
            operands.push(match main.op(value) {
                Op::Constant(words) if by == Use::Whole => tile.push(Op::Constant(words.clone()), *line, 1),
                Op::Constant(words) if self.is_uniform(value) => {
                    let words = repeated(words, main.lanes(value) / rows * count);
                    tile.push(Op::Constant(words), *line, 1)
                }
                _ if by == Use::Whole => *tile.whole.get(&value)?,
                _ => *tile.rows.get(&value)?,
            });
        }
        let mut op = main.with_values(|values| values.of_rows(op, rows, count))?;
        let mut operands = operands.into_iter();
        // There are as many as the operation has operands.
        op.for_each_operand_mut(|value| *value = operands.next().unwrap_or(*value));
        if let Op::SegmentSum { value, length } = &mut op
            && flow.is_sum
            && let Some(first) = summed_first(*length)
        {
            *value = tile.push(Op::SegmentSum { value: *value, length: first }, *line, 1);
            *length /= first;
        }
        let results: Vec<ValueId> = main.results(index).collect();
        let first = tile.push(op, *line, results.len() as u32);
        tile.rows.extend(results.into_iter().zip((first.0..).map(ValueId)));
        Some(())
    }
}

/// `lanes` copies of the first lane.
fn repeated(words: &Words, lanes: u64) -> Words {
    let mut all = Words::zero(words.bits(), lanes);
    (0..lanes).for_each(|lane| all.lane_mut(lane).copy_from_slice(words.lane(0)));
    all
}

/// A template that is being written.
struct TileWriter {
    operations: Vec<Operation>,
    count: u32,
    /// The values available to the tile: its rows, or all.
    rows: BTreeMap<ValueId, ValueId>,
    whole: BTreeMap<ValueId, ValueId>,
}

impl TileWriter {
    fn push(&mut self, op: Op, line: u32, results: u32) -> ValueId {
        self.operations.push(Operation { op, line });
        self.count += results;
        ValueId(self.count - results)
    }
}
