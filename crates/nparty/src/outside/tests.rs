//! Outside parties and computing parties, over links on loopback.

mod runs;

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use tacit_math::field::{Field, Gf256, Mersenne61};
use tacit_net::keys::{SecretKey, generate};
use tacit_net::session::{self, Config, Transport};
use tacit_net::{Channel, Session};

use super::*;
use crate::error::{RunError, UsageError};
use crate::party::{JoinTerms, Party};
use crate::program::Task;
use crate::reception::message::{
    FromComputing, FromOutside, Given, MAX_BYTES, STREAM, encode, receive, send,
};
use crate::runtime::security::LEAST_STATISTICAL_BITS;
use crate::security::Security;

/// Computing parties in threads of their own.
type Computing<T> = Vec<JoinHandle<Result<T, RunError>>>;

/// A session of computing parties p0, p1 and so on, and outside parties o0, o1 and so on.
struct Setting<F> {
    field: F,
    parties: Vec<session::Party>,
    computing: Vec<String>,
    listeners: BTreeMap<String, Arc<TcpListener>>,
    keys: BTreeMap<String, SecretKey>,
    threshold: usize,
    security: Security,
    timeout: Duration,
    transport: Transport,
}

impl<F: Field> Setting<F> {
    fn new(field: F, (computing, threshold): (usize, usize), outside: usize, security: Security) -> Self {
        let name = |letter: char| move |number: usize| format!("{letter}{number}");
        let computing: Vec<_> = (0..computing).map(name('p')).collect();
        let bind =
            |name: &String| (name.clone(), Arc::new(TcpListener::bind("127.0.0.1:0").expect("a port")));
        let listeners: BTreeMap<_, _> = computing.iter().map(bind).collect();
        let names: Vec<_> = computing.iter().cloned().chain((0..outside).map(name('o'))).collect();
        let keys: BTreeMap<_, _> =
            names.iter().map(|name| (name.clone(), generate().expect("randomness").0)).collect();
        // Nobody can reach a party that doesn't compute.
        let address = |name: &String| match listeners.get(name) {
            Some(listener) => listener.local_addr().expect("bound").to_string(),
            None => "127.0.0.1:9".to_owned(),
        };
        let party = |name: &String| session::Party {
            name: name.clone(),
            address: address(name).parse().expect("an address"),
            key: Some(keys[name].public()),
        };
        let parties = names.iter().map(party).collect();
        let timeout = Duration::from_secs(20);
        let transport = Transport::Tls;
        Setting { field, parties, computing, listeners, keys, threshold, security, timeout, transport }
    }

    fn terms(&self, name: &str) -> JoinTerms<F> {
        let mut config = Config::new(self.parties.clone());
        config.computing = self.computing.clone();
        config.timeout = self.timeout;
        config.transport = self.transport;
        config.listener = self.listeners.get(name).cloned();
        JoinTerms {
            config,
            me: name.to_owned(),
            key: Some(self.keys[name].clone()),
            field: self.field.clone(),
            threshold: self.threshold,
            security: self.security,
            statistical_bits: LEAST_STATISTICAL_BITS,
            fields: vec![],
            store: None,
        }
    }

    /// Runs each computing party in a thread, until it ends normally.
    fn compute<T: Send + 'static>(
        &self,
        body: impl Fn(&Task<F>) -> Result<T, RunError> + Clone + Send + 'static,
    ) -> Computing<T> {
        let run = |name: &String| {
            let (terms, body) = (self.terms(name), body.clone());
            spawn(move || {
                let party = Party::join(terms, || Ok(()))?;
                let task = party.root();
                let result = body(&task)?;
                task.wait(&task.synchronise()?)?;
                party.leave()?;
                Ok(result)
            })
        };
        self.computing.iter().map(run).collect()
    }

    /// An outside party, in a thread, that gives these numbers when asked.
    fn visit(&self, name: &str, numbers: Vec<u64>) -> JoinHandle<Result<Visited<Vec<F::Element>>, RunError>> {
        let (terms, field) = (self.terms(name), self.field.clone());
        let elements: Vec<_> = numbers.into_iter().map(|number| field.element(number)).collect();
        spawn(move || visit(terms, vec![], |_| Ok(elements.clone()), || Ok(())))
    }
}

fn ended<T>(threads: Computing<T>) -> Vec<T> {
    threads.into_iter().map(|thread| thread.join().expect("no panic").expect("a good end")).collect()
}

