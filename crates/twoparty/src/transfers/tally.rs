//! What OTs of a session send, by counting alone.

use super::silent_index;
use crate::Party;
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::{self, BASE_OTS, GRANULE};
use tacit_ot::{ferret, softspoken::Params};

/// Which extensions of a session are set up, and how far they are: the same at both parties. What it counts is what
/// [`super::Transfers`] sends, to the byte: those of the first and those of the second party.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    params: softspoken::Params,
    /// OTs left over from the last granule, by their sender; none where there is no extension.
    pub(super) softspoken: [Option<u64>; 2],
    /// OTs handed out, by extension and sender.
    pub(super) silent: [[Option<u64>; 2]; ferret::Params::ALL.len()],
    /// Whether the session has a key for encrypted words.
    he_key: bool,
}

impl Tally {
    /// Nothing is set up yet. `params` are those of SoftSpokenOT.
    pub fn new(params: Params) -> Tally {
        Tally { params, ..Tally::default() }
    }

    /// Where the session has a key for encrypted words, or has none.
    pub fn with_he_key(self, he_key: bool) -> Tally {
        Tally { he_key, ..self }
    }

    /// Whether the session has a key for encrypted words.
    pub fn has_he_key(&self) -> bool {
        self.he_key
    }

    /// The parameters of SoftSpokenOT.
    pub fn params(&self) -> Params {
        self.params
    }

    /// Whether the OTs of this sender are set up.
    pub fn has(&self, extension: Extension, sender: Party) -> bool {
        match silent_index(extension) {
            Some(silent) => self.silent[silent][sender.index()].is_some(),
            None => self.softspoken[sender.index()].is_some(),
        }
    }

    /// Sets up the OTs of which `sender` is the sender, if they are not, and what they grow from.
    pub fn set_up(&mut self, extension: Extension, sender: Party) -> [u64; 2] {
        if self.has(extension, sender) {
            return [0; 2];
        }
        let (base, loud) = (sender.peer(), Extension::SoftSpoken(self.params));
        let Some(silent) = silent_index(extension) else {
            self.softspoken[sender.index()] = Some(0);
            return match self.has(loud, base) {
                true => sum(self.take(loud, base, BASE_OTS as u64), by(sender, loud.derived_bytes())),
                false => by(sender, loud.setup_bytes()),
            };
        };
        let first = sum(self.set_up(loud, base), self.take(loud, base, BASE_OTS as u64));
        self.silent[silent][sender.index()] = Some(0);
        sum(first, by(sender, extension.derived_bytes()))
    }

    /// Takes OTs that are set up.
    pub fn take(&mut self, extension: Extension, sender: Party, count: u64) -> [u64; 2] {
        let Some(silent) = silent_index(extension) else {
            // None are left over where none were made.
            let spare = self.softspoken[sender.index()].unwrap_or(0);
            let made = count.saturating_sub(spare).div_ceil(GRANULE as u64).saturating_mul(GRANULE as u64);
            self.softspoken[sender.index()] = Some(spare.saturating_add(made).saturating_sub(count));
            return by(sender, (0, self.params.bytes(made)));
        };
        // None were taken where none were made.
        let before = self.silent[silent][sender.index()].unwrap_or(0);
        let after = before.saturating_add(count);
        self.silent[silent][sender.index()] = Some(after);
        by(sender, (extension.bytes(after) - extension.bytes(before), 0))
    }
}

/// Bytes of an extension's sender and receiver, by party.
fn by(sender: Party, (from_sender, from_receiver): (u64, u64)) -> [u64; 2] {
    match sender {
        Party::First => [from_sender, from_receiver],
        Party::Second => [from_receiver, from_sender],
    }
}

fn sum(x: [u64; 2], y: [u64; 2]) -> [u64; 2] {
    [x[0] + y[0], x[1] + y[1]]
}
