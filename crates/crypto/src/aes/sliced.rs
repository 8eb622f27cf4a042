//! Four AES states in bitsliced form, in plain safe Rust without tables or secret-dependent branches.
//!
//! The states are spread over eight 64-bit words, word b holding bit b of all 64 bytes. Source: the layout and the
//! linear layers follow Pornin's BearSSL (`aes_ct64`); the S-box is the circuit of Boyar and Peralta (*A small depth-16
//! circuit for the AES S-box*, 2012).

use tacit_math::Block;

/// Four AES states, or four round keys, in bitsliced form.
pub(crate) type Sliced = [u64; 8];

/// Spreads four blocks over the words.
#[inline]
pub(crate) fn slice(blocks: &[Block; 4]) -> Sliced {
    let mut words = [0; 8];
    for (i, block) in blocks.iter().enumerate() {
        let part = |index: u32| spread((block.0 >> (32 * index)) as u32);
        words[i] = part(0) | part(2) << 8;
        words[i + 4] = part(1) | part(3) << 8;
    }
    turn(&mut words);
    words
}

/// Gathers four blocks from the words.
#[inline]
pub(crate) fn unslice(mut words: Sliced) -> [Block; 4] {
    turn(&mut words);
    core::array::from_fn(|i| {
        let part = |word: u64, index: u32| u128::from(gather(word)) << (32 * index);
        let (even, odd) = (words[i], words[i + 4]);
        Block(part(even, 0) | part(odd, 1) | part(even >> 8, 2) | part(odd >> 8, 3))
    })
}

/// The bytes of `word`, each followed by a zero byte.
fn spread(word: u32) -> u64 {
    let halves = (u64::from(word) | u64::from(word) << 16) & 0x0000_ffff_0000_ffff;
    (halves | halves << 8) & 0x00ff_00ff_00ff_00ff
}

/// Every other byte of `word`, the lowest first.
fn gather(word: u64) -> u32 {
    let bytes = word & 0x00ff_00ff_00ff_00ff;
    let halves = (bytes | bytes >> 8) & 0x0000_ffff_0000_ffff;
    (halves | halves >> 16) as u32
}

/// Transposes the 8 x 8 bits made of the same byte of all words; its own inverse.
#[inline]
fn turn(words: &mut Sliced) {
    for (distance, low) in
        [(1, 0x5555_5555_5555_5555), (2, 0x3333_3333_3333_3333), (4, 0x0f0f_0f0f_0f0f_0f0f)]
    {
        for i in (0..8).filter(|i| i & distance == 0) {
            let (a, b) = (words[i], words[i + distance]);
            words[i] = a & low | (b & low) << distance;
            words[i + distance] = (a & !low) >> distance | b & !low;
        }
    }
}

/// Adds (XOR) four round keys.
#[inline]
pub(crate) fn add_key(state: &mut Sliced, key: &Sliced) {
    state.iter_mut().zip(key).for_each(|(word, key)| *word ^= key);
}

/// A full round: SubBytes, ShiftRows, MixColumns, AddRoundKey.
#[inline]
pub(crate) fn round(state: &mut Sliced, key: &Sliced) {
    sub_bytes(state);
    shift_rows(state);
    mix_columns(state);
    add_key(state, key);
}

/// The last round, which has no MixColumns.
#[inline]
pub(crate) fn last_round(state: &mut Sliced, key: &Sliced) {
    sub_bytes(state);
    shift_rows(state);
    add_key(state, key);
}

#[inline]
fn shift_rows(state: &mut Sliced) {
    for word in state {
        let x = *word;
        *word = x & 0x0000_0000_0000_ffff
            | (x & 0x0000_0000_fff0_0000) >> 4
            | (x & 0x0000_0000_000f_0000) << 12
            | (x & 0x0000_ff00_0000_0000) >> 8
            | (x & 0x0000_00ff_0000_0000) << 8
            | (x & 0xf000_0000_0000_0000) >> 12
            | (x & 0x0fff_0000_0000_0000) << 4;
    }
}

