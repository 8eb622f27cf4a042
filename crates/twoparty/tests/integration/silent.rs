//! Material from silent OT: relations across the ends of stages, and exact bytes.

use crate::shares::harness::*;
use crate::tap::Edit;
use std::collections::BTreeMap;
use tacit_math::{Bits, Block};
use tacit_ot::cot::Extension;
use tacit_ot::ferret::{Params, Set};
use tacit_twoparty::correlations::{
    BitTriples, BitWordTriples, DaBits, EdaBits, LookupTables, MatrixShape, MatrixTriples, NaryTriples, Ots,
    Pool, Requirement, SquarePairs, WordTriples,
};
use tacit_twoparty::transfers::{Tally, Transfers};
use tacit_twoparty::{Party, ShareError, mask};

const BITS: u32 = 32;

/// A pool at both parties from silent OTs, with the bytes that each sent for setup and for the material.
async fn made(params: Params, requirement: &Requirement) -> [(Pool, u64, u64); 2] {
    let make = async |start: Start| -> Result<(Pool, u64, u64), ShareError> {
        let mut channel = start.link.channel;
        let mut ots = Ots::setup(&mut channel, start.party, params, &SESSION, prg(start.party, 5)).await?;
        let setup = channel.bytes_sent();
        let pool = Pool::make(&mut ots, &mut channel, requirement).await?;
        let sent = channel.bytes_sent() - setup;
        as_counted(&channel, start.party, params, requirement);
        channel.finish().await?;
        Ok((pool, setup, sent))
    };
    both([Edit::None; 2], LIMIT, make).await.0.map(Result::unwrap)
}

#[tokio::test]
async fn all_material_keeps_its_relation_over_a_stage_and_costs_what_is_predicted() {
    // More products than one stage has OTs for.
    let (few, many) = (3000, Set::SMALL.usable() / BITS as usize + 1000);
    let shape = MatrixShape { bits: BITS, rows: 5, inner: 40, columns: 3 };
    let requirement = Requirement {
        bit_triples: [(1, 5 * few as u64 + 1), (BITS, few as u64)].into(),
        word_triples: BTreeMap::from([(BITS, many as u64)]),
        square_pairs: BTreeMap::from([(BITS, few as u64)]),
        matrix_triples: BTreeMap::from([(shape, 2)]),
        eda_bits: BTreeMap::from([(BITS, few as u64)]),
        ..Requirement::default()
    };
    let [mut first, mut second] = made(Params::Small, &requirement).await;
    let extension = Extension::from(Params::Small);
    let mut tally = Tally::default();
    let [one, other] = [Party::First, Party::Second].map(|sender| tally.set_up(extension, sender).bytes());
    for (party, (_, setup, sent)) in [&first, &second].into_iter().enumerate() {
        assert_eq!(*setup, one[party] + other[party]);
        assert_eq!(
            *sent,
            requirement.price::<Ots>().bytes()[party]
                + extension.bytes(requirement.price::<Ots>().ots()[party])
        );
    }

    let mut pools = [&mut first.0, &mut second.0];
    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitTriples>(1, 5 * few + 1).unwrap());
    let mut ab = xor([&x.a, &y.a]);
    ab &= &xor([&x.b[0], &y.b[0]]);
    assert_eq!(ab, xor([&x.c[0], &y.c[0]]));

    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitTriples>(BITS, few).unwrap());
    for i in 0..BITS as usize {
        let mut product = xor([&x.b[i], &y.b[i]]);
        product &= &xor([&x.a, &y.a]);
        assert_eq!(product, xor([&x.c[i], &y.c[i]]));
    }

    let [x, y] = pools.each_mut().map(|pool| pool.take::<WordTriples>(BITS, many).unwrap());
    let (a, b) = (sum([&x.a, &y.a], BITS), sum([&x.b, &y.b], BITS));
    let products: Vec<u128> = a.iter().zip(&b).map(|(a, b)| a.wrapping_mul(*b) & mask(BITS)).collect();
    assert!(sum([&x.c, &y.c], BITS) == products);

    let [x, y] = pools.each_mut().map(|pool| pool.take::<SquarePairs>(BITS, few).unwrap());
    let squares: Vec<u128> =
        sum([&x.a, &y.a], BITS).iter().map(|a| a.wrapping_mul(*a) & mask(BITS)).collect();
    assert_eq!(sum([&x.c, &y.c], BITS), squares);

    let [x, y] = pools.each_mut().map(|pool| pool.take::<EdaBits>(BITS, few).unwrap());
    let mut position = 0;
    for i in 0..few {
        for bit in 0..BITS {
            let width = BITS - bit;
            let sum = x.sums.block(position).0.wrapping_add(y.sums.block(position).0) & mask(width);
            assert_eq!(sum, (x.words[i] ^ y.words[i]) >> bit & 1, "word {i}, bit {bit}");
            position += width as usize;
        }
    }

    let [x, y] = pools.each_mut().map(|pool| pool.take::<MatrixTriples>(shape, 1).unwrap());
    let (a, b, c) = (sum([&x.a, &y.a], BITS), sum([&x.b, &y.b], BITS), sum([&x.c, &y.c], BITS));
    for (i, j) in (0..shape.rows).flat_map(|i| (0..shape.columns).map(move |j| (i, j))) {
        let product = (0..shape.inner).fold(0u128, |sum, k| {
            sum.wrapping_add(a[i * shape.inner + k].wrapping_mul(b[k * shape.columns + j]))
        });
        assert_eq!(c[i * shape.columns + j], product & mask(BITS));
    }
}

