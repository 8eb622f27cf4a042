//! No branch and no address depends on keys, plaintexts, factors or random exponents.
//!
//! Each test `*_on_secrets` marks these values as undefined memory and runs a scheme's operations. On its own it checks the
//! results; the test at the end runs it under valgrind's memcheck. The outcomes of checks and the answers of calls are
//! declassified in one function, `modular::told`.
//!
//! Not watched:
//! - making and reading keys, whose times depend on rejected candidates, or only concern the owner;
//! - moduli and orders as divisors: `crypto-bigint` branches there on a divisor's length, which is public, and valgrind does
//!   not distinguish length from value. The same numbers are watched wherever else they are used;
//! - the encoding of ciphertexts, which everybody may know;
//! - `elgamal::Integers`, which documents what it leaks, and the encoding of points in batches, which checks that a product is not 0;
//! - eight powers or points at a time by AVX-512, which valgrind does not support: batches run here as single calls do. Those kernels
//!   of `tacit_math` are written without branches and addresses that depend on data.

use std::hint::black_box;

use tacit_crypto::Prg;
use tacit_he::{HeError, Natural, PublicKey, SecretKey, Threads, dgk, elgamal, paillier};
use tacit_math::Block;
use tacit_math::ristretto::{self, Point};

use crate::memcheck::{clean, public, public_of_key, secret, secret_of_key};

/// A generator of random numbers whose seed is secret.
fn secret_prg() -> Prg {
    let mut seed = black_box(vec![Block(2)]);
    secret(&mut seed);
    Prg::new(seed[0])
}

/// A secret number in `words` words.
fn secret_number(value: u8, words: usize) -> Natural {
    let mut bytes = black_box(vec![0; 8 * words]);
    bytes[0] = value;
    secret(&mut bytes);
    Natural::from_le_bytes(&bytes)
}

/// The number, public from here on.
fn opened(number: &Natural) -> Option<u64> {
    let mut bytes = number.to_le_bytes().to_vec();
    public(&mut bytes);
    Natural::from_le_bytes(&bytes).to_u64()
}

/// Keys whose plaintexts are numbers.
trait Numbers: SecretKey<Public: PublicKey<Plain = Natural, Factor = Natural>> {
    fn secrets(&self) -> Vec<&[u64]>;
}

impl Numbers for paillier::SecretKey {
    fn secrets(&self) -> Vec<&[u64]> {
        self.memory()
    }
}

impl Numbers for paillier::damgard_jurik::SecretKey {
    fn secrets(&self) -> Vec<&[u64]> {
        self.memory()
    }
}

impl Numbers for dgk::SecretKey {
    fn secrets(&self) -> Vec<&[u64]> {
        self.memory()
    }
}

type Parameters<K> = <<K as SecretKey>::Public as PublicKey>::Parameters;

/// A key that has decrypted once, since the tables that it makes at the first decryption may take any time, and
/// an encryption of 77.
fn key_and_ciphertext<K: Numbers>(
    parameters: &Parameters<K>,
) -> Result<(Box<K>, <K::Public as PublicKey>::Ciphertext), HeError> {
    let mut prg = Prg::new(Block(1));
    let key = black_box(Box::new(K::generate(parameters, &mut prg)?));
    let ciphertext = key.public().encrypt(&Natural::from(77u64), &mut prg)?;
    assert_eq!(key.decrypt(&ciphertext)?.to_u64(), Some(77));
    Ok((key, ciphertext))
}

/// Runs what every scheme does with numbers, and then `more`; all of the key is secret.
fn on_secrets<K: Numbers>(
    parameters: &Parameters<K>,
    more: impl FnOnce(&K, &<K::Public as PublicKey>::Ciphertext) -> Result<(), HeError>,
) -> Result<(), HeError> {
    let (key, ciphertext) = key_and_ciphertext::<K>(parameters)?;
    let peer = K::Public::from_bytes(parameters, &key.public().to_bytes())?;
    assert!(!key.secrets().iter().any(|words| words.is_empty()));
    key.secrets().into_iter().for_each(secret_of_key);
    let mut prg = secret_prg();

    assert_eq!(opened(&key.decrypt(&ciphertext)?), Some(77));
    let by_owner = key.encrypt(&secret_number(5, 1), &mut prg)?;
    let by_peer = peer.encrypt(&secret_number(6, 40), &mut prg)?;
    let product = peer.multiply(&by_owner, &secret_number(9, 1))?;
    let fresh = peer.rerandomise(&peer.add(&product, &by_peer)?, &mut prg)?;
    let all = key.decrypt_all(&[fresh, by_owner, by_peer], Threads::ONE)?;
    assert_eq!(all.iter().map(opened).collect::<Vec<_>>(), [Some(51), Some(5), Some(6)]);
    assert!(matches!(peer.encrypt(&secret_of_all_ones(), &mut prg), Err(HeError::Range { .. })));
    more(&key, &ciphertext)?;

    key.secrets().into_iter().for_each(public_of_key);
    Ok(())
}

