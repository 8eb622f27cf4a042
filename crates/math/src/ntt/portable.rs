//! The kernels in plain Rust.

use super::Ntt;
use super::scalar::below;

pub(super) fn forward(ntt: &Ntt, values: &mut [u64]) {
    let (modulus, twice) = (ntt.modulus, 2 * ntt.modulus.q);
    let mut half = values.len() / 2;
    let mut roots = ntt.roots.factors.iter().zip(&ntt.roots.quotients).skip(1);
    while half > 0 {
        for block in values.chunks_exact_mut(2 * half) {
            let Some((factor, quotient)) = roots.next() else { return };
            let (upper, lower) = block.split_at_mut(half);
            for (x, y) in upper.iter_mut().zip(lower) {
                let a = below(*x, twice);
                let b = modulus.shoup(*y, *factor, *quotient);
                (*x, *y) = (a + b, a + twice - b);
            }
        }
        half /= 2;
    }
    for value in values {
        *value = below(below(*value, twice), modulus.q);
    }
}

pub(super) fn inverse(ntt: &Ntt, values: &mut [u64]) {
    let (modulus, twice) = (ntt.modulus, 2 * ntt.modulus.q);
    let mut half = 1;
    while half < values.len() {
        let blocks = values.len() / (2 * half);
        let roots = ntt.inverse.factors[blocks..].iter().zip(&ntt.inverse.quotients[blocks..]);
        for (block, (factor, quotient)) in values.chunks_exact_mut(2 * half).zip(roots) {
            let (upper, lower) = block.split_at_mut(half);
            for (x, y) in upper.iter_mut().zip(lower) {
                let (a, b) = (*x, *y);
                *x = below(a + b, twice);
                *y = modulus.shoup(a + twice - b, *factor, *quotient);
            }
        }
        half *= 2;
    }
    let [scale, quotient] = ntt.scale;
    for value in values {
        *value = modulus.once(modulus.shoup(*value, scale, quotient));
    }
}

pub(super) fn multiply(ntt: &Ntt, values: &mut [u64], factors: &[u64]) {
    for (value, factor) in values.iter_mut().zip(factors) {
        *value = ntt.modulus.multiply(*value, *factor);
    }
}

pub(super) fn multiply_add(ntt: &Ntt, sums: &mut [u64], values: &[u64], factors: &[u64]) {
    for ((sum, value), factor) in sums.iter_mut().zip(values).zip(factors) {
        *sum = ntt.sum(*sum, ntt.modulus.multiply(*value, *factor));
    }
}
