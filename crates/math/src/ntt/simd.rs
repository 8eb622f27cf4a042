//! The kernels on vectors of eight numbers, by AVX-512 and its multiplication of 52 bits (IFMA).
#![allow(unsafe_code)]

use core::arch::x86_64::*;

use super::scalar::{MASK, Scalar};
use super::{Ntt, Roots};

/// Numbers of a vector.
const LANES: usize = 8;

/// Whether the processor has the instructions.
pub(super) fn available() -> bool {
    is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512ifma")
}

pub(super) fn forward(ntt: &Ntt, values: &mut [u64]) {
    assert!(available() && values.len() == ntt.degree() && values.len() >= 2 * LANES);
    // SAFETY: the processor has the instructions, and there are as many values as roots, a power of two from 16 on.
    unsafe { forward_on(ntt, values) }
}

pub(super) fn inverse(ntt: &Ntt, values: &mut [u64]) {
    assert!(available() && values.len() == ntt.degree() && values.len() >= 2 * LANES);
    // SAFETY: as in `forward`.
    unsafe { inverse_on(ntt, values) }
}

pub(super) fn multiply(ntt: &Ntt, values: &mut [u64], factors: &[u64]) {
    assert!(available());
    // SAFETY: the processor has the instructions.
    unsafe { multiply_on(&ntt.modulus, values, factors) }
}

pub(super) fn multiply_add(ntt: &Ntt, sums: &mut [u64], values: &[u64], factors: &[u64]) {
    assert!(available());
    // SAFETY: the processor has the instructions.
    unsafe { multiply_add_on(&ntt.modulus, sums, values, factors) }
}

/// A modulus's values in registers, for kernels.
#[derive(Clone, Copy)]
struct Lanes {
    q: __m512i,
    twice: __m512i,
    mask: __m512i,
    inverse: __m512i,
    square: __m512i,
}

/// The vector at `values[at..]`.
///
/// # Safety
/// AVX-512; eight numbers from `at` on lie in the slice.
#[inline(always)]
unsafe fn load(values: &[u64], at: usize) -> __m512i {
    debug_assert!(at + LANES <= values.len());
    // SAFETY: the caller's.
    unsafe { _mm512_loadu_si512(values.as_ptr().add(at).cast()) }
}

/// # Safety
/// As [`load`].
#[inline(always)]
unsafe fn store(values: &mut [u64], at: usize, vector: __m512i) {
    debug_assert!(at + LANES <= values.len());
    // SAFETY: the caller's.
    unsafe { _mm512_storeu_si512(values.as_mut_ptr().add(at).cast(), vector) }
}

impl Lanes {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn new(modulus: &Scalar) -> Lanes {
        let all = |x: u64| _mm512_set1_epi64(x as i64);
        Lanes {
            q: all(modulus.q),
            twice: all(2 * modulus.q),
            mask: all(MASK),
            inverse: all(modulus.inverse),
            square: all(modulus.square),
        }
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn below(self, x: __m512i, bound: __m512i) -> __m512i {
        _mm512_min_epu64(x, _mm512_sub_epi64(x, bound))
    }

    /// [`Scalar::shoup`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn shoup(self, x: __m512i, factor: __m512i, quotient: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let estimate = _mm512_madd52hi_epu64(zero, x, quotient);
        let product = _mm512_madd52lo_epu64(zero, x, factor);
        let multiple = _mm512_madd52lo_epu64(zero, estimate, self.q);
        _mm512_and_si512(_mm512_sub_epi64(product, multiple), self.mask)
    }

