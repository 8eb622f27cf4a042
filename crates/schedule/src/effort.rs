//! What both parties take besides bytes and rounds.

use crate::{Computing, Tally, Unit};

/// What both parties compute, and what they wait for, known from sizes alone. Counts stay at the largest number rather than wrap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// What is computed while nothing travels that is waited for; by both parties at the same time.
    pub computing: Computing,
    /// What the first and the second party compute while tables travel.
    pub streamed: [Computing; 2],
    /// Bytes of these tables.
    pub table_bytes: u64,
    /// Bytes that are waited for: of those that cross the larger ones.
    pub awaited_bytes: u64,
    /// Messages that follow one another.
    pub flights: u64,
}

impl Effort {
    /// Adds so many of a unit.
    pub fn compute(&mut self, unit: Unit, count: u64) {
        self.computing.add(&Computing::of(unit, count), 1);
    }

    /// Adds what is done by one stream after the other.
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

    /// Adds what came since `before`, so many times more.
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
