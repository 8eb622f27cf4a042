//! Servers that are killed between any two steps: no bid is lost or doubled.
//!
//! Each server is a process of its own: this test's program, which only runs [`child`] and aborts at a given step.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tacit_auction::local::LocalPair;
use tacit_auction::{
    Config, Definition, Environment, Event, Kind, Leader, Outcome, Role, Running, Step, Steps,
    live_in_the_clear, outcome_in_the_clear,
};
use tacit_net::keys::SecretKey;
use tokio::task::JoinSet;

use crate::pair::{Pair, clock, definition, local};

/// Environment variables that control a child: its configuration file, its role, the step at which to abort, and how often it passes that step before.
const TOLD: [&str; 4] = ["TEST_CONFIG", "TEST_ROLE", "TEST_STEP", "TEST_PASSES"];

/// Every step of either server, and how often it is passed before: the first entries of a log open the auction.
const STEPS: [(Role, Step, u32); 11] = [
    (Role::A, Step::HalfStored, 2),
    (Role::B, Step::HalfStored, 2),
    (Role::B, Step::Promised, 1),
    (Role::A, Step::PromiseHeard, 1),
    (Role::A, Step::EntryStored, 3),
    (Role::B, Step::EntryStored, 3),
    (Role::A, Step::EntryConfirmed, 4),
    (Role::A, Step::Checked, 0),
    (Role::A, Step::Compared, 0),
    (Role::A, Step::Compared, 2),
    (Role::B, Step::EntryStored, 7),
];

const BIDS: [u64; 6] = [120, 340, 90, 560, 250, 555];
const PRICES: [u64; 6] = [100, 200, 300, 400, 500, 600];

#[test]
fn child() {
    let told = TOLD.map(|name| std::env::var(name).ok());
    let [Some(config), Some(role), Some(step), Some(passes)] = told else { return };
    let left = AtomicU32::new(passes.parse().unwrap());
    let steps = Steps(Arc::new(move |at| {
        if format!("{at:?}") == step
            && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
        {
            std::process::abort();
        }
    }));
    let role = if role == "a" { Role::A } else { Role::B };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let _running = runtime.block_on(async {
        let file = Path::new(&config);
        let clock = Some(clock(file.parent().unwrap()));
        let environment = Environment { clock, steps, ..Environment::default() };
        Running::start(role, Config::load(file).unwrap(), environment).await.unwrap()
    });
    // Until the parent ends.
    let _ = std::io::stdin().read(&mut [0]);
    std::process::exit(0);
}

