//! What is made of many elements at once: sums, extrema, sorting, running sums.

use tacit_ir::{BinaryOp, Index, Op, ScanOp, ValueId, index_bits};

use super::arithmetic::kept;
use super::error::{Traced, shape as bad_shape};
use super::kind::{Kind, Number};
use super::shape::{self, View};
use super::tracer::Tracer;
use super::value::Value;

/// The axes over which a reduction goes: all of them, or these.
pub type Axes<'a> = Option<&'a [i64]>;

/// An array with what is reduced side by side.
struct Segments {
    id: ValueId,
    /// Elements in a row that become one.
    length: u64,
    /// The shape that is left.
    dims: Vec<u64>,
}

impl Segments {
    fn lanes(&self) -> u64 {
        shape::size(&self.dims)
    }
}

impl Tracer {
    /// Brings the axes of a reduction to the end.
    fn segments(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Segments> {
        let rank = value.shape.len();
        let id = self.id(value)?;
        let Some(axes) = axes else {
            return Ok(Segments { id, length: value.lanes(), dims: vec![] });
        };
        let mut last = Vec::new();
        for axis in axes {
            let axis = shape::axis(*axis, rank)?;
            if last.contains(&axis) {
                return bad_shape(format!("axis {axis} is named twice"));
            }
            last.push(axis);
        }
        let first: Vec<usize> = (0..rank).filter(|axis| !last.contains(axis)).collect();
        let dims = first.iter().map(|axis| value.shape[*axis]).collect();
        let length = last.iter().map(|axis| value.shape[*axis]).product();
        last.sort_unstable();
        let order = [first, last].concat();
        let id = self.view(id, value.lanes(), &View::whole(&value.shape).permuted(&order))?;
        Ok(Segments { id, length, dims })
    }

    /// The sum.
    pub fn sum(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        if let Kind::Field(_) = value.kind {
            let integers = self.as_integers(value)?;
            let sum = self.sum(&integers, axes)?;
            return self.to_field(&sum, &value.kind);
        }
        let segments = self.segments(value, axes)?;
        let number = value.number("sum")?;
        let grown = if value.wrapping { number } else { number.sum_of(segments.length) };
        let kind = Kind::of(grown)?;
        let wide = self.fit(segments.id, number, grown)?;
        let id = self.segment_sum(wide, segments.length)?;
        Ok(Value { wrapping: value.wrapping, ..self.value(id, kind, segments.dims) })
    }

    pub(super) fn segment_sum(&mut self, value: ValueId, length: u64) -> Traced<ValueId> {
        if length == 1 { Ok(value) } else { self.emit(Op::SegmentSum { value, length }) }
    }

    /// The product, by a tree.
    pub fn prod(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let start = match value.kind {
            Kind::Bool => self.astype(value, &Kind::Uint(1))?,
            _ => value.clone(),
        };
        self.tree(&start, axes, Tracer::mul)
    }

    /// Whether any element is not zero.
    pub fn any(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let truth = self.astype(value, &Kind::Bool)?;
        self.tree(&truth, axes, |tracer, a, b| tracer.bitwise(BinaryOp::Or, a, b))
    }

    /// Whether no element is zero.
    pub fn all(&mut self, value: &Value, axes: Axes<'_>) -> Traced<Value> {
        let truth = self.astype(value, &Kind::Bool)?;
        self.tree(&truth, axes, |tracer, a, b| tracer.bitwise(BinaryOp::And, a, b))
    }

    /// Joins the halves of each segment until one element is left.
    fn tree(
        &mut self,
        value: &Value,
        axes: Axes<'_>,
        join: impl Fn(&mut Tracer, &Value, &Value) -> Traced<Value>,
    ) -> Traced<Value> {
        let Segments { id, mut length, dims } = self.segments(value, axes)?;
        let outer = shape::size(&dims);
        let mut rest = self.like(value, id, vec![outer, length]);
        while length > 1 {
            let half = length / 2;
            let part = |start: u64, count: u64| {
                let mut view = View::whole(&[outer, length]);
                view.slice(1, start, 1, count);
                view
            };
            let (low, high) = (self.seen(&rest, &part(0, half))?, self.seen(&rest, &part(half, half))?);
            let odd = (length % 2 == 1).then(|| self.seen(&rest, &part(length - 1, 1))).transpose()?;
            let mut joined = join(self, &low, &high)?;
            if let Some(odd) = odd {
                joined = self.concatenate(&[joined, odd], 1)?;
            }
            (rest, length) = (joined, length.div_ceil(2));
        }
        rest.shape = dims;
        Ok(rest)
    }

    /// The smallest or largest element.
    pub fn extremum(&mut self, value: &Value, axes: Axes<'_>, largest: bool) -> Traced<Value> {
        let (id, _, segments) = self.extrema(value, axes, largest)?;
        Ok(self.like(value, id, segments.dims))
    }

    /// The position of the first smallest or largest element.
    pub fn arg_extremum(&mut self, value: &Value, axes: Axes<'_>, largest: bool) -> Traced<Value> {
        let (_, id, segments) = self.extrema(value, axes, largest)?;
        Ok(self.value(id, Kind::Uint(index_bits(segments.length)), segments.dims))
    }

    /// The extrema and where they are. The largest is the complement of the smallest complement.
    fn extrema(
        &mut self,
        value: &Value,
        axes: Axes<'_>,
        largest: bool,
    ) -> Traced<(ValueId, ValueId, Segments)> {
        let number = value.number(if largest { "max" } else { "min" })?;
        let segments = self.segments(value, axes)?;
        if segments.length == 1 {
            let first = self.word(1, 0, segments.lanes())?;
            return Ok((segments.id, first, segments));
        }
        let turned = if largest { self.not(segments.id)? } else { segments.id };
        let op = Op::ArgMin { value: turned, length: segments.length, signed: number.signed };
        let results = self.emit_all(op)?;
        let extreme = if largest { self.not(results[0])? } else { results[0] };
        Ok((extreme, results[1], segments))
    }

    /// Brings one axis to the end; returns the array, the axis' length and its place.
    fn axis_last(&mut self, value: &Value, axis: i64) -> Traced<(Value, u64, usize)> {
        let axis = shape::axis(axis, value.shape.len())?;
        let moved = self.move_axis(value, axis, value.shape.len() - 1)?;
        Ok((moved, value.shape[axis], axis))
    }

    /// Moves an axis to another place.
    pub fn move_axis(&mut self, value: &Value, from: usize, to: usize) -> Traced<Value> {
        let mut order: Vec<usize> = (0..value.shape.len()).collect();
        let axis = order.remove(from);
        order.insert(to, axis);
        self.seen(value, &View::whole(&value.shape).permuted(&order))
    }

    /// Public positions along an axis, in an array of shape `dims` that takes its place.
    pub fn take(&mut self, value: &Value, axis: usize, positions: &[u64], dims: &[u64]) -> Traced<Value> {
        let (before, after) = (&value.shape[..axis], &value.shape[axis + 1..]);
        let shape = [before, dims, after].concat();
        shape::check(&shape)?;
        let (length, inner) = (value.shape[axis], shape::size(after));
        let lane = |outer: u64, position: u64, rest: u64| ((outer * length + position) * inner + rest) as u32;
        let lanes = (0..shape::size(before)).flat_map(|outer| {
            positions
                .iter()
                .flat_map(move |position| (0..inner).map(move |rest| lane(outer, *position, rest)))
        });
        let lanes = lanes.collect();
        let id = self.id(value)?;
        let id = self.gather(id, lanes)?;
        Ok(self.like(value, id, shape))
    }

    /// The array sorted along an axis, ascending.
    pub fn sort(&mut self, value: &Value, axis: i64) -> Traced<Value> {
        let signed = value.number("sort")?.signed;
        let (moved, length, axis) = self.axis_last(value, axis)?;
        let key = self.id(&moved)?;
        let sorted = self.emit_all(Op::Sort { key, payloads: vec![], length, signed })?[0];
        let sorted = self.like(&moved, sorted, moved.shape.clone());
        self.move_axis(&sorted, value.shape.len() - 1, axis)
    }

    /// The positions of the elements in ascending order along an axis; those of equal ones ascend.
    pub fn argsort(&mut self, value: &Value, axis: i64) -> Traced<Value> {
        let signed = value.number("argsort")?.signed;
        let (moved, length, axis) = self.axis_last(value, axis)?;
        let kind = Kind::Uint(index_bits(length));
        let positions: Vec<u128> = (0..u128::from(length)).collect();
        let positions = self.words(tacit_ir::Words::from_u128s(kind.bits(), &positions))?;
        let payload = self.view(positions, length, &View::whole(&[length]).broadcast_to(&moved.shape))?;
        let key = self.id(&moved)?;
        let sorted = self.emit_all(Op::Sort { key, payloads: vec![payload], length, signed })?[1];
        let sorted = self.value(sorted, kind, moved.shape.clone());
        self.move_axis(&sorted, value.shape.len() - 1, axis)
    }

    /// The running sum along an axis; of all elements in a row where none is named.
    pub fn cumsum(&mut self, value: &Value, axis: Option<i64>) -> Traced<Value> {
        let Some(axis) = axis else {
            let flat = Value { shape: vec![value.lanes()], ..value.clone() };
            return self.cumsum(&flat, Some(0));
        };
        if let Kind::Field(_) = value.kind {
            let integers = self.as_integers(value)?;
            let sums = self.cumsum(&integers, Some(axis))?;
            return self.to_field(&sums, &value.kind);
        }
        let number = value.number("cumsum")?;
        let (moved, length, axis) = self.axis_last(value, axis)?;
        let grown = if value.wrapping { number } else { number.sum_of(length) };
        let kind = Kind::of(grown)?;
        let id = self.id(&moved)?;
        let wide = self.fit(id, number, grown)?;
        let id = self.emit(Op::Scan { op: ScanOp::Add, value: wide, length })?;
        let sums = Value { wrapping: value.wrapping, ..self.value(id, kind, moved.shape.clone()) };
        self.move_axis(&sums, value.shape.len() - 1, axis)
    }

    /// Arrays one after the other along an axis.
    pub fn concatenate(&mut self, values: &[Value], axis: i64) -> Traced<Value> {
        let Some(first) = values.first() else { return bad_shape("nothing to put together") };
        let axis = shape::axis(axis, first.shape.len())?;
        let mut kind = first.kind.clone();
        let without = |dims: &[u64]| {
            let mut dims = dims.to_vec();
            if axis < dims.len() {
                dims.remove(axis);
            }
            dims
        };
        for value in values {
            if value.shape.len() != first.shape.len() || without(&value.shape) != without(&first.shape) {
                return bad_shape(format!(
                    "arrays of shapes {} and {} do not go one after the other along axis {axis}",
                    shape::text(&first.shape),
                    shape::text(&value.shape)
                ));
            }
            kind = kind.join(&value.kind)?;
        }
        let mut parts = Vec::with_capacity(values.len());
        let mut length = 0;
        for value in values {
            length += value.shape[axis];
            let same = self.astype(value, &kind)?;
            let moved = self.move_axis(&same, axis, 0)?;
            parts.push(self.id(&moved)?);
        }
        let dims = [vec![length], without(&first.shape)].concat();
        shape::check(&dims)?;
        let id = if parts.len() == 1 { parts[0] } else { self.emit(Op::Join(parts))? };
        let wrapping = values.iter().any(|value| value.wrapping);
        let joined = Value { wrapping, ..self.value(id, kind, dims) };
        self.move_axis(&joined, 0, axis)
    }

    /// Arrays of one shape side by side along a new axis.
    pub fn stack(&mut self, values: &[Value], axis: i64) -> Traced<Value> {
        let Some(first) = values.first() else { return bad_shape("nothing to put together") };
        let place = shape::axis(axis, first.shape.len() + 1)?;
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            if value.shape != first.shape {
                return bad_shape(format!(
                    "arrays of shapes {} and {} do not stack",
                    shape::text(&first.shape),
                    shape::text(&value.shape)
                ));
            }
            let mut value = value.clone();
            value.shape.insert(place, 1);
            parts.push(value);
        }
        self.concatenate(&parts, place as i64)
    }

