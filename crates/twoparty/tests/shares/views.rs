//! What each party sees is uniform, at toy sizes.

use crate::harness::*;
use std::collections::BTreeMap;
use tacit_crypto::Prg;
use tacit_ot::softspoken::Params;
use tacit_twoparty::triples::{Demand, Ots, Stock};
use tacit_twoparty::yao::Recipients;
use tacit_twoparty::{End, Party, arith, convert, gmw};
use tap::Edit;

/// Cells of the tables below are counts of values of this many bits.
const BITS: u32 = 3;
const RUNS: usize = 2000;

/// Shares of what a party holds after an operation, as numbers below 2^BITS, for one fixed input.
async fn shares(runs: usize) -> Vec<[u128; 2]> {
    let one = |count| BTreeMap::from([(BITS, count as u64)]);
    let demand = Demand {
        products: one(runs),
        squares: one(runs),
        doubly_shared: one(runs),
        ands: 100 * runs as u64,
        ..Demand::default()
    };
    let view = async |start: Start| {
        let party = start.party;
        let mut channel = start.link.channel;
        // Not the fixed randomness of other tests: the counts below are of fresh runs.
        let os = || Prg::from_os().unwrap();
        let mut ots = Ots::setup(&mut channel, party, Params::K4, &SESSION, os()).await.unwrap();
        let stock = Stock::make(&mut ots, &mut channel, &demand).await.unwrap();
        let mut end = End::start(channel, party, stock, os()).await.unwrap();
        let own = given(&end, Party::First, vec![5u128; runs]);
        let x = arith::input(&mut end, own.as_deref(), BITS, runs).unwrap();
        let product = arith::multiply(&mut end, &x, &x, BITS).await.unwrap();
        let square = arith::square(&mut end, &product, BITS).await.unwrap();
        let wires = convert::a2b(&mut end, &square, BITS, &convert::adder(BITS)).await.unwrap();
        let back = convert::b2a(&mut end, &wires, BITS, runs).await.unwrap();
        let opened = arith::open(&mut end, Recipients::Both, &back, BITS).await.unwrap().unwrap();
        assert!(opened.iter().all(|word| *word == 5u128.pow(4) % 8));
        let _ = gmw::random(&mut end, 1);
        [x, product, square, back]
    };
    let ([first, second], _) = both([Edit::None; 2], LIMIT, view).await;
    first.into_iter().flatten().zip(second.into_iter().flatten()).map(|(x, y)| [x, y]).collect()
}

#[tokio::test]
async fn shares_of_fixed_values_are_uniform() {
    let shares = shares(RUNS).await;
    for stage in shares.chunks(RUNS) {
        for party in 0..2 {
            let mut counts = [0f64; 1 << BITS];
            stage.iter().for_each(|shares| counts[shares[party] as usize] += 1.0);
            let expected = RUNS as f64 / counts.len() as f64;
            let chi_square: f64 = counts.iter().map(|count| (count - expected).powi(2) / expected).sum();
            // 7 degrees of freedom: above 50 once in 10^8 runs.
            assert!(chi_square < 50.0, "party {party}: {counts:?}");
        }
    }
}
