//! Compiled programs of single operations on words that are shared bit by bit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use tacit_ir::Program as Ir;
use tacit_lower::Options;
use tacit_nparty::PartyIndex;
use tacit_nparty::compiled::{Compiled, CompiledError};

use crate::lock::lock;

/// Circuits that are kept: those of the operations that were called last.
const KEPT: usize = 256;

/// A program by its hash, and the parties behind its role.
type Form = ([u8; 32], Speakers);

/// Compiled programs of single operations.
pub struct BitPrograms {
    /// Steps of work that lowering a program may take, if the session sets it.
    effort: Option<u64>,
    kept: Mutex<VecDeque<(Form, Arc<Compiled>)>>,
}

impl BitPrograms {
    pub fn new(effort: Option<u64>) -> BitPrograms {
        BitPrograms { effort, kept: Mutex::default() }
    }

    /// A program, compiled; its inputs are shared before, except for those of `speakers`.
    pub fn compiled(&self, ir: &Ir, speakers: &Speakers) -> Result<Arc<Compiled>, CompiledError> {
        let form = (ir.hash(), speakers.clone());
        if let Some(known) = self.known(&form) {
            return Ok(known);
        }
        let (parties, keeps) = match speakers {
            Speakers::Nobody => (vec![0], true),
            Speakers::Giver(party) => (vec![*party], true),
            // The role of its inputs comes first.
            Speakers::Receivers(parties) => ([&[0], &parties[..]].concat(), false),
        };
        let usual = Compiled::bit_options();
        let options = Options { effort: self.effort.unwrap_or(usual.effort), ..usual };
        let mut compiled = Compiled::lowered(ir, &options, &parties)?;
        if !matches!(speakers, Speakers::Giver(_)) {
            compiled = compiled.with_shared_inputs(&(0..ir.inputs.len()).collect::<Vec<_>>());
        }
        let compiled = Arc::new(if keeps { compiled.with_shared_outputs() } else { compiled });
        let mut kept = lock(&self.kept);
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((form, compiled.clone()));
        Ok(compiled)
    }

    /// A program that was compiled before, as the newest.
    fn known(&self, form: &Form) -> Option<Arc<Compiled>> {
        let mut kept = lock(&self.kept);
        let place = kept.iter().rposition(|(known, _)| known == form)?;
        let found = kept.remove(place)?;
        let compiled = found.1.clone();
        kept.push_back(found);
        Some(compiled)
    }
}

/// The parties behind the role of a program.
#[derive(Clone, PartialEq)]
pub enum Speakers {
    /// Its inputs are shared before, and its outputs stay shared.
    Nobody,
    /// This one gives its inputs; its outputs stay shared.
    Giver(PartyIndex),
    /// These receive its outputs; its inputs are shared before.
    Receivers(Vec<PartyIndex>),
}
