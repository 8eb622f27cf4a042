use std::sync::LazyLock;

use crypto_bigint::Resize;
use proptest::prelude::*;
use tacit_math::Block;

use super::*;
use crate::vectors::Vectors;
use crate::{ParameterFault, PublicKey as _, SecretKey as _, Slots};

/// Keys of tests: two of a toy size, and one of each real size, made once.
static TOY: LazyLock<[SecretKey; 2]> = LazyLock::new(|| [1, 2].map(|seed| key(256, seed)));

fn size(bits: u32) -> ModulusSize {
    ModulusSize::insecure(bits).unwrap()
}

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn key(bits: u32, seed: u128) -> SecretKey {
    SecretKey::generate(&size(bits), &mut prg(seed)).unwrap()
}

fn natural(bytes: &[u8]) -> Natural {
    Natural::from_le_bytes(bytes)
}

fn plain(value: u64) -> Natural {
    Natural::from(value)
}

/// `phe` 1.5 encrypts as `(1 + m·n)·r^n`, adds by multiplying and multiplies by powers; C2 is DJN's formula in Python:
///
/// ```text
/// h = -x*x % n; hs = pow(h, n, n*n)
/// c1 = phe.PaillierPublicKey(n).raw_encrypt(m1, r1)
/// c2 = (1 + m2*n) * pow(hs, r2, n*n) % (n*n)
/// sum = c1._raw_add(c2); product = c1._raw_mul(k)
/// ```
#[test]
fn known_answers_of_phe() {
    let vectors = Vectors::parse(include_str!("vectors.txt"));
    let bytes = [vectors.get("P"), vectors.get("Q"), vectors.get("H")].concat();
    let key = SecretKey::from_bytes(&size(512), &bytes).unwrap();
    assert_eq!(&key.to_bytes()[..], &bytes[..]);
    let public = key.public();
    let ciphertext = |name| public.decode(1, vectors.get(name)).unwrap().remove(0);
    let decrypted = |ciphertext: &Ciphertext| key.decrypt(ciphertext).unwrap().to_le_bytes().to_vec();
    let [c1, c2] = ["C1", "C2"].map(ciphertext);
    assert_eq!(decrypted(&c1), vectors.get("M1"));
    assert_eq!(decrypted(&c2)[..8], *vectors.get("M2"));
    let power = public.table().power(natural(vectors.get("R2")).uint());
    let made = public.encrypt_with(&natural(vectors.get("M2")), public.randomness_of(power)).unwrap();
    assert_eq!(public.encode(&[made]).unwrap(), vectors.get("C2"));
    let sum = public.add(&c1, &c2).unwrap();
    assert_eq!(public.encode(std::slice::from_ref(&sum)).unwrap(), vectors.get("SUM"));
    assert_eq!(decrypted(&sum), vectors.get("SUM_PLAIN"));
    let product = public.multiply(&c1, &natural(vectors.get("K"))).unwrap();
    assert_eq!(public.encode(std::slice::from_ref(&product)).unwrap(), vectors.get("PRODUCT"));
    assert_eq!(decrypted(&product), vectors.get("PRODUCT_PLAIN"));
}

#[test]
fn keys_of_real_sizes_work() {
    for size in [ModulusSize::MEDIUM, ModulusSize::LONG] {
        let key = SecretKey::generate(&size, &mut prg(9)).unwrap();
        assert_eq!(key.public().modulus.bits(), size.bits());
        let ciphertext = key.encrypt(&plain(77), &mut prg(10)).unwrap();
        assert_eq!(key.decrypt(&ciphertext).unwrap().to_u64(), Some(77));
        let bytes = key.public().encode(&[ciphertext]).unwrap();
        assert_eq!(bytes.len(), size.bits() as usize / 4);
    }
}

#[test]
fn the_owner_encrypts_what_everybody_does() {
    let key = &TOY[0];
    let own = key.encrypt(&plain(5), &mut prg(3)).unwrap();
    assert!(own == key.public().encrypt(&plain(5), &mut prg(3)).unwrap());
    assert!(own != key.public().encrypt(&plain(5), &mut prg(4)).unwrap());
}

