//! Constants that determine the layout and the prediction of material.

/// Maximum bytes of triples that a plan keeps until they are used.
pub(crate) const MAX_MATERIAL_BYTES: u64 = 4 << 30;
/// Maximum labels of evaluator's values that setup makes (16 MiB at each party); the others are made online.
pub(crate) const MAX_READY_LABELS: u64 = 1 << 20;
