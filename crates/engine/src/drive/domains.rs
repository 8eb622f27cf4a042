//! The walk of one party over values in several domains.
//!
//! Labels, bits and words lie as [`Shares`] has them.

use tacit_ir::{Domain, Words};
use tacit_math::Bits;
use tacit_plan::{Column, Recipients};
use tacit_schedule::{ArithOp, Bundle};
use tacit_twoparty::{End, arith, batch, convert, gmw, mask, yao};
use zeroize::Zeroizing;

use super::Drive;
use super::context::RunContext;
use super::openings::{Compared, OpenedGates, OpenedLabels, OpenedWords, Openings, Shifted, all_words};
use super::outputs::Revealed;
use super::outputs::recipients;
use super::pending_output::PendingOutput;
use super::shares::{Shares, labels_task};
use crate::inputs::PartyInputs;
use crate::{Failure, Operation, bits};
use tacit_schedule::walk::{Buffer, Layer, Task, WalkError, Walker};

/// Walks the plan's schedule with `side` for labels and `end` for shares, and reveals all outputs at its end.
///
/// Security: `inputs` are secret.
///
/// # Errors
/// What failed; `operation` then says during what.
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
    /// Output columns that are still to be revealed.
    pending: Vec<PendingOutput>,
}

impl DomainDrive<'_> {
    /// Does a task; what it wrote.
    async fn task<S: yao::Adds>(
        &mut self,
        side: &mut S,
        task: Task<'_, Shares>,
        line: u32,
    ) -> Result<Vec<Shares>, Failure> {
        match task {
            Task::Output { port, column, bundle, source } => {
                let column = Column { port, column, bits: bundle.bits, lanes: bundle.lanes };
                self.pending.push(PendingOutput { column, domain: bundle.domain, wires: source });
                Ok(Vec::new())
            }
            Task::Input { port, column, bundle, target } if bundle.domain == Domain::Bool => {
                let own = self.own(port, column, bundle.bits, bundle.lanes)?.map(bits::of_words);
                let own = own.map(Zeroizing::new);
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => Zeroizing::new(gmw::input(&mut self.end, own.as_deref(), target.elements())?),
                };
                Ok(vec![target.with_bits(&shares)?])
            }
            Task::Share { port, column, bits, signed, bundle, target } => {
                let words = self.own(port, column, bits, bundle.lanes)?;
                let own = words.map(|words| Zeroizing::new(words_of(words, bundle.bits, signed)));
                let shares = match (self.yao.context.giver(port), own) {
                    (None, Some(shares)) => shares,
                    (_, own) => {
                        let own = own.as_ref().map(|own| &own[..]);
                        Zeroizing::new(arith::input(&mut self.end, own, bundle.bits, target.elements())?)
                    }
                };
                Ok(vec![target.with_words(&shares)?])
            }
            Task::Random { bundle, target } if bundle.domain != Domain::Yao => match bundle.domain {
                Domain::Arith => {
                    let shares = arith::random(&mut self.end, bundle.bits, target.elements())?;
                    Ok(vec![target.with_words(&shares)?])
                }
                _ => {
                    let shares = gmw::random(&mut self.end, target.elements());
                    Ok(vec![target.with_bits(&shares)?])
                }
            },
            Task::Constant { words, copies, bundle, target } if bundle.domain != Domain::Yao => {
                Ok(vec![self.constant(words, copies, bundle, target)?])
            }
            Task::Convert { source, to, target, .. } if to.domain == Domain::Bool => {
                Ok(vec![target.with_bits(&*source.bits()?)?])
            }
            Task::Addends { source, to, targets: [first, second] } => {
                let [a, b] = convert::a2b_addends(self.end.party(), source.words()?, to.bits)?;
                Ok(vec![first.with_bits(&Zeroizing::new(a))?, second.with_bits(&Zeroizing::new(b))?])
            }
            Task::Arith { op, bits, copies, operands, target } => {
                Ok(vec![target.with_words(&alone(op, bits, copies, &operands)?)?])
            }
            // One that has no ANDs.
            Task::Circuit(task) if task.domain == Domain::Bool => {
                let mut gates = OpenedGates { at: 0, task };
                gmw::run(&mut self.end, &mut [gates.region()?]).await?;
                Ok(gates.written())
            }
            task => {
                let labels = self.yao.task(side, labels_task(task)?, line).await?;
                Ok(labels.into_iter().map(Shares::Labels).collect())
            }
        }
    }

    /// The words of an input column, if this party gives it; its share if both do.
    fn own(&self, port: u32, column: u32, bits: u32, lanes: u64) -> Result<Option<&Words>, WalkError> {
        let mine = self.yao.context.giver(port).is_none_or(|giver| giver == self.yao.context.me);
        mine.then(|| self.inputs.column(Column { port, column, bits, lanes })).transpose()
    }

    fn constant(
        &self,
        words: &Words,
        copies: u64,
        bundle: Bundle,
        target: Shares,
    ) -> Result<Shares, WalkError> {
        let party = self.end.party();
        if bundle.domain == Domain::Bool {
            return target.with_bits(&gmw::constant(party, &bits::of_copies(words, copies)));
        }
        let words = words_of(words, bundle.bits, false).repeat(copies as usize);
        target.with_words(&arith::constant(party, &words, bundle.bits))
    }

    /// Does tasks that open something and do not depend on each other: all labels in one transfer, then all shares in
    /// as many messages as the deepest circuit has layers.
    async fn layer<S: yao::Adds>(
        &mut self,
        side: &mut S,
        tasks: Vec<(Task<'_, Shares>, u32)>,
    ) -> Result<Vec<Vec<Shares>>, Failure> {
        if let Some((task, line)) = tasks.first() {
            *self.yao.operation = opening(task, *line);
        }
        let mut written: Vec<Vec<Shares>> = (0..tasks.len()).map(|_| Vec::new()).collect();
        let Openings { mut labels, words, mut gates, compared, shifted } = Openings::sort(tasks)?;
        if !labels.is_empty() {
            let shares = labels.iter_mut().map(OpenedLabels::shares).collect();
            convert::to_labels(side, self.end.party(), shares).await?;
        }
        if !words.is_empty() || !gates.is_empty() {
            side.flush().await?;
            let operations: Vec<_> = words.iter().map(OpenedWords::operation).collect::<Result<_, _>>()?;
            let mut regions: Vec<_> = gates.iter_mut().map(OpenedGates::region).collect::<Result<_, _>>()?;
            let results = batch::run(&mut self.end, &operations, &mut regions).await?;
            for (opened, result) in words.into_iter().zip(results) {
                written[opened.at] = vec![opened.target.with_words(&Zeroizing::new(result))?];
            }
        }
        if !compared.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = compared.iter().map(Compared::comparison).collect::<Result<_, _>>()?;
            let answers = arith::compare_all(&mut self.end, &asked).await?;
            for (compared, answer) in compared.into_iter().zip(answers) {
                written[compared.at] = vec![compared.target.with_bits(&Zeroizing::new(answer))?];
            }
        }
        if !shifted.is_empty() {
            side.flush().await?;
            let asked: Vec<_> = shifted.iter().map(Shifted::resized).collect();
            let results = arith::resize_all(&mut self.end, &asked).await?;
            for (shifted, result) in shifted.into_iter().zip(results) {
                written[shifted.at] = vec![shifted.target.with_words(&Zeroizing::new(result))?];
            }
        }
        for gates in gates {
            self.yao.context.tracker.done(gates.task.circuit.and_count * gates.task.instances);
            let at = gates.at;
            written[at] = gates.written();
        }
        for labels in labels {
            self.yao.context.tracker.done(labels.shares.and_count());
            written[labels.at] = vec![Shares::Labels(labels.target)];
        }
        Ok(written)
    }

    /// Reveals all outputs, those of the same recipients in one message.
    async fn reveal(&mut self) -> Result<Vec<Revealed>, Failure> {
        let mut revealed = Vec::new();
        let RunContext { program, plan, .. } = self.yao.context;
        for who in Recipients::ALL {
            let of = |output: &&PendingOutput| who.receive(program, output.column.port, plan.parties());
            let outputs: Vec<&PendingOutput> = self.pending.iter().filter(of).collect();
            let Some(first) = outputs.first() else { continue };
            if who == Recipients::Nobody {
                for output in outputs {
                    revealed.push(output.stored()?);
                }
                continue;
            }
            let name = program.outputs[first.column.port as usize].name.clone();
            *self.yao.operation = Operation::Output { name };
            let mut shares = Bits::default();
            for output in &outputs {
                shares.extend_bits(&*output.shares()?);
            }
            let Some(mut opened) = gmw::open(&mut self.end, recipients(who), &shares).await? else {
                continue;
            };
            // What the peer sent, since sums are not what gmw::open made of it.
            opened ^= &shares;
            let mut start = 0;
            for output in outputs {
                let end = start + output.column.label_count() as usize;
                let words = output.value(&opened.slice(start..end))?;
                revealed.push(Revealed { column: output.column, words, shared: false });
                start = end;
            }
        }
        Ok(revealed)
    }
}

