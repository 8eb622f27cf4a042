use super::{Executable, Output, groups, lane_chunk};
use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// Allots slots by liveness while layers arrive in order. The slot freed last is taken first, since it is the one
/// most surely in cache.
pub(super) struct Emitter<'a> {
    circuit: &'a Circuit,
    /// Uses of each node that are still to come.
    uses: Vec<u32>,
    slot: Vec<u32>,
    free: Vec<u32>,
    executable: Executable,
}

impl<'a> Emitter<'a> {
    pub(super) fn new(circuit: &'a Circuit) -> Self {
        let mut uses = vec![0u32; circuit.node_count()];
        let operands = circuit.gates.iter().flatten().chain(circuit.outputs.iter().flatten());
        operands.for_each(|lit| uses[lit.node() as usize] += 1);
        let inputs: Vec<u32> = (0..circuit.input_bits as u32).collect();
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
            ends: Vec::new(),
        };
        Emitter { circuit, uses, slot, free, executable }
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

    /// Takes one layer: gates by node number, XORs first in order, then independent ANDs, in groups if they are `grouped`.
    pub(super) fn layer(&mut self, gates: &[u32], grouped: bool) {
        let mut ands = Vec::new();
        for node in gates {
            match self.circuit.node(*node) {
                Node::Xor(a, b) => self.xor(*node, a, b),
                Node::And(a, b) => ands.push((*node, [a, b])),
                Node::Constant | Node::Input => {}
            }
        }
        if grouped {
            groups::group(&mut ands);
        }
        ands.iter().for_each(|(node, [a, b])| self.and(*node, *a, *b));
        ands.iter().flat_map(|(_, operands)| operands).for_each(|operand| self.release(*operand));
        self.executable.ends.push((self.executable.xor_a.len() as u32, self.executable.and_a.len() as u32));
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

    pub(super) fn finish(self) -> Executable {
        let place = |lit: &Lit| match lit.as_constant() {
            Some(value) => Output::Constant(value),
            None => Output::Slot { slot: self.slot[lit.node() as usize], flip: lit.is_inverted() },
        };
        let outputs = self.circuit.outputs.iter().flatten().map(place).collect();
        let executable = self.executable;
        Executable {
            outputs,
            and_count: executable.and_a.len() as u64,
            lane_chunk: lane_chunk(executable.slots),
            ..executable
        }
    }
}
