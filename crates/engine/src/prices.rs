pub(crate) mod constants;
mod domains;

pub(crate) use domains::SetupRequirement;

use tacit_circuit::Executable;
use tacit_math::Block;
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::Params;
use tacit_ot::{cost, ferret};
use tacit_plan::{
    Event, Garbling, Material, MessageOrder, Mode, Plan, PlanError, PlanOptions, Prediction, PricedRun,
    Prices, Recipients, SecurityLevel, SecurityParams, Traffic, TransferChoice, TransferExtension,
};
use tacit_schedule::Consumed;
use tacit_twoparty::Party;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::he::{HeParameters, ModulusSize};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::yao::{self, saved};

use crate::Failure;
use crate::drive::context::RunContext;
use crate::drive::labels::random_batch;
use crate::store::StoreError;

/// Bytes of a label, a hash key, a salt.
const BLOCK: u64 = Block::BYTES as u64;
/// Labels of the evaluator's inputs between two flips of the direction, as Yao's protocol cuts them.
const INPUT_WINDOW: u64 = yao::INPUT_WINDOW as u64;
/// Outputs between two flips of the direction, as Yao's protocol cuts them.
const REVEAL_WINDOW: u64 = yao::REVEAL_WINDOW as u64;

/// What Yao's protocol costs, by going through its messages without sending any.
///
/// Bytes are exact. So are rounds, but for programs that draw more than 2^15 random bits after they have revealed
/// something.
#[derive(Clone, Copy, Debug, Default)]
pub struct YaoPrices;

/// The protocol's name for a garbling scheme.
pub(crate) fn scheme(garbling: Garbling) -> GarblingScheme {
    match garbling {
        Garbling::HalfGates => GarblingScheme::HalfGates,
        Garbling::ThreeHalves => GarblingScheme::ThreeHalves,
    }
}

/// The parameters of SoftSpokenOT.
pub(crate) fn softspoken(security: &SecurityParams) -> Params {
    // Plans and sessions are made only of parameters that `SecurityParams::check` has let pass.
    Params::from_k(security.softspoken_k).unwrap_or_default()
}

/// The keys of encrypted words.
pub(crate) fn he_parameters(security: &SecurityParams) -> HeParameters {
    let size = match security.level {
        SecurityLevel::Toy => ModulusSize::TOY,
        SecurityLevel::Medium => ModulusSize::MEDIUM,
        SecurityLevel::Long => ModulusSize::LONG,
    };
    HeParameters { size, statistical_bits: security.statistical_bits }
}

/// The protocol's name for an extension.
pub(crate) fn extension(transfers: TransferExtension, security: &SecurityParams) -> Extension {
    match transfers {
        TransferExtension::SoftSpoken => softspoken(security).into(),
        TransferExtension::SilentSmall => ferret::Params::Small.into(),
        TransferExtension::SilentLarge => ferret::Params::Large.into(),
    }
}

/// Bytes of the tables of a circuit that runs over so many instances.
fn table_bytes(garbling: Garbling, circuit: &Executable, instances: u64) -> u64 {
    scheme(garbling).table_bytes(circuit.and_count, circuit.lane_chunk, instances)
}

impl Prices for YaoPrices {
    fn build(&self) -> [u8; 32] {
        crate::build().hash()
    }

    fn table_bytes(&self, garbling: Garbling, circuit: &Executable, instances: u64) -> u64 {
        table_bytes(garbling, circuit, instances)
    }

    fn predict(
        &self,
        messages: &MessageOrder,
        random_bits: u64,
        (mode, transfers): (Mode, TransferExtension),
        security: &SecurityParams,
    ) -> Prediction {
        let run = YaoRun { messages, random_bits, extension: extension(transfers, security) };
        run.with_setup(mode, Tally::new(softspoken(security)))
    }

