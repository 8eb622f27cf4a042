//! A party that does not compute, in Python.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use tacit_ir::{OutputPort, Program as Ir, RoleId, Words};
use tacit_nparty::RunError;
use tacit_nparty::dynamic::{Numbers, visit as visit_all};
use tacit_nparty::outside::{Description, OutsideRun};

use super::errors::failure;
use super::kind::PyKind;
use super::numbers::{listed, numbers};
use super::outside_values::kind_of;
use super::party::{Protection, refuse_outside, terms};
use crate::errors::InputError;
use crate::language::shape;
use crate::links::Links;
use crate::program::Program;
use crate::run::{Cancel, outputs_of};
use crate::session::{SecretKey, Session};

/// Why a visit ended.
enum Failed {
    Run(RunError),
    Python(PyErr),
}

impl From<RunError> for Failed {
    fn from(error: RunError) -> Failed {
        Failed::Run(error)
    }
}

impl From<PyErr> for Failed {
    fn from(error: PyErr) -> Failed {
        Failed::Python(error)
    }
}

impl From<Failed> for PyErr {
    fn from(failed: Failed) -> PyErr {
        match failed {
            Failed::Run(error) => failure(&error),
            Failed::Python(error) => error,
        }
    }
}

/// The requested inputs, each with whether it was accepted; the results, each with its name, kind, shape and
/// numbers; and JSON outputs by role of each program that ran.
type Came =
    (Vec<(String, bool)>, Vec<(String, Option<PyKind>, Vec<u64>, Py<PyAny>)>, Vec<BTreeMap<String, String>>);

/// A program in which a party takes part, with its roles.
struct Part {
    ir: Arc<Ir>,
    roles: Vec<RoleId>,
}

impl Part {
    /// The JSON outputs of the roles, from columns by role and port.
    fn outputs(&self, columns: Vec<Vec<Words>>) -> BTreeMap<String, String> {
        let mut columns = columns.into_iter();
        let role = |role: &RoleId| {
            let told = |port: &OutputPort| match port.roles.contains(role) {
                true => columns.next().unwrap_or_default(),
                false => Vec::new(),
            };
            let ports: Vec<_> = self.ir.outputs.iter().map(told).collect();
            outputs_of(&self.ir, &[*role], &ports)
        };
        self.roles.iter().flat_map(role).collect()
    }
}

/// Programs with the JSON inputs of the roles that a party speaks for.
type Programs<'py> = Vec<(Bound<'py, Program>, BTreeMap<String, String>)>;

/// The runs of programs in which a party speaks for the roles whose inputs are given.
fn runs_of(programs: Programs<'_>) -> PyResult<(Vec<Part>, Vec<OutsideRun>)> {
    let mut runs = (Vec::new(), Vec::new());
    for (program, given) in programs {
        let program = program.get();
        let is_mine = |role: &RoleId| given.contains_key(&program.ir.roles[role.index()]);
        let roles: Vec<_> = program.all_roles().filter(is_mine).collect();
        let inputs = program.columns(&given, roles.iter().copied())?;
        runs.1.push(OutsideRun::new(&program.ir, &roles, &inputs));
        runs.0.push(Part { ir: program.ir.clone(), roles });
    }
    Ok(runs)
}

/// Takes part in a computation as a party that does not compute, until the computation ends. `give` is called
/// for each input with its name, kind and shape. `programs` are those in which the party speaks for the roles
/// whose inputs are given, each for one run. The other arguments are as for `join` of
/// [`PartyEnd`](super::party::PartyEnd).
#[pyfunction]
#[pyo3(signature = (session, party, key, *, modulus, threshold, security, fields, cancel, give, programs, net = None))]
#[expect(clippy::too_many_arguments, reason = "all by name")]
pub fn visit(
    py: Python<'_>,
    session: &Session,
    party: String,
    key: &SecretKey,
    modulus: &Bound<'_, PyAny>,
    threshold: usize,
    security: &str,
    fields: Vec<(String, String)>,
    cancel: &Cancel,
    give: Py<PyAny>,
    programs: Programs<'_>,
    net: Option<&str>,
) -> PyResult<Came> {
    let protection = Protection { modulus, threshold, security };
    let (_, terms) =
        terms(session, (party, key), &protection, fields, (Links { net, ..Links::default() }, None))?;
    let poll = || if cancel.0.is_cancelled() { Err(RunError::Over.into()) } else { Ok(()) };
    let asked = |what: &Description| Ok(Python::attach(|py| given(py, &give, what))?);
    let (parts, runs) = runs_of(programs)?;
    let visited = py.detach(|| visit_all::<Failed>(terms, runs, asked, poll))?;
    let ran = visited.ran.into_iter().map(|ran| parts[ran.run].outputs(ran.outputs)).collect();
    let inputs = visited.given.into_iter().map(|(what, taken)| (what.name, taken));
    let results = visited.told.into_iter().map(|told| {
        let kind = kind_of(&told.what)?.map(PyKind);
        Ok((told.what.name, kind, told.what.shape, listed(py, told.elements)?))
    });
    Ok((inputs.collect(), results.collect::<PyResult<_>>()?, ran))
}

/// The numbers of an input, with the shape and range that the computing parties request.
fn given(py: Python<'_>, give: &Py<PyAny>, what: &Description) -> PyResult<Numbers> {
    let kind = kind_of(what)?;
    let object = give.call1(py, (&what.name, kind.clone().map(PyKind), what.shape.clone()))?;
    let (numbers, found) = numbers(object.bind(py))?;
    if found != what.shape {
        return Err(InputError::new_err(format!(
            "{} has shape {}, but the computing parties ask for shape {}",
            what.name,
            shape::text(&found),
            shape::text(&what.shape)
        )));
    }
    if let Some(kind) = &kind {
        refuse_outside(&numbers, kind, &what.name)?;
    }
    Ok(numbers)
}
