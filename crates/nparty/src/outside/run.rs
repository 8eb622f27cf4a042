//! Runs of programs in which outside parties have roles, at a computing party.

use std::time::{Duration, Instant};

use tacit_ir::{Program, Words};
use tacit_math::field::Field;
use tacit_net::session::Field as Fact;
use zeroize::Zeroizing;

use super::collect::{HASH_BYTES, wait_in_step};
use super::masks::RunMasks;
use crate::compiled::{Compiled, CompiledError, RunInputs, Sharing, Speaker, Split};
use crate::error::OutsideError;
use crate::error::{RunError, UsageError};
use crate::program::Task;
use crate::reception::message::{FromComputing, RunDescription};
use crate::reception::{OutsideIndex, OutsideParties};

/// The pieces or masked inputs that outside parties have sent to this party.
type Answers = Vec<(OutsideIndex, Zeroizing<Vec<u8>>)>;

/// What a computing party tells the others of an outside party that has sent it nothing, and of one that has sent it pieces.
const MISSING: [u8; HASH_BYTES] = [0; HASH_BYTES];
const THERE: [u8; HASH_BYTES] = [1; HASH_BYTES];

/// A run in which outside parties have some roles.
pub struct SplitRun<'a> {
    /// The original program, and who has its roles.
    pub program: (&'a Program, &'a [Speaker]),
    /// Its split form.
    pub split: &'a Split,
    /// The compiled split program, with the split form's shared inputs.
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
    /// Errors: as [`Compiled::run`]; parties may depart from the protocol and pieces are shared; or an outside party has not given its inputs in time, or the computing
    /// parties have different ones.
    pub fn run<F: Field>(
        &self,
        task: &Task<F>,
        inputs: &[Vec<Words>],
        within: Duration,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        let until = Instant::now() + within;
        let outside =
            task.outside().ok_or(UsageError::NotOutside { party: "nobody".to_owned(), outside: vec![] });
        let outside = outside.map_err(RunError::from)?;
        // A run that cannot be asks nobody for inputs.
        self.compiled.plan(task)?;
        // How often parties tell each other that they wait is not predicted.
        let meeting = task.fork()?;
        let outputs = match self.split.sharing() {
            Sharing::Pieces => self.with_pieces((task, &meeting), outside, inputs, until)?,
            Sharing::Masks => self.with_masks((task, &meeting), outside, inputs, until)?,
        };
        for party in self.split.outside() {
            let masked = self.split.masked(party, &outputs);
            outside.send(party, &FromComputing::Computed { number: meeting.id(), masked })?;
        }
        Ok(self.split.own_outputs(&outputs))
    }

    /// The outputs of the split program, in which t + 1 parties have pieces.
    fn with_pieces<F: Field>(
        &self,
        (task, meeting): (&Task<F>, &Task<F>),
        outside: &OutsideParties,
        inputs: &[Vec<Words>],
        until: Instant,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        task.passive_only("a compiled program of which parties that do not compute send pieces")?;
        let me = task.me();
        let due = |party: OutsideIndex| Ok((self.split.piece_bytes(party, me), Zeroizing::default()));
        let pieces = self.answers(meeting, outside, due, until)?;
        self.compiled.run(task, &self.split.assembled(me, inputs, &pieces))
    }

    /// The outputs of the split program, in which all parties have shares.
    fn with_masks<F: Field>(
        &self,
        (task, meeting): (&Task<F>, &Task<F>),
        outside: &OutsideParties,
        inputs: &[Vec<Words>],
        until: Instant,
    ) -> Result<Vec<Vec<Words>>, CompiledError> {
        let bytes = task.bytes()?;
        let mut masks = RunMasks::drawn(task, (self.split, self.compiled))?;
        let due = |party: OutsideIndex| Ok((masks.answer_bytes(party), masks.own_shares(bytes, party)?));
        for (party, answer) in self.answers(meeting, outside, due, until)? {
            masks.remove(bytes, (party, &outside.names[party]), &answer)?;
        }
        let own = self.split.assembled(task.me(), inputs, &[]);
        self.compiled.run_with(task, RunInputs { own: &own, shared: &masks.shared() }, &mut || ())
    }

    /// Asks all outside parties, and returns what they have sent to this party: pieces of inputs, or masked inputs, which all computing parties have alike. `due` says how many bytes a
    /// party sends, and what it is sent before.
    fn answers<F: Field>(
        &self,
        meeting: &Task<F>,
        outside: &OutsideParties,
        due: impl Fn(OutsideIndex) -> Result<(usize, Zeroizing<Vec<u8>>), RunError>,
        until: Instant,
    ) -> Result<Answers, RunError> {
        let (asked, number) = (self.split.outside(), meeting.id());
        meeting.agree(self.facts(outside, &asked))?;
        for party in &asked {
            let (bytes, shares) = due(*party)?;
            outside.expect(number, *party, bytes);
            outside.send(*party, &FromComputing::Runs { number, run: self.description(*party), shares })?;
        }
        wait_in_step(meeting, outside, (number, until))?;
        let mut given = outside.close(number);
        let own: Vec<_> = asked.iter().map(|party| self.digest(given.get(party))).collect();
        let told = meeting.told_by_all(&own.concat())?;
        meeting.wait(&meeting.synchronise()?)?;
        for (place, (party, own)) in asked.iter().zip(&own).enumerate() {
            let mut said = told.iter().map(|told| &told[place * HASH_BYTES..][..HASH_BYTES]);
            let error = match said.clone().any(|said| said == MISSING) {
                true => OutsideError::Absent,
                false if said.all(|said| said == own) => continue,
                false => OutsideError::Contradicts,
            };
            return Err(RunError::Outside { peer: outside.names[*party].clone(), error });
        }
        Ok(asked.into_iter().filter_map(|party| Some((party, given.remove(&party)?))).collect())
    }

    /// What the computing parties compare of an outside party's answer. Pieces differ.
    fn digest(&self, answer: Option<&Zeroizing<Vec<u8>>>) -> [u8; HASH_BYTES] {
        match (answer, self.split.sharing()) {
            (None, _) => MISSING,
            (Some(_), Sharing::Pieces) => THERE,
            (Some(answer), Sharing::Masks) => *blake3::hash(answer).as_bytes(),
        }
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
