//! What decides how material is laid out, and is counted beforehand.

/// Most bytes of triples that a plan keeps until they are used.
pub(crate) const MAX_MATERIAL_BYTES: u64 = 4 << 30;
/// Most labels that setup makes of what the evaluator gives (16 MiB at each party); the others are made online.
pub(crate) const MAX_READY_LABELS: u64 = 1 << 20;