    fn transfers(&self, material: &Material, labels: u64, options: &PlanOptions) -> TransferExtension {
        let candidates: &[TransferExtension] = match options.transfers {
            TransferChoice::Auto => &[
                TransferExtension::SoftSpoken,
                TransferExtension::SilentSmall,
                TransferExtension::SilentLarge,
            ],
            TransferChoice::SoftSpoken => &[TransferExtension::SoftSpoken],
            TransferChoice::Silent => &[TransferExtension::SilentSmall, TransferExtension::SilentLarge],
        };
        let [first, second] =
            domains::without_dialogues(material).price::<tacit_twoparty::correlations::Ots>().ots;
        // Of a comparison about twelve for each four bits.
        let compared = |(kind, count): (Consumed, u64)| match kind {
            Consumed::Comparison { bits } | Consumed::Shift { bits } => {
                count.saturating_mul(12 * u64::from(bits.div_ceil(4)))
            }
            _ => 0,
        };
        let compared = material.iter().map(compared).fold(0, u64::saturating_add);
        let labels = labels.saturating_add(material.label_count());
        let count = first.saturating_add(labels).max(second).saturating_add(compared);
        let tacit_plan::Link { bits_per_second, round_us } = options.link;
        let link =
            cost::Link { bits_per_second: bits_per_second as f64, round_seconds: round_us as f64 * 1e-6 };
        let seconds = |one: &TransferExtension| extension(*one, &options.security).seconds(count, link);
        let soonest = candidates.iter().min_by(|x, y| seconds(x).total_cmp(&seconds(y)));
        // There is always a candidate.
        soonest.copied().unwrap_or_default()
    }

    fn predict_domains(
        &self,
        run: PricedRun<'_>,
        random_bits: u64,
        security: &SecurityParams,
    ) -> Result<Prediction, PlanError> {
        domains::predict(run, random_bits, security, Tally::new(softspoken(security)))
    }
}

/// What setup makes for a run of a plan with values in several domains.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn setup_requirement(plan: &Plan) -> Result<SetupRequirement<'_>, PlanError> {
    domains::plan_requirement(plan, constants::MAX_READY_LABELS)
}

/// What setup makes for a run to be kept in a store: all labels and all sums, as runs from a store make no oblivious transfers.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn stored_requirement(plan: &Plan) -> Result<SetupRequirement<'_>, PlanError> {
    domains::plan_requirement(plan, u64::MAX)
}

/// Most bytes of a prepared run with values in several domains.
const MAX_ENTRY_BYTES: u64 = 1 << 30;

/// Bytes of a prepared run with values in several domains, of the party that keeps more; saturates.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn entry_bytes(plan: &Plan) -> Result<u64, PlanError> {
    // The labels of setup are no more than these, so that what is beyond the limit need not be walked.
    let labels = plan.work().ot_count().saturating_add(plan.material().label_count()).saturating_mul(BLOCK);
    if labels > MAX_ENTRY_BYTES {
        return Ok(labels);
    }
    let required = stored_requirement(plan)?;
    let of_labels = saved::LabelRequirement {
        labels: required.labels,
        sums: &required.sums,
        scheme: scheme(plan.garbling()),
    };
    let saved = of_labels.bytes().map_or(u64::MAX, |[garbler, evaluator]| garbler.max(evaluator) as u64);
    // What is beyond counting is beyond the limit.
    Ok(required.pool.packed_bytes().unwrap_or(u64::MAX).saturating_add(saved).saturating_add(BLOCK))
}

/// Fails for runs that are too large for a store.
pub(crate) fn check_entry(plan: &Plan) -> Result<(), Failure> {
    let (needed, limit) = (entry_bytes(plan)?, MAX_ENTRY_BYTES);
    match plan.schedule().has_shares() && needed > limit {
        true => Err(StoreError::Large { needed, limit }.into()),
        false => Ok(()),
    }
}

/// Which phases of a run a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// A run with a setup of its own.
    Whole,
    /// Preparing runs in batches of so many, the last of which may be smaller.
    Prepare { count: u64, batch: u64 },
    /// A run that was prepared.
    Spend,
}

