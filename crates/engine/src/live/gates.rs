//! Batches at both parties: labels of the garbler's inputs, gates, and openings.

use std::sync::Arc;

use tacit_ir::{Domain, Type, ValueType, Words};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::chosen::receive_bits;
use tacit_plan::{Recipients, Side};
use tacit_schedule::Bundle;
use tacit_twoparty::yao::live::{LiveEvaluator, LiveGarbler, colours};
use tacit_twoparty::yao::{LabelOperand, LabelTarget, Region, YaoError};
use tokio::sync::mpsc;

use super::batch::{self, Batch, Next, OpenStep};
use super::constants::{CLOSED, DONE};
use super::header::Header;
use super::script::{Announced, Outstanding, SharedScript, Waiter};
use super::segment::Segment;
use super::stop::{Counted, Stop};
use super::value::{Cell, PathId, bits_of};
use crate::Failure;
use crate::drive::parts;
use crate::peer_fault::LiveFault;
use tacit_schedule::walk::{Pool, Task, WalkError, Walker, Wires};
use tacit_twoparty::bits;

/// A batch that is garbled and sent, and that the evaluator has not answered yet.
pub(super) struct Sent {
    opens: Vec<OpenStep>,
    colours: Vec<Bits>,
    last: Vec<(PathId, u64)>,
}

