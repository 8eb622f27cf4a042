//! Every field against plain integers.

use num_bigint::BigUint;
use proptest::prelude::*;

use super::*;

const PRIMES_64: [u64; 6] = [3, 5, 257, 65_537, (1 << 61) - 1, 18_446_744_073_709_551_557];

fn big(limbs: &[u64]) -> BigUint {
    BigUint::from_bytes_le(&limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect::<Vec<_>>())
}

/// 2^521 - 1 does not fit; these are the primes of three curves and one of 512 bits.
fn large_primes() -> Vec<Vec<u64>> {
    let p25519 = (BigUint::from(1u8) << 255u32) - 19u8;
    let p256 = BigUint::parse_bytes(b"ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", 16);
    let p448 = (BigUint::from(1u8) << 448u32) - (BigUint::from(1u8) << 224u32) - 1u8;
    let p512 = (BigUint::from(1u8) << 512u32) - 569u16;
    [p25519, p256.expect("hexadecimal"), p448, p512].iter().map(BigUint::to_u64_digits).collect()
}

fn number<F: Field>(field: &F, element: F::Element) -> BigUint {
    let mut bytes = vec![0; field.bytes()];
    field.encode(element, &mut bytes);
    assert_eq!(field.decode(&bytes), Some(element), "decoding inverts encoding");
    BigUint::from_bytes_le(&bytes)
}

fn check_prime_field<F: Field>(field: &F, seeds: &[u8]) {
    let p = big(&field.order());
    let n = field.uniform_bytes();
    let (a, b) = (field.uniform(&seeds[..n]), field.uniform(&seeds[n..2 * n]));
    let (x, y) = (number(field, a), number(field, b));
    assert!(x < p && y < p);
    assert_eq!(number(field, field.add(a, b)), (&x + &y) % &p);
    assert_eq!(number(field, field.sub(a, b)), (&x + &p - &y) % &p);
    assert_eq!(number(field, field.neg(a)), (&p - &x) % &p);
    assert_eq!(number(field, field.mul(a, b)), &x * &y % &p);
    assert_eq!(number(field, field.inverse(a)), x.modpow(&(&p - 2u8), &p));
    for exponent in [field.order(), vec![0], vec![u64::MAX - 7, 5 << 59], vec![1 << 60, 0]] {
        let mut powers = [a, b, a, b, a, b, a, b, a];
        field.pow_all(&mut powers, &exponent);
        let expected = [a, b].map(|base| field.pow(base, &exponent));
        assert!(powers.chunks(2).all(|powers| *powers == expected[..powers.len()]), "{exponent:?}");
    }
    let mut sums = [a, b];
    field.add_uniform(&mut sums, &seeds[..2 * n], b);
    for (i, before) in [a, b].into_iter().enumerate() {
        let drawn = field.uniform(&seeds[i * n..][..n]);
        assert_eq!(sums[i], field.add(before, field.mul(drawn, b)), "what is drawn, times a factor");
    }
    let slice = [a, b, a, field.one(), b];
    let sum: BigUint = slice.iter().map(|e| number(field, *e)).map(|e| &e * &e).sum();
    assert_eq!(number(field, field.dot(&slice, &slice)), sum % &p);
}

/// Combinations of as many columns as there may be parties, of lengths around the lanes of kernels.
fn check_combinations<F: Field>(field: &F, seed: u64) {
    for (length, count) in [(0, 3), (1, 1), (3, 5), (4, 2), (9, 33), (16, 64), (77, 7)] {
        let element = |i: usize| field.neg(field.element(seed.wrapping_mul(i as u64 + 1)));
        let columns: Vec<Vec<_>> =
            (0..count).map(|k| (0..length).map(|i| element(i * count + k)).collect()).collect();
        let columns: Vec<_> = columns.iter().map(Vec::as_slice).collect();
        let factors: Vec<_> = (0..count).map(|k| element(1000 + k)).collect();
        let mut sum = vec![field.one(); length];
        field.combine(&mut sum, &columns, &factors);
        for (i, sum) in sum.iter().enumerate() {
            let column: Vec<_> = columns.iter().map(|column| column[i]).collect();
            assert_eq!(
                *sum,
                field.dot(&column, &factors),
                "{field:?}: element {i} of {length}, {count} columns"
            );
        }
    }
}

