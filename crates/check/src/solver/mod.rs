//! SAT solvers, behind the few calls that proofs need.

mod batsat;
#[cfg(feature = "cadical")]
mod cadical;

pub use self::batsat::BatSat;
#[cfg(feature = "cadical")]
pub use self::cadical::CaDiCaL;
use crate::Limits;

/// A variable, counted from 1, or its complement if negative, as in DIMACS files.
pub type Literal = i32;

/// The answer of a solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is an assignment; [`Solver::value`] reads it until the next one.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// The limit was reached first.
    Unknown,
}

/// An incremental SAT solver.
pub trait Solver: Send {
    /// Its name and version.
    fn name(&self) -> String;

    /// Adds the disjunction of these literals. New variables are created by their first use.
    fn add_clause(&mut self, clause: &[Literal]);

    /// Looks for an assignment in which all clauses and all assumptions hold.
    ///
    /// Cost: exponential in the worst case; bounded by `limits`.
    fn solve(&mut self, assumptions: &[Literal], limits: &Limits) -> Answer;

    /// The value of a variable after [`Answer::Satisfiable`]; arbitrary if it does not matter.
    fn value(&self, variable: Literal) -> bool;
}

/// The best solver in this build: CaDiCaL, or BatSat without the feature `cadical`.
pub fn best() -> Box<dyn Solver> {
    #[cfg(feature = "cadical")]
    return Box::new(CaDiCaL::default());
    #[cfg(not(feature = "cadical"))]
    return Box::new(BatSat::default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stop;

    fn all() -> Vec<Box<dyn Solver>> {
        let batsat: Box<dyn Solver> = Box::new(BatSat::default());
        #[cfg(feature = "cadical")]
        return vec![batsat, Box::new(CaDiCaL::default())];
        #[cfg(not(feature = "cadical"))]
        return vec![batsat];
    }

    /// States that `holes + 1` pigeons fit into `holes` holes, whose refutation takes solvers long.
    fn pigeons(solver: &mut dyn Solver, holes: i32) {
        let sits = |pigeon: i32, hole: i32| pigeon * holes + hole + 1;
        for pigeon in 0..=holes {
            solver.add_clause(&(0..holes).map(|hole| sits(pigeon, hole)).collect::<Vec<_>>());
            for (other, hole) in (0..pigeon).flat_map(|other| (0..holes).map(move |hole| (other, hole))) {
                solver.add_clause(&[-sits(pigeon, hole), -sits(other, hole)]);
            }
        }
    }

    #[test]
    fn assumptions_hold_for_one_question() {
        for mut solver in all() {
            let limits = Limits::default();
            solver.add_clause(&[1, 2]);
            solver.add_clause(&[-1, 3]);
            assert_eq!(solver.solve(&[-2], &limits), Answer::Satisfiable, "{}", solver.name());
            assert_eq!([1, 2, 3].map(|variable| solver.value(variable)), [true, false, true]);
            assert_eq!(solver.solve(&[-2, -3], &limits), Answer::Unsatisfiable);
            assert_eq!(solver.solve(&[-3, 4], &limits), Answer::Satisfiable);
            assert_eq!([1, 2, 4].map(|variable| solver.value(variable)), [false, true, true]);
            solver.add_clause(&[-2]);
            solver.add_clause(&[-3]);
            assert_eq!(solver.solve(&[], &limits), Answer::Unsatisfiable);
            solver.add_clause(&[]);
            assert_eq!(solver.solve(&[], &limits), Answer::Unsatisfiable);
        }
    }

    #[test]
    fn conflicts_are_limited_for_each_question() {
        for mut solver in all() {
            pigeons(solver.as_mut(), 9);
            let limits = Limits { conflicts: 10, ..Limits::default() };
            for _ in 0..3 {
                assert_eq!(solver.solve(&[], &limits), Answer::Unknown, "{}", solver.name());
            }
        }
        for mut solver in all() {
            pigeons(solver.as_mut(), 5);
            assert_eq!(solver.solve(&[], &Limits::default()), Answer::Unsatisfiable);
        }
    }

    #[test]
    fn work_stops_when_told() {
        for mut solver in all() {
            pigeons(solver.as_mut(), 12);
            let limits = Limits { conflicts: u32::MAX, stop: Stop::default() };
            let stop = limits.stop.clone();
            let teller = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(50));
                stop.stop();
            });
            assert_eq!(solver.solve(&[], &limits), Answer::Unknown, "{}", solver.name());
            teller.join().expect("no panic");
        }
    }
}
