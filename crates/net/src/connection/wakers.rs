//! Wakes all tasks that wait for bytes of a connection.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};

/// The tasks that wait for bytes of a connection, in either direction.
///
/// A socket remembers only the task that polled it last, but any of several channels may move the bytes. So
/// the socket always gets this set as its waker; whichever task is woken first does the work for all.
///
/// There is a place for each wait, not for each task: a task may wait in several places at the same time, and
/// one of these waits can end, or move bytes for another, after that other was polled.
#[derive(Default)]
pub(super) struct Wakers(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    places: Vec<(PlaceId, Waker)>,
    given: u64,
}

/// Identifies one wait on a connection.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct PlaceId(u64);

impl Wakers {
    /// A new identifier.
    pub(super) fn place(&self) -> PlaceId {
        let mut waiting = self.lock();
        waiting.given += 1;
        PlaceId(waiting.given)
    }

    /// Stores the waker of a place, before the socket is polled.
    pub(super) fn add(&self, place: PlaceId, waker: &Waker) {
        let mut waiting = self.lock();
        match waiting.places.iter_mut().find(|(known, _)| *known == place) {
            Some((_, known)) => known.clone_from(waker),
            None => waiting.places.push((place, waker.clone())),
        }
    }

    /// Frees the place of a finished wait, and wakes the others so that they poll the socket themselves.
    pub(super) fn leave(&self, place: PlaceId) {
        self.lock().places.retain(|(known, _)| *known != place);
        self.wake_all();
    }

    /// Wakes everyone but one, because bytes were moved for them.
    pub(super) fn wake_others(&self, place: PlaceId) {
        self.wake_while(|waiting| waiting.places.iter().position(|(known, _)| *known != place));
    }

    /// Wakes everyone in the set and empties it.
    pub(super) fn wake_all(&self) {
        self.wake_while(|waiting| waiting.places.len().checked_sub(1));
    }

    /// Takes out and wakes one after another. Outside the lock, because a waker may call back.
    fn wake_while(&self, next: impl Fn(&Waiting) -> Option<usize>) {
        let take = || {
            let mut waiting = self.lock();
            next(&waiting).map(|index| waiting.places.swap_remove(index).1)
        };
        while let Some(waker) = take() {
            waker.wake();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
