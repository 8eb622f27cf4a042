use super::*;

/// Numbers below q that look random.
fn numbers(modulus: u64, count: usize, seed: u64) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state ^ (state >> 29)) % modulus
    };
    (0..count).map(|_| next()).collect()
}

/// The largest prime that fits, the paper's two, and a small one.
fn rings() -> Vec<Ntt> {
    let large = [16, 32, 64, 1024, 4096, 8192]
        .into_iter()
        .flat_map(|degree| [50, 36].map(|bits| (primes(bits, degree).next().unwrap(), degree)));
    let all = large.chain([(12_289, 2048), (1_099_510_054_913, 2048), (97, 16)]);
    all.map(|(modulus, degree)| Ntt::new(modulus, degree).unwrap()).collect()
}

#[test]
fn transforms_multiply_polynomials() {
    for ntt in rings().iter().filter(|ntt| ntt.degree() <= 64) {
        let (q, n) = (u128::from(ntt.modulus()), ntt.degree());
        let (a, b) = (numbers(ntt.modulus(), n, 1), numbers(ntt.modulus(), n, 2));
        let mut expected = vec![0u128; n];
        for i in 0..n {
            for j in 0..n {
                let product = u128::from(a[i]) * u128::from(b[j]) % q;
                let term = if i + j < n { product } else { q - product };
                expected[(i + j) % n] = (expected[(i + j) % n] + term) % q;
            }
        }
        let (mut x, mut y) = (a, b);
        ntt.forward(&mut x);
        ntt.forward(&mut y);
        ntt.multiply(&mut x, &y);
        ntt.inverse(&mut x);
        assert!(x.iter().zip(&expected).all(|(x, expected)| u128::from(*x) == *expected), "{q} {n}");
    }
}

#[test]
fn transforms_are_undone_also_at_the_bounds() {
    for ntt in rings() {
        let (q, n) = (ntt.modulus(), ntt.degree());
        for values in [numbers(q, n, 3), vec![q - 1; n], vec![0; n]] {
            let mut x = values.clone();
            ntt.forward(&mut x);
            assert!(x.iter().all(|x| *x < q));
            ntt.inverse(&mut x);
            assert!(x == values, "{q} {n}");
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn kernels_agree() {
    if !simd::available() {
        return;
    }
    for ntt in rings() {
        let (q, n) = (ntt.modulus(), ntt.degree());
        for values in [numbers(q, n, 3), vec![q - 1; n], vec![0; n]] {
            let factors = numbers(q, n, 4);
            let [mut a, mut b] = [values.clone(), values.clone()];
            portable::forward(&ntt, &mut a);
            simd::forward(&ntt, &mut b);
            assert!(a == b, "forward, {q} {n}");
            portable::multiply(&ntt, &mut a, &factors);
            simd::multiply(&ntt, &mut b, &factors);
            assert!(a == b, "multiply, {q} {n}");
            portable::multiply_add(&ntt, &mut a, &values, &factors);
            simd::multiply_add(&ntt, &mut b, &values, &factors);
            assert!(a == b, "multiply_add, {q} {n}");
            portable::inverse(&ntt, &mut a);
            simd::inverse(&ntt, &mut b);
            assert!(a == b, "inverse, {q} {n}");
        }
    }
}

#[test]
fn numbers_are_reduced() {
    for ntt in rings() {
        let q = i128::from(ntt.modulus());
        for number in [0, 1, q as u64 - 1, q as u64, u64::MAX, u64::MAX - 1, 1 << 63] {
            assert_eq!(i128::from(ntt.reduce(number)), i128::from(number).rem_euclid(q));
            let signed = number as i64;
            assert_eq!(i128::from(ntt.reduce_signed(signed)), i128::from(signed).rem_euclid(q));
        }
        for number in [0, 1, -1, q as i64 - 1, 1 - q as i64] {
            assert_eq!(i128::from(ntt.lift(number)), i128::from(number).rem_euclid(q));
        }
        let (a, b) = (ntt.modulus() - 1, ntt.modulus() / 3);
        assert_eq!(i128::from(ntt.product(a, b)), i128::from(a) * i128::from(b) % q);
        assert_eq!(ntt.product(ntt.invert(b), b), 1);
        assert_eq!(ntt.sum(ntt.difference(b, a), a), b);
    }
}

#[test]
fn moduli_without_transforms_are_refused() {
    assert!(Ntt::new(primes(50, 4096).next().unwrap(), 4096).is_some());
    for (modulus, degree) in
        [(12_289, 4096 * 2), (12_288, 16), (97, 8), (97, 48), (0, 16), (1, 16), (u64::MAX, 16)]
    {
        assert!(Ntt::new(modulus, degree).is_none(), "{modulus} {degree}");
    }
    // Of more bits than there may be.
    assert!(Ntt::new((1 << 50) + 1, 16).is_none());
}

#[test]
fn primes_are_found() {
    assert!(
        is_prime(2) && is_prime(3) && is_prime(1_099_510_054_913) && is_prime(18_446_744_073_709_551_557)
    );
    assert!(!is_prime(0) && !is_prime(1) && !is_prime(9) && !is_prime(3_215_031_751));
    let found: Vec<u64> = primes(50, 4096).take(4).collect();
    assert!(found.windows(2).all(|pair| pair[0] > pair[1]));
    assert!(found.iter().all(|prime| prime % 8192 == 1 && prime >> 49 == 1));
    assert_eq!((2..100).filter(|n| is_prime(*n)).count(), 25);
}
