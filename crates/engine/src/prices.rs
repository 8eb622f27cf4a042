pub(crate) mod constants;
mod domains;
mod garbled;
pub(crate) mod lattices;
mod memory;
mod streams;

pub(crate) use domains::SetupRequirement;

use std::collections::BTreeSet;

use tacit_circuit::Executable;
use tacit_ir::Program;
use tacit_math::Block;
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::Params;
use tacit_ot::{cost, ferret};
use tacit_plan::{
    Event, Forecast, Garbling, Material, MessageOrder, Mode, Plan, PlanError, PlanOptions, PredictedTime,
    Prediction, PricedRun, Prices, SecurityLevel, SecurityParams, TransferChoice, TransferExtension,
};
use tacit_schedule::{Consumed, Unit};
use tacit_twoparty::CountedOts;
use tacit_twoparty::correlations::Ots;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::he::{HeParameters, ModulusSize};
use tacit_twoparty::transfers::Tally;
use tacit_twoparty::yao::saved;

use crate::Failure;
use crate::store::StoreError;

/// Bytes of a label, a hash key, a salt.
const BLOCK: u64 = Block::BYTES as u64;

/// The costs of the protocols of two parties, from a walk through their messages without sending any.
///
/// Bytes are exact. So are rounds, except for programs of only labels that draw more than 2^15 random bits after they have
/// revealed something.
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
    // Plans and sessions are only made with parameters that `SecurityParams::check` has accepted.
    Params::from_k(security.softspoken_k).unwrap_or_default()
}

/// The keys of encrypted words.
pub(crate) fn he_parameters(security: &SecurityParams) -> HeParameters {
    let size = match security.level {
        SecurityLevel::Toy => ModulusSize::TOY,
        SecurityLevel::Bits1024 => ModulusSize::BITS_1024,
        SecurityLevel::UltraShort => ModulusSize::ULTRA_SHORT,
        SecurityLevel::Short => ModulusSize::SHORT,
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

/// The extensions that may be chosen.
fn candidates(transfers: TransferChoice) -> &'static [TransferExtension] {
    match transfers {
        TransferChoice::Auto => {
            &[TransferExtension::SoftSpoken, TransferExtension::SilentSmall, TransferExtension::SilentLarge]
        }
        TransferChoice::SoftSpoken => &[TransferExtension::SoftSpoken],
        TransferChoice::Silent => &[TransferExtension::SilentSmall, TransferExtension::SilentLarge],
    }
}

/// Bytes of the tables of a circuit that runs over this many instances.
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

    fn lattices(&self, material: &Material, options: &PlanOptions) -> BTreeSet<Consumed> {
        lattices::chosen(material, options)
    }

    fn transfers(&self, material: &Material, labels: u64, options: &PlanOptions) -> TransferExtension {
        let [first, second] = domains::without_dialogues(material).price::<Ots>().ots();
        // A comparison takes about twelve for each four bits.
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
        let soonest = candidates(options.transfers).iter().min_by(|x, y| seconds(x).total_cmp(&seconds(y)));
        // There is always a candidate.
        soonest.copied().unwrap_or_default()
    }

    fn least(&self, has_shares: bool, options: &PlanOptions) -> Prediction {
        let tally = Tally::new(softspoken(&options.security));
        let ots = CountedOts { tally, extension: softspoken(&options.security).into() };
        let mut streams = streams::Streams::new(ots);
        streams.play(&if has_shares { domains::start() } else { garbled::start() });
        let (setup, effort) = streams.end_phase();
        let time = PredictedTime { setup: options.profile.time(&effort, options.link), ..Default::default() };
        let processor_ns = options.profile.processor_ns(&effort);
        Prediction { setup, time, processor_ns, ..Default::default() }
    }

    fn predict(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError> {
        predict_run(run, RunKind::Whole, Tally::new(softspoken(run.security)))
    }

    fn within(&self, run: PricedRun<'_>) -> Result<Forecast, PlanError> {
        let is_gates = |event: &&Event| matches!(event, Event::Gates(_));
        let messages =
            MessageOrder { events: run.messages.events.iter().filter(is_gates).cloned().collect() };
        let run = PricedRun { messages: &messages, random_bits: 0, mode: Mode::Streamed, ..run };
        let tally = Tally::new(softspoken(run.security));
        let mut streams =
            streams::Streams::new(CountedOts { tally, extension: extension(run.transfers, run.security) });
        // Transfers are set up, and nothing else.
        streams.play(&domains::start());
        streams.end_phase();
        let required = run.schedule.has_shares().then(|| setup_requirement(run)).transpose()?;
        if let Some(required) = &required {
            streams.labels(&domains::made(run, required)?);
        }
        let (setup, before) = streams.end_phase();
        match &required {
            Some(required) => domains::online(run, required, domains::Counted::Within, &mut streams)?,
            None => streams.play(&garbled::online(run, true)),
        }
        let (online, after) = streams.end_phase();
        let prediction = Prediction { setup, online, ..Prediction::default() };
        Ok(Forecast { prediction, setup: before, online: after })
    }
}

/// The material that setup makes for a run of a plan with values in several domains.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn setup_requirement(run: PricedRun<'_>) -> Result<SetupRequirement<'_>, PlanError> {
    SetupRequirement::new(run, constants::MAX_READY_LABELS, false)
}

