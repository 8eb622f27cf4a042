//! Executes a module up to the words of its outputs.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use tacit_ir::Words;

use super::condition::{Condition, Conditions};
use super::memory::{Memory, Object};
use super::page::Fill;
use super::pointer::{Offset, Pointer, Target};
use super::property::Properties;
use super::shared::Shared;
use super::state::State;
use super::value::Value;
use super::{Executor, ObjectId};
use crate::debug::{Layout, Leaf};
use crate::graph::{Graph, Word};
use crate::int::Int;
use crate::llvm::{Constant, Function, Global, Module, Symbol, Type};
use crate::ports::{Interface, Port};
use crate::{CError, Options, Property, PropertyKind, Warning};

/// The result of an execution.
pub(crate) struct Execution {
    pub graph: Graph,
    /// The lanes of the columns of every output port, and then of the result if there is one.
    pub outputs: Vec<Vec<Vec<Word>>>,
    /// For every input port, the columns of its variable's initial value.
    pub initial: Vec<Vec<Words>>,
    pub warnings: Vec<Warning>,
}

/// The result of a check.
pub(crate) struct Checks {
    pub graph: Graph,
    pub properties: Vec<Property>,
    /// For every property, the flag that a run violates it.
    pub violated: Vec<Word>,
}

/// Runs the main function of a module on symbolic inputs.
pub(crate) fn execute(
    module: &Module,
    interface: &Interface,
    options: &Options,
) -> Result<Execution, CError> {
    let mut executor = Executor::new(module, options);
    match executor.main(interface)? {
        Some(outputs) => {
            let Executor { graph, initial, warnings, .. } = executor;
            Ok(Execution { graph, outputs, initial, warnings })
        }
        None => executor.undefined("every run meets undefined behaviour"),
    }
}

/// Runs the main function of a module on symbolic inputs and collects the properties that no run may violate.
pub(crate) fn execute_checks(
    module: &Module,
    interface: &Interface,
    options: &Options,
) -> Result<Checks, CError> {
    let mut executor = Executor::new(module, options);
    executor.properties = Some(Properties::default());
    executor.graph.keep_unset();
    executor.main(interface)?;
    let properties = executor.properties.unwrap_or_default();
    Ok(Checks { graph: executor.graph, properties: properties.list, violated: properties.violated })
}

impl<'a> Executor<'a> {
    fn new(module: &'a Module, options: &'a Options) -> Self {
        Executor {
            module,
            limits: &options.limits,
            graph: Graph::default(),
            conditions: Conditions::new(),
            flows: HashMap::new(),
            globals: HashMap::new(),
            unusable: HashMap::new(),
            next_object: 0,
            place: None,
            depth: 0,
            steps: 0,
            warnings: Vec::new(),
            warned: BTreeSet::new(),
            unwind: &options.unwind,
            properties: None,
            function: Rc::default(),
            active: HashMap::new(),
            initial: Vec::new(),
            exits: Vec::new(),
            first_local: 0,
        }
    }
}

