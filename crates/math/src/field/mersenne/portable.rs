//! The kernels modulo 2^61 - 1 on any processor.

use super::{Mersenne61, P, once};
use crate::field::Field;
use crate::field::loops::zip;

/// Elements of a combination that are summed side by side.
const LANES: usize = 4;

/// A number equal to a sum of 128 bits modulo the prime, below 2^63.
#[inline(always)]
const fn folded(sum: u128) -> u64 {
    (sum as u64 & P) + ((sum >> 61) as u64 & P) + (sum >> 122) as u64
}

/// So many elements of a combination of columns, those from a place on.
#[inline(always)]
fn combine_lanes<const N: usize>(sum: &mut [u64], (place, columns): (usize, &[&[u64]]), factors: &[u64]) {
    let mut total = [0; N];
    // 32 products of 122 bits are below 2^127.
    for (columns, factors) in columns.chunks(32).zip(factors.chunks(32)) {
        let mut part = [0; N];
        for (column, factor) in columns.iter().zip(factors) {
            for (part, x) in part.iter_mut().zip(&column[place..][..N]) {
                *part += u128::from(*x) * u128::from(*factor);
            }
        }
        for (total, part) in total.iter_mut().zip(part) {
            *total = once(*total + Mersenne61.element(folded(part)));
        }
    }
    sum.copy_from_slice(&total);
}

/// Replaces each element of `a` by what a function makes of it and that of `b`. The slices are equally long.
#[inline(always)]
pub(super) fn each(a: &mut [u64], b: &[u64], of: impl Fn(u64, u64) -> u64) {
    zip(a, b).for_each(|(a, b)| *a = of(*a, *b));
}

/// `sum[i] += a[i] · b[i]`.
pub(super) fn add_products(sum: &mut [u64], a: &[u64], b: &[u64]) {
    for ((sum, a), b) in zip(sum, a).zip(b) {
        *sum = Mersenne61.add(*sum, Mersenne61.mul(*a, *b));
    }
}

/// The inner product.
pub(super) fn dot(a: &[u64], b: &[u64]) -> u64 {
    // 32 products of 122 bits are below 2^127.
    let mut sum = 0;
    for (a, b) in a.chunks(32).zip(b.chunks(32)) {
        let part: u128 = a.iter().zip(b).map(|(a, b)| u128::from(*a) * u128::from(*b)).sum();
        sum = Mersenne61.add(sum, Mersenne61.element(folded(part)));
    }
    sum
}

/// `sum[i] = columns[0][first + i] · factors[0] + …`.
pub(super) fn combine(sum: &mut [u64], (first, columns): (usize, &[&[u64]]), factors: &[u64]) {
    for (i, sum) in sum.chunks_mut(LANES).enumerate() {
        let place = first + LANES * i;
        match sum.len() {
            LANES => combine_lanes::<LANES>(sum, (place, columns), factors),
            _ => sum.iter_mut().zip(place..).for_each(|(sum, place)| {
                combine_lanes::<1>(core::slice::from_mut(sum), (place, columns), factors)
            }),
        }
    }
}
