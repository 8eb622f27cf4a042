//! Operands: secret arrays, and Python's numbers as public ones.

use num_bigint::BigInt;
use pyo3::exceptions::PyZeroDivisionError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::array::Array;
use super::errors::{KindError, ShapeError};
use super::integers::integer;
use super::shared_tracer::SharedTracer;
use crate::language::literal::{Elements, Literal};
use crate::language::tracer::Tracer;
use crate::language::value::Value;

/// Deepest nesting of lists.
const MAX_DEPTH: usize = 32;

/// An operand in a program.
pub enum Operand {
    Secret(Value),
    Public(Literal),
}

impl Operand {
    /// The operand that an object represents in a program, if any.
    pub fn of(object: &Bound<'_, PyAny>, graph: &SharedTracer) -> PyResult<Option<Operand>> {
        match object.cast::<Array>() {
            Ok(array) => array.get().of(graph).map(Operand::Secret).map(Some),
            Err(_) => Ok(literal(object)?.map(Operand::Public)),
        }
    }
}

/// The values of two operands, one of which is secret: the public one takes a kind that fits the other.
pub fn beside(tracer: &mut Tracer, own: &Value, other: Operand, compared: bool) -> PyResult<Value> {
    match other {
        Operand::Secret(value) => Ok(value),
        Operand::Public(literal) => {
            let keeps = own.wrapping && !compared;
            let kind = if keeps { own.kind.clone() } else { literal.kind_beside(&own.kind)? };
            Ok(Value { wrapping: keeps, ..tracer.literal(&literal, kind)? })
        }
    }
}

/// Whether an object is a secret array, or nested lists that contain one.
pub fn holds_secrets(object: &Bound<'_, PyAny>) -> bool {
    fn holds(object: &Bound<'_, PyAny>, depth: usize) -> bool {
        let within = |item: Bound<'_, PyAny>| depth < MAX_DEPTH && holds(&item, depth + 1);
        match (object.cast::<PyList>(), object.cast::<PyTuple>()) {
            (Ok(list), _) => list.iter().any(within),
            (_, Ok(tuple)) => tuple.iter().any(within),
            _ => object.is_instance_of::<Array>(),
        }
    }
    holds(object, 0)
}

/// The public array that an object represents, if any.
pub fn literal(object: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if let Some(number) = small(object) {
        return Ok(Some(Literal { elements: Elements::Integers(vec![BigInt::from(number)]), shape: vec![] }));
    }
    let mut collected = Collected::default();
    if !collect(object, 0, &mut collected)? {
        return Ok(None);
    }
    let mut shape = collected.shape.unwrap_or_default();
    if collected.numbers.is_empty()
        && let Ok(whole) = object.getattr("shape").and_then(|shape| shape.extract())
    {
        // Lists do not show the axes inside an empty one.
        shape = whole;
    }
    Ok(Some(Literal { elements: elements(collected.numbers), shape }))
}

/// A plain integer, which is by far the most frequent operand.
fn small(object: &Bound<'_, PyAny>) -> Option<i64> {
    object.cast_exact::<PyInt>().ok()?.extract().ok()
}

/// A number.
enum PyNumber {
    Bool(bool),
    Integer(BigInt),
    Ratio(BigInt, BigInt),
}

#[derive(Default)]
struct Collected {
    numbers: Vec<PyNumber>,
    shape: Option<Vec<u64>>,
    /// Lengths of the lists around the current element.
    path: Vec<u64>,
}

/// Collects the numbers of nested lists; returns whether the object consists of numbers.
fn collect(object: &Bound<'_, PyAny>, depth: usize, into: &mut Collected) -> PyResult<bool> {
    if depth > MAX_DEPTH {
        return Err(ShapeError::new_err(format!("lists are nested more than {MAX_DEPTH} deep")));
    }
    if let Some(number) = number(object)? {
        into.numbers.push(number);
        into.has_shape_of_path()?;
        return Ok(true);
    }
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyDict>() {
        return Ok(false);
    }
    if let Ok(list) = object.cast::<PyList>() {
        return collect_all(list.iter(), list.len(), depth, into);
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return collect_all(tuple.iter(), tuple.len(), depth, into);
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        let list = PyList::new(object.py(), bytes.as_bytes())?;
        return collect_all(list.iter(), list.len(), depth, into);
    }
    if object.hasattr("tolist")? {
        return collect(&object.call_method0("tolist")?, depth + 1, into);
    }
    Ok(false)
}

