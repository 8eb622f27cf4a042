use num_bigint::BigUint;

use super::*;

/// Words that look random.
fn random(count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        state ^ state.rotate_left(29)
    };
    (0..count).map(|_| next()).collect()
}

fn big(words: &[u64]) -> BigUint {
    let halves = words.iter().flat_map(|word| [*word as u32, (word >> 32) as u32]);
    BigUint::new(halves.collect())
}

/// Odd numbers of sizes at which limbs, words and their carries end, all ones among them.
fn moduli() -> Vec<Vec<u64>> {
    let sizes = [2, 50, 51, 52, 63, 64, 65, 102, 103, 104, 128, 250, 512, 1023, 1024];
    let of = |bits: usize| {
        let mut words = random(bits.div_ceil(64), bits as u64);
        let top = bits - 64 * (words.len() - 1);
        let last = words.len() - 1;
        words[last] = words[last] >> (64 - top) | 1 << (top - 1);
        words[0] |= 1;
        words
    };
    let ones = |bits: usize| words(&vec![MASK; bits / LIMB], (bits / LIMB * LIMB).div_ceil(64)).to_vec();
    sizes.into_iter().map(of).chain([104, 520, 1040].map(ones)).collect()
}

fn reduced(number: &[u64], modulus: &[u64]) -> Vec<u64> {
    let rest = big(number) % big(modulus);
    let mut words: Vec<u64> = rest.to_u64_digits();
    words.resize(modulus.len(), 0);
    words
}

#[test]
fn powers_are_those_of_big_integers() {
    for modulus in moduli() {
        let powers = Powers::new(&modulus).unwrap();
        let largest = reduced(&(big(&modulus) - 1u32).to_u64_digits(), &modulus);
        let mut bases: Vec<Vec<u64>> = (0..6).map(|i| reduced(&random(modulus.len(), i), &modulus)).collect();
        bases.push(vec![0; modulus.len()]);
        bases.push(largest);
        let exponents: Vec<Vec<u64>> = (0..8).map(|i| random(2, 100 + i)).collect();
        for (bits, count) in [(0, 8), (1, 8), (5, 3), (64, 1), (97, 8), (128, 8)] {
            let [bases, exponents] = [&bases, &exponents]
                .map(|list| list.iter().take(count).map(Vec::as_slice).collect::<Vec<_>>());
            let mask = (BigUint::from(1u32) << bits) - 1u32;
            let expect =
                |base: &[u64], exponent: &[u64]| big(base).modpow(&(big(exponent) & &mask), &big(&modulus));
            let found = powers.powers(&bases, &exponents, bits as u32);
            assert_eq!(found.len(), count);
            for ((found, base), exponent) in found.iter().zip(&bases).zip(&exponents) {
                assert_eq!(big(found), expect(base, exponent), "{bits} bits modulo {modulus:x?}");
            }
            for (found, base) in powers.squared(&bases, bits as u32).iter().zip(&bases) {
                assert_eq!(big(found), big(base).modpow(&(BigUint::from(1u32) << bits), &big(&modulus)));
            }
            let tables = powers.fixed(bases[0], bits as u32);
            for (found, exponent) in powers.fixed_powers(&tables, &exponents).iter().zip(&exponents) {
                assert_eq!(big(found), expect(bases[0], exponent), "{bits} bits modulo {modulus:x?}");
            }
        }
    }
}

#[test]
fn products_of_powers_are_those_of_big_integers() {
    for modulus in moduli() {
        let powers = Powers::new(&modulus).unwrap();
        let bases: Vec<Vec<u64>> =
            (0..11).map(|i| reduced(&random(modulus.len(), 7 + i), &modulus)).collect();
        let tables = powers.joint(&bases.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let list = |seed: u64| -> Vec<u128> {
            random(22, seed).chunks(2).map(|pair| u128::from(pair[0]) << 64 | u128::from(pair[1])).collect()
        };
        let exponents: Vec<Vec<u128>> = (0..8).map(list).collect();
        for (bits, count) in [(0u32, 8), (1, 1), (7, 8), (128, 3)] {
            let mask = if bits == 128 { u128::MAX } else { (1 << bits) - 1 };
            let lists: Vec<&[u128]> = exponents[..count].iter().map(Vec::as_slice).collect();
            let found = powers.products(&tables, &lists, bits);
            assert_eq!(found.len(), count);
            for (found, list) in found.iter().zip(lists) {
                let power = |(base, exponent): (&Vec<u64>, &u128)| {
                    big(base).modpow(&BigUint::from(exponent & mask), &big(&modulus))
                };
                let product = bases.iter().zip(list).map(power).fold(BigUint::from(1u32), |x, y| x * y);
                assert_eq!(big(found), product % big(&modulus), "{bits} bits modulo {modulus:x?}");
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn kernels_agree() {
    if !simd::available() {
        return;
    }
    for modulus in moduli() {
        let powers = Powers::new(&modulus).unwrap();
        let count = powers.modulus.len();
        let lane = |seed: u64| {
            // Below twice the modulus: a number below it, and another.
            let [a, b] = [seed, seed + 50].map(|seed| big(&reduced(&random(modulus.len(), seed), &modulus)));
            limbs(&(a + b).to_u64_digits(), count)
        };
        let numbers = |seed: u64| {
            let lanes: Vec<Wiped<u64>> = (0..8).map(|i| lane(seed + i)).collect();
            (0..count).map(|j| Limb(core::array::from_fn(|i| lanes[i][j]))).collect::<Vec<_>>()
        };
        let (a, b) = (numbers(1), numbers(200));
        let [mut first, mut second] = [vec![Limb::default(); count], vec![Limb([7; 8]); count]];
        portable::multiply(&powers.modulus, powers.inverse, &a, &b, &mut first);
        simd::multiply(&powers.modulus, powers.inverse, &a, &b, &mut second);
        assert!(first == second, "{modulus:x?}");
        let table: Vec<Limb> = (0..4).flat_map(|i| numbers(300 + 10 * i)).collect();
        let digits = [0, 1, 2, 3, 3, 2, 9, 0];
        portable::select(&table, &digits, &mut first);
        simd::select(&table, &digits, &mut second);
        assert!(first == second);
        let shared: Vec<u64> = table.iter().map(|limb| limb.0[0]).collect();
        portable::select_shared(&shared, &digits, &mut first);
        simd::select_shared(&shared, &digits, &mut second);
        assert!(first == second && first[0].0[1] == shared[count] && first[0].0[6] == 0);
    }
}

#[test]
fn moduli_that_are_none_are_refused() {
    for modulus in [&[][..], &[0], &[1], &[4], &[0, 0], &[2, 1]] {
        assert!(Powers::new(modulus).is_none(), "{modulus:?}");
    }
    assert!(Powers::new(&vec![u64::MAX; 512]).is_some() && Powers::new(&vec![u64::MAX; 513]).is_none());
    assert_eq!(format!("{:?}", Powers::new(&[15, 0]).unwrap()), "Powers(..)");
}

#[test]
#[should_panic(expected = "below the modulus")]
fn bases_beyond_the_modulus_are_a_mistake() {
    Powers::new(&[15]).unwrap().powers(&[&[15]], &[&[1]], 1);
}
