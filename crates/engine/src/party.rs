//! One party over a connection: setup and online, in either mode.

use tacit_crypto::Prg;
use tacit_ir::{Program, Words};
use tacit_math::{Bits, Block};
use tacit_net::{Channel, Connection, Meter, Phase, StreamId};
use tacit_ot::cot::Extension;
use tacit_ot::rot;
use tacit_plan::{Mode, Side};
use tacit_twoparty::correlations::{Ots, Pool};
use tacit_twoparty::garbling::Scheme;
use tacit_twoparty::transfers::Transfers;
use tacit_twoparty::yao::Side as _;
use tacit_twoparty::yao::prepared::{EvaluatorSetup, GarblerOnline, GarblerSetup};
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::{End, Party as Who};

use crate::drive::{self, Context, Revealed, column_bits, drive, drive_mixed};
use crate::inputs::Inputs;
use crate::prices;
use crate::report::{Clock, Payload};
use crate::{Failure, Operation};

/// The stream of each phase.
pub(crate) const SETUP: StreamId = StreamId(1);
pub(crate) const ONLINE: StreamId = StreamId(2);
/// The stream of what is not garbled, online.
pub(crate) const SHARES: StreamId = StreamId(3);

/// A link to the peer, greeted, and an identity that both ends know and that no other link ever has.
pub(crate) struct Link<'a> {
    pub connection: &'a Connection,
    pub id: [u8; 32],
    pub meter: &'a Meter,
}

/// A party in the middle of a run.
pub(crate) struct Party<'a> {
    pub context: Context<'a>,
    pub link: Link<'a>,
    pub inputs: &'a Inputs,
    pub clock: &'a mut Clock,
    pub operation: &'a mut Operation,
}

