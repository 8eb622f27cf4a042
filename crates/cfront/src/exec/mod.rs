//! Symbolic execution: a program's inputs are words of a graph, and execution computes its outputs from them.
//!
//! Public values are computed at once, so loops with public bounds unroll, and calls are inlined by running
//! them. A branch on a secret runs both sides, each under its condition, and merges them where they meet.

mod access;
mod block_copy;
mod call;
mod comparison;
mod condition;
mod float;
mod flow;
mod forbid;
mod implied;
mod intrinsic;
mod library;
mod lifetime;
mod memory;
mod merge;
mod page;
mod places;
mod pointer;
mod property;
mod run;
mod shared;
mod start;
mod state;
mod step;
mod trap;
mod value;

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use crate::graph::Graph;
use crate::llvm::{Module, SymbolId};
use crate::{CError, Limits, Location, Unwind, Warning};
use condition::Conditions;
use flow::Flow;
use pointer::ObjectId;
use property::Properties;
pub(crate) use start::{Checks, Execution, execute, execute_checks};
use state::{Calls, State};

/// Limit on executed instructions, as a multiple of the limit on operations.
const STEPS_PER_OPERATION: u64 = 64;

struct Executor<'a> {
    module: &'a Module,
    limits: &'a Limits,
    graph: Graph,
    conditions: Conditions,
    flows: HashMap<SymbolId, Rc<Flow>>,
    globals: HashMap<SymbolId, ObjectId>,
    /// Globals whose initial value is not supported, with the reason.
    unusable: HashMap<SymbolId, String>,
    next_object: u32,
    /// `!DILocation` of the current instruction.
    place: Option<u32>,
    depth: u32,
    steps: u64,
    warnings: Vec<Warning>,
    warned: BTreeSet<(String, u32, String)>,
    unwind: &'a Unwind,
    /// In a check, the properties that no run may violate.
    properties: Option<Properties>,
    /// The function being executed.
    function: Rc<str>,
    /// Calls in progress of each function.
    active: HashMap<SymbolId, Calls>,
    /// The initial values of inputs.
    initial: Vec<Vec<tacit_ir::Words>>,
    /// The paths that ended with `exit`, whose argument is their only register.
    exits: Vec<State>,
    /// Objects from this number on belong to calls of the run.
    first_local: u32,
}

impl Executor<'_> {
    /// Records the current location.
    fn at(&mut self, debug: Option<u32>) {
        if debug.is_none() || debug == self.place {
            return;
        }
        self.place = debug;
        let line = debug.and_then(|number| self.module.metadata.node(number)).map_or(0, |node| node.line());
        if line != 0 {
            self.graph.set_line(line);
        }
    }

    fn location(&self) -> Location {
        self.place.map(|place| crate::debug::location(&self.module.metadata, place)).unwrap_or_default()
    }

    fn count_step(&mut self) -> Result<(), CError> {
        self.steps += 1;
        let limit = self.limits.operations;
        if self.graph.operations() > limit {
            return self.too_large("operations", limit);
        }
        if self.conditions.len() as u64 > limit {
            return self.too_large("path conditions", limit);
        }
        let steps = limit.saturating_mul(STEPS_PER_OPERATION);
        if self.steps > steps { self.too_large("executed instructions", steps) } else { Ok(()) }
    }

    fn unsupported<T>(&self, construct: impl Into<String>) -> Result<T, CError> {
        Err(CError::Unsupported { location: self.location(), construct: construct.into() })
    }

    fn too_large<T>(&self, what: &'static str, limit: u64) -> Result<T, CError> {
        Err(CError::TooLarge { location: self.location(), what, limit })
    }

    /// Records undefined behaviour that is assumed not to happen.
    fn assume(&mut self, location: Location, reason: &str) {
        if self.warned.insert((location.file.clone(), location.line, reason.to_string())) {
            self.warnings.push(Warning { location, reason: reason.to_string() });
        }
    }
}
