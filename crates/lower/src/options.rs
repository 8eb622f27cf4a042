/// Bounds and choices of lowering. Equal options and programs give equal schedules everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The most nodes that any one circuit may have.
    pub max_gates: usize,
    /// Values of at least this many lanes are computed lane by lane; smaller ones go into one circuit, where
    /// optimisation crosses operations and lanes.
    pub vector_lanes: u64,
    /// Calls and loops of at most this many ANDs are copied into the circuit around them.
    pub inline_ands: u64,
    /// The most ANDs that a template mapped over lanes may have to become one circuit.
    pub map_ands: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { max_gates: 1 << 27, vector_lanes: 16, inline_ands: 1 << 13, map_ands: 1 << 20 }
    }
}
