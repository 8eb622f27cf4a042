//! The steps that one party's program has appended, and their state.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tacit_ir::{Op, Type, ValueId, ValueType, Words};
use tacit_plan::{Recipients, Side};
use tokio::sync::Notify;

use super::error::LiveError;
use super::header::Tag;
use super::library::supported;
use super::library::{Library, renumber};
use super::options::LiveOptions;
use super::segment;
use super::session_store::SessionStore;
use super::session_work::{Given, WorkEnded};
use super::value::{Cell, LiveValue, PathId};
use crate::RunError;

/// Maximum steps of a path that are remembered for errors until the peer has confirmed them.
const MAX_TRAIL: usize = 1 << 16;

/// Receives a value when it is opened, `None` if this party does not learn it, or the reason why it will never
/// be opened.
pub type Opening = Box<dyn FnOnce(Result<Option<Words>, Arc<RunError>>) + Send>;

/// The place in the source where something was appended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourcePlace {
    /// The file, as shown to users; empty if unknown.
    pub file: Arc<str>,
    /// The line in it.
    pub line: u32,
}

impl fmt::Display for SourcePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.file.is_empty() {
            true => write!(f, "line {}", self.line),
            false => write!(f, "{}:{}", self.file, self.line),
        }
    }
}

/// A path of a program: the sequence of steps that one of its tasks appends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LivePath(pub(super) PathId);

/// A program that grows while it runs, at one party. Clones are the same program.
///
/// A front end appends steps to its paths: operations, inputs, and openings. Appending never waits:
/// [submitted](Script::submit) steps run in the background, as soon as their operands exist.
#[derive(Clone)]
pub struct Script(pub(super) Arc<SharedScript>);

pub(super) struct SharedScript {
    state: Mutex<ScriptState>,
    pub options: LiveOptions,
    /// Notified when something was submitted, made or ended.
    pub changed: Notify,
}

pub(super) struct ScriptState {
    pub me: Side,
    pub paths: BTreeMap<PathId, ScriptPath>,
    /// At the evaluator, its inputs that have no labels yet, in order.
    pub awaited_inputs: VecDeque<(PathId, u64)>,
    /// Openings and runs that are not done yet.
    pub outstanding: BTreeMap<(PathId, u64), Outstanding>,
    /// When the program was closed, if it was.
    pub closing: Option<Instant>,
    pub failure: Option<Arc<RunError>>,
    /// Values that outlive the session, if it has a store.
    pub shares: Option<SessionStore>,
    /// The run that the garbler has announced and that has not ended.
    pub announced: Option<Announced>,
    /// Whether it is running.
    pub running: bool,
    /// Runs that were appended so far.
    pub work_appended: u64,
    /// Number of those that have begun, or never will.
    pub work_taken: u64,
    /// At the garbler, batches that the evaluator has not answered.
    pub unanswered: usize,
    /// The sum of the hashes of the paths that have ended.
    ended: [u8; 32],
}

/// One path.
pub(super) struct ScriptPath {
    pub name: String,
    /// Steps appended so far.
    pub count: u64,
    /// Steps that may run.
    pub submitted: u64,
    chain: [u8; 32],
    /// Steps that have not run.
    pub steps: BTreeMap<u64, ScriptStep>,
    /// The last steps, for errors, without those that the peer has confirmed.
    pub trail: VecDeque<Mark>,
    /// Where the last step was appended.
    pub last: SourcePlace,
    /// Whether the task has ended.
    done: bool,
}

/// A result that is awaited.
pub(super) struct Outstanding {
    /// Since when it is the peer's turn; `None` for a run that is not due yet, or that is running.
    pub since: Option<Instant>,
    pub waiter: Waiter,
}

/// What receives the result.
pub(super) enum Waiter {
    /// A value.
    Opening(Opening),
    /// The end of a run; `None` if it was not begun.
    Work(Option<WorkEnded>),
}

impl Waiter {
    fn fail(self, error: &Arc<RunError>) {
        match self {
            Waiter::Opening(opening) => opening(Err(error.clone())),
            Waiter::Work(ended) => {
                if let Some(ended) = ended {
                    ended(Err(error.clone()));
                }
            }
        }
    }
}

/// A run that the garbler has announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Announced {
    pub path: PathId,
    pub number: u64,
    pub tag: Tag,
    /// Whether the garbler has something to run.
    pub ready: bool,
}

/// What is remembered of a step.
pub(super) struct Mark {
    pub tag: Tag,
    pub what: &'static str,
    pub place: SourcePlace,
}

