use crate::builder::CircuitBuilder;
use crate::circuit::{Circuit, CircuitError};
use crate::lit::Lit;

const ROUNDS: usize = 10;

/// A byte, least significant bit first.
type Byte = [Lit; 8];

/// AES-128 with its key schedule: maps the key and the plaintext to the ciphertext.
///
/// Each of the three is an integer of 128 bits whose hexadecimal form is the byte string of FIPS 197: the
/// first byte is the most significant, and wire 0 is the lowest bit of the last byte.
///
/// Source: FIPS 197; S-box as in [`sub_byte`]. Cost: 6400 ANDs, 32 for each of 200 S-boxes.
pub fn aes128() -> Result<Circuit, CircuitError> {
    let mut builder = CircuitBuilder::new();
    let (key, plaintext) = (builder.input(128), builder.input(128));
    let mut round_key = bytes(&key);
    let mut state = bytes(&plaintext);
    add_round_key(&mut builder, &mut state, &round_key);
    let mut constant = 1u8;
    for round in 1..=ROUNDS {
        for byte in &mut state {
            *byte = sub_byte(&mut builder, *byte);
        }
        state = shift_rows(&state);
        if round < ROUNDS {
            state = state.chunks(4).flat_map(|column| mix_column(&mut builder, column)).collect();
        }
        next_round_key(&mut builder, &mut round_key, constant);
        add_round_key(&mut builder, &mut state, &round_key);
        constant = constant << 1 ^ if constant & 0x80 != 0 { 0x1b } else { 0 };
    }
    let ciphertext = state.iter().rev().flatten().copied().collect();
    builder.finish(vec![ciphertext])
}

/// The bytes of a block, first byte first.
fn bytes(word: &[Lit]) -> Vec<Byte> {
    word.chunks(8).rev().map(|bits| std::array::from_fn(|bit| bits[bit])).collect()
}

fn xor_bytes(builder: &mut CircuitBuilder, a: Byte, b: Byte) -> Byte {
    std::array::from_fn(|bit| builder.xor(a[bit], b[bit]))
}

fn add_round_key(builder: &mut CircuitBuilder, state: &mut [Byte], key: &[Byte]) {
    state.iter_mut().zip(key).for_each(|(byte, key)| *byte = xor_bytes(builder, *byte, *key));
}

/// Row `r` of the state, which consists of bytes `r`, `r + 4`, …, moves left by `r` columns.
fn shift_rows(state: &[Byte]) -> Vec<Byte> {
    (0..16).map(|place| state[(place + place % 4 * 4) % 16]).collect()
}

/// Multiplication by `x` modulo `x^8 + x^4 + x^3 + x + 1`.
fn double(builder: &mut CircuitBuilder, byte: Byte) -> Byte {
    std::array::from_fn(|bit| match bit {
        0 => byte[7],
        1 | 3 | 4 => builder.xor(byte[bit - 1], byte[7]),
        _ => byte[bit - 1],
    })
}

fn mix_column(builder: &mut CircuitBuilder, column: &[Byte]) -> Vec<Byte> {
    let all = column.iter().fold([Lit::FALSE; 8], |sum, byte| xor_bytes(builder, sum, *byte));
    let mix = |row: usize| {
        let pair = xor_bytes(builder, column[row], column[(row + 1) % 4]);
        let doubled = double(builder, pair);
        let rest = xor_bytes(builder, all, column[row]);
        xor_bytes(builder, doubled, rest)
    };
    (0..4).map(mix).collect()
}

fn next_round_key(builder: &mut CircuitBuilder, key: &mut [Byte], constant: u8) {
    let mut word: Vec<Byte> = (0..4).map(|place| sub_byte(builder, key[12 + (place + 1) % 4])).collect();
    word[0] = std::array::from_fn(|bit| word[0][bit].flip(constant >> bit & 1 == 1));
    for place in 0..16 {
        let before = if place < 4 { word[place] } else { key[place - 4] };
        key[place] = xor_bytes(builder, key[place], before);
    }
}

