use std::cell::Cell;

use batsat::{Callbacks, ClauseKind, Lit, SolverInterface, Var, lbool};

use super::{Answer, Literal, Solver};
use crate::Limits;

/// BatSat, a solver in the style of MiniSat, in pure Rust.
///
/// Source: Cruanes, Hara: <https://github.com/c-cube/batsat>, after Eén, Sörensson: An Extensible SAT-solver (SAT 2003).
#[derive(Default)]
pub struct BatSat {
    solver: batsat::Solver<Budget>,
    variables: Vec<Var>,
    model: Vec<bool>,
}

/// The clock is read once in this many steps of the search.
const STEPS: u32 = 64;

/// Counts conflicts and stops the search.
#[derive(Default)]
struct Budget {
    limits: Limits,
    conflicts: u32,
    steps: Cell<u32>,
    due: Cell<bool>,
}

impl Callbacks for Budget {
    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        if kind == ClauseKind::Learnt {
            self.conflicts += 1;
        }
    }

    fn stop(&self) -> bool {
        self.steps.set((self.steps.get() + 1) % STEPS);
        if self.steps.get() == 0 && self.limits.stop.is_due() {
            self.due.set(true);
        }
        self.due.get() || self.conflicts >= self.limits.conflicts
    }
}

impl BatSat {
    fn literal(&mut self, literal: Literal) -> Lit {
        let index = literal.unsigned_abs() as usize;
        while self.variables.len() < index {
            self.variables.push(self.solver.new_var_default());
        }
        Lit::new(self.variables[index - 1], literal > 0)
    }
}

impl Solver for BatSat {
    fn name(&self) -> String {
        "batsat".to_owned()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        let mut lits = clause.iter().map(|literal| self.literal(*literal)).collect();
        self.solver.add_clause_reuse(&mut lits);
    }

    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Answer {
        if limits.stop.is_due() {
            return Answer::Unknown;
        }
        let lits: Vec<Lit> = assumptions.iter().map(|literal| self.literal(*literal)).collect();
        *self.solver.cb_mut() = Budget { limits: limits.clone(), ..Budget::default() };
        match self.solver.solve_limited(&lits) {
            answer if answer == lbool::TRUE => {
                let value = |variable: &Var| self.solver.value_var(*variable) == lbool::TRUE;
                self.model = self.variables.iter().map(value).collect();
                Answer::Satisfiable
            }
            answer if answer == lbool::FALSE => Answer::Unsatisfiable,
            _ => Answer::Unknown,
        }
    }

    fn value(&self, variable: Literal) -> bool {
        self.model.get(variable as usize - 1).copied().unwrap_or(false)
    }
}
