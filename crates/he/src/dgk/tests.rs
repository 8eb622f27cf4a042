use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_math::Block;

use super::*;
use crate::vectors::Vectors;
use crate::{PublicKey as _, SecretKey as _};

/// Toy keys for 1009 plaintexts, two for 2^33, and one for 2^16, made once.
static PRIME: LazyLock<SecretKey> = LazyLock::new(|| key(Plaintexts::Prime(1009), 1));
static WORDS: LazyLock<[SecretKey; 2]> =
    LazyLock::new(|| [2, 3].map(|seed| key(Plaintexts::PowerOfTwo(33), seed)));

fn toy(plaintexts: Plaintexts) -> Parameters {
    Parameters::insecure(ModulusSize::insecure(512).unwrap(), 64, plaintexts).unwrap()
}

fn key(plaintexts: Plaintexts, seed: u128) -> SecretKey {
    SecretKey::generate(&toy(plaintexts), &mut prg(seed)).unwrap()
}

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn plain(value: u64) -> Natural {
    Natural::from(value)
}

/// Computed by the paper's equations in Python, which decrypts by trying all plaintexts:
///
/// ```text
/// c1 = pow(g, m1, n) * pow(h, r1, n) % n; c2 = pow(g, m2, n) * pow(h, r2, n) % n
/// sum = c1 * c2 % n; product = pow(c1, k, n)
/// decrypt = lambda c: next(m for m in range(u) if pow(pow(g, v, p), m, p) == pow(c, v, p))
/// ```
#[test]
fn known_answers() {
    let vectors = Vectors::parse(include_str!("vectors.txt"));
    for (tag, plaintexts) in [("PRIME_", Plaintexts::Prime(1009)), ("POWER_", Plaintexts::PowerOfTwo(16))] {
        let get = |name: &str| vectors.get(&format!("{tag}{name}"));
        let bytes = ["P", "Q", "V", "W", "G", "H"].map(get).concat();
        let key = SecretKey::from_bytes(&toy(plaintexts), &bytes).unwrap();
        assert_eq!(key.to_bytes()[..], bytes);
        let public = key.public();
        let [c1, c2] = ["C1", "C2"].map(|name| public.decode(1, get(name)).unwrap().remove(0));
        let decrypted = |c: &Ciphertext| key.decrypt(c).unwrap().to_le_bytes().to_vec();
        assert_eq!(decrypted(&c1), get("M1"));
        let number = |name| Natural::from_le_bytes(get(name));
        let made = public.tables().encrypt(number("M1").uint(), number("R1").uint());
        assert!(Ciphertext(made) == c1);
        let sum = public.add(&c1, &c2).unwrap();
        let product = public.multiply(&c1, &number("K")).unwrap();
        for (ciphertext, name) in [(sum, "SUM"), (product, "PRODUCT")] {
            assert_eq!(decrypted(&ciphertext), get(&format!("{name}_PLAIN")));
            assert_eq!(public.encode(&[ciphertext]).unwrap(), get(name));
        }
    }
}

#[test]
fn real_sizes_work() {
    for plaintexts in [Plaintexts::Prime(41), Plaintexts::PowerOfTwo(129)] {
        let parameters = Parameters::new(ModulusSize::MEDIUM, 224, plaintexts).unwrap();
        let key = SecretKey::generate(&parameters, &mut prg(4)).unwrap();
        let four = key.encrypt(&plain(4), &mut prg(5)).unwrap();
        let product = key.public().multiply(&four, &plain(10)).unwrap();
        assert_eq!(key.decrypt(&product).unwrap().to_u64(), Some(40));
        assert_eq!(key.public().encode(&[product]).unwrap().len(), 256);
        let encrypted = key.public().encrypt(&plain(0), &mut prg(6)).unwrap();
        assert_eq!(key.are_zero(&[four, encrypted], Threads::ONE).unwrap(), [false, true]);
    }
}

