//! A reactor on the links of a session: it transfers messages, and ends the computation when a party is late or
//! lost.
//!
//! Long computations run on another thread, in bursts. Meanwhile the links continue, and this party tells the others that it computes. They then wait
//! for it, and for parties that wait for it, up to [`PATIENCE`] time limits for one burst. A party that hangs sends nothing, and is late.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::Poll;
use std::time::Duration;

use tacit_math::field::Field;
use tacit_net::session::LAST_WORDS;
use tacit_net::{Channel, NetError, Session, StreamId};
use tokio::sync::{Notify, mpsc};
use tokio::task::{JoinSet, LocalSet, spawn_blocking, yield_now};
use tokio::time::{Instant, sleep_until, timeout};

use super::cause::{cause, is_vague};
use super::incoming_message::{IncomingMessage, LEAST_IN_FRAME};
use super::reactors::Reactors;
use super::receive::QUEUED_BYTES;
use super::shared::{ProgramLink, lock};
use super::used_messages::UsedMessages;
use super::wire::{self, MAX_MESSAGE};
use crate::error::{MessageError, RunError, UsageError};
use crate::parties::PartyIndex;

/// The streams of messages: from the party whose name sorts first, and to it.
pub(crate) const STREAMS: [StreamId; 2] = [StreamId(17), StreamId(18)];

/// The longest time between two keep-alives.
const MAX_TICK: Duration = Duration::from_secs(1);

/// Number of checks for late parties within a time limit: a late party is noticed after the limit and at most
/// two of these intervals.
const GLANCES: u32 = 20;

/// Messages that are received before the reactor gets its turn.
const MAX_QUEUED: usize = 16;

/// How long a party of three computes with messages waiting before it sends what it has: about as long as sending it takes.
const WORTH_SENDING: Duration = Duration::from_micros(20);

/// How much is computed between messages on the thread that transfers them, and on another thread: in elements, of a few
/// nanoseconds each.
const LITTLE: usize = 1 << 19;
const BURST: usize = 1 << 22;

/// How many time limits others wait for one burst of a party that says that it computes.
const PATIENCE: u32 = 100;

/// The maximum time in which links close when everything is done.
const FAREWELL: Duration = Duration::from_secs(2);

/// Messages and failures that have arrived.
#[derive(Default)]
struct Arrivals {
    /// By sender, with the field that they belong to.
    messages: RefCell<VecDeque<(PartyIndex, u8, IncomingMessage)>>,
    /// Bytes of them by sender.
    queued: RefCell<Vec<usize>>,
    failures: RefCell<VecDeque<(PartyIndex, RunError)>>,
    /// Something was put here.
    news: Notify,
    /// By party: whether it may send again.
    admitted: Vec<(std::cell::Cell<bool>, Notify)>,
    /// Whether each party sends products to the next one alone, as among three. So what follows from a message should leave before another is taken.
    around: bool,
    /// Memory of messages that were used.
    used: RefCell<UsedMessages>,
    /// Messages that were sent, by peer, until the reactor takes their memory.
    sent: RefCell<Vec<(PartyIndex, Vec<u8>)>>,
}

/// Maximum number of messages that were sent and wait for the reactor.
const MAX_SENT: usize = 16;

impl Arrivals {
    /// The message that waits longest.
    fn take(&self) -> Option<(PartyIndex, u8, IncomingMessage)> {
        let first = self.messages.borrow_mut().pop_front()?;
        self.queued.borrow_mut()[first.0] -= first.2.len();
        Some(first)
    }

    /// Failures of links from which no message waits: what a party sent before it was lost or finished counts.
    fn take_failures(&self) -> VecDeque<(PartyIndex, RunError)> {
        let waiting = self.messages.borrow();
        let is_last = |peer: PartyIndex| waiting.iter().all(|(from, ..)| *from != peer);
        let (due, later) = self.failures.take().into_iter().partition(|(peer, _)| is_last(*peer));
        self.failures.replace(later);
        due
    }

    /// Keeps a message that was sent, unless many are waiting.
    fn keep_sent(&self, peer: PartyIndex, message: Vec<u8>) {
        let mut sent = self.sent.borrow_mut();
        if sent.len() < MAX_SENT {
            sent.push((peer, message));
        }
    }
}

