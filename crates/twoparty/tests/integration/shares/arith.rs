//! Shares of words.

use super::harness::*;
use std::collections::BTreeMap;
use tacit_twoparty::arith::{self, Factors};
use tacit_twoparty::batch::{self, WordOperation};
use tacit_twoparty::correlations::{MatrixShape, Requirement};
use tacit_twoparty::yao::RevealTo;
use tacit_twoparty::{End, Party, ShareError, mask};

/// Shares of one word vector of each party.
fn inputs(end: &mut End, x: &[u128], y: &[u128], bits: u32) -> Result<[Vec<u128>; 2], ShareError> {
    let own = given(end, Party::First, x);
    let x = arith::input(end, own, bits, x.len())?;
    let own = given(end, Party::Second, y);
    Ok([x, arith::input(end, own, bits, y.len())?])
}

async fn check_local_operations_and_openings(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let (x, y, public) = (words(1, bits, lanes), words(2, bits, lanes), words(3, bits, lanes));
        let ended = measured(&Requirement::default(), async |end| {
            let [a, b] = inputs(end, &x, &y, bits)?;
            let scaled = arith::multiply_public(&arith::add(&a, &b, bits), &public, bits);
            let less = arith::subtract(&scaled, &b, bits);
            let sum = arith::add_public(end.party(), &arith::negate(&less, bits), &public, bits);
            let sum = arith::add(&sum, &arith::constant(end.party(), &x, bits), bits);
            let sums = arith::segment_sum(&sum, lanes, bits);
            let both = arith::open(end, RevealTo::Both, &sum, bits).await?;
            Ok((both, arith::open(end, RevealTo::Evaluator, &sums, bits).await?))
        })
        .await;
        let expected: Vec<u128> = (0..lanes)
            .map(|i| {
                let less = x[i].wrapping_add(y[i]).wrapping_mul(public[i]).wrapping_sub(y[i]);
                public[i].wrapping_sub(less).wrapping_add(x[i]) & mask(bits)
            })
            .collect();
        let total = expected.iter().fold(0u128, |sum, x| sum.wrapping_add(*x)) & mask(bits);
        let bytes = (bits as u64 * lanes as u64).div_ceil(8);
        let [(first, first_bytes, _), (second, second_bytes, _)] = ended;
        assert_eq!(first, (Some(expected.clone()), None));
        assert_eq!(second, (Some(expected), Some(vec![total])));
        assert_eq!((first_bytes, second_bytes), (bytes + u64::from(bits).div_ceil(8), bytes));
    }
}