#[test]
fn no_randomness_takes_no_tables() {
    let key = key(256, 9);
    assert!(key.randomness_all(0, Threads::ONE, &mut prg(1)).unwrap().is_empty());
    assert!(key.public.hiding_randomness_all(0, Threads::ONE, &mut prg(1)).is_empty());
    assert!(key.public.table.get().is_none() && key.public.hiding.get().is_none());
}

#[test]
fn batches_equal_single_calls_in_any_number_of_threads() {
    let key = &TOY[0];
    let plains: Vec<Natural> = (0..40).map(plain).collect();
    let factors: Vec<Natural> = (0..40).map(|i| plain(i + 7)).collect();
    let batch = |threads| {
        let public = key.public();
        let made = public.encrypt_all(&plains, threads, &mut prg(1)).unwrap();
        let products = public.multiply_all(&made, &factors, threads).unwrap();
        let sums = public.add_all(&made, &products, threads).unwrap();
        let fresh = public.rerandomise_all(&sums, threads, &mut prg(2)).unwrap();
        assert!(fresh.iter().zip(&sums).all(|(fresh, sum)| fresh != sum));
        (public.encode(&fresh).unwrap(), key.decrypt_all(&fresh, threads).unwrap())
    };
    let (bytes, decrypted) = batch(Threads::ONE);
    assert!(decrypted.iter().enumerate().all(|(i, m)| m.to_u64() == Some(i as u64 * (i as u64 + 8))));
    assert_eq!(batch(Threads::all()), (bytes, decrypted));
}

#[test]
fn randomness_that_hides_from_the_owner_has_exponents_longer_than_the_group() {
    let key = &TOY[0];
    let public = key.public();
    assert_eq!(public.hiding_bits(), 256 + 72);
    let ciphertext = public.encrypt(&plain(7), &mut prg(1)).unwrap();
    let hidden = |threads| -> Vec<Ciphertext> {
        let made = public.hiding_randomness_all(20, threads, &mut prg(2));
        made.into_iter().map(|made| public.rerandomise_with(&ciphertext, made).unwrap()).collect()
    };
    let alone = hidden(Threads::ONE);
    assert!(alone == hidden(Threads::all()));
    assert!(alone.iter().all(|hidden| key.decrypt(hidden).unwrap().to_u64() == Some(7)));
    // Powers for the full exponents that the generator gives.
    let Ok(exponents) = parallel::map_seeded(&[(); 20], Threads::ONE, &mut prg(2), |(), prg| {
        Ok::<_, Infallible>(Natural::random(256 + 72, prg))
    });
    for (hidden, exponent) in alone.iter().zip(&exponents) {
        let power = public.square.power(&public.power, exponent.uint(), 256 + 72);
        assert!(hidden.0 == ciphertext.0.mul(&power));
    }
}

#[test]
fn batches_equal_single_calls_whatever_computes_them() {
    let key = &TOY[0];
    let public = key.public();
    let plains: Vec<Natural> = (0..13).map(plain).collect();
    let made = public.encrypt_all(&plains, Threads::ONE, &mut prg(1)).unwrap();
    // The results of single calls in sequence with the same randomness.
    let single =
        parallel::map_seeded(&plains, Threads::ONE, &mut prg(1), |plain, prg| public.encrypt(plain, prg));
    assert!(made == single.unwrap());
    assert!(made == key.encrypt_all(&plains, Threads::ONE, &mut prg(1)).unwrap());
    let factors: Vec<Natural> = (0..13).map(|i| Natural::from(u128::MAX - i)).collect();
    let products = public.multiply_all(&made, &factors, Threads::ONE).unwrap();
    for ((product, ciphertext), factor) in products.iter().zip(&made).zip(&factors) {
        assert!(*product == public.multiply(ciphertext, factor).unwrap());
    }
    let decrypted = key.decrypt_all(&products, Threads::ONE).unwrap();
    assert!(decrypted.iter().zip(&products).all(|(plain, product)| *plain == key.decrypt(product).unwrap()));
    assert!(matches!(public.multiply_all(&made, &factors[1..], Threads::ONE), Err(HeError::Count { .. })));
    let foreign = TOY[1].public().encrypt(&plain(1), &mut prg(1)).unwrap();
    let mixed = [made[0].clone(), foreign];
    let other = Some(HeError::OtherKey { what: "a ciphertext" });
    assert_eq!(key.decrypt_all(&mixed, Threads::ONE).err(), other);
    assert_eq!(public.multiply_all(&mixed, &factors[..2], Threads::ONE).err(), other);
    assert_eq!(public.rerandomise_all(&mixed, Threads::ONE, &mut prg(1)).err(), other);
    assert!(key.decrypt_all(&[], Threads::ONE).unwrap().is_empty());
}

