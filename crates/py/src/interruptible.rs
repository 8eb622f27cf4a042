//! Long calls that react to Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python's signal handlers run.
const POLL: Duration = Duration::from_millis(20);

/// How long interrupted work may take to end, before it is abandoned.
const GRACE: Duration = Duration::from_millis(400);

/// Runs `work` on its own thread with the interpreter released, and lets signal handlers run meanwhile.
///
/// If a handler raises, the work gets a moment to end and is then abandoned, and the exception is returned.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    cancellable(py, work, || (), |_| Ok(()))
}

/// As [`interruptible`], but `cancel` ends the work early. `tick` runs as often as signal handlers, and may
/// raise, too.
pub fn cancellable<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    cancel: impl FnOnce(),
    tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let result = Arc::new(Mutex::new(None));
    let place = result.clone();
    let mut end = start(Box::new(move || {
        let value = work();
        *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(value);
    }))?;
    if let Err(raised) = wait(py, &mut end, tick) {
        cancel();
        // Whether or not it has ended, the exception is returned.
        let _ = py.detach(move || end.recv_timeout(GRACE));
        return Err(raised);
    }
    let value = result.lock().unwrap_or_else(PoisonError::into_inner).take();
    value.ok_or_else(|| {
        PyRuntimeError::new_err("internal error; its report is printed above; please report it")
    })
}

/// The work of a thread. Not generic, nor are threads and channels, so the module has them only once.
type Work = Box<dyn FnOnce() + Send>;

/// Starts a thread that drops its end of a channel when `work` has ended, in whatever way.
fn start(work: Work) -> PyResult<Receiver<()>> {
    let (sender, end) = channel();
    let run = move || {
        let _ended = sender;
        work();
    };
    match thread::Builder::new().name("tacit".to_owned()).spawn(run) {
        Ok(_) => Ok(end),
        Err(error) => Err(PyRuntimeError::new_err(format!("cannot start a thread: {error}"))),
    }
}

/// Waits for the end with the interpreter released, except for signal handlers and `tick`.
fn wait(
    py: Python<'_>,
    end: &mut Receiver<()>,
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<()> {
    loop {
        let receiver = &mut *end;
        match py.detach(move || receiver.recv_timeout(POLL)) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                tick(py)?;
            }
        }
    }
}