#[test]
fn the_largest_plaintexts_wrap() {
    let key = key(Plaintexts::PowerOfTwo(60), 9);
    let public = key.public();
    let largest = public.encrypt(&plain((1 << 60) - 1), &mut prg(1)).unwrap();
    assert_eq!(key.decrypt(&largest).unwrap().to_u64(), Some((1 << 60) - 1));
    let square = public.multiply(&largest, &plain((1 << 60) - 1)).unwrap();
    assert_eq!(key.decrypt(&square).unwrap().to_u64(), Some(1));
    let refused = Some(HeError::Range { what: "a plaintext" });
    assert_eq!(public.encrypt(&plain(1 << 60), &mut prg(1)).err(), refused);
    assert_eq!(key.encrypt(&plain(1 << 60), &mut prg(1)).err(), refused);
    assert_eq!(PRIME.public().encrypt(&plain(1009), &mut prg(1)).err(), refused);
    assert_eq!(
        PRIME.public().add_plain(&PRIME.encrypt(&plain(1), &mut prg(1)).unwrap(), &plain(1009)).err(),
        refused
    );
}

#[test]
fn blinded_zero_tests_tell_nothing_else() {
    let (key, mut prg) = (&*PRIME, prg(1));
    let public = key.public();
    let [zero, some] = [0, 500].map(|value| public.encrypt(&plain(value), &mut prg).unwrap());
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..50 {
        assert!(key.is_zero(&public.blind(&zero, &mut prg).unwrap()).unwrap());
        let blinded = public.blind(&some, &mut prg).unwrap();
        assert!(!key.is_zero(&blinded).unwrap());
        seen.insert(key.decrypt(&blinded).unwrap().to_u64());
    }
    assert!(seen.len() > 40, "{}", seen.len());
    let ciphertext = WORDS[0].public().encrypt(&plain(1), &mut prg).unwrap();
    assert!(matches!(WORDS[0].public().blind(&ciphertext, &mut prg), Err(HeError::Parameters(_))));
}

#[test]
fn ciphertexts_show_no_bit_by_the_jacobi_symbol() {
    for key in [&*PRIME, &WORDS[0]] {
        let public = key.public();
        for value in 0..8 {
            let ciphertext = public.encrypt(&plain(value), &mut prg(value.into())).unwrap();
            assert_eq!(primes::jacobi(&ciphertext.0.retrieve(), public.modulus.value()), 1);
        }
    }
}

#[test]
fn batches_equal_single_calls_in_any_number_of_threads() {
    let key = &WORDS[0];
    let plains: Vec<Natural> = (0..40).map(plain).collect();
    let batch = |threads| {
        let public = key.public();
        let made = public.encrypt_all(&plains, threads, &mut prg(1)).unwrap();
        let own = key.encrypt_all(&plains, threads, &mut prg(1)).unwrap();
        let sums = public.add_all(&made, &own, threads).unwrap();
        let fresh = public.rerandomise_all(&sums, threads, &mut prg(2)).unwrap();
        (public.encode(&fresh).unwrap(), key.decrypt_all(&fresh, threads).unwrap())
    };
    let (bytes, decrypted) = batch(Threads::ONE);
    assert!(decrypted.iter().zip(0..).all(|(m, i)| m.to_u64() == Some(2 * i)));
    assert_eq!(batch(Threads::all()), (bytes, decrypted));
}

