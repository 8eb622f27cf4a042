//! Runs of programs in which an outside party has roles, at this party.

use std::collections::HashMap;

use tacit_ir::{Program, RoleId, Words};
use zeroize::Zeroizing;

use crate::compiled::{CompiledError, OutsidePorts, OutsideShares};
use crate::error::OutsideError;
use crate::error::RunError;
use crate::parties::PartyIndex;
use crate::reception::message::RunDescription;

/// A program in which an outside party takes part, once.
pub struct OutsideRun {
    description: RunDescription,
    ports: OutsidePorts,
    inputs: Vec<Vec<Words>>,
}

impl OutsideRun {
    /// A run in which the party has these roles, in ascending order. `inputs` holds the columns of every input port of the program; those of other roles are
    /// ignored.
    pub fn new(program: &Program, roles: &[RoleId], inputs: &[Vec<Words>]) -> OutsideRun {
        let given = program.inputs.iter().zip(inputs).filter(|(port, _)| roles.contains(&port.role));
        OutsideRun {
            description: RunDescription {
                program: (program.name.clone(), program.hash()),
                roles: roles.iter().map(|role| program.roles[role.index()].clone()).collect(),
            },
            ports: OutsidePorts::of(program, roles),
            inputs: given.map(|(_, columns)| columns.clone()).collect(),
        }
    }
}

/// The results of a run for an outside party: the columns of each, by role and port.
#[derive(Clone, PartialEq, Eq)]
pub struct Ran {
    /// The index of the run.
    pub run: usize,
    /// The columns of each result, in the order of roles and of ports within each.
    pub outputs: Vec<Vec<Words>>,
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ran").field("run", &self.run).finish_non_exhaustive()
    }
}

/// A run that has begun.
struct Begun {
    run: usize,
    asked: Vec<bool>,
    shares: Option<OutsideShares>,
    /// The masked results that the first computing party sent, and the parties that sent the same.
    masked: Zeroizing<Vec<u8>>,
    told: Vec<bool>,
}

/// The runs of an outside party.
pub(super) struct Runs {
    runs: Vec<OutsideRun>,
    names: Vec<String>,
    threshold: usize,
    begun: HashMap<u64, Begun>,
}

impl Runs {
    /// `names` are those of the computing parties.
    pub(super) fn new(runs: Vec<OutsideRun>, (names, threshold): (Vec<String>, usize)) -> Runs {
        Runs { runs, names, threshold, begun: HashMap::new() }
    }

    fn wrong(&self, party: PartyIndex, error: OutsideError) -> RunError {
        RunError::Outside { peer: self.names[party].clone(), error }
    }

    /// Handles a computing party's request for the inputs of a run. When all have asked, returns the pieces
    /// for each.
    ///
    /// Errors: there is no such run, the computing parties' requests differ, or there is no randomness.
    pub(super) fn asked(
        &mut self,
        (party, number): (PartyIndex, u64),
        asked: RunDescription,
    ) -> Result<Vec<Zeroizing<Vec<u8>>>, RunError> {
        let parties = self.names.len();
        let (name, roles) = (asked.program.0.clone(), asked.roles.clone());
        let other = OutsideError::OtherRun { name: name.clone(), roles };
        if !self.begun.contains_key(&number) {
            let free = |run: &usize| self.begun.values().all(|begun| begun.run != *run);
            let matching = |run: &usize| self.runs[*run].description == asked;
            let found = (0..self.runs.len()).filter(free).find(matching);
            let run = found.ok_or_else(|| self.wrong(party, other))?;
            let (asked, told) = (vec![false; parties], vec![false; parties]);
            let begun = Begun { run, asked, shares: None, masked: Zeroizing::default(), told };
            self.begun.insert(number, begun);
        }
        let Some(begun) = self.begun.get_mut(&number) else { return Ok(Vec::new()) };
        let run = &self.runs[begun.run];
        if run.description != asked {
            return Err(self.wrong(party, OutsideError::Differs { name }));
        }
        if std::mem::replace(&mut begun.asked[party], true) {
            return Err(self.wrong(party, OutsideError::NotDue { what: "the same run again" }));
        }
        if begun.asked.contains(&false) {
            return Ok(Vec::new());
        }
        let shares = run.ports.split(&run.inputs, (parties, self.threshold)).map_err(usage)?;
        let pieces = shares.pieces.clone();
        begun.shares = Some(shares);
        Ok(pieces)
    }

    /// Handles a computing party's masked results of a run. When all have sent them, returns the results.
    ///
    /// Errors: the results are not due, or the computing parties' results differ.
    pub(super) fn computed(
        &mut self,
        (party, number): (PartyIndex, u64),
        masked: Zeroizing<Vec<u8>>,
    ) -> Result<Option<Ran>, RunError> {
        let due = self.begun.get_mut(&number).filter(|begun| begun.shares.is_some() && !begun.told[party]);
        let Some(begun) = due else {
            return Err(self.wrong(party, OutsideError::NotDue { what: "results of a run" }));
        };
        let run = &self.runs[begun.run];
        let first = !begun.told.contains(&true);
        if masked.len() != run.ports.told_bytes() || (!first && masked != begun.masked) {
            let name = run.description.program.0.clone();
            return Err(self.wrong(party, OutsideError::Differs { name }));
        }
        begun.told[party] = true;
        begun.masked = masked;
        Ok(match &begun.shares {
            Some(shares) if !begun.told.contains(&false) => {
                Some(Ran { run: begun.run, outputs: run.ports.results(shares, &begun.masked) })
            }
            _ => None,
        })
    }
}

/// An error about inputs that do not fit, which this party's own program gave.
fn usage(error: CompiledError) -> RunError {
    match error {
        CompiledError::Run(error) => error,
        other => RunError::GivenUp(other.to_string()),
    }
}
