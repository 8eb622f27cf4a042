//! Inputs of outside parties, at a computing party.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tacit_math::field::Field;
use tacit_net::session::Field as Fact;
use zeroize::Zeroizing;

use crate::error::{RunError, UsageError};
use crate::program::{Task, Value};
use crate::reception::message::{Description, FromComputing};
use crate::reception::{OutsideIndex, OutsideParties};

/// Bytes that a computing party sends to the others while it waits for an input: someone is missing, nobody is
/// missing, or time is up.
pub(crate) const WAITING: u8 = 1;
pub(crate) const COMPLETE: u8 = 2;
pub(crate) const LATE: u8 = 3;

/// The maximum wait for an input: ten years.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Bytes of the hash of a party's input.
pub(crate) const HASH_BYTES: usize = 32;

/// A request for an input of outside parties.
#[derive(Clone, Debug)]
pub struct Request {
    /// The input's description.
    pub what: Description,
    /// The parties, in an order that is the same at all computing parties.
    pub from: Vec<String>,
    /// Their time limit.
    pub within: Duration,
}

/// An input of outside parties that is being collected.
pub struct Collection<F: Field> {
    task: Task<F>,
    outside: Arc<OutsideParties>,
    what: Description,
    from: Vec<OutsideIndex>,
    masks: Vec<Value<F>>,
    until: Instant,
}

impl<F: Field> Task<F> {
    /// Asks outside parties for an input. Their time starts now.
    ///
    /// Security: see the [module](crate::outside).
    ///
    /// Errors: there is no such party, or it is asked twice; the computation has ended.
    pub fn collect(&self, request: &Request) -> Result<Collection<F>, RunError> {
        let until = Instant::now() + request.within.min(LONGEST);
        let (outside, from) = self.outside_parties(&request.from)?;
        let task = self.fork()?;
        task.agree(facts("input", &request.what, &request.from))?;
        let masks: Result<Vec<_>, _> = from.iter().map(|_| task.random(request.what.length)).collect();
        Ok(Collection { task, outside, what: request.what.clone(), from, masks: masks?, until })
    }

    /// The outside parties with these names.
    pub(super) fn outside_parties(
        &self,
        names: &[String],
    ) -> Result<(Arc<OutsideParties>, Vec<OutsideIndex>), RunError> {
        let outside = self.outside();
        let known = || outside.map_or(Vec::new(), |outside| outside.names.clone());
        let mut from = Vec::new();
        for name in names {
            let index = outside.and_then(|outside| outside.names.iter().position(|known| known == name));
            let index =
                index.ok_or_else(|| UsageError::NotOutside { party: name.clone(), outside: known() })?;
            if from.contains(&index) {
                return Err(UsageError::OutsideTwice { party: name.clone() }.into());
            }
            from.push(index);
        }
        let nobody = || UsageError::NotOutside { party: "nobody".to_owned(), outside: known() };
        Ok((outside.filter(|_| !from.is_empty()).ok_or_else(nobody)?.clone(), from))
    }

