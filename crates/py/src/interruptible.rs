//! Long calls that see Ctrl-C.

use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often Python's signal handlers get their chance.
const POLL: Duration = Duration::from_millis(20);

/// How long cancelled work may take to end, before it is left to itself.
const GRACE: Duration = Duration::from_secs(3);

/// Runs `work` on a thread of its own, without the interpreter, and lets signal handlers and `tick` run meanwhile.
///
/// Where one of these raises, `cancel` is called, the work gets a moment to end in order, and the exception is returned.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    cancel: impl FnOnce(),
    mut tick: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (sender, mut receiver) = channel();
    thread::Builder::new()
        .name("tacit".to_owned())
        .spawn(move || {
            // The receiver is gone only after an interruption, when nobody waits for the result.
            let _ = sender.send(work());
        })
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    loop {
        match wait(py, &mut receiver, POLL) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("internal error; its report stands above"));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(error) = py.check_signals().and_then(|()| tick(py)) {
            cancel();
            let _ = wait(py, &mut receiver, GRACE);
            return Err(error);
        }
    }
}

/// Waits with the interpreter released.
fn wait<T: Send>(py: Python<'_>, receiver: &mut Receiver<T>, time: Duration) -> Result<T, RecvTimeoutError> {
    py.detach(move || receiver.recv_timeout(time))
}
