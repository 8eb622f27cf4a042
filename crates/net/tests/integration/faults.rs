//! A peer that fails in every way, in the greeting and in the middle of a run.

use std::time::Duration;

use tacit_net::fault::{Fault, Switch};
use tacit_net::session::Config;
use tacit_net::{NetError, Session, StreamId};

use crate::ends::{Couple, Kind, fields, limited};

const TRANSPORTS: [Kind; 2] = [Kind::Unix, Kind::Tls];

/// The time limit of the parties in these tests.
const TIMEOUT: Duration = Duration::from_millis(400);

/// Faults of frames, above TLS.
const FRAME_FAULTS: [Fault; 6] = [
    Fault::Repeat(1),
    Fault::Swap(1),
    Fault::Omit(1),
    Fault::Truncate(1),
    Fault::Oversize(1),
    Fault::Garbage { offset: 0, length: 100 },
];

/// Faults of bytes, below TLS where there is TLS.
const WIRE_FAULTS: [Fault; 5] = [
    Fault::Cut(50),
    Fault::Silence(50),
    Fault::Flip { offset: 3, bit: 6 },
    Fault::Garbage { offset: 0, length: 5000 },
    Fault::Garbage { offset: 300, length: 5000 },
];

fn faulty(kind: Kind, fault: Fault, on_wire: bool, switch: Option<&Switch>) -> (Couple, Config) {
    let mut couple = Couple::new(kind);
    couple.config.timeout = TIMEOUT;
    let wrap = match switch {
        Some(switch) => fault.wrap_armed_by(switch.clone()),
        None => fault.wrap(),
    };
    let mut config = couple.config.clone();
    match on_wire {
        true => config.wrap_wire = Some(wrap),
        false => config.wrap_frames = Some(wrap),
    }
    (couple, config)
}

fn all() -> impl Iterator<Item = (Kind, Fault, bool)> {
    let faults =
        FRAME_FAULTS.map(|fault| (fault, false)).into_iter().chain(WIRE_FAULTS.map(|fault| (fault, true)));
    faults.flat_map(|(fault, on_wire)| TRANSPORTS.map(|kind| (kind, fault, on_wire)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_in_the_greeting_is_an_error_at_both_sides() {
    for (kind, fault, on_wire) in all() {
        for disturb_dialer in [true, false] {
            let (couple, config) = faulty(kind, fault, on_wire, None);
            let (a, b) = match disturb_dialer {
                true => couple.meet_with(&couple.config, &config, fields(), fields()).await,
                false => couple.meet_with(&config, &couple.config, fields(), fields()).await,
            };
            let context = format!("{kind:?} {fault:?} {on_wire} {disturb_dialer}");
            let near = if disturb_dialer { a } else { b };
            let error = near.expect_err(&context);
            assert!(error.peer().is_some(), "{context}: {error}");
        }
    }
}

/// The errors of A, which reads, and of B, which sends several frames and then waits.
async fn run(a: &Session, b: &Session, switch: &Switch) -> (Result<(), NetError>, Result<(), NetError>) {
    let from_b = a.connection("B").unwrap();
    let to_a = b.connection("A").unwrap();
    let receive = async {
        let mut channel = from_b.open(StreamId(1))?;
        let mut bytes = vec![0; 400_000];
        for _ in 0..4 {
            channel.receive_into(&mut bytes).await?;
            assert!(bytes.iter().all(|byte| *byte == 9), "a fault must never look like data");
            channel.send(&[1]).await?;
            channel.flush().await?;
        }
        channel.finish().await?;
        a.close().await
    };
    let send = async {
        let mut channel = to_a.open(StreamId(1))?;
        channel.flush().await?;
        switch.arm();
        for _ in 0..4 {
            channel.send(&[9; 400_000]).await?;
            channel.receive(1).await?;
        }
        channel.finish().await?;
        b.close().await
    };
    let abort_on_error = async |result: Result<(), NetError>, session: &Session| {
        if result.is_err() {
            session.abort().await;
        }
        result
    };
    tokio::join!(async { abort_on_error(receive.await, a).await }, async {
        abort_on_error(send.await, b).await
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_fault_in_mid_run_is_an_error_at_both_sides() {
    for (kind, fault, on_wire) in all() {
        let context = format!("{kind:?} {fault:?} {on_wire}");
        let switch = Switch::default();
        // The second frame is the last before the sender waits; a gap is noticed only when another frame
        // follows.
        let fault = match fault {
            Fault::Swap(_) => Fault::Swap(0),
            Fault::Omit(_) => Fault::Omit(0),
            Fault::Truncate(_) => Fault::Truncate(0),
            other => other,
        };
        let (couple, config) = faulty(kind, fault, on_wire, Some(&switch));
        let (a, b) = couple.meet_with(&couple.config, &config, fields(), fields()).await;
        let (a, b) = (a.expect(&context), b.expect(&context));
        let (receiver, sender) = limited(run(&a, &b, &switch)).await;
        let (receiver, sender) = (receiver.expect_err(&context), sender.expect_err(&context));
        assert_eq!(
            (receiver.peer(), sender.peer()),
            (Some("B"), Some("A")),
            "{context}: {receiver}; {sender}"
        );
        let expected = match fault {
            Fault::Cut(_) => matches!(receiver, NetError::Closed { .. }),
            Fault::Silence(_) => matches!(receiver, NetError::Timeout { .. }),
            Fault::Omit(_) | Fault::Swap(_) | Fault::Repeat(_) | Fault::Truncate(_) | Fault::Oversize(_) => {
                matches!(receiver, NetError::Protocol { .. })
            }
            _ => matches!(receiver, NetError::Protocol { .. } | NetError::Timeout { .. }),
        };
        assert!(expected, "{context}: {receiver}");
    }
}

#[tokio::test]
async fn a_changed_nonce_is_noticed_though_no_field_differs() {
    // Bytes of the greeting: headers of the credit frame and of the data frame, magic, version, length, then
    // the postcard form: the name's length, the name, the nonce.
    let nonce = 16 + 16 + 16 + 1 + 1;
    for kind in TRANSPORTS {
        let fault = Fault::Flip { offset: nonce + 5, bit: 0 };
        let (couple, config) = faulty(kind, fault, false, None);
        let (a, b) = couple.meet_with(&couple.config, &config, fields(), fields()).await;
        for result in [a, b] {
            let error = result.unwrap_err();
            assert!(matches!(error, NetError::Authentication { .. } | NetError::Aborted { .. }), "{error}");
        }
    }
}

#[tokio::test]
async fn a_stalled_peer_in_each_phase_of_establishing_is_noticed() {
    for kind in TRANSPORTS {
        for offset in [0, 1, 16, 100, 400] {
            let (couple, config) = faulty(kind, Fault::Silence(offset), true, None);
            let (a, b) = couple.meet_with(&couple.config, &config, fields(), fields()).await;
            let error = a.unwrap_err();
            // Before B has proved who it is, A cannot distinguish its silence from a stranger's.
            assert!(matches!(error, NetError::Timeout { .. } | NetError::Absent { .. }), "{offset}: {error}");
            assert_eq!(error.peer(), Some("B"), "{offset}: {error}");
            assert!(b.is_err());
        }
    }
}
