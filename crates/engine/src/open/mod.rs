//! Sessions: one authenticated connection that serves one run, or many.
//!
//! [`crate::run`] opens a session for one run, on which the parties agree in their greeting. Otherwise both parties open the session, then make the same calls of [`OpenSession::run`],
//! [`OpenSession::prepare`] and [`OpenSession::run_prepared`] in the same order, and close it. Before each, the parties compare what is about to run, so no input is used before both know that they run
//! the same program under the same plan.
//!
//! Everything is sent on one stream. One set of base oblivious transfers serves the session, and each extension from
//! it serves all later runs; delta and the start of the gate hash are fresh in each run.
//!
//! If a program has roles of outside parties, its run meets these within the session's time limit; they call [`crate::take_part`] as for
//! a single run. If a program reads or keeps shares, its run uses the store in [`SessionTerms`] and agrees on versions as single runs do;
//! when it ends, both parties have kept the shares.
//!
//! A [reactive program](crate::live) also belongs to a session: its steps, and runs, which are steps of it, share the connection and
//! what is set up on it.

mod agree;
mod blocking;
pub(crate) mod constants;
mod domains;
mod externals;
mod link;
pub(crate) mod prepare;
mod resources;
mod run;
pub(crate) mod scope;
mod spend;

pub use blocking::BlockingSession;
pub use prepare::Prepared;

use std::sync::Arc;

use tacit_ir::{PortId, Program, Words};
use tacit_net::keys::{PublicKey, SecretKey};
use tacit_net::session::{Config, Field, Session, SessionFault};
use tacit_net::{Meter, NetError, Phase};
use tacit_plan::{Mode, Plan, SecurityParams, Side};

use crate::cancel::{unless_cancelled, unless_interrupted};
use crate::drive::context::{RunContext, share_party};
use crate::greeting::{greeting, security_field, session_with};
use crate::inputs::PartyInputs;
use crate::job::Outcome;
use crate::prices::{self, RunKind};
use crate::progress::{Tracker, ticker};
use crate::report::Clock;
use crate::store::{Binding, Store, StoreError, binding};
use crate::stored_shares::{self, PartyPair, ShareStore, ShareStoreError};
use crate::{CancelFlag, Failure, Operation, ProgressSink, Report, RunError};
pub(crate) use link::Link;
use resources::{OutsideSession, Resources};
pub(crate) use run::{EndedRun, SessionRun, SessionWire};
use scope::SessionScope;

/// The parties of a session, and its terms.
#[derive(Debug)]
pub struct SessionTerms {
    /// The name of this party.
    pub party: String,
    /// The name of the other party.
    pub peer: String,
    /// How the parties meet. Outside parties are met by the runs that name them.
    pub session: Config,
    /// This party's key; not needed on a transport that does not authenticate, unless a store is used.
    pub key: Option<SecretKey>,
    /// Security parameters of every run.
    pub security: SecurityParams,
    /// This party's share store, for programs that read or keep some; held as long as the session.
    pub shares: Option<ShareStore>,
}

impl SessionTerms {
    /// The session of the two parties alone. Others may come, for runs that have not begun yet.
    pub(crate) fn of_two(&self) -> Config {
        let mut session = self.session.clone();
        session.early_parties.clone_from(&session.parties);
        session.parties.retain(|party| party.name == self.party || party.name == self.peer);
        session.computing.clear();
        session
    }
}

/// Something to run or to prepare, without inputs.
#[derive(Clone, Debug)]
pub struct RunTask {
    /// The program, the same at both parties.
    pub program: Arc<Program>,
    /// The plan that [`crate::plan`] made of it, with the session's security parameters.
    pub plan: Arc<Plan>,
    /// What made the program from its source; shown if the parties' programs differ.
    pub compiler: String,
    /// Receives the progress.
    pub progress: Option<ProgressSink>,
}

/// A connection to a peer that serves many runs.
///
/// After an error the session is over, and the peer is informed, with two exceptions: errors before the peer was asked for
/// anything (inputs, plans), and those that both parties know of (they want to do different things, or the store has
/// nothing left). Dropping a session without [`OpenSession::close`] looks to the peer like a crash.
#[derive(Debug)]
pub struct OpenSession {
    pub(crate) terms: SessionTerms,
    scope: SessionScope,
    pub(crate) link: Link,
    /// The state that runs need of the connection; `None` once the session is over.
    pub(crate) wire: Option<SessionWire>,
    /// Measures the analysis of the first run, which includes meeting the peer.
    pub(crate) clock: Option<Clock>,
}