#[tokio::test]
async fn more_than_one_turn_is_made() {
    for params in [Params::Small, Params::Large] {
        let requirement = Requirement {
            bit_triples: [(1, 600_000)].into(),
            nary_triples: BTreeMap::from([(4, 20_000)]),
            ..Requirement::default()
        };
        let [mut first, mut second] = made(params, &requirement).await;
        let extension = Extension::from(params);
        for (party, (_, _, sent)) in [&first, &second].into_iter().enumerate() {
            assert_eq!(
                *sent,
                requirement.price::<Ots>().bytes()[party]
                    + extension.bytes(requirement.price::<Ots>().ots()[party])
            );
        }
        let [x, y] = [&mut first.0, &mut second.0].map(|pool| pool.take::<BitTriples>(1, 600_000).unwrap());
        let mut product = xor([&x.a, &y.a]);
        product &= &xor([&x.b[0], &y.b[0]]);
        assert_eq!(product, xor([&x.c[0], &y.c[0]]));
    }
}

#[tokio::test]
async fn what_comparisons_take_is_made_too() {
    let requirement = Requirement {
        bit_triples: [(1, 40_000), (2, 33_000)].into(),
        nary_triples: BTreeMap::from([(3, 33_000)]),
        lookup_tables: [((), 8200)].into(),
        da_bits: BTreeMap::from([(33, 4100)]),
        bit_word_triples: BTreeMap::from([(33, 4100)]),
        ..Requirement::default()
    };
    let [mut first, mut second] = made(Params::Large, &requirement).await;
    let extension = Extension::from(Params::Large);
    for (party, (_, _, sent)) in [&first, &second].into_iter().enumerate() {
        assert_eq!(
            *sent,
            requirement.price::<Ots>().bytes()[party]
                + extension.bytes(requirement.price::<Ots>().ots()[party])
        );
    }
    let mut pools = [&mut first.0, &mut second.0];
    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitTriples>(2, 33_000).unwrap());
    for i in 0..2 {
        let mut product = xor([&x.b[i], &y.b[i]]);
        product &= &xor([&x.a, &y.a]);
        assert_eq!(product, xor([&x.c[i], &y.c[i]]));
    }
    let [x, y] = pools.each_mut().map(|pool| pool.take::<NaryTriples>(3, 33_000).unwrap());
    let bit = |set: usize| xor([&x.products[set - 1], &y.products[set - 1]]);
    let mut all = bit(0b001);
    all &= &bit(0b010);
    assert_eq!(all, bit(0b011));
    all &= &bit(0b100);
    assert_eq!(all, bit(0b111));
    let [x, y] = pools.each_mut().map(|pool| pool.take::<LookupTables>((), 8200).unwrap());
    for i in 0..8200 {
        assert_eq!(x.tables[i] >> y.indices[i] & 0x0001_0001, y.entries[i]);
        assert_eq!(y.tables[i] >> x.indices[i] & 0x0001_0001, x.entries[i]);
    }
    let [x, y] = pools.each_mut().map(|pool| pool.take::<DaBits>(33, 4100).unwrap());
    let random: Vec<u128> = xor([&x.bits, &y.bits]).iter().map(u128::from).collect();
    assert_eq!(sum([&x.sums, &y.sums], 33), random);
    let [x, y] = pools.each_mut().map(|pool| pool.take::<BitWordTriples>(33, 4100).unwrap());
    let random: Vec<u128> = xor([&x.r, &y.r]).iter().map(u128::from).collect();
    let products: Vec<u128> = sum([&x.b, &y.b], 33).iter().zip(&random).map(|(b, r)| b * r).collect();
    assert_eq!(sum([&x.c, &y.c], 33), products);
}

