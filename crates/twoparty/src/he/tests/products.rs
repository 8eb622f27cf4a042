//! Products by words of the holder, and of two encrypted words.

use super::*;

/// Encrypts words of the owner, lets both multiply, and returns the results.
fn multiplied(
    seed: u128,
    words: &[u128],
    (bits, shape): (u32, [usize; 3]),
    factors: impl Fn(&[Lane]) -> [Vec<Lane>; 2],
) -> Vec<u128> {
    let [rows, inner, columns] = shape;
    let run = async |channel, party: Party| {
        let mut end = end(channel, party, seed).await;
        let shares = if party == Party::First { vec![0; words.len()] } else { words.to_vec() };
        let (lanes, ..) = exchange(&mut end, &[IntoHe { shares: &shares, bits }], &[], &[]).await.unwrap();
        let [left, right] = factors(&lanes[0]);
        let product =
            Product { left: &left, right: &right, rows, inner, columns, bits, factor_bits: bits + 1 };
        let (.., products) = exchange(&mut end, &[], &[], &[product, product]).await.unwrap();
        assert_eq!(products.len(), 2);
        let value_bits = 2 * bits + 2 + inner as u32;
        let from = FromHe { lanes: &products[1], bits, value_bits };
        let (_, mut shares, _) = exchange(&mut end, &[], &[from], &[]).await.unwrap();
        shares.remove(0).to_vec()
    };
    let both = between(
        async |channel| run(channel, Party::First).await,
        async |channel| run(channel, Party::Second).await,
    );
    sums([both.0, both.1], bits)
}

#[test]
fn encrypted_words_multiply() {
    let words = [0, 255, 200, 7, 1, 16];
    let squares = multiplied(1, &words, (8, [1, 1, 1]), |lanes| [lanes.to_vec(), lanes.to_vec()]);
    assert_eq!(squares, words.map(|x| (x * x) & 255));
    // The lanes of the key's owner are constants, which it never looks at.
    let product = multiplied(2, &words, (8, [1, 3, 1]), |lanes| [lanes[..3].to_vec(), lanes[3..].to_vec()]);
    assert_eq!(product, [(255 + 200 * 16) & 255]);
    let outer = multiplied(3, &words, (8, [2, 1, 4]), |lanes| [lanes[..2].to_vec(), lanes[2..].to_vec()]);
    let expected = [0, 0, 0, 0, 255 * 200, 255 * 7, 255, 255 * 16].map(|x: u128| x & 255);
    assert_eq!(outer, expected);
}

#[test]
fn what_the_holder_knows_is_multiplied_too() {
    let factors = |lanes: &[Lane]| {
        let known = vec![Lane::held(200), Lane::Public(3), Lane::held(255)];
        [lanes.to_vec(), known]
    };
    assert_eq!(multiplied(4, &[9, 255, 255], (8, [1, 1, 1]), factors), [(9 * 200) & 255, 253, 1]);
    let known = |_: &[Lane]| [vec![Lane::held(7)], vec![Lane::Public(5)]];
    assert_eq!(multiplied(5, &[1], (8, [1, 1, 1]), known), [35]);
}

