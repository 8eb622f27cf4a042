//! Translation of circuits of XOR and AND gates into circuits of NAND gates.
//!
//! Polarities are chosen first, from the outputs backwards: a complement costs a gate, except that the complement of an AND is
//! free, and that an XOR gives its complement if one of its operands is complemented. Then gates are
//! written, each pair of operands once.
//!
//! Cost: 1 gate for a complemented AND, 2 for an AND, 4 for an XOR in the needed polarity, or 3 where all complements of its operands
//! exist, 3 for a choice and 1 for its selector's complement, 1 for a second polarity. Every output has a gate of its own.

use std::collections::HashMap;

use tacit_circuit::{Circuit, Lit, Node};

use crate::multiplexer::Multiplexer;

/// No wire yet.
const NONE: u32 = u32::MAX;

/// A circuit of NAND gates: wires are the inputs, then the gates.
pub(crate) struct Netlist {
    pub inputs: usize,
    pub gates: Vec<[u32; 2]>,
    /// Operands of the outputs' own gates.
    pub outputs: Vec<[u32; 2]>,
}

/// The NAND gates of a circuit with at least one input, without gates that no output needs.
pub(crate) fn translate(circuit: &Circuit) -> Netlist {
    let polarities = Polarities::choose(circuit);
    let mut writer = Writer::new(circuit);
    writer.inputs(&polarities);
    for (node, gate) in circuit.gates() {
        if polarities.needed[node as usize] != 0 {
            writer.gate(node, gate, &polarities);
        }
    }
    let outputs = circuit.outputs().iter().flatten().map(|lit| writer.output(*lit)).collect();
    Netlist { inputs: writer.inputs, gates: writer.gates, outputs }
}

/// The polarities in which nodes are needed.
struct Polarities {
    /// Bit 0 for the node, bit 1 for its complement.
    needed: Vec<u8>,
    /// Whether the first and the second operand of an XOR are complemented.
    operands: Vec<[bool; 2]>,
    /// XORs that are written as choices, and whether the choice gives the complement.
    choices: HashMap<u32, (Multiplexer, bool), foldhash::fast::FixedState>,
}

impl Polarities {
    fn choose(circuit: &Circuit) -> Polarities {
        let nodes = circuit.node_count();
        let mut chosen = Polarities {
            needed: vec![0; nodes],
            operands: vec![[false; 2]; nodes],
            choices: HashMap::default(),
        };
        circuit.outputs().iter().flatten().for_each(|lit| chosen.need(*lit));
        for index in (circuit.input_bits() + 1..circuit.node_count()).rev() {
            match circuit.node(index as u32) {
                _ if chosen.needed[index] == 0 => {}
                Node::And(a, b) => [a, b].into_iter().for_each(|lit| chosen.need(lit)),
                Node::Xor(a, b) => match chosen.choice(circuit, index, [a, b]) {
                    Some(choice) => {
                        choice.0.operands().into_iter().for_each(|lit| chosen.need(lit));
                        chosen.choices.insert(index as u32, choice);
                    }
                    None => chosen.operands_of_xor(circuit, index, [a, b]),
                },
                Node::Constant | Node::Input => {}
            }
        }
        chosen
    }

    fn need(&mut self, lit: Lit) {
        self.needed[lit.node() as usize] |= 1 << u8::from(lit.is_inverted());
    }

    fn operands_of_xor(&mut self, circuit: &Circuit, index: usize, operands: [Lit; 2]) {
        let all = [[false, false], [true, true], [false, true], [true, false]];
        let fits = |[a, b]: [bool; 2]| self.needed[index] >> u8::from(a ^ b) & 1 == 1;
        let cost = |flips: &[bool; 2]| -> u32 {
            operands.iter().zip(flips).map(|(lit, flip)| self.cost(circuit, lit.flip(*flip))).sum()
        };
        let best = all.into_iter().filter(|flips| fits(*flips)).min_by_key(cost).unwrap_or_default();
        self.operands[index] = best;
        operands.iter().zip(best).for_each(|(lit, flip)| self.need(lit.flip(flip)));
    }

