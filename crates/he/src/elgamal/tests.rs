use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_math::Block;

use super::*;
use crate::vectors::Vectors;
use crate::{PublicKey as _, SecretKey as _};

static KEYS: LazyLock<[SecretKey; 2]> =
    LazyLock::new(|| [1, 2].map(|seed| SecretKey::generate(&(), &mut prg(seed)).unwrap()));

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

/// Computed by RFC 9496's formulae on Python's integers, with B the base point:
///
/// ```text
/// public = encode(mul(a, B)); message = encode(mul(s, B))
/// ciphertext = encode(mul(k, B)) + encode(add(mul(k, mul(a, B)), mul(s, B)))
/// integer and negative: the same with s = 123456 and -123456
/// ```
#[test]
fn known_answers() {
    let vectors = Vectors::parse(include_str!("vectors.txt"));
    let key = SecretKey::from_bytes(&(), vectors.get("SECRET")).unwrap();
    let public = key.public();
    assert_eq!(
        (public.to_bytes(), &key.to_bytes()[..]),
        (vectors.get("PUBLIC").to_vec(), vectors.get("SECRET"))
    );
    let half = Scalar::from_canonical_bytes(vectors.get("HALF_K").try_into().unwrap()).unwrap();
    let message = Message::from_bytes(vectors.get("MESSAGE")).unwrap();
    for (name, message) in [
        ("CIPHERTEXT", message),
        ("INTEGER", Message::integer(123_456)),
        ("NEGATIVE", Message::integer(-123_456)),
    ] {
        let made = public.add_plain(&public.zero(&half), &message).unwrap();
        assert_eq!(public.encode(&[made]).unwrap(), vectors.get(name));
        let read = public.decode(1, vectors.get(name)).unwrap();
        assert!(key.decrypt(&read[0]).unwrap() == message);
        assert_eq!(public.encode(&read).unwrap(), vectors.get(name));
    }
    let integers = Integers::new(1 << 20).unwrap();
    let read = |name| public.decode(1, vectors.get(name)).unwrap();
    assert_eq!(key.decrypt_integer(&read("INTEGER")[0], &integers), Ok(123_456));
    assert_eq!(key.decrypt_integer(&read("NEGATIVE")[0], &integers), Ok(-123_456));
    assert_eq!(key.decrypt_integer(&read("CIPHERTEXT")[0], &integers), Err(HeError::NoPlaintext));
}

#[test]
fn points_that_are_none_are_refused() {
    let key = &KEYS[0];
    let public = key.public();
    let good = public.encode(&[public.encrypt(&Message::integer(1), &mut prg(1)).unwrap()]).unwrap();
    let (identity, non_canonical) = ([0; 32], [0xff; 32]);
    let mut negative = good[..32].to_vec();
    negative[0] |= 1;
    for bad in [&non_canonical[..], &negative] {
        let refused = Some(HeError::Point { what: "a ciphertext" });
        assert_eq!(public.decode(1, &[bad, &good[32..]].concat()).err(), refused);
        assert_eq!(public.decode(1, &[&good[..32], bad].concat()).err(), refused);
        assert_eq!(PublicKey::from_bytes(&(), bad).err(), Some(HeError::Point { what: "a public key" }));
        assert_eq!(Message::from_bytes(bad).err(), Some(HeError::Point { what: "a message" }));
    }
    let first = Some(HeError::Identity { what: "the first point of a ciphertext" });
    assert_eq!(public.decode(1, &[&identity, &good[32..]].concat()).err(), first);
    assert_eq!(PublicKey::from_bytes(&(), &identity).err(), Some(HeError::Identity { what: "a public key" }));
    assert_eq!(SecretKey::from_bytes(&(), &identity).err(), Some(HeError::Identity { what: "a public key" }));
    // The second point may be the identity, as it is with probability 2^-252.
    assert!(public.decode(1, &[&good[..32], &identity].concat()).is_ok());
    for (count, length) in [(1, 63), (1, 65), (2, 64), (0, 64), (usize::MAX, 64)] {
        assert!(matches!(public.decode(count, &vec![0; length]), Err(HeError::Length { .. })));
    }
    assert!(matches!(PublicKey::from_bytes(&(), &good), Err(HeError::Length { .. })));
    assert!(matches!(SecretKey::from_bytes(&(), &good), Err(HeError::Length { .. })));
    assert_eq!(
        SecretKey::from_bytes(&(), &non_canonical).err(),
        Some(HeError::Range { what: "a secret key" })
    );
}

#[test]
fn a_ciphertext_without_randomness_is_not_sent() {
    let public = KEYS[0].public();
    let ciphertext = public.encrypt(&Message::integer(1), &mut prg(1)).unwrap();
    let difference = public.add(&ciphertext, &public.negate(&ciphertext).unwrap()).unwrap();
    assert!(matches!(public.encode(std::slice::from_ref(&difference)), Err(HeError::Identity { .. })));
    let fresh = public.rerandomise(&difference, &mut prg(2)).unwrap();
    assert!(public.encode(&[fresh]).is_ok());
}