#[inline]
fn mix_columns(q: &mut Sliced) {
    let r: Sliced = core::array::from_fn(|i| q[i].rotate_right(16));
    // Every byte becomes 2 (x + next) + next + (the two after), where doubling reduces by the top bit into bits 0, 1, 3, 4.
    let far: Sliced = core::array::from_fn(|i| (q[i] ^ r[i]).rotate_right(32));
    let top = q[7] ^ r[7];
    let doubled = |i: usize, reduce: u64| if i == 0 { reduce } else { q[i - 1] ^ r[i - 1] ^ reduce };
    *q = core::array::from_fn(|i| {
        doubled(i, if matches!(i, 0 | 1 | 3 | 4) { top } else { 0 }) ^ r[i] ^ far[i]
    });
}

/// The S-box on all 64 bytes.
#[inline]
pub(crate) fn sub_bytes(q: &mut Sliced) {
    *q = bottom_linear(&inversion(&top_linear(q)));
}

/// The top linear layer of the S-box: x7, then y1 to y21 as the paper numbers them.
#[inline(always)]
fn top_linear(q: &Sliced) -> [u64; 22] {
    let [x7, x6, x5, x4, x3, x2, x1, x0] = *q;

    let y14 = x3 ^ x5;
    let y13 = x0 ^ x6;
    let y9 = x0 ^ x3;
    let y8 = x0 ^ x5;
    let t0 = x1 ^ x2;
    let y1 = t0 ^ x7;
    let y4 = y1 ^ x3;
    let y12 = y13 ^ y14;
    let y2 = y1 ^ x0;
    let y5 = y1 ^ x6;
    let y3 = y5 ^ y8;
    let t1 = x4 ^ y12;
    let y15 = t1 ^ x5;
    let y20 = t1 ^ x1;
    let y6 = y15 ^ x7;
    let y10 = y15 ^ t0;
    let y11 = y20 ^ y9;
    let y7 = x7 ^ y11;
    let y17 = y10 ^ y11;
    let y19 = y10 ^ y8;
    let y16 = t0 ^ y11;
    let y21 = y13 ^ y16;
    let y18 = x0 ^ y16;

    [x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21]
}

/// The middle of the S-box, inversion in GF(2^8): z0 to z17.
#[inline(always)]
fn inversion(y: &[u64; 22]) -> [u64; 18] {
    let [x7, y1, y2, y3, y4, y5, y6, y7, y8, y9, y10, y11, y12, y13, y14, y15, y16, y17, y18, y19, y20, y21] =
        *y;

    let t2 = y12 & y15;
    let t3 = y3 & y6;
    let t4 = t3 ^ t2;
    let t5 = y4 & x7;
    let t6 = t5 ^ t2;
    let t7 = y13 & y16;
    let t8 = y5 & y1;
    let t9 = t8 ^ t7;
    let t10 = y2 & y7;
    let t11 = t10 ^ t7;
    let t12 = y9 & y11;
    let t13 = y14 & y17;
    let t14 = t13 ^ t12;
    let t15 = y8 & y10;
    let t16 = t15 ^ t12;
    let t17 = t4 ^ t14;
    let t18 = t6 ^ t16;
    let t19 = t9 ^ t14;
    let t20 = t11 ^ t16;
    let t21 = t17 ^ y20;
    let t22 = t18 ^ y19;
    let t23 = t19 ^ y21;
    let t24 = t20 ^ y18;
    let t25 = t21 ^ t22;
    let t26 = t21 & t23;
    let t27 = t24 ^ t26;
    let t28 = t25 & t27;
    let t29 = t28 ^ t22;
    let t30 = t23 ^ t24;
    let t31 = t22 ^ t26;
    let t32 = t31 & t30;
    let t33 = t32 ^ t24;
    let t34 = t23 ^ t33;
    let t35 = t27 ^ t33;
    let t36 = t24 & t35;
    let t37 = t36 ^ t34;
    let t38 = t27 ^ t36;
    let t39 = t29 & t38;
    let t40 = t25 ^ t39;
    let t41 = t40 ^ t37;
    let t42 = t29 ^ t33;
    let t43 = t29 ^ t40;
    let t44 = t33 ^ t37;
    let t45 = t42 ^ t41;
    let z0 = t44 & y15;
    let z1 = t37 & y6;
    let z2 = t33 & x7;
    let z3 = t43 & y16;
    let z4 = t40 & y1;
    let z5 = t29 & y7;
    let z6 = t42 & y11;
    let z7 = t45 & y17;
    let z8 = t41 & y10;
    let z9 = t44 & y12;
    let z10 = t37 & y3;
    let z11 = t33 & y4;
    let z12 = t43 & y13;
    let z13 = t40 & y5;
    let z14 = t29 & y2;
    let z15 = t42 & y9;
    let z16 = t45 & y14;
    let z17 = t41 & y8;

    [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17]
}

