//! The memory that each party takes for a run, in addition to what its process has before.
//!
//! Most of it is labels and shares of the values that are live at one time, which follow from the walk over a schedule. In addition there
//! are values in the clear, material of setup, tables that wait for inputs, and buffers of protocols and streams.

use std::collections::BTreeMap;

use tacit_plan::{Column, Event, Mode, PredictedMemory, PricedRun, Side, TransferExtension};
use tacit_schedule::{Action, Bundle, Elements, Peak, rules};
use tacit_twoparty::he::HeParameters;

use super::domains::SetupRequirement;
use super::{BLOCK, extension, he_parameters, table_bytes};

/// Bytes of a word of at most 64 bits in the clear.
const LIMB: u64 = 8;
/// Bytes of a share of a word.
const WORD: u64 = 16;
/// Bytes of buffers that every run has: for streams and their frames, windows of transfers, and seeds.
const BUFFERS: u64 = 4 << 20;
/// Memory while setup makes material, as a multiple of what it keeps: measured for bits and for words.
const MAKING: (u128, u128) = (12, 5);
/// Bytes of a ciphertext besides its number.
const SEALED: u64 = 64;

/// The peak memory of both parties, and the bytes that setup and online take from the system, at the party that takes more.
pub(super) fn predicted(
    run: PricedRun<'_>,
    required: Option<&SetupRequirement<'_>>,
) -> (PredictedMemory, [u64; 2]) {
    let [(garbler, a), (evaluator, b)] = [Side::Garbler, Side::Evaluator].map(|side| of(run, required, side));
    (PredictedMemory { garbler, evaluator }, if garbler.bytes >= evaluator.bytes { a } else { b })
}

/// A party's peak memory, and the bytes that setup and online take from the system: what is there already is used again.
fn of(run: PricedRun<'_>, required: Option<&SetupRequirement<'_>>, side: Side) -> (Peak, [u64; 2]) {
    let kept = material(run, required);
    let he = he_parameters(run.security);
    let size = |bundle: Bundle, lanes: u64| bundle_bytes(bundle, lanes, (side, &he));
    let (beside, learnt) = (beside(run, side), learnt(run, side));
    let online = run.schedule.peak(run.layout, &size, &beside);
    let online = online.and(kept).and(learnt).and(prepared(run, side));
    // While triples are made there are no values yet, but the triples' intermediate data.
    let making = (u128::from(kept) * MAKING.0 / MAKING.1).try_into().unwrap_or(u64::MAX);
    let setup = Peak { bytes: transfers(run), line: 0 }.and(making);
    let values = online.max(setup).and(own_inputs(run, side));
    (values.and(BUFFERS), [setup.bytes, values.bytes.saturating_sub(setup.bytes)])
}

/// Bytes of this many lanes of a bundle at a party.
fn bundle_bytes(bundle: Bundle, lanes: u64, (side, he): (Side, &HeParameters)) -> u64 {
    let rules = rules(bundle.domain);
    let bits = u64::from(bundle.bits).saturating_mul(lanes);
    match rules.elements {
        Elements::Bits if rules.is_garbled() => bits.saturating_mul(BLOCK),
        Elements::Bits => bits.div_ceil(8),
        Elements::Words(_) => lanes.saturating_mul(WORD),
        Elements::Ciphertexts(_) => match side {
            Side::Garbler => lanes.saturating_mul(he.ciphertext_bytes() + SEALED),
            Side::Evaluator => lanes.saturating_mul(WORD),
        },
    }
}

/// The material that setup makes and keeps until it is used.
fn material(run: PricedRun<'_>, required: Option<&SetupRequirement<'_>>) -> u64 {
    let Some(required) = required else { return 0 };
    let sums = required.sums.iter().map(|sum| table_bytes(run.garbling, sum.circuit, sum.instances));
    let tables = sums.fold(0, u64::saturating_add);
    let labels = (required.labels as u64).saturating_mul(BLOCK);
    required.pool.kept_bytes().saturating_add(tables).saturating_add(labels)
}

/// What a run that is garbled in setup keeps until inputs are known.
fn prepared(run: PricedRun<'_>, side: Side) -> u64 {
    if run.mode == Mode::Streamed {
        return 0;
    }
    let inputs = |column: &Column| column.label_count().saturating_mul(BLOCK);
    let events = run.messages.events.iter().map(|event| match (event, side) {
        (Event::Gates(gates), Side::Evaluator) => gates.table_bytes,
        (Event::GarblerInput(column), Side::Garbler) => inputs(column),
        (Event::EvaluatorInputs(columns), _) => columns.iter().map(inputs).fold(0, u64::saturating_add),
        _ => 0,
    });
    events.fold(0, u64::saturating_add)
}

