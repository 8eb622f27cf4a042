//! Comparisons of shared words.

use super::harness::*;
use tacit_math::Bits;
use tacit_twoparty::arith::{self, Comparison, ComparisonOperand, ComparisonShape, Relation};
use tacit_twoparty::{Party, ShareError, mask};

const RELATIONS: [Relation; 4] =
    [Relation::LessUnsigned, Relation::LessSigned, Relation::LessWithin, Relation::Equal];

fn shape(relation: Relation, shared: [bool; 2], bits: u32, lanes: usize) -> ComparisonShape {
    ComparisonShape { relation, shared, bits, lanes: lanes as u64 }
}

/// All four relations of x and y together; `shared` says which of the two are shared.
async fn check(x: &[u128], y: &[u128], shared: [bool; 2], bits: u32) {
    let cost = arith::compare_cost(&RELATIONS.map(|relation| shape(relation, shared, bits, x.len())));
    let ended = predicted(&cost, async |end| {
        let [own_x, own_y] = [given(end, Party::First, x), given(end, Party::Second, y)];
        let a = arith::input(end, own_x, bits, x.len())?;
        let b = arith::input(end, own_y, bits, y.len())?;
        let operand = |shared, shares, words| {
            if shared { ComparisonOperand::Shared(shares) } else { ComparisonOperand::Public(words) }
        };
        let [x, y] = [operand(shared[0], &a[..], x), operand(shared[1], &b[..], y)];
        arith::compare_all(end, &RELATIONS.map(|relation| Comparison { relation, x, y, bits })).await
    })
    .await;
    for (i, relation) in RELATIONS.into_iter().enumerate() {
        let pairs = x.iter().zip(y);
        let expected: Bits = pairs.map(|(x, y)| compared(relation, *x, *y, bits)).collect();
        let context = format!("{relation:?}, {bits} bits, {} lanes, {shared:?} shared", x.len());
        assert_eq!(xor([&ended[0][i], &ended[1][i]]), expected, "{context}");
    }
}

/// Words that are close to each other and to the ends of the range, and others.
fn close(bits: u32, lanes: usize) -> [Vec<u128>; 2] {
    let (x, mut y) = (words(1, bits, lanes), words(2, bits, lanes));
    for (i, (x, y)) in x.iter().zip(&mut y).enumerate() {
        *y = match i % 6 {
            0 => *x,
            1 => x.wrapping_add(1),
            2 => x.wrapping_sub(1),
            3 => x ^ 1u128.wrapping_shl(i as u32 * 7 % bits),
            4 => 1 << (bits - 1),
            _ => *y,
        } & mask(bits);
    }
    [x, y]
}