/// The links of a party in a computation.
pub(crate) struct Mesh<F: Field> {
    pub(crate) reactor: Arc<Mutex<Reactors<F>>>,
    pub(crate) shared: Arc<ProgramLink<F>>,
    pub(crate) session: Session,
    pub(crate) timeout: Duration,
    /// Told when the program has written something.
    pub(crate) written: Arc<Notify>,
    /// Told when the program is over.
    pub(crate) over: Arc<Notify>,
    /// Why the program gave up, if it did.
    pub(crate) words: Arc<OnceLock<String>>,
}

/// Measures time in which this party has nothing to compute, until it is dropped.
struct Idle<'a> {
    since: Instant,
    nanos: &'a AtomicU64,
}

impl Drop for Idle<'_> {
    fn drop(&mut self) {
        self.nanos.fetch_add(self.since.elapsed().as_nanos() as u64, Ordering::Relaxed);
    }
}

/// The loop's knowledge about other parties.
struct Watch {
    heard: Vec<Instant>,
    arrivals: u64,
    since: Instant,
    told: Instant,
    looked: Instant,
    finished: Vec<Option<RunError>>,
    /// Whether something was sent since this party last received.
    sent: bool,
    /// The number of bursts that this party has computed on another thread.
    bursts: u64,
    /// By party, the burst that it computes, since when, and when it last said so.
    busy: Vec<Option<Busy>>,
}

/// A party that is computing.
#[derive(Clone, Copy)]
struct Busy {
    burst: u64,
    since: Instant,
    heard: Instant,
}

impl Watch {
    fn new(parties: usize) -> Watch {
        let now = Instant::now();
        let (heard, finished, busy) = (vec![now; parties], vec![None; parties], vec![None; parties]);
        Watch {
            heard,
            arrivals: 0,
            since: now,
            told: now,
            looked: now,
            finished,
            sent: false,
            bursts: 0,
            busy,
        }
    }

    /// When the others are to be told that this party is alive, or late parties are to be looked for.
    fn alarm(&self, tick: Duration, glance: Duration) -> Instant {
        (self.told + tick).min(self.looked + glance)
    }

    /// A party says that it computes.
    fn hear_busy(&mut self, peer: PartyIndex, burst: u64) {
        let now = Instant::now();
        let since = self.busy[peer].filter(|busy| busy.burst == burst).map_or(now, |busy| busy.since);
        self.busy[peer] = Some(Busy { burst, since, heard: now });
    }

    /// Handles failures of links. The normal end of a link is not a failure yet.
    ///
    /// Errors: the first that gives a reason; if all only say that a party has given up, the first of these. Several come together if a party
    /// gives up because of another, and the other's failure is the reason.
    fn failed(&mut self, failures: impl IntoIterator<Item = (PartyIndex, RunError)>) -> Result<(), RunError> {
        let mut first: Option<RunError> = None;
        for (peer, failure) in failures {
            match failure {
                RunError::Net(NetError::Finished { .. }) => self.finished[peer] = Some(failure),
                failure if first.as_ref().is_none_or(is_vague) => first = Some(failure),
                _ => {}
            }
        }
        first.map_or(Ok(()), Err)
    }

    /// Whether some party computes, and not for too long.
    fn waits_for_computation(&self, limit: Duration) -> bool {
        let computes = |busy: &Busy| {
            busy.heard.elapsed() <= limit.min(3 * MAX_TICK) && busy.since.elapsed() <= PATIENCE * limit
        };
        self.busy.iter().flatten().any(computes)
    }

    /// This party has computed without listening: the others' time limits begin anew.
    fn begin_anew(&mut self) {
        let now = Instant::now();
        self.heard.fill(now);
        self.since = now;
    }
}

/// The output of a future, or [`RunError::Panicked`].
async fn caught<T>(future: impl Future<Output = Result<T, RunError>>) -> Result<T, RunError> {
    let mut future = pin!(future);
    std::future::poll_fn(move |context| {
        let polled = catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)));
        polled.unwrap_or(Poll::Ready(Err(RunError::Panicked)))
    })
    .await
}

