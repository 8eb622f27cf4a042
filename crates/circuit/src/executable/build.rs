use super::gates::Gates;
use super::layering;
use super::slots::Emitter;
use super::{Executable, Target};
use crate::circuit::Circuit;

impl Executable {
    /// Puts a circuit into executable form. Linear time; the same circuit and target always give the same form.
    pub fn new(circuit: &Circuit, target: Target) -> Executable {
        Executable::of_gates(circuit, target)
    }

    pub(super) fn of_gates(gates: &impl Gates, target: Target) -> Executable {
        let mut emitter = Emitter::new(gates);
        layering::layers(gates, target, |layer| emitter.layer(layer, target == Target::Rounds));
        emitter.finish()
    }
}