impl OpenSession {
    /// Meets the peer and compares parties, keys, versions and security parameters with it.
    ///
    /// # Errors
    /// [`RunError::Failed`] in analysis, as for [`crate::run`]; [`RunError::Plan`] for unsupported security parameters.
    pub async fn open(terms: SessionTerms, cancel: &CancelFlag) -> Result<OpenSession, RunError> {
        OpenSession::open_as("open, for many runs or --store", Vec::new(), terms, cancel).await
    }

    /// As [`OpenSession::open`], for a session of this kind, with further fields to compare.
    pub(crate) async fn open_as(
        kind: &str,
        more: Vec<Field>,
        terms: SessionTerms,
        cancel: &CancelFlag,
    ) -> Result<OpenSession, RunError> {
        terms.security.check()?;
        let own = [Field::text("kind of session", kind), security_field(&terms.security)];
        let fields = crate::build().fields().into_iter().chain(own).chain(more).collect();
        let two = terms.of_two();
        OpenSession::establish(terms, SessionScope::Runs, (&two, fields), cancel).await
    }

    /// A session over an existing link.
    ///
    /// # Errors
    /// [`NetError`] if the link has ended.
    pub(crate) fn over(link: Link, terms: SessionTerms) -> Result<OpenSession, NetError> {
        let wire = Some(wire(&link, &terms)?);
        Ok(OpenSession { terms, scope: SessionScope::Runs, link, wire, clock: Some(Clock::start()) })
    }

    /// Meets all parties of a run, and compares with them what is about to run.
    pub(crate) async fn open_for(
        mut terms: SessionTerms,
        task: &RunTask,
        cancel: &CancelFlag,
    ) -> Result<OpenSession, RunError> {
        let all = session_with(&task.plan, &terms.session)?;
        let SessionTerms { session, party, peer, shares, .. } = &mut terms;
        // Check for anything missing here before meeting anybody.
        share_store_for(&task.program, session, [party, peer], shares)?;
        let fields = greeting(&task.program, &task.plan, &task.compiler);
        OpenSession::establish(terms, SessionScope::OneRun, (&all, fields), cancel).await
    }

    async fn establish(
        terms: SessionTerms,
        scope: SessionScope,
        (config, fields): (&Config, Vec<Field>),
        cancel: &CancelFlag,
    ) -> Result<OpenSession, RunError> {
        let clock = Clock::start();
        let greeting = Session::establish(config, &terms.party, terms.key.as_ref(), fields);
        let session = unless_cancelled(cancel, greeting).await;
        let session =
            session.map_err(|error| failed(&terms, Phase::Analysis, Operation::Connecting, error))?;
        let link = Link::Met(Box::new(session));
        match wire(&link, &terms) {
            Ok(wire) => Ok(OpenSession { terms, scope, link, wire: Some(wire), clock: Some(clock) }),
            Err(error) => {
                link.abort().await;
                Err(failed(&terms, Phase::Analysis, Operation::Connecting, error.into()))
            }
        }
    }

    /// Runs a program with the peer, which makes the same call within the session's time limit.
    ///
    /// Security: that of the plan's protocols; `inputs`, the columns of every input port of this party's roles, are secret.
    ///
    /// # Errors
    /// As [`crate::run`].
    pub async fn run(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        let run = self.run_within(task, inputs, cancel).await;
        self.settled(run).await
    }

    /// As [`OpenSession::run`], but without informing the peer if the session is over; the other `_within`
    /// functions do the same.
    pub(crate) async fn run_within(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        let me = self.check(task)?;
        let inputs = PartyInputs::check(&task.program, task.plan.parties(), me, inputs)?;
        self.run_with(task, me, inputs, cancel).await
    }

