//! Constants of the curve and of the encodings of RFC 9496, in limbs of 51 bits.

/// √-1, the root that is not negative.
pub(super) const SQRT_MINUS_ONE: [u64; 5] =
    [0x61b274a0ea0b0, 0x0d5a5fc8f189d, 0x7ef5e9cbd0c60, 0x78595a6804c9e, 0x2b8324804fc1d];

/// The curve's d.
pub(super) const D: [u64; 5] =
    [0x34dca135978a3, 0x1a8283b156ebd, 0x5e7a26001c029, 0x739c663a03cbb, 0x52036cee2b6ff];

/// 2·d.
pub(super) const TWICE_D: [u64; 5] =
    [0x69b9426b2f159, 0x35050762add7a, 0x3cf44c0038052, 0x6738cc7407977, 0x2406d9dc56dff];

/// 1 - d².
pub(super) const ONE_MINUS_D_SQUARED: [u64; 5] =
    [0x409c1945fc176, 0x719abc6a1fc4f, 0x1c37f90b20684, 0x06bccca55eedf, 0x029072a8b2b3e];

/// (d - 1)².
pub(super) const D_MINUS_ONE_SQUARED: [u64; 5] =
    [0x55aaa44ed4d20, 0x59603c3332635, 0x26d3baf4a7928, 0x120a66e6997a9, 0x5968b37af66c2];

/// √(-d - 1), the root of RFC 9496.
pub(super) const SQRT_AD_MINUS_ONE: [u64; 5] =
    [0x7f6a0497b2e1b, 0x1836f0a97afd2, 0x7d747f6be7638, 0x456079e7e6498, 0x376931bf2b834];

/// 1 / √(-1 - d), the root of RFC 9496.
pub(super) const INVSQRT_A_MINUS_D: [u64; 5] =
    [0x0fdaa805d40ea, 0x2eb482e57d339, 0x007610274bc58, 0x6510b613dc8ff, 0x786c8905cfaff];

/// The coordinates x, y and x·y of the base point.
pub(super) const BASE: [[u64; 5]; 3] = [
    [0x62d608f25d51a, 0x412a4b4f6592a, 0x75b7171a4b31d, 0x1ff60527118fe, 0x216936d3cd6e5],
    [0x6666666666658, 0x4cccccccccccc, 0x1999999999999, 0x3333333333333, 0x6666666666666],
    [0x68ab3a5b7dda3, 0x00eea2a5eadbb, 0x2af8df483c27e, 0x332b375274732, 0x67875f0fd78b7],
];
