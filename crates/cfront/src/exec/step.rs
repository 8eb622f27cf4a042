//! Executes single instructions.

use std::rc::Rc;

use tacit_ir::CompareOp;

use super::Executor;
use super::memory::Object;
use super::page::Fill;
use super::pointer::{Offset, Pointer, Target};
use super::run::{Frame, Step};
use super::state::State;
use super::value::{Partial, Value};
use crate::graph::{Graph, Word};
use crate::int::IntOp;
use crate::llvm::{
    Cast, Constant, Expression, Instruction, Kind, Operand, Predicate, Symbol, SymbolId, Type,
};
use crate::{CError, PropertyKind};

impl Executor<'_> {
    pub(super) fn step(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        instruction: &Instruction,
    ) -> Result<Step, CError> {
        let value = match &instruction.kind {
            Kind::Binary(op, a, b) => {
                let (a, b) = self.operands(state, a, b)?;
                self.checked_binary(state, *op, a, b)?.map(|value| self.noted(value))
            }
            Kind::Compare(predicate, a, b) => {
                let (a, b) = self.operands(state, a, b)?;
                self.checked_compare(state, *predicate, a, b)?.map(|value| self.noted(value))
            }
            Kind::Float(op, a, b) => {
                let (a, b) = self.operands(state, a, b)?;
                self.float_binary(state, *op, a, b)?.map(|value| self.noted(value))
            }
            Kind::FloatCompare(relation, a, b) => {
                let (a, b) = self.operands(state, a, b)?;
                self.float_compare(state, *relation, a, b)?.map(|value| self.noted(value))
            }
            Kind::Cast(cast, ty, value) => self.converted(state, *cast, ty, value)?,
            Kind::Select(condition, a, b) => self.selected(state, condition, a, b)?,
            Kind::Freeze(ty, value) => Some(match self.operand(state, value)? {
                Value::Undefined => self.zero(ty)?,
                value => value,
            }),
            Kind::Alloca { ty, count } => Some(self.allocate(frame, state, ty, count)?),
            Kind::Load(ty, address) => {
                let address = self.operand(state, address)?;
                self.load_type(state, &address, ty)?
            }
            Kind::Store { ty, value, address } => {
                let (value, address) = self.operands(state, value, address)?;
                let stored = self.store_type(state, &address, ty, &value)?;
                return Ok(stored.map_or(Step::Dead, |()| Step::Next));
            }
            Kind::Address { base, constant, terms, inbounds } => {
                let kept = instruction.result.is_some_and(|result| frame.flow.is_kept(result));
                let value = self.address(state, base, *constant, terms)?;
                value.filter(|value| !(*inbounds && kept) || self.stays_inside(state, value))
            }
            Kind::Call { callee, result, arguments } => self.call(frame, state, callee, result, arguments)?,
            Kind::Extract(aggregate, path) => Some(extract(self.operand(state, aggregate)?, path)),
            Kind::Insert { aggregate, value, path } => {
                let (aggregate, value) = self.operands(state, aggregate, value)?;
                Some(insert(aggregate, value, path))
            }
            Kind::Declare { .. } | Kind::Nothing => return Ok(Step::Next),
            Kind::Unsupported(what) => return self.unsupported(what.clone()),
        };
        let Some(value) = value else { return Ok(Step::Dead) };
        if let Some(result) = instruction.result {
            state.registers.set(result as usize, value);
        }
        Ok(Step::Next)
    }

    fn operands(&mut self, state: &State, a: &Operand, b: &Operand) -> Result<(Value, Value), CError> {
        Ok((self.operand(state, a)?, self.operand(state, b)?))
    }

    pub(super) fn operand(&mut self, state: &State, operand: &Operand) -> Result<Value, CError> {
        match operand {
            Operand::Register(register) => Ok(state.registers.get(*register as usize).clone()),
            Operand::Constant(constant) => self.constant(constant),
        }
    }

    pub(super) fn constant(&mut self, constant: &Constant) -> Result<Value, CError> {
        Ok(match constant {
            Constant::Int(value) => Value::Word(self.graph.constant(value.clone())),
            Constant::Null => Value::pointer(Pointer::null(&mut self.graph)),
            Constant::Undefined => Value::Undefined,
            Constant::Zero(ty) => self.zero(ty)?,
            Constant::Symbol(symbol) => self.symbol(*symbol)?,
            Constant::Aggregate(members) => {
                let members: Result<Vec<_>, _> = members.iter().map(|member| self.constant(member)).collect();
                Value::Aggregate(members?.into())
            }
            Constant::Bytes(bytes) => {
                let bytes = bytes.iter().map(|byte| Value::Word(self.graph.number(8, (*byte).into())));
                Value::Aggregate(bytes.collect())
            }
            Constant::Expression(expression) => match expression.as_ref() {
                Expression::Address { base, constant } => {
                    let base = self.constant(base)?;
                    self.moved(&base, *constant as u64)?
                }
                Expression::Cast(cast, ty, value) => {
                    let value = self.constant(value)?;
                    self.cast(*cast, ty, value)?
                }
                Expression::Binary(op, a, b) => {
                    let (a, b) = (self.constant(a)?, self.constant(b)?);
                    self.binary(*op, &a, &b)?
                }
            },
            Constant::Unsupported(what) => return self.unsupported(what.clone()),
        })
    }

    pub(super) fn zero(&mut self, ty: &Type) -> Result<Value, CError> {
        Ok(match ty {
            Type::Int(bits) | Type::Float(bits) => Value::Word(self.graph.number(*bits, 0)),
            Type::Pointer => Value::pointer(Pointer::null(&mut self.graph)),
            Type::Array(length, element) => {
                let element = self.zero(element)?;
                Value::Aggregate(vec![element; *length as usize].into())
            }
            Type::Struct(layout) => {
                let members: Result<Vec<_>, _> =
                    layout.members.iter().map(|member| self.zero(member)).collect();
                Value::Aggregate(members?.into())
            }
            Type::Void | Type::Function(_) | Type::Other(_) => return self.unsupported(ty.describe()),
        })
    }

    /// The address of a global variable or function.
    fn symbol(&mut self, symbol: SymbolId) -> Result<Value, CError> {
        let target = match self.module.symbol(symbol) {
            Symbol::Global(_) => match self.globals.get(&symbol) {
                Some(object) => Target::Object(*object),
                None => {
                    let why = self.unusable.get(&symbol).cloned();
                    return self.unsupported(why.unwrap_or_else(|| "this variable".into()));
                }
            },
            Symbol::Function(_) | Symbol::External(_) => Target::Function(symbol),
            Symbol::Alias(target) => return self.constant(target),
        };
        Ok(Value::pointer(Pointer::to(&mut self.graph, target, Offset::default())))
    }

    /// A result; warns if it is undefined because an operand was never set.
    fn noted(&mut self, value: Value) -> Value {
        if matches!(value, Value::Undefined) {
            self.assume(self.location(), "a computation uses a variable that was never set");
        }
        value
    }

    /// Arithmetic; a check forbids operands without a result.
    fn checked_binary(
        &mut self,
        state: &mut State,
        op: IntOp,
        a: Value,
        b: Value,
    ) -> Result<Option<Value>, CError> {
        if !self.checking() {
            return self.binary(op, &a, &b).map(Some);
        }
        if let Some(value) = bitwise(&mut self.graph, op, &a, &b) {
            return Ok(Some(value));
        }
        let (Some(a), Some(b)) = (self.settled(state, a), self.settled(state, b)) else { return Ok(None) };
        if let (IntOp::DivU | IntOp::DivS | IntOp::RemU | IntOp::RemS, Value::Word(divisor)) = (op, &b) {
            let zero = self.graph.number(self.graph.bits(*divisor), 0);
            let zero = self.graph.equal(*divisor, zero);
            if !self.forbid(state, zero, PropertyKind::DivisionByZero, "the divisor is zero") {
                return Ok(None);
            }
        }
        if op == IntOp::Sub && !self.related(state, &a, &b, "subtracted") {
            return Ok(None);
        }
        self.binary(op, &a, &b).map(Some)
    }

    /// A comparison; a check forbids ordering addresses in different objects.
    fn checked_compare(
        &mut self,
        state: &mut State,
        predicate: Predicate,
        a: Value,
        b: Value,
    ) -> Result<Option<Value>, CError> {
        let (Some(a), Some(b)) = (self.settled(state, a), self.settled(state, b)) else { return Ok(None) };
        let ordered = !matches!(predicate, Predicate::Equal | Predicate::NotEqual);
        if ordered && !self.related(state, &a, &b, "compared") {
            return Ok(None);
        }
        self.compare(predicate, &a, &b).map(Some)
    }

    /// A value in another type. Only conversions that keep all bits accept partly written values.
    fn converted(
        &mut self,
        state: &mut State,
        cast: Cast,
        ty: &Type,
        value: &Operand,
    ) -> Result<Option<Value>, CError> {
        let value = self.operand(state, value)?;
        let resizes = matches!(
            cast,
            Cast::Truncate
                | Cast::ZeroExtend
                | Cast::SignExtend
                | Cast::PointerToInt
                | Cast::IntToPointer
                | Cast::Bits
        );
        let value = if resizes { Some(value) } else { self.settled(state, value) };
        value.map(|value| self.cast(cast, ty, value)).transpose()
    }

    /// The operand that a condition chooses.
    fn selected(
        &mut self,
        state: &mut State,
        condition: &Operand,
        a: &Operand,
        b: &Operand,
    ) -> Result<Option<Value>, CError> {
        let (a, b) = self.operands(state, a, b)?;
        let condition = self.operand(state, condition)?;
        let Some(condition) = self.settled(state, condition) else { return Ok(None) };
        let Value::Word(condition) = condition else { return Ok(Some(Value::Undefined)) };
        Ok(Some(match self.graph.flag_value(condition) {
            Some(true) => a,
            Some(false) => b,
            None => Value::select(&mut self.graph, condition, &a, &b),
        }))
    }

    /// In a check, forbids an address outside of its object; returns whether any path continues.
    fn stays_inside(&mut self, state: &mut State, address: &Value) -> bool {
        match address {
            Value::Pointer(pointer) if self.checking() => self.stays(state, pointer),
            _ => true,
        }
    }

    /// In a check, forbids addresses in different objects; returns whether any path continues.
    fn related(&mut self, state: &mut State, a: &Value, b: &Value, done: &str) -> bool {
        if !self.checking() {
            return true;
        }
        let (Value::Pointer(a), Value::Pointer(b)) = (a, b) else { return true };
        let description = format!("addresses in different objects are {done}");
        let bad = Pointer::unrelated(&mut self.graph, a, b);
        bad.is_none_or(|bad| self.forbid(state, bad, PropertyKind::Unrelated, &description))
    }

    pub(super) fn binary(&mut self, op: IntOp, a: &Value, b: &Value) -> Result<Value, CError> {
        match (a, b) {
            (Value::Word(a), Value::Word(b)) => Ok(Value::Word(self.graph.binary(op, *a, *b))),
            // Unset bits may be taken as zero, which keeps bit-fields whose neighbours were not set.
            (Value::Undefined, Value::Word(known)) | (Value::Word(known), Value::Undefined)
                if matches!(op, IntOp::And | IntOp::Or) =>
            {
                let zero = self.graph.number(self.graph.bits(*known), 0);
                Ok(Value::Word(if op == IntOp::And { zero } else { *known }))
            }
            (Value::Undefined, _) | (_, Value::Undefined) => Ok(Value::Undefined),
            (Value::Pointer(_), _) | (_, Value::Pointer(_)) => {
                let (a, b) = (self.without_object(a), self.without_object(b));
                match (&a, &b) {
                    (Value::Word(a), Value::Word(b)) => Ok(Value::Word(self.graph.binary(op, *a, *b))),
                    _ => self.binary_on_address(op, &a, &b),
                }
            }
            _ => self.unsupported("arithmetic on a structure"),
        }
    }

    /// An address without an object as an integer.
    fn without_object(&mut self, value: &Value) -> Value {
        match value {
            Value::Pointer(pointer) if let Some((Target::Null, offset)) = pointer.single() => {
                let word = offset.to_word(&mut self.graph);
                Value::Word(self.graph.resize(word, self.module.machine.pointer_bits(), false))
            }
            other => other.clone(),
        }
    }

    /// Arithmetic on addresses that were converted to integers.
    fn binary_on_address(&mut self, op: IntOp, a: &Value, b: &Value) -> Result<Value, CError> {
        let graph = &mut self.graph;
        match (op, a, b) {
            (IntOp::Add, Value::Pointer(base), Value::Word(step))
            | (IntOp::Add, Value::Word(step), Value::Pointer(base)) => {
                let step = graph.resize(*step, 64, true);
                Ok(Value::pointer(base.moved(|offset| offset.add(graph, step, 1))))
            }
            (IntOp::Sub, Value::Pointer(base), Value::Word(step)) => {
                let step = graph.resize(*step, 64, true);
                Ok(Value::pointer(base.moved(|offset| offset.add(graph, step, -1))))
            }
            (IntOp::Sub, Value::Pointer(a), Value::Pointer(b)) => match Pointer::distance(graph, a, b) {
                Some(distance) => {
                    Ok(Value::Word(graph.resize(distance, self.module.machine.pointer_bits(), true)))
                }
                None => self.unsupported("the difference of addresses of two objects"),
            },
            // Objects are aligned to 16 bytes.
            (IntOp::And, Value::Pointer(base), Value::Word(bits)) => {
                match (base.single(), graph.value(*bits).and_then(crate::int::Int::to_u64)) {
                    (Some((_, offset)), Some(0..=15)) => {
                        let offset = offset.to_word(graph);
                        let offset = graph.resize(offset, graph.bits(*bits), false);
                        Ok(Value::Word(graph.and(offset, *bits)))
                    }
                    _ => self.unsupported("arithmetic on an address"),
                }
            }
            _ => self.unsupported("arithmetic on an address"),
        }
    }

    pub(super) fn compare(&mut self, predicate: Predicate, a: &Value, b: &Value) -> Result<Value, CError> {
        use Predicate::*;
        let (a, b, negated) = match predicate {
            Equal | LessUnsigned | LessSigned => (a, b, false),
            NotEqual => (a, b, true),
            GreaterUnsigned | GreaterSigned => (b, a, false),
            // a ≤ b as ¬(b < a)
            LessEqualUnsigned | LessEqualSigned => (b, a, true),
            GreaterEqualUnsigned | GreaterEqualSigned => (a, b, true),
        };
        let op = match predicate {
            Equal | NotEqual => CompareOp::Eq,
            LessUnsigned | LessEqualUnsigned | GreaterUnsigned | GreaterEqualUnsigned => CompareOp::LtU,
            LessSigned | LessEqualSigned | GreaterSigned | GreaterEqualSigned => CompareOp::LtS,
        };
        let holds = match (a, b) {
            (Value::Word(a), Value::Word(b)) => self.graph.compare(op, *a, *b),
            (Value::Undefined, _) | (_, Value::Undefined) => return Ok(Value::Undefined),
            _ => {
                let graph = &mut self.graph;
                match (a.address(graph), b.address(graph)) {
                    (Some(a), Some(b)) => Pointer::compare(graph, &a, &b, op != CompareOp::Eq),
                    _ => return self.unsupported("comparing an address with a secret integer"),
                }
            }
        };
        Ok(Value::Word(if negated { self.graph.not(holds) } else { holds }))
    }

    pub(super) fn cast(&mut self, cast: Cast, ty: &Type, value: Value) -> Result<Value, CError> {
        match (cast, ty, &value) {
            (_, _, Value::Undefined) => Ok(Value::Undefined),
            (Cast::Truncate, Type::Int(bits), Value::Partial(part)) => {
                let graph = &mut self.graph;
                let (word, written) = (graph.slice(part.word, 0, *bits), graph.slice(part.written, 0, *bits));
                Ok(Value::partial(graph, word, written))
            }
            (Cast::ZeroExtend | Cast::SignExtend, Type::Int(bits), Value::Partial(part)) => {
                // Higher bits are known zeros, or the sign, whether or not it is known.
                let (graph, signed) = (&mut self.graph, cast == Cast::SignExtend);
                let word = graph.extend(part.word, *bits, signed);
                let unwritten = graph.not(part.written);
                let unwritten = graph.extend(unwritten, *bits, signed);
                let written = graph.not(unwritten);
                Ok(Value::partial(graph, word, written))
            }
            (Cast::PointerToInt, Type::Int(bits), Value::Partial(_))
                if *bits == self.module.machine.pointer_bits() =>
            {
                Ok(value)
            }
            (
                Cast::IntToPointer | Cast::Bits,
                Type::Pointer | Type::Int(_) | Type::Float(_),
                Value::Partial(_),
            ) => Ok(value),
            (Cast::Truncate, Type::Int(bits), Value::Word(word)) => {
                Ok(Value::Word(self.graph.slice(*word, 0, *bits)))
            }
            (Cast::ZeroExtend | Cast::SignExtend, Type::Int(bits), Value::Word(word)) => {
                Ok(Value::Word(self.graph.extend(*word, *bits, cast == Cast::SignExtend)))
            }
            (Cast::PointerToInt, Type::Int(bits), Value::Pointer(pointer)) => match pointer.single() {
                Some((Target::Null, offset)) => {
                    let word = offset.to_word(&mut self.graph);
                    Ok(Value::Word(self.graph.resize(word, *bits, false)))
                }
                _ if *bits == self.module.machine.pointer_bits() => Ok(value),
                _ => self.unsupported(format!("this conversion to {}", ty.describe())),
            },
            (Cast::PointerToInt | Cast::IntToPointer, Type::Int(bits), Value::Word(word)) => {
                Ok(Value::Word(self.graph.resize(*word, *bits, false)))
            }
            (Cast::IntToPointer, Type::Pointer, Value::Word(word)) => {
                let word = self.graph.resize(*word, self.module.machine.pointer_bits(), false);
                match Value::Word(word).address(&mut self.graph) {
                    Some(pointer) => Ok(Value::pointer(pointer)),
                    None => self.unsupported("an address made from a secret integer"),
                }
            }
            (Cast::Bits, Type::Float(_), Value::Word(_)) => Ok(value),
            (Cast::IntToPointer | Cast::Bits, Type::Pointer | Type::Int(_), _) => Ok(value),
            (_, _, Value::Word(word)) => self.float_cast(cast, ty, *word),
            _ => self.unsupported(format!("this conversion to {}", ty.describe())),
        }
    }

    fn address(
        &mut self,
        state: &mut State,
        base: &Operand,
        constant: i64,
        terms: &[(Operand, i64)],
    ) -> Result<Option<Value>, CError> {
        let base = self.operand(state, base)?;
        let Some(base) = self.settled(state, base) else { return Ok(None) };
        let base = self.moved(&base, constant as u64)?;
        let mut steps: Vec<(Word, i64)> = Vec::new();
        for (index, stride) in terms {
            let index = self.operand(state, index)?;
            let Some(index) = self.settled(state, index) else { return Ok(None) };
            match index {
                Value::Word(word) => steps.push((self.graph.resize(word, 64, true), *stride)),
                Value::Undefined => return Ok(Some(Value::Undefined)),
                _ => return self.unsupported("an address used as an index"),
            }
        }
        if steps.is_empty() || base == Value::Undefined {
            return Ok(Some(base));
        }
        match base.address(&mut self.graph) {
            Some(base) => Ok(Some(Value::pointer(base.moved(|offset| {
                steps.iter().for_each(|(word, stride)| offset.add(&mut self.graph, *word, *stride));
            })))),
            None => self.unsupported("an address made from a secret integer"),
        }
    }

    fn allocate(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        ty: &Type,
        count: &Operand,
    ) -> Result<Value, CError> {
        let count = match self.operand(state, count)? {
            Value::Word(word) => self.graph.value(word).and_then(crate::int::Int::to_u64),
            _ => None,
        };
        let Some(size) = count.and_then(|count| count.checked_mul(ty.size(self.module.machine))) else {
            return self.unsupported("an array whose length is secret");
        };
        let object = self.new_object(state, Rc::from("a local variable"), size, Fill::Undefined)?;
        frame.objects.push(object);
        Ok(Value::pointer(Pointer::to(&mut self.graph, Target::Object(object), Offset::default())))
    }

    /// A new object of `size` bytes.
    pub(super) fn new_object(
        &mut self,
        state: &mut State,
        name: Rc<str>,
        size: u64,
        fill: Fill,
    ) -> Result<super::ObjectId, CError> {
        if size > self.limits.object_bytes {
            return self.too_large("bytes in one variable", self.limits.object_bytes);
        }
        let fill = if self.checking() && fill == Fill::Undefined { Fill::Unwritten } else { fill };
        let id = super::ObjectId(self.next_object);
        self.next_object += 1;
        state.memory.insert(id, Object::new(name, size, fill));
        Ok(id)
    }
}