    /// The cheapest reading of an XOR as a choice, if it takes fewer gates than the XOR and all the gates that only the XOR needs.
    fn choice(&self, circuit: &Circuit, index: usize, operands: [Lit; 2]) -> Option<(Multiplexer, bool)> {
        let unread = |node: u32| u32::from(self.needed[node as usize] == 0);
        let spared = |choice: &Multiplexer| 4 + unread(choice.product) * (1 + 4 * unread(choice.difference));
        let cost = |choice: &Multiplexer| -> u32 {
            3 + choice.operands().iter().map(|lit| self.cost(circuit, *lit)).sum::<u32>()
        };
        Multiplexer::readings(circuit, operands)
            .flat_map(|choice| [(choice, false), (choice.complemented(), true)])
            .filter(|(_, inverted)| self.needed[index] >> u8::from(*inverted) & 1 == 1)
            .filter(|(choice, _)| cost(choice) < spared(choice))
            .min_by_key(|(choice, _)| 9 + cost(choice) - spared(choice))
    }

    /// Number of gates that another reader of a literal costs.
    fn cost(&self, circuit: &Circuit, lit: Lit) -> u32 {
        let needed = self.needed[lit.node() as usize];
        if needed >> u8::from(lit.is_inverted()) & 1 == 1 {
            return 0;
        }
        u32::from(match circuit.node(lit.node()) {
            Node::And(..) => !lit.is_inverted(),
            Node::Xor(..) => needed != 0,
            Node::Constant | Node::Input => lit.is_inverted(),
        })
    }
}

struct Writer {
    inputs: usize,
    gates: Vec<[u32; 2]>,
    known: HashMap<[u32; 2], u32, foldhash::fast::FixedState>,
    /// The wires of each node and of its complement.
    wires: Vec<[u32; 2]>,
}

impl Writer {
    fn new(circuit: &Circuit) -> Writer {
        let wires = vec![[NONE; 2]; circuit.node_count()];
        Writer { inputs: circuit.input_bits(), gates: Vec::new(), known: HashMap::default(), wires }
    }

    fn nand(&mut self, a: u32, b: u32) -> u32 {
        let operands = [a.min(b), a.max(b)];
        let next = (self.inputs + self.gates.len()) as u32;
        let wire = *self.known.entry(operands).or_insert(next);
        if wire == next {
            self.gates.push(operands);
        }
        wire
    }

    fn not(&mut self, a: u32) -> u32 {
        self.nand(a, a)
    }

    fn wire(&self, lit: Lit) -> u32 {
        self.wires[lit.node() as usize][usize::from(lit.is_inverted())]
    }

    fn inputs(&mut self, polarities: &Polarities) {
        for input in 0..self.inputs {
            let complement = polarities.needed[input + 1] & 2 != 0;
            self.wires[input + 1] = [input as u32, if complement { self.not(input as u32) } else { NONE }];
        }
        if polarities.needed[0] != 0 {
            let complement = self.not(0);
            let one = self.nand(0, complement);
            self.wires[0] = [self.not(one), one];
        }
    }

    fn gate(&mut self, node: u32, gate: Node, polarities: &Polarities) {
        let (wire, inverted) = match gate {
            Node::And(a, b) => (self.nand(self.wire(a), self.wire(b)), true),
            Node::Xor(..) if polarities.choices.contains_key(&node) => {
                let (choice, inverted) = &polarities.choices[&node];
                (self.choice(choice), *inverted)
            }
            Node::Xor(a, b) => {
                let [flip_a, flip_b] = polarities.operands[node as usize];
                (self.xor(a.flip(flip_a), b.flip(flip_b)), flip_a ^ flip_b)
            }
            Node::Constant | Node::Input => return,
        };
        let other = polarities.needed[node as usize] >> u8::from(!inverted) & 1 == 1;
        let complement = if other { self.not(wire) } else { NONE };
        self.wires[node as usize] = if inverted { [complement, wire] } else { [wire, complement] };
    }

    fn choice(&mut self, choice: &Multiplexer) -> u32 {
        let [selector, unselected, one, zero] = choice.operands().map(|lit| self.wire(lit));
        let (left, right) = (self.nand(selector, one), self.nand(unselected, zero));
        self.nand(left, right)
    }

    fn xor(&mut self, a: Lit, b: Lit) -> u32 {
        let [a, not_a, b, not_b] = [a, !a, b, !b].map(|lit| self.wire(lit));
        let (left, right) = match not_a != NONE && not_b != NONE {
            true => (self.nand(a, not_b), self.nand(not_a, b)),
            false => {
                let both = self.nand(a, b);
                (self.nand(a, both), self.nand(both, b))
            }
        };
        self.nand(left, right)
    }

    /// The operands of an output's own gate: those of the gate that computes it, or the complement of an input.
    fn output(&mut self, lit: Lit) -> [u32; 2] {
        let wire = self.wire(lit);
        match (wire as usize).checked_sub(self.inputs) {
            Some(gate) => self.gates[gate],
            None => [self.not(wire); 2],
        }
    }
}
