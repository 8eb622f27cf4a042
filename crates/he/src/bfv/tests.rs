use std::sync::LazyLock;

use proptest::prelude::*;
use tacit_math::ntt;

use super::*;
use crate::vectors::Vectors;
use crate::{PublicKey as _, SecretKey as _, Threads};

/// Sixteen coefficients modulo three primes of 50 bits, for words of 32 bits; no security.
static TOY: LazyLock<[SecretKey; 2]> = LazyLock::new(|| [1, 2].map(|seed| key(&toy(32, 3), seed)));

fn toy(plain_bits: u32, primes: usize) -> Parameters {
    let primes: Vec<u64> = ntt::primes(50, 16).take(primes).collect();
    Parameters::new(16, &primes, plain_bits).unwrap()
}

fn prg(seed: u128) -> Prg {
    Prg::new(Block(seed))
}

fn key(parameters: &Parameters, seed: u128) -> SecretKey {
    SecretKey::generate(parameters, &mut prg(seed)).unwrap()
}

/// Coefficients below t that look random.
fn message(parameters: &Parameters, seed: u128) -> Vec<u64> {
    let mut prg = prg(seed);
    (0..parameters.degree()).map(|_| prg.next_u64() >> (64 - parameters.plain_bits())).collect()
}

/// The product of a message and a factor, modulo `x^n + 1` and t.
fn product(parameters: &Parameters, message: &[u64], factor: &[i64]) -> Vec<u64> {
    let n = parameters.degree();
    let mut result = vec![0u64; n];
    for (i, m) in message.iter().enumerate() {
        for (j, w) in factor.iter().enumerate() {
            let term = m.wrapping_mul(*w as u64);
            let at = &mut result[(i + j) % n];
            *at = if i + j < n { at.wrapping_add(term) } else { at.wrapping_sub(term) };
        }
    }
    let mask = u64::MAX >> (64 - parameters.plain_bits());
    result.iter().map(|x| x & mask).collect()
}

/// The largest noise of a ciphertext.
fn measured(key: &SecretKey, ciphertext: &Ciphertext) -> f64 {
    let (_, rests) = key.plain_and_rest(ciphertext).unwrap();
    let parameters = &key.public.parameters;
    largest(&rests, parameters.level(parameters.count()).size(), parameters)
}

fn largest(rests: &[u64], modulus: f64, parameters: &Parameters) -> f64 {
    let most = rests.iter().map(|rest| (*rest as i64).unsigned_abs()).max().unwrap();
    most as f64 / (64.0 + f64::from(parameters.plain_bits())).exp2() * modulus
}

/// All residues of a ciphertext's parts as coefficients.
fn coefficients(parameters: &Parameters, values: &[u64]) -> Vec<u64> {
    let mut residues = values.to_vec();
    parameters.each(&mut residues, Ntt::inverse);
    residues
}

