//! Steps at which tests kill the process, to test restarts.

use std::fmt;
use std::sync::Arc;

/// A step of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(hidden)]
pub enum Step {
    /// A half is stored, and no other server knows.
    HalfStored,
    /// B has promised to keep halves and has not said so yet.
    Promised,
    /// A knows what B has promised.
    PromiseHeard,
    /// An entry is in this server's log, and no other server knows.
    EntryStored,
    /// A knows that B has an entry.
    EntryConfirmed,
    /// A knows the results of a comparison and has not written them down.
    Compared,
    /// An entry with a raise is in this server's log, and no bid was asked at its price.
    Raised,
    /// A knows the verdicts of a check and has not written them down.
    Checked,
}

/// The function called at each step.
#[derive(Clone)]
#[doc(hidden)]
pub struct Steps(pub Arc<dyn Fn(Step) + Send + Sync>);

impl Default for Steps {
    fn default() -> Steps {
        Steps(Arc::new(|_| ()))
    }
}

impl fmt::Debug for Steps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Steps")
    }
}

impl Steps {
    pub(crate) fn at(&self, step: Step) {
        (self.0)(step);
    }
}