/// An appended step.
pub(super) struct ScriptStep {
    pub kind: StepKind,
    /// A hash of everything that its path appended up to it.
    pub tag: Tag,
}

pub(super) enum StepKind {
    Operation(Calculation),
    Input(Input),
    Open(Open),
    Run(RunStep),
}

/// Work of the session.
pub(super) struct RunStep {
    pub given: Given,
    /// Its number among the runs, in the order in which they were appended.
    pub serial: u64,
}

/// An operation on values.
pub(super) struct Calculation {
    /// Its operands are indices into `operands`.
    pub op: Op,
    pub operands: Vec<Arc<Cell>>,
    pub library: Option<Arc<Library>>,
    pub results: Vec<Arc<Cell>>,
}

/// An input of a party.
pub(super) struct Input {
    pub giver: Side,
    /// The value, at the party that gives it. Secret.
    pub words: Option<Words>,
    pub result: Arc<Cell>,
}

/// A value that is opened.
pub(super) struct Open {
    pub value: Arc<Cell>,
    pub recipients: Recipients,
}

impl ScriptStep {
    /// Calls `visit` with each cell that must have labels before the step can run.
    pub fn for_each_operand(&self, visit: impl FnMut(&Arc<Cell>)) {
        match &self.kind {
            StepKind::Operation(calculation) => calculation.operands.iter().for_each(visit),
            StepKind::Input(_) | StepKind::Run(_) => {}
            StepKind::Open(open) => std::iter::once(&open.value).for_each(visit),
        }
    }
}

impl fmt::Debug for Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Script").field("paths", &self.0.state().paths.len()).finish_non_exhaustive()
    }
}

impl SharedScript {
    pub fn state(&self) -> MutexGuard<'_, ScriptState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The result of `look`, once it has one; it is called again whenever something changed.
    pub async fn when<T>(&self, mut look: impl FnMut(&mut ScriptState) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            if let Some(found) = look(&mut self.state()) {
                return found;
            }
            changed.await;
        }
    }
}

impl Script {
    /// An empty program of the party on this side, with the default options.
    pub fn new(me: Side) -> Script {
        Script::with_options(me, LiveOptions::default())
    }

    /// An empty program of the party on this side, to be run with these options.
    pub fn with_options(me: Side, options: LiveOptions) -> Script {
        let state = ScriptState {
            me,
            paths: BTreeMap::new(),
            awaited_inputs: VecDeque::new(),
            outstanding: BTreeMap::new(),
            closing: None,
            failure: None,
            shares: None,
            announced: None,
            running: false,
            work_appended: 0,
            work_taken: 0,
            unanswered: 0,
            ended: [0; 32],
        };
        Script(Arc::new(SharedScript { state: Mutex::new(state), options, changed: Notify::new() }))
    }

    /// The options of the program.
    pub(super) fn options(&self) -> LiveOptions {
        self.0.options.clone()
    }

    /// The side of this party.
    pub fn side(&self) -> Side {
        self.0.state().me
    }

    /// Begins a path. Its name must be the same at both parties, and unique.
    ///
    /// # Errors
    /// [`LiveError::PathTaken`].
    pub fn path(&self, name: &str) -> Result<LivePath, LiveError> {
        let hash = blake3::derive_key("tacit 2026 path of a live session, version 1", name.as_bytes());
        let mut id = PathId::default();
        id.copy_from_slice(&hash[..16]);
        let path = ScriptPath {
            name: name.to_owned(),
            count: 0,
            submitted: 0,
            chain: hash,
            steps: BTreeMap::new(),
            trail: VecDeque::new(),
            last: SourcePlace::default(),
            done: false,
        };
        match self.0.state().paths.insert(id, path) {
            None => Ok(LivePath(id)),
            Some(_) => Err(LiveError::PathTaken { name: name.to_owned() }),
        }
    }