impl<F: Field> Mesh<F> {
    /// Transfers messages until the program is over, or returns why the computation ended before; then all links are
    /// aborted.
    pub(crate) async fn run(mut self) -> Result<(), RunError> {
        let result = LocalSet::new().run_until(caught(self.run_tasks())).await;
        lock(&self.reactor).end(&result.clone().err().unwrap_or(RunError::Over));
        result
    }

    async fn run_tasks(&mut self) -> Result<(), RunError> {
        match self.open() {
            Ok(channels) => self.run_over(channels).await,
            Err(error) => {
                let error = cause(&self.session, error).await;
                self.session.abort().await;
                Err(error)
            }
        }
    }

    /// The streams to and from each party; `None` for this one.
    ///
    /// Errors: the failure of a link since all have met.
    fn open(&self) -> Result<Vec<Option<[Channel; 2]>>, RunError> {
        let me = self.shared.me;
        let open = |(peer, name): (PartyIndex, &String)| {
            if peer == me {
                return Ok(None);
            }
            let missing = || UsageError::NoLink { party: name.clone() };
            let connection = self.session.connection(name).ok_or_else(missing)?;
            let [first, second] = STREAMS.map(|stream| connection.open(stream));
            let (first, second) = (first?, second?);
            Ok(Some(if me < peer { [first, second] } else { [second, first] }))
        };
        self.shared.names.iter().enumerate().map(open).collect()
    }

    async fn run_over(&mut self, channels: Vec<Option<[Channel; 2]>>) -> Result<(), RunError> {
        let n = channels.len();
        let admitted = (0..n).map(|_| (std::cell::Cell::new(true), Notify::new())).collect();
        let arrivals = Rc::new(Arrivals {
            admitted,
            queued: RefCell::new(vec![0; n]),
            around: n == 3,
            ..Arrivals::default()
        });
        *arrivals.used.borrow_mut() = UsedMessages::new(n);
        let (mut tasks, mut senders) = (JoinSet::new(), Vec::new());
        for (peer, channels) in channels.into_iter().enumerate() {
            let (sender, queue) = mpsc::unbounded_channel();
            senders.push(sender);
            if let Some([outgoing, incoming]) = channels {
                tasks.spawn_local(send_all(outgoing, queue, peer, arrivals.clone()));
                tasks.spawn_local(receive_all(incoming, peer, arrivals.clone()));
            }
        }
        let result = caught(self.react(&arrivals, &senders)).await;
        let result = match result {
            Err(error) => Err(self.better_reason(error, &arrivals).await),
            Ok(()) => Ok(()),
        };
        match &result {
            Ok(()) => {
                drop(senders);
                // The senders end once they have sent everything. All is done, so nothing that a peer does from here on matters.
                let _ = timeout(FAREWELL, self.session_flushed(&mut tasks)).await;
                let _ = timeout(FAREWELL, self.session.close()).await;
            }
            Err(error) => {
                lock(&self.reactor).tell_failure(error);
                self.dispatch(&senders);
                drop(senders);
                // The senders end once they have sent everything.
                let _ = timeout(LAST_WORDS, self.session_flushed(&mut tasks)).await;
                if let RunError::Silent { peer, .. } = error
                    && let Some(connection) = self.session.connection(peer)
                {
                    connection.expect_nothing();
                }
                self.session.abort().await;
            }
        }
        tasks.abort_all();
        result
    }

    /// Waits until as many tasks have ended as there are senders.
    async fn session_flushed(&self, tasks: &mut JoinSet<()>) {
        for _ in 1..self.shared.names.len() {
            let _ = tasks.join_next().await;
        }
    }

    /// Waits briefly for a better reason from other links if a failure gives none.
    async fn better_reason(&mut self, error: RunError, arrivals: &Arrivals) -> RunError {
        let until = Instant::now() + LAST_WORDS;
        while is_vague(&error) && Instant::now() < until {
            let messages = arrivals.messages.take();
            for (peer, field, message) in messages {
                let received = lock(&self.reactor).receive(peer, field, &message);
                if let Err(better @ RunError::Ended { .. }) = received {
                    return better;
                }
            }
            for (_, failure) in arrivals.failures.take() {
                if !is_vague(&failure) {
                    return failure;
                }
            }
            let _ = timeout(until - Instant::now(), arrivals.news.notified()).await;
        }
        error
    }

