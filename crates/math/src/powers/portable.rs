//! The kernels in plain Rust.

use super::{LANES, LIMB, Limb, MASK};

pub(super) fn multiply(modulus: &[u64], inverse: u64, a: &[Limb], b: &[Limb], product: &mut [Limb]) {
    for lane in 0..LANES {
        for limb in product.iter_mut() {
            limb.0[lane] = 0;
        }
        for b in b {
            let mut carry = 0u128;
            let low = u128::from(product[0].0[lane]) + u128::from(a[0].0[lane]) * u128::from(b.0[lane]);
            let factor = u128::from((low as u64 & MASK).wrapping_mul(inverse) & MASK);
            for j in 0..modulus.len() {
                let sum = carry
                    + u128::from(product[j].0[lane])
                    + u128::from(a[j].0[lane]) * u128::from(b.0[lane])
                    + factor * u128::from(modulus[j]);
                if j > 0 {
                    product[j - 1].0[lane] = sum as u64 & MASK;
                }
                carry = sum >> LIMB;
            }
            product[modulus.len() - 1].0[lane] = carry as u64;
        }
    }
}

/// All ones if both are equal, else zero.
fn equal(a: u64, b: u64) -> u64 {
    let difference = a ^ b;
    ((difference | difference.wrapping_neg()) >> 63).wrapping_sub(1)
}

pub(super) fn select(table: &[Limb], digits: &[u64; LANES], chosen: &mut [Limb]) {
    chosen.fill(Limb::default());
    for (entry, index) in table.chunks_exact(chosen.len()).zip(0..) {
        let masks = digits.map(|digit| equal(digit, index));
        for (limb, candidate) in chosen.iter_mut().zip(entry) {
            for ((limb, candidate), mask) in limb.0.iter_mut().zip(candidate.0).zip(masks) {
                *limb |= candidate & mask;
            }
        }
    }
}

pub(super) fn select_shared(table: &[u64], digits: &[u64; LANES], chosen: &mut [Limb]) {
    chosen.fill(Limb::default());
    for (entry, index) in table.chunks_exact(chosen.len()).zip(0..) {
        let masks = digits.map(|digit| equal(digit, index));
        for (limb, candidate) in chosen.iter_mut().zip(entry) {
            for (limb, mask) in limb.0.iter_mut().zip(masks) {
                *limb |= candidate & mask;
            }
        }
    }
}