    /// `a @ b` as NumPy defines it: vectors, matrices, and batches of matrices that broadcast.
    pub fn matmul(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        let (rank_a, rank_b) = (a.shape.len(), b.shape.len());
        let mismatch = || {
            bad_shape(format!(
                "shapes {} and {} do not go together in a product",
                shape::text(&a.shape),
                shape::text(&b.shape)
            ))
        };
        if rank_a == 0 || rank_b == 0 {
            return mismatch();
        }
        let (mut left, mut right) = (a.clone(), b.clone());
        if rank_a == 1 {
            left.shape.insert(0, 1);
        }
        if rank_b == 1 {
            right.shape.push(1);
        }
        let (batch_a, matrix_a) = left.shape.split_at(left.shape.len() - 2);
        let (batch_b, matrix_b) = right.shape.split_at(right.shape.len() - 2);
        let (rows, inner, columns) = (matrix_a[0], matrix_a[1], matrix_b[1]);
        if inner != matrix_b[0] {
            return mismatch();
        }
        let batch = shape::broadcast(batch_a, batch_b)?;
        let product = if rows == 1 || columns == 1 {
            let (rows_of, columns_of) = (
                [batch_a, &[rows, 1, inner]].concat(),
                self.move_axis(&right, right.shape.len() - 1, right.shape.len() - 2)?,
            );
            left.shape = rows_of;
            let mut columns_of = columns_of;
            columns_of.shape.insert(columns_of.shape.len() - 2, 1);
            self.sum_of_products(&left, &columns_of)?
        } else {
            let full = |m: u64, n: u64| [batch.as_slice(), &[m, n]].concat();
            let (left, right) = (
                self.broadcast_to(&left, full(rows, inner))?,
                self.broadcast_to(&right, full(inner, columns))?,
            );
            self.matrix_product(&left, &right, (shape::size(&batch), rows, inner, columns))?
        };
        let mut dims = batch;
        dims.extend((rank_a > 1).then_some(rows));
        dims.extend((rank_b > 1).then_some(columns));
        Ok(Value { shape: dims, ..product })
    }

