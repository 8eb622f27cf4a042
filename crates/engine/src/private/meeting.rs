//! Two parties who have met for one private function: their stream, phases, entries and the end.

use tacit_net::session::{Field, Session, SessionFault};
use tacit_net::{Channel, NetError, Phase};
use tacit_pfe::{PfeError, Protocol, Size};

use super::constants::{ACCEPTED, STREAM};
use super::error::PrivateError;
use super::report::{PrivateReport, PrivateSide, PrivateTask, Ran, report};
use super::sets::build;
use crate::cancel::{unless_cancelled, unless_interrupted};
use crate::greeting::security_field;
use crate::open::SessionTerms;
use crate::report::{Clock, Payload};
use crate::store::offer::{self, Offer};
use crate::store::settle::{self, Settled};
use crate::store::{Binding, Claim, Step, Store, StoreError};
use crate::{CancelFlag, Failure, Operation, RunError};

/// A session for one private function.
#[derive(Debug)]
pub(super) struct Meeting {
    terms: SessionTerms,
    side: PrivateSide,
    task: PrivateTask,
    /// The number of the spent entry.
    entry: Option<u64>,
    session: Session,
    channel: Option<Channel>,
    clock: Clock,
    /// The stream's payload when the phase began.
    mark: Payload,
    /// The current operation.
    pub operation: Operation,
}

/// The fields that must be the same at both parties.
fn greeting(terms: &SessionTerms, side: PrivateSide, task: PrivateTask) -> Vec<Field> {
    let holder = match side {
        PrivateSide::Holder => &terms.party,
        PrivateSide::Owner => &terms.peer,
    };
    let own = [
        Field::text("kind of session", "private function"),
        Field::text("the function's holder", holder),
        Field::text("what is done", task.to_string()),
        security_field(&terms.security),
    ];
    own.into_iter().chain(build().fields()).collect()
}

impl Meeting {
    /// Meets the peer and compares sides and security parameters with it.
    pub async fn meet(
        terms: SessionTerms,
        side: PrivateSide,
        task: PrivateTask,
        cancel: &CancelFlag,
    ) -> Result<Meeting, RunError> {
        terms.security.check()?;
        let clock = Clock::start();
        let (two, fields) = (terms.of_two(), greeting(&terms, side, task));
        let greeted = Session::establish(&two, &terms.party, terms.key.as_ref(), fields);
        let failed = |error| failed(&terms, Phase::Analysis, Operation::Connecting, error);
        let session = unless_cancelled(cancel, greeted).await.map_err(failed)?;
        let opened = match session.connection(&terms.peer) {
            Some(connection) => connection.open(STREAM),
            None => Err(NetError::Session(SessionFault::NoLink { name: terms.peer.clone() })),
        };
        match opened {
            Ok(channel) => Ok(Meeting {
                terms,
                side,
                task,
                entry: None,
                session,
                channel: Some(channel),
                clock,
                mark: Payload::default(),
                operation: Operation::Connecting,
            }),
            Err(error) => {
                session.abort().await;
                Err(failed(error.into()))
            }
        }
    }

    /// This party's terms.
    pub fn terms(&self) -> &SessionTerms {
        &self.terms
    }

    /// Tells the holder that this party continues, with further bytes.
    pub async fn accept(&mut self, more: &[u8]) -> Result<(), NetError> {
        let channel = self.channel()?;
        channel.send(&[ACCEPTED]).await?;
        channel.send(more).await?;
        channel.flush().await
    }

    /// The stream.
    pub fn channel(&mut self) -> Result<&mut Channel, NetError> {
        self.channel.as_mut().ok_or_else(|| NetError::Cancelled { peer: self.terms.peer.clone() })
    }

    /// Begins a phase with an operation.
    pub fn begin(&mut self, phase: Phase, operation: Operation) {
        self.settle();
        if let Some(channel) = &mut self.channel {
            channel.begin_phase();
        }
        self.session.meter().set_phase(phase);
        self.clock.begin(phase);
        self.operation = operation;
    }

    /// Records the stream's payload in the phase that ends.
    fn settle(&mut self) {
        let Some(channel) = &self.channel else { return };
        let now = Payload::of(channel);
        if self.clock.phase() != Phase::Analysis {
            self.clock.payload(now.since(self.mark));
        }
        self.mark = now;
    }