#[test]
fn slots_are_gathered_masked_and_cut() {
    let key = key(512, 5);
    let public = key.public();
    let slots = Slots::new(public.plain_bits(), 64, 40).unwrap();
    let values: Vec<Natural> = (0..slots.count() as u64).map(|i| plain(u64::MAX - i)).collect();
    let ciphertexts = public.encrypt_all(&values, Threads::ONE, &mut prg(1)).unwrap();
    let packed = slots.gather(public, &ciphertexts).unwrap();
    let (masks, joined) = slots.masks(values.len(), &mut prg(2)).unwrap();
    let masked = public.rerandomise(&public.add_plain(&packed, &joined).unwrap(), &mut prg(3)).unwrap();
    let cut = slots.unpack(&key.decrypt(&masked).unwrap(), values.len()).unwrap();
    for ((cut, mask), value) in cut.iter().zip(&masks).zip(&values) {
        let difference = cut.to_u128().unwrap() - mask.to_u128().unwrap();
        assert_eq!(Some(difference as u64), value.to_u64());
    }
    assert!(matches!(slots.gather(public, &[]), Err(HeError::Count { given: 0, .. })));
    let many = vec![ciphertexts[0].clone(); slots.count() + 1];
    assert!(matches!(slots.gather(public, &many), Err(HeError::Count { .. })));
}

#[test]
fn ciphertexts_that_are_none_are_refused() {
    let key = &TOY[0];
    let public = key.public();
    let bytes = public.encode(&[public.encrypt(&plain(1), &mut prg(1)).unwrap()]).unwrap();
    let refused = |number: &BoxedUint| {
        let mut bad = Vec::new();
        push_bytes(number, public.ciphertext_bytes(), &mut bad);
        // Among good ones too.
        let error = public.decode(2, &[&bytes[..], &bad].concat()).unwrap_err();
        assert_eq!(public.decode(1, &bad).unwrap_err(), error);
        error
    };
    let zero = BoxedUint::zero_with_precision(512);
    let multiple = key.p.prime.value().concatenating_mul(BoxedUint::from(12_345u64)).resize_unchecked(512);
    for number in [&zero, &multiple, &public.modulus.clone().resize_unchecked(512)] {
        assert_eq!(refused(number), HeError::NotCoprime { what: "a ciphertext" });
    }
    let one = BoxedUint::one_with_precision(512);
    for number in
        [public.square.value().clone(), public.square.value().wrapping_add(one), BoxedUint::max(512)]
    {
        assert_eq!(refused(&number), HeError::Range { what: "a ciphertext" });
    }
    for (count, bytes) in
        [(2, &bytes[..]), (0, &bytes[..]), (1, &bytes[1..]), (usize::MAX, &bytes[..]), (1, &[])]
    {
        assert!(matches!(public.decode(count, bytes), Err(HeError::Length { .. })));
    }
}

