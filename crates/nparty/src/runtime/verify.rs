//! How a reactor handles verifications: see [`verification`](super::verification).

use std::task::{Context, Poll, Waker};

use tacit_crypto::Prg;
use tacit_math::field::Field;

use super::identity::{CallSite, TaskId};
use super::operation::TaskOperation;
use super::pending_exchange::Waiting;
use super::reactor::{LONG, Reactor};
use super::value::ValueId;
use super::verification::check::{Check, FIRST_STEP, Failure, Means};
use super::verification::cut::{Cut, Place, What};
use super::verification::line::Line;
use super::verification::records::{Factors, Incoming, Record};
use super::verification::verifier::{
    COST, CUT, FIRST_PARTY, MESSAGE_BYTES, MOST_STEPS, Ongoing, Verifier, WISH,
};
use super::wire::{MessageKind, RangeHead};
use crate::error::{MessageError, RunError, VerificationError};
use crate::parties::PartyIndex;

impl<F: Field> Reactor<F> {
    /// Notes that products of a task will arrive, with their factors.
    pub(super) fn begin_products(&mut self, operation: &TaskOperation<F>, factors: Factors<F>) {
        self.begin_record(operation, What::Products, Incoming::Products(factors));
    }

    /// The same for an input, which may have to consist of bits.
    pub(super) fn begin_input(&mut self, operation: &TaskOperation<F>, bits: bool) {
        let incoming = if bits { Incoming::Bits } else { Incoming::Elements };
        self.begin_record(operation, What::Inputs, incoming);
    }

    fn begin_record(&mut self, operation: &TaskOperation<F>, what: What, incoming: Incoming<F>) {
        let TaskOperation { out, length, task, position, .. } = *operation;
        let place = Place { what, task: self.tasks.get(task).id, first: position };
        if let Some(verifier) = &mut self.verifier {
            verifier.records.begin(out, place, length, incoming);
            self.values.keep(out);
        }
    }

    /// Notes that this many more elements of a value are known, if it has to be verified.
    pub(super) fn keep_unverified(&mut self, value: ValueId, count: usize) {
        if let Some(verifier) = &mut self.verifier
            && verifier.records.came(value, count)
        {
            verifier.records.complete(value, self.values.shared(value));
            self.values.read(value);
        }
    }

    /// Handles a peer's message about a verification.
    pub(super) fn hear_verification(
        &mut self,
        peer: PartyIndex,
        range: &RangeHead,
        bytes: &[u8],
    ) -> Result<(), RunError> {
        let (number, step) = (range.chain, range.first);
        let Some(verifier) = &mut self.verifier else {
            return Err(self.wrong(peer, MessageError::NotVerified));
        };
        let expected = verifier.passed..=verifier.passed + 1;
        if !expected.contains(&number) || step >= MOST_STEPS {
            return Err(self.wrong(peer, MessageError::Verification { number, step }));
        }
        let current = verifier.ongoing.as_ref().filter(|_| number == verifier.passed);
        let before = match current {
            Some(ongoing) => ongoing.line.lock().heard.insert((step, peer), bytes.to_vec()),
            None => {
                verifier.waiting[peer] += MESSAGE_BYTES + bytes.len();
                verifier.early.entry(number).or_default().insert((step, peer), bytes.to_vec())
            }
        };
        match before {
            Some(_) => Err(self.wrong(peer, MessageError::Verification { number, step })),
            None => Ok(()),
        }
    }

    fn send_verification(&mut self, to: PartyIndex, step: u64, bytes: &[u8]) {
        let number = self.verifier.as_ref().map_or(0, |verifier| verifier.passed);
        let range = RangeHead::of_bytes(MessageKind::Verify, TaskId(0), number, step, bytes.len());
        self.outbox[to].bytes(range).copy_from_slice(bytes);
    }

    /// Advances verifications, within about the time of `most` elements. Returns the openings that need not wait any longer, and whether no step is left
    /// that takes longer.
    ///
    /// Errors: something that a party has sent is wrong.
    pub(super) fn verify(&mut self, most: usize) -> Result<(Vec<TaskOperation<F>>, bool), RunError> {
        loop {
            if let Some(ongoing) = self.verifier.as_ref().and_then(|verifier| verifier.ongoing.as_ref()) {
                if ongoing.cost > most && most < LONG && ongoing.line.lock().is_next_there() {
                    return Ok((Vec::new(), false));
                }
                if !self.poll()? {
                    return Ok((Vec::new(), true));
                }
                let released = self.verifier.as_mut().map(Verifier::release).unwrap_or_default();
                if !released.is_empty() {
                    return Ok((released, true));
                }
            }
            let Some(cut) = self.next_cut()? else { return Ok((Vec::new(), true)) };
            self.begin_check(&cut);
        }
    }

