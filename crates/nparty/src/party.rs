//! A party of a computation: joins the others, and runs what its program writes.

mod terms;

use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tacit_crypto::Prg;
use tacit_math::field::Field;
use tacit_net::keys::SecretKey;
use tacit_net::session::{Config, Field as Fact, Reception};
use tacit_net::{Counts, Meter, Phase, Session};
use tokio::sync::Notify;

use crate::constants::build;
use crate::error::{RunError, UsageError};
use crate::program::Task;
use crate::prss::Prss;
use crate::reception::{OutsideParties, Receiving, receive};
use crate::runtime::cause::cause;
use crate::runtime::keys::{agree, confirm};
use crate::runtime::mesh::Mesh;
use crate::runtime::reactors::Reactors;
use crate::runtime::shared::ProgramLink;
use crate::runtime::traffic::PeerTraffic;
use crate::security::Security;
use crate::stored::{StoreContext, StoredPools};

pub use terms::JoinTerms;

/// The longest time between two keep-alives to outside parties.
const LONGEST_TICK: Duration = Duration::from_secs(1);

/// A party of a computation. Operations run on a thread of their own.
///
/// Security: privacy against `threshold` parties that follow the protocol and collude. Parties that do not follow it can make results wrong, or end the
/// computation; with [`Security::Active`] they can only end it. The links are those of [`Session`].
pub struct Party<F: Field> {
    root: Arc<Task<F>>,
    over: Arc<Notify>,
    words: Arc<OnceLock<String>>,
    shared: Arc<ProgramLink<F>>,
    meter: Meter,
    /// Time of analysis and setup.
    spent: [Duration; 2],
    joined: Instant,
    ended: Mutex<Receiver<Result<(), RunError>>>,
    thread: Option<JoinHandle<()>>,
}

/// What the thread reports when it is ready.
type Joined<F> = Result<(Arc<ProgramLink<F>>, Meter, [Duration; 2]), RunError>;

/// The costs of a computation at this party so far.
#[derive(Clone, Debug)]
pub struct Account {
    /// Seconds of analysis, setup and online, in the order of [`Phase::ALL`].
    pub seconds: [f64; 3],
    /// The part of them in which this party waited: for the network and for other parties, and after setup also for its own program.
    pub waiting_seconds: [f64; 3],
    /// Frames of each phase over all links.
    pub counts: [Counts; 3],
    /// Bytes of elements sent to and received from each party, in all fields, without the heads of messages.
    pub peers: Vec<PeerTraffic>,
}

impl<F: Field> Party<F> {
    /// Connects with all others, and agrees with them on keys for randomness. Blocks; `poll` is called about ten times a second and may
    /// give up with an error.
    ///
    /// Errors: as [`Session::establish`]; the number of parties, the threshold and the field do not fit; errors of `poll`.
    pub fn join(
        terms: JoinTerms<F>,
        mut poll: impl FnMut() -> Result<(), RunError>,
    ) -> Result<Party<F>, RunError> {
        // Refuse impossible terms before waiting for anyone.
        terms.check()?;
        terms.scheme()?.sets()?;
        let (written, over) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let (ready_sender, ready) = sync_channel::<Joined<F>>(1);
        let (end_sender, ended) = sync_channel(1);
        let words = Arc::new(OnceLock::new());
        let (its_written, its_over, its_words) = (written.clone(), over.clone(), words.clone());
        let body = move || {
            let result = serve(terms, its_written, (its_over, its_words), |ready| {
                // The caller may have given up.
                let _ = ready_sender.send(ready);
            });
            let _ = end_sender.send(result);
        };
        let thread = std::thread::Builder::new().name("tacit party".into()).spawn(body);
        let thread = thread.map_err(|cause| RunError::System { what: "thread", cause: Arc::new(cause) })?;
        let (shared, meter, spent) = loop {
            match ready.recv_timeout(Duration::from_millis(100)) {
                Ok(ready) => break ready?,
                Err(RecvTimeoutError::Timeout) => poll().inspect_err(|_| over.notify_one())?,
                Err(RecvTimeoutError::Disconnected) => return Err(RunError::Over),
            }
        };
        let root = Arc::new(Task::root(shared.clone())?);
        let (ended, joined) = (Mutex::new(ended), Instant::now());
        Ok(Party { root, over, words, shared, meter, spent, joined, ended, thread: Some(thread) })
    }

    /// The first task of the program.
    pub fn root(&self) -> Arc<Task<F>> {
        self.root.clone()
    }

