//! Corrupted, truncated and stalled links: every party stops with an error or ends, and none panics or hangs.

use super::harness::*;
use crate::tap::Edit;
use std::collections::BTreeMap;
use std::time::Duration;
use tacit_net::NetError;
use tacit_ot::OtError;
use tacit_twoparty::correlations::{MatrixShape, Requirement};
use tacit_twoparty::yao::RevealTo;
use tacit_twoparty::{Party, ShareError, arith, convert, gmw};

const SHORT: Duration = Duration::from_millis(400);
const SHAPE: MatrixShape = MatrixShape { bits: 9, rows: 2, inner: 2, columns: 1 };

fn requirement() -> Requirement {
    let one = BTreeMap::from([(9, 4)]);
    let mut requirement = Requirement {
        bit_triples: [(1, 1000), (2, 100), (9, 4)].into(),
        word_triples: one.clone(),
        square_pairs: one.clone(),
        matrix_triples: BTreeMap::from([(SHAPE, 1)]),
        eda_bits: one.clone(),
        nary_triples: BTreeMap::from([(3, 30), (4, 30)]),
        lookup_tables: [((), 30)].into(),
        da_bits: BTreeMap::from([(9, 4), (2, 4)]),
        bit_word_triples: one,
    };
    requirement.add(&gmw::requirement(&convert::adder(9), 4), 1);
    requirement
}

/// Every operation once.
async fn everything(start: Start) -> Result<Vec<u128>, ShareError> {
    let (mut end, _connection) = start.end(&requirement()).await?;
    let end = &mut end;
    let own = given(end, Party::First, &[1u128, 2, 300, 4][..]);
    let x = arith::input(end, own, 9, 4)?;
    let product = arith::multiply(end, &x, &x, 9).await?;
    let square = arith::square(end, &product, 9).await?;
    let matrix = arith::matrix_product(end, SHAPE, &square, &x[..2]).await?;
    let wires = convert::a2b(end, &x, 9, &convert::adder(9)).await?;
    let chosen = gmw::select(end, &wires.slice(0..4), &wires, &wires, 9).await?;
    let back = convert::b2a(end, &chosen, 9, 4).await?;
    let less = arith::less(end, &x, &back, 9).await?;
    let same = arith::equal(end, &x, &back, 9).await?;
    let back = arith::select(end, &same, &back, &product, 9).await?;
    let high = arith::resize(end, arith::Resize::Logical { by: 2 }, &back, 9).await?;
    let all = gmw::all(end, &wires, 4).await?;
    let mut opened = arith::open(end, RevealTo::Both, &back, 9).await?.unwrap_or_default();
    opened.extend(arith::open(end, RevealTo::Both, &matrix, 9).await?.unwrap_or_default());
    opened.extend(arith::open(end, RevealTo::Both, &high, 9).await?.unwrap_or_default());
    for bits in [less, all] {
        opened.push(gmw::open(end, RevealTo::Both, &bits).await?.unwrap_or_default().count_ones() as u128);
    }
    Ok(opened)
}

async fn ended(edits: [Edit; 2]) -> ([Result<Vec<u128>, ShareError>; 2], [usize; 2]) {
    let (ended, trace) = both(edits, SHORT, everything).await;
    (ended, trace.map(|seen| seen.bytes))
}

fn edit(party: usize, edit: Edit) -> [Edit; 2] {
    let mut edits = [Edit::None; 2];
    edits[party] = edit;
    edits
}

fn is_net(error: &ShareError) -> bool {
    matches!(error, ShareError::Net(_) | ShareError::Ot(OtError::Net(_)))
}

/// Bytes of a whole run; those of the online phase are at the end.
async fn sizes() -> [usize; 2] {
    let (ended, sizes) = ended([Edit::None; 2]).await;
    for ended in ended {
        let matrix = [33, 300u128.pow(4) % 512];
        assert_eq!(ended.unwrap(), [&[1, 2, 300, 4][..], &matrix, &[0, 0, 75, 1, 0, 0]].concat());
    }
    sizes
}

#[tokio::test]
async fn a_cut_anywhere_is_an_error_at_both() {
    for (party, size) in sizes().await.into_iter().enumerate() {
        for at in (0..size - 200).step_by(1201).chain((size - 200..size).step_by(23)).chain([size - 1]) {
            let (ended, _) = ended(edit(party, Edit::Cut(at))).await;
            // The party that received the last message may be done.
            let other = &ended[1 - party];
            assert!(other.as_ref().is_err_and(is_net), "party {party}, byte {at} of {size}: {other:?}");
        }
    }
}

#[tokio::test]
async fn a_silent_peer_is_a_timeout() {
    for (party, size) in sizes().await.into_iter().enumerate() {
        for at in [size / 2, size - 100, size - 1] {
            let (mut ended, _) = ended(edit(party, Edit::Stall(at))).await;
            let Err(ShareError::Net(error) | ShareError::Ot(OtError::Net(error))) = &mut ended[1 - party]
            else {
                panic!("party {party}, byte {at}: {ended:?}");
            };
            assert!(
                matches!(error, NetError::Timeout { .. } | NetError::Closed { .. }),
                "party {party}: {error}"
            );
        }
    }
}

#[tokio::test]
async fn a_flipped_bit_never_panics_or_hangs() {
    for (party, size) in sizes().await.into_iter().enumerate() {
        for at in (0..size - 200).step_by(5003).chain((size - 200..size).step_by(7)) {
            // A passive peer cannot tell masked bytes from others; nobody may crash.
            let _ = ended(edit(party, Edit::Flip(at))).await;
        }
    }
}

#[tokio::test]
async fn padding_is_checked() {
    let open = async |start: Start| -> Result<Option<tacit_math::Bits>, ShareError> {
        let (party, link) = (start.party, start.link);
        let (mut channel, bits) = (link.channel, tacit_math::Bits::zeros(3));
        if party == Party::First {
            // What an honest party of another program might send: three bits are expected, eight arrive.
            channel.receive(16).await?;
            channel.send(&[0; 16]).await?;
            channel.send(&[0xff]).await?;
            channel.finish().await?;
            return Ok(None);
        }
        let mut end = tacit_twoparty::End::start(channel, party, Default::default(), prg(party, 1)).await?;
        gmw::open(&mut end, RevealTo::Evaluator, &bits).await
    };
    let (ended, _) = both([Edit::None; 2], SHORT, open).await;
    let Err(error) = &ended[1] else { panic!("{:?}", ended[1]) };
    assert_eq!(error.to_string(), "the peer's message has bits set after its 3 bits");
}

#[tokio::test]
async fn padding_of_offsets_is_checked() {
    let requirement = Requirement { lookup_tables: [((), 1)].into(), ..Requirement::default() };
    let compare = async |start: Start| -> Result<(), ShareError> {
        let party = start.party;
        let (mut end, _connection) = start.end(&requirement).await?;
        if party == Party::First {
            return arith::most_significant(&mut end, &[1], 5).await.map(|_| ());
        }
        // A single offset of half a byte is expected.
        let mut channel = end.finish();
        channel.send(&[0xff]).await?;
        channel.finish().await?;
        Ok(())
    };
    let (ended, _) = both([Edit::None; 2], SHORT, compare).await;
    let expected = matches!(ended[0], Err(ShareError::Padding { what: "offsets of lookups", count: 1 }));
    assert!(expected, "{:?}", ended[0]);
}
