//! Identities of tasks, and source locations of operations.

use std::sync::{Mutex, PoisonError};

/// Identity of a task, the same at all parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskId(pub u64);

/// The source location of an operation: the number of a name that the program gave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallSite(pub u32);

/// The names of call sites.
#[derive(Debug, Default)]
pub(crate) struct CallSites(Mutex<Vec<String>>);

impl CallSites {
    /// The call site with this name; a name may be added again.
    pub(crate) fn add(&self, name: String) -> CallSite {
        let mut names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        names.push(name);
        CallSite(names.len() as u32)
    }

    /// The name of a call site.
    pub(crate) fn name(&self, call_site: CallSite) -> String {
        let names = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let named = (call_site.0 as usize).checked_sub(1).and_then(|call_site| names.get(call_site));
        named.cloned().unwrap_or_else(|| "an operation of the program".to_owned())
    }
}
