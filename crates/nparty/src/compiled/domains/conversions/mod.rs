//! Conversions from one domain to another.

mod arith_ring_to_bool;
mod arith_to_bool;
mod arith_to_yao;
mod bool_to_arith;
mod bool_to_arith_ring;

pub(super) use arith_ring_to_bool::ArithRingToBool;
pub(super) use arith_to_bool::ArithToBool;
pub(super) use arith_to_yao::{ArithRingToYao, ArithToYao};
pub(super) use bool_to_arith::BoolToArith;
pub(super) use bool_to_arith_ring::BoolToArithRing;
