//! In every form, decisions are right and take exactly the predicted bytes.

use tacit_compare::{Cost, Form, Relation, Results};

use crate::pair::{FORMS, Pair, RELATIONS, toy};

fn all_pairs(bits: u32) -> Vec<(u64, u64)> {
    (0..1 << bits).flat_map(|left| (0..1 << bits).map(move |right| (left, right))).collect()
}

#[tokio::test]
async fn all_pairs_of_small_numbers() {
    for bits in [1, 2, 3] {
        let mut pair = Pair::new(toy(bits, Results::Shared)).await;
        for (form, relation) in FORMS.into_iter().flat_map(|form| RELATIONS.map(|relation| (form, relation)))
        {
            for results in [Results::Revealed, Results::Shared] {
                pair.holds(form, relation, results, &all_pairs(bits)).await;
            }
        }
    }
}

#[tokio::test]
async fn all_pairs_with_the_fewest_plaintexts() {
    let mut pair = Pair::new(toy(3, Results::Revealed)).await;
    assert_eq!(pair.parameters.plaintexts(), 7);
    for (form, relation) in FORMS.into_iter().flat_map(|form| RELATIONS.map(|relation| (form, relation))) {
        pair.holds(form, relation, Results::Revealed, &all_pairs(3)).await;
    }
}

#[tokio::test]
async fn random_numbers_and_edges_of_all_lengths() {
    for bits in [16, 32, 64] {
        let mut pair = Pair::new(toy(bits, Results::Shared)).await;
        let top = u64::MAX >> (64 - bits);
        let mut pairs = vec![(0, 0), (top, top), (0, top), (top, 0), (top - 1, top), (top, top - 1), (1, 0)];
        while pairs.len() < 16 {
            let (left, right) = (pair.prg.next_u64() & top, pair.prg.next_u64() & top);
            pairs.extend([(left, right), (left, left ^ 1), (left, left)]);
        }
        pairs.truncate(16);
        for form in FORMS {
            pair.holds(form, Relation::Greater, Results::Revealed, &pairs).await;
            pair.holds(form, Relation::LessOrEqual, Results::Shared, &pairs).await;
            pair.holds(form, Relation::Equal, Results::Shared, &pairs[..4]).await;
        }
    }
}

#[tokio::test]
async fn an_empty_batch_has_no_results() {
    let mut pair = Pair::new(toy(4, Results::Shared)).await;
    assert!(pair.compare(Form::Prices, Relation::Less, Results::Shared, &[], &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn batches_take_exactly_what_is_announced() {
    let mut pair = Pair::new(toy(4, Results::Shared)).await;
    assert_eq!(pair.channels[0].bytes_sent() as usize, Cost::key_bytes(&pair.parameters));
    for (form, relation) in FORMS.into_iter().flat_map(|form| RELATIONS.map(|relation| (form, relation))) {
        for results in [Results::Revealed, Results::Shared] {
            let cost = Cost::compare(&pair.parameters, form, relation, results, 2);
            pair.prepare();
            let prepared = [pair.server.prepared(), pair.assistant.prepared()];
            let sent = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize);
            pair.compare(form, relation, results, &[3, 9], &[4, 9]).await.unwrap();
            let sent = [0, 1].map(|i| pair.channels[i].bytes_sent() as usize - sent[i]);
            assert_eq!(sent, [cost.request_bytes, cost.reply_bytes]);
            assert_eq!(prepared[0] - pair.server.prepared(), cost.server_randomness);
            assert_eq!(prepared[1] - pair.assistant.prepared(), cost.assistant_randomness);
        }
    }
    // The paper's: ℓ ciphertexts each way for a bid against a price.
    let cost = Cost::compare(&pair.parameters, Form::Prices, Relation::Greater, Results::Revealed, 5);
    assert_eq!([cost.request_bytes, cost.reply_bytes], [16 + 5 * 4 * 32; 2]);
}