    /// Element by element, then summed along the last axis; rounded once, in the end.
    fn sum_of_products(&mut self, a: &Value, b: &Value) -> Traced<Value> {
        let rank = a.shape.len().max(b.shape.len()) as i64;
        let (Some(x), Some(y)) = (a.kind.number(), b.kind.number()) else {
            let product = self.mul(a, b)?;
            return self.sum(&product, Some(&[rank - 1]));
        };
        let (whole_a, whole_b) = (self.without_point(a, x)?, self.without_point(b, y)?);
        let product = self.mul(&whole_a, &whole_b)?;
        let sum = self.sum(&product, Some(&[rank - 1]))?;
        self.with_point(&sum, a, b)
    }

    fn matrix_product(
        &mut self,
        a: &Value,
        b: &Value,
        (batch, rows, inner, columns): (u64, u64, u64, u64),
    ) -> Traced<Value> {
        let (Some(x), Some(y)) = (a.kind.number(), b.kind.number()) else {
            if a.kind != b.kind {
                return super::error::kind(format!("{} and {} do not go together", a.kind, b.kind));
            }
            let (left, right) = (self.as_integers(a)?, self.as_integers(b)?);
            let product = self.matrix_product(&left, &right, (batch, rows, inner, columns))?;
            return self.to_field(&product, &a.kind);
        };
        let (whole_a, whole_b) = (self.without_point(a, x)?, self.without_point(b, y)?);
        let exact = Number { point: None, ..x }.product(Number { point: None, ..y }).sum_of(inner);
        let wrapping = whole_a.wrapping || whole_b.wrapping;
        let number = kept(&whole_a, &whole_b).unwrap_or(exact);
        let kind = Kind::of(number)?;
        let (left, right) = (self.id(a)?, self.id(b)?);
        let left = self.resize(left, x.bits, x.signed, number.bits)?;
        let right = self.resize(right, y.bits, y.signed, number.bits)?;
        let id = self.emit(Op::MatrixProduct { left, right, batch, rows, inner, columns })?;
        let product = Value { wrapping, ..self.value(id, kind, vec![batch, rows, columns]) };
        self.with_point(&product, a, b)
    }

