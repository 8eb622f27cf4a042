//! The walk of one party with its side of Yao's protocol, in setup or online.

pub(crate) mod context;
mod domains;
pub(crate) mod labels;
pub(crate) mod outputs;
mod pending_output;

pub(crate) use domains::drive_domains;

use std::collections::VecDeque;

use tacit_math::{Bits, Block};
use tacit_plan::{Column, Side};
use tacit_twoparty::yao::{self, Region};
use zeroize::Zeroizing;

use crate::inputs::PartyInputs;
use crate::{Failure, Operation};
use context::RunContext;
use labels::{Fetched, Randoms};
use outputs::RevealQueue;
use outputs::Revealed;
use tacit_schedule::walk::{CircuitOperand, CircuitTarget, CircuitTask, Task, WalkError, Walker, Wires};
use tacit_twoparty::bits;

/// Walks the plan's schedule with `side`. `inputs` are this party's, or `None` if the side does not need them yet.
/// Returns every output column that the side reveals to this party.
///
/// Security: `inputs` are secret.
///
/// # Errors
/// The failure; `operation` then names the operation that failed.
pub(crate) async fn drive<S: yao::Side>(
    context: RunContext<'_>,
    side: &mut S,
    inputs: Option<&PartyInputs>,
    operation: &mut Operation,
) -> Result<Vec<Revealed>, Failure> {
    let mut drive = Drive::new(context, inputs, operation);
    *drive.operation = Operation::Random;
    drive.randoms.prefetch(side).await?;
    let mut walker = Walker::new(context.plan.schedule(), context.plan.layout());
    while let Some(task) = walker.next()? {
        if context.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let line = walker.line();
        let written = drive.task(side, task, line).await?;
        walker.supply(written)?;
    }
    side.flush().await?;
    Ok(drive.outputs.revealed)
}

struct Drive<'a> {
    context: RunContext<'a>,
    inputs: Option<&'a PartyInputs>,
    operation: &'a mut Operation,
    /// Batches of the evaluator's input columns that are not yet fetched.
    batches: VecDeque<&'a [Column]>,
    fetched: Fetched,
    randoms: Randoms,
    outputs: RevealQueue<'a>,
}

