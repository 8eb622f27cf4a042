//! Programs that grow while they run: what was written since the last time is handed to the engine's script, and arrays
//! live on as values that the engine keeps.
//!
//! Operations are written as always, into a window: a body whose values from outside are stand-ins, as those of a loop's
//! body are. [`Tracer::submit`] appends the window's operations to the script and begins another. There is one window;
//! before another task writes, it is submitted.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use tacit_engine::live::{Library, LivePath, LiveValue, Opening, Script, SourcePlace};
use tacit_ir::{Builder, Op, Shape, ValueId, ValueType, Words};
use tacit_plan::{Recipients, Side};

use super::error::{TraceError, Traced};
use super::kind::Kind;
use super::shape;
use super::tracer::{BodyRecord, RecordedOp, Tracer, TracerFrame};
use super::value::Value;

/// Operations after which a window is submitted.
const WINDOW: usize = 4096;

/// An array's hold on what the engine keeps for it, from when it is submitted on. When the last is dropped, so is that.
#[derive(Debug, Default)]
pub struct Held(OnceLock<LiveValue>);

/// What a tracer knows besides of a program that grows.
pub(super) struct LiveTrace {
    script: Script,
    /// The task that writes.
    path: Option<LivePath>,
    /// Why it may not write.
    problem: Option<TraceError>,
    /// From which operation of the window on, where in the source it is.
    places: Vec<(usize, SourcePlace)>,
    /// The arrays of the window's values.
    held: RefCell<HashMap<ValueId, Weak<Held>>>,
    /// Values from outside of the window, in the order of their stand-ins.
    captured: Vec<LiveValue>,
    /// The stand-ins of arrays, by where an array's hold is, which stays there as long as the window lasts.
    stand_ins: HashMap<usize, (ValueId, Arc<Held>)>,
}

impl LiveTrace {
    /// The array of a value of the window.
    pub(super) fn hold(&self, id: ValueId) -> Arc<Held> {
        let mut held = self.held.borrow_mut();
        if let Some(known) = held.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        let made = Arc::new(Held::default());
        held.insert(id, Arc::downgrade(&made));
        made
    }

    fn place(&self) -> SourcePlace {
        self.places.last().map(|(_, place)| place.clone()).unwrap_or_default()
    }
}

impl Tracer {
    /// A program that grows while it runs.
    pub fn live(script: Script) -> Tracer {
        let mut tracer = Tracer::new("window");
        tracer.live = Some(LiveTrace {
            script,
            path: None,
            problem: None,
            places: Vec::new(),
            held: RefCell::default(),
            captured: Vec::new(),
            stand_ins: HashMap::new(),
        });
        if let Some(main) = tracer.frames.first_mut() {
            main.record = Some(BodyRecord::default());
        }
        tracer
    }

    /// Says which task writes from here on, and where in the source it is; or why nothing may be written.
    pub fn at(&mut self, path: Result<(LivePath, SourcePlace), String>) {
        let (path, place) = match path {
            Ok(found) => found,
            Err(problem) => {
                if let Some(live) = &mut self.live {
                    live.problem = Some(TraceError::Usage(problem));
                }
                return;
            }
        };
        let written = self.written();
        let Some(live) = &mut self.live else { return };
        live.problem = None;
        let other = live.path.is_some_and(|known| known != path);
        let submitted = if other || written >= WINDOW { self.submit() } else { Ok(()) };
        let written = self.written();
        let Some(live) = &mut self.live else { return };
        live.problem = submitted.err();
        live.path = Some(path);
        if live.places.last().is_none_or(|(_, known)| *known != place) {
            live.places.push((written, place));
        }
    }

    /// Operations of the window; while a loop's body is written none may be submitted, so then there are none.
    fn written(&self) -> usize {
        match &self.frames[..] {
            [main] => main.record.as_ref().map_or(0, |record| record.ops.len()),
            _ => 0,
        }
    }

    /// Why nothing may be written.
    pub(super) fn refused(&self) -> Traced<()> {
        self.live.as_ref().and_then(|live| live.problem.clone()).map_or(Ok(()), Err)
    }

    /// The stand-in for a value that is live.
    pub(super) fn stand_in(&mut self, value: &Value) -> Traced<Option<ValueId>> {
        let (Some(live), Some(held)) = (&mut self.live, &value.held) else { return Ok(None) };
        let key = Arc::as_ptr(held) as usize;
        if let Some((known, _)) = live.stand_ins.get(&key) {
            return Ok(Some(*known));
        }
        let (Some(value), Some(main)) = (held.0.get(), self.frames.first_mut()) else { return Ok(None) };
        let id = main.body.push(&self.builder, Op::Random(value.value_type()))?[0];
        if let Some(record) = &mut main.record {
            record.push(RecordedOp::Capture, 1);
        }
        live.captured.push(value.clone());
        live.stand_ins.insert(key, (id, held.clone()));
        live.held.borrow_mut().insert(id, Arc::downgrade(held));
        Ok(Some(id))
    }

