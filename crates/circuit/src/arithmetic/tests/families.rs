use super::super::*;
use super::{check, mask, signed};

const WIDTHS: [u32; 14] = [1, 2, 3, 4, 5, 6, 8, 15, 16, 31, 32, 33, 64, 128];

/// A word widened by zeros or by its sign.
fn widen(word: &[Lit], width: u32, signed: bool) -> Vec<Lit> {
    let fill = if signed { word[word.len() - 1] } else { Lit::FALSE };
    (0..width as usize).map(|bit| word.get(bit).copied().unwrap_or(fill)).collect()
}

#[test]
fn sums_and_differences() {
    for n in WIDTHS {
        let m = mask(n);
        check(&[n, n], |c, x| vec![add(c, &x[0], &x[1])], |v| vec![v[0].wrapping_add(v[1]) & m]);
        check(&[n, n], |c, x| vec![subtract(c, &x[0], &x[1])], |v| vec![v[0].wrapping_sub(v[1]) & m]);
        check(&[n], |c, x| vec![negate(c, &x[0])], |v| vec![v[0].wrapping_neg() & m]);
        check(&[n], |c, x| vec![absolute(c, &x[0])], |v| vec![signed(v[0], n).unsigned_abs() & m]);
    }
    check(&[5, 5, 1], |c, x| vec![add_with_carry(c, &x[0], &x[1], x[2][0])], |v| vec![v.iter().sum()]);
}

#[test]
fn sums_of_widened_words() {
    for sign in [false, true] {
        let value = move |v: u128| if sign { signed(v, 4) as u128 } else { v };
        let wide = |word: &[Lit]| widen(word, 9, sign);
        check(
            &[4, 4],
            |c, x| vec![add(c, &wide(&x[0]), &wide(&x[1]))],
            |v| vec![value(v[0]).wrapping_add(value(v[1])) & 511],
        );
        check(
            &[4, 4],
            |c, x| vec![subtract(c, &wide(&x[0]), &wide(&x[1]))],
            |v| vec![value(v[0]).wrapping_sub(value(v[1])) & 511],
        );
        check(
            &[4, 4],
            |c, x| vec![multiply(c, &wide(&x[0]), &wide(&x[1]))],
            |v| vec![value(v[0]).wrapping_mul(value(v[1])) & 511],
        );
        check(
            &[4, 9],
            |c, x| vec![multiply(c, &wide(&x[0]), &x[1])],
            |v| vec![value(v[0]).wrapping_mul(v[1]) & 511],
        );
    }
}

#[test]
fn comparisons() {
    for n in WIDTHS {
        check(&[n, n], |c, x| vec![vec![equal(c, &x[0], &x[1])]], |v| vec![u128::from(v[0] == v[1])]);
        check(&[n, n], |c, x| vec![vec![less_unsigned(c, &x[0], &x[1])]], |v| vec![u128::from(v[0] < v[1])]);
        check(
            &[n, n],
            |c, x| vec![vec![less_signed(c, &x[0], &x[1])]],
            |v| vec![u128::from(signed(v[0], n) < signed(v[1], n))],
        );
        for sign in [false, true] {
            let key = move |v: u128| if sign { signed(v, n) } else { v.wrapping_sub(1 << 127) as i128 };
            check(
                &[n, n],
                |c, x| vec![minimum(c, &x[0], &x[1], sign), maximum(c, &x[0], &x[1], sign)],
                |v| match key(v[0]) <= key(v[1]) {
                    true => vec![v[0], v[1]],
                    false => vec![v[1], v[0]],
                },
            );
        }
    }
    let wide = |word: &[Lit]| widen(word, 9, true);
    check(
        &[4, 6],
        |c, x| vec![vec![less_signed(c, &wide(&x[0]), &wide(&x[1]))]],
        |v| vec![u128::from(signed(v[0], 4) < signed(v[1], 6))],
    );
}