impl<'a> Drive<'a> {
    /// A walk at the start of the plan's schedule.
    fn new(
        context: RunContext<'a>,
        inputs: Option<&'a PartyInputs>,
        operation: &'a mut Operation,
    ) -> Drive<'a> {
        Drive {
            context,
            inputs,
            operation,
            batches: context.plan.messages().evaluator_inputs().collect(),
            fetched: Fetched::default(),
            randoms: Randoms::new(context.plan.work().random_bits),
            outputs: RevealQueue::new(context.plan.messages()),
        }
    }

    /// Runs a task, and returns what it wrote.
    async fn task<S: yao::Side>(
        &mut self,
        side: &mut S,
        task: Task<'_, Wires<Block>>,
        line: u32,
    ) -> Result<Vec<Wires<Block>>, Failure> {
        match task {
            Task::Circuit(task) => {
                *self.operation = Operation::Gates { line };
                self.circuit(side, task).await
            }
            Task::Constant { words, copies, mut target, .. } => {
                side.constant(&bits::of_copies(words, copies), target.elements_mut())?;
                Ok(vec![target])
            }
            Task::Random { mut target, .. } => {
                *self.operation = Operation::Random;
                self.randoms.take(side, target.elements_mut()).await?;
                Ok(vec![target])
            }
            Task::Input { port, column, start, bundle, mut target, .. } => {
                *self.operation = self.context.input(port);
                let column = Column { port, column, start, bits: bundle.bits, lanes: bundle.lanes };
                self.input(side, column, target.elements_mut()).await?;
                Ok(vec![target])
            }
            Task::Output { port, source, .. } => {
                self.outputs.give(self.context, side, port, source, self.operation).await?;
                Ok(Vec::new())
            }
            Task::Kernel(_) => Err(WalkError::Domain.into()),
        }
    }

    async fn circuit<S: yao::Side>(
        &mut self,
        side: &mut S,
        mut task: CircuitTask<'_, Wires<Block>>,
    ) -> Result<Vec<Wires<Block>>, Failure> {
        let (region, operands, mut targets) = parts(&mut task);
        side.circuit(region, &operands, &mut targets).await?;
        self.context.tracker.done(task.circuit.and_count * task.instances);
        Ok(task.targets.into_iter().map(|target| target.wires).collect())
    }

    async fn input<S: yao::Side>(
        &mut self,
        side: &mut S,
        column: Column,
        target: &mut [Block],
    ) -> Result<(), Failure> {
        match self.context.giver(column.port) {
            Some(Side::Garbler) => self.labels(side, Side::Garbler, &[column], target).await,
            Some(Side::Evaluator) => self.evaluator_labels(side, target).await,
            None => {
                // The value of a column that both give is the exclusive or of their shares.
                self.labels(side, Side::Garbler, &[column], target).await?;
                let mut others = Zeroizing::new(vec![Block::ZERO; target.len()]);
                self.evaluator_labels(side, &mut others).await?;
                target.iter_mut().zip(others.iter()).for_each(|(label, other)| *label ^= *other);
                Ok(())
            }
        }
    }

    /// Labels of the evaluator's next input column.
    async fn evaluator_labels<S: yao::Side>(
        &mut self,
        side: &mut S,
        target: &mut [Block],
    ) -> Result<(), Failure> {
        if self.fetched.take(target) {
            return Ok(());
        }
        let batch = self.batches.pop_front().ok_or(WalkError::Unwritten)?;
        if let [only] = batch {
            return self.labels(side, Side::Evaluator, &[*only], target).await;
        }
        let count: u64 = batch.iter().map(|column| column.label_count()).sum();
        let mut labels = vec![Block::ZERO; count as usize];
        self.labels(side, Side::Evaluator, batch, &mut labels).await?;
        self.fetched.put(labels.into());
        if self.fetched.take(target) { Ok(()) } else { Err(WalkError::Unwritten.into()) }
    }

    /// Labels of input columns of the party on the side `giver`, one column after the other.
    async fn labels<S: yao::Side>(
        &mut self,
        side: &mut S,
        giver: Side,
        columns: &[Column],
        labels: &mut [Block],
    ) -> Result<(), Failure> {
        if giver != self.context.me {
            return Ok(side.peer_input(labels).await?);
        }
        let bits = match self.inputs {
            Some(inputs) => column_bits(inputs, columns.iter().copied())?,
            None => Bits::zeros(labels.len()),
        };
        Ok(side.own_input(&bits, labels).await?)
    }
}

/// A circuit, in the form that Yao's protocol takes.
pub(crate) fn parts<'t>(
    task: &'t mut CircuitTask<'_, Wires<Block>>,
) -> (Region<'t>, Vec<yao::LabelOperand<'t>>, Vec<yao::LabelTarget<'t>>) {
    let region = Region { circuit: task.circuit, instances: task.instances, first_id: task.first_id };
    let operand = |operand: &'t CircuitOperand<Wires<Block>>| yao::LabelOperand {
        labels: &operand.wires,
        bits: operand.bits,
        share: operand.share,
    };
    let target = |target: &'t mut CircuitTarget<Wires<Block>>| yao::LabelTarget {
        bits: target.bits,
        labels: target.wires.elements_mut(),
    };
    (region, task.operands.iter().map(operand).collect(), task.targets.iter_mut().map(target).collect())
}

/// The bits of input columns that this party gives, one column after the other.
///
/// # Errors
/// [`WalkError::Input`].
pub(crate) fn column_bits(
    inputs: &PartyInputs,
    columns: impl Iterator<Item = Column>,
) -> Result<Bits, WalkError> {
    let mut all = Bits::default();
    for column in columns {
        let words = inputs.lanes(column)?;
        all.extend_bits(&bits::of_words(&words));
    }
    Ok(all)
}
