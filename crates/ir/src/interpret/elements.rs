//! Operations on vectors of field elements, through big integers.

use num_bigint::BigUint;

use super::vector::Layout;
use crate::field::from_limbs;
use crate::{BinaryOp, Field, UnaryOp};

fn elements(layout: Layout, vector: &[u64]) -> impl Iterator<Item = BigUint> {
    vector.chunks_exact(layout.limbs).map(from_limbs)
}

fn store(layout: Layout, out: &mut [u64], elements: impl Iterator<Item = BigUint>) {
    for (out, element) in out.chunks_exact_mut(layout.limbs).zip(elements) {
        let digits = element.iter_u64_digits().chain(std::iter::repeat(0));
        out.iter_mut().zip(digits).for_each(|(limb, digit)| *limb = digit);
    }
}

pub(super) fn unary(op: UnaryOp, field: &Field, layout: Layout, out: &mut [u64], a: &[u64]) {
    let apply = |a: BigUint| match op {
        UnaryOp::Invert => field.invert(&a),
        _ => field.neg(&a),
    };
    store(layout, out, elements(layout, a).map(apply));
}

pub(super) fn binary(op: BinaryOp, field: &Field, layout: Layout, out: &mut [u64], a: &[u64], b: &[u64]) {
    let apply = |(a, b): (BigUint, BigUint)| match op {
        BinaryOp::Mul => field.mul(&a, &b),
        BinaryOp::Sub => field.add(&a, &field.neg(&b)),
        _ => field.add(&a, &b),
    };
    store(layout, out, elements(layout, a).zip(elements(layout, b)).map(apply));
}

pub(super) fn segment_sum(field: &Field, layout: Layout, length: u64, out: &mut [u64], a: &[u64]) {
    let segments = a.chunks_exact(layout.limbs * length as usize);
    let sum =
        |segment| elements(layout, segment).fold(BigUint::ZERO, |sum, element| field.add(&sum, &element));
    store(layout, out, segments.map(sum));
}

pub(super) fn matrix_product(
    field: &Field,
    layout: Layout,
    [rows, inner, columns]: [usize; 3],
    out: &mut [u64],
    left: &[u64],
    right: &[u64],
) {
    let (left, right): (Vec<_>, Vec<_>) =
        (elements(layout, left).collect(), elements(layout, right).collect());
    let products =
        left.chunks_exact(rows * inner).zip(right.chunks_exact(inner * columns)).flat_map(|(left, right)| {
            (0..rows * columns).map(move |number| {
                let (row, column) = (number / columns, number % columns);
                (0..inner).fold(BigUint::ZERO, |sum, k| {
                    field.add(&sum, &field.mul(&left[row * inner + k], &right[k * columns + column]))
                })
            })
        });
    store(layout, out, products);
}

pub(super) fn random(field: &Field, layout: Layout, out: &mut [u64], draw: &mut dyn FnMut() -> u64) {
    store(layout, out, (0..layout.lanes).map(|_| field.random(draw)));
}
