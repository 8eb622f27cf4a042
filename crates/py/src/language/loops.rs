//! Loops that repeat one body: [`tacit_ir::Op::Iterate`].
//!
//! While a body is traced, the values that it will use from outside are unknown. Each gets a stand-in at its
//! first use; in the end the body is written again, with a parameter for each stand-in.

use tacit_ir::{BinaryOp, Op, ValueId, ValueType, index_bits};

use super::body::{BodyRecord, Loop, RecordedOp};
use super::error::{TraceError, Traced, kind, shape as bad_shape};
use super::kind::Kind;
use super::shape;
use super::tracer::Tracer;
use super::value::Value;

/// The values that the body of a loop receives.
pub struct LoopInputs {
    /// The number of the iteration.
    pub counter: Value,
    /// The carried values.
    pub carried: Vec<Value>,
    /// This iteration's slices.
    pub slices: Vec<Value>,
}

impl Tracer {
    /// Begins a loop of `count` iterations that carries some arrays and slices others along their first axis.
    pub fn begin_loop(&mut self, count: u64, carried: &[Value], sliced: &[Value]) -> Traced<LoopInputs> {
        if count == 0 {
            return bad_shape("the loop has no iterations");
        }
        let counter = Kind::Uint(index_bits(count));
        let mut types = vec![ValueType::word(counter.bits(), 1)];
        let (mut entering, mut sources) = (Vec::new(), Vec::new());
        for value in carried {
            types.push(ValueType::word(value.kind.bits(), value.lanes()));
            let id = self.id(value)?;
            entering.push((value.clone(), id));
        }
        for value in sliced {
            if value.shape.first() != Some(&count) {
                return bad_shape(format!(
                    "an array of shape {} does not have {count} entries to loop over",
                    shape::text(&value.shape)
                ));
            }
            types.push(ValueType::word(value.kind.bits(), value.lanes() / count));
            sources.push(self.id(value)?);
        }
        let ids = self.begin(types)?;
        let parameter = |(value, id): (&Value, &ValueId), dims: &[u64]| self.like(value, *id, dims.to_vec());
        let slices =
            sliced.iter().zip(&ids[1 + carried.len()..]).map(|pair| parameter(pair, &pair.0.shape[1..]));
        let given = LoopInputs {
            counter: self.value(ids[0], counter, vec![]),
            slices: slices.collect(),
            carried: carried.iter().zip(&ids[1..]).map(|pair| parameter(pair, &pair.0.shape)).collect(),
        };
        self.loops.push(Loop { count, carried: entering, sliced: sources, counter: ids[0] });
        Ok(given)
    }

    /// Abandons the innermost loop.
    pub fn abandon_loop(&mut self) {
        self.loops.pop();
        self.frames.pop();
    }

    /// Ends the innermost loop, with the values carried to the next iteration and the values kept of each
    /// iteration. Returns the values carried in the end, and the stacks of the kept ones.
    pub fn end_loop(&mut self, carried: &[Value], kept: &[Value]) -> Traced<(Vec<Value>, Vec<Value>)> {
        let Some(Loop { count, carried: entering, sliced, counter }) = self.loops.pop() else {
            return Err(TraceError::Usage("no loop has begun".into()));
        };
        let results = self.leaving(&entering, carried, kept);
        let next = self.next_counter(counter, results.as_deref().unwrap_or(&[]));
        let frame = self.frames.pop();
        let (mut results, next) = (results?, next?);
        if results.is_empty() {
            return bad_shape("the loop has neither a state nor results");
        }
        let Some(BodyRecord { ops, captures, .. }) = frame.and_then(|frame| frame.record) else {
            return Err(TraceError::Usage("no loop has begun".into()));
        };
        let carried_ids: Vec<ValueId> = entering.iter().map(|(_, id)| *id).collect();
        let mut types: Vec<ValueType> = Vec::new();
        let mut order: Vec<ValueId> = Vec::new();
        if let Some(next) = next {
            results.insert(0, next);
            types.push(ValueType::word(index_bits(count), 1));
            order.push(counter);
        }
        let ty = |value: &Value, parts: u64| ValueType::word(value.kind.bits(), value.lanes() / parts);
        types.extend(entering.iter().map(|(value, _)| ty(value, 1)));
        order.extend((0..entering.len() as u32).map(|number| ValueId(1 + number)));
        types.extend(captures.iter().map(|(_, ty)| *ty));
        let first_slice = 1 + entering.len() as u32;
        let slices = (0..sliced.len() as u32).map(|number| ValueId(first_slice + number));
        let outer = self.frames.last().ok_or_else(|| TraceError::Usage("no loop has begun".into()))?;
        types.extend(sliced.iter().map(|id| {
            let whole = outer.body.value_type(*id);
            ValueType { lanes: whole.lanes / count, ..whole }
        }));
        let parameters = 1 + entering.len() + sliced.len();
        let template =
            self.rewrite(ops, types, parameters, (&order, &slices.collect::<Vec<_>>()), &results)?;
        let mut first: Vec<ValueId> = Vec::new();
        if next.is_some() {
            first.push(self.word(index_bits(count), 0, 1)?);
        }
        let counted = first.len();
        first.extend(carried_ids);
        let invariant = captures.iter().map(|(outer, _)| *outer).collect();
        let op = Op::Iterate { template, count, carried: first, invariant, sliced };
        let ids = self.emit_all(op)?.split_off(counted);
        let (last, stacks) = ids.split_at(entering.len());
        let last =
            entering.iter().zip(last).map(|((value, _), id)| self.like(value, *id, value.shape.clone()));
        let last = last.collect();
        let stacked = |(value, id): (&Value, &ValueId)| {
            let dims = [&[count], value.shape.as_slice()].concat();
            self.like(value, *id, dims)
        };
        Ok((last, kept.iter().zip(stacks).map(stacked).collect()))
    }