/// The bottom linear layer of the S-box, with the affine map.
#[inline(always)]
fn bottom_linear(z: &[u64; 18]) -> Sliced {
    let [z0, z1, z2, z3, z4, z5, z6, z7, z8, z9, z10, z11, z12, z13, z14, z15, z16, z17] = *z;

    let t46 = z15 ^ z16;
    let t47 = z10 ^ z11;
    let t48 = z5 ^ z13;
    let t49 = z9 ^ z10;
    let t50 = z2 ^ z12;
    let t51 = z2 ^ z5;
    let t52 = z7 ^ z8;
    let t53 = z0 ^ z3;
    let t54 = z6 ^ z7;
    let t55 = z16 ^ z17;
    let t56 = z12 ^ t48;
    let t57 = t50 ^ t53;
    let t58 = z4 ^ t46;
    let t59 = z3 ^ t54;
    let t60 = t46 ^ t57;
    let t61 = z14 ^ t57;
    let t62 = t52 ^ t58;
    let t63 = t49 ^ t58;
    let t64 = z4 ^ t59;
    let t65 = t61 ^ t62;
    let t66 = z1 ^ t63;
    let s0 = t59 ^ t63;
    let s6 = t56 ^ !t62;
    let s7 = t48 ^ !t60;
    let t67 = t64 ^ t65;
    let s3 = t53 ^ t66;
    let s4 = t51 ^ t66;
    let s5 = t47 ^ t65;
    let s1 = t64 ^ !s3;
    let s2 = t55 ^ !t67;

    [s7, s6, s5, s4, s3, s2, s1, s0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The S-box from its definition: inversion in GF(2^8), then the affine map.
    fn s_box(byte: u8) -> u8 {
        let times = |a: u8, b: u8| {
            (0..8).fold(0u16, |sum, i| {
                let doubled =
                    (0..i).fold(u16::from(a), |x, _| x << 1 ^ if x & 0x80 != 0 { 0x11b } else { 0 });
                sum ^ if b >> i & 1 == 1 { doubled } else { 0 }
            }) as u8
        };
        let inverse = (0..=255).find(|&other| times(byte, other) == 1).unwrap_or(0);
        (1..5).fold(inverse, |sum, i| sum ^ inverse.rotate_left(i)) ^ 0x63
    }

    #[test]
    fn sub_bytes_is_the_s_box() {
        for start in (0..=255u8).step_by(64) {
            let blocks = core::array::from_fn(|i| {
                Block::from_bytes(core::array::from_fn(|j| start + (16 * i + j) as u8))
            });
            let mut state = slice(&blocks);
            assert_eq!(unslice(state), blocks);
            sub_bytes(&mut state);
            for (block, before) in unslice(state).into_iter().zip(blocks) {
                for (after, before) in block.to_bytes().into_iter().zip(before.to_bytes()) {
                    assert_eq!(after, s_box(before));
                }
            }
        }
    }
}