fn number(name: &str, length: usize) -> Description {
    Description { name: name.to_owned(), kind: "number".to_owned(), shape: vec![length as u64], length }
}

fn request(from: &[&str], length: usize, within: Duration) -> Request {
    Request {
        what: number("bid", length),
        from: from.iter().map(|name| (*name).to_owned()).collect(),
        within,
    }
}

const LONG: Duration = Duration::from_secs(60);

/// Squares the sum of the outside parties' inputs, and sends it to all of `to`. Returns the places of those
/// that gave an input.
fn square_of_sum<F: Field>(task: &Task<F>, request: &Request, to: &[&str]) -> Result<Vec<usize>, RunError> {
    let given = task.collect(request)?.finish()?;
    let mut sum = task.constant(vec![F::Element::default(); request.what.length])?;
    for (_, value) in &given {
        sum = task.add(&sum, value)?;
    }
    let square = task.mul(&sum, &sum)?;
    let to: Vec<_> = to.iter().map(|name| (*name).to_owned()).collect();
    task.tell_outside(number("square", request.what.length), &square, &to)?.finish()?;
    Ok(given.into_iter().map(|(place, _)| place).collect())
}

fn gives_and_is_told<F: Field>(field: F, size: (usize, usize), security: Security) {
    gives_and_is_told_over(Transport::Tls, field, size, security);
}

fn gives_and_is_told_over<F: Field>(
    transport: Transport,
    field: F,
    size: (usize, usize),
    security: Security,
) {
    let setting = Setting { transport, ..Setting::new(field.clone(), size, 3, security) };
    let asked = request(&["o0", "o1"], 3, LONG);
    let computing = setting.compute(move |task| square_of_sum(task, &asked, &["o1", "o2"]));
    let outside = [("o0", vec![1, 2, 3]), ("o1", vec![4, 5, 6]), ("o2", vec![])];
    let visits = ended(outside.map(|(name, numbers)| setting.visit(name, numbers)).into());
    assert_eq!(ended(computing), vec![vec![0, 1]; size.0]);
    let (one, two) = (field.element(1), field.element(2));
    let sums = [(1, 4), (2, 5), (3, 6)].map(|(a, b)| field.add(field.element(a), field.element(b)));
    let squares: Vec<_> = sums.iter().map(|sum| field.mul(*sum, *sum)).collect();
    assert_ne!(one, two);
    let told: Vec<Vec<_>> = visits
        .iter()
        .map(|visited| visited.told.iter().map(|told| told.elements.clone()).collect())
        .collect();
    assert_eq!(told, [vec![], vec![squares.clone()], vec![squares]]);
    let given = |visited: &Visited<Vec<F::Element>>| -> Vec<_> {
        visited.given.iter().map(|(what, taken)| (what.name.clone(), *taken)).collect()
    };
    let taken = vec![("bid".to_owned(), true)];
    assert_eq!(visits.iter().map(given).collect::<Vec<_>>(), [taken.clone(), taken, vec![]]);
}

#[test]
fn what_parties_outside_give_is_computed_with_and_told_to_others_outside() {
    for security in Security::ALL {
        gives_and_is_told(Mersenne61, (3, 1), security);
        gives_and_is_told(Mersenne61, (5, 2), security);
        gives_and_is_told(Gf256, (4, 1), security);
    }
    gives_and_is_told_over(Transport::Plain, Mersenne61, (3, 1), Security::Passive);
    // All parties deal the random elements.
    gives_and_is_told(Mersenne61, (12, 5), Security::Passive);
}

#[test]
fn whoever_never_comes_or_goes_is_left_out_and_the_others_go_on() {
    let setting = Setting::new(Mersenne61, (3, 1), 4, Security::Passive);
    let asked = request(&["o0", "o1", "o2", "o3"], 1, Duration::from_secs(3));
    let began = Instant::now();
    let computing = setting.compute(move |task| square_of_sum(task, &asked, &["o0", "o1", "o3"]));
    let (first, last) = (setting.visit("o0", vec![3]), setting.visit("o3", vec![4]));
    let terms = setting.terms("o1");
    let gave_up = UsageError::PassiveOnly { what: "giving a bid" };
    let refuses = spawn(move || visit(terms, vec![], |_| Err(RunError::from(gave_up.clone())), || Ok(())));
    assert_eq!(ended(computing), vec![vec![0, 3]; 3]);
    assert!(began.elapsed() >= Duration::from_secs(3), "one was missing to the end");
    for visited in ended(vec![first, last]) {
        assert_eq!(visited.told.len(), 1);
        assert_eq!(visited.told[0].elements, [49]);
    }
    let error = refuses.join().expect("no panic").expect_err("it gave up").to_string();
    assert!(error.contains("giving a bid"), "{error}");
}