/// What a task that waits for the peer does, for errors.
fn opening(task: &Task<'_, Shares>, line: u32) -> Operation {
    match task {
        Task::Circuit(_) => Operation::Gates { line },
        Task::Arith { op, .. } => Operation::Arithmetic { name: op.name(), line },
        _ => Operation::Conversion { line },
    }
}

/// An operation on words that each party does alone.
fn alone(
    op: &ArithOp,
    bits: u32,
    copies: u64,
    operands: &[Shares],
) -> Result<Zeroizing<Vec<u128>>, WalkError> {
    let operands = all_words(operands)?;
    let x = operands.first().ok_or(WalkError::Unwritten)?;
    let y = || operands.get(1).map(|y| &y[..]).ok_or(WalkError::Unwritten);
    Ok(Zeroizing::new(match op {
        ArithOp::Add => arith::add(x, y()?, bits),
        ArithOp::Sub => arith::subtract(x, y()?, bits),
        ArithOp::Neg => arith::negate(x, bits),
        ArithOp::Truncate => arith::truncate(x, bits),
        ArithOp::Scale(by) => {
            let by = words_of(by, bits, false).repeat(copies as usize);
            arith::multiply_public(x, &by, bits)
        }
        ArithOp::SegmentSum(length) => arith::segment_sum(x, *length as usize, bits),
        ArithOp::Scan(length) => arith::scan(x, *length as usize, bits),
        ArithOp::Square
        | ArithOp::Mul
        | ArithOp::MatrixProduct { .. }
        | ArithOp::Compare(_)
        | ArithOp::ShiftRight { .. } => return Err(WalkError::Domain),
    }))
}

/// The lanes of words modulo 2^width, at most 128; with their signs if `signed`.
pub(crate) fn words_of(words: &Words, width: u32, signed: bool) -> Vec<u128> {
    let sign = |word: u128| {
        let top = if signed { word >> (words.bits() - 1) & 1 } else { 0 };
        (word | top.wrapping_neg() & !mask(words.bits())) & mask(width)
    };
    (0..words.lanes()).map(|lane| sign(words.low_u128(lane))).collect()
}