impl Party<'_> {
    /// Runs setup and online. `inputs` hold this party's shares of what roles give that do not compute.
    ///
    /// # Errors
    /// What failed; clock and operation say when.
    pub async fn run(&mut self) -> Result<Ended, Failure> {
        let plan = self.context.plan;
        self.begin(Phase::Setup);
        let revealed = match (plan.mode(), self.context.me) {
            _ if plan.schedule().is_mixed() => self.mixed().await,
            (Mode::Streamed, Side::Garbler) => self.streamed_garbler().await,
            (Mode::Streamed, Side::Evaluator) => self.streamed_evaluator().await,
            (Mode::Precomputed, Side::Garbler) => self.prepared_garbler().await,
            (Mode::Precomputed, Side::Evaluator) => self.prepared_evaluator().await,
        }?;
        Ok(Ended::new(self.context.program, revealed))
    }

    /// Values are shared in several ways: setup makes triples, and tables are streamed.
    async fn mixed(&mut self) -> Result<Vec<Revealed>, Failure> {
        let (plan, party) = (self.context.plan, share_party(self.context.me));
        let mut channel = self.open(SETUP)?;
        *self.operation = Operation::ObliviousTransfer;
        let mut transfers = self.transfers();
        let (extension, mut prg) = (self.extension(), Prg::from_os()?);
        let (sender, receiver) = transfers.both(&mut channel, party, extension, &mut prg).await?;
        channel.flush().await?;
        let mut ots = Ots::new(party, sender, receiver, prg);
        *self.operation = Operation::Triples;
        let supplies = prices::supplies(plan)?;
        let pool = Pool::make(&mut ots, &mut channel, &supplies.requirement).await?;
        let (sender, receiver) = ots.into_sessions();
        let end = End::start(self.open(SHARES)?, party, pool, Prg::from_os()?).await?;
        let (setup, channel) = (channel, self.open(ONLINE)?);
        let (revealed, end, channel, before) = match self.context.me {
            Side::Garbler => {
                let mut side =
                    Garbler::start(channel, sender, Prg::from_os()?).await?.with_scheme(self.scheme());
                side.prepare(supplies.labels, &supplies.sums).await?;
                let before = self.end_setup(setup, side.channel(), end.channel()).await?;
                let (revealed, end) =
                    drive_mixed(self.context, &mut side, end, self.inputs, self.operation).await?;
                (revealed, end, side.finish().0, before)
            }
            Side::Evaluator => {
                let mut side = Evaluator::start(channel, receiver).await?.with_scheme(self.scheme());
                side.prepare(supplies.labels, &supplies.sums).await?;
                let before = self.end_setup(setup, side.channel(), end.channel()).await?;
                let (revealed, end) =
                    drive_mixed(self.context, &mut side, end, self.inputs, self.operation).await?;
                (revealed, end, side.finish().0, before)
            }
        };
        *self.operation = Operation::Finishing;
        let shares = end.finish();
        self.clock.payload(Payload::of(&channel).and(Payload::of(&shares)).since(before));
        shares.finish().await?;
        channel.finish().await?;
        Ok(revealed)
    }

    /// Ends the setup of values that are shared in several ways; what it has sent on the streams of the online phase.
    async fn end_setup(
        &mut self,
        setup: Channel,
        labels: &Channel,
        shares: &Channel,
    ) -> Result<Payload, Failure> {
        let before = Payload::of(labels).and(Payload::of(shares));
        *self.operation = Operation::Finishing;
        self.clock.payload(Payload::of(&setup).and(before));
        setup.finish().await?;
        self.begin_gates(Phase::Online);
        *self.operation = Operation::Starting;
        Ok(before)
    }

    async fn streamed_garbler(&mut self) -> Result<Vec<Revealed>, Failure> {
        let (channel, ots, prg) = self.ot_sender().await?;
        self.finish(channel).await?;
        self.begin_gates(Phase::Online);
        let mut side = Garbler::start(self.open(ONLINE)?, ots, prg).await?.with_scheme(self.scheme());
        let revealed = drive(self.context, &mut side, Some(self.inputs), self.operation).await?;
        self.finish(side.finish().0).await?;
        Ok(revealed)
    }

    async fn streamed_evaluator(&mut self) -> Result<Vec<Revealed>, Failure> {
        let (channel, ots) = self.ot_receiver().await?;
        self.finish(channel).await?;
        self.begin_gates(Phase::Online);
        let mut side = Evaluator::start(self.open(ONLINE)?, ots).await?.with_scheme(self.scheme());
        let revealed = drive(self.context, &mut side, Some(self.inputs), self.operation).await?;
        self.finish(side.finish().0).await?;
        Ok(revealed)
    }

    async fn prepared_garbler(&mut self) -> Result<Vec<Revealed>, Failure> {
        let (channel, ots, prg) = self.ot_sender().await?;
        self.context.tracker.start(self.context.plan.work().and_count);
        let mut side = GarblerSetup::start(channel, ots, prg).with_scheme(self.scheme());
        drive(self.context, &mut side, None, self.operation).await?;
        let (prepared, channel, _) = side.finish().await?;
        self.finish(channel).await?;
        self.begin(Phase::Online);
        let agenda = self.context.plan.agenda();
        let own = column_bits(self.inputs, agenda.garbler_inputs())?;
        let mut side = prepared.start(self.open(ONLINE)?, &own).await?;
        let revealed = reveal_all(self.context, &mut side, self.operation).await?;
        self.finish(side.finish()).await?;
        Ok(revealed)
    }

    async fn prepared_evaluator(&mut self) -> Result<Vec<Revealed>, Failure> {
        let (channel, ots) = self.ot_receiver().await?;
        let and_count = self.context.plan.work().and_count;
        self.context.tracker.start(and_count);
        let mut side = EvaluatorSetup::start(channel, ots, and_count)?.with_scheme(self.scheme());
        drive(self.context, &mut side, None, self.operation).await?;
        let (prepared, channel, _) = side.finish();
        self.finish(channel).await?;
        self.begin_gates(Phase::Online);
        let columns = self.context.plan.agenda().evaluator_inputs().flatten().copied();
        let own = column_bits(self.inputs, columns)?;
        let mut side = prepared.start(self.open(ONLINE)?, &own).await?;
        let revealed = drive(self.context, &mut side, Some(self.inputs), self.operation).await?;
        self.finish(side.finish()).await?;
        Ok(revealed)
    }

    /// The garbler's start of setup: base OTs and what else extension needs.
    async fn ot_sender(&mut self) -> Result<(Channel, rot::Sender, Prg), Failure> {
        let (mut channel, mut prg) = (self.open(SETUP)?, Prg::from_os()?);
        *self.operation = Operation::ObliviousTransfer;
        let ots = self.transfers().sender(&mut channel, self.extension(), &mut prg).await?;
        Ok((channel, ots, Prg::from_os()?))
    }

    /// The evaluator's start of setup.
    async fn ot_receiver(&mut self) -> Result<(Channel, rot::Receiver), Failure> {
        let (mut channel, mut prg) = (self.open(SETUP)?, Prg::from_os()?);
        *self.operation = Operation::ObliviousTransfer;
        let ots = self.transfers().receiver(&mut channel, self.extension(), &mut prg).await?;
        Ok((channel, ots))
    }

    /// All oblivious transfers of the run, none of which are set up yet.
    fn transfers(&self) -> Transfers {
        Transfers::new(self.link.id, prices::softspoken(self.context.plan.security()))
    }

    fn scheme(&self) -> Scheme {
        prices::scheme(self.context.plan.garbling())
    }

    /// How oblivious transfers are extended.
    fn extension(&self) -> Extension {
        prices::extension(self.context.plan.transfers(), self.context.plan.security())
    }

    fn open(&mut self, stream: StreamId) -> Result<Channel, Failure> {
        *self.operation = Operation::Starting;
        Ok(self.link.connection.open(stream)?)
    }

    /// A phase in which this party handles all gates begins.
    fn begin_gates(&mut self, phase: Phase) {
        self.begin(phase);
        self.context.tracker.start(self.context.plan.work().and_count);
    }

    fn begin(&mut self, phase: Phase) {
        self.link.meter.set_phase(phase);
        self.clock.begin(phase);
        self.context.tracker.start(0);
    }

    /// Ends a phase: both parties have sent and read everything of it.
    async fn finish(&mut self, channel: Channel) -> Result<(), Failure> {
        *self.operation = Operation::Finishing;
        self.clock.payload(Payload::of(&channel));
        Ok(channel.finish().await?)
    }
}