    /// As [`OpenSession::run_within`], with checked inputs.
    pub(crate) async fn run_with(
        &mut self,
        task: &RunTask,
        me: Side,
        inputs: PartyInputs,
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        self.resources(task)?;
        let tracker = Arc::new(Tracker::default());
        let _ticker = ticker(&task.progress, me, &tracker, self.link.meter());
        let context = RunContext::of(task, me, &tracker, cancel);
        let mut run = self.start(context, &task.compiler, RunKind::Whole)?;
        // Boxed, like the others: the future is large, and deeply nested in the futures of a reactive program.
        let links = self.link.connections();
        let work = Box::pin(run.whole(inputs, self.resources(task)?));
        let result = unless_interrupted(cancel, links, work).await;
        let (outputs, report) = self.end(run, result)?;
        Ok(Outcome { outputs, report })
    }

    /// The counter of the link's frames.
    pub(crate) fn meter(&self) -> Meter {
        self.link.meter().clone()
    }

    /// Tells the peer, and all others in the session, that it has failed.
    pub(crate) async fn abort(&mut self) {
        self.wire = None;
        self.link.abort().await;
    }

    /// The result of a run, after informing the peer if the session is over.
    async fn settled<T>(&mut self, result: Result<T, RunError>) -> Result<T, RunError> {
        if result.is_err() && self.wire.is_none() {
            self.link.abort().await;
        }
        result
    }

    /// Prepares `count` runs of a program with the peer and puts them into the store. Both parties give the same count.
    ///
    /// Entries become ready in batches: after a failure, those of the batches before remain.
    ///
    /// # Errors
    /// [`crate::Failure::Store`]; as [`crate::run`].
    pub async fn prepare(
        &mut self,
        task: &RunTask,
        store: &mut Store,
        count: u64,
        cancel: &CancelFlag,
    ) -> Result<Prepared, RunError> {
        let prepared = self.prepare_within(task, store, count, cancel).await;
        self.settled(prepared).await
    }

    pub(crate) async fn prepare_within(
        &mut self,
        task: &RunTask,
        store: &mut Store,
        count: u64,
        cancel: &CancelFlag,
    ) -> Result<Prepared, RunError> {
        let me = self.check(task)?;
        let binding = self.binding(task, me)?;
        prices::check_entry(&task.program, &task.plan)
            .map_err(|error| self.failed(Phase::Analysis, Operation::Starting, error))?;
        let tracker = Arc::new(Tracker::default());
        let _ticker = ticker(&task.progress, me, &tracker, self.link.meter());
        let kind = RunKind::Prepare { count, batch: prepare::batch_entries(&task.program, &task.plan)? };
        let mut run = self.start(RunContext::of(task, me, &tracker, cancel), &task.compiler, kind)?;
        let work = Box::pin(run.prepare(store, &binding, count));
        let result = unless_interrupted(cancel, self.link.connections(), work).await;
        let swept = store.sweep();
        let ((), report) = self.end(run, result)?;
        swept.map_err(|error| self.failed(Phase::Setup, Operation::Finishing, error))?;
        Ok(Prepared { ready: store.ready(&binding), report })
    }

    /// Runs a program with the peer by spending one entry that both have in their stores, so its setup sends
    /// nothing.
    ///
    /// The entry is durably marked as spent at both parties before it is used.
    ///
    /// # Errors
    /// [`crate::Failure::Store`], [`StoreError::Empty`] among them; as [`crate::run`].
    pub async fn run_prepared(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        store: &mut Store,
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        let run = self.spend_within(task, inputs, store, cancel).await;
        self.settled(run).await
    }

    pub(crate) async fn spend_within(
        &mut self,
        task: &RunTask,
        inputs: &[(PortId, Vec<Words>)],
        store: &mut Store,
        cancel: &CancelFlag,
    ) -> Result<Outcome, RunError> {
        let me = self.check(task)?;
        let inputs = PartyInputs::check(&task.program, task.plan.parties(), me, inputs)?;
        let binding = self.binding(task, me)?;
        self.resources(task)?;
        let tracker = Arc::new(Tracker::default());
        let _ticker = ticker(&task.progress, me, &tracker, self.link.meter());
        let context = RunContext::of(task, me, &tracker, cancel);
        let mut run = self.start(context, &task.compiler, RunKind::Spend)?;
        let links = self.link.connections();
        let given = (inputs, self.resources(task)?);
        let work = Box::pin(run.run_prepared(given, store, &binding));
        let result = unless_interrupted(cancel, links, work).await;
        let ((entry, outputs), mut report) = self.end(run, result)?;
        report.store_entry = Some(entry);
        Ok(Outcome { outputs, report })
    }

