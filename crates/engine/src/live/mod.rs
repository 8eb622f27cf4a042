//! Live sessions: programs that grow while they run.
//!
//! A front end appends to a [`Script`]: inputs, operations on values, and openings of values. Submitted steps run in the background
//! as soon as their operands exist, and opened values may determine what is appended next. Both parties append the same.
//!
//! **Identity.** A program consists of paths, one for each of its tasks. A step is identified by its path and its number there, which
//! are the same at both parties. A step's tag hashes everything that its path appended up to it. The garbler takes whatever is ready,
//! of all paths, as the next batch, and announces its steps with their tags. The evaluator follows, once its own program has reached
//! these steps, and compares. So timing only decides what is sent together, never what is computed: the evaluator uses nothing of a
//! step, and nothing is opened, before its tag equals the garbler's. The first difference ends the session at both parties, with an
//! error that names path, step and source line of both.
//!
//! **Segments.** The operations of a batch are lowered together, as a program whose inputs and outputs are values that stay live:
//! see the module `segment`. Both parties lower it, and compare its hash. AND gates are numbered through the whole session, batch
//! after batch, so no two share a number.
//!
//! **One session.** A program belongs to an [open session](crate::OpenSession): what is set up there, such as oblivious transfers, serves
//! its inputs and all runs, before the program, after it and [within it](Script::work). A run within it is one of its steps. The garbler
//! announces it, and the evaluator begins it once its own program has reached it; meanwhile no batch is garbled and no input given.
//!
//! **Streams.** Labels of the evaluator's inputs, batches, the evaluator's answers, and divergences each have a stream, so that none
//! waits for another. Values are opened in the batch in which they become ready, many together.
//!
//! **Stored shares.** A session with a store reads values that earlier runs have kept, and keeps values when it ends: see the module
//! `stored_shares`.
//!
//! **Options.** A program has the [options](LiveOptions) of its script: how gates are garbled, how oblivious transfers are extended, and
//! the limit on the work of making circuits smaller.
//!
//! Security: that of [`tacit_twoparty::yao::live`]: semi-honest, with one delta for a session, which is drawn when it begins and never
//! kept. Recipients know opened values, and what either program does with them is its own responsibility. The peer also learns when each
//! step ran, and when a program reached a run. Runs have deltas and randomness of their own; they only share extensions of random
//! oblivious transfers with the program, each of which is used once, and which hide every delta they are used with.
//!
//! Source: the style of VIFF (Damgård, Geisler, Krøigaard and Nielsen, PKC'09, §3): operations run as operands arrive, and
//! are identified by program counters that are forked with tasks. Differs: for two parties with garbled circuits, so one
//! party chooses what runs together.

mod batch;
pub(crate) mod constants;
mod divergence;
pub(crate) mod error;
mod gates;
pub(crate) mod header;
pub(crate) mod inputs;
mod library;
mod local;
mod options;
mod run_steps;
mod runs;
mod script;
mod segment;
mod session_store;
mod session_work;
mod stop;
pub(crate) mod stored_shares;
mod value;
#[cfg(test)]
mod views;
mod watch;

pub use error::LiveError;
pub use gates::recipients;
pub use library::Library;
pub use local::{MemoryEnd, memory_pair};
pub use options::LiveOptions;
pub use run_steps::PendingWork;
pub use script::{LivePath, Opening, Script, SourcePlace};
pub use session_work::{SessionWork, WorkDone, WorkEnded, WorkKind};
pub use value::LiveValue;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacit_crypto::Prg;
use tacit_net::session::Field;
use tacit_net::{Channel, Counts, Meter, NetError, Phase};
use tacit_ot::cot::Extension;
use tacit_plan::Side;
use tacit_twoparty::transfers::Transfers;
use tacit_twoparty::yao::live::{InputSender, LiveEvaluator, LiveGarbler};
use tokio::sync::mpsc;

use crate::cancel::unless_interrupted;
use crate::open::{OpenSession, SessionTerms};
use crate::peer_fault::{LiveFault, PeerFault};
use crate::prices;
use crate::report::{Clock, Payload};
use crate::stored_shares::ShareStoreError;
use crate::{CancelFlag, Failure, Operation, Report, RunError};
use constants::{ANSWERS, BATCHES, CONTROL, DIVERGENCE, FAREWELL, INPUTS};
use runs::Runs;
use session_store::SessionStore;
use stop::{Counted, Fatal, Stop};

/// Maximum number of batches that the evaluator has not answered.
const MAX_UNANSWERED: usize = 64;

/// The side of a party: the one whose name comes first garbles.
pub fn side_of(party: &str, peer: &str) -> Side {
    if party < peer { Side::Garbler } else { Side::Evaluator }
}

