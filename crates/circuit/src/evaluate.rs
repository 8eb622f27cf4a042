use crate::circuit::{Circuit, CircuitError, Node};
use crate::lit::Lit;

impl Circuit {
    /// Runs the circuit in the clear: the bits of all input groups in, those of all output groups out.
    ///
    /// Errors: [`CircuitError::InputCount`].
    pub fn evaluate(&self, inputs: &[bool]) -> Result<Vec<bool>, CircuitError> {
        let words: Vec<u64> = inputs.iter().map(|bit| u64::from(*bit)).collect();
        Ok(self.evaluate_lanes(&words)?.iter().map(|word| word & 1 == 1).collect())
    }

    /// Runs 64 instances side by side in the clear: bit `l` of word `i` is input bit `i` of instance `l`.
    ///
    /// Errors: [`CircuitError::InputCount`].
    pub fn evaluate_lanes(&self, inputs: &[u64]) -> Result<Vec<u64>, CircuitError> {
        if inputs.len() != self.input_bits {
            return Err(CircuitError::InputCount { expected: self.input_bits, given: inputs.len() });
        }
        let mut values = Vec::with_capacity(self.node_count());
        values.push(0);
        values.extend_from_slice(inputs);
        for (_, gate) in self.gates() {
            values.push(match gate {
                Node::And(a, b) => read(&values, a) & read(&values, b),
                Node::Xor(a, b) => read(&values, a) ^ read(&values, b),
                Node::Constant | Node::Input => 0,
            });
        }
        Ok(self.outputs.iter().flatten().map(|lit| read(&values, *lit)).collect())
    }
}

fn read(values: &[u64], lit: Lit) -> u64 {
    values[lit.node() as usize] ^ 0u64.wrapping_sub(u64::from(lit.is_inverted()))
}