#[test]
fn plaintexts_beyond_the_modulus_are_refused() {
    let public = TOY[0].public();
    for number in [public.modulus.clone(), BoxedUint::max(256), BoxedUint::max(512)] {
        let number = Natural::new(number);
        assert_eq!(public.encrypt(&number, &mut prg(1)).err(), Some(HeError::Range { what: "a plaintext" }));
    }
    // The capacity may be larger, and the largest plaintext is n - 1.
    let one = BoxedUint::one_with_precision(256);
    let largest = Natural::new(public.modulus.wrapping_sub(one).resize_unchecked(1024));
    let ciphertext = public.encrypt(&largest, &mut prg(1)).unwrap();
    let sum = public.add(&ciphertext, &public.encrypt(&plain(8), &mut prg(2)).unwrap()).unwrap();
    assert_eq!(TOY[0].decrypt(&sum).unwrap().to_u64(), Some(7));
}

#[test]
fn what_belongs_to_another_key_is_refused() {
    let [own, other] = [&TOY[0], &TOY[1]];
    let [a, b] = [own, other].map(|key| key.public().encrypt(&plain(1), &mut prg(1)).unwrap());
    let public = own.public();
    let refused = Some(HeError::OtherKey { what: "a ciphertext" });
    assert_eq!(public.add(&a, &b).err(), refused);
    assert_eq!(public.add(&b, &a).err(), refused);
    assert_eq!(public.multiply(&b, &plain(2)).err(), refused);
    assert_eq!(public.rerandomise(&b, &mut prg(1)).err(), refused);
    assert_eq!(public.add_plain(&b, &plain(2)).err(), refused);
    assert_eq!(public.negate(&b).err(), refused);
    assert_eq!(public.negate_all(std::slice::from_ref(&b)).err(), refused);
    assert_eq!(public.encode(&[a, b.clone()]).err(), refused);
    assert_eq!(own.decrypt(&b).err(), refused);
    let randomness = other.public().randomness(&mut prg(1));
    assert_eq!(
        public.encrypt_with(&plain(1), randomness).err(),
        Some(HeError::OtherKey { what: "randomness" })
    );
}

#[test]
fn public_keys_that_are_none_are_refused() {
    let key = &TOY[0];
    let good = key.public().to_bytes();
    assert_eq!(PublicKey::from_bytes(&size(256), &good).unwrap().to_bytes(), good);
    let with = |modulus: &BoxedUint| {
        let mut bytes = Vec::new();
        push_bytes(modulus, 32, &mut bytes);
        bytes.extend_from_slice(&good[32..]);
        PublicKey::from_bytes(&size(256), &bytes).err()
    };
    let prime = key.p.prime.value();
    assert_eq!(with(&prime.concatenating_mul(prime)), Some(KeyFault::EqualPrimes.into()));
    let small = BoxedUint::from(251u64).resize_unchecked(256);
    let wide = primes::prime(248, &mut prg(1), |_| true).resize_unchecked(256);
    let product = small.wrapping_mul(&wide);
    assert_eq!(product.bits(), 256);
    assert_eq!(with(&product), Some(KeyFault::SmallFactor(251).into()));
    let even = key.public().modulus.wrapping_sub(BoxedUint::one_with_precision(256));
    assert_eq!(with(&even), Some(KeyFault::SmallFactor(2).into()));
    let short = key.public().modulus.shr(1);
    assert_eq!(with(&short), Some(KeyFault::Size { given: 255, expected: 256 }.into()));
    assert_eq!(
        with(&BoxedUint::zero_with_precision(256)),
        Some(KeyFault::Size { given: 0, expected: 256 }.into())
    );
    assert!(matches!(PublicKey::from_bytes(&size(512), &good), Err(HeError::Length { .. })));
    assert!(matches!(PublicKey::from_bytes(&size(256), &good[1..]), Err(HeError::Length { .. })));
    let generator = |h: &BoxedUint| {
        let mut bytes = good[..32].to_vec();
        push_bytes(h, 32, &mut bytes);
        PublicKey::from_bytes(&size(256), &bytes).err()
    };
    let zero = BoxedUint::zero_with_precision(256);
    assert_eq!(generator(&zero), Some(HeError::Range { what: "the generator of a key" }));
    assert_eq!(generator(&key.public().modulus), Some(HeError::Range { what: "the generator of a key" }));
    assert_eq!(generator(&BoxedUint::one_with_precision(256)), Some(KeyFault::Order.into()));
    let shared = prime.clone().resize_unchecked(256);
    assert_eq!(generator(&shared), Some(HeError::NotCoprime { what: "the generator of a key" }));
}