#[tokio::test]
async fn words_of_every_width() {
    for (bits, lanes) in grid(false) {
        let [x, y] = close(bits, lanes);
        check(&x, &y, [true, true], bits).await;
    }
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn words_of_every_width_at_every_size() {
    for bits in 1..=128 {
        for lanes in LANES {
            let [x, y] = close(bits, lanes);
            check(&x, &y, [true, true], bits).await;
        }
    }
}

#[tokio::test]
async fn all_small_words() {
    for bits in 1..=6 {
        let all = 1u128 << bits;
        let (x, y): (Vec<u128>, Vec<u128>) = (0..all * all).map(|i| (i / all, i % all)).unzip();
        for shared in [[true, true], [true, false], [false, true], [false, false]] {
            check(&x, &y, shared, bits).await;
        }
    }
}

/// Every pair of shares of every word, so that no shares of a word are special.
#[tokio::test]
async fn all_small_shares() {
    for bits in 1..=4 {
        let all = 1usize << bits;
        let count = all.pow(4);
        let share = |place: usize| move |i: usize| (i / (1usize << (bits * place as u32)) % all) as u128;
        let shares: [Vec<u128>; 4] = std::array::from_fn(|place| (0..count).map(share(place)).collect());
        let cost = arith::compare_cost(&[shape(Relation::LessUnsigned, [true; 2], bits, count)]);
        let ended = predicted(&cost, async |end| {
            let own = end.party().index() * 2;
            arith::less(end, &shares[own], &shares[own + 1], bits).await
        })
        .await;
        let found = xor([&ended[0], &ended[1]]);
        for (i, found) in found.iter().enumerate() {
            let [x, y] = [0, 1].map(|operand| (shares[operand][i] + shares[2 + operand][i]) & mask(bits));
            assert_eq!(found, x < y, "{bits} bits, shares {i}");
        }
    }
}

#[tokio::test]
async fn several_widths_share_messages_and_a_session_serves_again() {
    let widths = [3, 32, 64, 127];
    let values = widths.map(|bits| close(bits, 10));
    let shapes: Vec<ComparisonShape> =
        widths.iter().map(|bits| shape(Relation::LessUnsigned, [true; 2], *bits, 10)).collect();
    let single = arith::compare_cost(&shapes);
    // Sixteen digits and more than a third of them again: two rounds, and one for each doubling.
    assert_eq!(single.rounds(), [2 + 5; 2]);
    let mut cost = single.clone();
    cost.then(&single);
    let ended = predicted(&cost, async |end| {
        let mut shares = Vec::new();
        for (bits, [x, y]) in widths.iter().zip(&values) {
            let own = given(end, Party::First, &x[..]);
            let x = arith::input(end, own, *bits, 10)?;
            let own = given(end, Party::Second, &y[..]);
            shares.push([x, arith::input(end, own, *bits, 10)?]);
        }
        let comparison = |(bits, [x, y]): (&u32, &'_ [Vec<u128>; 2])| (*bits, x.clone(), y.clone());
        let owned: Vec<(u32, Vec<u128>, Vec<u128>)> = widths.iter().zip(&shares).map(comparison).collect();
        let asked: Vec<Comparison<'_>> = owned
            .iter()
            .map(|(bits, x, y)| {
                let [x, y] = [ComparisonOperand::Shared(x), ComparisonOperand::Shared(y)];
                Comparison { relation: Relation::LessUnsigned, x, y, bits: *bits }
            })
            .collect();
        let first = arith::compare_all(end, &asked).await?;
        Ok([first, arith::compare_all(end, &asked).await?])
    })
    .await;
    for (first, second) in ended[0].iter().zip(&ended[1]) {
        for (i, [x, y]) in values.iter().enumerate() {
            let expected: Bits = x.iter().zip(y).map(|(x, y)| x < y).collect();
            assert_eq!(xor([&first[i], &second[i]]), expected);
        }
    }
}

/// The figures of the documentation.
#[tokio::test]
async fn costs_of_32_bits() {
    let cost = arith::compare_cost(&[shape(Relation::LessUnsigned, [true; 2], 32, 1000)]);
    let needed = &cost.requirement;
    assert_eq!(
        (needed.lookup_tables[&()], needed.bit_triples[&2], needed.bit_triples[&1]),
        (12_000, 12_000, 9000)
    );
    assert_eq!((cost.bytes(), cost.rounds()), ([60_750; 2], [5; 2]));
    let cost = arith::compare_cost(&[shape(Relation::LessWithin, [true; 2], 32, 1000)]);
    let needed = &cost.requirement;
    assert_eq!(
        (needed.lookup_tables[&()], needed.bit_triples[&2], needed.bit_triples[&1]),
        (4000, 4000, 3000)
    );
    assert_eq!(cost.bytes(), [20_250; 2]);
    let cost = arith::compare_cost(&[shape(Relation::Equal, [true; 2], 32, 1000)]);
    let needed = &cost.requirement;
    assert_eq!(
        (needed.lookup_tables[&()], needed.nary_triples[&4], needed.bit_triples[&1]),
        (4000, 2000, 1000)
    );
    assert_eq!((cost.bytes(), cost.rounds()), ([11_250; 2], [4; 2]));
}

#[tokio::test]
async fn most_significant_bits() {
    for (bits, lanes) in grid(false) {
        let x = words(5, bits, lanes);
        let cost = arith::compare_cost(&[shape(Relation::LessWithin, [true, false], bits, lanes)]);
        let ended = predicted(&cost, async |end| {
            let own = given(end, Party::Second, &x[..]);
            let shares = arith::input(end, own, bits, lanes)?;
            arith::most_significant(end, &shares, bits).await
        })
        .await;
        let expected: Bits = x.iter().map(|x| x >> (bits - 1) == 1).collect();
        assert_eq!(xor([&ended[0], &ended[1]]), expected, "{bits} bits, {lanes} lanes");
    }
}

#[tokio::test]
async fn what_does_not_fit_is_an_error() {
    let ended = measured(&Default::default(), async |end| {
        let errors = [
            arith::less(end, &[1], &[], 8).await.err(),
            arith::equal(end, &[1], &[1], 129).await.err(),
            arith::less(end, &[1], &[1], 0).await.err(),
            arith::most_significant(end, &[1], 8).await.err(),
        ];
        Ok(errors)
    })
    .await;
    for ([shape, wide, narrow, exhausted], _, _) in ended {
        assert!(matches!(shape, Some(ShareError::Shape { given: 0, expected: 1, .. })), "{shape:?}");
        assert!(matches!(wide, Some(ShareError::Width { bits: 129 })), "{wide:?}");
        assert!(matches!(narrow, Some(ShareError::Width { bits: 0 })), "{narrow:?}");
        assert!(
            matches!(exhausted, Some(ShareError::Exhausted { what: "table lookups", .. })),
            "{exhausted:?}"
        );
    }
}
