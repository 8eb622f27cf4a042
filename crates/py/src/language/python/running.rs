//! Running programs in this process.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use tacit_ir::{RoleId, Words, data};
use tacit_plan::{ModeChoice, PlanError, PlanOptions};

use crate::errors::UsageError;
use crate::interruptible::interruptible;
use crate::program::Program;
use crate::run::{domain_choice, garbling_named, planned_for};

/// The JSON outputs of every role.
type Outputs = BTreeMap<String, String>;

/// The columns of every input port.
fn columns(program: &Program, inputs: &BTreeMap<String, String>) -> PyResult<Vec<Vec<Words>>> {
    let roles = (0..program.ir.roles.len() as u32).map(RoleId);
    let mut ports = vec![Vec::new(); program.ir.inputs.len()];
    for (port, columns) in program.decode_inputs(inputs, roles)? {
        ports[port.index()] = columns;
    }
    Ok(ports)
}

fn outputs(program: &Program, columns: &[Vec<Words>]) -> Outputs {
    let encoded = |(number, name): (usize, &String)| {
        (name.clone(), data::encode_outputs(&program.ir, RoleId(number as u32), columns).to_string())
    };
    program.ir.roles.iter().enumerate().map(encoded).collect()
}

/// Computes in the clear; gives each role's outputs as JSON.
#[pyfunction]
pub fn clear_by_role(
    py: Python<'_>,
    program: &Program,
    inputs: BTreeMap<String, String>,
) -> PyResult<Outputs> {
    let (columns, ir) = (columns(program, &inputs)?, program.ir.clone());
    let results = interruptible(py, move || tacit_engine::clear(&ir, &columns))?;
    let results = results.map_err(|error| program.error(error))?;
    Ok(outputs(program, &results))
}

fn options(
    mode: Option<&str>,
    domain: Option<&str>,
    security: Option<&str>,
    garbling: Option<&str>,
    planned_link: Option<&str>,
) -> PyResult<PlanOptions> {
    let mode = match mode {
        None | Some("auto") => ModeChoice::Auto,
        Some("streamed") => ModeChoice::Streamed,
        Some("precomputed") => ModeChoice::Precomputed,
        Some(other) => return Err(UsageError::new_err(format!("there is no mode {other}"))),
    };
    let (domain, garbling) = (domain_choice(domain)?, garbling_named(garbling)?);
    let link = planned_for(planned_link, None)?;
    let mut options = PlanOptions { mode, domain, garbling, link, ..PlanOptions::default() };
    if let Some(level) = security {
        options.security.level =
            level.parse().map_err(|error: PlanError| UsageError::new_err(error.to_string()))?;
    }
    Ok(options)
}

/// How a run between parties of the roles' names would go, and what it would cost, for people to read.
#[pyfunction]
#[pyo3(signature = (program, *, mode = None, domain = None, security = None, garbling = None, planned_link = None))]
pub fn plan(
    py: Python<'_>,
    program: &Program,
    mode: Option<&str>,
    domain: Option<&str>,
    security: Option<&str>,
    garbling: Option<&str>,
    planned_link: Option<&str>,
) -> PyResult<String> {
    let (options, ir) = (options(mode, domain, security, garbling, planned_link)?, program.ir.clone());
    let planned = interruptible(py, move || tacit_engine::plan(&ir, &options))?;
    planned.map(|plan| plan.to_string()).map_err(|error| program.error(error.into()))
}

/// Runs both parties here, over memory; gives each role's outputs and each party's report as JSON.
#[pyfunction]
#[pyo3(signature = (program, inputs, *, mode = None, domain = None, security = None, garbling = None, planned_link = None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn in_process(
    py: Python<'_>,
    program: &Program,
    inputs: BTreeMap<String, String>,
    mode: Option<&str>,
    domain: Option<&str>,
    security: Option<&str>,
    garbling: Option<&str>,
    planned_link: Option<&str>,
) -> PyResult<(Outputs, BTreeMap<String, String>)> {
    let options = options(mode, domain, security, garbling, planned_link)?;
    let (columns, ir) = (columns(program, &inputs)?, program.ir.clone());
    let both = interruptible(py, move || tacit_engine::in_process(&ir, &columns, &options))?;
    let both = both.map_err(|error| program.error(error))?;
    let garbler = program.report(&both.garbler.report)?;
    let evaluator = program.report(&both.evaluator.report)?;
    let names = [&both.garbler, &both.evaluator].map(|outcome| outcome.report.party.clone());
    Ok((outputs(program, &both.outputs()), names.into_iter().zip([garbler, evaluator]).collect()))
}