#[test]
fn batches_equal_single_calls_whatever_computes_them() {
    for key in [&WORDS[0], &*PRIME] {
        let public = key.public();
        let plains: Vec<Natural> = (0..13).map(|i| plain(i / 3)).collect();
        let made = public.encrypt_all(&plains, Threads::ONE, &mut prg(1)).unwrap();
        let single =
            parallel::map_seeded(&plains, Threads::ONE, &mut prg(1), |plain, prg| public.encrypt(plain, prg));
        assert!(made == single.unwrap());
        let own = key.encrypt_all(&plains, Threads::ONE, &mut prg(3)).unwrap();
        let single =
            parallel::map_seeded(&plains, Threads::ONE, &mut prg(3), |plain, prg| key.encrypt(plain, prg));
        assert!(own == single.unwrap());
        let fresh = public.rerandomise_all(&made, Threads::ONE, &mut prg(2)).unwrap();
        let single =
            parallel::map_seeded(&made, Threads::ONE, &mut prg(2), |one, prg| public.rerandomise(one, prg));
        assert!(fresh == single.unwrap());
        let factors: Vec<Natural> = (0..13).map(|i| Natural::from(u128::MAX - i)).collect();
        let products = public.multiply_all(&fresh, &factors, Threads::ONE).unwrap();
        for ((product, ciphertext), factor) in products.iter().zip(&fresh).zip(&factors) {
            assert!(*product == public.multiply(ciphertext, factor).unwrap());
        }
        let decrypted = key.decrypt_all(&products, Threads::ONE).unwrap();
        assert!(
            decrypted.iter().zip(&products).all(|(plain, product)| *plain == key.decrypt(product).unwrap())
        );
        let zeros = key.are_zero(&made, Threads::ONE).unwrap();
        assert!(zeros.iter().enumerate().all(|(i, zero)| *zero == (i < 3)));
        let large = [plain(1), Natural::from(u64::MAX)];
        let refused = Some(HeError::Range { what: "a plaintext" });
        assert_eq!(public.encrypt_all(&large, Threads::ONE, &mut prg(1)).err(), refused);
    }
    let foreign = [0, 1].map(|i: usize| WORDS[i].public().encrypt(&plain(1), &mut prg(1)).unwrap());
    let other = Some(HeError::OtherKey { what: "a ciphertext" });
    let (key, public) = (&WORDS[0], WORDS[0].public());
    assert_eq!(key.decrypt_all(&foreign, Threads::ONE).err(), other);
    assert_eq!(key.are_zero(&foreign, Threads::ONE).err(), other);
    assert_eq!(public.multiply_all(&foreign, &[plain(1), plain(2)], Threads::ONE).err(), other);
    assert_eq!(public.rerandomise_all(&foreign, Threads::ONE, &mut prg(1)).err(), other);
    assert!(matches!(public.multiply_all(&foreign, &[], Threads::ONE), Err(HeError::Count { .. })));
}

#[test]
fn ciphertexts_that_are_none_are_refused() {
    let key = &WORDS[0];
    let public = key.public();
    let decode = |number: &BoxedUint| {
        let mut bytes = Vec::new();
        push_bytes(number, public.ciphertext_bytes(), &mut bytes);
        public.decode(1, &bytes)
    };
    let zero = BoxedUint::zero_with_precision(512);
    let multiple = key.q.prime.value().clone().resize_unchecked(512).shl(3);
    for number in [&zero, &multiple] {
        assert_eq!(decode(number).err(), Some(HeError::NotCoprime { what: "a ciphertext" }));
    }
    for number in [public.modulus.value(), &BoxedUint::max(512)] {
        assert_eq!(decode(number).err(), Some(HeError::Range { what: "a ciphertext" }));
    }
    for (count, bytes) in [(1, 63), (1, 65), (2, 64), (0, 64), (usize::MAX, 64)] {
        assert!(matches!(public.decode(count, &vec![1; bytes]), Err(HeError::Length { .. })));
    }
    // A unit outside the group has no plaintext.
    let outside = decode(&BoxedUint::from(3u64).resize_unchecked(512)).unwrap();
    assert_eq!(key.decrypt(&outside[0]).err(), Some(HeError::NoPlaintext));
    assert!(!key.is_zero(&outside[0]).unwrap());
    let outside = PRIME.public().decode(1, &[&[3][..], &[0; 63]].concat()).unwrap();
    assert_eq!(PRIME.decrypt(&outside[0]).err(), Some(HeError::NoPlaintext));
}