    /// The cut to verify now, if it is decided and complete here. It remains the next one until its
    /// verification begins.
    fn next_cut(&mut self) -> Result<Option<Cut>, RunError> {
        let (me, Some(verifier)) = (self.me, &mut self.verifier) else { return Ok(None) };
        if verifier.cut.is_none() {
            let early = verifier.early.get(&verifier.passed);
            if me == FIRST_PARTY {
                let wished = early.is_some_and(|heard| heard.keys().any(|(step, _)| *step == WISH));
                if wished || verifier.wants() {
                    verifier.cut = verifier.records.cut();
                }
                if let Some(bytes) = verifier.cut.as_ref().map(Cut::encode) {
                    (0..self.names.len()).filter(|peer| *peer != me).for_each(|peer| {
                        self.send_verification(peer, CUT, &bytes);
                    });
                }
            } else if let Some(bytes) = early.and_then(|heard| heard.get(&(CUT, FIRST_PARTY))) {
                let cut = Cut::decode(bytes);
                let number = verifier.passed;
                let wrong = MessageError::Verification { number, step: CUT };
                verifier.cut = Some(cut.ok_or_else(|| RunError::Message {
                    peer: self.names[FIRST_PARTY].clone(),
                    number: self.received[FIRST_PARTY],
                    error: wrong,
                })?);
            } else if verifier.wants() && !verifier.wished {
                verifier.wished = true;
                self.send_verification(FIRST_PARTY, WISH, &[0]);
            }
        }
        let verifier = self.verifier.as_ref();
        Ok(verifier.and_then(|verifier| verifier.cut.clone().filter(|cut| verifier.records.has(cut))))
    }

    fn begin_check(&mut self, cut: &Cut) {
        let Some(verifier) = &mut self.verifier else { return };
        let number = verifier.passed;
        let line = Line::default();
        for ((step, peer), bytes) in verifier.early.remove(&number).unwrap_or_default() {
            verifier.waiting[peer] -= MESSAGE_BYTES + bytes.len();
            if step >= FIRST_STEP {
                line.lock().heard.insert((step, peer), bytes);
            }
        }
        let oldest = verifier.records.oldest().unwrap_or(0);
        let records = verifier.records.take(cut);
        let elements: usize = records.iter().map(Record::length).sum();
        let large = &verifier.large;
        let means = Means {
            field: self.field.clone(),
            products: large.products.clone(),
            opening: large.opening.clone(),
            keys: large.keys.derived(number),
            number,
            cut: *blake3::hash(&cut.encode()).as_bytes(),
        };
        let (check, mut prg) = (Check::new(means, line.clone()), Prg::new(self.prg.next_block()));
        let running = Box::pin(async move { check.run(records, &mut prg).await });
        (verifier.cut, verifier.wished) = (None, false);
        verifier.ongoing = Some(Ongoing { line, running, oldest, cost: COST * elements });
    }

    /// Advances the verification as far as messages have arrived; returns whether it has passed.
    fn poll(&mut self) -> Result<bool, RunError> {
        let Some(Verifier { ongoing: Some(ongoing), .. }) = &mut self.verifier else { return Ok(false) };
        let polled = ongoing.running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let sent = std::mem::take(&mut ongoing.line.lock().sent);
        for (to, step, bytes) in sent {
            self.arrivals += 1;
            self.send_verification(to, step, &bytes);
        }
        match polled {
            Poll::Pending => Ok(false),
            Poll::Ready(Ok(())) => {
                if let Some(verifier) = &mut self.verifier {
                    verifier.passed += 1;
                    verifier.ongoing = None;
                }
                Ok(true)
            }
            Poll::Ready(Err(Failure { error, peer })) => Err(self.departed(peer, error)),
        }
    }

    /// The error for a party that has departed from the protocol, if the party is known.
    pub(super) fn departed(&self, peer: Option<PartyIndex>, error: VerificationError) -> RunError {
        RunError::Verification { peer: peer.map(|peer| self.names[peer].clone()), error }
    }

    /// The peers that a verification waits for.
    pub(super) fn unverified(&self) -> Vec<Waiting> {
        let Some(verifier) = &self.verifier else { return Vec::new() };
        let (task, call_site) = match verifier.held.first() {
            Some((_, operation)) => (operation.task, operation.call_site),
            None => match self.tasks.iter().next() {
                Some((task, _)) => (task, CallSite::default()),
                None => return Vec::new(),
            },
        };
        let waiting = |peer| Waiting { peer, task, call_site };
        match &verifier.ongoing {
            Some(ongoing) => ongoing.line.lock().missing().map(waiting).collect(),
            None if self.me != FIRST_PARTY && !verifier.held.is_empty() => vec![waiting(FIRST_PARTY)],
            None => Vec::new(),
        }
    }
}