/// Operations that take a step less are the steps that they stand for.
fn check_fused<F: Field>(field: &F, seed: u64) {
    for length in [0, 1, 5, 256, 700] {
        let some = |step: u64| {
            let element = move |i: usize| field.neg(field.element(seed.wrapping_mul(step + 3 * i as u64)));
            (0..length).map(element).collect::<Vec<_>>()
        };
        let (a, mut b, [x, y]) = (some(1), some(2), [field.element(seed | 1), field.neg(field.element(3))]);
        let (mut made, mut expected) = (some(7), a.clone());
        field.multiply_to_ground(&mut made, (&a, &b), x);
        field.mul_assign(&mut expected, &b);
        field.scale_to_ground(&mut expected, x);
        assert!(made == expected, "{field:?}: products of {length}");
        if field.ground_bytes() < field.bytes() {
            let masks = [1, 2].map(|step| {
                (0..length * field.ground_bytes()).map(|i| (7 + step * i) as u8).collect::<Vec<_>>()
            });
            let mut encoded = masks.clone();
            field.multiply_masked(&mut encoded[0], (&a, &b), x, [&masks[0], &masks[1]]);
            field.add_ground(&mut expected, &masks[0], false);
            field.add_ground(&mut expected, &masks[1], true);
            field.encode_ground(&expected, &mut encoded[1]);
            assert!(encoded[0] == encoded[1], "{field:?}: masked products of {length}");
            field.combine_all_encoded(&mut made, [&encoded[0], &masks[0]], [x, field.one()]);
            assert_eq!(field.combine_encoded(&mut expected, &masks[0], [x, field.one()]), Ok(()));
            assert!(made == expected, "{field:?}: combinations of {length}, all encoded");
        }
        field.to_ground(&mut b);
        let mut bytes = vec![0; length * field.ground_bytes()];
        field.encode_ground(&b, &mut bytes);
        let (mut made, mut expected) = (a.clone(), a);
        assert_eq!(field.combine_encoded(&mut made, &bytes, [x, y]), Ok(()));
        field.combine_ground(&mut expected, &b, [x, y]);
        assert!(made == expected, "{field:?}: combinations of {length}");
    }
}

#[test]
fn fused_operations_are_their_steps() {
    check_fused(&Mersenne61, 12_345);
    check_fused(&Gf256, 0x77);
    check_fused(&Gf2e64, 0x1234_5678_9abc_def1);
    check_fused(&GaloisRing, u64::MAX / 7);
    check_fused(&BitOctets, 0xa5);
    for parties in [3, 5, 9] {
        check_fused(&BitSliced::for_parties(parties).expect("few parties"), 0x5555_1234);
    }
    check_fused(&Montgomery::<1>::new(&[65_537]).expect("odd"), 40_000);
    check_fused(&Montgomery::<4>::new(&[u64::MAX - 58, 0, 0, 0]).expect("odd"), 99);
}

#[test]
fn the_place_of_what_is_not_canonical_is_told() {
    let mut bytes = vec![0; 8 * 600];
    bytes[8 * 577..8 * 578].fill(0xff);
    let told = Mersenne61.combine_encoded(&mut [1; 600], &bytes, [2, 3]);
    assert_eq!(told, Err(577));
}

#[test]
fn combinations_are_inner_products_of_columns() {
    for seed in [0, 1, (1 << 61) - 2, u64::MAX, 0x9e37_79b9_7f4a_7c15] {
        check_combinations(&Mersenne61, seed);
        check_combinations(&Gf256, seed);
        check_combinations(&BitSliced::for_parties(15).expect("few parties"), seed);
        check_combinations(&BitSliced::for_parties(7).expect("few parties"), seed);
        check_combinations(&Montgomery::<2>::new(&[u64::MAX, u64::MAX >> 1]).expect("odd"), seed);
    }
}

