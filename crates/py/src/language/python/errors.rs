use pyo3::create_exception;
use pyo3::exceptions::{PyRuntimeError, PyZeroDivisionError};
use pyo3::prelude::*;
use tacit_nparty::RunError;

use crate::errors::{AbortError, PeerError, ProgramError, UsageError};
use crate::language::error::TraceError;

create_exception!(
    tacit,
    ShapeError,
    ProgramError,
    "Shapes that do not fit together, or a position outside of a shape."
);
create_exception!(
    tacit,
    KindError,
    ProgramError,
    "Kinds of numbers that cannot be combined, or a number that its kind does not hold."
);
create_exception!(
    tacit,
    RangeError,
    KindError,
    "Numbers that would be too wide for the field of a session, or an opened number outside of its promised range."
);
create_exception!(
    tacit,
    SecretError,
    ProgramError,
    "A secret value where only a public one is possible: in a condition, as a number, as an index."
);

impl From<TraceError> for PyErr {
    fn from(error: TraceError) -> PyErr {
        let message = error.to_string();
        match error {
            TraceError::Shape(_) => ShapeError::new_err(message),
            TraceError::Kind(_) => KindError::new_err(message),
            TraceError::Room { .. } => RangeError::new_err(message),
            TraceError::Secret(_) => SecretError::new_err(message),
            TraceError::Zero => PyZeroDivisionError::new_err(message),
            TraceError::Usage(_) | TraceError::Build(_) => ProgramError::new_err(message),
        }
    }
}

/// The error of a secret value where a public one is required.
pub fn secret(what: &str, instead: &str) -> PyErr {
    SecretError::new_err(format!("{what}; {instead}"))
}

/// The exception for a computation among parties that has ended.
pub fn failure(error: &RunError) -> PyErr {
    let message = error.to_string();
    match error {
        RunError::Usage(_) | RunError::Sharing(_) | RunError::Store(_) | RunError::System { .. } => {
            UsageError::new_err(message)
        }
        RunError::Message { .. }
        | RunError::Holdings { .. }
        | RunError::Outside { .. }
        | RunError::Equivocation { .. }
        | RunError::Verification { .. }
        | RunError::Comparison(_) => AbortError::new_err(message),
        RunError::Over | RunError::Entropy | RunError::GivenUp(_) => AbortError::new_err(message),
        RunError::Panicked | RunError::Encoding(_) => PyRuntimeError::new_err(message),
        _ => PeerError::new_err(message),
    }
}

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("ShapeError", py.get_type::<ShapeError>())?;
    module.add("KindError", py.get_type::<KindError>())?;
    module.add("RangeError", py.get_type::<RangeError>())?;
    module.add("SecretError", py.get_type::<SecretError>())
}
