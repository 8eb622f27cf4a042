use crate::arithmetic::{constant, sum};
use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError};
use crate::lit::Lit;

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
const CONSTANTS: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The compression function of SHA-256: maps a block of 512 bits and a chaining value of 256 to the next
/// chaining value.
///
/// Each is an integer whose hexadecimal form is the sequence of words of FIPS 180-4: the first word is the
/// most significant, and wire 0 is the lowest bit of the last word.
///
/// Source: FIPS 180-4, section 6.2. Cost: at most 22 573 ANDs.
pub fn sha256_compression() -> Result<Circuit, CircuitError> {
    let mut builder = CircuitBuilder::new();
    let (block, chaining) = (builder.input(512), builder.input(256));
    let mut schedule: Vec<Vec<Lit>> = block.chunks(32).rev().map(<[Lit]>::to_vec).collect();
    for t in 16..64 {
        let (s0, s1) = (
            small_sigma(&mut builder, &schedule[t - 15], [7, 18, 3]),
            small_sigma(&mut builder, &schedule[t - 2], [17, 19, 10]),
        );
        schedule.push(sum(&mut builder, &[&s0, &s1, &schedule[t - 7], &schedule[t - 16]], 32));
    }
    let start: Vec<Vec<Lit>> = chaining.chunks(32).rev().map(<[Lit]>::to_vec).collect();
    let mut state = start.clone();
    for (word, k) in schedule.iter().zip(CONSTANTS) {
        state = round(&mut builder, &state, word, k);
    }
    let next: Vec<Vec<Lit>> = start.iter().zip(&state).map(|(a, b)| sum(&mut builder, &[a, b], 32)).collect();
    builder.finish(vec![next.into_iter().rev().flatten().collect()])
}

fn round(builder: &mut CircuitBuilder, state: &[Vec<Lit>], word: &[Lit], k: u32) -> Vec<Vec<Lit>> {
    let [a, b, c, d, e, f, g, h] = [0, 1, 2, 3, 4, 5, 6, 7].map(|i| &state[i][..]);
    let s0 = big_sigma(builder, a, [2, 13, 22]);
    let s1 = big_sigma(builder, e, [6, 11, 25]);
    let choice: Vec<Lit> = (0..32).map(|bit| builder.mux(e[bit], f[bit], g[bit])).collect();
    let majority: Vec<Lit> = (0..32).map(|bit| builder.majority(a[bit], b[bit], c[bit])).collect();
    let t1 = sum(builder, &[h, &s1, &choice, &constant(k.into(), 32), word], 32);
    let new_e = sum(builder, &[d, &t1], 32);
    let new_a = sum(builder, &[&t1, &s0, &majority], 32);
    [&new_a, a, b, c, &new_e, e, f, g].map(<[Lit]>::to_vec).to_vec()
}

fn xor3(builder: &mut CircuitBuilder, words: [Vec<Lit>; 3]) -> Vec<Lit> {
    let bit = |bit: usize| {
        let partial = builder.xor(words[0][bit], words[1][bit]);
        builder.xor(partial, words[2][bit])
    };
    (0..32).map(bit).collect()
}

fn rotate(word: &[Lit], by: usize) -> Vec<Lit> {
    [&word[by..], &word[..by]].concat()
}

fn big_sigma(builder: &mut CircuitBuilder, word: &[Lit], by: [usize; 3]) -> Vec<Lit> {
    xor3(builder, by.map(|by| rotate(word, by)))
}

/// Two rotations and a shift.
fn small_sigma(builder: &mut CircuitBuilder, word: &[Lit], [first, second, shift]: [usize; 3]) -> Vec<Lit> {
    let shifted = [&word[shift..], &vec![Lit::FALSE; shift]].concat();
    xor3(builder, [rotate(word, first), rotate(word, second), shifted])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_fips_180() {
        let circuit = sha256_compression().expect("a small circuit");
        // One block: "abc", a one, zeros, the length of 24 bits.
        let mut words = [0u32; 24];
        (words[0], words[15]) = (0x61626380, 24);
        words[16..].copy_from_slice(&[
            0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
        ]);
        let bits = |word: &u32| (0..32).map(|bit| word >> bit & 1 == 1).collect::<Vec<_>>();
        let value = |words: &[u32]| words.iter().rev().flat_map(bits).collect::<Vec<_>>();
        let output =
            circuit.evaluate(&[value(&words[..16]), value(&words[16..])].concat()).expect("768 bits");
        let digest =
            [0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223, 0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad];
        assert_eq!(output, value(&digest));
    }

    #[test]
    fn no_more_ands_than_the_best_published() {
        assert!(sha256_compression().expect("a small circuit").stats().and_count <= 22_573);
    }
}
