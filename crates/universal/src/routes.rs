//! Programming of edge-universal graphs: the control bits of all blocks for two graphs of degree one.

use zeroize::Zeroizing;

use crate::level::Level;
use crate::settings::{Settings, Target};
use crate::split::{NONE, Split, leaves};

/// The control bits of all blocks, the same number for each.
pub(crate) struct BlockControls {
    bits: Zeroizing<Vec<u8>>,
    length: usize,
    of_block: usize,
}

impl BlockControls {
    fn new(blocks: usize, of_block: usize) -> Self {
        let bits = Zeroizing::new(vec![0; (blocks * of_block).div_ceil(8)]);
        BlockControls { bits, length: 0, of_block }
    }

    fn push(&mut self, controls: u32) {
        for bit in 0..self.of_block {
            self.bits[self.length / 8] |= ((controls >> bit & 1) as u8) << (self.length % 8);
            self.length += 1;
        }
    }

    /// A bit of a block.
    pub(crate) fn bit(&self, block: usize, bit: u8) -> bool {
        let at = block * self.of_block + bit as usize;
        self.bits[at / 8] >> (at % 8) & 1 == 1
    }
}

/// The controls of all blocks, from graphs of degree one, each given by the sink of each source.
pub(crate) fn route(
    levels: &[Level],
    settings: &Settings,
    mut graphs: Vec<Zeroizing<Vec<u32>>>,
) -> BlockControls {
    let total = levels.last().map_or(0, |level| level.block_number(level.graphs, 0));
    let of_block = levels.first().map_or(0, |level| level.construction.control_bits());
    let mut controls = BlockControls::new(total, of_block);
    for level in levels {
        let mut below = Vec::with_capacity(level.graphs * level.ways());
        for sinks in &graphs {
            let mut route = Route::new(level, sinks);
            (0..level.blocks()).for_each(|block| controls.push(route.controls(settings, block)));
            below.append(&mut route.below);
        }
        graphs = below;
    }
    controls
}

/// A graph whose edges between blocks have wires.
struct Route<'a> {
    level: &'a Level,
    sinks: &'a [u32],
    /// The source of each pole's edge from another block.
    sources: Zeroizing<Vec<u32>>,
    /// The wire of each source's edge to another block.
    wires: Zeroizing<Vec<Option<u8>>>,
    /// The graph below for each wire. Where poles lie between blocks, an edge between neighbouring blocks is a loop.
    below: Vec<Zeroizing<Vec<u32>>>,
}

impl<'a> Route<'a> {
    fn new(level: &'a Level, sinks: &'a [u32]) -> Self {
        let ways = level.ways();
        let (mut sources, wires) = (Zeroizing::new(vec![NONE; sinks.len()]), wires(level, sinks));
        let between = level.blocks() - usize::from(level.construction.is_joined());
        let mut below: Vec<_> = (0..ways).map(|_| Zeroizing::new(vec![NONE; between])).collect();
        for (source, sink) in sinks.iter().enumerate() {
            let Some(wire) = wires[source] else { continue };
            sources[*sink as usize] = source as u32;
            let to = *sink as usize / ways - usize::from(level.construction.is_joined());
            below[wire as usize][source / ways] = to as u32;
        }
        Route { level, sinks, sources, wires, below }
    }

    /// The control bits of a block and of the switches between it and the next one.
    fn controls(&self, settings: &Settings, block: usize) -> u32 {
        let construction = self.level.construction;
        let first = self.level.ways() * block;
        let poles = first..first + self.level.ways();
        let into = poles.clone().map(|pole| self.into(pole));
        let targets = poles.map(|pole| self.target(pole));
        let passed = |wire: usize| self.below[wire].get(block) == Some(&(block as u32));
        let joints = (0..self.level.ways())
            .filter(|wire| construction.is_joined() && passed(*wire))
            .fold(0, |bits, wire| bits | 1 << construction.joint_bit(wire));
        // Edges of one colour have no block in common, so a setting exists.
        let controls = settings.controls(into, targets);
        debug_assert!(controls.is_some(), "a block with more than one edge for a wire or pole");
        controls.unwrap_or_default() | joints
    }

