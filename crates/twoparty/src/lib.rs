//! Two-party protocols over shared values.
//!
//! [`yao`] garbles Boolean circuits with half gates: one party garbles, the other evaluates, and whoever is named
//! learns an output. Semi-honest parties, static corruption.

pub mod half_gates;
pub mod yao;
