//! Private functions in Python.

use std::collections::BTreeMap;
use std::error::Error;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};
use tacit_circuit::Circuit;
use tacit_engine::private::{
    self, Accepted, BlockingAnnounced, Held, Interface, InterfaceError, PrivateReport, bits_of_words,
};
use tacit_engine::{CancelFlag, RunError, SessionTerms, Store, block_on};
use tacit_ir::{Program as Ir, RoleId, Words, data};
use tacit_net::shape::Shape;
use tacit_pfe::prediction::{Link, Machine, Prediction, Rates, predict};
use tacit_pfe::{Function, FunctionError, InputOwner, Protocol, Size, local};

use crate::errors::{AbortError, InputError, ProgramError, UsageError, run_error};
use crate::interruptible::{cancellable, interruptible};
use crate::lock::lock;
use crate::options::keywords;
use crate::program::Program;
use crate::run::Cancel;
use crate::session::{Listener, SecretKey, Session};
use crate::terms::of_two;

/// Evaluates a program as a private function of all other roles on the data of the role `owner`, with both
/// parties in this process. Returns the outputs for `owner`, and the announced number of gates.
#[pyfunction]
#[pyo3(signature = (program, owner, inputs, gates = None, protocol = None))]
pub fn private_local(
    py: Python<'_>,
    program: &Program,
    owner: &str,
    inputs: BTreeMap<String, String>,
    gates: Option<usize>,
    protocol: Option<&str>,
) -> PyResult<(String, usize)> {
    let protocol = named(protocol)?;
    let role = program.role(owner)?;
    fits(&program.ir, role)?;
    let columns = program.columns(&inputs, program.all_roles())?;
    let circuit = program.flat(py, None, "size")?;
    let ir = program.ir.clone();
    interruptible(py, move || -> Result<_, PyErr> {
        let function = function(protocol, (&ir, role), &circuit, gates)?;
        let interface = Interface::of(&ir, role, (protocol, *function.size())).map_err(unusable)?;
        let (holder, owner) = (bits(&ir, role, &columns, false), bits(&ir, role, &columns, true));
        let work = async { Ok::<_, Box<dyn Error>>(local::both(function, &holder, &owner).await?) };
        let outputs = block_on(work).map_err(|error| AbortError::new_err(error.to_string()))?;
        Ok((interface.decode(&outputs).to_string(), interface.size().gates()))
    })?
}

/// The input bits of the data's owner, or those of all other roles.
fn bits(ir: &Ir, owner: RoleId, columns: &[Vec<Words>], owners: bool) -> Vec<bool> {
    let ports = ir.inputs.iter().zip(columns).filter(|(port, _)| (port.role == owner) == owners);
    ports.flat_map(|(_, columns)| columns.iter().flat_map(bits_of_words)).collect()
}

/// The public part of a program as a private function on the data of the role `owner`, as JSON.
#[pyfunction]
#[pyo3(signature = (program, owner, gates = None, protocol = None))]
pub fn private_interface(
    py: Python<'_>,
    program: &Program,
    owner: &str,
    gates: Option<usize>,
    protocol: Option<&str>,
) -> PyResult<String> {
    let protocol = named(protocol)?;
    let role = program.role(owner)?;
    fits(&program.ir, role)?;
    let circuit = program.flat(py, None, "size")?;
    let ir = program.ir.clone();
    interruptible(py, move || -> Result<_, PyErr> {
        let function = function(protocol, (&ir, role), &circuit, gates)?;
        let interface = Interface::of(&ir, role, (protocol, *function.size())).map_err(unusable)?;
        Ok(interface.to_json().to_string())
    })?
}

