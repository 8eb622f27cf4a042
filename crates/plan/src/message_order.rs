use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tacit_ir::Program;
use tacit_schedule::{Action, Body, BundleId, Schedule, Step};

use crate::{Parties, Side};

/// Labels of the evaluator's inputs that one round carries (16 MiB).
pub(crate) const INPUT_BATCH_LABELS: u64 = 1 << 20;
/// Labels of outputs that wait until they are revealed together (16 MiB).
pub(crate) const REVEAL_LABELS: u64 = 1 << 20;

/// The messages of a run of `main`, in order, and which values travel together. Both parties follow it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageOrder {
    /// The events, in order.
    pub events: Vec<Event>,
}

/// An event that both parties perform at the same place of the walk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// `main` reads a column of the garbler's input.
    GarblerInput(Column),
    /// `main` reads the first of these columns of the evaluator's input; the others are fetched with it.
    EvaluatorInputs(Vec<Column>),
    /// Circuits.
    Gates(Gates),
    /// Output columns are revealed.
    Reveal(Reveal),
}

/// The totals of several circuits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gates {
    /// ANDs.
    pub and_count: u64,
    /// Bytes of their tables.
    pub table_bytes: u64,
}

/// Lanes of a column of an input or output port, in `main`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// The index of the port in the program.
    pub port: u32,
    /// The index of the column in the port.
    pub column: u32,
    /// The first lane; others follow it.
    pub start: u64,
    /// Width of each lane.
    pub bits: u32,
    /// Number of lanes.
    pub lanes: u64,
}

impl Column {
    /// Wires, each with one label.
    pub fn label_count(self) -> u64 {
        u64::from(self.bits).saturating_mul(self.lanes)
    }
}

/// Output columns that are revealed together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reveal {
    /// Who learns them.
    pub recipients: Recipients,
    /// The columns, in the order in which `main` gives them.
    pub columns: Vec<Column>,
    /// Output steps of `main` up to and including the one after which this reveal happens.
    pub after: u64,
}

/// Which parties learn an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Recipients {
    /// The evaluator alone.
    Evaluator,
    /// Both parties.
    Both,
    /// The garbler alone.
    Garbler,
    /// Neither: each party keeps its share, for outside parties and for values kept between runs.
    Nobody,
}

impl Recipients {
    /// In the order in which simultaneous reveals are sent.
    pub const ALL: [Recipients; 4] =
        [Recipients::Evaluator, Recipients::Both, Recipients::Garbler, Recipients::Nobody];

    /// Whether an output port is revealed in this way: to the parties of its roles, and as shares if neither
    /// party speaks for a role.
    pub fn receive(self, program: &Program, port: u32, parties: &Parties) -> bool {
        let roles = &program.outputs[port as usize].roles;
        let any = |side| roles.iter().any(|role| parties.side(*role) == side);
        let learn = [any(Some(Side::Garbler)), any(Some(Side::Evaluator))];
        match self {
            Recipients::Garbler => learn == [true, false],
            Recipients::Evaluator => learn == [false, true],
            Recipients::Both => learn == [true, true],
            Recipients::Nobody => any(None),
        }
    }

    /// Whether the party on this side learns the output.
    pub fn include(self, side: Side) -> bool {
        match self {
            Recipients::Both => true,
            Recipients::Nobody => false,
            Recipients::Garbler => side == Side::Garbler,
            Recipients::Evaluator => side == Side::Evaluator,
        }
    }
}

impl MessageOrder {
    /// The message order of a schedule's `main`, where `table_bytes` gives the table bytes of a step.
    pub(crate) fn new(
        program: &Program,
        schedule: &Schedule,
        parties: &Parties,
        mut table_bytes: impl FnMut(&Action) -> u64,
    ) -> MessageOrder {
        let main = &schedule.bodies[schedule.main];
        let columns = columns(main);
        let mut writer = OrderWriter::new(program, parties, batches(program, main, (&columns, parties)));
        for (index, step) in main.steps.iter().enumerate() {
            match &step.action {
                Action::Input { target, .. } if !is_garbled(main, *target) => {}
                Action::Input { .. } => columns[index].into_iter().for_each(|column| writer.input(column)),
                Action::Output { .. } => columns[index].into_iter().for_each(|column| writer.output(column)),
                _ => {
                    let next = main.steps.get(index + 1).map_or(main.and_count, |next| next.and_base);
                    let and_count = next.saturating_sub(step.and_base);
                    writer.gates(Gates { and_count, table_bytes: table_bytes(&step.action) });
                }
            }
        }
        writer.reveal();
        writer.messages
    }