/// Either party's gates on their stream.
trait Gates {
    fn constant(&self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError>;

    fn circuit(
        &mut self,
        channel: &mut Channel,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> impl Future<Output = Result<(), YaoError>> + Send;
}

impl Gates for LiveGarbler {
    fn constant(&self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        self.constant(bits, labels)
    }

    async fn circuit(
        &mut self,
        channel: &mut Channel,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.circuit(channel, region, operands, targets).await
    }
}

impl Gates for LiveEvaluator {
    fn constant(&self, bits: &Bits, labels: &mut [Block]) -> Result<(), YaoError> {
        self.constant(bits, labels)
    }

    async fn circuit(
        &mut self,
        channel: &mut Channel,
        region: Region<'_>,
        operands: &[LabelOperand<'_>],
        targets: &mut [LabelTarget<'_>],
    ) -> Result<(), YaoError> {
        self.circuit(channel, region, operands, targets).await
    }
}

/// Garbles batch after batch, whatever is ready, until both programs have ended.
pub(super) async fn garble(
    shared: &SharedScript,
    counted: &mut Counted,
    channel: &mut Channel,
    garbler: &mut LiveGarbler,
    sent: mpsc::Sender<Sent>,
) -> Result<(), Stop> {
    loop {
        let Batch { header, inputs, segment, opens, last } = match batch::next(shared).await? {
            Next::Batch(batch) => *batch,
            Next::Run(Announced { path, number, tag, ready }) => {
                Header::Run { path, number, tag, ready }.send(channel).await?;
                channel.flush().await?;
                continue;
            }
            Next::End => break,
        };
        Header::Batch(header).send(channel).await?;
        for input in inputs {
            // The evaluator's inputs have transfers of their own.
            let words = input.words.as_ref().ok_or(Failure::Walk(WalkError::Unwritten))?;
            let own = bits::of_words(words);
            let mut labels = buffer(input.result.ty)?;
            garbler.input(channel, &own, labels.elements_mut()).await.map_err(Failure::from)?;
            input.result.set(labels);
            counted.work.garbler_input_bits += own.len() as u64;
        }
        if let Some(segment) = segment {
            run(garbler, channel, &segment, counted).await?;
        }
        let colours = opens.iter().map(own_colours).collect::<Result<Vec<_>, _>>()?;
        for (opened, colours) in opens.iter().zip(&colours) {
            if opened.open.recipients.include(Side::Evaluator) {
                channel.send(&colours.to_bytes()).await?;
            }
            counted.work.output_bits += opened.bits();
        }
        channel.flush().await?;
        shared.changed.notify_waiters();
        if sent.send(Sent { opens, colours, last }).await.is_err() {
            return Err(Stop::Broken(LiveFault::Unanswered));
        }
    }
    let hash = shared.state().hash();
    Header::Close { hash }.send(channel).await?;
    Ok(channel.flush().await?)
}

/// Receives the evaluator's answers to batches, and to the end.
pub(super) async fn answers(
    shared: &SharedScript,
    channel: &mut Channel,
    mut sent: mpsc::Receiver<Sent>,
) -> Result<(), Stop> {
    while let Some(Sent { opens, colours, last }) = sent.recv().await {
        expect(channel, DONE).await?;
        for (opened, own) in opens.into_iter().zip(colours) {
            let theirs = match opened.open.recipients.include(Side::Garbler) {
                true => Some(receive_bits(channel, own.len()).await.map_err(Failure::from)?),
                false => None,
            };
            opened.complete(shared, theirs.map(|theirs| xor(own, &theirs)));
        }
        let mut state = shared.state();
        last.into_iter().for_each(|(path, number)| state.confirm(path, number));
        state.unanswered -= 1;
        drop(state);
        shared.changed.notify_waiters();
    }
    expect(channel, CLOSED).await
}

async fn expect(channel: &mut Channel, answer: u8) -> Result<(), Stop> {
    channel.arrival().await?;
    let mut byte = [0];
    channel.receive_into(&mut byte).await?;
    match byte {
        [found] if found == answer => Ok(()),
        [found] => Err(Stop::Broken(LiveFault::Answer { found, expected: answer })),
    }
}

/// Evaluates the batches that the garbler announces, until both programs have ended.
pub(super) async fn evaluate(
    shared: &SharedScript,
    counted: &mut Counted,
    (gates, replies): (&mut Channel, &mut Channel),
    evaluator: &mut LiveEvaluator,
) -> Result<(), Stop> {
    loop {
        gates.arrival().await?;
        let header = match Header::receive(gates).await? {
            Header::Batch(header) => header,
            Header::Run { path, number, tag, ready } => {
                announced(shared, Announced { path, number, tag, ready }).await?;
                continue;
            }
            Header::Close { hash } => {
                closed(shared, hash).await?;
                replies.send(&[CLOSED]).await?;
                return Ok(replies.flush().await?);
            }
        };
        let Batch { inputs, segment, opens, .. } = batch::follow(shared, header).await?;
        for input in inputs {
            let mut labels = buffer(input.result.ty)?;
            evaluator.input(gates, labels.elements_mut()).await.map_err(Failure::from)?;
            counted.work.garbler_input_bits += labels.len() as u64;
            input.result.set(labels);
        }
        if let Some(segment) = segment {
            for cell in &segment.inputs {
                shared.when(|_| cell.labels().map(drop)).await;
            }
            run(evaluator, gates, &segment, counted).await?;
        }
        replies.send(&[DONE]).await?;
        let mut values = Vec::with_capacity(opens.len());
        for opened in &opens {
            shared.when(|_| opened.open.value.labels().map(drop)).await;
            let own = own_colours(opened)?;
            counted.work.output_bits += opened.bits();
            if opened.open.recipients.include(Side::Garbler) {
                replies.send(&own.to_bytes()).await?;
            }
            values.push(match opened.open.recipients.include(Side::Evaluator) {
                true => {
                    let theirs = receive_bits(gates, own.len()).await.map_err(Failure::from)?;
                    Some(xor(own, &theirs))
                }
                false => None,
            });
        }
        replies.flush().await?;
        opens.into_iter().zip(values).for_each(|(opened, value)| opened.complete(shared, value));
        shared.changed.notify_waiters();
    }
}

/// Notes a run that the garbler has announced, once the run before it has ended here too.
async fn announced(shared: &SharedScript, run: Announced) -> Result<(), Stop> {
    let noted = shared.when(|state| match state.announced {
        Some(_) if state.running => None,
        Some(_) => Some(Err(Stop::Broken(LiveFault::EarlyRun { number: run.number }))),
        None => {
            state.announced = Some(run);
            Some(Ok(()))
        }
    });
    noted.await?;
    shared.changed.notify_waiters();
    Ok(())
}

/// Waits until this program has ended too, and compares everything that both appended.
async fn closed(shared: &SharedScript, theirs: [u8; 32]) -> Result<(), Stop> {
    let looked = shared.when(|state| match (state.outstanding.keys().next(), state.closing) {
        _ if state.running => None,
        (Some((path, _)), _) => Some(Err(Stop::Differs(*path))),
        (None, Some(_)) => Some(Ok(state.hash())),
        (None, None) => None,
    });
    match looked.await? == theirs {
        true => Ok(()),
        false => Err(Stop::Differs(PathId::default())),
    }
}

/// Runs a segment; its gates get the numbers after those of the session so far.
async fn run<G: Gates>(
    gates: &mut G,
    channel: &mut Channel,
    segment: &Segment,
    counted: &mut Counted,
) -> Result<(), Stop> {
    let base = counted.work.and_count;
    let mut walker = Walker::new(&segment.schedule, &segment.layout);
    while let Some(task) = walker.next().map_err(Failure::from)? {
        let written = match task {
            Task::Circuit(mut task) => {
                task.first_id += base;
                let (region, operands, mut targets) = parts(&mut task);
                gates.circuit(channel, region, &operands, &mut targets).await.map_err(Failure::from)?;
                counted.work.xor_count += task.circuit.xor_count().saturating_mul(task.instances);
                task.targets.into_iter().map(|target| target.wires).collect()
            }
            Task::Constant { words, copies, mut target, .. } => {
                let bits = bits::of_copies(words, copies);
                gates.constant(&bits, target.elements_mut()).map_err(Failure::from)?;
                vec![target]
            }
            Task::Input { port, mut target, .. } => {
                let cell = segment.inputs.get(port as usize).and_then(|cell| cell.labels());
                let labels = cell.ok_or(Failure::Walk(WalkError::Unwritten))?;
                target.elements_mut().copy_from_slice(labels);
                vec![target]
            }
            Task::Output { port, source, .. } => {
                let cell = segment.outputs.get(port as usize).ok_or(Failure::Walk(WalkError::Unwritten))?;
                keep(cell, source);
                Vec::new()
            }
            // Segments are lowered in the domain of labels, and nothing in them is random.
            Task::Random { .. } | Task::Kernel(_) => return Err(Failure::Walk(WalkError::Unwritten).into()),
        };
        walker.supply(written)?;
    }
    counted.work.and_count += segment.schedule.and_count();
    counted.segments += 1;
    Ok(())
}

/// Sets the labels of a value, unless nothing holds it any more.
fn keep(cell: &Arc<Cell>, labels: Wires<Block>) {
    if Arc::strong_count(cell) > 1 {
        cell.set(labels);
    }
}

/// A buffer for the labels of a value.
pub(super) fn buffer(ty: ValueType) -> Result<Wires<Block>, Failure> {
    let Type::Word(bits) = ty.ty else { return Err(Failure::Walk(WalkError::Unwritten)) };
    Ok(Pool::default().take(Bundle { bits, lanes: ty.lanes, domain: Domain::default() }, ty.lanes)?)
}

fn own_colours(opened: &OpenStep) -> Result<Bits, Failure> {
    let labels = opened.open.value.labels().ok_or(Failure::Walk(WalkError::Unwritten))?;
    Ok(colours(labels))
}

fn xor(mut own: Bits, theirs: &Bits) -> Bits {
    own ^= theirs;
    own
}

impl OpenStep {
    /// Number of bits that somebody learns.
    fn bits(&self) -> u64 {
        match self.open.recipients {
            Recipients::Nobody => 0,
            _ => bits_of(self.open.value.ty) as u64,
        }
    }

    /// Passes the value to the program if this party learns it.
    pub fn complete(self, shared: &SharedScript, value: Option<Bits>) {
        let ty = self.open.value.ty;
        let words = value.map(|value| match ty.ty {
            Type::Word(width) => bits::to_words(&value, 0, width, ty.lanes),
            Type::Field(_) => Words::zero(1, 1),
        });
        let awaited = shared.state().outstanding.remove(&(self.path, self.number));
        shared.changed.notify_waiters();
        if let Some(Outstanding { waiter: Waiter::Opening(opening), .. }) = awaited {
            opening(Ok(words));
        }
    }
}

/// The recipients of a value, of two parties.
pub fn recipients(garbler: bool, evaluator: bool) -> Option<Recipients> {
    match (garbler, evaluator) {
        (true, true) => Some(Recipients::Both),
        (true, false) => Some(Recipients::Garbler),
        (false, true) => Some(Recipients::Evaluator),
        (false, false) => None,
    }
}