fn with_each_field(seeds: &[u8]) {
    check_prime_field(&Mersenne61, seeds);
    for p in PRIMES_64 {
        check_prime_field(&Montgomery::<1>::new(&[p]).expect("odd"), seeds);
        check_prime_field(&Montgomery::<3>::new(&[p]).expect("odd"), seeds);
    }
    for p in large_primes() {
        check_prime_field(&Montgomery::<8>::new(&p).expect("odd"), seeds);
        if p.len() == 4 {
            check_prime_field(&Montgomery::<4>::new(&p).expect("odd"), seeds);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arithmetic_is_that_of_integers(seeds in prop::collection::vec(any::<u8>(), 160)) {
        with_each_field(&seeds);
    }

    #[test]
    fn a_vector_in_gf256_is_its_elements(pairs in prop::collection::vec(any::<(u8, u8)>(), 0..140), factor: u8) {
        let (a, b): (Vec<u8>, Vec<u8>) = pairs.iter().copied().unzip();
        let mut products = a.clone();
        Gf256.mul_assign(&mut products, &b);
        let mut scaled = b.clone();
        Gf256.add_scaled(&mut scaled, &a, factor);
        for i in 0..a.len() {
            prop_assert_eq!(products[i], Gf256.mul(a[i], b[i]));
            prop_assert_eq!(scaled[i], b[i] ^ Gf256.mul(a[i], factor));
        }
    }
}

#[test]
fn extremes_are_reduced() {
    for byte in [0x00, 0xff] {
        with_each_field(&[byte; 160]);
    }
}

#[test]
fn small_fields_are_right_for_all_elements() {
    for p in [3u64, 5, 7, 11, 13, 17, 251] {
        let field = Montgomery::<1>::new(&[p]).expect("odd");
        for x in 0..p {
            for y in 0..p {
                let (a, b) = (field.element(x), field.element(y));
                assert_eq!(field.integer(field.add(a, b)), [(x + y) % p]);
                assert_eq!(field.integer(field.sub(a, b)), [(x + p - y) % p]);
                assert_eq!(field.integer(field.mul(a, b)), [x * y % p]);
            }
            let inverse = field.integer(field.inverse(field.element(x)))[0];
            assert_eq!(inverse * x % p, u64::from(x != 0));
        }
    }
}

/// Shift and add, bit by bit.
fn slow_product(a: u8, b: u8) -> u8 {
    let mut wide = 0u16;
    for bit in 0..8 {
        wide ^= (u16::from(a) << bit) * u16::from(b >> bit & 1);
    }
    for bit in (8..15).rev() {
        wide ^= (0x11b << (bit - 8)) * (wide >> bit & 1);
    }
    wide as u8
}

#[test]
fn bits_that_are_added_to_gf256_are_those_of_their_words() {
    let words = [0x8000_0000_0000_0001, 0xf0e1_d2c3_b4a5_9687, u64::MAX];
    for len in [0, 1, 7, 8, 63, 64, 100, 192] {
        let before: Vec<u8> = (0..len).map(|i| (i * 37) as u8).collect();
        let mut sum = before.clone();
        Gf256.add_bits(&mut sum, &words, 0xb3);
        let bit = |i: usize| (words[i / 64] >> (i % 64) & 1) as u8;
        let expected = before.iter().enumerate().map(|(i, before)| before ^ (bit(i) * 0xb3));
        assert_eq!(sum, expected.collect::<Vec<_>>());
    }
}

#[test]
fn gf256_is_right_for_all_elements() {
    for a in 0..=255 {
        for b in 0..=255 {
            assert_eq!(Gf256.mul(a, b), slow_product(a, b));
        }
        assert_eq!(Gf256.mul(a, Gf256.inverse(a)), u8::from(a != 0));
    }
    // FIPS 197, section 4.2.
    assert_eq!(Gf256.mul(0x57, 0x83), 0xc1);
    assert_eq!(Gf256.mul(0x57, 0x13), 0xfe);
}

#[test]
fn what_is_not_canonical_is_refused() {
    let field = Montgomery::<1>::new(&[65_537]).expect("odd");
    assert_eq!(field.bytes(), 3);
    assert_eq!(field.decode(&[1, 0, 1]), None);
    assert_eq!(field.decode(&[0, 0, 1]), Some(field.element(65_536)));
    assert_eq!(field.decode(&[0, 0]), None);
    assert_eq!(Mersenne61.decode(&Mersenne61::MODULUS.to_le_bytes()), None);
    assert_eq!(field.decode_all(&[0, 0, 0, 1, 0, 1], &mut [Residue::default(); 2]), Err(1));
}

#[test]
fn even_and_long_moduli_are_refused() {
    assert_eq!(Montgomery::<1>::new(&[1]), Err(ModulusError::NotAnOddPrime));
    assert_eq!(Montgomery::<1>::new(&[0]), Err(ModulusError::NotAnOddPrime));
    assert_eq!(Montgomery::<1>::new(&[10]), Err(ModulusError::NotAnOddPrime));
    assert_eq!(Montgomery::<1>::new(&[3, 1]), Err(ModulusError::TooLong { limbs: 2, limit: 1 }));
    assert!(Montgomery::<1>::new(&[3, 0, 0]).is_ok());
}
