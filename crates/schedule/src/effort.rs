//! The work of both parties besides bytes and rounds.

use crate::{Computing, Tally, Unit};

/// The computing and waiting of both parties, which depends only on sizes. Counts saturate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Computing while no party waits for a message, done by both parties at the same time.
    pub computing: Computing,
    /// The computing of the first and the second party while tables travel.
    pub streamed: [Computing; 2],
    /// Bytes of these tables.
    pub table_bytes: u64,
    /// Bytes that are waited for; of two simultaneous messages, the larger.
    pub awaited_bytes: u64,
    /// Messages that follow one another.
    pub flights: u64,
}

impl Effort {
    /// Adds `count` of a unit.
    pub fn compute(&mut self, unit: Unit, count: u64) {
        self.computing.add(&Computing::of(unit, count), 1);
    }

    /// Adds the work of another stream, done one after the other.
    pub fn add(&mut self, other: &Effort) {
        self.computing.add(&other.computing, 1);
        self.streamed.iter_mut().zip(&other.streamed).for_each(|(all, more)| all.add(more, 1));
        self.table_bytes.add(&other.table_bytes, 1);
        self.awaited_bytes.add(&other.awaited_bytes, 1);
        self.flights.add(&other.flights, 1);
    }

    /// Adds tables that travel while both parties compute this.
    pub fn stream(&mut self, bytes: u64, computing: &[Computing; 2]) {
        self.table_bytes.add(&bytes, 1);
        self.streamed.iter_mut().zip(computing).for_each(|(all, more)| all.add(more, 1));
    }

    /// Adds bytes that are waited for.
    pub fn wait_for(&mut self, bytes: u64) {
        self.awaited_bytes.add(&bytes, 1);
    }

    /// Adds the work since `before`, `times` times more.
    pub fn again(&mut self, before: &Effort, times: u64) {
        let more = self.computing.since(&before.computing);
        self.computing.add(&more, times);
        for (all, before) in self.streamed.iter_mut().zip(&before.streamed) {
            let more = all.since(before);
            all.add(&more, times);
        }
        for (all, before) in
            [(&mut self.table_bytes, before.table_bytes), (&mut self.awaited_bytes, before.awaited_bytes)]
        {
            let more = *all - before;
            all.add(&more, times);
        }
    }
}
