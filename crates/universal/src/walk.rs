//! The one walk over a universal circuit, pole by pole, in which its switches come in topological order.

use zeroize::{Zeroize, Zeroizing};

use crate::Size;
use crate::level::{Entry, Exit, Level, Middle};
use crate::program::{ENTRY, EXIT, MIDDLE};

/// Where a switch takes its control bit from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// A bit of a block, counted over all graphs.
    Block(usize, u8),
    /// An output.
    Output(usize),
}

/// What is done with switches and gates, in the order of the walk ([`crate::UniversalCircuit::walk`]), which depends on the size alone.
pub trait Switches {
    /// What a wire carries; the walk wipes its own.
    type Wire: Copy + Zeroize;

    /// The wire that nothing reads.
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
    let graphs = levels.last().map_or(0, |level| 2 * level.graphs);
    let unused = || Zeroizing::new(vec![switches.unused(); graphs]);
    let (inside, outside) = (unused(), unused());
    Walk { size, levels, switches, inside, outside }.run(inputs)
}

/// Graphs are numbered as in a heap: the largest are 2 and 3, those below graph `g` are `2g` and `2g + 1`.
struct Walk<'a, S: Switches> {
    size: Size,
    levels: &'a [Level],
    switches: &'a mut S,
    /// For each graph, what the first pole of its current block gave.
    inside: Zeroizing<Vec<S::Wire>>,
    /// For each graph, what came into its current block for the second pole.
    outside: Zeroizing<Vec<S::Wire>>,
}

impl<S: Switches> Walk<'_, S> {
    fn run(mut self, inputs: &[S::Wire]) -> Vec<S::Wire> {
        let size = self.size;
        inputs.iter().enumerate().for_each(|(pole, wire)| self.give_both(pole, *wire));
        for (gate, pole) in (0..size.gates()).zip(size.inputs()..) {
            let operands = self.take_both(pole);
            let value = self.switches.gate(gate, operands);
            self.give_both(pole, value);
        }
        let first = size.inputs() + size.gates();
        (0..size.outputs())
            .map(|output| {
                let wires = self.take_both(first + output);
                self.switches.select(Control::Output(output), wires)
            })
            .collect()
    }

    fn take_both(&mut self, pole: usize) -> [S::Wire; 2] {
        match pole {
            0 => [self.switches.unused(); 2],
            _ => [2, 3].map(|graph| self.take(0, graph, pole)),
        }
    }

    fn give_both(&mut self, pole: usize, wire: S::Wire) {
        if !self.levels.is_empty() {
            [2, 3].into_iter().for_each(|graph| self.give(0, graph, pole, wire));
        }
    }

    /// What a pole of a graph receives. Poles take and give in their order.
    fn take(&mut self, depth: usize, graph: usize, pole: usize) -> S::Wire {
        let level = self.levels[depth];
        let block = pole / 2;
        match (pole.is_multiple_of(2), level.entry(block)) {
            (true, _) => self.enter(depth, graph, block)[0],
            (false, Entry::Second) => {
                self.enter(depth, graph, block);
                self.second(&level, graph, block)
            }
            (false, _) => self.second(&level, graph, block),
        }
    }

    /// Takes what comes into a block, and keeps what is for its second pole.
    fn enter(&mut self, depth: usize, graph: usize, block: usize) -> [S::Wire; 2] {
        let level = self.levels[depth];
        let entry = level.entry(block);
        if entry == Entry::Closed {
            return [self.switches.unused(); 2];
        }
        let [left, right] = [2 * graph, 2 * graph + 1].map(|below| self.take(depth + 1, below, block));
        let control = control(&level, graph, block, ENTRY);
        let wires = match entry {
            Entry::Second => [self.switches.select(control, [right, left]); 2],
            Entry::First => [self.switches.select(control, [left, right]); 2],
            _ => self.switches.exchange(control, [left, right]),
        };
        self.outside[graph] = wires[1];
        wires
    }

    fn second(&mut self, level: &Level, graph: usize, block: usize) -> S::Wire {
        let (outside, inside) = (self.outside[graph], self.inside[graph]);
        match level.middle(block) {
            Middle::Outside => outside,
            Middle::Inside => inside,
            Middle::Either => self.switches.select(control(level, graph, block, MIDDLE), [outside, inside]),
        }
    }

    /// Hands a pole's value to a graph.
    fn give(&mut self, depth: usize, graph: usize, pole: usize, wire: S::Wire) {
        let level = self.levels[depth];
        let (block, second) = (pole / 2, pole % 2 == 1);
        if !second {
            self.inside[graph] = wire;
        }
        let inside = self.inside[graph];
        let wires = match (level.exit(block), second) {
            (Exit::First, false) => [wire; 2],
            (Exit::Straight, true) => [inside, wire],
            (Exit::Both, true) => self.switches.exchange(control(&level, graph, block, EXIT), [inside, wire]),
            _ => return,
        };
        for (below, wire) in [2 * graph, 2 * graph + 1].into_iter().zip(wires) {
            self.give(depth + 1, below, block, wire);
        }
    }
}

fn control(level: &Level, graph: usize, block: usize, bit: u8) -> Control {
    Control::Block(level.first_block + (graph - level.graphs) * level.blocks() + block, bit)
}