fn collect_all<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    length: usize,
    depth: usize,
    into: &mut Collected,
) -> PyResult<bool> {
    into.path.push(length as u64);
    if length == 0 {
        into.has_shape_of_path()?;
    }
    for item in items {
        if !collect(&item, depth + 1, into)? {
            return Ok(false);
        }
    }
    into.path.pop();
    Ok(true)
}

impl Collected {
    /// Records the shape of the collected lists, which must be the same everywhere.
    fn has_shape_of_path(&mut self) -> PyResult<()> {
        match &self.shape {
            None => self.shape = Some(self.path.clone()),
            Some(shape) if *shape == self.path => {}
            Some(_) => return Err(ShapeError::new_err("lists of different lengths do not form an array")),
        }
        Ok(())
    }
}

fn number(object: &Bound<'_, PyAny>) -> PyResult<Option<PyNumber>> {
    if let Ok(bool) = object.cast_exact::<PyBool>() {
        return Ok(Some(PyNumber::Bool(bool.is_true())));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Some(PyNumber::Integer(integer(object)?)));
    }
    if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() || object.hasattr("tolist")? {
        return Ok(None);
    }
    if let Ok(float) = object.cast::<PyFloat>()
        && let Some(special) = special(float.value())
    {
        return Ok(Some(special));
    }
    if object.hasattr("as_integer_ratio")? {
        let ratio = object.call_method0("as_integer_ratio").map_err(|_| no_number(object))?;
        let (numerator, denominator): (Bound<'_, PyAny>, Bound<'_, PyAny>) = ratio.extract()?;
        return Ok(Some(PyNumber::Ratio(integer(&numerator)?, integer(&denominator)?)));
    }
    match object.hasattr("__index__")? && !object.is_instance_of::<Array>() {
        true => Ok(Some(PyNumber::Integer(integer(&object.call_method0("__index__")?)?))),
        false => Ok(None),
    }
}

/// A number that is not a ratio, in the form of [`Elements::Ratios`].
fn special(number: f64) -> Option<PyNumber> {
    let ratio = |numerator: i8, denominator: i8| Some(PyNumber::Ratio(numerator.into(), denominator.into()));
    match number {
        f64::INFINITY => ratio(1, 0),
        f64::NEG_INFINITY => ratio(-1, 0),
        _ if number.is_nan() => ratio(0, 0),
        _ if number == 0.0 && number.is_sign_negative() => ratio(0, -1),
        _ => None,
    }
}

fn no_number(object: &Bound<'_, PyAny>) -> PyErr {
    KindError::new_err(format!("{object} is not a number to compute with"))
}

/// Numbers of one sort: the most general sort among them.
fn elements(numbers: Vec<PyNumber>) -> Elements {
    if numbers.iter().all(|number| matches!(number, PyNumber::Bool(_))) {
        return Elements::Bools(
            numbers.iter().map(|number| matches!(number, PyNumber::Bool(true))).collect(),
        );
    }
    let one = || BigInt::from(1u8);
    let ratio = numbers.iter().any(|number| matches!(number, PyNumber::Ratio(..)));
    let parts = numbers.into_iter().map(|number| match number {
        PyNumber::Bool(bool) => (BigInt::from(u8::from(bool)), one()),
        PyNumber::Integer(integer) => (integer, one()),
        PyNumber::Ratio(numerator, denominator) => (numerator, denominator),
    });
    match ratio {
        true => Elements::Ratios(parts.collect()),
        false => Elements::Integers(parts.map(|(numerator, _)| numerator).collect()),
    }
}

/// The power of two that equals a public divisor, if there is one.
///
/// Errors: the divisor is zero, or contains a zero.
pub fn public_divisor(literal: &Literal) -> PyResult<Option<u32>> {
    if literal.has_zero() {
        return Err(PyZeroDivisionError::new_err("division by zero"));
    }
    Ok(literal.integer().and_then(|integer| power_of_two(&integer)))
}

fn power_of_two(integer: &BigInt) -> Option<u32> {
    let magnitude = integer.to_biguint()?;
    let power = magnitude.trailing_zeros()?;
    (magnitude.bits() == power + 1).then(|| u32::try_from(power).ok()).flatten()
}