    /// The results of a body; carried values are converted to the kinds in which they entered.
    fn leaving(
        &mut self,
        entering: &[(Value, ValueId)],
        carried: &[Value],
        kept: &[Value],
    ) -> Traced<Vec<ValueId>> {
        if carried.len() != entering.len() {
            return bad_shape(format!(
                "the state of the loop has {} values, but its body returns {}",
                entering.len(),
                carried.len()
            ));
        }
        let mut results = Vec::with_capacity(carried.len() + kept.len());
        for ((before, _), after) in entering.iter().zip(carried) {
            if before.shape != after.shape {
                return bad_shape(format!(
                    "a value in the state of the loop starts with shape {} and becomes {}; its shape must \
                     stay the same",
                    shape::text(&before.shape),
                    shape::text(&after.shape)
                ));
            }
            if before.kind.join(&after.kind).ok().as_ref() != Some(&before.kind) {
                return kind(format!(
                    "a value in the state of the loop starts as {} and becomes {}; start with a kind as \
                     wide as it can become and end the body with x.astype(kind), or use t.wrapping(x)",
                    before.kind, after.kind
                ));
            }
            let same = self.astype(after, &before.kind)?;
            results.push(self.id(&same)?);
        }
        for value in kept {
            results.push(self.id(value)?);
        }
        Ok(results)
    }

    /// The number of the next iteration, if the body uses its own.
    fn next_counter(&mut self, counter: ValueId, results: &[ValueId]) -> Traced<Option<ValueId>> {
        let mut used = results.contains(&counter);
        let record = self.frames.last().and_then(|frame| frame.record.as_ref());
        for recorded in record.iter().flat_map(|record| &record.ops) {
            if let RecordedOp::Op { op, .. } = recorded {
                op.for_each_operand(|value| used |= value == counter);
            }
        }
        if !used {
            return Ok(None);
        }
        let bits = match self.frames.last().map(|frame| frame.body.value_type(counter).ty) {
            Some(tacit_ir::Type::Word(bits)) => bits,
            _ => 1,
        };
        let one = self.word(bits, 1, 1)?;
        self.binary(BinaryOp::Add, counter, one).map(Some)
    }

    /// Writes a body again. `types` are those of its new parameters: first `before` of the old ones, then the
    /// values from outside, then the old ones `after`.
    fn rewrite(
        &mut self,
        ops: Vec<RecordedOp>,
        types: Vec<ValueType>,
        parameters: usize,
        (before, after): (&[ValueId], &[ValueId]),
        results: &[ValueId],
    ) -> Traced<tacit_ir::TemplateId> {
        let mut names: Vec<Option<ValueId>> = vec![None; parameters];
        let captured = types.len() - before.len() - after.len();
        before.iter().enumerate().for_each(|(place, old)| names[old.index()] = Some(ValueId(place as u32)));
        after.iter().enumerate().for_each(|(place, old)| {
            names[old.index()] = Some(ValueId((before.len() + captured + place) as u32));
        });
        let mut body = self.builder.template("loop", types);
        let mut captures = (before.len() as u32..).map(ValueId);
        for recorded in ops {
            match recorded {
                RecordedOp::Capture => names.push(captures.next()),
                RecordedOp::Op { mut op, line } => {
                    body.set_line(line);
                    op.for_each_operand_mut(|value| *value = names[value.index()].unwrap_or(*value));
                    names.extend(body.push(&self.builder, op)?.into_iter().map(Some));
                }
            }
        }
        let results = results.iter().map(|value| names[value.index()].unwrap_or(*value)).collect();
        Ok(self.builder.add(body, results)?)
    }
}
