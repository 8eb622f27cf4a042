//! Constants of this crate that determine layouts: how messages and material of two parties are divided, ordered and numbered.
//!
//! Two builds in which one of them differs are incompatible, so both ends compare them in their greetings. The values
//! are those that the code uses. If a constant that matters is missing here, `tests/layout.rs` fails.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Version of the order of messages, tables, gate numbers and positions of randomness, as far as no constant below determines it. Every
/// change of a recorded trace increments it.
const ORDER: u64 = 2;

/// Name and value of each constant.
pub const LAYOUT: &[(&str, u64)] = &[
    ("ORDER", ORDER),
    ("gmw::conjunction::MAX_OPERANDS", crate::gmw::conjunction::MAX_OPERANDS as u64),
    ("garbling::SMALL_CIRCUIT", crate::garbling::SMALL_CIRCUIT as u64),
    ("garbling::SMALL_MESSAGE", crate::garbling::SMALL_MESSAGE as u64),
    ("half_gates::MOST_LANES", crate::half_gates::MOST_LANES as u64),
    (
        "correlations::encrypted::paillier::STATISTICAL_BITS",
        crate::correlations::encrypted::paillier::STATISTICAL_BITS as u64,
    ),
    (
        "correlations::encrypted::paillier::TOGETHER",
        crate::correlations::encrypted::paillier::TOGETHER as u64,
    ),
    ("correlations::encrypted::dgk::WINDOW", crate::correlations::encrypted::dgk::WINDOW as u64),
    (
        "correlations::lattice::residues::STATISTICAL_BITS",
        crate::correlations::lattice::residues::STATISTICAL_BITS as u64,
    ),
    ("correlations::lattice::tiles::GROUP", crate::correlations::lattice::tiles::GROUP as u64),
    ("correlations::lookup_tables::INDEX_BITS", crate::correlations::lookup_tables::INDEX_BITS as u64),
    ("correlations::lookup_tables::WINDOW", crate::correlations::lookup_tables::WINDOW as u64),
    ("correlations::bit_triples::WINDOW", crate::correlations::bit_triples::WINDOW as u64),
    ("correlations::bit_triples::FLIP", crate::correlations::bit_triples::FLIP as u64),
    ("correlations::gilboa::MOST_BITS", crate::correlations::gilboa::MOST_BITS as u64),
    ("correlations::da_bits::WINDOW", crate::correlations::da_bits::WINDOW as u64),
    ("correlations::ots::AHEAD", crate::correlations::ots::AHEAD as u64),
    ("compare::LESS_WINDOW", tacit_compare::LESS_WINDOW as u64),
    ("yao::inputs::WINDOW", crate::yao::inputs::WINDOW as u64),
    ("yao::opening::WINDOW", crate::yao::opening::WINDOW as u64),
    ("yao::sums::BATCH", crate::yao::sums::BATCH as u64),
    ("yao::prepared::encoding::GARBLER", crate::yao::prepared::encoding::GARBLER as u64),
    ("yao::prepared::encoding::EVALUATOR", crate::yao::prepared::encoding::EVALUATOR as u64),
    (
        "yao::prepared::encoding::EVALUATOR_THREE_HALVES",
        crate::yao::prepared::encoding::EVALUATOR_THREE_HALVES as u64,
    ),
    ("yao::prepared::encoding::HEAD", crate::yao::prepared::encoding::HEAD as u64),
];
