use std::sync::Arc;

use tacit_crypto::Prg;
use tacit_he::paillier::{PublicKey, SecretKey};
use tacit_he::{HeError, KeyFault, Natural, PublicKey as _, SecretKey as _};
use tacit_math::Block;
use tacit_net::{Channel, Options, StreamId, memory};
use zeroize::Zeroizing;

use super::*;
use crate::correlations::Pool;
use crate::{End, Party, ShareError, mask};

mod comparisons;
mod products;
mod stored;

const TOY: HeParameters = HeParameters { size: ModulusSize::TOY, statistical_bits: 40 };

fn prg(number: u128) -> Prg {
    Prg::new(Block(number))
}

/// Runs both parties' ends of a channel in one thread.
fn between<A, B>(first: impl AsyncFnOnce(Channel) -> A, second: impl AsyncFnOnce(Channel) -> B) -> (A, B) {
    let (one, two) = memory::pair(Options::default());
    let [a, b] = [one, two].map(|connection| connection.open(StreamId(1)).unwrap());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { tokio::join!(first(a), second(b)) })
}

/// An end with material for some ciphertexts.
async fn end(mut channel: Channel, party: Party, seed: u128) -> End {
    let mut own = prg(2 * seed + party.index() as u128);
    let key = HeKey::meet(&mut channel, party, TOY, &mut own).await.unwrap();
    // Fewer than are needed: the rest is made on demand.
    let material = key.prepare(CiphertextCount { encrypted: 2, replies: 1 }, &mut own).unwrap();
    End::resume(channel, party, (Pool::default(), Block(9)), own).with_encryption(material)
}

/// Words that were encrypted, words that were converted to shares, and products.
type Done = (Vec<Vec<Lane>>, Vec<Zeroizing<Vec<u128>>>, Vec<Vec<Lane>>);

