//! The walk over a universal circuit, pole by pole, in which its switches come in topological order.

use zeroize::{Zeroize, Zeroizing};

use crate::Size;
use crate::level::Level;
use crate::plan::{Joint, Operation};

/// Where a switch takes its control bit from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A control bit of a block, or of a switch between it and the next one. Blocks are numbered over all graphs.
    Block(usize, u8),
    /// An output.
    Output(usize),
}

/// The operations of switches and gates, in the order of the walk ([`crate::UniversalCircuit::walk`]), which only depends on size and construction.
pub trait Switches {
    /// A wire's value. The walk wipes its copies.
    type Wire: Copy + Zeroize;

    /// The value of a wire that nothing reads.
    fn unused(&self) -> Self::Wire;

    /// An X switch: both wires, exchanged if the control bit is 1.
    fn exchange(&mut self, control: Control, wires: [Self::Wire; 2]) -> [Self::Wire; 2];

    /// A Y switch: the second wire if the control bit is 1.
    fn select(&mut self, control: Control, wires: [Self::Wire; 2]) -> Self::Wire;

    /// A universal gate.
    fn gate(&mut self, gate: usize, operands: [Self::Wire; 2]) -> Self::Wire;
}

/// Walks over the universal circuit of a size and returns its output wires. Memory is linear in the number of poles.
pub(crate) fn walk<S: Switches>(
    size: Size,
    levels: &[Level],
    switches: &mut S,
    inputs: &[S::Wire],
) -> Vec<S::Wire> {
    let mut graphs = Graphs::new(levels, switches);
    for (pole, wire) in inputs.iter().enumerate() {
        graphs.take_both(pole);
        graphs.give_both(pole, *wire);
    }
    for (gate, pole) in (0..size.gates()).zip(size.inputs()..) {
        let operands = graphs.take_both(pole);
        let value = graphs.switches.gate(gate, operands);
        graphs.give_both(pole, value);
    }
    let first = size.inputs() + size.gates();
    (0..size.outputs())
        .map(|output| {
            let wires = graphs.take_both(first + output);
            let unused = graphs.switches.unused();
            graphs.give_both(first + output, unused);
            graphs.switches.select(Control::Output(output), wires)
        })
        .collect()
}

/// All edge-universal graphs. In each level they are numbered so that, with `w` ways, those below graph `g` are `w g` to `w g + w - 1`.
/// In their order, each pole takes its value, then gives its own.
pub(crate) struct Graphs<'a, S: Switches> {
    levels: &'a [Level],
    pub(crate) switches: &'a mut S,
    /// For each graph, the wires of its current block.
    wires: Zeroizing<Vec<S::Wire>>,
}

impl<'a, S: Switches> Graphs<'a, S> {
    pub(crate) fn new(levels: &'a [Level], switches: &'a mut S) -> Self {
        let wires = levels.last().map_or(0, |level| level.first_wire + level.graphs * level.ways());
        let wires = Zeroizing::new(vec![switches.unused(); wires]);
        Graphs { levels, switches, wires }
    }

    fn take_both(&mut self, pole: usize) -> [S::Wire; 2] {
        [0, 1].map(|graph| self.take(0, graph, pole))
    }

    fn give_both(&mut self, pole: usize, wire: S::Wire) {
        [0, 1].into_iter().for_each(|graph| self.give(0, graph, pole, wire));
    }

    /// The value that a pole of a graph receives.
    pub(crate) fn take(&mut self, depth: usize, graph: usize, pole: usize) -> S::Wire {
        let Some(level) = self.levels.get(depth) else { return self.switches.unused() };
        let (block, place) = (pole / level.ways(), pole % level.ways());
        if place == 0 && !level.construction.is_joined() {
            for wire in 0..level.ways() {
                let value = self.take(depth + 1, level.ways() * graph + wire, block);
                self.wires[level.wire(graph, wire)] = value;
            }
        }
        self.operate(level, graph, block, place);
        match level.plan(block).receives(place) {
            true => self.wires[level.wire(graph, place)],
            false => self.switches.unused(),
        }
    }

    /// Gives a pole's value to a graph.
    pub(crate) fn give(&mut self, depth: usize, graph: usize, pole: usize, wire: S::Wire) {
        let Some(level) = self.levels.get(depth) else { return };
        let (block, place) = (pole / level.ways(), pole % level.ways());
        self.wires[level.wire(graph, place)] = wire;
        if place + 1 < level.poles_of(block) || block + 1 == level.blocks() {
            return;
        }
        self.operate(level, graph, block, place + 1);
        for wire in 0..level.ways() {
            self.leave((depth, level), graph, block, wire);
        }
    }

    /// Passes a wire that leaves a block to the graph below.
    fn leave(&mut self, (depth, level): (usize, &Level), graph: usize, block: usize, wire: usize) {
        let (below, at) = (level.ways() * graph + wire, level.wire(graph, wire));
        let before = self.wires[at];
        if !level.construction.is_joined() {
            return self.give(depth + 1, below, block, before);
        }
        let from_below = self.take(depth + 1, below, block);
        self.give(depth + 1, below, block, before);
        let control =
            Control::Block(level.block_number(graph, block), level.construction.joint_bit(wire) as u8);
        self.wires[at] = match level.joint(block) {
            Joint::Before => before,
            Joint::Below => from_below,
            Joint::Either => self.switches.select(control, [from_below, before]),
        };
    }

    /// Executes a block's operations before a pole, or after the last one.
    fn operate(&mut self, level: &Level, graph: usize, block: usize, place: usize) {
        let number = level.block_number(graph, block);
        let at = |wire: usize| level.wire(graph, wire);
        for operation in level.plan(block).before(place) {
            match *operation {
                Operation::Exchange([a, b], bit) => {
                    let wires = [a, b].map(|wire| self.wires[at(wire)]);
                    [self.wires[at(a)], self.wires[at(b)]] =
                        self.switches.exchange(Control::Block(number, bit), wires);
                }
                Operation::Select { from, to, bit } => {
                    let wires = [to, from].map(|wire| self.wires[at(wire)]);
                    self.wires[at(to)] = self.switches.select(Control::Block(number, bit), wires);
                }
                Operation::Copy { from, to } => self.wires[at(to)] = self.wires[at(from)],
            }
        }
    }
}
