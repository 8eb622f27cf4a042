use pyo3::prelude::*;

use super::array::Array;
use super::errors::ShapeError;
use crate::language::value::Value;
use crate::program::Program;

fn all(arrays: &[Bound<'_, Array>]) -> PyResult<Vec<Value>> {
    let Some(first) = arrays.first() else { return Err(ShapeError::new_err("nothing to put together")) };
    arrays.iter().map(|array| array.get().of(&first.get().graph)).collect()
}

/// Arrays one after the other along an axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis = 0))]
pub fn concatenate(arrays: Vec<Bound<'_, Array>>, axis: i64) -> PyResult<Array> {
    let values = all(&arrays)?;
    let graph = &arrays[0].get().graph;
    let value = graph.lock().concatenate(&values, axis)?;
    Ok(graph.array(value))
}

/// Arrays side by side along a new axis.
#[pyfunction]
#[pyo3(signature = (arrays, axis = 0))]
pub fn stack(arrays: Vec<Bound<'_, Array>>, axis: i64) -> PyResult<Array> {
    let values = all(&arrays)?;
    let graph = &arrays[0].get().graph;
    let value = graph.lock().stack(&values, axis)?;
    Ok(graph.array(value))
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