/// Links of a party that may do anything: a stream to each computing party.
async fn links(setting: &Setting<Mersenne61>, name: &str) -> Vec<(Session, Channel)> {
    let mut links = Vec::new();
    for host in &setting.computing {
        let mut terms = setting.terms(name);
        terms.config.persistent = true;
        let scheme = terms.scheme().expect("a scheme");
        let fields = terms.greeting(&scheme);
        let session = Session::visit(&terms.config, (name, terms.key.as_ref()), host, fields);
        let session = session.await.expect("a link");
        let channel = session.connections().next().expect("a link").open(STREAM).expect("a stream");
        links.push((session, channel));
    }
    links
}

/// The next input that is requested: its number, and the shares of the mask.
async fn asked(channel: &mut Channel) -> (u64, Vec<u8>) {
    loop {
        let message: FromComputing = receive(channel, MAX_BYTES).await.expect("a message");
        if let FromComputing::Asked { number, shares, .. } = message {
            return (number, shares.to_vec());
        }
    }
}

/// Checks that the second outside party is left out when it sends these bytes to each computing party.
fn is_left_out(bytes: impl Fn(usize, u64) -> Vec<u8>) {
    let mut setting = Setting::new(Mersenne61, (3, 1), 2, Security::Active);
    // A party that stays and reads nothing delays the end of the others by this long.
    setting.timeout = Duration::from_secs(4);
    let request = request(&["o0", "o1"], 1, Duration::from_secs(2));
    let computing = setting.compute(move |task| square_of_sum(task, &request, &["o0"]));
    let honest = setting.visit("o0", vec![5]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut links = links(&setting, "o1").await;
        for (party, (_, channel)) in links.iter_mut().enumerate() {
            let (number, _) = asked(channel).await;
            channel.send(&bytes(party, number)).await.expect("a link");
            channel.flush().await.expect("a link");
        }
        // It stays, and sends nothing more.
        tokio::task::spawn_blocking(move || assert_eq!(ended(computing), vec![vec![0]; 3]))
            .await
            .expect("no panic");
    });
    let visited = ended(vec![honest]).remove(0);
    assert_eq!(visited.told[0].elements, [25]);
}

/// A message with its length in front.
fn framed(given: Given) -> Vec<u8> {
    let bytes = encode(&FromOutside::Given(given)).expect("a message");
    [&(bytes.len() as u32).to_le_bytes()[..], &bytes[..]].concat()
}

