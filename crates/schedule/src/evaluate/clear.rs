use tacit_circuit::Executable;
use tacit_ir::{Domain, Words};

use super::{Column, EvaluateError, Values, sums, walk, write};
use crate::arithmetic::widened;
use crate::bundle::Bundle;
use crate::schedule::Schedule;
use crate::walk::{Task, WalkError, Wires};

/// Runs a schedule in the clear, as engines do on labels and shares: for tests, and as the definition of what steps mean.
///
/// `inputs` and the result hold, port by port, the columns. `random` gives fresh random words. Outputs no step gives
/// are empty.
///
/// Errors: [`EvaluateError`].
pub fn evaluate_clear(
    schedule: &Schedule,
    inputs: &[Vec<Words>],
    random: impl FnMut() -> u64,
) -> Result<Vec<Vec<Words>>, EvaluateError> {
    let mut values = Clear { inputs, random, outputs: Vec::new() };
    walk(schedule, &mut values)?;
    Ok(values.outputs)
}

/// Plain bits; and plain words, modulo a power of two, where words are shared by sum.
struct Clear<'a, R> {
    inputs: &'a [Vec<Words>],
    random: R,
    outputs: Vec<Vec<Words>>,
}

impl<R> Clear<'_, R> {
    /// The words of an input column.
    fn column(&self, column: &Column) -> Result<&Words, EvaluateError> {
        let words =
            self.inputs.get(column.port as usize).and_then(|columns| columns.get(column.column as usize));
        let fits = |words: &&Words| words.bits() == column.bits && words.lanes() == column.lanes;
        let missing = EvaluateError::Input { port: column.port, column: column.column };
        words.filter(fits).ok_or(missing)
    }
}

impl<R: FnMut() -> u64> Values for Clear<'_, R> {
    type Element = u128;

    fn input(&mut self, column: &Column, target: &mut [u128]) -> Result<(), EvaluateError> {
        write(self.column(column)?, 1, u128::from, target);
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
                let is_set = match bundle.domain {
                    Domain::Arith => elements[lane as usize] >> bit & 1,
                    _ => elements[(u64::from(bit) * column.lanes + lane) as usize],
                };
                words.set_bit(lane, bit, is_set == 1);
            }
        }
        columns[number] = words;
    }

    fn random(&mut self, bundle: Bundle, target: &mut [u128]) -> Result<(), EvaluateError> {
        let bits = bundle.bits / bundle.wires();
        let mut draw = || (0..bits).fold(0, |word, _| word << 1 | u128::from((self.random)() & 1));
        target.iter_mut().for_each(|element| *element = draw());
        Ok(())
    }

    fn constant(&mut self, words: &Words, copies: u64, bundle: Bundle, target: &mut [u128]) {
        match bundle.domain {
            Domain::Arith => {
                let lanes = (0..words.lanes()).map(|lane| words.low_u128(lane)).cycle();
                target.iter_mut().zip(lanes).for_each(|(element, word)| *element = word);
            }
            _ => write(words, copies, u128::from, target),
        }
    }

    fn run(&mut self, circuit: &Executable, instances: &[Vec<u128>]) -> Vec<Vec<u128>> {
        let pack = |bit: usize| {
            let lane = |(lane, bits): (usize, &Vec<u128>)| (bits[bit] as u64) << lane;
            instances.iter().enumerate().map(lane).fold(0, |word, bit| word | bit)
        };
        let words: Vec<u64> = (0..circuit.inputs.len()).map(pack).collect();
        // There are as many words as inputs, which is all that it asks for.
        let results = circuit.evaluate_lanes(&words).unwrap_or_default();
        let lane = |lane: usize| results.iter().map(|word| u128::from(word >> lane & 1)).collect();
        (0..instances.len()).map(lane).collect()
    }

    fn sums(&mut self, task: Task<'_, Wires<u128>>) -> Result<Vec<Wires<u128>>, EvaluateError> {
        match task {
            Task::Share { port, column, bits, signed, bundle, mut target } => {
                let column = Column { port, column, bits, lanes: bundle.lanes };
                let words = self.column(&column)?;
                for (lane, element) in (0..).zip(target.elements_mut()) {
                    *element = widened(words.low_u128(lane), bits, signed);
                }
                Ok(vec![target])
            }
            Task::Convert { source, from, signed, mut target, .. } => {
                let words = sums::words(&source, from.bits);
                for (element, word) in target.elements_mut().iter_mut().zip(words) {
                    *element = widened(word, from.bits, signed);
                }
                Ok(vec![target])
            }
            Task::Addends { source, to, targets: [mut first, mut second] } => {
                sums::write_bits(&source, to.bits, first.elements_mut());
                second.elements_mut().fill(0);
                Ok(vec![first, second])
            }
            Task::Sum(mut task) => {
                let bits = task.target.len() / task.source.len().max(1);
                sums::write_bits(&task.source, bits as u32, task.target.elements_mut());
                Ok(vec![task.target])
            }
            Task::Arith { op, bits, copies, operands, mut target } => {
                let operands: Vec<&[u128]> = operands.iter().map(|operand| &**operand).collect();
                let result = op.clear(&operands, bits, copies as usize);
                target.elements_mut().copy_from_slice(&result);
                Ok(vec![target])
            }
            // What works on bits alone is done elsewhere.
            Task::Input { .. }
            | Task::Output { .. }
            | Task::Random { .. }
            | Task::Constant { .. }
            | Task::Circuit(_) => Err(WalkError::Domain.into()),
        }
    }
}
