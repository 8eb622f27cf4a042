//! The evaluator's inputs, by oblivious transfer on a stream of their own: all that are available are sent together. Runs,
//! which also use transfers, begin on this stream, between two groups of inputs.

use std::collections::HashSet;
use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_ir::{BinaryOp, Op, ValueId, ValueType, Words};
use tacit_math::{Bits, Block};
use tacit_net::Channel;
use tacit_ot::cot::Extension;
use tacit_plan::Side;
use tacit_twoparty::yao::live::{InputSender, receive_input};
use zeroize::Zeroizing;

use super::constants::{NAME_BYTES, NO_RUN, RUN};
use super::gates::buffer;
use super::header::Tag;
use super::runs::Runs;
use super::script::{Announced, Input, Script, ScriptState, SharedScript, SourcePlace, StepKind};
use super::session_work::SessionWork;
use super::stop::{Counted, Stop};
use super::value::{Cell, PathId, bits_of};
use crate::Failure;
use crate::peer_fault::LiveFault;
use tacit_twoparty::bits;

/// Maximum number of inputs that are sent together, and the number of labels after which no further input is
/// added.
const MAX_INPUTS: usize = 1 << 12;
const MAX_LABELS: u64 = 1 << 20;

/// A step that is an input.
#[derive(Clone, Copy)]
struct InputName {
    path: PathId,
    number: u64,
    tag: Tag,
}

impl InputName {
    fn to_bytes(self) -> [u8; NAME_BYTES] {
        let mut bytes = [0; NAME_BYTES];
        bytes[..16].copy_from_slice(&self.path);
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..].copy_from_slice(&self.tag);
        bytes
    }

    fn from_bytes(bytes: &[u8; NAME_BYTES]) -> InputName {
        let mut name = InputName { path: PathId::default(), number: 0, tag: Tag::default() };
        let mut number = [0; 8];
        name.path.copy_from_slice(&bytes[..16]);
        number.copy_from_slice(&bytes[16..24]);
        name.tag.copy_from_slice(&bytes[24..]);
        name.number = u64::from_le_bytes(number);
        name
    }
}

/// The evaluator's next action.
enum Due {
    /// It gives inputs; none if it has ended.
    Inputs(Vec<(InputName, Own)>),
    /// It runs what was announced, if it has something to run.
    Run(Announced, Option<SessionWork>),
}