    /// [`Scalar::montgomery`].
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn montgomery(self, a: __m512i, b: __m512i) -> __m512i {
        let zero = _mm512_setzero_si512();
        let factor = _mm512_madd52lo_epu64(zero, _mm512_madd52lo_epu64(zero, a, b), self.inverse);
        let high = _mm512_madd52hi_epu64(zero, factor, self.q);
        _mm512_sub_epi64(_mm512_madd52hi_epu64(self.q, a, b), high)
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn multiply(self, a: __m512i, b: __m512i) -> __m512i {
        self.below(self.montgomery(self.montgomery(a, b), self.square), self.q)
    }

    /// A step towards values: x below 4q to both sums below 4q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn butterfly(self, x: __m512i, y: __m512i, root: [__m512i; 2]) -> [__m512i; 2] {
        let a = self.below(x, self.twice);
        let b = self.shoup(y, root[0], root[1]);
        [_mm512_add_epi64(a, b), _mm512_sub_epi64(_mm512_add_epi64(a, self.twice), b)]
    }

    /// A step towards coefficients: both below 2q.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn unfold(self, x: __m512i, y: __m512i, root: [__m512i; 2]) -> [__m512i; 2] {
        let difference = _mm512_sub_epi64(_mm512_add_epi64(x, self.twice), y);
        [self.below(_mm512_add_epi64(x, y), self.twice), self.shoup(difference, root[0], root[1])]
    }
}

/// How butterflies within two vectors pair their numbers, for distances of 4, 2 and 1.
struct Pairing {
    /// The first and the second numbers of pairs, out of two vectors.
    apart: [__m512i; 2],
    /// Both vectors, out of those.
    together: [__m512i; 2],
    /// The root for each pair, counted from the vectors' first.
    root: __m512i,
}

impl Pairing {
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn new(half: usize) -> Pairing {
        let first = |lane: usize| lane / half * 2 * half + lane % half;
        let back = |place: usize| {
            let lane = place / (2 * half) * half + place % half;
            if place % (2 * half) < half { lane } else { lane + LANES }
        };
        // SAFETY: an array of eight words is as large as a vector.
        let vector = |at: &dyn Fn(usize) -> usize| unsafe {
            let words: [u64; LANES] = core::array::from_fn(|lane| at(lane) as u64);
            _mm512_loadu_si512(words.as_ptr().cast())
        };
        Pairing {
            apart: [vector(&first), vector(&|lane| first(lane) + half)],
            together: [vector(&back), vector(&|lane| back(lane + LANES))],
            root: vector(&|lane| lane / half),
        }
    }

