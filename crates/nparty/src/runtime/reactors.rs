//! A party's reactors: one for the computation's own field, and one for each auxiliary field. They have tasks, counters, randomness and
//! links in common.

use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_math::field::{BitOctets, BitSliced, Field, GaloisRing, Gf256};

use super::operation::Written;
use super::pending_exchange::Waiting;
use super::reactor::Reactor;
use super::receive::{EARLY_BYTES, QUEUED_BYTES};
use super::shared::{BYTES, OCTETS, ProgramLink, RING, SLICED};
use crate::error::{MessageError, RunError};
use crate::parties::PartyIndex;
use crate::prss::Prss;

/// The reactor of one field, and the source of its commands.
struct FieldReactor<F: Field> {
    shared: Arc<ProgramLink<F>>,
    reactor: Reactor<F>,
    /// A buffer for what the program writes, or for what a test delays.
    written: Written<F>,
}

impl<F: Field> FieldReactor<F> {
    fn new<G: Field>(shared: &Arc<ProgramLink<F>>, keys: &Prss<G>, prg: Prg) -> Result<Self, RunError> {
        FieldReactor::with(shared, keys.in_field(shared.scheme.clone(), shared.field as u64)?, prg)
    }

    fn with(shared: &Arc<ProgramLink<F>>, keys: Prss<F>, prg: Prg) -> Result<Self, RunError> {
        let reactor = Reactor::new(shared.names.clone(), shared.call_sites.clone(), keys, prg)?;
        Ok(FieldReactor { shared: shared.clone(), reactor, written: Written::default() })
    }
}

/// Applies something to the reactors of all fields.
macro_rules! each {
    ($reactors:expr, $own:ident => $what:expr) => {{
        {
            let $own = &mut $reactors.main;
            $what;
        }
        if let Some($own) = &mut $reactors.bytes {
            $what;
        }
        if let Some($own) = &mut $reactors.sliced {
            $what;
        }
        if let Some($own) = &mut $reactors.octets {
            $what;
        }
        if let Some($own) = &mut $reactors.ring {
            $what;
        }
    }};
}

/// One party's state in all fields.
pub(crate) struct Reactors<F: Field> {
    main: FieldReactor<F>,
    bytes: Option<FieldReactor<Gf256>>,
    sliced: Option<FieldReactor<BitSliced>>,
    octets: Option<FieldReactor<BitOctets>>,
    ring: Option<FieldReactor<GaloisRing>>,
    /// How many messages have arrived, by sender.
    received: Vec<u64>,
}

impl<F: Field> Reactors<F> {
    /// The state of the party of `shared`, with keys that are fresh in the session. `prg` returns a generator for what only
    /// this party knows.
    ///
    /// Errors: as [`Reactor::new`]; those of `prg`.
    pub(crate) fn new(
        shared: &Arc<ProgramLink<F>>,
        keys: Prss<F>,
        prg: impl Fn() -> Result<Prg, RunError>,
    ) -> Result<Self, RunError> {
        let (mut bytes, mut sliced, mut octets, mut ring) = (None, None, None, None);
        if let Some(auxiliary) = &shared.auxiliary {
            let own = auxiliary.bytes.as_ref().map(|shared| FieldReactor::new(shared, &keys, prg()?));
            bytes = own.transpose()?;
            let own = auxiliary.sliced.as_ref().map(|shared| FieldReactor::new(shared, &keys, prg()?));
            sliced = own.transpose()?;
            let own = auxiliary.octets.as_ref().map(|shared| FieldReactor::new(shared, &keys, prg()?));
            octets = own.transpose()?;
            let own = auxiliary.ring.as_ref().map(|shared| FieldReactor::new(shared, &keys, prg()?));
            ring = own.transpose()?;
        }
        let received = vec![0; shared.names.len()];
        let main = FieldReactor::with(shared, keys, prg()?)?;
        Ok(Reactors { main, bytes, sliced, octets, ring, received })
    }

    /// Takes the commands that the program has written.
    pub(crate) fn take_written(&mut self) {
        each!(self, own => {
            own.shared.take(&mut own.written);
            own.reactor.take(&mut own.written);
        });
    }

    /// Takes a message that belongs to the field with this number; see [`Reactor::receive`].
    ///
    /// Errors: as there; there is no such field.
    pub(crate) fn receive(&mut self, peer: PartyIndex, field: u8, message: &[u8]) -> Result<(), RunError> {
        let number = self.count(peer);
        match (usize::from(field), &mut self.bytes, &mut self.sliced, &mut self.octets, &mut self.ring) {
            (0, ..) => self.main.reactor.receive(peer, number, message),
            (BYTES, Some(own), ..) => own.reactor.receive(peer, number, message),
            (SLICED, _, Some(own), ..) => own.reactor.receive(peer, number, message),
            (OCTETS, .., Some(own), _) => own.reactor.receive(peer, number, message),
            (RING, .., Some(own)) => own.reactor.receive(peer, number, message),
            _ => Err(RunError::Message {
                peer: self.main.shared.names[peer].clone(),
                number,
                error: MessageError::Field { field },
            }),
        }
    }

