//! The private program: the settings of all switches, and the gates' tables.

use zeroize::Zeroizing;

use crate::graph::{Gate, Graph, UNUSED};
use crate::level::Level;
use crate::routes::{BlockControls, route};
use crate::settings::Settings;
use crate::split::{NONE, Split};
use crate::{Construction, Size};

/// The settings that turn a universal circuit into one circuit of its size. They are private, and wiped when dropped.
///
/// Programming branches on the private circuit, so only its owner may do it.
pub struct Program {
    pub(crate) size: Size,
    pub(crate) construction: Construction,
    pub(crate) blocks: BlockControls,
    pub(crate) tables: Zeroizing<Vec<u8>>,
    /// For each output, whether it is taken from the right graph.
    pub(crate) outputs: Zeroizing<Vec<bool>>,
}

impl std::fmt::Debug for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Program")
            .field("size", &self.size)
            .field("construction", &self.construction)
            .finish_non_exhaustive()
    }
}

impl Program {
    /// Programs the universal circuit of the graph's size. Time and memory are linear in the number of switches and poles.
    pub fn new(graph: &Graph, construction: Construction) -> Self {
        let sinks = edges(graph);
        let split = Split::new(&sinks, 2);
        let (tables, outputs) = (tables(graph, &split), outputs(graph.size, &split));
        let settings = Settings::new(construction.block());
        let levels = Level::all(graph.size, construction);
        let blocks = route(&levels, &settings, split.halves().into());
        Program { size: graph.size, construction, blocks, tables, outputs }
    }

    /// The size of the universal circuit.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The construction of the universal circuit.
    pub fn construction(&self) -> Construction {
        self.construction
    }
}

/// The sink of each source. Each pole has two sources and two sinks.
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
fn tables(graph: &Graph, split: &Split<'_>) -> Zeroizing<Vec<u8>> {
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

fn outputs(size: Size, split: &Split<'_>) -> Zeroizing<Vec<bool>> {
    let first = size.inputs() + size.gates();
    Zeroizing::new((0..size.outputs()).map(|output| split.into(2 * (first + output)) == Some(true)).collect())
}