/// Expected values by the scheme's equations on Python's integers modulo q, without residues or transforms:
///
/// ```text
/// c0 = [(-x + y + round(Q*z / T)) % Q for x, y, z in zip(mul(a, s), e, m)]
/// d0 = mul(c0, w) % Q; d1 = mul(a, w) % Q
/// decrypt = lambda c0, c1, q: [round(T * ((x + y) % q) / q) % T for x, y in zip(c0, mul(c1, s))]
/// r0, r1: d0 and d1, switched to the first prime
/// ```
#[test]
fn known_answers() {
    let vectors = Vectors::parse(include_str!("vectors.txt"));
    let words = |name| -> Vec<u64> {
        vectors.get(name).chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect()
    };
    let signed = |name| words(name).into_iter().map(|word| word as i64).collect::<Vec<_>>();
    let parameters = toy(32, 3);
    assert_eq!(parameters.ntts().iter().map(Ntt::modulus).collect::<Vec<_>>(), words("PRIMES"));
    let secret = parameters.values(&signed("S"), 1);
    let mut whole = words("A");
    parameters.each(&mut whole, Ntt::forward);
    let first = masked(&parameters, &whole, &secret, &signed("E"), &words("M"));
    assert_eq!(coefficients(&parameters, &first), words("C0"));
    let mut key = key(&parameters, 1);
    key.secret = secret;
    let ciphertext = Ciphertext { parts: [first, whole], noise: noise::fresh(), key: key.public.tag() };
    assert_eq!(key.decrypt(&ciphertext).unwrap().coefficients(), words("M"));
    let factor = parameters.factor(&signed("W"), 32).unwrap();
    let product = key.public.multiply(&ciphertext, &factor).unwrap();
    let [mut first, mut second] = [0, 1].map(|i| coefficients(&parameters, &product.parts[i]));
    assert_eq!((&first, &second), (&words("D0"), &words("D1")));
    assert_eq!(key.decrypt(&product).unwrap().coefficients(), words("PRODUCT"));
    for count in [3, 2] {
        rns::drop_prime(&parameters.ntts()[..count], &mut first, 16);
        rns::drop_prime(&parameters.ntts()[..count], &mut second, 16);
    }
    assert_eq!((&first, &second), (&words("R0"), &words("R1")));
    let places: Vec<usize> = (0..16).collect();
    let reply = Reply { some: first, whole: second, key: key.public.tag() };
    assert_eq!(key.decrypt_reply(&reply, &places).unwrap()[..], words("PRODUCT"));
}

#[test]
fn real_rings_multiply_and_reply() {
    let all =
        [Parameters::n4096(1), Parameters::n4096(16), Parameters::n8192(32), Parameters::n8192_wide(64)];
    for parameters in all.map(Result::unwrap) {
        let bits = parameters.plain_bits().min(20);
        let key = key(&parameters, 3);
        let public = PublicKey::from_bytes(&parameters, &key.public.to_bytes()).unwrap();
        let plain = message(&parameters, 4);
        let fresh = key.encrypt_fresh(&parameters.plain(&plain).unwrap(), &mut prg(5)).unwrap();
        let sent = public.encode_fresh(&[fresh]).unwrap();
        assert_eq!(sent.len(), public.fresh_bytes());
        let received = public.expand(&public.decode_fresh(1, &sent).unwrap()[0]).unwrap();
        let factor: Vec<i64> = (0..3).map(|i| (i - 1) << (bits - 1)).collect();
        let ciphertext = public.multiply(&received, &parameters.factor(&factor, bits).unwrap()).unwrap();
        let places = [0, 1, 77, parameters.degree() - 1];
        let reply = public.reply(&ciphertext, &places, &mut prg(6)).unwrap();
        let sent = public.encode_reply(&reply).unwrap();
        assert_eq!(sent.len(), public.reply_bytes(4));
        let received = key.public.decode_reply(4, &sent).unwrap();
        let expected = product(&parameters, &plain, &factor);
        let got = key.decrypt_reply(&received, &places).unwrap();
        assert_eq!(got[..], places.map(|place| expected[place]), "{parameters:?}");
    }
}

#[test]
fn the_papers_parameters_compute_but_are_too_small_for_replies() {
    let parameters = Parameters::paper();
    let key = key(&parameters, 1);
    let bits = message(&parameters, 2);
    let plain = parameters.plain(&bits).unwrap();
    let ciphertext = key.public.encrypt(&plain, &mut prg(3)).unwrap();
    let sum = key.public.add(&ciphertext, &key.encrypt(&plain, &mut prg(4)).unwrap()).unwrap();
    assert!(key.decrypt(&ciphertext).unwrap() == plain);
    assert!(key.decrypt(&sum).unwrap().coefficients().iter().all(|bit| *bit == 0));
    assert!(matches!(key.public.reply(&sum, &[0], &mut prg(5)), Err(HeError::Noise { .. })));
}