    /// Appends the window to the script, and begins another.
    pub fn submit(&mut self) -> Traced<()> {
        if self.frames.len() != 1 {
            return Err(TraceError::Usage(
                "another task computes while the body of a loop is written; that body cannot await anything"
                    .into(),
            ));
        }
        let Some(live) = &mut self.live else { return Ok(()) };
        let body = self.builder.template("main", vec![]);
        let serial = self.made;
        self.made += 1;
        let fresh = TracerFrame { serial, body, record: Some(BodyRecord::default()) };
        let Some(window) = std::mem::replace(&mut self.frames, vec![fresh]).pop() else { return Ok(()) };
        let builder = std::mem::replace(&mut self.builder, Builder::new("window"));
        self.templates.clear();
        live.append(window, &builder)
    }

    /// An input of the party on the side `giver`; `words` at that party.
    pub fn live_input(
        &mut self,
        giver: Side,
        names: &str,
        (kind, dims): (Kind, Vec<u64>),
        words: Option<Words>,
    ) -> Traced<Value> {
        shape::check(&dims)?;
        let ty = ValueType::word(kind.bits(), shape::size(&dims));
        let (script, path, place) = self.position()?;
        let value = script.input(path, giver, &format!("{names} {kind} {dims:?}"), ty, words, &place);
        Ok(self.brought(value.map_err(engine)?, (kind, dims)))
    }

    /// What earlier runs have kept under a name, as `form`.
    pub fn live_stored(&mut self, name: &str, form: &Shape, (kind, dims): (Kind, Vec<u64>)) -> Traced<Value> {
        shape::check(&dims)?;
        let (script, path, place) = self.position()?;
        let value = script.stored(path, name, form, &place);
        Ok(self.brought(value.map_err(engine)?, (kind, dims)))
    }

    /// Has a value kept under a name, as `form`, when the session ends.
    pub fn live_keep(&mut self, name: &str, form: &Shape, value: &Value) -> Traced<()> {
        self.id(value)?;
        let (script, path, place) = self.position()?;
        let value = value.held.as_ref().and_then(|held| held.0.get());
        let value =
            value.ok_or_else(|| TraceError::Usage("a value of a loop's body cannot be kept".into()))?;
        script.keep(path, name, form, value, &place).map_err(engine)
    }

    /// A value that comes from outside of what is written.
    fn brought(&mut self, value: LiveValue, (kind, dims): (Kind, Vec<u64>)) -> Value {
        let held = Held::default();
        // The cell is new.
        let _ = held.0.set(value);
        // No body has this number, so the value is brought in where it is used.
        self.made += 1;
        let (id, frame) = (ValueId(0), self.made - 1);
        Value { id, frame, kind, shape: dims, wrapping: false, held: Some(Arc::new(held)) }
    }

    /// Opens a value.
    pub fn live_open(&mut self, value: &Value, recipients: Recipients, opening: Opening) -> Traced<()> {
        self.id(value)?;
        let (script, path, place) = self.position()?;
        let value = value.held.as_ref().and_then(|held| held.0.get());
        let value =
            value.ok_or_else(|| TraceError::Usage("a value of a loop's body cannot be opened".into()))?;
        script.open(path, value, recipients, &place, opening).map_err(engine)
    }

    /// Where the next step goes, with everything before it submitted.
    fn position(&mut self) -> Traced<(Script, LivePath, SourcePlace)> {
        self.refused()?;
        self.submit()?;
        let missing = || TraceError::Usage("no reactive session writes here".into());
        let live = self.live.as_ref().ok_or_else(missing)?;
        Ok((live.script.clone(), live.path.ok_or_else(missing)?, live.place()))
    }
}

impl LiveTrace {
    /// Appends the operations of a window.
    fn append(&mut self, window: TracerFrame, builder: &Builder) -> Traced<()> {
        let last = self.place();
        let places = std::mem::replace(&mut self.places, vec![(0, last)]);
        let held = self.held.take();
        let mut captured = std::mem::take(&mut self.captured).into_iter();
        self.stand_ins.clear();
        let (Some(record), Some(path)) = (window.record, self.path) else { return Ok(()) };
        if record.ops.is_empty() {
            return Ok(());
        }
        let library = match builder.templates() {
            [] => None,
            templates => Some(Arc::new(Library::new(templates).map_err(engine)?)),
        };
        let mut values: Vec<LiveValue> = Vec::with_capacity(record.ops.len());
        for ((number, recorded), count) in record.ops.into_iter().enumerate().zip(record.results) {
            let RecordedOp::Op { op, .. } = recorded else {
                values.extend(captured.next());
                continue;
            };
            let place = &places[places.partition_point(|(first, _)| *first <= number).max(1) - 1].1;
            let first = values.len();
            let types: Vec<_> =
                (first..first + count).map(|value| window.body.value_type(ValueId(value as u32))).collect();
            let operand = |value: ValueId| values.get(value.index()).cloned();
            let made = self.script.operation(path, op, operand, library.as_ref(), &types, place);
            values.extend(made.map_err(engine)?);
        }
        for (id, held) in held {
            if let (Some(held), Some(value)) = (held.upgrade(), values.get(id.index())) {
                // A stand-in's array holds the same value already.
                let _ = held.0.set(value.clone());
            }
        }
        Ok(())
    }
}

fn engine(error: tacit_engine::live::LiveError) -> TraceError {
    TraceError::Usage(error.to_string())
}
