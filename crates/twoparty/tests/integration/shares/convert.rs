//! Conversions between domains.

use super::harness::*;
use crate::tap::Edit;
use crate::with_side;
use std::collections::BTreeMap;
use tacit_math::Block;
use tacit_net::StreamId;
use tacit_twoparty::convert::ToLabels;
use tacit_twoparty::correlations::Requirement;
use tacit_twoparty::garbling::GarblingScheme;
use tacit_twoparty::yao::saved::LabelRequirement;
use tacit_twoparty::yao::streamed::{Evaluator, Garbler};
use tacit_twoparty::yao::{Region, RevealTo, Side, Sum, YaoError};
use tacit_twoparty::{Party, ShareError, arith, convert, gmw, wires};

async fn check_bool_to_arith(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let x = words(1, bits, lanes);
        let requirement =
            Requirement { eda_bits: BTreeMap::from([(bits, lanes as u64)]), ..Requirement::default() };
        let ended = measured(&requirement, async |end| {
            let wires = wires::from_words(&x, bits);
            let own = given(end, Party::Second, &wires);
            let shares = gmw::input(end, own, wires.len())?;
            convert::b2a(end, &shares, bits, lanes).await
        })
        .await;
        assert_eq!(sum([&ended[0].0, &ended[1].0], bits), x, "{bits} bits, {lanes} lanes");
        let sent = (u64::from(bits) * lanes as u64).div_ceil(8);
        assert_eq!(ended.map(|(_, bytes, rounds)| (bytes, rounds)), [(sent, 1); 2]);
    }
}

#[tokio::test]
async fn bool_to_arith() {
    check_bool_to_arith(grid(false)).await;
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn bool_to_arith_at_every_size() {
    check_bool_to_arith(grid(true)).await;
}

async fn check_arith_to_bool(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let adder = convert::adder(bits);
        let x = words(1, bits, lanes);
        let requirement = gmw::requirement(&adder, lanes as u64);
        let ended = measured(&requirement, async |end| {
            let own = given(end, Party::First, &x[..]);
            let shares = arith::input(end, own, bits, lanes)?;
            convert::a2b(end, &shares, bits, &adder).await
        })
        .await;
        let found = wires::to_words(&xor([&ended[0].0, &ended[1].0]), bits);
        assert_eq!(found, x, "{bits} bits, {lanes} lanes");
        assert_eq!(ended.map(|(_, _, rounds)| rounds), [adder.and_layers(); 2]);
    }
}