    /// Lets the reactor react to the program and to messages.
    async fn react(
        &mut self,
        arrivals: &Arrivals,
        senders: &[mpsc::UnboundedSender<Vec<u8>>],
    ) -> Result<(), RunError> {
        let (news, over, shared) = (self.written.clone(), self.over.clone(), self.shared.clone());
        let tick = (self.timeout / 4).min(MAX_TICK);
        let glance = self.timeout / GLANCES;
        let mut watch = Watch::new(self.shared.names.len());
        // It stays in the timer's wheel from one turn to the next. An alarm that is set anew would wake the thread that sets it.
        let mut alarm = pin!(sleep_until(watch.alarm(tick, glance)));
        loop {
            lock(&self.reactor).take_written();
            arrivals.sent.take().into_iter().for_each(|(peer, sent)| lock(&self.reactor).reuse(peer, sent));
            let all = self.advance(arrivals, senders, &mut watch, tick).await?;
            if self.dispatch(senders) {
                watch.sent = true;
                if lock(&self.reactor).has_replies() {
                    // The messages leave before the program goes on, which may take this thread's core.
                    yield_now().await;
                }
            }
            lock(&self.reactor).answer();
            self.admit(arrivals);
            watch.failed(arrivals.take_failures())?;
            // Messages that a party sent before it finished may have arrived during a burst, and count.
            if arrivals.messages.borrow().is_empty() {
                self.look_for_the_finished(&watch)?;
            }
            if !all || !arrivals.messages.borrow().is_empty() {
                // Messages that have arrived meanwhile are taken in between.
                yield_now().await;
                continue;
            }
            let due = watch.alarm(tick, glance);
            if alarm.deadline() != due {
                alarm.as_mut().reset(due);
            }
            let idle = Idle { since: Instant::now(), nanos: &shared.idle };
            tokio::select! {
                biased;
                () = arrivals.news.notified() => {}
                () = news.notified() => {}
                () = over.notified() => {
                    let words = self.words.get().cloned();
                    return words.map_or(Ok(()), |words| Err(RunError::GivenUp(words)));
                }
                () = alarm.as_mut() => {
                    if watch.told.elapsed() >= tick {
                        watch.told = Instant::now();
                        lock(&self.reactor).tell_progress();
                    }
                    watch.looked = Instant::now();
                    self.look_for_the_late(&mut watch)?;
                }
            }
            drop(idle);
        }
    }

    /// Takes messages that have arrived, and computes what follows from them; returns whether that was everything that is ready.
    ///
    /// Among three parties, each sends to the next one alone, and three values go around at a time. A party that has been waited for finds all three. If it sent
    /// them on together, the next party would find all three, too, and one party would compute while two wait. So what follows from a message
    /// is sent before another is taken, if that was worth sending.
    async fn advance(
        &self,
        arrivals: &Arrivals,
        senders: &[mpsc::UnboundedSender<Vec<u8>>],
        watch: &mut Watch,
        tick: Duration,
    ) -> Result<bool, RunError> {
        let begun = Instant::now();
        loop {
            self.receive(arrivals, watch)?;
            let all = self.compute(senders, watch, tick).await?;
            if !all || arrivals.messages.borrow().is_empty() || begun.elapsed() >= WORTH_SENDING {
                return Ok(all);
            }
        }
    }

    /// Takes messages that have arrived: among three parties one.
    fn receive(&self, arrivals: &Arrivals, watch: &mut Watch) -> Result<(), RunError> {
        let most = if arrivals.around { 1 } else { usize::MAX };
        for (peer, field, message) in std::iter::from_fn(|| arrivals.take()).take(most) {
            if std::mem::take(&mut watch.sent) {
                self.shared.rounds.fetch_add(1, Ordering::Relaxed);
            }
            watch.heard[peer] = Instant::now();
            match wire::busy(&message) {
                Some(burst) => {
                    lock(&self.reactor).count(peer);
                    watch.hear_busy(peer, burst);
                }
                None => lock(&self.reactor).receive(peer, field, &message)?,
            }
            if let IncomingMessage::Copied(message) = message {
                arrivals.used.borrow_mut().give(peer, message);
            }
        }
        Ok(())
    }