/// In a check, operations that may ignore bits of their operands: a bit of the result is written if both
/// operands' bits are, or if one operand alone decides it.
fn bitwise(graph: &mut Graph, op: IntOp, a: &Value, b: &Value) -> Option<Value> {
    if !matches!((a, b), (Value::Partial(_), _) | (_, Value::Partial(_))) {
        return None;
    }
    let (x, y) = (a.parts(graph)?, b.parts(graph)?);
    let (word, written) = match op {
        IntOp::And | IntOp::Or => {
            let both = graph.and(x.written, y.written);
            let mut decides = |part: Partial| {
                let bits = if op == IntOp::And { graph.not(part.word) } else { part.word };
                graph.and(part.written, bits)
            };
            let (by_x, by_y) = (decides(x), decides(y));
            let either = graph.or(by_x, by_y);
            (graph.binary(op, x.word, y.word), graph.or(both, either))
        }
        IntOp::Xor => (graph.xor(x.word, y.word), graph.and(x.written, y.written)),
        IntOp::ShiftLeft | IntOp::ShiftRightU | IntOp::ShiftRightS if graph.value(y.word).is_some() => {
            // Zeros are shifted in, or the sign, whether or not it is known.
            let unwritten = graph.not(x.written);
            let unwritten = graph.binary(op, unwritten, y.word);
            (graph.binary(op, x.word, y.word), graph.not(unwritten))
        }
        _ => return None,
    };
    Some(Value::partial(graph, word, written))
}

fn extract(value: Value, path: &[u32]) -> Value {
    path.iter().fold(value, |value, index| match value {
        Value::Aggregate(members) => members.get(*index as usize).cloned().unwrap_or_default(),
        _ => Value::Undefined,
    })
}

fn insert(aggregate: Value, value: Value, path: &[u32]) -> Value {
    let Some((first, rest)) = path.split_first() else { return value };
    let mut members = match aggregate {
        Value::Aggregate(members) => members.to_vec(),
        _ => Vec::new(),
    };
    let index = *first as usize;
    if members.len() <= index {
        members.resize(index + 1, Value::Undefined);
    }
    members[index] = insert(std::mem::take(&mut members[index]), value, rest);
    Value::Aggregate(members.into())
}
