//! Public numbers of a computation among parties, from Python and to it.

use num_bigint::BigInt;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use tacit_nparty::dynamic::Numbers;

use super::errors::ShapeError;
use super::integers;

/// Deepest nesting of lists.
const MAX_RANK: usize = 32;

/// Public numbers and their shape: an integer, lists of lists of them, or what has `tolist`.
pub fn numbers(object: &Bound<'_, PyAny>) -> PyResult<(Numbers, Vec<u64>)> {
    if let Ok(listed) = object.call_method0("tolist") {
        return numbers(&listed);
    }
    if let Ok(small) = object.extract::<Vec<i64>>() {
        let length = small.len() as u64;
        return Ok((Numbers::from(small), vec![length]));
    }
    let (mut all, mut dims) = (Vec::new(), Vec::new());
    collect(object, 0, &mut dims, &mut all)?;
    let small: Option<Vec<i64>> = all.iter().map(|number| i64::try_from(number).ok()).collect();
    Ok((small.map_or_else(|| Numbers::Large(all), Numbers::from), dims))
}

fn collect(
    object: &Bound<'_, PyAny>,
    depth: usize,
    dims: &mut Vec<u64>,
    all: &mut Vec<BigInt>,
) -> PyResult<()> {
    let uneven = || ShapeError::new_err("lists of different lengths are no array");
    if let Some(number) = integer(object)? {
        if depth != dims.len() {
            return Err(uneven());
        }
        match number {
            Numbers::Small(numbers) => all.extend(numbers.iter().copied().map(BigInt::from)),
            Numbers::Large(numbers) => all.extend(numbers),
        }
        return Ok(());
    }
    if depth == MAX_RANK {
        return Err(ShapeError::new_err(format!("lists nested more than {MAX_RANK} deep")));
    }
    let length = object.len()? as u64;
    match dims.get(depth) {
        None if all.is_empty() && depth == dims.len() => dims.push(length),
        Some(known) if *known == length => {}
        _ => return Err(uneven()),
    }
    object.try_iter()?.try_for_each(|item| collect(&item?, depth + 1, dims, all))
}

/// A single integer, if it is one.
pub fn integer(object: &Bound<'_, PyAny>) -> PyResult<Option<Numbers>> {
    if let Ok(small) = object.extract::<i64>() {
        return Ok(Some(Numbers::from(vec![small])));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(Numbers::Large(vec![integers::integer(object)?])));
    }
    match object.hasattr(intern!(object.py(), "__float__"))?
        && !object.hasattr(intern!(object.py(), "__len__"))?
    {
        true => {
            Err(PyTypeError::new_err(format!("{object} is no integer; elements of the field are integers")))
        }
        false => Ok(None),
    }
}

/// Numbers as a list of Python.
pub fn listed(py: Python<'_>, numbers: Numbers) -> PyResult<Py<PyAny>> {
    let list = match numbers {
        Numbers::Small(numbers) => (&*numbers).into_pyobject(py)?,
        Numbers::Large(numbers) => {
            let numbers = numbers.iter().map(|number| integers::to_python(py, number));
            numbers.collect::<PyResult<Vec<_>>>()?.into_pyobject(py)?
        }
    };
    Ok(list.into_any().unbind())
}
