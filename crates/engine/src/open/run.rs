//! One run of both parties in a session: a whole run, the setup of several runs for a store, or the rest of a run from a
//! store.

use tacit_crypto::Prg;
use tacit_ir::{Program, Words};
use tacit_net::session::Field;
use tacit_net::{Channel, Connection, Counts, Meter, NetError, Phase};
use tacit_ot::cot::Extension;
use tacit_ot::rot;
use tacit_plan::{Mode, Plan, Prediction, SecurityParams, Side};
use tacit_twoparty::Party;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::he::{ComparisonKey, HeKey};
use tacit_twoparty::lattice_keys::LatticeKeys;
use tacit_twoparty::transfers::{Tally, Transfers};
use tacit_twoparty::yao::prepared::{EvaluatorPrepared, EvaluatorSetup, GarblerPrepared, GarblerSetup};
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};

use super::agree;
use super::constants::{SHARES, STORED_SHARES, STREAM};
use super::resources::Resources;
use super::scope::SessionScope;
use crate::drive::context::RunContext;
use crate::drive::outputs::{Revealed, RunResults, reveal_all};
use crate::drive::{column_bits, drive};
use crate::inputs::PartyInputs;
use crate::report::{Clock, Payload};
use crate::store::offer::Offer;
use crate::{Failure, Operation, Report, greeting};
use crate::{prices, stored_shares};

/// The state that all runs of a session share.
pub(crate) struct SessionWire {
    /// The stream; `None` while a protocol uses it, or after it failed.
    pub channel: Option<Channel>,
    /// A second stream for values that are not shared by labels, once a plan needs it.
    pub shares: Option<Channel>,
    /// A third for stored shares, once a program reads or keeps some.
    pub stored: Option<Channel>,
    /// Number of runs that the parties have agreed on.
    runs: u64,
    /// Oblivious transfers, as far as they have been set up.
    pub transfers: Transfers,
    /// Keys for lattices, as far as they have been made.
    pub lattice_keys: LatticeKeys,
    /// The keys of encrypted words where this party is the first and where it is the second, once a plan needs them.
    pub he_keys: [Option<HeKey>; 2],
    /// The keys for comparisons of encrypted words, likewise.
    pub comparison_keys: [Option<ComparisonKey>; 2],
    /// The identity of the link, which is unique.
    pub link: [u8; 32],
}

impl std::fmt::Debug for SessionWire {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionWire").field("channel", &self.channel).finish_non_exhaustive()
    }
}

impl SessionWire {
    /// `link` is the identity of the connection.
    pub fn open(
        connection: &Connection,
        link: [u8; 32],
        security: &SecurityParams,
    ) -> Result<SessionWire, NetError> {
        let session =
            blake3::derive_key("tacit 2026 oblivious transfers of an open session, version 2", &link);
        let transfers = Transfers::new(session, prices::softspoken(security));
        let channel = Some(connection.open(STREAM)?);
        Ok(SessionWire {
            channel,
            shares: None,
            stored: None,
            runs: 0,
            transfers,
            lattice_keys: LatticeKeys::default(),
            he_keys: Default::default(),
            comparison_keys: Default::default(),
            link,
        })
    }

    /// What has been set up, which determines the cost of the next run. `me` is this party in that run.
    pub fn tally(&self, me: Party) -> Tally {
        let mut tally = self.transfers.tally(me);
        (tally.keys, tally.he_key) = (self.lattice_keys.set(), self.he_keys[me.index()].is_some());
        tally.comparison_key = self.comparison_keys[me.index()].is_some();
        tally
    }

    /// Opens the streams that a program and its plan need besides the first, unless they are open.
    pub fn fit(&mut self, connection: &Connection, program: &Program, plan: &Plan) -> Result<(), NetError> {
        if plan.schedule().has_shares() && self.shares.is_none() {
            self.shares = Some(connection.open(SHARES)?);
        }
        if stored_shares::keeps(program) {
            self.fit_stored(connection)?;
        }
        Ok(())
    }

    /// Opens the stream of stored shares, unless it is open.
    pub fn fit_stored(&mut self, connection: &Connection) -> Result<&mut Channel, NetError> {
        Ok(match &mut self.stored {
            Some(stored) => stored,
            none => none.insert(connection.open(STORED_SHARES)?),
        })
    }

