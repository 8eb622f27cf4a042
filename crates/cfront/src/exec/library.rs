//! Functions of the C library that need no source.

use std::rc::Rc;

use super::Executor;
use super::call::Call;
use super::page::Fill;
use super::pointer::{Offset, Pointer, Target};
use super::state::State;
use super::value::Value;
use crate::int::Int;
use crate::int_width::COMPARE;
use crate::llvm::Type;
use crate::{CError, PropertyKind, rust};

impl Executor<'_> {
    /// The result of a library function; `None` if it does not return.
    pub(super) fn library(&mut self, state: &mut State, call: Call<'_>) -> Result<Option<Value>, CError> {
        let argument =
            |index: usize| call.arguments.get(index).map(|(_, value)| value.clone()).unwrap_or_default();
        let (first, second, third) = (argument(0), argument(1), argument(2));
        match call.name {
            "memcpy" | "memmove" => {
                let bytes = self.byte_count(&third)?;
                if call.name == "memcpy" && !self.apart(state, &first, &second, bytes, false) {
                    return Ok(None);
                }
                Ok(self.copy(state, &first, &second, bytes)?.map(|()| first))
            }
            "memset" => {
                let bytes = self.byte_count(&third)?;
                Ok(self.fill(state, &first, &second, bytes)?.map(|()| first))
            }
            "memcmp" | "bcmp" | COMPARE => {
                let bytes = self.byte_count(&third)?;
                let Type::Int(bits) = call.result else { return self.unsupported("this `memcmp`") };
                self.compare_bytes(state, &first, &second, bytes, *bits)
            }
            "abs" | "labs" | "llabs" => self.checked_absolute(state, first),
            "alloca" => {
                let bytes = self.byte_count(&first)?;
                let object = self.new_object(state, Rc::from("a local variable"), bytes, Fill::Undefined)?;
                Ok(Some(Value::pointer(Pointer::to(
                    &mut self.graph,
                    Target::Object(object),
                    Offset::default(),
                ))))
            }
            "malloc" | "_Znwm" | "_Znam" => {
                let bytes = self.byte_count(&first)?;
                self.heap(state, bytes, Fill::Undefined)
            }
            "calloc" => {
                let (count, size) = (self.byte_count(&first)?, self.byte_count(&second)?);
                self.heap(state, count.saturating_mul(size), Fill::Zero)
            }
            "free" | "_ZdlPv" | "_ZdaPv" | "_ZdlPvm" | "_ZdaPvm" => {
                Ok(self.free(state, first).then_some(Value::Undefined))
            }
            "exit" | "_exit" | "_Exit" => {
                self.exit(state, first);
                Ok(None)
            }
            "abort" => self.impossible(state, PropertyKind::Abort, "the call of `abort` is reached"),
            rust::PANIC => self.impossible(state, PropertyKind::Abort, "a panic is reached"),
            "__cxa_pure_virtual" => {
                self.impossible(state, PropertyKind::Call, "a virtual function without a body is called")
            }
            // Code after the main function has no effect on its outputs.
            "__cxa_atexit" => Ok(Some(Value::Word(self.graph.number(32, 0)))),
            "__tacit_assert_fail" => {
                self.impossible(state, PropertyKind::Assertion, "the call of `tacit_assert_fail` is reached")
            }
            "tacit_assume" | "__CPROVER_assume" => self.assume_holds(state, first),
            name => {
                let mut arguments = Vec::new();
                for (ty, value) in call.arguments {
                    match self.settled(state, value) {
                        Some(value) => arguments.push((ty, value)),
                        None => return Ok(None),
                    }
                }
                match self.math(name, &arguments) {
                    Some(value) => Ok(Some(value)),
                    None => self.unsupported(format!("a call of `{name}`, which no source defines,")),
                }
            }
        }
    }

    fn heap(&mut self, state: &mut State, bytes: u64, fill: Fill) -> Result<Option<Value>, CError> {
        let object = self.new_object(state, Rc::from("allocated memory"), bytes, fill)?;
        if let Some(object) = state.memory.get_mut(object) {
            object.heap = true;
        }
        Ok(Some(Value::pointer(Pointer::to(&mut self.graph, Target::Object(object), Offset::default()))))
    }

    /// Ends the run on the paths of a state; the status is the main function's result.
    fn exit(&mut self, state: &State, status: Value) {
        let mut end = State { registers: super::shared::Shared::new(1), ..state.clone() };
        end.memory.truncate(self.first_local);
        end.registers.set(0, status);
        self.exits.push(end);
    }

    /// Continues only the paths on which a condition holds.
    fn assume_holds(&mut self, state: &mut State, value: Value) -> Result<Option<Value>, CError> {
        let Some(Value::Word(word)) = self.settled(state, value) else {
            return self.unsupported("an assumption about an address or a variable that was never set");
        };
        let zero = self.graph.number(self.graph.bits(word), 0);
        let fails = self.graph.equal(word, zero);
        match self.fork(state, fails) {
            (_, Some(holds)) => state.condition = holds,
            (_, None) if self.checking() => return Ok(None),
            (_, None) => {
                let reason = "this assumption never holds";
                return self.impossible(state, PropertyKind::Assertion, reason);
            }
        }
        Ok(Some(Value::Undefined))
    }

    /// The magnitude; the least number has none.
    pub(super) fn checked_absolute(
        &mut self,
        state: &mut State,
        value: Value,
    ) -> Result<Option<Value>, CError> {
        let Some(value) = self.settled(state, value) else { return Ok(None) };
        if let (true, Value::Word(word)) = (self.checking(), &value) {
            let bits = self.graph.bits(*word);
            let least = self.graph.constant(Int::new(bits, 1).shifted_left(bits - 1));
            let bad = self.graph.equal(*word, least);
            let reason = "the magnitude of a signed number does not fit its type";
            if !self.forbid(state, bad, PropertyKind::SignedOverflow, reason) {
                return Ok(None);
            }
        }
        Ok(Some(self.absolute(&value)))
    }

    pub(super) fn absolute(&mut self, value: &Value) -> Value {
        let Value::Word(word) = value else { return Value::Undefined };
        let graph = &mut self.graph;
        let bits = graph.bits(*word);
        // If negative: complement and add one, which needs one adder and no multiplexer.
        let sign = graph.bit(*word, bits - 1);
        let spread = graph.extend(sign, bits, true);
        let flipped = graph.xor(*word, spread);
        let carry = graph.extend(sign, bits, false);
        Value::Word(graph.add_words(flipped, carry))
    }
}