    /// The batches of the evaluator's input columns, in order.
    pub fn evaluator_inputs(&self) -> impl Iterator<Item = &[Column]> {
        self.events.iter().filter_map(|event| match event {
            Event::EvaluatorInputs(batch) => Some(&batch[..]),
            _ => None,
        })
    }

    /// The garbler's input columns, in order.
    pub fn garbler_inputs(&self) -> impl Iterator<Item = Column> {
        self.events.iter().filter_map(|event| match event {
            Event::GarblerInput(column) => Some(*column),
            _ => None,
        })
    }

    /// Bits of the evaluator's inputs; saturates.
    pub(crate) fn evaluator_input_bits(&self) -> u64 {
        self.evaluator_inputs().map(labels).fold(0, u64::saturating_add)
    }

    /// Bits of the garbler's inputs; saturates.
    pub(crate) fn garbler_input_bits(&self) -> u64 {
        self.garbler_inputs().map(Column::label_count).fold(0, u64::saturating_add)
    }

    /// Whether less might be sent, or in fewer rounds, if the other party garbled: the evaluator has more
    /// input bits, which take transfers, or only the garbler learns an output, which takes a message more.
    pub(crate) fn might_gain_by_swapping(&self) -> bool {
        self.evaluator_input_bits() > self.garbler_input_bits()
            || self.reveals().any(|reveal| reveal.recipients == Recipients::Garbler)
    }

    /// Bits that are revealed; saturates.
    pub(crate) fn output_bits(&self) -> u64 {
        self.reveals().map(|reveal| labels(&reveal.columns)).fold(0, u64::saturating_add)
    }

    /// The reveals, in order.
    pub fn reveals(&self) -> impl Iterator<Item = &Reveal> {
        self.events.iter().filter_map(|event| match event {
            Event::Reveal(reveal) => Some(reveal),
            _ => None,
        })
    }
}

fn is_garbled(main: &Body, bundle: BundleId) -> bool {
    main.bundles[bundle.index()].rules().is_garbled()
}

/// For each step of `main`, the column that it reads from an input or writes to an output, if any.
fn columns(main: &Body) -> Vec<Option<Column>> {
    let mut lanes_before: BTreeMap<(bool, u32, u32), u64> = BTreeMap::new();
    let mut of = |is_input: bool, port: u32, column: u32, bundle: BundleId| {
        let bundle = &main.bundles[bundle.index()];
        let next = lanes_before.entry((is_input, port, column)).or_default();
        let start = std::mem::replace(next, next.saturating_add(bundle.lanes));
        Some(Column { port, column, start, bits: bundle.bits, lanes: bundle.lanes })
    };
    let column = |step: &Step| match &step.action {
        Action::Input { port, column, target, .. } => of(true, *port, *column, *target),
        Action::Output { port, column, source } => of(false, *port, *column, *source),
        _ => None,
    };
    main.steps.iter().map(column).collect()
}

fn side(program: &Program, parties: &Parties, column: Column) -> Option<Side> {
    parties.side(program.inputs[column.port as usize].role)
}

/// The evaluator's input columns in the order of `main`, batched up to the bound.
fn batches(
    program: &Program,
    main: &Body,
    (columns, parties): (&[Option<Column>], &Parties),
) -> Vec<Vec<Column>> {
    let mut batches: Vec<Vec<Column>> = Vec::new();
    for (step, column) in main.steps.iter().zip(columns) {
        let (Action::Input { target, .. }, Some(column)) = (&step.action, *column) else { continue };
        if !is_garbled(main, *target) {
            continue;
        }
        if side(program, parties, column) == Some(Side::Garbler) {
            continue;
        }
        match batches.last_mut() {
            Some(batch) if labels(batch).saturating_add(column.label_count()) <= INPUT_BATCH_LABELS => {
                batch.push(column);
            }
            _ => batches.push(vec![column]),
        }
    }
    batches
}

struct OrderWriter<'a> {
    program: &'a Program,
    parties: &'a Parties,
    batches: std::iter::Peekable<std::vec::IntoIter<Vec<Column>>>,
    messages: MessageOrder,
    pending: Vec<Column>,
    outputs: u64,
}

