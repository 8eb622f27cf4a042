use pyo3::prelude::*;

use super::array::{Array, Elements, Written};
use super::bitwise;
use super::errors::ShapeError;
use super::ranged::of_one_kind;
use super::share::{self, Share};
use crate::language::error::Traced;
use crate::language::shape;
use crate::language::tracer::Tracer;
use crate::language::value::Value;
use crate::program::Program;

/// Arrays one after the other along an axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis = 0))]
pub fn concatenate(py: Python<'_>, arrays: Vec<Bound<'_, Array>>, axis: i64) -> PyResult<Array> {
    put_together(py, &arrays, axis, Tracer::concatenate, |parts| share::concatenated(py, &parts, axis))
}

/// Arrays side by side along a new axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis = 0))]
pub fn stack(py: Python<'_>, arrays: Vec<Bound<'_, Array>>, axis: i64) -> PyResult<Array> {
    put_together(py, &arrays, axis, Tracer::stack, |parts| {
        let widened = |part: &&Share| {
            let mut dims = part.shape.clone();
            dims.insert(shape::axis(axis, dims.len() + 1)?, 1);
            Ok(part.in_shape(dims))
        };
        let widened = parts.iter().map(widened).collect::<Traced<Vec<_>>>()?;
        share::concatenated(py, &widened.iter().collect::<Vec<_>>(), axis)
    })
}

fn put_together(
    py: Python<'_>,
    arrays: &[Bound<'_, Array>],
    axis: i64,
    written: fn(&mut Tracer, &[Value], i64) -> Traced<Value>,
    shared: impl FnOnce(Vec<&Share>) -> PyResult<Share>,
) -> PyResult<Array> {
    let Some(first) = arrays.first() else { return Err(ShapeError::new_err("give at least one array")) };
    match &first.get().0 {
        Elements::Written(Written { graph, .. }) => {
            let values = arrays.iter().map(|array| array.get().of(graph)).collect::<PyResult<Vec<_>>>()?;
            let value = written(&mut graph.lock(), &values, axis)?;
            Ok(graph.array(value))
        }
        Elements::Shared(_) => {
            let parts: Vec<&Share> =
                arrays.iter().map(|array| array.get().shared("an array")).collect::<PyResult<_>>()?;
            if parts.iter().any(|part| part.is_float()) || parts.iter().all(|part| part.is_bitwise()) {
                return Ok(bitwise::of_many(py, &parts, |t, values| written(t, values, axis))?.into());
            }
            let parts = parts.iter().map(|part| part.in_field(py)).collect::<PyResult<Vec<_>>>()?;
            let parts: Vec<_> = parts.iter().collect();
            Ok(match of_one_kind(py, &parts, "an array")? {
                None => shared(parts)?,
                Some((scaled, kind)) => shared(scaled.iter().collect())?.of(Some(kind)),
            }
            .into())
        }
    }
}

/// The roles and names of the inputs of a program, and those of its outputs.
type Ports = (Vec<(String, String)>, Vec<(Vec<String>, String)>);

/// The inputs and outputs of a program.
#[pyfunction]
pub fn ports(program: &Program) -> Ports {
    let role = |role: &tacit_ir::RoleId| program.ir.roles[role.index()].clone();
    let inputs = program.ir.inputs.iter().map(|port| (role(&port.role), port.name.clone()));
    let outputs =
        program.ir.outputs.iter().map(|port| (port.roles.iter().map(role).collect(), port.name.clone()));
    (inputs.collect(), outputs.collect())
}
