//! Costs of runs whose values are all labels, from a walk through their messages without sending any.

use tacit_plan::{Column, Event, Garbling, PricedRun};
use tacit_schedule::{Computing, Tally, Unit};
use tacit_twoparty::{Dialogue, Party};

use super::BLOCK;
use super::streams::{StreamDialogues, labels, reveal_labels};
use crate::drive::labels::random_batch;

/// What setup sends: also tables and labels, unless these are streamed.
pub(super) fn setup(run: PricedRun<'_>, streamed: bool) -> StreamDialogues {
    let start = start();
    if streamed {
        return start;
    }
    let labels = start.labels.then(messages(run, true)).stream(0, [*run.label_work, Computing::default()]);
    StreamDialogues { labels, ..start }
}

/// The beginning of every setup.
pub(super) fn start() -> StreamDialogues {
    StreamDialogues { labels: Dialogue::default().set_up(Party::First), ..Default::default() }
}

/// What is sent from inputs to outputs.
pub(super) fn online(run: PricedRun<'_>, streamed: bool) -> StreamDialogues {
    let labels = match streamed {
        true => {
            let labels = [*run.label_work, *run.label_work];
            Dialogue::default().send(Party::First, BLOCK).then(messages(run, false)).stream(0, labels)
        }
        false => prepared(run),
    };
    StreamDialogues { labels, ..Default::default() }
}

/// All messages in order; to `prepare` a run, those without its inputs and outputs.
fn messages(run: PricedRun<'_>, prepare: bool) -> Dialogue {
    let (mut all, mut left) = (Dialogue::default(), run.random_bits);
    while left > 0 {
        let batch = random_batch(left);
        all = all.then(labels(batch, false));
        left -= batch;
    }
    for event in &run.messages.events {
        all = match event {
            Event::GarblerInput(_) | Event::Reveal(_) if prepare => all,
            Event::GarblerInput(column) => {
                let count = column.label_count();
                all.compute(Unit::LabelMoved, count).send(Party::First, BLOCK * count)
            }
            Event::EvaluatorInputs(batch) => all.then(labels(bits(batch), !prepare)),
            Event::Gates(gates) => {
                let [garbled, evaluated] = garbling(run.garbling, gates.and_count);
                let meanwhile = if prepare { Computing::default() } else { evaluated };
                all.stream(gates.table_bytes, [garbled, meanwhile])
            }
            Event::Reveal(opened) => all.then(reveal_labels(opened.recipients, bits(&opened.columns))),
        };
    }
    all
}

/// What the garbler and the evaluator compute for this many ANDs.
pub(super) fn garbling(garbling: Garbling, ands: u64) -> [Computing; 2] {
    let units = match garbling {
        Garbling::HalfGates => [Unit::HalfGatesGarbled, Unit::HalfGatesEvaluated],
        Garbling::ThreeHalves => [Unit::ThreeHalvesGarbled, Unit::ThreeHalvesEvaluated],
    };
    units.map(|unit| Computing::of(unit, ands))
}

/// The online phase of a prepared run.
fn prepared(run: PricedRun<'_>) -> Dialogue {
    let messages = run.messages;
    let garbler: u64 = messages.garbler_inputs().map(Column::label_count).sum();
    let evaluator: u64 = messages.evaluator_inputs().map(bits).sum();
    let inputs = Dialogue::default()
        .send(Party::Second, evaluator.div_ceil(8))
        .send(Party::First, BLOCK * (garbler + evaluator) + 2 * BLOCK);
    let ands =
        messages.events.iter().map(|event| if let Event::Gates(gates) = event { gates.and_count } else { 0 });
    let [_, mut evaluated] = garbling(run.garbling, ands.fold(0, u64::saturating_add));
    evaluated.add(run.label_work, 1);
    let inputs = inputs.compute(Unit::LabelMoved, garbler + evaluator);
    let evaluated = evaluated.iter().fold(inputs, |all, (unit, count)| all.compute(unit, count));
    let reveals = messages.reveals().map(|opened| reveal_labels(opened.recipients, bits(&opened.columns)));
    evaluated.then(reveals.sum())
}

fn bits(columns: &[Column]) -> u64 {
    columns.iter().map(|column| column.label_count()).sum()
}
