use tacit_circuit::{Circuit, CircuitBuilder, Executable, Lit};
use tacit_ir::Program;

use super::{Elements, EvaluateError, Place, Values, Walk};
use crate::schedule::{ArithOp, Schedule};

/// A whole schedule as one circuit of at most `limit` nodes, with the inputs and outputs that [`crate::flatten`] gives
/// the program it was lowered from: what is run, gate by gate, to be compared with what was meant.
///
/// Errors: [`EvaluateError`]; what is random has no circuit, nor has arithmetic on words shared by sum.
pub fn circuit_of(schedule: &Schedule, program: &Program, limit: usize) -> Result<Circuit, EvaluateError> {
    schedule.validate()?;
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
    let mut walk = Walk { schedule, values: Gates { builder, inputs, outputs } };
    walk.body(&schedule.bodies[schedule.main], 1, &[])?;
    let Gates { builder, outputs, .. } = walk.values;
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
    type Bit = Lit;

    fn constant(&self, bit: bool) -> Lit {
        Lit::constant(bit)
    }

    fn input(&mut self, place: &Place) -> Result<Vec<Lit>, EvaluateError> {
        let missing = EvaluateError::Input { port: place.port, column: place.column };
        let columns = self.inputs.get(place.port as usize).ok_or(missing.clone())?;
        let lits = columns.get(place.column as usize).filter(|lits| lits.len() == place.bits * place.lanes);
        let lits = lits.ok_or(missing)?;
        let wire = |bit: usize| (0..place.lanes).map(move |lane| lits[lane * place.bits + bit]);
        Ok((0..place.bits).flat_map(wire).collect())
    }

    fn output(&mut self, place: &Place, elements: &[Lit]) {
        let column = self.outputs.get_mut(place.port as usize);
        if let Some(column) = column.and_then(|columns| columns.get_mut(place.column as usize)) {
            let lane = |lane: usize| (0..place.bits).map(move |bit| elements[bit * place.lanes + lane]);
            *column = (0..place.lanes).flat_map(lane).collect();
        }
    }

    fn random(&mut self, _: usize) -> Result<Vec<Lit>, EvaluateError> {
        Err(EvaluateError::Random)
    }

    fn arith(
        &mut self,
        _: &ArithOp,
        _: &[(Elements<Lit>, usize)],
        _: (usize, usize),
    ) -> Result<Vec<Lit>, EvaluateError> {
        Err(EvaluateError::Arithmetic)
    }

    fn run(&mut self, circuit: &Executable, instances: &[Vec<Lit>]) -> Vec<Vec<Lit>> {
        if self.builder.is_full() {
            return vec![vec![Lit::FALSE; circuit.outputs.len()]; instances.len()];
        }
        instances.iter().map(|inputs| circuit.write(&mut self.builder, inputs)).collect()
    }
}
