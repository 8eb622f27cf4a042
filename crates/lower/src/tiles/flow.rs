//! How operations act on rows: which of them can be computed separately for a tile of rows.

use tacit_ir::{Index, Op, Program, Type, ValueId, ValueType};

use crate::partition::place::FUSED_LANES;

/// How a tile reads an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// Its own rows.
    Rows,
    /// All of it.
    Whole,
}

/// How an operation acts on rows.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    /// The number of rows into which it can be cut; any divisor works as well.
    pub(super) rows: u64,
    /// How each operand is read.
    pub(super) operands: Vec<Use>,
    /// Whether its result is the sum of the results of all rows.
    pub(super) is_sum: bool,
}

/// Properties of the values that an operation reads.
pub(super) struct Values<'a> {
    pub(super) program: &'a Program,
    pub(super) types: &'a [ValueType],
    /// The parts of a value that joins others side by side.
    pub(super) parts: &'a dyn Fn(ValueId) -> Option<Vec<u64>>,
}

impl Values<'_> {
    fn lanes(&self, value: ValueId) -> u64 {
        self.types[value.index()].lanes
    }

    /// How an operation acts on rows, if it does so.
    pub(super) fn flow(&self, op: &Op) -> Option<Flow> {
        let mut words = true;
        op.for_each_operand(|value| words &= matches!(self.types[value.index()].ty, Type::Word(_)));
        let flow = |rows: u64, operands: &[Use]| Flow { rows, operands: operands.to_vec(), is_sum: false };
        let each = |value: ValueId, count: usize| flow(self.lanes(value), &vec![Use::Rows; count]);
        let found = match op {
            _ if !words => return None,
            Op::Input { port, column } => {
                let port = &self.program.inputs[port.index()];
                let lanes = port.shape.columns().get(*column as usize)?.lanes;
                (!port.is_stored(self.program)).then(|| flow(lanes, &[]))?
            }
            Op::Unary(_, value)
            | Op::ShiftBy(_, value, _)
            | Op::Extend { value, .. }
            | Op::Slice { value, .. } => each(*value, 1),
            Op::Binary(_, value, _) | Op::Shift(_, value, _) | Op::Compare(_, value, _) => each(*value, 2),
            Op::Select(value, ..) => each(*value, 3),
            Op::Concat(values) => each(values[0], values.len()),
            Op::Join(values) => {
                let rows = values.iter().map(|value| self.lanes(*value)).fold(0, gcd);
                flow(rows, &vec![Use::Rows; values.len()])
            }
            Op::Gather(value, index) => {
                let (rows, operand) = self.gathered(*value, index)?;
                flow(rows, &[operand])
            }
            Op::SegmentSum { value, length } if *length == self.lanes(*value) => {
                Flow { is_sum: true, ..each(*value, 1) }
            }
            Op::SegmentSum { value, length }
            | Op::Scan { value, length, .. }
            | Op::ArgMin { value, length, .. } => flow(self.lanes(*value) / length, &[Use::Rows]),
            Op::Sort { key, payloads, length, .. } => {
                flow(self.lanes(*key) / length, &vec![Use::Rows; 1 + payloads.len()])
            }
            Op::Lookup { index, .. } => flow(self.lanes(*index), &[Use::Whole, Use::Rows]),
            Op::Map { lanes, arguments, .. } => flow(*lanes, &vec![Use::Rows; arguments.len()]),
            Op::MatrixProduct { batch: 1, rows: 1, columns: 1, inner, .. } => {
                Flow { is_sum: true, ..flow(*inner, &[Use::Rows; 2]) }
            }
            Op::MatrixProduct { batch: 1, rows, .. } => flow(*rows, &[Use::Rows, Use::Whole]),
            Op::MatrixProduct { batch, .. } => flow(*batch, &[Use::Rows; 2]),
            _ => return None,
        };
        (found.rows > 1).then_some(found)
    }

    /// The rows that a gather selects, and how the value is read for one of them.
    fn gathered(&self, value: ValueId, index: &Index) -> Option<(u64, Use)> {
        let lanes = self.lanes(value);
        match index {
            Index::Repeat { tiles: 1, .. } if lanes > 1 => Some((lanes, Use::Rows)),
            Index::Repeat { each, tiles: 1 } => Some((u64::from(*each), Use::Whole)),
            Index::Repeat { tiles, .. } => Some((u64::from(*tiles), Use::Whole)),
            Index::Range { step: 0, count, .. } => Some((*count, Use::Whole)),
            Index::Range { start, step, count } => {
                let step = u64::try_from(*step).ok()?;
                let fits = step.checked_mul(*count) == Some(lanes) && u64::from(*start) < step;
                fits.then_some((*count, Use::Rows))
            }
            Index::List(list) => {
                let parts = (self.parts)(value).unwrap_or_else(|| vec![lanes]);
                let rows = parts.iter().copied().fold(list.len() as u64, gcd);
                let rows = divisors(rows).find(|rows| is_by_rows(list, &parts, *rows))?;
                Some((rows, Use::Rows))
            }
        }
    }
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The divisors of a number, the largest first.
fn divisors(number: u64) -> impl Iterator<Item = u64> {
    let root = number.isqrt();
    let large =
        (1..=root).filter(move |small| number.is_multiple_of(*small)).map(move |small| number / small);
    let small =
        (1..=root).rev().filter(move |small| number.is_multiple_of(*small) && small * small != number);
    large.chain(small)
}