#[test]
fn what_belongs_to_another_key_is_refused() {
    let [own, other] = [&WORDS[0], &WORDS[1]];
    let [a, b] = [own, other].map(|key| key.public().encrypt(&plain(1), &mut prg(1)).unwrap());
    let public = own.public();
    let refused = Some(HeError::OtherKey { what: "a ciphertext" });
    assert_eq!(public.add(&a, &b).err(), refused);
    assert_eq!(public.multiply(&b, &plain(2)).err(), refused);
    assert_eq!(public.rerandomise(&b, &mut prg(1)).err(), refused);
    assert_eq!(public.add_plain(&b, &plain(2)).err(), refused);
    assert_eq!(public.negate(&b).err(), refused);
    assert_eq!(public.encode(std::slice::from_ref(&b)).err(), refused);
    assert_eq!(own.decrypt(&b).err(), refused);
    assert_eq!(own.is_zero(&b).err(), refused);
    assert_eq!(PRIME.public().blind(&b, &mut prg(1)).err(), refused);
}

#[test]
fn public_keys_that_are_none_are_refused() {
    let key = &WORDS[0];
    let (public, parameters) = (key.public(), toy(Plaintexts::PowerOfTwo(33)));
    let good = public.to_bytes();
    assert_eq!(PublicKey::from_bytes(&parameters, &good).unwrap().to_bytes(), good);
    let with = |numbers: [&BoxedUint; 3]| {
        let mut bytes = Vec::new();
        for number in numbers {
            push_bytes(&number.clone().resize_unchecked(512), 64, &mut bytes);
        }
        PublicKey::from_bytes(&parameters, &bytes).err()
    };
    let (n, g, h) = (public.modulus.value(), &public.g.retrieve(), &public.h.retrieve());
    let (p, q) = (key.p.prime.value(), key.q.prime.value());
    let one = BoxedUint::one_with_precision(512);
    assert_eq!(with([&p.concatenating_mul(p), g, h]), Some(KeyFault::EqualPrimes.into()));
    assert_eq!(with([&n.wrapping_sub(&one), g, h]), Some(KeyFault::SmallFactor(2).into()));
    assert_eq!(with([&n.shr(1), g, h]), Some(KeyFault::Size { given: 511, expected: 512 }.into()));
    let range = Some(HeError::Range { what: "a generator of a key" });
    for wrong in [&one, &one.wrapping_sub(&one), n] {
        assert_eq!(with([n, wrong, h]), range);
        assert_eq!(with([n, g, wrong]), range);
    }
    let coprime = Some(HeError::NotCoprime { what: "a generator of a key" });
    assert_eq!(with([n, p, h]), coprime);
    assert_eq!(with([n, g, q]), coprime);
    // Wrong orders modulo one prime: h that is 1 modulo p, and g whose order modulo q lacks v.
    let order = Some(HeError::Key(KeyFault::Order));
    let h_q = key.q.prime.reduce(h);
    let half = key.crt.combine(&key.p.prime.one().retrieve(), &h_q).unwrap();
    assert_eq!(with([n, g, &half]), order);
    let short = key.q.unblind(g, 64).retrieve();
    let half = key.crt.combine(&key.p.prime.reduce(g), &short).unwrap();
    assert_eq!(with([n, &half, h]), order);
    // A number that is not a square modulo exactly one of the primes.
    let minus = key.crt.combine(&key.p.prime.reduce(g), &key.q.prime.residue(g).square().retrieve()).unwrap();
    assert_eq!(with([n, &minus, h]), order);
    assert!(matches!(PublicKey::from_bytes(&parameters, &good[1..]), Err(HeError::Length { .. })));
}