    /// The same words as integers; no longer modulo a power of two, since what a fraction drops comes from above.
    fn without_point(&self, value: &Value, number: Number) -> Traced<Value> {
        match value.kind {
            Kind::Fixed { .. } => {
                let kind = Kind::of(Number { point: None, ..number })?;
                Ok(Value { kind, wrapping: false, ..value.clone() })
            }
            _ => Ok(value.clone()),
        }
    }

    /// Sums of products of the words of two numbers, with the fraction of the finer one.
    fn with_point(&mut self, value: &Value, a: &Value, b: &Value) -> Traced<Value> {
        let (x, y) = (a.number("a product")?, b.number("a product")?);
        let Some(point) = x.point.max(y.point) else { return Ok(value.clone()) };
        let exact = x.point.unwrap_or(0) + y.point.unwrap_or(0);
        let from = Number { bits: value.kind.bits(), signed: true, point: Some(exact) };
        let grown = Number { bits: from.bits - (exact - point), point: Some(point), ..from };
        let to = kept(a, b).unwrap_or(grown);
        let (kind, id) = (Kind::of(to)?, self.id(value)?);
        let id = self.fit(id, from, to)?;
        Ok(Value { wrapping: a.wrapping || b.wrapping, ..self.value(id, kind, value.shape.clone()) })
    }

