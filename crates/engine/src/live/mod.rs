//! Live sessions: programs that grow while they run.
//!
//! A front end appends to a [`Script`]: inputs, operations on values, values to be opened. What is submitted runs in the
//! background as soon as its operands are there, and what is opened may decide what is appended next. Both parties append the same.
//!
//! **Identity.** A program consists of paths, one for each of its tasks, and a step is known by its path and its number there,
//! at both parties the same. A step's tag hashes everything that its path appended up to it. The garbler takes whatever is ready,
//! of all paths, as the next batch, and announces its steps with their tags; the evaluator follows, once its own program has
//! come that far, and compares. So timing decides what travels together and never what is computed: nothing of a step is used
//! at the evaluator, and nothing is opened, before its tags are equal to the garbler's. The first difference ends the session at both
//! parties, with an error that names path, step and source line of both.
//!
//! **Segments.** The operations of a batch are lowered together, as a program whose inputs and outputs are values that live on: see
//! the module `segment`. Both parties lower it, and compare its hash. AND gates are numbered through the whole session, batch
//! after batch, so no two share a number.
//!
//! **Streams.** Labels of the evaluator's inputs, batches, the evaluator's answers, and divergences each have a stream, so that none
//! waits for another. Values are opened in the batch in which they become ready, many together.
//!
//! **Stored shares.** A session with a store reads what earlier runs have kept, and keeps values when it ends: see the module `stored_shares`.
//!
//! **Options.** A session has the [options](LiveOptions) of its script: how gates are garbled, how oblivious transfers are extended, how
//! much work circuits may take.
//!
//! Security: that of [`tacit_twoparty::yao::live`]: semi-honest, one delta for a session, drawn when it begins, and never kept. What is
//! opened is known to its recipients, and what either program does with it is the program's own doing. The peer also learns
//! which steps ran when.
//!
//! Source: the style of VIFF (Damgård, Geisler, Krøigaard and Nielsen, PKC'09, §3): operations run as operands arrive, and
//! program counters that are forked with tasks name them. Differs: for two parties with garbled circuits, so one party
//! chooses what runs together.

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
mod script;
mod segment;
mod session_store;
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
pub use script::{LivePath, Opening, Script, SourcePlace};
pub use value::LiveValue;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tacit_crypto::Prg;
use tacit_net::session::{Field, Session};
use tacit_net::{Channel, Connection, Meter, Phase};
use tacit_plan::Side;
use tacit_twoparty::transfers::Transfers;
use tacit_twoparty::yao::live::{InputReceiver, InputSender, LiveEvaluator, LiveGarbler};
use tokio::sync::mpsc;

use crate::cancel::unless_cancelled;
use crate::open::{self, SessionTerms};
use crate::peer_fault::{LiveFault, PeerFault};
use crate::prices;
use crate::report::{Clock, Payload};
use crate::stored_shares::{PartyPair, ShareStore};
use crate::{CancelFlag, Failure, Operation, Report, RunError};
use constants::{ANSWERS, BATCHES, CONTROL, DIVERGENCE, FAREWELL, INPUTS, STORED_SHARES};
use session_store::SessionStore;
use stop::{Counted, Stop};

/// Batches that the evaluator has not answered.
const MAX_UNANSWERED: usize = 64;

/// The side of a party: the one whose name comes first garbles.
pub fn side_of(party: &str, peer: &str) -> Side {
    if party < peer { Side::Garbler } else { Side::Evaluator }
}

