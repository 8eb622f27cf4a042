//! Runs of programs in which an outside party has roles, at this party.

use std::collections::HashMap;

use tacit_ir::{Program, RoleId, Words};
use tacit_math::field::Gf256;
use zeroize::Zeroizing;

use crate::compiled::{CompiledError, OutsidePorts, OutsideShares, Sharing};
use crate::error::{OutsideError, RunError, SharingError};
use crate::parties::PartyIndex;
use crate::reception::message::RunDescription;
use crate::scheme::Scheme;

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

impl OutsideRun {
    /// Bytes of the masks of which each computing party sends shares.
    fn mask_bytes(&self, scheme: &Scheme<Gf256>) -> usize {
        match Sharing::of(scheme.security()) {
            Sharing::Pieces => 0,
            Sharing::Masks => self.ports.mask_bytes(),
        }
    }

    /// What this party sends the computing parties and keeps, when all of these have sent their shares of masks.
    ///
    /// Errors: the shares contradict each other, the inputs do not fit, or there is no randomness.
    fn shares(
        &self,
        (names, scheme): (&[String], &Scheme<Gf256>),
        of_masks: &[&Vec<u8>],
    ) -> Result<OutsideShares, RunError> {
        let parties = scheme.parties();
        let shares = match Sharing::of(scheme.security()) {
            Sharing::Pieces => self.ports.split(&self.inputs, (parties, scheme.threshold())),
            Sharing::Masks => {
                let error = OutsideError::Mask { name: self.description.program.0.clone() };
                let wrong = |_| RunError::Outside { peer: names[0].clone(), error };
                self.ports.mask(&self.inputs, &masks(scheme, of_masks).map_err(wrong)?, parties)
            }
        };
        shares.map_err(usage)
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
    /// By computing party, its shares of the masks; nothing where pieces are shared. `None` where it has not asked.
    asked: Vec<Option<Zeroizing<Vec<u8>>>>,
    shares: Option<OutsideShares>,
    /// The masked results that the first computing party sent, and the parties that sent the same.
    masked: Zeroizing<Vec<u8>>,
    told: Vec<bool>,
}

/// The runs of an outside party.
pub(super) struct Runs {
    runs: Vec<OutsideRun>,
    names: Vec<String>,
    /// How masks are shared.
    scheme: Scheme<Gf256>,
    begun: HashMap<u64, Begun>,
}

impl Runs {
    /// `names` are those of the computing parties, who share bytes by this scheme.
    pub(super) fn new(runs: Vec<OutsideRun>, (names, scheme): (Vec<String>, Scheme<Gf256>)) -> Runs {
        Runs { runs, names, scheme, begun: HashMap::new() }
    }

    fn wrong(&self, party: PartyIndex, error: OutsideError) -> RunError {
        RunError::Outside { peer: self.names[party].clone(), error }
    }

    /// Handles a computing party's request for the inputs of a run, with its shares of masks. When all have asked, returns the pieces or masked inputs
    /// for each.
    ///
    /// Errors: there is no such run, the computing parties' requests differ, their shares contradict each other, or there is no randomness.
    pub(super) fn asked(
        &mut self,
        (party, number): (PartyIndex, u64),
        asked: RunDescription,
        shares: Zeroizing<Vec<u8>>,
    ) -> Result<Vec<Zeroizing<Vec<u8>>>, RunError> {
        let parties = self.names.len();
        let (name, roles) = (asked.program.0.clone(), asked.roles.clone());
        let other = OutsideError::OtherRun { name: name.clone(), roles };
        if !self.begun.contains_key(&number) {
            let free = |run: &usize| self.begun.values().all(|begun| begun.run != *run);
            let matching = |run: &usize| self.runs[*run].description == asked;
            let found = (0..self.runs.len()).filter(free).find(matching);
            let run = found.ok_or_else(|| self.wrong(party, other))?;
            let (asked, told) = (vec![None; parties], vec![false; parties]);
            let begun = Begun { run, asked, shares: None, masked: Zeroizing::default(), told };
            self.begun.insert(number, begun);
        }
        let Some(begun) = self.begun.get_mut(&number) else { return Ok(Vec::new()) };
        let run = &self.runs[begun.run];
        if run.description != asked || shares.len() != run.mask_bytes(&self.scheme) {
            return Err(self.wrong(party, OutsideError::Differs { name }));
        }
        if begun.asked[party].replace(shares).is_some() {
            return Err(self.wrong(party, OutsideError::NotDue { what: "the same run again" }));
        }
        let Some(shares) = begun.asked.iter().map(Option::as_deref).collect::<Option<Vec<_>>>() else {
            return Ok(Vec::new());
        };
        let shares = run.shares((&self.names, &self.scheme), &shares)?;
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

/// The masks of which these are the shares of all computing parties.
///
/// Errors: the shares contradict each other.
fn masks(scheme: &Scheme<Gf256>, shares: &[&Vec<u8>]) -> Result<Zeroizing<Vec<u8>>, SharingError> {
    let shares: Vec<_> = shares.iter().enumerate().map(|(party, shares)| (party, &shares[..])).collect();
    scheme.open(&shares, scheme.threshold()).map(Zeroizing::new)
}

/// An error about inputs that do not fit, which this party's own program gave.
fn usage(error: CompiledError) -> RunError {
    match error {
        CompiledError::Run(error) => error,
        other => RunError::GivenUp(other.to_string()),
    }
}
