//! From one domain to another.

mod arith_to_bool;
mod bool_to_arith;

pub(super) use arith_to_bool::ArithToBool;
pub(super) use bool_to_arith::BoolToArith;