#[test]
fn noise_reaches_its_bound_and_not_more() {
    // Small enough that the rounding error shows all of the noise.
    let parameters = toy(40, 2);
    let mut key = key(&parameters, 1);
    // All errors as large as they can be, and a secret and a factor whose signs agree with theirs.
    key.secret = parameters.values(&[1; 16], 1);
    let whole = sample::uniform(parameters.ntts(), Block(9));
    let errors = [21; 16];
    let plain = message(&parameters, 4);
    let first = masked(&parameters, &whole, &key.secret, &errors, &plain);
    let ciphertext = Ciphertext { parts: [first, whole], noise: noise::fresh(), key: key.public.tag() };
    let fresh = measured(&key, &ciphertext);
    assert!(fresh <= ciphertext.noise && fresh > 0.95 * ciphertext.noise, "{fresh}");
    // Coefficient 15 of a product has no sign changed.
    let factor = parameters.factor(&[-(1 << 31); 16], 32).unwrap();
    let product = key.public.multiply(&ciphertext, &factor).unwrap();
    let found = measured(&key, &product);
    assert!(found <= product.noise && found > 0.9 * product.noise, "{found} {}", product.noise);
    let sum = (0..9).fold(product.clone(), |sum, _| key.public.add(&sum, &product).unwrap());
    let found = measured(&key, &sum);
    assert!(found <= sum.noise && found > 0.9 * sum.noise);
}

#[test]
fn zeros_and_floods_keep_to_their_bounds() {
    let key = &key(&toy(40, 2), 1);
    let (public, parameters) = (key.public(), &key.public.parameters);
    let zero = parameters.plain(&[]).unwrap();
    let mut most = 0.0f64;
    for seed in 0..50 {
        let ciphertext = public.encrypt(&zero, &mut prg(seed)).unwrap();
        assert!(measured(key, &ciphertext) <= ciphertext.noise);
        let flooded = public.rerandomise(&ciphertext, &mut prg(seed)).unwrap();
        let found = measured(key, &flooded);
        assert!(found <= flooded.noise);
        most = most.max(found / flooded.noise);
        let places: Vec<usize> = (0..16).collect();
        let reply = public.reply(&ciphertext, &places, &mut prg(seed)).unwrap();
        let (_, rests) = key.reply_and_rest(&reply, &places).unwrap();
        let bound = parameters.reply_noise(ciphertext.noise, 0.0).unwrap();
        let found = largest(&rests, parameters.level(parameters.reply_primes()).size(), parameters);
        assert!(found <= bound, "{found} {bound}");
    }
    assert!(most > 0.9, "floods fill their range: {most}");
    // A flood hides all noise below it, up to a statistical distance of 2^-40 over all coefficients.
    for noise in [1.0, 21.5, 1e6, 1e20] {
        let bits = noise::flood_bits(noise, 4096);
        let distance = 4096.0 * noise / f64::from(bits + 1).exp2();
        assert!(distance <= (-40f64).exp2() && distance > (-41.1f64).exp2());
    }
}

/// Noise below the limit decrypts; noise above it does not.
#[test]
fn the_limit_is_where_decryption_ends() {
    for (bits, primes) in [(1, 2), (7, 2), (32, 3), (64, 3), (64, 4)] {
        let parameters = toy(bits, primes);
        let key = key(&parameters, 1);
        let plain = message(&parameters, 2);
        let with = |exponent: u32, sign: i64, more: i64| {
            // sign · (2^exponent + more) is added to every coefficient.
            let mut first = vec![0; primes * 16];
            parameters.plaintexts().add(parameters.ntts(), &mut first, &plain);
            parameters.each(&mut first, |ntt, residues| {
                let power = (0..exponent).fold(1, |power, _| ntt.sum(power, power));
                let size = ntt.sum(power, ntt.reduce_signed(more));
                let noise = ntt.product(size, ntt.reduce_signed(sign));
                residues.iter_mut().for_each(|residue| *residue = ntt.sum(*residue, noise));
            });
            parameters.each(&mut first, Ntt::forward);
            let parts = [first, vec![0; primes * 16]];
            let ciphertext = Ciphertext { parts, noise: 0.0, key: key.public.tag() };
            key.decrypt(&ciphertext).unwrap().coefficients() == plain
        };
        // q is a little below 2^(50·primes): the largest power of two below q/(2t), and the next one.
        let below = 50 * primes as u32 - bits - 2;
        for sign in [1, -1] {
            assert!(with(below, sign, 0), "{bits} {primes}");
            assert!(!with(below + 1, sign, 0), "{bits} {primes}");
        }
        assert!(
            f64::from(below).exp2() < parameters.limit() && f64::from(below + 1).exp2() > parameters.limit()
        );
    }
}

