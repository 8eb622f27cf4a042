//! The messages that a verification sends and receives, one from each party to each other in every step.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;

use crate::parties::{Parties, PartyIndex};

/// Messages of a verification by step and sender.
pub(crate) type Heard = HashMap<(u64, PartyIndex), Vec<u8>>;

#[derive(Default)]
pub(crate) struct Mail {
    pub(crate) heard: Heard,
    /// Messages to send: the receiver, the step, and the message.
    pub(crate) sent: Vec<(PartyIndex, u64, Vec<u8>)>,
    /// The step and parties whose messages are waited for.
    awaited: Option<(u64, Parties)>,
}

impl Mail {
    /// The parties whose messages are still missing.
    pub(crate) fn missing(&self) -> impl Iterator<Item = PartyIndex> {
        let (step, from) = self.awaited.unwrap_or_default();
        from.iter().filter(move |peer| !self.heard.contains_key(&(step, *peer)))
    }

    /// Whether the protocol can continue.
    pub(crate) fn is_next_there(&self) -> bool {
        self.missing().next().is_none()
    }
}

/// The messages of a verification between its protocol and the party's reactor.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<Mutex<Mail>>);

impl Line {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Mail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn send(&self, to: PartyIndex, step: u64, bytes: Vec<u8>) {
        self.lock().sent.push((to, step, bytes));
    }

    /// The messages of some parties in a step, in the parties' order.
    pub(crate) async fn hear(&self, from: Parties, step: u64) -> Vec<(PartyIndex, Vec<u8>)> {
        std::future::poll_fn(|_| {
            let mut mail = self.lock();
            mail.awaited = Some((step, from));
            if !mail.is_next_there() {
                return Poll::Pending;
            }
            let heard = from.iter().filter_map(|peer| Some((peer, mail.heard.remove(&(step, peer))?)));
            Poll::Ready(heard.collect())
        })
        .await
    }
}