/// Meets the peer and runs what both append to their scripts, until both have [closed](Script::close) them. `ready` is
/// called when the peer was met. Security parameters are those of `terms`, all else is the
/// script's.
///
/// When it fails or is cancelled, the peer is told, and everything that was to be opened fails with the same error.
///
/// # Errors
/// [`RunError::Failed`], as for [`crate::run`]; programs that differ are [`tacit_net::NetError::Mismatch`], at both parties.
pub async fn run_live(
    mut terms: SessionTerms,
    script: &Script,
    cancel: &CancelFlag,
    ready: impl FnOnce(),
) -> Result<Report, Arc<RunError>> {
    let clock = Clock::start();
    let two = terms.of_two();
    let store = match terms.shares.take() {
        None => None,
        Some(store) => match store.pair(&two.parties, [&terms.party, &terms.peer]) {
            Ok(pair) => Some((store, pair)),
            Err(error) => {
                let names = PartyNames { party: &terms.party, peer: &terms.peer };
                return Err(failed(script, names, Phase::Analysis, Operation::StoredShares, error.into()));
            }
        },
    };
    let keeping = if store.is_some() { "in a store" } else { "no store" };
    let options = LiveOptions { security: terms.security, ..script.options() };
    let own = [Field::text("kind of session", "reactive"), Field::text("stored shares", keeping)];
    let fields = crate::build().fields().into_iter().chain(own).chain(options.fields()).collect();
    if let Err(error) = options.security.check() {
        let names = PartyNames { party: &terms.party, peer: &terms.peer };
        return Err(failed(script, names, Phase::Analysis, Operation::Connecting, error.into()));
    }
    let greeting = Session::establish(&two, &terms.party, terms.key.as_ref(), fields);
    let names = PartyNames { party: &terms.party, peer: &terms.peer };
    let session = match unless_cancelled(cancel, greeting).await {
        Ok(session) => session,
        Err(failure) => return Err(failed(script, names, Phase::Analysis, Operation::Connecting, failure)),
    };
    let (connection, link) = match open::link(&session, &terms) {
        Ok(found) => found,
        Err(error) => {
            return Err(failed(script, names, Phase::Analysis, Operation::Connecting, error.into()));
        }
    };
    let end =
        LiveParty { connection, link, meter: session.meter(), names, options, limit: terms.session.timeout };
    end.run(clock, (script, store), cancel, ready).await
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
    runtime.map_err(|error| {
        let error = Arc::new(RunError::System(error));
        script.fail(error.clone());
        error
    })
}

#[derive(Clone, Copy)]
struct PartyNames<'a> {
    party: &'a str,
    peer: &'a str,
}

/// Fails everything that is awaited.
fn failed(
    script: &Script,
    names: PartyNames<'_>,
    phase: Phase,
    operation: Operation,
    failure: Failure,
) -> Arc<RunError> {
    let error = Arc::new(match failure {
        Failure::Cancelled => RunError::Cancelled { phase },
        source => RunError::Failed { peer: names.peer.to_owned(), phase, operation, source: source.into() },
    });
    script.fail(error.clone());
    error
}

/// One end of a link that serves a live session.
struct LiveParty<'a> {
    connection: &'a Connection,
    link: [u8; 32],
    meter: &'a Meter,
    names: PartyNames<'a>,
    options: LiveOptions,
    limit: Duration,
}

/// The streams, open.
struct Streams {
    inputs: Channel,
    batches: Channel,
    answers: Channel,
    control: Channel,
}

/// What does a party's part of Yao's protocol.
enum Yao {
    Garbler(Box<(LiveGarbler, InputSender)>),
    Evaluator(Box<(LiveEvaluator, InputReceiver)>),
}

