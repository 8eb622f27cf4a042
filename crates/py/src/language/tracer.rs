//! The program being traced: its builder, and a stack of bodies: `main` and nested loops.

use std::collections::HashMap;

use tacit_ir::{
    BinaryOp, Builder, Domain, Index, Op, PortId, Program, Shape, ShiftOp, TemplateBuilder, TemplateId,
    UnaryOp, ValueId, ValueType, Words,
};

use super::body::{BodyRecord, Exact, Loop, RecordedOp, TracerFrame};
use super::empty::{NOTHING, Pruned, pruned};
use super::error::{TraceError, Traced, shape as bad_shape};
use super::kind::{Kind, Number};
use super::literal::Literal;
use super::shape::{self, View};
use super::value::Value;
use super::window::LiveTrace;

/// A program being traced.
pub struct Tracer {
    pub(super) builder: Builder,
    pub(super) frames: Vec<TracerFrame>,
    pub(super) loops: Vec<Loop>,
    /// Templates that are written once and applied many times, by name.
    pub(super) templates: HashMap<String, TemplateId>,
    pub(super) made: u32,
    outputs: usize,
    /// Additional state of a program that grows while it runs.
    pub(super) live: Option<LiveTrace>,
    /// Line of the source that is being traced, 0 if unknown.
    line: u32,
}

impl Tracer {
    /// An empty program.
    pub fn new(name: &str) -> Tracer {
        let builder = Builder::new(name);
        let body = builder.template("main", vec![]);
        let main = TracerFrame::new(0, body, None);
        Tracer {
            builder,
            frames: vec![main],
            loops: vec![],
            templates: HashMap::new(),
            made: 1,
            outputs: 0,
            live: None,
            line: 0,
        }
    }

    /// Sets the source line of everything written from now on; 0 if unknown.
    pub fn set_line(&mut self, line: u32) {
        self.line = line;
    }

    /// The number of the role with this name.
    pub fn role(&mut self, name: &str) -> tacit_ir::RoleId {
        self.builder.role(name)
    }

    /// An input that a role gives.
    pub fn input(&mut self, role: tacit_ir::RoleId, name: &str, kind: Kind, dims: Vec<u64>) -> Traced<Value> {
        self.outside_loops("input")?;
        shape::check(&dims)?;
        if shape::size(&dims) == 0 {
            return Ok(self.value(NOTHING, kind, dims));
        }
        let port = self.builder.input(name, role, port_shape(&kind, &dims)?)?;
        let Split { builder, body, .. } = self.top()?;
        let id = body.input(builder, port)?[0];
        Ok(self.value(id, kind, dims))
    }

    /// An output that roles receive.
    pub fn output(&mut self, roles: Vec<tacit_ir::RoleId>, name: &str, value: &Value) -> Traced<()> {
        self.outside_loops("output")?;
        self.outputs += 1;
        if value.is_empty() {
            return Ok(());
        }
        let id = self.id(value)?;
        let port: PortId = self.builder.output(name, roles, port_shape(&value.kind, &value.shape)?)?;
        let Split { builder, body, .. } = self.top()?;
        body.output(builder, port, &[id])?;
        Ok(())
    }

    /// The complete program. Nothing can be written afterwards.
    pub fn finish(&mut self) -> Traced<Program> {
        self.outside_loops("the end of the program")?;
        if self.outputs == 0 {
            return Err(TraceError::Usage(
                "the program has no outputs; give one to a role with \
                role.output(name, x)"
                    .into(),
            ));
        }
        let main = self.frames.pop().ok_or_else(finished)?;
        let builder = std::mem::replace(&mut self.builder, Builder::new(""));
        Ok(builder.finish(main.body)?)
    }

    fn outside_loops(&self, what: &str) -> Traced<()> {
        if self.live.is_some() {
            return Err(TraceError::Usage(format!(
                "{what} inside a function of a reactive session; pass \
                arguments and return results instead"
            )));
        }
        match self.frames.len() {
            0 => Err(finished()),
            1 => Ok(()),
            _ => Err(TraceError::Usage(format!("{what} inside the body of a loop; move it out of the loop"))),
        }
    }

