//! The outside parties at a computing party: who has come, the messages for each, and the inputs of each.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tacit_net::Meter;
use tokio::sync::{Notify, watch};
use zeroize::Zeroizing;

use super::message::{FromComputing, Given, encode};
use crate::error::{OutsideError, RunError};

/// An outside party, by its place in the order of names.
pub(crate) type OutsideIndex = usize;

/// How the computation has ended for outside parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Normally, with all messages queued.
    Well,
    /// It has failed.
    Failed,
}

/// An outside party.
#[derive(Default)]
struct OutsideParty {
    /// Messages that it has not been sent yet.
    unsent: VecDeque<Zeroizing<Vec<u8>>>,
    /// Whether there is a result among them.
    told: bool,
    came: bool,
    gone: bool,
    /// The maximum bytes of any input that was requested from it: it may still send as many when it is too
    /// late.
    most: usize,
    news: Arc<Notify>,
}

/// An input of a party that was requested.
enum Awaited {
    /// Bytes that are expected.
    Due(usize),
    Came(Zeroizing<Vec<u8>>),
}

#[derive(Default)]
struct State {
    parties: Vec<OutsideParty>,
    /// By the input's number and the party, as long as the input may still come.
    awaited: HashMap<u64, HashMap<OutsideIndex, Awaited>>,
}

/// All outside parties of a computation.
pub(crate) struct OutsideParties {
    pub(crate) names: Vec<String>,
    /// The links to them.
    pub(crate) meter: Meter,
    /// Longest time between two messages to one of them, and between two checks of a party that waits for
    /// them.
    pub(crate) tick: Duration,
    state: Mutex<State>,
    changed: Condvar,
    ended: watch::Sender<Option<Ended>>,
    /// Changes messages to outside parties, for tests of parties that depart from the protocol.
    #[cfg(test)]
    changes: Mutex<Option<fn(&mut FromComputing)>>,
}

impl OutsideParties {
    pub(crate) fn new(names: Vec<String>, meter: Meter, tick: Duration) -> OutsideParties {
        let parties = names.iter().map(|_| OutsideParty::default()).collect();
        let state = Mutex::new(State { parties, ..State::default() });
        let (ended, _) = watch::channel(None);
        OutsideParties {
            names,
            meter,
            tick,
            state,
            changed: Condvar::new(),
            ended,
            #[cfg(test)]
            changes: Mutex::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The computation is over: once everyone has been sent the remaining messages, the links end.
    pub(crate) fn end(&self, how: Ended) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert(how);
            first
        });
        // Waiting threads see the end.
        drop(self.state());
        self.changed.notify_all();
    }

    /// Reports when the computation is over, and how.
    pub(crate) fn ended(&self) -> watch::Receiver<Option<Ended>> {
        self.ended.subscribe()
    }

    /// A party has come, for the first time.
    pub(crate) fn enter(&self, party: OutsideIndex) -> bool {
        !std::mem::replace(&mut self.state().parties[party].came, true)
    }

    /// A party has gone: nothing waits for it any more.
    pub(crate) fn leave(&self, party: OutsideIndex) {
        self.state().parties[party].gone = true;
        self.changed.notify_all();
    }

    /// The next message for a party.
    pub(crate) fn next_message(&self, party: OutsideIndex) -> Option<Zeroizing<Vec<u8>>> {
        self.state().parties[party].unsent.pop_front()
    }

    /// Notified when there are messages for a party.
    pub(crate) fn news(&self, party: OutsideIndex) -> Arc<Notify> {
        self.state().parties[party].news.clone()
    }

    /// Queues a message for a party, which is sent now or when the party comes.
    ///
    /// Errors: the message is too long.
    pub(crate) fn send(&self, party: OutsideIndex, message: &FromComputing) -> Result<(), RunError> {
        let bytes = encode(message)?;
        #[cfg(test)]
        let bytes = self.with_changes(bytes);
        let mut state = self.state();
        let party = &mut state.parties[party];
        party.told |= matches!(message, FromComputing::Told { .. });
        if !party.gone {
            party.unsent.push_back(bytes);
            party.news.notify_one();
        }
        Ok(())
    }

    /// Changes all later messages to outside parties.
    #[cfg(test)]
    pub(crate) fn change(&self, changes: fn(&mut FromComputing)) {
        *self.changes.lock().expect("not poisoned") = Some(changes);
    }

    #[cfg(test)]
    fn with_changes(&self, bytes: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
        let Some(changes) = *self.changes.lock().expect("not poisoned") else { return bytes };
        let mut message = postcard::from_bytes(&bytes).expect("a message");
        changes(&mut message);
        encode(&message).expect("a message")
    }

    /// Whether the computation has ended well and there are results for someone who has not come.
    pub(crate) fn has_results_for_absent(&self) -> bool {
        let well = *self.ended.borrow() == Some(Ended::Well);
        well && self.state().parties.iter().any(|party| !party.came && party.told)
    }

    /// Expects this many bytes of this input from a party.
    pub(crate) fn expect(&self, number: u64, party: OutsideIndex, bytes: usize) {
        let mut state = self.state();
        state.parties[party].most = state.parties[party].most.max(bytes);
        state.awaited.entry(number).or_default().insert(party, Awaited::Due(bytes));
    }

    /// The maximum bytes of an input of a party.
    pub(crate) fn most(&self, party: OutsideIndex) -> usize {
        self.state().parties[party].most
    }

    /// Takes an input of a party; an input that is no longer awaited is ignored.
    pub(crate) fn give(&self, party: OutsideIndex, given: Given) -> Result<(), OutsideError> {
        let mut state = self.state();
        let Some(parties) = state.awaited.get_mut(&given.number) else { return Ok(()) };
        match parties.get_mut(&party) {
            Some(Awaited::Due(expected)) if given.masked.len() != *expected => {
                return Err(OutsideError::Size { given: given.masked.len(), expected: *expected });
            }
            Some(awaited @ Awaited::Due(_)) => *awaited = Awaited::Came(given.masked),
            _ => return Err(OutsideError::NotDue { what: "an input" }),
        }
        drop(state);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits until everyone who has not gone has given an input, or time is up, or the computation is over. Returns whether nobody is
    /// missing.
    pub(crate) fn wait(&self, number: u64, until: Instant) -> bool {
        let mut state = self.state();
        loop {
            let missing = |(party, awaited): (&OutsideIndex, &Awaited)| {
                matches!(awaited, Awaited::Due(_)) && !state.parties[*party].gone
            };
            let complete = state.awaited.get(&number).is_none_or(|parties| !parties.iter().any(missing));
            let left = until.saturating_duration_since(Instant::now());
            if complete || left.is_zero() || self.ended.borrow().is_some() {
                return complete;
            }
            let waited = self.changed.wait_timeout(state, left);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The inputs that have arrived, by party. Later ones are ignored.
    pub(crate) fn close(&self, number: u64) -> HashMap<OutsideIndex, Zeroizing<Vec<u8>>> {
        let came = |(party, awaited)| match awaited {
            Awaited::Came(bytes) => Some((party, bytes)),
            Awaited::Due(_) => None,
        };
        self.state().awaited.remove(&number).unwrap_or_default().into_iter().filter_map(came).collect()
    }
}
