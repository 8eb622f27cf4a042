use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_math::Block;

use super::*;
use crate::vectors::Vectors;
use crate::{PublicKey as _, SecretKey as _, Slots, Threads};

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn parameters(bits: u32, s: u32) -> Parameters {
    Parameters::new(ModulusSize::insecure(bits).unwrap(), s).unwrap()
}

/// Keys of a toy size, made once, with s = 2, 3, 4.
static TOY: LazyLock<[SecretKey; 3]> =
    LazyLock::new(|| [2, 3, 4].map(|s| SecretKey::generate(&parameters(128, s), &mut prg(1)).unwrap()));

/// The paper's formulas in Python's integers:
///
/// ```text
/// M = n**(s+1); hs = pow(h, n**s, M)
/// c = pow(1+n, m, M) * pow(hs, r, M) % M
/// sum = c1*c2 % M; product = pow(c1, k, M); one = pow(1+n, m1, M)
/// ```
#[test]
fn known_answers_of_the_papers_formulas() {
    let vectors = Vectors::parse(include_str!("vectors.txt"));
    let bytes = [vectors.get("P"), vectors.get("Q"), vectors.get("H")].concat();
    for s in 2..=4 {
        let key = SecretKey::from_bytes(&parameters(512, s), &bytes).unwrap();
        assert_eq!(&key.to_bytes()[..], &bytes[..]);
        let public = key.public();
        let get = |name: &str| vectors.get(&format!("{name}_{s}"));
        let natural = |name: &str| Natural::from_le_bytes(get(name));
        let ciphertext = |name: &str| public.decode(1, get(name)).unwrap().remove(0);
        let decrypted = |ciphertext: &Ciphertext| key.decrypt(ciphertext).unwrap().to_le_bytes().to_vec();
        let encoded = |ciphertext: Ciphertext| public.encode(&[ciphertext]).unwrap();
        let [c1, c2] = ["C1", "C2"].map(ciphertext);
        assert_eq!(decrypted(&c1), get("M1"));
        assert_eq!(decrypted(&c2)[..8], *get("M2"));
        let sum = public.add(&c1, &c2).unwrap();
        assert_eq!(decrypted(&sum), get("SUM_PLAIN"));
        assert_eq!(encoded(sum), get("SUM"));
        let product = public.multiply(&c1, &natural("K")).unwrap();
        assert_eq!(decrypted(&product), get("PRODUCT_PLAIN"));
        assert_eq!(encoded(product), get("PRODUCT"));
        assert_eq!(encoded(Ciphertext(public.encoded(&natural("M1")).unwrap())), get("ONE"));
    }
}

#[test]
fn real_sizes_pack_more_into_fewer_bytes() {
    let parameters = Parameters::new(ModulusSize::MEDIUM, 2).unwrap();
    let key = SecretKey::generate(&parameters, &mut prg(9)).unwrap();
    let public = key.public();
    assert_eq!((public.ciphertext_bytes(), public.plain_bits()), (768, 4094));
    let slots = Slots::new(public.plain_bits(), 64, 40).unwrap();
    let values: Vec<Natural> = (0..slots.count() as u64).map(|i| Natural::from(u64::MAX - i)).collect();
    assert_eq!(values.len(), 38);
    let ciphertext = key.encrypt(&slots.pack(&values).unwrap(), &mut prg(10)).unwrap();
    let (masks, joined) = slots.masks(values.len(), &mut prg(11)).unwrap();
    let masked = public.add(&ciphertext, &public.encrypt(&joined, &mut prg(12)).unwrap()).unwrap();
    let opened = slots.unpack(&key.decrypt(&masked).unwrap(), values.len()).unwrap();
    for ((opened, mask), value) in opened.iter().zip(&masks).zip(&values) {
        let sum = mask.to_u128().unwrap() + value.to_u128().unwrap();
        assert_eq!(opened.to_u128(), Some(sum));
    }
}

#[test]
fn encryptions_are_fresh() {
    let public = TOY[0].public();
    let one = |seed| public.encrypt(&Natural::from(1u64), &mut prg(seed)).unwrap();
    assert!(one(1) == one(1) && one(1) != one(2));
    let again = public.rerandomise(&one(1), &mut prg(3)).unwrap();
    assert!(again != one(1));
    assert_eq!(TOY[0].decrypt(&again).unwrap().to_u64(), Some(1));
}

#[test]
fn batches_equal_single_calls_in_any_number_of_threads() {
    let key = &TOY[1];
    let plains: Vec<Natural> = (0..20u64).map(Natural::from).collect();
    let made = |threads| key.public().encrypt_all(&plains, threads, &mut prg(1)).unwrap();
    assert!(made(Threads::ONE) == made(Threads::all()));
    let opened = key.decrypt_all(&made(Threads::ONE), Threads::all()).unwrap();
    assert!(opened.iter().enumerate().all(|(i, plain)| plain.to_u64() == Some(i as u64)));
}

#[test]
fn what_no_honest_party_sends_is_refused() {
    let key = &TOY[0];
    let public = key.public();
    let each = public.ciphertext_bytes();
    let refused = |bytes: &[u8]| public.decode(1, bytes).err().unwrap();
    assert_eq!(refused(&vec![0; each]), HeError::NotCoprime { what: "a ciphertext" });
    assert_eq!(refused(&vec![0xff; each]), HeError::Range { what: "a ciphertext" });
    let mut factor = vec![0; each];
    factor[..8].copy_from_slice(&key.p.prime.to_le_bytes()[..8]);
    assert_eq!(refused(&factor), HeError::NotCoprime { what: "a ciphertext" });
    assert!(matches!(refused(&factor[1..]), HeError::Length { .. }));
    let beyond = Natural::new(public.plains.clone());
    assert_eq!(public.encrypt(&beyond, &mut prg(1)).err(), Some(HeError::Range { what: "a plaintext" }));
    let foreign = SecretKey::generate(&parameters(128, 2), &mut prg(2)).unwrap();
    let theirs = foreign.encrypt(&Natural::from(1u64), &mut prg(1)).unwrap();
    let other = HeError::OtherKey { what: "a ciphertext" };
    assert_eq!(key.decrypt(&theirs).err(), Some(other.clone()));
    assert_eq!(public.add(&theirs, &theirs).err(), Some(other));
    for s in [0, 1, 5] {
        let fault = Parameters::new(ModulusSize::MEDIUM, s).err();
        assert_eq!(fault, Some(ParameterFault::PlainBits(2048 * s).into()));
    }
}

#[test]
fn an_error_of_the_machine_gives_no_plaintext() {
    let mut key = SecretKey::generate(&parameters(128, 2), &mut prg(1)).unwrap();
    let ciphertext = key.encrypt(&Natural::from(5u64), &mut prg(2)).unwrap();
    key.p.order = key.q.order.clone();
    assert_eq!(key.decrypt(&ciphertext).err(), Some(HeError::Fault));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_and_products_are_those_of_plaintexts(which in 0usize..3, a: u64, b: u64, factor: u32) {
        let key = &TOY[which];
        let public = key.public();
        let [x, y] = [(a, 1), (b, 2)].map(|(plain, seed)| public.encrypt(&Natural::from(plain), &mut prg(seed)).unwrap());
        let scaled = public.multiply(&x, &Natural::from(u64::from(factor))).unwrap();
        let sum = key.decrypt(&public.add(&scaled, &y).unwrap()).unwrap();
        prop_assert_eq!(sum.to_u128(), Some(u128::from(a) * u128::from(factor) + u128::from(b)));
    }
}