/// At the evaluator: gets labels for its inputs and begins runs, until both programs have ended.
pub(super) async fn receive(
    shared: &SharedScript,
    counted: &mut Counted,
    channel: &mut Channel,
    (runs, extension): (&mut Runs<'_>, Extension),
) -> Result<(), Stop> {
    let mut prg = Prg::from_os().map_err(Failure::from)?;
    loop {
        let due = match shared.when(|state| state.due().transpose()).await? {
            Due::Inputs(due) => due,
            Due::Run(run, work) => {
                begin(shared, channel, runs, (run, work)).await?;
                continue;
            }
        };
        channel.send(&(due.len() as u32).to_le_bytes()).await?;
        if due.is_empty() {
            return Ok(channel.flush().await?);
        }
        let mut own = Bits::default();
        for (name, input) in &due {
            channel.send(&name.to_bytes()).await?;
            own.extend_bits(&input.0);
        }
        let mut labels = Zeroizing::new(vec![Block::ZERO; own.len()]);
        let transfers = runs.transfers()?;
        let mut ots = transfers.receiver(channel, extension, &mut prg).await.map_err(Failure::from)?;
        receive_input(channel, &mut ots, &own, &mut labels).await.map_err(Failure::from)?;
        transfers.keep_receiver(extension, ots);
        let cells: Vec<_> = due.into_iter().map(|(name, input)| (name, input.1)).collect();
        give(shared, &cells, &labels)?;
        counted.work.evaluator_input_bits += own.len() as u64;
    }
}

/// Says that an announced run begins, and runs it; or that there is nothing to run, here or at the garbler.
async fn begin(
    shared: &SharedScript,
    channel: &mut Channel,
    runs: &mut Runs<'_>,
    (run, work): (Announced, Option<SessionWork>),
) -> Result<(), Stop> {
    let checked = work.map(|work| runs.check(&work).map(|()| work)).transpose();
    let (word, work, why) = match checked {
        Ok(Some(work)) if run.ready => (RUN, Some(work), None),
        Ok(_) => (NO_RUN, None, None),
        Err(error) => (NO_RUN, None, Some(error)),
    };
    let Announced { path, number, tag, .. } = run;
    channel.send(&word.to_le_bytes()).await?;
    channel.send(&InputName { path, number, tag }.to_bytes()).await?;
    channel.flush().await?;
    match work {
        Some(work) => {
            shared.state().running = true;
            runs.run(shared, work).await
        }
        None => {
            runs.leave_out(shared, why);
            Ok(())
        }
    }
}

/// At the garbler: runs what it has announced, once all batches before are answered, or skips it.
async fn begun(
    shared: &SharedScript,
    channel: &mut Channel,
    runs: &mut Runs<'_>,
    word: u32,
) -> Result<(), Stop> {
    let mut bytes = [0; NAME_BYTES];
    channel.receive_into(&mut bytes).await?;
    let InputName { path, number, tag } = InputName::from_bytes(&bytes);
    let work = {
        let mut state = shared.state();
        let named = |run: &Announced| (run.path, run.number, run.tag) == (path, number, tag);
        let known = state.announced.filter(|run| named(run) && (run.ready || word == NO_RUN));
        let run = known.ok_or(Stop::Broken(LiveFault::UnknownRun { number }))?;
        state.running = true;
        state.take_run(&run)
    };
    let work = match work.filter(|_| word == RUN) {
        Some(work) => work,
        None => {
            runs.leave_out(shared, None);
            return Ok(());
        }
    };
    if let Err(error) = runs.check(&work) {
        return Err(runs.refuse(shared, error));
    }
    shared.when(|state| (state.unanswered == 0).then_some(())).await;
    runs.run(shared, work).await
}

/// At the garbler: makes labels for the evaluator's inputs, and runs what the evaluator begins.
pub(super) async fn send(
    shared: &SharedScript,
    counted: &mut Counted,
    channel: &mut Channel,
    (runs, extension, sender): (&mut Runs<'_>, Extension, &InputSender),
) -> Result<(), Stop> {
    let mut prg = Prg::from_os().map_err(Failure::from)?;
    loop {
        channel.arrival().await?;
        let mut count = [0; 4];
        channel.receive_into(&mut count).await?;
        let word = u32::from_le_bytes(count);
        if [RUN, NO_RUN].contains(&word) {
            begun(shared, channel, runs, word).await?;
            continue;
        }
        let count = count_of(count)?;
        if count == 0 {
            return Ok(());
        }
        let mut names = Vec::with_capacity(count);
        for _ in 0..count {
            let mut bytes = [0; NAME_BYTES];
            channel.receive_into(&mut bytes).await?;
            names.push(InputName::from_bytes(&bytes));
        }
        let cells = shared.when(|state| state.find_inputs(&names).transpose()).await?;
        let size = |cell: &Arc<Cell>| bits_of(cell.ty);
        let mut labels = Zeroizing::new(vec![Block::ZERO; cells.iter().map(|(_, cell)| size(cell)).sum()]);
        let transfers = runs.transfers()?;
        let mut ots = transfers.sender(channel, extension, &mut prg).await.map_err(Failure::from)?;
        sender.input(channel, &mut ots, &mut labels).await.map_err(Failure::from)?;
        transfers.keep_sender(extension, ots);
        give(shared, &cells, &labels)?;
        counted.work.evaluator_input_bits += labels.len() as u64;
    }
}

/// The number of inputs that the evaluator announces to give together.
fn count_of(bytes: [u8; 4]) -> Result<usize, Stop> {
    let count = u32::from_le_bytes(bytes) as usize;
    match count <= MAX_INPUTS {
        true => Ok(count),
        false => Err(too_many(count as u64, MAX_INPUTS as u64, "inputs")),
    }
}

fn too_many(given: u64, limit: u64, what: &'static str) -> Stop {
    Stop::Broken(LiveFault::Inputs { given, limit, what })
}

/// Sets the labels of inputs, whose steps are thereby done.
fn give(shared: &SharedScript, cells: &[(InputName, Arc<Cell>)], labels: &[Block]) -> Result<(), Stop> {
    let mut rest = labels;
    for (name, cell) in cells {
        let mut wires = buffer(cell.ty)?;
        let (own, later) = rest.split_at(wires.len().min(rest.len()));
        wires.elements_mut().copy_from_slice(own);
        rest = later;
        cell.set(wires);
        let mut state = shared.state();
        if let Some(path) = state.paths.get_mut(&name.path) {
            path.steps.remove(&name.number);
        }
        state.confirm(name.path, name.number);
    }
    shared.changed.notify_waiters();
    Ok(())
}

/// Inputs, and the cells for their labels.
type NamedInputs = Vec<(InputName, Arc<Cell>)>;

/// The bits of an input, and the cell for its labels.
struct Own(Bits, Arc<Cell>);

impl ScriptState {
    /// The evaluator's next action, once there is one.
    fn due(&mut self) -> Result<Option<Due>, Stop> {
        if let Some((run, work)) = self.due_run()? {
            return Ok(Some(Due::Run(run, work)));
        }
        let due = self.due_inputs();
        if !due.is_empty() || self.closing.is_some() && self.outstanding.is_empty() {
            return Ok(Some(Due::Inputs(due)));
        }
        Ok(None)
    }

    /// The evaluator's inputs that are submitted and wait for labels.
    fn due_inputs(&mut self) -> Vec<(InputName, Own)> {
        let (mut due, mut labels) = (Vec::new(), 0);
        while let Some((path, number)) = self.awaited_inputs.front().copied() {
            let submitted = self.paths.get(&path).filter(|path| number < path.submitted);
            let Some(step) = submitted.and_then(|path| path.steps.get(&number)) else { break };
            let StepKind::Input(Input { words: Some(words), result, .. }) = &step.kind else { break };
            let before = || submitted.into_iter().flat_map(|path| path.steps.range(..number));
            if self.work_appended > self.work_taken
                && before().any(|(_, step)| matches!(step.kind, StepKind::Run(_)))
            {
                break;
            }
            labels += bits_of(result.ty) as u64;
            if due.len() == MAX_INPUTS || !due.is_empty() && labels > MAX_LABELS {
                break;
            }
            due.push((InputName { path, number, tag: step.tag }, Own(bits::of_words(words), result.clone())));
            self.awaited_inputs.pop_front();
        }
        due
    }

    /// The cells of the evaluator's inputs, once all of them are appended here. Refuses more inputs than the evaluator may
    /// give together, and repeated ones.
    fn find_inputs(&self, names: &[InputName]) -> Result<Option<NamedInputs>, Stop> {
        let mut cells: NamedInputs = Vec::with_capacity(names.len());
        let (mut given, mut labels) = (HashSet::with_capacity(names.len()), 0);
        for name in names {
            if !given.insert((name.path, name.number)) {
                return Err(Stop::Broken(LiveFault::RepeatedInput { number: name.number }));
            }
            let path = match self.paths.get(&name.path).filter(|path| name.number < path.count) {
                Some(path) => path,
                None if self.closing.is_some() => return Err(Stop::Differs(name.path)),
                None => return Ok(None),
            };
            match path.steps.get(&name.number) {
                Some(step) if step.tag != name.tag => return Err(Stop::Differs(name.path)),
                Some(step) => match &step.kind {
                    StepKind::Input(input) if input.giver == Side::Evaluator => {
                        labels += bits_of(input.result.ty) as u64;
                        if !cells.is_empty() && labels > MAX_LABELS {
                            return Err(too_many(labels, MAX_LABELS, "labels"));
                        }
                        cells.push((*name, input.result.clone()));
                    }
                    _ => return Err(Stop::Broken(LiveFault::ForeignInput { number: name.number })),
                },
                None => return Err(Stop::Broken(LiveFault::RepeatedInput { number: name.number })),
            }
        }
        Ok(Some(cells))
    }
}

/// See [`crate::fuzzing::live_inputs`].
pub(crate) fn fuzz(bytes: &[u8]) {
    let Some((count, rest)) = bytes.split_first_chunk() else { return };
    let (Ok(count), (names, _)) = (count_of(*count), rest.as_chunks()) else { return };
    let names = &names[..count.min(names.len())];
    let read: Vec<InputName> = names.iter().map(InputName::from_bytes).collect();
    assert!(read.iter().map(|name| name.to_bytes()).eq(names.iter().copied()));
    let script = fuzzed();
    let Ok(Some(found)) = script.0.state().find_inputs(&read) else { return };
    assert_eq!(found.len(), read.len());
    let distinct: HashSet<usize> = found.iter().map(|(_, cell)| cell.key()).collect();
    assert_eq!(distinct.len(), found.len());
    let labels: usize = found.iter().map(|(_, cell)| bits_of(cell.ty)).sum();
    assert!(found.len() < 2 || labels as u64 <= MAX_LABELS);
}

/// A garbler's program with inputs of both parties and an operation; the evaluator's first and last input together are as large
/// as permitted.
fn fuzzed() -> Script {
    let script = Script::new(Side::Garbler);
    let appended = || {
        let (path, place) = (script.path("main")?, SourcePlace::default());
        let given = |giver: Side, lanes: u64| {
            let own = (giver == Side::Garbler).then(|| Words::zero(64, lanes));
            script.input(path, giver, "x", ValueType::word(64, lanes), own, &place)
        };
        let large = MAX_LABELS / 128;
        let all = [
            given(Side::Evaluator, large)?,
            given(Side::Garbler, 1)?,
            given(Side::Evaluator, 1)?,
            given(Side::Evaluator, large)?,
        ];
        let operand = |value: ValueId| all.get(value.index()).cloned();
        let op = Op::Binary(BinaryOp::Xor, ValueId(1), ValueId(2));
        script.operation(path, op, operand, None, &[ValueType::word(64, 1)], &place)
    };
    appended().expect("steps that there may be");
    script
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the evaluator's inputs in [`fuzzed`].
    fn names(state: &ScriptState) -> Vec<InputName> {
        let (path, steps) = state.paths.iter().next().expect("a path");
        let name = |number: u64| InputName { path: *path, number, tag: steps.steps[&number].tag };
        [0, 2, 3].map(name).to_vec()
    }

    fn refused(names: &[InputName]) -> Option<String> {
        match fuzzed().0.state().find_inputs(names) {
            Err(Stop::Broken(fault)) => Some(fault.to_string()),
            Ok(found) => {
                assert_eq!(found.expect("all are there").len(), names.len());
                None
            }
            Err(_) => panic!("another reason"),
        }
    }

    #[test]
    fn inputs_given_together_are_different_ones_and_no_more_than_allowed() {
        let [first, small, last] = names(&fuzzed().0.state())[..] else { panic!("three inputs") };
        assert_eq!(refused(&[first, last]), None);
        assert_eq!(refused(&[first, small]), None);
        assert!(refused(&[first, small, last]).unwrap().contains("of inputs at once"));
        // Otherwise it would get labels as often as it is named, all of them in memory at once.
        assert!(refused(&[small, small]).unwrap().contains("for the second time"));
        assert!(refused(&[first; MAX_INPUTS]).unwrap().contains("for the second time"));
        let wrong =
            InputName { number: 1, tag: fuzzed().0.state().paths[&first.path].steps[&1].tag, ..first };
        assert!(refused(&[wrong]).unwrap().contains("not its own"));
    }

    /// The fuzzer's corpus consists of names that the program has: otherwise it would only see refusals.
    #[test]
    fn the_corpus_names_inputs_that_are_there() {
        let [first, small, last] = names(&fuzzed().0.state())[..] else { panic!("three inputs") };
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/live_inputs");
        for (file, names) in [("one", &[small][..]), ("two", &[first, last]), ("twice", &[small, small])] {
            let mut bytes = (names.len() as u32).to_le_bytes().to_vec();
            names.iter().for_each(|name| bytes.extend(name.to_bytes()));
            assert_eq!(std::fs::read(format!("{folder}/{file}")).unwrap(), bytes, "{file}");
        }
    }
}
