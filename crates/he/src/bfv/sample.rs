//! Random polynomials. Secret ones are drawn in constant time.

use tacit_crypto::Prg;
use tacit_math::ntt::Ntt;
use tacit_math::{Block, Wiped};
use zeroize::Zeroizing;

use super::noise::ERROR;

/// Random words, overwritten when dropped.
fn words(count: usize, prg: &mut Prg) -> Zeroizing<Vec<u64>> {
    let mut blocks = Zeroizing::new(vec![Block::ZERO; count.div_ceil(2)]);
    prg.fill(&mut blocks);
    let halves = blocks.iter().flat_map(|block| [block.0 as u64, (block.0 >> 64) as u64]);
    Zeroizing::new(halves.take(count).collect())
}

/// Coefficients -1, 0 and 1, each with probability 1/3 up to 2^-63.
pub(super) fn ternary(degree: usize, prg: &mut Prg) -> Wiped<i64> {
    let draw = |word: &u64| ((u128::from(*word) * 3) >> 64) as i64 - 1;
    Wiped::from(words(degree, prg).iter().map(draw).collect::<Vec<_>>())
}

/// Errors: sums of 21 differences of two bits, with a standard deviation of 3.24.
pub(super) fn errors(degree: usize, prg: &mut Prg) -> Wiped<i64> {
    let mask = (1 << ERROR) - 1;
    let draw = |word: &u64| {
        let (plus, minus) = (word & mask, (word >> ERROR) & mask);
        i64::from(plus.count_ones()) - i64::from(minus.count_ones())
    };
    Wiped::from(words(degree, prg).iter().map(draw).collect::<Vec<_>>())
}

/// Uniform values modulo each prime from a public seed, by rejection, which takes longer for some seeds.
pub(super) fn uniform(ntts: &[Ntt], seed: Block) -> Vec<u64> {
    let mut prg = Prg::new(seed);
    let mut values = Vec::with_capacity(ntts.len() * ntts[0].degree());
    for (i, ntt) in ntts.iter().enumerate() {
        let mask = ntt.modulus().next_power_of_two() - 1;
        let full = (i + 1) * ntt.degree();
        while values.len() < full {
            let drawn = words(full - values.len(), &mut prg);
            values.extend(drawn.iter().map(|word| word & mask).filter(|word| *word < ntt.modulus()));
        }
    }
    values
}

/// Adds uniform numbers from `-2^bits` to `2^bits - 1` to residues of coefficients, for up to 191 bits.
pub(super) fn add_flood(ntts: &[Ntt], residues: &mut [u64], each: usize, bits: u32, prg: &mut Prg) {
    let drawn = words(3 * each, prg);
    let mask = |word: u32| match (bits + 1).saturating_sub(64 * word) {
        0 => 0,
        left @ 1..64 => (1 << left) - 1,
        _ => u64::MAX,
    };
    let masks = [mask(0), mask(1), mask(2)];
    for (ntt, residues) in ntts.iter().zip(residues.chunks_exact_mut(each)) {
        let base = ntt.reduce(u64::MAX);
        let base = ntt.sum(base, 1);
        let square = ntt.product(base, base);
        let offset = (0..bits).fold(1, |power, _| ntt.sum(power, power));
        for (residue, drawn) in residues.iter_mut().zip(drawn.chunks_exact(3)) {
            let word = |i: usize| ntt.reduce(drawn[i] & masks[i]);
            let high = ntt.sum(ntt.product(word(1), base), ntt.product(word(2), square));
            let flood = ntt.difference(ntt.sum(word(0), high), offset);
            *residue = ntt.sum(*residue, flood);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tacit_math::ntt::primes;

    #[test]
    fn distributions_have_their_bounds_and_variance() {
        let mut prg = Prg::new(Block(1));
        let variance = |list: &[i64]| list.iter().map(|x| (x * x) as f64).sum::<f64>() / list.len() as f64;
        let drawn = ternary(1 << 16, &mut prg);
        assert!(drawn.iter().all(|x| x.abs() <= 1) && (variance(&drawn) - 2.0 / 3.0).abs() < 0.02);
        let drawn = errors(1 << 16, &mut prg);
        assert!(drawn.iter().all(|x| x.abs() <= 21) && (variance(&drawn) - 10.5).abs() < 0.3);
        assert!(drawn.iter().sum::<i64>().abs() < 1 << 12);
    }

    #[test]
    fn floods_keep_to_their_bits_and_fill_them() {
        let ntts: Vec<Ntt> = primes(50, 16).take(4).map(|prime| Ntt::new(prime, 16).unwrap()).collect();
        for bits in [0, 1, 40, 47] {
            let mut seen = [i64::MAX, i64::MIN];
            for seed in 0..200 {
                let mut residues = vec![0; 4 * 16];
                add_flood(&ntts, &mut residues, 16, bits, &mut Prg::new(Block(seed)));
                let signed = |i: usize, ntt: &Ntt| {
                    let x = residues[i];
                    if x > ntt.modulus() / 2 { x as i64 - ntt.modulus() as i64 } else { x as i64 }
                };
                for i in 0..16 {
                    let number = signed(i, &ntts[0]);
                    assert!((1..4).all(|k| signed(16 * k + i, &ntts[k]) == number));
                    seen = [seen[0].min(number), seen[1].max(number)];
                }
            }
            let most = 1i64 << bits;
            assert!(
                seen[0] >= -most && seen[1] < most && seen[0] < -most / 2 && seen[1] >= most / 2 - 1,
                "{bits}: {seen:?}"
            );
        }
    }

    #[test]
    fn uniform_values_are_below_their_primes() {
        let ntts: Vec<Ntt> = [97, 193].map(|prime| Ntt::new(prime, 16).unwrap()).to_vec();
        let values = uniform(&ntts, Block(7));
        assert_eq!(values.len(), 32);
        assert!(values[..16].iter().all(|x| *x < 97) && values[16..].iter().all(|x| *x < 193));
        assert_eq!(values, uniform(&ntts, Block(7)));
        assert_ne!(values, uniform(&ntts, Block(8)));
    }
}