#[test]
fn words_of_the_holder_meet_ciphertexts_and_constants() {
    let shares: [&[u128]; 2] = [&[0, 255, 200, 7, 1], &[0, 255, 100, 250, 0]];
    let words: Vec<u128> = sums(shares.map(<[u128]>::to_vec), 8);
    for factor in [0, 1, 2, 127, 128, 129, 255] {
        let scaled = |lanes: &[Lane]| {
            let factor = Lane::held(factor);
            multiply(&lanes.iter().map(|x| (x, &factor)).collect::<Vec<_>>(), 8, 17).unwrap()
        };
        let found = computed(400 + factor, shares, (8, 18), scaled);
        assert_eq!(sums(found, 8), words.iter().map(|x| (factor * x) & 255).collect::<Vec<_>>(), "{factor}");
    }
    let added = |lanes: &[Lane]| {
        lanes.iter().map(|x| add(&negate(&Lane::held(3), 8, 0).unwrap(), x, 8).unwrap()).collect()
    };
    let found = computed(700, shares, (8, 10), added);
    assert_eq!(sums(found, 8), words.iter().map(|x| (x + 253) & 255).collect::<Vec<_>>());
    let (held, public) = (Lane::held(200), Lane::Public(100));
    for lane in [add(&held, &public, 8), add(&public, &held, 8), add(&held, &held, 8)] {
        assert!(matches!(lane.unwrap(), Lane::Held(_)), "the result of a secret is secret");
    }
    let products = multiply(&[(&held, &public), (&held, &held), (&public, &public)], 8, 16).unwrap();
    let words: Vec<u128> = products
        .iter()
        .map(|lane| match lane {
            Lane::Held(word) => **word,
            Lane::Public(word) => *word,
            Lane::Sealed(_) => panic!("nothing was encrypted"),
        })
        .collect();
    assert_eq!(words, [20000 & 255, 40000 & 255, 10000 & 255]);
    assert_eq!(format!("{held:?}"), "Lane(..)");
}

/// A party that owns the key and runs the protocol step by step.
async fn by_hand(channel: &mut Channel, seed: u128) -> SecretKey {
    let key = SecretKey::generate(&TOY.size, &mut prg(seed)).unwrap();
    channel.send(&key.public().to_bytes()).await.unwrap();
    channel.flush().await.unwrap();
    key
}

async fn received(
    channel: &mut Channel,
    key: &SecretKey,
    count: usize,
) -> Vec<tacit_he::paillier::Ciphertext> {
    let mut bytes = vec![0; count * key.public().ciphertext_bytes()];
    channel.receive_into(&mut bytes).await.unwrap();
    key.public().decode(count, &bytes).unwrap()
}

/// The topmost bits of blinded factors have the same distribution for the smallest and the largest words.
#[test]
fn what_the_owner_multiplies_does_not_depend_on_the_factors() {
    const COUNT: usize = 200;
    let spread = |seed: u128, word: u128| {
        let ((), tops) = between(
            async |channel| {
                let mut end = end(channel, Party::First, seed).await;
                let lanes = vec![Lane::held(word); COUNT];
                let product = Product {
                    left: &lanes,
                    right: &lanes,
                    rows: 1,
                    inner: 1,
                    columns: 1,
                    bits: 8,
                    factor_bits: 8,
                };
                // The other end sends nothing more.
                assert!(exchange(&mut end, &[], &[], &[product]).await.is_err());
            },
            async |mut channel| {
                let key = by_hand(&mut channel, seed + 1).await;
                let slots = TOY.slots(8).unwrap();
                let count = (2 * COUNT).div_ceil(slots.count());
                let replies = received(&mut channel, &key, count).await;
                let mut seen = Vec::new();
                for (reply, before) in replies.iter().zip((0..2 * COUNT).step_by(slots.count())) {
                    let used = slots.count().min(2 * COUNT - before);
                    seen.extend(slots.unpack(&key.decrypt(reply).unwrap(), used).unwrap());
                }
                seen.iter().map(|one| (one.to_u128().unwrap() >> 46) as usize).collect::<Vec<_>>()
            },
        );
        (0..4).map(|top| tops.iter().filter(|one| **one == top).count()).collect::<Vec<_>>()
    };
    for (seed, word) in [(40, 0), (50, 255)] {
        let counts = spread(seed, word);
        assert!(counts.iter().all(|count| count.abs_diff(COUNT / 2) < 44), "{word}: {counts:?}");
    }
}

