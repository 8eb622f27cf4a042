//! Long calls that see Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python's signal handlers get their chance.
const POLL: Duration = Duration::from_millis(20);

/// How long interrupted work may take to end, before it is left to itself.
const GRACE: Duration = Duration::from_secs(3);

/// Runs `work` on a thread of its own, without the interpreter, and lets signal handlers run meanwhile.
///
/// Where one raises, the work gets a moment to end, then is left to itself, and the exception is returned.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    cancellable(py, work, || (), |_| Ok(()))
}

/// As [`interruptible`], where `cancel` ends the work early. `tick` runs as signal handlers do, and may raise too.
pub fn cancellable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    cancel: impl FnOnce(),
    tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let mut result = start(work)?;
    let waited = wait(py, &mut result, tick);
    if waited.is_err() {
        cancel();
        // Whether it ended or not, the exception goes first.
        let _ = py.detach(move || result.recv_timeout(GRACE));
    }
    waited
}

/// Starts a thread that sends what `work` returns.
fn start<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> PyResult<Receiver<T>> {
    let (sender, receiver) = channel();
    let run = move || {
        // The receiver is gone only after an interruption, when nobody waits for the result.
        let _ = sender.send(work());
    };
    match thread::Builder::new().name("tacit".to_owned()).spawn(run) {
        Ok(_) => Ok(receiver),
        Err(error) => Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}"))),
    }
}

/// Waits for the result with the interpreter released, but for signal handlers and `tick`.
fn wait<T: Send>(
    py: Python<'_>,
    result: &mut Receiver<T>,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    loop {
        let receiver = &mut *result;
        match py.detach(move || receiver.recv_timeout(POLL)) {
            Ok(value) => return Ok(value),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error; its report stands above"));
            }
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                tick(py)?;
            }
        }
    }
}