    fn top(&mut self) -> Traced<Split<'_>> {
        self.live.as_ref().map_or(Ok(()), LiveTrace::refused)?;
        let frame = self.frames.last_mut().ok_or_else(finished)?;
        frame.body.set_line(self.line);
        Ok(Split {
            builder: &self.builder,
            body: &mut frame.body,
            record: frame.record.as_mut(),
            line: self.line,
        })
    }

    /// Begins a body of a loop; returns its parameters.
    pub(super) fn begin(&mut self, parameters: Vec<ValueType>) -> Traced<Vec<ValueId>> {
        self.top()?;
        let body = self.builder.template("loop", parameters);
        let ids = body.parameters();
        self.frames.push(TracerFrame::new(self.made, body, Some(BodyRecord::default())));
        self.made += 1;
        Ok(ids)
    }

    /// A value of the body being written.
    pub(super) fn value(&self, id: ValueId, kind: Kind, shape: Vec<u64>) -> Value {
        let frame = self.frames.last().map_or(0, |frame| frame.serial);
        let live = self.live.as_ref().filter(|_| self.frames.len() == 1 && id != NOTHING);
        let held = live.map(|live| live.hold(id));
        Value { id, frame, kind, shape, wrapping: false, pinned: None, held }
    }

    /// The value of an array in the body being written; values from outside a loop are captured.
    pub(super) fn id(&mut self, value: &Value) -> Traced<ValueId> {
        if value.is_empty() {
            return Ok(NOTHING);
        }
        let innermost = self.frames.last().ok_or_else(finished)?;
        if innermost.serial == value.frame {
            return Ok(value.id);
        }
        let leaked = || {
            TraceError::Usage(
                "a value made in the body of a loop is used outside of it; return it from the body".into(),
            )
        };
        let (home, mut id) = match self.frames.iter().position(|frame| frame.serial == value.frame) {
            Some(home) => (home, value.id),
            None => (0, self.stand_in(value)?.ok_or_else(leaked)?),
        };
        for inner in home + 1..self.frames.len() {
            let ty = self.frames[inner - 1].body.value_type(id);
            id = self.frames[inner].capture(&self.builder, id, ty)?;
        }
        Ok(id)
    }

    /// The stand-in for a live value.
    fn stand_in(&mut self, value: &Value) -> Traced<Option<ValueId>> {
        let (Some(live), Some(main)) = (&mut self.live, self.frames.first_mut()) else { return Ok(None) };
        live.stand_in(value, main, &self.builder)
    }

    /// Writes an operation of any number of results.
    pub(super) fn emit_all(&mut self, op: Op) -> Traced<Vec<ValueId>> {
        let op = match pruned(op, self.builder.templates()) {
            Pruned::Written(op) => op,
            Pruned::Known(results) => return Ok(results),
        };
        let Split { builder, body, record, line } = self.top()?;
        let kept = record.is_some().then(|| op.clone());
        let results = body.push(builder, op)?;
        if let (Some(record), Some(op)) = (record, kept) {
            record.push(RecordedOp::Op { op, line }, results.len());
        }
        Ok(results)
    }

    /// Writes an operation of one result.
    pub(super) fn emit(&mut self, op: Op) -> Traced<ValueId> {
        Ok(self.emit_all(op)?[0])
    }

    /// A public constant.
    pub(super) fn words(&mut self, words: Words) -> Traced<ValueId> {
        if words.lanes() == 0 {
            return Ok(NOTHING);
        }
        let Split { body, record, line, .. } = self.top()?;
        let before = body.len();
        let kept = record.is_some().then(|| words.clone());
        let id = body.constant(words)?;
        if let (Some(record), Some(words), true) = (record, kept, body.len() > before) {
            record.push(RecordedOp::Op { op: Op::Constant(words), line }, 1);
        }
        Ok(id)
    }

    /// A public number in each of `lanes` lanes.
    pub(super) fn word(&mut self, bits: u32, number: u128, lanes: u64) -> Traced<ValueId> {
        let one = self.words(Words::scalar(bits, number))?;
        self.view(one, 1, &View::whole(&[]).broadcast_to(&[lanes]))
    }

    /// A public array of a kind.
    pub fn literal(&mut self, literal: &Literal, kind: Kind) -> Traced<Value> {
        shape::check(&literal.shape)?;
        let id = self.words(literal.words(&kind)?)?;
        Ok(self.value(id, kind, literal.shape.clone()))
    }

    /// The lanes of a view on a value of `lanes` lanes.
    pub(super) fn view(&mut self, id: ValueId, lanes: u64, view: &View) -> Traced<ValueId> {
        if view.is_empty() {
            return Ok(NOTHING);
        }
        match view.index(lanes) {
            None => Ok(id),
            Some(index) => self.emit(Op::Gather(id, index)),
        }
    }

    /// Lanes by their positions.
    pub(super) fn gather(&mut self, id: ValueId, positions: Vec<u32>) -> Traced<ValueId> {
        self.emit(Op::Gather(id, Index::List(positions)))
    }

    /// A view of an array.
    pub fn seen(&mut self, value: &Value, view: &View) -> Traced<Value> {
        let dims = view.shape();
        shape::check(&dims)?;
        let id = self.id(value)?;
        let id = self.view(id, value.lanes(), view)?;
        Ok(self.like(value, id, dims))
    }

    /// A value of the same kind as another.
    pub(super) fn like(&self, value: &Value, id: ValueId, shape: Vec<u64>) -> Value {
        Value { wrapping: value.wrapping, ..self.value(id, value.kind.clone(), shape) }
    }

    /// An array repeated to a shape that it broadcasts to, as a value of the body being written.
    pub(super) fn spread(&mut self, value: &Value, dims: &[u64]) -> Traced<ValueId> {
        let id = self.id(value)?;
        if value.shape == dims {
            return Ok(id);
        }
        self.view(id, value.lanes(), &View::whole(&value.shape).broadcast_to(dims))
    }

    /// An array broadcast to a shape.
    pub fn broadcast_to(&mut self, value: &Value, dims: Vec<u64>) -> Traced<Value> {
        shape::check(&dims)?;
        if shape::broadcast(&value.shape, &dims)? != dims {
            return bad_shape(format!(
                "an array of shape {} does not broadcast to {}",
                shape::text(&value.shape),
                shape::text(&dims)
            ));
        }
        let id = self.spread(value, &dims)?;
        Ok(self.like(value, id, dims))
    }

    pub(super) fn binary(&mut self, op: BinaryOp, a: ValueId, b: ValueId) -> Traced<ValueId> {
        self.emit(Op::Binary(op, a, b))
    }

    /// The same value, shared in this way.
    pub fn pinned(&mut self, value: &Value, domain: Domain) -> Traced<Value> {
        let id = self.id(value)?;
        let id = self.emit(Op::Pin(domain, id))?;
        Ok(Value { pinned: Some(domain), ..self.like(value, id, value.shape.clone()) })
    }

    pub(super) fn not(&mut self, a: ValueId) -> Traced<ValueId> {
        self.emit(Op::Unary(UnaryOp::Not, a))
    }

    pub(super) fn slice(&mut self, value: ValueId, low: u32, bits: u32) -> Traced<ValueId> {
        self.emit(Op::Slice { value, low, bits })
    }

    /// Widens or narrows a word.
    pub(super) fn resize(&mut self, value: ValueId, from: u32, signed: bool, bits: u32) -> Traced<ValueId> {
        match bits {
            _ if bits == from => Ok(value),
            _ if bits > from => self.emit(Op::Extend { value, bits, signed }),
            _ => self.slice(value, 0, bits),
        }
    }

    /// An exact number as another number kind, which is remembered where it rounds. A program that grows while it runs computes everything that is
    /// written, so nothing is remembered there.
    pub(super) fn round(&mut self, id: ValueId, from: Number, to: Number) -> Traced<ValueId> {
        let rounded = self.fit(id, from, to)?;
        if let (Some(frame), None) = (self.frames.last_mut(), &self.live)
            && from.point > to.point
        {
            frame.rounded.insert(rounded, Exact { id, from, to });
        }
        Ok(rounded)
    }

    /// What a value of the body being written was before it was rounded to its number kind.
    pub(super) fn exact(&self, value: &Value) -> Option<Exact> {
        let frame = self.frames.last().filter(|frame| frame.serial == value.frame)?;
        let exact = frame.rounded.get(&value.id)?;
        (!value.wrapping && value.kind.number() == Some(exact.to)).then_some(*exact)
    }

    /// A number as another number kind, with more or fewer bits before and after the point. Fewer bits after
    /// the point round down; fewer before it keep the low bits.
    pub(super) fn fit(&mut self, id: ValueId, from: Number, to: Number) -> Traced<ValueId> {
        let (before, after) = (from.point.unwrap_or(0), to.point.unwrap_or(0));
        if before > after {
            let dropped = (before - after).min(from.bits - 1);
            let floor = self.slice(id, dropped, from.bits - dropped)?;
            return self.resize(floor, from.bits - dropped, from.signed, to.bits);
        }
        let wide = self.resize(id, from.bits, from.signed, to.bits)?;
        match after - before {
            0 => Ok(wide),
            amount => self.emit(Op::ShiftBy(ShiftOp::Left, wide, amount)),
        }
    }
}

/// The parts of a tracer that one operation uses.
struct Split<'t> {
    builder: &'t Builder,
    body: &'t mut TemplateBuilder,
    record: Option<&'t mut BodyRecord>,
    line: u32,
}

fn finished() -> TraceError {
    TraceError::Usage(
        "a secret value of an earlier trace was used again, but that program is finished".into(),
    )
}

/// The form in which users write an array.
pub fn port_shape(kind: &Kind, dims: &[u64]) -> Traced<Shape> {
    let element = match kind {
        Kind::Float(bits) => Shape::Float { bits: *bits },
        kind => Shape::Integer { bits: kind.bits(), signed: kind.signed() },
    };
    dims.iter().rev().try_fold(element, |element, dim| match u32::try_from(*dim) {
        Ok(length) => Ok(Shape::Array { length, element: Box::new(element) }),
        Err(_) => bad_shape(format!("an array of shape {} has too many elements", shape::text(dims))),
    })
}
