//! Operations that move or mix lanes against their definitions in big integers.

use num_bigint::{BigInt, BigUint};

use super::model::{LANES, for_widths, modulus, sample, scan, signed, unsigned, words};
use super::*;
use crate::{Index, ScanOp, index_bits, lookup_position};

#[test]
fn lanes_move() {
    for_widths(|bits, mut draw| {
        let a = sample(bits, LANES, &mut draw);
        let values = unsigned(&a);
        let indices = [
            (Index::List(vec![5, 5, 0, 23]), vec![5, 5, 0, 23]),
            (Index::Range { start: 3, step: 1, count: 4 }, vec![3, 4, 5, 6]),
            (Index::Range { start: 23, step: -11, count: 3 }, vec![23, 12, 1]),
            (Index::Repeat { each: 2, tiles: 3 }, (0..144).map(|lane| lane % 48 / 2).collect()),
        ];
        for (index, positions) in indices {
            let output = operations(std::slice::from_ref(&a), |body, p| {
                vec![body.gather(p[0], index.clone()).unwrap()]
            });
            let expected: Vec<_> =
                positions.into_iter().map(|position: usize| values[position].clone()).collect();
            assert_eq!(output[0], words(bits, &expected), "{index:?}");
        }
        let b = sample(bits, 5, &mut draw);
        let output =
            operations(&[a.clone(), b.clone()], |body, p| vec![body.join(&[p[1], p[0], p[1]]).unwrap()]);
        assert_eq!(unsigned(&output[0]), [unsigned(&b), values, unsigned(&b)].concat());
    });
}

#[test]
fn sums_and_scans_of_segments() {
    for_widths(|bits, mut draw| {
        let a = sample(bits, LANES, &mut draw);
        for length in [1, 3, LANES] {
            let outputs = operations(std::slice::from_ref(&a), |body, p| {
                let mut results = vec![body.segment_sum(p[0], length).unwrap()];
                results.extend(ScanOp::ALL.iter().map(|op| body.scan(*op, p[0], length).unwrap()));
                results
            });
            let values = unsigned(&a);
            let segments = || values.chunks(length as usize);
            let sums: Vec<_> =
                segments().map(|segment| segment.iter().sum::<BigUint>() % modulus(bits)).collect();
            assert_eq!(outputs[0], words(bits, &sums));
            for (op, output) in ScanOp::ALL.iter().zip(&outputs[1..]) {
                let expected: Vec<_> = segments()
                    .flat_map(|segment| {
                        (1..=segment.len()).map(|end| {
                            segment[..end].iter().cloned().reduce(|a, b| scan(*op, bits, &a, &b)).unwrap()
                        })
                    })
                    .collect();
                assert_eq!(*output, words(bits, &expected), "{op:?}");
            }
        }
    });
}

#[test]
fn matrices_multiply() {
    for_widths(|bits, mut draw| {
        let (batch, rows, inner, columns) = (2, 3, 4, 2);
        let left = sample(bits, batch * rows * inner, &mut draw);
        let right = sample(bits, batch * inner * columns, &mut draw);
        let output = operations(&[left.clone(), right.clone()], |body, p| {
            vec![body.matrix_product(p[0], p[1], batch, rows, inner, columns).unwrap()]
        });
        let (left, right) = (unsigned(&left), unsigned(&right));
        let mut expected = vec![];
        for b in 0..batch {
            for r in 0..rows {
                for c in 0..columns {
                    let term = |k| {
                        &left[((b * rows + r) * inner + k) as usize]
                            * &right[((b * inner + k) * columns + c) as usize]
                    };
                    expected.push((0..inner).map(term).sum::<BigUint>() % modulus(bits));
                }
            }
        }
        assert_eq!(output[0], words(bits, &expected));
    });
}

#[test]
fn minima_and_sorting() {
    for_widths(|bits, mut draw| {
        let keys = sample(bits, LANES, &mut draw);
        let payload = sample(9, LANES, &mut draw);
        for (length, by_sign) in [(1, false), (6, true), (LANES, false), (LANES, true)] {
            let outputs = operations(&[keys.clone(), payload.clone()], |body, p| {
                let (minimum, position) = body.arg_min(p[0], length, by_sign).unwrap();
                let mut results = vec![minimum, position];
                results.extend(body.sort(p[0], &[p[1], p[0]], length, by_sign).unwrap());
                results
            });
            let order =
                |value: &BigUint| if by_sign { signed(bits, value) } else { BigInt::from(value.clone()) };
            let (keys, payload) = (unsigned(&keys), unsigned(&payload));
            let mut sorted: Vec<usize> = (0..LANES as usize).collect();
            sorted
                .chunks_mut(length as usize)
                .for_each(|segment| segment.sort_by_key(|lane| order(&keys[*lane])));
            let firsts = || sorted.iter().copied().step_by(length as usize);
            assert_eq!(unsigned(&outputs[0]), firsts().map(|lane| keys[lane].clone()).collect::<Vec<_>>());
            let positions: Vec<_> = firsts().map(|lane| BigUint::from(lane % length as usize)).collect();
            assert_eq!(outputs[1], words(index_bits(length), &positions));
            let sorted_by =
                |values: &[BigUint]| sorted.iter().map(|lane| values[*lane].clone()).collect::<Vec<_>>();
            assert_eq!(unsigned(&outputs[2]), sorted_by(&keys));
            assert_eq!(unsigned(&outputs[3]), sorted_by(&payload));
            assert_eq!(outputs[4], outputs[2]);
        }
    });
}

#[test]
fn secret_positions() {
    for_widths(|bits, mut draw| {
        for entries in [1, 2, 5, 8, 24] {
            let table = sample(bits, entries, &mut draw);
            let values = unsigned(&table);
            for index_width in [1, 3, 5, 66] {
                let index = sample(index_width, 7, &mut draw);
                let output = operations(&[table.clone(), index.clone()], |body, p| {
                    vec![body.lookup(p[0], p[1]).unwrap()]
                });
                let found = |index: &BigUint| {
                    let low = index % BigUint::from(1u64 << 32);
                    values[lookup_position(entries, u64::try_from(low).unwrap()) as usize].clone()
                };
                assert_eq!(unsigned(&output[0]), unsigned(&index).iter().map(found).collect::<Vec<_>>());

                let (index, entry) = (sample(index_width, 1, &mut draw), sample(bits, 1, &mut draw));
                let output = operations(&[table.clone(), index.clone(), entry.clone()], |body, p| {
                    vec![body.update(p[0], p[1], p[2]).unwrap()]
                });
                let mut expected = values.clone();
                if let Ok(position @ 0..) = usize::try_from(&unsigned(&index)[0])
                    && let Some(old) = expected.get_mut(position)
                {
                    *old = unsigned(&entry)[0].clone();
                }
                assert_eq!(unsigned(&output[0]), expected);
            }
        }
        let value = sample(bits, 5, &mut draw);
        let order = Words::from_u128s(3, &[4, 2, 0, 1, 3]);
        let output = operations(&[value.clone(), order], |body, p| vec![body.permute(p[0], p[1]).unwrap()]);
        let values = unsigned(&value);
        assert_eq!(unsigned(&output[0]), [4, 2, 0, 1, 3].map(|lane: usize| values[lane].clone()));
    });
}