    /// Computes what is ready; returns whether that was everything. Long computations run on another thread, while the links continue and others
    /// are told.
    async fn compute(
        &self,
        senders: &[mpsc::UnboundedSender<Vec<u8>>],
        watch: &mut Watch,
        tick: Duration,
    ) -> Result<bool, RunError> {
        if lock(&self.reactor).run(LITTLE)? {
            return Ok(true);
        }
        watch.sent |= self.dispatch(senders);
        watch.bursts += 1;
        let reactor = self.reactor.clone();
        let burst = move || {
            let run = catch_unwind(AssertUnwindSafe(|| lock(&reactor).run(BURST)));
            run.unwrap_or(Err(RunError::Panicked))
        };
        let mut burst = spawn_blocking(burst);
        loop {
            tokio::select! {
                biased;
                all = &mut burst => {
                    watch.begin_anew();
                    return all.unwrap_or(Err(RunError::Panicked));
                }
                () = sleep_until(watch.told + tick) => {
                    watch.told = Instant::now();
                    tell_busy(senders, watch.bursts);
                }
            }
        }
    }

    /// Lets parties send of which not too much is waiting.
    fn admit(&self, arrivals: &Arrivals) {
        for (peer, (admitted, notify)) in arrivals.admitted.iter().enumerate() {
            let crowded = lock(&self.reactor).is_crowded(peer);
            if !crowded {
                notify.notify_one();
            }
            admitted.set(!crowded);
        }
    }

    /// Passes the outbox to the senders; returns whether there was anything in it.
    fn dispatch(&self, senders: &[mpsc::UnboundedSender<Vec<u8>>]) -> bool {
        let mut any = false;
        for (peer, sender) in senders.iter().enumerate() {
            for message in lock(&self.reactor).outgoing(peer) {
                any = true;
                // A sender that is gone has reported why.
                let _ = sender.send(message);
            }
        }
        any
    }

    /// An error if the program still waits for a party that has closed its link in good order.
    fn look_for_the_finished(&mut self, watch: &Watch) -> Result<(), RunError> {
        if watch.finished.iter().all(Option::is_none) {
            return Ok(());
        }
        let waiting = match self.shared.concluding.load(Ordering::Relaxed) {
            true => lock(&self.reactor).waiting_to_conclude(),
            false => lock(&self.reactor).waiting(),
        };
        let gone = waiting.iter().find_map(|waiting| watch.finished[waiting.peer].clone());
        gone.map_or(Ok(()), Err)
    }

    /// An error if nothing that is waited for has arrived within the time limit.
    fn look_for_the_late(&mut self, watch: &mut Watch) -> Result<(), RunError> {
        let (late, arrivals) = {
            let mut reactor = lock(&self.reactor);
            (reactor.late(), reactor.arrivals())
        };
        let moved = std::mem::replace(&mut watch.arrivals, arrivals) != arrivals;
        if late.is_empty() || moved {
            watch.since = Instant::now();
            return Ok(());
        }
        let waited = watch.since.elapsed();
        let silent = |peer: PartyIndex| watch.heard[peer].elapsed() > self.timeout.min(3 * MAX_TICK);
        let named = late.iter().find(|waiting| silent(waiting.peer)).or(late.first());
        match named {
            // Wait for a party that computes, and for parties that wait for it.
            Some(waiting) if !silent(waiting.peer) && watch.waits_for_computation(self.timeout) => Ok(()),
            Some(waiting) if waited >= self.timeout => {
                let peer = self.shared.names[waiting.peer].clone();
                let (seconds, call_site) =
                    (self.timeout.as_secs_f64(), self.shared.call_sites.name(waiting.call_site));
                Err(match silent(waiting.peer) {
                    true => RunError::Silent { peer, seconds, call_site },
                    false => RunError::Late { peer, seconds, call_site },
                })
            }
            _ => Ok(()),
        }
    }
}

/// Tells all others that this party computes.
fn tell_busy(senders: &[mpsc::UnboundedSender<Vec<u8>>], burst: u64) {
    for sender in senders {
        for message in wire::busy_message(burst) {
            // A sender that is gone has reported why.
            let _ = sender.send(message);
        }
    }
}