impl Executor<'_> {
    /// The lanes of the outputs; `None` if no run ends.
    fn main(&mut self, interface: &Interface) -> Result<Option<Vec<Vec<Vec<Word>>>>, CError> {
        let module = self.module;
        let found = module.functions().find(|(_, function)| *function.name == *interface.symbol);
        let Some((symbol, main)) = found else {
            return Err(CError::MainFunction {
                wanted: Some(interface.name.clone()),
                candidates: Vec::new(),
            });
        };
        let mut state = State {
            memory: Memory::new(),
            condition: Condition::ALWAYS,
            taken: Condition::ALWAYS,
            registers: Shared::new(0),
        };
        self.globals(&mut state, interface)?;
        if !self.construct(&mut state)? {
            return Ok(None);
        }
        self.inputs(&mut state, interface)?;
        let (arguments, result) = self.arguments(&mut state, main)?;
        self.first_local = self.next_object;
        if let Some(outcome) = self.run(symbol, main, state, arguments)? {
            let mut registers = Shared::new(1);
            registers.set(0, outcome.value);
            let (memory, condition, taken) = (outcome.memory, outcome.condition, outcome.taken);
            self.exits.push(State { memory, condition, taken, registers });
        }
        let ends = std::mem::take(&mut self.exits);
        let Some(mut state) = self.merge(ends, &[0]) else { return Ok(None) };
        let value = state.registers.get(0).clone();
        let mut outputs = Vec::new();
        for port in &interface.outputs {
            outputs.push(self.output(&mut state, port)?);
        }
        if let Some(layout) = &interface.result {
            let object = self.result_object(&mut state, main, value, result, layout)?;
            outputs.push(self.read(&mut state, object, layout, "the result")?);
        }
        Ok(Some(outputs))
    }

    /// Runs the code that precedes the main function, such as constructors of globals; returns whether it
    /// ends.
    fn construct(&mut self, state: &mut State) -> Result<bool, CError> {
        let mut constructors = self.module.constructors.clone();
        constructors.sort_by_key(|(priority, _)| *priority);
        for (_, symbol) in constructors {
            let Symbol::Function(function) = self.module.symbol(symbol) else { continue };
            let function = function.clone();
            let Some(outcome) = self.run(symbol, &function, state.clone(), Vec::new())? else {
                return Ok(false);
            };
            (state.memory, state.condition, state.taken) = (outcome.memory, outcome.condition, outcome.taken);
        }
        Ok(true)
    }

    fn undefined<T>(&self, reason: &str) -> Result<T, CError> {
        Err(CError::Undefined { location: self.location(), reason: reason.into() })
    }

    /// Makes an object for every global, then fills them. A global with unsupported content is left out, so
    /// that only its use is an error.
    fn globals(&mut self, state: &mut State, interface: &Interface) -> Result<(), CError> {
        let module = self.module;
        let globals: Vec<(_, &Global)> = module
            .symbols()
            .filter_map(
                |(id, symbol)| if let Symbol::Global(global) = symbol { Some((id, global)) } else { None },
            )
            .collect();
        for (symbol, global) in &globals {
            let port = interface.outputs.iter().find(|port| port.symbol == *global.name);
            let name = port.map_or(global.name.clone(), |port| Rc::from(port.variable.as_str()));
            let id = self.new_object(state, name, global.ty.size(self.module.machine), Fill::Undefined)?;
            if let Some(object) = state.memory.get_mut(id) {
                object.merges_with_zero = port.is_some() && !self.checking();
            }
            self.globals.insert(*symbol, id);
        }
        for (symbol, global) in globals {
            let Some(id) = self.globals.get(&symbol).copied() else { continue };
            match self.initialise(state, id, global) {
                Ok(()) => {}
                Err(CError::Unsupported { construct, .. }) => {
                    self.globals.remove(&symbol);
                    self.unusable.insert(symbol, construct);
                }
                Err(other) => return Err(other),
            }
            if let Some(object) = state.memory.get_mut(id) {
                object.written = false;
                object.constant = global.constant;
            }
        }
        Ok(())
    }

    fn initialise(&mut self, state: &mut State, id: ObjectId, global: &Global) -> Result<(), CError> {
        match &global.initializer {
            Constant::Zero(_) => {
                if let Some(object) = state.memory.get_mut(id) {
                    object.clear(Fill::Zero);
                }
                Ok(())
            }
            Constant::Undefined => Ok(()),
            initializer => {
                let value = self.constant(initializer)?;
                let address = self.address_of(id);
                self.store_type(state, &address, &global.ty, &value).map(drop)
            }
        }
    }

    fn address_of(&mut self, id: ObjectId) -> Value {
        Value::pointer(Pointer::to(&mut self.graph, Target::Object(id), Offset::default()))
    }

    fn port_object(&self, port: &Port) -> Result<ObjectId, CError> {
        let symbol = self.module.find(&port.symbol);
        symbol.and_then(|symbol| self.globals.get(&symbol).copied()).ok_or_else(|| CError::Variable {
            location: port.location.clone(),
            name: port.variable.clone(),
            reason: "its definition is not found, or its initial value is not supported".into(),
        })
    }

    fn inputs(&mut self, state: &mut State, interface: &Interface) -> Result<(), CError> {
        for (number, port) in interface.inputs.iter().enumerate() {
            let id = self.port_object(port)?;
            let initial = self.initial_value(state, id, &port.layout);
            self.initial.push(initial);
            let mut object = Object::new(port.variable.as_str().into(), port.layout.bytes, Fill::Undefined);
            let mut leaves: Vec<(Leaf, Word)> = Vec::new();
            for (column, lanes) in port.layout.columns.iter().enumerate() {
                for (lane, leaf) in lanes.iter().enumerate() {
                    let word = self.graph.input(number as u32, column as u32, lane as u32, leaf.bits);
                    leaves.push((*leaf, word));
                }
            }
            leaves.sort_by_key(|(leaf, _)| leaf.bit_offset);
            place(&mut self.graph, &mut object, &leaves);
            object.written = false;
            state.memory.insert(id, object);
        }
        Ok(())
    }

    /// The initial content of a variable if it is public, else zero.
    fn initial_value(&mut self, state: &State, id: ObjectId, layout: &Layout) -> Vec<Words> {
        let mut columns = Vec::new();
        for leaves in &layout.columns {
            let values: Vec<Int> = leaves.iter().map(|leaf| self.initial_leaf(state, id, leaf)).collect();
            let bits = leaves.first().map_or(1, |leaf| leaf.bits);
            columns.push(Int::to_words(bits, values.iter()));
        }
        columns
    }

    fn initial_leaf(&mut self, state: &State, id: ObjectId, leaf: &Leaf) -> Int {
        let (first, last) = (leaf.bit_offset / 8, (leaf.bit_offset + u64::from(leaf.bits)).div_ceil(8));
        let object = state.memory.get(id).filter(|object| object.contains(first as i64, last - first));
        let value = object.map(|object| object.load(&mut self.graph, first, last - first));
        match value {
            Some(Value::Word(word)) => {
                let from = (leaf.bit_offset - first * 8) as u32;
                let word = self.graph.slice(word, from, leaf.bits);
                self.graph.value(word).cloned().unwrap_or(Int::zero(leaf.bits))
            }
            _ => Int::zero(leaf.bits),
        }
    }

    /// The main function's arguments: unset, except for the memory of parameters and results that are passed
    /// by address.
    fn arguments(
        &mut self,
        state: &mut State,
        main: &Function,
    ) -> Result<(Vec<Value>, Option<ObjectId>), CError> {
        let (mut arguments, mut result) = (Vec::new(), None);
        for parameter in &main.parameters {
            arguments.push(match (&parameter.by_value, &parameter.result) {
                (Some(ty), _) => {
                    let id = self.new_object(
                        state,
                        "a parameter".into(),
                        ty.size(self.module.machine),
                        Fill::Undefined,
                    )?;
                    self.address_of(id)
                }
                (None, Some(ty)) => {
                    let id = self.new_object(
                        state,
                        "the result".into(),
                        ty.size(self.module.machine),
                        Fill::Undefined,
                    )?;
                    result = Some(id);
                    self.address_of(id)
                }
                (None, None) => Value::Undefined,
            });
        }
        Ok((arguments, result))
    }

    fn output(&mut self, state: &mut State, port: &Port) -> Result<Vec<Vec<Word>>, CError> {
        let id = self.port_object(port)?;
        if !state.memory.get(id).is_some_and(|object| object.written) {
            return Err(self.variable_error(port, "this output is never written"));
        }
        self.read(state, id, &port.layout, &port.variable).map_err(|error| match error {
            CError::Undefined { reason, .. } => self.variable_error(port, &reason),
            other => other,
        })
    }

    fn variable_error(&self, port: &Port, reason: &str) -> CError {
        CError::Variable {
            location: port.location.clone(),
            name: port.variable.clone(),
            reason: reason.into(),
        }
    }

    /// The object that holds the result: its own one, or one made for a result returned in registers.
    fn result_object(
        &mut self,
        state: &mut State,
        main: &Function,
        value: Value,
        object: Option<ObjectId>,
        layout: &Layout,
    ) -> Result<ObjectId, CError> {
        if let Some(object) = object {
            return Ok(object);
        }
        let size = layout.bytes.max(main.result.size(self.module.machine));
        let id = self.new_object(state, "the result".into(), size, Fill::Undefined)?;
        let address = self.address_of(id);
        let ty = if main.result == Type::Void { &Type::Int(8) } else { &main.result };
        self.store_type(state, &address, ty, &value)?;
        Ok(id)
    }

    /// The words of a variable, column by column.
    fn read(
        &mut self,
        state: &mut State,
        id: ObjectId,
        layout: &Layout,
        name: &str,
    ) -> Result<Vec<Vec<Word>>, CError> {
        let mut columns = Vec::new();
        for leaves in &layout.columns {
            let mut lanes = Vec::with_capacity(leaves.len());
            for (lane, leaf) in leaves.iter().enumerate() {
                let (first, last) =
                    (leaf.bit_offset / 8, (leaf.bit_offset + u64::from(leaf.bits)).div_ceil(8));
                let value = match state.memory.get(id) {
                    Some(object) if object.contains(first as i64, last - first) => {
                        object.load(&mut self.graph, first, last - first)
                    }
                    _ => Value::Undefined,
                };
                // Only bits of the value count, not the padding beside it.
                let from = (leaf.bit_offset - first * 8) as u32;
                let value = value.map(|word| self.graph.slice(word, from, leaf.bits)).unwrap_or(value);
                let what = format!("element {lane} of {name}");
                if self.checking() {
                    let Some(unset) = value.unset(&mut self.graph) else { continue };
                    let reason = format!("{what} is never set, or set from variables that never were");
                    if !self.forbid(state, unset, PropertyKind::Uninitialised, &reason) {
                        return Ok(columns);
                    }
                    continue;
                }
                match value {
                    Value::Word(word) => lanes.push(word),
                    Value::Undefined => {
                        return self.undefined(&format!(
                            "{what} is never set, or set from variables that never were"
                        ));
                    }
                    _ => return self.undefined(&format!("{what} holds an address")),
                }
            }
            columns.push(lanes);
        }
        Ok(columns)
    }
}

