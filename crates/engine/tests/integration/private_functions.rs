//! Private functions over loopback: results, exact predictions, and what each side refuses.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tacit_circuit::{CircuitBuilder, arithmetic};
use tacit_engine::private::{
    Accepted, Announced, Held, Interface, PrivateError, PrivateReport, Refusal, hold,
};
use tacit_engine::{CancelFlag, Class, Failure, RunError, SessionTerms, block_on};
use tacit_ir::{Builder, Program, RoleId, Shape};
use tacit_net::NetError;
use tacit_net::session::Transport;
use tacit_pfe::{Function, InputOwner, Protocol};
use tacit_plan::SecurityParams;

use crate::loopback::Site;

const WIDTH: u32 = 8;

/// The ports of `granted = limit < income`, of which `A` holds the function with its limit and `B` has the income.
fn ports() -> Program {
    let word = |bits| Shape::Integer { bits, signed: false };
    let mut builder = Builder::new("policy");
    let (a, b) = (builder.role("A"), builder.role("B"));
    let limit = builder.input("limit", a, word(WIDTH)).unwrap();
    let income = builder.input("income", b, word(WIDTH)).unwrap();
    let granted = builder.output("granted", vec![b], word(1)).unwrap();
    let mut main = builder.template("main", vec![]);
    let (x, y) = (main.input(&builder, limit).unwrap()[0], main.input(&builder, income).unwrap()[0]);
    let less = main.lt_u(x, y).unwrap();
    main.output(&builder, granted, &[less]).unwrap();
    builder.finish(main).unwrap()
}

pub fn held(limit: u32, gates: usize) -> Held {
    held_for(Protocol::HalfElGamal, limit, gates)
}

pub fn held_for(protocol: Protocol, limit: u32, gates: usize) -> Held {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(WIDTH), builder.input(WIDTH));
    let less = arithmetic::less_unsigned(&mut builder, &x, &y);
    let circuit = builder.finish(vec![vec![less]]).unwrap();
    let owners = [InputOwner::Holder, InputOwner::Owner];
    let function = Function::from_circuit(protocol, &circuit, &owners, Some(gates)).unwrap();
    let interface = Interface::of(&ports(), RoleId(1), (protocol, *function.size())).unwrap();
    Held { interface, function, inputs: (0..WIDTH).map(|bit| limit >> bit & 1 == 1).collect() }
}

pub fn terms(site: &Site, index: usize) -> SessionTerms {
    let names = ["A", "B"];
    SessionTerms {
        party: names[index].to_owned(),
        peer: names[1 - index].to_owned(),
        session: site.configs[index].clone(),
        key: site.keys[index].clone(),
        security: SecurityParams::default(),
        shares: None,
    }
}

pub fn site() -> Site {
    Site::new(Transport::Tls, Duration::from_secs(20))
}

pub fn anything() -> Accepted {
    Accepted { max_gates: 1 << 20, interface: None }
}

async fn own(
    terms: SessionTerms,
    accepted: Accepted,
    data: Value,
) -> Result<(Value, PrivateReport), RunError> {
    let cancel = CancelFlag::new();
    Announced::meet(terms, &accepted, &cancel).await?.run(&data, &cancel).await
}

type Both = (Result<PrivateReport, RunError>, Result<(Value, PrivateReport), RunError>);

fn both(held: Held, accepted: Accepted, data: Value) -> Both {
    let site = site();
    thread::scope(|scope| {
        let holder = scope.spawn(|| block_on(hold(terms(&site, 0), held, &CancelFlag::new())));
        let owner = block_on(own(terms(&site, 1), accepted, data));
        (holder.join().unwrap(), owner)
    })
}

/// The errors of both parties, which both know why they end.
fn refused(held: Held, accepted: Accepted, data: Value) -> (PrivateError, PrivateError) {
    let (holder, owner) = both(held, accepted, data);
    (private(holder.unwrap_err()), private(owner.unwrap_err()))
}