/// Buffers of one extension of oblivious transfers, in each direction that is used.
fn transfers(run: PricedRun<'_>) -> u64 {
    let directions = if run.schedule.has_shares() { 2 } else { 1 };
    let one = match (run.transfers, extension(run.transfers, run.security)) {
        (TransferExtension::SoftSpoken, _) => 0,
        (_, tacit_ot::cot::Extension::Ferret(params)) => {
            (params.set().samples() as u64).saturating_mul(2 * BLOCK)
        }
        _ => 0,
    };
    one * directions
}

/// A party's own inputs in the clear: as they were given, and checked.
fn own_inputs(run: PricedRun<'_>, side: Side) -> u64 {
    let own = run.program.inputs.iter().filter(|port| run.parties.side(port.role) == Some(side));
    let bytes = own.flat_map(|port| port.shape.columns()).map(|column| clear(column.bits, column.lanes));
    bytes.fold(0, u64::saturating_add)
}

/// The outputs that a party learns: as they are opened, and joined.
fn learnt(run: PricedRun<'_>, side: Side) -> u64 {
    let learns = |roles: &[tacit_ir::RoleId]| roles.iter().any(|role| run.parties.side(*role) == Some(side));
    let ports = run.program.outputs.iter().filter(|port| learns(&port.roles));
    let bytes = ports.flat_map(|port| port.shape.columns()).map(|column| clear(column.bits, column.lanes));
    bytes.fold(0, u64::saturating_add)
}

fn clear(bits: u32, lanes: u64) -> u64 {
    u64::from(bits.div_ceil(64)).saturating_mul(LIMB).saturating_mul(lanes)
}

/// What is held at each step of `main` besides bundles: labels of inputs that were fetched together, and outputs that wait to be opened.
fn beside(run: PricedRun<'_>, side: Side) -> Vec<u64> {
    let main = &run.schedule.bodies[run.schedule.main];
    let label = |lanes: u64, bits: u32| lanes.saturating_mul(bits.into()).saturating_mul(BLOCK);
    let mut batches = run.messages.evaluator_inputs();
    let mut opened: BTreeMap<u64, u64> = BTreeMap::new();
    for reveal in run.messages.reveals() {
        let labels = reveal.columns.iter().map(|column| label(column.lanes, column.bits));
        *opened.entry(reveal.after).or_default() += labels.fold(0, u64::saturating_add);
    }
    let (mut fetched, mut left, mut waiting, mut outputs) = (0u64, 0usize, 0u64, 0u64);
    let step = |step: &tacit_schedule::Step| match &step.action {
        Action::Input { port, target, .. } if main.bundles[target.index()].rules().is_garbled() => {
            let giver = run.parties.side(run.program.inputs[*port as usize].role);
            if giver != Some(Side::Garbler) {
                if left == 0 {
                    let batch = batches.next().unwrap_or_default();
                    left = batch.len();
                    let labels = batch.iter().map(|column| label(column.lanes, column.bits));
                    fetched = if left > 1 { labels.fold(0, u64::saturating_add) } else { 0 };
                }
                left = left.saturating_sub(1);
            }
            let held = fetched.saturating_add(waiting);
            fetched = if left == 0 { 0 } else { fetched };
            // The bits in the clear, or random bits.
            let bundle = main.bundles[target.index()];
            let bits = if giver == Some(side) { label(bundle.lanes, bundle.bits) / (8 * BLOCK) } else { 0 };
            held.saturating_add(2 * bits)
        }
        Action::Output { source, .. } if main.bundles[source.index()].rules().is_garbled() => {
            let bundle = main.bundles[source.index()];
            outputs += 1;
            waiting = waiting.saturating_add(label(bundle.lanes, bundle.bits));
            // Everything that is opened is copied once.
            let due = opened.get(&outputs).copied().unwrap_or(0);
            let held = fetched.saturating_add(waiting).saturating_add(due);
            waiting = if due > 0 { 0 } else { waiting };
            held.saturating_sub(label(bundle.lanes, bundle.bits))
        }
        Action::Output { .. } => {
            outputs += 1;
            fetched
        }
        _ => fetched.saturating_add(waiting),
    };
    main.steps.iter().map(step).collect()
}
