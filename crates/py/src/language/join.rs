//! Arrays put together.

use tacit_ir::Op;

use super::error::{Traced, shape as bad_shape};
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

impl Tracer {
    /// Arrays one after the other along an axis.
    pub fn concatenate(&mut self, values: &[Value], axis: i64) -> Traced<Value> {
        let Some(first) = values.first() else { return bad_shape("give at least one array") };
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
                    "arrays of shapes {} and {} cannot be concatenated along axis {axis}; all other axes \
                     must have equal lengths",
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
        let Some(first) = values.first() else { return bad_shape("give at least one array") };
        let place = shape::axis(axis, first.shape.len() + 1)?;
        let mut parts = Vec::with_capacity(values.len());
        for value in values {
            if value.shape != first.shape {
                return bad_shape(format!(
                    "arrays of shapes {} and {} cannot be stacked; their shapes must be equal",
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
}
