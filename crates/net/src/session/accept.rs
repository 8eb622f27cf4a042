//! Listens for peers on a port that anyone can reach.
//!
//! Anyone may connect and try to prove who they are. There is room for a limited number of unproven
//! connections; when it is full, the oldest connection of the host with the most of them is ended. So a flood
//! costs a peer at most another attempt, and strangers at one host do not displace a peer at another.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::{Instant, sleep_until};

use super::config::Party;
use super::handshake::{Arrival, Failed, Link, Meeting, Parting, Proven, Side};
use super::refused::{Cause, Refusal, Refusals};
use crate::NetError;
use crate::socket::{ByteStream, Listener};

/// The most simultaneous connections whose other end has not proved who it is, beside one for each party of the
/// session, and the number that remains when the system runs out of files. All parties may arrive at once from
/// one host: if they had to make room for each other, those that are nearly done would go, and come again.
const MAX_UNPROVEN: usize = 256;
const MIN_UNPROVEN: usize = 8;

/// The most simultaneous connections that are kept until the other end has read that it was turned away.
const MAX_PARTINGS: usize = 64;

/// Pause after the operating system could not hand over a connection for lack of a resource.
const ACCEPT_PAUSE: Duration = Duration::from_millis(5);

/// A connection whose other end has not proved who it is.
struct Unproven {
    handshake: AbortHandle,
    from: String,
}

impl Unproven {
    /// The host at the other end.
    fn host(&self) -> &str {
        self.from.rsplit_once(':').map_or(&self.from, |(host, _)| host)
    }
}

/// The origin of a connection, and the result of its handshake.
type Shaken = (String, Result<Arrival, Failed>);

/// All connections that are not linked yet.
pub(super) struct Acceptor {
    meeting: Arc<Meeting>,
    /// The deadline for all links; none if each connection has its own time limit.
    deadline: Option<Instant>,
    /// Oldest first.
    unproven: VecDeque<Unproven>,
    /// The limit on their number.
    room: usize,
    handshakes: JoinSet<Shaken>,
    /// The latest connection of each peer that has proved who it is but has not greeted yet.
    greeting: HashMap<String, AbortHandle>,
    greetings: JoinSet<Result<Link, NetError>>,
    /// Connections that were turned away and may still read why.
    partings: JoinSet<()>,
    refused: Refusals,
    /// When to accept connections again.
    resume: Instant,
}

/// Accepts connections until all of `expected` are linked. Strangers are turned away and remembered for the
/// error; misbehaviour of a peer that has proved who it is ends the wait.
pub(super) async fn await_all(
    meeting: &Arc<Meeting>,
    (listener, own): (&Listener, &Party),
    expected: &[Party],
    deadline: Instant,
    links: &mut Vec<Link>,
) -> Result<(), NetError> {
    let mut acceptor = Acceptor::new(meeting.clone(), Some(deadline));
    while let Some(missing) = expected.iter().find(|peer| links.iter().all(|link| link.name != peer.name)) {
        tokio::select! {
            biased;
            () = sleep_until(deadline) => return Err(acceptor.late(&missing.name, own)),
            arrived = acceptor.next(listener) => acceptor.take(arrived?, links),
        }
    }
    Ok(())
}

async fn accept(listener: &Listener, resume: Instant) -> io::Result<(Box<dyn ByteStream>, String)> {
    if Instant::now() < resume {
        sleep_until(resume).await;
    }
    listener.accept().await
}

/// Whether an error of accepting concerns only the one connection, and says nothing about the next.
fn is_passing(error: &io::Error) -> bool {
    use io::ErrorKind::*;
    let passing = [
        ConnectionAborted,
        ConnectionReset,
        ConnectionRefused,
        NotConnected,
        TimedOut,
        Interrupted,
        InvalidInput,
        HostUnreachable,
        NetworkUnreachable,
        NetworkDown,
    ];
    passing.contains(&error.kind())
}

/// The index of the one to end: the first of the host with the most connections.
fn first_to_go<'h>(hosts: impl Iterator<Item = &'h str> + Clone) -> Option<usize> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    hosts.clone().for_each(|host| *counts.entry(host).or_default() += 1);
    let most = counts.values().copied().max()?;
    hosts.into_iter().position(|host| counts[host] == most)
}

impl Acceptor {
    pub(super) fn new(meeting: Arc<Meeting>, deadline: Option<Instant>) -> Acceptor {
        let room = MAX_UNPROVEN + meeting.config.parties.len();
        Acceptor {
            meeting,
            deadline,
            unproven: VecDeque::new(),
            room,
            handshakes: JoinSet::new(),
            greeting: HashMap::new(),
            greetings: JoinSet::new(),
            partings: JoinSet::new(),
            refused: Refusals::default(),
            resume: Instant::now(),
        }
    }

    /// The next link. The future may be dropped and called again: nothing is lost.
    ///
    /// Errors: misbehaviour of a peer that had proved who it is.
    pub(super) async fn next(&mut self, listener: &Listener) -> Result<Link, NetError> {
        loop {
            // This order prevents starvation: each connection ends a handshake at most once.
            let linked = tokio::select! {
                biased;
                // Without a result, a newer connection of the same peer has replaced this one.
                Some(greeted) = self.greetings.join_next() => {
                    greeted.map_or(Ok(None), |greeted| self.greeted(greeted))?
                }
                Some(shaken) = self.handshakes.join_next_with_id() => self.shaken(shaken)?,
                accepted = accept(listener, self.resume) => {
                    self.admit(accepted);
                    None
                }
            };
            if let Some(link) = linked {
                return Ok(link);
            }
        }
    }

