//! Selects the steps that run together. The garbler takes whatever is ready; the evaluator follows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use tacit_lower::LowerError;
use tacit_plan::Side;

use super::error::LiveError;
use super::header::{BatchHeader, MAX_STEPS};
use super::script::{Announced, Calculation, Input, Open, ScriptState, ScriptStep, SharedScript, StepKind};
use super::segment::{Draft, Segment};
use super::stop::Stop;
use super::value::{Cell, PathId};
use crate::peer_fault::LiveFault;

/// Steps that run together, taken from their paths.
pub(super) struct Batch {
    pub header: BatchHeader,
    /// Inputs of the garbler.
    pub inputs: Vec<Input>,
    /// The operations.
    pub segment: Option<Segment>,
    /// Values that are opened afterwards.
    pub opens: Vec<OpenStep>,
    /// The last step of each path.
    pub last: Vec<(PathId, u64)>,
}

/// A value that is opened, and the step that opens it.
pub(super) struct OpenStep {
    pub path: PathId,
    pub number: u64,
    pub open: Open,
}

/// Steps that were found to be ready.
struct Selection {
    header: BatchHeader,
    draft: Option<Draft>,
}

/// The garbler's next action.
pub(super) enum Next {
    Batch(Box<Batch>),
    /// It announces a run.
    Run(Announced),
    /// Nothing: both programs have ended.
    End,
}

/// What was found to be next.
enum Found {
    Steps(Box<Selection>),
    Run(Announced),
    End,
}

/// The garbler's next action: it waits while a run is in progress, and begins a run when nothing else is
/// ready.
pub(super) async fn next(shared: &SharedScript) -> Result<Next, Stop> {
    let mut limit = MAX_STEPS;
    loop {
        let selection = shared.when(|state| match state.closing {
            Some(_) if state.outstanding.is_empty() => Some(Ok(Found::End)),
            _ if state.running => None,
            _ => match state.announce() {
                Some(run) => Some(Ok(Found::Run(run))),
                None => select(state, limit)
                    .transpose()
                    .map(|selection| selection.map(|found| Found::Steps(Box::new(found)))),
            },
        });
        let Selection { mut header, draft } = match selection.await? {
            Found::Steps(selection) => *selection,
            Found::Run(run) => return Ok(Next::Run(run)),
            Found::End => return Ok(Next::End),
        };
        let segment = match draft.map(|draft| draft.plan(&shared.options.lowering)).transpose() {
            Err(LowerError::TooLarge { .. }) if header.tags.len() > 1 => {
                limit = header.tags.len() / 2;
                continue;
            }
            other => other.map_err(LiveError::from)?,
        };
        header.program = segment.as_ref().map_or([0; 32], |segment| segment.hash);
        let mut state = shared.state();
        state.unanswered += 1;
        let steps = take(&mut state, &header);
        return Ok(Next::Batch(Box::new(Batch::of(header, steps, segment))));
    }
}

/// Up to `limit` submitted steps whose operands exist, or are made by steps among them.
fn select(state: &ScriptState, limit: usize) -> Result<Option<Selection>, LiveError> {
    let mut header = BatchHeader::default();
    let mut made = HashSet::new();
    let mut operations: Vec<&Calculation> = Vec::new();
    for (id, path) in &state.paths {
        for (number, step) in path.steps.range(..path.submitted) {
            let mut ready = header.tags.len() < limit;
            step.for_each_operand(|cell| ready &= cell.labels().is_some() || made.contains(&cell.key()));
            match &step.kind {
                // The peer may reach the steps after a run only once the run has ended.
                StepKind::Run(_) => break,
                _ if !ready => continue,
                StepKind::Input(input) if input.giver == Side::Evaluator => continue,
                StepKind::Input(input) => drop(made.insert(input.result.key())),
                StepKind::Operation(operation) => {
                    made.extend(operation.results.iter().map(Cell::key));
                    operations.push(operation);
                }
                StepKind::Open(_) => {}
            }
            header.push(*id, *number, step.tag);
        }
    }
    if header.tags.is_empty() {
        return Ok(None);
    }
    let live = wanted(&operations);
    header.live = results(&operations).map(|cell| live.contains(&cell.key())).collect();
    Ok(Some(Selection { header, draft: draft(&operations, &live)? }))
}

fn draft(operations: &[&Calculation], live: &HashSet<usize>) -> Result<Option<Draft>, LiveError> {
    match live.is_empty() {
        true => Ok(None),
        false => Draft::write(operations.iter().copied(), live).map(Some),
    }
}

fn results<'a>(operations: &'a [&Calculation]) -> impl Iterator<Item = &'a Arc<Cell>> {
    operations.iter().flat_map(|operation| &operation.results)
}

/// Results that are held by others than these operations: by the program, or by steps that run later.
fn wanted(operations: &[&Calculation]) -> HashSet<usize> {
    let mut uses: HashMap<usize, usize> = HashMap::new();
    operations
        .iter()
        .flat_map(|operation| operation.operands.iter().chain(&operation.results))
        .for_each(|cell| *uses.entry(cell.key()).or_default() += 1);
    let held = |cell: &&Arc<Cell>| Arc::strong_count(cell) > uses[&cell.key()];
    results(operations).filter(held).map(Cell::key).collect()
}