#[test]
fn whoever_tells_different_things_or_nothing_that_is_due_is_left_out() {
    // Another element to the second computing party.
    is_left_out(|party, number| {
        let masked = (u64::from(party == 1) + 7).to_le_bytes().to_vec().into();
        framed(Given { number, masked })
    });
    // Not an element of the field.
    is_left_out(|_, number| framed(Given { number, masked: vec![0xff; 8].into() }));
    // Too few bytes; a repetition; another number; a length that is too large to allocate; bytes that are not a message.
    is_left_out(|_, number| framed(Given { number, masked: vec![7].into() }));
    is_left_out(|_, number| framed(Given { number: number ^ 1, masked: vec![7; 8].into() }));
    is_left_out(|_, _| vec![0xff; 4]);
    is_left_out(|_, _| vec![9, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
    // Nothing at all to one of the computing parties.
    is_left_out(|party, number| match party {
        2 => Vec::new(),
        _ => framed(Given { number, masked: vec![1; 8].into() }),
    });
}

#[test]
fn results_wait_for_who_comes_late_and_not_for_ever() {
    let mut setting = Setting::new(Mersenne61, (3, 1), 2, Security::Passive);
    setting.timeout = Duration::from_secs(6);
    let computing = setting.compute(|task| {
        let value = task.constant(vec![7])?;
        let to = ["o0", "o1"].map(str::to_owned);
        task.tell_outside(number("seven", 1), &value, &to)?.finish()
    });
    std::thread::sleep(Duration::from_secs(2));
    let visited = ended(vec![setting.visit("o0", vec![])]);
    assert_eq!(visited[0].told[0].elements, [7]);
    ended(computing);
}

#[test]
fn a_party_comes_once() {
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Passive);
    let asked = request(&["o0"], 1, LONG);
    let refused = Arc::new(AtomicBool::new(false));
    let seen = refused.clone();
    let computing = setting.compute(move |task| {
        let given = task.collect(&asked)?.finish()?;
        while !seen.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(given.len())
    });
    let (terms, (sender, is_there)) = (setting.terms("o0"), channel());
    let give = move |_: &Description| {
        sender.send(()).expect("somebody waits");
        Ok::<_, RunError>(vec![5])
    };
    let first = spawn(move || visit(terms, vec![], give, || Ok(())));
    is_there.recv_timeout(LONG).expect("it is asked");
    let again = setting.visit("o0", vec![6]).join().expect("no panic");
    refused.store(true, Ordering::Release);
    let error = again.expect_err("it is there").to_string();
    assert!(error.contains("has been visited by this party before"), "{error}");
    assert_eq!(ended(computing), [1; 3]);
    assert_eq!(ended(vec![first])[0].given.len(), 1);
}

/// An answer that arrives after the input is closed is ignored, however long it is, and its party stays.
#[test]
fn an_answer_that_is_too_late_costs_nothing_but_the_input() {
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Passive);
    let asked = request(&["o0"], 1000, Duration::from_secs(1));
    let computing = setting.compute(move |task| {
        let given = task.collect(&asked)?.finish()?;
        let told = task.constant(vec![7])?;
        task.tell_outside(number("seven", 1), &told, &["o0".to_owned()])?.finish()?;
        Ok(given.len())
    });
    let terms = setting.terms("o0");
    let give = |_: &Description| {
        std::thread::sleep(Duration::from_secs(3));
        Ok::<_, RunError>(vec![5; 1000])
    };
    let visited = spawn(move || visit(terms, vec![], give, || Ok(())));
    let visited = ended(vec![visited]).remove(0);
    assert_eq!(ended(computing), [0; 3]);
    assert!(!visited.given[0].1);
    assert_eq!(visited.told[0].elements, [7]);
}

#[test]
fn parties_outside_hear_that_a_computation_has_failed() {
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Passive);
    let computing = setting.compute(|task| match task.me() {
        1 => Err(UsageError::OtherField.into()),
        _ => task.wait(&task.open(&task.input(1, 1, None)?)?),
    });
    let error =
        setting.visit("o0", vec![5]).join().expect("no panic").expect_err("it has failed").to_string();
    assert!(["p0", "p1", "p2"].iter().any(|party| error.contains(party)), "{error}");
    computing.into_iter().for_each(|thread| assert!(thread.join().expect("no panic").is_err()));
}

#[test]
fn masks_are_uniform_and_never_used_twice() {
    const LENGTH: usize = 2000;
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Passive);
    let computing = setting.compute(|task| {
        for _ in 0..2 {
            let request = request(&["o0"], LENGTH, LONG);
            task.collect(&request)?.finish()?;
        }
        let value = task.constant(vec![5; LENGTH])?;
        task.tell_outside(number("five", LENGTH), &value, &["o0".to_owned()])?.finish()
    });
    let seen = Arc::new(Mutex::new(Vec::<Vec<u64>>::new()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let mut links = links(&setting, "o0").await;
        let scheme = setting.terms("o0").scheme().expect("a scheme");
        for _ in 0..2 {
            let mut shares = Vec::new();
            for (_, channel) in &mut links {
                let (number, bytes) = asked(channel).await;
                shares.push(collect::decoded(&Mersenne61, &bytes).expect("elements"));
                let given = Given { number, masked: vec![0; LENGTH * 8].into() };
                send(channel, &encode(&FromOutside::Given(given)).expect("a message")).await.expect("a link");
                channel.flush().await.expect("a link");
            }
            let shares: Vec<_> =
                shares.iter().enumerate().map(|(party, shares)| (party, &shares[..])).collect();
            seen.lock().expect("no panic").push(scheme.open(&shares, 1).expect("a sharing"));
        }
        // A result: its mask, and the masked result.
        for (_, channel) in &mut links {
            loop {
                let message: FromComputing = receive(channel, MAX_BYTES).await.expect("a message");
                if let FromComputing::Told { masked, .. } = message {
                    seen.lock()
                        .expect("no panic")
                        .push(collect::decoded(&Mersenne61, &masked).expect("elements"));
                    break;
                }
            }
        }
        tokio::task::spawn_blocking(move || drop(ended(computing))).await.expect("no panic");
    });
    let seen = seen.lock().expect("no panic");
    assert_eq!(seen[2], seen[3]);
    assert_eq!(seen[3], seen[4]);
    let all: Vec<_> = seen[..3].iter().flatten().copied().collect();
    let different: std::collections::HashSet<_> = all.iter().collect();
    assert_eq!(different.len(), all.len());
    for column in &seen[..3] {
        let high = column.iter().filter(|mask| **mask >> 60 == 1).count();
        assert!((850..1150).contains(&high), "{high} of {LENGTH}");
    }
}