#[test]
fn what_belongs_to_another_key_is_refused() {
    let [own, other] = &*KEYS;
    let [a, b] = [own, other].map(|key| key.public().encrypt(&Message::integer(1), &mut prg(1)).unwrap());
    let public = own.public();
    let refused = Some(HeError::OtherKey { what: "a ciphertext" });
    assert_eq!(public.add(&a, &b).err(), refused);
    assert_eq!(public.multiply(&b, &Factor::integer(2)).err(), refused);
    assert_eq!(public.rerandomise(&b, &mut prg(1)).err(), refused);
    assert_eq!(public.add_plain(&b, &Message::integer(1)).err(), refused);
    assert_eq!(public.negate(&b).err(), refused);
    assert_eq!(public.encode(std::slice::from_ref(&b)).err(), refused);
    assert_eq!(own.decrypt(&b).err(), refused);
}

#[test]
fn elements_are_encoded_alike_however_they_are_held() {
    let points: Vec<RistrettoPoint> = [0, 1, 2, 77].map(integers::point).to_vec();
    let halves: Vec<Element> = points.iter().map(|point| Element::double_of(*point)).collect();
    let expected: Vec<[u8; 32]> = points.iter().map(|point| (point + point).compress().to_bytes()).collect();
    assert_eq!(Element::encode_all(halves.iter()), expected);
    let mixed: Vec<Element> = halves
        .iter()
        .zip(&expected)
        .enumerate()
        .map(|(i, (half, bytes))| if i % 2 == 0 { *half } else { Element::decode(bytes, "").unwrap() })
        .collect();
    assert_eq!(Element::encode_all(mixed.iter()), expected);
}

#[test]
fn batches_equal_single_calls_in_any_number_of_threads() {
    let key = &KEYS[0];
    let public = key.public();
    let integers = Integers::new(1 << 12).unwrap();
    let plains: Vec<Message> = (-20..20).map(Message::integer).collect();
    let factors: Vec<Factor> = (0..40).map(Factor::integer).collect();
    let batch = |threads| {
        let made = public.encrypt_all(&plains, threads, &mut prg(1)).unwrap();
        let products = public.multiply_all(&made, &factors, threads).unwrap();
        let fresh = public.rerandomise_all(&products, threads, &mut prg(2)).unwrap();
        (public.encode(&fresh).unwrap(), key.decrypt_integers(&fresh, &integers, threads).unwrap())
    };
    let (bytes, decrypted) = batch(Threads::ONE);
    assert_eq!(decrypted, (0..40).map(|i| (i - 20) * i).collect::<Vec<i64>>());
    assert_eq!(batch(Threads::all()), (bytes, decrypted));
}

#[test]
fn debug_shows_nothing() {
    let key = &KEYS[0];
    let message = Message::integer(1);
    let ciphertext = key.public().encrypt(&message, &mut prg(1)).unwrap();
    let shown = format!("{key:?} {ciphertext:?} {message:?} {:?}", Factor::integer(3));
    assert_eq!(shown, "SecretKey(..) Ciphertext(..) Message(..) Factor(..)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sums_products_and_blinded_points(a in -1000i64..1000, b in -1000i64..1000, factor in -1000i64..1000, seed: u128, sent: bool) {
        let (key, mut prg) = (&KEYS[0], prg(seed));
        let public = key.public();
        let [mut x, y] = [a, b].map(|value| public.encrypt(&Message::integer(value), &mut prg).unwrap());
        if sent {
            // A received ciphertext has another representation.
            x = public.decode(1, &public.encode(&[x]).unwrap()).unwrap().remove(0);
        }
        let decrypted = |ciphertext: &Ciphertext| key.decrypt(ciphertext).unwrap();
        prop_assert!(decrypted(&public.add(&x, &y).unwrap()) == Message::integer(a + b));
        prop_assert!(decrypted(&public.multiply(&x, &Factor::integer(factor)).unwrap()) == Message::integer(a * factor));
        prop_assert!(decrypted(&public.negate(&x).unwrap()) == Message::integer(-a));
        prop_assert!(decrypted(&public.rerandomise(&x, &mut prg).unwrap()) == Message::integer(a));
        // a·M + R for a secret factor and point, as private function evaluation blinds its wires.
        let (blind, mask) = (Factor::random(&mut prg), Message::random(&mut prg));
        let blinded = public.add_plain(&public.multiply(&x, &blind).unwrap(), &mask).unwrap();
        let expected = Message::integer(a).0.times(blind.0.expose()).add(&mask.0);
        prop_assert!(decrypted(&blinded).0 == expected);
    }
}
