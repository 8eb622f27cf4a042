use tacit_ir::{PortId, Words};
use tokio::runtime::Runtime;

use super::{OpenSession, Prepared, RunTask, SessionTerms};
use crate::store::Store;
use crate::{CancelFlag, Outcome, RunError};

/// An [`OpenSession`] for callers without an asynchronous runtime: each call blocks its thread until it is
/// done.
#[derive(Debug)]
pub struct BlockingSession {
    session: OpenSession,
    runtime: Runtime,
}

impl BlockingSession {
    /// As [`OpenSession::open`].
    ///
    /// # Errors
    /// As there, and [`RunError::System`].
    pub fn open(terms: SessionTerms, cancel: &CancelFlag) -> Result<BlockingSession, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let session = runtime.block_on(OpenSession::open(terms, cancel))?;
        Ok(BlockingSession { session, runtime })
    }

    /// As [`OpenSession::run`].
    ///
    /// # Errors
    /// As there.
    pub fn run(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        self.runtime.block_on(self.session.run(task, inputs, cancel))
    }

    /// As [`OpenSession::prepare`].
    ///
    /// # Errors
    /// As there.
    pub fn prepare(
        &mut self,
        task: &RunTask,
        store: &mut Store,
        count: u64,
        cancel: &CancelFlag,
    ) -> Result<Prepared, RunError> {
        self.runtime.block_on(self.session.prepare(task, store, count, cancel))
    }

    /// As [`OpenSession::run_prepared`].
    ///
    /// # Errors
    /// As there.
    pub fn run_prepared(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        store: &mut Store,
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        self.runtime.block_on(self.session.run_prepared(task, inputs, store, cancel))
    }

    /// As [`OpenSession::close`].
    ///
    /// # Errors
    /// As there.
    pub fn close(self, store: Option<&mut Store>, cancel: &CancelFlag) -> Result<(), RunError> {
        self.runtime.block_on(self.session.close(store, cancel))
    }
}
