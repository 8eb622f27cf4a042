//! What parties that don't compute give and are told: its name, kind and shape.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tacit_nparty::outside::Description;

use super::kind::dims_of;
use crate::errors::UsageError;
use crate::language::kind::{Kind, UnknownKind};
use crate::language::shape;

/// What stands in place of a kind for elements of the field.
const ELEMENTS: &str = "element";

/// What an input or a result is for those outside, and its shape.
pub fn described(
    name: &str,
    kind: Option<&Kind>,
    dims: &Bound<'_, PyAny>,
) -> PyResult<(Description, Vec<u64>)> {
    let dims = dims_of(dims)?;
    shape::check(&dims)?;
    let length = shape::size(&dims) as usize;
    if length == 0 {
        return Err(UsageError::new_err(format!(
            "{name} has shape {}, without elements; parties that don't compute give and are told at least one",
            shape::text(&dims)
        )));
    }
    let kind = kind.map_or_else(|| ELEMENTS.to_owned(), Kind::to_string);
    Ok((Description { name: name.to_owned(), kind, shape: dims.clone(), length }, dims))
}

/// The kind that a description names.
///
/// Errors: this release knows no such kind.
pub fn kind_of(what: &Description) -> PyResult<Option<Kind>> {
    match &what.kind[..] {
        ELEMENTS => Ok(None),
        kind => kind.parse().map(Some).map_err(strange),
    }
}

/// The computing parties agree on a kind, and this release has another idea of it.
fn strange(error: UnknownKind) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