#[test]
fn secret_keys_that_are_none_are_refused() {
    let key = &TOY[0];
    let good = key.to_bytes().to_vec();
    assert!(SecretKey::from_bytes(&size(256), &good).is_ok());
    let [p, q, h] = [&good[..16], &good[16..32], &good[32..]];
    let refused = |p: &[u8], q: &[u8]| SecretKey::from_bytes(&size(256), &[p, q, h].concat()).err();
    assert_eq!(refused(p, p), Some(KeyFault::EqualPrimes.into()));
    let mut composite = q.to_vec();
    composite[0] ^= 4;
    assert_eq!(refused(p, &composite), Some(KeyFault::NotPrime.into()));
    let mut one_mod_four = q.to_vec();
    one_mod_four[0] ^= 2;
    assert_eq!(refused(p, &one_mod_four), Some(KeyFault::NotPrime.into()));
    assert_eq!(refused(p, &[0; 16]), Some(KeyFault::NotPrime.into()));
    assert!(matches!(SecretKey::from_bytes(&size(256), &good[1..]), Err(HeError::Length { .. })));
    assert_eq!(ModulusSize::insecure(100).err(), Some(ParameterFault::ModulusBits(100).into()));
}

#[test]
fn faults_are_noticed() {
    let broken = |change: fn(&mut SecretKey)| {
        let mut key = SecretKey::from_bytes(&size(256), &TOY[0].to_bytes()).unwrap();
        change(&mut key);
        key
    };
    let ciphertext = TOY[0].public().encrypt(&plain(9), &mut prg(1)).unwrap();
    let fault = Some(HeError::Fault);
    let wrong_power = broken(|key| key.p.order.as_mut_words()[0] ^= 4);
    assert_eq!(wrong_power.decrypt(&ciphertext).err(), fault);
    assert_eq!(wrong_power.decrypt_all(&[ciphertext.clone(), ciphertext.clone()], Threads::ONE).err(), fault);
    let wrong_quotient = broken(|key| key.q.inverse.as_mut_words()[1] ^= 4);
    assert_eq!(wrong_quotient.decrypt(&ciphertext).err(), fault);
    let wrong_table = broken(|key| {
        let base = key.p.checked.residue(&BoxedUint::from(3u64));
        let table = FixedBase::new(&key.p.checked, &base, 128, WINDOW);
        assert!(key.p.table.set(table).is_ok());
    });
    assert_eq!(wrong_table.encrypt(&plain(9), &mut prg(1)).err(), fault);
}

