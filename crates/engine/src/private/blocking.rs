//! Announced functions for callers without an asynchronous runtime.

use serde_json::Value;
use tokio::runtime::Runtime;

use super::interface::Interface;
use super::owner::{Accepted, Announced};
use super::report::PrivateReport;
use crate::open::SessionTerms;
use crate::store::Store;
use crate::{CancelFlag, RunError};

/// An [`Announced`] function for callers without an asynchronous runtime: each call blocks its thread until it is
/// done.
#[derive(Debug)]
pub struct BlockingAnnounced {
    announced: Announced,
    runtime: Runtime,
}

impl BlockingAnnounced {
    /// As [`Announced::meet`].
    ///
    /// # Errors
    /// As there, and [`RunError::System`].
    pub fn meet(
        terms: SessionTerms,
        accepted: &Accepted,
        cancel: &CancelFlag,
    ) -> Result<BlockingAnnounced, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let announced = runtime.block_on(Announced::meet(terms, accepted, cancel))?;
        Ok(BlockingAnnounced { announced, runtime })
    }

    /// As [`Announced::meet_prepared`].
    ///
    /// # Errors
    /// As there, and [`RunError::System`].
    pub fn meet_prepared(
        terms: SessionTerms,
        accepted: &Accepted,
        store: Store,
        cancel: &CancelFlag,
    ) -> Result<BlockingAnnounced, RunError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let announced = runtime.block_on(Announced::meet_prepared(terms, accepted, store, cancel))?;
        Ok(BlockingAnnounced { announced, runtime })
    }

    /// As [`Announced::interface`].
    pub fn interface(&self) -> &Interface {
        self.announced.interface()
    }

    /// As [`Announced::run`].
    ///
    /// # Errors
    /// As there.
    pub fn run(self, inputs: &Value, cancel: &CancelFlag) -> Result<(Value, PrivateReport), RunError> {
        self.runtime.block_on(self.announced.run(inputs, cancel))
    }

    /// As [`Announced::decline`].
    ///
    /// # Errors
    /// As there.
    pub fn decline(self, cancel: &CancelFlag) -> Result<(), RunError> {
        self.runtime.block_on(self.announced.decline(cancel))
    }
}
