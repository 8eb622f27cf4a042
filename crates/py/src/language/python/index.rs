//! `array[…]` with public positions, with NumPy's meaning.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyEllipsis, PyList, PySlice, PyTuple};

use super::array::Array;
use super::errors::{ShapeError, secret};
use super::operand::literal;
use super::shared_tracer::SharedTracer;
use crate::language::literal::Elements;
use crate::language::shape::View;
use crate::language::value::Value;

/// Public positions along one axis, which are selected in its place.
pub struct Chosen {
    pub axis: usize,
    pub positions: Vec<u64>,
    pub shape: Vec<u64>,
}

/// The part of an array that an index selects.
pub fn indexed(graph: &SharedTracer, value: &Value, index: &Bound<'_, PyAny>) -> PyResult<Value> {
    let (view, chosen) = seen(&value.shape, index)?;
    let mut tracer = graph.lock();
    let seen = tracer.seen(value, &view)?;
    Ok(match chosen {
        None => seen,
        Some(chosen) => tracer.take(&seen, chosen.axis, &chosen.positions, &chosen.shape)?,
    })
}

/// The view of an index on an array of a shape, and the positions that it selects from that.
pub fn seen(shape: &[u64], index: &Bound<'_, PyAny>) -> PyResult<(View, Option<Chosen>)> {
    let items: Vec<Bound<'_, PyAny>> = match index.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().collect(),
        Err(_) => vec![index.clone()],
    };
    let rank = shape.len();
    let used = items.iter().filter(|item| !item.is_none() && !item.is_instance_of::<PyEllipsis>()).count();
    if used > rank {
        return Err(ShapeError::new_err(format!("{used} indices for an array of {rank} dimensions")));
    }
    let mut view = View::whole(shape);
    let (mut axis, mut open, mut chosen) = (0, true, None);
    for item in &items {
        if item.is_none() {
            view.insert(axis);
            axis += 1;
        } else if item.is_instance_of::<PyEllipsis>() {
            if !std::mem::take(&mut open) {
                return Err(ShapeError::new_err("an index has at most one …"));
            }
            axis += rank - used;
        } else if let Ok(slice) = item.cast::<PySlice>() {
            let length = view.shape()[axis];
            let at = slice.indices(length as isize)?;
            view.slice(axis, at.start as u64, at.step as i64, at.slicelength as u64);
            axis += 1;
        } else if let Some(position) = position(item, view.shape()[axis])? {
            view.pick(axis, position);
        } else {
            if chosen.is_some() {
                return Err(ShapeError::new_err("an index has at most one list of positions"));
            }
            chosen = Some(positions(item, axis, view.shape()[axis])?);
            axis += 1;
        }
    }
    Ok((view, chosen))
}

/// A single position, if the item is one.
fn position(item: &Bound<'_, PyAny>, length: u64) -> PyResult<Option<u64>> {
    if item.is_instance_of::<Array>() {
        return Err(secret(
            "a secret index where positions are public",
            "to read a table at a secret position, write t.lookup(table, position); to choose by a \
             condition, t.where",
        ));
    }
    if item.is_instance_of::<PyBool>() || item.is_instance_of::<PyList>() {
        return Ok(None);
    }
    match item.extract::<i64>() {
        Ok(position) => from_front(position, length).map(Some),
        Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(item.py()) => Ok(None),
        Err(error) => Err(error),
    }
}

fn from_front(position: i64, length: u64) -> PyResult<u64> {
    let front = if position < 0 { position.saturating_add(length as i64) } else { position };
    match u64::try_from(front) {
        Ok(front) if front < length => Ok(front),
        _ => Err(ShapeError::new_err(format!(
            "position {position} is out of range; the axis has length {length}"
        ))),
    }
}

/// A list of positions, or of truth values that say which positions to take.
fn positions(item: &Bound<'_, PyAny>, axis: usize, length: u64) -> PyResult<Chosen> {
    let wrong = || ShapeError::new_err(format!("{item} is not an index; positions are public integers"));
    let literal = literal(item)?.ok_or_else(wrong)?;
    match literal.elements {
        _ if literal.shape.contains(&0) && literal.shape != [length] => {
            Ok(Chosen { axis, positions: vec![], shape: literal.shape })
        }
        Elements::Integers(integers) => {
            let position = |integer: &num_bigint::BigInt| {
                from_front(i64::try_from(integer).map_err(|_| wrong())?, length)
            };
            let positions = integers.iter().map(position).collect::<PyResult<_>>()?;
            Ok(Chosen { axis, positions, shape: literal.shape })
        }
        Elements::Bools(bools) if literal.shape == [length] => {
            let positions: Vec<u64> = (0..length).filter(|position| bools[*position as usize]).collect();
            Ok(Chosen { axis, shape: vec![positions.len() as u64], positions })
        }
        _ => Err(wrong()),
    }
}