    /// What was sent and received over all links.
    pub fn counts(&self) -> Counts {
        self.meter.total()
    }

    /// The costs of the computation so far.
    pub fn account(&self) -> Account {
        let [analysis, setup] = self.spent.map(|spent| spent.as_secs_f64());
        let seconds = [analysis, setup, self.joined.elapsed().as_secs_f64()];
        let mut counts = self.meter.by_phase();
        // Each stream of a link has one direction, so only the runtime can count rounds.
        counts[Phase::Online as usize].rounds += self.shared.rounds.load(Ordering::Relaxed);
        if let Some(outside) = self.shared.outside.get() {
            let online = &mut counts[Phase::Online as usize];
            *online = online.and(outside.meter.total());
        }
        let waited =
            [counts[0].waiting, counts[1].waiting, self.shared.idle()].map(|waited| waited.as_secs_f64());
        let waiting_seconds = std::array::from_fn(|phase| waited[phase].min(seconds[phase]));
        Account { seconds, waiting_seconds, counts, peers: self.shared.bytes_by_peer() }
    }

    /// Declares that the program has all its results, and only synchronises once more before it leaves. Unfinished operations are not awaited.
    pub fn conclude(&self) {
        self.shared.concluding.store(true, Ordering::Relaxed);
    }

    /// Ends the computation at this party; unfinished operations are lost. Before, the program [concludes](Party::conclude) and synchronises, so that no party
    /// still needs this one. Blocks briefly.
    ///
    /// Errors: why the computation had ended already.
    pub fn leave(mut self) -> Result<(), RunError> {
        self.part()
    }

    /// Ends the computation at this party because its program has given up. The others end with an error that quotes `why`, which must not reveal secrets.
    /// Blocks briefly.
    ///
    /// Errors: why the computation had ended already.
    pub fn give_up(mut self, why: &str) -> Result<(), RunError> {
        self.words.get_or_init(|| why.to_owned());
        match self.part() {
            Err(RunError::GivenUp(_)) => Ok(()),
            ended => ended,
        }
    }

    fn part(&mut self) -> Result<(), RunError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        self.over.notify_one();
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let result = ended.recv().unwrap_or(Err(RunError::Over));
        // The thread has reported how it ended.
        let _ = thread.join();
        let closed = self.root.stored_pools().map_or(Ok(()), StoredPools::close);
        result.and(closed)
    }
}

impl<F: Field> Drop for Party<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.words.get_or_init(|| "its program has panicked".to_owned());
        }
        // A caller that wants the result calls `leave`.
        let _ = self.part();
    }
}

/// A party's thread.
fn serve<F: Field>(
    terms: JoinTerms<F>,
    written: Arc<Notify>,
    (over, words): (Arc<Notify>, Arc<OnceLock<String>>),
    ready: impl Fn(Joined<F>),
) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|cause| RunError::System { what: "event loop", cause: Arc::new(cause) })?;
    runtime.block_on(async {
        let joined = tokio::select! {
            joined = join(terms, written, (over.clone(), words)) => joined,
            () = over.notified() => Err(RunError::Over),
        };
        let (mesh, receiving, spent) = match joined {
            Ok(joined) => joined,
            Err(error) => {
                ready(Err(error.clone()));
                return Err(error);
            }
        };
        ready(Ok((mesh.shared.clone(), mesh.session.meter().clone(), spent)));
        let result = mesh.run().await;
        // Finish sending to outside parties.
        receiving.into_iter().for_each(Receiving::finish);
        result
    })
}

