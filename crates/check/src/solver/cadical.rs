use cadical::Callbacks;

use super::{Answer, Literal, Solver};
use crate::{Limits, Stop};

/// CaDiCaL.
///
/// Source: Biere, Faller, Fazekas, Fleury, Froleyks, Pollitt: CaDiCaL 2.0 (CAV 2024); <https://github.com/arminbiere/cadical>.
#[derive(Default)]
pub struct CaDiCaL {
    solver: cadical::Solver<Stopping>,
    variables: Literal,
    model: Vec<bool>,
}

/// Checks periodically whether to stop.
struct Stopping(Stop);

impl Callbacks for Stopping {
    fn terminate(&mut self) -> bool {
        self.0.is_due()
    }
}

impl CaDiCaL {
    /// Records the existing variables.
    fn note(&mut self, literals: &[Literal]) {
        self.variables = literals.iter().map(|literal| literal.abs()).fold(self.variables, Literal::max);
    }
}

impl Solver for CaDiCaL {
    fn name(&self) -> String {
        self.solver.signature().to_owned()
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.note(clause);
        self.solver.add_clause(clause.iter().copied());
    }

    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Answer {
        if limits.stop.is_due() {
            return Answer::Unknown;
        }
        self.note(assumptions);
        let conflicts = i32::try_from(limits.conflicts).unwrap_or(i32::MAX);
        // The solver knows a limit of this name.
        let _ = self.solver.set_limit("conflicts", conflicts);
        self.solver.set_callbacks(Some(Stopping(limits.stop.clone())));
        match self.solver.solve_with(assumptions.iter().copied()) {
            Some(true) => {
                // Values must be read now: the solver ends the process if it is asked for them later.
                let value = |variable| self.solver.value(variable).unwrap_or(false);
                self.model = (1..=self.variables).map(value).collect();
                Answer::Satisfiable
            }
            Some(false) => Answer::Unsatisfiable,
            None => Answer::Unknown,
        }
    }

    fn value(&self, variable: Literal) -> bool {
        self.model.get(variable as usize - 1).copied().unwrap_or(false)
    }
}
