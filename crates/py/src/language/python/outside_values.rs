//! Descriptions of the values that parties which do not compute give and receive: name, kind and shape.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tacit_nparty::outside::Description;

use super::kind::dims_of;
use crate::errors::UsageError;
use crate::language::kind::{Kind, UnknownKind};
use crate::language::shape;

/// The text used instead of a kind for elements of the field.
const ELEMENTS: &str = "element";

/// The description of an input or a result for outside parties.
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

/// The kind in a description.
///
/// Errors: a kind that this release does not know.
pub fn kind_of(what: &Description) -> PyResult<Option<Kind>> {
    match &what.kind[..] {
        ELEMENTS => Ok(None),
        kind => kind.parse().map(Some).map_err(strange),
    }
}

/// The computing parties agree on a kind that this release does not know.
fn strange(error: UnknownKind) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}
