//! Edge colouring for routing: splits a graph of degree two into two graphs of degree one.

use zeroize::Zeroizing;

/// No edge.
pub(crate) const NONE: u32 = u32::MAX;

/// A graph on poles, each of which has at most one edge in and one out, with neighbouring poles joined in pairs.
///
/// Pairs are then vertices with at most two edges in and two out. As a graph from sources to sinks, it is bipartite of degree two: it consists
/// of paths and of cycles of even length, whose edges are coloured alternately (König). Each colour is a graph of degree one on pairs.
pub(crate) struct Split<'a> {
    sinks: &'a [u32],
    /// Poles of a block; edges within a block have no colour.
    block: usize,
    /// The source of each pole's edge from another block.
    sources: Zeroizing<Vec<u32>>,
    /// The colour of each source's edge to another block.
    colours: Zeroizing<Vec<Option<bool>>>,
}

impl<'a> Split<'a> {
    /// Colours a graph given by the sink of each source, or [`NONE`]. Linear time.
    pub(crate) fn new(sinks: &'a [u32], block: usize) -> Self {
        let mut sources = Zeroizing::new(vec![NONE; sinks.len()]);
        let edges = sinks.iter().enumerate().filter(|(source, sink)| leaves(*source, **sink, block));
        edges.for_each(|(source, sink)| sources[*sink as usize] = source as u32);
        let colours = Zeroizing::new(vec![None; sinks.len()]);
        let mut split = Split { sinks, block, sources, colours };
        for source in 0..sinks.len() {
            if split.is_open(source) {
                split.colour_path(source, false);
                split.colour_path(source ^ 1, true);
            }
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

    /// The graph of each colour, left and right, with pairs as its poles.
    pub(crate) fn halves(&self) -> [Zeroizing<Vec<u32>>; 2] {
        let mut halves = [(); 2].map(|()| Zeroizing::new(vec![NONE; self.sinks.len().div_ceil(2)]));
        for (source, sink) in self.sinks.iter().enumerate() {
            if let Some(right) = self.colours[source] {
                halves[usize::from(right)][source / 2] = sink / 2;
            }
        }
        halves
    }

    /// Colours a path from a source on: its edge, then the other edge of the sink's pair, then the other edge of that edge's source pair, and so on.
    fn colour_path(&mut self, mut source: usize, colour: bool) {
        while self.is_open(source) {
            self.colours[source] = Some(colour);
            let beside = self.sinks[source] as usize ^ 1;
            let Some(other) = self.sources.get(beside).filter(|other| **other != NONE) else { return };
            let other = *other as usize;
            self.colours[other] = Some(!colour);
            source = other ^ 1;
        }
    }

    /// Whether a source has an edge to another block without a colour.
    fn is_open(&self, source: usize) -> bool {
        let sink = self.sinks.get(source);
        sink.is_some_and(|sink| leaves(source, *sink, self.block)) && self.colours[source].is_none()
    }
}

/// Whether there is an edge, to another block.
pub(crate) fn leaves(source: usize, sink: u32, block: usize) -> bool {
    sink != NONE && sink as usize / block != source / block
}
