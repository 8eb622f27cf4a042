use tacit_circuit::{Circuit, CircuitBuilder, Executable, Lit};
use tacit_ir::{Program, Words};

use super::{Column, EvaluateError, Values, walk, write};
use crate::bundle::Bundle;
use crate::schedule::Schedule;
use crate::walk::{KernelTask, Wires};

/// A whole schedule as one circuit of at most `limit` nodes, with the same inputs and outputs as the circuit
/// that `lower::flatten` makes of the program. It is the circuit that runs, gate by gate, for comparison with
/// the program.
///
/// Errors: [`EvaluateError`]; random operations and arithmetic on words shared by sum have no circuit.
pub fn circuit_of(schedule: &Schedule, program: &Program, limit: usize) -> Result<Circuit, EvaluateError> {
    let mut bundles = schedule.bodies.iter().flat_map(|body| &body.bundles);
    if bundles.any(|bundle| bundle.rules().is_of_words()) {
        return Err(EvaluateError::Arithmetic);
    }
    let mut builder = CircuitBuilder::with_limit(limit);
    let mut inputs = Vec::new();
    for port in &program.inputs {
        let columns = port.shape.columns();
        let size = |bits: u32, lanes: u64| u64::from(bits).saturating_mul(lanes);
        let bits = columns.iter().fold(0, |sum: u64, one| sum.saturating_add(size(one.bits, one.lanes)));
        if bits > limit as u64 {
            return Err(EvaluateError::TooLarge { limit });
        }
        let mut lits = builder.input(bits as u32).into_iter();
        let mut take = |count: u64| lits.by_ref().take(count as usize).collect::<Vec<_>>();
        inputs.push(columns.iter().map(|column| take(size(column.bits, column.lanes))).collect());
    }
    let outputs = program.outputs.iter().map(|port| vec![Vec::new(); port.shape.columns().len()]).collect();
    let mut gates = Gates { builder, inputs, outputs };
    walk(schedule, &mut gates)?;
    let Gates { builder, outputs, .. } = gates;
    let groups = outputs.into_iter().map(|columns| columns.into_iter().flatten().collect()).collect();
    builder.finish(groups).map_err(|_| EvaluateError::TooLarge { limit })
}

/// Literals of a circuit that is being written.
struct Gates {
    builder: CircuitBuilder,
    /// By port and column, lane by lane.
    inputs: Vec<Vec<Vec<Lit>>>,
    outputs: Vec<Vec<Vec<Lit>>>,
}

impl Values for Gates {
    type Element = Lit;

    fn input(&mut self, column: &Column, _: (Bundle, bool), target: &mut [Lit]) -> Result<(), EvaluateError> {
        let columns = self.inputs.get(column.port as usize);
        let lits = columns.and_then(|columns| columns.get(column.column as usize));
        let (first, bits) = (column.start as usize * column.bits as usize, column.bits as usize);
        let lits = lits.and_then(|lits| lits.get(first..first + target.len()));
        let missing = EvaluateError::Input { port: column.port, column: column.column };
        let lits = lits.ok_or(missing)?;
        let wire = |bit: usize| lits[bit..].iter().step_by(bits);
        target.iter_mut().zip((0..bits).flat_map(wire)).for_each(|(element, lit)| *element = *lit);
        Ok(())
    }

    fn output(&mut self, column: &Column, _: Bundle, elements: &[Lit]) {
        let columns = self.outputs.get_mut(column.port as usize);
        if let Some(lits) = columns.and_then(|columns| columns.get_mut(column.column as usize)) {
            let lanes = column.lanes as usize;
            let lane = |lane: usize| elements[lane..].iter().step_by(lanes).copied();
            lits.truncate(column.start as usize * column.bits as usize);
            lits.extend((0..lanes).flat_map(lane));
        }
    }

    fn random(&mut self, _: Bundle, _: &mut [Lit]) -> Result<(), EvaluateError> {
        Err(EvaluateError::Random)
    }

    fn constant(&mut self, words: &Words, copies: u64, _: Bundle, target: &mut [Lit]) {
        write(words, copies, Lit::constant, target);
    }

    fn run(&mut self, circuit: &Executable, instances: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
        if self.builder.is_full() {
            return vec![vec![Lit::FALSE; circuit.outputs.len()]; instances.len()];
        }
        instances.iter().map(|inputs| circuit.write(&mut self.builder, inputs)).collect()
    }

    fn kernel(&mut self, _: KernelTask<'_, Wires<Lit>>) -> Result<Vec<Wires<Lit>>, EvaluateError> {
        Err(EvaluateError::Arithmetic)
    }
}
