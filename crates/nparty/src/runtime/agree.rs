//! Agreement on public fields before a task continues: each party sends them to all others, and all must be
//! equal.

use tacit_math::field::Field;
use tacit_net::session::compare_encoded;

use super::agreements::{Asked, EARLY_BYTES, Key};
use super::operation::TaskOperation;
use super::pending_exchange::Waiting;
use super::reactor::Reactor;
use super::value::ValueElements;
use super::wire::{MessageKind, RangeHead};
use crate::error::{MessageError, RunError};
use crate::parties::{Parties, PartyIndex};

impl<F: Field> Reactor<F> {
    /// Sends the fields to all others, and compares them with those that have arrived.
    pub(super) fn agree(
        &mut self,
        operation: &TaskOperation<F>,
        (number, ours): (u64, Vec<u8>),
    ) -> Result<(), RunError> {
        let TaskOperation { out, task, call_site, .. } = *operation;
        let id = self.tasks.get(task).id;
        let others: Parties = (0..self.names.len()).filter(|peer| *peer != self.me).collect();
        let range = RangeHead::of_bytes(MessageKind::Agree, id, 0, number, ours.len());
        others.iter().for_each(|peer| self.outbox[peer].bytes(range).copy_from_slice(&ours));
        self.agreements.asked.insert((id, number), Asked { out, task, call_site, ours, missing: others });
        for (peer, theirs) in self.agreements.early.remove(&(id, number)).unwrap_or_default() {
            self.agreements.waiting[peer] -= EARLY_BYTES + theirs.len();
            self.compare_agreement(peer, (id, number), &theirs)?;
        }
        Ok(())
    }

    /// Handles a peer's fields.
    pub(super) fn hear_agreement(
        &mut self,
        peer: PartyIndex,
        range: &RangeHead,
        theirs: &[u8],
    ) -> Result<(), RunError> {
        let key = (range.task, range.first);
        if self.agreements.asked.contains_key(&key) {
            return self.compare_agreement(peer, key, theirs);
        }
        let early = self.agreements.early.entry(key).or_default();
        if early.iter().any(|(other, _)| *other == peer) {
            return Err(self.wrong(peer, MessageError::RepeatedAgreement { number: range.first }));
        }
        early.push((peer, theirs.to_vec()));
        self.agreements.waiting[peer] += EARLY_BYTES + theirs.len();
        Ok(())
    }

    fn compare_agreement(&mut self, peer: PartyIndex, key: Key, theirs: &[u8]) -> Result<(), RunError> {
        let Some(asked) = self.agreements.asked.get_mut(&key) else { return Ok(()) };
        if !asked.missing.contains(peer) {
            return Err(self.wrong(peer, MessageError::RepeatedAgreement { number: key.1 }));
        }
        compare_encoded(&asked.ours, theirs, &self.names[peer])?;
        asked.missing = asked.missing.iter().filter(|other| *other != peer).collect();
        if asked.missing.least().is_none() {
            let (out, task) = (asked.out, asked.task);
            self.agreements.asked.remove(&key);
            self.arrivals += 1;
            self.complete(out, ValueElements::One(F::Element::default()));
            self.done(task, 1);
        }
        Ok(())
    }

    /// The peers that agreements still wait for.
    pub(super) fn untold(&self) -> impl Iterator<Item = Waiting> {
        self.agreements.asked.values().flat_map(|asked| {
            let waiting = |peer| Waiting { peer, task: asked.task, call_site: asked.call_site };
            asked.missing.iter().map(waiting)
        })
    }
}

#[cfg(test)]
mod tests {
    use tacit_math::field::Mersenne61;
    use tacit_net::NetError;
    use tacit_net::session::Field as Fact;

    use super::*;
    use crate::program::Task;
    use crate::runtime::TaskId;
    use crate::runtime::simulation::{Simulation, read, taken};
    use crate::runtime::wire::OutgoingMessages;

    fn facts(effort: u64) -> Vec<Fact> {
        vec![Fact::text("program", "sum"), Fact::text("effort", effort.to_string())]
    }

    #[test]
    fn all_go_on_when_all_have_told_the_same_as_often_as_they_ask() {
        for (parties, threshold) in [(3, 1), (5, 2)] {
            for seed in 0..10 {
                let (mut simulation, tasks) = Simulation::new(&Mersenne61, parties, threshold, seed);
                let twice = |task: &Task<Mersenne61>| {
                    [1, 2].map(|effort| read(task, &task.agree(facts(effort)).expect("alive")))
                };
                let told: Vec<_> = tasks.iter().map(twice).collect();
                simulation.run();
                assert!(simulation.error.is_none(), "{:?}", simulation.error);
                assert!(told.iter().flatten().all(|told| taken(told) == Some(vec![0])));
            }
        }
    }

    #[test]
    fn whoever_tells_something_else_is_named_with_it() {
        let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, 5);
        for task in &tasks {
            task.agree(facts(if task.me() == 2 { 8 } else { 7 })).expect("alive");
        }
        simulation.run();
        let Some(RunError::Net(NetError::Mismatch { field, ours, theirs, .. })) = simulation.error else {
            panic!("they differ")
        };
        assert_eq!(field, "effort");
        assert!([("7", "8"), ("8", "7")].contains(&(&ours[..], &theirs[..])), "{ours} {theirs}");
    }

    #[test]
    fn what_is_told_twice_or_is_no_fields_is_refused() {
        for (fields, copies, asks) in [(true, 2, false), (true, 2, true), (false, 1, true), (false, 1, false)]
        {
            let (mut simulation, tasks) = Simulation::new(&Mersenne61, 3, 1, 5);
            if asks {
                tasks[0].agree(facts(1)).expect("alive");
            }
            let bytes = tacit_net::session::encode_fields(facts(1)).expect("short");
            let bytes = if fields { bytes } else { vec![0xff; 40] };
            for _ in 0..copies {
                let mut outgoing = OutgoingMessages::default();
                let range = RangeHead::of_bytes(MessageKind::Agree, TaskId(0), 0, 0, bytes.len());
                outgoing.bytes(range).copy_from_slice(&bytes);
                simulation.plant(0, 1, outgoing.take());
            }
            simulation.run();
            if !asks && !fields {
                tasks[0].agree(facts(1)).expect("alive");
                simulation.run();
            }
            let error = simulation.error.expect("refused").to_string();
            let expected = if fields { "repeats its value for agreement 0" } else { "p2" };
            assert!(error.contains(expected), "{error}");
        }
    }
}