    /// The output of `work`; if it fails or is cancelled, the peer is informed.
    pub async fn cancellable<T>(
        &mut self,
        cancel: &CancelFlag,
        work: impl AsyncFnOnce(&mut Meeting) -> Result<T, Failure>,
    ) -> Result<T, RunError> {
        let links = self.session.connections().cloned().collect();
        let result = unless_interrupted(cancel, links, work(self)).await;
        match result {
            Ok(value) => Ok(value),
            Err(error) => {
                self.session.abort().await;
                Err(self.failed(error))
            }
        }
    }

    /// Agrees with the peer on an entry, beginning with the first offer of both.
    pub async fn agree_on_entry(&mut self, store: &mut Store, binding: &Binding) -> Result<Settled, Failure> {
        let claim = store.claim(binding, 0)?;
        let theirs = offer::exchange(self.channel()?, Offer::of(claim.as_ref())).await?;
        settle::settle(self.channel()?, (store, binding), claim, theirs).await
    }

    /// The entry, if the parties have agreed on one; else both end in good order.
    pub async fn claimed(
        mut self,
        settled: Settled,
        cancel: &CancelFlag,
    ) -> Result<(Meeting, Claim), RunError> {
        let error: Failure = match settled {
            Settled::Entry(claim) => {
                self.entry = Some(claim.number);
                return Ok((self, claim));
            }
            Settled::Nothing => PrivateError::NothingLeft.into(),
            Settled::Unrelated(entry) => StoreError::Unrelated { entry }.into(),
        };
        Err(self.part(error, cancel).await)
    }

    /// Begins to use an entry.
    pub fn start_spending(&mut self, store: &Store, claim: &Claim) -> Result<(), Failure> {
        store.tell(Step { name: "agreed", entry: Some(claim.number) })?;
        self.begin(Phase::Setup, Operation::Starting);
        Ok(())
    }

    /// Returns reserved entries to a store.
    pub fn give_back(&self, store: &mut Store) -> Result<(), RunError> {
        store.release().map_err(|error| self.failed(error.into()))
    }

    /// Erases unfinished entries, and returns the result of filling a store.
    pub fn sweep(&self, store: &mut Store, filled: Result<(), RunError>) -> Result<(), RunError> {
        let swept = store.sweep();
        filled?;
        swept.map_err(|error| self.failed(error.into()))
    }

    /// Ends in good order after the protocol.
    pub async fn close(
        mut self,
        (protocol, size): (Protocol, Size),
        cancel: &CancelFlag,
    ) -> Result<PrivateReport, RunError> {
        self.settle();
        self.operation = Operation::Finishing;
        self.end(cancel).await?;
        self.clock.stop();
        let counts = Phase::ALL.map(|phase| self.session.meter().counts(phase));
        let parties = [&self.terms.party[..], &self.terms.peer];
        let cost = protocol.cost(&size).map_err(|error| self.failed(PfeError::from(error).into()))?;
        let ran = Ran { task: self.task, entry: self.entry, protocol, size, cost };
        Ok(report(parties, self.side, ran, &self.clock, counts))
    }

    /// Tells the holder why this party does not continue; ends in good order, with that error.
    pub async fn refuse(mut self, word: u8, error: impl Into<Failure>, cancel: &CancelFlag) -> RunError {
        let say = async |meeting: &mut Meeting| {
            meeting.channel()?.send(&[word]).await?;
            Ok(meeting.channel()?.flush().await?)
        };
        match self.cancellable(cancel, say).await {
            Ok(()) => self.part(error, cancel).await,
            Err(failed) => failed,
        }
    }

    /// Ends in good order, with that error, since the parties do not continue.
    pub async fn part(mut self, error: impl Into<Failure>, cancel: &CancelFlag) -> RunError {
        let error = self.failed(error.into());
        match self.end(cancel).await {
            Err(RunError::Cancelled { phase }) => RunError::Cancelled { phase },
            // Both know why it ends; how the link ends does not matter.
            _ => error,
        }
    }

    async fn end(&mut self, cancel: &CancelFlag) -> Result<(), RunError> {
        self.cancellable(cancel, async |meeting: &mut Meeting| {
            if let Some(channel) = meeting.channel.take() {
                channel.finish().await?;
            }
            Ok(meeting.session.close().await?)
        })
        .await
    }

    fn failed(&self, error: Failure) -> RunError {
        failed(&self.terms, self.clock.phase(), self.operation.clone(), error)
    }
}

/// An error of a party with these terms.
pub(super) fn failed(terms: &SessionTerms, phase: Phase, operation: Operation, error: Failure) -> RunError {
    match error {
        Failure::Cancelled => RunError::Cancelled { phase },
        source => RunError::Failed { peer: terms.peer.clone(), phase, operation, source: Box::new(source) },
    }
}