/// Meets the peer and runs what both append to their scripts, until both have [closed](Script::close) them: a session that is opened, has
/// one [program](OpenSession::live), and is closed. `ready` is called after the peer was met. Security parameters are those of `terms`;
/// everything else is the script's.
///
/// If it fails or is cancelled, the peer is informed, and all pending openings fail with the same error.
///
/// # Errors
/// [`RunError::Failed`], as for [`crate::run`]; programs that differ cause [`tacit_net::NetError::Mismatch`], at both
/// parties.
pub async fn run_live(
    terms: SessionTerms,
    script: &Script,
    cancel: &CancelFlag,
    ready: impl FnOnce(),
) -> Result<Report, Arc<RunError>> {
    let session = OpenSession::open_live(terms, script, cancel).await;
    whole(session.map_err(|error| script.fails(error))?, script, cancel, ready).await
}

/// [`run_live`] for callers without a runtime of their own: everything runs on the calling thread.
///
/// # Errors
/// As there.
pub fn run_live_blocking(
    terms: SessionTerms,
    script: &Script,
    cancel: &CancelFlag,
    ready: impl FnOnce(),
) -> Result<Report, Arc<RunError>> {
    runtime(script)?.block_on(run_live(terms, script, cancel, ready))
}

/// A runtime for one session.
fn runtime(script: &Script) -> Result<tokio::runtime::Runtime, Arc<RunError>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| script.fails(RunError::System(error)))
}

/// Runs a session that only has a program, to its end.
async fn whole(
    mut session: OpenSession,
    script: &Script,
    cancel: &CancelFlag,
    ready: impl FnOnce(),
) -> Result<Report, Arc<RunError>> {
    let report = session.live(script, cancel, ready).await?;
    session.close(None, cancel).await.map_err(|error| script.fails(error))?;
    Ok(report)
}

impl OpenSession {
    /// As [`OpenSession::open`], for a session with a reactive program, whose options are compared too.
    ///
    /// # Errors
    /// As there; errors of the store of shares, before the peer is met.
    pub async fn open_live(
        mut terms: SessionTerms,
        script: &Script,
        cancel: &CancelFlag,
    ) -> Result<OpenSession, RunError> {
        let parties = terms.of_two().parties;
        if let Some(store) = &mut terms.shares {
            store
                .pair(&parties, [&terms.party, &terms.peer])
                .map_err(|error| without_store(&terms.peer, error))?;
        }
        let keeping = if terms.shares.is_some() { "in a store" } else { "no store" };
        let stored = Field::text("stored shares", keeping);
        let fields = [stored].into_iter().chain(script.options().fields()).collect();
        OpenSession::open_as("open, for a reactive program", fields, terms, cancel).await
    }

    /// Runs what both parties append to their scripts, until both have [closed](Script::close) them. The session
    /// continues afterwards; it can have one such program. `ready` is called when both may begin.
    ///
    /// If it fails or is cancelled, the peer is informed, all pending openings fail with the same error, and the session is over.
    ///
    /// # Errors
    /// As [`run_live`].
    pub async fn live(
        &mut self,
        script: &Script,
        cancel: &CancelFlag,
        ready: impl FnOnce(),
    ) -> Result<Report, Arc<RunError>> {
        let (first, meter) = (self.clock.take(), self.link.meter().clone());
        let before = if first.is_some() { Default::default() } else { meter.by_phase() };
        let mut clock = first.unwrap_or_else(Clock::start);
        let operation = Mutex::new(Operation::StoredShares);
        let program = LiveProgram {
            script,
            options: LiveOptions { security: self.terms.security, ..script.options() },
            peer: self.terms.peer.clone(),
            limit: self.terms.session.timeout,
            meter,
            operation: &operation,
        };
        let links = self.link.connections();
        let run = async { Ok::<_, Failure>(program.run(self, &mut clock, cancel, ready).await) };
        let ended = unless_interrupted(cancel, links, run).await;
        clock.stop();
        let fatal = match ended {
            Ok(Ok(counted)) => return Ok(program.report(&self.terms.party, clock, counted, before)),
            Ok(Err(_)) if cancel.is_cancelled() => Fatal::Failed(Failure::Cancelled),
            Ok(Err(fatal)) => fatal,
            Err(failure) => Fatal::Failed(failure),
        };
        let error = match fatal {
            Fatal::Failed(failure) => Arc::new(self.failed(clock.phase(), program.doing_now(), failure)),
            Fatal::Run(error) => error,
        };
        script.fail(error.clone());
        self.abort().await;
        Err(error)
    }
}

fn without_store(peer: &str, error: ShareStoreError) -> RunError {
    let (phase, operation) = (Phase::Analysis, Operation::StoredShares);
    RunError::Failed { peer: peer.to_owned(), phase, operation, source: Box::new(error.into()) }
}