/// What a run of an open session sends after the parties have agreed on it. `tally` are the oblivious transfers that runs
/// before have set up; the garbler is the first party.
///
/// # Errors
/// [`PlanError::Budget`], [`PlanError::Uncountable`].
pub(crate) fn predict_run(
    context: RunContext<'_>,
    kind: RunKind,
    tally: Tally,
) -> Result<Prediction, PlanError> {
    let plan = context.plan;
    if plan.schedule().has_shares() {
        let run = PricedRun {
            program: context.program,
            parties: plan.parties(),
            schedule: plan.schedule(),
            layout: plan.layout(),
            messages: plan.messages(),
            material: plan.material(),
            garbling: plan.garbling(),
            transfers: plan.transfers(),
        };
        let (random_bits, security) = (plan.work().random_bits, plan.security());
        return match kind {
            RunKind::Whole => domains::predict(run, random_bits, security, tally),
            RunKind::Prepare { count, batch } => {
                let mut ots = CountedOts { tally, extension: extension(plan.transfers(), security) };
                let setup = domains::preparing(run, &stored_requirement(plan)?, &mut ots, (count, batch));
                setup.map(|setup| Prediction { setup, ..Default::default() })
            }
            RunKind::Spend => {
                let mut ots = CountedOts { tally, extension: extension(plan.transfers(), security) };
                let (required, mut setup) = (stored_requirement(plan)?, Traffic::default());
                required.key(&mut setup, &mut ots.tally);
                Ok(Prediction { setup, online: domains::online(run, random_bits, (&required, ots))? })
            }
        };
    }
    let extension = extension(plan.transfers(), plan.security());
    let run = YaoRun { messages: plan.messages(), random_bits: plan.work().random_bits, extension };
    Ok(match kind {
        RunKind::Whole => run.with_setup(plan.mode(), tally),
        RunKind::Prepare { count, batch } => {
            Prediction { setup: run.preparing(count, batch, tally), ..Default::default() }
        }
        RunKind::Spend => {
            let mut channel = CountedChannel::default();
            channel.spend(run.messages);
            Prediction { online: channel.traffic(), ..Default::default() }
        }
    })
}

/// A run to be priced.
struct YaoRun<'a> {
    messages: &'a MessageOrder,
    random_bits: u64,
    extension: Extension,
}

impl YaoRun<'_> {
    /// The channel after setup, with the base transfers if there are none yet.
    fn setup(&self, tally: Tally) -> (CountedChannel, CountedOts) {
        let mut channel = CountedChannel::default();
        let mut ots = CountedOts { tally, extension: self.extension };
        channel.set_up(&mut ots);
        (channel, ots)
    }

    /// A run with a setup of its own.
    fn with_setup(&self, mode: Mode, tally: Tally) -> Prediction {
        let (mut channel, mut ots) = self.setup(tally);
        if mode == Mode::Precomputed {
            channel.walk(self.messages, self.random_bits, &mut ots, true);
        }
        let setup = channel.traffic();
        let mut channel = CountedChannel::default();
        match mode {
            Mode::Streamed => {
                channel.garbler_sends(BLOCK);
                channel.walk(self.messages, self.random_bits, &mut ots, false);
            }
            Mode::Precomputed => channel.spend(self.messages),
        }
        Prediction { setup, online: channel.traffic() }
    }

    /// Entries of a store, batch after batch, each confirmed by a byte each way.
    fn preparing(&self, count: u64, batch: u64, tally: Tally) -> Traffic {
        let (mut channel, mut ots) = self.setup(tally);
        for size in windows(count, batch) {
            for _ in 0..size {
                channel.walk(self.messages, self.random_bits, &mut ots, true);
            }
            channel.both_send(1);
        }
        channel.traffic()
    }
}

/// One end of a channel.
#[derive(Default)]
struct ChannelEnd {
    bytes: u64,
    rounds: u64,
    sent: bool,
}

impl ChannelEnd {
    fn send(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.sent |= bytes > 0;
    }

    fn receive(&mut self) {
        self.rounds += u64::from(std::mem::take(&mut self.sent));
    }
}

/// Both ends of a channel.
#[derive(Default)]
struct CountedChannel {
    garbler: ChannelEnd,
    evaluator: ChannelEnd,
}

/// Oblivious transfers that the garbler sends.
struct CountedOts {
    tally: Tally,
    extension: Extension,
}

impl CountedChannel {
    fn garbler_sends(&mut self, bytes: u64) {
        self.garbler.send(bytes);
        self.evaluator.receive();
    }

    fn evaluator_sends(&mut self, bytes: u64) {
        self.evaluator.send(bytes);
        self.garbler.receive();
    }

    fn both_send(&mut self, bytes: u64) {
        self.garbler.send(bytes);
        self.evaluator.send(bytes);
        self.garbler.receive();
        self.evaluator.receive();
    }

    /// Sets up the transfers that the garbler sends. Silent ones grow from those of the other direction.
    fn set_up(&mut self, ots: &mut CountedOts) {
        if let Extension::SoftSpoken(_) = ots.extension {
            return self.set_up_softspoken(&mut ots.tally, Party::First);
        }
        if ots.tally.has(ots.extension, Party::First) {
            return;
        }
        self.set_up_softspoken(&mut ots.tally, Party::Second);
        let (trees, _) = ots.extension.derived_bytes();
        let [garbler, evaluator] = ots.tally.set_up(ots.extension, Party::First);
        if garbler > trees {
            self.garbler_sends(garbler - trees);
        }
        self.evaluator_sends(evaluator);
        self.garbler_sends(trees);
    }

