use super::super::*;
use super::{check, signed};

fn slices(words: &[Vec<Lit>]) -> Vec<&[Lit]> {
    words.iter().map(Vec::as_slice).collect()
}

/// The definition of a lookup, applied to a list.
fn by_tree(table: &[u128], index: u128) -> u128 {
    let mut level = table.to_vec();
    let mut bit = 0;
    while level.len() > 1 {
        let chosen = (index >> bit & 1) as usize;
        level = level.chunks(2).map(|pair| pair[chosen.min(pair.len() - 1)]).collect();
        bit += 1;
    }
    level[0]
}

#[test]
fn lookups() {
    for (entries, index) in [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (6, 2), (7, 3), (5, 4)] {
        let widths = [vec![index], vec![2; entries]].concat();
        check(&widths, |c, x| vec![lookup(c, &slices(&x[1..]), &x[0])], |v| vec![by_tree(&v[1..], v[0])]);
    }
}

#[test]
fn updates() {
    for (entries, index) in [(1, 1), (1, 2), (2, 1), (3, 2), (4, 2), (5, 2), (5, 3), (5, 4), (9, 4)] {
        let widths = [vec![index, 2], vec![2; entries]].concat();
        check(
            &widths,
            |c, x| update(c, &slices(&x[2..]), &x[0], &x[1]),
            |v| (0..entries).map(|i| if v[0] == i as u128 { v[1] } else { v[2 + i] }).collect(),
        );
    }
}

#[test]
fn arguments_of_minima() {
    for count in (1..=9usize).chain([10, 11, 14, 17]) {
        let position = count.next_power_of_two().trailing_zeros().max(1) as usize;
        for sign in [false, true] {
            let widths = vec![2; count];
            check(
                &widths,
                |c, x| <[_; 2]>::from(argument_of_minimum(c, &slices(x), sign, position)).to_vec(),
                |v| {
                    let key = |i: &usize| if sign { signed(v[*i], 2) } else { v[*i] as i128 };
                    let best = (0..v.len()).min_by_key(key).unwrap_or(0);
                    vec![v[best], best as u128]
                },
            );
        }
    }
}

#[test]
fn sorts() {
    for count in 1..=12usize {
        for sign in [false, true] {
            let key = |v: u128| if sign { signed(v, 2) } else { v as i128 };
            let only_keys = vec![2; count];
            check(
                &only_keys,
                |c, x| sort(c, &slices(x), &[], sign).0,
                |v| {
                    let mut sorted = v.to_vec();
                    sorted.sort_by_key(|v| key(*v));
                    sorted
                },
            );
            let widths = [vec![2; count], vec![3; count]].concat();
            check(
                &widths,
                |c, x| {
                    let (keys, payloads) = sort(c, &slices(&x[..count]), &slices(&x[count..]), sign);
                    [keys, payloads].concat()
                },
                |v| {
                    let mut order: Vec<usize> = (0..count).collect();
                    order.sort_by_key(|i| key(v[*i]));
                    order.iter().map(|i| v[*i]).chain(order.iter().map(|i| v[count + i])).collect()
                },
            );
        }
    }
}

#[test]
fn wide_payloads_sort_stably() {
    // Enough items for the network with positions.
    let count = 20;
    let widths = [vec![1; count], vec![5; count]].concat();
    check(
        &widths,
        |c, x| sort(c, &slices(&x[..count]), &slices(&x[count..]), false).1,
        |v| {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|i| v[*i]);
            order.iter().map(|i| v[count + i]).collect()
        },
    );
}

#[test]
fn permutations() {
    for count in [1usize, 2, 3, 4, 7, 8, 30] {
        let width = count.next_power_of_two().trailing_zeros().max(1);
        // The order is the one that sorts random keys, made inside the circuit.
        let widths = [vec![4; count], vec![3; count]].concat();
        let positions: Vec<Vec<Lit>> = (0..count).map(|i| constant(i as u128, width)).collect();
        check(
            &widths,
            |c, x| {
                let order = sort(c, &slices(&x[..count]), &slices(&positions), false).1;
                permute(c, &slices(&x[count..]), &slices(&order))
            },
            |v| {
                let mut order: Vec<usize> = (0..count).collect();
                order.sort_by_key(|i| v[*i]);
                order.iter().map(|i| v[count + i]).collect()
            },
        );
    }
}

#[test]
fn scans() {
    check(
        &[4, 4, 4],
        |c, x| scan(c, &slices(x), add),
        |v| vec![v[0], (v[0] + v[1]) & 15, (v[0] + v[1] + v[2]) & 15],
    );
}
