//! Wakes every task that waits for one direction of a connection.

use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};

/// The tasks that wait for one direction.
///
/// A socket remembers only the task that asked last, but any of several channels' tasks may be the one to move bytes. The socket
/// therefore always gets this set as its waker; whoever is woken first does the work for all.
#[derive(Default)]
pub(super) struct Wakers(Mutex<Vec<Waker>>);

impl Wakers {
    /// Adds a task, before it asks the socket.
    pub(super) fn add(&self, waker: &Waker) {
        let mut wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !wakers.iter().any(|known| known.will_wake(waker)) {
            wakers.push(waker.clone());
        }
    }

    /// Takes a task out that waits no longer, and wakes the others so that they ask the socket themselves.
    pub(super) fn leave(&self, waker: &Waker) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|known| !known.will_wake(waker));
        self.wake_all();
    }

    /// Wakes every task but one, because bytes were moved for them.
    pub(super) fn wake_others(&self, waker: &Waker) {
        while let Some(other) = self.pop_other(waker) {
            other.wake();
        }
    }

    fn pop_other(&self, waker: &Waker) -> Option<Waker> {
        let mut wakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let index = wakers.iter().position(|other| !other.will_wake(waker))?;
        Some(wakers.swap_remove(index))
    }

    /// Wakes every task in the set and empties it. Outside the lock, because a waker may call back.
    pub(super) fn wake_all(&self) {
        while let Some(waker) = self.pop() {
            waker.wake();
        }
    }

    fn pop(&self) -> Option<Waker> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_all();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_all();
    }
}