    /// Ends the session, when both parties have finished. Returns to `store`, if given, the entries that were reserved
    /// for further runs.
    ///
    /// # Errors
    /// [`RunError::Failed`] if the peer still wants something, or is gone.
    pub async fn close(mut self, store: Option<&mut Store>, cancel: &CancelFlag) -> Result<(), RunError> {
        let Some(wire) = self.wire.take() else {
            return Err(self.failed(Phase::Online, Operation::Finishing, self.over_already()));
        };
        let links = self.link.connections();
        let ended = unless_interrupted(cancel, links.clone(), wire.close(&self.terms.peer)).await;
        let closed = match ended {
            Ok(()) => unless_interrupted(cancel, links, self.link.close()).await,
            Err(error) => Err(error),
        };
        let released = store.map_or(Ok(()), Store::release);
        if closed.is_err() {
            self.link.abort().await;
        }
        closed
            .and_then(|()| released.map_err(Failure::from))
            .map_err(|error| self.failed(Phase::Online, Operation::Finishing, error))
    }

    /// The side of this party in a task that fits the session.
    fn check(&self, task: &RunTask) -> Result<Side, RunError> {
        let parties = task.plan.parties();
        let refuse = |party: &str, reason| RunError::Party { party: party.to_owned(), reason };
        let me = parties
            .side_of(&self.terms.party)
            .ok_or_else(|| refuse(&self.terms.party, "speaks for no role of the program"))?;
        if parties.name(me.peer()) != self.terms.peer {
            return Err(refuse(parties.name(me.peer()), "speaks for a role but is not in this session"));
        }
        match *task.plan.security() == self.terms.security {
            true => Ok(me),
            false => {
                Err(refuse(&self.terms.party, "has a plan with other security parameters than the session"))
            }
        }
    }

    /// Checks that this party has everything that a task needs: `inputs` are those of a run, and `stored` says whether its setup goes to or
    /// comes from a store.
    ///
    /// # Errors
    /// The errors of running it that occur before the peer is asked for anything.
    pub(crate) fn ready_for(
        &mut self,
        task: &RunTask,
        inputs: Option<&[(PortId, Vec<Words>)]>,
        stored: bool,
    ) -> Result<(), RunError> {
        let me = self.check(task)?;
        if let Some(inputs) = inputs {
            PartyInputs::check(&task.program, task.plan.parties(), me, inputs)?;
            self.resources(task)?;
        }
        if stored {
            self.binding(task, me)?;
        }
        Ok(())
    }

