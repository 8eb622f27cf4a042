//! The private program: which way each switch stands, and the gates' tables.

use zeroize::Zeroizing;

use crate::Size;
use crate::graph::{Gate, Graph, UNUSED};
use crate::level::Level;
use crate::split::{NONE, Split};

/// Bit of a block's controls: what comes in is exchanged.
pub(crate) const ENTRY: u8 = 0;
/// Bit of a block's controls: the second pole takes the first one's value.
pub(crate) const MIDDLE: u8 = 1;
/// Bit of a block's controls: what goes out is exchanged.
pub(crate) const EXIT: u8 = 2;

/// What turns a universal circuit into one circuit of its size. It is private, and wiped when dropped.
///
/// Programming branches on the private circuit; it is to be done by its owner alone.
pub struct Program {
    pub(crate) size: Size,
    /// Three bits for each block, level by level.
    pub(crate) blocks: Zeroizing<Vec<u8>>,
    pub(crate) tables: Zeroizing<Vec<u8>>,
    /// For each output, whether it is taken from the right graph.
    pub(crate) outputs: Zeroizing<Vec<bool>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program").field("size", &self.size).finish_non_exhaustive()
    }
}

impl Program {
    /// Programs the universal circuit of the graph's size. Time and memory are linear in the number of switches and poles.
    pub fn new(graph: &Graph) -> Self {
        let sinks = edges(graph);
        let split = Split::new(&sinks);
        let (tables, outputs) = (tables(graph, &split), outputs(graph.size, &split));
        let mut graphs = Zeroizing::new(Vec::with_capacity(sinks.len()));
        split.append(&sinks, &mut graphs);
        let blocks = route(&Level::all(graph.size), graphs);
        Program { size: graph.size, blocks, tables, outputs }
    }

    /// The size of the universal circuit.
    pub fn size(&self) -> Size {
        self.size
    }
}

/// The sink of each source, two sources and two sinks for each pole.
fn edges(graph: &Graph) -> Zeroizing<Vec<u32>> {
    let size = graph.size;
    let poles = size.inputs() + size.gates() + size.outputs();
    let mut sinks = Zeroizing::new(vec![NONE; 2 * poles]);
    let mut connect = |source: u32, sink: usize| {
        let first = 2 * source as usize;
        let slot = first + usize::from(sinks[first] != NONE);
        sinks[slot] = sink as u32;
    };
    for (gate, pole) in graph.gates.iter().zip(size.inputs()..) {
        let used = gate.operands.iter().zip(2 * pole..).filter(|(source, _)| **source != UNUSED);
        used.for_each(|(source, sink)| connect(*source, sink));
    }
    let first_output = size.inputs() + size.gates();
    graph.outputs.iter().zip(first_output..).for_each(|(source, pole)| connect(*source, 2 * pole));
    sinks
}

/// The gates' tables, for operands from the left and the right graph.
fn tables(graph: &Graph, split: &Split) -> Zeroizing<Vec<u8>> {
    let tables = graph.gates.iter().zip(graph.size.inputs()..).map(|(gate, pole)| {
        let crossed = split.into(2 * pole) == Some(true) || split.into(2 * pole + 1) == Some(false);
        if crossed { crossed_table(gate) } else { gate.table }
    });
    Zeroizing::new(tables.collect())
}

/// The table for operands in the other order.
fn crossed_table(gate: &Gate) -> u8 {
    gate.table & 0b1001 | gate.table >> 1 & 0b0010 | gate.table << 1 & 0b0100
}

fn outputs(size: Size, split: &Split) -> Zeroizing<Vec<bool>> {
    let first = size.inputs() + size.gates();
    Zeroizing::new((0..size.outputs()).map(|output| split.into(2 * (first + output)) == Some(true)).collect())
}

/// The controls of all blocks, from the two graphs of degree one.
fn route(levels: &[Level], mut graphs: Zeroizing<Vec<u32>>) -> Zeroizing<Vec<u8>> {
    let total = levels.last().map_or(0, |level| level.first_block + level.graphs * level.blocks());
    let mut blocks = Zeroizing::new(Vec::with_capacity(total));
    for level in levels {
        let mut below = Zeroizing::new(Vec::with_capacity(2 * level.graphs * level.blocks()));
        for sinks in graphs.chunks(level.poles) {
            let split = Split::new(sinks);
            split.append(sinks, &mut below);
            blocks.extend((0..level.blocks()).map(|block| controls(sinks, &split, block)));
        }
        graphs = below;
    }
    blocks
}

fn controls(sinks: &[u32], split: &Split, block: usize) -> u8 {
    let (first, second) = (2 * block, 2 * block + 1);
    let crossed =
        |first: Option<bool>, second: Option<bool>| first.or(second.map(|right| !right)).unwrap_or(false);
    let entry = crossed(split.into(first), split.into(second));
    let middle = sinks[first] == second as u32;
    let exit = crossed(split.out(first), split.out(second));
    u8::from(entry) << ENTRY | u8::from(middle) << MIDDLE | u8::from(exit) << EXIT
}