pub fn private(error: RunError) -> PrivateError {
    match error {
        RunError::Failed { source, .. } => match *source {
            Failure::Private(error) => error,
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

pub fn check_predictions(report: &PrivateReport) {
    for predicted in &report.predicted {
        let measured = report.phases.iter().find(|phase| phase.phase == predicted.phase).unwrap();
        // Nothing was sent in a phase that did not take place.
        let [sent, received] =
            [measured.payload_sent, measured.payload_received].map(Option::unwrap_or_default);
        let payload = (predicted.payload_sent, predicted.payload_received);
        assert_eq!((sent, received), payload, "{report:?}");
        assert_eq!(measured.rounds, predicted.rounds, "{report:?}");
    }
}

#[test]
fn the_owner_learns_the_result_at_the_predicted_cost() {
    for protocol in Protocol::ALL {
        let cases = [(7, 9, 200), (9, 7, 1024), (8, 8, 2049), (0, 255, 5000)];
        // DJN computes for milliseconds per gate.
        let few = if protocol.name() == "katz-malka-djn" { 1 } else { cases.len() };
        for (limit, income, gates) in cases.into_iter().take(few) {
            let (holder, owner) =
                both(held_for(protocol, limit, gates), anything(), json!({ "income": income }));
            let (outputs, report) = owner.unwrap();
            assert_eq!(outputs, json!({ "granted": u8::from(limit < income) }));
            assert_eq!(report.protocol, protocol.name());
            check_predictions(&report);
            check_predictions(&holder.unwrap());
        }
    }
}

#[test]
fn a_function_larger_than_accepted_is_refused_before_it_is_introduced() {
    let accepted = Accepted { max_gates: 200 + 15, interface: None };
    let (holder, owner) = refused(held(1, 200), accepted, json!({ "income": 2 }));
    assert_eq!(holder, PrivateError::Refused(Refusal::TooLarge));
    assert_eq!(owner, PrivateError::TooLarge { announced: 200 + 16, limit: 200 + 15 });
    let accepted = Accepted { max_gates: 200 + 16, interface: None };
    both(held(1, 200), accepted, json!({ "income": 2 })).1.unwrap();
}

#[test]
fn a_function_of_another_size_than_announced_is_refused_by_both() {
    for protocol in Protocol::ALL.into_iter().filter(|protocol| *protocol != Protocol::UniversalCircuit) {
        for [announced, given] in [[200, 201], [200, 190]] {
            let bent =
                Held { function: held_for(protocol, 1, given).function, ..held_for(protocol, 1, announced) };
            let (holder, owner) = both(bent, anything(), json!({ "income": 2 }));
            for error in [holder.map(drop).unwrap_err(), owner.map(drop).unwrap_err()] {
                let text = error.to_string();
                assert!(text.contains("gates") && text.contains("200"), "{text}");
            }
        }
    }
}

#[test]
fn another_interface_than_the_given_one_is_refused() {
    let published = held(1, 300).interface;
    let accepted = || Accepted { interface: Some(published.clone()), ..anything() };
    both(held(1, 300), accepted(), json!({ "income": 2 })).1.unwrap();
    let (holder, owner) = refused(held(1, 301), accepted(), json!({ "income": 2 }));
    assert_eq!(holder, PrivateError::Refused(Refusal::OtherInterface));
    let (ours, theirs) = ("300".to_owned(), "301".to_owned());
    assert_eq!(owner, PrivateError::OtherInterface { what: "number of gates", ours, theirs });
    let (_, owner) =
        refused(held_for(Protocol::UniversalCircuit, 1, 300), accepted(), json!({ "income": 2 }));
    let ours = "half-elgamal".to_owned();
    let theirs = "universal-circuit".to_owned();
    assert_eq!(owner, PrivateError::OtherInterface { what: "protocol", ours, theirs });
}

#[test]
fn data_that_do_not_fit_stay_here() {
    let (holder, owner) = refused(held(1, 200), anything(), json!({ "income": 256 }));
    assert_eq!(holder, PrivateError::Refused(Refusal::Declined));
    assert!(matches!(owner, PrivateError::Data(_)), "{owner}");
}

#[test]
fn an_owner_may_decline() {
    let (site, cancel) = (site(), CancelFlag::new());
    let holder = thread::scope(|scope| {
        let holder = scope.spawn(|| block_on(hold(terms(&site, 0), held(1, 200), &CancelFlag::new())));
        let declined =
            async { Announced::meet(terms(&site, 1), &anything(), &cancel).await?.decline(&cancel).await };
        block_on::<_, RunError>(declined).unwrap();
        holder.join().unwrap()
    });
    assert_eq!(private(holder.unwrap_err()), PrivateError::Refused(Refusal::Declined));
}

fn differ_in_holder(error: &RunError) {
    assert_eq!(error.class(), Class::Peer);
    let RunError::Failed { source, .. } = error else { panic!("{error}") };
    assert!(matches!(**source, Failure::Net(NetError::Mismatch { .. })), "{error}");
    assert!(error.to_string().contains("the function's holder"), "{error}");
}

#[test]
fn two_parties_of_one_side_do_not_meet() {
    let here = site();
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(hold(terms(&here, 0), held(1, 200), &CancelFlag::new())));
        let second = block_on(hold(terms(&here, 1), held(1, 200), &CancelFlag::new()));
        differ_in_holder(&first.join().unwrap().unwrap_err());
        differ_in_holder(&second.unwrap_err());
    });
    let there = site();
    thread::scope(|scope| {
        let first = scope.spawn(|| block_on(own(terms(&there, 0), anything(), json!({}))));
        let second = block_on(own(terms(&there, 1), anything(), json!({})));
        differ_in_holder(&first.join().unwrap().unwrap_err());
        differ_in_holder(&second.unwrap_err());
    });
}

#[test]
fn a_cancelled_owner_ends_the_holder() {
    let site = site();
    let holder = thread::scope(|scope| {
        let holder = scope.spawn(|| block_on(hold(terms(&site, 0), held(1, 200), &CancelFlag::new())));
        let work = async {
            let cancel = CancelFlag::new();
            let announced = Announced::meet(terms(&site, 1), &anything(), &cancel).await?;
            cancel.cancel();
            announced.run(&json!({ "income": 2 }), &cancel).await
        };
        assert!(matches!(block_on(work), Err(RunError::Cancelled { .. })));
        holder.join().unwrap()
    });
    let RunError::Failed { source, .. } = holder.unwrap_err() else { panic!("not told") };
    assert!(matches!(*source, Failure::Net(NetError::Aborted { .. })), "{source}");
}
