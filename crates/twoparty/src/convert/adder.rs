//! An adder of small depth.

use tacit_circuit::{CircuitBuilder, Executable, Target, arithmetic};

/// The sum of two words of at most 128 bits modulo 2^bits, in ceil(log2(bits - 1)) + 1 layers of ANDs.
pub fn adder(bits: u32) -> Executable {
    let mut builder = CircuitBuilder::new();
    let (x, y) = (builder.input(bits), builder.input(bits));
    let sum = arithmetic::add_shallow(&mut builder, &x, &y);
    match builder.finish(vec![sum]) {
        Ok(circuit) => Executable::new(&circuit, Target::Rounds),
        Err(_) => unreachable!("a sum of at most 128 bits is within any limit"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_right_and_shallow() {
        for bits in 1..=128u32 {
            let adder = adder(bits);
            let depth =
                if bits < 2 { 0 } else { 1 + u64::from((bits - 1).next_power_of_two().trailing_zeros()) };
            assert_eq!(adder.and_layers(), depth, "{bits} bits");
            let mut state = u128::from(bits);
            let mut word = || {
                state = state.wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645).wrapping_add(1);
                (state ^ state >> 67) & crate::pack::mask(bits)
            };
            for (x, y) in [(word(), word()), (crate::pack::mask(bits), 1), (word(), word())] {
                let bit = |word: u128| (0..bits).map(move |i| (word >> i & 1) as u64);
                let inputs: Vec<u64> = bit(x).chain(bit(y)).collect();
                let sum = adder.evaluate_lanes(&inputs).unwrap();
                let sum = sum.iter().rev().fold(0, |sum, bit| sum << 1 | u128::from(bit & 1));
                assert_eq!(sum, x.wrapping_add(y) & crate::pack::mask(bits), "{bits} bits");
            }
        }
    }
}