async fn join<F: Field>(
    terms: JoinTerms<F>,
    written: Arc<Notify>,
    (over, words): (Arc<Notify>, Arc<OnceLock<String>>),
) -> Result<(Mesh<F>, Option<Receiving>, [Duration; 2]), RunError> {
    let began = Instant::now();
    let (names, scheme) = (terms.computing(), terms.scheme()?);
    let (outside, config) = (terms.outside(), terms.inner());
    let greeting = terms.greeting(&scheme);
    let inner = terms.outside_field().into_iter().chain(greeting.clone()).collect();
    let JoinTerms { config: all, me, key, security, statistical_bits, store, .. } = terms;
    let timeout = config.timeout;
    let session = Session::establish(&config, &me, key.as_ref(), inner).await?;
    let met = Instant::now();
    session.meter().set_phase(Phase::Setup);
    let missing = || UsageError::NotInSession { party: me.clone(), parties: names.clone() };
    let number = names.iter().position(|name| *name == me).ok_or_else(missing)?;
    let agreed = async {
        let keys = agree(&session, &names, number, &scheme.sets()?).await?;
        if security == Security::Active {
            confirm(&session, &names, number, (&scheme.sets()?, &keys)).await?;
        }
        let keys = Prss::new(scheme.clone(), number, &keys)?;
        let context = store
            .is_some()
            .then(|| StoreContext::new((&scheme, statistical_bits), number, &names, &config.parties, build()))
            .transpose()?;
        let pools = StoredPools::open(store.zip(context), &session, (&names, number)).await?;
        let reception = match outside.is_empty() {
            true => None,
            false => Some(open_reception((all, outside), (me, key), greeting, session.id())?),
        };
        Ok((keys, pools, reception))
    };
    let (prss, pools, reception) = match agreed.await {
        Ok(agreed) => agreed,
        Err(error) => {
            let cause = cause(&session, error).await;
            session.abort().await;
            return Err(cause);
        }
    };
    let notify = written.clone();
    let secured = (scheme, statistical_bits);
    let links = names.iter().map(|name| session.connection(name).cloned()).collect();
    let shared = Arc::new(ProgramLink::new(secured, number, names, Arc::new(move || notify.notify_one())));
    // It was made just now, and has none.
    let _ = shared.links.set(links);
    if let Some(pools) = pools {
        let _ = shared.stored.set(pools);
    }
    let receiving = reception.map(|(outside, receiving)| {
        let _ = shared.outside.set(outside);
        receiving
    });
    let reactor = Reactors::new(&shared, prss, || Prg::from_os().map_err(|_| RunError::Entropy));
    // Whatever waits for outside parties stops waiting.
    let reactor = reactor.inspect_err(|error| shared.end(error.clone()))?;
    let reactor = Arc::new(Mutex::new(reactor));
    session.meter().set_phase(Phase::Online);
    let mesh = Mesh { reactor, shared, session, timeout, written, over, words };
    Ok((mesh, receiving, [met - began, met.elapsed()]))
}

