//! AND counts are part of the crate's promises: none may grow unnoticed.

use super::super::*;
use super::and_count;

#[test]
fn at_32_bits() {
    assert_eq!(and_count(&[32, 32], |c, x| vec![add(c, &x[0], &x[1])]), 31);
    assert_eq!(and_count(&[32, 32], |c, x| vec![subtract(c, &x[0], &x[1])]), 31);
    assert_eq!(and_count(&[32], |c, x| vec![negate(c, &x[0])]), 30);
    assert_eq!(and_count(&[32, 32], |c, x| vec![multiply(c, &x[0], &x[1])]), 559);
    assert_eq!(and_count(&[32, 32], |c, x| vec![vec![less_unsigned(c, &x[0], &x[1])]]), 32);
    assert_eq!(and_count(&[32, 32], |c, x| vec![vec![less_signed(c, &x[0], &x[1])]]), 32);
    assert_eq!(and_count(&[32, 32], |c, x| vec![vec![equal(c, &x[0], &x[1])]]), 31);
    assert_eq!(and_count(&[1, 32, 32], |c, x| vec![select(c, x[0][0], &x[1], &x[2])]), 32);
    assert_eq!(and_count(&[32, 5], |c, x| vec![shift_left(c, &x[0], &x[1])]), 160);
    assert_eq!(and_count(&[32, 32], |c, x| vec![divide_unsigned(c, &x[0], &x[1]).0]), 829);
    assert_eq!(and_count(&[32, 32], |c, x| vec![divide_unsigned(c, &x[0], &x[1]).1]), 892);
    assert_eq!(and_count(&[32, 32], |c, x| vec![divide_signed(c, &x[0], &x[1]).0]), 924);
    assert_eq!(and_count(&[32, 32], |c, x| vec![divide_signed(c, &x[0], &x[1]).1]), 985);
}

#[test]
fn products_by_form() {
    let widen =
        |word: &[Lit], fill: Lit| (0..64).map(|i| word.get(i).copied().unwrap_or(fill)).collect::<Vec<_>>();
    assert_eq!(and_count(&[64, 64], |c, x| vec![multiply(c, &x[0], &x[1])]), 2143);
    let unsigned = |word: &[Lit]| widen(word, Lit::FALSE);
    assert_eq!(and_count(&[32, 32], |c, x| vec![multiply(c, &unsigned(&x[0]), &unsigned(&x[1]))]), 1081);
    let long = |word: &[Lit]| [word, &vec![Lit::FALSE; word.len()]].concat();
    let full = |n| and_count(&[n, n], |c, x| vec![multiply(c, &long(&x[0]), &long(&x[1]))]);
    assert_eq!([64, 96, 128, 256].map(full), [3594, 7063, 11169, 33530]);
    let signed = |word: &[Lit]| widen(word, word[31]);
    assert_eq!(and_count(&[32, 32], |c, x| vec![multiply(c, &signed(&x[0]), &signed(&x[1]))]), 1086);
    assert_eq!(and_count(&[32], |c, x| vec![multiply(c, &x[0], &x[0])]), 254);
    assert_eq!(and_count(&[32], |c, x| vec![multiply(c, &x[0], &constant(255, 32))]), 30);
    assert_eq!(and_count(&[32], |c, x| vec![multiply(c, &x[0], &constant(1 << 9, 32))]), 0);
}

#[test]
fn of_divisions_by_constants() {
    let by = |k: u128| and_count(&[32], move |c, x| vec![divide_unsigned(c, &x[0], &constant(k, 32)).0]);
    assert_eq!([1, 2, 1 << 31].map(by), [0; 3]);
    assert_eq!([3, 10, 1000].map(by), [31, 58, 138]);
}

#[test]
fn of_vectors() {
    for (bits, ands) in [(160, 158), (320, 318), (800, 797), (1600, 1597)] {
        assert_eq!(and_count(&[bits], |c, x| vec![population_count(c, &x[0], 11)]), ands);
    }
    let bytes = |x: &[Lit]| x.chunks(8).map(<[Lit]>::to_vec).collect::<Vec<_>>();
    assert_eq!(
        and_count(&[6, 64 * 8], |c, x| {
            let table = bytes(&x[1]);
            vec![lookup(c, &table.iter().map(Vec::as_slice).collect::<Vec<_>>(), &x[0])]
        }),
        63 * 8
    );
    assert_eq!(and_count(&[6], |c, x| vec![decode(c, &x[0], 64)]), 61);
}