#[test]
fn operations_that_would_not_decrypt_are_refused() {
    let parameters = toy(32, 2);
    let key = key(&parameters, 1);
    let public = key.public();
    let ciphertext = key.encrypt(&parameters.plain(&[1]).unwrap(), &mut prg(1)).unwrap();
    let factor = parameters.factor(&[1 << 30; 16], 32).unwrap();
    let product = public.multiply(&ciphertext, &factor).unwrap();
    let refused =
        |result: Result<Ciphertext, HeError>| matches!(result, Err(HeError::Noise { limit_bits: 66, .. }));
    assert!(refused(public.multiply(&product, &factor)));
    assert!(refused(public.rerandomise(&product, &mut prg(1))));
    let mut sum = product;
    let failed = loop {
        match public.add(&sum, &sum) {
            Ok(double) => sum = double,
            Err(error) => break error,
        }
    };
    assert!(matches!(failed, HeError::Noise { .. }));
    assert!(refused(public.add_plain(
        &Ciphertext { noise: parameters.limit(), ..sum.clone() },
        &parameters.plain(&[]).unwrap()
    )));
    assert_eq!(key.decrypt(&sum).unwrap().coefficients()[1] & 1, 0);
}

/// A reply adds a fresh zero, whose c1 hides the product's c1 and so the factor.
#[test]
fn replies_share_nothing_with_the_ciphertext() {
    let key = &TOY[0];
    let (public, parameters) = (key.public(), &key.public.parameters);
    let ciphertext = key.encrypt(&parameters.plain(&[5, 6]).unwrap(), &mut prg(1)).unwrap();
    let product = public.multiply(&ciphertext, &parameters.factor(&[3], 4).unwrap()).unwrap();
    let replies = [2, 3].map(|seed| public.reply(&product, &[1, 0], &mut prg(seed)).unwrap());
    let mut bare = coefficients(parameters, &product.parts[1]);
    for count in (parameters.reply_primes() + 1..=parameters.count()).rev() {
        rns::drop_prime(&parameters.ntts()[..count], &mut bare, 16);
    }
    let equal = |a: &[u64], b: &[u64]| a.iter().zip(b).filter(|(a, b)| a == b).count();
    for reply in &replies {
        assert_eq!(key.decrypt_reply(reply, &[1, 0]).unwrap()[..], [18, 15]);
        assert_eq!((reply.some.len(), equal(&reply.whole, &bare)), (2 * parameters.reply_primes(), 0));
    }
    assert_eq!(equal(&replies[0].whole, &replies[1].whole), 0);
    let other = key.decrypt_reply(&replies[0], &[1]).err();
    assert!(matches!(other, Some(HeError::Count { given: 2, expected: 1, .. })));
    let beyond = Some(HeError::Range { what: "the place of a coefficient" });
    assert_eq!(key.decrypt_reply(&replies[0], &[1, 16]).err(), beyond);
    assert_eq!(public.reply(&product, &[16], &mut prg(1)).err(), beyond);
}

#[test]
fn short_plaintexts_are_gathered_by_shifts() {
    let parameters = Parameters::n4096(1).unwrap();
    let key = key(&parameters, 1);
    let public = key.public();
    let wires: Vec<Vec<u64>> = (0..32).map(|i| message(&parameters, i)[..128].to_vec()).collect();
    let encrypted: Vec<Ciphertext> = wires
        .iter()
        .zip(0..)
        .map(|(wire, i)| key.encrypt(&parameters.plain(wire).unwrap(), &mut prg(i)).unwrap())
        .collect();
    let packed = public.gather(&encrypted, 128).unwrap();
    let places: Vec<usize> = (0..4096).collect();
    let reply = public.reply(&packed, &places, &mut prg(1)).unwrap();
    assert_eq!(key.decrypt_reply(&reply, &places).unwrap()[..], wires.concat());
    assert!(matches!(public.gather(&[], 128), Err(HeError::Count { given: 0, expected: 32, .. })));
    assert!(matches!(
        public.gather(&vec![encrypted[0].clone(); 33], 128),
        Err(HeError::Count { given: 33, .. })
    ));
}

