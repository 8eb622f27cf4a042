//! From one domain to another.

mod arith_to_bool;
mod bool_to_arith;
mod bool_to_ring;
mod ring_to_bool;

pub(super) use arith_to_bool::ArithToBool;
pub(super) use bool_to_arith::BoolToArith;
pub(super) use bool_to_ring::BoolToRing;
pub(super) use ring_to_bool::RingToBool;
