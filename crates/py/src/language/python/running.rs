//! Running programs in this process.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use pyo3::types::PyDict;
use tacit_ir::Words;

use super::among::Outputs;
use crate::interruptible::interruptible;
use crate::options::plan_options;
use crate::program::Program;
use crate::run::outputs_of;

/// The JSON outputs of all roles.
fn outputs(program: &Program, columns: &[Vec<Words>]) -> Outputs {
    outputs_of(&program.ir, &program.all_roles().collect::<Vec<_>>(), columns)
}

/// Computes in the clear; returns each role's outputs as JSON.
#[pyfunction]
pub fn clear_by_role(
    py: Python<'_>,
    program: &Program,
    inputs: BTreeMap<String, String>,
) -> PyResult<Outputs> {
    let (columns, ir) = (program.columns(&inputs, program.all_roles())?, program.ir.clone());
    let results = interruptible(py, move || tacit_engine::clear(&ir, &columns))?;
    let results = results.map_err(|error| program.error(error))?;
    Ok(outputs(program, &results))
}

/// The plan of a run between parties with the roles' names, and its predicted cost, as text.
#[pyfunction]
#[pyo3(signature = (program, **given))]
pub fn plan(py: Python<'_>, program: &Program, given: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
    let (options, ir) = (plan_options(given, "for a plan alone")?, program.ir.clone());
    let planned = interruptible(py, move || tacit_engine::plan(&ir, &options))?;
    planned.map(|plan| plan.to_string()).map_err(|error| program.error(error.into()))
}

/// Runs both parties in this process, over memory; returns each role's outputs and each party's report as
/// JSON.
#[pyfunction]
#[pyo3(signature = (program, inputs, **given))]
pub fn in_process(
    py: Python<'_>,
    program: &Program,
    inputs: BTreeMap<String, String>,
    given: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Outputs, BTreeMap<String, String>)> {
    let options = plan_options(given, "in one process")?;
    let (columns, ir) = (program.columns(&inputs, program.all_roles())?, program.ir.clone());
    let both = interruptible(py, move || tacit_engine::in_process(&ir, &columns, &options))?;
    let both = both.map_err(|error| program.error(error))?;
    let garbler = program.report(&both.garbler.report)?;
    let evaluator = program.report(&both.evaluator.report)?;
    let names = [&both.garbler, &both.evaluator].map(|outcome| outcome.report.party.clone());
    Ok((outputs(program, &both.outputs()), names.into_iter().zip([garbler, evaluator]).collect()))
}
