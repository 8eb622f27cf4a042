use tacit_circuit::Objective;
use tacit_ir::Domain;
use tacit_schedule::rules;

use crate::classes::Assigned;

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
    /// ANDs of one template's flattened operations beyond which these are cut into several circuits, each of a small part of that many. Making so large a
    /// circuit smaller gains little within any effort that is spent, and writing it takes long; pieces repeat where the program was a loop, and those
    /// that are equal are written once.
    pub flat_ands: u64,
    /// Labels of a value that are made and read at a time where values are so long that it pays: they are computed tile by tile. None are
    /// so long by default.
    pub tile_labels: u64,
    /// Work that making circuits smaller may take, in steps of [`tacit_circuit::optimise`], for all circuits of a program
    /// together; 0 leaves them as they are written.
    pub effort: u64,
    /// How values are shared that no pin and no operand decides. In a domain of words, those that take part in an operation on bits
    /// become bits of [`Options::bits`].
    pub domain: Domain,
    /// The domain of bits beside a domain of words.
    pub bits: Domain,
    /// Whether words shared by sum are compared as they are, or as bits.
    pub direct_comparisons: bool,
    /// Whether words shared by sum are shifted to the right as they are, or as bits.
    pub direct_shifts: bool,
    /// Whether circuits take few ANDs or few layers of them.
    pub objective: Objective,
    /// In which domains classes of operations work, where an operand's domain would not decide it.
    pub assigned: Assigned,
    /// Which of the first 64 roles the party speaks for that holds encrypted words, a bit each. It computes with their inputs as they are
    /// where these are pinned to encryption.
    pub holder_roles: u64,
}

impl Options {
    /// Labels of a tile where two parties garble (8 MiB).
    pub const TILE_LABELS: u64 = 1 << 19;
    /// The effort that is spent where nobody chooses another: a second or less.
    pub const EFFORT: u64 = 1 << 22;

    /// The domain of bits of what nothing decides: parameters and results of templates.
    pub(crate) fn home(&self) -> Domain {
        if rules(self.domain).circuits.is_some() { self.domain } else { self.bits }
    }
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_gates: 1 << 27,
            vector_lanes: 16,
            inline_ands: 1 << 13,
            map_ands: 1 << 20,
            flat_ands: 1 << 20,
            tile_labels: u64::MAX,
            effort: Self::EFFORT,
            domain: Domain::default(),
            bits: Domain::default(),
            direct_comparisons: false,
            direct_shifts: false,
            objective: Objective::Size,
            assigned: Assigned::default(),
            holder_roles: 0,
        }
    }
}
