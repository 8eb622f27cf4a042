//! Public numbers of a computation among parties, from Python and to it.

use num_bigint::BigInt;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyInt;
use tacit_nparty::dynamic::Numbers;

use super::integers;
use super::operand::literal;
use crate::language::kind::Number;
use crate::language::literal::Elements;

/// Public numbers and their shape: an integer, nested lists of integers, or an object with `tolist`.
pub fn numbers(object: &Bound<'_, PyAny>) -> PyResult<(Numbers, Vec<u64>)> {
    if let Ok(small) = object.extract::<Vec<i64>>() {
        let length = small.len() as u64;
        return Ok((Numbers::from(small), vec![length]));
    }
    if let Some(number) = integer(object)? {
        return Ok((number, vec![]));
    }
    if let Ok(listed) = object.call_method0("tolist") {
        return numbers(&listed);
    }
    let literal = literal(object)?.ok_or_else(|| no_integer(object))?;
    let large = match literal.elements {
        Elements::Bools(bools) => bools.into_iter().map(BigInt::from).collect(),
        Elements::Integers(integers) => integers,
        Elements::Ratios(_) => return Err(no_integer(object)),
    };
    Ok((gathered(large), literal.shape))
}

/// Integers of any size, in machine words if they are small.
pub fn gathered(integers: Vec<BigInt>) -> Numbers {
    let small: Option<Vec<i64>> = integers.iter().map(|number| i64::try_from(number).ok()).collect();
    small.map_or(Numbers::Large(integers), Numbers::from)
}

/// The first of these numbers that a kind does not hold.
pub fn outside(numbers: &Numbers, kind: Number) -> Option<BigInt> {
    let (least, greatest) = kind.bounds();
    match (numbers, i64::try_from(&least), i64::try_from(&greatest)) {
        (Numbers::Small(numbers), Ok(least), Ok(greatest)) => {
            numbers.iter().find(|number| !(least..=greatest).contains(*number)).map(|number| (*number).into())
        }
        (Numbers::Small(numbers), ..) => numbers
            .iter()
            .map(|number| BigInt::from(*number))
            .find(|number| *number < least || *number > greatest),
        (Numbers::Large(numbers), ..) => {
            numbers.iter().find(|number| **number < least || **number > greatest).cloned()
        }
    }
}

fn no_integer(object: &Bound<'_, PyAny>) -> PyErr {
    PyTypeError::new_err(format!("{object} is not an integer; elements of the field are integers"))
}

/// A single integer, if it is one.
pub fn integer(object: &Bound<'_, PyAny>) -> PyResult<Option<Numbers>> {
    if let Ok(small) = object.extract::<i64>() {
        return Ok(Some(Numbers::from(vec![small])));
    }
    match object.is_instance_of::<PyInt>() {
        true => Ok(Some(Numbers::Large(vec![integers::integer(object)?]))),
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