/// Bytes of one piece of material if a million are made, including the setup of the OTs.
fn bytes_of_a_million(requirement: &Requirement) -> f64 {
    let (extension, mut tally) = (Extension::from(Params::Large), Tally::default());
    let setup: u64 = [Party::First, Party::Second]
        .map(|sender| tally.set_up(extension, sender).bytes())
        .iter()
        .flatten()
        .sum();
    let ots: u64 = requirement.price::<Ots>().ots().iter().map(|count| extension.bytes(*count)).sum();
    let messages: u64 = requirement.price::<Ots>().bytes().iter().sum();
    (setup + ots + messages) as f64 / 1e6
}

#[test]
fn a_million_products_and_ands_of_32_bits_are_as_small_as_they_should_be() {
    let million = 1_000_000;
    let products = Requirement { word_triples: BTreeMap::from([(32, million)]), ..Requirement::default() };
    let bytes = bytes_of_a_million(&products);
    // 2 · 32 · 33 / 2 bits of messages and 64 OTs.
    assert!((133.5..134.5).contains(&bytes), "{bytes} bytes a product");
    let ands = Requirement { bit_triples: [(1, 32 * million)].into(), ..Requirement::default() };
    let bytes = bytes_of_a_million(&ands);
    // 64 OTs of 0.21 bits, and 0.48 MB to start both directions.
    assert!((2.1..2.2).contains(&bytes), "{bytes} bytes for 32 ANDs");
}

/// Requests of a party, one after the other: an extension, and which party is the sender.
const ASKED: [(Extension, Party); 8] = [
    (Extension::SoftSpoken(tacit_ot::softspoken::Params::K4), Party::Second),
    (Extension::Ferret(Params::Small), Party::Second),
    (Extension::SoftSpoken(tacit_ot::softspoken::Params::K4), Party::First),
    (Extension::Ferret(Params::Small), Party::First),
    (Extension::Ferret(Params::Large), Party::First),
    (Extension::Ferret(Params::Small), Party::Second),
    (Extension::SoftSpoken(tacit_ot::softspoken::Params::K4), Party::Second),
    (Extension::Ferret(Params::Small), Party::First),
];

#[tokio::test]
async fn every_extension_of_a_session_grows_from_one_set_of_base_ots() {
    const COUNT: usize = 1000;
    let run = async |start: Start| -> Result<_, ShareError> {
        let (mut channel, me) = (start.link.channel, start.party);
        let mut prg = prg(me, 6);
        let mut transfers = Transfers::new(SESSION, tacit_ot::softspoken::Params::K4);
        let (mut sent, mut blocks) = (Vec::new(), Vec::new());
        for (extension, sender) in ASKED {
            let before = channel.bytes_sent();
            if sender == me {
                let mut ots = transfers.sender(&mut channel, extension, &mut prg).await?;
                let (mut zeros, mut ones) = (vec![Block::ZERO; COUNT], vec![Block::ZERO; COUNT]);
                ots.extend(&mut channel, &mut zeros, &mut ones).await?;
                transfers.keep_sender(extension, ots);
                blocks.push((zeros, ones, Bits::default()));
            } else {
                let mut ots = transfers.receiver(&mut channel, extension, &mut prg).await?;
                let mut chosen = vec![Block::ZERO; COUNT];
                let choices = ots.extend(&mut channel, &mut chosen).await?;
                transfers.keep_receiver(extension, ots);
                blocks.push((chosen, Vec::new(), choices));
            }
            channel.flush().await?;
            sent.push((channel.bytes_sent() - before, transfers.tally(me)));
        }
        channel.finish().await?;
        Ok((sent, blocks))
    };
    let [first, second] = both([Edit::None; 2], LIMIT, run).await.0.map(Result::unwrap);
    let mut tally = Tally::default();
    for (i, (extension, sender)) in ASKED.into_iter().enumerate() {
        let (setup, ots) =
            (tally.set_up(extension, sender).bytes(), tally.take(extension, sender, COUNT as u64));
        assert_eq!([first.0[i].0, second.0[i].0], [setup[0] + ots[0], setup[1] + ots[1]], "{i}");
        assert_eq!([first.0[i].1, second.0[i].1], [tally; 2], "{i}");
        let ((zeros, ones, _), (chosen, _, choices)) = match sender {
            Party::First => (&first.1[i], &second.1[i]),
            Party::Second => (&second.1[i], &first.1[i]),
        };
        for (j, choice) in choices.iter().enumerate() {
            assert_eq!(chosen[j], if choice { ones[j] } else { zeros[j] }, "{i}, {j}");
            assert_ne!(zeros[j], ones[j]);
        }
    }
}
