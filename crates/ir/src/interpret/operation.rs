//! One operation of a template.

use super::vector::Layout;
use super::{Frame, InterpretError, Run, elements, lane, segment, vector};
use crate::{Body, Op, Program, TemplateId, ValueId};

/// Makes room for a result: `size` zero limbs.
pub(super) fn prepare(value: &mut Vec<u64>, size: usize) -> Result<(), InterpretError> {
    value.clear();
    value.try_reserve(size).map_err(|_| InterpretError::Memory { limbs: size })?;
    value.resize(size, 0);
    Ok(())
}

/// The positions of a template's results among its frame's values.
enum Results<'p> {
    Values(&'p [ValueId]),
    After(usize),
}

impl Results<'_> {
    fn of(program: &Program, template: TemplateId) -> Results<'_> {
        let template = &program.templates[template.index()];
        match &template.body {
            Body::Operations { results, .. } => Results::Values(results),
            Body::Netlist(_) => Results::After(template.parameters.len()),
        }
    }

    fn index(&self, result: usize) -> usize {
        match self {
            Results::Values(values) => values[result].index(),
            Results::After(parameters) => parameters + result,
        }
    }
}

impl Run<'_> {
    /// Runs one operation, whose operands are in `before`; writes its results to the front of `after` and
    /// returns their number. `layouts` are those of all values.
    pub(super) fn operation(
        &mut self,
        op: &Op,
        layouts: &[Layout],
        before: &[Vec<u64>],
        after: &mut [Vec<u64>],
        below: &mut [Frame],
    ) -> Result<usize, InterpretError> {
        match op {
            Op::Output { port, column, value } => {
                let words = &mut self.outputs[port.index()][*column as usize];
                words.limbs_mut().copy_from_slice(&before[value.index()]);
                Ok(0)
            }
            Op::ArgMin { value, length, signed } => {
                let [minima, positions, ..] = after else { return Ok(0) };
                prepare(minima, layouts[before.len()].size())?;
                prepare(positions, layouts[before.len() + 1].size())?;
                let (layout, value) = (layouts[value.index()], &before[value.index()]);
                segment::arg_min(layout, *length, *signed, minima, positions, value);
                Ok(2)
            }
            Op::Sort { key, payloads, length, signed } => {
                let (layout, keys) = (layouts[key.index()], &before[key.index()]);
                let positions = segment::sorted_positions(layout, *length, *signed, keys);
                let moved = std::iter::once(key).chain(payloads);
                for (result, value) in after.iter_mut().zip(moved) {
                    let layout = layouts[value.index()];
                    prepare(result, layout.size())?;
                    segment::pick(
                        layout,
                        positions.iter().copied().map(u64::from),
                        result,
                        &before[value.index()],
                    );
                }
                Ok(1 + payloads.len())
            }
            Op::Call { template, arguments } => self.map(*template, 1, arguments, before, after, below),
            Op::Map { template, lanes, arguments } => {
                self.map(*template, *lanes, arguments, before, after, below)
            }
            Op::Iterate { .. } => self.iterate(op, before, after, below),
            _ => {
                prepare(&mut after[0], layouts[before.len()].size())?;
                self.one(op, layouts, before, &mut after[0]);
                Ok(1)
            }
        }
    }

    /// An operation with one result that applies no template.
    fn one(&mut self, op: &Op, layouts: &[Layout], before: &[Vec<u64>], out: &mut [u64]) {
        let to = layouts[before.len()];
        let at = |value: ValueId| before[value.index()].as_slice();
        let from = |value: ValueId| layouts[value.index()];
        match op {
            Op::Constant(words) => out.copy_from_slice(words.limbs()),
            Op::Input { port, column } => {
                out.copy_from_slice(self.inputs[port.index()][*column as usize].limbs());
                out.chunks_exact_mut(to.limbs).for_each(|lane| lane::mask(to.bits, lane));
            }
            Op::Open(value) | Op::Pin(_, value) => out.copy_from_slice(at(*value)),
            Op::ShiftBy(op, a, amount) => vector::shift_by(*op, to, out, at(*a), *amount),
            Op::Shift(op, a, amount) => vector::shift(*op, to, out, at(*a), at(*amount)),
            Op::Compare(op, a, b) => vector::compare(*op, from(*a), out, at(*a), at(*b)),
            Op::Select(condition, a, b) => vector::select(to, out, at(*condition), at(*a), at(*b)),
            Op::Extend { value, signed, .. } => vector::extend(from(*value), to, *signed, out, at(*value)),
            Op::Slice { value, low, .. } => vector::slice(from(*value), to, *low, out, at(*value)),
            Op::Concat(values) => {
                values.iter().fold(0, |low, value| {
                    vector::concat_part(from(*value), to, low, out, at(*value));
                    low + from(*value).bits
                });
            }
            Op::Gather(value, index) => vector::gather(from(*value), index, out, at(*value)),
            Op::Join(values) => {
                values.iter().fold(0, |start, value| {
                    let end = start + at(*value).len();
                    out[start..end].copy_from_slice(at(*value));
                    end
                });
            }
            Op::Scan { op, value, length } => segment::scan(*op, to, *length, out, at(*value)),
            Op::Permute { value, order } => {
                let positions = segment::looked_up(to.lanes, to.lanes, at(*order));
                segment::pick(to, positions, out, at(*value));
            }
            Op::Lookup { table, index } => {
                let positions = segment::looked_up(from(*table).lanes, to.lanes, at(*index));
                segment::pick(to, positions, out, at(*table));
            }
            Op::Update { table, index, value } => {
                segment::update(to, out, at(*table), at(*index), at(*value))
            }
            _ => self.arithmetic(op, layouts, before, out),
        }
    }

    /// An operation that depends on whether the elements are words or of a field.
    fn arithmetic(&mut self, op: &Op, layouts: &[Layout], before: &[Vec<u64>], out: &mut [u64]) {
        let to = layouts[before.len()];
        let at = |value: ValueId| before[value.index()].as_slice();
        let field = to.field.map(|field| &self.program.fields[field.index()]);
        match (op, field) {
            (Op::Unary(op, a), None) => vector::unary(*op, to, out, at(*a)),
            (Op::Unary(op, a), Some(field)) => elements::unary(*op, field, to, out, at(*a)),
            (Op::Binary(op, a, b), None) => vector::binary(*op, to, out, at(*a), at(*b)),
            (Op::Binary(op, a, b), Some(field)) => elements::binary(*op, field, to, out, at(*a), at(*b)),
            (Op::SegmentSum { value, length }, None) => segment::segment_sum(to, *length, out, at(*value)),
            (Op::SegmentSum { value, length }, Some(field)) => {
                elements::segment_sum(field, to, *length, out, at(*value));
            }
            (Op::MatrixProduct { left, right, rows, inner, columns, .. }, field) => {
                let sizes = [*rows, *inner, *columns].map(|size| size as usize);
                match field {
                    None => segment::matrix_product(to, sizes, out, at(*left), at(*right)),
                    Some(field) => elements::matrix_product(field, to, sizes, out, at(*left), at(*right)),
                }
            }
            (Op::Random(_), Some(field)) => elements::random(field, to, out, self.draw),
            (Op::Random(_), None) => {
                out.iter_mut().for_each(|limb| *limb = (self.draw)());
                out.chunks_exact_mut(to.limbs).for_each(|lane| lane::mask(to.bits, lane));
            }
            _ => unreachable!("{} is not arithmetic", op.name()),
        }
    }

    /// Applies a template `lanes` times side by side.
    fn map(
        &mut self,
        template: TemplateId,
        lanes: u64,
        arguments: &[ValueId],
        before: &[Vec<u64>],
        after: &mut [Vec<u64>],
        below: &mut [Frame],
    ) -> Result<usize, InterpretError> {
        let below = &mut below[..=template.index()];
        let results = Results::of(self.program, template);
        let count = self.program.templates[template.index()].results.len();
        after[..count].iter_mut().for_each(Vec::clear);
        for instance in 0..lanes as usize {
            for (number, argument) in arguments.iter().enumerate() {
                let value = &before[argument.index()];
                let length = value.len() / lanes as usize;
                copy(parameter(below, number), &value[instance * length..][..length]);
            }
            self.template(below)?;
            stack(&mut after[..count], 0, &results, below)?;
        }
        Ok(count)
    }

    fn iterate(
        &mut self,
        op: &Op,
        before: &[Vec<u64>],
        after: &mut [Vec<u64>],
        below: &mut [Frame],
    ) -> Result<usize, InterpretError> {
        let Op::Iterate { template, count, carried, invariant, sliced } = op else { return Ok(0) };
        let below = &mut below[..=template.index()];
        let results = Results::of(self.program, *template);
        let all = self.program.templates[template.index()].results.len();
        after[..all].iter_mut().for_each(Vec::clear);
        for (number, argument) in carried.iter().chain(invariant).enumerate() {
            copy(parameter(below, number), &before[argument.index()]);
        }
        let (last, stacks) = after[..all].split_at_mut(carried.len());
        for iteration in 0..*count as usize {
            for (number, argument) in sliced.iter().enumerate() {
                let value = &before[argument.index()];
                let length = value.len() / *count as usize;
                let slice = &value[iteration * length..][..length];
                copy(parameter(below, carried.len() + invariant.len() + number), slice);
            }
            self.template(below)?;
            stack(stacks, carried.len(), &results, below)?;
            // All results are read before any parameter is overwritten, since a result may be another
            // parameter.
            let values = &mut below[template.index()].values;
            for (number, last) in last.iter_mut().enumerate() {
                copy(last, &values[results.index(number)]);
            }
            if iteration + 1 < *count as usize {
                last.iter_mut()
                    .enumerate()
                    .for_each(|(number, last)| std::mem::swap(last, &mut values[number]));
            }
        }
        Ok(all)
    }
}

/// A parameter of the template of the last frame.
fn parameter(frames: &mut [Frame], number: usize) -> &mut Vec<u64> {
    let last = frames.len() - 1;
    let values = &mut frames[last].values;
    if values.len() <= number {
        values.resize_with(number + 1, Vec::new);
    }
    &mut values[number]
}

fn copy(to: &mut Vec<u64>, from: &[u64]) {
    to.clear();
    to.extend_from_slice(from);
}

/// Appends the results of the last frame, from `first` on, to `stacks`.
fn stack(
    stacks: &mut [Vec<u64>],
    first: usize,
    results: &Results<'_>,
    frames: &[Frame],
) -> Result<(), InterpretError> {
    for (number, stack) in stacks.iter_mut().enumerate() {
        let value = &frames[frames.len() - 1].values[results.index(first + number)];
        let limbs = stack.len() + value.len();
        stack.try_reserve(value.len()).map_err(|_| InterpretError::Memory { limbs })?;
        stack.extend_from_slice(value);
    }
    Ok(())
}