impl<'a> OrderWriter<'a> {
    fn new(program: &'a Program, parties: &'a Parties, batches: Vec<Vec<Column>>) -> Self {
        let batches = batches.into_iter().peekable();
        OrderWriter {
            program,
            parties,
            batches,
            messages: MessageOrder::default(),
            pending: Vec::new(),
            outputs: 0,
        }
    }

    fn input(&mut self, column: Column) {
        let side = side(self.program, self.parties, column);
        // A column that neither side gives alone is the exclusive or of both sides' shares.
        if side != Some(Side::Evaluator) {
            self.messages.events.push(Event::GarblerInput(column));
        }
        if side != Some(Side::Garbler) {
            let due = self.batches.next_if(|batch| batch.first() == Some(&column));
            self.messages.events.extend(due.map(Event::EvaluatorInputs));
        }
    }

    fn gates(&mut self, more: Gates) {
        match self.messages.events.last_mut() {
            Some(Event::Gates(gates)) => {
                gates.and_count = gates.and_count.saturating_add(more.and_count);
                gates.table_bytes = gates.table_bytes.saturating_add(more.table_bytes);
            }
            _ if more.and_count > 0 => self.messages.events.push(Event::Gates(more)),
            // Without ANDs nothing is sent.
            _ => {}
        }
    }

    fn output(&mut self, column: Column) {
        self.outputs += 1;
        self.pending.push(column);
        if labels(&self.pending) >= REVEAL_LABELS {
            self.reveal();
        }
    }

    fn reveal(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        for recipients in Recipients::ALL {
            let of = |column: &&Column| recipients.receive(self.program, column.port, self.parties);
            let columns: Vec<Column> = pending.iter().filter(of).copied().collect();
            if !columns.is_empty() {
                let reveal = Reveal { recipients, columns, after: self.outputs };
                self.messages.events.push(Event::Reveal(reveal));
            }
        }
    }
}

/// Labels of several columns.
pub(crate) fn labels(columns: &[Column]) -> u64 {
    columns.iter().map(|column| column.label_count()).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use tacit_ir::{Builder, Shape};
    use tacit_lower::{Options, lower};

    use super::*;

    fn array(lanes: u32) -> Shape {
        Shape::Array { length: lanes, element: Shape::Integer { bits: 32, signed: false }.into() }
    }

    /// Each role gives arrays of these lengths; B's are revealed to both, A's to B.
    fn order_of(lanes: &[u32]) -> MessageOrder {
        let mut builder = Builder::new("messages");
        let (a, b) = (builder.role("A"), builder.role("B"));
        let mut main = builder.template("main", vec![]);
        for (index, lanes) in lanes.iter().enumerate() {
            for (role, recipients) in [(a, vec![b]), (b, vec![a, b])] {
                let name = format!("x{}_{index}", role.0);
                let input = builder.input(&name, role, array(*lanes)).unwrap();
                let output = builder.output(&name, recipients, array(*lanes)).unwrap();
                let value = main.input(&builder, input).unwrap();
                main.output(&builder, output, &value).unwrap();
            }
        }
        let program = builder.finish(main).unwrap();
        let schedule = lower(&program, &Options::default()).unwrap();
        MessageOrder::new(&program, &schedule, &Parties::of_roles(&program).unwrap(), |_| 0)
    }

    fn lanes(columns: &[Column]) -> Vec<u64> {
        columns.iter().map(|column| column.lanes).collect()
    }

    #[test]
    fn small_columns_travel_together() {
        let messages = order_of(&[1, 2, 3]);
        assert_eq!(messages.evaluator_inputs().map(lanes).collect::<Vec<_>>(), [[1, 2, 3]]);
        let reveals: Vec<_> = messages
            .reveals()
            .map(|reveal| (reveal.recipients, lanes(&reveal.columns), reveal.after))
            .collect();
        assert_eq!(
            reveals,
            [(Recipients::Evaluator, vec![1, 2, 3], 6), (Recipients::Both, vec![1, 2, 3], 6)]
        );
        assert_eq!(messages.garbler_inputs().map(|column| column.lanes).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn large_columns_make_batches() {
        let messages = order_of(&[20_000, 20_000, 1]);
        let batches: Vec<_> = messages.evaluator_inputs().map(lanes).collect();
        assert_eq!(batches, [vec![20_000], vec![20_000, 1]]);
        let reveals: Vec<_> = messages.reveals().map(|reveal| reveal.after).collect();
        assert_eq!(reveals, [2, 2, 4, 4, 6, 6]);
    }
}