/// The S-box of AES on a byte, least significant bit first.
///
/// Source: Boyar and Peralta, A new combinational logic minimization technique with applications to cryptology (2010);
/// the names are theirs. Cost: 32 ANDs.
pub fn sub_byte(builder: &mut CircuitBuilder, byte: [Lit; 8]) -> [Lit; 8] {
    let x: Byte = std::array::from_fn(|bit| byte[7 - bit]);
    macro_rules! gates {
        ($($out:ident = $a:expr, $op:tt, $b:expr;)*) => { $(let $out = gates!(@ $a, $op, $b);)* };
        (@ $a:expr, +, $b:expr) => { builder.xor($a, $b) };
        (@ $a:expr, *, $b:expr) => { builder.and($a, $b) };
    }
    // The top linear layer.
    gates! {
        y14 = x[3], +, x[5];  y13 = x[0], +, x[6];  y9 = x[0], +, x[3];   y8 = x[0], +, x[5];
        t0 = x[1], +, x[2];   y1 = t0, +, x[7];     y4 = y1, +, x[3];     y12 = y13, +, y14;
        y2 = y1, +, x[0];     y5 = y1, +, x[6];     y3 = y5, +, y8;       t1 = x[4], +, y12;
        y15 = t1, +, x[5];    y20 = t1, +, x[1];    y6 = y15, +, x[7];    y10 = y15, +, t0;
        y11 = y20, +, y9;     y7 = x[7], +, y11;    y17 = y10, +, y11;    y19 = y10, +, y8;
        y16 = t0, +, y11;     y21 = y13, +, y16;    y18 = x[0], +, y16;
    }
    // The inversion.
    gates! {
        t2 = y12, *, y15;     t3 = y3, *, y6;       t4 = t3, +, t2;       t5 = y4, *, x[7];
        t6 = t5, +, t2;       t7 = y13, *, y16;     t8 = y5, *, y1;       t9 = t8, +, t7;
        t10 = y2, *, y7;      t11 = t10, +, t7;     t12 = y9, *, y11;     t13 = y14, *, y17;
        t14 = t13, +, t12;    t15 = y8, *, y10;     t16 = t15, +, t12;    t17 = t4, +, t14;
        t18 = t6, +, t16;     t19 = t9, +, t14;     t20 = t11, +, t16;    t21 = t17, +, y20;
        t22 = t18, +, y19;    t23 = t19, +, y21;    t24 = t20, +, y18;
        t25 = t21, +, t22;    t26 = t21, *, t23;    t27 = t24, +, t26;    t28 = t25, *, t27;
        t29 = t28, +, t22;    t30 = t23, +, t24;    t31 = t22, +, t26;    t32 = t31, *, t30;
        t33 = t32, +, t24;    t34 = t23, +, t33;    t35 = t27, +, t33;    t36 = t24, *, t35;
        t37 = t36, +, t34;    t38 = t27, +, t36;    t39 = t29, *, t38;    t40 = t25, +, t39;
        t41 = t40, +, t37;    t42 = t29, +, t33;    t43 = t29, +, t40;    t44 = t33, +, t37;
        t45 = t42, +, t41;
        z0 = t44, *, y15;     z1 = t37, *, y6;      z2 = t33, *, x[7];    z3 = t43, *, y16;
        z4 = t40, *, y1;      z5 = t29, *, y7;      z6 = t42, *, y11;     z7 = t45, *, y17;
        z8 = t41, *, y10;     z9 = t44, *, y12;     z10 = t37, *, y3;     z11 = t33, *, y4;
        z12 = t43, *, y13;    z13 = t40, *, y5;     z14 = t29, *, y2;     z15 = t42, *, y9;
        z16 = t45, *, y14;    z17 = t41, *, y8;
    }
    // The bottom linear layer, with the constant 0x63 as complements.
    gates! {
        t46 = z15, +, z16;    t47 = z10, +, z11;    t48 = z5, +, z13;     t49 = z9, +, z10;
        t50 = z2, +, z12;     t51 = z2, +, z5;      t52 = z7, +, z8;      t53 = z0, +, z3;
        t54 = z6, +, z7;      t55 = z16, +, z17;    t56 = z12, +, t48;    t57 = t50, +, t53;
        t58 = z4, +, t46;     t59 = z3, +, t54;     t60 = t46, +, t57;    t61 = z14, +, t57;
        t62 = t52, +, t58;    t63 = t49, +, t58;    t64 = z4, +, t59;     t65 = t61, +, t62;
        t66 = z1, +, t63;     s0 = t59, +, t63;     s6 = t56, +, !t62;    s7 = t48, +, !t60;
        t67 = t64, +, t65;    s3 = t53, +, t66;     s4 = t51, +, t66;     s5 = t47, +, t65;
        s1 = t64, +, !s3;     s2 = t55, +, !t67;
    }
    [s7, s6, s5, s4, s3, s2, s1, s0]
}

