//! Programs that grow while they run: newly traced operations are handed to the engine's script, and arrays
//! live on as values that the engine keeps.
//!
//! Operations are traced as usual, into a window: a body whose values from outside have stand-ins, as in a
//! loop's body. [`Tracer::submit`] appends the window's operations to the script and begins another window.
//! There is one window; it is submitted before another task writes.

use std::sync::Arc;

use tacit_engine::live::{LivePath, LiveValue, Opening, PendingWork, Script, SourcePlace, WorkKind};
use tacit_ir::{Builder, Program, Shape, ValueId, ValueType, Words};
use tacit_plan::{Recipients, Side};

use super::body::{BodyRecord, TracerFrame};
use super::empty::NOTHING;
use super::error::{TraceError, Traced};
use super::kind::Kind;
use super::shape;
use super::tracer::Tracer;
use super::value::{Held, Value};
use super::window::{LiveTrace, engine};

/// Operations after which a window is submitted.
const WINDOW: usize = 4096;

impl Tracer {
    /// A program that grows while it runs.
    pub fn live(script: Script) -> Tracer {
        let mut tracer = Tracer::new("window");
        tracer.live = Some(LiveTrace::new(script));
        if let Some(main) = tracer.frames.first_mut() {
            main.record = Some(BodyRecord::default());
        }
        tracer
    }

    /// Sets the task that writes from here on and its position in the source, or why nothing may be written.
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

    /// The number of operations in the window; zero while a loop's body is written, since none may be
    /// submitted then.
    fn written(&self) -> usize {
        match &self.frames[..] {
            [main] => main.record.as_ref().map_or(0, |record| record.ops.len()),
            _ => 0,
        }
    }

    /// Appends the window to the script, and begins another.
    pub fn submit(&mut self) -> Traced<()> {
        if self.frames.len() != 1 {
            return Err(TraceError::Usage(
                "another task computes while the body of a loop is traced; the body must not await anything"
                    .into(),
            ));
        }
        let Some(live) = &mut self.live else { return Ok(()) };
        let body = self.builder.template("main", vec![]);
        let serial = self.made;
        self.made += 1;
        let fresh = TracerFrame::new(serial, body, Some(BodyRecord::default()));
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
        if shape::size(&dims) == 0 {
            return Ok(self.value(NOTHING, kind, dims));
        }
        let ty = ValueType::word(kind.bits(), shape::size(&dims));
        let (script, path, place) = self.position()?;
        let value = script.input(path, giver, &format!("{names} {kind} {dims:?}"), ty, words, &place);
        Ok(self.brought(value.map_err(engine)?, (kind, dims)))
    }

    /// A value that earlier runs have kept under a name, as `form`.
    pub fn live_stored(&mut self, name: &str, form: &Shape, (kind, dims): (Kind, Vec<u64>)) -> Traced<Value> {
        shape::check(&dims)?;
        if shape::size(&dims) == 0 {
            return Ok(self.value(NOTHING, kind, dims));
        }
        let (script, path, place) = self.position()?;
        let value = script.stored(path, name, form, &place);
        Ok(self.brought(value.map_err(engine)?, (kind, dims)))
    }

    /// Keeps a value under a name, as `form`, when the session ends.
    pub fn live_keep(&mut self, name: &str, form: &Shape, value: &Value) -> Traced<()> {
        if value.is_empty() {
            return Ok(());
        }
        self.id(value)?;
        let (script, path, place) = self.position()?;
        let value = value.held.as_ref().and_then(|held| held.value());
        let value =
            value.ok_or_else(|| TraceError::Usage("a value of a loop's body cannot be kept".into()))?;
        script.keep(path, name, form, value, &place).map_err(engine)
    }

    /// A value that comes from outside of the traced program.
    fn brought(&mut self, value: LiveValue, (kind, dims): (Kind, Vec<u64>)) -> Value {
        let held = Held::of(value);
        // No body has this number, so the value is captured where it is used.
        self.made += 1;
        let (id, frame) = (ValueId(0), self.made - 1);
        Value { id, frame, kind, shape: dims, wrapping: false, pinned: None, held: Some(Arc::new(held)) }
    }

    /// Opens a value.
    pub fn live_open(&mut self, value: &Value, recipients: Recipients, opening: Opening) -> Traced<()> {
        self.id(value)?;
        let (script, path, place) = self.position()?;
        let value = value.held.as_ref().and_then(|held| held.value());
        let value =
            value.ok_or_else(|| TraceError::Usage("a value of a loop's body cannot be opened".into()))?;
        script.open(path, value, recipients, &place, opening).map_err(engine)
    }

    /// Appends work of a kind with a program to the session.
    pub fn live_work(&mut self, kind: WorkKind, program: &Program) -> Traced<PendingWork> {
        let (script, path, place) = self.position()?;
        script.work(path, kind, program, &place).map_err(engine)
    }

    /// The position of the next step, after everything before it was submitted.
    fn position(&mut self) -> Traced<(Script, LivePath, SourcePlace)> {
        self.live.as_ref().map_or(Ok(()), LiveTrace::refused)?;
        self.submit()?;
        let missing = || TraceError::Usage("there is no reactive session here".into());
        let live = self.live.as_ref().ok_or_else(missing)?;
        Ok((live.script.clone(), live.path.ok_or_else(missing)?, live.place()))
    }
}