#[test]
fn secret_keys_that_are_none_are_refused() {
    let key = &WORDS[0];
    let parameters = toy(Plaintexts::PowerOfTwo(33));
    let good = key.to_bytes().to_vec();
    assert!(SecretKey::from_bytes(&parameters, &good).is_ok());
    let parts = [&good[..32], &good[32..64], &good[64..72], &good[72..80], &good[80..144], &good[144..]];
    let with = |i: usize, other: &[u8]| {
        let mut parts = parts;
        parts[i] = other;
        SecretKey::from_bytes(&parameters, &parts.concat()).err()
    };
    assert_eq!(with(0, parts[1]), Some(KeyFault::EqualPrimes.into()));
    assert_eq!(with(2, parts[3]), Some(KeyFault::Order.into()));
    let not_prime = Some(HeError::Key(KeyFault::NotPrime));
    let flipped = |i: usize| [&[parts[i][0] ^ 6][..], &parts[i][1..]].concat();
    assert_eq!(with(0, &flipped(0)), not_prime);
    assert_eq!(with(2, &flipped(2)), not_prime);
    // A prime of the right length but the wrong form, and an order that belongs to another prime.
    let prime = primes::prime(256, &mut prg(1), |_| true);
    assert_eq!(with(0, &prime.to_le_bytes()), not_prime);
    let order = primes::prime(64, &mut prg(1), |_| true);
    assert_eq!(with(3, &order.to_le_bytes()), not_prime);
    // Generators of wrong orders: g of order v, h of order u·v.
    assert_eq!(with(4, parts[5]), Some(KeyFault::Order.into()));
    assert_eq!(with(5, parts[4]), Some(KeyFault::Order.into()));
    assert!(matches!(SecretKey::from_bytes(&parameters, &good[1..]), Err(HeError::Length { .. })));
    // A power of two smaller than the one that divides p - 1.
    let smaller = toy(Plaintexts::PowerOfTwo(32));
    assert_eq!(SecretKey::from_bytes(&smaller, &good).err(), not_prime);
}

#[test]
fn parameters_of_no_key_are_refused() {
    let new = |t, plaintexts| Parameters::new(ModulusSize::MEDIUM, t, plaintexts).err();
    assert_eq!(new(223, Plaintexts::Prime(3)), Some(ParameterFault::SubgroupBits(223).into()));
    assert_eq!(new(1020, Plaintexts::Prime(3)), Some(ParameterFault::SubgroupBits(1020).into()));
    for u in [0, 2, 4, 1001, 65_537] {
        assert_eq!(new(224, Plaintexts::Prime(u)), Some(ParameterFault::Plaintexts(u).into()));
    }
    for bits in [0, 161, u32::MAX] {
        assert_eq!(new(224, Plaintexts::PowerOfTwo(bits)), Some(ParameterFault::PlainBits(bits).into()));
    }
}

#[test]
fn debug_shows_nothing() {
    let key = &*PRIME;
    let ciphertext = key.public().encrypt(&plain(1), &mut prg(1)).unwrap();
    let shown = format!("{key:?} {:?} {ciphertext:?}", key.public());
    assert_eq!(shown, "SecretKey(..) PublicKey(512 bits) Ciphertext(..)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_products_and_negatives(a in 0u64..1 << 33, b in 0u64..1 << 33, factor: u64, seed: u128) {
        for (key, u) in [(&WORDS[0], 1 << 33), (&*PRIME, 1009)] {
            let (public, mut prg) = (key.public(), prg(seed));
            let (a, b, factor) = (a % u, b % u, factor % u);
            let decrypted = |c: &Ciphertext| u128::from(key.decrypt(c).unwrap().to_u64().unwrap());
            let [x, y] = [a, b].map(|value| public.encrypt(&plain(value), &mut prg).unwrap());
            let own = key.encrypt(&plain(a), &mut prg).unwrap();
            prop_assert_eq!(decrypted(&own), u128::from(a));
            let modulo = |value: u128| value % u128::from(u);
            prop_assert_eq!(decrypted(&public.add(&own, &y).unwrap()), modulo(u128::from(a) + u128::from(b)));
            let product = public.multiply(&x, &plain(factor)).unwrap();
            prop_assert_eq!(decrypted(&product), modulo(u128::from(a) * u128::from(factor)));
            let zero = public.add(&own, &public.negate(&x).unwrap()).unwrap();
            prop_assert!(key.is_zero(&zero).unwrap());
            let more = public.add_plain(&public.rerandomise(&x, &mut prg).unwrap(), &plain(b)).unwrap();
            prop_assert_eq!(decrypted(&more), modulo(u128::from(a) + u128::from(b)));
        }
    }
}