    /// The wire on which a pole's value enters its block.
    fn into(&self, pole: usize) -> Option<usize> {
        self.wires.get(*self.sources.get(pole)? as usize).copied().flatten().map(usize::from)
    }

    fn target(&self, pole: usize) -> Option<Target> {
        let sink = *self.sinks.get(pole).filter(|sink| **sink != NONE && **sink != pole as u32)? as usize;
        Some(match self.wires[pole] {
            Some(wire) => Target::Wire(wire.into()),
            None => Target::Pole(sink % self.level.ways()),
        })
    }
}

/// The wire of each source's edge to another block. Edges that leave the same block have different wires, and so have edges that enter the same block.
fn wires(level: &Level, sinks: &[u32]) -> Zeroizing<Vec<Option<u8>>> {
    if level.blocks() == 2 {
        return wires_by_place(level, sinks);
    }
    let mut wires = Zeroizing::new(vec![None; sinks.len()]);
    let split = Split::new(sinks, level.ways());
    if level.ways() == 2 {
        wires.iter_mut().enumerate().for_each(|(source, wire)| *wire = split.out(source).map(u8::from));
        return wires;
    }
    // Each colour has at most one edge at each pair of poles, so at most two at each block, which are coloured once more.
    let halves = split.halves();
    let again = halves.each_ref().map(|half| Split::new(half, 2));
    for (source, wire) in wires.iter_mut().enumerate() {
        let right = split.out(source);
        *wire = right.and_then(|right| {
            let second = again[usize::from(right)].out(source / 2)?;
            Some(u8::from(right) + 2 * u8::from(second))
        });
    }
    wires
}

