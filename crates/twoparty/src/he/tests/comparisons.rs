//! Comparisons of encrypted words.

use tacit_schedule::Relation;

use super::*;

/// The bits of each party in a comparison, before the owner's bits are encrypted.
#[test]
fn bits_of_comparisons_do_not_depend_on_words() {
    const COUNT: usize = 400;
    for (seed, words, less) in [(40, [1, 6], true), (41, [6, 1], false), (42, [3, 3], false)] {
        for relation in [Relation::LessWithin, Relation::Equal] {
            let expected = if relation == Relation::Equal { words[0] == words[1] } else { less };
            let lanes = words.map(|word| vec![Lane::Public(word); COUNT]);
            let [left, right] = &lanes;
            let one = Comparison { left, right, relation, bits: 4, lift: 4, value_bits: 5 };
            let run = async |channel, party: Party| {
                let mut end = end(channel, party, seed).await;
                let key = ComparisonKey::meet(&mut end.channel, party, TOY).await.unwrap();
                let material = end.he.take().unwrap().with_comparisons(key.prepare([3, 4]).unwrap());
                end.he = Some(material);
                comparison::tests_bits(&mut end, &one).await
            };
            let (first, second) = between(
                async |channel| run(channel, Party::First).await,
                async |channel| run(channel, Party::Second).await,
            );
            assert!(first.iter().zip(&second).all(|(a, b)| a ^ b == expected));
            for bits in [first, second] {
                let ones = bits.iter().filter(|bit| **bit).count();
                // Five standard deviations around a half.
                assert!(ones.abs_diff(COUNT / 2) < 50, "{words:?}, {relation:?}: {ones} of {COUNT}");
            }
        }
    }
}

#[test]
fn results_of_comparisons_are_fresh_bits_that_add_up() {
    let lanes = |words: &[u128]| words.iter().map(|word| Lane::Public(*word)).collect::<Vec<_>>();
    let (left, right) = (lanes(&[0, 7, 3, 4, 1]), lanes(&[7, 0, 3, 3, 2]));
    let one = Comparison {
        left: &left,
        right: &right,
        relation: Relation::LessWithin,
        bits: 4,
        lift: 4,
        value_bits: 5,
    };
    let run = async |channel, party: Party| {
        let mut end = end(channel, party, 60).await;
        let key = ComparisonKey::meet(&mut end.channel, party, TOY).await.unwrap();
        let material = end.he.take().unwrap().with_comparisons(key.prepare([0, 0]).unwrap());
        end.he = Some(material);
        let done = super::super::exchange(&mut end, Asked { comparisons: &[one], ..Asked::default() })
            .await
            .unwrap();
        let lanes = &done.compared[0];
        // Three bits are added under encryption, so that a bit which is not zero or one shows.
        let sums: Vec<Lane> = match party {
            Party::First => lanes.iter().map(|x| add(&add(x, x, 8).unwrap(), x, 8).unwrap()).collect(),
            Party::Second => lanes.clone(),
        };
        let from = FromHe { lanes: &sums, bits: 8, value_bits: 9 };
        exchange(&mut end, &[], &[from], &[]).await.unwrap().1.remove(0).to_vec()
    };
    let both = between(
        async |channel| run(channel, Party::First).await,
        async |channel| run(channel, Party::Second).await,
    );
    assert_eq!(sums([both.0, both.1], 8), [3, 0, 0, 0, 3]);
}

#[test]
fn words_without_a_key_for_comparisons_are_refused() {
    let lanes = vec![Lane::Public(1)];
    let one = Comparison {
        left: &lanes,
        right: &lanes,
        relation: Relation::Equal,
        bits: 4,
        lift: 4,
        value_bits: 5,
    };
    let run = async |channel, party: Party| {
        let mut end = end(channel, party, 61).await;
        super::super::exchange(&mut end, Asked { comparisons: &[one], ..Asked::default() }).await.err()
    };
    let both = between(
        async |channel| run(channel, Party::First).await,
        async |channel| run(channel, Party::Second).await,
    );
    assert!(matches!(both, (Some(ShareError::NoKey), Some(ShareError::NoKey))), "{both:?}");
}