    /// The session's resources that a task needs besides the peer.
    fn resources(&mut self, task: &RunTask) -> Result<Resources<'_>, RunError> {
        let SessionTerms { party, peer, session, key, shares, .. } = &mut self.terms;
        let outside = match (self.scope, &self.link) {
            _ if task.plan.parties().outside_parties().is_empty() => OutsideSession::None,
            (SessionScope::OneRun, Link::Met(met)) => OutsideSession::Shared(met),
            _ => {
                let mut separate = session_with(&task.plan, session)?;
                separate.early_parties.clone_from(&session.parties);
                OutsideSession::Separate(separate)
            }
        };
        let share_store = share_store_for(&task.program, session, [party, peer], shares)?;
        Ok(Resources { outside, key: key.as_ref(), share_store, limit: session.timeout })
    }

    fn binding(&self, task: &RunTask, me: Side) -> Result<Binding, RunError> {
        let fail = |error: Failure| self.failed(Phase::Analysis, Operation::Starting, error);
        if task.plan.mode() != Mode::Precomputed && !task.plan.schedule().has_shares() {
            return Err(fail(StoreError::Streamed.into()));
        }
        let key = |name: &str| -> Option<PublicKey> {
            self.terms.session.parties.iter().find(|party| party.name == name)?.key
        };
        let unknown = || {
            let named = [&self.terms.party, &self.terms.peer].into_iter().find(|name| key(name).is_none());
            let name = named.cloned().unwrap_or_default();
            fail(NetError::Session(SessionFault::NoKey { name, needed_by: "a store" }).into())
        };
        let (own, peer) = (key(&self.terms.party), key(&self.terms.peer));
        let (own, peer) = own.zip(peer).ok_or_else(unknown)?;
        Ok(binding(&task.program.name, &task.plan, me, own, peer))
    }

    /// Starts a run of both parties, which takes the wire until [`OpenSession::end`].
    fn start<'a>(
        &mut self,
        context: RunContext<'a>,
        compiler: &'a str,
        kind: RunKind,
    ) -> Result<SessionRun<'a>, RunError> {
        let over = self.failed(Phase::Analysis, Operation::Connecting, self.over_already());
        let predict = |wire: &SessionWire| match self.scope {
            SessionScope::OneRun => Ok(*context.plan.prediction()),
            SessionScope::Runs => {
                let forecast =
                    prices::predict_run(context.priced(), kind, wire.tally(share_party(context.me)));
                forecast.map(|forecast| forecast.prediction)
            }
        };
        // A run whose costs cannot be counted is refused, and the session remains unchanged.
        let predicted = self.wire.as_ref().map(predict).transpose()?;
        let first = self.clock.take();
        let (mut wire, predicted) = self.wire.take().zip(predicted).ok_or(over)?;
        let fitted = self.link.to(&self.terms.peer);
        let fitted = fitted.and_then(|(connection, _)| wire.fit(connection, context.program, context.plan));
        fitted.map_err(|error| self.failed(Phase::Analysis, Operation::Connecting, error))?;
        Ok(SessionRun::new(context, (self.scope, compiler, predicted), wire, self.link.meter(), first))
    }

    /// Ends a run: the wire is returned unless the run failed in the middle.
    fn end<T>(&mut self, run: SessionRun<'_>, result: Result<T, Failure>) -> Result<(T, Report), RunError> {
        let predicted = run.predicted;
        let mut ended = run.end();
        match result {
            Ok(value) => {
                self.wire = Some(ended.wire);
                ended.report = ended.report.predicted(predicted);
                Ok((value, ended.report))
            }
            Err(source) => {
                if ended.in_step {
                    self.wire = Some(ended.wire);
                }
                Err(self.failed(ended.phase, ended.operation, source))
            }
        }
    }

    pub(crate) fn over_already(&self) -> Failure {
        NetError::Cancelled { peer: self.terms.peer.clone() }.into()
    }

    pub(crate) fn failed(&self, phase: Phase, operation: Operation, error: impl Into<Failure>) -> RunError {
        failed(&self.terms, phase, operation, error.into())
    }
}

impl<'a> RunContext<'a> {
    fn of(task: &'a RunTask, me: Side, tracker: &'a Tracker, cancel: &'a CancelFlag) -> RunContext<'a> {
        RunContext { program: &task.program, plan: &task.plan, me, tracker, cancel }
    }
}

/// The store for a program that reads or keeps shares, with the pair of parties whose shares it holds.
fn share_store_for<'s>(
    program: &Program,
    session: &Config,
    [party, peer]: [&str; 2],
    shares: &'s mut Option<ShareStore>,
) -> Result<Option<(&'s mut ShareStore, PartyPair)>, RunError> {
    if !stored_shares::keeps(program) {
        return Ok(None);
    }
    let held = shares.as_mut().ok_or(ShareStoreError::NoStore);
    let with_pair = held.and_then(|store| {
        let pair = store.pair(&session.parties, [party, peer])?;
        Ok((store, pair))
    });
    with_pair.map(Some).map_err(|error| RunError::Failed {
        peer: peer.to_owned(),
        phase: Phase::Analysis,
        operation: Operation::StoredShares,
        source: Box::new(error.into()),
    })
}

pub(crate) fn failed(terms: &SessionTerms, phase: Phase, operation: Operation, source: Failure) -> RunError {
    match source {
        Failure::Cancelled => RunError::Cancelled { phase },
        source => RunError::Failed { peer: terms.peer.clone(), phase, operation, source: source.into() },
    }
}

fn wire(link: &Link, terms: &SessionTerms) -> Result<SessionWire, NetError> {
    let (connection, id) = link.to(&terms.peer)?;
    SessionWire::open(connection, id, &terms.security)
}
