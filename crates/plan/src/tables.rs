use std::collections::HashMap;

use tacit_schedule::{Action, Layout, Schedule};

use crate::{Garbling, Prices};

/// Counts the bytes of tables, circuit by circuit, in the way a walk over the schedule runs them.
pub(crate) struct Tables<'a> {
    schedule: &'a Schedule,
    layout: &'a Layout,
    garbling: Garbling,
    prices: &'a dyn Prices,
    /// Bytes of a body for a number of copies. A map runs at most [`tacit_schedule::BodyLayout::chunk`]
    /// copies at a time, which bounds the number of entries.
    known: HashMap<(usize, u64), u64>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(
        schedule: &'a Schedule,
        layout: &'a Layout,
        garbling: Garbling,
        prices: &'a dyn Prices,
    ) -> Tables<'a> {
        Tables { schedule, layout, garbling, prices, known: HashMap::new() }
    }

    /// Bytes of the tables of a step, in a body of which `copies` run side by side. Saturates.
    pub(crate) fn step(&mut self, action: &Action, copies: u64) -> u64 {
        if let Some((circuit, lanes)) = action.circuit() {
            let circuit = &self.schedule.circuits[circuit];
            return self.prices.table_bytes(self.garbling, circuit, lanes.saturating_mul(copies));
        }
        match (action, action.applied()) {
            (Action::Map { .. }, Some(map)) => self.map(map.body, map.lanes.saturating_mul(copies)),
            (_, Some(applied)) => self.body(applied.body, copies).saturating_mul(applied.times),
            (_, None) => 0,
        }
    }

    /// A map runs in chunks of instances.
    fn map(&mut self, body: usize, total: u64) -> u64 {
        let chunk = self.layout.bodies[body].chunk.max(1);
        let (whole, rest) = (total / chunk, total % chunk);
        let whole = if whole > 0 { self.body(body, chunk).saturating_mul(whole) } else { 0 };
        let rest = if rest > 0 { self.body(body, rest) } else { 0 };
        whole.saturating_add(rest)
    }

    fn body(&mut self, body: usize, copies: u64) -> u64 {
        if let Some(&bytes) = self.known.get(&(body, copies)) {
            return bytes;
        }
        let schedule = self.schedule;
        let steps = &schedule.bodies[body].steps;
        let bytes = steps.iter().fold(0u64, |sum, step| sum.saturating_add(self.step(&step.action, copies)));
        self.known.insert((body, copies), bytes);
        bytes
    }
}