/// Sends messages as they come; short ones that wait are sent together.
async fn send_all(
    mut channel: Channel,
    mut queue: mpsc::UnboundedReceiver<Vec<u8>>,
    peer: PartyIndex,
    arrivals: Rc<Arrivals>,
) {
    let result = async {
        while let Some(message) = queue.recv().await {
            send(&mut channel, message).await?;
            while let Ok(message) = queue.try_recv() {
                send(&mut channel, message).await?;
            }
            channel.flush().await?;
            while let Some(sent) = channel.take_written() {
                arrivals.keep_sent(peer, sent);
            }
        }
        Ok(())
    };
    if let Err(error) = result.await {
        arrivals.failures.borrow_mut().push_back((peer, RunError::Net(error)));
        arrivals.news.notify_one();
    }
}

/// Sends a message: a long one without a copy.
async fn send(channel: &mut Channel, message: Vec<u8>) -> Result<(), NetError> {
    match message.len() < wire::LARGE {
        true => channel.send(&message).await,
        false => channel.give(message).await,
    }
}

/// Receives messages, as long as not too many are waiting.
async fn receive_all(mut channel: Channel, peer: PartyIndex, arrivals: Rc<Arrivals>) {
    let mut number = 0;
    let error = loop {
        let long;
        number += 1;
        match receive(&mut channel, number, (peer, &arrivals.used)).await {
            Ok((field, message)) => {
                long = arrivals.around && message.len() >= wire::LARGE;
                arrivals.queued.borrow_mut()[peer] += message.len();
                arrivals.messages.borrow_mut().push_back((peer, field, message));
            }
            Err(error) => break error,
        }
        arrivals.news.notify_one();
        if long || arrivals.messages.borrow().len() >= MAX_QUEUED {
            tokio::task::yield_now().await;
        }
        let (admitted, notify) = &arrivals.admitted[peer];
        while !admitted.get() || arrivals.queued.borrow()[peer] > QUEUED_BYTES {
            notify.notified().await;
        }
    };
    arrivals.failures.borrow_mut().push_back((peer, error));
    arrivals.news.notify_one();
    // Only senders may end, since the mesh counts as many ended tasks as there are senders.
    std::future::pending::<()>().await;
}

/// A message, and the field that it belongs to. A long one stays in the frame that it came in, if it came in one; others take the memory of a used one of the
/// same peer, if there is any.
async fn receive(
    channel: &mut Channel,
    number: u64,
    (peer, used): (PartyIndex, &RefCell<UsedMessages>),
) -> Result<(u8, IncomingMessage), RunError> {
    channel.arrival().await?;
    let mut head = [0; 4];
    channel.receive_into(&mut head).await?;
    let [length @ .., field] = head;
    let length = u32::from_le_bytes([length[0], length[1], length[2], 0]) as usize;
    if length > MAX_MESSAGE {
        let error = MessageError::Length { length, limit: MAX_MESSAGE };
        return Err(RunError::Message { peer: channel.peer(), number, error });
    }
    if length >= LEAST_IN_FRAME
        && let Some(frame) = channel.receive_frame(length).await?
    {
        return Ok((field, IncomingMessage::InFrame(frame)));
    }
    let mut message = used.borrow_mut().take(peer, length);
    channel.receive_into(&mut message).await?;
    Ok((field, IncomingMessage::Copied(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_party_is_named_before_those_who_gave_up_because_of_it() {
        let [p1, p2, p3] = ["p1", "p2", "p3"].map(String::from);
        let gave_up = (1, RunError::Net(NetError::Aborted { peer: p2 }));
        let lost = (0, RunError::Net(NetError::Closed { peer: p1 }));
        let finished = (2, RunError::Net(NetError::Finished { peer: p3 }));
        let failed = |failures: &[&(PartyIndex, RunError)]| {
            let mut watch = Watch::new(3);
            let failed = watch.failed(failures.iter().map(|one| (*one).clone()));
            (failed.err().map(|error| error.to_string()), watch.finished[2].is_some())
        };
        let told = |one: &(PartyIndex, RunError)| Some(one.1.to_string());
        assert_eq!(failed(&[&gave_up, &finished, &lost]), (told(&lost), true));
        assert_eq!(failed(&[&lost, &gave_up]), (told(&lost), false));
        assert_eq!(failed(&[&gave_up]), (told(&gave_up), false));
        assert_eq!(failed(&[&finished]), (None, true));
    }
}
