//! Corrupted, truncated and stalled links: every party stops with an error or ends, and none panics or hangs.

use crate::harness::tap::Edit;
use crate::harness::{Job, Mode, run};
use std::time::Duration;
use tacit_net::NetError;
use tacit_ot::OtError;
use tacit_twoparty::yao::{RevealTo, YaoError};

const LIMIT: Duration = Duration::from_millis(400);

fn job() -> Job {
    Job::random(12, 60, 3, 1, RevealTo::Both)
}

/// Payload bytes that each party sends.
async fn sizes(job: &Job, mode: Mode) -> [usize; 2] {
    let (a, b, trace) = run(job, mode, [Edit::None; 2], LIMIT).await;
    assert_eq!(a.unwrap(), b.unwrap());
    trace.map(|seen| seen.bytes)
}

/// An edit of the bytes that one of the parties sends.
fn edit(party: usize, edit: Edit) -> [Edit; 2] {
    let mut edits = [Edit::None; 2];
    edits[party] = edit;
    edits
}

fn is_net(error: &YaoError) -> bool {
    matches!(error, YaoError::Net(_) | YaoError::Ot(OtError::Net(_)))
}

#[tokio::test]
async fn a_cut_anywhere_is_an_error_at_both() {
    let job = job();
    for mode in [Mode::Streamed, Mode::Prepared] {
        let sizes = sizes(&job, mode).await;
        for (party, &size) in sizes.iter().enumerate() {
            for at in (0..size).step_by(601).chain([size - 1]) {
                let (a, b, _) = run(&job, mode, edit(party, Edit::Cut(at)), LIMIT).await;
                for ended in [a, b] {
                    assert!(
                        ended.as_ref().is_err_and(is_net),
                        "{mode:?}, party {party}, byte {at}: {ended:?}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn a_silent_peer_is_a_timeout() {
    let job = job();
    for mode in [Mode::Streamed, Mode::Prepared] {
        let sizes = sizes(&job, mode).await;
        for (party, &size) in sizes.iter().enumerate() {
            for at in [size / 2, size - 1] {
                let (a, b, _) = run(&job, mode, edit(party, Edit::Stall(at)), LIMIT).await;
                let waiting = if party == 0 { b } else { a };
                let Err(YaoError::Net(error) | YaoError::Ot(OtError::Net(error))) = waiting else {
                    panic!("{mode:?}, party {party}, byte {at}: {waiting:?}");
                };
                let silent = matches!(error, NetError::Timeout { .. } | NetError::Closed { .. });
                assert!(silent, "{mode:?}, party {party}, byte {at}: {error}");
            }
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_never_panics_or_hangs() {
    let job = job();
    for mode in [Mode::Streamed, Mode::Prepared] {
        let sizes = sizes(&job, mode).await;
        for (party, &size) in sizes.iter().enumerate() {
            for at in (0..size).step_by(211) {
                // A passive peer cannot tell masked bytes from others; nobody may crash.
                let _ = run(&job, mode, edit(party, Edit::Flip(at)), LIMIT).await;
            }
        }
    }
}
