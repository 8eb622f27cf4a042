//! Boolean functions of up to six variables as tables of 64 bits; bit `x` of a table is the value at `x`.

/// The most variables.
pub(crate) const VARIABLES: usize = 6;

/// The table of each variable.
pub(super) const VARIABLE: [u64; VARIABLES] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The coefficients of the algebraic normal form: bit `m` is that of the monomial of the variables in `m`.
/// The map is its own inverse.
pub(super) fn normal_form(mut table: u64) -> u64 {
    for (variable, ones) in VARIABLE.iter().enumerate() {
        table ^= table << (1 << variable) & ones;
    }
    table
}

/// The table with two variables exchanged.
pub(super) fn exchanged(table: u64, a: usize, b: usize) -> u64 {
    let (low, high) = (a.min(b), a.max(b));
    if low == high {
        return table;
    }
    let moved = VARIABLE[low] & !VARIABLE[high];
    let distance = (1 << high) - (1 << low);
    table & !(moved | moved << distance) | (table & moved) << distance | table >> distance & moved
}

/// Whether the function depends on a variable.
pub(super) fn depends(table: u64, variable: usize) -> bool {
    (table >> (1 << variable) ^ table) & !VARIABLE[variable] != 0
}

/// The function with a variable fixed to `value`, for either value of the variable.
pub(super) fn restricted(table: u64, variable: usize, value: bool) -> u64 {
    match value {
        true => table & VARIABLE[variable] | (table & VARIABLE[variable]) >> (1 << variable),
        false => table & !VARIABLE[variable] | (table & !VARIABLE[variable]) << (1 << variable),
    }
}

/// The table of `f(x)` after variable `into` of `x` is replaced by itself plus variable `from`.
pub(super) fn added(table: u64, from: usize, into: usize) -> u64 {
    let flipped =
        restricted(table, into, false) & VARIABLE[into] | restricted(table, into, true) & !VARIABLE[into];
    table & !VARIABLE[from] | flipped & VARIABLE[from]
}

/// The table of an affine function: bit `v` of `form` for variable `v`, bit 31 for the constant.
pub(super) fn affine(form: u32) -> u64 {
    let constant = 0u64.wrapping_sub(u64::from(form >> 31));
    (0..VARIABLES).filter(|v| form >> v & 1 == 1).fold(constant, |sum, v| sum ^ VARIABLE[v])
}

/// The monomials of degree at most one.
pub(super) const AFFINE_MONOMIALS: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16 | 1 << 32;

/// The monomials of each degree.
pub(super) const fn of_degree(degree: u32) -> u64 {
    let (mut all, mut monomial) = (0, 0u64);
    while monomial < 64 {
        all |= ((monomial.count_ones() == degree) as u64) << monomial;
        monomial += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [u64; 4] = [0x8000_0000_0000_0001, 0x1234_5678_9abc_def0, 0xe8e8_e8e8_e8e8_e8e8, u64::MAX];

    fn at(table: u64, x: usize) -> bool {
        table >> x & 1 == 1
    }

    #[test]
    fn tables_follow_their_functions() {
        for table in SAMPLES {
            assert_eq!(normal_form(normal_form(table)), table);
            for x in 0..64 {
                let sum =
                    (0..64).filter(|m| m & x == *m).fold(false, |sum, m| sum ^ at(normal_form(table), m));
                assert_eq!(sum, at(table, x));
                for (a, b) in [(0, 5), (3, 1), (2, 2), (4, 5)] {
                    let bits = (x >> a & 1, x >> b & 1);
                    let swapped = x & !(1 << a) & !(1 << b) | bits.0 << b | bits.1 << a;
                    assert_eq!(at(exchanged(table, a, b), x), at(table, swapped));
                    assert_eq!(at(restricted(table, a, true), x), at(table, x | 1 << a));
                    assert_eq!(at(restricted(table, a, false), x), at(table, x & !(1 << a)));
                    if a != b {
                        assert_eq!(at(added(table, a, b), x), at(table, x ^ bits.0 << b));
                    }
                }
            }
        }
    }
}
