use crate::circuit::Circuit;
use crate::lit::Lit;

impl Circuit {
    /// Whether each input bit is used.
    pub fn used_inputs(&self) -> Vec<bool> {
        let mut used = vec![false; self.input_bits() + 1];
        for lit in self.gates.iter().flatten().chain(self.outputs.iter().flatten()) {
            if let Some(used) = used.get_mut(lit.node() as usize) {
                *used = true;
            }
        }
        used.split_off(1)
    }

    /// Drops unused input bits: `keep` says for each bit whether it stays, and `inputs` are the widths of the
    /// remaining groups. Used bits always stay. Linear time.
    #[must_use]
    pub fn keep_inputs(mut self, keep: &[bool], inputs: Vec<u32>) -> Circuit {
        let used = self.used_inputs();
        let mut number = vec![0u32; self.first_gate()];
        let mut count = 0;
        for (bit, used) in used.iter().enumerate() {
            if *used || keep.get(bit).copied().unwrap_or(true) {
                count += 1;
                number[bit + 1] = count;
            }
        }
        let dropped = self.input_bits() as u32 - count;
        let renumber = |lit: &mut Lit| {
            let node = number.get(lit.node() as usize).copied().unwrap_or(lit.node().wrapping_sub(dropped));
            *lit = Lit::new(node, lit.is_inverted());
        };
        self.gates.iter_mut().flatten().for_each(renumber);
        self.outputs.iter_mut().flatten().for_each(renumber);
        Circuit { input_bits: count as usize, inputs, ..self }
    }
}

#[cfg(test)]
mod tests {
    use crate::{CircuitBuilder, Lit};

    #[test]
    fn unused_inputs_are_dropped_on_demand() {
        let mut builder = CircuitBuilder::new();
        let bits = builder.input(4);
        let both = builder.and(bits[3], !bits[1]);
        let circuit = builder.finish(vec![vec![!both, bits[1], Lit::TRUE]]).expect("a small circuit");
        assert_eq!(circuit.used_inputs(), [false, true, false, true]);
        let less = circuit.clone().keep_inputs(&[false, true, true, true], vec![1, 2]);
        assert_eq!(less.inputs(), [1, 2]);
        for value in 0..16u8 {
            let all: Vec<bool> = (0..4).map(|bit| value >> bit & 1 == 1).collect();
            assert_eq!(less.evaluate(&all[1..]), circuit.evaluate(&all));
        }
        assert_eq!(circuit.keep_inputs(&[false; 4], vec![2]).input_bits(), 2);
    }
}