/// An exchange without comparisons.
async fn exchange(
    end: &mut End,
    into: &[IntoHe<'_>],
    from: &[FromHe<'_>],
    products: &[Product<'_>],
) -> Result<Done, ShareError> {
    let done = super::exchange(end, Asked { into, from, products, comparisons: &[] }).await?;
    Ok((done.encrypted, done.shares, done.multiplied))
}

fn negate(x: &Lane, bits: u32, lift: u32) -> Result<Lane, HeError> {
    Ok(negate_all([x], bits, lift)?.remove(0))
}

/// Encrypts words that are shared by sum, lets the holder compute, and returns both parties' shares of the results.
fn computed(
    seed: u128,
    shares: [&[u128]; 2],
    (bits, value_bits): (u32, u32),
    compute: impl Fn(&[Lane]) -> Vec<Lane>,
) -> [Vec<u128>; 2] {
    let run = async |channel, party: Party| {
        let mut end = end(channel, party, seed).await;
        let into = IntoHe { shares: shares[party.index()], bits };
        let (lanes, ..) = exchange(&mut end, &[into], &[], &[]).await.unwrap();
        let lanes = if party == Party::First { compute(&lanes[0]) } else { lanes[0].clone() };
        let from = FromHe { lanes: &lanes, bits, value_bits };
        let (_, mut shares, _) = exchange(&mut end, &[], &[from], &[]).await.unwrap();
        shares.remove(0).to_vec()
    };
    let both = between(
        async |channel| run(channel, Party::First).await,
        async |channel| run(channel, Party::Second).await,
    );
    [both.0, both.1]
}

fn sums([first, second]: [Vec<u128>; 2], bits: u32) -> Vec<u128> {
    first.iter().zip(&second).map(|(x, y)| x.wrapping_add(*y) & mask(bits)).collect()
}

#[test]
fn words_come_back_as_they_were_computed() {
    let shares: [&[u128]; 2] = [&[0, 255, 200, 7, 1], &[0, 255, 100, 250, 0]];
    let words: Vec<u128> = sums(shares.map(<[u128]>::to_vec), 8);
    let found = computed(1, shares, (8, 9), <[Lane]>::to_vec);
    assert_eq!(sums(found, 8), words);
    let doubled = |lanes: &[Lane]| lanes.iter().map(|x| add(x, x, 8).unwrap()).collect();
    let found = computed(2, shares, (8, 10), doubled);
    assert_eq!(sums(found, 8), words.iter().map(|x| (2 * x) & 255).collect::<Vec<_>>());
    let negated = |lanes: &[Lane]| lanes.iter().map(|x| negate(x, 8, 9).unwrap()).collect();
    let found = computed(3, shares, (8, 10), negated);
    assert_eq!(sums(found, 8), words.iter().map(|x| x.wrapping_neg() & 255).collect::<Vec<_>>());
    // Every factor of a byte, those above 128 by their negatives.
    for factor in [0, 1, 2, 127, 128, 129, 255] {
        let scaled = |lanes: &[Lane]| {
            let factor = Lane::Public(factor);
            multiply(&lanes.iter().map(|x| (x, &factor)).collect::<Vec<_>>(), 8, 17).unwrap()
        };
        let found = computed(4 + factor, shares, (8, 18), scaled);
        assert_eq!(sums(found, 8), words.iter().map(|x| (factor * x) & 255).collect::<Vec<_>>(), "{factor}");
    }
    // Constants among ciphertexts.
    let mixed = |lanes: &[Lane]| {
        vec![Lane::Public(3), lanes[1].clone(), lanes[2].clone(), Lane::Public(255), Lane::Public(9)]
    };
    let found = computed(300, shares, (8, 9), mixed);
    assert_eq!(sums(found, 8), [3, words[1], words[2], 255, 9]);
}

/// Each party's results are uniform, whatever the words are: counted over many words of two bits.
#[test]
fn shares_do_not_depend_on_words() {
    const COUNT: usize = 600;
    for (seed, word) in [(20, 0), (21, 3)] {
        let shares = [vec![word; COUNT], vec![0; COUNT]];
        let found = computed(seed, [&shares[0], &shares[1]], (2, 3), <[Lane]>::to_vec);
        for shares in &found {
            for value in 0..4 {
                let count = shares.iter().filter(|share| **share == value).count();
                // Five standard deviations around a quarter.
                assert!(count.abs_diff(COUNT / 4) < 54, "{word}, {value}: {count} of {COUNT}");
            }
        }
        assert!(sums(found, 2).iter().all(|found| *found == word));
    }
}

/// The owner decrypts the sum with a mask that is 40 bits longer: the distribution of its topmost bits is the same for the smallest and the
/// largest number.
#[test]
fn what_the_owner_decrypts_does_not_depend_on_numbers() {
    const COUNT: usize = 400;
    let spread = |seed: u128, word: u128| {
        let ((), tops) = between(
            async |mut channel| {
                let mut own = prg(seed);
                let key = HeKey::meet(&mut channel, Party::First, TOY, &mut own).await.unwrap();
                let material = key.prepare(CiphertextCount::default(), &mut own).unwrap();
                let mut end = End::resume(channel, Party::First, (Pool::default(), Block(9)), own)
                    .with_encryption(material);
                let lanes = vec![Lane::Public(word); COUNT];
                let from = FromHe { lanes: &lanes, bits: 8, value_bits: 8 };
                exchange(&mut end, &[], &[from], &[]).await.unwrap();
            },
            async |mut channel| {
                let mut own = prg(seed + 1);
                let key = SecretKey::generate(&TOY.size, &mut own).unwrap();
                channel.send(&key.public().to_bytes()).await.unwrap();
                channel.flush().await.unwrap();
                let slots = TOY.slots(8).unwrap();
                let count = COUNT.div_ceil(slots.count());
                let mut bytes = vec![0; count * key.public().ciphertext_bytes()];
                channel.receive_into(&mut bytes).await.unwrap();
                let replies = key.public().decode(count, &bytes).unwrap();
                let mut seen = Vec::new();
                for (reply, used) in replies.iter().zip((0..COUNT).step_by(slots.count())) {
                    let used = slots.count().min(COUNT - used);
                    seen.extend(slots.unpack(&key.decrypt(reply).unwrap(), used).unwrap());
                }
                let opened: Vec<u128> = seen.iter().map(|one| one.to_u128().unwrap()).collect();
                let encodings: std::collections::BTreeSet<_> = bytes.chunks(128).collect();
                assert_eq!(encodings.len(), count);
                opened.iter().map(|one| (one >> 46) as usize).collect::<Vec<usize>>()
            },
        );
        (0..4).map(|top| tops.iter().filter(|one| **one == top).count()).collect::<Vec<_>>()
    };
    for (seed, word) in [(40, 0), (50, 255)] {
        let counts = spread(seed, word);
        assert!(counts.iter().all(|count| count.abs_diff(COUNT / 4) < 44), "{word}: {counts:?}");
    }
}

/// Replies to the owner have other randomness than the owner's ciphertexts, though it knows both and the plaintexts.
#[test]
fn replies_have_fresh_randomness() {
    let ((), (sent, reply, key)) = between(
        async |channel| {
            let mut end = end(channel, Party::First, 60).await;
            let (lanes, ..) =
                exchange(&mut end, &[IntoHe { shares: &[1], bits: 8 }], &[], &[]).await.unwrap();
            let from = FromHe { lanes: &lanes[0], bits: 8, value_bits: 9 };
            exchange(&mut end, &[], &[from], &[]).await.unwrap();
        },
        async |mut channel| {
            let key = SecretKey::generate(&TOY.size, &mut prg(61)).unwrap();
            channel.send(&key.public().to_bytes()).await.unwrap();
            let sent = key.public().encrypt(&Natural::from(5u64), &mut prg(62)).unwrap();
            channel.send(&key.public().encode(std::slice::from_ref(&sent)).unwrap()).await.unwrap();
            let mut bytes = vec![0; 128];
            channel.receive_into(&mut bytes).await.unwrap();
            let reply = key.public().decode(1, &bytes).unwrap().remove(0);
            (sent, reply, key)
        },
    );
    let public = key.public();
    let difference = public.add(&reply, &public.negate(&sent).unwrap()).unwrap();
    let plain = key.decrypt(&difference).unwrap();
    let one = public.add(&sent, &public.negate(&sent).unwrap()).unwrap();
    let without = public.add_plain(&one, &plain).unwrap();
    assert_ne!(public.encode(&[difference]).unwrap(), public.encode(&[without]).unwrap());
}

/// The holder's error for bytes in place of an encryption by the owner.
fn refused(bytes: impl FnOnce(&SecretKey) -> Vec<u8>) -> ShareError {
    let (result, ()) = between(
        async |channel| {
            let mut end = end(channel, Party::First, 70).await;
            exchange(&mut end, &[IntoHe { shares: &[1], bits: 8 }], &[], &[]).await
        },
        async |mut channel| {
            let key = SecretKey::generate(&TOY.size, &mut prg(141)).unwrap();
            channel.send(&key.public().to_bytes()).await.unwrap();
            channel.send(&bytes(&key)).await.unwrap();
            channel.flush().await.unwrap();
        },
    );
    result.err().unwrap()
}

#[test]
fn bytes_that_are_no_ciphertext_are_refused() {
    let error = refused(|_| vec![0; 128]);
    assert!(matches!(error, ShareError::He(HeError::NotCoprime { .. } | HeError::Range { .. })), "{error}");
    let error = refused(|_| vec![255; 128]);
    assert!(matches!(error, ShareError::He(HeError::Range { .. })), "{error}");
    let error = refused(|key| {
        let mut modulus = key.public().to_bytes()[..64].to_vec();
        modulus.resize(128, 0);
        modulus
    });
    assert!(matches!(error, ShareError::He(HeError::NotCoprime { .. })), "{error}");
    // Fewer than there should be.
    let error = refused(|_| vec![1; 127]);
    assert!(matches!(error, ShareError::Net(_)), "{error}");
}

#[test]
fn keys_that_nobody_makes_are_refused() {
    let meet = |bytes: Vec<u8>| {
        let (result, ()) = between(
            async |mut channel| HeKey::meet(&mut channel, Party::First, TOY, &mut prg(1)).await,
            async |mut channel| {
                channel.send(&bytes).await.unwrap();
                channel.flush().await.unwrap();
            },
        );
        result.err().unwrap()
    };
    let key = SecretKey::generate(&TOY.size, &mut prg(2)).unwrap().public().to_bytes();
    let mut even = key.clone();
    even[0] &= 254;
    assert!(matches!(meet(even), ShareError::He(HeError::Key(KeyFault::SmallFactor(2)))));
    let mut short = key.clone();
    short[63] = 0;
    assert!(matches!(meet(short), ShareError::He(HeError::Key(_))));
    let mut no_generator = key.clone();
    no_generator[64..].fill(0);
    assert!(matches!(meet(no_generator), ShareError::He(HeError::Range { .. })));
    assert!(matches!(meet(key[..100].to_vec()), ShareError::Net(_)));
}

/// A reply with a number beyond its slots, which honest masking never makes.
#[test]
fn numbers_out_of_range_are_refused_by_the_owner() {
    let (result, ()) = between(
        async |channel| {
            let mut end = end(channel, Party::Second, 90).await;
            let from = FromHe { lanes: &[Lane::default()], bits: 8, value_bits: 8 };
            exchange(&mut end, &[], &[from], &[]).await
        },
        async |mut channel| {
            let mut bytes = vec![0; 128];
            channel.receive_into(&mut bytes).await.unwrap();
            let key = PublicKey::from_bytes(&TOY.size, &bytes).unwrap();
            let mut large = [0; 8];
            large[6] = 4;
            let reply = key.encrypt(&Natural::from_le_bytes(&large), &mut prg(3)).unwrap();
            channel.send(&key.encode(&[reply]).unwrap()).await.unwrap();
            channel.flush().await.unwrap();
        },
    );
    assert!(matches!(result, Err(ShareError::He(HeError::Range { .. }))));
}

#[test]
fn ciphertexts_of_two_keys_do_not_mix_and_two_are_not_multiplied() {
    let lane = |seed: u128| {
        let key = SecretKey::generate(&TOY.size, &mut prg(seed)).unwrap();
        let key = Arc::new(PublicKey::from_bytes(&TOY.size, &key.public().to_bytes()).unwrap());
        let ciphertext = key.encrypt(&Natural::from(5u64), &mut prg(seed + 1)).unwrap();
        super::lane::Lane::sealed(&key, ciphertext)
    };
    let (one, two) = (lane(100), lane(110));
    assert!(matches!(add(&one, &two, 8), Err(HeError::OtherKey { .. })));
    assert!(matches!(multiply(&[(&one, &one)], 8, 9), Err(ShareError::NotPublic)));
    assert!(matches!(negate(&one, 8, 600), Err(HeError::Range { .. })));
    assert_eq!(format!("{one:?}"), "Lane(..)");
}

#[test]
fn without_a_key_there_is_nothing_to_exchange() {
    let (result, _) = between(
        async |channel| {
            let mut end = End::resume(channel, Party::First, (Pool::default(), Block(9)), prg(1));
            exchange(&mut end, &[], &[], &[]).await
        },
        async |channel| channel,
    );
    assert!(matches!(result, Err(ShareError::NoKey)));
}

#[test]
fn counts_say_what_is_sent() {
    let medium = HeParameters { size: ModulusSize::MEDIUM, statistical_bits: 40 };
    assert_eq!((medium.key_bytes(), medium.ciphertext_bytes(), medium.most_bits()), (512, 512, 2006));
    assert!(medium.slots(2006).is_ok() && medium.slots(2007).is_err());
    let mut count = CiphertextCount { encrypted: 3, replies: 1 };
    count.add(CiphertextCount { encrypted: u64::MAX, replies: 1 });
    assert_eq!(count.bytes(&medium), [1024, u64::MAX]);
    assert!(CiphertextCount::default().is_empty() && !count.is_empty());
}
