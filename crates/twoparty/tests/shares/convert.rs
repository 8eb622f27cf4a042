//! Conversions between domains.

use crate::harness::*;
use crate::with_side;
use std::collections::BTreeMap;
use tacit_math::Block;
use tacit_twoparty::triples::Demand;
use tacit_twoparty::yao::{Recipients, Side};
use tacit_twoparty::{Party, ShareError, arith, convert, gmw, wires};
use tap::Edit;

async fn check_bool_to_arith(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let x = words(1, bits, lanes);
        let demand = Demand { doubly_shared: BTreeMap::from([(bits, lanes as u64)]), ..Demand::default() };
        let ended = measured(&demand, async |end| {
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
        let mut demand = Demand::default();
        demand.circuit(&adder, lanes as u64);
        let ended = measured(&demand, async |end| {
            let own = given(end, Party::First, &x[..]);
            let shares = arith::input(end, own, bits, lanes)?;
            convert::a2b(end, &shares, bits, &adder).await
        })
        .await;
        let found = wires::to_words(&xor([&ended[0].0, &ended[1].0]), bits);
        assert_eq!(found, x, "{bits} bits, {lanes} lanes");
        assert_eq!(ended.map(|(_, _, rounds)| rounds), [gmw::and_layers(&adder); 2]);
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

/// Around: arith to yao, yao to bool, bool to yao, yao to bool, bool to arith, twice in one session.
async fn check_through_labels_and_back(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let (x, count) = (words(1, bits, lanes), lanes * bits as usize);
        let adder = convert::adder(bits);
        let around = async |start: Start| -> Result<[Vec<u128>; 2], ShareError> {
            let party = start.party;
            let demand =
                Demand { doubly_shared: BTreeMap::from([(bits, 2 * lanes as u64)]), ..Demand::default() };
            let (mut end, connection) = start.end(&demand).await?;
            let mut side = yao(party, &connection).await?;
            let own = given(&end, Party::Second, &x[..]);
            let mut shares = arith::input(&mut end, own, bits, lanes)?;
            let mut opened = Vec::new();
            for turn in 0..2 {
                let mut labels = vec![Block::ZERO; count];
                let id = turn * adder.and_count * lanes as u64;
                with_side!(&mut side, side => convert::a2y(side, party, (&shares, bits), (&adder, id), &mut labels).await)?;
                let values = with_side!(&mut side, side => side.reveal(Recipients::Both, &labels).await)?;
                opened.push(wires::to_words(&values.unwrap_or_default(), bits));
                let wires = convert::y2b(&labels);
                let mut again = vec![Block::ZERO; count];
                with_side!(&mut side, side => convert::b2y(side, party, &wires, &mut again).await)?;
                with_side!(&mut side, side => side.flush().await)?;
                shares = convert::b2a(&mut end, &convert::y2b(&again), bits, lanes).await?;
            }
            let last = arith::open(&mut end, Recipients::Both, &shares, bits).await?.unwrap_or_default();
            assert_eq!(opened[0], opened[1]);
            Ok([opened.remove(0), last])
        };
        let (ended, _) = both([Edit::None; 2], LIMIT, around).await;
        for ended in ended {
            assert_eq!(ended.unwrap(), [x.clone(), x.clone()], "{bits} bits, {lanes} lanes");
        }
    }
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