#[tokio::test]
async fn local_operations_and_openings() {
    check_local_operations_and_openings(grid(false)).await;
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn local_operations_and_openings_at_every_size() {
    check_local_operations_and_openings(grid(true)).await;
}

async fn check_products_and_squares(grid: Vec<(u32, usize)>) {
    for (bits, lanes) in grid {
        let (x, y) = (words(1, bits, lanes), words(2, bits, lanes));
        let one = |count| BTreeMap::from([(bits, count)]);
        let requirement = Requirement {
            word_triples: one(2 * lanes as u64),
            square_pairs: one(lanes as u64),
            ..Requirement::default()
        };
        let ended = measured(&requirement, async |end| {
            let [x, y] = inputs(end, &x, &y, bits)?;
            let product = arith::multiply(end, &x, &y, bits).await?;
            let again = arith::multiply(end, &product, &y, bits).await?;
            Ok([product, again, arith::square(end, &x, bits).await?])
        })
        .await;
        let expected = |i: usize| -> Vec<u128> {
            let of = |(x, y): (&u128, &u128)| {
                [x.wrapping_mul(*y), x.wrapping_mul(y.wrapping_mul(*y)), x.wrapping_mul(*x)][i]
            };
            x.iter().zip(&y).map(|pair| of(pair) & mask(bits)).collect()
        };
        for i in 0..3 {
            assert_eq!(
                sum([&ended[0].0[i], &ended[1].0[i]], bits),
                expected(i),
                "{bits} bits, {lanes} lanes"
            );
        }
        let bits = u64::from(bits) * lanes as u64;
        let sent = 2 * (2 * bits).div_ceil(8) + bits.div_ceil(8);
        assert_eq!(ended.map(|(_, bytes, rounds)| (bytes, rounds)), [(sent, 3); 2]);
    }
}

#[tokio::test]
async fn products_and_squares() {
    check_products_and_squares(grid(false)).await;
}

#[tokio::test]
#[ignore = "minutes: every width with every number of lanes"]
async fn products_and_squares_at_every_size() {
    check_products_and_squares(grid(true)).await;
}

#[tokio::test]
async fn products_of_several_widths_share_a_round() {
    let widths = [5, 64, 128];
    let word_triples = widths.map(|bits| (bits, 10)).into();
    let values = widths.map(|bits| (words(1, bits, 10), words(2, bits, 10)));
    let ended = measured(&Requirement { word_triples, ..Requirement::default() }, async |end| {
        let mut shares = Vec::new();
        for (bits, (x, y)) in widths.iter().zip(&values) {
            shares.push(inputs(end, x, y, *bits)?);
        }
        let factors = widths.iter().zip(&shares).map(|(bits, [x, y])| Factors { x, y, bits: *bits });
        let operations: Vec<WordOperation<'_>> = factors.map(WordOperation::Multiply).collect();
        batch::run(end, &operations, &mut []).await
    })
    .await;
    for (i, (bits, (x, y))) in widths.iter().zip(&values).enumerate() {
        let expected: Vec<u128> = x.iter().zip(y).map(|(x, y)| x.wrapping_mul(*y) & mask(*bits)).collect();
        assert_eq!(sum([&ended[0].0[i], &ended[1].0[i]], *bits), expected);
    }
    assert_eq!(
        ended.map(|(_, bytes, rounds)| (bytes, rounds)),
        [((2 * 10 * (5 + 64 + 128) as u64).div_ceil(8), 1); 2]
    );
}

#[tokio::test]
async fn matrix_products() {
    for bits in [1, 8, 31, 64, 128] {
        for (rows, inner, columns) in [(1, 1, 1), (1, 7, 1), (3, 4, 5), (6, 2, 1), (1, 3, 70)] {
            let shape = MatrixShape { bits, rows, inner, columns };
            let count = 2;
            let (x, y) = (words(1, bits, count * shape.left()), words(2, bits, count * shape.right()));
            let requirement = Requirement {
                matrix_triples: BTreeMap::from([(shape, count as u64)]),
                ..Requirement::default()
            };
            let ended = measured(&requirement, async |end| {
                let [x, y] = inputs(end, &x, &y, bits)?;
                arith::matrix_product(end, shape, &x, &y).await
            })
            .await;
            let found = sum([&ended[0].0, &ended[1].0], bits);
            for (place, found) in found.iter().enumerate() {
                let (matrix, i, j) =
                    (place / shape.product(), place % shape.product() / columns, place % columns);
                let expected = (0..inner).fold(0u128, |sum, k| {
                    let (x, y) = (
                        x[matrix * shape.left() + i * inner + k],
                        y[matrix * shape.right() + k * columns + j],
                    );
                    sum.wrapping_add(x.wrapping_mul(y))
                });
                assert_eq!(*found, expected & mask(bits), "{shape:?}");
            }
            let sent = (u64::from(bits) * (x.len() + y.len()) as u64).div_ceil(8);
            assert_eq!(ended.map(|(_, bytes, rounds)| (bytes, rounds)), [(sent, 1); 2]);
        }
    }
}

/// All pairs of words of small widths.
#[tokio::test]
async fn all_small_products() {
    for bits in 1..=5u32 {
        let all = 1u128 << bits;
        let (x, y): (Vec<u128>, Vec<u128>) = (0..all * all).map(|i| (i / all, i % all)).unzip();
        let requirement =
            Requirement { word_triples: BTreeMap::from([(bits, x.len() as u64)]), ..Requirement::default() };
        let ended = measured(&requirement, async |end| {
            let [x, y] = inputs(end, &x, &y, bits)?;
            arith::multiply(end, &x, &y, bits).await
        })
        .await;
        let expected: Vec<u128> = x.iter().zip(&y).map(|(x, y)| (x * y) & mask(bits)).collect();
        assert_eq!(sum([&ended[0].0, &ended[1].0], bits), expected);
    }
}

#[tokio::test]
async fn shapes_that_do_not_fit_are_errors() {
    let ended = measured(&Requirement::default(), async |end| {
        let shape = MatrixShape { bits: 8, rows: 2, inner: 2, columns: 2 };
        let errors = [
            arith::multiply(end, &[1], &[], 8).await.err(),
            arith::multiply(end, &[1], &[1], 129).await.err(),
            arith::multiply(end, &[1], &[1], 8).await.err(),
            arith::matrix_product(end, shape, &[0; 4], &[0; 3]).await.err(),
            arith::input(end, Some(&[1, 2]), 8, 1).err(),
            arith::random(end, 0, 1).err(),
        ];
        Ok(errors.map(|error| error.map(|error| error.to_string())))
    })
    .await;
    for (errors, _, _) in ended {
        assert!(errors.iter().all(Option::is_some), "{errors:?}");
        assert!(errors[1].as_ref().is_some_and(|error| error.contains("129 bits")), "{errors:?}");
    }
}