/// Takes the steps of a header, all of which exist.
fn take(state: &mut ScriptState, header: &BatchHeader) -> Vec<(PathId, u64, ScriptStep)> {
    let mut take = |path: PathId, number| {
        let step = state.paths.get_mut(&path)?.steps.remove(&number)?;
        Some((path, number, step))
    };
    header.steps().filter_map(|(path, number, _)| take(path, number)).collect()
}

impl Batch {
    fn of(header: BatchHeader, steps: Vec<(PathId, u64, ScriptStep)>, segment: Option<Segment>) -> Batch {
        let (mut inputs, mut opens) = (Vec::new(), Vec::new());
        let mut last: Vec<(PathId, u64)> = Vec::new();
        for (path, number, step) in steps {
            match last.last_mut().filter(|(other, _)| *other == path) {
                Some((_, latest)) => *latest = number,
                None => last.push((path, number)),
            }
            match step.kind {
                StepKind::Operation(_) | StepKind::Run(_) => {}
                StepKind::Input(input) => inputs.push(input),
                StepKind::Open(open) => opens.push(OpenStep { path, number, open }),
            }
        }
        Batch { header, inputs, segment, opens, last }
    }
}

/// Steps that the evaluator has found, and the program of their operations.
type FoundSteps = (Vec<(PathId, u64, ScriptStep)>, Option<Draft>);

/// The batch that the garbler has announced, once this party's program has reached its steps.
pub(super) async fn follow(shared: &SharedScript, header: BatchHeader) -> Result<Batch, Stop> {
    let found = shared.when(|state| look(state, &header).transpose());
    let (steps, draft) = found.await?;
    let segment =
        draft.map(|draft| draft.plan(&shared.options.lowering)).transpose().map_err(LiveError::from)?;
    let program = segment.as_ref().map_or([0; 32], |segment| segment.hash);
    match program == header.program {
        true => Ok(Batch::of(header, steps, segment)),
        false => Err(Stop::Broken(LiveFault::OtherProgram)),
    }
}

/// The steps of a header, once all of them are appended here.
fn look(state: &mut ScriptState, header: &BatchHeader) -> Result<Option<FoundSteps>, Stop> {
    let mut complete = true;
    for (id, number, tag) in header.steps() {
        match state.paths.get(&id).filter(|path| number < path.count) {
            // This program has ended: the step will never come.
            None if state.closing.is_some() => return Err(Stop::Differs(id)),
            None => complete = false,
            Some(path) => match path.steps.get(&number) {
                Some(step) if step.tag != tag => return Err(Stop::Differs(id)),
                Some(_) => {}
                None => return Err(Stop::Broken(LiveFault::RepeatedStep { number })),
            },
        }
    }
    if !complete {
        return Ok(None);
    }
    let operations = operations(state, header)?;
    let (told, made) = (header.live.len(), results(&operations).count());
    if told != made {
        return Err(Stop::Broken(LiveFault::OtherValues { told, made }));
    }
    let live = results(&operations).zip(&header.live).filter(|(_, live)| **live);
    let live = live.map(|(cell, _)| cell.key()).collect();
    let draft = draft(&operations, &live)?;
    let steps = take(state, header);
    let last: Vec<_> = header.steps().map(|(path, number, _)| (path, number)).collect();
    last.into_iter().for_each(|(path, number)| state.confirm(path, number));
    Ok(Some((steps, draft)))
}

/// The operations among the steps of a header; their operands exist or are on their way.
fn operations<'a>(state: &'a ScriptState, header: &BatchHeader) -> Result<Vec<&'a Calculation>, Stop> {
    let mut made = HashSet::new();
    let mut operations = Vec::new();
    for (id, number, _) in header.steps() {
        let Some(step) = state.paths.get(&id).and_then(|path| path.steps.get(&number)) else { continue };
        let mut ready = true;
        step.for_each_operand(|cell| {
            ready &= cell.labels().is_some() || made.contains(&cell.key()) || on_its_way(state, cell);
        });
        match &step.kind {
            _ if !ready => return Err(Stop::Broken(LiveFault::EarlyStep { number })),
            StepKind::Input(input) if input.giver == Side::Evaluator => {
                return Err(Stop::Broken(LiveFault::ForeignInput { number }));
            }
            StepKind::Run(_) => return Err(Stop::Broken(LiveFault::UnknownRun { number })),
            StepKind::Input(input) => drop(made.insert(input.result.key())),
            StepKind::Operation(operation) => {
                made.extend(operation.results.iter().map(Cell::key));
                operations.push(operation);
            }
            StepKind::Open(_) => {}
        }
    }
    Ok(operations)
}

/// Whether a value is an input of the evaluator, whose labels arrive separately.
fn on_its_way(state: &ScriptState, cell: &Cell) -> bool {
    let step = state.paths.get(&cell.path).and_then(|path| path.steps.get(&cell.step));
    matches!(step.map(|step| &step.kind), Some(StepKind::Input(input)) if input.giver == Side::Evaluator)
}
