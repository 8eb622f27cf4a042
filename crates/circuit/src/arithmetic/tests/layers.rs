//! Exact layers and ANDs of circuits written for depth. Their results are tested with every family.

use super::super::*;
use super::build_for;
use crate::builder::CircuitBuilder;
use crate::objective::Objective;

/// Layers and ANDs.
fn layers(widths: &[u32], body: impl Fn(&mut CircuitBuilder, &[Vec<Lit>]) -> Vec<Vec<Lit>>) -> (u64, u64) {
    let stats = build_for(Objective::Depth, widths, body).stats();
    (stats.and_depth, stats.and_count)
}

#[test]
fn sums_and_comparisons_take_logarithmically_many_layers() {
    let add = |n| layers(&[n, n], |c, x| vec![add(c, &x[0], &x[1])]);
    assert_eq!([8, 16, 32, 64, 128].map(add), [(4, 19), (5, 55), (6, 139), (7, 325), (8, 725)]);
    let less = |n| layers(&[n, n], |c, x| vec![vec![less_unsigned(c, &x[0], &x[1])]]);
    assert_eq!([8, 16, 32, 64].map(less), [(4, 19), (5, 42), (6, 89), (7, 184)]);
    assert_eq!([7, 15, 18, 31, 63].map(less), [(3, 17), (4, 40), (5, 48), (5, 87), (6, 182)]);
    let less = |n| layers(&[n, n], |c, x| vec![vec![less_signed(c, &x[0], &x[1])]]);
    assert_eq!([8, 32].map(less), [(4, 19), (6, 89)]);
    let equal = |n| layers(&[n, n], |c, x| vec![vec![equal(c, &x[0], &x[1])]]);
    assert_eq!([8, 32, 33].map(equal), [(3, 7), (5, 31), (6, 32)]);
}

#[test]
fn products_and_quotients_take_few_layers() {
    let multiply = |n| layers(&[n, n], |c, x| vec![multiply(c, &x[0], &x[1])]);
    assert_eq!([8, 16, 32, 64].map(multiply), [(6, 61), (8, 199), (10, 677), (12, 2417)]);
    let divide = |n| layers(&[n, n], |c, x| vec![divide_unsigned(c, &x[0], &x[1]).0]);
    assert_eq!([8, 16, 32].map(divide), [(23, 346), (52, 1635), (117, 7363)]);
    let count = |n| layers(&[n], |c, x| vec![population_count(c, &x[0], 8)]);
    assert_eq!([32, 64, 128].map(count), [(6, 38), (7, 74), (8, 141)]);
}

#[test]
fn choices_take_doubly_logarithmically_many_layers() {
    let shift = |n: u32| layers(&[n, n.trailing_zeros()], |c, x| vec![shift_left(c, &x[0], &x[1])]);
    assert_eq!([8, 16, 32, 64, 128].map(shift), [(2, 33), (3, 81), (3, 226), (3, 710), (3, 2450)]);
    let lookup = |n: u32| {
        layers(&[n, n.trailing_zeros()], |c, x| {
            let entries: Vec<&[Lit]> = x[0].chunks(1).collect();
            vec![lookup(c, &entries, &x[1])]
        })
    };
    assert_eq!(
        [8, 16, 32, 64, 128, 256].map(lookup),
        [(2, 8), (3, 16), (3, 33), (3, 69), (3, 145), (4, 262)]
    );
    let decode = |n: u32| layers(&[n], |c, x| vec![decode(c, &x[0], 1 << n)]);
    assert_eq!([2, 4, 8].map(decode), [(1, 1), (2, 18), (3, 292)]);
}

#[test]
fn minima_compare_all_pairs_of_a_group_at_once() {
    let minimum = |(count, bits): (usize, u32)| {
        let width = count.next_power_of_two().trailing_zeros() as usize;
        layers(&vec![bits; count], |c, x| {
            let words: Vec<&[Lit]> = x.iter().map(|word| &word[..]).collect();
            <[_; 2]>::from(argument_of_minimum(c, &words, false, width)).to_vec()
        })
    };
    assert_eq!(
        [(2, 32), (4, 32), (10, 32), (32, 16), (64, 16), (512, 16)].map(minimum),
        [(7, 121), (9, 636), (11, 4365), (17, 3792), (18, 10_416), (27, 71_534)]
    );
}
