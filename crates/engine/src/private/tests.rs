//! Tests peers that announce and answer what no honest one does.

use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tacit_net::session::{Config, Party, Transport};
use tacit_net::socket::Address;
use tacit_pfe::{Function, PrivateFunction, Size};
use tacit_plan::SecurityParams;

use super::announcement;
use super::meeting::Meeting;
use super::sets::SetName;
use super::*;
use crate::{CancelFlag, Failure, RunError, SessionTerms};

/// Terms of the function's holder and of the data's owner.
fn terms() -> [SessionTerms; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = Address::Tcp(listener.local_addr().unwrap().to_string());
    let party = |name: &str| Party { name: name.to_owned(), address: address.clone(), key: None };
    let timeout = Duration::from_secs(10);
    let config = Config { transport: Transport::Plain, timeout, ..Config::new(vec![party("A"), party("B")]) };
    let listening = Config { listener: Some(Arc::new(listener)), ..config.clone() };
    let terms = |party: &str, peer: &str, session| SessionTerms {
        party: party.to_owned(),
        peer: peer.to_owned(),
        session,
        key: None,
        security: SecurityParams::default(),
        shares: None,
    };
    [terms("A", "B", listening), terms("B", "A", config)]
}

/// A peer that says `word` instead of the expected byte, and waits for the end.
async fn say(
    terms: SessionTerms,
    (side, task): (PrivateSide, PrivateTask),
    word: Vec<u8>,
) -> Result<(), RunError> {
    let cancel = CancelFlag::new();
    let mut meeting = Meeting::meet(terms, side, task, &cancel).await?;
    let work = async |meeting: &mut Meeting| {
        meeting.channel()?.send(&word).await?;
        meeting.channel()?.flush().await?;
        let mut rest = [0; 1 << 16];
        Ok(meeting.channel()?.receive_into(&mut rest).await?)
    };
    meeting.cancellable(&cancel, work).await
}

/// Why an owner refuses an announcement.
fn announced(length: u32, text: &[u8]) -> PrivateError {
    let [holder, owner] = terms();
    let word = [&length.to_le_bytes()[..], text, &[0]].concat();
    thread::scope(|scope| {
        scope.spawn(|| crate::block_on(say(holder, (PrivateSide::Holder, PrivateTask::Run), word)));
        let accepted = Accepted { max_gates: 1000, interface: None };
        let cancel = CancelFlag::new();
        private(crate::block_on(Announced::meet(owner, &accepted, &cancel)).unwrap_err())
    })
}

fn private(error: RunError) -> PrivateError {
    match error {
        RunError::Failed { source, .. } => match *source {
            Failure::Private(error) => error,
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    }
}

fn announce(change: impl FnOnce(&mut Value)) -> PrivateError {
    let mut value = json!({
        "tacit_private_function": 2, "protocol": "half-elgamal", "owner": "B", "gates": 200, "holder_bits": 0,
        "inputs": [{"name": "x", "type": "u8"}], "outputs": [{"name": "y", "type": "u1"}],
    });
    change(&mut value);
    let text = value.to_string();
    announced(text.len() as u32, text.as_bytes())
}

#[test]
fn announcements_that_are_too_long_or_no_interface_are_refused() {
    let long = announced(u32::MAX, &[]);
    assert_eq!(long, PrivateError::Announced(InterfaceError::Length { given: u32::MAX as usize }));
    for text in [&b""[..], b"\xff\xfe", b"{}", b"[[[["] {
        let error = announced(text.len() as u32, text);
        assert!(matches!(error, PrivateError::Announced(InterfaceError::Form(_))), "{error}");
    }
    let unsound = announce(|value| value["gates"] = json!(0));
    assert!(matches!(unsound, PrivateError::Announced(InterfaceError::Size(_))), "{unsound}");
}

#[test]
fn announcements_beyond_what_is_accepted_are_refused() {
    let gates = announce(|value| value["gates"] = json!(993));
    assert_eq!(gates, PrivateError::TooLarge { announced: 1001, limit: 1000 });
    let holders = announce(|value| value["holder_bits"] = json!(1 << 27));
    assert_eq!(holders, PrivateError::TooLarge { announced: 208 + (1 << 27), limit: 1000 });
    let own = announce(|value| value["inputs"][0]["type"] = json!({"length": 1 << 20, "of": "u8"}));
    assert_eq!(own, PrivateError::TooLarge { announced: 200 + (8 << 20), limit: 1000 });
}

#[test]
fn answers_that_are_no_word_end_the_holder() {
    let [holder, owner] = terms();
    let size = Size::new(0, 8, 1, 1).unwrap();
    let text = json!({
        "tacit_private_function": 2, "protocol": "half-elgamal", "owner": "B", "gates": 1, "holder_bits": 0,
        "inputs": [{"name": "x", "type": "u8"}], "outputs": [{"name": "y", "type": "u1"}],
    });
    let held = Held {
        interface: Interface::parse(&text.to_string()).unwrap(),
        function: Function::HalfElGamal(PrivateFunction::new(size, vec![[0, 1]]).unwrap()),
        inputs: Vec::new(),
    };
    let error = thread::scope(|scope| {
        scope.spawn(|| crate::block_on(say(owner, (PrivateSide::Owner, PrivateTask::Run), vec![0])));
        crate::block_on(hold(holder, held, &CancelFlag::new())).unwrap_err()
    });
    assert_eq!(private(error), PrivateError::Answer { byte: 0 });
}

#[test]
fn owners_without_data_have_interfaces_too() {
    let text = json!({
        "tacit_private_function": 2, "protocol": "half-elgamal", "owner": "B", "gates": 1, "holder_bits": 3,
        "inputs": [], "outputs": [{"name": "y", "type": "u1"}],
    });
    let interface = Interface::parse(&text.to_string()).unwrap();
    assert_eq!(interface.encode(&json!({})), Ok(Vec::new()));
    assert_eq!(interface.to_json(), text);
}

/// Why an owner that expects the sets of a task refuses this number of sets.
fn announced_sets(task: PrivateTask, count: u8) -> Option<PrivateError> {
    let (ours, theirs) = tacit_net::memory::pair(tacit_net::Options::default());
    let (mut ours, mut theirs) =
        (ours.open(constants::STREAM).unwrap(), theirs.open(constants::STREAM).unwrap());
    let exchange = async {
        let sets: Vec<SetName> = (0..count).map(|name| SetName([name; 16])).collect();
        announcement::send(&mut ours, "{}", &sets).await?;
        announcement::receive(&mut theirs, task).await.map(|announcement| assert_eq!(announcement.sets, sets))
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    match runtime.block_on(exchange) {
        Ok(()) => None,
        Err(Failure::Private(error)) => Some(error),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn as_many_sets_are_announced_as_a_task_has() {
    let most = constants::MAX_SETS as u8;
    let good = [
        (PrivateTask::Run, 0),
        (PrivateTask::Prepare { count: 2 }, 1),
        (PrivateTask::Spend, 1),
        (PrivateTask::Spend, most),
    ];
    for (task, count) in good {
        assert_eq!(announced_sets(task, count), None, "{task}");
    }
    let prepare = PrivateTask::Prepare { count: 2 };
    let bad = [
        (PrivateTask::Run, 1),
        (prepare, 0),
        (prepare, 2),
        (PrivateTask::Spend, 0),
        (PrivateTask::Spend, most + 1),
    ];
    for (task, count) in bad {
        assert_eq!(announced_sets(task, count), Some(PrivateError::Sets { given: count.into() }), "{task}");
    }
}