/// Which party of protocols on shares a side is.
pub(crate) fn share_party(side: Side) -> Who {
    match side {
        Side::Garbler => Who::First,
        Side::Evaluator => Who::Second,
    }
}

/// Reveals all outputs of a prepared run at the garbler, who has nothing else left to do; labels are the side's own.
pub(crate) async fn reveal_all(
    context: Context<'_>,
    side: &mut GarblerOnline,
    operation: &mut Operation,
) -> Result<Vec<Revealed>, Failure> {
    let mut revealed = Vec::new();
    for reveal in context.plan.agenda().reveals() {
        *operation = drive::output(context, reveal);
        let count: u64 = reveal.columns.iter().map(|column| column.label_count()).sum();
        let labels = vec![Block::ZERO; count as usize];
        let values: Option<Bits> = side.reveal(drive::recipients(reveal.recipients), &labels).await?;
        revealed.extend(values.into_iter().flat_map(|values| drive::split(reveal, &values)));
    }
    Ok(revealed)
}

/// What a party has at the end of a run: for every output port its columns, none of those that this party does not learn.
pub(crate) struct Ended {
    pub outputs: Vec<Vec<Words>>,
    /// Its shares of the ports that are given as shares. Secret.
    pub shares: Vec<Vec<Words>>,
}

impl Ended {
    pub fn new(program: &Program, mut revealed: Vec<Revealed>) -> Ended {
        let empty = |port: &tacit_ir::OutputPort| Vec::with_capacity(port.shape.columns().len());
        let none: Vec<Vec<Words>> = program.outputs.iter().map(empty).collect();
        revealed.sort_by_key(|revealed| (revealed.column.port, revealed.column.column));
        let mut ended = Ended { outputs: none.clone(), shares: none };
        for Revealed { column, words, shared } in revealed {
            let ports = if shared { &mut ended.shares } else { &mut ended.outputs };
            ports[column.port as usize].push(words);
        }
        ended
    }
}
