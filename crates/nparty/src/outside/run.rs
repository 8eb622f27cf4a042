//! Runs of programs in which outside parties have roles, at a computing party.

use std::time::{Duration, Instant};

use tacit_ir::{Program, Words};
use tacit_math::field::Field;
use tacit_net::session::Field as Fact;
use zeroize::Zeroizing;

use super::collect::wait_in_step;
use crate::compiled::{Compiled, CompiledError, Speaker, Split};
use crate::error::OutsideError;
use crate::error::{RunError, UsageError};
use crate::program::Task;
use crate::reception::message::{FromComputing, RunDescription};
use crate::reception::{OutsideIndex, OutsideParties};

/// The pieces that outside parties have sent to this party.
type Pieces = Vec<(OutsideIndex, Zeroizing<Vec<u8>>)>;

/// A run in which outside parties have some roles.
pub struct SplitRun<'a> {
    /// The original program, and who has its roles.
    pub program: (&'a Program, &'a [Speaker]),
    /// Its split form.
    pub split: &'a Split,
    /// The compiled split program.
    pub compiled: &'a Compiled,
}

impl SplitRun<'_> {
    /// The description of the run for an outside party.
    fn description(&self, party: OutsideIndex) -> RunDescription {
        let (program, speakers) = self.program;
        let roles = program.roles.iter().zip(speakers);
        let roles = roles.filter(|(_, speaker)| **speaker == Speaker::Outside(party));
        RunDescription {
            program: (program.name.clone(), program.hash()),
            roles: roles.map(|(name, _)| name.clone()).collect(),
        }
    }

    /// Runs the program. `inputs` holds the columns of every input port that this party gives, and nothing for the others. Returns the columns of every
    /// output port, and none for outputs that others receive. Outside parties have the time `within` to visit and give theirs. Blocks.
    ///
    /// Errors: as [`Compiled::run`]; parties may depart from the protocol, or an outside party has not given its inputs in
    /// time.
    pub fn run<F: Field>(
        &self,
        task: &Task<F>,
        inputs: &[Vec<Words>],
        within: Duration,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        task.passive_only("a compiled program with inputs or results of parties that do not compute")?;
        let outside =
            task.outside().ok_or(UsageError::NotOutside { party: "nobody".to_owned(), outside: vec![] });
        let outside = outside.map_err(RunError::from)?;
        let pieces = self.pieces(task, outside, Instant::now() + within)?;
        let assembled = self.split.assembled(task.me(), inputs, &pieces);
        let outputs = self.compiled.run(task, &assembled)?;
        for party in self.split.outside() {
            let masked = self.split.masked(party, &outputs);
            outside.send(party, &FromComputing::Computed { number: task.id(), masked })?;
        }
        Ok(self.split.own_outputs(&outputs))
    }

    /// This party's pieces of the inputs of all outside parties.
    fn pieces<F: Field>(
        &self,
        task: &Task<F>,
        outside: &OutsideParties,
        until: Instant,
    ) -> Result<Pieces, RunError> {
        let asked = self.split.outside();
        task.agree(self.facts(outside, &asked))?;
        let number = task.id();
        for party in &asked {
            outside.expect(number, *party, self.split.piece_bytes(*party, task.me()));
            outside.send(*party, &FromComputing::Runs { number, run: self.description(*party) })?;
        }
        wait_in_step(task, outside, (number, until))?;
        let mut given = outside.close(number);
        let here: Vec<u8> = asked.iter().map(|party| given.contains_key(party).into()).collect();
        let told = task.told_by_all(&here)?;
        let missing = asked.iter().enumerate().find(|(place, _)| told.iter().any(|told| told[*place] == 0));
        if let Some((_, party)) = missing {
            let peer = outside.names[*party].clone();
            return Err(RunError::Outside { peer, error: OutsideError::Absent });
        }
        Ok(asked.into_iter().filter_map(|party| Some((party, given.remove(&party)?))).collect())
    }

    fn facts(&self, outside: &OutsideParties, asked: &[OutsideIndex]) -> Vec<Fact> {
        let (program, _) = self.program;
        let roles = asked
            .iter()
            .map(|party| format!("{}: {}", outside.names[*party], self.description(*party).roles.join(", ")));
        vec![
            Fact::new("program with parties outside", program.hash(), program.name.clone()),
            Fact::text("roles of parties outside", roles.collect::<Vec<_>>().join("; ")),
        ]
    }
}