/// Writes the leaves of an input, in order of their offsets, into its object. Bit-fields that share bytes are
/// written together.
fn place(graph: &mut Graph, object: &mut Object, leaves: &[(Leaf, Word)]) {
    let mut rest = leaves;
    while let Some(((leaf, word), tail)) = rest.split_first() {
        let whole = |leaf: &Leaf| leaf.bit_offset.is_multiple_of(8) && leaf.storage_bits.is_multiple_of(8);
        let start = leaf.bit_offset / 8;
        if whole(leaf) {
            let stored = graph.extend(*word, leaf.storage_bits, leaf.signed);
            object.store(graph, start, u64::from(leaf.storage_bits / 8), &Value::Word(stored));
            rest = tail;
            continue;
        }
        let fields = rest.iter().take_while(|(leaf, _)| !whole(leaf)).count();
        let (group, tail) = rest.split_at(fields);
        rest = tail;
        let (mut parts, mut at) = (Vec::new(), start * 8);
        for (leaf, word) in group {
            if leaf.bit_offset > at {
                parts.push(graph.number((leaf.bit_offset - at) as u32, 0));
            }
            parts.push(graph.slice(*word, 0, leaf.storage_bits.min(leaf.bits)));
            at = leaf.bit_offset + u64::from(leaf.bits);
        }
        let end = at.next_multiple_of(8);
        if end > at {
            parts.push(graph.number((end - at) as u32, 0));
        }
        let stored = graph.concat(&parts);
        object.store(graph, start, (end - start * 8) / 8, &Value::Word(stored));
    }
}
