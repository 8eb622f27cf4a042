//! Measurements of machines and links, for `tacit calibrate`.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use serde_json::json;
use tacit_engine::calibrate::{
    self as measuring, Calibrated, OtherPrograms, OwnMachine, PhaseSeconds, Programs, Sample, Samples,
};
use tacit_engine::{CancelFlag, ProfileFile, block_on};
use tacit_nparty::calibration as among;

use crate::errors::run_error;
use crate::interruptible::{cancellable, interruptible};
use crate::links::Links;
use crate::profile::profile_of;
use crate::session::{Listener, SecretKey, Session};
use crate::terms::of_two;

/// How programs are measured: those between two parties in a process of Python each, and then those among three
/// parties and more.
const PROGRAMS: Programs = Programs {
    run: in_a_process,
    others: Some(OtherPrograms { count: among::COUNT, measure: measured_among }),
};

/// The module that calls [`probe`] for a number and prints the result.
const PROBE: &str = "tacit.probe";

/// After so many seconds a program is ended. None takes more than a few.
const LIMIT_SECONDS: u32 = 120;

/// The signal that ends it then, by its number on Linux.
const SIGALRM: i32 = 14;

fn in_a_process(number: usize) -> io::Result<PhaseSeconds> {
    let python = Python::attach(|py| py.import("sys")?.getattr("executable")?.extract::<PathBuf>());
    let mut command = Command::new(python.map_err(io::Error::other)?);
    let arguments = ["-m", PROBE, &number.to_string(), &LIMIT_SECONDS.to_string()];
    command.args(arguments).env("PYTHONSAFEPATH", "1").stdin(Stdio::null());
    let output = command.output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let seconds: Vec<f64> = text.split_whitespace().filter_map(|number| number.parse().ok()).collect();
    if output.status.signal() == Some(SIGALRM) {
        return Err(io::Error::other(format!("program {number} did not end within {LIMIT_SECONDS} s")));
    }
    seconds.try_into().map_err(|_| {
        let said = String::from_utf8_lossy(&output.stderr);
        io::Error::other(format!("program {number} ended with {}: {}", output.status, said.trim()))
    })
}

/// Runs a program of the measurement in this process; returns the seconds of setup and online.
#[pyfunction]
pub fn probe(py: Python<'_>, number: usize) -> PyResult<(f64, f64)> {
    let found = interruptible(py, move || measuring::run_probe(number))?;
    let seconds = found.map_err(|error| run_error(error, None))?;
    let [setup, online] = seconds.ok_or_else(|| PyIndexError::new_err(format!("no program {number}")))?;
    Ok((setup, online))
}

fn measured_among(watch: &mut dyn FnMut(usize)) -> Samples {
    let found = among::calibrate(watch).map_err(std::io::Error::other)?;
    let sample = |found: among::Measurement| Sample {
        computing: found.computing,
        streamed: Default::default(),
        nanoseconds: found.processor.as_secs_f64() * 1e9,
    };
    Ok(found.into_iter().map(sample).collect())
}

/// Measures this machine; returns the text of a profile with this name. `watch` is called with the number of
/// finished measurements and the number of all.
#[pyfunction]
pub fn calibrate(py: Python<'_>, name: String, watch: Py<PyAny>) -> PyResult<String> {
    let mut tell = told(watch);
    let measured = interruptible(py, move || measuring::calibrate(&name, PROGRAMS, &mut tell))?;
    let profile = measured.map_err(|error| run_error(error, None))?;
    Ok(ProfileFile::of_here(profile).to_text())
}

fn told(watch: Py<PyAny>) -> impl FnMut(usize, usize) + Send + 'static {
    move |done: usize, all: usize| {
        // A failure of the watcher does not matter here.
        Python::attach(|py| drop(watch.call1(py, (done, all))));
    }
}

/// Measures the link to the peer, and both machines, together with the peer. `profile` is one of this machine that was
/// measured before; without it, the machine is measured, and `watch` is told of it as by [`calibrate`].
/// Returns the text of the joint profile with this name, and the link as JSON.
#[pyfunction]
#[pyo3(signature = (session, party, key, *, name, watch, peer = None, profile = None, net = None, listener = None))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub fn calibrate_with_peer(
    py: Python<'_>,
    session: &Session,
    party: String,
    key: &SecretKey,
    name: String,
    watch: Py<PyAny>,
    peer: Option<String>,
    profile: Option<&str>,
    net: Option<&str>,
    listener: Option<&Listener>,
) -> PyResult<(String, String)> {
    let given = Links { net, ..Links::default() }.given();
    let (_, terms) = of_two(session, (party, peer), key, &given, listener, None)?;
    let known = profile.map(profile_of).transpose()?;
    let mut warnings: Vec<_> = known.as_ref().and_then(ProfileFile::warning).into_iter().collect();
    let own = match known {
        Some(profile) => OwnMachine::Known(Box::new(profile)),
        None => OwnMachine::Measured { name: name.clone(), programs: PROGRAMS, watch: Box::new(told(watch)) },
    };
    let cancel = CancelFlag::new();
    let flag = cancel.clone();
    let work = move || block_on(async { measuring::calibrate_with_peer(&terms, &name, own, &flag).await });
    let measured = cancellable(py, work, || cancel.cancel(), |_| Ok(()))?;
    let Calibrated { link, profile } = measured.map_err(|error| run_error(error, None))?;
    warnings.extend(link.changes().map(|change| change.to_string()));
    let told = json!({
        "peer": link.peer,
        "link": link.shape().form(),
        "round_seconds": link.round_ns.median as f64 * 1e-9,
        "sent_bits_per_second": link.sent.median,
        "received_bits_per_second": link.received.median,
        "warnings": warnings,
    });
    Ok((profile.to_text(), told.to_string()))
}
