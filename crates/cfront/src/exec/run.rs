//! Runs a function: blocks in turn, forks at secret branches, merges where paths meet.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::Executor;
use super::condition::Condition;
use super::flow::{Flow, Turn};
use super::memory::Memory;
use super::pointer::ObjectId;
use super::shared::Shared;
use super::state::{Calls, State};
use super::trap::trap;
use super::value::Value;
use crate::graph::Word;
use crate::int::Int;
use crate::llvm::{Block, Constant, Function, Kind, Operand, Register, Symbol, SymbolId, Terminator};
use crate::{CError, PropertyKind};

/// A call in progress.
pub(super) struct Frame {
    pub function: Rc<Function>,
    pub flow: Rc<Flow>,
    pending: BTreeMap<Turn, (u32, Vec<State>)>,
    rounds: BTreeMap<u32, Round>,
    /// Objects that end with the call.
    pub objects: Vec<ObjectId>,
}

/// The number of iterations of a loop since it was entered.
struct Round {
    iterations: u64,
    entered: Condition,
}

/// The result of a call.
pub(super) struct Outcome {
    pub memory: Memory,
    pub condition: Condition,
    pub taken: Condition,
    pub value: Value,
}

/// Whether a path continues after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Next,
    /// The path cannot be taken.
    Dead,
}