    /// The bits of every element, least significant first, along a new last axis.
    pub fn bits(&mut self, value: &Value) -> Traced<Value> {
        let (bits, lanes) = (value.kind.bits(), value.lanes());
        let id = self.id(value)?;
        let mut planes = Vec::with_capacity(bits as usize);
        for bit in 0..bits {
            planes.push(if bits == 1 { id } else { self.slice(id, bit, 1)? });
        }
        let all = if planes.len() == 1 { planes[0] } else { self.emit(Op::Join(planes))? };
        let view = View::whole(&[u64::from(bits), lanes]).permuted(&[1, 0]);
        let id = self.view(all, u64::from(bits) * lanes, &view)?;
        let dims = [value.shape.as_slice(), &[u64::from(bits)]].concat();
        Ok(self.value(id, Kind::Bool, dims))
    }

    /// One bit of every element.
    pub fn bit(&mut self, value: &Value, bit: i64) -> Traced<Value> {
        let bits = value.kind.bits();
        let place = if bit < 0 { bit + i64::from(bits) } else { bit };
        if !(0..i64::from(bits)).contains(&place) {
            return bad_shape(format!("{} has no bit {bit}", value.kind));
        }
        let id = self.id(value)?;
        let id = if bits == 1 { id } else { self.slice(id, place as u32, 1)? };
        Ok(self.value(id, Kind::Bool, value.shape.clone()))
    }

