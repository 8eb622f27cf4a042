//! Links that fail, at places spread over all traffic, in every phase.

use std::thread;
use std::time::{Duration, Instant};

use crate::loopback::{Site, expected, jobs, run_pair};
use tacit_engine::{Class, RunError};
use tacit_ir::Domain;
use tacit_net::fault::Fault;
use tacit_net::session::Transport;
use tacit_plan::{DomainChoice, ModeChoice, PlanOptions};

/// Time limit of the sessions, and how much later both parties must have ended, including handshake and
/// farewell.
const LIMIT: Duration = Duration::from_secs(2);
const SLACK: Duration = Duration::from_secs(28);

/// How a program runs: when tables are sent, and how values are shared.
type Way = (ModeChoice, DomainChoice);

const WAYS: [Way; 4] = [
    (ModeChoice::Streamed, DomainChoice::In(Domain::Yao)),
    (ModeChoice::Precomputed, DomainChoice::In(Domain::Yao)),
    (ModeChoice::Streamed, DomainChoice::In(Domain::Arith)),
    (ModeChoice::Streamed, DomainChoice::In(Domain::Bool)),
];

fn options((mode, domain): Way) -> PlanOptions {
    PlanOptions { mode, domain, ..PlanOptions::default() }
}

#[derive(Clone, Copy, Debug)]
struct Case {
    transport: Transport,
    way: Way,
    /// The party whose messages the fault affects.
    sender: usize,
    fault: Fault,
    /// Whether it affects the bytes on the wire or the frames above TLS.
    wire: bool,
}

/// Bytes and frames that each party sends in a run without faults.
fn transcript(way: Way) -> [(u64, u64); 2] {
    let jobs = jobs(Site::new(Transport::Plain, LIMIT), &options(way));
    run_pair(&jobs).map(|outcome| {
        let report = outcome.unwrap().report;
        let sum = |count: fn(&tacit_engine::PhaseReport) -> u64| report.phases.iter().map(count).sum();
        (sum(|phase| phase.bytes_sent), sum(|phase| phase.messages_sent))
    })
}

/// Runs a case: both parties end in time, and no output is wrong.
fn strike(case: Case) -> [Option<Class>; 2] {
    let mut site = Site::new(case.transport, LIMIT);
    let config = &mut site.configs[case.sender];
    match case.wire {
        true => config.wrap_wire = Some(case.fault.wrap()),
        false => config.wrap_frames = Some(case.fault.wrap()),
    }
    let jobs = jobs(site, &options(case.way));
    let start = Instant::now();
    let classes = run_pair(&jobs).map(|result| match result {
        Ok(outcome) => {
            assert_eq!(outcome.outputs, expected(), "{case:?}");
            None
        }
        Err(error) => {
            assert!(matches!(error, RunError::Failed { .. }), "{case:?}: {error}");
            assert!(matches!(error.class(), Class::Peer | Class::Abort), "{case:?}: {error}");
            Some(error.class())
        }
    });
    assert!(start.elapsed() < LIMIT + SLACK, "{case:?}: took {:?}", start.elapsed());
    classes
}

/// Runs all cases, several at a time: most of them only wait.
fn strike_all(cases: &[Case]) -> Vec<[Option<Class>; 2]> {
    cases
        .chunks(16)
        .flat_map(|some| {
            thread::scope(|scope| {
                let running: Vec<_> = some.iter().map(|case| scope.spawn(move || strike(*case))).collect();
                running.into_iter().map(|case| case.join().unwrap()).collect::<Vec<_>>()
            })
        })
        .collect()
}

/// One fault of a kind at each of `count` places spread over each party's traffic, in every way.
fn spread(count: u64, frames: bool, fault: impl Fn(u64) -> Fault, transport: Transport) -> Vec<Case> {
    let wire = transport == Transport::Tls;
    let mut cases = Vec::new();
    for way in WAYS {
        for (sender, (bytes, messages)) in transcript(way).into_iter().enumerate() {
            let total = if frames { messages } else { bytes };
            let places = (0..count.min(total)).map(|place| place * total / count.min(total));
            cases.extend(places.map(|at| Case { transport, way, sender, fault: fault(at), wire }));
        }
    }
    cases
}

/// Some party must notice: nobody ends normally unless the other does too, or only lacked the farewell.
fn all_noticed(cases: &[Case]) {
    for (case, classes) in cases.iter().zip(strike_all(cases)) {
        assert!(classes.iter().any(Option::is_some), "{case:?} was not noticed");
    }
}

#[test]
fn cut_links_end_both_parties() {
    all_noticed(&spread(12, false, Fault::Cut, Transport::Plain));
    all_noticed(&spread(12, false, Fault::Cut, Transport::Tls));
}

#[test]
fn silent_peers_are_given_up_in_time() {
    all_noticed(&spread(8, false, Fault::Silence, Transport::Plain));
}

#[test]
fn garbage_is_refused() {
    all_noticed(&spread(12, false, |offset| Fault::Garbage { offset, length: 100 }, Transport::Tls));
}

#[test]
fn flipped_bits_never_pass_tls() {
    let flip = |offset| Fault::Flip { offset, bit: (offset % 8) as u8 };
    let cases = spread(24, false, flip, Transport::Tls);
    let unnoticed = strike_all(&cases).into_iter().filter(|classes| *classes == [None, None]).count();
    // One byte in the header of a TLS record has no effect: the minor number of an old version.
    assert!(unnoticed <= 4, "{unnoticed} of {} were not noticed", cases.len());
}

#[test]
fn frames_come_once_in_order_and_whole() {
    for kind in [Fault::Repeat, Fault::Truncate, Fault::Oversize] {
        all_noticed(&spread(8, true, kind, Transport::Plain));
    }
    // A grant of credit that nobody needed may be lost or late, and the last frame has no successor.
    for kind in [Fault::Omit, Fault::Swap] {
        strike_all(&spread(8, true, kind, Transport::Plain));
    }
}
