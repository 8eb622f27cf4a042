//! A party's part of a run.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use tacit_engine::{CancelFlag, GuestOutcome, Job, Outcome, Progress, ProgressSink, RunError};
use tacit_ir::{KEPT_ROLE, Program as Ir, RoleId, Words, data};
use tacit_net::session::{Config, SessionFile};
use tacit_net::shape::Shape;
use tacit_plan::{
    DomainChoice, Garbling, Link, ModeChoice, Parties, PlanOptions, TransferChoice, UnknownGarbling,
    UnknownTransfers,
};

use crate::errors::{UsageError, run_error};
use crate::interruptible::cancellable;
use crate::open::kept_store;
use crate::program::Program;
use crate::session::{Listener, SecretKey, Session, security_of};

/// The JSON outputs of the roles of a party by role, and its report as JSON.
pub type Results = (BTreeMap<String, String>, String);

/// A request to end a run early, which any thread may make.
#[pyclass(module = "tacit", frozen)]
pub struct Cancel(CancelFlag);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Cancel {
        Cancel(CancelFlag::new())
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Takes part in a run, until it ends, is cancelled or a signal handler raises.
#[pyfunction]
#[pyo3(signature = (program, session, party, key, inputs, *, mode = None, domain = None, net = None, listener = None, progress = None, garbling = None, effort = None, cancel = None, shares = None, planned_link = None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn run(
    py: Python<'_>,
    program: &Program,
    session: &Session,
    party: String,
    key: &SecretKey,
    inputs: BTreeMap<String, String>,
    mode: Option<&str>,
    domain: Option<&str>,
    net: Option<&str>,
    listener: Option<&Listener>,
    progress: Option<Py<PyAny>>,
    garbling: Option<&str>,
    effort: Option<u64>,
    cancel: Option<&Cancel>,
    shares: Option<PathBuf>,
    planned_link: Option<&str>,
) -> PyResult<Results> {
    let roles = roles_of(&program.ir, &session.0, &party)?;
    let inputs = program.decode_inputs(&inputs, roles.iter().copied())?;
    let mut config = session.0.config();
    shape(&mut config, net)?;
    config.listener = listener.map(|listener| listener.0.clone());
    let mut options = plan_options(&program.ir, &session.0, mode, domain, garbling, planned_link)?;
    options.lowering.effort = effort.unwrap_or(options.lowering.effort);

    let latest = Arc::new(Mutex::new(None));
    let (ir, compiler) = (program.ir.clone(), program.compiler.clone());
    let store = kept_store(shares, key)?;
    let (key, sink) = (key.0.clone(), sink(&latest));
    let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
    let flag = cancel.clone();
    let work = move || -> Result<Ended, RunError> {
        let plan = Arc::new(tacit_engine::plan_watched(&ir, &options, &sink)?);
        let computes = plan.parties().side_of(&party).is_some();
        let job = Job {
            program: ir,
            plan,
            compiler,
            party,
            session: config,
            key: Some(key),
            inputs,
            progress: Some(sink),
        };
        match computes {
            true => tacit_engine::run_keeping_blocking(&job, store, &flag).map(Ended::Party),
            false => tacit_engine::take_part_blocking(&job, &flag).map(Ended::Guest),
        }
    };
    let ended = cancellable(py, work, || cancel.cancel(), |py| tell(py, &latest, progress.as_ref()))?;
    match ended.map_err(|error| program.error(error))? {
        Ended::Party(outcome) => results(program, &roles, &outcome),
        Ended::Guest(GuestOutcome { outputs, report }) => {
            let report = serde_json::to_string(&report);
            let report = report.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
            Ok((outputs_of(&program.ir, &roles, &outputs), report))
        }
    }
}

/// What a run gives to a party that computes, or to one that does not.
enum Ended {
    Party(Outcome),
    Guest(GuestOutcome),
}

/// The roles that a party speaks for.
pub fn roles_of(ir: &Ir, session: &SessionFile, party: &str) -> PyResult<Vec<RoleId>> {
    let mut roles = Vec::new();
    for (index, role) in ir.roles.iter().enumerate().filter(|(_, role)| *role != KEPT_ROLE) {
        let named = session.party_of_role(role).map_err(|error| UsageError::new_err(error.to_string()))?;
        if named == party {
            roles.push(RoleId(index as u32));
        }
    }
    Ok(roles)
}

/// Sets the profile of the link, if one is given.
pub fn shape(config: &mut Config, net: Option<&str>) -> PyResult<()> {
    let Some(net) = net else { return Ok(()) };
    let shape = net.parse().map_err(|error| UsageError::new_err(format!("--net: {error}")))?;
    config.shape = Some(shape);
    Ok(())
}

