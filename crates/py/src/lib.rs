//! The extension module `tacit._native`: the engine for Python, and nothing that Python could do as well.

mod errors;
mod interruptible;

use pyo3::prelude::*;

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)
}
