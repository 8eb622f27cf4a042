//! The walk of one party over values in several domains.
//!
//! Labels, bits and words are stored as [`Shares`].

use std::borrow::Cow;

use tacit_ir::Words;
use tacit_math::Bits;
use tacit_plan::{Column, Recipients};
use tacit_schedule::rules;
use tacit_schedule::walk::{KernelTask, Layer, Task, WalkError, Walker};
use tacit_twoparty::domains::{self, InputColumn, Openings, Shares, domain_worker, labels_task};
use tacit_twoparty::{End, gmw, yao};

use super::Drive;
use super::context::RunContext;
use super::outputs::Revealed;
use super::outputs::recipients;
use super::pending_output::PendingOutput;
use crate::inputs::PartyInputs;
use crate::{Failure, Operation};

/// Walks the plan's schedule with `side` for labels and `end` for shares, and reveals all outputs at its end.
///
/// Security: `inputs` are secret.
///
/// # Errors
/// The failure; `operation` then names the operation that failed.
pub(crate) async fn drive_domains<S: yao::Adds>(
    context: RunContext<'_>,
    side: &mut S,
    end: End,
    inputs: &PartyInputs,
    operation: &mut Operation,
) -> Result<(Vec<Revealed>, End), Failure> {
    let mut drive =
        DomainDrive { yao: Drive::new(context, Some(inputs), operation), end, inputs, pending: Vec::new() };
    *drive.yao.operation = Operation::Random;
    drive.yao.randoms.prefetch(side).await?;
    let mut walker = Walker::new(context.plan.schedule(), context.plan.layout());
    loop {
        if context.cancel.is_cancelled() {
            return Err(Failure::Cancelled);
        }
        let Layer { tasks, opens } = walker.layer()?;
        if tasks.is_empty() {
            break;
        }
        if opens {
            for written in drive.layer(side, tasks).await? {
                walker.supply(written)?;
            }
            continue;
        }
        for (task, line) in tasks {
            walker.supply(drive.task(side, task, line).await?)?;
        }
    }
    side.flush().await?;
    let revealed = drive.reveal().await?;
    Ok((revealed, drive.end))
}

struct DomainDrive<'a> {
    /// The walk where values are labels.
    yao: Drive<'a>,
    end: End,
    inputs: &'a PartyInputs,
    /// Output columns that are not yet revealed.
    pending: Vec<PendingOutput>,
}

impl<'a> DomainDrive<'a> {
    /// Runs a task, and returns what it wrote.
    async fn task<S: yao::Adds>(
        &mut self,
        side: &mut S,
        task: Task<'_, Shares>,
        line: u32,
    ) -> Result<Vec<Shares>, Failure> {
        let party = self.end.party();
        match task {
            Task::Output { port, column, start, bundle, source } => {
                let column = Column { port, column, start, bits: bundle.bits, lanes: bundle.lanes };
                self.pending.push(PendingOutput { column, bundle, wires: source });
                Ok(Vec::new())
            }
            Task::Input { port, column, start, bits, signed, bundle, target }
                if !bundle.rules().is_garbled() =>
            {
                let own = self.own(Column { port, column, start, bits, lanes: bundle.lanes })?;
                let own = own.as_deref();
                let column = InputColumn { own, is_shared: self.yao.context.giver(port).is_none(), signed };
                let worker = domain_worker(bundle.domain);
                Ok(vec![worker.input(&mut self.end, column, bundle, target)?])
            }
            Task::Random { bundle, target } if !bundle.rules().is_garbled() => {
                Ok(vec![domain_worker(bundle.domain).random(&mut self.end, bundle, target)?])
            }
            Task::Constant { words, copies, bundle, target } if !bundle.rules().is_garbled() => {
                let worker = domain_worker(bundle.domain);
                Ok(vec![worker.constant(party, (words, copies), bundle, target)?])
            }
            Task::Kernel(task) => Ok(domains::alone(party, task)?),
            // A circuit without ANDs.
            Task::Circuit(task) if rules(task.domain).is_layered() => {
                Ok(domains::circuit(&mut self.end, task).await?)
            }
            task => {
                let labels = self.yao.task(side, labels_task(task)?, line).await?;
                Ok(labels.into_iter().map(Shares::Labels).collect())
            }
        }
    }

    /// The words of an input column, if this party gives it; its share if both do.
    fn own(&self, column: Column) -> Result<Option<Cow<'a, Words>>, WalkError> {
        let mine = self.yao.context.giver(column.port).is_none_or(|giver| giver == self.yao.context.me);
        mine.then(|| self.inputs.lanes(column)).transpose()
    }

    /// Runs tasks that open something and do not depend on each other.
    async fn layer<S: yao::Adds>(
        &mut self,
        side: &mut S,
        tasks: Vec<(Task<'_, Shares>, u32)>,
    ) -> Result<Vec<Vec<Shares>>, Failure> {
        if let Some((task, line)) = tasks.first() {
            *self.yao.operation = opening(task, *line);
        }
        let mut openings = Openings::default();
        tasks.into_iter().try_for_each(|(task, _)| domains::open(&mut openings, task))?;
        let (written, ands) = openings.run(side, &mut self.end).await?;
        self.yao.context.tracker.done(ands);
        Ok(written)
    }

    /// Reveals all outputs, those of the same recipients in one message.
    async fn reveal(&mut self) -> Result<Vec<Revealed>, Failure> {
        let mut revealed = Vec::new();
        let party = self.end.party();
        let RunContext { program, plan, .. } = self.yao.context;
        for who in Recipients::ALL {
            let of = |output: &&PendingOutput| who.receive(program, output.column.port, plan.parties());
            let outputs: Vec<&PendingOutput> = self.pending.iter().filter(of).collect();
            let Some(first) = outputs.first() else { continue };
            if who == Recipients::Nobody {
                for output in outputs {
                    revealed.push(output.stored(party)?);
                }
                continue;
            }
            let name = program.outputs[first.column.port as usize].name.clone();
            *self.yao.operation = Operation::Output { name };
            let mut shares = Bits::default();
            for output in &outputs {
                shares.extend_bits(&*output.shares(party)?);
            }
            let Some(mut opened) = gmw::open(&mut self.end, recipients(who), &shares).await? else {
                continue;
            };
            // Restores what the peer sent, from the exclusive or that gmw::open returned: sums are combined in another way.
            opened ^= &shares;
            let mut start = 0;
            for output in outputs {
                let end = start + output.column.label_count() as usize;
                let words = output.value(party, &opened.slice(start..end))?;
                revealed.push(Revealed { column: output.column, words, shared: false });
                start = end;
            }
        }
        Ok(revealed)
    }
}

/// A task that waits for the peer, for errors.
fn opening(task: &Task<'_, Shares>, line: u32) -> Operation {
    match task {
        Task::Circuit(_) => Operation::Gates { line },
        Task::Kernel(KernelTask { kernel, .. }) if !kernel.rules().converts() => {
            Operation::Arithmetic { name: kernel.rules().name(), line }
        }
        _ => Operation::Conversion { line },
    }
}
