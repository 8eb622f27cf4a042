use super::gates::Gates;
use super::groups::Grouping;
use super::layering;
use super::rounds::Rounds;
use super::slots::Emitter;
use super::{Executable, Target};
use crate::circuit::Circuit;

impl Executable {
    /// Puts a circuit into executable form. Linear time; the same circuit and target always give the same form.
    pub fn new(circuit: &Circuit, target: Target) -> Executable {
        let window_ands = match target {
            Target::Flat => 2048,
            Target::Lanes => 16,
            Target::Rounds => return Executable::of_rounds(circuit, Rounds::new(circuit)),
        };
        let mut emitter = Emitter::new(circuit, None);
        layering::layers(circuit, window_ands, |layer| emitter.layer(layer));
        emitter.finish()
    }

    pub(super) fn of_rounds(gates: &impl Gates, rounds: Rounds) -> Executable {
        let mut emitter = Emitter::new(gates, Some(Grouping::new(gates.node_count())));
        rounds.emit(gates, |layer| emitter.layer(layer));
        emitter.finish()
    }
}