/// Starts to accept outside parties.
fn open_reception(
    (config, outside): (Config, Vec<String>),
    (me, key): (String, Option<SecretKey>),
    greeting: Vec<Fact>,
    computation: [u8; 32],
) -> Result<(Arc<OutsideParties>, Receiving), RunError> {
    let limit = config.timeout;
    let open = async move { Ok(Reception::open(&config, (&me, key.as_ref()), greeting).await?) };
    let parties = move |reception: &Reception| {
        let tick = (limit / 4).min(LONGEST_TICK);
        Arc::new(OutsideParties::new(outside, reception.meter().clone(), tick))
    };
    receive(open, parties, computation, limit)
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use tacit_math::field::Mersenne61;
    use tacit_net::session::{self, Transport};
    use tacit_net::socket::Address;

    use super::*;
    use crate::program::Value;
    use crate::runtime::security::LEAST_STATISTICAL_BITS;

    type Configs = Vec<(String, Config)>;

    /// Settings for this many parties of this process, on loopback.
    fn configs(parties: usize, timeout: Duration) -> Configs {
        let bound: Vec<_> =
            (0..parties).map(|_| Arc::new(TcpListener::bind("127.0.0.1:0").expect("a port"))).collect();
        let address = |listener: &TcpListener| -> Address {
            listener.local_addr().expect("bound").to_string().parse().expect("an address")
        };
        let parties: Vec<_> = bound
            .iter()
            .enumerate()
            .map(|(i, listener)| session::Party {
                name: format!("p{i}"),
                address: address(listener),
                key: None,
            })
            .collect();
        let config = |(party, listener): (&session::Party, Arc<TcpListener>)| {
            let mut config = Config::new(parties.clone());
            (config.transport, config.timeout, config.listener) = (Transport::Plain, timeout, Some(listener));
            (party.name.clone(), config)
        };
        parties.iter().zip(bound).map(config).collect()
    }

    /// Runs a party in a thread for each setting.
    fn together<T: Send + 'static>(
        configs: Configs,
        threshold: usize,
        body: impl Fn(Party<Mersenne61>) -> T + Clone + Send + 'static,
    ) -> Vec<T> {
        let run = |(me, config): (String, Config)| {
            let body = body.clone();
            std::thread::spawn(move || {
                let terms = JoinTerms {
                    config,
                    me,
                    key: None,
                    field: Mersenne61,
                    threshold,
                    security: Security::Passive,
                    statistical_bits: LEAST_STATISTICAL_BITS,
                    fields: vec![],
                    store: None,
                };
                body(Party::join(terms, || Ok(())).expect("all are there"))
            })
        };
        let threads: Vec<_> = configs.into_iter().map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    }

    /// Waits for a public value, and returns it.
    fn wait(task: &Task<Mersenne61>, value: &Value<Mersenne61>) -> Result<Vec<u64>, RunError> {
        let (sender, receiver) = sync_channel(1);
        task.read(value, move |result| sender.send(result).expect("somebody waits"))?;
        receiver.recv_timeout(Duration::from_secs(60)).expect("within the limit")
    }

    #[test]
    fn parties_compute_over_links() {
        for (parties, threshold) in [(3, 1), (5, 2)] {
            let results = together(configs(parties, Duration::from_secs(30)), threshold, |party| {
                let task = party.root();
                let given = (task.me() == 1).then(|| (0..5000).collect());
                let a = task.input(1, 5000, given).expect("an input");
                let mut product = task.mul(&a, &a).expect("alive");
                for _ in 0..20 {
                    product = task.sub(&task.mul(&product, &a).expect("alive"), &product).expect("alive");
                }
                let result = wait(&task, &task.open(&product).expect("alive")).expect("a result");
                wait(&task, &task.synchronise().expect("alive")).expect("the same everywhere");
                party.leave().expect("a good end");
                result
            });
            let power =
                |a: u64| (0..20).fold(Mersenne61.mul(a, a), |p, _| Mersenne61.sub(Mersenne61.mul(p, a), p));
            assert_eq!(results, vec![(0..5000).map(power).collect::<Vec<_>>(); parties]);
        }
    }

    /// Steps of a program, each of which needs all parties.
    fn some_steps(task: &Task<Mersenne61>, steps: usize) -> Result<(), RunError> {
        wait(task, &task.synchronise()?)?;
        let mut a = task.constant(vec![3; 300])?;
        for step in 0..steps {
            a = match step {
                0 => task.input(5, 300, (task.me() == 5).then(|| vec![7; 300]))?,
                1 => task.mul(&a, &a)?,
                2 => task.mul(&task.random(300)?, &a)?,
                3 => task.random_bits(300)?,
                4 => task.open(&a)?,
                _ => task.synchronise()?,
            };
        }
        // Send what was written before a party leaves.
        task.flush();
        std::thread::sleep(Duration::from_millis(50));
        Ok(())
    }

    #[test]
    fn each_of_twenty_four_parties_names_one_that_is_lost_at_any_step() {
        for steps in 0..5 {
            let results = together(configs(24, Duration::from_secs(30)), 11, move |party| {
                let task = party.root();
                if task.me() == 5 {
                    return some_steps(&task, steps)
                        .map_or_else(|error| error.to_string(), |()| String::new());
                }
                let all = some_steps(&task, 6).and_then(|()| wait(&task, &task.synchronise()?).map(drop));
                all.expect_err("one is missing").to_string()
            });
            let lost = "p13";
            for (party, error) in results.iter().enumerate().filter(|(party, _)| *party != 13) {
                assert!(error.contains(lost), "after {steps} steps party {party} says: {error}");
            }
        }
    }

    /// Opens a product with a party that is lost or late. Any of these steps may notice it.
    fn misses(task: &Task<Mersenne61>) -> Result<Vec<u64>, RunError> {
        wait(task, &task.synchronise()?)?;
        task.at(task.call_site("line 7"));
        let a = task.input(1, 1, None)?;
        wait(task, &task.open(&task.mul(&a, &a)?)?)
    }

    #[test]
    fn a_party_that_is_lost_or_late_is_named() {
        for lost in [true, false] {
            let results = together(configs(3, Duration::from_secs(2)), 1, move |party| {
                let task = party.root();
                if task.me() != 1 {
                    return misses(&task).expect_err("one is missing").to_string();
                }
                // A party that leaves at once may be gone while others still join.
                wait(&task, &task.synchronise().expect("alive")).expect("all are there");
                if !lost {
                    std::thread::sleep(Duration::from_secs(4));
                }
                String::new()
            });
            for error in [&results[0], &results[2]] {
                assert!(error.contains("p1"), "{error}");
                assert!(lost || error.contains("line 7") || error.contains("because of p1"), "{error}");
            }
        }
    }

    #[test]
    fn a_party_whose_program_gives_up_is_named_with_its_reason() {
        let results = together(configs(3, Duration::from_secs(30)), 1, |party| {
            let task = party.root();
            if task.me() == 1 {
                // A party that leaves at once may be gone while others still join.
                wait(&task, &task.synchronise().expect("alive")).expect("all are there");
                party.give_up("its program raised ValueError").expect("nothing went wrong before");
                return String::new();
            }
            misses(&task).expect_err("one has given up").to_string()
        });
        for error in [&results[0], &results[2]] {
            let named = error.contains("p1 has ended the computation (its program raised ValueError)");
            assert!(named || error.contains("because of p1"), "{error}");
            assert!(!error.contains("finished"), "{error}");
        }
    }

    /// Runs an operation whose code panics at the second party. The others may hear of it at any of these steps.
    fn panics_at_one(task: &Task<Mersenne61>, length: usize) -> Result<Vec<u64>, RunError> {
        wait(task, &task.synchronise()?)?;
        let me = task.me();
        let zeros = task.constant(vec![0; length])?;
        let computed = task.local(length, true, 77, &[&zeros], move |_, given| match me {
            1 => panic!("planted"),
            _ => given[0].to_vec(),
        })?;
        wait(task, &computed)?;
        wait(task, &task.synchronise()?)
    }

    #[test]
    fn a_panic_of_a_computation_ends_it_at_all_parties() {
        for length in [1, 1 << 16] {
            let results = together(configs(3, Duration::from_secs(30)), 1, move |party| {
                panics_at_one(&party.root(), length).expect_err("one has panicked").to_string()
            });
            assert!(results[1].contains("internal error in the computation"), "{results:?}");
            for error in [&results[0], &results[2]] {
                assert!(error.contains("p1") && error.contains("internal error"), "{error}");
            }
        }
    }

    #[test]
    fn a_long_computation_makes_nobody_late() {
        // The second party's multiplication takes 5 seconds; the limit is 2.
        let results = together(configs(3, Duration::from_secs(2)), 1, |party| {
            let task = party.root();
            let length = 1 << 16;
            let given = (task.me() == 1).then(|| vec![3; length]);
            let a = task.input(1, length, given).expect("an input");
            let slow = task.me() == 1;
            let product = task.form(length, 99, &[&a], move |_, given| {
                if slow {
                    std::thread::sleep(Duration::from_secs(5));
                }
                given[0].iter().map(|a| Mersenne61.mul(*a, *a)).collect()
            });
            let opened = task.open(&product.expect("alive")).expect("alive");
            let result = wait(&task, &opened).expect("all have time");
            wait(&task, &task.synchronise().expect("alive")).expect("the same everywhere");
            party.leave().expect("a good end");
            result[length - 1]
        });
        assert_eq!(results, [9; 3]);
    }

    /// The parties' errors if they disagree: the second has another modulus or threshold.
    fn disagree(parties: usize, moduli: [u64; 2], thresholds: [usize; 2]) -> Vec<String> {
        let run = |(number, (me, config)): (usize, (String, Config))| {
            std::thread::spawn(move || {
                let other = usize::from(number == 1);
                let terms = JoinTerms {
                    config,
                    me,
                    key: None,
                    field: tacit_math::field::Montgomery::<1>::new(&[moduli[other]]).expect("odd"),
                    threshold: thresholds[other],
                    security: Security::Passive,
                    statistical_bits: LEAST_STATISTICAL_BITS,
                    fields: vec![],
                    store: None,
                };
                Party::join(terms, || Ok(())).map(drop).expect_err("they differ").to_string()
            })
        };
        let configs = configs(parties, Duration::from_secs(5));
        let threads: Vec<_> = configs.into_iter().enumerate().map(run).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    }

    #[test]
    fn parties_that_want_different_things_do_not_meet() {
        let errors = disagree(3, [103, 101], [1, 1]);
        assert!(errors.iter().any(|error| error.contains("field of order")), "{errors:?}");
        let errors = disagree(5, [103, 103], [2, 1]);
        assert!(errors.iter().any(|error| error.contains("threshold")), "{errors:?}");
    }

    #[test]
    fn a_field_without_a_point_for_each_party_is_refused() {
        let errors = disagree(12, [11, 11], [5, 5]);
        assert!(errors.iter().all(|error| error.contains("too small for 12 parties")), "{errors:?}");
    }
}