/// The inverse of the S-box: the affine map is undone before and after the inversion in the field, which is
/// its own inverse.
/// Cost: 32 ANDs.
pub fn inverse_sub_byte(builder: &mut CircuitBuilder, byte: [Lit; 8]) -> [Lit; 8] {
    let inverted = undo_affine(builder, byte);
    let substituted = sub_byte(builder, inverted);
    undo_affine(builder, substituted)
}

/// The field element whose image under the affine map of the S-box is `byte`.
fn undo_affine(builder: &mut CircuitBuilder, byte: Byte) -> Byte {
    let byte: Byte = std::array::from_fn(|bit| byte[bit].flip(0x63 >> bit & 1 == 1));
    std::array::from_fn(|bit| {
        let pair = builder.xor(byte[(bit + 2) % 8], byte[(bit + 5) % 8]);
        builder.xor(pair, byte[(bit + 7) % 8])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(value: u128) -> impl Iterator<Item = bool> {
        (0..128).map(move |bit| value >> bit & 1 == 1)
    }

    fn encrypt(circuit: &Circuit, key: u128, plaintext: u128) -> u128 {
        let output =
            circuit.evaluate(&bits(key).chain(bits(plaintext)).collect::<Vec<_>>()).expect("256 bits");
        output.iter().enumerate().fold(0, |sum, (bit, value)| sum | u128::from(*value) << bit)
    }

    #[test]
    fn the_examples_of_fips_197() {
        let circuit = aes128().expect("a small circuit");
        assert_eq!(circuit.stats().and_count, 6400);
        // Appendix B and appendix C.1.
        let key = 0x2b7e1516_28aed2a6_abf71588_09cf4f3c;
        assert_eq!(
            encrypt(&circuit, key, 0x3243f6a8_885a308d_313198a2_e0370734),
            0x3925841d_02dc09fb_dc118597_196a0b32
        );
        let key = 0x00010203_04050607_08090a0b_0c0d0e0f;
        assert_eq!(
            encrypt(&circuit, key, 0x00112233_44556677_8899aabb_ccddeeff),
            0x69c4e0d8_6a7b0430_d8cdb780_70b4c55a
        );
    }

    #[test]
    fn the_s_box_takes_32_ands() {
        let mut builder = CircuitBuilder::new();
        let input = builder.input(8);
        let byte = std::array::from_fn(|bit| input[bit]);
        let output = sub_byte(&mut builder, byte).to_vec();
        let circuit = builder.finish(vec![output]).expect("a small circuit");
        assert_eq!(circuit.stats().and_count, 32);
        let values = (0..=255u8).map(|value| {
            let bits: Vec<bool> = (0..8).map(|bit| value >> bit & 1 == 1).collect();
            let output = circuit.evaluate(&bits).expect("8 bits");
            output.iter().enumerate().fold(0u8, |sum, (bit, value)| sum | u8::from(*value) << bit)
        });
        let found: Vec<u8> = values.collect();
        // S(x) is an affine map of the inverse of x.
        for (value, found) in found.iter().enumerate() {
            let inverse = (0..=255u8).find(|other| multiply(value as u8, *other) == 1).unwrap_or(0);
            let affine = [4, 5, 6, 7].iter().fold(inverse, |sum, turn| sum ^ inverse.rotate_right(*turn));
            assert_eq!(*found, affine ^ 0x63, "{value}");
        }
    }

    fn multiply(mut a: u8, mut b: u8) -> u8 {
        let mut product = 0;
        while b != 0 {
            product ^= if b & 1 == 1 { a } else { 0 };
            a = a << 1 ^ if a & 0x80 != 0 { 0x1b } else { 0 };
            b >>= 1;
        }
        product
    }
}
