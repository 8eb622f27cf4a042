//! The colouring that routes: graphs of degree two as two graphs of degree one.

use zeroize::Zeroizing;

/// No edge.
pub(crate) const NONE: u32 = u32::MAX;

/// A graph on blocks of two neighbouring poles, each pole of which has at most one edge in and one out.
///
/// Blocks are then vertices with at most two edges in and two out. Seen from sources to sinks, that is a bipartite graph of degree
/// two: paths and cycles of even length, whose edges are coloured in turn (König). Each colour is a graph on blocks of degree one.
pub(crate) struct Split {
    /// The source of each pole's edge from another block.
    pub(crate) sources: Zeroizing<Vec<u32>>,
    /// The colour of each source's edge to another block.
    colours: Zeroizing<Vec<Option<bool>>>,
}

impl Split {
    /// Colours a graph given by the sink of each source, or [`NONE`]. Linear time.
    pub(crate) fn new(sinks: &[u32]) -> Self {
        let mut sources = Zeroizing::new(vec![NONE; sinks.len()]);
        for (source, sink) in sinks.iter().enumerate().filter(|(source, sink)| leaves(*source, **sink)) {
            sources[*sink as usize] = source as u32;
        }
        let colours = Zeroizing::new(vec![None; sinks.len()]);
        let mut split = Split { sources, colours };
        match sinks.len() {
            // With two blocks the first block's poles go their own ways, so its exit needs no switch.
            0..=4 => split.colour_by_place(sinks),
            _ => split.colour_in_turn(sinks),
        }
        split
    }

    /// The colour of a source's edge to another block, true for right.
    pub(crate) fn out(&self, source: usize) -> Option<bool> {
        self.colours.get(source).copied().flatten()
    }

    /// The colour of the edge from another block to a sink.
    pub(crate) fn into(&self, sink: usize) -> Option<bool> {
        self.out(*self.sources.get(sink)? as usize)
    }

    /// Appends the graph of each colour, blocks being its poles.
    pub(crate) fn append(&self, sinks: &[u32], graphs: &mut Vec<u32>) {
        let blocks = sinks.len().div_ceil(2);
        let base = graphs.len();
        graphs.resize(base + 2 * blocks, NONE);
        for (source, sink) in sinks.iter().enumerate() {
            if let Some(right) = self.colours[source] {
                graphs[base + usize::from(right) * blocks + source / 2] = sink / 2;
            }
        }
    }

    fn colour_by_place(&mut self, sinks: &[u32]) {
        for (source, _) in sinks.iter().enumerate().filter(|(source, sink)| leaves(*source, **sink)) {
            self.colours[source] = Some(source % 2 == 1);
        }
    }

    fn colour_in_turn(&mut self, sinks: &[u32]) {
        for source in 0..sinks.len() {
            if self.is_open(sinks, source) {
                self.colour_path(sinks, source, false);
                self.colour_path(sinks, source ^ 1, true);
            }
        }
    }

    /// Colours a path from a source on: its edge, the other edge of its sink's block, the other edge of that one's source's block.
    fn colour_path(&mut self, sinks: &[u32], mut source: usize, colour: bool) {
        while self.is_open(sinks, source) {
            self.colours[source] = Some(colour);
            let beside = sinks[source] as usize ^ 1;
            let Some(other) = self.sources.get(beside).filter(|other| **other != NONE) else { return };
            let other = *other as usize;
            self.colours[other] = Some(!colour);
            source = other ^ 1;
        }
    }

    /// Whether a source has an edge to another block without a colour.
    fn is_open(&self, sinks: &[u32], source: usize) -> bool {
        sinks.get(source).is_some_and(|sink| leaves(source, *sink)) && self.colours[source].is_none()
    }
}

/// Whether there is an edge, to another block.
fn leaves(source: usize, sink: u32) -> bool {
    sink != NONE && sink as usize / 2 != source / 2
}