    /// Exchanges bytes: returns what every computing party sent to all, by party, as many bytes as this one
    /// sends. Blocks.
    ///
    /// Security: nobody learns the others' bytes before all have sent theirs. Where parties may depart from the protocol, it is only certain
    /// that each has sent everyone the same once the task has synchronised.
    pub(super) fn told_by_all(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, RunError> {
        let bytes = self.bytes()?;
        let given = |party| (party == self.me()).then(|| own.to_vec());
        let shared = (0..self.names().len()).map(|party| bytes.input(party, own.len(), given(party)));
        let opened: Result<Vec<_>, _> = shared.map(|shared| bytes.open(&shared?)).collect();
        opened?.iter().map(|value| bytes.wait(value)).collect()
    }
}

/// Waits until all have given their inputs, or time is up at one of the computing parties; in step with them, so that none is
/// late for the others.
pub(super) fn wait_in_step<F: Field>(
    task: &Task<F>,
    outside: &OutsideParties,
    (number, until): (u64, Instant),
) -> Result<(), RunError> {
    loop {
        let own = match outside.wait(number, until.min(Instant::now() + outside.tick)) {
            true => COMPLETE,
            false if Instant::now() >= until => LATE,
            false => WAITING,
        };
        let told = task.told_by_all(&[own])?;
        if told.iter().all(|told| told[..] == [COMPLETE]) || told.iter().any(|told| told[..] == [LATE]) {
            return Ok(());
        }
    }
}

/// The facts that must be the same at all computing parties.
pub(super) fn facts(direction: &str, what: &Description, parties: &[String]) -> Vec<Fact> {
    let Description { name, kind, shape, length } = what;
    let parties = parties.join(", ");
    vec![
        Fact::text(
            format!("{direction} of outside parties"),
            format!("{name}: {kind} of shape {shape:?}, {length} elements"),
        ),
        Fact::new("outside parties", *blake3::hash(parties.as_bytes()).as_bytes(), parties),
    ]
}

/// Encodes elements as bytes.
pub(super) fn encoded<F: Field>(field: &F, elements: &[F::Element]) -> Zeroizing<Vec<u8>> {
    let mut bytes = Zeroizing::new(vec![0; elements.len() * field.bytes()]);
    for (element, bytes) in elements.iter().zip(bytes.chunks_exact_mut(field.bytes())) {
        field.encode(*element, bytes);
    }
    bytes
}

/// Decodes elements; `None` if some bytes do not encode one.
pub(super) fn decoded<F: Field>(field: &F, bytes: &[u8]) -> Option<Vec<F::Element>> {
    bytes.chunks(field.bytes()).map(|bytes| field.decode(bytes)).collect()
}

impl<F: Field> Collection<F> {
    /// Waits until all have given their inputs, or time is up at one of the computing parties. Returns the values of those who have sent the
    /// same to all of these, by their place in the request. Blocks; call it on a thread of its own.
    ///
    /// Errors: the computation has ended.
    pub fn finish(self) -> Result<Vec<(usize, Value<F>)>, RunError> {
        self.ask()?;
        wait_in_step(&self.task, &self.outside, (self.number(), self.until))?;
        let mut given = self.outside.close(self.number());
        let present = self.present(&given)?;
        let mut values = Vec::new();
        for (place, party) in self.from.iter().enumerate() {
            let taken = present[place];
            self.outside.send(*party, &FromComputing::Taken { number: self.number(), taken })?;
            if taken {
                let masked = given.remove(party).and_then(|bytes| decoded(self.task.field(), &bytes));
                // All parties have the same bytes, and have decoded them.
                let masked = self.task.constant(masked.ok_or(RunError::Over)?)?;
                values.push((place, self.task.add(&masked, &self.masks[place])?));
            }
        }
        Ok(values)
    }

    /// Identifies this input, at all parties.
    fn number(&self) -> u64 {
        self.task.id()
    }

    /// Sends each party this one's shares of its mask.
    fn ask(&self) -> Result<(), RunError> {
        let field = self.task.field();
        for (party, mask) in self.from.iter().zip(&self.masks) {
            let shares = encoded(field, &self.task.own_shares(mask)?);
            self.outside.expect(self.number(), *party, shares.len());
            let (number, what) = (self.number(), self.what.clone());
            self.outside.send(*party, &FromComputing::Asked { number, what, shares })?;
        }
        Ok(())
    }

    /// The parties that have sent the same to all computing parties.
    fn present(&self, given: &HashMap<OutsideIndex, Zeroizing<Vec<u8>>>) -> Result<Vec<bool>, RunError> {
        let hash = |party: &OutsideIndex| match given.get(party) {
            Some(bytes) if decoded(self.task.field(), bytes).is_some() => *blake3::hash(bytes).as_bytes(),
            _ => [0; HASH_BYTES],
        };
        let own: Vec<u8> = self.from.iter().flat_map(hash).collect();
        let told = self.task.told_by_all(&own)?;
        let synchronised = self.task.synchronise()?;
        self.task.wait(&synchronised)?;
        let same = |place: usize| {
            let range = place * HASH_BYTES..(place + 1) * HASH_BYTES;
            let own = &own[range.clone()];
            own != [0; HASH_BYTES] && told.iter().all(|told| told[range.clone()] == *own)
        };
        Ok((0..self.from.len()).map(same).collect())
    }
}