    /// The first flows of base OTs cross; what grows from transfers of the other direction takes them first.
    fn set_up_softspoken(&mut self, tally: &mut Tally, sender: Party) {
        let extension = tally.params().into();
        let crossing = if tally.has(extension, sender.peer()) { 0 } else { 32 };
        let sent = tally.set_up(extension, sender);
        if sent[sender.peer().index()] == 0 {
            return;
        }
        let mut flows = [sent[0], sent[1]];
        flows[sender.peer().index()] = crossing;
        self.garbler.send(flows[0]);
        self.evaluator.send(flows[1]);
        self.garbler.receive();
        self.evaluator.receive();
        let rest = sent[sender.peer().index()] - crossing;
        match sender {
            Party::First => self.evaluator_sends(rest),
            Party::Second => self.garbler_sends(rest),
        }
    }

    fn walk(&mut self, messages: &MessageOrder, random_bits: u64, ots: &mut CountedOts, prepare: bool) {
        let mut left = random_bits;
        while left > 0 {
            let batch = random_batch(left);
            self.labels(batch, ots, false);
            left -= batch;
        }
        for event in &messages.events {
            match event {
                Event::GarblerInput(_) if prepare => {}
                Event::GarblerInput(column) => self.garbler_sends(BLOCK * column.label_count()),
                Event::EvaluatorInputs(batch) => {
                    self.labels(batch.iter().map(|column| column.label_count()).sum(), ots, !prepare);
                }
                Event::Gates(gates) => self.garbler_sends(gates.table_bytes),
                Event::Reveal(_) if prepare => {}
                Event::Reveal(reveal) => {
                    let bits = reveal.columns.iter().map(|column| column.label_count()).sum();
                    self.reveal(reveal.recipients, bits);
                }
            }
        }
    }

    /// Labels of bits that only the evaluator knows.
    fn labels(&mut self, bits: u64, ots: &mut CountedOts, corrected: bool) {
        for window in windows(bits, INPUT_WINDOW) {
            self.extend(window, ots);
            if corrected {
                self.evaluator_sends(window.div_ceil(8));
            }
            self.garbler_sends(BLOCK * window);
        }
    }

    fn extend(&mut self, count: u64, ots: &mut CountedOts) {
        let [garbler, evaluator] = ots.tally.take(ots.extension, Party::First, count);
        if garbler > 0 {
            self.garbler_sends(garbler);
        }
        if evaluator > 0 {
            self.evaluator_sends(evaluator);
        }
    }

    /// The online phase of a prepared run.
    fn spend(&mut self, messages: &MessageOrder) {
        let (mut garbler, mut evaluator) = (0, 0);
        for event in &messages.events {
            match event {
                Event::GarblerInput(column) => garbler += column.label_count(),
                Event::EvaluatorInputs(batch) => {
                    evaluator += batch.iter().map(|column| column.label_count()).sum::<u64>();
                }
                // Tables are there, and reveals follow.
                Event::Gates(_) | Event::Reveal(_) => {}
            }
        }
        self.evaluator_sends(evaluator.div_ceil(8));
        self.garbler_sends(BLOCK * (garbler + evaluator) + 2 * BLOCK);
        messages.reveals().for_each(|reveal| {
            let bits = reveal.columns.iter().map(|column| column.label_count()).sum();
            self.reveal(reveal.recipients, bits);
        });
    }

    fn reveal(&mut self, recipients: Recipients, bits: u64) {
        for window in windows(bits, REVEAL_WINDOW) {
            let bytes = window.div_ceil(8);
            match recipients {
                Recipients::Evaluator => self.garbler_sends(bytes),
                Recipients::Garbler => self.evaluator_sends(bytes),
                Recipients::Both => self.both_send(bytes),
                Recipients::Nobody => {}
            }
        }
    }

    fn traffic(&self) -> Traffic {
        Traffic {
            garbler_bytes: self.garbler.bytes,
            evaluator_bytes: self.evaluator.bytes,
            garbler_rounds: self.garbler.rounds,
            evaluator_rounds: self.evaluator.rounds,
        }
    }
}

/// `count` cut into pieces of at most `window`.
fn windows(count: u64, window: u64) -> impl Iterator<Item = u64> {
    (0..count).step_by(window as usize).map(move |start| window.min(count - start))
}
