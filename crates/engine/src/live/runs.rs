//! The session, as runs within a reactive program use it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tacit_net::{Counts, NetError, Phase};
use tacit_twoparty::transfers::Transfers;

use super::script::SharedScript;
use super::session_work::{SessionWork, WorkDone};
use super::stop::Stop;
use crate::open::OpenSession;
use crate::store::Store;
use crate::{CancelFlag, Failure, Operation, RunError};

/// The session, for runs.
pub(super) struct Runs<'s> {
    session: &'s mut OpenSession,
    cancel: &'s CancelFlag,
    /// What the runs have sent and received; their own reports include it.
    pub counts: [Counts; 3],
    /// How long they took.
    pub time: Duration,
    /// Stores that were used.
    stores: Vec<Arc<Mutex<Store>>>,
}

impl<'s> Runs<'s> {
    pub fn of(session: &'s mut OpenSession, cancel: &'s CancelFlag) -> Runs<'s> {
        Runs { session, cancel, counts: Default::default(), time: Duration::ZERO, stores: Vec::new() }
    }

    /// The session's oblivious transfers.
    pub fn transfers(&mut self) -> Result<&mut Transfers, Failure> {
        let over = NetError::Cancelled { peer: self.session.terms.peer.clone() };
        self.session.wire.as_mut().map(|wire| &mut wire.transfers).ok_or(over.into())
    }

    /// Checks that this party has everything that the work needs.
    pub fn check(&mut self, work: &SessionWork) -> Result<(), RunError> {
        self.session.ready_for(work.task(), work.inputs(), work.store().is_some())
    }

    /// Does the work of the announced run, together with the peer, and passes on the result.
    ///
    /// # Errors
    /// Errors that end the session.
    pub async fn run(&mut self, shared: &SharedScript, work: SessionWork) -> Result<(), Stop> {
        let meter = self.session.link.meter().clone();
        let (began, before) = (Instant::now(), meter.by_phase());
        let done = self.work(work).await;
        meter.set_phase(Phase::Online);
        self.time += began.elapsed();
        let now = meter.by_phase();
        for ((counts, now), before) in self.counts.iter_mut().zip(now).zip(before) {
            *counts = counts.and(now.since(before));
        }
        let over = self.session.wire.is_none();
        let done = done.map_err(Arc::new);
        let stop =
            done.as_ref().err().filter(|_| over).cloned().map_or(Ok(()), |error| Err(Stop::Over(error)));
        let ended = shared.state().run_ended();
        if let Some(ended) = ended {
            ended(done);
        }
        shared.changed.notify_waiters();
        stop
    }

    /// Skips the announced run, since this party or the peer has nothing to run; `why` is passed on here.
    pub fn leave_out(&self, shared: &SharedScript, why: Option<RunError>) {
        let ended = shared.state().run_ended();
        if let Some(ended) = ended {
            let aborted = || NetError::Aborted { peer: self.session.terms.peer.clone() };
            let failed = || self.session.failed(Phase::Analysis, Operation::Starting, aborted());
            ended(Err(Arc::new(why.unwrap_or_else(failed))));
        }
        shared.changed.notify_waiters();
    }

    /// Ends the session, because this party cannot run what the evaluator has begun.
    pub fn refuse(&self, shared: &SharedScript, error: RunError) -> Stop {
        let error = Arc::new(error);
        let ended = shared.state().run_ended();
        if let Some(ended) = ended {
            ended(Err(error.clone()));
        }
        Stop::Over(error)
    }

    #[expect(clippy::await_holding_lock, reason = "nothing else on this thread takes a store")]
    async fn work(&mut self, work: SessionWork) -> Result<WorkDone, RunError> {
        if let Some(store) =
            work.store().filter(|store| !self.stores.iter().any(|known| Arc::ptr_eq(known, store)))
        {
            self.stores.push(store.clone());
        }
        let Runs { session, cancel, .. } = self;
        Ok(match work {
            SessionWork::Run { task, inputs } => {
                WorkDone::Outcome(Box::new(session.run_within(&task, &inputs, cancel).await?))
            }
            SessionWork::Spend { task, inputs, store } => {
                let spent = session.spend_within(&task, &inputs, &mut lock(&store), cancel).await?;
                WorkDone::Outcome(Box::new(spent))
            }
            SessionWork::Prepare { task, store, count } => {
                let prepared = session.prepare_within(&task, &mut lock(&store), count, cancel).await?;
                WorkDone::Prepared(Box::new(prepared))
            }
        })
    }

    /// Returns to stores what was reserved for further runs.
    pub fn release(&mut self) -> Result<(), Failure> {
        self.stores.drain(..).try_for_each(|store| Ok(lock(&store).release()?))
    }
}

fn lock(store: &Mutex<Store>) -> MutexGuard<'_, Store> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}
