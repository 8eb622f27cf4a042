//! tacit-circuit