/// A secret number above any plaintext.
fn secret_of_all_ones() -> Natural {
    let mut bytes = black_box(vec![255; 1024]);
    secret(&mut bytes);
    Natural::from_le_bytes(&bytes)
}

#[test]
fn paillier_on_secrets() -> Result<(), HeError> {
    on_secrets::<paillier::SecretKey>(&paillier::ModulusSize::TOY, |key, ciphertext| {
        let mut prg = secret_prg();
        let ahead = key.randomness_all(2, Threads::ONE, &mut prg)?;
        for randomness in ahead {
            let sum = key.public().add_plain(ciphertext, &secret_number(3, 1))?;
            let fresh = key.public().rerandomise_with(&sum, randomness)?;
            assert_eq!(opened(&key.decrypt(&fresh)?), Some(80));
        }
        Ok(())
    })
}

#[test]
fn damgard_jurik_on_secrets() -> Result<(), HeError> {
    let parameters = paillier::damgard_jurik::Parameters::new(paillier::ModulusSize::TOY, 2)?;
    on_secrets::<paillier::damgard_jurik::SecretKey>(&parameters, |_, _| Ok(()))
}

fn dgk_parameters(plaintexts: dgk::Plaintexts) -> Result<dgk::Parameters, HeError> {
    dgk::Parameters::insecure(dgk::ModulusSize::TOY, 64, plaintexts)
}

/// Zero tests, whose outcomes are public.
fn zero_tests(key: &dgk::SecretKey, ciphertext: &dgk::Ciphertext) -> Result<(), HeError> {
    let mut prg = secret_prg();
    let zero = key.public().encrypt(&secret_number(0, 1), &mut prg)?;
    assert!(key.is_zero(&zero)? && !key.is_zero(ciphertext)?);
    let both = [zero, ciphertext.clone()];
    assert_eq!(key.are_zero(&both, Threads::ONE)?, [true, false]);
    let randomness = key.randomness_all(2, Threads::ONE, &mut prg)?;
    let fresh = key.public().rerandomise_all_with(&both, randomness)?;
    assert_eq!(key.are_zero(&fresh, Threads::ONE)?, [true, false]);
    Ok(())
}

#[test]
fn dgk_on_secrets() -> Result<(), HeError> {
    let parameters = dgk_parameters(dgk::Plaintexts::Prime(1009))?;
    on_secrets::<dgk::SecretKey>(&parameters, |key, ciphertext| {
        zero_tests(key, ciphertext)?;
        let blinded = key.public().blind(ciphertext, &mut secret_prg())?;
        assert!(!key.is_zero(&blinded)?);
        let mut factors = black_box(vec![3u32, 4]);
        secret(&mut factors);
        let pair = [ciphertext.clone(), blinded];
        let products = key.public().multiply_all_short(&pair, &factors, Threads::ONE)?;
        assert_eq!(opened(&key.decrypt(&products[0])?), Some(231));
        let sums = key.public().add_all_plain(&pair, &factors, Threads::ONE)?;
        assert_eq!(opened(&key.decrypt(&sums[0])?), Some(80));
        Ok(())
    })
}

#[test]
fn dgk_of_a_power_of_two_on_secrets() -> Result<(), HeError> {
    on_secrets::<dgk::SecretKey>(&dgk_parameters(dgk::Plaintexts::PowerOfTwo(33))?, zero_tests)
}

#[test]
fn sums_of_products_on_secrets() {
    let [a, b, c] = [3, 4, 5].map(|value| secret_number(value, 2));
    assert_eq!(opened(&Natural::sum_of_products([(&a, &b), (&b, &c)], 192)), Some(32));
}

#[test]
fn elgamal_on_secrets() -> Result<(), HeError> {
    let mut prg = Prg::new(Block(1));
    let key = black_box(Box::new(elgamal::SecretKey::generate(&(), &mut prg)?));
    let seven = key.public().encrypt(&elgamal::Message::integer(7), &mut prg)?;
    secret_of_key(key.memory());
    let mut prg = secret_prg();
    let mut number = black_box(vec![3i64]);
    secret(&mut number);

    let message = elgamal::Message::integer(number[0]);
    let made = key.public().encrypt(&message, &mut prg)?;
    let product = key.public().multiply(&made, &elgamal::Factor::integer(number[0]))?;
    let fresh = key.public().rerandomise(&product, &mut prg)?;
    let sum = key.public().add_plain(&key.public().add(&fresh, &seven)?, &message)?;
    let blinded = key.public().multiply(&sum, &elgamal::Factor::random(&mut prg))?;
    let mut messages = vec![key.decrypt(&seven)?, key.decrypt(&sum)?, key.decrypt(&blinded)?];
    public(&mut messages);
    assert!(messages[0] == elgamal::Message::integer(7));
    assert!(messages[1] == elgamal::Message::integer(19));
    assert!(messages[2] != messages[1]);

    public_of_key(key.memory());
    Ok(())
}

