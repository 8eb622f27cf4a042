//! The operations of arrays in both forms: in a traced program, and on elements that parties share.

use pyo3::prelude::*;
use tacit_ir::BinaryOp;
use tacit_nparty::dynamic::{AnyOperation, AnyPair, AnyValue, Numbers};
use tacit_nparty::protocol::order::Extreme;

use super::share::Share;
use crate::language::error::Traced;
use crate::language::reduce::Axes;
use crate::language::tracer::Tracer;
use crate::language::value::Value;

/// An operation on one array, element by element.
pub struct Unary {
    pub written: fn(&mut Tracer, &Value) -> Traced<Value>,
    pub shared: fn(Python<'_>, &Share) -> PyResult<Share>,
}

/// An operation on two arrays.
pub struct Binary {
    pub written: fn(&mut Tracer, &Value, &Value) -> Traced<Value>,
    /// Whether it compares; then a public operand takes the kind that it needs.
    pub compares: bool,
    pub shared: fn(Python<'_>, &Share, &Share) -> PyResult<Share>,
    /// The form with one public number in place of the other array, if that is cheaper.
    pub with_number: Option<WithNumber>,
}

type WithNumber = for<'a> fn(&'a AnyValue, Numbers) -> AnyOperation<'a>;

/// A reduction of all elements, or along axes.
pub struct Reduction {
    pub written: fn(&mut Tracer, &Value, Axes<'_>) -> Traced<Value>,
    /// The form on shared elements: of all elements, or along one axis.
    pub shared: SharedReduction,
}

type SharedReduction = fn(Python<'_>, &Share, Option<usize>) -> PyResult<Share>;

pub const NEG: Unary = Unary { written: Tracer::neg, shared: |py, x| x.negative(py) };
pub const INVERT: Unary = Unary { written: Tracer::invert, shared: |py, x| x.inverted(py) };
pub const SQRT: Unary = Unary { written: Tracer::sqrt, shared: |py, x| x.square_root(py) };
pub const FROM_BITS: Unary = Unary { written: Tracer::joined_bits, shared: |py, x| x.numbers_of_bits(py) };

pub const ADD: Binary = Binary {
    with_number: Some(|x, number| AnyOperation::Shift(x, number)),
    ..binary(Tracer::add, |py, x, y| x.add(py, y))
};
pub const SUB: Binary = binary(Tracer::sub, |py, x, y| x.sub(py, y));
pub const MUL: Binary = Binary {
    with_number: Some(|x, number| AnyOperation::Scale(x, number)),
    ..binary(Tracer::mul, |py, x, y| x.times(py, y))
};
pub const MATMUL: Binary = binary(Tracer::matmul, |py, x, y| x.matrix_product(py, y));
pub const AND: Binary = Binary {
    written: |t, x, y| t.bitwise(BinaryOp::And, x, y),
    shared: |py, x, y| x.bitwise(py, y, "&", |x| x.pair(py, y, AnyPair::Mul)),
    ..MUL
};
pub const OR: Binary =
    binary(|t, x, y| t.bitwise(BinaryOp::Or, x, y), |py, x, y| x.bitwise(py, y, "|", |x| x.or(py, y)));
pub const XOR: Binary = binary(
    |t, x, y| t.bitwise(BinaryOp::Xor, x, y),
    |py, x, y| x.bitwise(py, y, "^", |x| x.pair(py, y, AnyPair::Xor)),
);

pub const LESS: Binary = comparison(|t, x, y| t.compare(x, y, false), |py, x, y| x.compared(py, y, false));
pub const GREATER: Binary = comparison(|t, x, y| t.compare(y, x, false), |py, x, y| y.compared(py, x, false));
pub const EQUAL: Binary = comparison(|t, x, y| t.compare(x, y, true), |py, x, y| x.compared(py, y, true));
pub const NOT_LESS: Binary =
    comparison(|t, x, y| t.not_greater(y, x), |py, x, y| (LESS.shared)(py, x, y)?.inverted(py));
pub const NOT_GREATER: Binary =
    comparison(Tracer::not_greater, |py, x, y| (GREATER.shared)(py, x, y)?.inverted(py));
pub const NOT_EQUAL: Binary = comparison(
    |t, x, y| t.compare(x, y, true).and_then(|equal| t.invert(&equal)),
    |py, x, y| (EQUAL.shared)(py, x, y)?.inverted(py),
);

pub const SMALLER: Binary = binary(|t, x, y| t.picked(x, y, false), |py, x, y| x.picked(py, y, false));
pub const LARGER: Binary = binary(|t, x, y| t.picked(x, y, true), |py, x, y| x.picked(py, y, true));

pub const SUM: Reduction = Reduction { written: Tracer::sum, shared: |py, x, axis| x.total(py, axis) };
pub const PROD: Reduction = Reduction { written: Tracer::prod, shared: |py, x, axis| x.product(py, axis) };
pub const ANY: Reduction = Reduction { written: Tracer::any, shared: |py, x, axis| x.any(py, axis) };
pub const ALL: Reduction = Reduction { written: Tracer::all, shared: |py, x, axis| x.all(py, axis) };
pub const MIN: Reduction = Reduction {
    written: |t, x, axes| t.extremum(x, axes, false),
    shared: |py, x, axis| x.extremum(py, axis, Extreme::Least),
};
pub const MAX: Reduction = Reduction {
    written: |t, x, axes| t.extremum(x, axes, true),
    shared: |py, x, axis| x.extremum(py, axis, Extreme::Greatest),
};
pub const ARGMIN: Reduction = Reduction {
    written: |t, x, axes| t.arg_extremum(x, axes, false),
    shared: |py, x, axis| x.place_of_extremum(py, axis, Extreme::Least),
};
pub const ARGMAX: Reduction = Reduction {
    written: |t, x, axes| t.arg_extremum(x, axes, true),
    shared: |py, x, axis| x.place_of_extremum(py, axis, Extreme::Greatest),
};

const fn binary(
    written: fn(&mut Tracer, &Value, &Value) -> Traced<Value>,
    shared: fn(Python<'_>, &Share, &Share) -> PyResult<Share>,
) -> Binary {
    Binary { written, compares: false, shared, with_number: None }
}

const fn comparison(
    written: fn(&mut Tracer, &Value, &Value) -> Traced<Value>,
    shared: fn(Python<'_>, &Share, &Share) -> PyResult<Share>,
) -> Binary {
    Binary { compares: true, ..binary(written, shared) }
}
