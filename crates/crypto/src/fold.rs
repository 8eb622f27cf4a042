//! Expansion of many seeds, folded on the fly: the inner loop of OT extension over small fields.
//!
//! Source: Roy, *SoftSpokenOT*, CRYPTO 2022, section 5.1: with r\[x\] the expansion of seed x, u is the sum (XOR) of all
//! r\[x\] and v that of x·r\[x\] over GF(2^k), so that row j of v is the sum of those r\[x\] whose x has bit j.
//! Along the Gray code neighbours differ in one bit, so by Abel's summation row j is the sum of the prefix sums after
//! which bit j changes: two additions a seed instead of one and k/2.

use crate::aes::Aes128;
use crate::simd::dispatch;
use tacit_math::Block;

/// Overwrites `u` and the k rows of `v`, each as long as `u`, with the fold of the expansions of 2^k seeds:
/// the blocks from number `position` on of each seed's counter mode.
///
/// `keys` are the seeds in the order of the Gray code: seed t ^ (t >> 1) at index t. With `hole` the one at
/// index 0 is missing, and its expansion counts as zero.
///
/// Security: constant time; seeds and results may be secret. All keys are of one backend.
/// Cost: an AES call and two additions for each seed and block of `u`.
///
/// # Panics
/// If the number of keys is not 2^k, or one less with `hole`, where k is the number of rows of `v`.
pub fn fold(keys: &[Aes128], hole: bool, position: u64, v: &mut [Block], u: &mut [Block]) {
    let first = usize::from(hole);
    let Some(key) = keys.first() else { panic!("no seed to fold") };
    let rows = (first + keys.len()).ilog2() as usize;
    assert_eq!(first + keys.len(), 1 << rows, "the number of seeds is a power of two");
    assert_eq!(rows * u.len(), v.len(), "v has a row for each bit of a seed's number");
    dispatch::fold(key.backend(), keys, first, position, v, u);
}

/// The row that takes the prefix sum after the seed at index `t`: that of the bit that changes next. After
/// the last seed, whose only set bit is the highest, the code returns to zero.
#[inline(always)]
pub(crate) fn row_after(t: usize, last: usize) -> usize {
    if t == last { last.ilog2() as usize } else { (t + 1).trailing_zeros() as usize }
}

/// The kernel in plain Rust.
pub(crate) fn portable(keys: &[Aes128], first: usize, position: u64, v: &mut [Block], u: &mut [Block]) {
    let mut expansion = vec![Block::ZERO; u.len()];
    v.fill(Block::ZERO);
    u.fill(Block::ZERO);
    let last = first + keys.len() - 1;
    for (t, key) in (first..).zip(keys) {
        for (block, number) in expansion.iter_mut().zip(u128::from(position)..) {
            *block = Block(number);
        }
        key.encrypt_blocks(&mut expansion);
        let row = &mut v[row_after(t, last) * u.len()..][..u.len()];
        for ((prefix, row), block) in u.iter_mut().zip(row).zip(&expansion) {
            *prefix ^= *block;
            *row ^= *prefix;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Backend, Prg};

    /// u and v by their definition.
    fn direct(
        backend: Backend,
        seeds: &[Block],
        first: usize,
        position: u64,
        width: usize,
    ) -> (Vec<Block>, Vec<Block>) {
        let k = seeds.len().ilog2() as usize;
        let (mut v, mut u) = (vec![Block::ZERO; k * width], vec![Block::ZERO; width]);
        for (x, &seed) in seeds.iter().enumerate().skip(first) {
            let key = Aes128::on(backend, seed);
            for i in 0..width {
                let block = key.encrypt(Block(u128::from(position) + i as u128));
                u[i] ^= block;
                (0..k).filter(|j| x >> j & 1 == 1).for_each(|j| v[j * width + i] ^= block);
            }
        }
        (v, u)
    }

    #[test]
    fn every_backend_folds_to_the_sums() {
        let mut prg = Prg::new(Block(5));
        for k in [1, 2, 4, 8] {
            let seeds: Vec<Block> = (0..1 << k).map(|_| prg.next_block()).collect();
            for (first, width) in [(0, 16), (0, 3), (1, 1), (1, 16), (0, 37), (1, 8), (1, 7)] {
                let position = u64::MAX - 5;
                let expected = direct(Backend::PORTABLE, &seeds, first, position, width);
                for backend in Backend::available() {
                    let keys: Vec<Aes128> =
                        (first..seeds.len()).map(|t| Aes128::on(backend, seeds[t ^ (t >> 1)])).collect();
                    let (mut v, mut u) = (vec![Block::ONES; k * width], vec![Block::ONES; width]);
                    fold(&keys, first == 1, position, &mut v, &mut u);
                    assert_eq!((v, u), expected, "k {k}, {width} blocks, {}", backend.name());
                }
            }
        }
    }
}
