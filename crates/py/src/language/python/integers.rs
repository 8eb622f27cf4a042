//! Integers of any size, from Python and to it.

use num_bigint::BigInt;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};

/// An integer of Python of any size.
pub fn integer(object: &Bound<'_, PyAny>) -> PyResult<BigInt> {
    if let Ok(small) = object.extract::<i64>() {
        return Ok(BigInt::from(small));
    }
    let bits: usize = object.call_method0("bit_length")?.extract()?;
    let arguments = PyDict::new(object.py());
    arguments.set_item("signed", true)?;
    let bytes = object.call_method("to_bytes", (bits / 8 + 1, "little"), Some(&arguments))?;
    Ok(BigInt::from_signed_bytes_le(bytes.cast::<PyBytes>()?.as_bytes()))
}

/// An integer of any size for Python.
pub fn to_python<'py>(py: Python<'py>, integer: &BigInt) -> PyResult<Bound<'py, PyAny>> {
    let arguments = PyDict::new(py);
    arguments.set_item("signed", true)?;
    let bytes = PyBytes::new(py, &integer.to_signed_bytes_le());
    py.get_type::<PyInt>().call_method("from_bytes", (bytes, "little"), Some(&arguments))
}
