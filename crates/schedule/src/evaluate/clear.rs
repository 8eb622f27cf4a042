use std::collections::BTreeMap;

use tacit_circuit::Executable;
use tacit_ir::Words;

use super::{Column, EvaluateError, Values, walk, write};
use crate::bundle::Bundle;
use crate::domains::arith::widened;
use crate::kernel::ClearOperands;
use crate::schedule::{Action, Schedule};
use crate::walk::{KernelTask, Wires};

/// Runs a schedule in the clear, as engines do on labels and shares: for tests, and as the definition of what steps mean.
///
/// `inputs` and the result hold the columns of each port. `random` gives fresh random words. Outputs that no
/// step gives are empty.
///
/// Errors: [`EvaluateError`].
pub fn evaluate_clear(
    schedule: &Schedule,
    inputs: &[Vec<Words>],
    random: impl FnMut() -> u64,
) -> Result<Vec<Vec<Words>>, EvaluateError> {
    check_inputs(schedule, inputs)?;
    let mut values = Clear { inputs, random, outputs: Vec::new() };
    walk(schedule, &mut values)?;
    Ok(values.outputs)
}

/// Checks that the steps of `main` take every lane of each column that they use.
fn check_inputs(schedule: &Schedule, inputs: &[Vec<Words>]) -> Result<(), EvaluateError> {
    let Some(main) = schedule.bodies.get(schedule.main) else { return Ok(()) };
    let mut taken: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for step in &main.steps {
        if let Action::Input { port, column, target, .. } = &step.action {
            let lanes = main.bundles.get(target.index()).map_or(0, |bundle| bundle.lanes);
            *taken.entry((*port, *column)).or_default() += lanes;
        }
    }
    let given = |(port, column): (u32, u32)| inputs.get(port as usize)?.get(column as usize);
    let wrong = taken.into_iter().find(|(column, lanes)| given(*column).map(Words::lanes) != Some(*lanes));
    wrong.map_or(Ok(()), |((port, column), _)| Err(EvaluateError::Input { port, column }))
}

/// Bits in the clear; and words in the clear, modulo a power of two, where words are shared by sum.
struct Clear<'a, R> {
    inputs: &'a [Vec<Words>],
    random: R,
    outputs: Vec<Vec<Words>>,
}

impl<R> Clear<'_, R> {
    /// The words of lanes of an input column.
    fn column(&self, column: &Column) -> Result<Words, EvaluateError> {
        let words =
            self.inputs.get(column.port as usize).and_then(|columns| columns.get(column.column as usize));
        let end = column.start + column.lanes;
        let fits = |words: &&Words| words.bits() == column.bits && words.lanes() >= end;
        let missing = EvaluateError::Input { port: column.port, column: column.column };
        words.filter(fits).map(|words| words.range(column.start, column.lanes)).ok_or(missing)
    }
}

impl<R: FnMut() -> u64> Values for Clear<'_, R> {
    type Element = u128;

    fn input(
        &mut self,
        column: &Column,
        (bundle, signed): (Bundle, bool),
        target: &mut [u128],
    ) -> Result<(), EvaluateError> {
        let words = self.column(column)?;
        if bundle.rules().is_of_words() {
            for (lane, element) in (0..).zip(target) {
                *element = widened(words.low_u128(lane), column.bits, signed);
            }
        } else {
            write(&words, 1, u128::from, target);
        }
        Ok(())
    }

    fn output(&mut self, column: &Column, bundle: Bundle, elements: &[u128]) {
        let (port, number) = (column.port as usize, column.column as usize);
        self.outputs.resize_with(self.outputs.len().max(port + 1), Vec::new);
        let columns = &mut self.outputs[port];
        columns.resize_with(columns.len().max(number + 1), || Words::zero(1, 0));
        let mut words = Words::zero(column.bits, column.lanes);
        for lane in 0..column.lanes {
            for bit in 0..column.bits {
                let is_set = match bundle.rules().is_of_words() {
                    true => elements[lane as usize] >> bit & 1,
                    false => elements[(u64::from(bit) * column.lanes + lane) as usize],
                };
                words.set_bit(lane, bit, is_set == 1);
            }
        }
        columns[number] = match column.start {
            0 => words,
            // Columns are given in order of their lanes.
            _ => Words::concat(&[columns[number].clone(), words]).unwrap_or_else(|| Words::zero(1, 0)),
        };
    }

    fn random(&mut self, bundle: Bundle, target: &mut [u128]) -> Result<(), EvaluateError> {
        let bits = bundle.bits / bundle.wires();
        let mut draw = || (0..bits).fold(0, |word, _| word << 1 | u128::from((self.random)() & 1));
        target.iter_mut().for_each(|element| *element = draw());
        Ok(())
    }

    fn constant(&mut self, words: &Words, copies: u64, bundle: Bundle, target: &mut [u128]) {
        match bundle.rules().is_of_words() {
            true => {
                let lanes = (0..words.lanes()).map(|lane| words.low_u128(lane)).cycle();
                target.iter_mut().zip(lanes).for_each(|(element, word)| *element = word);
            }
            false => write(words, copies, u128::from, target),
        }
    }

    fn run(&mut self, circuit: &Executable, instances: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let pack = |bit: usize| {
            let lane = |(lane, bits): (usize, &Vec<u128>)| (bits[bit] as u64) << lane;
            instances.iter().enumerate().map(lane).fold(0, |word, bit| word | bit)
        };
        let words: Vec<u64> = (0..circuit.inputs.len()).map(pack).collect();
        // There are as many words as inputs, which is the only precondition.
        let results = circuit.evaluate_lanes(&words).unwrap_or_default();
        let lane = |lane: usize| results.iter().map(|word| u128::from(word >> lane & 1)).collect();
        (0..instances.len()).map(lane).collect()
    }

    fn kernel(&mut self, task: KernelTask<'_, Wires<u128>>) -> Result<Vec<Wires<u128>>, EvaluateError> {
        let elements: Vec<&[u128]> = task.operands.iter().map(|operand| &**operand).collect();
        let operands = ClearOperands { elements: &elements, copies: task.copies as usize };
        let given = task.kernel.rules().clear(operands, task.site());
        let write = |(mut target, given): (Wires<u128>, Vec<u128>)| {
            target.elements_mut().copy_from_slice(&given);
            target
        };
        Ok(task.targets.into_iter().zip(given).map(write).collect())
    }
}