    /// The roots of the vectors that begin with root number `first`.
    ///
    /// # Safety
    /// Eight roots lie there.
    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    unsafe fn roots(&self, roots: &Roots, first: usize) -> [__m512i; 2] {
        // SAFETY: the caller's.
        [&roots.factors, &roots.quotients]
            .map(|list| _mm512_permutexvar_epi64(self.root, unsafe { load(list, first) }))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn split(&self, a: __m512i, b: __m512i) -> [__m512i; 2] {
        self.apart.map(|places| _mm512_permutex2var_epi64(a, places, b))
    }

    #[inline]
    #[target_feature(enable = "avx512f,avx512ifma")]
    fn join(&self, [x, y]: [__m512i; 2]) -> [__m512i; 2] {
        self.together.map(|places| _mm512_permutex2var_epi64(x, places, y))
    }
}

/// # Safety
/// AVX-512 IFMA; as many values as roots, a power of two from 16 on.
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn forward_on(ntt: &Ntt, values: &mut [u64]) {
    let (lanes, degree) = (Lanes::new(&ntt.modulus), values.len());
    let mut half = degree / 2;
    while half >= LANES {
        let blocks = degree / (2 * half);
        for block in 0..blocks {
            let root = broadcast(&ntt.roots, blocks + block);
            let start = 2 * half * block;
            for at in (start..start + half).step_by(LANES) {
                // SAFETY: both vectors lie within the block.
                unsafe {
                    let [x, y] = lanes.butterfly(load(values, at), load(values, at + half), root);
                    store(values, at, x);
                    store(values, at + half, y);
                }
            }
        }
        half /= 2;
    }
    let pairings = [Pairing::new(4), Pairing::new(2), Pairing::new(1)];
    for at in (0..degree).step_by(2 * LANES) {
        // SAFETY: two vectors from `at` on lie in the values. With `half` of 4, 2 and 1, roots from degree / (2 · half) +
        // at / (2 · half) on are read, eight of which end at the degree at most.
        unsafe {
            let mut pair = [load(values, at), load(values, at + LANES)];
            for (pairing, half) in pairings.iter().zip([4, 2, 1]) {
                let root = pairing.roots(&ntt.roots, (degree + at) / (2 * half));
                let [x, y] = pairing.split(pair[0], pair[1]);
                pair = pairing.join(lanes.butterfly(x, y, root));
            }
            let [a, b] = pair.map(|x| lanes.below(lanes.below(x, lanes.twice), lanes.q));
            store(values, at, a);
            store(values, at + LANES, b);
        }
    }
}

/// # Safety
/// As [`forward_on`].
#[target_feature(enable = "avx512f,avx512ifma")]
unsafe fn inverse_on(ntt: &Ntt, values: &mut [u64]) {
    let (lanes, degree) = (Lanes::new(&ntt.modulus), values.len());
    let pairings = [Pairing::new(1), Pairing::new(2), Pairing::new(4)];
    for at in (0..degree).step_by(2 * LANES) {
        // SAFETY: as in `forward_on`.
        unsafe {
            let mut pair = [load(values, at), load(values, at + LANES)];
            for (pairing, half) in pairings.iter().zip([1, 2, 4]) {
                let root = pairing.roots(&ntt.inverse, (degree + at) / (2 * half));
                let [x, y] = pairing.split(pair[0], pair[1]);
                pair = pairing.join(lanes.unfold(x, y, root));
            }
            store(values, at, pair[0]);
            store(values, at + LANES, pair[1]);
        }
    }
    let mut half = LANES;
    while half < degree {
        let blocks = degree / (2 * half);
        for block in 0..blocks {
            let root = broadcast(&ntt.inverse, blocks + block);
            let start = 2 * half * block;
            for at in (start..start + half).step_by(LANES) {
                // SAFETY: both vectors lie within the block.
                unsafe {
                    let [x, y] = lanes.unfold(load(values, at), load(values, at + half), root);
                    store(values, at, x);
                    store(values, at + half, y);
                }
            }
        }
        half *= 2;
    }
    let scale = ntt.scale.map(|x| _mm512_set1_epi64(x as i64));
    for at in (0..degree).step_by(LANES) {
        // SAFETY: the degree is a multiple of eight.
        unsafe {
            let scaled = lanes.shoup(load(values, at), scale[0], scale[1]);
            store(values, at, lanes.below(scaled, lanes.q));
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512ifma")]
fn broadcast(roots: &Roots, at: usize) -> [__m512i; 2] {
    [roots.factors[at], roots.quotients[at]].map(|x| _mm512_set1_epi64(x as i64))
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_on(modulus: &Scalar, values: &mut [u64], factors: &[u64]) {
    let lanes = Lanes::new(modulus);
    for (values, factors) in values.chunks_exact_mut(LANES).zip(factors.chunks_exact(LANES)) {
        // SAFETY: chunks are as long as vectors.
        unsafe { store(values, 0, lanes.multiply(load(values, 0), load(factors, 0))) };
    }
}

#[target_feature(enable = "avx512f,avx512ifma")]
fn multiply_add_on(modulus: &Scalar, sums: &mut [u64], values: &[u64], factors: &[u64]) {
    let lanes = Lanes::new(modulus);
    let pairs = values.chunks_exact(LANES).zip(factors.chunks_exact(LANES));
    for (sums, (values, factors)) in sums.chunks_exact_mut(LANES).zip(pairs) {
        // SAFETY: chunks are as long as vectors.
        unsafe {
            let product = lanes.multiply(load(values, 0), load(factors, 0));
            store(sums, 0, lanes.below(_mm512_add_epi64(load(sums, 0), product), lanes.q));
        }
    }
}
