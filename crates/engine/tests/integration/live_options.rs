//! Live sessions with options other than the defaults: gates, transfers and effort follow them, and parties that differ learn in what.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use crate::loopback::pair::{both, site, terms};
use tacit_engine::live::{
    LiveOptions, Script, SourcePlace, memory_pair, recipients, run_live_blocking, side_of,
};
use tacit_engine::{CancelFlag, Class, Report, RunError};
use tacit_ir::{BinaryOp, Op, ValueId, ValueType, Words};
use tacit_net::Options;
use tacit_plan::{Garbling, Link, PlanOptions, SecurityParams, Side, TransferChoice, TransferExtension};

/// Products of 16 bits that a session multiplies.
const PRODUCTS: u64 = 40;

fn here() -> SourcePlace {
    SourcePlace { file: "test".into(), line: 1 }
}

/// Multiplies x of A by y of B again and again; opens the result to both.
fn write(script: &Script, (x, y): (u128, u128)) -> Words {
    let path = script.path("main").unwrap();
    let ty = ValueType::word(16, 1);
    let input = |giver: Side, name: &str, value: u128| {
        let words = (giver == script.side()).then(|| Words::scalar(16, value));
        script.input(path, giver, name, ty, words, &here()).unwrap()
    };
    let (mut product, y) = (input(Side::Garbler, "A.x", x), input(Side::Evaluator, "B.y", y));
    for _ in 0..PRODUCTS {
        let operands = [product.clone(), y.clone()];
        let op = Op::Binary(BinaryOp::Mul, ValueId(0), ValueId(1));
        let operand = |value: ValueId| operands.get(value.index()).cloned();
        product = script.operation(path, op, operand, None, &[ty], &here()).unwrap().remove(0);
    }
    let (sender, receiver) = channel();
    let opening = Box::new(move |opened| drop(sender.send(opened)));
    script.open(path, &product, recipients(true, true).unwrap(), &here(), opening).unwrap();
    script.submit();
    receiver.recv().unwrap().unwrap().unwrap()
}

/// Runs both ends in memory with these options.
fn in_memory(options: &PlanOptions) -> [Report; 2] {
    let live = LiveOptions::of(options).unwrap();
    let limit = Options { timeout: Duration::from_secs(60), ..Options::for_peer("peer") };
    let ends = memory_pair("A", "B", &limit).unwrap();
    let expected = (0..PRODUCTS).fold(3, |product, _| (product * 7) & 0xffff);
    thread::scope(|scope| {
        let started = ends.map(|end| {
            let script = end.script_with(live.clone());
            let other = script.clone();
            let engine = scope.spawn(move || end.run_blocking(&other, &CancelFlag::new(), || ()));
            scope.spawn(move || {
                let opened = write(&script, (3, 7));
                script.close();
                assert_eq!(opened, Words::scalar(16, expected));
                engine.join().unwrap().unwrap()
            })
        });
        started.map(|thread| thread.join().unwrap())
    })
}

#[test]
fn gates_and_transfers_are_as_the_options_say() {
    let sent = |reports: &[Report; 2], phase: usize| -> u64 {
        reports.iter().map(|report| report.phases[phase].payload_sent.unwrap()).sum()
    };
    let usual = in_memory(&PlanOptions::default());
    assert_eq!((usual[0].garbling, usual[0].transfers), (Garbling::HalfGates, TransferExtension::SoftSpoken));
    let narrow = in_memory(&PlanOptions { garbling: Garbling::ThreeHalves, ..PlanOptions::default() });
    for report in &narrow {
        assert_eq!(report.garbling, Garbling::ThreeHalves);
        assert_eq!(report.work, usual[0].work);
    }
    // 32 bytes a gate, and 24.625.
    let (ands, saved) = (usual[0].work.and_count, sent(&usual, 2) - sent(&narrow, 2));
    assert!((7 * ands..8 * ands).contains(&saved), "{saved} bytes of {ands} gates");
    let silent = in_memory(&PlanOptions { transfers: TransferChoice::Silent, ..PlanOptions::default() });
    for report in &silent {
        assert!(matches!(report.transfers, TransferExtension::SilentSmall | TransferExtension::SilentLarge));
    }
    // For the few inputs of this program, the start of silent transfers sends more than SoftSpokenOT in all.
    let [few, many] = [&usual, &silent].map(|reports| sent(reports, 1) + sent(reports, 2));
    assert!(few < many, "{few} bytes, silently {many}");
}

#[test]
fn effort_security_and_link_are_as_the_options_say() {
    let mut options = PlanOptions::default();
    options.lowering.effort = 0;
    options.security = SecurityParams { statistical_bits: 64, softspoken_k: 8, ..options.security };
    options.link = Link { bits_per_second: 10_000_000_000, round_us: 100 };
    let usual = in_memory(&PlanOptions::default());
    for report in in_memory(&options) {
        assert_eq!((report.effort, report.planned_link), (0, options.link));
        assert_eq!(report.security, options.security);
        assert!(report.work.and_count > usual[0].work.and_count, "{} ANDs", report.work.and_count);
    }
}

/// The errors of both parties of a session in which B has other options than the defaults.
fn differing(change: impl Fn(&mut PlanOptions) + Sync) -> [Arc<RunError>; 2] {
    let site = site();
    both(|index| {
        let mut terms = terms(&site, index);
        let mut options = PlanOptions::default();
        if index == 1 {
            change(&mut options);
        }
        terms.security = options.security;
        let live = LiveOptions::of(&options).unwrap();
        let script = Script::with_options(side_of(&terms.party, &terms.peer), live);
        run_live_blocking(terms, &script, &CancelFlag::new(), || ()).unwrap_err()
    })
}

#[test]
fn what_differs_is_named_at_both_parties() {
    type Change = fn(&mut PlanOptions);
    let cases: [(&str, [&str; 2], Change); 5] = [
        ("garbling", ["half-gates", "three-halves"], |options| options.garbling = Garbling::ThreeHalves),
        ("oblivious transfers", ["softspoken", "silent-small"], |options| {
            options.transfers = TransferChoice::Silent;
        }),
        ("planned link", ["250 Mbit/s, 5 ms", "1000 Mbit/s, 0.25 ms"], |options| {
            options.link = Link { bits_per_second: 1_000_000_000, round_us: 500 };
        }),
        ("effort", ["4194304", "77"], |options| options.lowering.effort = 77),
        ("security parameters", ["k = 4", "k = 2"], |options| options.security.softspoken_k = 2),
    ];
    for (field, values, change) in cases {
        for error in differing(change) {
            let message = error.to_string();
            assert_eq!(error.class(), Class::Peer, "{message}");
            assert!(message.contains(&format!("differ in {field}: here")), "{message}");
            assert!(values.iter().all(|value| message.contains(value)), "{message}");
        }
    }
}