    /// Ends all streams, once both parties have sent and read everything. A stream that carried nothing is skipped: if the parties
    /// wanted to run different things, only one of them has opened it.
    pub async fn close(self, peer: &str) -> Result<(), NetError> {
        let channel = self.channel.ok_or_else(|| NetError::Cancelled { peer: peer.to_owned() })?;
        let channels = [Some(channel), self.shares, self.stored].into_iter().flatten();
        for channel in channels.filter(|channel| channel.bytes_sent() + channel.bytes_received() > 0) {
            channel.finish().await?;
        }
        Ok(())
    }

    /// The identity of the run: the same at both parties, and unique.
    pub fn run_id(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("tacit 2026 a run of an open session, version 1");
        *hasher.update(&self.link).update(&self.runs.to_le_bytes()).finalize().as_bytes()
    }
}

/// A run in progress.
pub(crate) struct SessionRun<'a> {
    pub context: RunContext<'a>,
    pub wire: SessionWire,
    pub operation: Operation,
    pub compiler: &'a str,
    /// The prediction of what the run sends.
    pub predicted: Prediction,
    clock: Clock,
    meter: Meter,
    /// The meter's counts before the run.
    before: [Counts; 3],
    /// The stream's payload when the phase began.
    mark: Payload,
    /// The traffic on links of separate sessions with outside parties.
    outside_traffic: [Counts; 3],
    /// The scope of its session.
    pub scope: SessionScope,
    /// Whether both parties know each other's progress, so that an error need not end the session.
    pub in_step: bool,
}

/// What remains after a run.
pub(crate) struct EndedRun {
    pub wire: SessionWire,
    pub report: Report,
    pub phase: Phase,
    pub operation: Operation,
    pub in_step: bool,
}

impl<'a> SessionRun<'a> {
    /// `first` has measured the time before the first run, which counts as its analysis.
    pub fn new(
        context: RunContext<'a>,
        (scope, compiler, predicted): (SessionScope, &'a str, Prediction),
        wire: SessionWire,
        meter: &Meter,
        first: Option<Clock>,
    ) -> SessionRun<'a> {
        let before = if first.is_some() { Default::default() } else { meter.by_phase() };
        meter.set_phase(Phase::Analysis);
        SessionRun {
            context,
            wire,
            operation: Operation::Connecting,
            compiler,
            predicted,
            clock: first.unwrap_or_else(Clock::start),
            meter: meter.clone(),
            before,
            mark: Payload::default(),
            outside_traffic: Default::default(),
            scope,
            in_step: false,
        }
    }

    /// Ends the run.
    pub fn end(mut self) -> EndedRun {
        let phase = self.clock.phase();
        self.settle();
        self.clock.stop();
        let mut counts = self.meter.by_phase();
        counts.iter_mut().zip(self.before).for_each(|(counts, before)| *counts = counts.since(before));
        counts.iter_mut().zip(self.outside_traffic).for_each(|(counts, more)| *counts = counts.and(more));
        let RunContext { program, plan, me, .. } = self.context;
        let report = Report::new(plan, &program.name, me, &self.clock, counts);
        EndedRun { wire: self.wire, report, phase, operation: self.operation, in_step: self.in_step }
    }

    /// Compares what is about to run, and exchanges offers.
    pub async fn agree(&mut self, what: String, more: Vec<Field>, ours: Offer) -> Result<Offer, Failure> {
        let RunContext { program, plan, me, .. } = self.context;
        let mut fields = vec![Field::text("what is to be done", what)];
        fields.extend(greeting::fields(program, plan, self.compiler));
        fields.extend(more);
        let mut channel = self.take()?;
        let agreed = agree::agree(&mut channel, plan.parties().name(me), fields, ours).await;
        self.in_step = matches!(agreed, Err(Failure::Net(NetError::Mismatch { .. })));
        self.wire.runs += u64::from(agreed.is_ok());
        self.wire.channel = Some(channel);
        agreed
    }

    /// Runs with a setup of its own; returns the columns of every output port.
    pub async fn whole(
        &mut self,
        mut inputs: PartyInputs,
        resources: Resources<'_>,
    ) -> Result<Vec<Vec<Words>>, Failure> {
        if self.scope == SessionScope::Runs {
            self.agree("a run".to_owned(), Vec::new(), Offer::NONE).await?;
        }
        let mut externals = self.gather(&mut inputs, resources).await?;
        let revealed = externals.with_keep_alive(self.compute(&inputs)).await?;
        self.deliver(externals, RunResults::new(self.context.program, revealed)).await
    }