#[test]
fn bytes_that_are_none_are_refused() {
    let key = &TOY[0];
    let (public, parameters) = (key.public(), &key.public.parameters);
    let ciphertext = public.encrypt(&parameters.plain(&[1]).unwrap(), &mut prg(1)).unwrap();
    let sent = public.encode(std::slice::from_ref(&ciphertext)).unwrap();
    assert_eq!(key.decrypt(&public.decode(1, &sent).unwrap()[0]).unwrap().coefficients()[0], 1);
    let fresh = key.encrypt_fresh(&parameters.plain(&[1]).unwrap(), &mut prg(1)).unwrap();
    let fresh = public.encode_fresh(&[fresh]).unwrap();
    let reply = public.encode_reply(&public.reply(&ciphertext, &[3], &mut prg(1)).unwrap()).unwrap();
    let own = public.to_bytes();
    // All ones is not below any of the primes.
    let spoil = |bytes: &[u8], at: usize| {
        let mut bad = bytes.to_vec();
        bad[at..at + 14].fill(0xff);
        bad
    };
    for at in [0, 100, sent.len() - 14] {
        assert_eq!(
            public.decode(1, &spoil(&sent, at)).err(),
            Some(HeError::Range { what: "a value of a ciphertext" })
        );
    }
    assert!(matches!(public.decode_fresh(1, &spoil(&fresh, 16)), Err(HeError::Range { .. })));
    let range = Some(HeError::Range { what: "a coefficient of a reply" });
    assert_eq!(public.decode_reply(1, &spoil(&reply, 0)).err(), range);
    assert_eq!(public.decode_reply(1, &spoil(&reply, 40)).err(), range);
    assert_eq!(
        PublicKey::from_bytes(parameters, &spoil(&own, 16)).err(),
        Some(HeError::Range { what: "a value of a key" })
    );
    for (count, length) in
        [(1, sent.len() - 1), (1, sent.len() + 1), (2, sent.len()), (0, sent.len()), (usize::MAX, 1)]
    {
        assert!(matches!(public.decode(count, &vec![0; length]), Err(HeError::Length { .. })));
    }
    for length in [0, 15, 17, own.len() - 1, own.len() + 1] {
        let bytes = vec![0; length];
        assert!(matches!(PublicKey::from_bytes(parameters, &bytes), Err(HeError::Length { .. })));
        assert!(matches!(SecretKey::from_bytes(parameters, &bytes), Err(HeError::Length { .. })));
        assert!(matches!(public.decode_fresh(1, &bytes), Err(HeError::Length { .. })));
        assert!(matches!(public.decode_reply(1, &bytes), Err(HeError::Length { .. })));
    }
    assert!(matches!(public.decode_reply(17, &reply), Err(HeError::Range { .. })));
    assert!(matches!(public.decode_reply(usize::MAX, &reply), Err(HeError::Range { .. })));
    let again = SecretKey::from_bytes(parameters, &key.to_bytes()).unwrap();
    assert_eq!(again.public.to_bytes(), own);
}