/// A program that belongs to a session.
struct LiveProgram<'a> {
    script: &'a Script,
    options: LiveOptions,
    peer: String,
    limit: Duration,
    meter: Meter,
    operation: &'a Mutex<Operation>,
}

/// The open streams.
struct Streams {
    inputs: Channel,
    batches: Channel,
    answers: Channel,
    control: Channel,
}

/// A party's part of Yao's protocol.
enum Yao {
    Garbler(Box<LiveGarbler>, InputSender),
    Evaluator(Box<LiveEvaluator>),
}

impl LiveProgram<'_> {
    fn doing(&self, now: Operation) {
        if let Ok(mut operation) = self.operation.lock() {
            *operation = now;
        }
    }

    fn doing_now(&self) -> Operation {
        self.operation.lock().map_or(Operation::Following, |held| held.clone())
    }

    async fn run(
        &self,
        session: &mut OpenSession,
        clock: &mut Clock,
        cancel: &CancelFlag,
        ready: impl FnOnce(),
    ) -> Result<Counted, Fatal> {
        self.open_store(session).await?;
        self.doing(Operation::ObliviousTransfer);
        let (connection, link) = session.link.to(&self.peer)?;
        let mut streams = Streams {
            inputs: connection.open(INPUTS)?,
            batches: connection.open(BATCHES)?,
            answers: connection.open(ANSWERS)?,
            control: connection.open(CONTROL)?,
        };
        let mut runs = Runs::of(session, cancel);
        self.begin(clock, Phase::Setup);
        let mut yao = self.setup(runs.transfers()?, &mut streams).await?;
        let setup = Payload::of(&streams.inputs);
        clock.payload(setup);
        self.begin(clock, Phase::Online);
        self.doing(Operation::Following);
        ready();
        let mut counted = self.work(&mut streams, &mut yao, &mut runs).await?;
        runs.release()?;
        (counted.others, counted.time) = (runs.counts, runs.time);
        let Streams { inputs, batches, answers, control } = streams;
        let channels = [&batches, &answers, &control];
        let online = Payload::of(&inputs).since(setup);
        clock.payload(channels.into_iter().map(Payload::of).fold(online, Payload::and));
        self.close_store(session, &link).await?;
        for channel in [inputs, batches, answers, control] {
            channel.finish().await?;
        }
        Ok(counted)
    }

    fn begin(&self, clock: &mut Clock, phase: Phase) {
        self.meter.set_phase(phase);
        clock.begin(phase);
    }

    /// Takes the session's store of shares, if it has one, and receives the names of what the peer has.
    async fn open_store(&self, session: &mut OpenSession) -> Result<(), Failure> {
        let OpenSession { terms, link, wire, .. } = session;
        let parties = terms.of_two().parties;
        let Some(store) = terms.shares.take() else { return Ok(()) };
        let pair = store.pair(&parties, [&terms.party, &terms.peer])?;
        let wire = wire.as_mut().ok_or_else(|| NetError::Cancelled { peer: self.peer.clone() })?;
        let channel = wire.fit_stored(link.to(&self.peer)?.0)?;
        self.script.0.state().shares = Some(SessionStore::open(channel, store, pair).await?);
        Ok(())
    }

    /// Keeps the values to keep, and returns the store.
    async fn close_store(&self, session: &mut OpenSession, link: &[u8; 32]) -> Result<(), Failure> {
        let shares = self.script.0.state().shares.take();
        let stored = session.wire.as_mut().and_then(|wire| wire.stored.as_mut());
        if let (Some(shares), Some(channel)) = (shares, stored) {
            self.doing(Operation::StoredShares);
            session.terms.shares = Some(shares.close(channel, link).await?);
        }
        Ok(())
    }

    /// Sets up oblivious transfer, unless the session has done so, and the garbler's secrets of the program.
    async fn setup(&self, transfers: &mut Transfers, streams: &mut Streams) -> Result<Yao, Failure> {
        let (extension, scheme) = (self.options.extension(), prices::scheme(self.options.garbling));
        let mut prg = Prg::from_os()?;
        let (inputs, batches) = (&mut streams.inputs, &mut streams.batches);
        Ok(match self.script.side() {
            Side::Garbler => {
                let ots = transfers.sender(inputs, extension, &mut prg).await?;
                transfers.keep_sender(extension, ots);
                inputs.flush().await?;
                let garbler = LiveGarbler::start(batches, Prg::from_os()?).await?.with_scheme(scheme);
                batches.flush().await?;
                let sender = garbler.input_sender();
                Yao::Garbler(Box::new(garbler), sender)
            }
            Side::Evaluator => {
                let ots = transfers.receiver(inputs, extension, &mut prg).await?;
                transfers.keep_receiver(extension, ots);
                inputs.flush().await?;
                Yao::Evaluator(Box::new(LiveEvaluator::start(batches).await?.with_scheme(scheme)))
            }
        })
    }

    /// Runs all parts concurrently, until both programs have ended.
    async fn work(
        &self,
        streams: &mut Streams,
        yao: &mut Yao,
        runs: &mut Runs<'_>,
    ) -> Result<Counted, Fatal> {
        let Streams { inputs, batches, answers, control } = streams;
        let shared = &*self.script.0;
        let (mut gates, mut transferred) = (Counted::new(), Counted::new());
        let stopped = {
            let runs = (runs, self.options.extension());
            let parts = parts(shared, (&mut gates, &mut transferred), (inputs, batches, answers), yao, runs);
            let mut parts = std::pin::pin!(parts);
            let mut watch = std::pin::pin!(watch::watch(shared, &self.meter, &self.peer, self.limit));
            let mut farewell = false;
            loop {
                tokio::select! {
                    biased;
                    ended = &mut parts => break ended.map(|()| farewell),
                    heard = hear(control), if !farewell => match heard {
                        Ok(()) => farewell = true,
                        Err(stop) => break Err(stop),
                    },
                    late = &mut watch => break Err(Stop::from(late)),
                }
            }
        };
        match stopped {
            Ok(farewell) => {
                control.send(&[FAREWELL]).await?;
                control.flush().await?;
                match farewell {
                    true => {}
                    false => match hear(control).await {
                        Ok(()) => {}
                        Err(stop) => return Err(self.explain(shared, control, stop).await),
                    },
                }
                gates.work.evaluator_input_bits += transferred.work.evaluator_input_bits;
                Ok(gates)
            }
            Err(stop) => Err(self.explain(shared, control, stop).await),
        }
    }

    /// Determines why a program stopped, together with the peer if the programs differ.
    async fn explain(&self, shared: &script::SharedScript, control: &mut Channel, stop: Stop) -> Fatal {
        Fatal::Failed(match stop {
            Stop::Over(error) => return Fatal::Run(error),
            Stop::Failed(failure) => failure,
            Stop::Broken(fault) => PeerFault::from(fault).by(&self.peer),
            Stop::Diverged => divergence::locate(shared, control, None).await,
            Stop::Differs(path) => match control.send(&[DIVERGENCE]).await {
                Ok(()) => divergence::locate(shared, control, Some(path)).await,
                Err(error) => error.into(),
            },
        })
    }

    /// The report of the program's work and costs. Its runs, and whatever ran before it, have reports of
    /// their own.
    fn report(&self, party: &str, mut clock: Clock, counted: Counted, before: [Counts; 3]) -> Report {
        clock.leave_out(counted.time);
        let mut counts = self.meter.by_phase();
        for ((counts, before), others) in counts.iter_mut().zip(before).zip(counted.others) {
            *counts = counts.since(before).since(others);
        }
        let sides = (self.script.side(), party, &self.peer[..]);
        let hash = self.script.0.state().hash();
        Report::of_session(sides, self.options.reported(), counted.work, hash, &clock, counts)
    }
}

