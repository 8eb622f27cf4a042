//! The options of runs, given by keyword in Python.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use tacit_engine::{OptionError, RUN_OPTIONS, RunOption, RunOptions, Values};
use tacit_net::session::Scalar;
use tacit_plan::PlanOptions;

use crate::errors::UsageError;

/// Options by name, in the order in which they were given.
pub type GivenOptions = Vec<(String, Scalar)>;

/// The keywords whose values are not None.
pub fn keywords(given: Option<&Bound<'_, PyDict>>) -> PyResult<GivenOptions> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let pairs = given.iter().filter(|(_, value)| !value.is_none());
    pairs.map(|(name, value)| Ok((name.extract()?, scalar(&value)?))).collect()
}

fn scalar(value: &Bound<'_, PyAny>) -> PyResult<Scalar> {
    match (value.extract(), value.extract()) {
        (Ok(text), _) => Ok(Scalar::Text(text)),
        (_, Ok(number)) => Ok(Scalar::Integer(number)),
        _ => Err(PyTypeError::new_err(format!("{value:?} is neither a string nor an integer of 64 bits"))),
    }
}

/// `options`, overridden by those given.
pub fn with(options: &RunOptions, given: &GivenOptions) -> PyResult<RunOptions> {
    options.with(given.iter().map(|(name, value)| (&name[..], value))).map_err(refused)
}

/// The default options, overridden by those given, for runs without a link.
pub fn plan_options(given: Option<&Bound<'_, PyDict>>, place: &'static str) -> PyResult<PlanOptions> {
    let options = with(&RunOptions::default(), &keywords(given)?)?;
    options.without_a_link(place).cloned().map_err(refused)
}

/// The exception for an option that is refused.
pub fn refused(error: OptionError) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// Refuses unknown options and invalid values; errors name them as they are written here. Returns a note
/// about the accepted options, if there is one.
#[pyfunction]
pub fn check_options(given: &Bound<'_, PyDict>) -> PyResult<Option<String>> {
    let options = with(&RunOptions::default(), &keywords(Some(given))?)?;
    Ok(options.warning().map(str::to_owned))
}

/// The options that a run takes by keyword: for each its name, its description, its permitted names if there
/// are only a few, and its least and greatest value if it is a number.
#[pyfunction]
pub fn run_options(py: Python<'_>) -> PyResult<Vec<Bound<'_, PyDict>>> {
    let described = |option: &RunOption| {
        let described = PyDict::new(py);
        described.set_item("name", option.name)?;
        described.set_item("help", option.help)?;
        let (choices, range) = match option.values {
            Values::Names(names) => (Some(names()), None),
            Values::Range(least, most) => (None, Some((least, most))),
            Values::Numbers(_)
            | Values::Link
            | Values::Price
            | Values::Profile
            | Values::Party
            | Values::Classes => (None, None),
        };
        described.set_item("choices", choices)?;
        described.set_item("range", range)?;
        Ok(described)
    };
    RUN_OPTIONS.iter().filter(|option| !option.file_only).map(described).collect()
}