/// A ciphertext to the power of a secret has randomness that reveals the secret to the party that made the ciphertext; replies have
/// fresh randomness.
#[test]
fn products_by_secrets_return_with_fresh_randomness() {
    let ((), (sent, reply, key)) = between(
        async |channel| {
            let mut end = end(channel, Party::First, 60).await;
            let into = IntoHe { shares: &[0], bits: 8 };
            let (lanes, ..) = exchange(&mut end, &[into], &[], &[]).await.unwrap();
            let product = multiply(&[(&lanes[0][0], &Lane::held(3))], 8, 17).unwrap();
            exchange(&mut end, &[], &[FromHe { lanes: &product, bits: 8, value_bits: 17 }], &[])
                .await
                .unwrap();
        },
        async |mut channel| {
            let key = by_hand(&mut channel, 61).await;
            let sent = key.public().encrypt(&Natural::from(5u64), &mut prg(62)).unwrap();
            channel.send(&key.public().encode(std::slice::from_ref(&sent)).unwrap()).await.unwrap();
            let reply = received(&mut channel, &key, 1).await.remove(0);
            (sent, reply, key)
        },
    );
    let public = key.public();
    let plain = key.decrypt(&reply).unwrap();
    for guess in 0..8u64 {
        let power = public.multiply(&sent, &Natural::from(guess)).unwrap();
        let difference = public.add(&reply, &public.negate(&power).unwrap()).unwrap();
        let masked = key.decrypt(&difference).unwrap();
        // The power plus only the mask, without fresh randomness.
        let without = public.add_plain(&power, &masked).unwrap();
        assert_eq!(key.decrypt(&without).unwrap(), plain);
        assert_ne!(public.encode(&[without]).unwrap(), public.encode(std::slice::from_ref(&reply)).unwrap());
    }
}

/// The holder's error for bytes in place of a product.
fn refused(bytes: impl FnOnce(&SecretKey) -> Vec<u8>) -> ShareError {
    let (result, ()) = between(
        async |channel| {
            let mut end = end(channel, Party::First, 70).await;
            let (x, y) = ([Lane::held(1)], [Lane::Public(2)]);
            let product =
                Product { left: &x, right: &y, rows: 1, inner: 1, columns: 1, bits: 8, factor_bits: 8 };
            exchange(&mut end, &[], &[], &[product]).await
        },
        async |mut channel| {
            let key = by_hand(&mut channel, 141).await;
            received(&mut channel, &key, 1).await;
            channel.send(&bytes(&key)).await.unwrap();
            channel.flush().await.unwrap();
        },
    );
    result.err().unwrap()
}

#[test]
fn products_that_are_no_ciphertexts_are_refused() {
    assert!(matches!(refused(|_| vec![0; 128]), ShareError::He(_)));
    assert!(matches!(refused(|_| vec![255; 128]), ShareError::He(HeError::Range { .. })));
    assert!(matches!(refused(|_| vec![1; 127]), ShareError::Net(_)));
}

/// A blinded factor beyond its slot, which honest masking never makes.
#[test]
fn factors_out_of_range_are_refused_by_the_owner() {
    let (result, ()) = between(
        async |channel| {
            let mut end = end(channel, Party::Second, 90).await;
            let (x, y) = ([Lane::default()], [Lane::default()]);
            let product =
                Product { left: &x, right: &y, rows: 1, inner: 1, columns: 1, bits: 8, factor_bits: 8 };
            exchange(&mut end, &[], &[], &[product]).await
        },
        async |mut channel| {
            let mut bytes = vec![0; 128];
            channel.receive_into(&mut bytes).await.unwrap();
            let key = PublicKey::from_bytes(&TOY.size, &bytes).unwrap();
            let mut large = [0; 16];
            large[12] = 4;
            let reply = key.encrypt(&Natural::from_le_bytes(&large), &mut prg(3)).unwrap();
            channel.send(&key.encode(&[reply]).unwrap()).await.unwrap();
            channel.flush().await.unwrap();
        },
    );
    assert!(matches!(result, Err(ShareError::He(HeError::Range { .. }))));
}