/// The link that a plan is made for: the one given, else the session file's, else the usual one.
pub fn planned_for(given: Option<&str>, file: Option<Shape>) -> PyResult<Link> {
    let parse = |text: &str| text.parse::<Shape>();
    let given = given.map(parse).transpose();
    let given = given.map_err(|error| UsageError::new_err(format!("--planned-link: {error}")))?;
    let link = |shape: Shape| Link::one_way(shape.bandwidth_bits_per_s, shape.latency);
    Ok(given.or(file).map_or(Link::default(), link))
}

/// The garbling scheme of a name.
pub fn garbling_named(name: Option<&str>) -> PyResult<Garbling> {
    let named =
        |name: &str| name.parse().map_err(|error: UnknownGarbling| UsageError::new_err(error.to_string()));
    name.map_or(Ok(Garbling::default()), named)
}

/// The extension of oblivious transfers of a name.
fn transfers_named(name: Option<&str>) -> PyResult<TransferChoice> {
    let named =
        |name: &str| name.parse().map_err(|error: UnknownTransfers| UsageError::new_err(error.to_string()));
    name.map_or(Ok(TransferChoice::default()), named)
}

/// How values are shared that nothing pins, by name.
pub fn domain_choice(domain: Option<&str>) -> PyResult<DomainChoice> {
    Ok(match domain {
        None | Some("yao") => DomainChoice::Yao,
        Some("bool") => DomainChoice::Bool,
        Some("arith") => DomainChoice::Arith,
        Some("auto") => DomainChoice::Auto,
        Some(other) => return Err(UsageError::new_err(format!("there is no domain {other}"))),
    })
}

/// What is planned for in a session. The session file's garbling and link count where none is named.
pub fn plan_options(
    ir: &Ir,
    session: &SessionFile,
    mode: Option<&str>,
    domain: Option<&str>,
    garbling: Option<&str>,
    planned_link: Option<&str>,
) -> PyResult<PlanOptions> {
    let domain = domain_choice(domain)?;
    let garbling = garbling_named(garbling.or(session.security.garbling.as_deref()))?;
    let transfers = transfers_named(session.security.transfers.as_deref())?;
    let link = planned_for(planned_link, session.link.planned)?;
    let mode = match mode {
        None | Some("auto") => ModeChoice::Auto,
        Some("streamed") => ModeChoice::Streamed,
        Some("precomputed") => ModeChoice::Precomputed,
        Some(other) => return Err(UsageError::new_err(format!("there is no mode {other}"))),
    };
    let party_of = |role: &str| session.party_of_role(role).ok().map(str::to_owned);
    let parties = match &session.computing[..] {
        _ if session.all_compute() => Parties::assign(ir, party_of),
        [first, second] => Parties::among(ir, [first, second], party_of),
        more => {
            let message = format!(
                "{} parties compute ({}); this version computes between two",
                more.len(),
                more.join(", ")
            );
            return Err(UsageError::new_err(message));
        }
    };
    let security = security_of(session)?;
    let parties = Some(parties.map_err(|error| run_error(error.into(), None))?);
    Ok(PlanOptions { mode, domain, garbling, transfers, link, security, parties, ..PlanOptions::default() })
}

/// Keeps the latest progress for the thread that Python runs on.
pub fn sink(latest: &Arc<Mutex<Option<Progress>>>) -> ProgressSink {
    let latest = latest.clone();
    ProgressSink::new(move |progress| {
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    })
}

/// Tells Python of the latest progress, if there is news.
pub fn tell(py: Python<'_>, latest: &Mutex<Option<Progress>>, listener: Option<&Py<PyAny>>) -> PyResult<()> {
    let news = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let (Some(news), Some(listener)) = (news, listener) {
        listener.call1(py, (news.phase.name(), news.and_done, news.and_total))?;
    }
    Ok(())
}

pub fn results(program: &Program, roles: &[RoleId], outcome: &Outcome) -> PyResult<Results> {
    Ok((outputs_of(&program.ir, roles, &outcome.outputs), program.report(&outcome.report)?))
}

/// The JSON outputs of roles.
pub fn outputs_of(ir: &Ir, roles: &[RoleId], outputs: &[Vec<Words>]) -> BTreeMap<String, String> {
    let output = |role: &RoleId| {
        let value = data::encode_outputs(ir, *role, outputs);
        (ir.roles[role.index()].clone(), value.to_string())
    };
    roles.iter().map(output).collect()
}
