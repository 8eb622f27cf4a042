use std::collections::VecDeque;

use tacit_ir::{OutputPort, Program, Words};
use tacit_math::{Bits, Block, Wiped};
use tacit_plan::{Column, MessageOrder, Recipients, Reveal};
use tacit_twoparty::yao::prepared::GarblerOnline;
use tacit_twoparty::yao::{self, Side as _};

use super::context::RunContext;
use crate::{Failure, Operation};
use tacit_schedule::walk::Wires;
use tacit_twoparty::bits;

/// A party's part of an output column at the end.
pub(crate) struct Revealed {
    pub column: Column,
    /// The values, or this party's shares of them.
    pub words: Words,
    pub shared: bool,
}

/// Output columns that wait to be revealed, in the plan's message order.
pub(super) struct RevealQueue<'a> {
    reveals: VecDeque<&'a Reveal>,
    /// Number of columns that the walk has passed on so far.
    given: u64,
    pending: Vec<(Recipients, Wires<Block>)>,
    /// What this party has learnt.
    pub revealed: Vec<Revealed>,
}

impl<'a> RevealQueue<'a> {
    pub fn new(messages: &'a MessageOrder) -> Self {
        RevealQueue {
            reveals: messages.reveals().collect(),
            given: 0,
            pending: Vec::new(),
            revealed: Vec::new(),
        }
    }

    /// Takes a column of an output port, and reveals what is due after it.
    pub async fn give<S: yao::Side>(
        &mut self,
        context: RunContext<'_>,
        side: &mut S,
        port: u32,
        wires: Wires<Block>,
        operation: &mut Operation,
    ) -> Result<(), Failure> {
        self.given += 1;
        let parties = context.plan.parties();
        let learn = Recipients::ALL.into_iter().filter(|who| who.receive(context.program, port, parties));
        self.pending.extend(learn.map(|who| (who, wires.clone())));
        while let Some(reveal) = self.reveals.front().filter(|reveal| reveal.after == self.given) {
            *operation = output(context, reveal);
            let labels = collect(&mut self.pending, reveal);
            let values = side.reveal(recipients(reveal.recipients), &labels).await?;
            self.revealed.extend(values.into_iter().flat_map(|values| split(reveal, &values)));
            self.reveals.pop_front();
        }
        Ok(())
    }
}

/// Takes the columns of a reveal out of `pending`, and returns their labels, one column after the other.
fn collect(pending: &mut Vec<(Recipients, Wires<Block>)>, reveal: &Reveal) -> Wiped<Block> {
    let all = std::mem::take(pending).into_iter();
    let (due, later): (Vec<_>, _) = all.partition(|(learn, _)| *learn == reveal.recipients);
    *pending = later;
    due.iter().map(|(_, wires)| &wires[..]).collect::<Vec<_>>().concat().into()
}

/// The operation of a reveal, for errors.
fn output(context: RunContext<'_>, reveal: &Reveal) -> Operation {
    let name =
        reveal.columns.first().map(|column| context.program.outputs[column.port as usize].name.clone());
    // Only for errors; a reveal has a column.
    Operation::Output { name: name.unwrap_or_default() }
}

/// The recipients, as Yao's protocol names them.
pub(super) fn recipients(recipients: Recipients) -> yao::RevealTo {
    match recipients {
        Recipients::Garbler => yao::RevealTo::Garbler,
        Recipients::Evaluator => yao::RevealTo::Evaluator,
        Recipients::Both => yao::RevealTo::Both,
        Recipients::Nobody => yao::RevealTo::Nobody,
    }
}

/// The values of a reveal's columns, or this party's shares of them.
fn split(reveal: &Reveal, values: &Bits) -> Vec<Revealed> {
    let mut start = 0;
    let word = |column: &Column| {
        let words = bits::to_words(values, start, column.bits, column.lanes);
        start += column.label_count() as usize;
        Revealed { column: *column, words, shared: reveal.recipients == Recipients::Nobody }
    };
    reveal.columns.iter().map(word).collect()
}

/// Reveals all outputs of a prepared run at the garbler, for whom nothing else is left; labels are the side's own.
pub(crate) async fn reveal_all(
    context: RunContext<'_>,
    side: &mut GarblerOnline,
    operation: &mut Operation,
) -> Result<Vec<Revealed>, Failure> {
    let mut revealed = Vec::new();
    for reveal in context.plan.messages().reveals() {
        *operation = output(context, reveal);
        let count: u64 = reveal.columns.iter().map(|column| column.label_count()).sum();
        let labels = vec![Block::ZERO; count as usize];
        let values: Option<Bits> = side.reveal(recipients(reveal.recipients), &labels).await?;
        revealed.extend(values.into_iter().flat_map(|values| split(reveal, &values)));
    }
    Ok(revealed)
}

/// A party's results of a run: for every output port its columns; none for ports that this party does not learn.
pub(crate) struct RunResults {
    pub outputs: Vec<Vec<Words>>,
    /// Its shares of the ports that are output as shares. Secret.
    pub shares: Vec<Vec<Words>>,
}

impl RunResults {
    pub fn new(program: &Program, mut revealed: Vec<Revealed>) -> RunResults {
        let empty = |port: &OutputPort| Vec::with_capacity(port.shape.columns().len());
        let none: Vec<Vec<Words>> = program.outputs.iter().map(empty).collect();
        let place = |one: &Revealed| (one.shared, one.column.port, one.column.column);
        revealed.sort_by_key(|one| (place(one), one.column.start));
        let mut results = RunResults { outputs: none.clone(), shares: none };
        for parts in revealed.chunk_by_mut(|one, next| place(one) == place(next)) {
            let (shared, port, _) = place(&parts[0]);
            let ports = if shared { &mut results.shares } else { &mut results.outputs };
            ports[port as usize].extend(joined(parts));
        }
        results
    }
}

/// The lanes of all parts of a column, which are in order.
fn joined(parts: &mut [Revealed]) -> Option<Words> {
    let mut words = parts.iter_mut().map(|part| std::mem::replace(&mut part.words, Words::zero(1, 0)));
    match words.len() {
        1 => words.next(),
        // All are as wide as the column.
        _ => Words::concat(&words.collect::<Vec<_>>()),
    }
}
