//! Measurements of machines and links, for `tacit calibrate`.

use std::path::Path;

use pyo3::prelude::*;
use serde_json::json;
use tacit_engine::calibrate::{self as measuring, Calibrated, OwnMachine};
use tacit_engine::{CancelFlag, ProfileFile, block_on};
use tacit_plan::Profile;

use crate::errors::{UsageError, run_error};
use crate::interruptible::{cancellable, interruptible};
use crate::links::Links;
use crate::session::{Listener, SecretKey, Session};
use crate::terms::of_two;

/// Measures this machine; returns the text of a profile with this name. `watch` is called with the number of
/// finished measurements and the number of all.
#[pyfunction]
pub fn calibrate(py: Python<'_>, name: String, watch: Py<PyAny>) -> PyResult<String> {
    let mut tell = told(watch);
    let measured = interruptible(py, move || measuring::calibrate(&name, &mut tell))?;
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
    let given = Links { net, planned: None }.given();
    let (_, terms) = of_two(session, (party, peer), key, &given, listener, None)?;
    let known = profile.map(known).transpose()?;
    let mut warnings: Vec<_> = known.as_ref().and_then(ProfileFile::warning).into_iter().collect();
    let own = match known {
        Some(profile) => OwnMachine::Known(Box::new(profile)),
        None => OwnMachine::Measured { name: name.clone(), watch: Box::new(told(watch)) },
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

/// The profile of this name or file.
fn known(name: &str) -> PyResult<ProfileFile> {
    match name {
        Profile::BUILT_IN => Ok(ProfileFile::of_here(Profile::default())),
        file => ProfileFile::load(Path::new(file))
            .map_err(|error| UsageError::new_err(format!("--profile: {error}"))),
    }
}