fn spawn(local: &LocalPair, role: Role, step: &str, passes: u32) -> Child {
    let values = [
        local.file(role).display().to_string(),
        if role == Role::A { "a" } else { "b" }.to_owned(),
        step.to_owned(),
        passes.to_string(),
    ];
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash::child", "--nocapture"])
        .envs(TOLD.into_iter().zip(values))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Children that end with the test.
struct Servers {
    victim: Child,
    survivor: Child,
    crashed: bool,
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in [&mut self.victim, &mut self.survivor] {
            // It may have ended already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Servers {
    /// Starts the victim again once it has crashed.
    async fn revive(&mut self, local: &LocalPair, victim: Role) {
        while self.victim.try_wait().unwrap().is_none() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        self.crashed = true;
        self.victim = spawn(local, victim, "", 0);
        std::future::pending().await
    }
}

/// The result of `bidding`, during which one server is killed once and started again.
async fn with_crash<T>(
    local: LocalPair,
    (victim, step, passes): (Role, Step, u32),
    bidding: impl AsyncFnOnce(&Pair) -> T,
) -> T {
    let other = if victim == Role::A { Role::B } else { Role::A };
    let mut servers = Servers {
        survivor: spawn(&local, other, "", 0),
        victim: spawn(&local, victim, &format!("{step:?}"), passes),
        crashed: false,
    };
    let pair = Pair { service: local.service().unwrap(), local, running: [None, None] };
    let done = tokio::select! {
        done = bidding(&pair) => done,
        () = servers.revive(&pair.local, victim) => unreachable!("it waits for ever"),
    };
    assert!(servers.crashed, "{victim:?} came to {step:?} too seldom");
    done
}

/// Runs an auction for every step, several at a time.
async fn at_every_step<F: Future<Output = ()> + Send + 'static>(
    steps: &[(Role, Step, u32)],
    at_a_time: usize,
    survives: impl Fn((Role, Step, u32)) -> F,
) {
    for some in steps.chunks(at_a_time) {
        let mut all = JoinSet::new();
        some.iter().for_each(|step| drop(all.spawn(survives(*step))));
        while let Some(done) = all.join_next().await {
            done.unwrap();
        }
    }
}

/// An auction during which one server is killed once and started again.
async fn survives(crash: (Role, Step, u32)) {
    let local = local("crash", 20);
    local.define(&definition("vase", &PRICES)).unwrap();
    let (result, names) = with_crash(local, crash, async |pair: &Pair| {
        pair.opened("vase").await;
        let mut names = Vec::new();
        for bid in BIDS {
            names.push(submitted(pair, bid, names.len()).await);
        }
        pair.pass_deadlines();
        (pair.ended("vase").await, names)
    })
    .await;
    let Outcome::Sold { bid, price } = outcome_in_the_clear(&BIDS, &PRICES) else { panic!("sold") };
    assert_eq!((&result["winner"], &result["bids"]), (&names[bid].clone().into(), &BIDS.len().into()));
    assert_eq!(result["sold_for"], PRICES[price]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_either_server_loses_no_bid() {
    tokio::join!(survives(STEPS[2]), survives(STEPS[4]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs an auction for every step"]
async fn a_crash_at_any_step_loses_no_bid() {
    at_every_step(&STEPS, 4, survives).await;
}

/// Steps of a raise, and how often they are passed before: a raise is one more entry in each log.
const RAISING: [(Role, Step, u32); 6] = [
    (Role::A, Step::Raised, 0),
    (Role::B, Step::Raised, 0),
    (Role::A, Step::Raised, 1),
    (Role::B, Step::Raised, 1),
    (Role::A, Step::EntryConfirmed, 6),
    (Role::B, Step::EntryStored, 6),
];

const LIVE: [u64; 7] = [100, 200, 300, 400, 500, 600, 700];

/// An auction with a live price during which one server is killed once around a raise. Each price is set once, by its bidder, and
/// outstanding comparisons are made after the restart.
async fn survives_a_raise(crash: (Role, Step, u32)) {
    let local = local("crash-raise", 20);
    local.define(&Definition { kind: Kind::Live, ..definition("vase", &LIVE) }).unwrap();
    let keys = [(); 2].map(|()| tacit_net::keys::generate().unwrap().0);
    let (result, names) = with_crash(local, crash, async |pair: &Pair| {
        pair.opened("vase").await;
        let sealed = submitted(pair, 450, 0).await;
        stands(pair, 100).await;
        for (key, price, after) in [(&keys[0], 300, 400), (&keys[1], 500, 500)] {
            raised(pair, key, price).await;
            stands(pair, after).await;
        }
        let last = submitted(pair, 640, 1).await;
        pair.pass_deadlines();
        (pair.ended("vase").await, [sealed, last])
    })
    .await;
    let events = [Event::Bid(450), Event::Raise(2), Event::Raise(4), Event::Bid(640)];
    assert_eq!(live_in_the_clear(&events, &LIVE), Some((Leader::Sealed(1), 5)));
    assert_eq!((&result["winner"], &result["sold_for"]), (&names[1].clone().into(), &600.into()));
    let moves: Vec<u64> =
        result["moves"].as_array().unwrap().iter().map(|step| step["price"].as_u64().unwrap()).collect();
    assert_eq!(moves, [100, 300, 400, 500, 600]);
}

/// Waits until both servers say this price.
async fn stands(pair: &Pair, price: u64) {
    for role in [Role::A, Role::B] {
        pair.until(role, "/auctions/vase", |state| state["price"] == price).await;
    }
}

/// The name of a bid that was accepted at this place; tries until both servers are up.
async fn submitted(pair: &Pair, bid: u64, place: usize) -> String {
    loop {
        let Ok(receipt) = pair.service.seal("vase", bid).await else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let said = pair.service.submit(&receipt).await.unwrap();
        assert_eq!((&said["status"], &said["place"]), (&"accepted".into(), &place.into()));
        break receipt.name.to_string();
    }
}

/// Raises until both servers have accepted it; the same raise again changes nothing.
async fn raised(pair: &Pair, key: &SecretKey, price: u64) {
    loop {
        if let Ok(raise) = pair.service.sign_raise("vase", price, key).await
            && let Ok(said) = pair.service.raise("vase", &raise).await
            && said["status"] == "accepted"
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_between_a_raise_and_its_comparison_loses_neither() {
    tokio::join!(survives_a_raise(RAISING[0]), survives_a_raise(RAISING[1]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs an auction for every step"]
async fn a_crash_at_any_step_of_a_raise_loses_nothing() {
    at_every_step(&RAISING, 3, survives_a_raise).await;
}
