//! The exceptions, by the classes that the exit codes of the command line distinguish.

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use tacit_engine::{Class, RunError};

create_exception!(tacit, TacitError, PyException, "The base class of all errors of this package.");
create_exception!(tacit, UsageError, TacitError, "A session file, key file or option is wrong.");
create_exception!(tacit, ProgramError, TacitError, "The program does not compile, or cannot be run.");
create_exception!(
    tacit,
    InputError,
    TacitError,
    "An input is missing, unknown, out of range or of the wrong shape."
);
create_exception!(
    tacit,
    PeerError,
    TacitError,
    "The other party is absent, gone, silent, not who it should be, or wants to run something else."
);
create_exception!(tacit, AbortError, TacitError, "The protocol was ended because a message was wrong.");

/// The exception for a failed run. `source` is the file of the program, to name the line if it is known.
pub fn run_error(error: RunError, source: Option<&str>) -> PyErr {
    let message = match (source, error.line()) {
        (Some(source), Some(line)) => format!("{source}:{line}: {error}"),
        _ => error.to_string(),
    };
    raised(&error, message)
}

/// The exception for a failed run, in which other parties are told, too.
pub fn failure(error: &RunError) -> PyErr {
    raised(error, error.to_string())
}

fn raised(error: &RunError, message: String) -> PyErr {
    match error.class() {
        Class::Usage => UsageError::new_err(message),
        Class::Program => ProgramError::new_err(message),
        Class::Input => InputError::new_err(message),
        Class::Peer => PeerError::new_err(message),
        Class::Abort => AbortError::new_err(message),
    }
}

/// Adds the exceptions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    module.add("TacitError", py.get_type::<TacitError>())?;
    module.add("UsageError", py.get_type::<UsageError>())?;
    module.add("ProgramError", py.get_type::<ProgramError>())?;
    module.add("InputError", py.get_type::<InputError>())?;
    module.add("PeerError", py.get_type::<PeerError>())?;
    module.add("AbortError", py.get_type::<AbortError>())
}
