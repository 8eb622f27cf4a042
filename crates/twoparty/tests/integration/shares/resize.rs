//! Shifts and extensions of shared words, and products of words and bits.

use super::harness::*;
use tacit_math::Bits;
use tacit_twoparty::arith::{self, Resize, Resized};
use tacit_twoparty::{Party, ShareError, convert, gmw, mask};

async fn check(hows: &[Resize], x: &[u128], bits: u32) {
    let sizes: Vec<(Resize, u32, u64)> = hows.iter().map(|how| (*how, bits, x.len() as u64)).collect();
    let cost = arith::resize_cost(&sizes).unwrap();
    let ended = predicted(&cost, async |end| {
        let own = given(end, Party::First, x);
        let shares = arith::input(end, own, bits, x.len())?;
        let words: Vec<Resized<'_>> =
            hows.iter().map(|how| Resized { how: *how, x: &shares, bits }).collect();
        arith::resize_all(end, &words).await
    })
    .await;
    for (i, how) in hows.iter().enumerate() {
        let width = resized(*how, 0, bits).1;
        let expected: Vec<u128> = x.iter().map(|x| resized(*how, *x, bits).0).collect();
        assert!(ended.iter().all(|shares| shares[i].iter().all(|share| *share <= mask(width))), "{how:?}");
        assert_eq!(sum([&ended[0][i], &ended[1][i]], width), expected, "{how:?} of {bits} bits");
    }
}

/// Each kind with each distance, up to one more than the number of bits, and to some widths.
fn every(bits: u32, distances: impl Iterator<Item = u32> + Clone) -> Vec<Resize> {
    let shifts = distances.clone().flat_map(|by| [Resize::Logical { by }, Resize::Arithmetic { by }]);
    let high = distances.filter(|by| *by < bits).map(|by| Resize::High { by });
    let widths = [bits, bits + 1, bits + 7, 64, 128].into_iter().filter(move |to| (bits..=128).contains(to));
    let extensions = widths.flat_map(|to| [Resize::ZeroExtend { to }, Resize::SignExtend { to }]);
    shifts.chain(high).chain(extensions).collect()
}

#[tokio::test]
async fn all_small_words() {
    for bits in 1..=6 {
        // Several times, so that every word has several pairs of shares.
        let x: Vec<u128> = (0..16u128 << bits).map(|x| x & mask(bits)).collect();
        check(&every(bits, 0..=bits + 1), &x, bits).await;
    }
}

#[tokio::test]
async fn words_of_every_width() {
    for (bits, lanes) in grid(false) {
        let mut x = words(1, bits, lanes);
        x[0] = mask(bits);
        let distances = [0, 1, 4, 5, bits / 2, bits.saturating_sub(1), bits, 200];
        check(&every(bits, distances.into_iter()), &x, bits).await;
    }
}

#[tokio::test]
#[ignore = "minutes: every width by every distance"]
async fn words_of_every_width_by_every_distance() {
    for bits in 1..=128 {
        check(&every(bits, 0..=bits), &words(1, bits, 33), bits).await;
    }
}

/// The figures of the documentation.
#[tokio::test]
async fn costs_of_32_bits() {
    let cost = arith::resize_cost(&[(Resize::Arithmetic { by: 12 }, 32, 1000)]).unwrap();
    assert_eq!(cost.requirement.lookup_tables[&()], 4000);
    assert_eq!(cost.requirement.da_bits, [(12, 1000), (32, 1000)].into());
    assert_eq!(cost.rounds(), [2 + 3 + 1 + 1; 2]);
    let high = arith::resize_cost(&[(Resize::High { by: 12 }, 32, 1000)]).unwrap();
    assert_eq!((high.requirement.lookup_tables[&()], high.rounds()), (1500, [2 + 2 + 1; 2]));
}

#[tokio::test]
async fn what_does_not_fit_is_an_error() {
    let ended = measured(&Default::default(), async |end| {
        let errors = [
            arith::resize(end, Resize::ZeroExtend { to: 7 }, &[1], 8).await.err(),
            arith::resize(end, Resize::SignExtend { to: 129 }, &[1], 8).await.err(),
            arith::resize(end, Resize::High { by: 8 }, &[1], 8).await.err(),
            arith::resize(end, Resize::High { by: u32::MAX }, &[1], 8).await.err(),
            arith::resize(end, Resize::Logical { by: 1 }, &[1], 8).await.err(),
            arith::scale(end, &Bits::zeros(2), &[1], 8).await.err(),
        ];
        Ok(errors)
    })
    .await;
    for ([less, wide, none, more, exhausted, shape], _, _) in ended {
        assert!(matches!(less, Some(ShareError::Shape { given: 7, expected: 8, .. })), "{less:?}");
        assert!(matches!(wide, Some(ShareError::Width { bits: 129 })), "{wide:?}");
        assert!(matches!(none, Some(ShareError::Width { bits: 0 })), "{none:?}");
        assert!(matches!(more, Some(ShareError::Width { bits: 0 })), "{more:?}");
        assert!(matches!(exhausted, Some(ShareError::Exhausted { .. })), "{exhausted:?}");
        assert!(matches!(shape, Some(ShareError::Shape { given: 2, expected: 1, .. })), "{shape:?}");
    }
}

#[tokio::test]
async fn words_times_bits() {
    for (bits, lanes) in grid(false) {
        let (x, y, condition) =
            (words(1, bits, lanes), words(2, bits, lanes), crate::shares::harness::bits(3, lanes));
        let mut cost = arith::scale_cost(bits, lanes as u64);
        cost.then(&cost.clone());
        let ended = predicted(&cost, async |end| {
            let own = given(end, Party::First, &x[..]);
            let x = arith::input(end, own, bits, lanes)?;
            let own = given(end, Party::Second, &y[..]);
            let y = arith::input(end, own, bits, lanes)?;
            let own = given(end, Party::Second, &condition);
            let condition = gmw::input(end, own, lanes)?;
            let scaled = arith::scale(end, &condition, &x, bits).await?;
            Ok([scaled, arith::select(end, &condition, &x, &y, bits).await?])
        })
        .await;
        let chosen = |other: &dyn Fn(usize) -> u128| -> Vec<u128> {
            (0..lanes).map(|i| if condition.get(i) { x[i] } else { other(i) }).collect()
        };
        let context = format!("{bits} bits, {lanes} lanes");
        assert_eq!(sum([&ended[0][0], &ended[1][0]], bits), chosen(&|_| 0), "{context}");
        assert_eq!(sum([&ended[0][1], &ended[1][1]], bits), chosen(&|i| y[i]), "{context}");
    }
}

#[tokio::test]
async fn bits_to_words() {
    for (width, lanes) in grid(false) {
        let values = [crate::shares::harness::bits(1, lanes), crate::shares::harness::bits(2, 7)];
        let cost = convert::bits_to_arith_cost(&[(width, lanes as u64), (5, 7)]);
        let ended = predicted(&cost, async |end| {
            let own = given(end, Party::First, &values[0]);
            let first = gmw::input(end, own, lanes)?;
            let own = given(end, Party::Second, &values[1]);
            let second = gmw::input(end, own, 7)?;
            convert::bits_to_arith(end, &[(&first, width), (&second, 5)]).await
        })
        .await;
        for (i, width) in [width, 5].into_iter().enumerate() {
            let expected: Vec<u128> = values[i].iter().map(u128::from).collect();
            assert_eq!(sum([&ended[0][i], &ended[1][i]], width), expected, "{width} bits, {lanes} lanes");
        }
    }
}
