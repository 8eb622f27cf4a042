//! tacit-ot