/// Gates, answers, inputs of either party, and runs.
async fn parts(
    shared: &script::SharedScript,
    (gates, transferred): (&mut Counted, &mut Counted),
    (inputs, batches, answers): (&mut Channel, &mut Channel, &mut Channel),
    yao: &mut Yao,
    (runs, extension): (&mut Runs<'_>, Extension),
) -> Result<(), Stop> {
    match yao {
        Yao::Garbler(garbler, sender) => {
            let (sent, unanswered) = mpsc::channel(MAX_UNANSWERED);
            tokio::try_join!(
                gates::garble(shared, gates, batches, garbler, sent),
                gates::answers(shared, answers, unanswered),
                inputs::send(shared, transferred, inputs, (runs, extension, sender)),
            )
            .map(drop)
        }
        Yao::Evaluator(evaluator) => tokio::try_join!(
            gates::evaluate(shared, gates, (batches, answers), evaluator),
            inputs::receive(shared, transferred, inputs, (runs, extension)),
        )
        .map(drop),
    }
}

/// Receives the peer's message on the control stream.
async fn hear(control: &mut Channel) -> Result<(), Stop> {
    control.arrival().await?;
    let mut word = [0];
    control.receive_into(&mut word).await?;
    match word {
        [FAREWELL] => Ok(()),
        [DIVERGENCE] => Err(Stop::Diverged),
        [byte] => Err(Stop::Broken(LiveFault::ControlWord { byte })),
    }
}