#[test]
fn what_is_computed_ahead_serves_encryptions() {
    let public = PRIME.public();
    let ahead = [
        public.randomness_all(9, Threads::all(), &mut prg(40)),
        PRIME.randomness_all(9, Threads::ONE, &mut prg(41)).unwrap(),
    ];
    let plains = [0, 1, 2, 3, 500, 1005, 1006, 1007, 1008];
    for randomness in ahead {
        let made = public.encrypt_all_with(&plains, randomness, Threads::ONE).unwrap();
        for (ciphertext, plain) in made.iter().zip(plains) {
            assert_eq!(PRIME.decrypt(ciphertext).unwrap().to_u64(), Some(u64::from(plain)));
        }
        let again = public.randomness_all(9, Threads::ONE, &mut prg(42));
        let fresh = public.rerandomise_all_with(&made, again).unwrap();
        assert!(fresh.iter().zip(&made).all(|(fresh, old)| fresh != old));
        assert_eq!(PRIME.are_zero(&fresh, Threads::ONE).unwrap(), plains.map(|plain| plain == 0));
    }
}

#[test]
fn short_products_and_sums_are_those_of_numbers() {
    let public = PRIME.public();
    let plains: Vec<Natural> = (0..11u64).map(|i| plain(i * 91)).collect();
    let ciphertexts = public.encrypt_all(&plains, Threads::ONE, &mut prg(43)).unwrap();
    let factors: Vec<u32> = (0..11).map(|i| (i * i * 17) % 1009).collect();
    for count in [1, 11] {
        let (some, factors) = (&ciphertexts[..count], &factors[..count]);
        let products = public.multiply_all_short(some, factors, Threads::ONE).unwrap();
        let sums = public.add_all_plain(&products, factors, Threads::ONE).unwrap();
        for (i, (sum, factor)) in sums.iter().zip(factors).enumerate() {
            let expected = (91 * i as u64 + 1) * u64::from(*factor) % 1009;
            assert_eq!(PRIME.decrypt(sum).unwrap().to_u64(), Some(expected));
        }
    }
    let one_by_one = public.short_power(&ciphertexts[7].0, &BoxedUint::from(factors[7]), 10);
    assert!(
        Ciphertext(one_by_one) == public.multiply_all_short(&ciphertexts, &factors, Threads::ONE).unwrap()[7]
    );
}

#[test]
fn what_does_not_belong_together_is_refused() {
    let public = PRIME.public();
    let randomness = || public.randomness_all(2, Threads::ONE, &mut prg(44));
    let encrypt = |plains: &[u32]| public.encrypt_all_with(plains, randomness(), Threads::ONE).err();
    assert!(matches!(encrypt(&[1]), Some(HeError::Count { .. })));
    assert!(matches!(encrypt(&[1, 1009]), Some(HeError::Range { .. })));
    let other = WORDS[0].public();
    let foreign = other.encrypt_all_with(&[1, 2], randomness(), Threads::ONE).err();
    assert!(matches!(foreign, Some(HeError::OtherKey { what: "randomness" })));
    let pair = public.encrypt_all_with(&[3, 4], randomness(), Threads::ONE).unwrap();
    let product = |factors: &[u32]| public.multiply_all_short(&pair, factors, Threads::ONE).err();
    assert!(matches!(product(&[1]), Some(HeError::Count { .. })));
    assert!(matches!(product(&[1, 1009]), Some(HeError::Range { .. })));
    assert!(matches!(other.rerandomise_all_with(&pair, randomness()), Err(HeError::OtherKey { .. })));
}
