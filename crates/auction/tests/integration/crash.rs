//! Servers that are killed between any two steps: no bid is lost or doubled.
//!
//! Each server is a process of its own: this test's program, which runs [`child`] alone and aborts at the step that it was told.

use std::io::Read as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use tacit_auction::local::LocalPair;
use tacit_auction::{Config, Environment, Outcome, Role, Running, Step, Steps, outcome_in_the_clear};
use tokio::task::JoinSet;

use crate::pair::{Pair, clock, definition, local};

/// Where a child finds what to do: its configuration file, its role, the step to abort at, and how often it passes that before.
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
    // Until the parent goes away.
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
            // One that is gone already need not be ended.
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

/// An auction during which one server is killed once and started again.
async fn survives((victim, step, passes): (Role, Step, u32)) {
    let local = local("crash", 20);
    local.define(&definition("vase", &PRICES)).unwrap();
    let other = if victim == Role::A { Role::B } else { Role::A };
    let mut servers = Servers {
        survivor: spawn(&local, other, "", 0),
        victim: spawn(&local, victim, &format!("{step:?}"), passes),
        crashed: false,
    };
    let pair = Pair { service: local.service().unwrap(), local, running: [None, None] };
    let bidding = async {
        pair.opened("vase").await;
        let mut names = Vec::new();
        for bid in BIDS {
            let receipt = loop {
                match pair.service.seal("vase", bid).await {
                    Ok(receipt) => break receipt,
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                }
            };
            let said = pair.service.submit(&receipt).await.unwrap();
            assert_eq!((&said["status"], &said["place"]), (&"accepted".into(), &names.len().into()));
            names.push(receipt.name);
        }
        pair.pass_deadlines();
        (pair.ended("vase").await, names)
    };
    let (result, names) = tokio::select! {
        done = bidding => done,
        () = servers.revive(&pair.local, victim) => unreachable!("it waits for ever"),
    };
    assert!(servers.crashed, "{victim:?} came to {step:?} too seldom");
    let Outcome::Sold { bid, price } = outcome_in_the_clear(&BIDS, &PRICES) else { panic!("sold") };
    assert_eq!((&result["winner"], &result["bids"]), (&names[bid].to_string().into(), &BIDS.len().into()));
    assert_eq!(result["sold_for"], PRICES[price]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_of_either_server_loses_no_bid() {
    tokio::join!(survives(STEPS[2]), survives(STEPS[4]));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "runs an auction for every step"]
async fn a_crash_at_any_step_loses_no_bid() {
    for some in STEPS.chunks(4) {
        let mut all = JoinSet::new();
        some.iter().for_each(|step| drop(all.spawn(survives(*step))));
        while let Some(done) = all.join_next().await {
            done.unwrap();
        }
    }
}
