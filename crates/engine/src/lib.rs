//! tacit-engine