#[test]
fn debug_shows_nothing() {
    let key = &TOY[0];
    let ciphertext = key.public().encrypt(&plain(1), &mut prg(1)).unwrap();
    let randomness = key.randomness(&mut prg(1)).unwrap();
    let shown = format!("{key:?} {:?} {ciphertext:?} {randomness:?}", key.public());
    assert_eq!(shown, "SecretKey(..) PublicKey(256 bits) Ciphertext(..) Randomness(..)");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn sums_products_and_negatives(a: u64, b: u64, factor: u64, seed: u128) {
        let key = &TOY[0];
        let (public, mut prg) = (key.public(), prg(seed));
        let [x, y] = [a, b].map(|value| public.encrypt(&plain(value), &mut prg).unwrap());
        let sum = public.add(&x, &y).unwrap();
        prop_assert_eq!(key.decrypt(&sum).unwrap().to_u128(), Some(u128::from(a) + u128::from(b)));
        let product = public.multiply(&x, &plain(factor)).unwrap();
        prop_assert_eq!(key.decrypt(&product).unwrap().to_u128(), Some(u128::from(a) * u128::from(factor)));
        let zero = public.add(&x, &public.negate(&x).unwrap()).unwrap();
        prop_assert_eq!(key.decrypt(&zero).unwrap().to_u64(), Some(0));
        let some = [x.clone(), y.clone(), sum.clone()];
        for count in 0..=3 {
            let alone = some[..count].iter().map(|one| public.negate(one).unwrap()).collect::<Vec<_>>();
            prop_assert!(public.negate_all(&some[..count]).unwrap() == alone);
        }
        let more = public.add_plain(&public.rerandomise(&x, &mut prg).unwrap(), &plain(b)).unwrap();
        prop_assert_eq!(key.decrypt(&more).unwrap().to_u128(), Some(u128::from(a) + u128::from(b)));
    }
}

#[test]
fn sums_of_products_are_those_of_plaintexts() {
    let key = &TOY[0];
    let public = key.public();
    // More ciphertexts than have tables in memory at a time.
    let plains: Vec<Natural> = (0..TABLES as u64 + 3).map(plain).collect();
    let ciphertexts = public.encrypt_all(&plains, Threads::ONE, &mut prg(3)).unwrap();
    let list = |row: u128| (0..plains.len() as u128).map(|i| row * i + (1 << 70)).collect::<Vec<_>>();
    let lists: Vec<Vec<u128>> = (0..9).map(list).collect();
    let factors: Vec<&[u128]> = lists.iter().map(Vec::as_slice).collect();
    for (bits, threads) in [(81, Threads::ONE), (81, Threads::all()), (7, Threads::ONE), (0, Threads::ONE)] {
        let sums = public.sums_of_products(&ciphertexts, &factors, bits, threads).unwrap();
        let expected = |list: &[u128]| {
            list.iter().zip(0..).map(|(factor, i)| (factor & ((1 << bits) - 1)) * i).sum::<u128>()
        };
        for (sum, list) in sums.iter().zip(&factors) {
            assert_eq!(key.decrypt(sum).unwrap().to_u128(), Some(expected(list)), "{bits} bits");
        }
    }
    let residues: Vec<&Residue> = ciphertexts[..5].iter().map(|ciphertext| &ciphertext.0).collect();
    let portable = Joint::new(&public.square, &residues).product(&factors[2][..5], 81);
    let sum = &public.sums_of_products(&ciphertexts[..5], &[&factors[2][..5]], 81, Threads::ONE).unwrap()[0];
    assert_eq!(public.encode(&[Ciphertext(portable)]), public.encode(std::slice::from_ref(sum)));
    let short = public.sums_of_products(&ciphertexts, &[&factors[0][1..]], 81, Threads::ONE);
    assert!(matches!(short, Err(HeError::Count { .. })));
    let other = TOY[1].public().sums_of_products(&ciphertexts, &factors, 81, Threads::ONE);
    assert!(matches!(other, Err(HeError::OtherKey { .. })));
}

#[test]
fn shifted_ciphertexts_are_of_multiples() {
    let key = &TOY[0];
    let public = key.public();
    let ciphertexts =
        public.encrypt_all(&(0..11).map(plain).collect::<Vec<_>>(), Threads::ONE, &mut prg(3)).unwrap();
    for count in [0, 1, 11] {
        let shifted = public.shift_all(&ciphertexts[..count], 70, Threads::all()).unwrap();
        let expected: Vec<Ciphertext> = ciphertexts[..count]
            .iter()
            .map(|one| public.multiply(one, &Natural::from(1u128 << 70)).unwrap())
            .collect();
        assert_eq!(public.encode(&shifted), public.encode(&expected));
    }
    let other = TOY[1].public().shift_all(&ciphertexts, 1, Threads::ONE);
    assert!(matches!(other, Err(HeError::OtherKey { .. })));
}
