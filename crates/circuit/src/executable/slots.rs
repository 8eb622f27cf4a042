use super::gates::Gates;
use super::groups::Grouping;
use super::{Conjunction, Executable, Output, lane_chunk};
use crate::lit::Lit;

/// Allocates slots by liveness while layers arrive in order. The slot freed last is reused first, since it is
/// the most likely to be in cache.
pub(super) struct Emitter<'a, G> {
    circuit: &'a G,
    /// Remaining uses of each node.
    uses: Vec<u32>,
    slot: Vec<u32>,
    free: Vec<u32>,
    /// The grouping of the ANDs of a layer.
    grouping: Option<Grouping>,
    executable: Executable,
}

impl<'a, G: Gates> Emitter<'a, G> {
    pub(super) fn new(circuit: &'a G, grouping: Option<Grouping>) -> Self {
        let mut uses = vec![0u32; circuit.node_count()];
        let operands = circuit.gates().flat_map(|gate| circuit.operands(gate)).copied();
        operands.chain(circuit.outputs()).for_each(|lit| uses[lit.node() as usize] += 1);
        let inputs: Vec<u32> = (0..circuit.first_gate() as u32 - 1).collect();
        let mut slot = vec![0u32; circuit.node_count()];
        slot[1..=inputs.len()].copy_from_slice(&inputs);
        let free = inputs.iter().rev().copied().filter(|input| uses[*input as usize + 1] == 0).collect();
        let executable = Executable {
            slots: inputs.len() as u32,
            inputs,
            outputs: Vec::new(),
            and_count: 0,
            lane_chunk: 1,
            xor_a: Vec::new(),
            xor_b: Vec::new(),
            xor_out: Vec::new(),
            and_a: Vec::new(),
            and_b: Vec::new(),
            and_out: Vec::new(),
            and_flip: Vec::new(),
            conjunctions: Vec::new(),
            ends: Vec::new(),
        };
        Emitter { circuit, uses, slot, free, grouping, executable }
    }

    fn allot(&mut self, node: u32) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.executable.slots += 1;
            self.executable.slots - 1
        });
        self.slot[node as usize] = slot;
        slot
    }

    fn release(&mut self, lit: Lit) {
        let node = lit.node() as usize;
        self.uses[node] -= 1;
        if self.uses[node] == 0 {
            self.free.push(self.slot[node]);
        }
    }

    fn operand(&self, lit: Lit) -> u32 {
        self.slot[lit.node() as usize]
    }

    /// Takes one layer: gates by node number, XORs first in order, then independent ANDs.
    pub(super) fn layer(&mut self, gates: &[u32]) {
        let circuit = self.circuit;
        let (mut ands, mut wider) = (Vec::new(), Vec::new());
        for &node in gates {
            match circuit.operands(node as usize) {
                &[a, b] if circuit.is_and(node as usize) => ands.push((node, [a, b])),
                &[a, b] => self.xor(node, a, b),
                operands => wider.push((node, operands)),
            }
        }
        if let Some(grouping) = &mut self.grouping {
            grouping.group(&mut ands);
        }
        wider.sort_by_key(|(node, operands)| (operands.len(), *node));
        ands.iter().for_each(|(node, [a, b])| self.and(*node, *a, *b));
        wider.iter().for_each(|(node, operands)| self.conjunction(*node, operands));
        ands.iter().flat_map(|(_, operands)| operands).for_each(|operand| self.release(*operand));
        wider.iter().flat_map(|(_, operands)| *operands).for_each(|operand| self.release(*operand));
        let Executable { xor_a, and_a, conjunctions, ends, .. } = &mut self.executable;
        ends.push([xor_a.len(), and_a.len(), conjunctions.len()].map(|end| end as u32));
    }

    fn xor(&mut self, node: u32, a: Lit, b: Lit) {
        let (a_slot, b_slot) = (self.operand(a), self.operand(b));
        self.release(a);
        self.release(b);
        let out = self.allot(node);
        self.executable.xor_a.push(a_slot);
        self.executable.xor_b.push(b_slot);
        self.executable.xor_out.push(out);
    }

    fn and(&mut self, node: u32, a: Lit, b: Lit) {
        let out = self.allot(node);
        self.executable.and_a.push(self.operand(a));
        self.executable.and_b.push(self.operand(b));
        self.executable.and_out.push(out);
        self.executable.and_flip.push(u8::from(a.is_inverted()) | u8::from(b.is_inverted()) << 1);
    }

    fn conjunction(&mut self, node: u32, operands: &[Lit]) {
        let out = self.allot(node);
        let mut conjunction = Conjunction { operands: [0; 4], count: operands.len() as u8, flip: 0, out };
        for (i, operand) in operands.iter().enumerate() {
            conjunction.operands[i] = self.operand(*operand);
            conjunction.flip |= u8::from(operand.is_inverted()) << i;
        }
        self.executable.conjunctions.push(conjunction);
    }

    pub(super) fn finish(self) -> Executable {
        let place = |lit: Lit| match lit.as_constant() {
            Some(value) => Output::Constant(value),
            None => Output::Slot { slot: self.slot[lit.node() as usize], flip: lit.is_inverted() },
        };
        let outputs = self.circuit.outputs().map(place).collect();
        let executable = self.executable;
        Executable {
            outputs,
            and_count: (executable.and_a.len() + executable.conjunctions.len()) as u64,
            lane_chunk: lane_chunk(executable.slots),
            ..executable
        }
    }
}
