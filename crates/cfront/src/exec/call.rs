//! Calls of functions of the program, of one of several functions through a pointer, and of library
//! functions.

use std::rc::Rc;

use super::Executor;
use super::page::Fill;
use super::pointer::{Offset, Pointer, Target};
use super::run::Frame;
use super::shared::Shared;
use super::state::State;
use super::value::Value;
use crate::llvm::{Function, Operand, Symbol, SymbolId, Type};
use crate::{CError, PropertyKind};

const NO_FUNCTION: &str = "a call goes through a pointer that points to no function";

/// An argument of a call of a library function or intrinsic.
pub(super) struct Call<'c> {
    pub name: &'c str,
    pub result: &'c Type,
    pub arguments: Vec<(Type, Value)>,
}

impl Executor<'_> {
    /// The result of a call; `None` if it does not return.
    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        callee: &Operand,
        result: &Type,
        arguments: &[(Type, Operand)],
    ) -> Result<Option<Value>, CError> {
        let callee = self.operand(state, callee)?;
        let Some(callee) = self.settled(state, callee) else { return Ok(None) };
        let mut values = Vec::with_capacity(arguments.len());
        for (ty, argument) in arguments {
            values.push((ty.clone(), self.operand(state, argument)?));
        }
        let targets = self.call_targets(state, &callee)?;
        match targets[..] {
            [] => self.impossible(state, PropertyKind::Call, NO_FUNCTION),
            [(_, only)] => self.call_symbol(frame, state, only, result, &values),
            _ => self.call_one_of(frame, state, targets, result, &values),
        }
    }

    fn call_targets(
        &mut self,
        state: &mut State,
        callee: &Value,
    ) -> Result<Vec<(crate::graph::Word, SymbolId)>, CError> {
        let Some(pointer) = callee.address(&mut self.graph) else {
            let reason = "a call goes through a pointer that was never set";
            self.impossible::<()>(state, PropertyKind::Uninitialised, reason)?;
            return Ok(Vec::new());
        };
        for alternative in &pointer.alternatives {
            let function = matches!(alternative.target, Target::Function(_));
            if !function && !self.forbid(state, alternative.guard, PropertyKind::Call, NO_FUNCTION) {
                return Ok(Vec::new());
            }
        }
        let target = |alternative: &super::pointer::Alternative| match alternative.target {
            Target::Function(symbol) => Some((alternative.guard, symbol)),
            _ => None,
        };
        Ok(pointer.alternatives.iter().filter_map(target).collect())
    }

    /// Calls each of several functions on the paths that lead to it.
    fn call_one_of(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        targets: Vec<(crate::graph::Word, SymbolId)>,
        result: &Type,
        arguments: &[(Type, Value)],
    ) -> Result<Option<Value>, CError> {
        // An extra register carries the result through the merge.
        let width = frame.function.registers as usize + 1;
        let mut ends = Vec::new();
        let mut rest = Some(state.clone());
        for (guard, symbol) in targets {
            let Some(current) = rest.take() else { break };
            let (with, without) = self.part(current, guard);
            rest = without;
            let Some(mut taken) = with else { continue };
            if let Some(value) = self.call_symbol(frame, &mut taken, symbol, result, arguments)? {
                let mut carried = Shared::new(width);
                carried.set(width - 1, value);
                ends.push(State { registers: carried, ..taken });
            }
        }
        let Some(merged) = self.merge(ends, &[width as u32 - 1]) else { return Ok(None) };
        (state.memory, state.condition, state.taken) = (merged.memory, merged.condition, merged.taken);
        Ok(Some(merged.registers.get(width - 1).clone()))
    }

    fn call_symbol(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        symbol: SymbolId,
        result: &Type,
        arguments: &[(Type, Value)],
    ) -> Result<Option<Value>, CError> {
        match self.module.symbol(symbol) {
            Symbol::Function(function) => {
                let function = function.clone();
                let value = self.call_function(frame, state, symbol, &function, result, arguments)?;
                // A declaration may have another result width than the definition.
                Ok(value.map(|value| match (&value, result) {
                    (Value::Word(word), Type::Int(bits)) if self.graph.bits(*word) != *bits => {
                        Value::Word(self.graph.resize(*word, *bits, false))
                    }
                    _ => value,
                }))
            }
            Symbol::External(name) => {
                let name = name.clone();
                let call = Call { name: &name, result, arguments: arguments.to_vec() };
                match name.strip_prefix("llvm.") {
                    Some(intrinsic) => self.intrinsic(state, intrinsic, call),
                    None => self.library(state, call),
                }
            }
            Symbol::Global(_) | Symbol::Alias(_) => {
                self.unsupported("a call of something that is not a function")
            }
        }
    }

    /// Whether the arguments and the expected result of a call fit the function, as far as LLVM's types show
    /// it.
    fn fits(&self, function: &Function, result: &Type, arguments: &[(Type, Value)]) -> bool {
        let taken = function.parameters.iter().map(|parameter| &parameter.ty);
        function.result == *result && taken.eq(arguments.iter().map(|(ty, _)| ty))
    }

    fn call_function(
        &mut self,
        frame: &mut Frame,
        state: &mut State,
        symbol: SymbolId,
        function: &Rc<Function>,
        result: &Type,
        arguments: &[(Type, Value)],
    ) -> Result<Option<Value>, CError> {
        if function.variadic {
            return self.unsupported(format!("the variable argument list of `{}`", function.name));
        }
        if self.checking() && !self.fits(function, result, arguments) {
            let reason = format!(
                "`{}` is called with parameters or a result that its definition does not have",
                function.name
            );
            return self.impossible(state, PropertyKind::Call, &reason);
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (parameter, (_, value)) in function.parameters.iter().zip(arguments) {
            values.push(match &parameter.by_value {
                None => value.clone(),
                Some(ty) => {
                    let copy = self.new_object(
                        state,
                        Rc::from("a parameter"),
                        ty.size(self.module.machine),
                        Fill::Undefined,
                    )?;
                    frame.objects.push(copy);
                    let copy =
                        Value::pointer(Pointer::to(&mut self.graph, Target::Object(copy), Offset::default()));
                    if self.copy(state, &copy, value, ty.size(self.module.machine))?.is_none() {
                        return Ok(None);
                    }
                    copy
                }
            });
        }
        let place = self.place;
        let memory = std::mem::replace(&mut state.memory, super::memory::Memory::new());
        let (condition, taken) = (state.condition, state.taken);
        let start = State { memory, condition, taken, registers: Shared::new(0) };
        let outcome = self.run(symbol, function, start, values)?;
        self.at(place);
        Ok(outcome.map(|outcome| {
            (state.memory, state.condition, state.taken) = (outcome.memory, outcome.condition, outcome.taken);
            outcome.value
        }))
    }
}