/// The material that setup makes for a run from a store: all labels and all sums, since runs from a store make no oblivious
/// transfers.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn stored_requirement(run: PricedRun<'_>) -> Result<SetupRequirement<'_>, PlanError> {
    SetupRequirement::new(run, u64::MAX, true)
}

/// Maximum bytes of a prepared run with values in several domains.
const MAX_ENTRY_BYTES: u64 = 1 << 30;

/// Bytes of a prepared run with values in several domains, at the party that keeps more; saturates.
///
/// # Errors
/// [`PlanError::Uncountable`].
pub(crate) fn entry_bytes(program: &Program, plan: &Plan) -> Result<u64, PlanError> {
    // Setup makes at most these labels, so a run beyond the limit need not be walked.
    let labels = plan.work().ot_count().saturating_add(plan.material().label_count()).saturating_mul(BLOCK);
    if labels > MAX_ENTRY_BYTES {
        return Ok(labels);
    }
    let required = stored_requirement(plan.priced(program))?;
    let of_labels = saved::LabelRequirement {
        labels: required.labels,
        sums: &required.sums,
        scheme: scheme(plan.garbling()),
    };
    let saved = of_labels.bytes().map_or(u64::MAX, |[garbler, evaluator]| garbler.max(evaluator) as u64);
    // A number that overflows is beyond the limit.
    let encryption = required.stored_encryption().map_or(0, |stored| stored.most_bytes());
    let pool = required.pool.packed_bytes().unwrap_or(u64::MAX);
    Ok([saved, encryption, BLOCK].into_iter().fold(pool, u64::saturating_add))
}

/// Fails for runs that are too large for a store.
pub(crate) fn check_entry(program: &Program, plan: &Plan) -> Result<(), Failure> {
    let (needed, limit) = (entry_bytes(program, plan)?, MAX_ENTRY_BYTES);
    match plan.schedule().has_shares() && needed > limit {
        true => Err(StoreError::Large { needed, limit }.into()),
        false => Ok(()),
    }
}

/// The phases of a run that a session does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunKind {
    /// A run with a setup of its own.
    Whole,
    /// Preparing runs in batches of this size; the last batch may be smaller.
    Prepare { count: u64, batch: u64 },
    /// A prepared run.
    Spend,
}

impl RunKind {
    /// Of what setup and online take, that of the phases which are run; what was prepared is read online.
    fn of_phases(self, [setup, online]: [u64; 2]) -> [u64; 2] {
        match self {
            RunKind::Whole => [setup, online],
            RunKind::Prepare { .. } => [setup, 0],
            RunKind::Spend => [0, setup.saturating_add(online)],
        }
    }
}

/// What a run sends and computes after the parties have agreed on it. `tally` are the oblivious transfers that earlier runs have set up;
/// the garbler is the first party.
///
/// # Errors
/// [`PlanError::Budget`], [`PlanError::Uncountable`].
pub(crate) fn predict_run(run: PricedRun<'_>, kind: RunKind, tally: Tally) -> Result<Forecast, PlanError> {
    let ots = CountedOts { tally, extension: extension(run.transfers, run.security) };
    let mut streams = streams::Streams::new(ots);
    let requirement = if kind == RunKind::Whole { setup_requirement } else { stored_requirement };
    // If all values are labels, no material for other domains is made.
    let required = run.schedule.has_shares().then(|| requirement(run)).transpose()?;
    let streamed = kind == RunKind::Whole && run.mode == Mode::Streamed;
    let one = match &required {
        Some(required) => domains::setup(run, required)?,
        None => garbled::setup(run, streamed),
    };
    match kind {
        RunKind::Whole => streams.play(&one),
        RunKind::Prepare { count, batch } => {
            let keys = required.as_ref().map(SetupRequirement::entry_keys).transpose()?;
            streams.play(&one.with_shares(keys.unwrap_or_default()).entries(count, batch));
        }
        RunKind::Spend => {}
    }
    if let (RunKind::Whole, Some(required)) = (kind, &required) {
        streams.shares(&required.keys()?);
    }
    let (setup, mut before) = streams.end_phase();
    let (memory, fresh) = memory::predicted(run, required.as_ref());
    match required {
        _ if matches!(kind, RunKind::Prepare { .. }) => {}
        Some(required) => domains::online(run, &required, domains::Counted::Whole, &mut streams)?,
        None => streams.play(&garbled::online(run, streamed)),
    }
    let (online, mut after) = streams.end_phase();
    let [fresh_before, fresh_after] = kind.of_phases(fresh);
    before.compute(Unit::FreshByte, fresh_before);
    after.compute(Unit::FreshByte, fresh_after);
    let [setup_time, online_time] = [&before, &after].map(|effort| run.profile.time(effort, run.link));
    let time = PredictedTime { setup: setup_time, online: online_time };
    let processors = [&before, &after].map(|effort| run.profile.processor_ns(effort));
    let processor_ns = processors.into_iter().fold(0, u64::saturating_add);
    let prediction = Prediction { setup, online, time, memory, processor_ns };
    Ok(Forecast { prediction, setup: before, online: after })
}