#[tokio::test]
async fn arith_to_bool() {
    check_arith_to_bool(grid(false)).await;
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn arith_to_bool_at_every_size() {
    check_arith_to_bool(grid(true)).await;
}

/// A round trip: arith to yao, yao to bool, bool to yao, yao to bool, bool to arith, twice in one session. The first sum may be
/// garbled in setup.
async fn check_through_labels_and_back(grid: Vec<(u32, usize)>) {
    for ((bits, lanes), ahead) in grid.into_iter().flat_map(|size| [(size, false), (size, true)]) {
        let (x, count) = (words(1, bits, lanes), lanes * bits as usize);
        let adder = convert::adder(bits);
        let around = async |start: Start| -> Result<[Vec<u128>; 2], ShareError> {
            let party = start.party;
            let requirement = Requirement {
                eda_bits: BTreeMap::from([(bits, 2 * lanes as u64)]),
                ..Requirement::default()
            };
            let (mut end, connection) = start.end(&requirement).await?;
            let mut side = yao(party, &connection).await?;
            let sum = Region { circuit: &adder, instances: lanes as u64, first_id: 0 };
            with_side!(&mut side, side => side.prepare(count, &[sum][..usize::from(ahead)]).await)?;
            let own = given(&end, Party::Second, &x[..]);
            let mut shares = arith::input(&mut end, own, bits, lanes)?;
            let mut opened = Vec::new();
            for run in 0..2 {
                let mut labels = vec![Block::ZERO; count];
                let id = run * adder.and_count * lanes as u64;
                with_side!(&mut side, side => convert::a2y(side, party, &shares, (&adder, id), &mut labels).await)?;
                let values = with_side!(&mut side, side => side.reveal(RevealTo::Both, &labels).await)?;
                opened.push(wires::to_words(&values.unwrap_or_default(), bits));
                let wires = convert::y2b(&labels);
                let mut again = vec![Block::ZERO; count];
                with_side!(&mut side, side => convert::b2y(side, party, &wires, &mut again).await)?;
                with_side!(&mut side, side => side.flush().await)?;
                shares = convert::b2a(&mut end, &convert::y2b(&again), bits, lanes).await?;
            }
            let last = arith::open(&mut end, RevealTo::Both, &shares, bits).await?.unwrap_or_default();
            assert_eq!(opened[0], opened[1]);
            Ok([opened.remove(0), last])
        };
        let (ended, _) = both([Edit::None; 2], LIMIT, around).await;
        for ended in ended {
            assert_eq!(ended.unwrap(), [x.clone(), x.clone()], "{bits} bits, {lanes} lanes");
        }
    }
}

const FIVE: [u128; 5] = [1, 0xffff_ffff, 77, 0, 1 << 31];
const THREE: [u128; 3] = [100, 127, 64];

/// Sums that setup has garbled cost what is predicted, in any order, and are used once.
#[tokio::test]
async fn sums_garbled_ahead_are_spent_once() {
    let (wide, narrow) = (convert::adder(32), convert::adder(7));
    let region = |circuit, instances, first_id| Region { circuit, instances, first_id };
    let regions = [region(&wide, 5, 10), region(&narrow, 3, 10_000), region(&narrow, 3, 20_000)];
    let run = async |start: Start, kept: bool| -> Result<Vec<u128>, ShareError> {
        let party = start.party;
        let (mut end, connection) = start.end(&Requirement::default()).await?;
        let mut side = yao(party, &connection).await?;
        with_side!(&mut side, side => side.prepare(12, &regions).await)?;
        if kept {
            side = put_away(
                side,
                LabelRequirement { labels: 12, sums: &regions, scheme: GarblingScheme::HalfGates },
            )?;
        }
        let own = given(&end, Party::First, &FIVE[..]);
        let five = arith::input(&mut end, own, 32, 5)?;
        let own = given(&end, Party::Second, &THREE[..]);
        let three = arith::input(&mut end, own, 7, 3)?;
        let (mut a, mut b) = (vec![Block::ZERO; 160], vec![Block::ZERO; 21]);
        // A sum of other words under ids that are taken is refused.
        let other = async |side: &mut YaoSide, lanes: usize, id| {
            let mut labels = vec![Block::ZERO; 7 * lanes];
            with_side!(side, side => convert::a2y(side, party, &vec![0; lanes], (&narrow, id), &mut labels).await)
        };
        assert!(matches!(
            other(&mut side, 2, 20_000).await,
            Err(ShareError::Yao(YaoError::NotPrepared { .. }))
        ));
        // Both in one round, with the later one first.
        let before = with_side!(&mut side, side => (side.channel().bytes_sent(), side.channel().rounds()));
        let both = vec![
            ToLabels::Sum(Sum { region: regions[1], shares: &three, labels: &mut b }),
            ToLabels::Sum(Sum { region: regions[0], shares: &five, labels: &mut a }),
        ];
        with_side!(&mut side, side => convert::to_labels(side, party, both).await)?;
        let after = with_side!(&mut side, side => (side.channel().bytes_sent(), side.channel().rounds()));
        let sent = if party == Party::First { 16 * (160 + 21 + 2) } else { (160u64 + 21).div_ceil(8) };
        // The garbler turns after the last message of setup.
        assert_eq!((after.0 - before.0, after.1 - before.1), (sent, 1));
        let refused = async |side: &mut YaoSide, id| match other(side, 3, id).await {
            Err(ShareError::Yao(YaoError::GateIds { .. })) => !kept,
            Err(ShareError::Yao(YaoError::NotPrepared { .. })) => kept,
            _ => false,
        };
        assert!(refused(&mut side, 10).await && refused(&mut side, 10_000).await);
        let mut opened = Vec::new();
        for (labels, bits) in [(&a, 32), (&b, 7)] {
            let values = with_side!(&mut side, side => side.reveal(RevealTo::Both, labels).await)?;
            opened.extend(wires::to_words(&values.unwrap_or_default(), bits));
        }
        Ok(opened)
    };
    for kept in [false, true] {
        let (ended, _) = both([Edit::None; 2], LIMIT, async |start| run(start, kept).await).await;
        for ended in ended {
            assert_eq!(ended.unwrap(), [&FIVE[..], &THREE].concat());
        }
    }
}

/// Saves a side's material as bytes and reads it back; bytes of other lengths are refused.
fn put_away(side: YaoSide, required: LabelRequirement<'_>) -> Result<YaoSide, YaoError> {
    let lengths = required.bytes().unwrap();
    let wrong = |length: usize| [0, 1, 16, length - 1, length + 1];
    Ok(match side {
        YaoSide::Garbler(side) => {
            let (bytes, channel, _) = side.save();
            assert_eq!(bytes.len(), lengths[0]);
            for length in wrong(lengths[0]) {
                let mut other = bytes.to_vec();
                other.resize(length, 0);
                let (_, connection) = tacit_net::memory::pair(tacit_net::Options::default());
                let channel = connection.open(StreamId(1))?;
                assert!(Garbler::resume(channel, required, &other, prg(Party::First, 5)).is_err());
            }
            let side = Garbler::resume(channel, required, &bytes, prg(Party::First, 5))?;
            let (again, channel, _) = side.save();
            assert_eq!(again, bytes);
            YaoSide::Garbler(Box::new(Garbler::resume(channel, required, &bytes, prg(Party::First, 6))?))
        }
        YaoSide::Evaluator(side) => {
            let (bytes, channel, _) = side.save();
            assert_eq!(bytes.len(), lengths[1]);
            for length in wrong(lengths[1]) {
                let mut other = bytes.to_vec();
                other.resize(length, 0);
                let (_, connection) = tacit_net::memory::pair(tacit_net::Options::default());
                let channel = connection.open(StreamId(1))?;
                assert!(Evaluator::resume(channel, required, &other).is_err());
            }
            let side = Evaluator::resume(channel, required, &bytes)?;
            let (again, channel, _) = side.save();
            assert_eq!(again, bytes);
            YaoSide::Evaluator(Box::new(Evaluator::resume(channel, required, &bytes)?))
        }
    })
}

#[tokio::test]
async fn through_labels_and_back() {
    check_through_labels_and_back(grid(false)).await;
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn through_labels_and_back_at_every_size() {
    check_through_labels_and_back(grid(true)).await;
}