impl LiveParty<'_> {
    async fn run(
        &self,
        mut clock: Clock,
        (script, store): (&Script, Option<(ShareStore, PartyPair)>),
        cancel: &CancelFlag,
        ready: impl FnOnce(),
    ) -> Result<Report, Arc<RunError>> {
        let operation = Mutex::new(Operation::ObliviousTransfer);
        let session = self.session(&mut clock, (script, store), &operation, ready);
        let result = unless_cancelled(cancel, session).await;
        clock.stop();
        match result {
            Ok(counted) => {
                let (name, hash) = (self.names, script.0.state().hash());
                let side = script.side();
                let sides = (side, name.party, name.peer);
                Ok(Report::of_session(
                    sides,
                    self.options.reported(),
                    counted.work,
                    hash,
                    &clock,
                    self.meter.by_phase(),
                ))
            }
            Err(failure) => {
                let operation = operation.lock().map_or(Operation::Following, |held| held.clone());
                let error = failed(script, self.names, clock.phase(), operation, failure);
                self.connection.abort().await;
                Err(error)
            }
        }
    }

    async fn session(
        &self,
        clock: &mut Clock,
        (script, store): (&Script, Option<(ShareStore, PartyPair)>),
        operation: &Mutex<Operation>,
        ready: impl FnOnce(),
    ) -> Result<Counted, Failure> {
        let side = script.side();
        let doing = |now: Operation| {
            if let Ok(mut operation) = operation.lock() {
                *operation = now;
            }
        };
        let mut stored = None;
        if let Some((store, pair)) = store {
            doing(Operation::StoredShares);
            let mut channel = self.connection.open(STORED_SHARES)?;
            script.0.state().shares = Some(SessionStore::open(&mut channel, store, pair).await?);
            stored = Some(channel);
            doing(Operation::ObliviousTransfer);
        }
        let mut streams = Streams {
            inputs: self.connection.open(INPUTS)?,
            batches: self.connection.open(BATCHES)?,
            answers: self.connection.open(ANSWERS)?,
            control: self.connection.open(CONTROL)?,
        };
        self.begin(clock, Phase::Setup);
        let mut yao = self.setup(side, &mut streams).await?;
        let setup = Payload::of(&streams.inputs);
        clock.payload(setup);
        self.begin(clock, Phase::Online);
        doing(Operation::Following);
        ready();
        let counted = self.work(script, &mut streams, &mut yao).await?;
        let Streams { inputs, batches, answers, control } = streams;
        let channels = [&batches, &answers, &control];
        let online = Payload::of(&inputs).since(setup);
        clock.payload(channels.into_iter().map(Payload::of).fold(online, Payload::and));
        let shares = script.0.state().shares.take();
        if let (Some(shares), Some(channel)) = (shares, &mut stored) {
            doing(Operation::StoredShares);
            shares.close(channel, &self.link).await?;
        }
        for channel in [inputs, batches, answers, control].into_iter().chain(stored) {
            channel.finish().await?;
        }
        self.connection.close().await?;
        Ok(counted)
    }

    fn begin(&self, clock: &mut Clock, phase: Phase) {
        self.meter.set_phase(phase);
        clock.begin(phase);
    }

    /// Oblivious transfer, and the garbler's secrets of the session.
    async fn setup(&self, side: Side, streams: &mut Streams) -> Result<Yao, Failure> {
        let params = prices::softspoken(&self.options.security);
        let session =
            blake3::derive_key("tacit 2026 oblivious transfers of a live session, version 2", &self.link);
        let mut transfers = Transfers::new(session, params);
        let (extension, scheme) = (self.options.extension(), prices::scheme(self.options.garbling));
        let mut prg = Prg::from_os()?;
        let (inputs, batches) = (&mut streams.inputs, &mut streams.batches);
        Ok(match side {
            Side::Garbler => {
                let ots = transfers.sender(inputs, extension, &mut prg).await?;
                inputs.flush().await?;
                let garbler = LiveGarbler::start(batches, Prg::from_os()?).await?.with_scheme(scheme);
                batches.flush().await?;
                let sender = garbler.input_sender(ots);
                Yao::Garbler(Box::new((garbler, sender)))
            }
            Side::Evaluator => {
                let ots = transfers.receiver(inputs, extension, &mut prg).await?;
                inputs.flush().await?;
                let evaluator = LiveEvaluator::start(batches).await?.with_scheme(scheme);
                Yao::Evaluator(Box::new((evaluator, InputReceiver::new(ots))))
            }
        })
    }

    /// Runs all parts side by side, until both programs have ended.
    async fn work(&self, script: &Script, streams: &mut Streams, yao: &mut Yao) -> Result<Counted, Failure> {
        let Streams { inputs, batches, answers, control } = streams;
        let shared = &*script.0;
        let (mut gates, mut transferred) = (Counted::new(), Counted::new());
        let stopped = {
            let parts = parts(shared, (&mut gates, &mut transferred), (inputs, batches, answers), yao);
            let mut parts = std::pin::pin!(parts);
            let mut watch = std::pin::pin!(watch::watch(shared, self.meter, self.names.peer, self.limit));
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

    /// Why a session stopped, found out together with the peer where the programs differ.
    async fn explain(&self, shared: &script::SharedScript, control: &mut Channel, stop: Stop) -> Failure {
        match stop {
            Stop::Failed(failure) => failure,
            Stop::Broken(fault) => PeerFault::from(fault).by(self.names.peer),
            Stop::Diverged => divergence::locate(shared, control, None).await,
            Stop::Differs(path) => match control.send(&[DIVERGENCE]).await {
                Ok(()) => divergence::locate(shared, control, Some(path)).await,
                Err(error) => error.into(),
            },
        }
    }
}

/// Gates, answers and inputs of either party.
async fn parts(
    shared: &script::SharedScript,
    (gates, transferred): (&mut Counted, &mut Counted),
    (inputs, batches, answers): (&mut Channel, &mut Channel, &mut Channel),
    yao: &mut Yao,
) -> Result<(), Stop> {
    match yao {
        Yao::Garbler(ends) => {
            let (garbler, sender) = &mut **ends;
            let (sent, unanswered) = mpsc::channel(MAX_UNANSWERED);
            tokio::try_join!(
                gates::garble(shared, gates, batches, garbler, sent),
                gates::answers(shared, answers, unanswered),
                inputs::send(shared, transferred, inputs, sender),
            )
            .map(drop)
        }
        Yao::Evaluator(ends) => {
            let (evaluator, receiver) = &mut **ends;
            tokio::try_join!(
                gates::evaluate(shared, gates, (batches, answers), evaluator),
                inputs::receive(shared, transferred, inputs, receiver),
            )
            .map(drop)
        }
    }
}

/// The peer's word on the control stream.
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
