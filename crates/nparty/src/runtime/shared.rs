//! What a program and the reactor of its party share: what was written, and how the computation ended.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tacit_math::field::Field;

use super::TaskId;
use super::beside::{Beside, Wake};
use super::error::RunError;
use super::operation::{Command, Places};
use super::value::ValueId;
use crate::stored::Depot;
use crate::{PartyIndex, Scheme};

/// Commands after which the reactor is woken though nothing waits.
const CHUNK: usize = 512;

/// What a program has written since the last time.
pub(crate) struct Written<F: Field> {
    pub(crate) commands: Vec<Command<F>>,
    /// Values that the program can name no more; all that needs them was written before.
    pub(crate) released: Vec<ValueId>,
}

impl<F: Field> Default for Written<F> {
    fn default() -> Self {
        Written { commands: Vec::new(), released: Vec::new() }
    }
}

/// What the program and the reactor of a party share.
pub(crate) struct Shared<F: Field> {
    pub(crate) scheme: Scheme<F>,
    /// Statistical security.
    pub(crate) statistical_bits: usize,
    pub(crate) me: PartyIndex,
    pub(crate) names: Vec<String>,
    pub(crate) places: Arc<Places>,
    /// Which field of the computation this is; the main one is 0.
    pub(crate) field: usize,
    /// The others.
    pub(crate) beside: Option<Beside>,
    /// This party's store, if it has one; in the main field alone.
    pub(crate) depot: OnceLock<Depot>,
    written: Mutex<Written<F>>,
    pub(super) values: AtomicU64,
    /// All tasks that there ever were: 8 bytes each.
    pub(super) named: Mutex<HashSet<TaskId>>,
    ended: AtomicBool,
    failure: Mutex<Option<RunError>>,
    wake: Wake,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<F: Field> Shared<F> {
    pub(crate) fn new(
        (scheme, statistical_bits): (Scheme<F>, usize),
        me: PartyIndex,
        names: Vec<String>,
        wake: Wake,
    ) -> Self {
        let secured = (scheme, statistical_bits);
        let mut shared = Shared::of_field((secured, 0), me, (names, Arc::default()), wake.clone());
        shared.beside = Some(Beside::new(&shared, &wake));
        shared
    }

    /// What is shared in the field with this number.
    pub(super) fn of_field(
        ((scheme, statistical_bits), field): ((Scheme<F>, usize), usize),
        me: PartyIndex,
        (names, places): (Vec<String>, Arc<Places>),
        wake: Wake,
    ) -> Self {
        Shared {
            scheme,
            statistical_bits,
            me,
            names,
            places,
            field,
            beside: None,
            depot: OnceLock::new(),
            written: Mutex::default(),
            values: AtomicU64::new(0),
            named: Mutex::default(),
            ended: AtomicBool::new(false),
            failure: Mutex::default(),
            wake,
        }
    }

    /// What was written since the last time, in the room that is given for what comes next.
    pub(crate) fn take(&self, room: &mut Written<F>) {
        std::mem::swap(&mut *lock(&self.written), room);
    }

    pub(super) fn push(&self, command: Command<F>) {
        let mut written = lock(&self.written);
        if self.ended.load(Ordering::Relaxed) {
            drop(written);
            if let Command::Read(_, reply) = command {
                reply.tell(Err(self.failure().unwrap_or(RunError::Over)));
            }
            return;
        }
        written.commands.push(command);
        let full = written.commands.len() == CHUNK;
        drop(written);
        if full {
            (self.wake)();
        }
    }

    pub(super) fn release(&self, value: ValueId) {
        let mut written = lock(&self.written);
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        written.released.push(value);
        let full = written.released.len() == CHUNK;
        drop(written);
        if full {
            (self.wake)();
        }
    }

    /// Ends the computation: nothing is accepted any more. What was written before is still there to be taken.
    pub(crate) fn end(&self, error: RunError) {
        if let Some(beside) = &self.beside {
            beside.end(&error);
        }
        lock(&self.failure).get_or_insert(error);
        let written = lock(&self.written);
        self.ended.store(true, Ordering::Release);
        drop(written);
    }

    /// Why the computation has ended, if it has.
    pub(crate) fn failure(&self) -> Option<RunError> {
        lock(&self.failure).clone()
    }

    /// Has what was written run.
    pub(super) fn wake(&self) {
        (self.wake)();
    }

    pub(super) fn alive(&self) -> Result<(), RunError> {
        match self.ended.load(Ordering::Acquire) {
            false => Ok(()),
            true => Err(self.failure().unwrap_or(RunError::Over)),
        }
    }
}
