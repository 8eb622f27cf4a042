//! Conversions from one domain to another.

mod arith_ring_to_bool;
mod arith_to_bool;
mod arith_to_yao;
mod bool_to_arith;
mod bool_to_arith_ring;

use tacit_math::field::Field;
use tacit_schedule::Bundle as Form;
use tacit_schedule::walk::KernelTask;

use crate::compiled::CompiledError;
use crate::compiled::memory::Bundle;

pub(super) use arith_ring_to_bool::ArithRingToBool;
pub(super) use arith_to_bool::ArithToBool;
pub(super) use arith_to_yao::{ArithRingToYao, ArithToYao};
pub(super) use bool_to_arith::BoolToArith;
pub(super) use bool_to_arith_ring::BoolToArithRing;

/// What a conversion reads, and the form of what it writes first.
fn ends<'t, F: Field>(
    task: &'t KernelTask<'_, Bundle<F>>,
) -> Result<(&'t Bundle<F>, &'t Form), CompiledError> {
    match (&task.operands[..], &task.outputs[..]) {
        ([source], [target, ..]) => Ok((source, target)),
        _ => Err(CompiledError::OtherSchedule),
    }
}
