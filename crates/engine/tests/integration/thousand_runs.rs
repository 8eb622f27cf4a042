//! The suite of all domains, run after run in one session: every operation in every combination of domains, at widths, numbers of lanes and
//! extensions of transfers that change from run to run. Every result is compared with the interpreter's.

use std::env;
use std::hint;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::Site;
use crate::loopback::pair::{in_session, task_with};
use crate::operations::{WIDTHS, all_domains, operations, words};
use tacit_engine::{BlockingSession, CancelFlag, RunTask};
use tacit_ir::{PortId, Words, interpret};
use tacit_net::session::Transport;
use tacit_plan::{PlanOptions, TransferChoice};

/// A limit for waits that even a loaded machine does not reach.
const LIMIT: Duration = Duration::from_secs(120);
const LANES: [u32; 3] = [1, 3, 64];

/// A program with its size.
struct Case {
    task: RunTask,
    bits: u32,
    lanes: u32,
    context: String,
}

/// Every combination of domains at each of `widths`.
fn cases(widths: &[u32]) -> Vec<Case> {
    let sizes = widths.iter().flat_map(|bits| all_domains().enumerate().map(move |place| (*bits, place)));
    let case = |(i, (bits, (place, domains)))| {
        let lanes = LANES[(place + bits as usize) % LANES.len()];
        let silent = i % 9 == 4;
        let transfers = if silent { TransferChoice::Silent } else { TransferChoice::Auto };
        let options = PlanOptions { transfers, ..PlanOptions::default() };
        let task = task_with(&operations(bits, lanes, domains), &options);
        Case { task, bits, lanes, context: format!("{bits} bits, {lanes} lanes, {domains:?}, {transfers:?}") }
    };
    sizes.enumerate().map(case).collect()
}

fn check(session: &mut BlockingSession, case: &Case, index: usize, seed: u64) {
    let Case { task, bits, lanes, context } = case;
    let inputs = [2 * seed, 2 * seed + 1].map(|seed| vec![words(seed, *bits, *lanes)]);
    let own: Vec<(PortId, Vec<Words>)> = vec![(PortId(index as u32), inputs[index].clone())];
    let outcome = session
        .run(task, &own, &CancelFlag::new())
        .unwrap_or_else(|error| panic!("run {seed} at party {index}, {context}: {error}"));
    let expected = interpret(&task.program, &inputs, || 0).unwrap();
    assert!(outcome.outputs == expected, "run {seed} at party {index}: a wrong result, {context}");
}

/// The suite `count` times over one connection, one combination of domains after the other, each at another width in every run.
fn suite(count: u64, widths: &[u32]) {
    let cases = cases(widths);
    let combinations = all_domains().count();
    let site = Site::new(Transport::Plain, LIMIT);
    in_session(&site, |index, mut session| {
        let start = Instant::now();
        for run in 0..count as usize {
            for place in 0..combinations {
                let width = (run + place) % widths.len();
                let case = &cases[width * combinations + place];
                check(&mut session, case, index, (run * combinations + place) as u64);
            }
            if index == 0 && (run + 1) % 10 == 0 {
                println!("{} of {count} runs of the suite after {:?}", run + 1, start.elapsed());
            }
        }
        session.close(None, &CancelFlag::new()).unwrap();
    });
}

/// Keeps every core busy with other work during `work`.
fn loaded<T>(work: impl FnOnce() -> T) -> T {
    /// Ends the other work even if `work` fails.
    struct Ended<'a>(&'a AtomicBool);
    impl Drop for Ended<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let _ended = Ended(&over);
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
        }
        work()
    })
}

/// A thousand, or the number in the environment.
fn runs() -> u64 {
    env::var("TACIT_SUITE_RUNS").map_or(1000, |count| count.parse().unwrap())
}

#[test]
fn the_suite_of_domains_runs_again_and_again_in_one_session() {
    loaded(|| suite(2, &[1, 8]));
}

#[test]
#[ignore = "many minutes: a thousand runs of the suite"]
fn a_thousand_runs_of_the_suite_of_domains() {
    suite(runs(), &WIDTHS);
}

#[test]
#[ignore = "many minutes: a thousand runs of the suite"]
fn a_thousand_runs_of_the_suite_of_domains_while_every_core_is_busy() {
    loaded(|| suite(runs(), &WIDTHS));
}