#[test]
fn plaintexts_and_factors_out_of_range_are_refused() {
    let parameters = toy(32, 3);
    assert_eq!(
        parameters.plain(&[1 << 32]).err(),
        Some(HeError::Range { what: "a coefficient of a plaintext" })
    );
    assert!(matches!(parameters.plain(&[0; 17]), Err(HeError::Count { given: 17, expected: 16, .. })));
    assert!(toy(64, 3).plain(&[u64::MAX]).is_ok());
    let refused = Some(HeError::Range { what: "a coefficient of a factor" });
    assert_eq!(parameters.factor(&[129], 8).err(), refused);
    assert_eq!(parameters.factor(&[-129], 8).err(), refused);
    assert!(parameters.factor(&[128, -128], 8).is_ok() && parameters.factor(&[i64::MIN], 64).is_ok());
    assert!(matches!(parameters.factor(&[0; 17], 8), Err(HeError::Count { given: 17, .. })));
    // A plaintext and a factor of other parameters.
    let public = TOY[0].public();
    let other = Parameters::n4096(32).unwrap();
    assert_eq!(
        public.encrypt(&other.plain(&[1]).unwrap(), &mut prg(1)).err(),
        Some(HeError::Range { what: "a plaintext" })
    );
    let ciphertext = public.encrypt(&parameters.plain(&[1]).unwrap(), &mut prg(1)).unwrap();
    let factor = other.factor(&[1], 8).unwrap();
    assert_eq!(public.multiply(&ciphertext, &factor).err(), Some(HeError::OtherKey { what: "a factor" }));
}

#[test]
fn what_belongs_to_another_key_is_refused() {
    let [own, other] = &*TOY;
    let parameters = toy(32, 3);
    let plain = parameters.plain(&[1]).unwrap();
    let [a, b] = [own, other].map(|key| key.public().encrypt(&plain, &mut prg(1)).unwrap());
    let public = own.public();
    let refused = Some(HeError::OtherKey { what: "a ciphertext" });
    assert_eq!(public.add(&a, &b).err(), refused);
    assert_eq!(public.multiply(&b, &parameters.monomial(1)).err(), refused);
    assert_eq!(public.rerandomise(&b, &mut prg(1)).err(), refused);
    assert_eq!(public.add_plain(&b, &plain).err(), refused);
    assert_eq!(public.negate(&b).err(), refused);
    assert_eq!(public.gather(std::slice::from_ref(&b), 1).err(), refused);
    assert_eq!(public.reply(&b, &[], &mut prg(1)).err(), refused);
    assert_eq!(public.encode(std::slice::from_ref(&b)).err(), refused);
    assert_eq!(own.decrypt(&b).err(), refused);
    let fresh = other.encrypt_fresh(&plain, &mut prg(1)).unwrap();
    assert_eq!(public.expand(&fresh).err(), refused);
    assert_eq!(public.encode_fresh(&[fresh]).err(), refused);
    let reply = other.public().reply(&b, &[], &mut prg(1)).unwrap();
    assert_eq!(public.encode_reply(&reply).err(), Some(HeError::OtherKey { what: "a reply" }));
    assert_eq!(own.decrypt_reply(&reply, &[]).err(), Some(HeError::OtherKey { what: "a reply" }));
}

#[test]
fn batches_equal_single_calls_in_any_number_of_threads() {
    let key = &TOY[0];
    let (public, parameters) = (key.public(), &key.public.parameters);
    let plains: Vec<Plain> = (0..40).map(|i| parameters.plain(&[i, 2 * i]).unwrap()).collect();
    let factors: Vec<Factor> = (0..40).map(|i| parameters.factor(&[i], 8).unwrap()).collect();
    let batch = |threads| {
        let made = key.encrypt_all(&plains, threads, &mut prg(1)).unwrap();
        let products = public.multiply_all(&made, &factors, threads).unwrap();
        let sums = public.add_all(&products, &made, threads).unwrap();
        let fresh = public.rerandomise_all(&sums, threads, &mut prg(2)).unwrap();
        let decrypted = key.decrypt_all(&fresh, threads).unwrap();
        let coefficients: Vec<[u64; 2]> = decrypted.iter().map(|plain| [plain.0[0], plain.0[1]]).collect();
        (public.encode(&fresh).unwrap(), coefficients)
    };
    let (bytes, decrypted) = batch(Threads::ONE);
    assert_eq!(decrypted, (0..40).map(|i| [i * (i + 1), 2 * i * (i + 1)]).collect::<Vec<_>>());
    assert_eq!(batch(Threads::all()), (bytes, decrypted));
}