    /// Counts a message of a peer, including one for none of the reactors, and returns its number.
    pub(crate) fn count(&mut self, peer: PartyIndex) -> u64 {
        self.received[peer] += 1;
        self.received[peer]
    }

    /// See [`Reactor::run`], with this budget in each field.
    ///
    /// Errors: as there.
    pub(crate) fn run(&mut self, most: usize) -> Result<bool, RunError> {
        let mut all = true;
        each!(self, own => all &= own.reactor.run(most)?);
        Ok(all)
    }

    /// The messages that wait to be sent to a peer, with their heads: a length of 3 bytes, and the field.
    pub(crate) fn outgoing(&mut self, peer: PartyIndex) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        each!(self, own => for mut message in own.reactor.outbox[peer].take() {
            message[3] = own.shared.field as u8;
            all.push(message);
        });
        all
    }

    /// Keeps the memory of a message that was sent to a peer, for later ones of its field.
    pub(crate) fn reuse(&mut self, peer: PartyIndex, mut message: Vec<u8>) {
        let field = message.get(3).copied();
        each!(self, own => if field == Some(own.shared.field as u8) {
            own.reactor.outbox[peer].reuse(std::mem::take(&mut message));
        });
    }

    /// Whether there are values to call back for.
    pub(crate) fn has_replies(&mut self) -> bool {
        let mut any = false;
        each!(self, own => any |= own.reactor.has_replies());
        any
    }

    /// Calls back for all values that are known.
    pub(crate) fn answer(&mut self) {
        each!(self, own => for (reply, elements) in own.reactor.replies() {
            reply.tell(Ok(elements));
        });
    }

    /// Ends the computation; see [`Reactor::fail`].
    pub(crate) fn end(&mut self, reason: &RunError) {
        self.main.shared.end(reason.clone());
        self.take_written();
        each!(self, own => own.reactor.fail(reason));
    }

    /// How many times something that was waited for has arrived.
    pub(crate) fn arrivals(&mut self) -> u64 {
        let mut all = 0;
        each!(self, own => all += own.reactor.arrivals);
        all
    }

    /// Whether so much from a peer is waiting, in all fields together, that no more should be received from
    /// it.
    pub(crate) fn is_crowded(&mut self, peer: PartyIndex) -> bool {
        let mut waiting = 0;
        each!(self, own => waiting += own.reactor.early_bytes(peer));
        waiting > EARLY_BYTES - QUEUED_BYTES
    }

    /// See [`Reactor::tell_progress`].
    pub(crate) fn tell_progress(&mut self) {
        each!(self, own => own.reactor.tell_progress());
    }

    /// See [`Reactor::tell_failure`].
    pub(crate) fn tell_failure(&mut self, error: &RunError) {
        self.main.reactor.tell_failure(error);
    }

    /// See [`Reactor::waiting`].
    pub(crate) fn waiting(&mut self) -> Vec<Waiting> {
        let mut all = Vec::new();
        each!(self, own => all.extend(own.reactor.waiting()));
        all
    }

    /// See [`Reactor::waiting_to_conclude`].
    pub(crate) fn waiting_to_conclude(&mut self) -> Vec<Waiting> {
        let mut all = Vec::new();
        each!(self, own => all.extend(own.reactor.waiting_to_conclude()));
        all
    }

    /// See [`Reactor::late`].
    pub(crate) fn late(&mut self) -> Vec<Waiting> {
        let mut all = Vec::new();
        each!(self, own => all.extend(own.reactor.late()));
        all
    }

    /// Takes up to this many commands in each field; returns whether none are left.
    #[cfg(test)]
    pub(crate) fn take_some(&mut self, most: usize) -> bool {
        let mut idle = true;
        each!(self, own => {
            let mut new = Written::default();
            own.shared.take(&mut new);
            own.written.commands.append(&mut new.commands);
            own.written.released.append(&mut new.released);
            own.reactor.take(&mut own.written.first(most));
            idle &= own.written.is_empty();
        });
        idle
    }

    /// The number of tasks left, each counted once for every field that it is in.
    #[cfg(test)]
    pub(crate) fn tasks(&mut self) -> usize {
        let mut all = 0;
        each!(self, own => all += own.reactor.tasks.len());
        all
    }

    /// The number of values left.
    #[cfg(test)]
    pub(crate) fn values(&mut self) -> usize {
        let mut all = 0;
        each!(self, own => all += own.reactor.values.len());
        all
    }
}