#[test]
fn comparisons_with_constants() {
    for k in 0..16 {
        let word = constant(k, 4);
        check(&[4], |c, x| vec![vec![less_unsigned(c, &x[0], &word)]], |v| vec![u128::from(v[0] < k)]);
        check(
            &[4],
            |c, x| vec![vec![less_signed(c, &word, &x[0])]],
            |v| vec![u128::from(signed(k, 4) < signed(v[0], 4))],
        );
        check(&[4], |c, x| vec![vec![equal(c, &word, &x[0])]], |v| vec![u128::from(v[0] == k)]);
    }
}

#[test]
fn products() {
    for n in WIDTHS {
        let m = mask(n);
        check(&[n, n], |c, x| vec![multiply(c, &x[0], &x[1])], |v| vec![v[0].wrapping_mul(v[1]) & m]);
        check(&[n], |c, x| vec![multiply(c, &x[0], &x[0])], |v| vec![v[0].wrapping_mul(v[0]) & m]);
    }
    // By Karatsuba's method.
    for (n, m) in [(28, 28), (29, 35), (50, 50), (58, 58), (63, 61), (40, 29), (64, 64)] {
        let wide = |word: &[Lit]| widen(word, n + m, false);
        check(
            &[n, m],
            |c, x| vec![multiply(c, &wide(&x[0]), &wide(&x[1]))],
            |v| vec![v[0].wrapping_mul(v[1])],
        );
    }
    for n in [51, 96, 101, 128] {
        let m = mask(n);
        check(&[n, n], |c, x| vec![multiply(c, &x[0], &x[1])], |v| vec![v[0].wrapping_mul(v[1]) & m]);
    }
    for k in 0..64 {
        check(&[6], |c, x| vec![multiply(c, &x[0], &constant(k, 6))], |v| vec![(v[0] * k) & 63]);
        check(
            &[3],
            |c, x| vec![multiply(c, &constant(k, 6), &widen(&x[0], 6, true))],
            |v| vec![(signed(v[0], 3) as u128).wrapping_mul(k) & 63],
        );
    }
    let pairs = |x: &[Vec<Lit>]| [0, 2, 4].map(|i| (x[i].clone(), widen(&x[i + 1], 7, true)));
    check(
        &[7, 4, 7, 4, 7, 4],
        |c, x| vec![inner_product(c, &pairs(x).each_ref().map(|(a, b)| (&a[..], &b[..])), 7)],
        |v| {
            vec![
                [0, 2, 4]
                    .iter()
                    .fold(0u128, |s, i| s.wrapping_add(v[*i].wrapping_mul(signed(v[i + 1], 4) as u128)))
                    & 127,
            ]
        },
    );
}

#[test]
fn quotients() {
    for n in WIDTHS {
        let m = mask(n);
        let unsigned =
            |v: &[u128]| vec![v[0].checked_div(v[1]).unwrap_or(m), v[0].checked_rem(v[1]).unwrap_or(v[0])];
        let by_sign = |v: &[u128]| {
            let (a, d) = (signed(v[0], n), signed(v[1], n));
            match d {
                0 => vec![m, v[0]],
                _ => vec![a.wrapping_div(d) as u128 & m, a.wrapping_rem(d) as u128 & m],
            }
        };
        check(&[n, n], |c, x| <[_; 2]>::from(divide_unsigned(c, &x[0], &x[1])).to_vec(), unsigned);
        check(&[n, n], |c, x| <[_; 2]>::from(divide_signed(c, &x[0], &x[1])).to_vec(), by_sign);
        for k in [0, 1, 2, 3, 5, 6, 7, 8, 10, 12, 100, m - 1, m, m >> 1, (m >> 1) + 1].map(|k| k & m) {
            let word = constant(k, n);
            check(
                &[n],
                |c, x| <[_; 2]>::from(divide_unsigned(c, &x[0], &word)).to_vec(),
                |v| unsigned(&[v[0], k]),
            );
            check(
                &[n],
                |c, x| <[_; 2]>::from(divide_signed(c, &x[0], &word)).to_vec(),
                |v| by_sign(&[v[0], k]),
            );
            check(
                &[n],
                |c, x| <[_; 2]>::from(divide_unsigned(c, &word, &x[0])).to_vec(),
                |v| unsigned(&[k, v[0]]),
            );
        }
    }
}