    /// Setup and online.
    pub async fn compute(&mut self, inputs: &PartyInputs) -> Result<Vec<Revealed>, Failure> {
        let plan = self.context.plan;
        self.begin(Phase::Setup, 0);
        match (plan.mode(), self.context.me) {
            _ if plan.schedule().has_shares() => self.run_domains(inputs).await,
            (Mode::Streamed, Side::Garbler) => self.streamed_garbler(inputs).await,
            (Mode::Streamed, Side::Evaluator) => self.streamed_evaluator(inputs).await,
            (Mode::Precomputed, Side::Garbler) => {
                let prepared = self.garble().await?;
                self.spend_garbler(prepared, inputs).await
            }
            (Mode::Precomputed, Side::Evaluator) => {
                let prepared = self.receive_tables().await?;
                self.spend_evaluator(prepared, inputs).await
            }
        }
    }

    async fn streamed_garbler(&mut self, inputs: &PartyInputs) -> Result<Vec<Revealed>, Failure> {
        let ots = self.sender().await?;
        self.begin(Phase::Online, self.and_count());
        let mut side = Garbler::start(self.take()?, ots, Prg::from_os()?).await?.with_scheme(self.scheme());
        let revealed = drive(self.context, &mut side, Some(inputs), &mut self.operation).await?;
        let (channel, ots) = side.finish();
        self.keep_sender(channel, ots);
        Ok(revealed)
    }

    async fn streamed_evaluator(&mut self, inputs: &PartyInputs) -> Result<Vec<Revealed>, Failure> {
        let ots = self.receiver().await?;
        self.begin(Phase::Online, self.and_count());
        let mut side = Evaluator::start(self.take()?, ots).await?.with_scheme(self.scheme());
        let revealed = drive(self.context, &mut side, Some(inputs), &mut self.operation).await?;
        let (channel, ots) = side.finish();
        self.keep_receiver(channel, ots);
        Ok(revealed)
    }

    pub fn scheme(&self) -> GarblingScheme {
        prices::scheme(self.context.plan.garbling())
    }

    /// The garbler's setup of one run.
    pub async fn garble(&mut self) -> Result<GarblerPrepared, Failure> {
        let ots = self.sender().await?;
        self.context.tracker.start(self.and_count());
        let mut side = GarblerSetup::start(self.take()?, ots, Prg::from_os()?).with_scheme(self.scheme());
        drive(self.context, &mut side, None, &mut self.operation).await?;
        let (prepared, channel, ots) = side.finish().await?;
        self.keep_sender(channel, Some(ots));
        Ok(prepared)
    }

    /// The evaluator's setup of one run.
    pub async fn receive_tables(&mut self) -> Result<EvaluatorPrepared, Failure> {
        let ots = self.receiver().await?;
        let and_count = self.and_count();
        self.context.tracker.start(and_count);
        let mut side = EvaluatorSetup::start(self.take()?, ots, and_count)?.with_scheme(self.scheme());
        drive(self.context, &mut side, None, &mut self.operation).await?;
        let (prepared, channel, ots) = side.finish();
        self.keep_receiver(channel, Some(ots));
        Ok(prepared)
    }

    /// The garbler's online phase of a prepared run.
    pub async fn spend_garbler(
        &mut self,
        prepared: GarblerPrepared,
        inputs: &PartyInputs,
    ) -> Result<Vec<Revealed>, Failure> {
        self.begin(Phase::Online, 0);
        let own = column_bits(inputs, self.context.plan.messages().garbler_inputs())?;
        let mut side = prepared.start(self.take()?, &own).await?;
        let revealed = reveal_all(self.context, &mut side, &mut self.operation).await?;
        self.wire.channel = Some(side.finish());
        Ok(revealed)
    }

    /// The evaluator's online phase of a prepared run.
    pub async fn spend_evaluator(
        &mut self,
        prepared: EvaluatorPrepared,
        inputs: &PartyInputs,
    ) -> Result<Vec<Revealed>, Failure> {
        self.begin(Phase::Online, self.and_count());
        let columns = self.context.plan.messages().evaluator_inputs().flatten().copied();
        let own = column_bits(inputs, columns)?;
        let mut side = prepared.start(self.take()?, &own).await?;
        let revealed = drive(self.context, &mut side, Some(inputs), &mut self.operation).await?;
        self.wire.channel = Some(side.finish());
        Ok(revealed)
    }