#[test]
fn debug_shows_nothing() {
    let key = &TOY[0];
    let parameters = &key.public.parameters;
    let plain = parameters.plain(&[7]).unwrap();
    let fresh = key.encrypt_fresh(&plain, &mut prg(1)).unwrap();
    let ciphertext = key.public.expand(&fresh).unwrap();
    let reply = key.public.reply(&ciphertext, &[0], &mut prg(1)).unwrap();
    let shown = format!("{key:?} {plain:?} {fresh:?} {ciphertext:?} {reply:?} {:?}", parameters.monomial(1));
    assert_eq!(shown, "SecretKey(..) Plain(..) Fresh(..) Ciphertext(..) Reply(..) Factor(..)");
    assert_eq!(format!("{:?}", key.public), "PublicKey(Parameters(n = 16, log q = 150, t = 2^32))");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn sums_products_and_replies(bits in 1u32..65, w in prop::collection::vec(-1000i64..1000, 0..16), power in 0usize..40, seed: u128) {
        let parameters = toy(bits, 4);
        let key = key(&parameters, seed);
        let (public, mut prg) = (key.public(), prg(seed));
        let mask = u64::MAX >> (64 - bits);
        let [a, b] = [1, 2].map(|more| message(&parameters, seed ^ more));
        let [plain_a, plain_b] = [&a, &b].map(|m| parameters.plain(m).unwrap());
        let x = key.encrypt(&plain_a, &mut prg).unwrap();
        let y = public.encrypt(&plain_b, &mut prg).unwrap();
        let decrypted = |ciphertext: &Ciphertext| key.decrypt(ciphertext).unwrap().coefficients().to_vec();
        prop_assert_eq!(decrypted(&x), a.clone());
        prop_assert_eq!(decrypted(&y), b.clone());
        let sums: Vec<u64> = a.iter().zip(&b).map(|(a, b)| a.wrapping_add(*b) & mask).collect();
        prop_assert_eq!(decrypted(&public.add(&x, &y).unwrap()), sums.clone());
        prop_assert_eq!(decrypted(&public.add_plain(&x, &plain_b).unwrap()), sums);
        let zeros = decrypted(&public.add(&x, &public.negate(&x).unwrap()).unwrap());
        prop_assert!(zeros.iter().all(|zero| *zero == 0));
        let factor = parameters.factor(&w, 11).unwrap();
        let times = public.multiply(&y, &factor).unwrap();
        let expected = product(&parameters, &b, &w);
        prop_assert_eq!(decrypted(&times), expected.clone());
        let fresh = public.rerandomise(&times, &mut prg).unwrap();
        prop_assert_eq!(decrypted(&fresh), expected.clone());
        let reply = public.reply(&times, &[3, 15, 0], &mut prg).unwrap();
        prop_assert_eq!(key.decrypt_reply(&reply, &[3, 15, 0]).unwrap()[..].to_vec(), vec![expected[3], expected[15], expected[0]]);
        let mut shift = vec![0; 16];
        shift[power % 16] = if power % 32 < 16 { 1 } else { -1 };
        let shifted = public.multiply(&x, &parameters.monomial(power)).unwrap();
        prop_assert_eq!(decrypted(&shifted), product(&parameters, &a, &shift));
    }
}

#[test]
fn fresh_encryptions_in_batches_are_the_same_in_any_number_of_threads() {
    let key = &TOY[0];
    let parameters = key.public().parameters();
    let messages: Vec<Vec<u64>> = (0..40).map(|seed| message(&parameters, seed)).collect();
    let plains: Vec<Plain> = messages.iter().map(|message| parameters.plain(message).unwrap()).collect();
    let batch = |threads| {
        let fresh = key.encrypt_fresh_all(&plains, threads, &mut prg(1)).unwrap();
        for (fresh, message) in fresh.iter().zip(&messages) {
            let decrypted = key.decrypt(&key.public().expand(fresh).unwrap()).unwrap();
            assert_eq!(decrypted.coefficients(), message);
        }
        key.public().encode_fresh(&fresh).unwrap()
    };
    assert_eq!(batch(Threads::ONE), batch(Threads::all()));
}
