//! What runs cost of which all values are labels, by going through their messages without sending any.

use tacit_plan::{Column, Event, MessageOrder, PricedRun};
use tacit_twoparty::{Dialogue, Party};

use super::BLOCK;
use super::streams::{StreamDialogues, labels, reveal_labels};
use crate::drive::labels::random_batch;

/// What setup sends: tables and labels too, unless these are streamed.
pub(super) fn setup(run: PricedRun<'_>, streamed: bool) -> StreamDialogues {
    let start = Dialogue::default().set_up(Party::First);
    let labels = if streamed { start } else { start.then(messages(run, true)) };
    StreamDialogues { labels, ..Default::default() }
}

/// What is sent from inputs to outputs.
pub(super) fn online(run: PricedRun<'_>, streamed: bool) -> StreamDialogues {
    let labels = match streamed {
        true => Dialogue::default().send(Party::First, BLOCK).then(messages(run, false)),
        false => prepared(run.messages),
    };
    StreamDialogues { labels, ..Default::default() }
}

/// All messages in order; where they are to `prepare` a run, without its inputs and outputs.
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
            Event::GarblerInput(column) => all.send(Party::First, BLOCK * column.label_count()),
            Event::EvaluatorInputs(batch) => all.then(labels(bits(batch), !prepare)),
            Event::Gates(gates) => all.send(Party::First, gates.table_bytes),
            Event::Reveal(opened) => all.then(reveal_labels(opened.recipients, bits(&opened.columns))),
        };
    }
    all
}

/// The online phase of a prepared run.
fn prepared(messages: &MessageOrder) -> Dialogue {
    let garbler: u64 = messages.garbler_inputs().map(Column::label_count).sum();
    let evaluator: u64 = messages.evaluator_inputs().map(bits).sum();
    let inputs = Dialogue::default()
        .send(Party::Second, evaluator.div_ceil(8))
        .send(Party::First, BLOCK * (garbler + evaluator) + 2 * BLOCK);
    let reveals = messages.reveals().map(|opened| reveal_labels(opened.recipients, bits(&opened.columns)));
    inputs.then(reveals.sum())
}

fn bits(columns: &[Column]) -> u64 {
    columns.iter().map(|column| column.label_count()).sum()
}
