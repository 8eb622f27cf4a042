use tacit_circuit::Objective;
use tacit_ir::Domain;
use tacit_schedule::rules;

use crate::classes::Assigned;

/// Bounds and choices of lowering. Equal options and programs always give equal schedules.
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
    /// If the flattened operations of a template have more ANDs than this, they are cut into several
    /// circuits, each of a small part of this number. Optimising so large a circuit gains little within any
    /// realistic effort, and writing it takes long; pieces repeat if the program was a loop, and equal pieces
    /// are written once.
    pub flat_ands: u64,
    /// Long values are computed tile by tile, with about this many labels made and read at a time, where that
    /// pays off. By default no value is long enough.
    pub tile_labels: u64,
    /// Total work for making circuits smaller, in steps of [`tacit_circuit::optimise`] over all circuits of a
    /// program; 0 leaves them as they are written.
    pub effort: u64,
    /// How values are shared by default, if no pin and no operand decides. In a domain of words, values that
    /// take part in an operation on bits become bits of [`Options::bits`].
    pub domain: Domain,
    /// The domain of bits beside a domain of words.
    pub bits: Domain,
    /// Whether words shared by sum are compared directly, or as bits.
    pub direct_comparisons: bool,
    /// Whether words shared by sum are shifted to the right directly, or as bits.
    pub direct_shifts: bool,
    /// Whether sums of runs of products of words are inner products, which among three parties or more cost as much
    /// as one product.
    pub inner_products: bool,
    /// Whether the least of words shared by sum is found directly, where the words are known to be numbers with
    /// some bits to spare, or as bits. Only three parties do the former.
    pub direct_minima: bool,
    /// Whether, where each layer of a circuit is a round, the minimum of many values compares pairs of them lane by lane, in groups as large as the number of pairs allows:
    /// fewer layers and small circuits, for more ANDs.
    pub paired_minima: bool,
    /// Whether circuits take few ANDs or few layers of them.
    pub objective: Objective,
    /// The domains in which classes of operations work, unless an operand's domain decides.
    pub assigned: Assigned,
    /// A bit for each of the first 64 roles: whether the party that holds encrypted words speaks for it. That
    /// party computes with these inputs in the clear if they are pinned to encryption.
    pub holder_roles: u64,
}

impl Options {
    /// Labels of a tile where two parties garble (8 MiB).
    pub const TILE_LABELS: u64 = 1 << 19;
    /// The default effort: a second or less.
    pub const EFFORT: u64 = 1 << 22;

    /// The domain of bits by default: of parameters and results of templates.
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
            inner_products: false,
            direct_minima: false,
            paired_minima: false,
            objective: Objective::Size,
            assigned: Assigned::default(),
            holder_roles: 0,
        }
    }
}