    /// Appends an operation. `operand` maps its operands to values, `library` holds the templates that it applies,
    /// `results` are the types of its results.
    ///
    /// # Errors
    /// [`LiveError`] for operations that live sessions do not support, and for paths, operands and templates that do
    /// not exist.
    pub fn operation(
        &self,
        path: LivePath,
        mut op: Op,
        operand: impl Fn(ValueId) -> Option<LiveValue>,
        library: Option<&Arc<Library>>,
        results: &[ValueType],
        place: &SourcePlace,
    ) -> Result<Vec<LiveValue>, LiveError> {
        supported(&op)?;
        results.iter().try_for_each(|ty| segment::shape(*ty).map(drop))?;
        let (mut operands, mut missing) = (Vec::new(), false);
        op.for_each_operand_mut(|value| match operand(*value) {
            Some(LiveValue(cell)) => {
                *value = ValueId(operands.len() as u32);
                operands.push(cell);
            }
            None => missing = true,
        });
        let template = op.template().map(|id| library.and_then(|library| library.hash(id)));
        if missing || template.is_some_and(|found| found.is_none()) {
            return Err(LiveError::Foreign);
        }
        let mut content = blake3::Hasher::new();
        let mut nameless = op.clone();
        renumber(&mut nameless, |_| tacit_ir::TemplateId(0));
        content.update(&postcard::to_allocvec(&nameless).map_err(|_| LiveError::Foreign)?);
        operands.iter().for_each(|cell| name(&mut content, cell));
        content.update(template.flatten().map_or(&[][..], |hash| &hash[..]));
        let what = op.name();
        let library = template.and_then(|_| library.cloned());
        self.append(path, what, place, content, |_, path, number| {
            let cell = |(index, ty): (usize, &ValueType)| Cell::new(path, number, index as u32, *ty);
            let results: Vec<_> = results.iter().enumerate().map(cell).collect();
            let values = results.iter().cloned().map(LiveValue).collect();
            (StepKind::Operation(Calculation { op, operands, library, results }), values)
        })
    }

    /// Appends an input of the party on the side `giver`: `words` at that party, none at the other. Its names are
    /// compared, its value is secret.
    ///
    /// # Errors
    /// [`LiveError::Unsupported`] for types that live sessions do not support, [`LiveError::Foreign`] for words of
    /// another type.
    pub fn input(
        &self,
        path: LivePath,
        giver: Side,
        names: &str,
        ty: ValueType,
        words: Option<Words>,
        place: &SourcePlace,
    ) -> Result<LiveValue, LiveError> {
        segment::shape(ty)?;
        let mine = giver == self.side();
        if mine != words.is_some() || words.as_ref().is_some_and(|words| words.value_type() != ty) {
            return Err(LiveError::Foreign);
        }
        let mut content = blake3::Hasher::new();
        content.update(format!("input {giver:?} {ty} {names}").as_bytes());
        self.append(path, "input", place, content, |state, path, number| {
            let result = Cell::new(path, number, 0, ty);
            if giver == Side::Evaluator && mine {
                state.awaited_inputs.push_back((path, number));
            }
            (StepKind::Input(Input { giver, words, result: result.clone() }), LiveValue(result))
        })
    }

    /// Appends the opening of a value to `recipients`; `opening` is called once, from any thread.
    ///
    /// # Errors
    /// [`LiveError::Foreign`] for a path that does not exist.
    pub fn open(
        &self,
        path: LivePath,
        value: &LiveValue,
        recipients: Recipients,
        place: &SourcePlace,
        opening: Opening,
    ) -> Result<(), LiveError> {
        let mut opening = Some(opening);
        let mut content = blake3::Hasher::new();
        content.update(format!("open {recipients:?}").as_bytes());
        name(&mut content, &value.0);
        self.append(path, "open", place, content, |state, path, number| {
            if let Some(opening) = opening.take_if(|_| state.failure.is_none()) {
                state.await_opening((path, number), opening);
            }
            (StepKind::Open(Open { value: value.0.clone(), recipients }), ())
        })?;
        if let (Some(opening), Some(failure)) = (opening, self.failure()) {
            opening(Err(failure));
        }
        Ok(())
    }

    pub(super) fn append<T>(
        &self,
        path: LivePath,
        what: &'static str,
        place: &SourcePlace,
        content: blake3::Hasher,
        make: impl FnOnce(&mut ScriptState, PathId, u64) -> (StepKind, T),
    ) -> Result<T, LiveError> {
        let mut state = self.0.state();
        let number = state.paths.get(&path.0).ok_or(LiveError::Foreign)?.count;
        let (kind, made) = make(&mut state, path.0, number);
        let path = state.paths.get_mut(&path.0).ok_or(LiveError::Foreign)?;
        let mut chain = blake3::Hasher::new_derive_key("tacit 2026 step of a live session, version 1");
        chain.update(&path.chain).update(what.as_bytes()).update(content.finalize().as_bytes());
        path.chain = *chain.finalize().as_bytes();
        let mut tag = Tag::default();
        tag.copy_from_slice(&path.chain[..16]);
        path.steps.insert(number, ScriptStep { kind, tag });
        path.trail.push_back(Mark { tag, what, place: place.clone() });
        if path.trail.len() > MAX_TRAIL {
            path.trail.pop_front();
        }
        path.last = place.clone();
        path.count += 1;
        Ok(made)
    }