#[test]
fn wrong_shares_of_a_mask_are_noticed() {
    let scheme =
        Setting::new(Mersenne61, (3, 1), 0, Security::Passive).terms("p0").scheme().expect("a scheme");
    let mut shares = scheme.share(&[5, 6], &mut tacit_crypto::Prg::new(tacit_math::Block(3)));
    let what = number("bid", 2);
    let gathered = |shares: &[Vec<u64>]| {
        let mut gathering = gathering::Gathering::<Mersenne61>::new(what.clone(), vec![], 3);
        for (party, shares) in shares.iter().enumerate() {
            gathering.add(party, (&what, &[]), shares.clone().into()).expect("the same");
        }
        gathering.mask(&scheme).map(|mask| mask.to_vec())
    };
    assert_eq!(gathered(&shares), Ok(vec![5, 6]));
    shares[1][1] ^= 1;
    assert_eq!(gathered(&shares), Err(OutsideError::Mask { name: "bid".to_owned() }));
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let setting = Setting::new(Mersenne61, (3, 1), 1, Security::Passive);
    let computing = setting.compute(|task| {
        let refused = |from: &[&str]| {
            let error = task.collect(&request(from, 1, LONG)).map(drop).expect_err("it cannot be asked");
            error.to_string()
        };
        Ok([refused(&["p1"]), refused(&["o0", "o0"]), refused(&[])])
    });
    for [computes, twice, nobody] in ended(computing) {
        assert!(
            computes.contains("p1 is not one of the parties that do not compute, which are o0"),
            "{computes}"
        );
        assert!(twice.contains("o0 is named twice"), "{twice}");
        assert!(nobody.contains("nobody"), "{nobody}");
    }
    let error = Party::join(setting.terms("o0"), || Ok(())).map(drop).expect_err("it does not compute");
    assert!(error.to_string().contains("computes = false"), "{error}");
}

/// Outside parties of which some never come. Returns how long the input took.
fn crowd(outside: usize, absent: impl Fn(usize) -> bool, within: Duration) -> Duration {
    let mut setting = Setting::new(Mersenne61, (3, 1), outside, Security::Passive);
    // A thousand threads beside other work take their time.
    setting.timeout = 2 * within;
    let names: Vec<_> = (0..outside).map(|number| format!("o{number}")).collect();
    let expected: Vec<_> = (0..outside).filter(|number| !absent(*number)).collect();
    let began = Instant::now();
    let computing = setting.compute(move |task| {
        let request = Request { what: number("bid", 1), from: names.clone(), within };
        let given = task.collect(&request)?.finish()?;
        let mut sum = task.constant(vec![0])?;
        for (_, value) in &given {
            sum = task.add(&sum, value)?;
        }
        let present: Vec<_> = given.iter().map(|(place, _)| names[*place].clone()).collect();
        task.tell_outside(number("sum", 1), &sum, &present)?.finish()?;
        Ok(given.into_iter().map(|(place, _)| place).collect::<Vec<_>>())
    });
    let visits = expected.iter().map(|number| setting.visit(&format!("o{number}"), vec![*number as u64]));
    let visits: Vec<_> = visits.collect();
    let visits: Vec<_> = visits.into_iter().map(|visit| visit.join().expect("no panic")).collect();
    // If these fail, they say why their visitors do.
    let computed = ended(computing);
    let sum: usize = expected.iter().sum();
    for (number, visited) in expected.iter().zip(visits) {
        let visited = visited.unwrap_or_else(|error| panic!("o{number}: {error}"));
        assert_eq!(visited.told[0].elements, [sum as u64]);
    }
    assert_eq!(computed, vec![expected; 3]);
    began.elapsed()
}

#[test]
fn a_hundred_parties_outside_of_whom_some_never_come() {
    crowd(100, |number| number % 7 == 3, Duration::from_secs(10));
}

#[test]
#[ignore = "long: a thousand parties with a thread each"]
fn a_thousand_parties_outside_of_whom_some_never_come() {
    let took = crowd(1000, |number| number % 50 == 3, Duration::from_secs(60));
    println!("1000 parties outside, 3 computing: {took:?}");
}
