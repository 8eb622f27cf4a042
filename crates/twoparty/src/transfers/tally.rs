//! Counts what OTs of a session send, without sending.

use super::silent_index;
use crate::lattice_keys::KeySet;
use crate::{Dialogue, Party};
use tacit_ot::cot::Extension;
use tacit_ot::softspoken::{self, BASE_OTS, GRANULE};
use tacit_ot::{ferret, softspoken::Params};

/// Which extensions of a session are set up, and their progress: the same at both parties. It counts what
/// [`super::Transfers`] sends, to the byte: first the first party's bytes, then the second's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    params: softspoken::Params,
    /// OTs left over from the last granule, by their sender; `None` if the extension is not set up.
    pub(super) softspoken: [Option<u64>; 2],
    /// Lattice keys that are made; callers that count a whole session set them.
    pub keys: KeySet,
    /// Whether there is a key for encrypted words; also set by the caller.
    pub he_key: bool,
    /// Whether there is a key for comparisons of encrypted words.
    pub comparison_key: bool,
    /// Silent OTs, by extension and sender.
    pub(super) silent: [[Option<SilentCount>; 2]; ferret::Params::ALL.len()],
}

/// The progress of a sender's silent OTs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SilentCount {
    /// OTs handed out.
    pub taken: u64,
    /// Bytes that the sender has sent beyond what these OTs need.
    pub ahead: u64,
}

impl Tally {
    /// A tally of which nothing is set up. `params` are those of SoftSpokenOT.
    pub fn new(params: Params) -> Tally {
        Tally { params, ..Tally::default() }
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

    /// Sets up the OTs whose sender is `sender`, and those on which they are based, if they are not set up: returns what is sent
    /// for that, besides other OTs.
    pub fn set_up(&mut self, extension: Extension, sender: Party) -> Dialogue {
        if self.has(extension, sender) {
            return Dialogue::default();
        }
        let (base, loud) = (sender.peer(), Extension::SoftSpoken(self.params));
        let Some(silent) = silent_index(extension) else {
            self.softspoken[sender.index()] = Some(0);
            let (_, grown) = loud.derived_bytes();
            let start = match self.has(loud, base) {
                true => self.base_ots(sender),
                // The first messages of base OTs cross.
                false => {
                    let (from_sender, from_receiver) = loud.setup_bytes();
                    Dialogue::default().exchange(by(sender, (from_sender, from_receiver - grown)))
                }
            };
            return start.send(base, grown);
        };
        let start = self.set_up(loud, base).then(self.base_ots(sender));
        self.silent[silent][sender.index()] = Some(SilentCount::default());
        let (trees, grown) = extension.derived_bytes();
        start.send(base, grown).send(sender, trees)
    }

    /// What the OTs of the other direction need on which those of `sender` are based; their receiver is `sender`.
    fn base_ots(&mut self, sender: Party) -> Dialogue {
        let sent = self.take(Extension::SoftSpoken(self.params), sender.peer(), BASE_OTS as u64);
        Dialogue::default().send(sender, sent[sender.index()])
    }

    /// Takes OTs that are set up; returns the bytes that the first and that the second party sends for them.
    pub fn take(&mut self, extension: Extension, sender: Party, count: u64) -> [u64; 2] {
        let Some(silent) = silent_index(extension) else {
            // None are left over if none were made.
            let spare = self.softspoken[sender.index()].unwrap_or(0);
            let made = count.saturating_sub(spare).div_ceil(GRANULE as u64).saturating_mul(GRANULE as u64);
            self.softspoken[sender.index()] = Some(spare.saturating_add(made).saturating_sub(count));
            return by(sender, (0, self.params.bytes(made)));
        };
        // None were taken if none were made.
        let SilentCount { taken, ahead } = self.silent[silent][sender.index()].unwrap_or_default();
        let after = taken.saturating_add(count);
        let due = extension.bytes(after) - extension.bytes(taken);
        self.silent[silent][sender.index()] =
            Some(SilentCount { taken: after, ahead: ahead.saturating_sub(due) });
        by(sender, (due.saturating_sub(ahead), 0))
    }

    /// Sends the sender's messages for the next `count` OTs, as [`tacit_ot::rot::Sender::offer`] does; returns the bytes that the
    /// first and that the second party sends.
    pub fn offer(&mut self, extension: Extension, sender: Party, (count, most): (u64, u64)) -> [u64; 2] {
        let Extension::Ferret(params) = extension else { return [0; 2] };
        let silent = silent_index(extension).map(|silent| &mut self.silent[silent][sender.index()]);
        // OTs that are not set up offer nothing.
        let Some(SilentCount { taken, ahead }) = silent.and_then(Option::as_mut) else { return [0; 2] };
        let bytes = |more: u64| extension.bytes(taken.saturating_add(more)) - extension.bytes(*taken);
        if bytes(count) <= *ahead {
            return [0; 2];
        }
        // At most as many as the stage has left, unless the next one begins.
        let usable = params.set().usable() as u64;
        let left = usable - place(params, *taken);
        let most = most.min(if count > left { usable } else { left }).max(count);
        let sent = bytes(most) - *ahead;
        *ahead += sent;
        by(sender, (sent, 0))
    }

    /// Whether the next OTs send the same as after `other`.
    pub(crate) fn is_alike(&self, other: &Tally) -> bool {
        let silent = |tally: &Tally| {
            let mut silent = tally.silent;
            for (params, both) in ferret::Params::ALL.into_iter().zip(&mut silent) {
                both.iter_mut().flatten().for_each(|count| count.taken = place(params, count.taken));
            }
            silent
        };
        self.softspoken == other.softspoken
            && self.he_key == other.he_key
            && self.comparison_key == other.comparison_key
            && self.keys == other.keys
            && silent(self) == silent(other)
    }

    /// Repeats what was taken since `before`, which is alike, this many times more.
    pub(crate) fn again(&mut self, before: &Tally, times: u64) {
        let all = self.silent.iter_mut().flatten().zip(before.silent.iter().flatten());
        for (now, before) in all {
            if let (Some(now), Some(before)) = (now, before) {
                now.taken = now.taken.saturating_add((now.taken - before.taken).saturating_mul(times));
            }
        }
    }
}

/// How many OTs of their stage have been handed out after `taken`; OTs that complete a stage still belong to
/// it.
fn place(params: ferret::Params, taken: u64) -> u64 {
    match taken {
        0 => 0,
        taken => (taken - 1) % params.set().usable() as u64 + 1,
    }
}

/// Bytes of an extension's sender and receiver, by party.
fn by(sender: Party, (from_sender, from_receiver): (u64, u64)) -> [u64; 2] {
    match sender {
        Party::First => [from_sender, from_receiver],
        Party::Second => [from_receiver, from_sender],
    }
}