/// Wires for a graph of two blocks, one of which does not permute its wires: there, wires are given by poles.
fn wires_by_place(level: &Level, sinks: &[u32]) -> Zeroizing<Vec<Option<u8>>> {
    let ways = level.ways();
    let wire = |(source, sink): (usize, &u32)| {
        let pole = if level.second_orders() { source } else { *sink as usize };
        leaves(source, *sink, ways).then_some((pole % ways) as u8)
    };
    Zeroizing::new(sinks.iter().enumerate().map(wire).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::walk::Graphs;
    use crate::{Construction, Control, Size, Switches};

    /// Switches whose wires carry the number, from 1 on, of the pole that gave the value.
    struct Traced<'a>(&'a BlockControls);

    impl Switches for Traced<'_> {
        type Wire = u32;

        fn unused(&self) -> u32 {
            0
        }

        fn exchange(&mut self, control: Control, [left, right]: [u32; 2]) -> [u32; 2] {
            if self.bit(control) { [right, left] } else { [left, right] }
        }

        fn select(&mut self, control: Control, [left, right]: [u32; 2]) -> u32 {
            if self.bit(control) { right } else { left }
        }

        fn gate(&mut self, _: usize, _: [u32; 2]) -> u32 {
            0
        }
    }

    impl Traced<'_> {
        fn bit(&self, control: Control) -> bool {
            matches!(control, Control::Block(block, bit) if self.0.bit(block, bit))
        }
    }

    /// One graph on a number of poles, programmed repeatedly; the other of the two graphs has no edges.
    struct Network {
        levels: Vec<Level>,
        settings: Settings,
        poles: usize,
    }

    impl Network {
        fn new(size: Size, construction: Construction) -> Self {
            let poles = size.inputs() + size.gates() + size.outputs();
            Network {
                levels: Level::all(size, construction),
                settings: Settings::new(construction.block()),
                poles,
            }
        }

        /// Whether all sinks receive what their sources give.
        fn is_programmed(&self, sinks: &[u32]) -> bool {
            let graphs = [sinks.to_vec(), vec![NONE; sinks.len()]].map(Zeroizing::new);
            let controls = route(&self.levels, &self.settings, graphs.into());
            let mut switches = Traced(&controls);
            let mut graphs = Graphs::new(&self.levels, &mut switches);
            let pass = |pole: usize| {
                let taken = graphs.take(0, 0, pole);
                graphs.give(0, 0, pole, pole as u32 + 1);
                taken
            };
            let taken: Vec<_> = (0..self.poles).map(pass).collect();
            (1..).zip(sinks).all(|(given, sink)| *sink == NONE || taken[*sink as usize] == given)
        }
    }

    /// Calls `see` with every graph in which each pole has at most one edge in and one edge out, to a later pole. Their number is a Bell number.
    fn all_graphs(sinks: &mut Vec<u32>, poles: usize, see: &mut impl FnMut(&[u32])) {
        let source = sinks.len();
        if source == poles {
            return see(sinks);
        }
        for sink in (source as u32 + 1..poles as u32).chain([NONE]) {
            if sink == NONE || !sinks.contains(&sink) {
                sinks.push(sink);
                all_graphs(sinks, poles, see);
                sinks.pop();
            }
        }
    }

    #[test]
    fn all_graphs_of_up_to_nine_poles_are_programmed() {
        for construction in Construction::ALL {
            for poles in 1..=9 {
                let network = Network::new(Size::new(0, poles, 0).unwrap(), construction);
                let mut seen = 0;
                all_graphs(&mut Vec::new(), poles, &mut |sinks| {
                    seen += 1;
                    assert!(network.is_programmed(sinks), "{construction:?} {sinks:?}");
                });
                assert_eq!(seen, [1, 2, 5, 15, 52, 203, 877, 4140, 21147][poles - 1]);
            }
        }
    }

    /// Random edges from inputs and gates to gates and outputs, by what is drawn for each source.
    fn drawn_graph(size: Size, draws: &[u64]) -> Vec<u32> {
        let poles = size.inputs() + size.gates() + size.outputs();
        let mut open: Vec<u32> = (size.inputs() as u32..poles as u32).collect();
        let mut sinks = vec![NONE; poles];
        for source in (0..size.inputs() + size.gates()).rev() {
            let later = open.partition_point(|sink| *sink <= source as u32);
            let choices = open.len() - later;
            let draw =
                (draws[source % draws.len()].rotate_left(source as u32) % 8 * 131 + source as u64) as usize;
            if choices > 0 && !draw.is_multiple_of(8) {
                sinks[source] = open.remove(later + draw % choices);
            }
        }
        sinks
    }

    proptest! {
        #[test]
        fn graphs_of_any_size_are_programmed(
            inputs in 0..40usize, gates in 0..300usize, outputs in 0..40usize,
            draws in prop::collection::vec(any::<u64>(), 64), which in 0..3usize,
        ) {
            let size = Size::new(inputs, gates, outputs).unwrap();
            let network = Network::new(size, Construction::ALL[which]);
            prop_assert!(network.is_programmed(&drawn_graph(size, &draws)));
        }
    }

    /// Edges between neighbours, between blocks, and over the longest distances: patterns that fill all wires.
    #[test]
    fn full_graphs_of_each_distance_are_programmed() {
        for construction in Construction::ALL {
            for poles in [16usize, 17, 31, 64, 65, 81, 257] {
                let network = Network::new(Size::new(0, poles, 0).unwrap(), construction);
                for distance in 1..poles {
                    let sink = |source: usize| {
                        if source + distance < poles { (source + distance) as u32 } else { NONE }
                    };
                    let sinks: Vec<_> = (0..poles).map(sink).collect();
                    assert!(network.is_programmed(&sinks), "{construction:?} {poles} {distance}");
                }
            }
        }
    }
}
