//! Schedules that are kept, so that a program that runs again need not be lowered again.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tacit_ir::Program;
use tacit_lower::Options;

use super::choice::Way;
use super::{Compiled, CompiledError, Pins};
use crate::parties::PartyIndex;

/// How many schedules are kept: the ones that were requested last.
const KEPT: usize = 16;

/// A program with the roles of its first run; empty until the first task that needs it has lowered it. Others wait for that.
type Slot = Arc<Mutex<Option<Compiled>>>;

/// The program and options of a schedule.
type Source = ([u8; 32], Options, Pins);

/// A program, the usual options, and the party of each role.
type Chosen = ([u8; 32], Options, Vec<PartyIndex>);

/// Schedules of the programs that ran last, and the ways that were chosen for them.
#[derive(Debug, Default)]
pub struct Schedules {
    kept: Mutex<VecDeque<(Source, Slot)>>,
    chosen: Mutex<VecDeque<(Chosen, Way)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Schedules {
    /// As [`Compiled::lowered`], but lowers a program only once while it and its options are among the last requested; `pins` says which
    /// pins count.
    ///
    /// Errors: as [`Compiled::lowered`].
    pub fn lowered(
        &self,
        program: &Program,
        (options, pins): (&Options, Pins),
        roles: &[PartyIndex],
    ) -> Result<Compiled, CompiledError> {
        let slot = self.slot((program.hash(), *options, pins));
        let mut known = lock(&slot);
        if let Some(compiled) = &*known {
            return compiled.with_roles(program, roles);
        }
        let schedule = super::schedule_of(program, options, pins)?;
        Ok(known.insert(Compiled::of(program, schedule, (options, pins), roles)?).clone())
    }

    /// The way that was chosen before, if it was among the last, or now.
    pub(super) fn chosen(
        &self,
        asked: Chosen,
        choose: impl FnOnce() -> Result<Way, CompiledError>,
    ) -> Result<Way, CompiledError> {
        let known = |(other, way): &(Chosen, Way)| (*other == asked).then_some(*way);
        if let Some(way) = lock(&self.chosen).iter().find_map(known) {
            return Ok(way);
        }
        let way = choose()?;
        let mut chosen = lock(&self.chosen);
        if chosen.len() == KEPT {
            chosen.pop_front();
        }
        chosen.push_back((asked, way));
        Ok(way)
    }

    /// The place of a schedule, as the newest.
    fn slot(&self, source: Source) -> Slot {
        let mut kept = lock(&self.kept);
        let found = kept.iter().position(|(other, _)| *other == source);
        // A schedule that is not kept gets a slot of its own.
        let slot = found.and_then(|place| kept.remove(place)).map(|(_, slot)| slot).unwrap_or_default();
        if kept.len() == KEPT {
            kept.pop_front();
        }
        kept.push_back((source, slot.clone()));
        slot
    }
}

#[cfg(test)]
mod tests {
    use tacit_arbitrary as arbitrary;

    use super::*;

    #[test]
    fn a_program_is_lowered_once_as_long_as_it_is_among_the_last() {
        let (schedules, options) = (Schedules::default(), Options { effort: 0, ..Compiled::bit_options() });
        let schedule = |seed: u64| {
            let program = arbitrary::program(seed, &arbitrary::Size::default());
            let roles = vec![0; program.roles.len()];
            schedules.lowered(&program, (&options, Pins::Kept), &roles).expect("lowers").schedule
        };
        let first = schedule(1);
        assert!(Arc::ptr_eq(&first, &schedule(1)));
        (2..=KEPT as u64).for_each(|seed| drop(schedule(seed)));
        assert!(Arc::ptr_eq(&first, &schedule(1)), "among the last");
        (2..=1 + KEPT as u64).for_each(|seed| drop(schedule(seed)));
        assert!(!Arc::ptr_eq(&first, &schedule(1)), "forgotten");
        assert_eq!(lock(&schedules.kept).len(), KEPT);
    }

    #[test]
    fn the_parties_of_roles_are_those_of_each_request() {
        let (schedules, options) = (Schedules::default(), Options { effort: 0, ..Compiled::bit_options() });
        let program = arbitrary::program(1, &arbitrary::Size::default());
        let places = |compiled: Compiled| {
            let Compiled { roles, inputs, outputs, program, circuits, tag, lowering, .. } = compiled;
            format!("{:?}", (roles, inputs, outputs, program, circuits, tag, lowering))
        };
        for shift in [0, 1, 2, 1] {
            let parties: Vec<_> = (0..program.roles.len()).map(|role| (role + shift) % 3).collect();
            let known = schedules.lowered(&program, (&options, Pins::Kept), &parties).expect("lowers");
            let schedule = known.schedule.clone();
            let anew = Compiled::of(&program, schedule, (&options, Pins::Kept), &parties).expect("fits");
            assert_eq!(places(known), places(anew), "shifted by {shift}");
        }
        let nobody = schedules.lowered(&program, (&options, Pins::Kept), &[]).err();
        assert!(matches!(nobody, Some(CompiledError::Role { .. })));
    }
}
