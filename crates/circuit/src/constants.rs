//! The constants of this crate that determine layouts: both parties build, rewrite, layer and chunk circuits
//! by them in the same way.
//!
//! Two builds in which one of them differs do not understand each other, so both ends compare them in their greetings.
//! The values are those that the code uses; a constant that matters and is missing here fails `tests/layout.rs`.
#![allow(clippy::unnecessary_cast, reason = "all constants in one form")]

/// Name and value of each.
pub const LAYOUT: &[(&str, u64)] = &[
    ("executable::CHUNK_BYTES", crate::executable::CHUNK_BYTES as u64),
    ("executable::LABEL_BYTES", crate::executable::LABEL_BYTES as u64),
    ("executable::MAX_CHUNK", crate::executable::MAX_CHUNK as u64),
    ("executable::collapse::MAX_OPERANDS", crate::executable::collapse::MAX_OPERANDS as u64),
    ("executable::collapse::MAX_PRODUCTS", crate::executable::collapse::MAX_PRODUCTS as u64),
    ("executable::collapse::MAX_GATES", crate::executable::collapse::MAX_GATES as u64),
    ("executable::groups::MAX_GROUP", crate::executable::groups::MAX_GROUP as u64),
    ("executable::layering::LAYER_ANDS", crate::executable::layering::LAYER_ANDS as u64),
    ("executable::layering::GATES_PER_AND", crate::executable::layering::GATES_PER_AND as u64),
    ("executable::widen::MAX_NODES", crate::executable::widen::MAX_NODES as u64),
    ("executable::widen::PATIENCE", crate::executable::widen::PATIENCE as u64),
    ("arithmetic::long_product::KARATSUBA_BITS", crate::arithmetic::long_product::KARATSUBA_BITS as u64),
    ("arithmetic::long_product::TOOM_BITS", crate::arithmetic::long_product::TOOM_BITS as u64),
    ("arithmetic::multiply::SPLIT_BITS", crate::arithmetic::multiply::SPLIT_BITS as u64),
    ("arithmetic::view::RANGE_BITS", crate::arithmetic::view::RANGE_BITS as u64),
    ("arithmetic::truth_table::MAX_FAN_IN", crate::arithmetic::truth_table::MAX_FAN_IN as u64),
    ("arithmetic::shallow::divide::DIGIT_BITS", crate::arithmetic::shallow::divide::DIGIT_BITS as u64),
    ("arithmetic::shallow::minimum::GROUP", crate::arithmetic::shallow::minimum::GROUP as u64),
    ("arithmetic::shallow::minimum::LAST", crate::arithmetic::shallow::minimum::LAST as u64),
    ("arithmetic::shallow::minimum::PAIRS", crate::arithmetic::shallow::minimum::PAIRS as u64),
    ("builder::table::NEAR", crate::builder::table::NEAR as u64),
    ("optimise::LARGEST", crate::optimise::LARGEST as u64),
    ("optimise::REACHABLE_ABOVE", crate::optimise::REACHABLE_ABOVE as u64),
    ("optimise::ROUNDS", crate::optimise::ROUNDS as u64),
    ("optimise::sweep::FAILURES", crate::optimise::sweep::FAILURES as u64),
    ("optimise::reachable::LEAVES", crate::optimise::reachable::LEAVES as u64),
    ("optimise::reachable::CHOICES", crate::optimise::reachable::CHOICES as u64),
    ("optimise::function::VARIABLES", crate::optimise::function::VARIABLES as u64),
    ("optimise::patterns::EXHAUSTIVE_INPUTS", crate::optimise::patterns::EXHAUSTIVE_INPUTS as u64),
    ("optimise::patterns::MAX_WORDS", crate::optimise::patterns::MAX_WORDS as u64),
    ("optimise::patterns::SAMPLE_WORDS", crate::optimise::patterns::SAMPLE_WORDS as u64),
    ("optimise::window::WINDOW_LEAVES", crate::optimise::window::WINDOW_LEAVES as u64),
    ("optimise::window::WINDOW_GATES", crate::optimise::window::WINDOW_GATES as u64),
];
