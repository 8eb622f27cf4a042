//! Links by name or form.

use pyo3::prelude::*;
use tacit_net::shape::Shape;

use crate::errors::UsageError;

/// Bits a second, and seconds in one direction, of a link as options name it; `option` is its name in errors.
#[pyfunction]
pub fn link(text: &str, option: &str) -> PyResult<(u64, f64)> {
    let shape: Result<Shape, _> = text.parse();
    let shape = shape.map_err(|error| UsageError::new_err(format!("{option}: {error}")))?;
    Ok((shape.bandwidth_bits_per_s, shape.latency.as_secs_f64()))
}