#[test]
fn batches_of_points_on_secrets() {
    let mut prg = secret_prg();
    let (mut uniform, mut numbers) = (vec![[0; 64]; 3], vec![[0; 32]; 3]);
    prg.fill_bytes(uniform.as_flattened_mut());
    prg.fill_bytes(numbers.as_flattened_mut());
    let mut points = vec![Point::IDENTITY; 3];
    ristretto::hash_into(&uniform, &mut points);
    let mut multiples = points.clone();
    ristretto::multiply(&numbers, &mut multiples);
    ristretto::multiply(&numbers[..1], &mut points);
    ristretto::add(&multiples, &mut points);
    let mut of_base = vec![Point::IDENTITY; 3];
    ristretto::base().multiply_into(&numbers, &mut of_base);
    let sum = &(&points[0] - &of_base[1]).double() + &points[2];
    let mut encodings = black_box(vec![[0; 32]; 4]);
    ristretto::encode_doubles_into(&of_base, &mut encodings[..3]);
    ristretto::encode_into(&[sum], &mut encodings[3..]);
    public(&mut encodings);
    assert!(encodings.iter().all(|encoding| *encoding != [0; 32]));
}

/// A branch on a secret byte, which valgrind must report.
fn leak(bytes: &[u8]) {
    if black_box(bytes)[0] & 4 == 4 {
        black_box(bytes);
    }
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_value() {
    let mut bytes = black_box(vec![1]);
    secret(&mut bytes);
    leak(&bytes);
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_random_number() {
    leak(&secret_prg().next_u64().to_le_bytes());
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_number() {
    leak(&secret_number(1, 2).to_le_bytes());
}

/// A branch on one part of a key. Valgrind must report each part by itself.
fn leak_key<K: Numbers>(parameters: &Parameters<K>, part: usize) -> Result<(), HeError> {
    let (key, _) = key_and_ciphertext::<K>(parameters)?;
    secret_of_key(key.secrets()[part]);
    leak(&key.secrets()[part][0].to_le_bytes());
    Ok(())
}

/// A decryption, whose result is a secret.
fn leak_plaintext<K: Numbers>(parameters: &Parameters<K>) -> Result<(), HeError> {
    let (key, ciphertext) = key_and_ciphertext::<K>(parameters)?;
    key.secrets().into_iter().for_each(secret_of_key);
    leak(&key.decrypt(&ciphertext)?.to_le_bytes());
    Ok(())
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_key_of_paillier() -> Result<(), HeError> {
    leak_key::<paillier::SecretKey>(&paillier::ModulusSize::TOY, 0)
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_prime_of_dgk() -> Result<(), HeError> {
    leak_key::<dgk::SecretKey>(&dgk_parameters(dgk::Plaintexts::Prime(1009))?, 2)
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_plaintext_of_paillier() -> Result<(), HeError> {
    leak_plaintext::<paillier::SecretKey>(&paillier::ModulusSize::TOY)
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_plaintext_of_dgk() -> Result<(), HeError> {
    leak_plaintext::<dgk::SecretKey>(&dgk_parameters(dgk::Plaintexts::PowerOfTwo(33))?)
}

#[test]
#[ignore = "only under valgrind"]
fn a_branch_on_a_key_of_elgamal() -> Result<(), HeError> {
    let key = black_box(Box::new(elgamal::SecretKey::generate(&(), &mut Prg::new(Block(1)))?));
    secret_of_key(key.memory());
    leak(&key.to_bytes());
    Ok(())
}

const LEAKS: [&str; 8] = [
    "a_branch_on_a_value",
    "a_branch_on_a_random_number",
    "a_branch_on_a_number",
    "a_branch_on_a_key_of_paillier",
    "a_branch_on_a_prime_of_dgk",
    "a_branch_on_a_plaintext_of_paillier",
    "a_branch_on_a_plaintext_of_dgk",
    "a_branch_on_a_key_of_elgamal",
];

const OPERATIONS: [&str; 7] = [
    "paillier_on_secrets",
    "damgard_jurik_on_secrets",
    "dgk_on_secrets",
    "dgk_of_a_power_of_two_on_secrets",
    "sums_of_products_on_secrets",
    "elgamal_on_secrets",
    "batches_of_points_on_secrets",
];

#[test]
#[ignore = "runs valgrind, for ten seconds"]
#[cfg(target_arch = "x86_64")]
fn valgrind_finds_no_branch_or_address_that_depends_on_a_secret() {
    let clean = |test: &str| clean(&format!("constant_time::{test}"));
    if clean(OPERATIONS[0]).is_none() {
        eprintln!("valgrind is not installed, so branches on secrets are not looked for");
        return;
    }
    let unseen: Vec<_> = LEAKS.into_iter().filter(|test| clean(test) != Some(false)).collect();
    assert!(unseen.is_empty(), "valgrind does not report {unseen:?}");
    let found: Vec<_> = OPERATIONS.into_iter().filter(|test| clean(test) != Some(true)).collect();
    assert!(found.is_empty(), "run valgrind with tests/told.supp on {found:?} to see where");
}