/// The part and the lane within a row of a position, and the row.
fn place(position: u32, parts: &[u64], rows: u64) -> Option<(usize, u64, u64)> {
    let mut position = u64::from(position);
    for (part, lanes) in parts.iter().enumerate() {
        if position < *lanes {
            let width = lanes / rows;
            return Some((part, position % width, position / width));
        }
        position -= lanes;
    }
    None
}

/// Whether each of `rows` rows of a list selects the same places of its row of the source.
fn is_by_rows(list: &[u32], parts: &[u64], rows: u64) -> bool {
    let width = list.len() / rows as usize;
    let chosen = |position: u32| place(position, parts, rows);
    list.iter().zip(0..).all(|(position, lane): (_, usize)| {
        let (first, row) = (chosen(list[lane % width]), (lane / width) as u64);
        chosen(*position).is_some_and(|(part, at, of)| {
            of == row && first.is_some_and(|(first_part, first_at, _)| (part, at) == (first_part, first_at))
        })
    })
}

/// The list of a gather for `count` of `rows` rows.
fn list_of_rows(list: &[u32], parts: &[u64], rows: u64, count: u64) -> Option<Vec<u32>> {
    let width = list.len() / rows as usize;
    let mut positions = Vec::with_capacity(width * count as usize);
    for row in 0..count {
        for position in &list[..width] {
            let (part, at, _) = place(*position, parts, rows)?;
            let before: u64 = parts[..part].iter().map(|lanes| lanes / rows * count).sum();
            positions.push(u32::try_from(before + row * (parts[part] / rows) + at).ok()?);
        }
    }
    Some(positions)
}

impl Values<'_> {
    /// The operation on `count` of `rows` rows, with the operands of the whole; a sum sums only these rows.
    pub(super) fn of_rows(&self, op: &Op, rows: u64, count: u64) -> Option<Op> {
        let mut tile = op.clone();
        match &mut tile {
            Op::Gather(value, index) => *index = self.index_of_rows(*value, index, rows, count)?,
            Op::SegmentSum { value, length } if *length == self.lanes(*value) => {
                *length = *length / rows * count;
            }
            Op::Map { lanes, .. } => *lanes = *lanes / rows * count,
            Op::MatrixProduct { batch: 1, rows: 1, columns: 1, inner, .. } => *inner = *inner / rows * count,
            Op::MatrixProduct { batch: 1, rows: all, .. } => *all = *all / rows * count,
            Op::MatrixProduct { batch, .. } => *batch = *batch / rows * count,
            _ => {}
        }
        Some(tile)
    }

    fn index_of_rows(&self, value: ValueId, index: &Index, rows: u64, count: u64) -> Option<Index> {
        let lanes = self.lanes(value);
        Some(match index {
            Index::Repeat { tiles: 1, .. } if lanes > 1 => index.clone(),
            Index::Repeat { each, tiles: 1 } => {
                Index::Repeat { each: u32::try_from(u64::from(*each) / rows * count).ok()?, tiles: 1 }
            }
            Index::Repeat { each, tiles } => {
                Index::Repeat { each: *each, tiles: u32::try_from(u64::from(*tiles) / rows * count).ok()? }
            }
            Index::Range { start, step, count: all } => {
                Index::Range { start: *start, step: *step, count: all / rows * count }
            }
            Index::List(list) => {
                let parts = (self.parts)(value).unwrap_or_else(|| vec![lanes]);
                Index::List(list_of_rows(list, &parts, rows, count)?)
            }
        })
    }
}

/// The number of lanes that are summed first, if not all at once: as many as may join the circuit that makes
/// them.
pub(super) fn summed_first(lanes: u64) -> Option<u64> {
    (lanes > FUSED_LANES && lanes.is_multiple_of(FUSED_LANES)).then_some(FUSED_LANES)
}