impl Executor<'_> {
    /// Runs a function; `None` if no path through it ends.
    pub(super) fn run(
        &mut self,
        symbol: SymbolId,
        function: &Rc<Function>,
        mut start: State,
        arguments: Vec<Value>,
    ) -> Result<Option<Outcome>, CError> {
        if !self.may_recur(symbol, function, &start)? {
            return Ok(None);
        }
        if self.depth >= self.limits.recursion {
            let (function, depth) = (function.name.to_string(), self.limits.recursion);
            return Err(CError::Recursion { location: self.location(), function, depth });
        }
        let flow = self.flows.entry(symbol).or_insert_with(|| Rc::new(Flow::of(function))).clone();
        let result: Register = function.registers;
        let mut registers = Shared::new(function.registers as usize + 1);
        for (parameter, argument) in function.parameters.iter().zip(arguments) {
            registers.set(parameter.register as usize, argument);
        }
        let mut frame = Frame {
            function: function.clone(),
            flow: flow.clone(),
            pending: BTreeMap::new(),
            rounds: BTreeMap::new(),
            objects: Vec::new(),
        };
        let first_object = self.next_object;
        self.depth += 1;
        start.registers = registers;
        frame.pending.insert(flow.first_turn(0), (0, vec![start]));
        let caller = std::mem::replace(&mut self.function, function.name.clone());
        let mut ended = None;
        while let Some((turn, (block, states))) = frame.pending.pop_first() {
            if turn == Flow::last_turn() {
                ended = self.merge(states, &[result]);
                break;
            }
            let merged = self.merge(states, flow.live(block));
            let Some(state) = merged else { continue };
            if flow.is_head(block) && !self.count_round(&mut frame, turn, block, &state)? {
                continue;
            }
            self.block(&mut frame, block, state)?;
        }
        self.depth -= 1;
        self.function = caller;
        if let Some(calls) = self.active.get_mut(&symbol) {
            calls.count -= 1;
        }
        Ok(ended.map(|state| self.leave(frame, state, first_object)))
    }

    /// Ends the frame's objects. Their numbers are reused if no object made since then survives.
    fn leave(&mut self, frame: Frame, mut state: State, first_object: u32) -> Outcome {
        frame.objects.iter().for_each(|object| state.memory.remove(*object));
        if self.next_object - first_object == frame.objects.len() as u32 {
            self.next_object = first_object;
        }
        let value = state.registers.get(frame.function.registers as usize).clone();
        Outcome { memory: state.memory, condition: state.condition, taken: state.taken, value }
    }

    /// Counts a call of a function within calls of itself; returns whether its bound allows it. Recursion
    /// decided by public values has no bound.
    fn may_recur(&mut self, symbol: SymbolId, function: &Function, start: &State) -> Result<bool, CError> {
        let calls = self.active.entry(symbol).or_insert(Calls { count: 0, entered: start.taken });
        if calls.count == 0 {
            calls.entered = start.taken;
        }
        let (within, secret) = (calls.count, calls.entered != start.taken);
        if let Some(bound) = self.unwind.of(&function.name).filter(|bound| secret && within > *bound) {
            let reason = format!("`{}` calls itself more than {bound} times deep", function.name);
            return self.impossible::<()>(start, PropertyKind::Unwinding, &reason).map(|_| false);
        }
        if let Some(calls) = self.active.get_mut(&symbol) {
            calls.count += 1;
        }
        Ok(true)
    }

    /// Counts an iteration; returns whether the loop's bound allows it.
    fn count_round(
        &mut self,
        frame: &mut Frame,
        turn: Turn,
        head: u32,
        state: &State,
    ) -> Result<bool, CError> {
        if turn == frame.flow.first_turn(head) {
            frame.rounds.insert(head, Round { iterations: 0, entered: state.taken });
            return Ok(true);
        }
        let Some(round) = frame.rounds.get_mut(&head) else { return Ok(true) };
        round.iterations += 1;
        let (iterations, public) = (round.iterations, round.entered == state.taken);
        let name = format!("{}.{}", frame.function.name, frame.flow.loop_number(head));
        let bound = self.unwind.of(&name).filter(|_| !public);
        let limit = if public { self.limits.iterations } else { self.limits.secret_iterations };
        if bound.is_none_or(|bound| iterations <= bound) && iterations <= limit {
            return Ok(true);
        }
        self.at(head_line(&frame.function.blocks[head as usize]));
        match bound {
            Some(bound) => {
                let reason = format!("the loop {name} runs more than {bound} iterations");
                self.impossible::<()>(state, PropertyKind::Unwinding, &reason).map(|_| false)
            }
            None => Err(CError::Unbounded { location: self.location(), name, iterations }),
        }
    }

    fn block(&mut self, frame: &mut Frame, number: u32, mut state: State) -> Result<(), CError> {
        let function = frame.function.clone();
        let block = &function.blocks[number as usize];
        for instruction in &block.instructions {
            self.at(instruction.debug);
            self.count_step()?;
            if self.step(frame, &mut state, instruction)? == Step::Dead {
                return Ok(());
            }
        }
        self.at(block.debug);
        self.count_step()?;
        match &block.terminator {
            Terminator::Return(value) => {
                if let Some(value) = value {
                    let value = self.operand(&state, value)?;
                    state.registers.set(function.registers as usize, value);
                }
                let (_, states) = frame.pending.entry(Flow::last_turn()).or_insert((u32::MAX, Vec::new()));
                states.push(state);
                Ok(())
            }
            Terminator::Jump(target) => self.arrive(frame, number, *target, state),
            Terminator::Branch { condition, yes, no } => {
                let condition = self.operand(&state, condition)?;
                self.branch(frame, number, condition, (*yes, *no), state)
            }
            Terminator::Switch { value, default, cases } => {
                let value = self.operand(&state, value)?;
                self.switch(frame, number, value, *default, cases, state)
            }
            Terminator::Unreachable => {
                let reason = "every run stops here";
                self.impossible::<()>(&state, PropertyKind::Unreachable, reason).map(drop)
            }
            Terminator::Unsupported(what) => self.unsupported(what.clone()),
        }
    }

    fn branch(
        &mut self,
        frame: &mut Frame,
        from: u32,
        condition: Value,
        (yes, no): (u32, u32),
        mut state: State,
    ) -> Result<(), CError> {
        let Some(condition) = self.settled(&mut state, condition) else { return Ok(()) };
        let Value::Word(condition) = condition else {
            let reason = "a branch depends on a variable that was never set";
            return self.impossible::<()>(&state, PropertyKind::Uninitialised, reason).map(drop);
        };
        if self.checking() {
            for (target, other, bad) in [(yes, no, condition), (no, yes, self.graph.not(condition))] {
                if let Some((kind, description)) = self.trap_at(frame, target)? {
                    let goes_on = self.forbid(&mut state, bad, kind, description);
                    return if goes_on { self.arrive(frame, from, other, state) } else { Ok(()) };
                }
            }
        }
        let (with, without) = self.part(state, condition);
        if let Some(state) = with {
            self.arrive(frame, from, yes, state)?;
        }
        without.map_or(Ok(()), |state| self.arrive(frame, from, no, state))
    }

    /// The meaning of a block that only traps.
    fn trap_at(&mut self, frame: &Frame, block: u32) -> Result<Option<(PropertyKind, &'static str)>, CError> {
        let function = frame.function.clone();
        let first = function.blocks[block as usize].instructions.first().map(|first| &first.kind);
        let Some(Kind::Call { callee: Operand::Constant(callee), arguments, .. }) = first else {
            return Ok(None);
        };
        let Constant::Symbol(symbol) = callee.as_ref() else { return Ok(None) };
        match self.module.symbol(*symbol) {
            Symbol::External(name) if name.as_ref() == "llvm.ubsantrap" => {}
            _ => return Ok(None),
        }
        let number = match arguments.first() {
            Some((_, Operand::Constant(constant))) => Some(self.constant(constant)?),
            _ => None,
        };
        Ok(Some(trap(&self.graph, number.as_ref())))
    }

    /// The states on the paths on which a flag is set, and on those on which it is not.
    pub(super) fn part(&mut self, state: State, flag: Word) -> (Option<State>, Option<State>) {
        match self.fork(&state, flag) {
            (Some(with), Some(without)) => {
                let (taken, passed) = match self.checking() {
                    true => {
                        let flag = self.conditions.of_word(&self.graph, flag);
                        (self.conditions.and(state.taken, flag), self.conditions.minus(state.taken, flag))
                    }
                    false => (with, without),
                };
                let yes = State { condition: with, taken, ..state.clone() };
                (Some(yes), Some(State { condition: without, taken: passed, ..state }))
            }
            (Some(_), None) => (Some(state), None),
            (None, _) => (None, Some(state)),
        }
    }

    /// The paths of a state on which a flag is set and on which it is not, if there are any.
    pub(super) fn fork(&mut self, state: &State, flag: Word) -> (Option<Condition>, Option<Condition>) {
        let known = self
            .graph
            .flag_value(flag)
            .or_else(|| self.conditions.implied(&self.graph, state.condition, flag));
        match known {
            Some(true) => (Some(state.condition), None),
            Some(false) => (None, Some(state.condition)),
            None => {
                let flag = self.conditions.of_word(&self.graph, flag);
                let with = self.conditions.and(state.condition, flag);
                (Some(with), Some(self.conditions.minus(state.condition, flag)))
            }
        }
    }

    fn switch(
        &mut self,
        frame: &mut Frame,
        from: u32,
        value: Value,
        default: u32,
        cases: &[(Int, u32)],
        mut state: State,
    ) -> Result<(), CError> {
        let Some(value) = self.settled(&mut state, value) else { return Ok(()) };
        let Value::Word(value) = value else {
            let reason = "a switch depends on a variable that was never set";
            return self.impossible::<()>(&state, PropertyKind::Uninitialised, reason).map(drop);
        };
        if let Some(value) = self.graph.value(value) {
            let found = cases.iter().find(|(case, _)| case == value);
            return self.arrive(frame, from, found.map_or(default, |(_, target)| *target), state);
        }
        // One decision for each target, in order of first mention.
        let mut targets: Vec<(u32, Word)> = Vec::new();
        for (case, target) in cases.iter().filter(|(_, target)| *target != default) {
            let case = self.graph.constant(case.clone());
            let equal = self.graph.equal(value, case);
            match targets.iter_mut().find(|(other, _)| other == target) {
                Some((_, any)) => *any = self.graph.or(*any, equal),
                None => targets.push((*target, equal)),
            }
        }
        for (target, flag) in targets {
            let (with, without) = self.part(state, flag);
            if let Some(with) = with {
                self.arrive(frame, from, target, with)?;
            }
            match without {
                Some(without) => state = without,
                None => return Ok(()),
            }
        }
        self.arrive(frame, from, default, state)
    }

    /// Takes the edge from one block to another: phis get their values, and the path waits for its turn.
    fn arrive(&mut self, frame: &mut Frame, from: u32, to: u32, mut state: State) -> Result<(), CError> {
        let function = frame.function.clone();
        let mut values = Vec::new();
        for phi in &function.blocks[to as usize].phis {
            if let Some((value, _)) = phi.incoming.iter().find(|(_, block)| *block == from) {
                values.push((phi.result, self.operand(&state, value)?));
            }
        }
        for (result, value) in values {
            state.registers.set(result as usize, value);
        }
        let (_, states) = frame.pending.entry(frame.flow.turn(from, to)).or_insert((to, Vec::new()));
        states.push(state);
        Ok(())
    }
}

fn head_line(block: &Block) -> Option<u32> {
    block.debug.or_else(|| block.instructions.iter().find_map(|instruction| instruction.debug))
}