/// The predicted times of a run of a program as a private function by each protocol, shortest first, as JSON.
/// `link` is as for `net`; without one, both parties run on this machine without a link between them.
#[pyfunction]
#[pyo3(signature = (program, owner, gates = None, link = None))]
pub fn private_plan(
    py: Python<'_>,
    program: &Program,
    owner: &str,
    gates: Option<usize>,
    link: Option<&str>,
) -> PyResult<String> {
    let role = program.role(owner)?;
    fits(&program.ir, role)?;
    let circuit = program.flat(py, None, "size")?;
    let shape: Option<Shape> = link.map(str::parse).transpose().map_err(refused)?;
    let ir = program.ir.clone();
    interruptible(py, move || -> Result<_, PyErr> {
        let of = |protocol| Ok::<_, PyErr>(*function(protocol, (&ir, role), &circuit, gates)?.size());
        let nands = of(Protocol::HalfElGamal)?;
        let size = |protocol| match protocol {
            Protocol::HalfElGamal | Protocol::KatzMalka(_) => Ok((protocol, nands)),
            Protocol::UniversalCircuit => Ok((protocol, of(protocol)?)),
        };
        let sizes = Protocol::ALL.map(size).into_iter().collect::<PyResult<Vec<_>>>()?;
        let predictions = predictions(&sizes, shape)?;
        let told = predictions.iter().map(|prediction| told(prediction, &sizes)).collect();
        Ok(Value::Array(told).to_string())
    })?
}

/// The predictions for runs of these sizes on a link, or on this machine alone, shortest first.
fn predictions(sizes: &[(Protocol, Size)], shape: Option<Shape>) -> PyResult<Vec<Prediction>> {
    let rates = block_on(async { Ok::<_, Box<dyn Error>>(Rates::measure().await?) });
    let rates = rates.map_err(|error| AbortError::new_err(error.to_string()))?;
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let machine = Machine { rates, threads, shared: shape.is_none() };
    let link = shape.map_or(IN_MEMORY, |shape| Link {
        bits_per_second: shape.bandwidth_bits_per_s as f64,
        latency: shape.latency,
    });
    predict(sizes, &machine, &link).map_err(refused)
}

/// Predicted seconds of setup and online for a run of a protocol with this size: numbers of gates, of input
/// bits of holder and owner, and of output bits. `link` is as for `net`.
#[pyfunction]
pub fn private_seconds(py: Python<'_>, protocol: &str, size: [usize; 4], link: &str) -> PyResult<(f64, f64)> {
    let protocol = named(Some(protocol))?;
    let [gates, holder, owner, outputs] = size;
    let size = Size::new(holder, owner, gates, outputs).map_err(refused)?;
    let shape: Shape = link.parse().map_err(refused)?;
    interruptible(py, move || -> PyResult<_> {
        let found = predictions(&[(protocol, size)], Some(shape))?;
        let seconds = found.first().map(|one| (one.setup_seconds, one.online_seconds));
        seconds.ok_or_else(|| PyRuntimeError::new_err("the protocol has no prediction"))
    })?
}

/// Refuses an invalid interface, and data that do not fit it.
#[pyfunction]
pub fn check_private_inputs(interface: &str, inputs: &str) -> PyResult<()> {
    Interface::parse(interface).map_err(unusable)?.encode(&parsed(inputs)?).map(drop).map_err(unfit)
}

fn unusable(error: InterfaceError) -> PyErr {
    UsageError::new_err(error.to_string())
}

fn refused(error: impl Error) -> PyErr {
    UsageError::new_err(error.to_string())
}

/// The link between two parties in one process.
const IN_MEMORY: Link = Link { bits_per_second: 1e11, latency: Duration::ZERO };

fn told(prediction: &Prediction, sizes: &[(Protocol, Size)]) -> Value {
    let gates = sizes.iter().find(|(protocol, _)| *protocol == prediction.protocol);
    json!({
        "protocol": prediction.protocol.name(),
        "gates": gates.map(|(_, size)| size.gates()),
        "bytes": prediction.bytes,
        "setup_seconds": prediction.setup_seconds,
        "online_seconds": prediction.online_seconds,
        "computing_seconds": prediction.computing_seconds,
        "link_seconds": prediction.link_seconds,
    })
}

fn unfit(error: data::DataError) -> PyErr {
    InputError::new_err(error.to_string())
}

fn parsed(text: &str) -> PyResult<Value> {
    serde_json::from_str(text).map_err(|error| InputError::new_err(error.to_string()))
}