    /// The deadline by which a current connection must be a link.
    fn limit(&self) -> Instant {
        self.deadline.unwrap_or_else(|| Instant::now() + self.meeting.config.timeout)
    }

    /// Starts the handshake of a new connection.
    fn admit(&mut self, accepted: io::Result<(Box<dyn ByteStream>, String)>) {
        let (stream, from) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if !is_passing(&error) {
                    // Whatever resource is lacking, half of the connections that use it are ended, and the
                    // limit stays lower.
                    self.room = (self.unproven.len() / 2).max(MIN_UNPROVEN);
                    self.make_room();
                    self.resume = Instant::now() + ACCEPT_PAUSE;
                }
                return self.refused.add(Refusal::new(Cause::NotAccepted, error.to_string()), "this port");
            }
        };
        self.make_room();
        let (meeting, deadline, address) = (self.meeting.clone(), self.limit(), from.clone());
        let handshake = self.handshakes.spawn(async move {
            let arrival = meeting.arrive(stream, Side::Listened { from: &address }, deadline).await;
            (address, arrival)
        });
        self.unproven.push_back(Unproven { handshake, from });
    }

    /// Makes room for one more connection.
    fn make_room(&mut self) {
        while self.unproven.len() >= self.room {
            self.evict();
        }
    }

    /// Ends the oldest connection of the host with the most.
    fn evict(&mut self) {
        let first = first_to_go(self.unproven.iter().map(Unproven::host));
        if let Some(Unproven { handshake, from }) = first.and_then(|index| self.unproven.remove(index)) {
            handshake.abort();
            self.refused.add(Refusal::new(Cause::Evicted, ""), &from);
        }
    }

    /// Processes the end of a handshake.
    fn shaken(&mut self, ended: Result<(Id, Shaken), JoinError>) -> Result<Option<Link>, NetError> {
        let id = ended.as_ref().map_or_else(JoinError::id, |(id, _)| *id);
        self.unproven.retain(|unproven| unproven.handshake.id() != id);
        let Ok((_, (from, arrival))) = ended else { return Ok(None) };
        match arrival {
            Ok(Arrival::Proven(proven)) => self.welcome(proven),
            Ok(Arrival::Greeted(link)) => return Ok(Some(link)),
            Err(Failed::Stranger(refusal, parting)) => {
                self.refused.add(refusal, &from);
                parting.into_iter().for_each(|parting| self.part(parting));
            }
            Err(Failed::Peer(error)) => return Err(error),
        }
        Ok(None)
    }

    /// Greets a peer. Only its latest connection is kept in this state, since it may have given up on others.
    fn welcome(&mut self, proven: Proven) {
        let (meeting, deadline, name) = (self.meeting.clone(), self.limit(), proven.name.clone());
        let greeting = self.greetings.spawn(async move { meeting.welcome(proven, deadline).await });
        if let Some(older) = self.greeting.insert(name.clone(), greeting) {
            older.abort();
            self.refused.add(Refusal::new(Cause::Again, ""), &name);
        }
    }

    /// Processes the end of the greeting of a peer that has proved who it is.
    fn greeted(&mut self, greeted: Result<Link, NetError>) -> Result<Option<Link>, NetError> {
        match greeted {
            Ok(link) => Ok(Some(link)),
            // It may connect again.
            Err(NetError::Closed { peer } | NetError::Aborted { peer } | NetError::Io { peer, .. }) => {
                self.greeting.remove(&peer);
                self.refused.add(Refusal::new(Cause::Ended, ""), &peer);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Keeps a link unless its peer already has one.
    fn take(&mut self, link: Link, links: &mut Vec<Link>) {
        if links.iter().all(|known| known.name != link.name) {
            return links.push(link);
        }
        self.refused.add(Refusal::new(Cause::Again, ""), &link.name);
        self.part(Parting::Connection(link.connection));
    }

    /// Sends the refusal, unless too many refusals are in progress.
    fn part(&mut self, parting: Parting) {
        while self.partings.try_join_next().is_some() {}
        if self.partings.len() < MAX_PARTINGS {
            self.partings.spawn(parting.end());
        }
    }

    /// The error at the deadline.
    fn late(mut self, missing: &str, own: &Party) -> NetError {
        if self.greeting.contains_key(missing) {
            return self.meeting.late(missing, "waiting for its greeting");
        }
        for Unproven { from, .. } in &self.unproven {
            self.refused.add(Refusal::new(Cause::Late, ""), from);
        }
        self.meeting.absent(missing, own, self.refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_makes_room_and_a_crowd_before_others() {
        let first = |hosts: &[&'static str]| first_to_go(hosts.iter().copied());
        assert_eq!(first(&[]), None);
        assert_eq!(first(&["a", "a", "a"]), Some(0));
        assert_eq!(first(&["a", "b", "c"]), Some(0));
        assert_eq!(first(&["a", "b", "c", "b"]), Some(1));
    }

    #[test]
    fn what_befalls_one_connection_stops_nobody_else_from_being_accepted() {
        use io::ErrorKind::*;
        for kind in [ConnectionAborted, ConnectionReset, Interrupted] {
            assert!(is_passing(&kind.into()), "{kind}");
        }
        let no_more_files = io::Error::from_raw_os_error(24);
        assert!(!is_passing(&no_more_files) && !is_passing(&OutOfMemory.into()));
    }
}