#[test]
fn quotients_of_widened_words() {
    for (a, d) in [(3, 5), (5, 3), (6, 6), (6, 1), (1, 6), (6, 2), (2, 6)] {
        check(
            &[a, d],
            |c, x| {
                <[_; 2]>::from(divide_unsigned(c, &widen(&x[0], 8, false), &widen(&x[1], 8, false))).to_vec()
            },
            |v| vec![v[0].checked_div(v[1]).unwrap_or(255), v[0].checked_rem(v[1]).unwrap_or(v[0])],
        );
        check(
            &[a, d],
            |c, x| <[_; 2]>::from(divide_signed(c, &widen(&x[0], 8, true), &widen(&x[1], 8, true))).to_vec(),
            |v| {
                let (p, q) = (signed(v[0], a), signed(v[1], d));
                [p.checked_div(q).unwrap_or(-1), p.checked_rem(q).unwrap_or(p)]
                    .map(|r| r as u128 & 255)
                    .to_vec()
            },
        );
    }
    // Known zeros below the divisor.
    let scaled = |word: &[Lit]| [vec![Lit::FALSE; 2], word.to_vec()].concat();
    check(
        &[6, 4],
        |c, x| <[_; 2]>::from(divide_unsigned(c, &x[0], &scaled(&x[1]))).to_vec(),
        |v| vec![v[0].checked_div(4 * v[1]).unwrap_or(63), v[0].checked_rem(4 * v[1]).unwrap_or(v[0])],
    );
}

#[test]
fn shifts() {
    for (n, k) in
        [(1, 1), (1, 3), (2, 3), (3, 2), (4, 2), (5, 4), (6, 6), (8, 3), (33, 7), (32, 5), (64, 64), (128, 9)]
    {
        let m = mask(n);
        let left =
            |v: &[u128]| vec![u32::try_from(v[1]).ok().and_then(|s| v[0].checked_shl(s)).unwrap_or(0) & m];
        let right =
            |v: &[u128]| vec![u32::try_from(v[1]).ok().and_then(|s| v[0].checked_shr(s)).unwrap_or(0)];
        let arithmetic = |v: &[u128]| vec![(signed(v[0], n) >> v[1].min(127)) as u128 & m];
        check(&[n, k], |c, x| vec![shift_left(c, &x[0], &x[1])], left);
        check(&[n, k], |c, x| vec![shift_right_unsigned(c, &x[0], &x[1])], right);
        check(&[n, k], |c, x| vec![shift_right_signed(c, &x[0], &x[1])], arithmetic);
    }
}

#[test]
fn selections() {
    for n in WIDTHS {
        check(&[1, n, n], |c, x| vec![select(c, x[0][0], &x[1], &x[2])], |v| vec![v[2 - v[0] as usize]]);
        check(
            &[1, n],
            |c, x| vec![negate_if(c, x[0][0], &x[1])],
            |v| vec![if v[0] == 1 { v[1].wrapping_neg() & mask(n) } else { v[1] }],
        );
        check(
            &[1, n, n],
            |c, x| <[_; 2]>::from(exchange(c, x[0][0], &x[1], &x[2])).to_vec(),
            |v| vec![v[1 + v[0] as usize], v[2 - v[0] as usize]],
        );
    }
}

#[test]
fn counts() {
    for n in 1..=11u32 {
        let width = 32 - n.leading_zeros();
        check(
            &[n],
            |c, x| vec![population_count(c, &x[0], width as usize)],
            |v| vec![v[0].count_ones().into()],
        );
        check(&[n], |c, x| vec![population_count(c, &x[0], 2)], |v| vec![u128::from(v[0].count_ones()) & 3]);
    }
    // The same bit many times over, complements, constants.
    check(
        &[3],
        |c, x| {
            let bits = [&x[0][..], &x[0], &[!x[0][0], Lit::TRUE, Lit::FALSE, Lit::TRUE, Lit::TRUE]].concat();
            vec![population_count(c, &bits, 5)]
        },
        |v| vec![u128::from(2 * v[0].count_ones()) + (1 - (v[0] & 1)) + 3],
    );
    check(&[3, 4, 2, 3], |c, x| vec![sum(c, &[&x[0], &x[1], &x[2], &x[3]], 6)], |v| vec![v.iter().sum()]);
}
