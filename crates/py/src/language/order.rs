//! The order of elements: axes, positions, sorting, running sums.

use tacit_ir::{Op, ScanOp, index_bits};

use super::error::Traced;
use super::kind::Kind;
use super::shape::{self, View};
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// Moves one axis to the end; returns the array, the axis' length and its former place.
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

    /// Selects public positions along an axis; an array of shape `dims` takes its place.
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

    /// The positions of the elements in ascending order along an axis; those of equal elements ascend.
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

    /// The running sum along an axis; without one, over all elements in row-major order.
    pub fn cumsum(&mut self, value: &Value, axis: Option<i64>) -> Traced<Value> {
        let Some(axis) = axis else {
            let flat = Value { shape: vec![value.lanes()], ..value.clone() };
            return self.cumsum(&flat, Some(0));
        };
        if let Kind::Field(_) = value.kind {
            let integers = self.as_integers(value)?;
            let sums = self.cumsum(&integers, Some(axis))?;
            return self.as_field(&sums, &value.kind);
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
}
