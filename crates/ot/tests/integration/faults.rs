//! Corrupted, cut and stalled links: every party finishes or stops with an error, and none panics or hangs.

use crate::tap;
use crate::tap::{Edit, End};
use std::time::Duration;
use tacit_crypto::Prg;
use tacit_math::{Bits, Block};
use tacit_net::NetError;
use tacit_ot::softspoken::Params;
use tacit_ot::{OtError, chosen, rot};

const LIMIT: Duration = Duration::from_millis(400);
const SESSION: [u8; 32] = [5; 32];
const COUNT: usize = 40;

async fn send(mut end: End) -> Result<Vec<Block>, OtError> {
    let mut ots = rot::Sender::setup(&mut end.channel, Params::K4, &SESSION, &mut Prg::new(Block(1))).await?;
    let messages = vec![Block(1); COUNT];
    chosen::send(&mut end.channel, &mut ots, &messages, &messages).await?;
    end.channel.finish().await?;
    Ok(messages)
}

async fn receive(mut end: End) -> Result<Vec<Block>, OtError> {
    let mut ots =
        rot::Receiver::setup(&mut end.channel, Params::K4, &SESSION, &mut Prg::new(Block(2))).await?;
    let mut out = vec![Block::ZERO; COUNT];
    chosen::receive(&mut end.channel, &mut ots, &Bits::zeros(COUNT), &mut out).await?;
    end.channel.finish().await?;
    Ok(out)
}

type Ended = Result<Vec<Block>, OtError>;

async fn run(edits: [Edit; 2]) -> (Ended, Ended, [usize; 2]) {
    let (a, b, trace) = tap::run(edits, LIMIT, send, receive).await;
    (a, b, trace.map(|seen| seen.bytes))
}

/// Payload bytes that each party sends.
async fn sizes() -> [usize; 2] {
    let (a, b, sizes) = run([Edit::None; 2]).await;
    assert_eq!(a.unwrap(), b.unwrap());
    sizes
}

/// The edit, applied to one of the parties' messages.
fn edit(party: usize, edit: Edit) -> [Edit; 2] {
    let mut edits = [Edit::None; 2];
    edits[party] = edit;
    edits
}

#[tokio::test]
async fn a_cut_anywhere_is_an_error_at_both() {
    let sizes = sizes().await;
    for (party, &size) in sizes.iter().enumerate() {
        for at in (0..size).step_by(257).chain([size - 1]) {
            let (a, b, _) = run(edit(party, Edit::Cut(at))).await;
            for ended in [a, b] {
                assert!(matches!(ended, Err(OtError::Net(_))), "party {party}, byte {at}: {ended:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_silent_peer_is_a_timeout() {
    let sizes = sizes().await;
    for (party, &size) in sizes.iter().enumerate() {
        for at in [0, size / 2, size - 1] {
            let (a, b, _) = run(edit(party, Edit::Stall(at))).await;
            let waiting = if party == 0 { b } else { a };
            let timeout =
                matches!(waiting, Err(OtError::Net(NetError::Timeout { .. } | NetError::Closed { .. })));
            assert!(timeout, "party {party}, byte {at}: {waiting:?}");
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_never_panics_or_hangs() {
    let sizes = sizes().await;
    for (party, &size) in sizes.iter().enumerate() {
        for at in (0..size).step_by(97) {
            // Most bytes are masked by randomness, so a semi-honest peer cannot notice a flip; nobody may crash.
            let (a, b, _) = run(edit(party, Edit::Flip(at))).await;
            drop((a, b));
        }
    }
}

#[tokio::test]
async fn a_point_with_its_sign_flipped_is_refused() {
    // The least significant bit of an encoded point is zero in every canonical encoding.
    let (a, b, _) = run(edit(0, Edit::Flip(0))).await;
    assert!(a.is_err());
    assert!(matches!(b, Err(OtError::Malformed(_))), "{b:?}");
    let (a, _, _) = run(edit(1, Edit::Flip(0))).await;
    assert!(matches!(a, Err(OtError::Malformed(_))), "{a:?}");
}

#[tokio::test]
async fn padding_of_corrections_must_be_zero() {
    let bits = 3;
    let receiver = async |mut end: End| {
        end.channel.send(&[0b1001]).await.unwrap();
        end.channel.flush().await.unwrap();
    };
    let sender = async |mut end: End| chosen::receive_bits(&mut end.channel, bits).await;
    let (received, (), _) = tap::run([Edit::None; 2], LIMIT, sender, receiver).await;
    assert!(matches!(received, Err(OtError::Malformed(_))));
}
