//! The window of a program that grows while it runs: a body whose values from outside have stand-ins, and the
//! arrays that outlive it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

use tacit_engine::live::{Library, LiveError, LivePath, LiveValue, Script, SourcePlace};
use tacit_ir::{Builder, Op, ValueId};

use super::body::{RecordedOp, TracerFrame};
use super::error::{TraceError, Traced};
use super::value::{Held, Value};

/// The additional state of a tracer for a growing program.
pub(super) struct LiveTrace {
    pub(super) script: Script,
    /// The task that writes.
    pub(super) path: Option<LivePath>,
    /// Why it may not write.
    pub(super) problem: Option<TraceError>,
    /// The positions in the source, each from an operation of the window on.
    pub(super) places: Vec<(usize, SourcePlace)>,
    /// The arrays of the window's values.
    held: RefCell<HashMap<ValueId, Weak<Held>>>,
    /// Values from outside of the window, in the order of their stand-ins.
    captured: Vec<LiveValue>,
    /// The stand-ins of arrays, by the address of an array's handle, which is stable as long as the window
    /// exists.
    stand_ins: HashMap<usize, (ValueId, Arc<Held>)>,
}

impl LiveTrace {
    /// An empty window without a task.
    pub(super) fn new(script: Script) -> LiveTrace {
        LiveTrace {
            script,
            path: None,
            problem: None,
            places: Vec::new(),
            held: RefCell::default(),
            captured: Vec::new(),
            stand_ins: HashMap::new(),
        }
    }

    /// The handle of a value of the window.
    pub(super) fn hold(&self, id: ValueId) -> Arc<Held> {
        let mut held = self.held.borrow_mut();
        if let Some(known) = held.get(&id).and_then(Weak::upgrade) {
            return known;
        }
        let made = Arc::new(Held::default());
        held.insert(id, Arc::downgrade(&made));
        made
    }

    /// The source position of the task that writes.
    pub(super) fn place(&self) -> SourcePlace {
        self.places.last().map(|(_, place)| place.clone()).unwrap_or_default()
    }
    /// Returns the error if nothing may be written.
    pub(super) fn refused(&self) -> Traced<()> {
        self.problem.clone().map_or(Ok(()), Err)
    }

    /// The stand-in for a live value, in the window's body `main`.
    pub(super) fn stand_in(
        &mut self,
        value: &Value,
        main: &mut TracerFrame,
        builder: &Builder,
    ) -> Traced<Option<ValueId>> {
        let Some(held) = &value.held else { return Ok(None) };
        let key = Arc::as_ptr(held) as usize;
        if let Some((known, _)) = self.stand_ins.get(&key) {
            return Ok(Some(*known));
        }
        let Some(value) = held.value() else { return Ok(None) };
        let id = main.body.push(builder, Op::Random(value.value_type()))?[0];
        if let Some(record) = &mut main.record {
            record.push(RecordedOp::Capture, 1);
        }
        self.captured.push(value.clone());
        self.stand_ins.insert(key, (id, held.clone()));
        self.held.borrow_mut().insert(id, Arc::downgrade(held));
        Ok(Some(id))
    }

    /// Appends the operations of a window.
    pub(super) fn append(&mut self, window: TracerFrame, builder: &Builder) -> Traced<()> {
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
                held.set(value.clone());
            }
        }
        Ok(())
    }
}

/// An error of the engine.
pub(super) fn engine(error: LiveError) -> TraceError {
    TraceError::Usage(error.to_string())
}