fn report_of(report: &PrivateReport) -> PyResult<String> {
    serde_json::to_string(report).map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Takes part as the holder of a private function: in a run; with `store`, in a prepared run; with `prepare`,
/// too, in preparing this number of runs. Returns its interface and the report, as JSON.
#[pyfunction]
#[pyo3(signature = (program, owner, session, party, key, inputs, *, gates = None, protocol = None, store = None, prepare = None, peer = None, listener = None, cancel = None, **options))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn private_hold(
    py: Python<'_>,
    program: &Program,
    owner: &str,
    session: &Session,
    party: String,
    key: &SecretKey,
    inputs: BTreeMap<String, String>,
    gates: Option<usize>,
    protocol: Option<&str>,
    store: Option<PathBuf>,
    prepare: Option<u64>,
    peer: Option<String>,
    listener: Option<&Listener>,
    cancel: Option<&Cancel>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, String)> {
    let protocol = named(protocol)?;
    let role = program.role(owner)?;
    fits(&program.ir, role)?;
    let columns = match prepare {
        Some(_) => Vec::new(),
        None => program.columns(&inputs, program.all_roles().filter(|other| *other != role))?,
    };
    let store = store.map(|path| Store::open(&path, &key.0)).transpose().map_err(refused)?;
    let (_, terms) = of_two(session, (party, peer), key, &keywords(options)?, listener, None)?;
    let circuit = program.flat(py, None, "size")?;
    let ir = program.ir.clone();
    let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
    let flag = cancel.clone();
    let work = move || -> Result<_, PyErr> {
        let function = function(protocol, (&ir, role), &circuit, gates)?;
        let interface = Interface::of(&ir, role, (protocol, *function.size())).map_err(unusable)?;
        let told = interface.to_json().to_string();
        let held = Held { interface, function, inputs: bits(&ir, role, &columns, false) };
        let report =
            block_on(hold(terms, held, (store, prepare), &flag)).map_err(|error| run_error(error, None))?;
        Ok((told, report_of(&report)?))
    };
    cancellable(py, work, || cancel.cancel(), |_| Ok(()))?
}

/// The holder's part of a run, of a prepared run in `store`, or of preparing runs.
async fn hold(
    terms: SessionTerms,
    held: Held,
    (store, count): (Option<Store>, Option<u64>),
    cancel: &CancelFlag,
) -> Result<PrivateReport, RunError> {
    match (store, count) {
        (None, _) => private::hold(terms, held, cancel).await,
        (Some(mut store), None) => private::hold_prepared(terms, held, &mut store, cancel).await,
        (Some(mut store), Some(count)) => {
            private::prepare(terms, (held.interface, held.function), (&mut store, count), cancel).await
        }
    }
}

/// Takes part as the data's owner in preparing runs; returns the function's interface and the report, as JSON.
#[pyfunction]
#[pyo3(signature = (session, party, key, max_gates, store, count, *, interface = None, peer = None, listener = None, cancel = None, **options))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub fn private_prepare(
    py: Python<'_>,
    session: &Session,
    party: String,
    key: &SecretKey,
    max_gates: usize,
    store: PathBuf,
    count: u64,
    interface: Option<&str>,
    peer: Option<String>,
    listener: Option<&Listener>,
    cancel: Option<&Cancel>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<(String, String)> {
    let accepted = accepted(max_gates, interface)?;
    let mut store = Store::open(&store, &key.0).map_err(refused)?;
    let (_, terms) = of_two(session, (party, peer), key, &keywords(options)?, listener, None)?;
    let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
    let flag = cancel.clone();
    let work = move || block_on(private::prepare_for(terms, &accepted, (&mut store, count), &flag));
    let prepared = cancellable(py, work, || cancel.cancel(), |_| Ok(()))?;
    let (interface, report) = prepared.map_err(|error| run_error(error, None))?;
    Ok((interface.to_json().to_string(), report_of(&report)?))
}

fn accepted(max_gates: usize, interface: Option<&str>) -> PyResult<Accepted> {
    let interface = interface.map(Interface::parse).transpose().map_err(unusable)?;
    Ok(Accepted { max_gates, interface })
}

/// A function that a peer has announced to the data's owner, which has not yet sent anything of its data.
#[pyclass(module = "tacit", frozen)]
pub struct AnnouncedFunction {
    announced: Arc<Mutex<Option<BlockingAnnounced>>>,
    interface: String,
    cancel: CancelFlag,
}