    /// Lets everything run that was appended.
    pub fn submit(&self) {
        self.0.state().paths.values_mut().for_each(|path| path.submitted = path.count);
        self.0.changed.notify_waiters();
    }

    /// Ends a path: its task appends nothing more.
    pub fn end(&self, path: LivePath) {
        let mut state = self.0.state();
        if let Some(path) = state.paths.get_mut(&path.0) {
            path.done = true;
            path.submitted = path.count;
        }
        state.forget(path.0);
        drop(state);
        self.0.changed.notify_waiters();
    }

    /// Nothing more will be appended to any path: once both parties have closed their programs, the session
    /// ends.
    pub fn close(&self) {
        self.0.state().closing.get_or_insert_with(Instant::now);
        self.submit();
    }

    /// Why the session has failed, if it has.
    pub fn failure(&self) -> Option<Arc<RunError>> {
        self.0.state().failure.clone()
    }

    /// Steps that have not run.
    pub fn pending(&self) -> usize {
        self.0.state().paths.values().map(|path| path.steps.len()).sum()
    }

    /// As [`Script::fail`]; returns the error.
    pub(super) fn fails(&self, error: RunError) -> Arc<RunError> {
        let error = Arc::new(error);
        self.fail(error.clone());
        error
    }

    /// Ends everything: pending openings fail.
    pub fn fail(&self, error: Arc<RunError>) {
        let outstanding = {
            let mut state = self.0.state();
            state.failure.get_or_insert(error.clone());
            state.paths.values_mut().for_each(|path| path.steps.clear());
            state.shares = None;
            std::mem::take(&mut state.outstanding)
        };
        self.0.changed.notify_waiters();
        outstanding.into_values().for_each(|outstanding| outstanding.waiter.fail(&error));
    }
}

impl ScriptState {
    /// Registers what receives the opening of a step.
    pub fn await_opening(&mut self, step: (PathId, u64), opening: Opening) {
        let outstanding = Outstanding { since: Some(Instant::now()), waiter: Waiter::Opening(opening) };
        self.outstanding.insert(step, outstanding);
    }

    /// A hash of everything appended on all paths.
    pub fn hash(&self) -> [u8; 32] {
        self.paths.values().fold(self.ended, |sum, path| added(sum, path.total()))
    }

    /// Forgets a path that has ended, and whose steps have all run or never will.
    pub fn forget(&mut self, id: PathId) {
        let Some(path) = self.paths.get(&id) else { return };
        if path.done && path.steps.is_empty() && path.trail.is_empty() {
            self.ended = added(self.ended, path.total());
            self.paths.remove(&id);
        }
    }

    /// Notes that the peer appended the same up to this step.
    pub fn confirm(&mut self, id: PathId, number: u64) {
        if let Some(path) = self.paths.get_mut(&id) {
            let first = path.first();
            path.trail.drain(..path.trail.len().min((number + 1).saturating_sub(first) as usize));
        }
        self.forget(id);
    }
}

impl ScriptPath {
    /// Number of the first step in the trail.
    pub fn first(&self) -> u64 {
        self.count - self.trail.len() as u64
    }

    /// What is remembered of a step.
    pub fn mark(&self, number: u64) -> Option<&Mark> {
        self.trail.get(usize::try_from(number.checked_sub(self.first())?).ok()?)
    }

    fn total(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.chain).update(&self.count.to_le_bytes());
        *hasher.finalize().as_bytes()
    }
}

/// A sum that does not depend on the order, since paths end in any order.
fn added(mut sum: [u8; 32], more: [u8; 32]) -> [u8; 32] {
    let mut carry = 0;
    for (byte, other) in sum.iter_mut().zip(more) {
        let total = u16::from(*byte) + u16::from(other) + carry;
        *byte = total as u8;
        carry = total >> 8;
    }
    sum
}

/// Adds a value's identity to a hash that is compared.
pub(super) fn name(hasher: &mut blake3::Hasher, cell: &Cell) {
    hasher.update(&cell.path).update(&cell.step.to_le_bytes()).update(&cell.result.to_le_bytes());
    if let Type::Word(bits) = cell.ty.ty {
        hasher.update(&bits.to_le_bytes()).update(&cell.ty.lanes.to_le_bytes());
    }
}