    /// Oblivious transfers from this party, which are set up on first use.
    async fn sender(&mut self) -> Result<rot::Sender, Failure> {
        let (extension, mut prg) = (self.extension(), Prg::from_os()?);
        let (channel, transfers) = self.transfers()?;
        Ok(transfers.sender(channel, extension, &mut prg).await?)
    }

    /// Oblivious transfers from the peer.
    async fn receiver(&mut self) -> Result<rot::Receiver, Failure> {
        let (extension, mut prg) = (self.extension(), Prg::from_os()?);
        let (channel, transfers) = self.transfers()?;
        Ok(transfers.receiver(channel, extension, &mut prg).await?)
    }

    /// The stream, and the transfers on it.
    pub fn transfers(&mut self) -> Result<(&mut Channel, &mut Transfers), Failure> {
        self.operation = Operation::ObliviousTransfer;
        let SessionWire { channel, transfers, .. } = &mut self.wire;
        let peer = self.context.plan.parties().name(self.context.me.peer());
        let channel = channel.as_mut().ok_or_else(|| NetError::Cancelled { peer: peer.to_owned() })?;
        Ok((channel, transfers))
    }

    pub fn keep_sender(&mut self, channel: Channel, ots: Option<rot::Sender>) {
        self.wire.channel = Some(channel);
        if let Some(ots) = ots {
            self.wire.transfers.keep_sender(self.extension(), ots);
        }
    }

    pub fn keep_receiver(&mut self, channel: Channel, ots: Option<rot::Receiver>) {
        self.wire.channel = Some(channel);
        if let Some(ots) = ots {
            self.wire.transfers.keep_receiver(self.extension(), ots);
        }
    }

    /// The extension of oblivious transfers.
    pub fn extension(&self) -> Extension {
        prices::extension(self.context.plan.transfers(), self.context.plan.security())
    }

    fn and_count(&self) -> u64 {
        self.context.plan.work().and_count
    }

    /// The stream, for use in place.
    pub fn channel(&mut self, operation: Operation) -> Result<&mut Channel, Failure> {
        self.operation = operation;
        let peer = self.context.plan.parties().name(self.context.me.peer());
        self.wire.channel.as_mut().ok_or_else(|| NetError::Cancelled { peer: peer.to_owned() }.into())
    }

    /// Takes the stream, for a protocol.
    pub fn take(&mut self) -> Result<Channel, Failure> {
        let peer = self.context.plan.parties().name(self.context.me.peer());
        self.operation = Operation::Starting;
        self.wire.channel.take().ok_or_else(|| NetError::Cancelled { peer: peer.to_owned() }.into())
    }

    /// Adds the traffic on links of a separate session.
    pub fn add_traffic(&mut self, counts: [Counts; 3]) {
        self.outside_traffic = counts;
    }

    /// Begins a phase with this many ANDs.
    pub fn begin(&mut self, phase: Phase, and_count: u64) {
        self.settle();
        let SessionWire { channel, shares, .. } = &mut self.wire;
        [channel, shares].into_iter().flatten().for_each(Channel::begin_phase);
        self.enter(phase, and_count);
    }

    /// Begins the online phase, while protocols have the streams.
    pub fn begin_online(&mut self, labels: &Channel, shares: &Channel) {
        self.book(Payload::of(labels).and(Payload::of(shares)));
        self.enter(Phase::Online, self.and_count());
    }

    fn enter(&mut self, phase: Phase, and_count: u64) {
        self.meter.set_phase(phase);
        self.clock.begin(phase);
        self.context.tracker.expect(&self.predicted, phase);
        self.context.tracker.start(and_count);
    }

    /// Records the stream's payload in the phase that ends.
    fn settle(&mut self) {
        let Some(channel) = &self.wire.channel else { return };
        // Runs without shares have no such stream.
        let shares = self.wire.shares.as_ref().map(Payload::of).unwrap_or_default();
        self.book(Payload::of(channel).and(shares));
    }

    fn book(&mut self, now: Payload) {
        if self.clock.phase() != Phase::Analysis {
            self.clock.payload(now.since(self.mark));
        }
        self.mark = now;
    }
}