#[pymethods]
impl AnnouncedFunction {
    #[staticmethod]
    #[pyo3(signature = (session, party, key, max_gates, *, interface = None, store = None, peer = None, listener = None, cancel = None, **options))]
    #[expect(clippy::too_many_arguments, reason = "the keyword arguments of a Python function")]
    fn meet(
        py: Python<'_>,
        session: &Session,
        party: String,
        key: &SecretKey,
        max_gates: usize,
        interface: Option<&str>,
        store: Option<PathBuf>,
        peer: Option<String>,
        listener: Option<&Listener>,
        cancel: Option<&Cancel>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<AnnouncedFunction> {
        let accepted = accepted(max_gates, interface)?;
        let store = store.map(|path| Store::open(&path, &key.0)).transpose().map_err(refused)?;
        let (_, terms) = of_two(session, (party, peer), key, &keywords(options)?, listener, None)?;
        let cancel = cancel.map_or_else(CancelFlag::new, |cancel| cancel.0.clone());
        let flag = cancel.clone();
        let meet = move || match store {
            None => BlockingAnnounced::meet(terms, &accepted, &flag),
            Some(store) => BlockingAnnounced::meet_prepared(terms, &accepted, store, &flag),
        };
        let announced = cancellable(py, meet, || cancel.cancel(), |_| Ok(()))?;
        let announced = announced.map_err(|error| run_error(error, None))?;
        let interface = announced.interface().to_json().to_string();
        Ok(AnnouncedFunction { announced: Arc::new(Mutex::new(Some(announced))), interface, cancel })
    }

    /// The public part of the function, as JSON.
    #[getter]
    fn interface(&self) -> &str {
        &self.interface
    }

    fn run(&self, py: Python<'_>, inputs: &str) -> PyResult<(String, String)> {
        let value = parsed(inputs)?;
        let (outputs, report) = self.work(py, move |announced, cancel| announced.run(&value, cancel))?;
        Ok((outputs.to_string(), report_of(&report)?))
    }

    fn decline(&self, py: Python<'_>) -> PyResult<()> {
        self.work(py, |announced, cancel| announced.decline(cancel))
    }
}

impl AnnouncedFunction {
    /// Continues with the peer, once.
    fn work<T: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(BlockingAnnounced, &CancelFlag) -> Result<T, RunError> + Send + 'static,
    ) -> PyResult<T> {
        let (shared, flag) = (self.announced.clone(), self.cancel.clone());
        let run = move || {
            let announced = lock(&shared).take();
            announced.map(|announced| work(announced, &flag))
        };
        let result = cancellable(py, run, || self.cancel.cancel(), |_| Ok(()))?;
        result
            .ok_or_else(|| UsageError::new_err("the announced function was run or declined already"))?
            .map_err(|error| run_error(error, None))
    }
}

/// Refuses programs with outputs for other roles, and programs that read kept shares.
fn fits(ir: &Ir, owner: RoleId) -> PyResult<()> {
    if let Some(port) = ir.inputs.iter().find(|port| port.is_stored(ir)) {
        return Err(ProgramError::new_err(format!(
            "{} is kept as shares, which private functions do not support",
            port.name
        )));
    }
    match ir.outputs.iter().find(|port| !port.roles.contains(&owner)) {
        None => Ok(()),
        Some(port) => Err(ProgramError::new_err(format!(
            "output {} is not for role {}, but only the data's owner learns the outputs of a private function",
            port.name,
            ir.roles[owner.index()]
        ))),
    }
}

/// A protocol by its name; the default without one.
fn named(name: Option<&str>) -> PyResult<Protocol> {
    let Some(name) = name else { return Ok(Protocol::default()) };
    Protocol::from_name(name).ok_or_else(|| {
        let known = Protocol::ALL.map(Protocol::name).join(", ");
        UsageError::new_err(format!("--protocol {name}: there is no such protocol; protocols are {known}"))
    })
}

fn function(
    protocol: Protocol,
    (ir, owner): (&Ir, RoleId),
    circuit: &Circuit,
    gates: Option<usize>,
) -> PyResult<Function> {
    let of = |role| if role == owner { InputOwner::Owner } else { InputOwner::Holder };
    let owners: Vec<InputOwner> = ir.inputs.iter().map(|port| of(port.role)).collect();
    Function::from_circuit(protocol, circuit, &owners, gates).map_err(|error| match error {
        FunctionError::Gates { .. } | FunctionError::FewGates { .. } => {
            UsageError::new_err(format!("--gates: {error}"))
        }
        _ => ProgramError::new_err(error.to_string()),
    })
}