    /// Unsigned integers from their bits along the last axis, least significant first.
    pub fn from_bits(&mut self, value: &Value) -> Traced<Value> {
        value.truth("from_bits")?;
        let Some((bits, dims)) = value.shape.split_last() else {
            return bad_shape("from_bits takes an array of bits, not a single one");
        };
        let kind = Kind::of(Number::uint(u32::try_from(*bits).unwrap_or(u32::MAX)))?;
        let (id, outer) = (self.id(value)?, shape::size(dims));
        let mut planes = Vec::with_capacity(*bits as usize);
        for bit in 0..*bits {
            let mut view = View::whole(&[outer, *bits]);
            view.pick(1, bit);
            planes.push(self.view(id, value.lanes(), &view)?);
        }
        let id = if planes.len() == 1 { planes[0] } else { self.emit(Op::Concat(planes))? };
        Ok(self.value(id, kind, dims.to_vec()))
    }

    /// The entries of a table, along its first axis, at secret positions.
    pub fn lookup(&mut self, table: &Value, position: &Value) -> Traced<Value> {
        position.integer("lookup")?;
        if position.kind.signed() {
            return super::error::kind(format!("lookup at {}, which may be negative", position.kind));
        }
        let (packed, entries, width) = self.packed(table)?;
        let _ = entries;
        let index = self.id(position)?;
        let found = self.emit(Op::Lookup { table: packed, index })?;
        let lanes = position.lanes();
        let id = self.unpacked(found, table.kind.bits(), width, lanes)?;
        let dims = [position.shape.as_slice(), &table.shape[1..]].concat();
        Ok(self.like(table, id, dims))
    }

    /// A table with the entry at a secret position replaced.
    pub fn update(&mut self, table: &Value, position: &Value, entry: &Value) -> Traced<Value> {
        position.integer("update")?;
        if position.kind.signed() || !position.shape.is_empty() {
            return bad_shape("update takes one unsigned position");
        }
        let (packed, entries, width) = self.packed(table)?;
        if table.kind.join(&entry.kind)? != table.kind {
            return super::error::kind(format!("an entry of {} in a table of {}", entry.kind, table.kind));
        }
        let entry = self.astype(entry, &table.kind)?;
        let entry = self.broadcast_to(&entry, table.shape[1..].to_vec())?;
        let mut one = entry;
        one.shape.insert(0, 1);
        let (value, ..) = self.packed(&one)?;
        let index = self.id(position)?;
        let updated = self.emit(Op::Update { table: packed, index, value })?;
        let id = self.unpacked(updated, table.kind.bits(), width, entries)?;
        Ok(self.like(table, id, table.shape.clone()))
    }

    /// A table with each entry as one word; the number of entries, and the elements of each.
    fn packed(&mut self, table: &Value) -> Traced<(ValueId, u64, u64)> {
        let Some((entries, rest)) = table.shape.split_first() else {
            return bad_shape("a single value is no table");
        };
        let (id, width) = (self.id(table)?, shape::size(rest));
        if width == 1 {
            return Ok((id, *entries, width));
        }
        let mut columns = Vec::with_capacity(width as usize);
        for column in 0..width {
            let step = width as i64;
            let index = Index::Range { start: column as u32, step, count: *entries };
            columns.push(self.emit(Op::Gather(id, index))?);
        }
        Ok((self.emit(Op::Concat(columns))?, *entries, width))
    }

    /// The elements of words that hold `width` of them each.
    fn unpacked(&mut self, id: ValueId, bits: u32, width: u64, lanes: u64) -> Traced<ValueId> {
        if width == 1 {
            return Ok(id);
        }
        let mut columns = Vec::with_capacity(width as usize);
        for column in 0..width as u32 {
            columns.push(self.slice(id, column * bits, bits)?);
        }
        let all = self.emit(Op::Join(columns))?;
        self.view(all, width * lanes, &View::whole(&[width, lanes]).permuted(&[1, 0]))
    }
}
